//! The part of a parser that reads control messages.

use super::event::MessageBody;
use super::hello::Hello;
use super::notice::{ErrorMessage, RdmaRegister};
use super::parse::MessageParser;
use super::request::TensorRequest;
use super::sequence::Sequence;
use super::streams::Streams;
use super::tensor::{TensorDescriptor, TensorPut};
use super::{MessageHeader, placed};
use crate::check::{Judge, Teller};
use crate::composite::{Outcome, SetError};
use crate::descriptor::DescriptorView;
use crate::error::{Error, ErrorKind, Field, Resource, Violation};
use crate::frame::Storage;
use crate::policy::Policy;
use crate::stream::large_buffer;
use crate::wire::descriptor::Facts;
use crate::wire::message::{MESSAGE_HEADER, offset};
use crate::wire::tag::MessageType;
use crate::wire::{index, length};

impl<S: Storage, T: Streams> MessageParser<S, T> {
    /// Looks at the control message in the frame, and takes it to the order of the link.
    pub(super) fn control(&mut self) -> Result<(Facts, Outcome), Error> {
        let start = self.start();
        let origin = start.saturating_add(length(MESSAGE_HEADER));
        let MessageHeader {
            message_type,
            stream_id,
            ..
        } = self.header;
        let payload = self.frame.stored(self.len);
        let sequence = &mut self.sequence;
        let policy = sequence.policy;
        match message_type {
            MessageType::ClientHello | MessageType::ServerHello => {
                let hello = Hello::read(payload, origin, &mut &policy)?;
                let checked = sequence.check_hello(&hello, &mut &policy);
                checked.map_err(|broken| placed(broken, start))?;
                sequence.greet(hello.capabilities);
            }
            MessageType::TensorRequest => {
                TensorRequest::read(payload, origin, &mut &policy)?;
            }
            MessageType::TensorDescriptor => {
                let message = TensorDescriptor::read(payload, origin, &policy)?;
                let (view, total) = (message.descriptor, message.total_data_bytes);
                return open(sequence, stream_id, start, &view, total);
            }
            MessageType::TensorPut => {
                let message = TensorPut::read(payload, origin, &policy)?;
                let (view, total) = (message.descriptor, message.total_data_bytes);
                return open(sequence, stream_id, start, &view, total);
            }
            MessageType::TensorDataEnd => {
                let outcome = sequence.end(stream_id);
                let outcome = outcome.map_err(|error| set(error, start, None))?;
                return Ok((Facts::NONE, outcome));
            }
            MessageType::Error => {
                ErrorMessage::read(payload, origin, &mut &policy)?;
                sequence.close(stream_id);
            }
            MessageType::RdmaRegister => {
                let message = RdmaRegister::read(payload, origin)?;
                let registered = sequence.register(stream_id, message.length);
                registered.map_err(|broken| placed(broken, start))?;
            }
            MessageType::RdmaReady => {
                let ready = sequence.ready(stream_id);
                ready.map_err(|broken| placed(broken, start))?;
            }
            _ => {}
        }
        Ok((Facts::NONE, Outcome::Plain))
    }

    /// The control message in the frame, which was looked at.
    pub(super) fn body(&self, facts: Facts, outcome: Outcome) -> MessageBody<'_, 'static> {
        let payload = self.frame.stored(index(self.header.payload_length));
        let body = self.read(payload, facts, outcome, &mut &READ);
        // what was read once is read again without fail
        body.unwrap_or(MessageBody::Ping(payload))
    }

