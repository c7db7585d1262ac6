//! The part of a writer that writes tensors.

use super::MessageWriter;
use crate::composite::Outcome;
use crate::descriptor::{Prepared, Sink, WriteError};
use crate::error::{Field, Violation};
use crate::message::put_counted;
use crate::message::streams::Streams;
use crate::message::tensor::{ShardNumber, check_put, checked_data_bytes};
use crate::model::Fields;
use crate::rule::Rule;
use crate::wire::message::{DATA_PREFIX, PUT_FIELDS, TRANSPORT_FIELDS};
use crate::wire::tag::MessageType;
use crate::wire::{length, length32};

impl<W: Sink, T: Streams> MessageWriter<W, T> {
    /// Begins a tensor that was asked for: a plain one, a head, a member, or a shard of a parallel transfer.
    ///
    /// # Errors
    ///
    /// Everything that [`encode_to`](crate::encode_to) and
    /// [`CompositeValidator::begin`](crate::CompositeValidator::begin) refuse; MSG-14, MSG-18, MSG-20,
    /// MSG-27 and MSG-28; MSG-03, MSG-04 and MSG-06; a capacity; the sink's own errors.
    pub fn descriptor<F: Fields + ?Sized>(
        &mut self,
        stream_id: u32,
        d: &F,
        shard: ShardNumber,
    ) -> Result<Outcome, WriteError<W::Error>> {
        shard.check(d.shard().is_some())?;
        let descriptor = Prepared::new(d, &self.sequence.policy)?;
        let total = self.data_bytes(d)?;
        let payload = u64::from(descriptor.encoded_len()).saturating_add(length(TRANSPORT_FIELDS));
        let header = self.admit(MessageType::TensorDescriptor, stream_id, payload)?;
        let outcome = self.open(stream_id, d, total)?;
        self.out(|sink| {
            sink.put(&header.to_bytes())?;
            descriptor.encode_to(sink)?;
            sink.put(&total.to_le_bytes())?;
            sink.put(&shard.index.to_le_bytes())?;
            sink.put(&shard.total.to_le_bytes())
        })?;
        Ok(outcome)
    }

    /// Begins a tensor that the client gives to the server under a key.
    ///
    /// # Errors
    ///
    /// As [`descriptor`](Self::descriptor), and MSG-35 for a head with members.
    pub fn put<F: Fields + ?Sized>(
        &mut self,
        stream_id: u32,
        tensor_key: &str,
        d: &F,
    ) -> Result<(), WriteError<W::Error>> {
        check_put(d)?;
        let descriptor = Prepared::new(d, &self.sequence.policy)?;
        let total = self.data_bytes(d)?;
        let payload = length(PUT_FIELDS)
            .saturating_add(length(tensor_key.len()))
            .saturating_add(descriptor.encoded_len().into());
        let header = self.admit(MessageType::TensorPut, stream_id, payload)?;
        self.open(stream_id, d, total)?;
        self.out(|sink| {
            sink.put(&header.to_bytes())?;
            put_counted(tensor_key.as_bytes(), sink)?;
            sink.put(&descriptor.encoded_len().to_le_bytes())?;
            descriptor.encode_to(sink)?;
            sink.put(&total.to_le_bytes())
        })
    }

    /// Writes the next bytes of the tensor on a stream, in as many messages as the peer's limit asks for.
    ///
    /// # Errors
    ///
    /// MSG-18 without a tensor, MSG-25 with more bytes than its buffers take, before anything is written;
    /// MSG-03 where the peer takes no message with data; the sink's own errors.
    pub fn data(&mut self, stream_id: u32, bytes: &[u8]) -> Result<(), WriteError<W::Error>> {
        let offset = self.sequence.room(stream_id, length(bytes.len()))?;
        let most = self.sequence.options.max_message_size;
        let most = usize::try_from(u64::from(most).saturating_sub(length(DATA_PREFIX)));
        let most = most.unwrap_or(usize::MAX);
        let mut offset = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (frame, behind) = rest.split_at_checked(most).unwrap_or((rest, &[]));
            let len = length(frame.len());
            let payload = match len {
                // a message with less than one byte never ends
                0 => u64::MAX,
                _ => len.saturating_add(length(DATA_PREFIX)),
            };
            self.begin(MessageType::TensorData, stream_id, payload)?;
            self.sequence.data(stream_id, offset, len)?;
            self.out(|sink| {
                sink.put(&offset.to_le_bytes())?;
                sink.put(frame)
            })?;
            offset = offset.saturating_add(len);
            rest = behind;
        }
        Ok(())
    }

    /// Ends the tensor on a stream; that of the last member closes its composite.
    ///
    /// # Errors
    ///
    /// MSG-18 without a tensor, MSG-25 while its buffers miss bytes; COMP-43, and COMP-42 where the method
    /// finds overlaps at the close, of the composite that closes; the sink's own errors.
    pub fn end(&mut self, stream_id: u32) -> Result<Outcome, WriteError<W::Error>> {
        let header = self.admit(MessageType::TensorDataEnd, stream_id, 0)?;
        let outcome = self.sequence.end(stream_id);
        let outcome = outcome.map_err(|error| WriteError::Refused(error.kind))?;
        self.out(|sink| sink.put(&header.to_bytes()))?;
        Ok(outcome)
    }

    fn open<F: Fields + ?Sized>(
        &mut self,
        stream_id: u32,
        d: &F,
        total: u64,
    ) -> Result<Outcome, WriteError<W::Error>> {
        let outcome = self.sequence.open(stream_id, d, total);
        outcome.map_err(|error| WriteError::Refused(error.kind))
    }

    /// Bytes of all buffers, which are such as the peer takes.
    fn data_bytes<F: Fields + ?Sized>(&self, d: &F) -> Result<u64, Violation> {
        if let Some(classes) = &self.classes {
            for k in 0..d.buffer_count() {
                let class = d.buffer(k).map(|handle| handle.memory_class);
                if class.is_some_and(|class| !classes.has(class.0)) {
                    return Err(Violation {
                        rule: Rule::PeerMemoryClass,
                        field: Field::MemoryClass,
                        index: length32(k),
                    });
                }
            }
        }
        checked_data_bytes(d)
    }
}
