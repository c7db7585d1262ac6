//! Streams that do not start at 0: offsets shift, and positions end at 2^64 - 1 wherever the cuts are.

use hrry::{Error, ErrorKind, Event, Fields, Resource};

use super::agreed;
use crate::support::scale::{Rng, every};
use crate::support::trace::{Entry, Growing, Trace, growing, trace};
use crate::support::vectors::streams;

/// Whether a trace is another one, `by` bytes further on. `Error` can only be made by the library, so
/// its parts are compared.
fn assert_shifted(name: &str, shifted: &Trace, trace: &Trace, by: u64) {
    let entries: Vec<Entry> = trace
        .entries
        .iter()
        .cloned()
        .map(|entry| shift(entry, by))
        .collect();
    assert_eq!(shifted.entries, entries, "{name}");
    let parts = |result: Result<(), Error>, by: u64| {
        result.map_err(|error| (error.kind(), error.offset().wrapping_add(by)))
    };
    assert_eq!(parts(shifted.result, 0), parts(trace.result, by), "{name}");
}

fn shift(mut entry: Entry, by: u64) -> Entry {
    if let Entry::Descriptor { origin, .. } = &mut entry {
        *origin += by;
    }
    entry
}

#[test]
fn offsets_shift_with_the_origin() {
    let mut rng = Rng(13);
    for v in streams() {
        let at_zero = trace(&v.bytes, &[], growing(v.policy));
        let len = v.bytes.len() as u64;
        for origin in [1, (1 << 32) - 1 - len / 2, 1 << 32, 1 << 63, u64::MAX - len] {
            let shifted = agreed(&v.id, &v.bytes, &mut rng, 3, || {
                growing(v.policy).with_origin(origin)
            });
            assert_shifted(&v.id, &shifted, &at_zero, origin);
        }
    }
}

#[test]
fn positions_end_at_2_pow_64_less_1() {
    let mut rng = Rng(14);
    for v in streams() {
        let step = every(10) * (1 + v.bytes.len() / 100);
        for room in (0..v.bytes.len()).step_by(step) {
            let origin = u64::MAX - room as u64;
            let name = format!("{} with room for {room} bytes", v.id);
            let bounded = agreed(&name, &v.bytes, &mut rng, 3, || {
                growing(v.policy).with_origin(origin)
            });
            // as if the input ended there, but for the reason
            let prefix = trace(&v.bytes[..room], &[], growing(v.policy));
            let ended = match prefix.result.map_err(|error| error.kind()) {
                Ok(()) | Err(ErrorKind::Truncated { .. } | ErrorKind::Torn { .. }) => true,
                Err(_) => false,
            };
            if !ended {
                assert_shifted(&name, &bounded, &prefix, origin);
                continue;
            }
            let error = bounded.result.unwrap_err();
            let kind = ErrorKind::Capacity {
                what: Resource::Position,
                needed: 1,
                available: 0,
            };
            assert_eq!((error.kind(), error.offset()), (kind, u64::MAX), "{name}");
            let entries: Vec<Entry> = prefix
                .entries
                .into_iter()
                .map(|entry| shift(entry, origin))
                .collect();
            assert_eq!(bounded.entries, entries, "{name}");
        }
    }
}

/// What a decoder says of a chunk: descriptors by their offset, everything else as it is.
fn told(decoder: &mut Growing, mut chunk: &[u8]) -> (Vec<(Option<u64>, String)>, Option<Error>) {
    let mut events = Vec::new();
    loop {
        match decoder.next_event(&mut chunk) {
            Ok(Some(event)) => {
                let origin = match &event {
                    Event::Descriptor(view, _) => Some(view.origin()),
                    _ => None,
                };
                events.push((origin, format!("{event:?}")));
            }
            Ok(None) => return (events, None),
            Err(error) => return (events, Some(error)),
        }
    }
}

#[test]
fn an_origin_may_be_set_between_chunks() {
    const BY: u64 = 1 << 40;
    let mut rng = Rng(15);
    for v in streams().iter().filter(|v| v.accept) {
        for _ in 0..20 {
            let cut = rng.below(v.bytes.len() + 1);
            let (before, after) = v.bytes.split_at(cut);
            let fed = || {
                let mut decoder = growing(v.policy);
                assert_eq!(told(&mut decoder, before).1, None);
                decoder
            };
            let mut moved = fed().with_origin(BY + cut as u64);
            assert_eq!(moved.offset(), BY + cut as u64);
            assert_eq!(moved.wanted(), fed().wanted());
            // a descriptor begun before the cut moves with what follows
            let mut expected = told(&mut fed(), after);
            for (origin, _) in &mut expected.0 {
                *origin = origin.map(|origin| origin + BY);
            }
            assert_eq!(told(&mut moved, after), expected, "{} cut at {cut}", v.id);
            assert_eq!(moved.offset(), BY + v.bytes.len() as u64);
            assert_eq!(moved.finish(), Ok(()));

            if after.is_empty() {
                continue;
            }
            let room = rng.below(after.len());
            let mut bounded = fed().with_origin(u64::MAX - room as u64);
            let (events, error) = told(&mut bounded, after);
            let error = error.expect("positions run out");
            let expected = told(&mut fed(), &after[..room]).0;
            assert_eq!(events.len(), expected.len(), "{} cut at {cut}", v.id);
            for (event, expected) in events.iter().zip(expected) {
                assert_eq!(event.1, expected.1, "{} cut at {cut}", v.id);
            }
            let kind = ErrorKind::Capacity {
                what: Resource::Position,
                needed: 1,
                available: 0,
            };
            assert_eq!((error.kind(), error.offset()), (kind, u64::MAX));
        }
    }
}
