//! One direction of a link, pushed in pieces of any size.

mod step;

use super::MessageHeader;
use super::event::{MessageBody, MessageData, MessageEvent};
use super::hello::Hello;
use super::options::LinkOptions;
use super::sequence::Sequence;
use super::streams::{StreamSlot, Streams};
use crate::composite::{Exact, InlineArena, Outcome};
use crate::error::{Error, ErrorKind};
use crate::frame::Storage;
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::descriptor::Facts;
use crate::wire::message::{DATA_PREFIX, MESSAGE_HEADER};
use crate::wire::tag::MessageType;
use crate::wire::{index, length, length32};

/// An event without what it borrows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MessageMark {
    /// A control message is in the frame; what a descriptor in it led to.
    Control(Facts, Outcome),
    /// A message with data starts, at that place.
    Start(u64),
    /// Data, which are all that was taken of the chunk.
    Data { offset: u64, last: bool },
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// The header of the next message.
    Header,
    /// The payload of a control message.
    Control,
    /// What stands in front of data.
    Prefix,
    /// Data, of which the next byte has that place.
    Data { offset: u64, left: u32 },
    /// Bytes of no meaning.
    Skip { left: u64 },
    /// Nothing but this error any more; a message that is refused ends at an offset.
    Failed { error: Error, end: Option<u64> },
}

/// Splits one direction of a link into messages and checks their order.
///
/// `S` holds one control message at a time, `T` the streams on which tensors are open. The data of a
/// stream follows its buffers one after the other, in table order, without padding.
///
/// ```
/// use hrry::message::{FixedMessages, LinkOptions, MessageBody, MessageEvent, Side};
/// use hrry::Policy;
/// # let hello = [1, 0, 0, 0, 9, 0, 0, 0, 25, 0, 0, 0, 1, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0];
///
/// // what a server reads: control messages of up to 256 bytes, 64 words for composites, one stream
/// let options = LinkOptions::new(Side::Client, 1 << 20);
/// let mut parser = FixedMessages::<256, 64, 1>::new(options, Policy::STRICT);
/// for mut chunk in hello.chunks(5) {
///     while let Some(MessageEvent { header, body }) = parser.next_event(&mut chunk)? {
///         assert_eq!(header.stream_id, 9);
///         assert!(matches!(body, MessageBody::ClientHello(hello) if hello.max_message_size == 1 << 20));
///     }
/// }
/// parser.finish()?;
/// # Ok::<(), hrry::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MessageParser<S, T> {
    pub(super) frame: S,
    pub(super) sequence: Sequence<T>,
    state: State,
    /// Absolute offset of the next byte.
    pub(super) at: u64,
    /// The header, or what stands in front of data, of which `len` bytes are there.
    head: [u8; MESSAGE_HEADER],
    /// Bytes of the head, or of the control message in the frame.
    pub(super) len: usize,
    pub(super) header: MessageHeader,
}

/// A parser with `F` bytes for a control message, and `N` streams with `W` words for composites inside;
/// `new` is const, so it can be a `static`.
pub type FixedMessages<const F: usize, const W: usize, const N: usize = 1> =
    MessageParser<[u8; F], [StreamSlot<Exact, InlineArena<W>>; N]>;

impl<const F: usize, const W: usize, const N: usize> FixedMessages<F, W, N> {
    /// A parser at the start of a link.
    #[must_use]
    pub const fn new(options: LinkOptions, policy: Policy) -> Self {
        let streams = [const { StreamSlot::new() }; N];
        MessageParser::with_parts([0; F], streams, options, policy)
    }
}

impl<S, T> MessageParser<S, T> {
    /// A parser at the start of a link, from its parts. Buffers are taken as those of another machine,
    /// whatever the policy says (BUF-19).
    #[must_use]
    pub const fn with_parts(frame: S, streams: T, options: LinkOptions, policy: Policy) -> Self {
        MessageParser {
            frame,
            sequence: Sequence::new(streams, options, policy),
            state: State::Header,
            at: 0,
            head: [0; MESSAGE_HEADER],
            len: 0,
            header: MessageHeader::NONE,
        }
    }

