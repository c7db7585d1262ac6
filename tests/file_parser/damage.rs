//! Files that end early, and files with one byte changed.

use hrry::{ErrorKind, FileView, Rule};

use crate::record::{Part, ends_at, growing, push, trace, whole};
use crate::support::files::read;
use crate::support::scale::every;
use crate::support::vectors::{Vector, files, named};

#[test]
fn no_length_but_the_whole_is_accepted() {
    for v in files().iter().filter(|v| v.accept) {
        let mut parser = growing(v.policy, Some(ends_at(&v.bytes)));
        let mut parts = Vec::new();
        for len in 0..v.bytes.len() {
            let error = parser.finish().unwrap_err();
            match error.kind() {
                ErrorKind::Truncated { rule, missing } => {
                    assert_eq!(rule, Rule::FileLength, "{} to {len}", v.id);
                    assert_eq!(error.offset(), len as u64, "{} to {len}", v.id);
                    assert!(missing > 0, "{} to {len}", v.id);
                }
                // 40 bytes that are no trailer: a gap, and a part of it
                _ => {
                    assert_eq!(error.rule(), Some(Rule::TrailerMagic), "{} to {len}", v.id);
                    assert_eq!(v.id, "f-ok-gap-before-trailer");
                }
            }
            push(&mut parser, &v.bytes[len..=len], &mut parts).unwrap();
        }
        assert!(parser.finish().is_ok(), "{}", v.id);
    }
}

#[test]
fn what_a_cut_file_lacks() {
    let vectors = files();
    let v = named(&vectors, "f-ok-one");
    // header and trailer at least; the rest of 61 bytes at 64; zeros to 4096; 48 bytes of data; the next
    // magic; the count at 8192; 2 + 6 + 32 bytes of an entry at 8200; a trailer
    let lacks = [
        (0, 104),
        (63, 41),
        (103, 1),
        (104, 21),
        (124, 1),
        (125, 3971),
        (4095, 1),
        (4096, 48),
        (4143, 1),
        (4144, 4),
        (8191, 1),
        (8192, 8),
        (8200, 2),
        (8202, 38),
        (8239, 1),
        (8240, 40),
        (8279, 1),
    ];
    for (len, missing) in lacks {
        let mut parser = growing(v.policy, Some(ends_at(&v.bytes)));
        push(&mut parser, &v.bytes[..len], &mut Vec::new()).unwrap();
        let error = parser.finish().unwrap_err();
        let rule = Rule::FileLength;
        assert_eq!(
            error.kind(),
            ErrorKind::Truncated { rule, missing },
            "{len}"
        );
        assert_eq!(error.offset(), len as u64);
    }
}

/// Whether only reading front to back can refuse this.
fn front_to_back_only(rule: Rule) -> bool {
    matches!(rule, Rule::Padding | Rule::RegionEnd)
}

/// Reads a changed file both ways: who accepts it accepts the same, and what one refuses the other does.
fn compare(v: &Vector, at: usize) {
    let region = Some(ends_at(&v.bytes));
    let front = trace(&v.bytes, &[], growing(v.policy, region));
    let byte = v.bytes[at];
    match (read(&v.bytes, &v.policy), front.result) {
        (Ok(()), Ok(_)) => {
            let entries = FileView::open(&v.bytes, &v.policy).unwrap();
            let listed = entries.entries().map(|entry| Part::Entry(entry.into()));
            let told = front
                .parts
                .into_iter()
                .filter(|part| matches!(part, Part::Entry(_)));
            assert!(told.eq(listed), "{} {byte} at {at}", v.id);
        }
        (Err(_), Err(_)) => {}
        (Ok(()), Err(error)) => {
            let rule = error.rule().unwrap();
            assert!(front_to_back_only(rule), "{} {byte} at {at}: {error}", v.id);
        }
        (Err(error), Ok(_)) => panic!("{} {byte} at {at}: {error}", v.id),
    }
    let half = v.bytes.len() / 2;
    let cut = trace(&v.bytes, &[half, half + 1], growing(v.policy, region));
    assert_eq!(cut.result, front.result, "{} {byte} at {at}", v.id);
}

#[test]
fn small_files_with_one_byte_changed() {
    for id in [
        "f-ok-kv-limits",
        "f-ok-kv-only",
        "f-ok-head-data-offset",
        "f-ok-no-tensors",
    ] {
        let vectors = files();
        let mut v = named(&vectors, id).clone();
        for at in 0..v.bytes.len() {
            let byte = v.bytes[at];
            for other in (0..=u8::MAX)
                .step_by(every(3))
                .filter(|other| *other != byte)
            {
                v.bytes[at] = other;
                compare(&v, at);
            }
            v.bytes[at] = byte;
        }
    }
}

#[test]
fn files_with_one_byte_changed() {
    for id in [
        "f-ok-one",
        "f-ok-nested-depth-8",
        "f-ok-empty-tensor",
        "f-ok-kv-no-flag",
    ] {
        let vectors = files();
        let mut v = named(&vectors, id).clone();
        for at in 0..v.bytes.len() {
            let byte = v.bytes[at];
            // most bytes are padding
            let quiet = v.bytes[at.saturating_sub(8)..(at + 8).min(v.bytes.len())]
                .iter()
                .all(|byte| *byte == 0);
            if at % every(if quiet { 97 } else { 3 }) != 0 {
                continue;
            }
            for other in [byte ^ 1, byte ^ 0x80, !byte, byte.wrapping_add(1)] {
                v.bytes[at] = other;
                compare(&v, at);
            }
            v.bytes[at] = byte;
        }
    }
}

#[test]
fn every_byte_of_padding_counts() {
    // a descriptor from 64 to 125, data from 4096 to 4144, an index from 8192 to 8240
    let vectors = files();
    let mut v = named(&vectors, "f-ok-one").clone();
    let whole = whole(&v);
    let region = Some(ends_at(&v.bytes));
    for at in (125..4096).chain(4144..8192).step_by(every(7)) {
        v.bytes[at] = 0x80;
        let damaged = trace(&v.bytes, &[], growing(v.policy, region));
        let error = damaged.result.unwrap_err();
        assert_eq!(
            (error.rule(), error.offset()),
            (Some(Rule::Padding), at as u64)
        );
        assert_eq!(damaged.parts[..2], whole.parts[..2]);
        v.bytes[at] = 0;
    }
}
