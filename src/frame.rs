//! Where an assembled item is gathered: bounded storage and how far it is filled.
//!
//! Depends on lengths of the wire level. Guarantees that storage grows with bytes that arrived, never with a length that
//! was only announced.

use core::fmt;

/// Memory of a fixed size has no room for what was to be put there. An output that is too short for one descriptor is
/// [`NoSpace`](crate::NoSpace), which tells how much it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct NoRoom;

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the memory has no room for it")
    }
}

impl core::error::Error for NoRoom {}

/// Memory for one assembled item: an array, a borrowed slice, or
#[cfg_attr(feature = "alloc", doc = "a [`GrowFrame`](crate::owned::GrowFrame).")]
#[cfg_attr(
    not(feature = "alloc"),
    doc = "growing storage of the `alloc` feature."
)]
pub trait Storage {
    /// Most bytes that an item can have.
    fn limit(&self) -> u64;

    /// Appends to the `len` bytes that are in use; what was stored further behind stays as it is.
    ///
    /// # Errors
    ///
    /// [`NoRoom`] beyond the limit; nothing is stored then.
    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), NoRoom>;

    /// The first `len` bytes.
    fn stored(&self, len: usize) -> &[u8];
}

impl Storage for [u8] {
    fn limit(&self) -> u64 {
        crate::wire::length(self.len())
    }

    #[inline(always)]
    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), NoRoom> {
        // bytes that arrive one by one
        if let [byte] = bytes {
            *self.get_mut(len).ok_or(NoRoom)? = *byte;
            return Ok(());
        }
        append_many(self, len, bytes)
    }

    #[inline]
    fn stored(&self, len: usize) -> &[u8] {
        self.get(..len).unwrap_or(self)
    }
}

/// Any number of bytes, apart from the few instructions that a single one takes.
#[inline]
fn append_many(frame: &mut [u8], len: usize, bytes: &[u8]) -> Result<(), NoRoom> {
    let free = frame.get_mut(len..).ok_or(NoRoom)?;
    let (head, _) = free.split_at_mut_checked(bytes.len()).ok_or(NoRoom)?;
    head.copy_from_slice(bytes);
    Ok(())
}

impl<const F: usize> Storage for [u8; F] {
    fn limit(&self) -> u64 {
        self.as_slice().limit()
    }

    #[inline(always)]
    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), NoRoom> {
        self.as_mut_slice().append(len, bytes)
    }

    #[inline]
    fn stored(&self, len: usize) -> &[u8] {
        self.as_slice().stored(len)
    }
}

impl<S: Storage + ?Sized> Storage for &mut S {
    fn limit(&self) -> u64 {
        (**self).limit()
    }

    #[inline(always)]
    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), NoRoom> {
        (**self).append(len, bytes)
    }

    #[inline]
    fn stored(&self, len: usize) -> &[u8] {
        (**self).stored(len)
    }
}
