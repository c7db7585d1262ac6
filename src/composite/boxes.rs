//! Disjoint boxes of members that arrived, merged where they continue each other.
//!
//! A box takes `2 * rank + 1` words: where it starts and ends on each axis, then the first and last of the
//! members that it was merged from in the halves of one word.

/// Words of a box.
pub(super) const fn len(rank: usize) -> usize {
    rank.wrapping_mul(2).wrapping_add(1)
}

/// The first and last member of a box.
pub(super) type Members = (u32, u32);

/// Writes the box of a member.
pub(super) fn write(slot: &mut [u64], ranges: impl Iterator<Item = (u64, u64)>, member: u32) {
    let (pairs, rest) = slot.as_chunks_mut::<2>();
    for (pair, (from, to)) in pairs.iter_mut().zip(ranges) {
        *pair = [from, to];
    }
    rest.fill(span(member, member));
}

/// The ranges of a box.
pub(super) fn ranges(words: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    let (pairs, _) = words.as_chunks::<2>();
    pairs.iter().map(|[from, to]| (*from, *to))
}

/// Takes into `slot` every held box that it continues, one after the other. Returns the words that the
/// other boxes still take.
///
/// # Errors
///
/// A held box that overlaps; nothing is changed then.
pub(super) fn merge(slot: &mut [u64], held: &mut [u64]) -> Result<usize, Members> {
    let len = slot.len();
    let mut end = held.len();
    while let Some(at) = scan(slot, held.get(..end).unwrap_or(&[]))? {
        end = end.wrapping_sub(len);
        let (others, last) = held.split_at_mut_checked(end).unwrap_or_default();
        match others
            .get_mut(at..)
            .and_then(|others| others.get_mut(..len))
        {
            // the last box takes the place of the one that is taken
            Some(other) => {
                absorb(slot, other);
                copy(last, other);
            }
            None => absorb(slot, last),
        }
    }
    Ok(end)
}

/// Copies as much as fits.
pub(super) fn copy(from: &[u64], to: &mut [u64]) {
    for (word, value) in to.iter_mut().zip(from) {
        *word = *value;
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
            Relation::Overlaps => return Err(members(other)),
        }
        rest = behind;
        at = at.wrapping_add(slot.len());
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
    let mut touching = 0u32;
    let mut differing = 0u32;
    for ([from_a, to_a], [from_b, to_b]) in a.iter().zip(b) {
        // one branch, which nearly all boxes of a large set take
        if (to_a < from_b) | (to_b < from_a) {
            return Relation::Apart;
        }
        touching = touching.wrapping_add(((to_a == from_b) | (to_b == from_a)).into());
        differing = differing.wrapping_add(((from_a != from_b) | (to_a != to_b)).into());
    }
    match (touching, differing) {
        (0, _) => Relation::Overlaps,
        (1, 1) => Relation::Continues,
        _ => Relation::Apart,
    }
}

/// Grows `a` by the box at the front of `b`, which continues it.
fn absorb(a: &mut [u64], b: &[u64]) {
    let (first, last) = members(a);
    let (first_b, last_b) = members(b.get(..a.len()).unwrap_or(b));
    let (pairs, rest) = a.as_chunks_mut::<2>();
    for ([from, to], (from_b, to_b)) in pairs.iter_mut().zip(ranges(b)) {
        *from = from_b.min(*from);
        *to = to_b.max(*to);
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
