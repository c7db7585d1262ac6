//! The numbers of a cover: volumes without overflow, and the keyed sum of signed corners.

use crate::wire::widening_mul;

/// What the boxes that were counted cover, less what the head asks for:
///
/// `sum excess[limbs + 1] volume[limbs]`
///
/// `sum` is the keyed sum, which is 0 if and only if the boxes tile the head, but for the method's error;
/// `excess` is a volume, little-endian, in two's complement; `volume` is working space.
pub(super) struct Tally<'a> {
    words: &'a mut [u64],
    limbs: usize,
}

impl<'a> Tally<'a> {
    /// Words that a tally of `limbs` limbs takes.
    pub(super) const fn len(limbs: usize) -> usize {
        limbs.wrapping_mul(2).wrapping_add(2)
    }

    /// In the first words that are lent.
    #[inline]
    pub(super) fn new(words: &'a mut [u64], limbs: usize) -> Self {
        Tally { words, limbs }
    }

    /// Nothing covered of a head.
    #[inline]
    pub(super) fn start<K: Weigh>(&mut self, key: K, head: impl FnOnce(&mut Term<'_, K>)) {
        self.words.fill(0);
        self.count(key, true, head);
    }

    /// Counts a box: as covered, or as asked for. The keyed sum goes on with a key only.
    #[inline]
    pub(super) fn count<K: Weigh>(
        &mut self,
        key: K,
        negative: bool,
        axes: impl FnOnce(&mut Term<'_, K>),
    ) {
        let mut term = Term {
            key,
            axis: 0,
            weight: K::ONE,
            low: 1,
            high: &mut [],
        };
        if self.limbs > 1 {
            term.high = self.parts().2;
            term.high.fill(0);
        }
        axes(&mut term);
        let Term { weight, low, .. } = term;
        let weight = if negative {
            subtract(0, weight)
        } else {
            weight
        };
        // the commonest: all of it in registers
        if let (1, Some([sum, excess, sign, _])) = (self.limbs, self.words.first_chunk_mut()) {
            let (total, over) = if negative {
                excess.overflowing_sub(low)
            } else {
                excess.overflowing_add(low)
            };
            *excess = total;
            if over {
                *sign = sign.wrapping_add(if negative { u64::MAX } else { 1 });
            }
            *sum = add(*sum, weight);
        } else {
            self.add(weight, low, negative);
        }
    }

    #[cold]
    fn add(&mut self, weight: u64, low: u64, negative: bool) {
        let (sum, excess, high) = self.parts();
        for sum in sum {
            *sum = add(*sum, weight);
        }
        add_limbs(excess, low, high, negative);
    }

    /// The sum, the excess, and the volume without its lowest limb, which stays in a register.
    fn parts(&mut self) -> (&mut [u64], &mut [u64], &mut [u64]) {
        let len = Self::len(self.limbs);
        let words = self.words.get_mut(..len).unwrap_or_default();
        let (sum, rest) = words.split_at_mut_checked(1).unwrap_or_default();
        let excess = self.limbs.wrapping_add(1);
        let (excess, volume) = rest.split_at_mut_checked(excess).unwrap_or_default();
        (sum, excess, volume.get_mut(1..).unwrap_or_default())
    }

    fn excess(&self) -> &[u64] {
        let end = self.limbs.wrapping_add(2);
        self.words.get(1..end).unwrap_or(&[])
    }

    /// Whether less than the head's volume is covered.
    pub(super) fn is_less(&self) -> bool {
        let sign = self.excess().last();
        sign.is_some_and(|sign| sign.leading_zeros() == 0)
    }

    pub(super) fn is_equal(&self) -> bool {
        self.excess().iter().all(|limb| *limb == 0)
    }

    pub(super) fn sums_agree(&self) -> bool {
        self.words.first() == Some(&0)
    }
}

/// What a box adds to the keyed sum: the product of what its axes give. Nothing without a key.
pub(super) trait Weigh: Copy {
    /// The product of no axes.
    const ONE: u64;

    /// With an axis more.
    fn times(self, weight: u64, axis: u8, from: u64, to: u64) -> u64;
}

impl Weigh for [u64; 2] {
    const ONE: u64 = 1;

    #[inline(always)]
    fn times(self, weight: u64, axis: u8, from: u64, to: u64) -> u64 {
        product(weight, signed_ends(self, axis, from, to))
    }
}

impl Weigh for () {
    const ONE: u64 = 0;

    #[inline(always)]
    fn times(self, weight: u64, _: u8, _: u64, _: u64) -> u64 {
        weight
    }
}

/// A box while it is counted.
pub(super) struct Term<'a, K> {
    key: K,
    axis: u8,
    weight: u64,
    /// The volume: its lowest limb and the others.
    low: u64,
    high: &'a mut [u64],
}

impl<K: Weigh> Term<'_, K> {
    /// The next axis.
    #[inline(always)]
    pub(super) fn axis(&mut self, from: u64, size: u64) {
        let carry;
        (self.low, carry) = widening_mul(self.low, size);
        if !self.high.is_empty() {
            multiply(self.high, size, carry);
        }
        let to = from.wrapping_add(size);
        self.weight = self.key.times(self.weight, self.axis, from, to);
        self.axis = self.axis.wrapping_add(1);
    }
}

