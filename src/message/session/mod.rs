//! A client or server over one link, without the link: bytes in, events and bytes out.
//!
//! Depends on the parser and the writer of messages. It greets, answers what the protocol answers by
//! itself, refuses what breaks it and closes streams; what tensors there are is its owner's affair. Never
//! blocks and never reads a clock: time comes in as a number.

mod calls;
mod event;
mod exchange;
mod peer;
mod receive;
mod refuse;
mod shards;
mod silence;

pub use event::{Closed, KeepAlive, SessionEvent};
pub use peer::{Availability, Peer, select_class, select_device, select_layout};

use exchange::Exchanges;

use crate::composite::{Exact, InlineArena, Outcome};
use crate::descriptor::{Order, Sink, WriteError};
use crate::error::Error;
use crate::frame::Storage;
use crate::message::hello::Hello;
use crate::message::options::LinkOptions;
use crate::message::parse::MessageParser;
use crate::message::sequence::greets;
use crate::message::shards::ParallelTransfer;
use crate::message::streams::{StreamSlot, Streams};
use crate::message::write::MessageWriter;
use crate::message::{Capabilities, ErrorMessage, MessageBody, Side};
use crate::policy::Policy;
use crate::wire::descriptor::Facts;

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
/// to be sent, and `N` streams can be under way: those of requests and puts, and of each shard that is not on the
/// stream of its request. Bytes that come in go to [`receive`](Self::receive).
///
/// One parallel transfer can be under way at a time, since nothing in its messages tells two apart.
///
/// ```
/// use hrry::message::{FixedSession, Hello, SessionEvent, Side, TensorRequest};
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, WriteError};
/// # use std::collections::TryReserveError;
///
/// // with `alloc` a `Vec<u8>` is a sink; a `SliceSink` serves without
/// type Link<'h> = FixedSession<'h, Vec<u8>, 256, 64, 4>;
///
/// let mut client = Link::new(Side::Client, Hello::new(1024), Vec::new(), Policy::STRICT);
/// let mut server = Link::new(Side::Server, Hello::new(1024), Vec::new(), Policy::STRICT);
/// client.start(0)?;
/// server.start(0)?;
///
/// let buffers = [BufferHandle::cpu(4, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[4], Layout::RowMajor, &buffers);
/// let mut received = Vec::new();
/// for now in 1..4 {
///     let bytes = std::mem::take(client.sink_mut());
///     let mut input = &bytes[..];
///     while let Some(event) = server.receive(&mut input, now)? {
///         if let SessionEvent::Requested(stream, request) = event {
///             assert_eq!(request.tensor_key, "w");
///             server.answer(stream, &spec)?;
///             server.data(stream, &[1, 2, 3, 4])?;
///             server.end(stream)?;
///         }
///     }
///     let bytes = std::mem::take(server.sink_mut());
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
/// # Ok::<(), WriteError<TryReserveError>>(())
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
    /// When the last byte came, or the PING was sent that was to lead to one.
    quiet_since: u64,
    /// Whether a PING was sent since the last byte.
    asked: bool,
    /// The request that is answered in shards, how many of them are whole, and what to tell of it next.
    sharded: Option<u32>,
    shards: u32,
    gathered: Option<u32>,
    /// Whether shards may still come of a transfer that failed: they would be taken for another one's.
    withheld: bool,
    /// The stream that the next request of a client, or the next shard of a server, goes to.
    next: u32,
}

/// A session with `F` bytes for a control message and `N` streams with `C` words for composites inside.
pub type FixedSession<'h, W, const F: usize, const C: usize, const N: usize> =
    Session<'h, [u8; F], [StreamSlot<Exact, InlineArena<C>>; N], W, N>;

