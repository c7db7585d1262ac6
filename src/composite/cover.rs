//! Whether the members of a partition cover their head exactly.
//!
//! Two ways and their combination, all exact in their arithmetic for every shape. `Exact` holds boxes
//! and merges neighbours; disjoint boxes inside the head cover it exactly when their volumes add up to
//! its volume. `Keyed` holds one sum: a set of boxes tiles the head if and only if the formal sums of
//! signed corners agree, and the sum hashes every corner coordinate with a secret key. `docs/cover.md`
//! has the proof. Boxes without elements cover nothing and overlap nothing.

use core::fmt;

use super::{Arena, grow};
use crate::error::ErrorKind;
use crate::model::U64s;
use crate::rule::Rule;
use crate::wire::{index, widening_mul};

/// 128 secret random bits; whoever knows them can forge a partition that `Keyed` accepts.
#[derive(Clone, Copy)]
pub struct Key(pub [u64; 2]);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// Which of the two ways decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Method {
    /// Boxes, without any chance of error.
    Exact,
    /// The keyed sum: a wrong partition passes with probability at most `rank * 2^-61`.
    Keyed,
}

/// A way to check covers; what a build does not name is not linked.
pub trait Cover: sealed::Sealed {
    #[doc(hidden)]
    const BOXES: u32;
    #[doc(hidden)]
    const KEYED: bool;
    #[doc(hidden)]
    fn key(&self) -> [u64; 2];
}

mod sealed {
    pub trait Sealed {}
}

/// Streaming and exact: tests every box on arrival, names the members that overlap.
///
/// Holds two boxes for row-, column- or reverse-ordered two-dimensional grids of any size, 16 for 100,000
/// tiles in Morton order; random orders grow with the number of members. What does not fit the arena is a
/// capacity error. A box takes `2 * rank + 1` words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

/// One pass, constant memory, any order: a keyed sum over corners. Names no members.
///
/// Proves nothing against a sender who knows the key: a device without entropy wants [`Exact`].
#[derive(Clone, Copy, Debug)]
pub struct Keyed(pub Key);

/// [`Exact`] as long as 1,024 boxes and the arena suffice, [`Keyed`] beyond: linear on every input.
#[derive(Clone, Copy, Debug)]
pub struct ExactThenKeyed(pub Key);

impl sealed::Sealed for Exact {}
impl sealed::Sealed for Keyed {}
impl sealed::Sealed for ExactThenKeyed {}

impl Cover for Exact {
    const BOXES: u32 = u32::MAX;
    const KEYED: bool = false;
    fn key(&self) -> [u64; 2] {
        [0; 2]
    }
}

impl Cover for Keyed {
    const BOXES: u32 = 0;
    const KEYED: bool = true;
    fn key(&self) -> [u64; 2] {
        self.0.0
    }
}

impl Cover for ExactThenKeyed {
    const BOXES: u32 = 1024;
    const KEYED: bool = true;
    fn key(&self) -> [u64; 2] {
        self.0.0
    }
}

/// The box of a member in its head.
pub(crate) struct Boxed<'a> {
    pub(crate) offset: U64s<'a>,
    pub(crate) shape: U64s<'a>,
}

impl Boxed<'_> {
    /// Half-open ranges; members were checked to end inside the head.
    fn ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        let ends = self.offset.iter().zip(self.shape);
        ends.map(|(offset, size)| (offset, offset.wrapping_add(size)))
    }
}

/// What a level knows of its cover; the numbers are in the arena:
///
/// `remaining[limbs + 1] volume[limbs] sum boxes[held][2 * rank + 1]`
///
/// `remaining` is the head's volume less the members', little-endian, in two's complement; `volume` is
/// working space; a box is its ranges and the members it was merged from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CoverState {
    limbs: u8,
    rank: u8,
    held: u32,
    /// Boxes did not suffice: only the sum goes on.
    sum_only: bool,
}

impl CoverState {
    /// Starts with the whole head uncovered.
    pub(crate) fn open<C: Cover, A: Arena>(
        cover: &C,
        arena: &mut A,
        at: usize,
        shape: U64s<'_>,
    ) -> Result<Self, ErrorKind> {
        let bits = shape
            .iter()
            .map(|size| 64u32.wrapping_sub(size.leading_zeros()));
        // a product has at most the bits of its factors together
        let bits: u32 = bits.fold(0, u32::wrapping_add);
        let limbs = u8::try_from(bits.div_ceil(64).max(1)).unwrap_or(u8::MAX);
        let state = CoverState {
            limbs,
            rank: u8::try_from(shape.len()).unwrap_or(u8::MAX),
            held: 0,
            sum_only: C::BOXES == 0,
        };
        grow(arena, at.wrapping_add(state.boxes_at()))?;
        let words = words_from(arena, at);
        let (remaining, _) = words.split_at_mut_checked(limbs.into()).unwrap_or_default();
        multiply(remaining, shape.iter());
        if C::KEYED {
            let whole = weight(cover.key(), shape.iter().map(|size| (0, size)));
            if let Some(sum) = words.get_mut(state.sum_at()) {
                *sum = subtract(0, whole);
            }
        }
        Ok(state)
    }

