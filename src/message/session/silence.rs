//! What a session does about silence.

use super::{Closed, GREETING_STREAM, KeepAlive, Phase, Session};
use crate::descriptor::{Sink, WriteError};
use crate::frame::Storage;
use crate::message::streams::Streams;

/// What a silence leads to.
#[derive(Clone, Copy, Debug)]
enum Silence {
    /// The other side is asked for a sign of life.
    Ask,
    /// The link is given up.
    Lost,
}

impl<S, T: Streams, W, const N: usize> Session<'_, S, T, W, N> {
    /// The time from which on [`tick`](Self::tick) has something to do; `u64::MAX` for never.
    #[must_use]
    pub const fn deadline(&self) -> u64 {
        self.due().0
    }

    /// What silence leads to next, and when.
    const fn due(&self) -> (u64, Silence) {
        let KeepAlive {
            ping_after,
            lost_after,
        } = self.keep_alive;
        let (after, due) = match self.phase {
            Phase::New | Phase::Closed(_) => (u64::MAX, Silence::Lost),
            // the other side has its full time to answer, however late it was asked
            Phase::Open if self.asked => (lost_after.saturating_sub(ping_after), Silence::Lost),
            Phase::Open if ping_after < lost_after => (ping_after, Silence::Ask),
            Phase::Greeting | Phase::Open => (lost_after, Silence::Lost),
        };
        (self.quiet_since.saturating_add(after), due)
    }
}

impl<S: Storage, T: Streams, W: Sink, const N: usize> Session<'_, S, T, W, N> {
    /// Does what is to be done at a time: asks for a sign of life, or gives the link up.
    ///
    /// One call does one thing, so a link is not given up before the other side was asked and had its time to
    /// answer, however late the call is. Bytes that came before go to [`receive`](Self::receive) first.
    ///
    /// # Errors
    ///
    /// The sink's own errors.
    pub fn tick(&mut self, now: u64) -> Result<Option<Closed>, WriteError<W::Error>> {
        let (at, due) = self.due();
        if now < at || at == u64::MAX {
            return Ok(None);
        }
        match due {
            Silence::Ask => {
                self.writer.ping(GREETING_STREAM)?;
                self.quiet_since = now;
                self.asked = true;
                Ok(None)
            }
            Silence::Lost => {
                self.phase = Phase::Closed(Closed::Silent);
                Ok(Some(Closed::Silent))
            }
        }
    }
}
