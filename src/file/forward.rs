//! A sink, and how far it is.

use crate::descriptor::Sink;
use crate::wire::length;

/// Padding, as much as goes out at once.
static ZEROS: [u8; 512] = [0; 512];

/// A sink that counts.
#[derive(Clone, Debug)]
pub(super) struct Forward<W> {
    sink: W,
    position: u64,
}

impl<W: Sink> Forward<W> {
    pub(super) const fn new(sink: W) -> Self {
        Forward { sink, position: 0 }
    }

    /// Puts zeros up to a position.
    pub(super) fn pad_to(&mut self, position: u64) -> Result<(), W::Error> {
        while let missing @ 1.. = position.saturating_sub(self.position) {
            let missing = usize::try_from(missing).unwrap_or(usize::MAX);
            self.put(ZEROS.get(..missing).unwrap_or(&ZEROS))?;
        }
        Ok(())
    }

    /// The sink, and how many bytes it took.
    pub(super) fn into_parts(self) -> (W, u64) {
        (self.sink, self.position)
    }
}

impl<W: Sink> Sink for Forward<W> {
    type Error = W::Error;

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<(), W::Error> {
        self.sink.put(bytes)?;
        self.position = self.position.saturating_add(length(bytes.len()));
        Ok(())
    }
}
