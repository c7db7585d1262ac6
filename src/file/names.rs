//! Names of tensors in words that the caller lends: spread by their hash, or in order.

use core::cmp::Ordering;

use super::directory::FileDirectory;
use super::entry::RawEntry;
use crate::sort::sort;
use crate::wire::{length, widening_mul};

/// How names become words: a hash, then where the entry is in the index, so that most comparisons look at
/// no name. No word is 0: an index starts with its count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    directory: FileDirectory<'a>,
    /// The bits that the hash takes.
    mask: u64,
    /// Where the index starts.
    start: u64,
}

/// Slots that a name may stand in. At least half of all are free, so that not one name in millions needs as
/// many, unless names were made to.
const PROBES: usize = 128;

impl<'a> Names<'a> {
    pub(super) fn new(directory: FileDirectory<'a>) -> Self {
        let trailer = directory.trailer();
        let place_bits = u64::BITS.wrapping_sub(trailer.index_length.leading_zeros());
        Names {
            directory,
            mask: u64::MAX.checked_shl(place_bits).unwrap_or(0),
            start: trailer.index_offset,
        }
    }

    #[inline]
    fn word_of(&self, raw: &RawEntry<'_>) -> u64 {
        hash(raw.name) & self.mask | raw.at.saturating_sub(self.start) & !self.mask
    }

    fn raw_entry(&self, word: u64) -> Option<RawEntry<'a>> {
        self.directory.raw_entry(self.at(word))
    }

    /// Where the entry of a word is in the file.
    pub(super) fn at(&self, word: u64) -> u64 {
        self.start.saturating_add(word & !self.mask)
    }

    #[inline]
    fn same_hash(&self, a: u64, b: u64) -> bool {
        (a ^ b) & self.mask == 0
    }

    /// The second entry, if both have one name.
    pub(super) fn same(&self, a: u64, b: u64) -> Option<RawEntry<'a>> {
        if !self.same_hash(a, b) {
            return None;
        }
        let (a, b) = self.raw_entry(a).zip(self.raw_entry(b))?;
        (a.name == b.name).then_some(b)
    }

    pub(super) const fn directory(&self) -> &FileDirectory<'a> {
        &self.directory
    }

    /// The slots that a word may stand in, in the order in which they are tried: from where its hash points, the
    /// first behind the last.
    #[inline]
    fn probes(&self, word: u64, slots: usize) -> impl Iterator<Item = usize> + use<> {
        let (_, home) = widening_mul(word & self.mask, length(slots));
        // below the number of slots
        let mut next = usize::try_from(home).unwrap_or(0);
        (0..PROBES).map(move |_| {
            let k = next;
            next = k.wrapping_add(1);
            if next >= slots {
                next = 0;
            }
            k
        })
    }

    /// Puts the words of all names in the first of their slots that are free. False where one finds none, or an
    /// entry of the same name.
    pub(super) fn spread(&self, slots: &mut [u64]) -> bool {
        slots.fill(0);
        let mut words = self.directory.entries().raw().map(|raw| self.word_of(&raw));
        words.all(|word| self.put(word, slots))
    }

    #[inline]
    fn put(&self, added: u64, slots: &mut [u64]) -> bool {
        for k in self.probes(added, slots.len()) {
            match slots.get_mut(k) {
                Some(slot) if *slot == 0 => {
                    *slot = added;
                    return true;
                }
                Some(slot) if self.same(*slot, added).is_none() => {}
                _ => return false,
            }
        }
        false
    }

    /// The entry of a name among words that were spread.
    pub(super) fn find_spread(&self, slots: &[u64], name: &[u8]) -> Option<RawEntry<'a>> {
        let wanted = hash(name) & self.mask;
        for k in self.probes(wanted, slots.len()) {
            let word = slots.get(k).copied().filter(|word| *word != 0)?;
            if self.same_hash(word, wanted) {
                let raw = self.raw_entry(word)?;
                if raw.name == name {
                    return Some(raw);
                }
            }
        }
        None
    }

    /// Puts the words of all names in order: by hash, then by name, then by place.
    pub(super) fn sort(&self, words: &mut [u64]) {
        for (raw, word) in self.directory.entries().raw().zip(&mut *words) {
            *word = self.word_of(&raw);
        }
        let name = |word| self.raw_entry(word).map(|raw| raw.name);
        sort(words, |a, b| match self.same_hash(a, b) {
            true => name(a).cmp(&name(b)).then(a.cmp(&b)),
            false => a.cmp(&b),
        });
    }

    /// The entry of a name among entries of which names ascend.
    pub(super) fn find_ascending(&self, offsets: &[u64], name: &[u8]) -> Option<RawEntry<'a>> {
        let place = offsets.partition_point(|at| self.directory.name_at(*at) < name);
        let raw = self.directory.raw_entry(*offsets.get(place)?)?;
        (raw.name == name).then_some(raw)
    }

    /// The first entry of a name among words in order.
    pub(super) fn find_sorted(&self, words: &[u64], name: &[u8]) -> Option<RawEntry<'a>> {
        let wanted = hash(name) & self.mask;
        let before = |word: &u64| self.compare(*word, wanted, name).is_lt();
        let place = words.partition_point(before);
        let raw = self.raw_entry(*words.get(place)?)?;
        (raw.name == name).then_some(raw)
    }

    /// A word against the word and the name that are looked for.
    fn compare(&self, word: u64, wanted: u64, name: &[u8]) -> Ordering {
        if !self.same_hash(word, wanted) {
            return word.cmp(&wanted);
        }
        self.raw_entry(word).map(|raw| raw.name).cmp(&Some(name))
    }
}

/// Spreads names over 64 bits. Names that are made to share one cost comparisons of names, no more.
#[inline]
fn hash(name: &[u8]) -> u64 {
    // 2^64 divided by the golden ratio
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = name.as_chunks();
    let mut sum = length(name.len());
    let mut take = |word: [u8; 8]| {
        let mixed = (sum ^ u64::from_le_bytes(word)).wrapping_mul(SPREAD);
        sum = mixed ^ mixed.wrapping_shr(29);
    };
    for word in words {
        take(*word);
    }
    match name.last_chunk() {
        // bytes of the word before once more
        Some(last) if !rest.is_empty() => take(*last),
        Some(_) => {}
        None => {
            let mut padded = [0; 8];
            for (slot, byte) in padded.iter_mut().zip(rest) {
                *slot = *byte;
            }
            take(padded);
        }
    }
    sum.wrapping_mul(SPREAD)
}

#[cfg(test)]
mod tests {
    use super::hash;

    /// Made as the names that collide in the tests of whole files are.
    #[test]
    fn two_names_of_one_hash() {
        let pair = ["]RMML@B_CTMSMHNS", "FEWLWOACc3aE#n6o"];
        let [a, b] = pair.map(|name| hash(name.as_bytes()));
        assert_eq!(a, b);
    }
}
