//! Lent words for open composites.

use hrry::{Arena, NoRoom};

#[derive(Debug)]
pub(crate) struct LentArena {
    words: &'static mut [u64],
    used: usize,
}

impl LentArena {
    pub(crate) fn new(words: &'static mut [u64]) -> Self {
        LentArena { words, used: 0 }
    }
}

impl Arena for LentArena {
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
        static mut WORDS: [u64; 4] = [7; 4];
        let words = &raw mut WORDS;
        // SAFETY: this test alone knows of it, and runs once
        let mut arena = LentArena::new(unsafe { &mut *words });
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
