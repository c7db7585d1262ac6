//! What is under way on the streams of a session.

use crate::composite::Outcome;
use crate::error::{ErrorKind, Field, Resource, Violation};
use crate::message::Side;
use crate::message::sequence::ORDER;
use crate::wire::length;

use super::SERVER_STREAMS;

/// How an exchange on a stream stands, the same for both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// A client asks for a tensor, perhaps in shards.
    Asked { parallel: bool },
    /// The tensor that a client asked for is under way.
    Answered,
    /// It comes in shards, none of which is on the stream of the request now.
    Sharded,
    /// A shard of it is under way.
    Shard,
    /// A client gives a tensor.
    Giving,
    /// All of it is there, and not taken yet.
    Given,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    stream_id: u32,
    stand: Stand,
}

/// The exchanges of a session, and the streams that this side closed last.
#[derive(Debug)]
pub(super) struct Exchanges<const N: usize> {
    open: heapless::Vec<Exchange, N>,
    /// What still comes on these is from before the other side knew.
    closed: [u32; N],
    next_closed: usize,
}

impl<const N: usize> Exchanges<N> {
    pub(super) const fn new() -> Self {
        Exchanges {
            open: heapless::Vec::new(),
            closed: [0; N],
            next_closed: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn get(&self, stream_id: u32) -> Option<Stand> {
        let mut open = self.open.iter();
        let found = open.find(|exchange| exchange.stream_id == stream_id);
        found.map(|exchange| exchange.stand)
    }

    /// Requires room for one more.
    pub(super) fn room(&self) -> Result<(), ErrorKind> {
        if !self.open.is_full() {
            return Ok(());
        }
        let available = length(N);
        Err(ErrorKind::Capacity {
            what: Resource::Streams,
            needed: available.saturating_add(1),
            available,
        })
    }

    /// A stream from `from` on that is not under way, if there is room for one.
    pub(super) fn free(&self, from: u32) -> Result<u32, ErrorKind> {
        self.room()?;
        Ok(self.unused(from))
    }

    /// A stream from `from` on that is not under way.
    pub(super) fn unused(&self, from: u32) -> u32 {
        let side = match from >= SERVER_STREAMS {
            true => Side::Server,
            false => Side::Client,
        };
        let mut stream_id = from;
        // one of N + 1 is free
        while self.get(stream_id).is_some() {
            stream_id = after(stream_id, side);
        }
        stream_id
    }

    /// Notes how an exchange stands; there is room, or it is there.
    pub(super) fn put(&mut self, stream_id: u32, stand: Stand) {
        let mut open = self.open.iter_mut();
        match open.find(|exchange| exchange.stream_id == stream_id) {
            Some(exchange) => exchange.stand = stand,
            None => {
                let _ = self.open.push(Exchange { stream_id, stand });
                let mut closed = self.closed.iter_mut();
                if let Some(slot) = closed.find(|closed| **closed == stream_id) {
                    *slot = 0;
                }
            }
        }
    }

    pub(super) fn remove(&mut self, stream_id: u32) {
        self.open.retain(|exchange| exchange.stream_id != stream_id);
    }

    /// Removes an exchange that this side closed.
    pub(super) fn close(&mut self, stream_id: u32) {
        self.remove(stream_id);
        if self.closed.contains(&stream_id) {
            return;
        }
        if let Some(slot) = self.closed.get_mut(self.next_closed) {
            *slot = stream_id;
        }
        self.next_closed = match self.next_closed.wrapping_add(1) {
            next if next < N => next,
            _ => 0,
        };
    }

    /// Whether what comes on a stream may be from before the other side knew that it is closed.
    pub(super) fn is_closed(&self, stream_id: u32) -> bool {
        self.get(stream_id).is_none() && self.closed.contains(&stream_id)
    }

    /// A stream that is part of the transfer in shards.
    pub(super) fn part(&self) -> Option<u32> {
        let mut open = self.open.iter();
        let part = open.find(|exchange| matches!(exchange.stand, Stand::Shard | Stand::Sharded));
        part.map(|exchange| exchange.stream_id)
    }

    /// The request that may be answered in shards, if there is one.
    pub(super) fn asked_in_shards(&self) -> Option<u32> {
        let mut open = self.open.iter();
        let asked = open.find(|exchange| exchange.stand == Stand::Asked { parallel: true });
        asked.map(|exchange| exchange.stream_id)
    }

    /// The request that a shard on a stream answers: the one that is being answered in shards, or may be.
    pub(super) fn sharded(&self, begun: Option<u32>, stream_id: u32) -> Option<u32> {
        match self.get(stream_id) {
            Some(Stand::Asked { parallel: true }) if begun.is_none() => Some(stream_id),
            Some(Stand::Sharded) => begun,
            None if !self.is_closed(stream_id) => begun.or_else(|| self.asked_in_shards()),
            _ => None,
        }
    }
}

/// The stream, or the first one where it is none of those that a side opens.
pub(super) const fn own(stream_id: u32, side: Side) -> u32 {
    match side {
        Side::Client if stream_id >= 1 && stream_id < SERVER_STREAMS => stream_id,
        Side::Client => 1,
        Side::Server if stream_id >= SERVER_STREAMS => stream_id,
        Side::Server => SERVER_STREAMS,
    }
}

/// The stream behind another one, among those that a side opens.
pub(super) const fn after(stream_id: u32, side: Side) -> u32 {
    own(stream_id.wrapping_add(1), side)
}

/// Requires of a call or a message that its exchange is at that point.
pub(super) fn in_turn(holds: bool) -> Result<(), Violation> {
    match holds {
        true => Ok(()),
        false => Err(Violation::of(ORDER, Field::StreamId)),
    }
}

/// Whether the end of a tensor leaves nothing open around it.
pub(super) const fn is_whole(outcome: &Outcome, depth: u8) -> bool {
    depth == 0 && !matches!(outcome, Outcome::Member { .. } | Outcome::Opened { .. })
}
