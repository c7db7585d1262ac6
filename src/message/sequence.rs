//! The order in which one side sends its messages, for those who read them and those who write them.

mod rdma;

use super::hello::{Capabilities, Hello};
use super::notice::TOO_LARGE;
use super::options::{LinkOptions, Scope};
use super::streams::{Phase, StreamSlot, Streams};
use super::{MessageHeader, Side, demand};
use crate::check::Judge;
use crate::composite::{Outcome, SetError};
use crate::error::{ErrorKind, Field, Resource, Violation};
use crate::model::Fields;
use crate::policy::{Policy, Transport, agreed};
use crate::rule::Rule;
use crate::wire::length;
use crate::wire::message::DATA_PREFIX;
use crate::wire::tag::MessageType;

/// What is broken by a message of a type that the receiver does not know.
const UNKNOWN: Rule = Rule::MessageType;

/// What is broken by a message that is not in turn.
pub(super) const ORDER: Rule = Rule::MessageOrder;

/// Where one side of a link stands.
#[derive(Clone, Debug)]
pub(super) struct Sequence<T> {
    pub(super) options: LinkOptions,
    pub(super) policy: Policy,
    /// What the sender can do, once its HELLO is there.
    sender: Option<Capabilities>,
    streams: T,
}

impl<T> Sequence<T> {
    /// Buffers of another machine are what their producer left.
    pub(super) const fn new(streams: T, options: LinkOptions, policy: Policy) -> Self {
        Sequence {
            options,
            policy: Policy {
                transport: Transport::CrossMachine,
                ..policy
            },
            sender: None,
            streams,
        }
    }

    /// Notes what the sender said it can.
    pub(super) const fn greet(&mut self, sender: Capabilities) {
        self.sender = Some(sender);
    }

    /// Whether messages of one tensor are held together.
    fn is_watched(&self) -> bool {
        self.options.scope != Scope::Message
    }

    /// Checks the header of the next message.
    pub(super) fn admit(&self, header: &MessageHeader) -> Result<(), Violation> {
        self.require_type(header.message_type)?;
        require_stream(header.stream_id)?;
        self.require_turn(header.message_type)?;
        let most = self.options.max_message_size;
        let fits = header.payload_length <= most;
        require(fits, TOO_LARGE, Field::PayloadLength)?;
        require_payload(header, &mut &self.policy)
    }

    /// Checks what a HELLO of the sender says.
    pub(super) fn check_hello<J: Judge>(
        &self,
        hello: &Hello<'_>,
        judge: &mut J,
    ) -> Result<(), Violation> {
        let options = &self.options;
        hello.check(options.sender, options.client_version, judge)
    }

    /// Requires a type that only the two peers know.
    pub(super) fn require_private(&self, kind: MessageType) -> Result<(), Violation> {
        require(kind.is_private(), UNKNOWN, Field::MessageType)
    }

    fn require_type(&self, kind: MessageType) -> Result<(), Violation> {
        let field = Field::MessageType;
        require(kind.0 != 0xFF, Rule::PrivateMessage, field)?;
        let known = match kind.is_private() {
            true => agreed(self.policy.agreements.message_types, &kind.0),
            false => sends(self.options.sender, kind),
        };
        require(known, UNKNOWN, field)
    }

    /// A HELLO comes first and once; instead of its own, a server may refuse the connection.
    fn require_turn(&self, kind: MessageType) -> Result<(), Violation> {
        if self.options.scope != Scope::Session {
            return Ok(());
        }
        let is_hello = matches!(kind, MessageType::ClientHello | MessageType::ServerHello);
        let refuses = self.options.sender == Side::Server && kind == MessageType::Error;
        let holds = match self.sender {
            None => is_hello || refuses,
            Some(_) => !is_hello,
        };
        greets(holds)
    }
}

impl<T: Streams> Sequence<T> {
    fn transfer(&mut self, stream_id: u32) -> Option<&mut StreamSlot<T::Cover, T::Arena>> {
        let mut transfers = self.streams.slots_mut().iter_mut();
        transfers.find(|transfer| transfer.stream_id == stream_id)
    }

