//! What comes out of a session.

use crate::composite::Outcome;
use crate::error::Error;
use crate::message::{
    ErrorMessage, MessageData, MessageHeader, RdmaRegister, TensorDescriptor, TensorPut,
    TensorRequest,
};
use crate::wire::tag::ErrorCode;

/// What happened on a link.
///
/// Streams are named by their numbers. Descriptors, keys and texts borrow the session, data the chunk.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SessionEvent<'p, 'c> {
    /// Both sides greeted; [`Session::peer`](crate::message::Session::peer) says what the other one is.
    Opened,
    /// For a server: a client asks for a tensor. It is answered with [`Session::answer`](crate::message::Session::answer) or
    /// [`Session::refuse`](crate::message::Session::refuse).
    Requested(u32, TensorRequest<'p>),
    /// For a client: a tensor that it asked for begins, or a member of one.
    Tensor(u32, TensorDescriptor<'p>, Outcome),
    /// For a server: a client gives a tensor. At its end it is answered with [`Session::accept`](crate::message::Session::accept), or before
    /// with [`Session::refuse`](crate::message::Session::refuse).
    Put(u32, TensorPut<'p>),
    /// Bytes of the tensor on a stream, at their place in the data of all its buffers.
    Data(u32, MessageData<'c>),
    /// The tensor on a stream is whole, and what that closes. Of a parallel transfer, this is a shard.
    End(u32, Outcome),
    /// For a client: all shards of the tensor that it asked for on this stream are whole and fit together.
    AllShards(u32),
    /// For a client: the server took the tensor.
    Accepted(u32),
    /// The other side closed a stream and says why. What came of its tensor is not whole.
    Failed(u32, ErrorMessage<'p>),
    /// A message broke the protocol: the stream was closed, and the other side was told. What came of its
    /// tensor is not whole.
    Refused(u32, Error),
    /// The other side offers memory for the tensor on a stream.
    RdmaRegister(u32, RdmaRegister<'p>),
    /// The other side has its memory ready for the tensor on a stream.
    RdmaReady(u32),
    /// A private message begins; its payload follows as data.
    Private(MessageHeader),
    /// The link is of no use any more; its owner closes it.
    Closed(Closed),
}

/// Why a link is of no use any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Closed {
    /// What came is no message behind which another one could be found, or not the greeting.
    Broken(Error),
    /// A server did not greet, but refused the connection; [`Session::declined`](crate::message::Session::declined) has the
    /// text that goes with it.
    Declined(ErrorCode),
    /// Nothing came for too long.
    Silent,
}

/// When a link is asked for a sign of life and when it is given up, in units of its owner's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct KeepAlive {
    /// Time without a byte after which a PING is sent.
    pub ping_after: u64,
    /// Time without a byte after which the link counts as lost; more than `ping_after`, or no PING is sent.
    /// Behind a PING that was sent late, `lost_after` less `ping_after` is left for its answer.
    pub lost_after: u64,
}

impl KeepAlive {
    /// Links may be silent for ever.
    pub const NEVER: Self = KeepAlive {
        ping_after: u64::MAX,
        lost_after: u64::MAX,
    };
}
