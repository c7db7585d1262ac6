//! Bare streams: tensors back to back, pushed in pieces of any size.
//!
//! Depends on descriptors, the composite validator and the frame. Guarantees that events, errors and
//! offsets do not depend on how the input was cut, and that payload is lent out, never copied. Never
//! keeps more than one descriptor.

mod decode;
pub(crate) mod event;
mod gather;
pub(crate) mod resync;
pub(crate) mod turns;
mod write;

pub use decode::{FixedDecoder, StreamDecoder};
pub use event::{Event, Payload};
pub(crate) use gather::large_buffer;
pub use resync::{Lost, Resync, ResyncEvent};
pub use write::{FixedWriter, StreamWriter};

use crate::composite::Outcome;
use crate::descriptor::DescriptorView;
use crate::descriptor::decode::{missing, place};
use crate::error::{Error, ErrorKind, Field, Resource, Violation};
use crate::frame::Storage;
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::descriptor::Facts;
use crate::wire::handle::RawHandle;
use crate::wire::length;
#[cfg(any(feature = "embedded-io-07", feature = "embedded-io-async-07"))]
use event::Mark;

/// What a chunk led to; events are built from it.
enum Step<'c> {
    /// The chunk is used up.
    More,
    Descriptor,
    Payload(Payload<'c>),
    End,
    /// The phase holds the error.
    Failed,
}

/// What a decision led to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// The chunk is used up.
    More,
    Descriptor,
    /// The chunk has bytes of a buffer.
    Payload,
    /// The chunk has bytes of a buffer, to its end.
    Last,
    End,
    /// The phase holds the error.
    Failed,
}

#[derive(Clone, Debug)]
enum Phase {
    /// A descriptor is gathered, or the stream is at a boundary.
    Descriptor,
    /// The buffers of the descriptor in the frame. This one starts at an absolute offset and has so many bytes, and
    /// the next decision falls at its byte `end`: where it ends, or where positions do.
    Payload {
        buffer: u8,
        start: u64,
        size: u64,
        end: u64,
    },
    /// Behind a descriptor whose buffers are unknown.
    Opaque,
    /// Nothing but this error any more.
    Failed(Error),
}

/// Splits a bare stream into tensors; it does not look at composites.
///
/// [`StreamDecoder`] does both and is what most users want. `S` holds one descriptor at a time: an array,
/// a slice, or growing storage.
///
/// ```
/// use hrry::{Event, FixedStream, Policy};
/// let mut parser = FixedStream::<256>::new(Policy::STRICT);
/// let mut chunk: &[u8] = b"HRRZ";
/// let error = parser.next_event(&mut chunk).unwrap_err();
/// assert_eq!((error.rule().unwrap().id(), error.offset()), ("DESC-02", 3));
/// ```
#[derive(Clone, Debug)]
pub struct StreamParser<S> {
    frame: S,
    policy: Policy,
    /// Bytes of a buffer that may be handed out, and bytes that are wanted of a descriptor: a chunk with
    /// fewer needs no decision. One of them is 0; both are where the next call decides, whatever it gets.
    lend: u64,
    want: usize,
    /// Absolute offset of the descriptor in the frame.
    origin: u64,
    /// Its bytes, those that are wanted included.
    len: usize,
    /// What the lengths of its parts follow from.
    facts: Facts,
    phase: Phase,
}

/// A parser with its frame inside; `new` is const, so it can be a `static`. The shortest descriptor has 20
/// bytes of header, so a frame below that reads nothing.
pub type FixedStream<const F: usize> = StreamParser<[u8; F]>;

impl<const F: usize> FixedStream<F> {
    /// A parser at the start of a stream.
    #[must_use]
    pub const fn new(policy: Policy) -> Self {
        StreamParser::with_storage([0; F], policy)
    }
}

impl<S> StreamParser<S> {
    /// A parser at the start of a stream, gathering descriptors in `frame`.
    #[must_use]
    pub const fn with_storage(frame: S, policy: Policy) -> Self
    where
        S: Storage,
    {
        StreamParser {
            frame,
            policy,
            lend: 0,
            want: 0,
            origin: 0,
            len: 0,
            facts: Facts::NONE,
            phase: Phase::Descriptor,
        }
    }

    /// Counts positions from `offset` instead of 0. The first byte past position 2^64 - 1 is a capacity
    /// error.
    #[must_use]
    pub fn with_origin(mut self, offset: u64) -> Self {
        let by = offset.wrapping_sub(self.offset());
        self.move_payload(offset);
        self.origin = self.origin.wrapping_add(by);
        // as far as there still are positions
        self.len = self.gathered();
        self.want = 0;
        self
    }

    /// Goes on at an absolute offset: behind what lies between buffers or tensors. The descriptor stays
    /// where it is.
    pub(crate) fn skip_to(&mut self, offset: u64) {
        match self.phase {
            Phase::Payload { .. } => self.move_payload(offset),
            _ => self.origin = offset,
        }
    }

