//! Files that end early, and padding that is no zeros.

use hrry::{ErrorKind, Rule};

use super::whole;
use crate::support::regions::ends_at;
use crate::support::scale::every;
use crate::support::trace::{Recorder, growing_file, trace};
use crate::support::vectors::{files, named};

#[test]
fn no_length_but_the_whole_is_accepted() {
    for v in files().iter().filter(|v| v.accept) {
        let mut recorder = Recorder::new(growing_file(v.policy, Some(ends_at(&v.bytes))));
        for len in 0..v.bytes.len() {
            let error = recorder.machine.finish().unwrap_err();
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
            recorder.push(&v.bytes[len..=len]).unwrap();
        }
        assert!(recorder.finish().result.is_ok(), "{}", v.id);
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
        let parser = growing_file(v.policy, Some(ends_at(&v.bytes)));
        let error = trace(&v.bytes[..len], &[], parser).result.unwrap_err();
        let rule = Rule::FileLength;
        assert_eq!(
            error.kind(),
            ErrorKind::Truncated { rule, missing },
            "{len}"
        );
        assert_eq!(error.offset(), len as u64);
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
        let damaged = trace(&v.bytes, &[], growing_file(v.policy, region));
        let error = damaged.result.unwrap_err();
        assert_eq!(
            (error.rule(), error.offset()),
            (Some(Rule::Padding), at as u64)
        );
        assert_eq!(damaged.entries[..2], whole.entries[..2]);
        v.bytes[at] = 0;
    }
}
