//! Tensors by name.

use hrry::{FileView, Policy, Rule};

use super::samples::{group, sample, tensor};
use crate::support::container::{Container, Written};
use crate::support::scale::Rng;

/// Each name leads to its tensor, with tables and without, and nothing else leads anywhere.
fn assert_found(container: &Container, written: &Written, missing: &[&str]) {
    let view = FileView::open(&written.bytes, &Policy::STRICT).expect("valid");
    let mut scratch = vec![0; view.scratch_words() as usize];
    let index = view.index(&Policy::STRICT, &mut scratch).expect("valid");
    for (tensor, at) in container.index.iter().zip(&written.entries) {
        let stored = &container.tensors[*tensor];
        let entry = index.find(&stored.name).expect("it is there");
        assert_eq!((entry.name, entry.offset), (&stored.name[..], *at as u64));
        let start = entry.descriptor_offset as usize;
        assert_eq!(
            written.bytes[start..start + entry.descriptor_length as usize],
            stored.descriptor
        );
    }
    for name in missing {
        assert_eq!(index.find(name), None, "{name:?}");
        assert_eq!(view.find(name), None, "{name:?}");
    }
    assert_eq!(view.tensor_count(), container.tensors.len() as u64);
    let (view, index) =
        FileView::open_with_scratch(&written.bytes, &Policy::STRICT, &mut scratch).expect("valid");
    assert_eq!(index.directory().unchecked(), view.unchecked());
}

const MISSING: [&str; 8] = ["", "A", "g.", "g.2", "g.00", "gr", "größe\0", "\0"];

#[test]
fn every_name_and_no_other() {
    let container = sample();
    let written = container.write();
    assert_found(&container, &written, &MISSING);
    let view = FileView::open(&written.bytes, &Policy::STRICT).expect("valid");
    for (tensor, at) in container.index.iter().zip(&written.entries) {
        let entry = view.find(&container.tensors[*tensor].name).expect("there");
        assert_eq!(entry.offset, *at as u64);
    }
}

#[test]
fn a_sorted_index() {
    let mut container = sample();
    container
        .index
        .sort_by_key(|k| container.tensors[*k].name.clone());
    for sorted in [true, false] {
        container.sorted = sorted;
        let written = container.write();
        assert_found(&container, &written, &MISSING);
        let view = FileView::open(&written.bytes, &Policy::STRICT).expect("valid");
        // whether or not the header says so
        assert!(!view.unchecked().names);
        assert!(view.unchecked().ranges && view.unchecked().keys);
    }
}

#[test]
fn no_name_in_an_empty_file() {
    let written = Container::new(Vec::new()).write();
    assert_eq!(written.bytes.len(), 112);
    let (view, index) =
        FileView::open_with_scratch(&written.bytes, &Policy::STRICT, &mut []).expect("valid");
    assert_eq!((view.scratch_words(), view.find("a")), (0, None));
    assert_eq!((index.find("a"), index.find("")), (None, None));
    assert_eq!(index.in_order().count(), 0);
}

/// Names of every length around those of words, some of them prefixes of others, with and without zeros at
/// the end.
#[test]
fn names_that_are_alike() {
    let mut names: Vec<String> = (1..40).map(|len| "a".repeat(len)).collect();
    names.extend((1..20).map(|len| format!("a{}", "\0".repeat(len))));
    names.extend((1..20).map(|len| format!("{}b", "a".repeat(len))));
    names.push("n".repeat(65_535));
    let container = Container::new(names.iter().map(|name| group(name, 0)).collect());
    let longer = "a".repeat(40);
    let longest = "n".repeat(65_536);
    assert_found(
        &container,
        &container.write(),
        &["", "\0", "b", "aaab\0", &longer, &longest],
    );
}

/// What one pass without memory shows of names and of ranges.
#[test]
fn what_ascends_is_known() {
    let long = ["block.0001.weight", "block.0002.weight"];
    let cases = [
        (&["a"][..], true),
        (&["a", "b", "ba", "c"], true),
        (&["a", "größe", "größer", "z", "é", "日本"], true),
        (&[long[0], long[1], "block.001", "block.1"], true),
        (&["block.9", "block.10"], false),
        (&[long[1], long[0]], false),
        (&[long[0], "block.0001.\u{e9}", long[1]], true),
        (&["a", "b", "a"], false),
        (&["a", "a"], false),
        (&["aa", "a"], false),
        (&["\u{ff}", "\u{7f}"], false),
    ];
    for (names, ascend) in cases {
        let mut container = Container::new(names.iter().map(|name| group(name, 0)).collect());
        let view = |container: &Container| {
            let bytes = container.write().bytes;
            let view = FileView::open(&bytes, &Policy::STRICT).expect("valid");
            view.unchecked()
        };
        let unchecked = view(&container);
        assert_eq!(
            (unchecked.names, unchecked.ranges),
            (!ascend, false),
            "{names:?}"
        );
        // the same tensors, placed the other way round
        container.tensors.reverse();
        container.index.reverse();
        let unchecked = view(&container);
        let several = names.len() > 1;
        assert_eq!(
            (unchecked.names, unchecked.ranges),
            (!ascend, several),
            "{names:?}"
        );
    }
}

