//! Where written bytes go, and why writing stops.

use core::fmt;

use crate::error::{ErrorKind, Violation};
use crate::frame::{NoRoom, Storage};
use crate::rule::Rule;

/// Takes bytes in order and never goes back: a UART, a socket, a file.
///
/// A slice is one as [`SliceSink`]. With the feature `alloc` a `Vec<u8>` is one, with `std` anything that takes bytes,
/// as `io_std::Output`; `io_embedded` has one over drivers of `embedded-io`. A type of your own needs this one method.
pub trait Sink {
    /// Why bytes could not be taken.
    type Error;

    /// Takes all of `bytes`.
    ///
    /// # Errors
    ///
    /// When the sink fails; the writer stops and does not retry.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;
}

impl<S: Sink + ?Sized> Sink for &mut S {
    type Error = S::Error;

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error> {
        (**self).put(bytes)
    }
}

/// A slice that is filled from its start.
///
/// ```
/// use hrry::{NoRoom, Sink, SliceSink};
/// let mut memory = [0; 4];
/// let mut sink = SliceSink::new(&mut memory);
/// sink.put(&[1, 2, 3])?;
/// assert_eq!(sink.put(&[4, 5]), Err(NoRoom)); // takes all of the bytes or none
/// sink.put(&[6])?;
/// assert_eq!(sink.written(), [1, 2, 3, 6]);
/// sink.clear(); // what was written went elsewhere
/// assert_eq!(sink.written(), []);
/// # Ok::<(), NoRoom>(())
/// ```
#[derive(Debug)]
pub struct SliceSink<'a> {
    memory: &'a mut [u8],
    len: usize,
}

impl<'a> SliceSink<'a> {
    /// At the start of the slice.
    #[must_use]
    pub const fn new(memory: &'a mut [u8]) -> Self {
        SliceSink { memory, len: 0 }
    }

    /// What was written since the start.
    #[must_use]
    pub fn written(&self) -> &[u8] {
        self.memory.stored(self.len)
    }

    /// Goes back to the start of the slice.
    pub const fn clear(&mut self) {
        self.len = 0;
    }
}

impl Sink for SliceSink<'_> {
    type Error = NoRoom;

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<(), NoRoom> {
        self.memory.append(self.len, bytes)?;
        self.len = self.len.saturating_add(bytes.len());
        Ok(())
    }
}

/// Where the encoder writes, front to back: each call takes the place and returns the one behind.
///
/// By value, so that it stays in registers; lengths that the encoder knows are part of the type, so that
/// a piece is a comparison and a store.
pub(super) trait Output: Sized {
    type Error;

    fn bytes(self, bytes: &[u8]) -> Result<Self, Self::Error>;

    fn record<const N: usize>(self, record: [u8; N]) -> Result<Self, Self::Error>;

    /// A record of zeros with what `fill` sets, in its place: fields that are put together elsewhere and
    /// then moved as one wait for each other.
    fn filled<const N: usize>(self, fill: impl FnOnce(&mut [u8; N])) -> Result<Self, Self::Error>;

    /// Numbers, with what makes bytes of one.
    fn numbers<T: Copy, const N: usize>(
        self,
        numbers: &[T],
        bytes: impl Fn(T) -> [u8; N],
    ) -> Result<Self, Self::Error>;
}

/// What is left of a slice.
pub(super) struct Rest<'a>(pub(super) &'a mut [u8]);

/// It is shorter than what was to be written.
pub(super) struct Short;

impl Output for Rest<'_> {
    type Error = Short;

    #[inline]
    fn bytes(self, bytes: &[u8]) -> Result<Self, Short> {
        let (to, rest) = self.0.split_at_mut_checked(bytes.len()).ok_or(Short)?;
        // `copy_from_slice` keeps its length check, and so a panic, in builds for size
        for (slot, byte) in to.iter_mut().zip(bytes) {
            *slot = *byte;
        }
        Ok(Rest(rest))
    }

    #[inline(always)]
    fn record<const N: usize>(self, record: [u8; N]) -> Result<Self, Short> {
        let (slot, rest) = self.0.split_first_chunk_mut().ok_or(Short)?;
        *slot = record;
        Ok(Rest(rest))
    }

    #[inline(always)]
    fn filled<const N: usize>(self, fill: impl FnOnce(&mut [u8; N])) -> Result<Self, Short> {
        let (slot, rest) = self.0.split_first_chunk_mut().ok_or(Short)?;
        *slot = [0; N];
        fill(slot);
        Ok(Rest(rest))
    }

    #[inline]
    fn numbers<T: Copy, const N: usize>(
        self,
        numbers: &[T],
        bytes: impl Fn(T) -> [u8; N],
    ) -> Result<Self, Short> {
        let len = numbers.len().wrapping_mul(N);
        let (slots, rest) = self.0.split_at_mut_checked(len).ok_or(Short)?;
        for (slot, number) in slots.as_chunks_mut().0.iter_mut().zip(numbers) {
            *slot = bytes(*number);
        }
        Ok(Rest(rest))
    }
}

