//! A container that is read in ranges: an SD card, a file behind HTTP, a file above 4 GiB on a small
//! machine.

use core::fmt;
use core::ops::{Deref, Range};

use super::directory::FileDirectory;
use super::entry::Entry;
use super::sections::{FileHeader, Sections, long_enough, magic};
use super::tensor::FileTensor;
use crate::error::{Error, ErrorKind, Resource};
use crate::policy::Policy;
use crate::wire::container::{FILE_HEADER, TRAILER};
use crate::wire::descriptor::HEADER;
use crate::wire::{index, length, record};

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
/// behind them, and three otherwise. Tensors are read when they are asked for.
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
        let file_size = source.len().map_err(ReadError::Source)?;
        let mut start = [0; FILE_HEADER];
        let there = usize::try_from(file_size).unwrap_or(usize::MAX);
        let there = start.get_mut(..there.min(FILE_HEADER)).unwrap_or_default();
        source.read_at(0, there).map_err(ReadError::Source)?;
        magic(there)?;
        long_enough(file_size)?;
        let header = FileHeader::read(&start, &mut &policy)?;

        let tail = Tail::read(&mut source, storage, file_size)?;
        let sections = Sections::read(header, &tail.trailer, file_size, &mut &policy)?;
        let between = hull(sections.index(), sections.kv());
        let from = match between.start < tail.start {
            true => fill(&mut source, storage, &between)?,
            false => tail.start,
        };
        let storage: &[u8] = storage;
        let section = |place: Range<u64>| {
            let start = usize::try_from(place.start.saturating_sub(from)).ok();
            let len = usize::try_from(place.end.saturating_sub(place.start)).ok();
            let bytes = start.and_then(|start| storage.get(start..))?;
            bytes.get(..len?)
        };
        let index = section(sections.index()).unwrap_or_default();
        let kv = sections.kv().and_then(section).unwrap_or_default();
        let directory = FileDirectory::read(sections, index, kv, &mut &policy)?;
        Ok(RangeReader {
            source,
            directory,
            policy,
        })
    }

    /// Reads the descriptor of an entry of this file into `storage`.
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
        // a header of its own is in front of the trailer, whatever the index says
        let len = index(entry.descriptor_length).max(HEADER);
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

/// The end of a file, as far as the storage reaches.
struct Tail {
    trailer: [u8; TRAILER],
    /// What the storage starts with.
    start: u64,
}

impl Tail {
    fn read<R: ReadAt>(
        source: &mut R,
        storage: &mut [u8],
        file_size: u64,
    ) -> Result<Self, ReadError<R::Error>> {
        let len = storage.len().max(TRAILER);
        let start = file_size.saturating_sub(length(len));
        let mut trailer = [0; TRAILER];
        let Some(used) = storage.get_mut(..len) else {
            let start = file_size.saturating_sub(length(TRAILER));
            source
                .read_at(start, &mut trailer)
                .map_err(ReadError::Source)?;
            return Ok(Tail { trailer, start });
        };
        let there = usize::try_from(file_size.saturating_sub(start)).unwrap_or(len);
        let used = used.get_mut(..there).unwrap_or_default();
        source.read_at(start, used).map_err(ReadError::Source)?;
        trailer = *record(used, used.len().saturating_sub(TRAILER));
        Ok(Tail { trailer, start })
    }
}

/// The range that holds both.
fn hull(a: Range<u64>, b: Option<Range<u64>>) -> Range<u64> {
    let b = b.unwrap_or(a.clone());
    a.start.min(b.start)..a.end.max(b.end)
}

/// Reads a range to the front of the storage, and returns where it starts.
fn fill<R: ReadAt>(
    source: &mut R,
    storage: &mut [u8],
    place: &Range<u64>,
) -> Result<u64, ReadError<R::Error>> {
    let needed = place.end.saturating_sub(place.start);
    let available = length(storage.len());
    let into = usize::try_from(needed)
        .ok()
        .and_then(|len| storage.get_mut(..len));
    let Some(into) = into else {
        let kind = ErrorKind::Capacity {
            what: Resource::Frame,
            needed,
            available,
        };
        return Err(Error::new(kind, place.start).into());
    };
    source
        .read_at(place.start, into)
        .map_err(ReadError::Source)?;
    Ok(place.start)
}
