//! A container with tables in memory that the caller lends: names by hash, tensors by place.

use core::cmp::Ordering;
use core::slice;

use super::directory::{Entries, FileDirectory};
use super::entry::{Entry, RawEntry, require_name};
use super::kv::{key_spot, require_key};
use crate::check::Judge;
use crate::error::{Error, ErrorKind, Field, Resource};
use crate::sort::{sort, sort_spread};
use crate::wire::length;

/// A container of which everything was checked that its index can break: each name and key is there once,
/// and each tensor ends in front of the next descriptor.
///
/// A name is found by binary search, and tensors come in the order of their places, as composites need
/// them. Made by [`FileDirectory::index`].
#[derive(Clone, Copy, Debug)]
pub struct FileIndex<'a, 's> {
    directory: FileDirectory<'a>,
    names: Names<'a>,
    /// Words of `names`, ascending.
    by_name: &'s [u64],
    /// Where entries are in the file, by ascending `descriptor_offset`; empty where they are so in the index.
    by_place: &'s [u64],
}

impl<'a, 's> FileIndex<'a, 's> {
    pub(crate) fn new<J: Judge>(
        directory: FileDirectory<'a>,
        judge: &mut J,
        scratch: &'s mut [u64],
    ) -> Result<Self, Error> {
        let (needed, available) = (directory.scratch_words(), length(scratch.len()));
        if needed > available {
            let kind = ErrorKind::Capacity {
                what: Resource::Arena,
                needed,
                available,
            };
            return Err(Error::new(kind, directory.trailer().index_offset));
        }
        check_keys(&directory, scratch)?;
        // so many words are there
        let count = usize::try_from(directory.tensor_count()).unwrap_or(usize::MAX);
        let (by_name, rest) = scratch.split_at_mut_checked(count).unwrap_or_default();
        let (by_place, _) = rest.split_at_mut_checked(count).unwrap_or_default();
        let names = Names::new(directory);
        let mut places = Places::default();
        for (raw, word) in directory.entries().raw().zip(&mut *by_name) {
            *word = names.word(raw.name, raw.at);
            places.add(&raw);
        }
        sort_spread(by_name, by_place, |a, b| names.compare(a, b));
        let by_place = match places.ascend() {
            true => &mut [],
            false => by_place,
        };
        if !by_place.is_empty() {
            for (raw, word) in directory.entries().raw().zip(&mut *by_place) {
                *word = raw.at;
            }
            let key = |at| directory.raw_entry(at).map(|raw| raw.descriptor_offset());
            sort(by_place, |a, b| key(a).cmp(&key(b)).then(a.cmp(&b)));
            places = Places::default();
            for at in &*by_place {
                if let Some(raw) = directory.raw_entry(*at) {
                    places.add(&raw);
                }
            }
        }
        let index = FileIndex {
            directory,
            names,
            by_name,
            by_place,
        };
        index.check_names(judge)?;
        if let Some(entry) = places.overlap.and_then(|at| directory.entry_at(at)) {
            let at = entry.spot(Field::DescriptorOffset);
            directory.sections().require_order(judge, false, at)?;
        }
        Ok(index)
    }

    /// The tables in the words that they were made in.
    #[cfg(feature = "std")]
    pub(crate) fn again(directory: FileDirectory<'a>, tables: Tables, words: &'s [u64]) -> Self {
        let count = usize::try_from(directory.tensor_count()).unwrap_or(usize::MAX);
        let (by_name, rest) = words.split_at_checked(count).unwrap_or_default();
        let by_place = match tables.by_place {
            true => rest.get(..count).unwrap_or_default(),
            false => &[],
        };
        FileIndex {
            directory,
            names: Names::new(directory),
            by_name,
            by_place,
        }
    }

    /// What [`again`](Self::again) has to know.
    #[cfg(feature = "std")]
    pub(crate) fn tables(&self) -> Tables {
        let entries = self.by_name.iter().map(|word| self.names.at(*word));
        let behind = entries.max().and_then(|at| self.directory.entry_end(at));
        Tables {
            by_place: !self.by_place.is_empty(),
            behind: behind.unwrap_or(0),
        }
    }

    /// The tensors in the order of their places, from one of them on.
    #[cfg(feature = "std")]
    pub(crate) fn onwards(&self, entry: &Entry<'_>, tables: Tables) -> OrderedEntries<'a, 's> {
        let wanted = (Some(entry.descriptor_offset), entry.offset);
        let first = self.by_place.partition_point(|at| {
            let raw = self.directory.raw_entry(*at);
            (raw.map(|raw| raw.descriptor_offset()), *at) < wanted
        });
        let places = self.by_place.get(first..).unwrap_or_default();
        OrderedEntries {
            entries: self.directory.entries_between(entry.offset, tables.behind),
            directory: self.directory,
            by_place: places.iter(),
            tabled: tables.by_place,
        }
    }

