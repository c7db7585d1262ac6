//! Bare streams: tensors back to back, pushed in pieces of any size.
//!
//! Depends on descriptors, the composite validator and the frame. Guarantees that events, errors and
//! offsets do not depend on how the input was cut, and that payload is lent out, never copied. Never
//! keeps more than one descriptor.

mod decode;
mod event;
mod write;

pub use decode::{FixedDecoder, StreamDecoder};
pub use event::{Event, Payload};
pub use write::{FixedWriter, StreamWriter};

use crate::composite::Outcome;
use crate::descriptor::DescriptorView;
use crate::descriptor::decode::{
    decode, header, magic_error, missing, place, stated_length, too_long, wrong_magic,
};
use crate::error::{Error, ErrorKind, Field, Resource, Violation};
use crate::frame::{Frame, Storage};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::descriptor::{FILE_MAGIC_TAIL, Facts, HEADER, LENGTH_KNOWN, MAGIC, offset};
use crate::wire::handle::RawHandle;
use crate::wire::{array, index, length};

/// A step of the machine that is not payload; events are built from it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// The chunk is used up.
    More,
    Descriptor,
    /// A buffer follows.
    Buffer,
    End,
    /// The phase holds the error.
    Failed,
}

#[derive(Clone, Debug)]
enum Phase {
    /// A descriptor is gathered, or the stream is at a boundary.
    Descriptor,
    /// The buffers of the descriptor in the frame; `left` of `size` bytes of `buffer` are missing.
    Payload { buffer: u8, size: u64, left: u64 },
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
    frame: Frame<S>,
    policy: Policy,
    /// Absolute offset of the next byte.
    position: u64,
    /// Absolute offset of the descriptor in the frame.
    origin: u64,
    /// What the lengths of its parts follow from.
    facts: Facts,
    /// Bytes of the frame at which the next decision falls.
    target: usize,
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
            frame: Frame::new(frame),
            policy,
            position: 0,
            origin: 0,
            facts: Facts::NONE,
            target: MAGIC.len(),
            phase: Phase::Descriptor,
        }
    }

    /// Counts positions from `offset` instead of 0. The first byte past position 2^64 - 1 is a capacity
    /// error.
    #[must_use]
    pub fn with_origin(mut self, offset: u64) -> Self {
        self.position = offset;
        self.origin = offset;
        self
    }

    /// Absolute offset of the next byte. After an error it, and what is left of the chunk, depend on how
    /// far the chunk let the parser look ahead; [`Error::offset`] does not.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.position
    }
}

