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
    let mut solid = true;
    for (pair, (from, size)) in pairs.iter_mut().zip(boxed.offset.iter().zip(boxed.shape)) {
        *pair = [from, size];
        solid &= size != 0;
    }
    rest.fill(span(member, member));
    solid
}

/// The half-open ranges of a box.
pub(super) fn ranges(words: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    let (pairs, _) = words.as_chunks::<2>();
    let range = |[from, size]: &[u64; 2]| (*from, from.wrapping_add(*size));
    pairs.iter().map(range)
}

/// Merges a box into a held one that it continues, that one into the next that it continues, and so on.
/// Returns the words of the boxes before the one that results, which is the last then; all of `held` if
/// nothing was merged.
///
/// # Errors
///
/// A held box that overlaps; nothing is changed then.
pub(super) fn merge(slot: &mut [u64], held: &mut [u64]) -> Result<usize, Members> {
    let mut current = slot;
    let mut others = held;
    while let Some(at) = scan(current, others)? {
        let last = others.len().wrapping_sub(current.len());
        let (before, found) = others.split_at_mut_checked(last).unwrap_or_default();
        if at < last {
            exchange(before.get_mut(at..).unwrap_or_default(), found);
        }
        absorb(found, current);
        (others, current) = (before, found);
    }
    Ok(others.len())
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

/// Where the last held box is that `current` continues.
#[inline(never)]
fn scan(current: &[u64], held: &[u64]) -> Result<Option<usize>, Members> {
    let (pairs, _) = current.as_chunks::<2>();
    let mut found = None;
    let mut rest = held;
    while let Some((other, behind)) = rest.split_at_checked(current.len()) {
        match relate(pairs, other) {
            Relation::Apart => {}
            Relation::Continues => found = Some(held.len().wrapping_sub(rest.len())),
            Relation::Overlaps => return Err(members(other)),
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
fn relate(a: &[[u64; 2]], b: &[u64]) -> Relation {
    let (b, _) = b.as_chunks::<2>();
    let mut touching = 0u32;
    let mut differing = 0u32;
    for ([from_a, size_a], [from_b, size_b]) in a.iter().zip(b) {
        // from the start of `b` to the end of `a`: wraps to more than `both` where `a` ends before
        let reach = from_a.wrapping_add(*size_a).wrapping_sub(*from_b);
        let both = size_a.saturating_add(*size_b);
        if reach > both {
            return Relation::Apart;
        }
        touching = touching.wrapping_add(((reach == 0) | (reach == both)).into());
        differing = differing.wrapping_add(((from_a != from_b) | (size_a != size_b)).into());
    }
    match (touching, differing) {
        (0, _) => Relation::Overlaps,
        (1, 1) => Relation::Continues,
        _ => Relation::Apart,
    }
}

/// Grows a box by one that continues it.
fn absorb(a: &mut [u64], b: &[u64]) {
    let (first, last) = members(a);
    let (first_b, last_b) = members(b);
    let ((pairs, rest), (others, _)) = (a.as_chunks_mut::<2>(), b.as_chunks::<2>());
    for ([from, size], [from_b, size_b]) in pairs.iter_mut().zip(others) {
        if from != from_b {
            *from = *from_b.min(from);
            *size = size.wrapping_add(*size_b);
        }
    }
    rest.fill(span(first.min(first_b), last.max(last_b)));
}

fn span(first: u32, last: u32) -> u64 {
    u64::from(last).wrapping_shl(32) | u64::from(first)
}

fn members(words: &[u64]) -> Members {
    let [a, b, c, d, e, f, g, h] = words.last().copied().unwrap_or(0).to_le_bytes();
    let (first, last) = ([a, b, c, d], [e, f, g, h]);
    (u32::from_le_bytes(first), u32::from_le_bytes(last))
}