    /// The stream, which may be a new one.
    fn enter(&mut self, stream_id: u32) -> Result<&mut StreamSlot<T::Cover, T::Arena>, ErrorKind> {
        let policy = self.policy;
        let transfers = self.streams.slots_mut();
        let available = length(transfers.len());
        let taken = |id| move |transfer: &StreamSlot<_, _>| transfer.stream_id == id;
        let place = transfers.iter().position(taken(stream_id));
        let place = place.or_else(|| transfers.iter().position(taken(0)));
        let Some(transfer) = place.and_then(|place| transfers.get_mut(place)) else {
            return Err(ErrorKind::Capacity {
                what: Resource::Streams,
                needed: available.saturating_add(1),
                available,
            });
        };
        if transfer.stream_id == 0 {
            transfer.stream_id = stream_id;
            transfer.composites.adopt(&policy);
        }
        Ok(transfer)
    }

    /// A tensor begins whose buffers have so many bytes.
    pub(super) fn open<F: Fields + ?Sized>(
        &mut self,
        stream_id: u32,
        d: &F,
        total: u64,
    ) -> Result<Outcome, SetError> {
        if !self.is_watched() {
            return Ok(Outcome::Plain);
        }
        let unplaced = |kind| SetError {
            kind,
            origin: d.origin(),
        };
        let transfer = self.enter(stream_id).map_err(unplaced)?;
        in_turn(transfer.phase == Phase::Between).map_err(|broken| unplaced(broken.into()))?;
        let outcome = transfer.composites.begin(d);
        match outcome {
            Ok(_) => {
                transfer.phase = Phase::Open {
                    total,
                    done: 0,
                    registered: false,
                };
            }
            Err(_) if transfer.composites.depth() == 0 => transfer.release(),
            Err(_) => {}
        }
        outcome
    }

    /// How many composites are open on a stream.
    pub(super) fn depth(&self, stream_id: u32) -> u8 {
        let transfer = self.stream(stream_id);
        transfer.map_or(0, |transfer| transfer.composites.depth())
    }

    /// Whether a tensor of this side is open on a stream.
    pub(super) fn sends(&self, stream_id: u32) -> bool {
        let transfer = self.stream(stream_id);
        transfer.is_some_and(|transfer| matches!(transfer.phase, Phase::Open { .. }))
    }

    fn stream(&self, stream_id: u32) -> Option<&StreamSlot<T::Cover, T::Arena>> {
        let mut transfers = self.streams.slots().iter();
        transfers.find(|transfer| transfer.stream_id == stream_id)
    }

    /// Where the next bytes of a tensor stand, of which it takes so many.
    pub(super) fn room(&mut self, stream_id: u32, len: u64) -> Result<u64, Violation> {
        let transfer = self.transfer(stream_id);
        let Some(Phase::Open { total, done, .. }) = transfer.map(|transfer| transfer.phase) else {
            return in_turn(false).map(|()| 0);
        };
        let fits = len <= total.saturating_sub(done);
        require(fits, TOTAL, Field::PayloadLength)?;
        Ok(done)
    }

    /// Bytes of a tensor come that stand at `offset` of all its buffers.
    pub(super) fn data(&mut self, stream_id: u32, offset: u64, len: u64) -> Result<(), Violation> {
        if !self.is_watched() {
            return Ok(());
        }
        let policy = self.policy;
        let transfer = self.transfer(stream_id);
        let Some(Phase::Open { total, done, .. }) = transfer.map(|transfer| &mut transfer.phase)
        else {
            return in_turn(false);
        };
        if *total == 0 {
            // permissive mode disregards a frame that holds nothing
            require(len == 0, EMPTY, Field::PayloadLength)?;
            return require_data(*total, &mut &policy);
        }
        let field = Field::ByteOffsetInBuffer;
        require(offset == *done, Rule::DataOffset, field)?;
        let left = total.saturating_sub(*done);
        require(len <= left, TOTAL, Field::PayloadLength)?;
        *done = done.saturating_add(len);
        Ok(())
    }

    /// Checks a message again that was taken to its stream, as far as the mode may let something pass.
    pub(super) fn check_again<J: Judge>(
        &self,
        header: &MessageHeader,
        judge: &mut J,
    ) -> Result<(), Violation> {
        require_payload(header, judge)?;
        let transfer = self.stream(header.stream_id);
        match (header.message_type, transfer.map(|transfer| transfer.phase)) {
            (MessageType::TensorData, Some(Phase::Open { total, .. })) => {
                require_data(total, judge)
            }
            _ => Ok(()),
        }
    }