impl<'h, W: Sink, const F: usize, const C: usize, const N: usize> FixedSession<'h, W, F, C, N> {
    /// A session at the start of a link.
    #[must_use]
    pub const fn new(side: Side, hello: Hello<'h>, sink: W, policy: Policy) -> Self {
        let incoming = [const { StreamSlot::new() }; N];
        let outgoing = [const { StreamSlot::new() }; N];
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
        coming.meet(&hello);
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
            quiet_since: 0,
            asked: false,
            sharded: None,
            shards: 0,
            gathered: None,
            withheld: false,
            next: exchange::own(0, side),
        }
    }

    /// Looks after the link: see [`tick`](Self::tick).
    #[must_use]
    pub const fn with_keep_alive(mut self, keep_alive: KeepAlive) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    /// Numbers the streams that this side opens from `stream_id` on instead of the first one that it may: 1 for a
    /// client, which opens those below 2^31, and 2^31 for a server, which opens those from there on. A number of the
    /// other side stands for the first one.
    #[must_use]
    pub const fn with_first_stream(mut self, stream_id: u32) -> Self {
        self.next = exchange::own(stream_id, self.side());
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

    /// Whether an exchange is under way on a stream. A client asks at [`End`](SessionEvent::End) whether all of
    /// the tensor is there, which may be a composite with members to come.
    #[must_use]
    pub fn is_under_way(&self, stream_id: u32) -> bool {
        self.exchanges.get(stream_id).is_some()
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

    const fn side(&self) -> Side {
        self.writer.options().sender
    }
}

impl<S: Storage, T: Streams, W: Sink, const N: usize> Session<'_, S, T, W, N> {
    /// Begins: a client greets, a server waits for that. Time counts from `now`.
    ///
    /// # Errors
    ///
    /// MSG-07 to MSG-13 for a HELLO that breaks them; MSG-18 for a second call; the sink's own errors.
    pub fn start(&mut self, now: u64) -> Result<(), WriteError<W::Error>> {
        exchange::in_turn(self.phase == Phase::New)?;
        self.quiet_since = now;
        match self.side() {
            Side::Client => self.writer.hello(GREETING_STREAM, &self.hello)?,
            // it is sent when the client has said its version
            Side::Server => self.hello.check_own(Side::Server, u32::MAX)?,
        }
        self.phase = Phase::Greeting;
        Ok(())
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
    /// MSG-01 inside a message, MSG-32 inside a tensor that comes, COMP-48 inside a composite; MSG-06 where the
    /// other side never greeted; MSG-18 where an answer, the end of a tensor, or its acceptance is missing.
    pub fn finish(&self) -> Result<(), Error> {
        if let Phase::Closed(Closed::Broken(error)) = self.phase {
            return Err(error);
        }
        self.parser.finish()?;
        let done = match self.phase {
            Phase::Greeting => greets(false),
            _ => exchange::in_turn(self.exchanges.is_empty()),
        };
        done.map_err(|broken| Error::new(broken.into(), self.parser.offset()))
    }

    /// What the server said that [declined](Closed::Declined) the connection. It is in the frame, to which nothing
    /// comes any more.
    #[must_use]
    pub fn declined(&self) -> Option<ErrorMessage<'_>> {
        let Phase::Closed(Closed::Declined(_)) = self.phase else {
            return None;
        };
        match self.parser.body(Facts::NONE, Outcome::Plain) {
            MessageBody::Error(error) => Some(error),
            _ => None,
        }
    }

    fn require_open(&self) -> Result<(), WriteError<W::Error>> {
        match self.phase {
            Phase::Open => Ok(()),
            Phase::Closed(_) => Err(WriteError::Order(Order::Closed)),
            _ => Ok(exchange::in_turn(false)?),
        }
    }

    /// What both sides can.
    fn common(&self) -> Capabilities {
        let peer = self.peer.as_ref();
        let peer = peer.map_or(Capabilities::NONE, Peer::capabilities);
        peer.and(self.hello.capabilities)
    }

    /// Nothing goes on on a stream any more, in either direction.
    fn drop_stream(&mut self, stream_id: u32) {
        self.parser.close_stream(stream_id);
        self.writer.close_stream(stream_id);
        self.exchanges.close(stream_id);
    }
}

/// Its example runs with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/protocol.md")]
struct Document;
