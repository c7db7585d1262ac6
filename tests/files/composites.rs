//! Composites: members by place, whatever the index says first.

use hrry::{Error, ErrorKind, Exact, FileItems, FileView, Outcome, Policy, Rule};

use super::MODES;
use super::samples::{group, sample, tensor};
use crate::support::container::{Container, Stored};
use crate::support::scale::Rng;
use crate::support::vectors::{files, named};

type Items = Vec<(String, Outcome, Outcome)>;

/// Names, and what each tensor begins and ends; the error with what came before it.
fn items(bytes: &[u8], policy: Policy) -> (Items, Result<(), Error>) {
    let view = FileView::open(bytes, &policy).expect("valid");
    let mut scratch = vec![0; view.scratch_words() as usize];
    let index = view.index(&policy, &mut scratch).expect("valid");
    let mut items = FileItems::new(view, index, Exact, Vec::new(), policy);
    let mut seen = Vec::new();
    let result = loop {
        match items.next_item() {
            Ok(Some(item)) => {
                let name = item.tensor.entry().name.to_owned();
                seen.push((name, item.begins, item.ends));
            }
            Ok(None) => break items.finish(),
            Err(error) => {
                // it sticks
                assert_eq!(items.next_item().map(drop), Err(error));
                assert_eq!(items.finish(), Err(error));
                break Err(error);
            }
        }
    };
    (seen, result)
}

const WHOLE: Result<(), Rule> = Ok(());

fn closed(levels: u8) -> Outcome {
    Outcome::Closed {
        levels,
        complete: WHOLE,
        method: None,
    }
}

#[test]
fn the_order_of_the_index_does_not_matter() {
    let mut container = sample();
    let member = |index| Outcome::Member { depth: 1, index };
    let opened = Outcome::Opened {
        depth: 1,
        members: 2,
        index: None,
    };
    let expected = [
        ("a", Outcome::Plain, Outcome::Plain),
        ("größe", Outcome::Plain, Outcome::Plain),
        ("g", opened, opened),
        ("g.0", member(0), member(0)),
        ("g.1", member(1), closed(1)),
    ];
    let mut rng = Rng(5);
    for turn in 0..20 {
        match turn {
            0 => container.index = vec![0, 1, 2, 3, 4],
            1 => container.index = vec![4, 3, 2, 1, 0],
            _ => (1..5).for_each(|k| container.index.swap(k, rng.below(k + 1))),
        }
        let (items, result) = items(&container.write().bytes, Policy::STRICT);
        assert_eq!(result, Ok(()));
        let items: Vec<_> = items
            .iter()
            .map(|(name, a, b)| (name.as_str(), *a, *b))
            .collect();
        assert_eq!(items, expected, "{:?}", container.index);
    }
}

/// Members of vectors: partitions with boxes, overlays, nested ones.
#[test]
fn vectors_with_their_index_turned_around() {
    let vectors = files();
    for id in [
        "f-ok-ref-nested",
        "f-ok-partition-pinwheel",
        "f-ok-overlay-spqr",
    ] {
        let base = &named(&vectors, id).bytes;
        let turned = turned_around(base);
        assert_ne!(&turned, base);
        let (expected, result) = items(base, Policy::STRICT);
        assert_eq!(result, Ok(()));
        assert_eq!(items(&turned, Policy::STRICT), (expected, Ok(())), "{id}");
    }
}

/// The entries from back to front; without the checksum.
fn turned_around(bytes: &[u8]) -> Vec<u8> {
    let trailer = bytes.len() - 40;
    let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    let (index, len) = (long(trailer) as usize, long(trailer + 8) as usize);
    let mut entries = Vec::new();
    let mut at = index + 8;
    while at < index + len {
        let end = at + 34 + usize::from(bytes[at]);
        entries.push(&bytes[at..end]);
        at = end;
    }
    entries.reverse();
    let mut turned = bytes.to_vec();
    turned[index + 8..index + len].copy_from_slice(&entries.concat());
    turned[12] &= !4;
    turned[trailer + 28..trailer + 32].fill(0);
    turned
}

/// Groups in groups, and a tensor in the innermost one.
fn nested(levels: usize) -> Vec<Stored> {
    let heads = (0..levels).map(|level| group(&format!("head {level}"), 1));
    heads.chain([tensor("leaf", &[1])]).collect()
}

#[test]
fn eight_levels_and_no_more() {
    for policy in MODES {
        let mut container = Container::new(nested(8));
        container.index.reverse();
        let (seen, result) = items(&container.write().bytes, policy);
        assert_eq!(result, Ok(()));
        for (level, (name, begins, _)) in seen[..8].iter().enumerate() {
            assert_eq!(name, &format!("head {level}"));
            let depth = level as u8 + 1;
            let index = (level > 0).then_some(0);
            assert_eq!(
                *begins,
                Outcome::Opened {
                    depth,
                    members: 1,
                    index
                }
            );
        }
        assert_eq!(seen[8].2, closed(8));

        let written = Container::new(nested(9)).write();
        let (seen, result) = items(&written.bytes, policy);
        let error = result.expect_err("too deep");
        assert_eq!((seen.len(), error.rule()), (8, Some(Rule::CompositeDepth)));
        // nine heads of 45 bytes, each at a multiple of 8
        let ninth = 64 + 8 * 48;
        assert!((ninth..ninth + 45).contains(&error.offset()), "{error}");
    }
}

/// Nothing follows where members should; the region of tensors ends where index or keys start.
#[test]
fn torn_at_the_end_of_the_tensors() {
    let whole = sample();
    // without the last member, and without both
    for (kept, seen) in [(4, 1), (3, 0)] {
        let mut container = whole.clone();
        container.tensors.truncate(kept);
        container.index = (0..kept).rev().collect();
        for keys in [whole.keys.clone(), None] {
            container.keys = keys;
            let written = container.write();
            let end = match container.keys {
                Some(_) => written.keys[0],
                None => written.index,
            };
            for policy in MODES {
                let (items, result) = items(&written.bytes, policy);
                let error = result.expect_err("torn");
                let torn = ErrorKind::Torn {
                    level: 1,
                    declared: 2,
                    seen,
                };
                assert_eq!((items.len(), error.kind()), (kept, torn));
                assert_eq!(error.offset(), end as u64);
            }
        }
    }
}

/// An error in a descriptor is where it is in the file.
#[test]
fn errors_of_descriptors_are_absolute() {
    let vectors = files();
    let mut bytes = named(&vectors, "f-ok-two").bytes.clone();
    // the second descriptor is at 8192; its rank is 16 bytes behind
    let second = 8192;
    assert_eq!(&bytes[second..second + 4], b"HRRY");
    for (at, value, rule) in [(16, 65, Rule::RankLimit), (14, 0xFF, Rule::TypeInvalid)] {
        let original = bytes[second + at];
        bytes[second + at] = value;
        let (seen, result) = items(&bytes, Policy::STRICT);
        let error = result.expect_err("a descriptor is wrong");
        assert_eq!((seen.len(), error.rule()), (1, Some(rule)));
        assert_eq!(error.offset(), (second + at) as u64);
        bytes[second + at] = original;
    }
}
