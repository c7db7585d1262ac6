//! Everything that a stream parser tells of an input, in a form that does not depend on the cuts.

use hrry::owned::GrowFrame;
use hrry::{
    Arena, Cover, Error, Event, Exact, Fields, Outcome, Payload, Policy, Storage, StreamDecoder,
    StreamParser,
};

/// A decoder without a capacity of its own.
pub type Growing = StreamDecoder<GrowFrame, Exact, Vec<u64>>;

pub fn growing(policy: Policy) -> Growing {
    StreamDecoder::with_parts(GrowFrame::new(), Exact, Vec::new(), policy)
}

/// What parser and decoder have in common.
pub trait Machine {
    fn next<'c>(&mut self, input: &mut &'c [u8]) -> Result<Option<Event<'_, 'c>>, Error>;
    fn finish(&self) -> Result<(), Error>;
    fn wanted(&self) -> usize;
    fn offset(&self) -> u64;
    fn reset(&mut self);
}

macro_rules! machine {
    ($type:ty, $($bound:tt)*) => {
        impl<$($bound)*> Machine for $type {
            fn next<'c>(&mut self, input: &mut &'c [u8]) -> Result<Option<Event<'_, 'c>>, Error> {
                self.next_event(input)
            }

            fn finish(&self) -> Result<(), Error> {
                self.finish()
            }

            fn wanted(&self) -> usize {
                self.wanted()
            }

            fn offset(&self) -> u64 {
                self.offset()
            }

            fn reset(&mut self) {
                self.reset();
            }
        }
    };
}

machine! { StreamParser<S>, S: Storage }
machine! { StreamDecoder<S, C, A>, S: Storage, C: Cover, A: Arena }

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
    /// Absolute offset behind what was taken, or of an error that ended it: how far a machine took bytes
    /// that it refuses may depend on the cuts.
    pub offset: u64,
}

/// Feeds `input` in chunks that end at `cuts`, which ascend; a cut given twice makes an empty chunk.
/// Panics where the machine breaks the contract of its events.
pub fn trace<M: Machine>(input: &[u8], cuts: &[usize], machine: M) -> Trace {
    let mut recorder = Recorder::new(machine);
    let mut start = 0;
    for end in cuts.iter().copied().chain([input.len()]) {
        if recorder.push(&input[start..end]).is_err() {
            break;
        }
        start = end;
    }
    recorder.finish()
}

/// One byte at a time.
pub fn bytewise<M: Machine>(input: &[u8], machine: M) -> Trace {
    let mut recorder = Recorder::new(machine);
    for byte in input.chunks(1) {
        if recorder.push(byte).is_err() {
            break;
        }
    }
    recorder.finish()
}

/// Collects what a machine tells.
#[derive(Debug)]
pub struct Recorder<M> {
    pub machine: M,
    pub entries: Vec<Entry>,
    taken: u64,
    start: u64,
    failed: Option<Error>,
}

impl<M: Machine> Recorder<M> {
    pub fn new(machine: M) -> Self {
        Recorder {
            start: machine.offset(),
            machine,
            entries: Vec::new(),
            taken: 0,
            failed: None,
        }
    }

    /// Feeds a chunk and takes every event that it gives.
    pub fn push(&mut self, mut chunk: &[u8]) -> Result<(), Error> {
        self.taken += chunk.len() as u64;
        loop {
            match self.machine.next(&mut chunk) {
                Ok(Some(event)) => record(&mut self.entries, &event),
                Ok(None) => break,
                Err(error) => {
                    self.failed = Some(error);
                    return Err(error);
                }
            }
        }
        assert!(chunk.is_empty(), "a chunk is used up before the next");
        assert!(self.machine.wanted() > 0, "more bytes are wanted");
        Ok(())
    }

    pub fn finish(mut self) -> Trace {
        let result = match self.failed {
            None => {
                let end = self.start.wrapping_add(self.taken);
                assert_eq!(self.machine.offset(), end, "positions count bytes");
                self.machine.finish()
            }
            Some(error) => {
                for more in [&b""[..], b"HRRY", b"\0"] {
                    let mut rest = more;
                    let again = self.machine.next(&mut rest).err();
                    assert_eq!(again, Some(error), "errors stick");
                    assert_eq!(rest, more, "nothing is taken after an error");
                }
                assert_eq!(self.machine.finish(), Err(error), "errors stick");
                assert_eq!(self.machine.wanted(), 0, "nothing is wanted after an error");
                Err(error)
            }
        };
        Trace {
            entries: self.entries,
            result,
            offset: match self.failed {
                None => self.machine.offset(),
                Some(error) => error.offset(),
            },
        }
    }
}

fn record(entries: &mut Vec<Entry>, event: &Event<'_, '_>) {
    match event {
        Event::Descriptor(view, outcome) => entries.push(Entry::Descriptor {
            origin: view.origin(),
            bytes: view.as_bytes().to_vec(),
            outcome: *outcome,
        }),
        Event::Payload(payload) => join(entries, payload),
        Event::TensorEnd(outcome) => entries.push(Entry::End(*outcome)),
        other => panic!("unknown event {other:?}"),
    }
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
