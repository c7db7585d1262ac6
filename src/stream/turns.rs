//! The order of calls that writers hold to, whatever they write to.

use crate::composite::{Arena, CompositeValidator, Cover, SetError};
use crate::descriptor::{Order, Prepared, WriteError};
use crate::error::{ErrorKind, Resource};
use crate::model::{Fields, data_bytes};
use crate::policy::Policy;
use crate::wire::length;

/// Items that are begun, filled and ended in turn, and the composites around them.
///
/// A call that writes leaves this broken until [`go_on`](Self::go_on) says that all of it is out.
#[derive(Clone, Debug)]
pub(crate) struct Turns<C, A> {
    policy: Policy,
    composites: CompositeValidator<C, A>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Boundary,
    /// A tensor that still takes so many bytes.
    Tensor(u64),
    /// An item is half written.
    Broken,
}

/// An item that was checked on its own and may begin.
pub(crate) struct Ready<'d, F: ?Sized> {
    pub(crate) descriptor: Prepared<'d, F>,
    /// Bytes of all its buffers.
    pub(crate) payload: u64,
}

impl<C, A> Turns<C, A> {
    pub(crate) const fn new(cover: C, arena: A, policy: Policy) -> Self {
        Turns {
            policy,
            composites: CompositeValidator::with_arena(cover, arena, policy),
            state: State::Boundary,
        }
    }

    /// Checks an item on its own that is to begin now.
    pub(crate) fn prepare<'d, F, E>(&self, d: &'d F) -> Result<Ready<'d, F>, WriteError<E>>
    where
        F: Fields + ?Sized,
    {
        match self.state {
            State::Boundary => {}
            State::Tensor(_) => return Err(WriteError::Order(Order::TensorOpen)),
            State::Broken => return Err(WriteError::Order(Order::Broken)),
        }
        let descriptor = Prepared::new(d, &self.policy)?;
        let payload = data_bytes(d).ok_or(WriteError::Refused(NO_POSITION))?;
        Ok(Ready {
            descriptor,
            payload,
        })
    }

    /// Takes so many bytes of payload, and returns how many the item takes behind them.
    pub(crate) fn pay<E>(&mut self, len: usize) -> Result<u64, WriteError<E>> {
        let rest = self.behind(len)?;
        self.state = State::Broken;
        Ok(rest)
    }

    /// How many bytes the item takes behind so many more.
    pub(crate) fn behind<E>(&self, len: usize) -> Result<u64, WriteError<E>> {
        let left = self.left()?;
        let len = length(len);
        left.checked_sub(len).ok_or_else(|| {
            let bytes = len.wrapping_sub(left);
            WriteError::Order(Order::Excess { bytes })
        })
    }

    /// What the call writes is out, and the item still takes so many bytes.
    pub(crate) const fn go_on(&mut self, left: u64) {
        self.state = State::Tensor(left);
    }

    /// Nothing that is written from here on could be right.
    #[cfg(feature = "alloc")]
    pub(crate) const fn give_up(&mut self) {
        self.state = State::Broken;
    }

    /// Tells whether what is written may end here.
    pub(crate) fn finish<E>(&self) -> Result<(), WriteError<E>> {
        match self.state {
            State::Tensor(0) => return Err(WriteError::Order(Order::TensorOpen)),
            State::Tensor(bytes) => return Err(WriteError::Order(Order::Missing { bytes })),
            State::Broken => return Err(WriteError::Order(Order::Broken)),
            State::Boundary => {}
        }
        match self.composites.finish() {
            Ok(()) => Ok(()),
            Err(SetError {
                kind: ErrorKind::Torn { declared, seen, .. },
                ..
            }) => {
                let members = declared.wrapping_sub(seen);
                Err(WriteError::Order(Order::CompositeOpen { members }))
            }
            Err(error) => Err(refused(error)),
        }
    }

    fn left<E>(&self) -> Result<u64, WriteError<E>> {
        match self.state {
            State::Tensor(left) => Ok(left),
            State::Boundary => Err(WriteError::Order(Order::NoTensor)),
            State::Broken => Err(WriteError::Order(Order::Broken)),
        }
    }
}

impl<C: Cover, A: Arena> Turns<C, A> {
    /// Begins an item that is ready.
    pub(crate) fn begin<F, E>(&mut self, d: &F) -> Result<(), WriteError<E>>
    where
        F: Fields + ?Sized,
    {
        if let Err(error) = self.composites.begin(d) {
            if let ErrorKind::Capacity { .. } = error.kind {
                // the validator cannot go on
                self.state = State::Broken;
            }
            return Err(refused(error));
        }
        self.state = State::Broken;
        Ok(())
    }

    /// Ends the item.
    pub(crate) fn end<E>(&mut self) -> Result<(), WriteError<E>> {
        let left = self.left()?;
        if left > 0 {
            return Err(WriteError::Order(Order::Missing { bytes: left }));
        }
        self.state = State::Broken;
        self.composites.end().map_err(refused)?;
        self.state = State::Boundary;
        Ok(())
    }
}

/// What is written would end behind the last position.
pub(crate) const NO_POSITION: ErrorKind = ErrorKind::Capacity {
    what: Resource::Position,
    needed: u64::MAX,
    available: 0,
};

/// Requires one slice for each buffer, of its size; slices that are left out, or left over, count as
/// empty.
pub(crate) fn require_whole<F, E>(d: &F, buffers: &[&[u8]]) -> Result<(), WriteError<E>>
where
    F: Fields + ?Sized,
{
    for k in 0..d.buffer_count().max(buffers.len()) {
        let size = d.buffer(k).map_or(0, |handle| handle.byte_size);
        let given = buffers.get(k).map_or(0, |bytes| length(bytes.len()));
        if let Some(bytes) = size.checked_sub(given).filter(|missing| *missing > 0) {
            return Err(WriteError::Order(Order::Missing { bytes }));
        }
        if let Some(bytes) = given.checked_sub(size).filter(|excess| *excess > 0) {
            return Err(WriteError::Order(Order::Excess { bytes }));
        }
    }
    Ok(())
}

fn refused<E>(error: SetError) -> WriteError<E> {
    WriteError::Refused(error.kind)
}
