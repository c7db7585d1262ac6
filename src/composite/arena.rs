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

/// Words that the caller lends.
///
/// ```
/// use hrry::{Event, Exact, Policy, SliceArena, StreamDecoder};
///
/// # fn main() -> Result<(), hrry::Error> {
/// let (mut frame, mut words) = ([0; 256], [0; 64]);
/// let arena = SliceArena::new(&mut words);
/// let mut decoder = StreamDecoder::with_parts(&mut frame[..], Exact, arena, Policy::STRICT);
/// let mut chunk = &include_bytes!("../../tests/vectors/streams/s-ok-part-2d-grid.bin")[..];
/// while decoder.next_event(&mut chunk)?.is_some() {}
/// # decoder.finish()
/// # }
/// ```
#[derive(Debug)]
pub struct SliceArena<'a> {
    words: &'a mut [u64],
    used: usize,
}

impl<'a> SliceArena<'a> {
    /// No word in use; what they hold does not matter.
    #[must_use]
    pub const fn new(words: &'a mut [u64]) -> Self {
        SliceArena { words, used: 0 }
    }
}

impl Arena for SliceArena<'_> {
    fn words(&self) -> &[u64] {
        self.words.get(..self.used).unwrap_or(&[])
    }

    fn words_mut(&mut self) -> &mut [u64] {
        self.words.get_mut(..self.used).unwrap_or(&mut [])
    }

    fn resize(&mut self, len: usize) -> Result<(), NoRoom> {
        if len > self.words.len() {
            return Err(NoRoom);
        }
        if let Some(new) = self.words.get_mut(self.used..len) {
            new.fill(0);
        }
        self.used = len;
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.words.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_words_are_zero_and_none_is_beyond_the_lent_ones() {
        let mut words = [7; 4];
        let mut arena = SliceArena::new(&mut words);
        assert_eq!((arena.words().len(), arena.capacity()), (0, 4));
        assert_eq!(arena.resize(3), Ok(()));
        assert_eq!(arena.words(), [0; 3]);
        arena.words_mut().copy_from_slice(&[1, 2, 3]);
        assert_eq!(arena.resize(5), Err(NoRoom));
        assert_eq!(arena.words(), [1, 2, 3]);
        assert_eq!(arena.resize(1), Ok(()));
        assert_eq!(arena.resize(4), Ok(()));
        assert_eq!(arena.words(), [1, 0, 0, 0]);
    }
}
