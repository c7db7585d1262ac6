//! One answer of all readers: in memory, in ranges, front to back.

use hrry::{DescriptorView, ErrorKind, FileEnd, FileView, Policy, Region, Rule};

use crate::support::front::{Only, walk};
use crate::support::ranges::assert_same;
use crate::support::reading::{Reading, Tensor, expected, ours};
use crate::support::regions::{count, ends_at};
use crate::support::trace::{Entry, Trace, growing_file, trace};

/// Verdict and contents are those of the other reader, whichever way the container is read; returns whether
/// it was accepted by those that seek.
pub fn check(bytes: &[u8], policy: &Policy, name: &str) -> bool {
    let regions = [Some(ends_at(bytes)), count(bytes)];
    check_told(bytes, policy, regions.into_iter().flatten(), name)
}

/// The same, front to back for a caller who knows where tensors end.
pub fn check_told(
    bytes: &[u8],
    policy: &Policy,
    regions: impl IntoIterator<Item = Region>,
    name: &str,
) -> bool {
    let name = format!("{name}, {:?}", policy.mode);
    let expected = expected(bytes, policy);
    match (ours(bytes, policy), &expected) {
        (Ok(reading), expected) => assert_eq!(Some(&reading), expected.as_ref(), "{name}"),
        (Err(error), Some(_)) => panic!("{name}: {error}"),
        (Err(error), None) => {
            let huge = match error.kind() {
                // an item of 2 GiB has no place on a machine of 32 bits
                ErrorKind::Capacity { needed, .. } => isize::try_from(needed).is_err(),
                _ => false,
            };
            assert!(error.rule().is_some() || huge, "{name}: {error}");
            assert!(error.offset() <= bytes.len() as u64, "{name}: {error}");
        }
    }
    for room in [0, bytes.len()] {
        assert_same(bytes, policy, room);
    }
    let mut last = None;
    for region in regions {
        let name = format!("{name}, {region:?}");
        let told = front_to_back(bytes, policy, region, expected.as_ref(), &name);
        last = Some((region, told));
    }
    if let Some((region, told)) = last {
        let half = bytes.len() / 2;
        let cuts = [half, bytes.len().min(half + 1)];
        let cut = trace(bytes, &cuts, growing_file(*policy, Some(region)));
        assert_eq!(cut, told, "{name}, {region:?}");
    }
    expected.is_some()
}

fn front_to_back(
    bytes: &[u8],
    policy: &Policy,
    region: Region,
    expected: Option<&Reading<'_>>,
    name: &str,
) -> Trace<FileEnd> {
    let told = trace(bytes, &[], growing_file(*policy, Some(region)));
    let walked = expected.map(|reading| walk(bytes, policy, region, reading));
    match (told.result, walked) {
        (Ok(end), Some(Ok(()))) => {
            assert_eq!(Some(&reading(&told, policy)), expected, "{name}");
            let open = end.unchecked;
            let tensors = open.tensors || open.ranges;
            assert!(!tensors && !open.keys, "{name}: {open:?}");
            // bit 1 of the flags promises that they ascend
            let view = FileView::open(bytes, policy).unwrap();
            let names = view.entries().map(|entry| entry.name);
            let broken = bytes[12] & 2 != 0 && !names.is_sorted_by(|a, b| a < b);
            assert_eq!(open.names, broken, "{name}");
        }
        (Ok(end), None) => open(bytes, policy, &end, name),
        (Err(error), Some(Ok(()))) => panic!("{name}: {error}"),
        (Ok(_), Some(Err(only))) => panic!("{name}: accepted in spite of {only:?}"),
        (Err(error), walked) => {
            let huge = match error.kind() {
                // an item of 2 GiB has no place on a machine of 32 bits
                ErrorKind::Capacity { needed, .. } => isize::try_from(needed).is_err(),
                _ => false,
            };
            assert!(error.rule().is_some() || huge, "{name}: {error}");
            // where the file ends is not known, but where it was told that tensors do
            let told = Region::EndsAt(error.offset()) == region;
            let inside = error.offset() <= bytes.len() as u64;
            assert!(inside || told, "{name}: {error}");
            if let Some(Err(Only::Padding(at))) = walked {
                let place = (error.rule(), error.offset());
                assert_eq!(place, (Some(Rule::Padding), at as u64), "{name}");
            }
        }
    }
    told
}

/// What is accepted front to back alone is refused otherwise for what was said to be open.
fn open(bytes: &[u8], policy: &Policy, end: &FileEnd, name: &str) {
    let refused = ours(bytes, policy).expect_err("it was refused");
    let open = end.unchecked.checksum && refused.rule() == Some(Rule::IndexChecksum);
    assert!(open, "{name}: accepted in spite of {refused}");
}

/// What a parser told.
fn reading<'a>(trace: &'a Trace<FileEnd>, policy: &Policy) -> Reading<'a> {
    let mut reading = Reading {
        minor: 0,
        flags: 0,
        alignment: 0,
        keys: Vec::new(),
        tensors: Vec::new(),
        order: Vec::new(),
    };
    let mut met: Vec<(u64, Tensor<'_>)> = Vec::new();
    let mut places = Vec::new();
    for entry in &trace.entries {
        match entry {
            Entry::Header(header) => {
                reading.minor = header.version_minor;
                reading.flags = header.file_flags;
                reading.alignment = header.data_buffer_alignment;
            }
            Entry::Descriptor { origin, bytes, .. } => {
                let (view, _) = DescriptorView::parse(bytes, policy).expect("it was accepted");
                let tensor = Tensor {
                    name: "",
                    descriptor: bytes,
                    // empty ones have no payload
                    buffers: vec![&[]; view.buffer_count()],
                };
                met.push((*origin, tensor));
            }
            Entry::Buffer {
                index,
                bytes,
                complete,
            } => {
                assert!(complete, "every buffer is whole");
                let (_, tensor) = met.last_mut().expect("a descriptor comes first");
                tensor.buffers[usize::from(*index)] = bytes;
            }
            Entry::End(_) => {}
            Entry::Kv(key, value) => reading.keys.push((key, value.clone())),
            Entry::Listed(entry) => {
                let mut at = met.iter();
                let found = at.find(|(origin, _)| *origin == entry.descriptor_offset);
                let (origin, tensor) = found.expect("it was met");
                places.push((*origin, &entry.name[..]));
                reading.tensors.push(Tensor {
                    name: &entry.name,
                    ..tensor.clone()
                });
            }
        }
    }
    places.sort_by_key(|(origin, _)| *origin);
    reading.order = places.into_iter().map(|(_, name)| name).collect();
    reading
}