    /// A tensor ends; what that closes.
    pub(super) fn end(&mut self, stream_id: u32) -> Result<Outcome, SetError> {
        if !self.is_watched() {
            return Ok(Outcome::Plain);
        }
        let unplaced = |broken: Violation| SetError {
            kind: broken.into(),
            origin: 0,
        };
        let Some(transfer) = self.transfer(stream_id) else {
            return in_turn(false).map(|()| Outcome::Plain).map_err(unplaced);
        };
        let whole = match transfer.phase {
            Phase::Open {
                total,
                done,
                registered,
            } => done == total || registered && done == 0,
            _ => return in_turn(false).map(|()| Outcome::Plain).map_err(unplaced),
        };
        require(whole, TOTAL, Field::MessageType).map_err(unplaced)?;
        let outcome = transfer.composites.end()?;
        transfer.phase = Phase::Between;
        if transfer.composites.depth() == 0 {
            transfer.release();
        }
        Ok(outcome)
    }

    /// Nothing comes on the stream any more.
    pub(super) fn close(&mut self, stream_id: u32) {
        if let Some(transfer) = self.transfer(stream_id) {
            transfer.release();
        }
    }

    /// Tells whether the side may stop here.
    pub(super) fn finish(&self) -> Result<(), ErrorKind> {
        let used = |transfer: &&StreamSlot<_, _>| transfer.stream_id != 0;
        for transfer in self.streams.slots().iter().filter(used) {
            if let Phase::Open { total, done, .. } = transfer.phase {
                return Err(ErrorKind::Truncated {
                    rule: Rule::MessagesTorn,
                    missing: total.saturating_sub(done),
                });
            }
            transfer.composites.finish().map_err(|error| error.kind)?;
        }
        Ok(())
    }

    /// Forgets all streams, but not who the sides are.
    pub(super) fn reset(&mut self) {
        for transfer in self.streams.slots_mut() {
            transfer.release();
        }
    }
}

/// What is broken by data of a tensor that has none.
const EMPTY: Rule = Rule::EmptyData;

/// What is broken where frames do not add up.
const TOTAL: Rule = Rule::DataTotal;

fn require(holds: bool, rule: Rule, field: Field) -> Result<(), Violation> {
    match holds {
        true => Ok(()),
        false => Err(Violation::of(rule, field)),
    }
}

/// Requires of a payload that it may be as long as the header says.
#[inline(always)]
fn require_payload<J: Judge>(header: &MessageHeader, judge: &mut J) -> Result<(), Violation> {
    let len = header.payload_length;
    let field = Field::PayloadLength;
    match header.message_type {
        MessageType::TensorData => {
            let room = length(DATA_PREFIX) <= u64::from(len);
            require(room, Rule::DataPrefix, field)
        }
        kind if has_no_payload(kind) => demand(judge, len == 0, Rule::NoPayload, field),
        _ => Ok(()),
    }
}

/// Requires of data that their tensor has some.
#[inline(always)]
fn require_data<J: Judge>(total: u64, judge: &mut J) -> Result<(), Violation> {
    demand(judge, total > 0, EMPTY, Field::PayloadLength)
}

fn require_stream(stream_id: u32) -> Result<(), Violation> {
    require(stream_id != 0, Rule::StreamId, Field::StreamId)
}

/// Requires of a side that it greets, before anything else and once.
pub(super) fn greets(holds: bool) -> Result<(), Violation> {
    require(holds, Rule::HelloFirst, Field::MessageType)
}

fn in_turn(holds: bool) -> Result<(), Violation> {
    require(holds, ORDER, Field::MessageType)
}

pub(super) fn rdma_in_turn(holds: bool) -> Result<(), Violation> {
    require(holds, Rule::RdmaOrder, Field::MessageType)
}

const fn has_no_payload(kind: MessageType) -> bool {
    matches!(
        kind,
        MessageType::TensorDataEnd | MessageType::TensorPutAck | MessageType::RdmaReady
    )
}

/// Whether a side has messages of that type. Data goes both ways, and so do the messages around it.
const fn sends(side: Side, kind: MessageType) -> bool {
    match kind {
        MessageType::ClientHello | MessageType::TensorRequest | MessageType::TensorPut => {
            matches!(side, Side::Client)
        }
        MessageType::ServerHello | MessageType::TensorDescriptor | MessageType::TensorPutAck => {
            matches!(side, Side::Server)
        }
        kind => kind.is_assigned(),
    }
}