    /// Counts positions from `offset` instead of 0. A message that would end behind position 2^64 - 1 is a
    /// capacity error.
    #[must_use]
    pub const fn with_origin(mut self, offset: u64) -> Self {
        self.at = offset;
        self
    }

    /// Absolute offset of the next byte.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.at
    }

    /// What the parser was told of the link.
    #[must_use]
    pub const fn options(&self) -> &LinkOptions {
        &self.sequence.options
    }

    /// Takes what the receiver says of itself: the most that it takes in a message, what it can, and a client's
    /// version.
    pub const fn meet(&mut self, receiver: &Hello<'_>) {
        self.sequence.options.meet(receiver);
    }
}

impl<S: Storage, T: Streams> MessageParser<S, T> {
    /// The next event, or none when the chunk is used up. Advances `input` behind what it took.
    ///
    /// # Errors
    ///
    /// MSG-02 to MSG-44 as far as one direction can break them, BUF-19 and the rules of descriptors and
    /// composites; a capacity. The error sticks, until [`skip_message`](Self::skip_message) or
    /// [`reset`](Self::reset).
    pub fn next_event<'c>(
        &mut self,
        input: &mut &'c [u8],
    ) -> Result<Option<MessageEvent<'_, 'c>>, Error> {
        let chunk = *input;
        let Some(mark) = self.advance(input)? else {
            return Ok(None);
        };
        let taken = chunk.len().saturating_sub(input.len());
        let taken = chunk.get(..taken).unwrap_or(chunk);
        Ok(Some(self.event(mark, taken)))
    }

    /// As [`next_event`](Self::next_event), without what borrows the parser.
    pub(crate) fn advance(&mut self, input: &mut &[u8]) -> Result<Option<MessageMark>, Error> {
        self.step(input).map_err(|error| self.fail(error))
    }

    /// The event again, from what was gathered and the bytes that were taken with it.
    pub(crate) fn event<'c>(&self, mark: MessageMark, taken: &'c [u8]) -> MessageEvent<'_, 'c> {
        let body = match mark {
            MessageMark::Control(facts, outcome) => self.body(facts, outcome),
            MessageMark::Start(byte_offset_in_buffer) => match self.header.message_type {
                MessageType::TensorData => MessageBody::TensorData {
                    byte_offset_in_buffer,
                    len: self.data_len(),
                },
                _ => MessageBody::Private,
            },
            MessageMark::Data { offset, last } => MessageBody::Data(MessageData {
                offset,
                last,
                bytes: taken,
            }),
        };
        MessageEvent {
            header: self.header,
            body,
        }
    }

    /// The header of the message that the last step or error was about; of none behind one that was skipped.
    pub(super) const fn header(&self) -> &MessageHeader {
        &self.header
    }

    /// Whether the header is that of the last event, with what the frame has of it.
    pub(super) const fn has_event(&self) -> bool {
        match self.state {
            State::Header => self.len == 0,
            State::Data { .. } => true,
            _ => false,
        }
    }

    pub(super) fn depth(&self, stream_id: u32) -> u8 {
        self.sequence.depth(stream_id)
    }

    /// Whether a tensor comes on a stream.
    pub(super) fn receives(&self, stream_id: u32) -> bool {
        self.sequence.sends(stream_id)
    }

    /// Whether this side offered memory for a tensor on a stream and the other one is not ready yet.
    pub(super) fn awaits(&self, stream_id: u32) -> bool {
        self.sequence.awaits(stream_id)
    }

    /// Bytes that would reach the next decision, when the chunk is used up; 0 after an error.
    #[must_use]
    pub fn wanted(&self) -> usize {
        usize::try_from(self.missing()).unwrap_or(usize::MAX)
    }

    /// Tells whether the side may stop here: on a boundary, with no tensor and no composite open.
    ///
    /// # Errors
    ///
    /// MSG-01 inside a message, MSG-32 inside a tensor, COMP-48 inside a composite; the sticky error.
    pub fn finish(&self) -> Result<(), Error> {
        let missing = match self.state {
            State::Failed { error, .. } => return Err(error),
            State::Header if self.len == 0 => 0,
            _ => self.to_end(),
        };
        let kind = match missing {
            0 => self.sequence.finish().err(),
            _ => Some(ErrorKind::Truncated {
                rule: Rule::MessageTruncated,
                missing,
            }),
        };
        kind.map_or(Ok(()), |kind| Err(Error::new(kind, self.at)))
    }

    /// Goes on behind the message that was refused, and closes its stream: what still comes of the tensor on
    /// it is refused as well. The rest of the message is skipped.
    ///
    /// # Errors
    ///
    /// The sticky error where it leaves no message to go on behind: a position that is none.
    pub fn skip_message(&mut self) -> Result<(), Error> {
        let State::Failed { error, end } = self.state else {
            return Ok(());
        };
        let Some(end) = end else {
            return Err(error);
        };
        self.sequence.close(self.header.stream_id);
        self.header = MessageHeader::NONE;
        self.state = State::Skip {
            left: end.saturating_sub(self.at),
        };
        Ok(())
    }

    /// Lets the sender offer memory for a tensor of so many bytes that the receiver sends on a stream, and
    /// say that it is ready: RDMA_REGISTER and RDMA_READY refer to a tensor of the other direction then.
    ///
    /// # Errors
    ///
    /// MSG-04; MSG-18 where the sender has a tensor open on that stream; a capacity for one stream more.
    pub fn await_rdma(&mut self, stream_id: u32, total_data_bytes: u64) -> Result<(), ErrorKind> {
        self.sequence.await_rdma(stream_id, total_data_bytes)
    }

    /// Forgets what is open on a stream, which the receiver closed.
    pub fn close_stream(&mut self, stream_id: u32) {
        self.sequence.close(stream_id);
    }

    /// Forgets everything but options, policy, position and who the sides are: the next byte starts a
    /// message.
    pub fn reset(&mut self) {
        self.sequence.reset();
        self.state = State::Header;
        self.len = 0;
        self.header = MessageHeader::NONE;
    }

    #[cold]
    fn fail(&mut self, error: Error) -> Error {
        let end = match self.state {
            State::Failed { end, .. } => end,
            // the header may not be whole
            State::Header if self.len < MESSAGE_HEADER => None,
            State::Header => self.at.checked_add(self.header.payload_length.into()),
            _ => Some(self.at.saturating_add(self.to_end())),
        };
        self.state = State::Failed { error, end };
        error
    }

    /// Bytes of the message that are still to come, inside its payload.
    fn to_end(&self) -> u64 {
        match self.state {
            State::Prefix => u64::from(self.data_len()).saturating_add(self.missing()),
            _ => self.missing(),
        }
    }

    /// Bytes missing to the next decision.
    fn missing(&self) -> u64 {
        let more = |needed: usize| length(needed.saturating_sub(self.len));
        match self.state {
            State::Header => more(MESSAGE_HEADER),
            State::Control => more(index(self.header.payload_length)),
            State::Prefix => more(DATA_PREFIX),
            State::Data { left, .. } => left.into(),
            State::Skip { left } => left,
            State::Failed { .. } => 0,
        }
    }

    /// Bytes of data in a message that carries some.
    fn data_len(&self) -> u32 {
        let payload = self.header.payload_length;
        match self.header.message_type {
            // that they fit was seen with the header
            MessageType::TensorData => payload.saturating_sub(length32(DATA_PREFIX)),
            _ => payload,
        }
    }

    /// Absolute offset of the message whose payload is being read.
    pub(super) fn start(&self) -> u64 {
        let len = length(self.len.saturating_add(MESSAGE_HEADER));
        self.at.saturating_sub(len)
    }
}
