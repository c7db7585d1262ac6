//! A client or server over one link, without the link: bytes in, events and bytes out.
//!
//! Depends on the parser and the writer of messages. It greets, answers what the protocol answers by
//! itself, refuses what breaks it and closes streams; what tensors there are is its owner's affair. Never
//! blocks and never reads a clock: time comes in as a number.

mod event;
mod exchange;
mod peer;
mod receive;

pub use event::{Closed, KeepAlive, SessionEvent};
pub use peer::{Availability, Peer, select_class, select_device, select_layout};

pub(crate) use peer::TagSet;

use exchange::{Exchanges, Stand};

use crate::composite::{Exact, InlineArena, Outcome};
use crate::descriptor::{Order, Sink, WriteError};
use crate::error::Error;
use crate::frame::Storage;
use crate::message::hello::Hello;
use crate::message::notice::ErrorMessage;
use crate::message::parse::MessageParser;
use crate::message::request::{RequestFlags, TensorRequest};
use crate::message::sequence::LinkOptions;
use crate::message::shards::ParallelTransfer;
use crate::message::streams::{Streams, Transfer};
use crate::message::tensor::ShardNumber;
use crate::message::write::MessageWriter;
use crate::message::{Capabilities, RdmaRegister, Side};
use crate::model::Fields;
use crate::policy::Policy;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing was sent yet.
    New,
    /// The HELLO of the other side is to come.
    Greeting,
    Open,
    Closed(Closed),
}

/// One side of a link.
///
/// `S` holds one control message at a time, `T` the streams with open tensors in each direction, `W` takes what is
/// to be sent, and `N` streams can be under way. Bytes that come in go to [`receive`](Self::receive).
///
/// One parallel transfer can be under way at a time, since nothing in its messages tells two apart.
///
/// ```
/// use hrry::{
///     BufferHandle, DescriptorSpec, ElementType, FixedSession, Hello, Layout, Policy, SessionEvent, Side,
///     Sink, TensorRequest, WriteError,
/// };
/// # use std::convert::Infallible;
///
/// /// What a side sends.
/// #[derive(Debug, Default)]
/// struct Wire(Vec<u8>);
/// impl Sink for Wire {
///     type Error = Infallible;
///     fn put(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
///         self.0.extend_from_slice(bytes);
///         Ok(())
///     }
/// }
/// type Link<'h> = FixedSession<'h, Wire, 256, 64, 4>;
///
/// let mut client = Link::new(Side::Client, Hello::new(1024), Wire::default(), Policy::STRICT);
/// let mut server = Link::new(Side::Server, Hello::new(1024), Wire::default(), Policy::STRICT);
/// client.start(0)?;
/// server.start(0)?;
///
/// let buffers = [BufferHandle::cpu(4, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[4], Layout::RowMajor, &buffers);
/// let mut received = Vec::new();
/// for now in 1..4 {
///     let bytes = std::mem::take(&mut client.sink_mut().0);
///     let mut input = &bytes[..];
///     while let Some(event) = server.receive(&mut input, now)? {
///         if let SessionEvent::Requested(stream, request) = event {
///             assert_eq!(request.tensor_key, "w");
///             server.answer(stream, &spec)?;
///             server.data(stream, &[1, 2, 3, 4])?;
///             server.end(stream)?;
///         }
///     }
///     let bytes = std::mem::take(&mut server.sink_mut().0);
///     let mut input = &bytes[..];
///     while let Some(event) = client.receive(&mut input, now)? {
///         match event {
///             SessionEvent::Opened => {
///                 client.request(&TensorRequest::new("w"))?;
///             }
///             SessionEvent::Data(_, data) => received.extend_from_slice(data.bytes),
///             _ => {}
///         }
///     }
/// }
/// assert_eq!(received, [1, 2, 3, 4]);
/// assert!(client.finish().is_ok() && server.finish().is_ok());
/// # Ok::<(), WriteError<Infallible>>(())
/// ```
#[derive(Debug)]
pub struct Session<'h, S, T: Streams, W, const N: usize> {
    hello: Hello<'h>,
    parser: MessageParser<S, T>,
    writer: MessageWriter<W, T>,
    exchanges: Exchanges<N>,
    parallel: ParallelTransfer<T::Cover, T::Arena>,
    peer: Option<Peer>,
    phase: Phase,
    keep_alive: KeepAlive,
    /// When the last byte came.
    heard: u64,
    /// Whether a PING was sent since.
    asked: bool,
    /// The request that is answered in shards, how many of them are whole, and what to tell of it next.
    sharded: Option<u32>,
    shards: u32,
    gathered: Option<u32>,
    /// The stream that the next request of a client, or the next shard of a server, goes to.
    next: u32,
}

