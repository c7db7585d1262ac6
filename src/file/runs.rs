//! Names as most writers put them down: in few runs that ascend, such as `layer.9` and `layer.10` begin.

use core::mem;

use heapless::Vec;

/// At most so many runs are merged: for more, a table by hash is made sooner.
const MOST: usize = 8;

/// Merging may change from one run to another once in so many names, and so often more: where names take turns, a table by
/// hash is made sooner too.
const NAMES_TO_A_TURN: usize = 16;
const TURNS: usize = 16;

/// Where names do not ascend.
#[derive(Clone, Copy, Default)]
pub(super) struct NameRuns {
    /// Offsets of the entries of which the name is not above the one before.
    starts: [u64; MOST - 1],
    /// How many there are, with those for which there is no room.
    count: usize,
}

impl NameRuns {
    /// Takes the name of the next entry, which is at an absolute offset; whether it is above the last one.
    pub(super) fn add(&mut self, last: &[u8], name: &[u8], at: u64) -> bool {
        let above = follows(last, name) || last < name;
        if !above {
            if let Some(start) = self.starts.get_mut(self.count) {
                *start = at;
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

    /// Sorts the offsets of entries by name, which are in the order of the index; `spare` has room for as many. False where a
    /// name is there twice, or where there is too much to do.
    pub(super) fn merge<'a>(
        &self,
        offsets: &mut [u64],
        spare: &mut [u64],
        name: impl Fn(u64) -> &'a [u8],
    ) -> bool {
        let Some(starts) = self.starts.get(..self.count) else {
            return false;
        };
        let len = offsets.len();
        let mut ends: Vec<usize, MOST> = Vec::new();
        for start in starts {
            // there is room for one more than starts
            let _ = ends.push(offsets.partition_point(|at| at < start));
        }
        let _ = ends.push(len);
        let mut merging = Merging {
            name,
            turns: len.wrapping_div(NAMES_TO_A_TURN).saturating_add(TURNS),
        };
        let (mut from, mut into) = (offsets, spare);
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

struct Merging<F> {
    /// The name of the entry at an offset.
    name: F,
    /// How often it may still change from one run to the other.
    turns: usize,
}

impl<'a, F: Fn(u64) -> &'a [u8]> Merging<F> {
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
            let (name, limit) = ((self.name)(*first), (self.name)(*other));
            if name == limit {
                return false;
            }
            if name > limit {
                mem::swap(&mut left, &mut right);
                continue;
            }
            let Some(fewer) = self.turns.checked_sub(1) else {
                return false;
            };
            self.turns = fewer;
            let lower = leading(left, |at| (self.name)(at) < limit);
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

#[cfg(test)]
mod tests {
    extern crate alloc;

    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::*;

    /// The runs of names, of which the offsets are their places in the list, and what becomes of them.
    fn merged(names: &[String]) -> (usize, Option<Vec<u64>>) {
        let (mut runs, mut last) = (NameRuns::default(), &b""[..]);
        for (name, at) in names.iter().zip(0..) {
            let above = runs.add(last, name.as_bytes(), at);
            assert_eq!(above, last < name.as_bytes());
            last = name.as_bytes();
        }
        let mut offsets: Vec<u64> = (0..names.len() as u64).collect();
        let mut spare = offsets.clone();
        let name = |at: u64| names[at as usize].as_bytes();
        let whole = runs.merge(&mut offsets, &mut spare, name);
        (runs.count, whole.then_some(offsets))
    }

    fn sorted(names: &[String]) -> Vec<u64> {
        let mut offsets: Vec<u64> = (0..names.len() as u64).collect();
        offsets.sort_by_key(|at| &names[*at as usize]);
        offsets
    }

    /// Blocks of `block` names from `count` runs in turn; the last run comes first.
    fn in_blocks(count: usize, block: usize, blocks: usize) -> Vec<String> {
        let name = |run, k: usize| format!("{:06}", (k / block * count + run) * block + k % block);
        let run = |run| (0..block * blocks).map(move |k| name(run, k));
        (0..count).rev().flat_map(run).collect()
    }

    #[test]
    fn few_runs_are_merged() {
        for count in [1, 2, 3, 7, MOST] {
            for (block, blocks) in [(16, 1), (17, 2), (12, 2), (1, 1)] {
                let names = in_blocks(count, block, blocks);
                assert_eq!(
                    merged(&names),
                    (count - 1, Some(sorted(&names))),
                    "{count} {block}"
                );
            }
        }
        assert_eq!(merged(&[]), (0, Some(Vec::new())));
    }

    #[test]
    fn more_runs_are_not() {
        let names = in_blocks(MOST + 1, 8, 1);
        assert_eq!(merged(&names), (MOST, None));
        assert_eq!(merged(&in_blocks(20, 2, 1)), (19, None));
    }

    /// Two runs change places once behind each of their blocks but the last.
    #[test]
    fn runs_that_take_turns_are_not() {
        let most = |len: usize| len / NAMES_TO_A_TURN + TURNS;
        for block in [1, 4, 7] {
            // as many as are merged, and one more
            let blocks = (1..1000).rfind(|blocks| 2 * blocks - 1 <= most(2 * blocks * block));
            let blocks = blocks.unwrap();
            let names = in_blocks(2, block, blocks);
            assert!(merged(&names).1 == Some(sorted(&names)), "{block}");
            assert!(
                merged(&in_blocks(2, block, blocks + 1)).1.is_none(),
                "{block}"
            );
        }
    }

    #[test]
    fn a_name_in_two_runs_is_not_merged() {
        let names = in_blocks(4, 16, 2);
        let run = |run: usize| run * 32..(run + 1) * 32;
        for (from, to) in [(0, 1), (0, 3), (2, 1), (3, 0)] {
            for k in [0, 15, 16, 31] {
                let mut names = names.clone();
                let twice = names[run(from)][k].clone();
                let place = names[run(to)].partition_point(|name| *name < twice);
                names.insert(run(to).start + place, twice);
                assert!(merged(&names).1.is_none(), "{from} {to} {k}");
            }
        }
    }

    /// Only what is ASCII and above the last name.
    #[test]
    fn what_follows_at_a_glance() {
        let mut yes = 0;
        for len in [0, 1, 7, 8, 9, 15, 16, 17, 24, 33] {
            let last = b"layer.0000.attention.weight.of.some.head"[..len].to_vec();
            for k in 0..len {
                for byte in [b'!', last[k] + 1, 0x80, 0xFF] {
                    for longer in [false, true] {
                        let mut name = last.clone();
                        name[k] = byte;
                        name.extend(longer.then_some(b'z'));
                        let above = last < name && name.is_ascii();
                        let seen = follows(&last, &name);
                        assert!(!seen || above && !longer, "{len} {k} {byte:#x}");
                        yes += usize::from(seen);
                        // the same byte in both, which the last one need not be judged by
                        let mut before = name.clone();
                        before[len - 1] = before[len - 1].wrapping_sub(1);
                        assert!(!follows(&before, &name) || name.is_ascii());
                    }
                }
            }
        }
        // by length: places behind the last whole word in front of the last byte, of the last eight
        assert_eq!(yes, 8 + 1 + 7 + 8 + 1 + 8 + 1);
        assert!(follows(b"layer.09", b"layer.10") && !follows(b"layer.09", b"layer.09"));
    }
}
