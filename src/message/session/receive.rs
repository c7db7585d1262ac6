//! What a session makes of the messages that come.

use super::exchange::{Stand, in_turn, is_whole};
use super::peer::Peer;
use super::refuse::told;
use super::{Closed, Phase, Session, SessionEvent};
use crate::composite::Outcome;
use crate::descriptor::{Sink, WriteError};
use crate::error::{Error, ErrorKind};
use crate::frame::Storage;
use crate::message::event::MessageBody;
use crate::message::parse::MessageMark;
use crate::message::sequence::rdma_in_turn;
use crate::message::streams::Streams;
use crate::message::{
    Capabilities, ErrorMessage, Hello, MessageData, MessageHeader, RequestFlags, ShardNumber,
};
use crate::wire::descriptor::Facts;
use crate::wire::length;
use crate::wire::message::MESSAGE_HEADER;
use crate::wire::tag::ErrorCode;

/// What is to be done with a message.
enum Verdict {
    /// Its owner hears of it, as something on this stream.
    Tell(u32),
    /// The session sees to it.
    Quiet,
    /// The stream is closed, and the other side told with this code.
    Refuse(ErrorKind, ErrorCode),
    /// As that, and with all other streams of the transfer in shards.
    Abandon(ErrorKind, ErrorCode),
    /// The other side is told, and the link is of no use.
    GiveUp(ErrorKind),
}