    /// What the tables are of.
    #[must_use]
    pub const fn directory(&self) -> &FileDirectory<'a> {
        &self.directory
    }

    /// The entry of a name; the first of several that permissive mode let pass.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Entry<'a>> {
        let name = name.as_bytes();
        let wanted = self.names.word(name, 0);
        let before = |word: &u64| self.names.compare_to(*word, wanted, name).is_lt();
        let place = self.by_name.partition_point(before);
        let raw = self.names.raw_entry(*self.by_name.get(place)?)?;
        (raw.name == name).then(|| raw.entry())
    }

    /// The tensors in the order of their places: a head, then its members.
    #[must_use]
    pub fn in_order(&self) -> OrderedEntries<'a, 's> {
        OrderedEntries {
            entries: self.directory.entries(),
            directory: self.directory,
            by_place: self.by_place.iter(),
            tabled: !self.by_place.is_empty(),
        }
    }

    /// Equal names are neighbours.
    fn check_names<J: Judge>(&self, judge: &mut J) -> Result<(), Error> {
        let mut words = self.by_name.iter();
        let mut last = words.next();
        for word in words {
            if last.is_some_and(|last| self.names.same_hash(*last, *word)) {
                let pair = last
                    .and_then(|last| self.names.raw_entry(*last))
                    .zip(self.names.raw_entry(*word));
                if let Some((a, b)) = pair {
                    let at = b.spot(Field::Name);
                    require_name(judge, a.name != b.name, true, at)?;
                }
            }
            last = Some(word);
        }
        Ok(())
    }
}

/// What making tables found out.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables {
    /// Whether there is one of places.
    by_place: bool,
    /// Where the last entry ends.
    behind: u64,
}

/// The tensors of a container in the order of their places.
#[derive(Clone, Debug)]
pub struct OrderedEntries<'a, 's> {
    entries: Entries<'a>,
    directory: FileDirectory<'a>,
    by_place: slice::Iter<'s, u64>,
    tabled: bool,
}

impl<'a> Iterator for OrderedEntries<'a, '_> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        match self.tabled {
            true => self.directory.entry_at(*self.by_place.next()?),
            false => self.entries.next(),
        }
    }
}

/// Whether tensors ascend and end before the next one starts.
#[derive(Default)]
struct Places {
    last: u64,
    behind: u64,
    descends: bool,
    /// The entry of the first that starts too early.
    overlap: Option<u64>,
}

impl Places {
    #[inline]
    fn add(&mut self, raw: &RawEntry<'_>) {
        let start = raw.descriptor_offset();
        self.descends |= start < self.last;
        self.last = start;
        if start < self.behind && self.overlap.is_none() {
            self.overlap = Some(raw.at);
        }
        self.behind = self.behind.max(raw.end());
    }

    const fn ascend(&self) -> bool {
        !self.descends
    }
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

/// How names become words: a hash, then where the entry is in the index, so that most comparisons look at
/// no name.
#[derive(Clone, Copy, Debug)]
struct Names<'a> {
    directory: FileDirectory<'a>,
    /// The bits that the hash takes.
    mask: u64,
    /// Where the index starts.
    start: u64,
}

impl<'a> Names<'a> {
    fn new(directory: FileDirectory<'a>) -> Self {
        let trailer = directory.trailer();
        let place_bits = u64::BITS.wrapping_sub(trailer.index_length.leading_zeros());
        Names {
            directory,
            mask: u64::MAX.checked_shl(place_bits).unwrap_or(0),
            start: trailer.index_offset,
        }
    }

    /// The word of a name whose entry is at an absolute offset.
    #[inline]
    fn word(&self, name: &[u8], at: u64) -> u64 {
        hash(name) & self.mask | at.saturating_sub(self.start) & !self.mask
    }

    fn raw_entry(&self, word: u64) -> Option<RawEntry<'a>> {
        self.directory.raw_entry(self.at(word))
    }

    /// Where the entry of a word is in the file.
    fn at(&self, word: u64) -> u64 {
        self.start.saturating_add(word & !self.mask)
    }

    #[inline]
    fn same_hash(&self, a: u64, b: u64) -> bool {
        (a ^ b) & self.mask == 0
    }

    /// By hash, then by name, then by place.
    fn compare(&self, a: u64, b: u64) -> Ordering {
        if !self.same_hash(a, b) {
            return a.cmp(&b);
        }
        let name = |word| self.raw_entry(word).map(|raw| raw.name);
        name(a).cmp(&name(b)).then(a.cmp(&b))
    }

    /// A word against the word and the name that are looked for.
    fn compare_to(&self, word: u64, wanted: u64, name: &[u8]) -> Ordering {
        if !self.same_hash(word, wanted) {
            return word.cmp(&wanted);
        }
        self.raw_entry(word).map(|raw| raw.name).cmp(&Some(name))
    }
}

/// Spreads names over 64 bits. Names that are made to collide cost comparisons of names, no more.
fn hash(name: &[u8]) -> u64 {
    // 2^64 divided by the golden ratio
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |sum: u64, word: [u8; 8]| {
        let mixed = (sum ^ u64::from_le_bytes(word)).wrapping_mul(SPREAD);
        mixed ^ mixed.wrapping_shr(29)
    };
    let (words, rest) = name.as_chunks();
    let mut sum = words
        .iter()
        .fold(length(name.len()), |sum, word| mix(sum, *word));
    if !rest.is_empty() {
        let mut last = [0; 8];
        for (slot, byte) in last.iter_mut().zip(rest) {
            *slot = *byte;
        }
        // those that came before once more, where there are some
        sum = mix(sum, name.last_chunk().copied().unwrap_or(last));
    }
    sum.wrapping_mul(SPREAD)
}
