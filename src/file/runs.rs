//! Names as most writers put them down: in few runs that ascend, such as `layer.9` and `layer.10` begin.

use core::mem;

use heapless::Vec;

use super::directory::FileDirectory;
use super::entry::RawEntry;

/// Runs that are merged, of more of which a table by hash is made sooner.
const MOST: usize = 8;

/// Where names do not ascend.
#[derive(Clone, Copy, Default)]
pub(super) struct Runs {
    /// The entries of which the name is not above the one before.
    starts: [u64; MOST - 1],
    /// How many there are, with those for which there is no room.
    count: usize,
}

impl Runs {
    /// Takes the next entry; whether its name is above the last one.
    pub(super) fn add(&mut self, last: &[u8], raw: &RawEntry<'_>) -> bool {
        let above = follows(last, raw.name) || last < raw.name;
        if !above {
            if let Some(start) = self.starts.get_mut(self.count) {
                *start = raw.at;
            }
            self.count = self.count.saturating_add(1);
        }
        above
    }

    /// Whether all names ascend.
    pub(super) const fn is_one(&self) -> bool {
        self.count == 0
    }

    /// Whether there are more than are merged.
    pub(super) const fn are_many(&self) -> bool {
        self.count >= MOST
    }

    /// Sorts entries by name, which are in the order of the index in the front half of `table`. False where a name
    /// is there twice, or where there is too much to do.
    pub(super) fn merge(&self, directory: &FileDirectory<'_>, table: &mut [u64]) -> bool {
        let Some(starts) = self.starts.get(..self.count) else {
            return false;
        };
        let half = table.len().wrapping_shr(1);
        let (mut from, mut into) = table.split_at_mut_checked(half).unwrap_or_default();
        let mut ends: Vec<usize, MOST> = Vec::new();
        for start in starts {
            // there is room for one more than starts
            let _ = ends.push(from.partition_point(|at| at < start));
        }
        let _ = ends.push(half);
        let mut merging = Merging {
            directory,
            left: half.wrapping_shr(4),
        };
        let mut swapped = false;
        while ends.len() > 1 {
            if !merging.pairs(from, into, &mut ends) {
                return false;
            }
            mem::swap(&mut from, &mut into);
            swapped = !swapped;
        }
        if swapped {
            copy(from, into);
        }
        true
    }
}

/// Whether a name is ASCII, as long as the last one and above it. Only a yes says something.
#[inline]
pub(super) fn follows(last: &[u8], name: &[u8]) -> bool {
    let (Some(low), Some(high)) = (last.last_chunk(), name.last_chunk()) else {
        return false;
    };
    let (low, high) = (u64::from_be_bytes(*low), u64::from_be_bytes(*high));
    if last.len() != name.len() || low >= high {
        return false;
    }
    let mut bytes = high;
    for (word, old) in words_in_front(name).iter().zip(words_in_front(last)) {
        if word != old {
            return false;
        }
        bytes |= u64::from_ne_bytes(*word);
    }
    bytes & 0x8080_8080_8080_8080 == 0
}

/// All of a name that is not in its last eight bytes, and perhaps some that is.
fn words_in_front(name: &[u8]) -> &[[u8; 8]] {
    let (_, front) = name.split_last().unwrap_or((&0, &[]));
    front.as_chunks().0
}

struct Merging<'n, 'a> {
    directory: &'n FileDirectory<'a>,
    /// How often it may still change from one run to the other: a table by hash is made sooner than names that
    /// take turns are merged.
    left: usize,
}

impl Merging<'_, '_> {
    /// Merges each run with the next one. False where it gives up.
    fn pairs(&mut self, from: &[u64], into: &mut [u64], ends: &mut Vec<usize, MOST>) -> bool {
        let mut merged = Vec::new();
        let mut start = 0;
        for pair in ends.chunks(2) {
            let (Some(middle), Some(end)) = (pair.first(), pair.last()) else {
                return false;
            };
            let runs = from.get(start..*end).unwrap_or_default();
            let (left, right) = runs
                .split_at_checked(middle.wrapping_sub(start))
                .unwrap_or_default();
            if !self.two(left, right, into.get_mut(start..*end).unwrap_or_default()) {
                return false;
            }
            // half as many
            let _ = merged.push(*end);
            start = *end;
        }
        *ends = merged;
        true
    }

    /// Merges two runs into room for both. False where it gives up.
    fn two<'w>(&mut self, mut left: &'w [u64], mut right: &'w [u64], mut into: &mut [u64]) -> bool {
        while let (Some(first), Some(other)) = (left.first(), right.first()) {
            let (name, limit) = (
                self.directory.name_at(*first),
                self.directory.name_at(*other),
            );
            if name == limit {
                return false;
            }
            if name > limit {
                mem::swap(&mut left, &mut right);
                continue;
            }
            let Some(fewer) = self.left.checked_sub(1) else {
                return false;
            };
            self.left = fewer;
            let lower = leading(left, |at| self.directory.name_at(at) < limit);
            let (front, behind) = left.split_at_checked(lower).unwrap_or_default();
            into = copy(front, into);
            left = behind;
        }
        copy(left, copy(right, into));
        true
    }
}

/// Copies words to the front of a room for them; what is behind them.
fn copy<'w>(words: &[u64], into: &'w mut [u64]) -> &'w mut [u64] {
    let (front, behind) = into.split_at_mut_checked(words.len()).unwrap_or_default();
    for (slot, word) in front.iter_mut().zip(words) {
        *slot = *word;
    }
    behind
}

/// How many words there are in front of the first for which something does not hold, found in steps that double.
fn leading(words: &[u64], holds: impl Fn(u64) -> bool) -> usize {
    let mut bound = 1_usize;
    while let Some(word) = words.get(bound)
        && holds(*word)
    {
        bound = bound.saturating_mul(2);
    }
    let known = bound.wrapping_shr(1);
    let unknown = words.get(known..bound.min(words.len())).unwrap_or_default();
    known.saturating_add(unknown.partition_point(|word| holds(*word)))
}
