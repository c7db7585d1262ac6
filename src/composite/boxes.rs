//! Disjoint boxes of members that arrived, merged where they continue each other.
//!
//! A box takes `2 * rank + 1` words: where it starts and how long it is on each axis, then the first and
//! last of the members that it was merged from in the halves of one word.

use super::cover::Boxed;

/// Words of a box.
pub(super) const fn len(rank: usize) -> usize {
    rank.wrapping_mul(2).wrapping_add(1)
}

/// The first and last member of a box.
pub(super) type Members = (u32, u32);

/// Writes the box of a member; tells whether it has elements.
#[inline(always)]
pub(super) fn write(slot: &mut [u64], boxed: &Boxed<'_>, member: u32) -> bool {
    let (pairs, rest) = slot.as_chunks_mut::<2>();
    let mut pairs = pairs.iter_mut();
    let mut solid = true;
    boxed.each(|from, size| {
        if let Some(pair) = pairs.next() {
            *pair = [from, size];
        }
        solid &= size != 0;
    });
    if let [members] = rest {
        *members = pack((member, member));
    }
    solid
}

/// Tells the start and size on each axis.
pub(super) fn each(words: &[u64], mut tell: impl FnMut(u64, u64)) {
    let (pairs, _) = words.as_chunks::<2>();
    for [from, size] in pairs {
        tell(*from, *size);
    }
}

/// The axis on which the box of a member continues the last of the held boxes, and both together there.
#[inline(always)]
pub(super) fn continues(held: &[u64], len: usize, boxed: &Boxed<'_>) -> Option<(usize, [u64; 2])> {
    let (_, last) = held.split_at_checked(held.len().checked_sub(len)?)?;
    let (pairs, _) = last.as_chunks::<2>();
    let (mut differing, mut axis, mut new) = (0u32, 0, [0; 2]);
    let mut k = 0usize;
    boxed.each(|from, size| {
        if pairs.get(k) != Some(&[from, size]) {
            differing = differing.wrapping_add(1);
            (axis, new) = (k, [from, size]);
        }
        k = k.wrapping_add(1);
    });
    let ([from, size], [from_new, size_new]) = (*pairs.get(axis)?, new);
    let behind = from.wrapping_add(size) == from_new;
    let ahead = from_new.wrapping_add(size_new) == from;
    if differing != 1 || size_new == 0 || !(behind | ahead) {
        return None;
    }
    let first = if behind { from } else { from_new };
    Some((axis, [first, size.wrapping_add(size_new)]))
}

/// Grows the last of the held boxes by that of a member, as [`continues`] found. Returns as [`merge`] does.
///
/// # Errors
///
/// A held box that overlaps; nothing is changed then.
#[inline(always)]
pub(super) fn grow(
    held: &mut [u64],
    len: usize,
    (axis, both): (usize, [u64; 2]),
    member: u32,
) -> Result<usize, Members> {
    let before = held.len().wrapping_sub(len);
    let (others, last) = held.split_at_mut_checked(before).unwrap_or_default();
    let (pairs, _) = last.as_chunks_mut::<2>();
    let mut old = both;
    if let Some(pair) = pairs.get_mut(axis) {
        old = core::mem::replace(pair, both);
    }
    let mut found = before;
    if !others.is_empty() {
        // the held boxes overlap nowhere, so what overlaps the two together overlaps the new one
        match scan(last, others) {
            Ok(at) => found = at,
            Err(at) => {
                let (pairs, _) = last.as_chunks_mut::<2>();
                if let Some(pair) = pairs.get_mut(axis) {
                    *pair = old;
                }
                return Err(members(others, at, len));
            }
        }
    }
    if let Some(words) = last.last_mut() {
        let (first, _) = unpack(*words);
        *words = pack((first, member));
    }
    Ok(if found < before {
        follow(last, others, found)
    } else {
        before
    })
}

/// Merges a box into a held one that it continues, that one into the next that it continues, and so on.
/// Returns the words of the boxes before the one that results, which is the last then; all of `held` if
/// nothing was merged.
///
/// # Errors
///
/// A held box that overlaps; nothing is changed then.
pub(super) fn merge(slot: &mut [u64], held: &mut [u64]) -> Result<usize, Members> {
    match scan(slot, held) {
        Ok(at) if at < held.len() => Ok(follow(slot, held, at)),
        Ok(all) => Ok(all),
        Err(at) => Err(members(held, at, slot.len())),
    }
}

/// Merges a box into the one at `at`, that one into the next that it continues, and so on.
#[cold]
fn follow(slot: &mut [u64], held: &mut [u64], at: usize) -> usize {
    let mut current = slot;
    let mut others = held;
    let mut found = at;
    while found < others.len() {
        let last = others.len().wrapping_sub(current.len());
        let (before, end) = others.split_at_mut_checked(last).unwrap_or_default();
        if found < last {
            exchange(before.get_mut(found..).unwrap_or_default(), end);
        }
        absorb(end, current);
        (others, current) = (before, end);
        // what is merged overlaps no other box that is held
        found = scan(current, others).unwrap_or(usize::MAX);
    }
    others.len()
}

