//! Every length and every change of a byte, through all readers.
//!
//! A reader that goes front to back is told by a caller who knows the unchanged file, and by one who looked
//! at the trailer of the changed one.

use hrry::Region;

use super::MODES;
use super::readers::check_told;
use super::samples::{group, keys, tensor};
use crate::support::container::Container;
use crate::support::regions::{count, ends_at};
use crate::support::scale::every;
use crate::support::vectors::{files, named};

/// A file whose bytes are to be changed, and what its callers know.
struct Base {
    name: String,
    bytes: Vec<u8>,
    regions: [Region; 2],
}

impl Base {
    fn new(name: &str, bytes: Vec<u8>) -> Self {
        Base {
            name: name.to_owned(),
            regions: [ends_at(&bytes), count(&bytes).expect("it has an index")],
            bytes,
        }
    }

    /// Returns how many modes accept these bytes in the place of the file.
    fn check(&self, bytes: &[u8], what: &str) -> usize {
        let name = format!("{}, {what}", self.name);
        let mut regions = self.regions.to_vec();
        for region in [Some(ends_at(bytes)), count(bytes)].into_iter().flatten() {
            if !regions.contains(&region) {
                regions.push(region);
            }
        }
        let check = |policy| usize::from(check_told(bytes, policy, regions.clone(), &name));
        MODES.iter().map(check).sum()
    }

    /// Changes bytes to some other values: all of them, and of so many one.
    fn change(&self, places: impl Iterator<Item = usize>, step: usize) {
        let mut bytes = self.bytes.clone();
        let mut n = 0;
        for at in places {
            let original = bytes[at];
            for value in (0..=u8::MAX).filter(|value| *value != original) {
                n += 1;
                if n % step == 0 {
                    bytes[at] = value;
                    self.check(&bytes, &format!("{value:#04x} at {at}"));
                }
            }
            bytes[at] = original;
        }
    }
}

/// Heads of composites and keys: no padding to speak of.
fn heads(minor: u8, sorted: bool) -> Base {
    let mut container = Container::new(vec![group("a", 1), group("b", 0), group("c", 0)]);
    container.keys = Some(keys());
    container.minor = minor;
    container.sorted = sorted;
    let name = format!("heads, minor {minor}, sorted {sorted}");
    Base::new(&name, container.write().bytes)
}

/// One tensor of three bytes.
fn one() -> Base {
    Base::new(
        "one",
        Container::new(vec![tensor("t", &[1, 2, 3])]).write().bytes,
    )
}

fn vector(id: &str) -> Base {
    Base::new(id, named(&files(), id).bytes.clone())
}

#[test]
fn every_length() {
    let bases = [
        heads(0, false),
        one(),
        vector("f-ok-kv-limits"),
        vector("f-ok-no-tensors"),
    ];
    for base in bases {
        for len in 0..base.bytes.len() {
            let accepted = base.check(&base.bytes[..len], &format!("to {len}"));
            assert_eq!(accepted, 0, "{} to {len}", base.name);
        }
        assert_eq!(base.check(&base.bytes, "whole"), MODES.len());
    }
}

#[test]
fn every_change_of_small_files() {
    let base = vector("f-ok-no-tensors");
    base.change(0..base.bytes.len(), 1);
    let base = vector("f-ok-kv-empty-section");
    base.change(0..base.bytes.len(), every(7));
}

#[test]
fn every_change_of_heads_and_keys() {
    for base in [heads(0, false), heads(0, true), heads(1, false)] {
        base.change(0..base.bytes.len(), every(101));
    }
}

#[test]
fn every_change_of_one_tensor() {
    let base = one();
    // a descriptor of 53 bytes from 64; zeros up to the data at 4096
    let padding = 64 + 53..4096;
    base.change(
        (0..padding.start).chain(padding.end..base.bytes.len()),
        every(61),
    );
    base.change(padding, every(9973));
}
