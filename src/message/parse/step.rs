//! The part of a parser that takes bytes.

use super::{MessageMark, MessageParser, State};
use crate::error::{Error, ErrorKind, Field, Resource};
use crate::frame::Storage;
use crate::message::streams::Streams;
use crate::message::{MessageHeader, placed};
use crate::wire::message::{DATA_PREFIX, MESSAGE_HEADER, offset};
use crate::wire::tag::MessageType;
use crate::wire::{length, length32, u64};

impl<S: Storage, T: Streams> MessageParser<S, T> {
    pub(super) fn step(&mut self, input: &mut &[u8]) -> Result<Option<MessageMark>, Error> {
        loop {
            match self.state {
                State::Header => {
                    if self.len == 0 && !input.is_empty() {
                        self.require_room(length(MESSAGE_HEADER))?;
                    }
                    if !self.gather_head(input, MESSAGE_HEADER) {
                        return Ok(None);
                    }
                    self.take_header()?;
                    if let State::Data { offset, .. } = self.state {
                        return Ok(Some(MessageMark::Start(offset)));
                    }
                }
                State::Control => {
                    if !self.gather(input)? {
                        return Ok(None);
                    }
                    let (facts, outcome) = self.control()?;
                    self.state = State::Header;
                    self.len = 0;
                    return Ok(Some(MessageMark::Control(facts, outcome)));
                }
                State::Prefix => {
                    if !self.gather_head(input, DATA_PREFIX) {
                        return Ok(None);
                    }
                    let offset = u64(&self.head, 0);
                    let left = self.data_len();
                    let stream_id = self.header.stream_id;
                    let data = self.sequence.data(stream_id, offset, left.into());
                    data.map_err(|broken| placed(broken, self.start()))?;
                    self.state = State::Data { offset, left };
                    return Ok(Some(MessageMark::Start(offset)));
                }
                State::Data { left: 0, .. } | State::Skip { left: 0 } => {
                    self.state = State::Header;
                    self.len = 0;
                }
                State::Data { offset, left } => {
                    if input.is_empty() {
                        return Ok(None);
                    }
                    let bytes = take(input, left.into());
                    return Ok(Some(self.lend(bytes.len(), offset, left)));
                }
                State::Skip { left } => {
                    let taken = length(take(input, left).len());
                    self.at = self.at.saturating_add(taken);
                    let left = left.saturating_sub(taken);
                    self.state = State::Skip { left };
                    if left > 0 {
                        return Ok(None);
                    }
                }
                State::Failed { error, .. } => return Err(error),
            }
        }
    }

    /// Goes on behind data that is lent out.
    fn lend(&mut self, len: usize, offset: u64, left: u32) -> MessageMark {
        let rest = left.saturating_sub(length32(len));
        self.at = self.at.saturating_add(length(len));
        self.state = State::Data {
            offset: offset.saturating_add(length(len)),
            left: rest,
        };
        MessageMark::Data {
            offset,
            last: rest == 0,
        }
    }

    /// Fills the head to `target` bytes; whether it is there.
    fn gather_head(&mut self, input: &mut &[u8], target: usize) -> bool {
        let bytes = take(input, length(target.saturating_sub(self.len)));
        let behind = self.len.saturating_add(bytes.len());
        if let Some(slots) = self.head.get_mut(self.len..behind) {
            for (slot, byte) in slots.iter_mut().zip(bytes) {
                *slot = *byte;
            }
        }
        self.at = self.at.saturating_add(length(bytes.len()));
        self.len = behind;
        behind >= target
    }

    /// Fills the frame with the control message; whether it is there.
    fn gather(&mut self, input: &mut &[u8]) -> Result<bool, Error> {
        let mut rest = *input;
        let bytes = take(&mut rest, self.missing());
        if self.frame.append(self.len, bytes).is_err() {
            return Err(self.frame_error());
        }
        *input = rest;
        self.at = self.at.saturating_add(length(bytes.len()));
        self.len = self.len.saturating_add(bytes.len());
        Ok(self.missing() == 0)
    }

    /// Looks at the header, which is whole.
    fn take_header(&mut self) -> Result<(), Error> {
        self.header = MessageHeader::read(&self.head);
        let admitted = self.sequence.admit(&self.header);
        let start = self.at.saturating_sub(length(MESSAGE_HEADER));
        admitted.map_err(|broken| placed(broken, start))?;
        self.require_room(self.header.payload_length.into())?;
        let kind = self.header.message_type;
        self.state = match kind {
            MessageType::TensorData => State::Prefix,
            _ if kind.is_private() => State::Data {
                offset: 0,
                left: self.header.payload_length,
            },
            _ => State::Control,
        };
        self.len = 0;
        match self.state {
            State::Control if u64::from(self.header.payload_length) > self.frame.limit() => {
                Err(self.frame_error())
            }
            _ => Ok(()),
        }
    }

    /// Requires that so many bytes behind here have positions.
    fn require_room(&self, needed: u64) -> Result<(), Error> {
        let available = u64::MAX.saturating_sub(self.at);
        if needed <= available {
            return Ok(());
        }
        let kind = ErrorKind::Capacity {
            what: Resource::Position,
            needed,
            available,
        };
        Err(Error::new(kind, self.at))
    }

    fn frame_error(&self) -> Error {
        let needed = u64::from(self.header.payload_length);
        let kind = ErrorKind::Capacity {
            what: Resource::Frame,
            needed,
            // one that grows may fail below its limit
            available: self.frame.limit().min(needed.saturating_sub(1)),
        };
        let at = length(offset(Field::PayloadLength));
        Error::new(kind, self.start().saturating_add(at))
    }
}

/// Takes up to `most` bytes of a chunk.
fn take<'c>(input: &mut &'c [u8], most: u64) -> &'c [u8] {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let (bytes, rest) = input.split_at_checked(most).unwrap_or((*input, &[]));
    *input = rest;
    bytes
}
