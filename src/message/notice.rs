//! What one side tells the other beside tensors.

use super::hello::VERSION;
use crate::check::Judge;
use crate::descriptor::Sink;
use crate::error::{Error, ErrorKind, Field};
use crate::record::{Cursor, require};
use crate::rule::Rule;
use crate::wire::length;
use crate::wire::message::REGISTER_FIELDS;
use crate::wire::tag::ErrorCode;

/// The payload of ERROR: its stream is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ErrorMessage<'a> {
    /// Why; a code that nobody knows is a failure all the same.
    pub error_code: ErrorCode,
    /// For people.
    pub message: &'a str,
}

/// What is broken where code and text do not fill the payload.
const TEXT: Rule = Rule::ErrorText;

impl<'a> ErrorMessage<'a> {
    /// Bytes without any text: a code and a length.
    pub(super) const LEAST: u32 = 4 + 4;

    pub(super) fn read<J: Judge>(
        payload: &'a [u8],
        start: u64,
        judge: &mut J,
    ) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload, start, TEXT);
        let error_code = cursor.number(Field::ErrorCode).map(u32::from_le_bytes)?;
        let message = cursor.text(Field::ErrorText)?;
        let filled = cursor.rest().is_empty();
        require(judge, filled, TEXT, cursor.spot(Field::MessageTail))?;
        Ok(ErrorMessage {
            error_code: ErrorCode(error_code),
            message,
        })
    }

    pub(super) fn encoded_len(&self) -> u64 {
        length(self.message.len()).wrapping_add(Self::LEAST.into())
    }

    pub(super) fn write<W: Sink + ?Sized>(&self, sink: &mut W) -> Result<(), W::Error> {
        sink.put(&self.error_code.0.to_le_bytes())?;
        super::put_counted(self.message.as_bytes(), sink)
    }
}

/// What is broken by a message that is larger than its receiver takes.
pub(super) const TOO_LARGE: Rule = Rule::MessageSize;

impl ErrorCode {
    /// The code that tells a peer why its message is refused; where the shards of a parallel transfer do not
    /// fit together, that is [`ErrorCode::ShardMismatch`].
    #[must_use]
    pub const fn of(kind: &ErrorKind) -> Self {
        match kind.rule() {
            None | Some(TOO_LARGE) => ErrorCode::MessageTooLarge,
            Some(VERSION) => ErrorCode::ProtocolVersionMismatch,
            Some(_) => ErrorCode::InvalidMessage,
        }
    }
}

/// The payload of RDMA_REGISTER: a region of memory for the data of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RdmaRegister<'a> {
    /// Where the region is, at its owner.
    pub remote_addr: u64,
    /// Its bytes: `total_data_bytes` of the tensor.
    pub length: u64,
    /// The key that an RDMA library gave it.
    pub rkey: &'a [u8],
}

impl<'a> RdmaRegister<'a> {
    /// What is broken where fields do not fill the payload, or the length is another one.
    pub(super) const FITS: Rule = Rule::RdmaRegister;

    pub(super) fn read(payload: &'a [u8], start: u64) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload, start, Self::FITS);
        let remote_addr = cursor.number(Field::RemoteAddr).map(u64::from_le_bytes)?;
        let length = cursor
            .number(Field::RegisteredLength)
            .map(u64::from_le_bytes)?;
        let (rkey, _) = cursor.counted(Field::Rkey)?;
        let tail = cursor.spot(Field::MessageTail);
        tail.must(cursor.rest().is_empty(), Self::FITS)?;
        Ok(RdmaRegister {
            remote_addr,
            length,
            rkey,
        })
    }

    pub(super) fn encoded_len(&self) -> u64 {
        length(REGISTER_FIELDS).wrapping_add(length(self.rkey.len()))
    }

    pub(super) fn write<W: Sink + ?Sized>(&self, sink: &mut W) -> Result<(), W::Error> {
        sink.put(&self.remote_addr.to_le_bytes())?;
        sink.put(&self.length.to_le_bytes())?;
        super::put_counted(self.rkey, sink)
    }
}