    /// Puts what is left of a buffer at an absolute offset.
    fn move_payload(&mut self, offset: u64) {
        let by = offset.wrapping_sub(self.offset());
        if let Phase::Payload { start, end, .. } = &mut self.phase {
            let lend = self.lend.min(u64::MAX.wrapping_sub(offset));
            *start = start.wrapping_add(by);
            *end = end.wrapping_sub(self.lend.wrapping_sub(lend));
            self.lend = lend;
        }
    }

    /// Absolute offset of the next byte. After an error it, and what is left of the chunk, depend on how
    /// far the chunk let the parser look ahead; [`Error::offset`] does not.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        match self.phase {
            Phase::Payload { start, end, .. } => start.wrapping_add(end).wrapping_sub(self.lend),
            #[allow(clippy::as_conversions)] // widens, which is not const otherwise
            _ => self.origin.wrapping_add(self.gathered() as u64),
        }
    }

    /// Absolute offset of the first byte that no event has told of.
    pub(super) const fn unsettled(&self) -> u64 {
        match self.phase {
            Phase::Descriptor => self.origin,
            _ => self.offset(),
        }
    }

    /// Bytes of the descriptor that are in the frame.
    #[inline]
    const fn gathered(&self) -> usize {
        self.len.wrapping_sub(self.want)
    }
}

