//! Where an assembled item is gathered: bounded storage and how far it is filled.
//!
//! Depends on nothing. Guarantees that storage grows with bytes that arrived, never with a length that
//! was only announced.

/// The storage is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Full;

/// Memory for one assembled item: an array, a borrowed slice, or
#[cfg_attr(feature = "alloc", doc = "a [`GrowFrame`](crate::owned::GrowFrame).")]
#[cfg_attr(
    not(feature = "alloc"),
    doc = "growing storage of the `alloc` feature."
)]
pub trait Storage {
    /// Most bytes that an item can have.
    fn limit(&self) -> u64;

    /// Appends to the `len` bytes that are in use.
    ///
    /// # Errors
    ///
    /// [`Full`] beyond the limit; nothing is stored then.
    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), Full>;

    /// The first `len` bytes.
    fn stored(&self, len: usize) -> &[u8];
}

impl Storage for [u8] {
    fn limit(&self) -> u64 {
        crate::wire::length(self.len())
    }

    #[inline]
    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), Full> {
        let free = self.get_mut(len..).ok_or(Full)?;
        // bytes that arrive one by one
        if let ([slot, ..], [byte]) = (&mut *free, bytes) {
            *slot = *byte;
            return Ok(());
        }
        let (head, _) = free.split_at_mut_checked(bytes.len()).ok_or(Full)?;
        head.copy_from_slice(bytes);
        Ok(())
    }

    #[inline]
    fn stored(&self, len: usize) -> &[u8] {
        self.get(..len).unwrap_or(self)
    }
}

impl<const F: usize> Storage for [u8; F] {
    fn limit(&self) -> u64 {
        self.as_slice().limit()
    }

    #[inline]
    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), Full> {
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

    #[inline]
    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), Full> {
        (**self).append(len, bytes)
    }

    #[inline]
    fn stored(&self, len: usize) -> &[u8] {
        (**self).stored(len)
    }
}

/// Storage with the length that is in use.
#[derive(Clone, Debug)]
pub(crate) struct Frame<S> {
    storage: S,
    len: usize,
}

impl<S: Storage> Frame<S> {
    pub(crate) const fn new(storage: S) -> Self {
        Frame { storage, len: 0 }
    }

    #[inline]
    pub(crate) fn limit(&self) -> u64 {
        self.storage.limit()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.storage.stored(self.len)
    }

    #[inline]
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.storage.append(self.len, bytes)?;
        self.len = self.len.wrapping_add(bytes.len());
        Ok(())
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }
}
