//! What a parser or writer is told of a link.

use super::Side;
use super::hello::{Capabilities, Hello, PROTOCOL_VERSION};

/// Which rules of order hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Scope {
    /// None: each message stands on its own.
    Message,
    /// Those of tensors and composites on their streams.
    Tensor,
    /// Those too, and the first message of the side is its HELLO.
    Session,
}

/// What a parser or writer must know of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct LinkOptions {
    /// Who sends the messages.
    pub sender: Side,
    /// Which rules of order hold.
    pub scope: Scope,
    /// Most bytes of payload that their receiver takes in a message.
    pub max_message_size: u32,
    /// The version that the client said; one that a server sends is not above it.
    pub client_version: u32,
    /// What the receiver can do; RDMA takes both sides.
    pub receiver: Capabilities,
}

impl LinkOptions {
    /// A whole connection from its first byte, between sides that speak version 1 without RDMA.
    #[must_use]
    pub const fn new(sender: Side, max_message_size: u32) -> Self {
        LinkOptions {
            sender,
            scope: Scope::Session,
            max_message_size,
            client_version: PROTOCOL_VERSION,
            receiver: Capabilities::NONE,
        }
    }

    /// Takes what the receiver says of itself.
    pub(super) const fn meet(&mut self, receiver: &Hello<'_>) {
        self.max_message_size = receiver.max_message_size;
        self.receiver = receiver.capabilities;
        if let Side::Server = self.sender {
            self.client_version = receiver.protocol_version;
        }
    }
}