/// Exchanges two boxes.
#[cold]
fn exchange(a: &mut [u64], b: &mut [u64]) {
    for (a, b) in a.iter_mut().zip(b) {
        core::mem::swap(a, b);
    }
}

/// Copies a box.
pub(super) fn copy(from: &[u64], to: &mut [u64]) {
    for (word, value) in to.iter_mut().zip(from) {
        *word = *value;
    }
}

/// Where the last held box is that `current` continues, behind all of them if none is.
///
/// # Errors
///
/// Where the first is that overlaps.
#[inline(never)]
fn scan(current: &[u64], held: &[u64]) -> Result<usize, usize> {
    let mut found = held.len();
    let mut rest = held;
    while let Some((other, behind)) = rest.split_at_checked(current.len()) {
        let at = held.len().wrapping_sub(rest.len());
        match relate(current, other) {
            Relation::Apart => {}
            Relation::Continues => found = at,
            Relation::Overlaps => return Err(at),
        }
        rest = behind;
    }
    Ok(found)
}

enum Relation {
    Apart,
    /// The two differ on one axis and touch there.
    Continues,
    Overlaps,
}

#[inline(always)]
fn relate(a: &[u64], b: &[u64]) -> Relation {
    let ((a, _), (b, _)) = (a.as_chunks::<2>(), b.as_chunks::<2>());
    let (mut touching, mut differing) = (0u32, 0u32);
    for ([from_a, size_a], [from_b, size_b]) in a.iter().zip(b) {
        // inside a head no end wraps
        let from = from_a.max(from_b);
        let end = from_a
            .wrapping_add(*size_a)
            .min(from_b.wrapping_add(*size_b));
        if end < *from {
            return Relation::Apart;
        }
        touching = touching.wrapping_add((end == *from).into());
        let differ = (from_a ^ from_b) | (size_a ^ size_b) != 0;
        differing = differing.wrapping_add(differ.into());
    }
    match (touching, differing) {
        (0, _) => Relation::Overlaps,
        (1, 1) => Relation::Continues,
        _ => Relation::Apart,
    }
}

/// Grows a box by one that continues it.
fn absorb(a: &mut [u64], b: &[u64]) {
    let ((pairs, rest), (others, words)) = (a.as_chunks_mut::<2>(), b.as_chunks::<2>());
    for ([from, size], [from_b, size_b]) in pairs.iter_mut().zip(others) {
        if from != from_b {
            *from = *from_b.min(from);
            *size = size.wrapping_add(*size_b);
        }
    }
    for (word, other) in rest.iter_mut().zip(words) {
        let ((first, last), (first_b, last_b)) = (unpack(*word), unpack(*other));
        *word = pack((first.min(first_b), last.max(last_b)));
    }
}

/// The members of the box at `at`.
#[cold]
fn members(held: &[u64], at: usize, len: usize) -> Members {
    let word = held.get(at.wrapping_add(len).wrapping_sub(1));
    unpack(word.copied().unwrap_or(0))
}

fn pack((first, last): Members) -> u64 {
    u64::from(last).wrapping_shl(32) | u64::from(first)
}

fn unpack(word: u64) -> Members {
    let [a, b, c, d, e, f, g, h] = word.to_le_bytes();
    let (first, last) = ([a, b, c, d], [e, f, g, h]);
    (u32::from_le_bytes(first), u32::from_le_bytes(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(
        held: &mut [u64],
        offset: &[u64; 2],
        shape: &[u64; 2],
    ) -> Option<Result<usize, Members>> {
        let (offset, shape) = (offset.into(), shape.into());
        let both = continues(held, len(2), &Boxed { offset, shape })?;
        Some(grow(held, len(2), both, 7))
    }

    #[test]
    fn a_box_that_continues_the_last_one_still_meets_the_others() {
        // rows 0 and 1 of columns 4 to 7, members 2 to 4; row 0 of columns 0 to 2, members 5 and 6
        let before = [0, 2, 4, 4, pack((2, 4)), 0, 1, 0, 3, pack((5, 6))];
        let mut held = before;
        assert_eq!(add(&mut held, &[0, 3], &[1, 2]), Some(Err((2, 4))));
        assert_eq!(held, before);
        // apart, empty, the same, and on two axes
        for (offset, shape) in [
            ([0, 4], [1, 1]),
            ([0, 3], [1, 0]),
            ([0, 0], [1, 3]),
            ([1, 0], [2, 4]),
        ] {
            assert_eq!(add(&mut held, &offset, &shape), None);
        }
        assert_eq!(held, before);
        // row 1 of the same columns; row 0 and row 1 of column 3, which then reaches the other box
        assert_eq!(add(&mut held, &[1, 0], &[1, 3]), Some(Ok(5)));
        assert_eq!(held[5..], [0, 2, 0, 3, pack((5, 7))]);
        assert_eq!(add(&mut held, &[0, 3], &[2, 1]), Some(Ok(0)));
        assert_eq!(held[..5], [0, 2, 0, 8, pack((2, 7))]);
    }
}
