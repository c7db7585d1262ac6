//! What a server chooses, over tables.

use hrry::message::Availability::{self, Busy, Never, Ready};
use hrry::message::{
    ErrorCode, Hello, LayoutEntries, LayoutEntry, Peer, RequestFlags, TensorRequest, select_class,
    select_device, select_layout,
};
use hrry::{DeviceTag, LayoutTag, MemoryClass};

const ROW: u8 = 0x01;
const COLUMN: u8 = 0x02;
const TILED: u8 = 0x04;
const PRIVATE: u8 = 0xF1;

/// MSG-16: preferences, whether the client allows other layouts, what the server has and makes, its choice.
#[test]
fn layouts() {
    type Row = (&'static [u8], bool, u8, &'static [u8], u8);
    let table: [Row; 12] = [
        (&[], false, ROW, &[], ROW),
        (&[], true, ROW, &[COLUMN], ROW),
        (&[ROW], false, ROW, &[], ROW),
        (&[COLUMN], false, ROW, &[COLUMN], ROW),
        (&[COLUMN], true, ROW, &[COLUMN], COLUMN),
        (&[COLUMN], true, ROW, &[], ROW),
        (&[COLUMN, ROW], false, ROW, &[COLUMN], ROW),
        (&[COLUMN, ROW], true, ROW, &[COLUMN], COLUMN),
        (&[ROW, COLUMN], true, ROW, &[COLUMN], ROW),
        (&[TILED, COLUMN, ROW], true, TILED, &[ROW], TILED),
        (&[COLUMN, TILED], true, ROW, &[TILED], TILED),
        (&[PRIVATE, COLUMN], true, ROW, &[PRIVATE, COLUMN], PRIVATE),
    ];
    for (wanted, allowed, native, makes, chosen) in table {
        let entries: Vec<LayoutEntry<'_>> = wanted
            .iter()
            .map(|tag| LayoutEntry::new(LayoutTag(*tag)))
            .collect();
        let mut request = TensorRequest::new("w");
        request.preferred_layouts = LayoutEntries::new(&entries);
        if allowed {
            request.request_flags = RequestFlags::ALLOW_TRANSCODE;
        }
        let mut tried = Vec::new();
        let got = select_layout(&request, LayoutTag(native), |entry| {
            tried.push(entry.tag.0);
            makes.contains(&entry.tag.0)
        });
        assert_eq!(
            got,
            LayoutTag(chosen),
            "{wanted:?} {allowed} {native} {makes:?}"
        );
        // what is native is not made, and nothing is where the client did not allow it
        assert!(!tried.contains(&native));
        assert!(allowed || tried.is_empty());
    }
}

/// MSG-17: what the client prefers and lists, how the server stands to that and to the CPU, its choice.
#[test]
fn devices() {
    const CPU: u8 = 0x00;
    const CUDA: u8 = 0x01;
    type Row = (u8, &'static [u8], Availability, Availability, Option<u8>);
    let table: [Row; 14] = [
        (CPU, &[CPU], Ready, Ready, Some(CPU)),
        (CPU, &[CPU, CUDA], Busy, Busy, None),
        (CPU, &[CPU], Never, Never, None),
        (CUDA, &[CUDA], Ready, Ready, Some(CUDA)),
        (CUDA, &[CUDA], Ready, Never, Some(CUDA)),
        (CUDA, &[CPU, CUDA], Ready, Ready, Some(CUDA)),
        (CUDA, &[CPU, CUDA], Busy, Ready, Some(CPU)),
        (CUDA, &[CPU], Busy, Ready, Some(CPU)),
        (CUDA, &[CUDA], Busy, Ready, None),
        (CUDA, &[], Busy, Ready, None),
        (CUDA, &[CPU, CUDA], Busy, Busy, None),
        (CUDA, &[CPU, CUDA], Busy, Never, None),
        (CUDA, &[CPU, CUDA], Never, Ready, None),
        (CUDA, &[CUDA], Never, Never, None),
    ];
    for (preferred, listed, there, cpu, chosen) in table {
        let hello = Hello {
            devices: listed,
            ..Hello::new(1024)
        };
        let availability = |device: DeviceTag| match device.0 {
            device if device == preferred => there,
            CPU => cpu,
            _ => panic!("nobody asked about {device:?}"),
        };
        let got = select_device(DeviceTag(preferred), &Peer::of(&hello), availability);
        let expected = chosen.map(DeviceTag).ok_or(ErrorCode::DeviceUnavailable);
        assert_eq!(got, expected, "{preferred} {listed:?} {there:?} {cpu:?}");
    }
}

/// MSG-14: the device, what the client lists, what the server offers, its choice. Of the classes 0
/// to 3, the CPU has not the last one, CUDA has all.
#[test]
fn classes() {
    type Row = (u8, &'static [u8], &'static [u8], Option<u8>);
    let table: [Row; 10] = [
        (0, &[], &[0], Some(0)),
        (0, &[], &[1, 0], Some(0)),
        (0, &[0, 1], &[1, 0], Some(1)),
        (0, &[0, 3], &[3, 0], Some(0)),
        (0, &[1], &[0], None),
        (0, &[0], &[], None),
        (1, &[2, 0], &[0, 2], Some(0)),
        (1, &[2], &[0, 2], Some(2)),
        (1, &[2], &[0, 1], None),
        (1, &[0xEE, 0], &[0xEE, 0], Some(0)),
    ];
    for (device, listed, offered, chosen) in table {
        let hello = Hello {
            memory_classes: listed,
            ..Hello::new(1024)
        };
        let offered: Vec<MemoryClass> = offered.iter().copied().map(MemoryClass).collect();
        let got = select_class(DeviceTag(device), &Peer::of(&hello), &offered);
        let expected = chosen.map(MemoryClass).ok_or(ErrorCode::DeviceUnavailable);
        assert_eq!(got, expected, "{device} {listed:?} {offered:?}");
    }
}

#[test]
fn a_peer_is_what_its_hello_says() {
    let layouts = [
        LayoutEntry::new(LayoutTag(COLUMN)),
        LayoutEntry::new(LayoutTag(PRIVATE)),
    ];
    let hello = Hello {
        layouts: LayoutEntries::new(&layouts),
        devices: &[0x03, 0xFF],
        memory_classes: &[],
        ..Hello::new(77)
    };
    let peer = Peer::of(&hello);
    assert_eq!((peer.version(), peer.max_message_size()), (1, 77));
    for tag in 0..=u8::MAX {
        assert_eq!(
            peer.has_layout(LayoutTag(tag)),
            [COLUMN, PRIVATE].contains(&tag)
        );
        assert_eq!(peer.has_device(DeviceTag(tag)), [0x03, 0xFF].contains(&tag));
        assert_eq!(peer.has_class(MemoryClass(tag)), tag == 0);
    }
}
