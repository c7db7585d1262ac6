//! The transfer in shards that is under way, which both sides follow alike.

use super::Session;
use super::exchange::{Stand, in_turn};
use crate::composite::Outcome;
use crate::descriptor::{Sink, WriteError};
use crate::frame::Storage;
use crate::message::notice::ErrorMessage;
use crate::message::streams::Streams;
use crate::message::tensor::ShardNumber;
use crate::message::{Capabilities, Side};
use crate::model::Fields;

impl<S: Storage, T: Streams, W: Sink, const N: usize> Session<'_, S, T, W, N> {
    /// Whether shards that come would be known as those of the next request.
    pub(super) fn may_shard(&self) -> bool {
        let alone = self.sharded.is_none() && self.exchanges.asked_in_shards().is_none();
        alone && !self.withheld && self.common().has(Capabilities::PARALLEL_STREAMS)
    }

    /// For a server: the request of the transfer that a stream is part of, or may begin.
    pub(super) fn transfer_of(&self, stream_id: u32, stand: Option<Stand>) -> Option<u32> {
        match stand {
            Some(Stand::Asked { parallel: true }) if self.sharded.is_none() => Some(stream_id),
            Some(Stand::Shard | Stand::Sharded) => self.sharded,
            _ => None,
        }
    }

    /// Begins a shard that this side sends.
    pub(super) fn begin_own_shard<F: Fields + ?Sized>(
        &mut self,
        stream_id: u32,
        stand: Option<Stand>,
        d: &F,
        shard: ShardNumber,
    ) -> Result<Outcome, WriteError<W::Error>> {
        let request = self.transfer_of(stream_id, stand);
        in_turn(self.side() == Side::Server && !self.writer.sends(stream_id))?;
        in_turn(request.is_some())?;
        shard.check(d.shard().is_some())?;
        self.note_shard(stream_id, request.unwrap_or(stream_id));
        let added = self.parallel.add(d, shard);
        added.map_err(|error| WriteError::Refused(error.kind))?;
        self.writer.descriptor(stream_id, d, shard)
    }

    /// Notes that a stream, for which there is room, carries a shard of the tensor that was asked for.
    pub(super) fn note_shard(&mut self, stream_id: u32, request: u32) {
        self.note_sharded(request);
        self.exchanges.put(stream_id, Stand::Shard);
    }

    /// Notes that the tensor that was asked for comes in shards.
    pub(super) fn note_sharded(&mut self, request: u32) {
        if self.sharded.is_none() {
            self.exchanges.put(request, Stand::Sharded);
            self.sharded = Some(request);
        }
    }

    /// A shard is whole. The request, if that was the last one.
    pub(super) fn end_shard(&mut self, stream_id: u32) -> Option<u32> {
        match self.sharded == Some(stream_id) {
            true => self.exchanges.put(stream_id, Stand::Sharded),
            false => self.exchanges.remove(stream_id),
        }
        self.shards = self.shards.saturating_add(1);
        if !self.parallel.is_complete() || self.shards < self.parallel.seen() {
            return None;
        }
        self.parallel.reset();
        self.shards = 0;
        let request = self.sharded.take();
        if let Some(request) = request {
            self.exchanges.remove(request);
        }
        request
    }

    /// Gives up the transfer: all streams that are part of it are closed, and the other side is told why.
    pub(super) fn abandon(&mut self, error: &ErrorMessage<'_>) -> Result<(), WriteError<W::Error>> {
        self.parallel.reset();
        self.shards = 0;
        self.sharded = None;
        self.withheld = true;
        while let Some(part) = self.exchanges.part() {
            self.drop_stream(part);
            self.tell(part, error)?;
        }
        Ok(())
    }
}