    fn sum_at(&self) -> usize {
        usize::from(self.limbs).wrapping_mul(2).wrapping_add(1)
    }

    fn boxes_at(&self) -> usize {
        self.sum_at().wrapping_add(1)
    }

    fn box_len(&self) -> usize {
        usize::from(self.rank).wrapping_mul(2).wrapping_add(1)
    }

    pub(crate) fn method(&self) -> Method {
        if self.sum_only {
            Method::Keyed
        } else {
            Method::Exact
        }
    }

    /// Adds the box of member `member`. An overlap that is found changes nothing.
    pub(crate) fn add<C: Cover, A: Arena>(
        &mut self,
        cover: &C,
        arena: &mut A,
        at: usize,
        boxed: &Boxed<'_>,
        member: u32,
    ) -> Result<(), ErrorKind> {
        if boxed.shape.iter().any(|size| size == 0) {
            return Ok(());
        }
        if C::BOXES > 0 && !self.sum_only {
            self.hold::<C, A>(arena, at, boxed, member)?;
        }
        let words = words_from(arena, at);
        let limbs = usize::from(self.limbs);
        let (remaining, rest) = words
            .split_at_mut_checked(limbs.wrapping_add(1))
            .unwrap_or_default();
        let (volume, rest) = rest.split_at_mut_checked(limbs).unwrap_or_default();
        multiply(volume, boxed.shape.iter());
        subtract_limbs(remaining, volume);
        if let (true, Some(sum)) = (C::KEYED, rest.first_mut()) {
            *sum = add(*sum, weight(cover.key(), boxed.ranges()));
        }
        Ok(())
    }

    /// Keeps a box, or gives up on boxes where the sum can decide alone.
    fn hold<C: Cover, A: Arena>(
        &mut self,
        arena: &mut A,
        at: usize,
        boxed: &Boxed<'_>,
        member: u32,
    ) -> Result<(), ErrorKind> {
        let start = at.wrapping_add(self.boxes_at());
        let len = self.box_len();
        let held = index(self.held).wrapping_mul(len);
        let boxes = words_from(arena, start);
        for other in boxes.get(..held).unwrap_or(&[]).chunks_exact(len) {
            if overlaps(other, boxed) {
                let (first, last) = members(other);
                return Err(ErrorKind::Overlap {
                    member,
                    first,
                    last,
                });
            }
        }
        let end = start.wrapping_add(held).wrapping_add(len);
        let room = if self.held < C::BOXES {
            grow(arena, end)
        } else {
            Err(NO_ROOM)
        };
        if let Err(error) = room {
            if !C::KEYED {
                return Err(error);
            }
            self.sum_only = true;
            self.held = 0;
            // shrinking cannot fail
            let _ = arena.resize(start);
            return Ok(());
        }
        let boxes = words_from(arena, start);
        if let Some(new) = boxes.get_mut(held..) {
            let ranges = boxed.ranges().flat_map(|(from, to)| [from, to]);
            let span = u64::from(member).wrapping_shl(32) | u64::from(member);
            for (word, value) in new.iter_mut().zip(ranges.chain([span])) {
                *word = value;
            }
        }
        self.held = merge_last(boxes, len, self.held.wrapping_add(1));
        let kept = index(self.held).wrapping_mul(len);
        let _ = arena.resize(start.wrapping_add(kept));
        Ok(())
    }

    /// The verdict when all members are there: COMP-42 or COMP-43.
    pub(crate) fn close<A: Arena>(&self, arena: &A, at: usize, keyed: bool) -> Result<(), Rule> {
        let words = arena.words().get(at..).unwrap_or(&[]);
        let (remaining, _) = words
            .split_at_checked(usize::from(self.limbs).wrapping_add(1))
            .unwrap_or_default();
        let covered = if keyed && self.sum_only {
            words.get(self.sum_at()) == Some(&0)
        } else {
            remaining.iter().all(|limb| *limb == 0)
        };
        if covered {
            return Ok(());
        }
        let less = remaining.last() == Some(&0) && remaining.iter().any(|limb| *limb != 0);
        // as much as the head or more, and not exactly the head: something is covered twice
        Err(if less { GAP } else { Rule::Overlap })
    }
}

