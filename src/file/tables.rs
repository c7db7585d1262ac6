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
    places: Places,
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
    /// Before the first entry; nothing but the place of the index need be known.
    pub(super) fn new(directory: FileDirectory<'a>, scratch: &'s mut [u64]) -> Self {
        let slots = slots(&directory);
        let available = length(scratch.len());
        let (slots, rest) = scratch.split_at_mut_checked(slots).unwrap_or_default();
        slots.fill(0);
        Tabling {
            names: Names::new(directory),
            places: Places::default(),
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
        self.places.add(raw);
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
            names,
            mut places,
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
        let (by_name, by_place) = if is_whole && !places.descend {
            (ByName::Spread(slots), &mut [][..])
        } else {
            let half = slots.len().wrapping_shr(1);
            let (words, mut by_place) = slots.split_at_mut_checked(half).unwrap_or_default();
            names.sort(words);
            check_names(&names, words, judge)?;
            match places.descend {
                true => places = sort_places(&directory, by_place),
                false => by_place = &mut [],
            }
            (ByName::Sorted(words), by_place)
        };
        if let Some(entry) = places.overlap.and_then(|at| directory.entry_at(at)) {
            let at = entry.spot(Field::DescriptorOffset);
            directory.sections().require_order(judge, false, at)?;
        }
        Ok(FileIndex::new(directory, by_name, by_place))
    }
}

/// Words of the tables: of a spread one, or one for each name and one for each place.
pub(super) fn slots(directory: &FileDirectory<'_>) -> usize {
    let words = directory.tensor_count().saturating_mul(2);
    usize::try_from(words).unwrap_or(usize::MAX)
}

/// Whether tensors descend, and end before the next one starts.
#[derive(Default)]
struct Places {
    last: u64,
    behind: u64,
    descend: bool,
    /// The entry of the first that starts too early.
    overlap: Option<u64>,
}

impl Places {
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
        self.descend |= raw.descriptor_offset() < self.last;
        self.overlap = self.overlap.or(Some(raw.at));
        self.behind = self.behind.max(raw.end());
    }
}

/// Makes a table of where entries are, in the order of their tensors.
fn sort_places(directory: &FileDirectory<'_>, by_place: &mut [u64]) -> Places {
    for (raw, word) in directory.entries().raw().zip(&mut *by_place) {
        *word = raw.at;
    }
    let key = |at| directory.raw_entry(at).map(|raw| raw.descriptor_offset());
    sort(by_place, |a, b| key(a).cmp(&key(b)).then(a.cmp(&b)));
    let mut places = Places::default();
    for at in &*by_place {
        if let Some(raw) = directory.raw_entry(*at) {
            places.add(&raw);
        }
    }
    places
}

/// Equal names are neighbours.
fn check_names<J: Judge>(names: &Names<'_>, words: &[u64], judge: &mut J) -> Result<(), Error> {
    for (a, b) in words.iter().zip(words.iter().skip(1)) {
        if let Some(twice) = names.same(*a, *b) {
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
    let mut last = None;
    for at in words.iter().copied() {
        let twice = last.is_some_and(|last| key(last) == key(at));
        require_key(!twice, key_spot(at))?;
        last = Some(at);
    }
    Ok(())
}
