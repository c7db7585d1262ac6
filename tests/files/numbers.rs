//! Offsets, lengths and counts near the ends of their types: refused, never wrapped, never trusted.

use hrry::{ErrorKind, FileView, Policy, Rule};

use super::MODES;
use super::readers::check;
use super::samples::sample;
use crate::support::container::Written;

/// Names and places of numbers.
type Numbers = Vec<(&'static str, usize)>;

/// The numbers of 8 and of 4 bytes whose every large value is wrong.
fn fields(written: &Written) -> (Numbers, Numbers) {
    let trailer = written.trailer;
    let mut longs = vec![
        ("first_descriptor_offset", 20),
        ("index_entry_count", written.index),
        ("index_offset", trailer),
        ("index_length", trailer + 8),
        ("kv_offset", trailer + 16),
    ];
    // the first key is "s" with a text, behind the count: length 2, key 1, tag 1
    let mut words = vec![
        ("file_flags", 12),
        ("data_buffer_alignment", 16),
        ("kv_count", written.keys[0]),
        ("text length", written.keys[0] + 4 + 4),
        ("kv_length", trailer + 24),
    ];
    // "a" is the second entry, with a name of one byte; its descriptor is the first
    let places = written.entries[1] + 2 + 1;
    longs.push(("descriptor_offset", places));
    longs.push(("data_offset", places + 12));
    longs.push(("data_length", places + 20));
    // behind header and shape; then the handle behind its count
    longs.push(("byte_offset", 64 + 28));
    longs.push(("byte_size", 64 + 37));
    words.push(("descriptor_length in the index", places + 8));
    words.push(("descriptor_length", 64 + 6));
    words.push(("rank", 64 + 16));
    (longs, words)
}

fn near_the_ends(original: u64) -> Vec<u64> {
    let mut values = Vec::new();
    for power in [32, 61, 63] {
        let power = 1 << power;
        values.extend([
            power - 1,
            power,
            power + 1,
            power - original,
            power + original,
        ]);
    }
    // sums with another place or length come out at 2^64 and a little above
    values.extend((0..300).map(|k| u64::MAX - k));
    values.extend([8, 4096, original].map(|less| u64::MAX - less));
    values
}

#[test]
fn large_numbers_of_eight_bytes_are_refused() {
    let written = sample().write();
    for (name, at) in fields(&written).0 {
        let mut bytes = written.bytes.clone();
        let place = at..at + 8;
        let original = u64::from_le_bytes(bytes[place.clone()].try_into().expect("8 bytes"));
        for value in near_the_ends(original) {
            bytes[place.clone()].copy_from_slice(&value.to_le_bytes());
            let name = format!("{name} = {value:#x}");
            assert!(!check(&bytes, &Policy::STRICT, &name), "{name}");
            // there, the first descriptor is where the index says
            let ignored = name.starts_with("first");
            assert_eq!(check(&bytes, &Policy::PERMISSIVE, &name), ignored, "{name}");
        }
    }
}

#[test]
fn large_numbers_of_four_bytes_are_refused() {
    let written = sample().write();
    for (name, at) in fields(&written).1 {
        let mut bytes = written.bytes.clone();
        for value in (0..64)
            .map(|k| u32::MAX - k)
            .chain([1 << 31, i32::MAX as u32])
        {
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            for policy in MODES {
                let name = format!("{name} = {value:#x}");
                assert!(!check(&bytes, &policy, &name), "{name}");
            }
        }
    }
}

#[test]
fn nothing_follows_from_the_hint() {
    let mut bytes = sample().write().bytes;
    for hint in near_the_ends(5) {
        bytes[28..36].copy_from_slice(&hint.to_le_bytes());
        assert!(check(&bytes, &Policy::STRICT, &format!("hint {hint:#x}")));
        let view = FileView::open(&bytes, &Policy::STRICT).expect("valid");
        assert_eq!(
            (view.header().tensor_count_hint, view.tensor_count()),
            (hint, 5)
        );
    }
}

/// The count is compared with the length of the index before anything is done so often.
#[test]
fn counts_beyond_the_index() {
    let written = sample().write();
    let mut bytes = written.bytes.clone();
    // 5 entries of 34 bytes with names of 1, 1, 3, 3 and 7 bytes are at most 5 of 35
    for count in [6, 1 << 32, (1 << 32) + 5, 1 << 61, (1 << 61) + 5, u64::MAX] {
        bytes[written.index..written.index + 8].copy_from_slice(&count.to_le_bytes());
        for policy in MODES {
            let error = FileView::open(&bytes, &policy).expect_err("too many");
            assert_eq!(error.rule(), Some(Rule::IndexEntries));
            assert_eq!(error.offset(), written.index as u64);
            assert!(matches!(error.kind(), ErrorKind::Rule(_)));
        }
    }
}

/// The sum of place and length is what it is, on targets of any width.
#[test]
fn a_wrapped_place_is_not_taken_for_the_right_one() {
    let written = sample().write();
    for (name, at) in fields(&written).0 {
        for power in [32, 40, 63] {
            let mut bytes = written.bytes.clone();
            let byte = at + power / 8;
            bytes[byte] ^= 1 << (power % 8);
            let name = format!("{name} + 2^{power}");
            assert!(!check(&bytes, &Policy::STRICT, &name), "{name}");
        }
    }
}
