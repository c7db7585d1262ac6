//! What comes out of one direction of a link.

use core::fmt;

use super::MessageHeader;
use super::hello::Hello;
use super::notice::{ErrorMessage, RdmaRegister};
use super::request::TensorRequest;
use super::tensor::{TensorDescriptor, TensorPut};
use crate::composite::Outcome;

/// A message, or a part of one.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct MessageEvent<'p, 'c> {
    /// The header of the message.
    pub header: MessageHeader,
    /// What it says.
    pub body: MessageBody<'p, 'c>,
}

/// What a message says.
///
/// Control messages come whole and borrow the parser. A message with data comes as its start, then the
/// data in pieces that borrow the chunk.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum MessageBody<'p, 'c> {
    /// CLIENT_HELLO
    ClientHello(Hello<'p>),
    /// SERVER_HELLO
    ServerHello(Hello<'p>),
    /// TENSOR_REQUEST
    TensorRequest(TensorRequest<'p>),
    /// TENSOR_DESCRIPTOR, and the place of the tensor in a composite.
    TensorDescriptor(TensorDescriptor<'p>, Outcome),
    /// The start of TENSOR_DATA.
    TensorData {
        /// Place of the first byte in the data of all buffers, one after the other.
        byte_offset_in_buffer: u64,
        /// How many bytes follow.
        len: u32,
    },
    /// Bytes of TENSOR_DATA or of a private message.
    Data(MessageData<'c>),
    /// TENSOR_DATA_END, and what that closes.
    TensorDataEnd(Outcome),
    /// TENSOR_PUT
    TensorPut(TensorPut<'p>),
    /// TENSOR_PUT_ACK
    TensorPutAck,
    /// ERROR
    Error(ErrorMessage<'p>),
    /// PING, with a payload that the answer repeats.
    Ping(&'p [u8]),
    /// PONG
    Pong(&'p [u8]),
    /// RDMA_REGISTER
    RdmaRegister(RdmaRegister<'p>),
    /// RDMA_READY
    RdmaReady,
    /// The start of a private message.
    Private,
}

/// Bytes that a message carries.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct MessageData<'c> {
    /// Place of the first byte: in the data of all buffers of the tensor, one after the other, or in the
    /// payload of a private message.
    pub offset: u64,
    /// Whether the message ends with these bytes.
    pub last: bool,
    /// At least one byte.
    pub bytes: &'c [u8],
}

impl fmt::Debug for MessageData<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageData")
            .field("offset", &self.offset)
            .field("last", &self.last)
            .field("len", &self.bytes.len())
            .finish()
    }
}
