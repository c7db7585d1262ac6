//! Writing one direction of a link into a sink that only goes forward.

mod tensors;

use super::MessageHeader;
use super::Side;
use super::hello::Hello;
use super::notice::{ErrorMessage, RdmaRegister};
use super::options::{LinkOptions, Scope};
use super::request::TensorRequest;
use super::sequence::Sequence;
use super::streams::{StreamSlot, Streams};
use super::tags::TagSet;
use crate::composite::{Exact, InlineArena};
use crate::descriptor::{Order, Sink, WriteError};
use crate::error::{ErrorKind, Field, Violation};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::length;
use crate::wire::tag::MessageType;

/// Writes messages of one side and refuses what the other side's parser would refuse.
///
/// A tensor is [`descriptor`](Self::descriptor) or [`put`](Self::put), then its bytes by
/// [`data`](Self::data) in pieces of any size, which are cut into messages that the peer takes, then
/// [`end`](Self::end). A composite is its head and then its members, on one stream.
///
/// ```
/// use hrry::message::{FixedMessageWriter, Hello, LinkOptions, ShardNumber, Side};
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, NoRoom, Policy, SliceSink, WriteError};
///
/// let options = LinkOptions::new(Side::Server, 1024);
/// let mut memory = [0; 256];
/// let sink = SliceSink::new(&mut memory);
/// let mut writer = FixedMessageWriter::<_, 64, 1>::new(sink, options, Policy::STRICT);
/// writer.hello(1, &Hello::new(1024))?;
/// let buffers = [BufferHandle::cpu(8, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[8], Layout::RowMajor, &buffers);
/// writer.descriptor(1, &spec, ShardNumber::WHOLE)?;
/// writer.data(1, &[1, 2, 3, 4, 5, 6, 7, 8])?;
/// writer.end(1)?;
/// // a HELLO, a descriptor with what the transport adds, a frame and the end
/// let lens = [12 + 24, 12 + 53 + 16, 12 + 8 + 8, 12];
/// assert_eq!(writer.finish()?.written().len(), lens.iter().sum::<usize>());
/// # Ok::<(), WriteError<NoRoom>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MessageWriter<W, T> {
    sink: W,
    sequence: Sequence<T>,
    /// Those of the peer, once it said.
    classes: Option<TagSet>,
    /// Whether an earlier call failed half-way.
    broken: bool,
}

/// A writer with `N` streams with `C` words for composites inside, checking covers exactly.
pub type FixedMessageWriter<W, const C: usize, const N: usize = 1> =
    MessageWriter<W, [StreamSlot<Exact, InlineArena<C>>; N]>;

impl<W: Sink, const C: usize, const N: usize> FixedMessageWriter<W, C, N> {
    /// A writer at the start of a link.
    #[must_use]
    pub const fn new(sink: W, options: LinkOptions, policy: Policy) -> Self {
        let streams = [const { StreamSlot::new() }; N];
        MessageWriter::with_parts(sink, streams, options, policy)
    }
}

impl<W, T> MessageWriter<W, T> {
    /// A writer at the start of a link, from its parts. Where the options ask for no order, tensors are held
    /// together all the same.
    #[must_use]
    pub const fn with_parts(sink: W, streams: T, mut options: LinkOptions, policy: Policy) -> Self {
        if let Scope::Message = options.scope {
            options.scope = Scope::Tensor;
        }
        MessageWriter {
            sink,
            sequence: Sequence::new(streams, options, policy),
            classes: None,
            broken: false,
        }
    }

    /// What the writer was told of the link.
    #[must_use]
    pub const fn options(&self) -> &LinkOptions {
        &self.sequence.options
    }

    /// Takes what the peer says of itself: the most that it takes in a message, what it can, which memory
    /// classes it knows, and a client's version.
    pub fn meet(&mut self, peer: &Hello<'_>) {
        self.sequence.options.meet(peer);
        self.classes = Some(TagSet::of(peer.classes().iter().copied()));
    }

    /// Where the bytes go.
    pub const fn sink_mut(&mut self) -> &mut W {
        &mut self.sink
    }
}

