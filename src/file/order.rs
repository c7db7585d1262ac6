//! A container with tables in memory that the caller lends: names by hash, tensors by place.

use core::cmp::Ordering;

use super::directory::FileDirectory;
use super::entry::{Entry, require_name};
use super::kv::{key_spot, require_key};
use crate::check::Judge;
use crate::error::{Error, ErrorKind, Field, Resource};
use crate::sort::sort;
use crate::wire::length;

/// A container of which everything was checked that its index can break: each name and key is there once,
/// and no two tensors share bytes.
///
/// A name is found by binary search, and tensors come in the order of their places, as composites need
/// them. Made by [`FileDirectory::index`].
#[derive(Clone, Copy, Debug)]
pub struct FileIndex<'a, 's> {
    directory: FileDirectory<'a>,
    names: Names<'a>,
    /// Words of `names`, ascending.
    by_name: &'s [u64],
    /// Where entries are in the file, by ascending `descriptor_offset`.
    by_place: &'s [u64],
}

impl<'a, 's> FileIndex<'a, 's> {
    pub(super) fn new<J: Judge>(
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
        let mut ascends = true;
        let mut last = 0;
        let slots = by_name.iter_mut().zip(&mut *by_place);
        for (entry, (name, place)) in directory.entries().zip(slots) {
            *name = names.word(entry.name, entry.offset);
            *place = entry.offset;
            ascends &= last <= entry.descriptor_offset;
            last = entry.descriptor_offset;
        }
        sort(by_name, |a, b| names.compare(a, b));
        if !ascends {
            let key = |at| directory.raw_entry(at).map(|raw| raw.descriptor_offset());
            sort(by_place, |a, b| key(a).cmp(&key(b)).then(a.cmp(&b)));
        }
        let index = FileIndex {
            directory,
            names,
            by_name,
            by_place,
        };
        index.check_names(judge)?;
        index.check_places(judge)?;
        Ok(index)
    }

    /// What the tables are of.
    #[must_use]
    pub const fn directory(&self) -> &FileDirectory<'a> {
        &self.directory
    }

    /// The entry of a name; the first of several that permissive mode let pass.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Entry<'a>> {
        let wanted = self.names.word(name, 0);
        let before = |word: &u64| self.names.compare_to(*word, wanted, name).is_lt();
        let place = self.by_name.partition_point(before);
        let entry = self.names.entry(*self.by_name.get(place)?)?;
        (entry.name == name).then_some(entry)
    }

    /// The tensors in the order of their places: a head, then its members.
    pub fn in_order(&self) -> impl Iterator<Item = Entry<'a>> + use<'a, 's> {
        let index = *self;
        (0..self.by_place.len()).map_while(move |k| index.place(k))
    }

    /// The tensor at a place in that order.
    pub(super) fn place(&self, k: usize) -> Option<Entry<'a>> {
        self.directory.entry_at(*self.by_place.get(k)?)
    }

    /// Equal names are neighbours.
    fn check_names<J: Judge>(&self, judge: &mut J) -> Result<(), Error> {
        let mut words = self.by_name.iter();
        let mut last = words.next();
        for word in words {
            if last.is_some_and(|last| self.names.same_hash(*last, *word)) {
                let pair = last
                    .and_then(|last| self.names.entry(*last))
                    .zip(self.names.entry(*word));
                if let Some((a, b)) = pair {
                    let at = b.spot(Field::Name);
                    require_name(judge, a.name != b.name, true, at)?;
                }
            }
            last = Some(word);
        }
        Ok(())
    }

    /// Each tensor ends before the next one starts.
    fn check_places<J: Judge>(&self, judge: &mut J) -> Result<(), Error> {
        let mut behind = 0;
        for entry in self.in_order() {
            let at = entry.spot(Field::DescriptorOffset);
            let apart = behind <= entry.descriptor_offset;
            self.directory.sections().require_order(judge, apart, at)?;
            behind = behind.max(entry.end());
        }
        Ok(())
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
    /// Bits that the place takes.
    place_bits: u32,
}

impl<'a> Names<'a> {
    fn new(directory: FileDirectory<'a>) -> Self {
        let most = directory.trailer().index_length;
        Names {
            directory,
            place_bits: u64::BITS.wrapping_sub(most.leading_zeros()),
        }
    }

    /// The word of a name whose entry is at an absolute offset.
    fn word(&self, name: &str, at: u64) -> u64 {
        let place = at.saturating_sub(self.directory.trailer().index_offset);
        let mask = u64::MAX.checked_shl(self.place_bits).unwrap_or(0);
        hash(name.as_bytes()) & mask | place & !mask
    }

    fn entry(&self, word: u64) -> Option<Entry<'a>> {
        let mask = u64::MAX.checked_shl(self.place_bits).unwrap_or(0);
        let place = word & !mask;
        self.directory
            .entry_at(self.directory.trailer().index_offset.saturating_add(place))
    }

    fn same_hash(&self, a: u64, b: u64) -> bool {
        (a ^ b).checked_shr(self.place_bits).unwrap_or(0) == 0
    }

    /// By hash, then by name, then by place.
    fn compare(&self, a: u64, b: u64) -> Ordering {
        if !self.same_hash(a, b) {
            return a.cmp(&b);
        }
        let name = |word| self.entry(word).map(|entry| entry.name);
        name(a).cmp(&name(b)).then(a.cmp(&b))
    }

    /// A word against the word and the name that are looked for.
    fn compare_to(&self, word: u64, wanted: u64, name: &str) -> Ordering {
        if !self.same_hash(word, wanted) {
            return word.cmp(&wanted);
        }
        self.entry(word).map(|entry| entry.name).cmp(&Some(name))
    }
}

/// Spreads names over 64 bits. Names that are made to collide cost comparisons of names, no more.
fn hash(name: &[u8]) -> u64 {
    // 2^64 divided by the golden ratio
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = name.as_chunks();
    let mut last = [0; 8];
    for (slot, byte) in last.iter_mut().zip(rest) {
        *slot = *byte;
    }
    let words = words.iter().chain([&last]);
    let seed = length(name.len());
    words
        .fold(seed, |sum, word| {
            let mixed = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(SPREAD);
            mixed ^ mixed.wrapping_shr(29)
        })
        .wrapping_mul(SPREAD)
}
