//! Stream and composites behind one call.

use super::event::Mark;
use super::{Event, Step, StreamParser};
use crate::composite::{Arena, CompositeValidator, Cover, Exact, InlineArena, Outcome, SetError};
use crate::descriptor::DescriptorView;
use crate::error::Error;
use crate::frame::Storage;
use crate::policy::Policy;

/// A [`StreamParser`] with its [`CompositeValidator`]: the type to start with.
///
/// One `next_event` and one [`finish`](Self::finish), so that no torn stream is accepted for want of a
/// call. `S` holds a descriptor, `C` decides how partitions are checked, `A` holds what that needs.
///
/// ```
/// # use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, encode};
/// # let mut stream = [0u8; 109];
/// # let buffers = [BufferHandle::cpu(48, 64)];
/// # let spec = DescriptorSpec::new(ElementType::Float32, &[3, 4], Layout::RowMajor, &buffers);
/// # encode(&spec, &mut stream, &Policy::STRICT).unwrap();
/// use hrry::{Event, FixedDecoder};
///
/// // descriptors of up to 256 bytes, 64 words for open composites
/// let mut decoder = FixedDecoder::<256, 64>::new(Policy::STRICT);
/// let mut bytes = 0;
/// for mut chunk in stream.chunks(7) {
///     while let Some(event) = decoder.next_event(&mut chunk)? {
///         match event {
///             Event::Descriptor(d, _) => assert_eq!(d.rank(), 2),
///             Event::Payload(p) => bytes += p.bytes.len(),
///             Event::TensorEnd(_) => assert_eq!(bytes, 48),
///             _ => {}
///         }
///     }
/// }
/// decoder.finish()?;
/// # Ok::<(), hrry::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct StreamDecoder<S, C, A> {
    parser: StreamParser<S>,
    composites: CompositeValidator<C, A>,
}

/// A decoder with `F` bytes for a descriptor and `W` words for composites inside, checking covers
/// exactly; `new` is const, so it can be a `static`.
pub type FixedDecoder<const F: usize, const W: usize> =
    StreamDecoder<[u8; F], Exact, InlineArena<W>>;

impl<const F: usize, const W: usize> FixedDecoder<F, W> {
    /// A decoder at the start of a stream.
    #[must_use]
    pub const fn new(policy: Policy) -> Self {
        StreamDecoder::with_parts([0; F], Exact, InlineArena::new(), policy)
    }
}

impl<S, C, A> StreamDecoder<S, C, A> {
    /// A decoder at the start of a stream, from its parts.
    #[must_use]
    pub const fn with_parts(frame: S, cover: C, arena: A, policy: Policy) -> Self
    where
        S: Storage,
    {
        StreamDecoder {
            parser: StreamParser::with_storage(frame, policy),
            composites: CompositeValidator::with_arena(cover, arena, policy),
        }
    }

    /// Counts positions from `offset` instead of 0. The first byte past position 2^64 - 1 is a capacity
    /// error.
    #[must_use]
    pub fn with_origin(self, offset: u64) -> Self {
        StreamDecoder {
            parser: self.parser.with_origin(offset),
            composites: self.composites,
        }
    }

    /// Absolute offset of the next byte.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.parser.offset()
    }

    /// As [`StreamParser::unsettled`].
    pub(super) const fn unsettled(&self) -> u64 {
        self.parser.unsettled()
    }

    /// As [`StreamParser::skip_to`].
    pub(crate) fn skip_to(&mut self, offset: u64) {
        self.parser.skip_to(offset);
    }

    /// The storage that holds descriptors, for other items while it holds none.
    pub(crate) const fn frame(&self) -> &S {
        &self.parser.frame
    }

    /// As [`frame`](Self::frame).
    pub(crate) const fn frame_mut(&mut self) -> &mut S {
        &mut self.parser.frame
    }
}

impl<S: Storage, C: Cover, A: Arena> StreamDecoder<S, C, A> {
    /// The next event, or none when the chunk is used up. Advances `input` behind what it took.
    ///
    /// # Errors
    ///
    /// As [`StreamParser::next_event`], and the COMP rules of members and covers. The error sticks.
    #[inline(always)]
    pub fn next_event<'c>(&mut self, input: &mut &'c [u8]) -> Result<Option<Event<'_, 'c>>, Error> {
        let event = match self.parser.step(input) {
            Step::More => return Ok(None),
            Step::Payload(payload) => Some(Event::Payload(payload)),
            Step::Descriptor => self
                .open()
                .map(|outcome| Event::Descriptor(self.parser.view(), outcome)),
            Step::End => self.close().map(Event::TensorEnd),
            Step::Failed => None,
        };
        match event {
            Some(event) => Ok(Some(event)),
            None => Err(self.parser.error()),
        }
    }

    /// As [`next_event`](Self::next_event), for [`event`](Self::event).
    pub(crate) fn advance(&mut self, input: &mut &[u8]) -> Result<Option<Mark>, Error> {
        Ok(self.next_event(input)?.map(Mark::of))
    }

    /// What `advance` just told, with the bytes that it took.
    pub(crate) fn event<'c>(&self, mark: Mark, bytes: &'c [u8]) -> Event<'_, 'c> {
        mark.event(self.parser.view(), bytes)
    }

    /// Takes a descriptor to the composites around it; none where they refuse it.
    #[inline(never)]
    fn open(&mut self) -> Option<Outcome> {
        let outcome = self.composites.begin(&self.parser.view());
        outcome.map_err(|error| self.refuse(error)).ok()
    }

    /// Takes the end of a tensor there.
    #[inline(never)]
    fn close(&mut self) -> Option<Outcome> {
        let outcome = self.composites.end();
        outcome.map_err(|error| self.refuse(error)).ok()
    }

    #[cold]
    fn refuse(&mut self, error: SetError) {
        let error = error.placed(self.parser.current().as_ref());
        self.parser.fail(error);
    }

    /// The descriptor of the tensor whose payload is being read; none any more once its end was told, so who
    /// works on whole tensors does so with the last payload, or keeps the descriptor's bytes.
    #[must_use]
    pub fn current(&self) -> Option<DescriptorView<'_>> {
        self.parser.current()
    }

    /// Bytes that would reach the next decision; 0 when an event is ready, and after an error.
    #[must_use]
    pub fn wanted(&self) -> usize {
        self.parser.wanted()
    }

    /// How many composites are open.
    #[must_use]
    pub fn depth(&self) -> u8 {
        self.composites.depth()
    }

    /// Tells whether the input may end here: on a boundary, outside every composite.
    ///
    /// # Errors
    ///
    /// STREAM-04 inside an item, COMP-48 inside a composite; the sticky error.
    pub fn finish(&self) -> Result<(), Error> {
        self.parser.finish()?;
        self.composites
            .finish()
            .map_err(|error| Error::new(error.kind, self.offset()))
    }

    /// Forgets everything but the policy and the position: the next byte starts a descriptor outside
    /// any composite.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.composites.reset();
    }
}
