//! Events, errors and positions do not depend on how a file was cut.

use hrry::{FileEvent, Policy};

use super::{Trace, whole};
use crate::support::regions::{count, ends_at};
use crate::support::scale::{Rng, every};
use crate::support::trace::{Entry, GrowingFile, Recorder, growing_file, trace};
use crate::support::vectors::{Vector, files, named, permissive};

/// Where something changes: near bytes that are not 0, and near multiples of the smallest alignment.
fn lively(bytes: &[u8]) -> Vec<usize> {
    let near = |at: usize| at.saturating_sub(2)..(at + 3).min(bytes.len());
    let changes =
        |at: &usize| bytes[near(*at)].iter().any(|byte| *byte != 0) || (at + 2) % 4096 < 5;
    (0..=bytes.len()).filter(changes).collect()
}

fn parser(v: &Vector) -> GrowingFile {
    growing_file(v.policy, Some(ends_at(&v.bytes)))
}

#[test]
fn whole_and_byte_by_byte() {
    for v in files() {
        for policy in [v.policy, permissive(&v.policy)] {
            for region in [Some(ends_at(&v.bytes)), count(&v.bytes), None] {
                let whole = trace(&v.bytes, &[], growing_file(policy, region));
                let cuts: Vec<usize> = (1..v.bytes.len()).collect();
                let bytewise = trace(&v.bytes, &cuts, growing_file(policy, region));
                assert_eq!(bytewise, whole, "{} {region:?}", v.id);
            }
        }
    }
}

#[test]
fn cut_in_two() {
    let mut cuts = 0;
    for v in files() {
        let whole = whole(&v);
        let lively = lively(&v.bytes);
        let quiet = (0..v.bytes.len()).step_by(every(997));
        let step = every(1 + lively.len() / 60);
        for at in lively.iter().copied().step_by(step).chain(quiet) {
            assert_eq!(
                trace(&v.bytes, &[at], parser(&v)),
                whole,
                "{} at {at}",
                v.id
            );
            cuts += 1;
        }
    }
    assert!(cuts > 5000, "{cuts}");
}

#[test]
fn small_files_cut_in_two_anywhere() {
    for v in files().iter().filter(|v| v.bytes.len() < 1000) {
        for policy in [v.policy, permissive(&v.policy)] {
            let region = Some(ends_at(&v.bytes));
            let whole = trace(&v.bytes, &[], growing_file(policy, region));
            for at in 0..=v.bytes.len() {
                let trace = trace(&v.bytes, &[at], growing_file(policy, region));
                assert_eq!(trace, whole, "{} at {at}", v.id);
            }
        }
    }
}

#[test]
fn cut_at_random() {
    let mut rng = Rng(12);
    for v in files() {
        let whole = whole(&v);
        let lively = lively(&v.bytes);
        for _ in 0..50 {
            // half of the cuts where something happens
            let mut cuts = rng.cuts(v.bytes.len());
            for cut in &mut cuts {
                if rng.below(2) == 0 && !lively.is_empty() {
                    *cut = lively[rng.below(lively.len())];
                }
            }
            cuts.sort_unstable();
            assert_eq!(
                trace(&v.bytes, &cuts, parser(&v)),
                whole,
                "{} {cuts:?}",
                v.id
            );
        }
    }
}

#[test]
fn as_many_bytes_as_are_wanted() {
    let mut rng = Rng(13);
    for v in files() {
        let whole = whole(&v);
        for exactly in [true, false] {
            assert_eq!(fed_as_wanted(&v, exactly, &mut rng), whole, "{}", v.id);
        }
    }
}

fn fed_as_wanted(v: &Vector, exactly: bool, rng: &mut Rng) -> Trace {
    let mut recorder = Recorder::new(parser(v));
    let mut rest = &v.bytes[..];
    while !rest.is_empty() {
        let wanted = recorder.machine.wanted();
        let most = if exactly {
            wanted
        } else {
            1 + rng.below(wanted.min(100))
        };
        let (chunk, behind) = rest.split_at(most.min(rest.len()));
        rest = behind;
        let before = recorder.entries.len();
        let pushed = recorder.push(chunk);
        if chunk.len() < wanted {
            let decided = |entry: &Entry| !matches!(entry, Entry::Buffer { .. });
            assert!(
                !recorder.entries[before..].iter().any(decided),
                "{}: nothing is decided yet",
                v.id
            );
        }
        if pushed.is_err() {
            break;
        }
    }
    recorder.finish()
}

#[test]
fn a_plain_file_wants_its_parts() {
    let vectors = files();
    let v = named(&vectors, "f-ok-one");
    let mut recorder = Recorder::new(parser(v));
    let mut wanted = Vec::new();
    let mut rest = &v.bytes[..];
    while !rest.is_empty() {
        let (at, len) = (recorder.machine.offset(), recorder.machine.wanted());
        // zeros behind the data are looked through by the magic
        if (at, len) != (4148, 4) && !(4149..8192).contains(&at) {
            wanted.push((at, len));
        }
        let (chunk, behind) = rest.split_at(len);
        recorder.push(chunk).unwrap();
        rest = behind;
    }
    // magic, length, header and the rest of 61 bytes; padding; 48 bytes; the first magic that may come;
    // the count, a name's length, a name of 6 bytes and 32 more; the trailer
    let expected = [
        (0, 64),
        (64, 1),
        (65, 3),
        (68, 6),
        (74, 10),
        (84, 41),
        (125, 3971),
        (4096, 48),
        (4144, 4),
        (8192, 8),
        (8200, 2),
        (8202, 38),
        (8240, 40),
    ];
    assert_eq!(wanted, expected);
    assert!(recorder.finish().result.is_ok());
}

#[test]
fn empty_chunks_change_nothing() {
    let vectors = files();
    let v = named(&vectors, "f-ok-kv-all");
    let cuts: Vec<usize> = (0..=v.bytes.len()).flat_map(|at| [at, at]).collect();
    assert_eq!(trace(&v.bytes, &cuts, parser(v)), whole(v));
}

#[test]
fn payload_outlives_the_parser_and_an_event_ends_its_chunk() {
    let vectors = files();
    let v = named(&vectors, "f-ok-one");
    let mut kept = Vec::new();
    {
        let mut parser = growing_file(Policy::STRICT, Some(ends_at(&v.bytes)));
        let mut input = &v.bytes[..];
        while let Some(event) = parser.next_event(&mut input).unwrap() {
            if let FileEvent::Payload(payload) = event {
                kept.push(payload.bytes);
                // the rest of the chunk is left: padding, index and trailer
                assert_eq!(input.len(), 8280 - 4144);
            }
        }
    }
    assert_eq!(kept, [&v.bytes[4096..4144]]);
}