/// Names of one length that ascend are read at a glance, which must not pass what is no text.
#[test]
fn bytes_that_are_no_text_among_names_alike() {
    let names = [
        "layer.01.weight.0",
        "layer.01.weight.1",
        "layer.01.weight.2",
    ];
    let container = Container::new(names.iter().map(|name| group(name, 0)).collect());
    let written = container.write();
    // the last byte of one name, and a byte in front of two
    for (at, entries) in [(16, 1..2), (16, 2..3), (3, 1..3), (0, 1..3), (7, 2..3)] {
        let mut bytes = written.bytes.clone();
        for entry in &written.entries[entries.clone()] {
            bytes[entry + 2 + at] = 0xFF;
        }
        for policy in [Policy::STRICT, Policy::PERMISSIVE] {
            let error = FileView::open(&bytes, &policy).expect_err("no text");
            assert_eq!(error.rule(), Some(Rule::EntryName));
            assert_eq!(error.offset(), written.entries[entries.start] as u64 + 2);
        }
    }
}

/// What is wrong in an entry that is otherwise like its neighbours.
#[test]
fn places_that_are_wrong_among_names_alike() {
    let names = [
        "layer.01.weight.0",
        "layer.01.weight.1",
        "layer.01.weight.2",
    ];
    let container = Container::new(names.iter().map(|name| tensor(name, &[7; 5])).collect());
    let written = container.write();
    assert!(FileView::open(&written.bytes, &Policy::STRICT).is_ok());
    let far = written.index as u64;
    let cases: [(usize, u64, Rule); 8] = [
        (0, 0, Rule::DescriptorPlace),
        (0, 8, Rule::DescriptorPlace),
        (0, 72 + 1, Rule::DescriptorPlace),
        (0, u64::MAX - 7, Rule::DescriptorPlace),
        (12, 0, Rule::DataRange),
        (12, 8, Rule::DataRange),
        (12, u64::MAX, Rule::DataRange),
        (20, far, Rule::DataRange),
    ];
    for entry in &written.entries[1..] {
        let behind_name = entry + 2 + names[0].len();
        for (field, value, rule) in cases {
            let mut bytes = written.bytes.clone();
            let at = behind_name + field;
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            let error = FileView::open(&bytes, &Policy::STRICT).expect_err("out of place");
            let place = if rule == Rule::DataRange { 12 } else { 0 };
            assert_eq!(
                (error.rule(), error.offset()),
                (Some(rule), (behind_name + place) as u64),
                "{field} {value}"
            );
        }
        let mut bytes = written.bytes.clone();
        bytes[behind_name + 28] = 1;
        let error = FileView::open(&bytes, &Policy::STRICT).expect_err("a flag");
        assert_eq!(
            (error.rule(), error.offset()),
            (Some(Rule::EntryFlags), (behind_name + 28) as u64)
        );
    }
}

/// Names that ascend but for some places, in and out of the order of their places.
fn in_runs(runs: &[Vec<String>], out_of_order: bool) -> Container {
    let names = runs.iter().flatten();
    let mut container = Container::new(names.map(|name| group(name, 0)).collect());
    if out_of_order {
        container.tensors.reverse();
        container.index.reverse();
    }
    container
}

/// So few that they are merged, and so many that they are not; in blocks, at random, and taking turns.
#[test]
fn names_in_runs() {
    let mut rng = Rng(11);
    let names: Vec<String> = (0..300)
        .map(|k| format!("layer.{k:03}{}", "x".repeat(k % 3)))
        .collect();
    for count in 1..12 {
        for way in 0..3 {
            let mut runs = vec![Vec::new(); count];
            for (k, name) in names.iter().enumerate() {
                let run = match way {
                    0 => count - 1 - k * count / names.len(),
                    1 => rng.below(count),
                    _ => k % count,
                };
                runs[run].push(name.clone());
            }
            for out_of_order in [false, true] {
                let container = in_runs(&runs, out_of_order);
                assert_found(
                    &container,
                    &container.write(),
                    &["layer.", "layer.300", "layer.0000"],
                );
            }
        }
    }
}

#[test]
fn a_name_in_two_runs() {
    let name = |k: usize| format!("{k:02}");
    let runs: Vec<Vec<String>> = (0..8)
        .map(|run| (0..6).map(|k| name(8 * k + run)).collect())
        .collect();
    for (first, second) in (0..8).flat_map(|b| (0..b).map(move |a| (a, b))) {
        for k in 0..6 {
            let mut runs = runs.clone();
            let twice = runs[first][k].clone();
            // in front of the one that is a little more
            runs[second].insert(k, twice.clone());
            let container = in_runs(&runs, false);
            let written = container.write();
            let place = |run: usize| written.entries[6 * run + k] as u64;
            let mut scratch = vec![0; 2 * written.entries.len()];
            let error = FileView::open_with_scratch(&written.bytes, &Policy::STRICT, &mut scratch)
                .expect_err("twice");
            assert_eq!(
                (error.rule(), error.offset()),
                (Some(Rule::EntryName), place(second) + 2)
            );
            let (_, index) =
                FileView::open_with_scratch(&written.bytes, &Policy::PERMISSIVE, &mut scratch)
                    .expect("relaxed");
            assert_eq!(
                index.find(&twice).map(|entry| entry.offset),
                Some(place(first))
            );
        }
    }
}