impl<W: Sink, T: Streams> MessageWriter<W, T> {
    /// Writes the HELLO of this side.
    ///
    /// # Errors
    ///
    /// MSG-06 anywhere but at the start, MSG-07 to MSG-13, MSG-03; the sink's own errors. After those the
    /// writer stops.
    pub fn hello(&mut self, stream_id: u32, hello: &Hello<'_>) -> Result<(), WriteError<W::Error>> {
        let LinkOptions {
            sender,
            client_version,
            ..
        } = self.sequence.options;
        hello.check_own(sender, client_version)?;
        let kind = match sender {
            Side::Client => MessageType::ClientHello,
            Side::Server => MessageType::ServerHello,
        };
        self.begin(kind, stream_id, hello.encoded_len())?;
        self.sequence.greet(hello.capabilities);
        self.out(|sink| hello.write(sink))
    }

    /// Asks for a tensor.
    ///
    /// # Errors
    ///
    /// MSG-12, MSG-13 and MSG-15; MSG-03, MSG-04 and MSG-06; the sink's own errors.
    pub fn request(
        &mut self,
        stream_id: u32,
        request: &TensorRequest<'_>,
    ) -> Result<(), WriteError<W::Error>> {
        request.check()?;
        self.begin(MessageType::TensorRequest, stream_id, request.encoded_len())?;
        self.out(|sink| request.write(sink))
    }

    /// Tells the client that the tensor it gave is there.
    ///
    /// # Errors
    ///
    /// MSG-04 and MSG-06; the sink's own errors.
    pub fn put_ack(&mut self, stream_id: u32) -> Result<(), WriteError<W::Error>> {
        self.begin(MessageType::TensorPutAck, stream_id, 0)
    }

    /// Closes a stream and says why; what was open on it is dropped.
    ///
    /// # Errors
    ///
    /// MSG-03, MSG-04, and MSG-06 for a client before its HELLO; the sink's own errors.
    pub fn error(
        &mut self,
        stream_id: u32,
        error: &ErrorMessage<'_>,
    ) -> Result<(), WriteError<W::Error>> {
        self.begin(MessageType::Error, stream_id, error.encoded_len())?;
        self.sequence.close(stream_id);
        self.out(|sink| error.write(sink))
    }

    /// Asks whether the peer is there.
    ///
    /// # Errors
    ///
    /// MSG-04 and MSG-06; the sink's own errors.
    pub fn ping(&mut self, stream_id: u32) -> Result<(), WriteError<W::Error>> {
        self.begin(MessageType::Ping, stream_id, 0)
    }

    /// Answers a PING with its payload.
    ///
    /// # Errors
    ///
    /// MSG-03, MSG-04 and MSG-06; the sink's own errors.
    pub fn pong(&mut self, stream_id: u32, payload: &[u8]) -> Result<(), WriteError<W::Error>> {
        self.begin(MessageType::Pong, stream_id, length(payload.len()))?;
        self.out(|sink| sink.put(payload))
    }

    /// Offers memory for the data of a tensor: that which this side sends on the stream, or one that it
    /// [awaits](Self::await_rdma).
    ///
    /// # Errors
    ///
    /// MSG-39 where both sides have not said that they can, or the tensor is not open; MSG-40 for another
    /// length than the tensor's; MSG-03; the sink's own errors.
    pub fn rdma_register(
        &mut self,
        stream_id: u32,
        region: &RdmaRegister<'_>,
    ) -> Result<(), WriteError<W::Error>> {
        let len = region.encoded_len();
        let header = self.admit(MessageType::RdmaRegister, stream_id, len)?;
        self.sequence.register(stream_id, region.length)?;
        self.out(|sink| {
            sink.put(&header.to_bytes())?;
            region.write(sink)
        })
    }

    /// Says that the data of a tensor that this side [awaits](Self::await_rdma) may be written.
    ///
    /// # Errors
    ///
    /// MSG-39 where both sides have not said that they can, or no tensor is awaited; the sink's own errors.
    pub fn rdma_ready(&mut self, stream_id: u32) -> Result<(), WriteError<W::Error>> {
        let header = self.admit(MessageType::RdmaReady, stream_id, 0)?;
        self.sequence.ready(stream_id)?;
        self.out(|sink| sink.put(&header.to_bytes()))
    }