impl<S: Storage, T: Streams, W: Sink, const N: usize> Session<'_, S, T, W, N> {
    /// The next event of bytes that came at a time, or none when they are used up. Advances `input` behind
    /// what it took; what is to be answered goes to the sink.
    ///
    /// A message that breaks the protocol is an event, not an error: the stream is closed and the link goes
    /// on, unless nothing behind that message could be found.
    ///
    /// # Errors
    ///
    /// MSG-18 before [`start`](Self::start). The sink's own errors, after which nothing can be sent any more.
    pub fn receive<'c>(
        &mut self,
        input: &mut &'c [u8],
        now: u64,
    ) -> Result<Option<SessionEvent<'_, 'c>>, WriteError<W::Error>> {
        in_turn(self.phase != Phase::New)?;
        if !input.is_empty() {
            self.quiet_since = now;
            self.asked = false;
        }
        loop {
            if let Some(stream_id) = self.gathered.take() {
                return Ok(Some(SessionEvent::AllShards(stream_id)));
            }
            if let Phase::Closed(_) = self.phase {
                *input = &[];
                return Ok(None);
            }
            let chunk = *input;
            let mark = match self.parser.advance(input) {
                Ok(Some(mark)) => mark,
                Ok(None) => return Ok(None),
                Err(error) => match self.broken(error)? {
                    Some(event) => return Ok(Some(event)),
                    None => continue,
                },
            };
            let header = *self.parser.header();
            let stream_id = header.stream_id;
            let (facts, outcome) = match mark {
                MessageMark::Start(_) if header.message_type.is_private() => {
                    return Ok(Some(SessionEvent::Private(header)));
                }
                MessageMark::Start(_) => continue,
                // the rest of a message on a stream that this side closed inside it
                MessageMark::Data { .. } if !self.is_of_use(&header) => continue,
                MessageMark::Data { offset, last } => {
                    let taken = chunk.len().saturating_sub(input.len());
                    let bytes = chunk.get(..taken).unwrap_or(chunk);
                    let data = MessageData {
                        offset,
                        last,
                        bytes,
                    };
                    return Ok(Some(SessionEvent::Data(stream_id, data)));
                }
                MessageMark::Control(facts, outcome) => (facts, outcome),
            };
            match self.judge(stream_id, facts, outcome)? {
                Verdict::Tell(stream_id) => return Ok(Some(self.event(stream_id, facts, outcome))),
                Verdict::Quiet => {}
                Verdict::Refuse(kind, code) => {
                    let error = Error::new(kind, self.message_start(&header));
                    if let Some(event) = self.close(stream_id, error, code)? {
                        return Ok(Some(event));
                    }
                }
                Verdict::Abandon(kind, code) => {
                    let error = Error::new(kind, self.message_start(&header));
                    let request = self.sharded.unwrap_or(stream_id);
                    self.close(stream_id, error, code)?;
                    self.abandon(&told(&error, code))?;
                    return Ok(Some(SessionEvent::Refused(request, error)));
                }
                Verdict::GiveUp(kind) => {
                    let error = Error::new(kind, self.message_start(&header));
                    self.tell(stream_id, &told(&error, ErrorCode::of(&kind)))?;
                    self.phase = Phase::Closed(Closed::Broken(error));
                }
            }
            if let Phase::Closed(why) = self.phase {
                return Ok(Some(SessionEvent::Closed(why)));
            }
        }
    }

    /// Whether data of a message has an owner.
    fn is_of_use(&self, header: &MessageHeader) -> bool {
        header.message_type.is_private() || self.exchanges.get(header.stream_id).is_some()
    }

    /// Takes a control message to what is under way, and answers what the protocol answers by itself.
    fn judge(
        &mut self,
        stream_id: u32,
        facts: Facts,
        outcome: Outcome,
    ) -> Result<Verdict, WriteError<W::Error>> {
        let body = self.parser.body(facts, outcome);
        let stand = self.exchanges.get(stream_id);
        match body {
            MessageBody::ClientHello(hello) => {
                let version = self.hello.protocol_version.min(hello.protocol_version);
                self.peer = Some(Peer::of(&hello));
                self.writer.meet(&hello);
                let own = Hello {
                    protocol_version: version,
                    ..self.hello
                };
                match self.writer.hello(stream_id, &own) {
                    // the client takes no message that is as large
                    Err(WriteError::Refused(kind)) => return Ok(Verdict::GiveUp(kind)),
                    greeted => greeted?,
                }
                self.phase = Phase::Open;
                Ok(Verdict::Tell(stream_id))
            }
            MessageBody::ServerHello(hello) => {
                self.peer = Some(Peer::of(&hello));
                self.writer.meet(&hello);
                self.phase = Phase::Open;
                Ok(Verdict::Tell(stream_id))
            }
            MessageBody::TensorRequest(request) => {
                let asked = request.request_flags.has(RequestFlags::PARALLEL_OK);
                let parallel = asked && self.common().has(Capabilities::PARALLEL_STREAMS);
                Ok(self.begin(stream_id, stand, Stand::Asked { parallel }))
            }
            MessageBody::TensorPut(_) => Ok(self.begin(stream_id, stand, Stand::Giving)),
            MessageBody::TensorDescriptor(tensor, _) => {
                if tensor.shard == ShardNumber::WHOLE {
                    return Ok(self.tensor(stream_id, stand));
                }
                let Some(request) = self.exchanges.sharded(self.sharded, stream_id) else {
                    return Ok(known(stream_id, false));
                };
                let added = self.parallel.add(&tensor.descriptor, tensor.shard);
                let added = added.map_err(|error| error.kind);
                Ok(self.shard(stream_id, request, added))
            }
            MessageBody::TensorDataEnd(outcome) => {
                // what was offered is written to when this side has its memory ready
                if let Err(broken) = rdma_in_turn(!self.writer.awaits(stream_id)) {
                    return Ok(Verdict::Refuse(broken.into(), ErrorCode::InvalidMessage));
                }
                self.ended(stream_id, stand, &outcome);
                Ok(Verdict::Tell(stream_id))
            }
            MessageBody::TensorPutAck => {
                let awaited = stand == Some(Stand::Given);
                self.exchanges.remove(stream_id);
                Ok(known(stream_id, awaited))
            }
            MessageBody::Error(error) => {
                let code = error.error_code;
                if self.phase == Phase::Greeting {
                    self.phase = Phase::Closed(Closed::Declined(code));
                    return Ok(Verdict::Quiet);
                }
                self.writer.close_stream(stream_id);
                self.exchanges.remove(stream_id);
                self.failed(stream_id, stand)
            }
            MessageBody::Ping(payload) => {
                // one that the other side would not take itself cannot be answered
                let most = self.writer.options().max_message_size;
                if length(payload.len()) <= most.into() {
                    self.writer.pong(stream_id, payload)?;
                }
                Ok(Verdict::Quiet)
            }
            MessageBody::RdmaRegister(region) => {
                // the source speaks first; this side may answer with memory of its own
                if matches!(stand, Some(Stand::Answered | Stand::Shard | Stand::Giving))
                    && self.parser.receives(stream_id)
                {
                    let awaited = self.writer.await_rdma(stream_id, region.length);
                    if let Err(kind) = awaited {
                        return Ok(Verdict::Refuse(kind, ErrorCode::of(&kind)));
                    }
                }
                Ok(known(stream_id, stand.is_some()))
            }
            MessageBody::RdmaReady => Ok(known(stream_id, stand.is_some())),
            _ => Ok(Verdict::Quiet),
        }
    }

    /// A client asks for a tensor or gives one.
    fn begin(&mut self, stream_id: u32, stand: Option<Stand>, begun: Stand) -> Verdict {
        if stand.is_some() {
            return known(stream_id, false);
        }
        if let Err(kind) = self.exchanges.room() {
            return Verdict::Refuse(kind, ErrorCode::of(&kind));
        }
        self.exchanges.put(stream_id, begun);
        Verdict::Tell(stream_id)
    }

    /// A tensor begins that this client asked for, or a member of it.
    fn tensor(&mut self, stream_id: u32, stand: Option<Stand>) -> Verdict {
        match (stand, in_turn(false)) {
            (Some(Stand::Asked { .. } | Stand::Answered), _) => {
                self.exchanges.put(stream_id, Stand::Answered);
                Verdict::Tell(stream_id)
            }
            // it comes in shards or whole, not both
            (Some(Stand::Sharded), Err(broken)) => {
                Verdict::Abandon(broken.into(), ErrorCode::ShardMismatch)
            }
            _ => known(stream_id, false),
        }
    }

    /// A shard begins of a tensor that this client asked for.
    fn shard(&mut self, stream_id: u32, request: u32, added: Result<(), ErrorKind>) -> Verdict {
        let room = match self.exchanges.get(stream_id) {
            Some(_) => Ok(()),
            None => self.exchanges.room(),
        };
        match added.and(room) {
            Ok(()) => {
                self.note_shard(stream_id, request);
                Verdict::Tell(stream_id)
            }
            Err(kind) => {
                // so that it is given up
                self.note_sharded(request);
                let code = match kind.rule() {
                    Some(_) => ErrorCode::ShardMismatch,
                    None => ErrorCode::of(&kind),
                };
                Verdict::Abandon(kind, code)
            }
        }
    }

    /// The tensor on a stream is whole.
    fn ended(&mut self, stream_id: u32, stand: Option<Stand>, outcome: &Outcome) {
        match stand {
            Some(Stand::Giving) => self.exchanges.put(stream_id, Stand::Given),
            Some(Stand::Shard) => self.gathered = self.end_shard(stream_id),
            _ if is_whole(outcome, self.parser.depth(stream_id)) => {
                self.exchanges.remove(stream_id);
            }
            _ => {}
        }
    }

    /// The other side gave up a stream, and with a shard the whole tensor.
    fn failed(
        &mut self,
        stream_id: u32,
        stand: Option<Stand>,
    ) -> Result<Verdict, WriteError<W::Error>> {
        match stand {
            None => Ok(Verdict::Quiet),
            Some(Stand::Shard | Stand::Sharded) => {
                let request = self.sharded.unwrap_or(stream_id);
                self.abandon(&ErrorMessage {
                    error_code: ErrorCode::ShardMismatch,
                    message: "another shard failed",
                })?;
                Ok(Verdict::Tell(request))
            }
            Some(_) => Ok(Verdict::Tell(stream_id)),
        }
    }

    /// Where the message started that was read to its end.
    fn message_start(&self, header: &MessageHeader) -> u64 {
        let len = length(MESSAGE_HEADER).saturating_add(header.payload_length.into());
        self.parser.offset().saturating_sub(len)
    }

    /// The event of a control message that its owner hears of.
    fn event(&self, stream_id: u32, facts: Facts, outcome: Outcome) -> SessionEvent<'_, 'static> {
        match self.parser.body(facts, outcome) {
            MessageBody::TensorRequest(request) => SessionEvent::Requested(stream_id, request),
            MessageBody::TensorDescriptor(tensor, outcome) => {
                SessionEvent::Tensor(stream_id, tensor, outcome)
            }
            MessageBody::TensorDataEnd(outcome) => SessionEvent::End(stream_id, outcome),
            MessageBody::TensorPut(put) => SessionEvent::Put(stream_id, put),
            MessageBody::TensorPutAck => SessionEvent::Accepted(stream_id),
            MessageBody::Error(error) => SessionEvent::Failed(stream_id, error),
            MessageBody::RdmaRegister(region) => SessionEvent::RdmaRegister(stream_id, region),
            MessageBody::RdmaReady => SessionEvent::RdmaReady(stream_id),
            _ => SessionEvent::Opened,
        }
    }
}

/// Tells of a message that was awaited, and refuses another one.
fn known(stream_id: u32, awaited: bool) -> Verdict {
    match in_turn(awaited) {
        Ok(()) => Verdict::Tell(stream_id),
        Err(broken) => Verdict::Refuse(broken.into(), ErrorCode::InvalidMessage),
    }
}
