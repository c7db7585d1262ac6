//! Where the sections of a container are, read from a source of ranges.

use core::ops::Range;

use super::directory::FileDirectory;
use super::range::{ReadAt, ReadError};
use super::sections::{FileHeader, Sections, long_enough, magic};
use crate::check::Judge;
use crate::error::{Error, ErrorKind, Resource};
use crate::policy::Policy;
use crate::wire::container::{FILE_HEADER, TRAILER};
use crate::wire::{length, record};

/// Header and trailer of a container, and where index and key-value section lie in the storage that they
/// were read into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    sections: Sections,
    /// What the storage starts with.
    from: u64,
}

impl Extent {
    /// Reads index and key-value section into `storage`; a capacity error says how much they take.
    pub(crate) fn read<R: ReadAt>(
        source: &mut R,
        storage: &mut [u8],
        policy: &Policy,
    ) -> Result<Self, ReadError<R::Error>> {
        let mut extent = Extent::locate(source, storage, &mut { policy })?;
        extent.load(source, storage)?;
        Ok(extent)
    }

    /// Reads header and trailer, and into `storage` what is in front of the trailer, as far as it reaches.
    pub(crate) fn locate<R: ReadAt, J: Judge>(
        source: &mut R,
        storage: &mut [u8],
        judge: &mut J,
    ) -> Result<Self, ReadError<R::Error>> {
        let file_size = source.len().map_err(ReadError::Source)?;
        let mut start = [0; FILE_HEADER];
        let there = usize::try_from(file_size).unwrap_or(usize::MAX);
        let there = start.get_mut(..there.min(FILE_HEADER)).unwrap_or_default();
        source.read_at(0, there).map_err(ReadError::Source)?;
        magic(there)?;
        long_enough(file_size)?;
        let header = FileHeader::read(&start, judge)?;

        let tail = Tail::read(source, storage, file_size)?;
        let sections = Sections::read(header, &tail.trailer, file_size, judge)?;
        let from = tail.start;
        Ok(Extent { sections, from })
    }

    /// Reads index and key-value section to the front of `storage`, where not all of them are there.
    pub(crate) fn load<R: ReadAt>(
        &mut self,
        source: &mut R,
        storage: &mut [u8],
    ) -> Result<(), ReadError<R::Error>> {
        if let Some(place) = self.missing() {
            self.from = fill(source, storage, &place)?;
        }
        Ok(())
    }

    /// Where index and key-value section are, if not all of them are in the storage.
    pub(crate) fn missing(&self) -> Option<Range<u64>> {
        let between = hull(self.sections.index(), self.sections.kv());
        (between.start < self.from).then_some(between)
    }

    /// Checks index and key-value section in the storage that they were read into.
    pub(crate) fn check<'a, J: Judge>(
        &self,
        storage: &'a [u8],
        judge: &mut J,
    ) -> Result<FileDirectory<'a>, Error> {
        let (index, kv) = self.parts(storage);
        FileDirectory::read(self.sections, index, kv, judge)
    }

    /// The directory in a storage that was checked, names by a table of them.
    #[cfg(feature = "std")]
    pub(crate) fn directory<'a>(&self, storage: &'a [u8]) -> FileDirectory<'a> {
        let (index, kv) = self.parts(storage);
        FileDirectory::checked(self.sections, index, kv, true)
    }

    /// Index and key-value section.
    fn parts<'a>(&self, storage: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let section = |place: Range<u64>| {
            let start = usize::try_from(place.start.saturating_sub(self.from)).ok();
            let len = usize::try_from(place.end.saturating_sub(place.start)).ok();
            let bytes = start.and_then(|start| storage.get(start..))?;
            bytes.get(..len?)
        };
        let index = section(self.sections.index()).unwrap_or_default();
        let kv = self.sections.kv().and_then(section).unwrap_or_default();
        (index, kv)
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
pub(super) fn fill<R: ReadAt>(
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
