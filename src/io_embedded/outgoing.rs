//! What is to be written, between one write and the next.

use core::convert::Infallible;

use super::OutputError;
use crate::composite::{Arena, Cover};
use crate::descriptor::{Sink, WriteError};
use crate::error::{ErrorKind, Resource};
use crate::model::Fields;
use crate::policy::Policy;
use crate::stream::turns::Turns;
use crate::wire::length;

/// The order of calls, and a descriptor that is on its way.
#[derive(Debug)]
pub(super) struct Outgoing<B, C, A> {
    turns: Turns<C, A>,
    buffer: B,
    /// Bytes of the buffer that are not out yet.
    start: usize,
    end: usize,
}

/// As the writers have it.
pub(super) type Refused<T, E> = Result<T, WriteError<OutputError<E>>>;

impl<B, C, A> Outgoing<B, C, A> {
    pub(super) const fn new(buffer: B, cover: C, arena: A, policy: Policy) -> Self {
        Outgoing {
            turns: Turns::new(cover, arena, policy),
            buffer,
            start: 0,
            end: 0,
        }
    }
}

impl<B: AsMut<[u8]>, C: Cover, A: Arena> Outgoing<B, C, A> {
    /// Takes a descriptor, when nothing is pending.
    pub(super) fn begin<F: Fields + ?Sized, E>(&mut self, d: &F) -> Refused<(), E> {
        let item = self.turns.prepare(d)?;
        let buffer = self.buffer.as_mut();
        let (needed, available) = (item.descriptor.encoded_len().into(), length(buffer.len()));
        if needed > available {
            return Err(WriteError::Refused(ErrorKind::Capacity {
                what: Resource::Frame,
                needed,
                available,
            }));
        }
        self.turns.begin(d)?;
        let mut front = Front { buffer, len: 0 };
        let Ok(_) = item.descriptor.encode_to(&mut front);
        (self.start, self.end) = (0, front.len);
        self.turns.go_on(item.payload);
        Ok(())
    }

    /// What is to be written before anything else.
    pub(super) fn pending(&mut self) -> &[u8] {
        let buffer: &[u8] = self.buffer.as_mut();
        buffer.get(self.start..self.end).unwrap_or(&[])
    }

    /// So many of the pending bytes are out; at least one, or the output fails.
    pub(super) fn sent<E>(&mut self, len: usize) -> Refused<(), E> {
        let len = taken(len, self.pending().len())?;
        self.start = self.start.saturating_add(len);
        Ok(())
    }

    /// Refuses more payload than the item takes.
    pub(super) fn check<E>(&self, bytes: &[u8]) -> Refused<(), E> {
        self.turns.behind(bytes.len()).map(|_| ())
    }

    /// So many bytes of payload are out; at least one, or the output fails.
    pub(super) fn paid<E>(&mut self, bytes: &mut &[u8], len: usize) -> Refused<(), E> {
        let len = taken(len, bytes.len())?;
        let left = self.turns.pay(len)?;
        self.turns.go_on(left);
        *bytes = bytes.get(len..).unwrap_or(&[]);
        Ok(())
    }

    pub(super) fn end<E>(&mut self) -> Refused<(), E> {
        self.turns.end()
    }

    pub(super) fn finish<E>(&self) -> Refused<(), E> {
        self.turns.finish()
    }
}

/// How many of some bytes an output has taken that says so many.
fn taken<E>(said: usize, of: usize) -> Refused<usize, E> {
    match said {
        0 => Err(WriteError::Sink(OutputError::TookNothing)),
        // one that says more than it was given is not believed
        len => Ok(len.min(of)),
    }
}

/// The front of a buffer that has room for a whole descriptor.
struct Front<'b> {
    buffer: &'b mut [u8],
    len: usize,
}

impl Sink for Front<'_> {
    type Error = Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        let room = self.buffer.get_mut(self.len..).unwrap_or(&mut []);
        let pairs = room.iter_mut().zip(bytes);
        let copied = pairs.map(|(to, byte)| *to = *byte).count();
        self.len = self.len.saturating_add(copied);
        Ok(())
    }
}
