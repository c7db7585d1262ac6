//! The framed transport: messages of two sides over one ordered link, cut into pieces of any size.
//!
//! [`Session`] is a client or a server with all that the specification says of turns, choices and silence; it
//! takes bytes and a time, and gives bytes and events. Below it, [`MessageParser`] reads one direction of a link
//! and [`MessageWriter`] writes one. [`ParallelTransfer`] holds the shards of a tensor against each other, and
//! [`select_layout`], [`select_device`] and [`select_class`] are a server's choices.
//!
//! Names are those of the messages: a [`TensorDescriptor`] here is the message TENSOR_DESCRIPTOR.

// Depends on descriptors, composites and records. One parser or writer serves one direction; both hold the same
// `Sequence`, so that a writer refuses what a reader would. Payload is lent out, never copied; control messages
// are gathered one at a time. What is below `session` never answers a message and knows no clock.

mod control;
mod event;
mod hello;
mod layouts;
mod notice;
mod options;
pub(crate) mod parse;
mod request;
mod sequence;
mod session;
mod shards;
mod streams;
mod tags;
mod tensor;
mod write;

use crate::check::Judge;
use crate::descriptor::Sink;
use crate::wire::message::{MESSAGE_HEADER, offset};
use crate::wire::{length, length32, set, u32};

pub use crate::wire::tag::{ErrorCode, MessageType};
pub use event::{MessageBody, MessageData, MessageEvent};
pub use hello::{Capabilities, Hello, PROTOCOL_VERSION};
pub use layouts::{LayoutEntries, LayoutEntry, LayoutIter};
pub use notice::{ErrorMessage, RdmaRegister};
pub use options::{LinkOptions, Scope};
pub use parse::{FixedMessages, MessageParser};
pub use request::{RequestFlags, TensorRequest};
pub use session::{
    Availability, Closed, FixedSession, KeepAlive, Peer, Session, SessionEvent, select_class,
    select_device, select_layout,
};
pub use shards::{FixedParallel, ParallelTransfer};
pub use streams::{StreamSlot, Streams};
pub use tensor::{ShardNumber, TensorDescriptor, TensorPut};
pub use write::{FixedMessageWriter, MessageWriter};

use crate::error::{Error, Field, Violation};
use crate::record::Spot;
use crate::rule::Rule;

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Side {
    /// It opens the connection, asks for tensors and puts them.
    Client,
    /// It answers.
    Server,
}

impl Side {
    /// The other end.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }
}

/// What every message starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct MessageHeader {
    /// What the message is.
    pub message_type: MessageType,
    /// The stream it belongs to; not 0.
    pub stream_id: u32,
    /// Bytes behind the header.
    pub payload_length: u32,
}

impl MessageHeader {
    /// Bytes that it takes.
    pub const LEN: usize = MESSAGE_HEADER;

    /// That of no message.
    const NONE: Self = MessageHeader {
        message_type: MessageType(0),
        stream_id: 0,
        payload_length: 0,
    };

    fn read(bytes: &[u8; MESSAGE_HEADER]) -> Self {
        MessageHeader {
            message_type: MessageType(u32(bytes, 0)),
            stream_id: u32(bytes, offset(Field::StreamId)),
            payload_length: u32(bytes, offset(Field::PayloadLength)),
        }
    }

    fn to_bytes(self) -> [u8; MESSAGE_HEADER] {
        let mut bytes = [0; MESSAGE_HEADER];
        set(&mut bytes, 0, self.message_type.0.to_le_bytes());
        set(
            &mut bytes,
            offset(Field::StreamId),
            self.stream_id.to_le_bytes(),
        );
        let len = self.payload_length.to_le_bytes();
        set(&mut bytes, offset(Field::PayloadLength), len);
        bytes
    }
}

/// Requires what holds, or what the mode relaxes.
#[inline(always)]
fn demand<J: Judge>(judge: &mut J, holds: bool, rule: Rule, field: Field) -> Result<(), Violation> {
    match holds || judge.broken(rule, field, 0).is_ok() {
        true => Ok(()),
        false => Err(Violation::of(rule, field)),
    }
}

/// The error of a violation in one of the first fields of a message that starts at an absolute offset.
fn placed(violation: Violation, start: u64) -> Error {
    let at = start.saturating_add(length(offset(violation.field)));
    Spot::new(violation.field, at).error(violation.rule)
}

/// Writes bytes behind their length.
fn put_counted<W: Sink + ?Sized>(bytes: &[u8], sink: &mut W) -> Result<(), W::Error> {
    sink.put(&length32(bytes.len()).to_le_bytes())?;
    sink.put(bytes)
}
