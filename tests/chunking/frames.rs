//! Machines with little room: a capacity error does not depend on the cut, and room that suffices does
//! not show.

use hrry::{
    Error, ErrorKind, Exact, FixedStream, InlineArena, NoRoom, Policy, Resource, Rule, Storage,
    StreamDecoder, StreamParser,
};

use super::agreed;
use crate::support::scale::{Rng, every};
use crate::support::trace::{Entry, Trace, growing, trace};
use crate::support::vectors::{Vector, descriptors, streams};
use crate::support::walk;

#[test]
fn small_frames() {
    let mut rng = Rng(5);
    let mut refused = [0; 3];
    for v in streams().into_iter().chain(descriptors()) {
        let unlimited = trace(&v.bytes, &[], growing(v.policy));
        let runs = 30 / every(10);
        let traces = [
            agreed(&v.id, &v.bytes, &mut rng, runs, || framed::<64>(v.policy)),
            agreed(&v.id, &v.bytes, &mut rng, runs, || framed::<128>(v.policy)),
            agreed(&v.id, &v.bytes, &mut rng, runs, || framed::<256>(v.policy)),
        ];
        for ((bounded, frame), refused) in traces.iter().zip([64, 128, 256]).zip(&mut refused) {
            *refused += usize::from(follows(&v, bounded, &unlimited, frame));
        }
    }
    assert!(refused.iter().all(|n| *n > 0), "{refused:?}");
}

fn framed<const F: usize>(policy: Policy) -> StreamDecoder<[u8; F], Exact, Vec<u64>> {
    StreamDecoder::with_parts([0; F], Exact, Vec::new(), policy)
}

/// Checks a bounded trace against the unlimited one; `true` where the frame was too small.
fn follows(v: &Vector, bounded: &Trace, unlimited: &Trace, frame: u64) -> bool {
    let (entries, all) = (&bounded.entries, &unlimited.entries);
    if !is_capacity(bounded.result, Resource::Frame) {
        assert_eq!(bounded, unlimited, "{}", v.id);
        return false;
    }
    assert_eq!(entries[..], all[..entries.len()], "{}", v.id);
    let ended = entries.iter().filter(|e| matches!(e, Entry::End(_)));
    let items = walk::items(&v.bytes);
    let start = ended.count().checked_sub(1).map_or(0, |k| items[k].end());
    let stated = &v.bytes[start + 6..start + 10];
    let needed = u32::from_le_bytes(stated.try_into().unwrap()).into();
    let error = bounded.result.unwrap_err();
    let kind = ErrorKind::Capacity {
        what: Resource::Frame,
        needed,
        available: frame,
    };
    assert!(needed > frame, "{}", v.id);
    assert_eq!(
        (error.kind(), error.offset()),
        (kind, start as u64 + 6),
        "{}",
        v.id
    );
    true
}

/// Storage of a size that is known at run time only.
struct Short(Vec<u8>, usize);

impl Storage for Short {
    fn limit(&self) -> u64 {
        self.1 as u64
    }

    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), NoRoom> {
        self.0.truncate(len);
        self.0.extend_from_slice(bytes);
        if self.0.len() > self.1 {
            Err(NoRoom)
        } else {
            Ok(())
        }
    }

    fn stored(&self, len: usize) -> &[u8] {
        &self.0[..len]
    }
}

#[test]
fn frames_below_a_header() {
    let mut rng = Rng(6);
    for v in streams() {
        for frame in 0..=64 {
            agreed(&v.id, &v.bytes, &mut rng, 5, || {
                StreamParser::with_storage(Short(Vec::new(), frame), v.policy)
            });
        }
    }
    // which comes first, the byte that is wrong or the one without room
    for wrong in 0..4 {
        let mut bytes = *b"HRRYHRRY";
        bytes[wrong] = 0;
        for frame in 0..4 {
            let short = || StreamParser::with_storage(Short(Vec::new(), frame), Policy::STRICT);
            let error = agreed("magic", &bytes, &mut rng, 5, short).result;
            let error = error.expect_err("no magic");
            let magic = wrong < frame;
            assert_eq!(error.rule(), magic.then_some(Rule::Magic));
            assert_eq!(error.offset(), if magic { wrong as u64 } else { 0 });
        }
    }
}

#[test]
fn borrowed_frames_are_like_own_ones() {
    let mut rng = Rng(7);
    for v in streams() {
        let own = trace(&v.bytes, &[], FixedStream::<256>::new(v.policy));
        let mut frame = [0xA5; 256];
        let borrowed = StreamParser::with_storage(&mut frame[..], v.policy);
        let cuts = rng.cuts(v.bytes.len());
        assert_eq!(trace(&v.bytes, &cuts, borrowed), own, "{}", v.id);
    }
}

#[test]
fn small_arenas() {
    let mut rng = Rng(8);
    let mut refused = 0;
    for v in streams() {
        let unlimited = trace(&v.bytes, &[], growing(v.policy));
        let small = agreed(&v.id, &v.bytes, &mut rng, 5, || with_arena::<8>(v.policy));
        let middle = agreed(&v.id, &v.bytes, &mut rng, 5, || with_arena::<20>(v.policy));
        for bounded in [small, middle] {
            if is_capacity(bounded.result, Resource::Arena) {
                refused += 1;
                let entries = &bounded.entries;
                assert_eq!(entries[..], unlimited.entries[..entries.len()], "{}", v.id);
            } else {
                assert_eq!(bounded, unlimited, "{}", v.id);
            }
        }
    }
    assert!(refused > 0);
}

fn with_arena<const W: usize>(policy: Policy) -> StreamDecoder<[u8; 16384], Exact, InlineArena<W>> {
    StreamDecoder::with_parts([0; 16384], Exact, InlineArena::new(), policy)
}

fn is_capacity(result: Result<(), Error>, of: Resource) -> bool {
    matches!(
        result.map_err(|error| error.kind()),
        Err(ErrorKind::Capacity { what, .. }) if what == of
    )
}

#[test]
fn ceilings_of_the_policy() {
    let mut rng = Rng(9);
    for v in streams() {
        let mut seen = [0; 3];
        for (max_descriptor, max_buffer, max_members) in
            [(60, u64::MAX, u32::MAX), (9999, 15, 9999), (9999, 9999, 1)]
        {
            let mut policy = v.policy;
            policy.max_descriptor = max_descriptor;
            policy.max_buffer = max_buffer;
            policy.max_members = max_members;
            let bounded = agreed(&v.id, &v.bytes, &mut rng, 3, || growing(policy));
            let resources = [Resource::Frame, Resource::Buffer, Resource::Members];
            for (what, seen) in resources.into_iter().zip(&mut seen) {
                *seen += usize::from(is_capacity(bounded.result, what));
            }
        }
        if v.accept {
            let items = walk::items(&v.bytes);
            let frame = items.iter().any(|item| item.descriptor > 60);
            let buffer = items.iter().flat_map(|item| &item.buffers).any(|n| *n > 15);
            let members = items.iter().any(|item| item.members > Some(1));
            assert_eq!(seen.map(|n| n > 0), [frame, buffer, members], "{}", v.id);
        }
    }
}