/// What a set of disjoint boxes that is no cover breaks.
pub(crate) const GAP: Rule = Rule::Gap;

const NO_ROOM: ErrorKind = ErrorKind::Capacity {
    what: crate::error::Resource::Arena,
    needed: 0,
    available: 0,
};

fn words_from<A: Arena>(arena: &mut A, at: usize) -> &mut [u64] {
    arena.words_mut().get_mut(at..).unwrap_or_default()
}

fn members(held: &[u64]) -> (u32, u32) {
    let span = held.last().copied().unwrap_or(0).to_le_bytes();
    let [a, b, c, d, e, f, g, h] = span;
    (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    )
}

fn overlaps(held: &[u64], boxed: &Boxed<'_>) -> bool {
    let (ranges, _) = held.as_chunks::<2>();
    ranges
        .iter()
        .zip(boxed.ranges())
        .all(|([from, to], (start, end))| *from < end && start < *to)
}

/// Merges the last of `count` boxes with every box it continues; returns how many are left.
fn merge_last(boxes: &mut [u64], len: usize, count: u32) -> u32 {
    let mut count = count;
    let mut current = count.wrapping_sub(1);
    'again: loop {
        for other in (0..count).rev() {
            if other != current && join(boxes, len, other, current) {
                count = count.wrapping_sub(1);
                // the merged box is in `other`; the last box moves to where the current one was
                copy_box(boxes, len, count, current);
                current = if other == count { current } else { other };
                continue 'again;
            }
        }
        return count;
    }
}

fn box_at(boxes: &[u64], len: usize, k: u32) -> &[u64] {
    let start = index(k).wrapping_mul(len);
    boxes.get(start..start.wrapping_add(len)).unwrap_or(&[])
}

fn copy_box(boxes: &mut [u64], len: usize, from: u32, to: u32) {
    let (from, to) = (index(from).wrapping_mul(len), index(to).wrapping_mul(len));
    for k in 0..len {
        let word = boxes.get(from.wrapping_add(k)).copied().unwrap_or(0);
        if let Some(slot) = boxes.get_mut(to.wrapping_add(k)) {
            *slot = word;
        }
    }
}

/// Joins box `b` to box `a` if they differ in one axis and touch there.
fn join(boxes: &mut [u64], len: usize, a: u32, b: u32) -> bool {
    let (first, second) = (box_at(boxes, len, a), box_at(boxes, len, b));
    let (ranges_a, _) = first.as_chunks::<2>();
    let (ranges_b, _) = second.as_chunks::<2>();
    let mut touching = None;
    for (axis, (a, b)) in ranges_a.iter().zip(ranges_b).enumerate() {
        if a == b {
            continue;
        }
        let ([from_a, to_a], [from_b, to_b]) = (a, b);
        if touching.is_some() || (to_a != from_b && to_b != from_a) {
            return false;
        }
        touching = Some((axis, [*from_a.min(from_b), *to_a.max(to_b)]));
    }
    let ((first_a, last_a), (first_b, last_b)) = (members(first), members(second));
    let Some((axis, range)) = touching else {
        return false;
    };
    let span = u64::from(last_a.max(last_b)).wrapping_shl(32) | u64::from(first_a.min(first_b));
    let start = index(a).wrapping_mul(len);
    if let Some(words) = boxes.get_mut(start..start.wrapping_add(len)) {
        if let Some(pair) = words
            .get_mut(axis.wrapping_mul(2)..)
            .and_then(<[u64]>::first_chunk_mut)
        {
            *pair = range;
        }
        if let Some(last) = words.last_mut() {
            *last = span;
        }
    }
    true
}

/// Sets `limbs` to the product, which fits.
fn multiply(limbs: &mut [u64], factors: impl Iterator<Item = u64>) {
    limbs.fill(0);
    if let Some(first) = limbs.first_mut() {
        *first = 1;
    }
    for factor in factors {
        let mut carry = 0;
        for limb in limbs.iter_mut() {
            let (low, high) = widening_mul(*limb, factor);
            let (low, over) = low.overflowing_add(carry);
            *limb = low;
            carry = high.wrapping_add(over.into());
        }
    }
}

/// `a -= b` in two's complement; `b` is shorter by the sign limb.
fn subtract_limbs(a: &mut [u64], b: &[u64]) {
    let mut borrow = false;
    for (limb, less) in a.iter_mut().zip(b.iter().copied().chain([0])) {
        let (difference, first) = limb.overflowing_sub(less);
        let (difference, second) = difference.overflowing_sub(borrow.into());
        *limb = difference;
        borrow = first || second;
    }
}