/// In the order of their places, and in no order.
#[test]
fn ten_thousand_names() {
    let mut rng = Rng(10_000);
    let names = (0..10_000).map(|k| format!("model.layers.{}.weight.{k}", k % 97));
    let mut container = Container::new(names.map(|name| group(&name, 0)).collect());
    container.checksum = true;
    for shuffled in [false, true] {
        if shuffled {
            for k in (1..container.index.len()).rev() {
                container.index.swap(k, rng.below(k + 1));
            }
        }
        let written = container.write();
        assert_found(
            &container,
            &written,
            &["model.layers.0.weight.1", "model.layers.0.weight."],
        );

        let view = FileView::open(&written.bytes, &Policy::STRICT).expect("valid");
        let mut scratch = vec![0; view.scratch_words() as usize];
        let index = view.index(&Policy::STRICT, &mut scratch).expect("valid");
        let order: Vec<&str> = index.in_order().map(|entry| entry.name).collect();
        assert!(
            order
                .iter()
                .eq(container.tensors.iter().map(|tensor| &tensor.name))
        );
    }
}

/// One step of the hash: what a word of a name makes of what was there before.
fn mixed(sum: u64, word: u64) -> u64 {
    let mixed = (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

/// Two halves of 16 bytes, so that all names made of so many of either collide.
fn colliding(count: usize) -> Vec<[String; 2]> {
    let mut rng = Rng(7);
    let mut ascii = || rng.next() & 0x1F1F_1F1F_1F1F_1F1F | 0x4040_4040_4040_4040;
    let mut sum = 16 * count as u64;
    let mut halves = Vec::new();
    while halves.len() < count {
        let (first, other) = (ascii(), ascii());
        let (mixed_first, mixed_other) = (mixed(sum, first), mixed(sum, other));
        let second = ascii();
        let apart = second ^ mixed_first ^ mixed_other;
        // text again, which one pair in 256 gives
        if apart & 0x8080_8080_8080_8080 == 0 {
            let text = |words: [u64; 2]| {
                let bytes = words.map(u64::to_le_bytes).concat();
                String::from_utf8(bytes).expect("ASCII")
            };
            halves.push([text([first, second]), text([other, apart])]);
            sum = mixed(mixed_first, second);
        }
    }
    halves
}

/// So few that a table takes all of them, and so many that it does not.
#[test]
fn names_made_to_collide() {
    let halves = colliding(9);
    let name = |k: usize| {
        let pick = |(at, half): (usize, &[String; 2])| half[k >> at & 1].clone();
        halves.iter().enumerate().map(pick).collect::<String>()
    };
    let names: Vec<String> = (0..512).map(name).collect();
    for count in [1, 2, 128, 129, 511] {
        // the next one collides as well, and is not there
        let (there, missing) = names.split_at(count);
        let container = Container::new(there.iter().map(|name| group(name, 0)).collect());
        let missing = [&missing[0][..], &there[0][1..]];
        assert_found(&container, &container.write(), &missing);
    }
}

#[test]
fn twice_is_refused_or_the_first() {
    let halves = colliding(1);
    let [a, b] = [&halves[0][0], &halves[0][1]];
    // among names that collide, and with the second one first in the file
    let names = [["x", "y", "x"], [a, b, a], [b, a, a]];
    let orders = [[2, 1, 0], [0, 1, 2]];
    for (order, names) in orders
        .into_iter()
        .flat_map(|order| names.map(|names| (order, names)))
    {
        // the names are in the order of the index
        let mut tensors = vec![tensor("", &[]); 3];
        for (name, place) in names.into_iter().rev().zip(order) {
            tensors[place] = tensor(name, &[place as u8]);
        }
        let mut container = Container::new(tensors);
        container.index = order.to_vec();
        let written = container.write();
        let twice = names[2];
        let first = written.entries[0] as u64;
        let again = match names[1] == twice {
            true => written.entries[1],
            false => written.entries[2],
        };

        let view = FileView::open(&written.bytes, &Policy::STRICT).expect("not looked at");
        assert!(view.unchecked().names);
        let mut scratch = [0; 6];
        let error = view
            .index(&Policy::STRICT, &mut scratch)
            .expect_err("twice");
        assert_eq!(error.rule(), Some(Rule::EntryName));
        assert_eq!(error.offset(), again as u64 + 2);

        let index = view
            .index(&Policy::PERMISSIVE, &mut scratch)
            .expect("relaxed");
        assert_eq!(index.find(twice).map(|entry| entry.offset), Some(first));
        assert_eq!(view.find(twice).map(|entry| entry.offset), Some(first));
        assert_eq!(index.in_order().count(), 3);
    }
}
