//! Streams: the same trace for every way of cutting, and one verdict from every cover method.

use hrry::owned::GrowFrame;
use hrry::{
    Arena, Cover, Error, Event, Exact, ExactThenKeyed, InlineArena, Key, Keyed, Outcome, Policy,
    Storage, StreamDecoder,
};

use crate::source::{next, seed};

/// Everything that a decoder said, payload joined.
#[derive(Debug, PartialEq)]
struct Trace {
    steps: Vec<Step>,
    end: Result<(), Error>,
    offset: u64,
}

#[derive(Debug, PartialEq)]
enum Step {
    Descriptor(Vec<u8>, Outcome),
    Payload(u8, Vec<u8>),
    End(Outcome),
}

/// Panics where the ways differ.
pub fn stream_cuts(data: &[u8]) {
    let exact = cuts(data, || grow(Exact, Policy::STRICT));
    cuts(data, || grow(Exact, Policy::PERMISSIVE));
    cuts(data, || {
        StreamDecoder::with_parts([0; 128], Exact, InlineArena::<24>::new(), Policy::STRICT)
    });
    let key = Key([0x5eed, 0x0b0e]);
    let keyed = cuts(data, || grow(Keyed(key), Policy::STRICT));
    let both = cuts(data, || grow(ExactThenKeyed(key), Policy::STRICT));
    assert_eq!(
        exact.end.is_ok(),
        keyed.end.is_ok(),
        "{:?} {:?}",
        exact.end,
        keyed.end
    );
    assert_eq!(
        exact.end.is_ok(),
        both.end.is_ok(),
        "{:?} {:?}",
        exact.end,
        both.end
    );
    assert!(keyed.steps.len() >= exact.steps.len());
    let common = keyed.steps.iter().zip(&exact.steps);
    assert!(
        common
            .clone()
            .all(|(a, b)| a.without_method() == b.without_method())
    );
}

impl Step {
    /// What does not depend on the cover method.
    fn without_method(&self) -> String {
        match self {
            Step::End(Outcome::Closed {
                levels, complete, ..
            }) => format!("{levels} {complete:?}"),
            step => format!("{step:?}"),
        }
    }
}

fn grow<C: Cover>(cover: C, policy: Policy) -> StreamDecoder<GrowFrame, C, Vec<u64>> {
    StreamDecoder::with_parts(GrowFrame::new(), cover, Vec::new(), policy)
}

/// The trace of the whole input, after comparing it with those of other cuts.
fn cuts<S: Storage, C: Cover, A: Arena>(
    data: &[u8],
    decoder: impl Fn() -> StreamDecoder<S, C, A>,
) -> Trace {
    let whole = trace(decoder(), data, |_| usize::MAX);
    assert!(whole.offset <= data.len() as u64);
    if let Err(error) = whole.end {
        assert!(error.offset() <= data.len() as u64, "{error:?}");
    }
    assert_eq!(whole, trace(decoder(), data, |_| 1));
    assert_eq!(whole, trace(decoder(), data, |wanted| wanted.max(1)));
    let mut state = seed(data);
    for most in [4, 64] {
        let cut = |_| 1 + (next(&mut state) % most) as usize;
        assert_eq!(whole, trace(decoder(), data, cut));
    }
    whole
}

fn trace<S: Storage, C: Cover, A: Arena>(
    mut decoder: StreamDecoder<S, C, A>,
    data: &[u8],
    mut cut: impl FnMut(usize) -> usize,
) -> Trace {
    let mut steps = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let (mut chunk, later) = rest.split_at(cut(decoder.wanted()).min(rest.len()));
        rest = later;
        loop {
            match decoder.next_event(&mut chunk) {
                Ok(None) => break assert!(chunk.is_empty()),
                Ok(Some(event)) => note(&mut steps, event),
                Err(error) => {
                    assert_eq!(decoder.next_event(&mut chunk).unwrap_err(), error);
                    assert_eq!(decoder.finish(), Err(error));
                    // how much a refused piece has been read of depends on the piece
                    let offset = 0;
                    let end = Err(error);
                    return Trace { steps, end, offset };
                }
            }
        }
    }
    Trace {
        steps,
        end: decoder.finish(),
        offset: decoder.offset(),
    }
}

fn note(steps: &mut Vec<Step>, event: Event<'_, '_>) {
    match event {
        Event::Descriptor(d, outcome) => {
            steps.push(Step::Descriptor(d.as_bytes().to_vec(), outcome))
        }
        Event::Payload(p) => {
            assert!(!p.bytes.is_empty());
            match steps.last_mut() {
                Some(Step::Payload(buffer, bytes)) if *buffer == p.buffer => {
                    assert_eq!(p.offset, bytes.len() as u64);
                    bytes.extend_from_slice(p.bytes);
                }
                _ => {
                    assert_eq!(p.offset, 0);
                    steps.push(Step::Payload(p.buffer, p.bytes.to_vec()));
                }
            }
        }
        Event::TensorEnd(outcome) => steps.push(Step::End(outcome)),
        _ => panic!("an event without a place in the trace"),
    }
}
