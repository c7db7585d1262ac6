//! Growing storage, for builds with an allocator.
//!
//! Depends on the frame and the arena. Contains no rule and no parsing. Memory grows with bytes that
//! arrived, never with a length that was only announced.

use alloc::vec::Vec;

use crate::composite::Arena;
use crate::frame::{Full, Storage};
use crate::wire::length;

/// A descriptor frame that grows as bytes arrive.
///
/// ```
/// use hrry::{Policy, StreamParser, owned::GrowFrame};
/// let parser = StreamParser::with_storage(GrowFrame::new(), Policy::STRICT);
/// assert_eq!(parser.wanted(), 4);
/// ```
#[derive(Clone, Debug, Default)]
pub struct GrowFrame(Vec<u8>);

impl GrowFrame {
    /// An empty frame.
    #[must_use]
    pub const fn new() -> Self {
        GrowFrame(Vec::new())
    }
}

impl Storage for GrowFrame {
    fn limit(&self) -> u64 {
        length(isize::MAX.unsigned_abs())
    }

    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), Full> {
        self.0.truncate(len);
        self.0.try_reserve(bytes.len()).map_err(|_| Full)?;
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn stored(&self, len: usize) -> &[u8] {
        self.0.get(..len).unwrap_or(&self.0)
    }
}

impl Arena for Vec<u64> {
    fn words(&self) -> &[u64] {
        self
    }

    fn words_mut(&mut self) -> &mut [u64] {
        self
    }

    fn resize(&mut self, len: usize) -> Result<(), Full> {
        self.try_reserve(len.saturating_sub(Vec::len(self)))
            .map_err(|_| Full)?;
        Vec::resize(self, len, 0);
        Ok(())
    }

    fn capacity(&self) -> usize {
        usize::MAX
    }
}
