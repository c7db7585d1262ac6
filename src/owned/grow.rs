//! Storage of the core's traits that grows: a frame, an arena, a sink.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::convert::Infallible;

use crate::composite::{Arena, CompositeValidator, Exact};
use crate::descriptor::{Sink, WriteError};
use crate::file::{FileOptions, FileWriter};
use crate::frame::{NoRoom, Storage};
use crate::policy::Policy;
use crate::stream::{StreamDecoder, StreamWriter};
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

    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), NoRoom> {
        let stored = self.0.get_mut(len..).unwrap_or(&mut []);
        if let Some((place, _)) = stored.split_at_mut_checked(bytes.len()) {
            place.copy_from_slice(bytes);
            return Ok(());
        }
        self.0.truncate(len);
        self.0.try_reserve(bytes.len()).map_err(|_| NoRoom)?;
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

    fn resize(&mut self, len: usize) -> Result<(), NoRoom> {
        self.try_reserve(len.saturating_sub(Vec::len(self)))
            .map_err(|_| NoRoom)?;
        Vec::resize(self, len, 0);
        Ok(())
    }

    fn capacity(&self) -> usize {
        usize::MAX
    }
}

/// Grows by what it is given.
impl Sink for Vec<u8> {
    type Error = TryReserveError;

    fn put(&mut self, bytes: &[u8]) -> Result<(), TryReserveError> {
        self.try_reserve(bytes.len())?;
        self.extend_from_slice(bytes);
        Ok(())
    }
}

impl StreamDecoder<GrowFrame, Exact, Vec<u64>> {
    /// A decoder at the start of a stream whose memory grows, checking covers exactly.
    #[must_use]
    pub const fn growing(policy: Policy) -> Self {
        StreamDecoder::with_parts(GrowFrame::new(), Exact, Vec::new(), policy)
    }
}

impl<W: Sink> StreamWriter<W, Exact, Vec<u64>> {
    /// A writer at the start of a stream whose memory grows, checking covers exactly.
    #[must_use]
    pub const fn growing(sink: W, policy: Policy) -> Self {
        StreamWriter::with_parts(sink, Exact, Vec::new(), policy)
    }
}

impl<W: Sink> FileWriter<W, GrowFrame, Exact, Vec<u64>> {
    /// Writes the header of a file, and goes on with memory that grows, checking covers exactly.
    ///
    /// # Errors
    ///
    /// As [`with_parts`](Self::with_parts).
    pub fn growing(
        sink: W,
        options: &FileOptions,
        policy: Policy,
    ) -> Result<Self, WriteError<W::Error>> {
        let (index, arena) = (GrowFrame::new(), Vec::new());
        FileWriter::with_parts(sink, options, index, Exact, arena, policy)
    }
}

impl CompositeValidator<Exact, Vec<u64>> {
    /// A validator outside every composite whose memory grows, checking covers exactly.
    #[must_use]
    pub const fn growing(policy: Policy) -> Self {
        CompositeValidator::with_arena(Exact, Vec::new(), policy)
    }
}

/// Ends the program rather than fail, as collections do.
pub(super) struct Growing(pub(super) Vec<u8>);

impl Sink for Growing {
    type Error = Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}
