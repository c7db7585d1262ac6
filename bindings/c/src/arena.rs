//! Lent words for open composites.

use hrry::{Arena, Full};

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

    fn resize(&mut self, len: usize) -> Result<(), Full> {
        if len > self.words.len() {
            return Err(Full);
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
