//! The numbers of a cover: volumes without overflow, and the keyed sum of signed corners.

use crate::wire::widening_mul;

/// What the boxes that were counted cover, less what the head asks for:
///
/// `excess[limbs + 1] volume[limbs] sum`
///
/// `excess` is a volume, little-endian, in two's complement; `volume` is working space; `sum` is the keyed
/// sum, which is 0 if and only if the boxes tile the head, but for the method's error.
pub(super) struct Tally<'a> {
    excess: &'a mut [u64],
    volume: &'a mut [u64],
    sum: &'a mut [u64],
}

impl<'a> Tally<'a> {
    /// Words that a tally of `limbs` limbs takes.
    pub(super) const fn len(limbs: usize) -> usize {
        limbs.wrapping_mul(2).wrapping_add(2)
    }

    pub(super) fn new(words: &'a mut [u64], limbs: usize) -> Self {
        let (excess, rest) = words
            .split_at_mut_checked(limbs.wrapping_add(1))
            .unwrap_or_default();
        let (volume, sum) = rest.split_at_mut_checked(limbs).unwrap_or_default();
        Tally {
            excess,
            volume,
            sum,
        }
    }

    /// Nothing covered of a head.
    pub(super) fn start(&mut self, key: Option<[u64; 2]>, head: impl Iterator<Item = (u64, u64)>) {
        self.excess.fill(0);
        self.sum.fill(0);
        self.count(key, head, true);
    }

    /// Counts a box: as covered, or as asked for. The keyed sum goes on with a key only.
    #[inline]
    pub(super) fn count(
        &mut self,
        key: Option<[u64; 2]>,
        ranges: impl Iterator<Item = (u64, u64)>,
        negative: bool,
    ) {
        self.volume.fill(0);
        if let Some(first) = self.volume.first_mut() {
            *first = 1;
        }
        let mut weight = 1;
        for (axis, (from, to)) in (0..=u8::MAX).zip(ranges) {
            multiply(self.volume, to.wrapping_sub(from));
            if let Some(key) = key {
                weight = product(weight, signed_ends(key, axis, from, to));
            }
        }
        self.add(negative, key.map(|_| weight));
    }

    fn add(&mut self, negative: bool, weight: Option<u64>) {
        add_limbs(self.excess, self.volume, negative);
        if let (Some(weight), Some(sum)) = (weight, self.sum.first_mut()) {
            let weight = if negative {
                subtract(0, weight)
            } else {
                weight
            };
            *sum = add(*sum, weight);
        }
    }

    /// Whether less than the head's volume is covered.
    pub(super) fn is_less(&self) -> bool {
        self.excess
            .last()
            .is_some_and(|top| top.leading_zeros() == 0)
    }

    pub(super) fn is_equal(&self) -> bool {
        self.excess.iter().all(|limb| *limb == 0)
    }

    pub(super) fn sums_agree(&self) -> bool {
        self.sum.first() == Some(&0)
    }
}

/// Multiplies a number whose product fits.
fn multiply(limbs: &mut [u64], factor: u64) {
    let mut carry = 0;
    for limb in limbs {
        let (low, high) = widening_mul(*limb, factor);
        let (low, over) = low.overflowing_add(carry);
        *limb = low;
        carry = high.wrapping_add(over.into());
    }
}

/// `a += b` or `a -= b` in two's complement; `b` is shorter by the sign limb.
fn add_limbs(a: &mut [u64], b: &[u64], negative: bool) {
    // -b is !b + 1
    let mask = if negative { u64::MAX } else { 0 };
    let mut carry = negative;
    for (limb, more) in a.iter_mut().zip(b.iter().copied().chain([0])) {
        let (total, first) = limb.overflowing_add(more ^ mask);
        let (total, second) = total.overflowing_add(carry.into());
        *limb = total;
        carry = first || second;
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
fn signed_ends(key: [u64; 2], axis: u8, from: u64, to: u64) -> u64 {
    subtract(coordinate(key, axis, to), coordinate(key, axis, from))
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
        let mut limbs = [1, 0, 0];
        for _ in 0..3 {
            multiply(&mut limbs, u64::MAX);
        }
        // (2^64 - 1)^3 = 2^192 - 3 * 2^128 + 3 * 2^64 - 1
        assert_eq!(limbs, [u64::MAX, 2, u64::MAX - 2]);
        let mut excess = [0, 1, 0];
        add_limbs(&mut excess, &[1, 0], true);
        assert_eq!(excess, [u64::MAX, 0, 0]);
        add_limbs(&mut excess, &[0, 1], true);
        assert_eq!(excess, [u64::MAX, u64::MAX, u64::MAX]);
        add_limbs(&mut excess, &[1, 0], false);
        assert_eq!(excess, [0, 0, 0]);
    }
}
