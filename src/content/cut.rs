//! Cuts pieces of a buffer into entries.

use super::error::ContentError;
use super::plan::Segment;
use super::scan::ContentScan;
use crate::model::Fields;
use crate::wire::length;

impl ContentScan {
    /// Takes the bytes that come next in the buffer.
    pub(super) fn feed<F: Fields + ?Sized, B: AsRef<[u8]>>(
        &mut self,
        d: &F,
        mut bytes: &[u8],
        kept: &[B],
    ) -> Result<(), ContentError> {
        while !bytes.is_empty() {
            if self.is_done() && self.part == 0 {
                self.enter(d, 1)?;
            }
            let taken = match self.run {
                Some(run) if self.next < run.count => {
                    let before = run.place(self.next).saturating_sub(self.offset);
                    if before > 0 {
                        bytes
                            .len()
                            .min(usize::try_from(before).unwrap_or(usize::MAX))
                    } else if self.carried > 0 || bytes.len() < run.width.into() {
                        self.piece(d, run, bytes, kept)?
                    } else {
                        self.whole(d, run, bytes, kept)?
                    }
                }
                _ => bytes.len(),
            };
            self.offset = self.offset.saturating_add(length(taken));
            bytes = bytes.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    /// Takes a part of an entry, and judges it when it is complete.
    fn piece<F: Fields + ?Sized, B: AsRef<[u8]>>(
        &mut self,
        d: &F,
        run: Segment,
        bytes: &[u8],
        kept: &[B],
    ) -> Result<usize, ContentError> {
        let (start, width) = (usize::from(self.carried), usize::from(run.width));
        let slots = self.carry.get_mut(start..width).unwrap_or_default();
        let mut taken = 0u8;
        for (slot, byte) in slots.iter_mut().zip(bytes) {
            *slot = *byte;
            taken = taken.wrapping_add(1);
        }
        self.carried = self.carried.wrapping_add(taken);
        if self.carried == run.width {
            self.carried = 0;
            let value = word(self.carry.get(..width).unwrap_or_default());
            self.entry(d, run, self.next, value, kept)?;
            self.next = self.next.wrapping_add(1);
        }
        Ok(taken.into())
    }

    /// Judges whole entries.
    fn whole<F: Fields + ?Sized, B: AsRef<[u8]>>(
        &mut self,
        d: &F,
        run: Segment,
        bytes: &[u8],
        kept: &[B],
    ) -> Result<usize, ContentError> {
        let left = run.count.wrapping_sub(self.next);
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let width = usize::from(run.width).max(1);
        let mut taken = 0usize;
        for entry in bytes.chunks_exact(width).take(left) {
            self.entry(d, run, self.next, word(entry), kept)?;
            self.next = self.next.wrapping_add(1);
            taken = taken.wrapping_add(width);
        }
        Ok(taken)
    }
}

/// A little-endian number of at most eight bytes.
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_le_bytes(word)
}
