//! Tables of names and places, made while an index is read, and what only they show.

use heapless::Vec;

use super::directory::FileDirectory;
use super::entry::{RawEntry, require_name};
use super::kv::{key_spot, require_key};
use super::names::{Names, Spelling};
use super::order::{ByName, FileIndex};
use crate::check::Judge;
use crate::error::{Error, ErrorKind, Field, Resource};
use crate::sort::sort;
use crate::wire::length;

/// Tables that are being made.
pub(super) struct Tabling<'a, 's> {
    names: Names<'a>,
    ascent: Ascent,
    /// Twice as many as names.
    slots: &'s mut [u64],
    /// As many as keys, or more.
    rest: &'s mut [u64],
    /// Words that were lent.
    available: u64,
    /// Whether each name so far has a slot, and none was there before.
    is_whole: bool,
    /// Words of the last entries, which have no slot yet: put there together, hashes and slots wait less for
    /// each other.
    waiting: Vec<u64, 32>,
}

impl<'a, 's> Tabling<'a, 's> {
    /// Before the first entry; of the index nothing but its place and its count of entries is looked at.
    pub(super) fn new(directory: FileDirectory<'a>, scratch: &'s mut [u64]) -> Self {
        let len = usize::try_from(directory.table_words()).unwrap_or(usize::MAX);
        let available = length(scratch.len());
        let (slots, rest) = scratch.split_at_mut_checked(len).unwrap_or_default();
        slots.fill(0);
        Tabling {
            names: Names::new(directory),
            ascent: Ascent::default(),
            slots,
            rest,
            available,
            is_whole: true,
            waiting: Vec::new(),
        }
    }

    /// Takes the next entry.
    #[inline]
    pub(super) fn add(&mut self, raw: &RawEntry<'_>, spelling: Spelling) {
        self.ascent.add(raw);
        // it was emptied when it was full
        let _ = self.waiting.push(self.names.word(spelling.hash, raw.at));
        if self.waiting.is_full() {
            self.spread();
        }
    }

    #[inline(never)]
    fn spread(&mut self) {
        self.is_whole = self.is_whole && self.names.spread(&self.waiting, self.slots);
        self.waiting.clear();
    }

    /// Checks and completes the tables of an index that is right in itself.
    pub(super) fn finish<J: Judge>(
        mut self,
        directory: FileDirectory<'a>,
        judge: &mut J,
    ) -> Result<FileIndex<'a, 's>, Error> {
        self.spread();
        let Tabling {
            ascent,
            slots,
            rest,
            available,
            is_whole,
            ..
        } = self;
        let needed = directory.scratch_words();
        if needed > available {
            let kind = ErrorKind::Capacity {
                what: Resource::Arena,
                needed,
                available,
            };
            return Err(Error::new(kind, directory.trailer().index_offset));
        }
        check_keys(&directory, rest)?;
        // of the directory that was checked in the meantime
        let names = Names::new(directory);
        if is_whole && !ascent.descends {
            ascent.check(&directory, judge)?;
            return Ok(FileIndex::new(names, ByName::Spread(slots), &[]));
        }
        let half = slots.len().wrapping_shr(1);
        let (by_name, by_place) = slots.split_at_mut_checked(half).unwrap_or_default();
        names.sort(by_name);
        check_names(&names, by_name, judge)?;
        if !ascent.descends {
            ascent.check(&directory, judge)?;
            return Ok(FileIndex::new(names, ByName::Sorted(by_name), &[]));
        }
        sort_places(&directory, by_place).check(&directory, judge)?;
        Ok(FileIndex::new(names, ByName::Sorted(by_name), by_place))
    }
}

/// Whether tensors come in the order of their places, and end before the next one starts.
#[derive(Default)]
struct Ascent {
    last: u64,
    behind: u64,
    descends: bool,
    /// The entry of the first that starts too early.
    overlap: Option<u64>,
}

impl Ascent {
    #[inline]
    fn add(&mut self, raw: &RawEntry<'_>) {
        let start = raw.descriptor_offset();
        if start < self.behind {
            self.add_early(raw);
        } else {
            self.behind = raw.end();
        }
        self.last = start;
    }

    #[inline(never)]
    fn add_early(&mut self, raw: &RawEntry<'_>) {
        self.descends |= raw.descriptor_offset() < self.last;
        self.overlap = self.overlap.or(Some(raw.at));
        self.behind = self.behind.max(raw.end());
    }

    /// Requires of tensors in the order of their places that they share no bytes.
    fn check<J: Judge>(&self, directory: &FileDirectory<'_>, judge: &mut J) -> Result<(), Error> {
        let Some(entry) = self.overlap.and_then(|at| directory.entry_at(at)) else {
            return Ok(());
        };
        let at = entry.spot(Field::DescriptorOffset);
        directory.sections().require_order(judge, false, at)
    }
}

/// Makes a table of where entries are, in the order of their tensors.
fn sort_places(directory: &FileDirectory<'_>, by_place: &mut [u64]) -> Ascent {
    for (raw, word) in directory.entries().raw().zip(&mut *by_place) {
        *word = raw.at;
    }
    let key = |at| directory.raw_entry(at).map(|raw| raw.descriptor_offset());
    sort(by_place, |a, b| key(a).cmp(&key(b)).then(a.cmp(&b)));
    let mut ascent = Ascent::default();
    for at in &*by_place {
        if let Some(raw) = directory.raw_entry(*at) {
            ascent.add(&raw);
        }
    }
    ascent
}

/// Words, each with the one behind it.
fn neighbours(words: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    let behind = words.get(1..).unwrap_or_default();
    words.iter().copied().zip(behind.iter().copied())
}

/// Equal names are neighbours.
fn check_names<J: Judge>(names: &Names<'_>, words: &[u64], judge: &mut J) -> Result<(), Error> {
    for (a, b) in neighbours(words) {
        if let Some(twice) = names.same(a, b) {
            require_name(judge, false, true, twice.spot(Field::Name))?;
        }
    }
    Ok(())
}

/// Sorts the keys in the scratch and compares neighbours.
fn check_keys(directory: &FileDirectory<'_>, scratch: &mut [u64]) -> Result<(), Error> {
    let mut used = 0usize;
    for (at, word) in directory.kv_places().zip(scratch.iter_mut()) {
        *word = at;
        used = used.saturating_add(1);
    }
    let words = scratch.get_mut(..used).unwrap_or_default();
    let key = |at: u64| directory.kv_key(at);
    sort(words, |a, b| key(a).cmp(key(b)).then(a.cmp(&b)));
    for (a, b) in neighbours(words) {
        require_key(key(a) != key(b), key_spot(b))?;
    }
    Ok(())
}
