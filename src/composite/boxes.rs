//! Disjoint boxes of members that arrived, merged where they continue each other.
//!
//! A box takes `2 * rank + 1` words: its offset, its shape, and the first and last of the members that it
//! was merged from in the halves of one word.

use super::cover::Boxed;

/// Words of a box.
pub(super) const fn len(rank: usize) -> usize {
    rank.wrapping_mul(2).wrapping_add(1)
}

/// The first and last member of a box.
pub(super) type Members = (u32, u32);

/// Puts the box of a member into `slot` and takes into it every held box that it continues, one after
/// the other. Returns the words that the other boxes still take.
///
/// # Errors
///
/// A held box that overlaps; nothing is changed but `slot`.
pub(super) fn arrive(
    slot: &mut [u64],
    held: &mut [u64],
    boxed: &Boxed<'_>,
    member: u32,
) -> Result<usize, Members> {
    let numbers = boxed.offset.iter().chain(boxed.shape);
    let span = span(member, member);
    for (word, value) in slot.iter_mut().zip(numbers.chain([span])) {
        *word = value;
    }
    let len = slot.len();
    let mut end = held.len();
    while let Some(at) = scan(slot, held.get(..end).unwrap_or(&[]))? {
        end = end.wrapping_sub(len);
        let (others, last) = held.split_at_mut_checked(end).unwrap_or_default();
        let last = last.get(..len).unwrap_or(&[]);
        match others.get_mut(at..) {
            // the last box takes the place of the one that is taken
            Some(other) if !other.is_empty() => {
                absorb(slot, other);
                copy(last, other);
            }
            _ => absorb(slot, last),
        }
    }
    Ok(end)
}

/// Copies the box at the front of one slice to the front of another.
pub(super) fn copy(from: &[u64], to: &mut [u64]) {
    for (word, value) in to.iter_mut().zip(from) {
        *word = *value;
    }
}

/// The offset and shape of a box.
pub(super) fn view(words: &[u64], rank: usize) -> Boxed<'_> {
    let (offset, rest) = words.split_at_checked(rank).unwrap_or_default();
    Boxed {
        offset: offset.into(),
        shape: rest.get(..rank).unwrap_or(&[]).into(),
    }
}

/// Where the last held box is that `slot` continues.
fn scan(slot: &[u64], held: &[u64]) -> Result<Option<usize>, Members> {
    let mut found = None;
    let mut at = 0usize;
    let mut rest = held;
    while let Some((other, behind)) = rest.split_at_checked(slot.len()) {
        match relate(slot, other) {
            Relation::Apart => {}
            Relation::Continues => found = Some(at),
            Relation::Overlaps => return Err(members(other.last().copied().unwrap_or(0))),
        }
        rest = behind;
        at = at.wrapping_add(slot.len());
    }
    Ok(found)
}

enum Relation {
    Apart,
    /// The two differ in one axis and touch there.
    Continues,
    Overlaps,
}

#[inline(always)]
fn relate(a: &[u64], b: &[u64]) -> Relation {
    let rank = a.len().wrapping_shr(1);
    let (offsets_a, shape_a) = a.split_at_checked(rank).unwrap_or_default();
    let (offsets_b, shape_b) = b.split_at_checked(rank).unwrap_or_default();
    let offsets = offsets_a.iter().zip(offsets_b);
    let mut touching = 0u32;
    let mut differing = 0u32;
    for ((from_a, from_b), (size_a, size_b)) in offsets.zip(shape_a.iter().zip(shape_b)) {
        let (to_a, to_b) = (from_a.wrapping_add(*size_a), from_b.wrapping_add(*size_b));
        // one branch, taken for nearly all boxes of a large set
        if (to_a < *from_b) | (to_b < *from_a) {
            return Relation::Apart;
        }
        touching = touching.wrapping_add(((to_a == *from_b) | (to_b == *from_a)).into());
        differing = differing.wrapping_add(((from_a != from_b) | (size_a != size_b)).into());
    }
    match (touching, differing) {
        (0, _) => Relation::Overlaps,
        (1, 1) => Relation::Continues,
        _ => Relation::Apart,
    }
}

/// Grows `a` by the box at the front of `b`, which continues it.
fn absorb(a: &mut [u64], b: &[u64]) {
    let rank = a.len().wrapping_shr(1);
    let (offsets_a, rest_a) = a.split_at_mut_checked(rank).unwrap_or_default();
    let (offsets_b, rest_b) = b.split_at_checked(rank).unwrap_or_default();
    let offsets = offsets_a.iter_mut().zip(offsets_b);
    for ((from_a, from_b), (size_a, size_b)) in offsets.zip(rest_a.iter_mut().zip(rest_b)) {
        if from_a != from_b {
            *size_a = size_a.wrapping_add(*size_b);
            *from_a = *from_b.min(from_a);
        }
    }
    if let (Some(a), Some(b)) = (rest_a.last_mut(), rest_b.get(rank)) {
        let ((first_a, last_a), (first_b, last_b)) = (members(*a), members(*b));
        *a = span(first_a.min(first_b), last_a.max(last_b));
    }
}

fn span(first: u32, last: u32) -> u64 {
    u64::from(last).wrapping_shl(32) | u64::from(first)
}

fn members(span: u64) -> Members {
    let last = u32::try_from(span.wrapping_shr(32)).unwrap_or(u32::MAX);
    let first = u32::try_from(span & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    (first, last)
}
