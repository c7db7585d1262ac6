//! Ways of feeding that callers have: as many bytes as are wanted, nothing at all, and starting anew.

use hrry::StreamParser;
use hrry::owned::GrowFrame;

use crate::support::scale::Rng;
use crate::support::trace::{Entry, Machine, Recorder, Trace, growing, trace};
use crate::support::vectors::{permissive, streams};

/// Feeds what is wanted, or less where `most` says so.
fn fed_as_wanted<M: Machine<End = ()>>(
    input: &[u8],
    machine: M,
    mut most: impl FnMut(usize) -> usize,
) -> Trace {
    let mut recorder = Recorder::new(machine);
    let mut rest = input;
    while !rest.is_empty() {
        let wanted = recorder.machine.wanted();
        assert!(wanted > 0, "more bytes are needed, so some are wanted");
        let len = most(wanted).min(rest.len());
        let before = recorder.entries.len();
        let (chunk, behind) = rest.split_at(len);
        rest = behind;
        if recorder.push(chunk).is_err() {
            break;
        }
        if len < wanted {
            let decided = recorder.entries[before..]
                .iter()
                .any(|entry| !matches!(entry, Entry::Buffer { .. }));
            assert!(
                !decided,
                "nothing is decided before the wanted bytes are in"
            );
        }
    }
    recorder.finish()
}

#[test]
fn as_many_bytes_as_are_wanted() {
    let mut rng = Rng(10);
    for v in streams() {
        for policy in [v.policy, permissive(&v.policy)] {
            let whole = trace(&v.bytes, &[], growing(policy));
            let exactly = fed_as_wanted(&v.bytes, growing(policy), |wanted| wanted);
            assert_eq!(exactly, whole, "{}", v.id);
            for _ in 0..3 {
                let fewer = fed_as_wanted(&v.bytes, growing(policy), |wanted| {
                    1 + rng.below(wanted.min(100))
                });
                assert_eq!(fewer, whole, "{}", v.id);
            }
            let parser = || StreamParser::with_storage(GrowFrame::new(), policy);
            let whole = trace(&v.bytes, &[], parser());
            let exactly = fed_as_wanted(&v.bytes, parser(), |wanted| wanted);
            assert_eq!(exactly, whole, "{}", v.id);
        }
    }
}

#[test]
fn a_plain_stream_wants_header_parts_then_the_rest() {
    let streams = streams();
    let stream = &streams.iter().find(|v| v.id == "s-ok-one").unwrap().bytes;
    let mut recorder = Recorder::new(growing(hrry::Policy::STRICT));
    let mut wanted = Vec::new();
    let mut rest = &stream[..];
    while !rest.is_empty() {
        let len = recorder.machine.wanted();
        wanted.push(len);
        recorder.push(&rest[..len]).unwrap();
        rest = &rest[len..];
    }
    // magic; length; header; 61 bytes of descriptor; one buffer of 48
    assert_eq!(wanted, [4, 6, 10, 41, 48]);
}

#[test]
fn empty_chunks_change_nothing() {
    let mut rng = Rng(11);
    for v in streams() {
        let whole = trace(&v.bytes, &[], growing(v.policy));
        let mut cuts = rng.cuts(v.bytes.len());
        cuts.extend_from_within(..);
        cuts.extend([0, 0, v.bytes.len(), v.bytes.len()]);
        cuts.sort_unstable();
        assert_eq!(trace(&v.bytes, &cuts, growing(v.policy)), whole, "{}", v.id);
    }
}

#[test]
fn a_reset_machine_is_like_a_new_one_at_its_offset() {
    let mut rng = Rng(12);
    let streams = streams();
    for v in &streams {
        let next = &streams[rng.below(streams.len())];
        let end = rng.below(v.bytes.len() + 1);
        let mut policy = v.policy;
        policy.transport = next.policy.transport;
        policy.mode = next.policy.mode;
        let mut recorder = Recorder::new(growing(policy));
        let failed = recorder.push(&v.bytes[..end]).is_err();
        let mut machine = recorder.machine;
        if !failed {
            assert_eq!(machine.offset(), end as u64);
        }
        machine.reset();
        assert_eq!((machine.depth(), machine.wanted()), (0, 4));
        assert!(machine.current().is_none());
        assert_eq!(machine.finish(), Ok(()));
        let new = growing(policy).with_origin(machine.offset());
        let cuts = rng.cuts(next.bytes.len());
        assert_eq!(
            trace(&next.bytes, &cuts, machine),
            trace(&next.bytes, &[], new),
            "{} after {end} bytes of {}",
            next.id,
            v.id
        );
    }
}

#[test]
fn the_current_descriptor_stays_while_its_payload_comes() {
    for v in streams().iter().filter(|v| v.accept) {
        let mut decoder = growing(v.policy);
        let mut last: Option<Vec<u8>> = None;
        for byte in v.bytes.chunks(1) {
            let mut input = byte;
            while let Some(event) = decoder.next_event(&mut input).unwrap() {
                match event {
                    hrry::Event::Descriptor(view, _) => last = Some(view.as_bytes().to_vec()),
                    hrry::Event::TensorEnd(_) => last = None,
                    _ => {}
                }
                let current = decoder.current().map(|view| view.as_bytes().to_vec());
                assert_eq!(current, last, "{}", v.id);
            }
        }
    }
}