/// A session with `F` bytes for a control message and `N` streams with `C` words for composites inside.
pub type FixedSession<'h, W, const F: usize, const C: usize, const N: usize> =
    Session<'h, [u8; F], [Transfer<Exact, InlineArena<C>>; N], W, N>;

impl<'h, W: Sink, const F: usize, const C: usize, const N: usize> FixedSession<'h, W, F, C, N> {
    /// A session at the start of a link.
    #[must_use]
    pub const fn new(side: Side, hello: Hello<'h>, sink: W, policy: Policy) -> Self {
        let incoming = [const { Transfer::new() }; N];
        let outgoing = [const { Transfer::new() }; N];
        let parallel = ParallelTransfer::new(policy);
        Session::with_parts(
            side, hello, [0; F], incoming, outgoing, parallel, sink, policy,
        )
    }
}

/// Streams that servers open count from here, clear of those of clients.
const SERVER_STREAMS: u32 = 1 << 31;
/// The stream on which sides greet.
const GREETING_STREAM: u32 = 1;

impl<'h, S, T: Streams, W, const N: usize> Session<'h, S, T, W, N> {
    /// A session at the start of a link, from its parts. The streams are those with tensors that come and
    /// those with tensors that go.
    #[must_use]
    #[allow(clippy::too_many_arguments)] // each is a part
    pub const fn with_parts(
        side: Side,
        hello: Hello<'h>,
        frame: S,
        incoming: T,
        outgoing: T,
        parallel: ParallelTransfer<T::Cover, T::Arena>,
        sink: W,
        policy: Policy,
    ) -> Self {
        let mut coming = LinkOptions::new(side.other(), hello.max_message_size);
        coming.receiver = hello.capabilities;
        coming.client_version = hello.protocol_version;
        // what the other side takes is known once it greeted
        let going = LinkOptions::new(side, u32::MAX);
        Session {
            hello,
            parser: MessageParser::with_parts(frame, incoming, coming, policy),
            writer: MessageWriter::with_parts(sink, outgoing, going, policy),
            exchanges: Exchanges::new(),
            parallel,
            peer: None,
            phase: Phase::New,
            keep_alive: KeepAlive::NEVER,
            heard: 0,
            asked: false,
            sharded: None,
            shards: 0,
            gathered: None,
            next: match side {
                Side::Client => GREETING_STREAM,
                Side::Server => SERVER_STREAMS,
            },
        }
    }

    /// Looks after the link: see [`tick`](Self::tick).
    #[must_use]
    pub const fn with_keep_alive(mut self, keep_alive: KeepAlive) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    /// What the other side said of itself, once both greeted.
    #[must_use]
    pub const fn peer(&self) -> Option<&Peer> {
        self.peer.as_ref()
    }

    /// For a client: the stream of the request that is being answered in shards, each on a stream of its own.
    #[must_use]
    pub const fn parallel_request(&self) -> Option<u32> {
        self.sharded
    }

    /// Why the link is of no use any more.
    #[must_use]
    pub const fn closed(&self) -> Option<Closed> {
        match self.phase {
            Phase::Closed(why) => Some(why),
            _ => None,
        }
    }

    /// Where the bytes to send are.
    pub const fn sink_mut(&mut self) -> &mut W {
        self.writer.sink_mut()
    }

    /// The time at which [`tick`](Self::tick) has something to do.
    #[must_use]
    pub const fn deadline(&self) -> u64 {
        let after = match self.asked {
            false => self.keep_alive.ping_after,
            true => self.keep_alive.lost_after,
        };
        self.heard.saturating_add(after)
    }

    const fn side(&self) -> Side {
        self.writer.options().sender
    }
}

