//! What a container says of its tensors: header, index, key-value section and trailer, without the data.

use super::ascent::{Ascent, Survey};
use super::crc::crc32c;
use super::entry::{Entry, RawEntry, split_name};
use super::kv::{KvEntries, KvSection};
use super::order::FileIndex;
use super::runs::{NameRuns, follows};
use super::sections::{FileHeader, Sections, Trailer};
use super::tables::make_tables;
use crate::check::Judge;
use crate::error::{Error, Field};
use crate::policy::Policy;
use crate::record::Spot;
use crate::rule::Rule;
use crate::wire::container::{ENTRY_MINIMUM, FILE_HEADER, INDEX_HEAD};
use crate::wire::{length, u64};

/// The header, index, key-value section and trailer of a container, which are right.
#[derive(Clone, Copy, Debug)]
pub struct FileDirectory<'a> {
    sections: Sections,
    index: &'a [u8],
    /// Empty where there is none.
    kv: &'a [u8],
    survey: Survey,
}

impl<'a> FileDirectory<'a> {
    /// Index and key-value section, which are where `sections` says, and of which `survey` is known.
    pub(super) const fn new(
        sections: Sections,
        index: &'a [u8],
        kv: &'a [u8],
        survey: Survey,
    ) -> Self {
        FileDirectory {
            sections,
            index,
            kv,
            survey,
        }
    }

    /// Checks index and key-value section, and notes the offsets of entries, as far as there is room.
    pub(super) fn check<J: Judge>(
        mut self,
        judge: &mut J,
        offsets: &mut [u64],
    ) -> Result<(Self, NameRuns), Error> {
        let (survey, runs) = self.check_index(judge, offsets)?;
        self.survey = survey;
        self.check_kv(judge)?;
        Ok((self, runs))
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
        u64(self.index, 0)
    }

    /// The tensors, in the order of the index.
    #[must_use]
    pub fn entries(&self) -> Entries<'a> {
        Entries {
            rest: self.index.get(INDEX_HEAD..).unwrap_or_default(),
            end: self.sections.index().end,
            left: self.tensor_count(),
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

    /// Checks what takes memory, and makes tables of the tensors in words that the caller lends.
    ///
    /// # Errors
    ///
    /// FILE-17 for a name that is there twice, FILE-33 for such a key, FILE-40 for a tensor that does not end in
    /// front of the next descriptor;
    /// a capacity error for fewer words than [`scratch_words`](Self::scratch_words).
    pub fn index<'s>(
        &self,
        policy: &Policy,
        scratch: &'s mut [u64],
    ) -> Result<FileIndex<'a, 's>, Error> {
        self.index_with(&mut { policy }, scratch)
    }

