//! Descriptors with one byte changed: never a panic, never an error outside the input, one verdict
//! whichever way they are read, and what is accepted can be written again.

mod support;

use hrry::owned::GrowFrame;
use hrry::{
    DescriptorView, ErrorKind, Layout, Policy, Rule, StreamParser, WriteError, check, encode,
    encoded_len,
};
use support::scale::{Rng, every};
use support::spec::assert_same_fields;
use support::trace::{Entry, Trace, trace};
use support::vectors::{Vector, descriptors, permissive};

/// Every byte of every descriptor vector, set to values that mean something and with each bit flipped;
/// at small scales a part of them, other values for other bytes.
fn for_every_mutation(k: usize, mut f: impl FnMut(&Vector, &str, &[u8])) {
    let step = every(k);
    let mut n = 0;
    for v in descriptors() {
        let mut bytes = v.bytes.clone();
        for at in 0..bytes.len() {
            let original = bytes[at];
            let values = [0x00, 0x01, 0x7F, 0x80, 0xFF].into_iter();
            for value in values.chain((0..8).map(|bit| original ^ 1 << bit)) {
                n += 1;
                if n % step == 0 && value != original {
                    bytes[at] = value;
                    let name = format!("{} with {value:#04x} at {at}", v.id);
                    f(&v, &name, &bytes);
                }
            }
            bytes[at] = original;
        }
    }
}

fn pushed(bytes: &[u8], cuts: &[usize], policy: Policy) -> Trace {
    trace(
        bytes,
        cuts,
        StreamParser::with_storage(GrowFrame::new(), policy),
    )
}

/// What a parser makes of the first descriptor; `None` where it was accepted.
fn refusal(trace: &Trace) -> Option<(ErrorKind, u64)> {
    match trace.entries.first() {
        Some(_) => None,
        None => trace
            .result
            .err()
            .map(|error| (error.kind(), error.offset())),
    }
}

#[test]
fn one_verdict_and_an_offset_inside_the_input() {
    let mut rng = Rng(31);
    for_every_mutation(45, |v, name, bytes| {
        for policy in [v.policy, permissive(&v.policy)] {
            let parsed = DescriptorView::parse(bytes, &policy);
            let cuts = rng.cuts(bytes.len());
            let pushed = refusal(&pushed(bytes, &cuts, policy));
            let parsed = parsed.err().map(|error| (error.kind(), error.offset()));
            if let Some((_, offset)) = parsed {
                assert!(offset <= bytes.len() as u64, "{name}: {offset}");
            }
            match (parsed, pushed) {
                // what is too short for a descriptor is too short for a stream
                (
                    Some((ErrorKind::Truncated { rule: a, missing }, at)),
                    Some((
                        ErrorKind::Truncated {
                            rule: b,
                            missing: m,
                        },
                        end,
                    )),
                ) => {
                    assert_eq!((a, b), (Rule::Incomplete, Rule::StreamTruncated), "{name}");
                    assert_eq!((missing, at), (m, end), "{name}");
                }
                // no frame of a 32-bit machine grows that far, and a frame says so first
                (
                    _,
                    Some((
                        ErrorKind::Capacity {
                            needed, available, ..
                        },
                        at,
                    )),
                ) => {
                    assert!(
                        needed > available && available == isize::MAX as u64,
                        "{name}"
                    );
                    assert_eq!(at, 6, "{name}");
                }
                // the first bytes of a file break the version; a stream can say more
                (Some((ErrorKind::Rule(a), at)), Some((ErrorKind::Rule(b), end)))
                    if bytes.starts_with(b"HRRYFILE") =>
                {
                    assert_eq!((b.rule, b.field), (Rule::FileNotStream, a.field), "{name}");
                    assert_eq!(at, end, "{name}");
                }
                (parsed, pushed) => assert_eq!(parsed, pushed, "{name}"),
            }
        }
    });
}