    /// Lets this side offer memory for a tensor of so many bytes that the peer sends on a stream.
    ///
    /// # Errors
    ///
    /// MSG-04; MSG-18 where this side has a tensor open on that stream; a capacity for one stream more.
    pub fn await_rdma(&mut self, stream_id: u32, total_data_bytes: u64) -> Result<(), ErrorKind> {
        self.sequence.await_rdma(stream_id, total_data_bytes)
    }

    /// Writes a message of a private type that was agreed on.
    ///
    /// # Errors
    ///
    /// MSG-05 and MSG-43 for a type that is not private, or not agreed on; MSG-03, MSG-04 and MSG-06; the
    /// sink's own errors.
    pub fn private(
        &mut self,
        message_type: MessageType,
        stream_id: u32,
        payload: &[u8],
    ) -> Result<(), WriteError<W::Error>> {
        let header = self.admit(message_type, stream_id, length(payload.len()))?;
        self.sequence.require_private(message_type)?;
        self.out(|sink| {
            sink.put(&header.to_bytes())?;
            sink.put(payload)
        })
    }

    /// Forgets what is open on a stream that the peer closed.
    pub fn close_stream(&mut self, stream_id: u32) {
        self.sequence.close(stream_id);
    }

    pub(super) fn depth(&self, stream_id: u32) -> u8 {
        self.sequence.depth(stream_id)
    }

    pub(super) fn sends(&self, stream_id: u32) -> bool {
        self.sequence.sends(stream_id)
    }

    /// Whether memory for a tensor on a stream was offered to this side, which is not ready yet.
    pub(super) fn awaits(&self, stream_id: u32) -> bool {
        self.sequence.awaits(stream_id)
    }

    /// Ends the link and gives the sink back.
    ///
    /// # Errors
    ///
    /// STREAM-11 inside a tensor or a composite, or after a failure; the sink is gone then.
    pub fn finish(self) -> Result<W, WriteError<W::Error>> {
        if self.broken {
            return Err(WriteError::Order(Order::Broken));
        }
        match self.sequence.finish() {
            Ok(()) => Ok(self.sink),
            Err(ErrorKind::Torn { declared, seen, .. }) => {
                let members = declared.saturating_sub(seen);
                Err(WriteError::Order(Order::CompositeOpen { members }))
            }
            Err(_) => Err(WriteError::Order(Order::TensorOpen)),
        }
    }

    /// Writes the header of a message that may come now.
    fn begin(
        &mut self,
        kind: MessageType,
        stream_id: u32,
        payload: u64,
    ) -> Result<(), WriteError<W::Error>> {
        let header = self.admit(kind, stream_id, payload)?;
        self.out(|sink| sink.put(&header.to_bytes()))
    }

    /// The header of a message, if it may come now.
    fn admit(
        &self,
        message_type: MessageType,
        stream_id: u32,
        payload: u64,
    ) -> Result<MessageHeader, WriteError<W::Error>> {
        if self.broken {
            return Err(WriteError::Order(Order::Broken));
        }
        let most = self.sequence.options.max_message_size;
        let len = u32::try_from(payload).ok().filter(|len| *len <= most);
        let Some(payload_length) = len else {
            let broken = Violation::of(Rule::PeerMessageSize, Field::PayloadLength);
            return Err(broken.into());
        };
        let header = MessageHeader {
            message_type,
            stream_id,
            payload_length,
        };
        self.sequence.admit(&header)?;
        Ok(header)
    }

    /// Writes; what is half written cannot go on.
    fn out(
        &mut self,
        write: impl FnOnce(&mut W) -> Result<(), W::Error>,
    ) -> Result<(), WriteError<W::Error>> {
        self.broken = true;
        write(&mut self.sink).map_err(WriteError::Sink)?;
        self.broken = false;
        Ok(())
    }
}