/// A sink, piece by piece.
pub(super) struct Pieces<'a, W: ?Sized>(pub(super) &'a mut W);

impl<W: Sink + ?Sized> Output for Pieces<'_, W> {
    type Error = W::Error;

    #[inline]
    fn bytes(self, bytes: &[u8]) -> Result<Self, W::Error> {
        self.0.put(bytes)?;
        Ok(self)
    }

    #[inline]
    fn record<const N: usize>(self, record: [u8; N]) -> Result<Self, W::Error> {
        self.bytes(&record)
    }

    #[inline]
    fn filled<const N: usize>(self, fill: impl FnOnce(&mut [u8; N])) -> Result<Self, W::Error> {
        let mut record = [0; N];
        fill(&mut record);
        self.bytes(&record)
    }

    #[inline]
    fn numbers<T: Copy, const N: usize>(
        self,
        numbers: &[T],
        bytes: impl Fn(T) -> [u8; N],
    ) -> Result<Self, W::Error> {
        for number in numbers {
            self.0.put(&bytes(*number))?;
        }
        Ok(self)
    }
}

/// The output is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct NoSpace {
    /// Bytes that the whole output takes.
    pub needed: u32,
}

/// Why nothing, or not everything, was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum WriteError<E> {
    /// A reader would refuse it. Nothing of it was written, but where the end of an item closes a
    /// composite.
    Refused(ErrorKind),
    /// The writer was called out of order or with the wrong number of bytes.
    Order(Order),
    /// The sink failed.
    Sink(E),
}

/// A call that a writer cannot take now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Order {
    /// A tensor was ended, or the output finished, while buffers still miss bytes.
    Missing {
        /// Bytes they still take.
        bytes: u64,
    },
    /// More bytes than the tensor's buffers take.
    Excess {
        /// Bytes too many in the call.
        bytes: u64,
    },
    /// Payload or the end of a tensor without a tensor.
    NoTensor,
    /// A tensor was begun, or the output finished, before the last one was ended.
    TensorOpen,
    /// The output was finished inside a composite.
    CompositeOpen {
        /// Members still to come at the innermost level.
        members: u32,
    },
    /// An earlier call failed half-way; what the sink holds is not valid.
    Broken,
    /// A file has keys, and no key-value section was announced.
    NoKvSection,
    /// The link is closed.
    Closed,
}

impl Order {
    /// The rule that stands behind the refusal.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        match self {
            Order::Missing { .. } | Order::Excess { .. } | Order::NoTensor => Rule::PayloadLength,
            Order::TensorOpen | Order::CompositeOpen { .. } | Order::Broken | Order::Closed => {
                Rule::WriterOpen
            }
            Order::NoKvSection => Rule::KvPromise,
        }
    }
}

impl fmt::Display for NoSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes are needed", self.needed)
    }
}

impl core::error::Error for NoSpace {}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.rule().id())?;
        match self {
            Order::Missing { bytes } => write!(f, "the buffers still take {bytes} bytes"),
            Order::Excess { bytes } => write!(f, "{bytes} bytes more than the buffers take"),
            Order::NoTensor => f.write_str("no tensor was begun"),
            Order::TensorOpen => f.write_str("the tensor before was not ended"),
            Order::CompositeOpen { members } => {
                write!(f, "the open composite still takes {members} members")
            }
            Order::Broken => f.write_str("an earlier call failed"),
            Order::Closed => f.write_str("the link is closed"),
            Order::NoKvSection => f.write_str("no key-value section was announced"),
        }
    }
}

impl core::error::Error for Order {}

impl<E: fmt::Display> fmt::Display for WriteError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Refused(kind) => kind.fmt(f),
            WriteError::Order(order) => order.fmt(f),
            WriteError::Sink(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for WriteError<E> {}

impl<E> From<ErrorKind> for WriteError<E> {
    fn from(kind: ErrorKind) -> Self {
        WriteError::Refused(kind)
    }
}

impl<E> From<Violation> for WriteError<E> {
    fn from(violation: Violation) -> Self {
        WriteError::Refused(violation.into())
    }
}