impl<S: Storage> StreamParser<S> {
    /// The next event, or none when the chunk is used up. Advances `input` behind what it took.
    ///
    /// # Errors
    ///
    /// A broken rule of a descriptor (see [`DescriptorView::parse`]), STREAM-08, STREAM-12, or a
    /// capacity. The error sticks: every later call returns it, until [`reset`](Self::reset).
    #[inline]
    pub fn next_event<'c>(&mut self, input: &mut &'c [u8]) -> Result<Option<Event<'_, 'c>>, Error> {
        loop {
            if let Some(payload) = self.payload(input) {
                return Ok(Some(Event::Payload(payload)));
            }
            if self.swallow(input) {
                return Ok(None);
            }
            return Ok(match self.turn(input) {
                Turn::Buffer => continue,
                Turn::More => None,
                Turn::End => Some(Event::TensorEnd(Outcome::Plain)),
                Turn::Descriptor => Some(Event::Descriptor(self.view(), Outcome::Plain)),
                Turn::Failed => return Err(self.error()),
            });
        }
    }

    /// The descriptor of the tensor whose payload is being read.
    #[must_use]
    pub fn current(&self) -> Option<DescriptorView<'_>> {
        matches!(self.phase, Phase::Payload { .. } | Phase::Opaque).then(|| self.view())
    }

    /// Bytes that would reach the next decision; 0 when an event is ready, and after an error.
    #[must_use]
    pub fn wanted(&self) -> usize {
        match &self.phase {
            Phase::Descriptor => self.target.wrapping_sub(self.frame.len()),
            Phase::Payload { left, .. } => usize::try_from(*left).unwrap_or(usize::MAX),
            Phase::Opaque | Phase::Failed(_) => 0,
        }
    }

    /// Tells whether the input may end here.
    ///
    /// # Errors
    ///
    /// STREAM-04 inside a descriptor or buffer, and where events were not taken; the sticky error.
    pub fn finish(&self) -> Result<(), Error> {
        let missing = match &self.phase {
            Phase::Descriptor if self.frame.len() == 0 => return Ok(()),
            Phase::Descriptor => missing(self.frame.bytes()),
            Phase::Payload { left, .. } => *left,
            Phase::Opaque => return Err(self.unskippable()),
            Phase::Failed(error) => return Err(*error),
        };
        let rule = Rule::StreamTruncated;
        Err(Error::new(
            ErrorKind::Truncated { rule, missing },
            self.position,
        ))
    }

    /// Forgets everything but the policy and the position: the next byte starts a descriptor.
    pub fn reset(&mut self) {
        self.frame.clear();
        self.target = MAGIC.len();
        self.origin = self.position;
        self.phase = Phase::Descriptor;
    }

    fn view(&self) -> DescriptorView<'_> {
        DescriptorView::new(self.frame.bytes(), self.facts, self.origin)
    }

    #[cold]
    fn fail(&mut self, error: Error) -> Error {
        self.phase = Phase::Failed(error);
        error
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

    /// Takes a chunk that ends before the next decision; what a byte at a time costs.
    #[inline]
    fn swallow(&mut self, input: &mut &[u8]) -> bool {
        match self.phase {
            Phase::Descriptor => {}
            Phase::Payload { left, .. } => return left > 0 && input.is_empty(),
            Phase::Opaque | Phase::Failed(_) => return false,
        }
        let len = self.frame.len();
        let after = len.wrapping_add(input.len());
        let short = after < self.target && len >= MAGIC.len();
        if !short || input.len() > self.room() || self.frame.push(input).is_err() {
            return false;
        }
        self.position = self.position.wrapping_add(length(input.len()));
        *input = &[];
        true
    }

    /// Hands out what the chunk has of the current buffer; none where there is nothing to hand out.
    #[inline]
    fn payload<'c>(&mut self, input: &mut &'c [u8]) -> Option<Payload<'c>> {
        let Phase::Payload { buffer, size, left } = &mut self.phase else {
            return None;
        };
        let room = u64::MAX.wrapping_sub(self.position);
        let most = usize::try_from((*left).min(room)).unwrap_or(usize::MAX);
        let (bytes, rest) = input.split_at_checked(most).unwrap_or((input, &[]));
        if bytes.is_empty() {
            return None;
        }
        let taken = length(bytes.len());
        let payload = Payload {
            buffer: *buffer,
            offset: size.wrapping_sub(*left),
            last: *left == taken,
            bytes,
        };
        *left = left.wrapping_sub(taken);
        self.position = self.position.wrapping_add(taken);
        *input = rest;
        Some(payload)
    }

    /// No byte could be taken: either there was none, or positions have run out.
    #[cold]
    fn pause(&mut self, input: &[u8]) -> Turn {
        if input.is_empty() {
            return Turn::More;
        }
        let kind = ErrorKind::Capacity {
            what: Resource::Position,
            needed: 1,
            available: 0,
        };
        self.fail(Error::new(kind, self.position));
        Turn::Failed
    }

    /// Everything but payload and short chunks.
    #[inline(never)]
    fn turn(&mut self, input: &mut &[u8]) -> Turn {
        match self.phase {
            Phase::Failed(_) => Turn::Failed,
            Phase::Opaque => {
                self.fail(self.unskippable());
                Turn::Failed
            }
            Phase::Payload { left, .. } if left > 0 => self.pause(input),
            Phase::Payload { buffer, .. } => {
                if self.enter_buffer(u32::from(buffer).wrapping_add(1)) {
                    return Turn::Buffer;
                }
                self.reset();
                Turn::End
            }
            Phase::Descriptor => match self.gather(input) {
                Err(error) => {
                    self.fail(error);
                    Turn::Failed
                }
                Ok(false) => self.pause(input),
                Ok(true) => Turn::Descriptor,
            },
        }
    }

    /// Goes to the first buffer from `first` on that has bytes; without one, to the end of the tensor.
    fn enter_buffer(&mut self, first: u32) -> bool {
        let table = self.facts.table(self.frame.bytes());
        let sizes = (first..).map_while(|k| Some((k, table.get(index(k))?)));
        let mut sizes = sizes.map(|(k, handle)| (k, RawHandle::read(handle).byte_size));
        let next = sizes.find(|(_, size)| *size > 0);
        let (buffer, size) = next.unwrap_or((u32::MAX, 0));
        self.phase = Phase::Payload {
            buffer: u8::try_from(buffer).unwrap_or(u8::MAX),
            size,
            left: size,
        };
        next.is_some()
    }

    /// How many bytes still have a position.
    fn room(&self) -> usize {
        usize::try_from(u64::MAX.wrapping_sub(self.position)).unwrap_or(usize::MAX)
    }

    /// Fills the frame; `true` when it holds a checked descriptor.
    fn gather(&mut self, input: &mut &[u8]) -> Result<bool, Error> {
        if let Some((bytes, rest)) = self.whole(input)
            && self.frame.push(bytes).is_ok()
        {
            *input = rest;
            self.position = self.position.wrapping_add(length(bytes.len()));
            if let Some(wrong) = wrong_magic(bytes) {
                return Err(magic_error(self.origin, wrong));
            }
            self.accept()?;
            return Ok(true);
        }
        loop {
            let before = self.frame.len();
            let most = self.target.wrapping_sub(before).min(self.room());
            let (bytes, rest) = input.split_at_checked(most).unwrap_or((input, &[]));
            if bytes.is_empty() {
                return Ok(false);
            }
            if self.frame.push(bytes).is_err() {
                return Err(self.frame_error());
            }
            *input = rest;
            self.position = self.position.wrapping_add(length(bytes.len()));
            let (bytes, len) = (self.frame.bytes(), self.frame.len());
            if before < MAGIC.len()
                && let Some(wrong) = wrong_magic(bytes)
            {
                return Err(magic_error(self.origin, wrong));
            }
            if before < LENGTH_KNOWN && len >= LENGTH_KNOWN {
                let limit = self.frame.limit().min(self.policy.max_descriptor.into());
                if let Some(error) = too_long(bytes, self.origin, limit) {
                    return Err(error);
                }
            }
            if len < self.target {
                continue;
            }
            self.target = match len {
                ..LENGTH_KNOWN => LENGTH_KNOWN,
                LENGTH_KNOWN..HEADER => HEADER,
                _ => index(stated_length(bytes)),
            };
            if len == HEADER {
                self.check_header()?;
            }
            if len >= HEADER && len >= self.target {
                self.accept()?;
                return Ok(true);
            }
        }
    }

    /// The descriptor that is next and what follows, where the chunk holds all of it: a short cut to the
    /// same decisions.
    #[inline]
    fn whole<'c>(&self, input: &'c [u8]) -> Option<(&'c [u8], &'c [u8])> {
        let stated = array(input, offset(Field::DescriptorLength)).map(u32::from_le_bytes)?;
        let len = index(stated);
        let fits = u64::from(stated) <= self.frame.limit()
            && stated <= self.policy.max_descriptor
            && len <= self.room();
        let whole = self.frame.len() == 0 && fits && len >= HEADER;
        input.split_at_checked(len).filter(|_| whole)
    }

    fn check_header(&self) -> Result<(), Error> {
        let bytes = self.frame.bytes();
        header(bytes, &mut &self.policy).map_err(|breach| self.refuse(breach.into()))
    }

    /// Decodes what the frame holds and turns to its buffers.
    #[inline]
    fn accept(&mut self) -> Result<(), Error> {
        let checked = decode(self.frame.bytes(), &mut &self.policy, &mut self.facts);
        checked.map_err(|breach| self.refuse(breach.into()))?;
        if self.policy.max_buffer < u64::MAX {
            self.limit_buffers()?;
        }
        if self.facts.is_opaque() {
            self.phase = Phase::Opaque;
        } else {
            self.enter_buffer(0);
        }
        Ok(())
    }

    fn limit_buffers(&self) -> Result<(), Error> {
        let view = self.view();
        let available = self.policy.max_buffer;
        for (k, size) in (0..).map_while(|k| Some((k, view.buffer(k)?.byte_size))) {
            if size > available {
                let kind = ErrorKind::Capacity {
                    what: Resource::Buffer,
                    needed: size,
                    available,
                };
                let at = view
                    .locate(Field::ByteSize, k)
                    .map_or(0, |range| range.start);
                return Err(Error::new(kind, self.origin.wrapping_add(at.into())));
            }
        }
        Ok(())
    }

    /// Places a violation. A container file looks like a descriptor of a far version (STREAM-12).
    #[cold]
    fn refuse(&self, violation: Violation) -> Error {
        let bytes = self.frame.bytes();
        let file = array(bytes, MAGIC.len()) == Some(FILE_MAGIC_TAIL);
        let rule = if file {
            Rule::FileNotStream
        } else {
            violation.rule
        };
        place(
            bytes,
            self.facts,
            self.origin,
            Violation { rule, ..violation },
        )
    }

    fn frame_error(&self) -> Error {
        let kind = ErrorKind::Capacity {
            what: Resource::Frame,
            needed: length(self.target),
            // one that grows may fail below its limit
            available: self
                .frame
                .limit()
                .min(length(self.target).saturating_sub(1)),
        };
        Error::new(kind, self.origin)
    }

    fn unskippable(&self) -> Error {
        let violation = Violation {
            rule: Rule::Unskippable,
            field: Field::LayoutTag,
            index: 0,
        };
        place(self.frame.bytes(), self.facts, self.origin, violation)
    }
}
