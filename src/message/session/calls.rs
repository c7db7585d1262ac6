//! What the owner of a session does on its streams.

use super::Session;
use super::exchange::{self, Stand};
use crate::composite::Outcome;
use crate::descriptor::{Sink, WriteError};
use crate::frame::Storage;
use crate::message::Side;
use crate::message::notice::{ErrorMessage, RdmaRegister};
use crate::message::request::{RequestFlags, TensorRequest};
use crate::message::sequence::rdma_in_turn;
use crate::message::streams::Streams;
use crate::message::tensor::ShardNumber;
use crate::model::Fields;
use crate::wire::tag::MessageType;

impl<S: Storage, T: Streams, W: Sink, const N: usize> Session<'_, S, T, W, N> {
    /// Asks the server for a tensor and returns the stream of the answer.
    ///
    /// That the server may answer in shards is said only where they could be told from others: if both sides
    /// can, no other request says so, and no transfer in shards has failed on this link.
    ///
    /// # Errors
    ///
    /// MSG-18 before the link is open, as for all that follow; MSG-12, MSG-13, MSG-15; a capacity where `N`
    /// streams are under way; the sink's own errors.
    pub fn request(&mut self, request: &TensorRequest<'_>) -> Result<u32, WriteError<W::Error>> {
        self.require_open()?;
        let stream_id = self.exchanges.free(self.next)?;
        let mut request = *request;
        let parallel = request.request_flags.has(RequestFlags::PARALLEL_OK) && self.may_shard();
        if !parallel {
            request.request_flags.0 &= !RequestFlags::PARALLEL_OK.0;
        }
        self.writer.request(stream_id, &request)?;
        self.exchanges.put(stream_id, Stand::Asked { parallel });
        self.next = exchange::after(stream_id, self.side());
        Ok(stream_id)
    }

    /// Gives the server a tensor and returns its stream; [`data`](Self::data) and [`end`](Self::end) follow.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::put`](crate::message::MessageWriter::put); a capacity where `N` streams are under way.
    pub fn put<F: Fields + ?Sized>(
        &mut self,
        tensor_key: &str,
        d: &F,
    ) -> Result<u32, WriteError<W::Error>> {
        self.require_open()?;
        let stream_id = self.exchanges.free(self.next)?;
        self.writer.put(stream_id, tensor_key, d)?;
        self.exchanges.put(stream_id, Stand::Giving);
        self.next = exchange::after(stream_id, self.side());
        Ok(stream_id)
    }

    /// Begins the tensor that a client asked for, or a member of it; [`data`](Self::data) and
    /// [`end`](Self::end) follow.
    ///
    /// # Errors
    ///
    /// MSG-18 where no client asks on that stream; as [`MessageWriter::descriptor`](crate::message::MessageWriter::descriptor).
    pub fn answer<F: Fields + ?Sized>(
        &mut self,
        stream_id: u32,
        d: &F,
    ) -> Result<Outcome, WriteError<W::Error>> {
        self.answer_shard(stream_id, d, ShardNumber::WHOLE)
    }

    /// Begins a shard of the tensor that a client asked for, on that stream or one of
    /// [`open_shard`](Self::open_shard).
    ///
    /// # Errors
    ///
    /// MSG-18 where the stream is none of those; as [`ParallelTransfer::add`](crate::message::ParallelTransfer::add) and
    /// [`MessageWriter::descriptor`](crate::message::MessageWriter::descriptor), after which the transfer can only be [refused](Self::refuse).
    pub fn answer_shard<F: Fields + ?Sized>(
        &mut self,
        stream_id: u32,
        d: &F,
        shard: ShardNumber,
    ) -> Result<Outcome, WriteError<W::Error>> {
        self.require_open()?;
        let stand = self.exchanges.get(stream_id);
        if shard != ShardNumber::WHOLE {
            return self.begin_own_shard(stream_id, stand, d, shard);
        }
        exchange::in_turn(matches!(stand, Some(Stand::Asked { .. } | Stand::Answered)))?;
        let outcome = self.writer.descriptor(stream_id, d, shard)?;
        self.exchanges.put(stream_id, Stand::Answered);
        Ok(outcome)
    }

    /// A new stream for a shard of the tensor that a client asked for on another one, which is answered in
    /// shards then.
    ///
    /// # Errors
    ///
    /// MSG-18 where the client did not allow that, or another request is being answered in shards; a capacity
    /// where `N` streams are under way.
    pub fn open_shard(&mut self, request_stream: u32) -> Result<u32, WriteError<W::Error>> {
        self.require_open()?;
        let asked = self.exchanges.get(request_stream);
        let request = self.transfer_of(request_stream, asked);
        exchange::in_turn(request == Some(request_stream) && self.side() == Side::Server)?;
        let stream_id = self.exchanges.free(self.next)?;
        self.note_shard(stream_id, request_stream);
        self.next = exchange::after(stream_id, self.side());
        Ok(stream_id)
    }

    /// Sends the next bytes of the tensor on a stream.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::data`](crate::message::MessageWriter::data).
    pub fn data(&mut self, stream_id: u32, bytes: &[u8]) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        self.writer.data(stream_id, bytes)
    }

    /// Ends the tensor on a stream.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::end`](crate::message::MessageWriter::end); MSG-39 where memory was offered and the other side is not ready.
    pub fn end(&mut self, stream_id: u32) -> Result<Outcome, WriteError<W::Error>> {
        self.require_open()?;
        // memory is written to when the other side has it ready
        rdma_in_turn(!self.parser.awaits(stream_id))?;
        let outcome = self.writer.end(stream_id)?;
        match self.exchanges.get(stream_id) {
            Some(Stand::Giving) => self.exchanges.put(stream_id, Stand::Given),
            Some(Stand::Shard) => {
                self.end_shard(stream_id);
            }
            _ if exchange::is_whole(&outcome, self.writer.depth(stream_id)) => {
                self.exchanges.remove(stream_id);
            }
            _ => {}
        }
        Ok(outcome)
    }

    /// Tells the client that the tensor on a stream, which is whole, was taken.
    ///
    /// # Errors
    ///
    /// MSG-18 where there is none; the sink's own errors.
    pub fn accept(&mut self, stream_id: u32) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        let whole = self.exchanges.get(stream_id) == Some(Stand::Given);
        exchange::in_turn(whole && self.side() == Side::Server)?;
        self.writer.put_ack(stream_id)?;
        self.exchanges.remove(stream_id);
        Ok(())
    }

    /// Closes a stream that is under way, and tells the other side why. With a shard, all other streams of its
    /// transfer are closed.
    ///
    /// # Errors
    ///
    /// MSG-18 where nothing is under way; MSG-03 for a text that is too long; the sink's own errors.
    pub fn refuse(
        &mut self,
        stream_id: u32,
        error: &ErrorMessage<'_>,
    ) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        let stand = self.exchanges.get(stream_id);
        exchange::in_turn(stand.is_some())?;
        self.writer.error(stream_id, error)?;
        self.drop_stream(stream_id);
        match stand {
            Some(Stand::Shard | Stand::Sharded) => self.abandon(error),
            Some(Stand::Asked { parallel: true }) => {
                self.withheld = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Offers memory for the data of the tensor on a stream.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::rdma_register`](crate::message::MessageWriter::rdma_register).
    pub fn rdma_register(
        &mut self,
        stream_id: u32,
        region: &RdmaRegister<'_>,
    ) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        self.writer.rdma_register(stream_id, region)?;
        if self.writer.sends(stream_id) {
            // the other side answers with memory of its own, or that it is ready
            let awaited = self.parser.await_rdma(stream_id, region.length);
            awaited.map_err(WriteError::Refused)?;
        }
        Ok(())
    }

    /// Says that the memory for the tensor on a stream is ready.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::rdma_ready`](crate::message::MessageWriter::rdma_ready).
    pub fn rdma_ready(&mut self, stream_id: u32) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        self.writer.rdma_ready(stream_id)
    }

    /// Sends a message of a private type that was agreed on.
    ///
    /// # Errors
    ///
    /// As [`MessageWriter::private`](crate::message::MessageWriter::private).
    pub fn private(
        &mut self,
        message_type: MessageType,
        stream_id: u32,
        payload: &[u8],
    ) -> Result<(), WriteError<W::Error>> {
        self.require_open()?;
        self.writer.private(message_type, stream_id, payload)
    }
}
