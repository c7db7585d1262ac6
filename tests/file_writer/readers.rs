//! What was written, as each of the readers gives it back.

use std::fs::{self, File};
use std::io::Cursor;

use hrry::io_std::{FileReader, MappedFile, Source};
use hrry::owned::GrowFrame;
use hrry::{
    Exact, FileEvent, FileItems, FileParser, FileView, KvEntry, Outcome, Policy, RangeReader,
    ReadAt, Region,
};

use super::expected::Tensor;
use crate::support::bytes;
use crate::support::scale::Rng;

/// Reads a file in place, front to back, in ranges, from the disk and mapped, and compares all of it with
/// what was written. Returns how deep composites were.
pub fn all(
    file: &[u8],
    tensors: &[Tensor],
    kv: &[KvEntry<'_>],
    policy: Policy,
    rng: &mut Rng,
) -> u8 {
    let wanted: Vec<_> = tensors
        .iter()
        .map(|t| (&*t.name, bytes::encode(&t.plain), &t.buffers))
        .collect();
    let deepest = in_place(file, &wanted, kv, policy);
    front_to_back(file, &wanted, kv, policy, rng);
    in_ranges(file, &wanted, kv, policy);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("written.hrry");
    fs::write(&path, file).unwrap();
    owned(File::open(&path).unwrap(), &wanted, kv, policy);
    // SAFETY: nobody else knows of the file
    owned(
        unsafe { MappedFile::open(&path) }.unwrap(),
        &wanted,
        kv,
        policy,
    );
    deepest
}

/// The name, the descriptor and the buffers of a tensor.
type Wanted<'a> = (&'a str, Vec<u8>, &'a Vec<Vec<u8>>);

fn in_place(file: &[u8], wanted: &[Wanted<'_>], kv: &[KvEntry<'_>], policy: Policy) -> u8 {
    let mut scratch = vec![0; 2 * wanted.len() + kv.len()];
    let (view, index) = FileView::open_with_scratch(file, &policy, &mut scratch).unwrap();
    assert!(view.kv().eq(kv.iter().copied()));
    let mut items = FileItems::new(view, index, Exact, Vec::new(), policy);
    let mut deepest = 0;
    for (name, descriptor, buffers) in wanted {
        let item = items.next_item().unwrap().unwrap();
        let read = item.tensor;
        assert_eq!(read.entry().name, *name);
        assert_eq!(read.descriptor().as_bytes(), descriptor);
        assert!(read.buffers().eq(buffers.iter().map(|b| &b[..])));
        if let Outcome::Opened { depth, .. } = item.begins {
            deepest = deepest.max(depth);
        }
        assert_eq!(index.find(name), Some(*read.entry()));
    }
    assert!(items.next_item().unwrap().is_none());
    items.finish().unwrap();
    deepest
}

/// In pieces of random sizes, small ones mostly.
fn front_to_back(
    file: &[u8],
    wanted: &[Wanted<'_>],
    kv: &[KvEntry<'_>],
    policy: Policy,
    rng: &mut Rng,
) {
    let (frame, region) = (GrowFrame::new(), Some(Region::Count(wanted.len() as u64)));
    let (composites, places) = (Vec::new(), Vec::new());
    let mut parser = FileParser::with_parts(frame, Exact, composites, places, policy, region);
    let (mut descriptors, mut payload, mut names) = (Vec::new(), Vec::new(), Vec::new());
    let (mut keys, mut rest) = (0, file);
    while !rest.is_empty() {
        let most = [1, 16, 400, 9000][rng.below(4)];
        let (mut piece, behind) = rest.split_at(rest.len().min(1 + rng.below(most)));
        rest = behind;
        while let Some(event) = parser.next_event(&mut piece).unwrap() {
            match event {
                FileEvent::Descriptor(view, _) => {
                    descriptors.push(view.as_bytes().to_vec());
                    payload.push(vec![Vec::new(); view.buffer_count()]);
                }
                FileEvent::Payload(part) => {
                    let buffer = &mut payload.last_mut().unwrap()[usize::from(part.buffer)];
                    assert_eq!(buffer.len() as u64, part.offset);
                    buffer.extend_from_slice(part.bytes);
                }
                FileEvent::Kv(entry) => {
                    assert_eq!(entry, kv[keys]);
                    keys += 1;
                }
                FileEvent::Entry(entry) => {
                    names.push((entry.descriptor_offset, entry.name.to_owned()))
                }
                _ => {}
            }
        }
    }
    let open = parser.finish().unwrap().unchecked;
    assert!(!open.names && !open.keys && !open.ranges && !open.tensors && !open.checksum);
    assert_eq!(keys, kv.len());
    names.sort();
    let read = names
        .iter()
        .map(|(_, name)| &**name)
        .zip(descriptors)
        .zip(&payload);
    assert!(
        read.map(|((name, descriptor), buffers)| (name, descriptor, buffers))
            .eq(wanted.iter().cloned())
    );
}

fn in_ranges(file: &[u8], wanted: &[Wanted<'_>], kv: &[KvEntry<'_>], policy: Policy) {
    let mut storage = vec![0; file.len()];
    let mut reader = RangeReader::open(Cursor::new(file), &mut storage, policy).unwrap();
    assert!(reader.kv().eq(kv.iter().copied()));
    assert_eq!(reader.entries().count(), wanted.len());
    for (name, descriptor, buffers) in wanted {
        let entry = reader.find(name).unwrap();
        let mut bytes = vec![0; entry.storage_len()];
        let tensor = reader.tensor(&entry, &mut bytes).unwrap();
        assert_eq!(tensor.descriptor().as_bytes(), descriptor);
        for (k, buffer) in buffers.iter().enumerate() {
            let place = tensor.place(k).unwrap();
            let mut read = vec![0; (place.end - place.start) as usize];
            reader.source_mut().read_at(place.start, &mut read).unwrap();
            assert_eq!(read, *buffer);
        }
        assert_eq!(tensor.place(buffers.len()), None);
    }
}

fn owned<R: Source>(source: R, wanted: &[Wanted<'_>], kv: &[KvEntry<'_>], policy: Policy) {
    let mut reader = FileReader::new(source, policy).unwrap();
    assert!(reader.kv().eq(kv.iter().copied()));
    let mut place = 0;
    for item in reader.items() {
        let (name, item) = item.unwrap();
        assert_eq!(name, wanted[place].0);
        for node in item.items() {
            let (_, descriptor, buffers) = &wanted[place];
            assert_eq!(node.descriptor().view().as_bytes(), descriptor);
            let read = node.buffers().iter().map(|buffer| &buffer[..]);
            assert!(read.eq(buffers.iter().map(|b| &b[..])));
            place += 1;
        }
    }
    assert_eq!(place, wanted.len());
}
