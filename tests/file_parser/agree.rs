//! Read front to back and at random, a file gives the same.

use hrry::{Exact, FileItems, FileView, Policy, Region};

use crate::support::crc32c;
use crate::support::files::read_with;
use crate::support::reading::value;
use crate::support::regions::{count, ends_at};
use crate::support::trace::{Entry, growing_file, trace};
use crate::support::vectors::{Vector, files};

/// What a reader of a file in memory tells, in the order of a parser.
fn in_memory(v: &Vector) -> Vec<Entry> {
    let parts = read_with(&v.bytes, &v.policy, |file, index| {
        let mut parts = vec![Entry::Header(*file.header())];
        let mut items = FileItems::new(file, index, Exact, Vec::new(), v.policy);
        while let Some(item) = items.next_item().unwrap() {
            parts.push(Entry::Descriptor {
                origin: item.tensor.entry().descriptor_offset,
                bytes: item.tensor.descriptor().as_bytes().to_vec(),
                outcome: item.begins,
            });
            let buffers = item.tensor.buffers().enumerate();
            let full = buffers.filter(|(_, bytes)| !bytes.is_empty());
            parts.extend(full.map(|(k, bytes)| Entry::Buffer {
                index: k as u8,
                bytes: bytes.to_vec(),
                complete: true,
            }));
            parts.push(Entry::End(item.ends));
        }
        let keys = file.kv();
        parts.extend(keys.map(|entry| Entry::Kv(entry.key.to_owned(), value(&entry.value))));
        parts.extend(file.entries().map(|entry| Entry::Listed(entry.into())));
        parts
    });
    parts.unwrap()
}

#[test]
fn front_to_back_and_at_random() {
    let mut read = 0;
    for v in files().iter().filter(|v| v.accept) {
        let expected = in_memory(v);
        let view = FileView::open(&v.bytes, &v.policy).unwrap();
        for region in [Some(ends_at(&v.bytes)), count(&v.bytes)] {
            let trace = trace(&v.bytes, &[], growing_file(v.policy, region));
            assert_eq!(trace.entries, expected, "{}", v.id);
            let end = trace.result.unwrap();
            assert_eq!(end.trailer, *view.trailer(), "{}", v.id);
            assert!(!end.unchecked.checksum, "{}", v.id);
            read += 1;
        }
    }
    assert_eq!(read, 2 * 46);
}

#[test]
fn buffers_are_those_of_the_manifest() {
    let mut buffers = 0;
    for v in files().iter().filter(|v| v.accept) {
        let trace = trace(
            &v.bytes,
            &[],
            growing_file(v.policy, Some(ends_at(&v.bytes))),
        );
        let mut sums: Vec<(u64, u8, usize, String)> = Vec::new();
        let mut at = 0;
        for part in &trace.entries {
            match part {
                Entry::Descriptor { origin, .. } => at = *origin,
                Entry::Buffer { index, bytes, .. } => {
                    sums.push((at, *index, bytes.len(), format!("{:08x}", crc32c(bytes))));
                }
                _ => {}
            }
        }
        let mut expected = Vec::new();
        for tensor in v.expect["tensors"].as_array().unwrap() {
            for (k, buffer) in tensor["buffers"].as_array().unwrap().iter().enumerate() {
                let len = buffer["len"].as_u64().unwrap() as usize;
                if len > 0 {
                    let sum = buffer["crc32c"].as_str().unwrap().to_owned();
                    let place = tensor["descriptor_offset"].as_u64().unwrap();
                    expected.push((place, k as u8, len, sum));
                }
            }
        }
        expected.sort();
        buffers += expected.len();
        assert_eq!(sums, expected, "{}", v.id);
    }
    assert!(buffers > 40, "{buffers}");
}

/// A file of empty tensors with these names, in this order; flags of the header as given.
fn named_file(names: &[&[u8]], flags: u8) -> Vec<u8> {
    // uint8 [0] with one empty buffer: 20 of header, 8 of shape, 8 of byte_offset, 1, 16
    let mut descriptor = b"HRRY\x01\x00".to_vec();
    descriptor.extend([53, 0, 0, 0, 0, 0, 0, 0, 0x15, 1, 1, 0, 0, 0]);
    descriptor.extend([0; 16]);
    descriptor.extend([1, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0]);
    let mut file = b"HRRYFILE\x01\x00\x00\x00".to_vec();
    file.extend([flags, 0, 0, 0, 0, 16, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0]);
    file.extend([0xFF; 8]);
    file.resize(64, 0);
    let mut index = (names.len() as u64).to_le_bytes().to_vec();
    for (k, name) in names.iter().enumerate() {
        // each at a multiple of 4096 but the first, with its empty buffer at the next one
        let place = (k as u64 * 4096).max(64);
        index.extend((name.len() as u16).to_le_bytes());
        index.extend(*name);
        index.extend(place.to_le_bytes());
        index.extend(53u32.to_le_bytes());
        index.extend((k as u64 * 4096 + 4096).to_le_bytes());
        index.extend([0; 12]);
        file.extend(&descriptor);
        file.resize((k + 1) * 4096, 0);
    }
    let trailer = [file.len() as u64, index.len() as u64, 0];
    file.extend(&index);
    file.extend(trailer.iter().flat_map(|word| word.to_le_bytes()));
    file.extend([0; 12]);
    file.extend(b"HRRY");
    file
}

const SORTED: u8 = 2;

#[test]
fn names_are_compared_with_the_one_before() {
    let long = [b'n'; 300];
    let longer = [b'n'; 301];
    let cases: [(&[&[u8]], bool); 6] = [
        (&[b"a", b"b", b"c"], true),
        (&[b"a", b"aa", b"ab", b"b"], true),
        (&[b"m", &long, &longer, b"o"], true),
        (&[&longer, &long], false),
        (&[b"abcd", b"abce", b"abcd"], false),
        (&[&long, &long], false),
    ];
    for (names, ascends) in cases {
        for flags in [0, SORTED] {
            let file = named_file(names, flags);
            let region = Some(Region::Count(names.len() as u64));
            let whole = trace(&file, &[], growing_file(Policy::STRICT, region));
            let cuts: Vec<usize> = (1..file.len()).collect();
            assert_eq!(
                trace(&file, &cuts, growing_file(Policy::STRICT, region)),
                whole
            );
            let twice = (1..names.len()).any(|k| names[..k].contains(&names[k]));
            assert_eq!(whole.result.is_ok(), ascends || flags == 0 && !twice);
            let mut words = [0; 16];
            let view = FileView::open_with_scratch(&file, &Policy::STRICT, &mut words);
            match whole.result {
                Ok(end) => assert!(!end.unchecked.names && view.is_ok()),
                Err(error) => assert_eq!(Err(error), view.map(|_| ())),
            }
        }
    }
}