impl<S: Storage, T: Streams, W: Sink, const N: usize> Session<'_, S, T, W, N> {
    /// Begins: a client greets, a server waits for that. Time counts from `now`.
    ///
    /// # Errors
    ///
    /// MSG-07 to MSG-13 for a HELLO that breaks them; the sink's own errors.
    pub fn start(&mut self, now: u64) -> Result<(), WriteError<W::Error>> {
        self.heard = now;
        if self.side() == Side::Client {
            self.writer.hello(GREETING_STREAM, &self.hello)?;
        }
        self.phase = Phase::Greeting;
        Ok(())
    }

    /// Does what is to be done at a time: asks for a sign of life, or gives the link up.
    ///
    /// # Errors
    ///
    /// The sink's own errors.
    pub fn tick(&mut self, now: u64) -> Result<Option<Closed>, WriteError<W::Error>> {
        let silence = now.saturating_sub(self.heard);
        if matches!(self.phase, Phase::New | Phase::Closed(_)) {
            return Ok(None);
        }
        if silence >= self.keep_alive.lost_after {
            self.phase = Phase::Closed(Closed::Silent);
            return Ok(Some(Closed::Silent));
        }
        if silence >= self.keep_alive.ping_after && !self.asked && self.phase == Phase::Open {
            self.writer.ping(GREETING_STREAM)?;
            self.asked = true;
        }
        Ok(None)
    }

    /// Asks the server for a tensor and returns the stream of the answer.
    ///
    /// # Errors
    ///
    /// MSG-18 before the link is open, as for all that follow; MSG-12, MSG-13, MSG-15; a capacity where `N`
    /// streams are under way; the sink's own errors.
    pub fn request(&mut self, request: &TensorRequest<'_>) -> Result<u32, WriteError<W::Error>> {
        self.require_open()?;
        let stream_id = self.exchanges.free(self.next)?;
        self.writer.request(stream_id, request)?;
        let parallel = request.request_flags.has(RequestFlags::PARALLEL_OK)
            && receive::common(self.peer.as_ref(), &self.hello).has(Capabilities::PARALLEL_STREAMS);
        self.exchanges.put(stream_id, Stand::Asked { parallel });
        self.next = exchange::after(stream_id, self.side());
        Ok(stream_id)
    }

    /// Gives the server a tensor and returns its stream; [`data`](Self::data) and [`end`](Self::end) follow.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::put`]; a capacity where `N` streams are under way.
    pub fn put<F: Fields + ?Sized>(
        &mut self,
        tensor_key: &str,
        d: &F,
    ) -> Result<u32, WriteError<W::Error>> {
        self.require_open()?;
        let stream_id = self.exchanges.free(self.next)?;
        self.writer.put(stream_id, tensor_key, d)?;
        self.exchanges.put(stream_id, Stand::Giving);
        self.next = exchange::after(stream_id, self.side());
        Ok(stream_id)
    }

    /// Begins the tensor that a client asked for, or a member of it; [`data`](Self::data) and
    /// [`end`](Self::end) follow.
    ///
    /// # Errors
    ///
    /// MSG-18 where no client asks on that stream; as [`MessageWriter::descriptor`].
    pub fn answer<F: Fields + ?Sized>(
        &mut self,
        stream_id: u32,
        d: &F,
    ) -> Result<Outcome, WriteError<W::Error>> {
        self.answer_shard(stream_id, d, ShardNumber::WHOLE)
    }

    /// Begins a shard of the tensor that a client asked for, on that stream or one of
    /// [`open_shard`](Self::open_shard).
    ///
    /// # Errors
    ///
    /// MSG-18 where the stream is none of those; as [`MessageWriter::descriptor`].
    pub fn answer_shard<F: Fields + ?Sized>(
        &mut self,
        stream_id: u32,
        d: &F,
        shard: ShardNumber,
    ) -> Result<Outcome, WriteError<W::Error>> {
        self.require_open()?;
        let asked = match self.exchanges.get(stream_id) {
            Some(Stand::Asked { parallel }) => parallel || shard == ShardNumber::WHOLE,
            Some(Stand::Answered) => true,
            Some(Stand::Shard) => shard != ShardNumber::WHOLE,
            _ => false,
        };
        exchange::in_turn(asked)?;
        let outcome = self.writer.descriptor(stream_id, d, shard)?;
        if !matches!(self.exchanges.get(stream_id), Some(Stand::Shard)) {
            self.exchanges.put(stream_id, Stand::Answered);
        }
        Ok(outcome)
    }

    /// A new stream for a shard of the tensor that a client asked for on another one.
    ///
    /// # Errors
    ///
    /// MSG-18 where the client did not allow that; a capacity where `N` streams are under way.
    pub fn open_shard(&mut self, request_stream: u32) -> Result<u32, WriteError<W::Error>> {
        self.require_open()?;
        let allowed = matches!(
            self.exchanges.get(request_stream),
            Some(Stand::Asked { parallel: true } | Stand::Answered | Stand::Shard)
        );
        exchange::in_turn(allowed && self.side() == Side::Server)?;
        let stream_id = self.exchanges.free(self.next)?;
        self.exchanges.put(stream_id, Stand::Shard);
        self.next = exchange::after(stream_id, self.side());
        Ok(stream_id)
    }

    /// Sends the next bytes of the tensor on a stream.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::data`].
    pub fn data(&mut self, stream_id: u32, bytes: &[u8]) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        self.writer.data(stream_id, bytes)
    }

    /// Ends the tensor on a stream.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::end`].
    pub fn end(&mut self, stream_id: u32) -> Result<Outcome, WriteError<W::Error>> {
        self.require_open()?;
        let outcome = self.writer.end(stream_id)?;
        match self.exchanges.get(stream_id) {
            Some(Stand::Giving) => self.exchanges.put(stream_id, Stand::Given),
            _ if exchange::is_whole(&outcome, self.writer.depth(stream_id)) => {
                self.exchanges.remove(stream_id);
            }
            _ => {}
        }
        Ok(outcome)
    }

    /// Tells the client that the tensor on a stream, which is whole, was taken.
    ///
    /// # Errors
    ///
    /// MSG-18 where there is none; the sink's own errors.
    pub fn accept(&mut self, stream_id: u32) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        let whole = self.exchanges.get(stream_id) == Some(Stand::Given);
        exchange::in_turn(whole && self.side() == Side::Server)?;
        self.writer.put_ack(stream_id)?;
        self.exchanges.remove(stream_id);
        Ok(())
    }

    /// Closes a stream that is under way, and tells the other side why.
    ///
    /// # Errors
    ///
    /// MSG-18 where nothing is under way; MSG-03 for a text that is too long; the sink's own errors.
    pub fn refuse(
        &mut self,
        stream_id: u32,
        error: &ErrorMessage<'_>,
    ) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        exchange::in_turn(self.exchanges.get(stream_id).is_some())?;
        self.writer.error(stream_id, error)?;
        self.drop_stream(stream_id);
        Ok(())
    }

    /// Offers memory for the data of the tensor on a stream.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::rdma_register`].
    pub fn rdma_register(
        &mut self,
        stream_id: u32,
        region: &RdmaRegister<'_>,
    ) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        self.writer.rdma_register(stream_id, region)?;
        if self.writer.sends(stream_id) {
            // the other side answers with memory of its own, or that it is ready
            let awaited = self.parser.await_rdma(stream_id, region.length);
            awaited.map_err(WriteError::Refused)?;
        }
        Ok(())
    }

    /// Says that the memory for the tensor on a stream is ready.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::rdma_ready`].
    pub fn rdma_ready(&mut self, stream_id: u32) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        self.writer.rdma_ready(stream_id)
    }

    /// Bytes that would reach the next decision, for a link that is read in pieces; 0 once it is closed.
    #[must_use]
    pub fn wanted(&self) -> usize {
        match self.phase {
            Phase::Closed(_) => 0,
            _ => self.parser.wanted(),
        }
    }

    /// Tells whether the link may end here: nothing is under way.
    ///
    /// # Errors
    ///
    /// MSG-01 inside a message, MSG-32 inside a tensor that comes, COMP-48 inside a composite; MSG-18 where an
    /// answer, the end of a tensor, or its acceptance is missing.
    pub fn finish(&self) -> Result<(), Error> {
        if let Phase::Closed(Closed::Broken(error)) = self.phase {
            return Err(error);
        }
        self.parser.finish()?;
        let done = exchange::in_turn(self.exchanges.is_empty());
        done.map_err(|broken| Error::new(broken.into(), self.parser.offset()))
    }

    fn require_open(&self) -> Result<(), WriteError<W::Error>> {
        match self.phase {
            Phase::Open => Ok(()),
            Phase::Closed(_) => Err(WriteError::Order(Order::Closed)),
            _ => Ok(exchange::in_turn(false)?),
        }
    }

    /// Nothing goes on on a stream any more, in either direction.
    fn drop_stream(&mut self, stream_id: u32) {
        self.parser.close_stream(stream_id);
        self.writer.close_stream(stream_id);
        self.exchanges.close(stream_id);
    }
}
