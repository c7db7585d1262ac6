//! Bytes at an aligned address, grown as they arrive.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

/// Alignment of buffers where nothing else is asked for, in bytes.
pub const DEFAULT_ALIGNMENT: usize = 64;

/// Bytes that start at an aligned address and stay there as they grow.
///
/// It takes a little more memory than it needs and starts inside it, so that safe code is enough. Room
/// is made for bytes that are there, doubled at most; nothing is filled with zeros but the gap in front.
///
/// ```
/// use hrry::owned::AlignedBuffer;
/// let mut buffer = AlignedBuffer::with_alignment(4096).unwrap();
/// for _ in 0..1000 {
///     buffer.try_extend(&[7; 13])?;
///     assert_eq!(buffer.as_ptr() as usize % 4096, 0);
/// }
/// assert_eq!(buffer.len(), 13_000);
/// # Ok::<(), std::collections::TryReserveError>(())
/// ```
pub struct AlignedBuffer {
    /// A gap, then the bytes.
    memory: Vec<u8>,
    gap: usize,
    /// A power of two.
    alignment: usize,
}

impl AlignedBuffer {
    /// No bytes yet, aligned to [`DEFAULT_ALIGNMENT`] when they come.
    #[must_use]
    pub const fn new() -> Self {
        AlignedBuffer {
            memory: Vec::new(),
            gap: 0,
            alignment: DEFAULT_ALIGNMENT,
        }
    }

    /// No bytes yet, with another alignment; none unless that is a power of two.
    #[must_use]
    pub const fn with_alignment(alignment: usize) -> Option<Self> {
        if !alignment.is_power_of_two() {
            return None;
        }
        Some(AlignedBuffer {
            memory: Vec::new(),
            gap: 0,
            alignment,
        })
    }

    /// A copy of bytes, aligned to [`DEFAULT_ALIGNMENT`].
    ///
    /// # Errors
    ///
    /// Where there is no memory for it.
    pub fn copy_of(bytes: &[u8]) -> Result<Self, TryReserveError> {
        let mut buffer = AlignedBuffer::new();
        buffer.try_extend(bytes)?;
        Ok(buffer)
    }

    /// What the address of the first byte is a multiple of.
    #[must_use]
    pub const fn alignment(&self) -> usize {
        self.alignment
    }

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// Where there is no memory for them; nothing is appended then.
    pub fn try_extend(&mut self, bytes: &[u8]) -> Result<(), TryReserveError> {
        self.extend_towards(bytes, usize::MAX)
    }

    /// Appends bytes of which, with these, `expected` are still to come: never makes room for more.
    pub(super) fn extend_towards(
        &mut self,
        bytes: &[u8],
        expected: usize,
    ) -> Result<(), TryReserveError> {
        self.make_room(bytes.len(), expected)?;
        self.memory.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends what `fill` appends to the vector that it is lent, for readers that write into one.
    ///
    /// The vector starts with a gap that is not part of the buffer. Bytes that are there already stay,
    /// unless `fill` takes them away or changes them.
    ///
    /// # Errors
    ///
    /// Where there is no memory to align what was moved by growing.
    pub fn append_with<R>(
        &mut self,
        fill: impl FnOnce(&mut Vec<u8>) -> R,
    ) -> Result<R, TryReserveError> {
        let result = fill(&mut self.memory);
        self.gap = self.gap.min(self.memory.len());
        self.align()?;
        Ok(result)
    }

    /// Makes room for `more` bytes of `expected` that are still to come, and at least as many as there are.
    pub(crate) fn make_room(
        &mut self,
        more: usize,
        expected: usize,
    ) -> Result<(), TryReserveError> {
        let free = self.memory.capacity().saturating_sub(self.memory.len());
        if more <= free {
            return Ok(());
        }
        let most = expected.max(more);
        let room = self.len().max(more).min(most);
        // the bytes may move to an address with the widest gap in front
        let gap = self.alignment.saturating_sub(1).saturating_sub(self.gap);
        self.memory.try_reserve_exact(room.saturating_add(gap))?;
        self.align()
    }

    /// Moves the bytes to the first aligned address.
    fn align(&mut self) -> Result<(), TryReserveError> {
        let mut gap = self.aligned_gap();
        let free = self.memory.capacity().saturating_sub(self.memory.len());
        if gap.saturating_sub(self.gap) > free {
            self.memory.try_reserve(self.alignment)?;
            gap = self.aligned_gap();
        }
        if gap == self.gap {
            return Ok(());
        }
        let (from, to) = (self.gap, self.memory.len());
        let end = gap.saturating_add(self.len());
        // has room, but where no address can be aligned
        self.memory.try_reserve(end.saturating_sub(to))?;
        if end > to {
            self.memory.resize(end, 0);
        }
        self.memory.copy_within(from..to, gap);
        self.memory.truncate(end);
        self.gap = gap;
        Ok(())
    }

    fn aligned_gap(&self) -> usize {
        match self.memory.capacity() {
            0 => 0,
            _ => self.memory.as_ptr().align_offset(self.alignment),
        }
    }
}

impl Default for AlignedBuffer {
    fn default() -> Self {
        AlignedBuffer::new()
    }
}

impl Deref for AlignedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.memory.get(self.gap..).unwrap_or(&[])
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.memory.get_mut(self.gap..).unwrap_or(&mut [])
    }
}

impl AsRef<[u8]> for AlignedBuffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for AlignedBuffer {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for AlignedBuffer {}

impl fmt::Debug for AlignedBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlignedBuffer")
            .field("len", &self.len())
            .field("alignment", &self.alignment)
            .finish()
    }
}