#[test]
fn what_is_accepted_can_be_written_again() {
    let mut accepted = 0;
    for_every_mutation(13, |v, name, bytes| {
        let Ok((view, _)) = DescriptorView::parse(bytes, &v.policy) else {
            return;
        };
        accepted += 1;
        assert_eq!(check::descriptor(&view, &v.policy), Ok(()), "{name}");
        let mut again = vec![0xA5; bytes.len()];
        if matches!(view.layout(), Layout::Unknown(_)) {
            // seen in permissive mode, and never written
            let refused = encode(&view, &mut again, &v.policy).map_err(|error| match error {
                WriteError::Refused(kind) => kind.rule(),
                _ => None,
            });
            return assert_eq!(refused, Err(Some(Rule::LayoutUnknown)), "{name}");
        }
        let len = encode(&view, &mut again, &v.policy).expect(name);
        assert_eq!(encoded_len(&view), Ok(len as u32), "{name}");
        let (written, rest) = DescriptorView::parse(&again[..len], &v.policy).expect(name);
        assert!(rest.is_empty(), "{name}");
        assert_same_fields(&written, &view, name);
    });
    assert!(accepted > 500, "{accepted}");
}

#[test]
fn a_proper_prefix_is_accepted_only_where_the_descriptor_ends() {
    for_every_mutation(100, |v, name, bytes| {
        let Some(stated) = bytes.get(6..10) else {
            return;
        };
        let stated = u32::from_le_bytes(stated.try_into().unwrap()) as usize;
        for end in 0..bytes.len() {
            let Ok((_, rest)) = DescriptorView::parse(&bytes[..end], &v.policy) else {
                continue;
            };
            assert!(end >= stated, "{name}, first {end} bytes");
            assert_eq!(rest.len(), end - stated, "{name}, first {end} bytes");
        }
    });
}

#[test]
fn a_prefix_of_a_rejected_descriptor_is_no_whole_one() {
    for v in descriptors().iter().filter(|v| !v.accept) {
        for end in 0..v.bytes.len() {
            if let Ok((_, rest)) = DescriptorView::parse(&v.bytes[..end], &v.policy) {
                // something follows the descriptor, and that is what is wrong
                assert_eq!(v.rules, ["DESC-07"], "{} first {end} bytes", v.id);
                let stated = u32::from_le_bytes(v.bytes[6..10].try_into().unwrap());
                assert_eq!(end - rest.len(), stated as usize, "{}", v.id);
            }
        }
    }
}

#[test]
fn trailing_bytes_are_the_start_of_something_else() {
    for v in descriptors().iter().filter(|v| v.accept) {
        let mut bytes = v.bytes.clone();
        bytes.extend(b"HRRY");
        let (view, rest) = DescriptorView::parse(&bytes, &v.policy).unwrap();
        assert_eq!((view.as_bytes(), rest), (&v.bytes[..], &b"HRRY"[..]));
        let trace = pushed(&v.bytes, &[], v.policy);
        let whole = matches!(&trace.entries[..], [Entry::Descriptor { bytes, .. }, ..] if *bytes == v.bytes);
        assert!(whole, "{}", v.id);
    }
}

/// A view that was read permissively answers for strict mode as strict reading would, wire rules too.
#[test]
fn a_view_is_checked_as_its_bytes_are() {
    let mut refused = std::collections::BTreeSet::new();
    for v in descriptors() {
        let lax = permissive(&v.policy);
        let Ok((view, _)) = DescriptorView::parse(&v.bytes, &lax) else {
            continue;
        };
        let strict = DescriptorView::parse(&v.bytes, &v.policy).err();
        let checked = view.check(&v.policy).map_err(ErrorKind::from);
        assert_eq!(checked.err(), strict.map(|error| error.kind()), "{}", v.id);
        refused.extend(strict.and_then(|error| error.rule()).map(Rule::id));
    }
    // of the wire, of the model
    assert!(
        refused.contains("DESC-14") && refused.contains("STAT-02"),
        "{refused:?}"
    );
}