    /// Tells of every rule that the message of the last event breaks and the policy's mode lets pass, until bytes
    /// are given again; of a descriptor in it, [`DescriptorView::relaxed`] tells.
    ///
    /// ```
    /// use hrry::message::{FixedMessages, LinkOptions, Scope, Side};
    /// use hrry::{Policy, Rule};
    ///
    /// let mut options = LinkOptions::new(Side::Server, 1 << 20);
    /// options.scope = Scope::Message;
    /// let mut parser = FixedMessages::<64, 0, 1>::new(options, Policy::PERMISSIVE);
    /// // TENSOR_PUT_ACK with a byte of payload
    /// let ack = [8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];
    /// let mut flagged = Vec::new();
    /// assert!(parser.next_event(&mut &ack[..])?.is_some());
    /// parser.relaxed(|violation| flagged.push(violation.rule));
    /// assert_eq!(flagged, [Rule::NoPayload]);
    /// # Ok::<(), hrry::Error>(())
    /// ```
    pub fn relaxed(&self, mut flag: impl FnMut(Violation)) {
        let sequence = &self.sequence;
        let mut judge = Teller {
            policy: &sequence.policy,
            relaxed: &mut flag,
        };
        if !self.has_event() {
            return;
        }
        // it was accepted, so nothing is found but what the mode lets pass
        let _ = sequence.check_again(&self.header, &mut judge);
        let payload = self.frame.stored(index(self.header.payload_length));
        let body = self.read(payload, Facts::NONE, Outcome::Plain, &mut judge);
        if let Ok(MessageBody::ClientHello(hello) | MessageBody::ServerHello(hello)) = body {
            let _ = sequence.check_hello(&hello, &mut judge);
        }
    }

    fn read<'p, J: Judge>(
        &self,
        payload: &'p [u8],
        facts: Facts,
        outcome: Outcome,
        judge: &mut J,
    ) -> Result<MessageBody<'p, 'static>, Error> {
        let origin = self.at.saturating_sub(length(payload.len()));
        Ok(match self.header.message_type {
            MessageType::ClientHello => {
                MessageBody::ClientHello(Hello::read(payload, origin, judge)?)
            }
            MessageType::ServerHello => {
                MessageBody::ServerHello(Hello::read(payload, origin, judge)?)
            }
            MessageType::TensorRequest => {
                MessageBody::TensorRequest(TensorRequest::read(payload, origin, judge)?)
            }
            MessageType::TensorDescriptor => {
                let message = TensorDescriptor::again(payload, origin, facts);
                MessageBody::TensorDescriptor(message, outcome)
            }
            MessageType::TensorDataEnd => MessageBody::TensorDataEnd(outcome),
            MessageType::TensorPut => {
                MessageBody::TensorPut(TensorPut::again(payload, origin, facts)?)
            }
            MessageType::TensorPutAck => MessageBody::TensorPutAck,
            MessageType::Error => MessageBody::Error(ErrorMessage::read(payload, origin, judge)?),
            MessageType::Pong => MessageBody::Pong(payload),
            MessageType::RdmaRegister => {
                MessageBody::RdmaRegister(RdmaRegister::read(payload, origin)?)
            }
            MessageType::RdmaReady => MessageBody::RdmaReady,
            // no other is gathered, nor anything to be said of one
            _ => MessageBody::Ping(payload),
        })
    }
}

/// Reads again what was checked.
const READ: Policy = Policy::PERMISSIVE;

/// Takes a descriptor to its stream.
fn open<T: Streams>(
    sequence: &mut Sequence<T>,
    stream_id: u32,
    start: u64,
    view: &DescriptorView<'_>,
    total: u64,
) -> Result<(Facts, Outcome), Error> {
    let most = sequence.policy.max_buffer;
    if let Some(error) = large_buffer(view, most) {
        return Err(error);
    }
    let outcome = sequence.open(stream_id, view, total);
    let outcome = outcome.map_err(|error| set(error, start, Some(view)))?;
    Ok((view.facts(), outcome))
}

/// The error of a message that starts at an absolute offset, for what was found out about its stream.
#[cold]
fn set(error: SetError, start: u64, view: Option<&DescriptorView<'_>>) -> Error {
    match error.kind {
        ErrorKind::Rule(broken) if broken.field == Field::MessageType => placed(broken, start),
        ErrorKind::Capacity {
            what: Resource::Streams,
            ..
        } => {
            let at = length(offset(Field::StreamId));
            Error::new(error.kind, start.saturating_add(at))
        }
        _ => error.placed(view),
    }
}
