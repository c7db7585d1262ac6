//! Everything that a stream decoder tells of an input, in a form that does not depend on the cuts.

use hrry::owned::GrowFrame;
use hrry::{
    Arena, Cover, Error, Event, Exact, Fields, Outcome, Payload, Policy, Storage, StreamDecoder,
};

/// A decoder without a capacity of its own.
pub type Growing = StreamDecoder<GrowFrame, Exact, Vec<u64>>;

pub fn growing(policy: Policy) -> Growing {
    StreamDecoder::with_parts(GrowFrame::new(), Exact, Vec::new(), policy)
}

#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    Descriptor {
        /// Absolute offset of the first byte.
        origin: u64,
        bytes: Vec<u8>,
        outcome: Outcome,
    },
    /// What arrived of one buffer, pieces joined.
    Buffer {
        index: u8,
        bytes: Vec<u8>,
        complete: bool,
    },
    End(Outcome),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub entries: Vec<Entry>,
    /// The first error, or what `finish` says.
    pub result: Result<(), Error>,
    /// Absolute offset behind what was taken.
    pub offset: u64,
}

/// Feeds `input` in chunks that end at `cuts`, which ascend; a cut given twice makes an empty chunk.
/// Panics where the decoder breaks the contract of its events.
pub fn trace<S: Storage, C: Cover, A: Arena>(
    input: &[u8],
    cuts: &[usize],
    mut decoder: StreamDecoder<S, C, A>,
) -> Trace {
    let mut entries = Vec::new();
    let mut start = 0;
    let mut result = Ok(());
    for end in cuts.iter().copied().chain([input.len()]) {
        let chunk = &input[start..end];
        start = end;
        result = drain(&mut decoder, chunk, &mut entries);
        if result.is_err() {
            break;
        }
    }
    match result {
        Ok(()) => result = decoder.finish(),
        Err(error) => {
            let mut more: &[u8] = b"HRRY";
            assert_eq!(decoder.next_event(&mut more).err(), Some(error), "sticky");
            assert_eq!(decoder.finish(), Err(error), "sticky");
        }
    }
    Trace {
        entries,
        result,
        offset: decoder.offset(),
    }
}

fn drain<S: Storage, C: Cover, A: Arena>(
    decoder: &mut StreamDecoder<S, C, A>,
    mut chunk: &[u8],
    entries: &mut Vec<Entry>,
) -> Result<(), Error> {
    while let Some(event) = decoder.next_event(&mut chunk)? {
        match event {
            Event::Descriptor(view, outcome) => entries.push(Entry::Descriptor {
                origin: view.origin(),
                bytes: view.as_bytes().to_vec(),
                outcome,
            }),
            Event::Payload(payload) => join(entries, &payload),
            Event::TensorEnd(outcome) => entries.push(Entry::End(outcome)),
            other => panic!("unknown event {other:?}"),
        }
    }
    assert!(chunk.is_empty(), "a chunk is used up before the next");
    Ok(())
}

fn join(entries: &mut Vec<Entry>, payload: &Payload<'_>) {
    assert!(!payload.bytes.is_empty(), "a payload has a byte");
    if let Some(Entry::Buffer {
        index,
        bytes,
        complete,
    }) = entries.last_mut()
        && *index == payload.buffer
    {
        assert!(!*complete, "nothing follows the last byte");
        assert_eq!(payload.offset, bytes.len() as u64, "no gaps");
        bytes.extend_from_slice(payload.bytes);
        *complete = payload.last;
        return;
    }
    assert_eq!(payload.offset, 0, "a buffer starts at its first byte");
    entries.push(Entry::Buffer {
        index: payload.buffer,
        bytes: payload.bytes.to_vec(),
        complete: payload.last,
    });
}
