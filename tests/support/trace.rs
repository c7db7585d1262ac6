//! Everything that a parser of streams or files tells of an input, in a form that does not depend on the
//! cuts.

use std::fmt::Debug;

use hrry::owned::GrowFrame;
use hrry::{
    Arena, Cover, Error, Event, Exact, Fields, FileEnd, FileEvent, FileHeader, FileParser, Outcome,
    Payload, Policy, Region, Storage, StreamDecoder, StreamParser,
};

use super::container::Value;
use super::reading::value;

/// A decoder without a capacity of its own.
pub type Growing = StreamDecoder<GrowFrame, Exact, Vec<u64>>;

pub fn growing(policy: Policy) -> Growing {
    StreamDecoder::with_parts(GrowFrame::new(), Exact, Vec::new(), policy)
}

/// A parser of files without a capacity of its own.
pub type GrowingFile = FileParser<GrowFrame, Exact, Vec<u64>, Vec<u64>>;

pub fn growing_file(policy: Policy, region: Option<Region>) -> GrowingFile {
    let frame = GrowFrame::new();
    FileParser::with_parts(frame, Exact, Vec::new(), Vec::new(), policy, region)
}

/// What the parsers have in common; events of streams are among those of files.
pub trait Machine {
    /// What is known at the end.
    type End: Clone + Debug + PartialEq;

    fn next<'c>(&mut self, input: &mut &'c [u8]) -> Result<Option<FileEvent<'_, 'c>>, Error>;
    fn finish(&self) -> Result<Self::End, Error>;
    fn wanted(&self) -> usize;
    fn offset(&self) -> u64;
}

macro_rules! machine {
    ($type:ty => $end:ty, $event:expr, $($bound:tt)*) => {
        impl<$($bound)*> Machine for $type {
            type End = $end;

            fn next<'c>(
                &mut self,
                input: &mut &'c [u8],
            ) -> Result<Option<FileEvent<'_, 'c>>, Error> {
                self.next_event(input).map(|event| event.map($event))
            }

            fn finish(&self) -> Result<$end, Error> {
                self.finish()
            }

            fn wanted(&self) -> usize {
                self.wanted()
            }

            fn offset(&self) -> u64 {
                self.offset()
            }
        }
    };
}

machine! { StreamParser<S> => (), of_stream, S: Storage }
machine! { StreamDecoder<S, C, A> => (), of_stream, S: Storage, C: Cover, A: Arena }
machine! {
    FileParser<S, C, A, T> => FileEnd, |event| event, S: Storage, C: Cover, A: Arena, T: Arena
}

/// Adds an event of a stream.
pub fn record_stream(entries: &mut Vec<Entry>, event: Event<'_, '_>) {
    record(entries, &of_stream(event));
}

fn of_stream<'p, 'c>(event: Event<'p, 'c>) -> FileEvent<'p, 'c> {
    match event {
        Event::Descriptor(view, outcome) => FileEvent::Descriptor(view, outcome),
        Event::Payload(payload) => FileEvent::Payload(payload),
        Event::TensorEnd(outcome) => FileEvent::TensorEnd(outcome),
        other => panic!("unknown event {other:?}"),
    }
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
    Header(FileHeader),
    Kv(String, Value),
    /// An entry of the index.
    Listed(Listed),
}

/// An entry of an index, with a name of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    pub name: String,
    pub descriptor_offset: u64,
    pub descriptor_length: u32,
    pub data_offset: u64,
    pub data_length: u64,
    pub offset: u64,
}

impl From<hrry::Entry<'_>> for Listed {
    fn from(entry: hrry::Entry<'_>) -> Self {
        Listed {
            name: entry.name.to_owned(),
            descriptor_offset: entry.descriptor_offset,
            descriptor_length: entry.descriptor_length,
            data_offset: entry.data_offset,
            data_length: entry.data_length,
            offset: entry.offset,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Trace<E = ()> {
    pub entries: Vec<Entry>,
    /// The first error, or what `finish` says.
    pub result: Result<E, Error>,
    /// Absolute offset behind what was taken, or of an error that ended it: how far a machine took bytes
    /// that it refuses may depend on the cuts.
    pub offset: u64,
}

/// Feeds `input` in chunks that end at `cuts`, which ascend; a cut given twice makes an empty chunk.
/// Panics where the machine breaks the contract of its events.
pub fn trace<M: Machine>(input: &[u8], cuts: &[usize], machine: M) -> Trace<M::End> {
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
pub fn bytewise<M: Machine>(input: &[u8], machine: M) -> Trace<M::End> {
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
        let lent = chunk.as_ptr_range();
        loop {
            match self.machine.next(&mut chunk) {
                Ok(Some(event)) => {
                    if let FileEvent::Payload(payload) = &event {
                        let start = payload.bytes.as_ptr();
                        assert!(lent.contains(&start), "payload is lent, not copied");
                    }
                    record(&mut self.entries, &event);
                }
                Ok(None) => break,
                Err(error) => {
                    self.failed = Some(error);
                    return Err(error);
                }
            }
        }
        assert!(chunk.is_empty(), "a chunk is used up before the next");
        assert!(self.machine.wanted() > 0, "more bytes are wanted");
        let end = self.start.wrapping_add(self.taken);
        assert_eq!(self.machine.offset(), end, "positions count bytes");
        Ok(())
    }

    pub fn finish(mut self) -> Trace<M::End> {
        let result = match self.failed {
            None => self.machine.finish(),
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

/// Adds an event to what was told; pieces of a buffer are joined.
pub fn record(entries: &mut Vec<Entry>, event: &FileEvent<'_, '_>) {
    entries.push(match event {
        FileEvent::Descriptor(view, outcome) => Entry::Descriptor {
            origin: view.origin(),
            bytes: view.as_bytes().to_vec(),
            outcome: *outcome,
        },
        FileEvent::Payload(payload) => return join(entries, payload),
        FileEvent::TensorEnd(outcome) => Entry::End(*outcome),
        FileEvent::Header(header) => Entry::Header(*header),
        FileEvent::Kv(entry) => Entry::Kv(entry.key.to_owned(), value(&entry.value)),
        FileEvent::Entry(entry) => Entry::Listed((*entry).into()),
        other => panic!("unknown event {other:?}"),
    });
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
