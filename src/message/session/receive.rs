//! What a session makes of the messages that come.

use super::exchange::{Stand, in_turn, is_whole};
use super::peer::Peer;
use super::{Closed, GREETING_STREAM, Phase, Session, SessionEvent};
use crate::composite::Outcome;
use crate::descriptor::{Sink, WriteError};
use crate::error::{Error, ErrorKind};
use crate::frame::Storage;
use crate::message::event::MessageBody;
use crate::message::parse::MessageMark;
use crate::message::sequence::answer;
use crate::message::streams::Streams;
use crate::message::tensor::TensorDescriptor;
use crate::message::{
    Capabilities, Data, ErrorMessage, Hello, MessageHeader, RequestFlags, ShardNumber,
};
use crate::rule::Rule;
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
    /// As that, and with all other streams of a parallel transfer.
    Abandon(ErrorKind, ErrorCode),
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
    /// The sink's own errors, after which nothing can be sent any more.
    pub fn receive<'c>(
        &mut self,
        input: &mut &'c [u8],
        now: u64,
    ) -> Result<Option<SessionEvent<'_, 'c>>, WriteError<W::Error>> {
        if !input.is_empty() {
            self.heard = now;
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
                MessageMark::Data { offset, last } => {
                    let taken = chunk.len().saturating_sub(input.len());
                    let bytes = chunk.get(..taken).unwrap_or(chunk);
                    let data = Data {
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
                    self.abandon(error, code)?;
                    return Ok(Some(SessionEvent::Refused(request, error)));
                }
            }
            if let Phase::Closed(why) = self.phase {
                return Ok(Some(SessionEvent::Closed(why)));
            }
        }
    }

    /// What a message that the parser refused leads to.
    #[cold]
    fn broken<'c>(
        &mut self,
        error: Error,
    ) -> Result<Option<SessionEvent<'static, 'c>>, WriteError<W::Error>> {
        let stream_id = self.parser.header().stream_id;
        let code = answer(&error.kind());
        let goes_on = self.phase == Phase::Open && self.parser.skip_message().is_ok();
        if goes_on && stream_id != 0 {
            return self.close(stream_id, error, code);
        }
        if goes_on {
            self.tell(GREETING_STREAM, error, code)?;
            return Ok(Some(SessionEvent::Refused(stream_id, error)));
        }
        self.tell(stream_id.max(GREETING_STREAM), error, code)?;
        let why = Closed::Broken(error);
        self.phase = Phase::Closed(why);
        Ok(Some(SessionEvent::Closed(why)))
    }

    /// Closes a stream for what came on it, unless it is closed already and the other side does not know.
    fn close<'c>(
        &mut self,
        stream_id: u32,
        error: Error,
        code: ErrorCode,
    ) -> Result<Option<SessionEvent<'static, 'c>>, WriteError<W::Error>> {
        let known = self.exchanges.is_closed(stream_id);
        self.drop_stream(stream_id);
        if known {
            return Ok(None);
        }
        self.tell(stream_id, error, code)?;
        Ok(Some(SessionEvent::Refused(stream_id, error)))
    }

    /// Sends an ERROR that names the rule.
    fn tell(
        &mut self,
        stream_id: u32,
        error: Error,
        error_code: ErrorCode,
    ) -> Result<(), WriteError<W::Error>> {
        let message = error.rule().map_or("capacity", Rule::id);
        let message = ErrorMessage {
            error_code,
            message,
        };
        self.writer.error(stream_id, &message)
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
                self.writer.hello(stream_id, &own)?;
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
                let common = common(self.peer.as_ref(), &self.hello);
                let parallel = asked && common.has(Capabilities::PARALLEL_STREAMS);
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
                let added = add(&mut self.parallel, &tensor);
                Ok(self.shard(stream_id, request, added))
            }
            MessageBody::TensorDataEnd(outcome) => {
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
                self.writer.pong(stream_id, payload)?;
                Ok(Verdict::Quiet)
            }
            MessageBody::RdmaRegister(region) => {
                // the source speaks first; this side may answer with memory of its own
                if matches!(stand, Some(Stand::Answered | Stand::Shard | Stand::Giving))
                    && self.parser.receives(stream_id)
                {
                    let awaited = self.writer.await_rdma(stream_id, region.length);
                    awaited.map_err(WriteError::Refused)?;
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
            return Verdict::Refuse(kind, answer(&kind));
        }
        self.exchanges.put(stream_id, begun);
        Verdict::Tell(stream_id)
    }

    /// A tensor begins that this client asked for, or a member of it.
    fn tensor(&mut self, stream_id: u32, stand: Option<Stand>) -> Verdict {
        let awaited = matches!(stand, Some(Stand::Asked { .. } | Stand::Answered));
        if awaited {
            self.exchanges.put(stream_id, Stand::Answered);
        }
        known(stream_id, awaited)
    }

    /// A shard begins of a tensor that this client asked for.
    fn shard(&mut self, stream_id: u32, request: u32, added: Result<(), ErrorKind>) -> Verdict {
        self.sharded = Some(request);
        let room = match stream_id == request {
            true => Ok(()),
            false => self.exchanges.room(),
        };
        match (added, room) {
            (Err(kind), _) => Verdict::Abandon(kind, ErrorCode::ShardMismatch),
            (_, Err(kind)) => Verdict::Abandon(kind, answer(&kind)),
            (Ok(()), Ok(())) => {
                self.exchanges.put(stream_id, Stand::Shard);
                Verdict::Tell(stream_id)
            }
        }
    }

    /// The tensor on a stream is whole.
    fn ended(&mut self, stream_id: u32, stand: Option<Stand>, outcome: &Outcome) {
        match stand {
            Some(Stand::Giving) => self.exchanges.put(stream_id, Stand::Given),
            Some(Stand::Shard) => {
                self.exchanges.remove(stream_id);
                self.shards = self.shards.saturating_add(1);
                if self.parallel.is_complete() && self.shards == self.parallel.seen() {
                    self.gathered = self.sharded.take();
                    if let Some(request) = self.gathered {
                        self.exchanges.remove(request);
                    }
                    self.parallel.reset();
                    self.shards = 0;
                }
            }
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
        match (stand, self.sharded) {
            (None, _) => Ok(Verdict::Quiet),
            (Some(stand), Some(request)) if stand == Stand::Shard || request == stream_id => {
                if let Err(broken) = in_turn(false) {
                    let error = Error::new(broken.into(), self.parser.offset());
                    self.abandon(error, ErrorCode::ShardMismatch)?;
                }
                Ok(Verdict::Tell(request))
            }
            _ => Ok(Verdict::Tell(stream_id)),
        }
    }

    /// Gives up a parallel transfer: its streams are closed.
    fn abandon(&mut self, error: Error, code: ErrorCode) -> Result<(), WriteError<W::Error>> {
        self.parallel.reset();
        self.shards = 0;
        let request = self.sharded.take();
        let request = request.filter(|request| self.exchanges.get(*request).is_some());
        if let Some(request) = request {
            self.close(request, error, code)?;
        }
        while let Some(shard) = self.exchanges.shard() {
            self.close(shard, error, code)?;
        }
        Ok(())
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

/// Takes a shard to those before.
fn add<C: crate::composite::Cover, A: crate::composite::Arena>(
    parallel: &mut crate::message::ParallelTransfer<C, A>,
    tensor: &TensorDescriptor<'_>,
) -> Result<(), ErrorKind> {
    let added = parallel.add(&tensor.descriptor, tensor.shard);
    added.map_err(|error| error.kind)
}

/// Tells of a message that was awaited, and refuses another one.
fn known(stream_id: u32, awaited: bool) -> Verdict {
    match in_turn(awaited) {
        Ok(()) => Verdict::Tell(stream_id),
        Err(broken) => Verdict::Refuse(broken.into(), ErrorCode::InvalidMessage),
    }
}

/// What both sides can.
pub(super) fn common(peer: Option<&Peer>, own: &Hello<'_>) -> Capabilities {
    let peer = peer.map_or(Capabilities::NONE, Peer::capabilities);
    peer.and(own.capabilities)
}