/// The field of the sums: integers modulo the prime `2^61 - 1`.
const PRIME: u64 = (1 << 61) - 1;

fn reduce(n: u64) -> u64 {
    // n is below 2^62
    let folded = (n & PRIME).wrapping_add(n.wrapping_shr(61));
    if folded >= PRIME {
        folded.wrapping_sub(PRIME)
    } else {
        folded
    }
}

fn add(a: u64, b: u64) -> u64 {
    reduce(a.wrapping_add(b))
}

fn subtract(a: u64, b: u64) -> u64 {
    reduce(a.wrapping_add(PRIME).wrapping_sub(b))
}

fn product(a: u64, b: u64) -> u64 {
    let (low, high) = widening_mul(a, b);
    let top = high.wrapping_shl(3) | low.wrapping_shr(61);
    reduce((low & PRIME).wrapping_add(top))
}

/// The signed corners of a box, hashed: the product over its axes of `h(k, to) - h(k, from)`.
fn weight(key: [u64; 2], ranges: impl Iterator<Item = (u64, u64)>) -> u64 {
    let axes = (0u8..)
        .zip(ranges)
        .map(|(axis, (from, to))| subtract(coordinate(key, axis, to), coordinate(key, axis, from)));
    axes.fold(1, product)
}

fn coordinate(key: [u64; 2], axis: u8, value: u64) -> u64 {
    reduce(siphash13(key, value, axis) & PRIME)
}

/// SipHash-1-3 of the nine bytes `value` (little-endian) and `axis`.
fn siphash13([k0, k1]: [u64; 2], value: u64, axis: u8) -> u64 {
    let last = 9u64.wrapping_shl(56) | u64::from(axis);
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    for block in [value, last] {
        let [_, _, _, v3] = &mut v;
        *v3 ^= block;
        sip_round(&mut v);
        let [v0, ..] = &mut v;
        *v0 ^= block;
    }
    let [_, _, v2, _] = &mut v;
    *v2 ^= 0xFF;
    for _ in 0..3 {
        sip_round(&mut v);
    }
    let [v0, v1, v2, v3] = v;
    v0 ^ v1 ^ v2 ^ v3
}

fn sip_round([v0, v1, v2, v3]: &mut [u64; 4]) {
    *v0 = v0.wrapping_add(*v1);
    *v2 = v2.wrapping_add(*v3);
    *v1 = v1.rotate_left(13) ^ *v0;
    *v3 = v3.rotate_left(16) ^ *v2;
    *v0 = v0.rotate_left(32);
    *v2 = v2.wrapping_add(*v1);
    *v0 = v0.wrapping_add(*v3);
    *v1 = v1.rotate_left(17) ^ *v2;
    *v3 = v3.rotate_left(21) ^ *v0;
    *v2 = v2.rotate_left(32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hash::Hasher;

    /// The field holds all sums of two reduced numbers.
    #[test]
    fn field_arithmetic() {
        let last = PRIME - 1;
        assert_eq!(add(last, last), PRIME - 2);
        assert_eq!(subtract(0, 1), last);
        assert_eq!(product(last, last), 1);
        assert_eq!(product(1 << 60, 4), 2);
    }

    #[test]
    fn the_hash_is_siphash_1_3() {
        let key = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        for (value, axis) in [(0, 0), (1, 63), (u64::MAX, 255), (0x0123_4567_89ab_cdef, 7)] {
            let mut hasher = siphasher::sip::SipHasher13::new_with_keys(key[0], key[1]);
            hasher.write(&u64::to_le_bytes(value));
            hasher.write(&[axis]);
            assert_eq!(siphash13(key, value, axis), hasher.finish());
        }
    }

    #[test]
    fn volumes_are_exact() {
        let mut limbs = [0; 3];
        multiply(&mut limbs, [u64::MAX, u64::MAX, u64::MAX].into_iter());
        // (2^64 - 1)^3 = 2^192 - 3 * 2^128 + 3 * 2^64 - 1
        assert_eq!(limbs, [u64::MAX, 2, u64::MAX - 2]);
        let mut remaining = [0, 1, 0];
        subtract_limbs(&mut remaining, &[1, 0]);
        assert_eq!(remaining, [u64::MAX, 0, 0]);
        subtract_limbs(&mut remaining, &[0, 1]);
        assert_eq!(remaining, [u64::MAX, u64::MAX, u64::MAX]);
    }
}
