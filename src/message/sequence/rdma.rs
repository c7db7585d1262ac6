//! Memory that the sides offer each other for the data of tensors.

use super::{Sequence, in_turn, rdma_in_turn, require, require_stream};
use crate::error::{ErrorKind, Field, Violation};
use crate::message::Capabilities;
use crate::message::notice::RdmaRegister;
use crate::message::options::Scope;
use crate::message::streams::{Phase, Streams};

impl<T> Sequence<T> {
    /// What both sides can.
    fn common(&self) -> Capabilities {
        let sender = self.sender.unwrap_or(Capabilities::NONE);
        sender.and(self.options.receiver)
    }

    /// Whether RDMA may be used, as far as the sides have said so.
    fn allows(&self, capability: Capabilities) -> bool {
        self.options.scope != Scope::Session || self.common().has(capability)
    }
}

impl<T: Streams> Sequence<T> {
    /// Whether this side has yet to say that its memory is ready.
    pub(in crate::message) fn awaits(&self, stream_id: u32) -> bool {
        let transfer = self.stream(stream_id);
        transfer.is_some_and(|transfer| matches!(transfer.phase, Phase::Awaited { .. }))
    }

    /// The other side sends a tensor for which this one may offer memory.
    pub(in crate::message) fn await_rdma(
        &mut self,
        stream_id: u32,
        total: u64,
    ) -> Result<(), ErrorKind> {
        require_stream(stream_id)?;
        let transfer = self.enter(stream_id)?;
        in_turn(transfer.phase == Phase::Between && transfer.composites.depth() == 0)?;
        transfer.phase = Phase::Awaited {
            total,
            registered: false,
        };
        Ok(())
    }

    /// Memory is offered, as the source of a tensor that this side sends or the destination of one that it
    /// awaits.
    pub(in crate::message) fn register(
        &mut self,
        stream_id: u32,
        len: u64,
    ) -> Result<(), Violation> {
        if !self.is_watched() {
            return Ok(());
        }
        let source = self.allows(Capabilities::RDMA_DATA_PLANE);
        // the one means nothing without the other, which permissive mode lets pass
        let both = Capabilities::RDMA_DATA_PLANE.or(Capabilities::RDMA_GPUDIRECT);
        let destination = self.allows(both);
        let transfer = self.transfer(stream_id);
        let phase = transfer.map(|transfer| &mut transfer.phase);
        let (total, registered) = match phase {
            Some(Phase::Open {
                total, registered, ..
            }) if source => (*total, registered),
            Some(Phase::Awaited { total, registered }) if destination => (*total, registered),
            _ => return rdma_in_turn(false),
        };
        rdma_in_turn(!*registered)?;
        require(len == total, RdmaRegister::FITS, Field::RegisteredLength)?;
        *registered = true;
        Ok(())
    }

    /// This side has its memory ready for a tensor that it awaits.
    pub(in crate::message) fn ready(&mut self, stream_id: u32) -> Result<(), Violation> {
        if !self.is_watched() {
            return Ok(());
        }
        let allowed = self.allows(Capabilities::RDMA_DATA_PLANE);
        match self.transfer(stream_id) {
            Some(transfer) if allowed && matches!(transfer.phase, Phase::Awaited { .. }) => {
                transfer.release();
                Ok(())
            }
            _ => rdma_in_turn(false),
        }
    }
}
