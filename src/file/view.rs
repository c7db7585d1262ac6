//! A container in one slice: flash, a mapped file, the memory of a WASM module.

use core::ops::Range;

use super::crc::crc32c;
use super::entry::{Entry, RawEntry, split_name};
use super::kv::{KvEntries, KvSection};
use super::order::FileIndex;
use super::sections::{FileHeader, Sections, Trailer, long_enough, magic};
use super::spot::{Spot, require};
use super::tensor::{TensorView, check_data, read_descriptor};
use crate::check::Judge;
use crate::error::{Error, Field};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::container::{ENTRY_MINIMUM, INDEX_HEAD, TRAILER};
use crate::wire::{length, record, u64};

/// A container whose header, trailer, index and key-value section are right.
///
/// Tensors are looked at when they are asked for. Nothing is copied, and opening takes one pass over the
/// index; [`unchecked`](Self::unchecked) says what that leaves open.
#[derive(Clone, Copy, Debug)]
pub struct FileView<'a> {
    bytes: &'a [u8],
    sections: Sections,
}

/// What opening a container left unchecked, for want of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Unchecked {
    /// Whether each name is there once (FILE-17).
    pub names: bool,
    /// Whether each key is there once (FILE-33).
    pub keys: bool,
    /// Whether tensors share bytes (FILE-40).
    pub ranges: bool,
}

impl<'a> FileView<'a> {
    /// Opens a container that is in memory as a whole.
    ///
    /// # Errors
    ///
    /// FILE-01 to FILE-40 as far as header, trailer, index and key-value section can break them; FILE-08
    /// where there is no room for header and trailer.
    pub fn open(bytes: &'a [u8], policy: &Policy) -> Result<Self, Error> {
        Self::open_with(bytes, &mut { policy })
    }

    pub(super) fn open_with<J: Judge>(bytes: &'a [u8], judge: &mut J) -> Result<Self, Error> {
        magic(bytes)?;
        let file_size = length(bytes.len());
        long_enough(file_size)?;
        let header = FileHeader::read(record(bytes, 0), judge)?;
        let trailer = record(bytes, bytes.len().saturating_sub(TRAILER));
        let sections = Sections::read(header, trailer, file_size, judge)?;
        let view = FileView { bytes, sections };
        view.check_index(judge)?;
        view.check_kv(judge)?;
        Ok(view)
    }