    pub(crate) fn index_with<'s, J: Judge>(
        &self,
        judge: &mut J,
        scratch: &'s mut [u64],
    ) -> Result<FileIndex<'a, 's>, Error> {
        let (mut runs, mut last) = (NameRuns::default(), &[][..]);
        for (raw, offset) in self.entries().raw().zip(&mut *scratch) {
            *offset = raw.at;
            if !runs.are_many() {
                runs.add(last, raw.name, raw.at);
            }
            last = raw.name;
        }
        make_tables(*self, &runs, judge, scratch)
    }

    /// Words that [`index`](Self::index) takes: two for each tensor, and one for each key.
    #[must_use]
    pub fn scratch_words(&self) -> u64 {
        // what the section states need not be there behind a private value
        let keys = length(self.kv_places().count());
        self.table_words().saturating_add(keys)
    }

    /// Words of the tables: a table of names of which half is free, or one of names and one of places.
    pub(super) fn table_words(&self) -> u64 {
        self.tensor_count().saturating_mul(2)
    }

    /// What only [`index`](Self::index) checks.
    #[must_use]
    pub const fn unchecked(&self) -> Unchecked {
        Unchecked {
            names: !self.survey.names_ascend,
            keys: true,
            ranges: !self.survey.places_ascend,
            tensors: false,
            checksum: false,
        }
    }

    /// Where the tensors end and the other sections start.
    #[must_use]
    pub fn region_end(&self) -> u64 {
        self.sections.region_end()
    }

    pub(super) const fn survey(&self) -> Survey {
        self.survey
    }

    pub(super) const fn sections(&self) -> &Sections {
        &self.sections
    }

    /// The entry at an absolute offset, as it stands in the index.
    pub(super) fn raw_entry(&self, at: u64) -> Option<RawEntry<'a>> {
        RawEntry::split(&mut self.index_from(at), at)
    }

    /// The name of the entry at an absolute offset.
    pub(super) fn name_at(&self, at: u64) -> &'a [u8] {
        split_name(&mut self.index_from(at)).unwrap_or_default()
    }

    fn index_from(&self, at: u64) -> &'a [u8] {
        from(self.index, at, self.trailer().index_offset)
    }

    /// The entry at an absolute offset.
    pub(super) fn entry_at(&self, at: u64) -> Option<Entry<'a>> {
        self.raw_entry(at).map(|raw| raw.entry())
    }

    /// Where the entry at an absolute offset ends.
    #[cfg(feature = "std")]
    pub(super) fn entry_end(&self, at: u64) -> Option<u64> {
        let mut entries = self.entries_between(at, self.sections.index().end);
        entries.split().ok()?;
        Some(entries.at())
    }

    /// The entries between two absolute offsets where entries start.
    #[cfg(feature = "std")]
    pub(super) fn entries_between(&self, at: u64, end: u64) -> Entries<'a> {
        let (rest, behind) = (self.index_from(at), self.index_from(end));
        let len = rest.len().saturating_sub(behind.len());
        Entries {
            rest: rest.get(..len).unwrap_or_default(),
            end,
            left: u64::MAX,
        }
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
        let start = self.sections.kv().map_or(at, |kv| kv.start);
        split_name(&mut from(self.kv, at, start)).unwrap_or_default()
    }

    fn check_index<J: Judge>(
        &self,
        judge: &mut J,
        offsets: &mut [u64],
    ) -> Result<(Survey, NameRuns), Error> {
        let header = &self.sections.header;
        if header.has_index_crc32c() {
            self.sections.checksum(judge, crc32c(0, self.index))?;
        }
        let mut entries = self.entries();
        let count = entries.left;
        let most = length(entries.rest.len().wrapping_div(ENTRY_MINIMUM));
        if self.index.len() < INDEX_HEAD || count > most {
            let at = self.sections.index().start;
            return Err(Spot::new(Field::IndexEntryCount, at).error(FIT));
        }
        let region_end = self.region_end();
        let mut offsets = offsets.iter_mut();
        let mut ascent = Ascent::new();
        // nothing follows the empty name, so the first entry is never accepted at a glance, nor is one in front of it
        let (mut last, mut behind) = (&[][..], length(FILE_HEADER));
        while entries.left > 0 {
            let raw = entries.split()?;
            if let Some(offset) = offsets.next() {
                *offset = raw.at;
            }
            behind = match raw.end_behind(behind, region_end) {
                // most, in the order that files are written in
                Some(end) if follows(last, raw.name) => end,
                end => ascent.check(last, behind, end, raw, &self.sections, judge)?,
            };
            last = raw.name;
        }
        header.index_filled(judge, entries.rest.is_empty(), entries.at())?;
        let holds = count == 0 || ascent.first == header.first_descriptor_offset;
        header.first_is(judge, holds)?;
        Ok((ascent.survey(), ascent.runs))
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

    fn kv_section(&self) -> KvSection<'a> {
        let start = self.sections.kv().map_or(0, |kv| kv.start);
        KvSection::new(self.kv, start)
    }
}

/// What stands at an absolute offset of a section that starts at `start`.
fn from(section: &[u8], at: u64, start: u64) -> &[u8] {
    let place = usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX);
    section.get(place..).unwrap_or_default()
}

/// What reading a container left unchecked, for want of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Unchecked {
    /// That each name is there once (FILE-17). Not open where names ascend in the index, whatever the header says.
    pub names: bool,
    /// That each key is there once (FILE-33).
    pub keys: bool,
    /// That each tensor ends in front of the next descriptor (FILE-40). Not open where each entry's tensor starts behind the
    /// end of the one before.
    pub ranges: bool,
    /// Read front to back: that the tensors that were read are those of the index (FILE-20 to FILE-24).
    pub tensors: bool,
    /// Read front to back: the checksum of an index that is longer than its entries (FILE-13).
    pub checksum: bool,
}

/// What is wrong where entries do not fit the index.
pub(super) const FIT: Rule = Rule::IndexEntries;

/// The entries of an index, in its order.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    rest: &'a [u8],
    /// Absolute offset behind the index.
    end: u64,
    left: u64,
}

impl<'a> Entries<'a> {
    /// The entries as they stand in the index.
    pub(super) fn raw(mut self) -> impl Iterator<Item = RawEntry<'a>> {
        core::iter::from_fn(move || (self.left > 0).then(|| self.split().ok())?)
    }

    #[inline]
    fn split(&mut self) -> Result<RawEntry<'a>, Error> {
        let at = self.at();
        self.left = self.left.saturating_sub(1);
        let raw = RawEntry::split(&mut self.rest, at);
        raw.ok_or_else(|| Spot::new(Field::NameLength, at).error(FIT))
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
        self.split().ok().map(|raw| raw.entry())
    }
}
