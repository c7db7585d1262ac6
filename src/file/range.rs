//! A container that is read in ranges: an SD card, a file behind HTTP, a file above 4 GiB on a small
//! machine.

use core::fmt;
use core::ops::Deref;

use super::directory::FileDirectory;
use super::entry::Entry;
use super::extent::{Extent, fill};
use super::tensor::FileTensor;
use crate::error::Error;
use crate::policy::Policy;
use crate::wire::length;

/// Bytes that can be read at any place.
#[allow(clippy::len_without_is_empty)] // none at all is no case of its own
pub trait ReadAt {
    /// Why bytes could not be read.
    type Error;

    /// How many bytes there are.
    ///
    /// # Errors
    ///
    /// When the source cannot tell.
    fn len(&mut self) -> Result<u64, Self::Error>;

    /// Fills `into` with the bytes from `offset` on. Nothing behind [`len`](Self::len) is ever asked for.
    ///
    /// # Errors
    ///
    /// When the source fails.
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Self::Error>;
}

impl<R: ReadAt + ?Sized> ReadAt for &mut R {
    type Error = R::Error;

    fn len(&mut self) -> Result<u64, R::Error> {
        (**self).len()
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), R::Error> {
        (**self).read_at(offset, into)
    }
}

/// Why nothing was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ReadError<E> {
    /// What was read breaks a rule, or the storage is too small.
    Refused(Error),
    /// The source failed.
    Source(E),
}

impl<E> From<Error> for ReadError<E> {
    fn from(error: Error) -> Self {
        ReadError::Refused(error)
    }
}

impl<E: fmt::Display> fmt::Display for ReadError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Refused(error) => error.fmt(f),
            ReadError::Source(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for ReadError<E> {}

/// A container of which only the header, the trailer and what lies between the tensors and the trailer were
/// read.
///
/// Opening takes two reads where index and key-value section fit the storage together with all that lies
/// behind them, three otherwise, and four where the two are apart: what lies between them is not read. Tensors
/// are read when they are asked for.
///
/// ```
/// use hrry::{Policy, RangeReader, ReadAt};
///
/// struct Card(&'static [u8]);
/// impl ReadAt for Card {
///     type Error = core::convert::Infallible;
///     fn len(&mut self) -> Result<u64, Self::Error> {
///         Ok(self.0.len() as u64)
///     }
///     fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Self::Error> {
///         let start = offset as usize;
///         Ok(into.copy_from_slice(&self.0[start..start + into.len()]))
///     }
/// }
///
/// let card = Card(include_bytes!("../../tests/vectors/files/f-ok-kv-all.hrry"));
/// let mut storage = [0; 512];
/// let mut file = RangeReader::open(card, &mut storage, Policy::STRICT)?;
/// let entry = file.find("a").unwrap();
/// let mut descriptor = [0; 256];
/// let tensor = file.tensor(&entry, &mut descriptor)?;
/// let place = tensor.place(0).unwrap();
/// let mut first = [0; 4];
/// file.source_mut().read_at(place.start, &mut first).unwrap();
/// assert_eq!(place, 4096..4144);
/// # Ok::<(), hrry::ReadError<core::convert::Infallible>>(())
/// ```
#[derive(Debug)]
pub struct RangeReader<'s, R> {
    source: R,
    directory: FileDirectory<'s>,
    policy: Policy,
}

impl<'s, R: ReadAt> RangeReader<'s, R> {
    /// Opens a container; `storage` takes index and key-value section.
    ///
    /// # Errors
    ///
    /// As [`FileView::open`](crate::FileView::open); a capacity error if `storage` is too small; errors of
    /// the source.
    pub fn open(
        mut source: R,
        storage: &'s mut [u8],
        policy: Policy,
    ) -> Result<Self, ReadError<R::Error>> {
        let extent = Extent::read(&mut source, storage, &policy)?;
        let directory = extent.check(storage, &mut &policy)?;
        Ok(RangeReader {
            source,
            directory,
            policy,
        })
    }

    /// A container whose directory is right.
    #[cfg(feature = "std")]
    pub(crate) const fn over(source: R, directory: FileDirectory<'s>, policy: Policy) -> Self {
        RangeReader {
            source,
            directory,
            policy,
        }
    }

    /// Reads the descriptor of an entry of this file into `storage`, of [`Entry::storage_len`] bytes.
    ///
    /// # Errors
    ///
    /// As [`FileView::tensor`](crate::FileView::tensor); a capacity error if `storage` is too small; errors
    /// of the source.
    pub fn tensor<'t>(
        &mut self,
        entry: &Entry<'t>,
        storage: &'t mut [u8],
    ) -> Result<FileTensor<'t>, ReadError<R::Error>> {
        let len = entry.storage_len();
        let start = entry.descriptor_offset;
        let place = start..start.saturating_add(length(len));
        fill(&mut self.source, storage, &place)?;
        let bytes = storage.get(..len).unwrap_or_default();
        let tensor = FileTensor::read(bytes, entry, self.sections(), &self.policy)?;
        Ok(tensor)
    }

    /// Where the bytes come from, to read buffers of.
    pub fn source_mut(&mut self) -> &mut R {
        &mut self.source
    }
}

impl<'s, R> Deref for RangeReader<'s, R> {
    type Target = FileDirectory<'s>;

    fn deref(&self) -> &FileDirectory<'s> {
        &self.directory
    }
}