/// `limbs * factor + carry`, which fits.
#[inline(never)]
fn multiply(limbs: &mut [u64], factor: u64, carry: u64) {
    let mut carry = carry;
    for limb in limbs {
        let (low, high) = widening_mul(*limb, factor);
        let (low, over) = low.overflowing_add(carry);
        *limb = low;
        carry = high.wrapping_add(over.into());
    }
}

/// `a += b` or `a -= b` in two's complement; `b` is `low` and `high`, shorter by the sign limb.
#[inline]
fn add_limbs(a: &mut [u64], low: u64, high: &[u64], negative: bool) {
    // -b is !b + 1
    let mask = if negative { u64::MAX } else { 0 };
    let mut more = low;
    let mut high = high.iter();
    let mut carry = negative;
    for limb in a {
        let (total, first) = limb.overflowing_add(more ^ mask);
        let (total, second) = total.overflowing_add(carry.into());
        *limb = total;
        carry = first || second;
        more = high.next().copied().unwrap_or(0);
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

/// What the axis of a box gives to the product of its signed corners: `h(k, to) - h(k, from)`.
#[inline]
fn signed_ends(key: [u64; 2], axis: u8, from: u64, to: u64) -> u64 {
    subtract(coordinate(key, axis, to), coordinate(key, axis, from))
}

/// At most the prime, which stands for 0: the arithmetic reduces it.
fn coordinate(key: [u64; 2], axis: u8, value: u64) -> u64 {
    siphash13(key, value, axis) & PRIME
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
    fn the_prime_stands_for_zero() {
        for (a, b) in [(PRIME, 0), (0, PRIME), (PRIME, PRIME), (0, 0)] {
            assert_eq!(subtract(a, b), 0);
        }
        assert_eq!(subtract(PRIME, 1), PRIME - 1);
        assert_eq!(subtract(1, PRIME), 1);
    }

    /// Whatever is counted twice, in one limb and in two.
    #[test]
    fn an_excess_keeps_its_sign() {
        for size in [u64::MAX, u64::MAX - 1] {
            for limbs in 1..3 {
                let mut words = [0; 6];
                let mut tally = Tally::new(&mut words, limbs);
                let mut seen = [0; 3];
                tally.start((), |term| term.axis(0, size));
                for slot in &mut seen {
                    *slot = i8::from(tally.is_less()) - i8::from(tally.is_equal());
                    tally.count((), false, |term| term.axis(0, size));
                }
                // less than the head, as much, more
                assert_eq!(seen, [1, -1, 0], "{size} {limbs}");
                tally.count((), true, |term| term.axis(0, size));
                tally.count((), true, |term| term.axis(0, size));
                assert!(tally.is_equal());
                assert!(tally.sums_agree());
            }
        }
    }

    #[test]
    fn volumes_are_exact() {
        let mut high = [0; 2];
        let mut term = Term {
            key: (),
            axis: 0,
            weight: 0,
            low: 1,
            high: &mut high,
        };
        for _ in 0..3 {
            term.axis(0, u64::MAX);
        }
        // (2^64 - 1)^3 = 2^192 - 3 * 2^128 + 3 * 2^64 - 1
        assert_eq!((term.low, high), (u64::MAX, [2, u64::MAX - 2]));
        let mut excess = [0, 1, 0];
        add_limbs(&mut excess, 1, &[0], true);
        assert_eq!(excess, [u64::MAX, 0, 0]);
        add_limbs(&mut excess, 0, &[1], true);
        assert_eq!(excess, [u64::MAX, u64::MAX, u64::MAX]);
        add_limbs(&mut excess, 1, &[0], false);
        assert_eq!(excess, [0, 0, 0]);
    }
}