    /// Opens a container and checks what takes memory: words for a sorted table, of which
    /// [`scratch_words`](Self::scratch_words) are enough.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); FILE-17 for a name that is there twice, FILE-33 for such a key, FILE-40 for
    /// tensors that share bytes; a capacity error for too few words.
    pub fn open_with_scratch<'s>(
        bytes: &'a [u8],
        policy: &Policy,
        scratch: &'s mut [u64],
    ) -> Result<FileIndex<'a, 's>, Error> {
        let view = Self::open(bytes, policy)?;
        FileIndex::new(view, &mut { policy }, scratch)
    }

    /// Words that checking the whole index takes: two for each tensor, or one for each key.
    #[must_use]
    pub fn scratch_words(&self) -> u64 {
        let tensors = self.tensor_count().saturating_mul(2);
        tensors.max(self.kv().left().into())
    }

    /// What the file starts with.
    #[must_use]
    pub const fn header(&self) -> &FileHeader {
        &self.sections.header
    }

    /// What the file ends with.
    #[must_use]
    pub const fn trailer(&self) -> &Trailer {
        &self.sections.trailer
    }

    /// How many tensors there are, heads of composites among them.
    #[must_use]
    pub fn tensor_count(&self) -> u64 {
        u64(self.index(), 0)
    }

    /// The tensors, in the order of the index.
    #[must_use]
    pub fn entries(&self) -> Entries<'a> {
        let index = self.index();
        Entries {
            rest: index.get(INDEX_HEAD..).unwrap_or_default(),
            end: self.sections.index().end,
            left: u64(index, 0),
        }
    }

    /// The entry of a name: one pass over the index.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Entry<'a>> {
        self.entries().find(|entry| entry.name == name)
    }

    /// What the file says about itself.
    #[must_use]
    pub fn kv(&self) -> KvEntries<'a> {
        KvEntries::new(self.kv_section())
    }

    /// The tensor of an entry of this file.
    ///
    /// # Errors
    ///
    /// The rules of descriptors (see [`DescriptorView::parse`](crate::DescriptorView::parse)); FILE-21 to FILE-24 where index and
    /// descriptor disagree.
    pub fn tensor(&self, entry: &Entry<'a>, policy: &Policy) -> Result<TensorView<'a>, Error> {
        self.tensor_with(entry, policy, &mut { policy })
    }

    pub(super) fn tensor_with<J: Judge>(
        &self,
        entry: &Entry<'a>,
        policy: &Policy,
        judge: &mut J,
    ) -> Result<TensorView<'a>, Error> {
        let front = self.slice(entry.descriptor_offset..self.sections.end);
        let descriptor = read_descriptor(front, entry, policy)?;
        check_data(entry, &descriptor, &self.sections, judge)?;
        let alignment = self.sections.header.data_buffer_alignment;
        Ok(TensorView::new(*entry, descriptor, self.bytes, alignment))
    }

    /// What a plain [`open`](Self::open) could not check.
    #[must_use]
    pub fn unchecked(&self) -> Unchecked {
        Unchecked {
            names: !self.sections.header.is_sorted(),
            keys: true,
            ranges: true,
        }
    }

    pub(super) const fn sections(&self) -> &Sections {
        &self.sections
    }

    /// The entry at an absolute offset, as it stands in the index.
    pub(super) fn raw_entry(&self, at: u64) -> Option<RawEntry<'a>> {
        RawEntry::split(&mut self.slice(at..self.sections.index().end))
    }

    /// The entry at an absolute offset.
    pub(super) fn entry_at(&self, at: u64) -> Option<Entry<'a>> {
        self.raw_entry(at).map(|raw| raw.entry(at))
    }

    /// The keys, and where their entries are.
    pub(super) fn kv_places(&self) -> impl Iterator<Item = u64> + use<'a> {
        let mut entries = self.kv();
        core::iter::from_fn(move || {
            let at = entries.at();
            entries.next().map(|_| at)
        })
    }

    /// The key of the entry at an absolute offset.
    pub(super) fn kv_key(&self, at: u64) -> &'a [u8] {
        let end = self.sections.kv().map_or(at, |kv| kv.end);
        let mut entry = self.slice(at..end);
        split_name(&mut entry).unwrap_or_default()
    }

    fn check_index<J: Judge>(&self, judge: &mut J) -> Result<(), Error> {
        let (index, place) = (self.index(), self.sections.index());
        if self.sections.header.has_index_crc32c() {
            let at = self.sections.trailer_spot(Field::IndexCrc32c);
            let same = crc32c(0, index) == self.sections.trailer.index_crc32c;
            require(judge, same, Rule::IndexChecksum, at)?;
        }
        let mut entries = self.entries();
        let count = entries.left;
        let most = length(entries.rest.len().wrapping_div(ENTRY_MINIMUM));
        if index.len() < INDEX_HEAD || count > most {
            return Err(Spot::new(Field::IndexEntryCount, place.start).error(FIT));
        }
        let mut first = u64::MAX;
        let mut last = "";
        while entries.left > 0 {
            let (raw, entry) = entries.split()?;
            raw.check(&entry, &self.sections, judge)?;
            let ascends = !self.sections.header.is_sorted() || last < entry.name;
            require(judge, ascends, Rule::SortedNames, entry.spot(Field::Name))?;
            last = entry.name;
            first = first.min(entry.descriptor_offset);
        }
        let filled = entries.rest.is_empty() || self.sections.header.version_minor > 0;
        let at = Spot::new(Field::IndexTail, entries.at());
        require(judge, filled, Rule::IndexTail, at)?;
        let named = self.sections.header.first_descriptor_offset;
        self.sections.first_is(judge, count == 0 || first == named)
    }

    fn check_kv<J: Judge>(&self, judge: &mut J) -> Result<(), Error> {
        let mut section = self.kv_section();
        if self.sections.kv().is_none() {
            return Ok(());
        }
        let count = section.count()?;
        for _ in 0..count {
            if section.entry(judge)?.is_none() {
                return Ok(());
            }
        }
        match self.sections.header.version_minor {
            0 => section.finish(judge),
            _ => Ok(()),
        }
    }

    fn index(&self) -> &'a [u8] {
        self.slice(self.sections.index())
    }

    fn kv_section(&self) -> KvSection<'a> {
        let place = self.sections.kv().unwrap_or(0..0);
        KvSection::new(self.slice(place.clone()), place.start)
    }

    /// Bytes of the file; none where it has no such place.
    fn slice(&self, place: Range<u64>) -> &'a [u8] {
        let place = usize::try_from(place.start)
            .ok()
            .zip(usize::try_from(place.end).ok());
        let bytes = place.and_then(|(start, end)| self.bytes.get(start..end));
        bytes.unwrap_or_default()
    }
}

/// What is wrong where entries do not fit the index.
const FIT: Rule = Rule::IndexEntries;

/// The entries of an index, in its order.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    rest: &'a [u8],
    /// Absolute offset behind the index.
    end: u64,
    left: u64,
}

impl<'a> Entries<'a> {
    fn split(&mut self) -> Result<(RawEntry<'a>, Entry<'a>), Error> {
        let at = self.at();
        let Some(raw) = RawEntry::split(&mut self.rest) else {
            return Err(Spot::new(Field::NameLength, at).error(FIT));
        };
        self.left = self.left.saturating_sub(1);
        Ok((raw, raw.entry(at)))
    }

    /// Absolute offset of the next entry.
    fn at(&self) -> u64 {
        self.end.saturating_sub(length(self.rest.len()))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    #[inline]
    fn next(&mut self) -> Option<Entry<'a>> {
        if self.left == 0 {
            return None;
        }
        self.split().ok().map(|(_, entry)| entry)
    }
}