impl<S: Storage> StreamParser<S> {
    /// The next event, or none when the chunk is used up. Advances `input` behind what it took.
    ///
    /// # Errors
    ///
    /// A broken rule of a descriptor (see [`DescriptorView::parse`]), STREAM-08, STREAM-12, or a
    /// capacity. The error sticks: every later call returns it, until [`reset`](Self::reset).
    #[inline(always)]
    pub fn next_event<'c>(&mut self, input: &mut &'c [u8]) -> Result<Option<Event<'_, 'c>>, Error> {
        let event = match self.step(input) {
            Step::Payload(payload) => Event::Payload(payload),
            Step::Descriptor => Event::Descriptor(self.view(), Outcome::Plain),
            Step::End => Event::TensorEnd(Outcome::Plain),
            Step::Failed => return Err(self.error()),
            Step::More => return Ok(None),
        };
        Ok(Some(event))
    }

    /// As [`next_event`](Self::next_event), for [`event`](Self::event).
    #[cfg(any(feature = "embedded-io-07", feature = "embedded-io-async-07"))]
    pub(crate) fn advance(&mut self, input: &mut &[u8]) -> Result<Option<Mark>, Error> {
        Ok(self.next_event(input)?.map(Mark::of))
    }

    /// What `advance` just told, with the bytes that it took.
    #[cfg(any(feature = "embedded-io-07", feature = "embedded-io-async-07"))]
    pub(crate) fn event<'c>(&self, mark: Mark, bytes: &'c [u8]) -> Event<'_, 'c> {
        mark.event(self.view(), bytes)
    }

    /// The descriptor of the tensor whose payload is being read.
    #[must_use]
    pub fn current(&self) -> Option<DescriptorView<'_>> {
        matches!(self.phase, Phase::Payload { .. } | Phase::Opaque).then(|| self.view())
    }

    /// Bytes that would reach the next decision; 0 when an event is ready, and after an error.
    #[must_use]
    pub fn wanted(&self) -> usize {
        usize::try_from(self.missing()).unwrap_or(usize::MAX)
    }

    /// Tells whether the input may end here.
    ///
    /// # Errors
    ///
    /// STREAM-04 inside a descriptor or buffer, and where events were not taken; the sticky error.
    pub fn finish(&self) -> Result<(), Error> {
        let missing = match &self.phase {
            Phase::Descriptor if self.gathered() == 0 => return Ok(()),
            Phase::Descriptor => missing(self.frame.stored(self.gathered())),
            Phase::Payload { .. } => self.missing(),
            Phase::Opaque => return Err(self.unskippable()),
            Phase::Failed(error) => return Err(*error),
        };
        let rule = Rule::StreamTruncated;
        Err(Error::new(
            ErrorKind::Truncated { rule, missing },
            self.offset(),
        ))
    }

    /// Forgets everything but the policy and the position: the next byte starts a descriptor.
    pub fn reset(&mut self) {
        self.origin = self.offset();
        self.lend = 0;
        self.want = 0;
        self.len = 0;
        self.phase = Phase::Descriptor;
    }

    fn view(&self) -> DescriptorView<'_> {
        DescriptorView::new(self.frame.stored(self.len), self.facts, self.origin)
    }

    #[cold]
    #[inline(never)]
    fn fail(&mut self, error: Error) -> Turn {
        self.reset();
        self.phase = Phase::Failed(error);
        Turn::Failed
    }

    /// The sticky error.
    #[cold]
    fn error(&self) -> Error {
        match self.phase {
            Phase::Failed(error) => error,
            // nothing else fails
            _ => self.unskippable(),
        }
    }

    /// Takes what it can of a chunk. A chunk that needs no decision, as most do, takes a few instructions
    /// where the call stands. The chunk's address is not let out, so that it can stay in registers.
    #[inline(always)]
    fn step<'c>(&mut self, input: &mut &'c [u8]) -> Step<'c> {
        let chunk = *input;
        if self.lend > length(chunk.len()) {
            if chunk.is_empty() {
                return Step::More;
            }
            *input = chunk.get(..0).unwrap_or(&[]);
            return self.hand_out(chunk, false);
        }
        if self.want > chunk.len() && self.frame.append(self.gathered(), chunk).is_ok() {
            *input = chunk.get(..0).unwrap_or(&[]);
            self.want = self.want.wrapping_sub(chunk.len());
            return Step::More;
        }
        let mut rest = chunk;
        let turn = self.decide(&mut rest);
        *input = rest;
        let last = match turn {
            Turn::Descriptor => return Step::Descriptor,
            Turn::More => return Step::More,
            Turn::Payload => false,
            Turn::Last => true,
            Turn::End => return Step::End,
            Turn::Failed => return Step::Failed,
        };
        let most = usize::try_from(self.lend).unwrap_or(usize::MAX);
        let (bytes, rest) = rest.split_at_checked(most).unwrap_or((rest, &[]));
        *input = rest;
        self.hand_out(bytes, last)
    }

    #[inline(always)]
    fn hand_out<'c>(&mut self, bytes: &'c [u8], last: bool) -> Step<'c> {
        let Phase::Payload { buffer, end, .. } = self.phase else {
            // nothing else lends
            return Step::Failed;
        };
        let offset = end.wrapping_sub(self.lend);
        self.lend = self.lend.wrapping_sub(length(bytes.len()));
        Step::Payload(Payload {
            buffer,
            offset,
            last,
            bytes,
        })
    }

    /// Bytes missing to the next decision.
    fn missing(&self) -> u64 {
        match self.phase {
            Phase::Descriptor => {
                let len = self.gathered();
                length(self.target(len).saturating_sub(len))
            }
            Phase::Payload { end, size, .. } => size.wrapping_sub(end).wrapping_add(self.lend),
            Phase::Opaque | Phase::Failed(_) => 0,
        }
    }

    /// The way to what needs a decision. Few chunks do: a compiler that is told so keeps what the loop
    /// around `next_event` holds in registers.
    #[cold]
    #[inline(never)]
    fn decide(&mut self, input: &mut &[u8]) -> Turn {
        // out of the cold, so that it is made fast all the same
        self.turn(input)
    }

    #[inline(never)]
    fn turn(&mut self, input: &mut &[u8]) -> Turn {
        if matches!(self.phase, Phase::Descriptor) {
            self.gather(input)
        } else {
            self.behind_descriptor(input)
        }
    }

    /// Goes on with the buffers: from one to the next, and to the end of the tensor.
    #[inline(never)]
    fn behind_descriptor(&mut self, input: &[u8]) -> Turn {
        match self.phase {
            Phase::Payload { buffer, .. } => {
                if self.lend == 0 && self.missing() == 0 && !self.enter_next(buffer) {
                    self.reset();
                    return Turn::End;
                }
                match length(input.len()) {
                    0 => Turn::More,
                    _ if self.lend == 0 => self.fail(self.overrun()),
                    len if len >= self.lend && self.lend == self.missing() => Turn::Last,
                    _ => Turn::Payload,
                }
            }
            Phase::Opaque => self.fail(self.unskippable()),
            Phase::Failed(_) | Phase::Descriptor => Turn::Failed,
        }
    }

    /// No byte has a position any more.
    #[cold]
    fn overrun(&self) -> Error {
        let kind = ErrorKind::Capacity {
            what: Resource::Position,
            needed: 1,
            available: 0,
        };
        Error::new(kind, self.offset())
    }

    /// Goes to the next buffer that has bytes.
    #[inline(never)]
    fn enter_next(&mut self, buffer: u8) -> bool {
        let behind = usize::from(buffer).wrapping_add(1);
        let next = filled_buffer(&self.facts, self.frame.stored(self.len), behind);
        if let Some((size, buffer)) = next {
            self.enter(buffer, self.offset(), size);
        }
        next.is_some()
    }

    /// Goes to a buffer that starts at an absolute offset and has so many bytes.
    #[inline]
    fn enter(&mut self, buffer: u8, start: u64, size: u64) {
        self.lend = size.min(u64::MAX.wrapping_sub(start));
        self.phase = Phase::Payload {
            buffer,
            start,
            size,
            end: self.lend,
        };
    }

    fn unskippable(&self) -> Error {
        let violation = Violation {
            rule: Rule::Unskippable,
            field: Field::LayoutTag,
            index: 0,
        };
        place(
            self.frame.stored(self.len),
            self.facts,
            self.origin,
            violation,
        )
    }
}

/// The first buffer of a descriptor from `first` on that has bytes: how many, and its index.
#[inline(always)]
fn filled_buffer(facts: &Facts, bytes: &[u8], first: usize) -> Option<(u64, u8)> {
    let table = facts.table(bytes).iter();
    let sizes = table.map(|handle| RawHandle::read(handle).byte_size);
    let mut sizes = sizes.zip(0u8..).skip(first);
    sizes.find(|(size, _)| *size > 0)
}
