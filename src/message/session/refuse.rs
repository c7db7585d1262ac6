//! What a session does about messages that break the protocol.

use super::exchange::Stand;
use super::{Closed, GREETING_STREAM, Phase, Session, SessionEvent};
use crate::descriptor::{Sink, WriteError};
use crate::error::Error;
use crate::frame::Storage;
use crate::message::ErrorMessage;
use crate::message::streams::Streams;
use crate::rule::Rule;
use crate::wire::tag::ErrorCode;

impl<S: Storage, T: Streams, W: Sink, const N: usize> Session<'_, S, T, W, N> {
    /// What a message that the parser refused leads to.
    #[cold]
    pub(super) fn broken<'c>(
        &mut self,
        error: Error,
    ) -> Result<Option<SessionEvent<'static, 'c>>, WriteError<W::Error>> {
        let stream_id = self.parser.header().stream_id;
        let code = ErrorCode::of(&error.kind());
        let goes_on = self.phase == Phase::Open && self.parser.skip_message().is_ok();
        if goes_on && stream_id != 0 {
            return self.close(stream_id, error, code);
        }
        if goes_on {
            // an ERROR closes its stream, so it goes to one that is not under way
            let unused = self.exchanges.unused(self.next);
            self.tell(unused, &told(&error, code))?;
            return Ok(Some(SessionEvent::Refused(stream_id, error)));
        }
        self.tell(stream_id.max(GREETING_STREAM), &told(&error, code))?;
        let why = Closed::Broken(error);
        self.phase = Phase::Closed(why);
        Ok(Some(SessionEvent::Closed(why)))
    }

    /// Closes a stream for what came on it, with the transfer in shards that it is part of; unless it is
    /// closed already and the other side does not know.
    pub(super) fn close<'c>(
        &mut self,
        stream_id: u32,
        error: Error,
        code: ErrorCode,
    ) -> Result<Option<SessionEvent<'static, 'c>>, WriteError<W::Error>> {
        let known = self.exchanges.is_closed(stream_id);
        let stand = self.exchanges.get(stream_id);
        self.drop_stream(stream_id);
        if known {
            return Ok(None);
        }
        let message = told(&error, code);
        self.tell(stream_id, &message)?;
        let mut named = stream_id;
        if let Some(Stand::Shard | Stand::Sharded) = stand {
            named = self.sharded.unwrap_or(stream_id);
            self.abandon(&message)?;
        }
        Ok(Some(SessionEvent::Refused(named, error)))
    }

    /// Sends an ERROR, with as much of its text as the other side takes.
    pub(super) fn tell(
        &mut self,
        stream_id: u32,
        error: &ErrorMessage<'_>,
    ) -> Result<(), WriteError<W::Error>> {
        let most = self.writer.options().max_message_size;
        let Some(room) = most.checked_sub(ErrorMessage::LEAST) else {
            return Ok(());
        };
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let text = error.message;
        // names of rules are ASCII, and what an owner says was seen to fit
        let fitting = text.get(..room.min(text.len()));
        let error = ErrorMessage {
            message: fitting.unwrap_or_default(),
            ..*error
        };
        self.writer.error(stream_id, &error)
    }
}

/// An ERROR that names the rule.
pub(super) fn told(error: &Error, error_code: ErrorCode) -> ErrorMessage<'static> {
    ErrorMessage {
        error_code,
        message: error.rule().map_or("capacity", Rule::id),
    }
}
