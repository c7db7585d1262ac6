//! Cut, changed and misplaced bytes.

use hrry::{FileView, Policy};

use super::MODES;
use super::readers::check;
use super::samples::sample;
use crate::support::container::Written;
use crate::support::reading::{expected, ours};
use crate::support::scale::every;
use crate::support::vectors::{files, permissive};

/// What the reader of the tests is worth.
#[test]
fn the_other_reader_judges_as_the_vectors_say() {
    for v in files() {
        let judged = expected(&v.bytes, &v.policy).is_some();
        assert_eq!(judged, v.accept, "{}", v.id);
        assert_eq!(check(&v.bytes, &v.policy, &v.id), v.accept);
        check(&v.bytes, &permissive(&v.policy), &v.id);
    }
}

#[test]
fn only_the_whole_file_is_accepted() {
    for checksum in [false, true] {
        let mut container = sample();
        container.checksum = checksum;
        let whole = container.write().bytes;
        for policy in MODES {
            for len in 0..whole.len() {
                let error = FileView::open(&whole[..len], &policy).expect_err("it was cut");
                assert!(
                    error.rule().is_some() && error.offset() <= len as u64,
                    "{len}"
                );
            }
            assert!(check(&whole, &policy, "whole"));
        }
    }
}

/// Where nothing but padding and data stands, and everywhere else.
fn places(written: &Written) -> (Vec<usize>, Vec<usize>) {
    let reading = expected(&written.bytes, &Policy::STRICT).expect("a valid sample");
    let start = written.bytes.as_ptr() as usize;
    let mut meaning = vec![false; written.bytes.len()];
    meaning[..64].fill(true);
    meaning[written.keys[0]..written.keys[1]].fill(true);
    meaning[written.index..].fill(true);
    for tensor in &reading.tensors {
        let at = tensor.descriptor.as_ptr() as usize - start;
        meaning[at..at + tensor.descriptor.len()].fill(true);
    }
    (0..meaning.len()).partition(|at| !meaning[*at])
}

#[test]
fn every_change_of_a_byte_is_refused_or_read() {
    let written = sample().write();
    let (_, meaning) = places(&written);
    let mut bytes = written.bytes.clone();
    let (mut n, mut read) = (0, 0);
    let step = every(397);
    for at in meaning {
        let original = bytes[at];
        for value in 0..=u8::MAX {
            n += 1;
            if value == original || n % step != 0 {
                continue;
            }
            bytes[at] = value;
            for policy in MODES {
                let name = format!("{value:#04x} at {at}");
                read += usize::from(check(&bytes, &policy, &name));
            }
        }
        bytes[at] = original;
    }
    assert!(read > 0 && read < n / step, "{read} of {n}");
}

/// Behind a checksum nothing of the index can change, whatever it says.
#[test]
fn a_checksum_covers_every_bit_of_the_index() {
    let mut container = sample();
    container.checksum = true;
    let written = container.write();
    let mut bytes = written.bytes.clone();
    for at in written.index..written.trailer {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            for policy in MODES {
                let error = FileView::open(&bytes, &policy).expect_err("a checksum");
                assert_eq!(error.rule().map(hrry::Rule::id), Some("FILE-13"));
                assert_eq!(error.offset(), written.trailer as u64 + 28);
            }
            bytes[at] ^= 1 << bit;
        }
    }
}

/// A reader that seeks looks at no padding, and hands data out as it is.
#[test]
fn padding_and_data_change_no_verdict() {
    let written = sample().write();
    let (padding, _) = places(&written);
    let mut bytes = written.bytes.clone();
    for at in padding.iter().step_by(every(97)) {
        let original = bytes[*at];
        for value in [1, b'H', 0xFF] {
            bytes[*at] = value;
            assert!(check(&bytes, &Policy::STRICT, &format!("{value} at {at}")));
        }
        bytes[*at] = original;
    }
}

#[test]
fn a_file_may_start_anywhere_in_memory() {
    let whole = sample().write().bytes;
    let reading = ours(&whole, &Policy::STRICT).expect("valid");
    for shift in 1..=8 {
        let mut moved = vec![0xAA; shift];
        moved.extend(&whole);
        assert_eq!(
            ours(&moved[shift..], &Policy::STRICT).as_ref(),
            Ok(&reading)
        );
    }
}
