//! Words for open composites, used as a stack.

use core::fmt;

use crate::frame::NoRoom;

/// Growable 64-bit words up to a capacity.
pub trait Arena {
    /// The words in use.
    fn words(&self) -> &[u64];

    /// The words in use.
    fn words_mut(&mut self) -> &mut [u64];

    /// Makes `len` words be in use; new ones are 0.
    ///
    /// # Errors
    ///
    /// [`NoRoom`] above the capacity; nothing changes then.
    fn resize(&mut self, len: usize) -> Result<(), NoRoom>;

    /// Most words that can be in use.
    fn capacity(&self) -> usize;
}

/// `W` words inside the value.
#[derive(Clone, Default)]
pub struct InlineArena<const W: usize>(heapless::Vec<u64, W>);

impl<const W: usize> InlineArena<W> {
    /// No word in use.
    #[must_use]
    pub const fn new() -> Self {
        InlineArena(heapless::Vec::new())
    }
}

impl<const W: usize> fmt::Debug for InlineArena<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InlineArena({} of {W})", self.0.len())
    }
}

impl<const W: usize> Arena for InlineArena<W> {
    fn words(&self) -> &[u64] {
        &self.0
    }

    fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    fn resize(&mut self, len: usize) -> Result<(), NoRoom> {
        self.0.resize(len, 0).map_err(|_| NoRoom)
    }

    fn capacity(&self) -> usize {
        W
    }
}
