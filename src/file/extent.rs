//! Where the sections of a container are, read from a source of ranges.

use core::ops::Range;
use core::slice;

use super::ascent::Survey;
use super::directory::FileDirectory;
use super::range::{ReadAt, ReadError};
use super::sections::{FileHeader, Sections, long_enough, magic};
use crate::check::Judge;
use crate::error::{Error, ErrorKind, Resource};
use crate::policy::Policy;
use crate::wire::container::{FILE_HEADER, PLACEMENT, TRAILER};
use crate::wire::{length, record};

/// Header and trailer of a container, and which parts of it are in the storage.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    sections: Sections,
    /// They stand one behind the other.
    parts: [Range<u64>; 2],
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
        let parts = [tail.start..file_size, file_size..file_size];
        Ok(Extent { sections, parts })
    }

    /// Reads index and key-value section to the front of `storage`, where not both are there.
    pub(crate) fn load<R: ReadAt>(
        &mut self,
        source: &mut R,
        storage: &mut [u8],
    ) -> Result<(), ReadError<R::Error>> {
        let Some(parts) = self.missing() else {
            return Ok(());
        };
        let mut room = room(storage, needed(&parts), parts[0].start)?;
        for part in &parts {
            let len = usize::try_from(needed(slice::from_ref(part))).unwrap_or(usize::MAX);
            // there is room for both
            let (into, rest) = room.split_at_mut_checked(len).unwrap_or_default();
            if !into.is_empty() {
                source
                    .read_at(part.start, into)
                    .map_err(ReadError::Source)?;
            }
            room = rest;
        }
        self.parts = parts;
        Ok(())
    }

    /// Bytes of storage that [`load`](Self::load) takes.
    #[cfg(feature = "std")]
    pub(crate) fn storage_len(&self) -> u64 {
        self.missing().map_or(0, |parts| needed(&parts))
    }

    /// Where index and key-value section are, if not both are in the storage. What lies far between them is left
    /// out.
    fn missing(&self) -> Option<[Range<u64>; 2]> {
        let index = self.sections.index();
        let kv = self.sections.kv().unwrap_or(index.end..index.end);
        let [there, _] = &self.parts;
        if there.start <= index.start.min(kv.start) {
            return None;
        }
        let (first, second) = match kv.start < index.start {
            true => (kv, index),
            false => (index, kv),
        };
        Some(match second.start.saturating_sub(first.end) < PLACEMENT {
            true => {
                let end = first.end.max(second.end);
                [first.start..end, end..end]
            }
            false => [first, second],
        })
    }

    /// Checks index and key-value section in the storage that they were read into.
    pub(crate) fn check<'a, J: Judge>(
        &self,
        storage: &'a [u8],
        judge: &mut J,
    ) -> Result<FileDirectory<'a>, Error> {
        let unknown = self.directory(storage, Survey::default());
        let (directory, _) = unknown.check(judge, &mut [])?;
        Ok(directory)
    }

    /// The directory in a storage, of which `survey` tells what is known.
    pub(crate) fn directory<'a>(&self, storage: &'a [u8], survey: Survey) -> FileDirectory<'a> {
        let (index, kv) = self.sections(storage);
        FileDirectory::new(self.sections, index, kv, survey)
    }

    /// Index and key-value section.
    fn sections<'a>(&self, storage: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let section = |place: Range<u64>| {
            let [first, second] = &self.parts;
            let (part, behind) = match place.start < first.end {
                true => (first, 0),
                false => (second, first.end.saturating_sub(first.start)),
            };
            let start = behind.saturating_add(place.start.saturating_sub(part.start));
            let len = usize::try_from(place.end.saturating_sub(place.start)).ok()?;
            storage.get(usize::try_from(start).ok()?..)?.get(..len)
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

/// Bytes of all parts.
fn needed(parts: &[Range<u64>]) -> u64 {
    let lens = parts.iter().map(|part| part.end.saturating_sub(part.start));
    lens.fold(0, u64::saturating_add)
}

/// Reads a range to the front of the storage.
pub(super) fn fill<R: ReadAt>(
    source: &mut R,
    storage: &mut [u8],
    place: &Range<u64>,
) -> Result<(), ReadError<R::Error>> {
    let into = room(storage, needed(slice::from_ref(place)), place.start)?;
    source.read_at(place.start, into).map_err(ReadError::Source)
}

/// The front of a storage, for what starts at an absolute offset.
fn room(storage: &mut [u8], needed: u64, at: u64) -> Result<&mut [u8], Error> {
    let available = length(storage.len());
    let front = usize::try_from(needed)
        .ok()
        .and_then(|len| storage.get_mut(..len));
    let kind = ErrorKind::Capacity {
        what: Resource::Frame,
        needed,
        available,
    };
    front.ok_or(Error::new(kind, at))
}
