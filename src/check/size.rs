//! Element counts and byte sizes that never wrap.
//!
//! A dense tensor is only ever compared with a 64-bit buffer, so a count needs 64 bits of bytes, 3 bits
//! for eight elements in a byte and a little room. What is larger saturates and stays too large.

use crate::model::{Array, U64s};
use crate::wire::descriptor::DYNAMIC;
use crate::wire::widening_mul;

/// A number of elements or bytes; exact below `2^70`, [`Count::TOO_LARGE`] from there on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Count {
    // compared first
    high: u64,
    low: u64,
}

/// High halves from here on saturate.
const LIMIT: u64 = 1 << 6;

impl Count {
    pub(crate) const ZERO: Count = Count::new(0);
    pub(crate) const ONE: Count = Count::new(1);
    pub(crate) const TOO_LARGE: Count = Count {
        low: 0,
        high: LIMIT,
    };

    #[inline]
    pub(crate) const fn new(n: u64) -> Self {
        Count { low: n, high: 0 }
    }

    /// `2^exponent`.
    pub(crate) fn power_of_two(exponent: u64) -> Self {
        match u32::try_from(exponent) {
            Ok(n) if n < 64 => Count::new(1u64.wrapping_shl(n)),
            Ok(n) if n < 70 => Count {
                low: 0,
                high: 1u64.wrapping_shl(n.wrapping_sub(64)),
            },
            _ => Count::TOO_LARGE,
        }
    }

    #[inline]
    fn saturate(low: u64, high: u64) -> Self {
        if high < LIMIT {
            Count { low, high }
        } else {
            Count::TOO_LARGE
        }
    }

    #[inline]
    pub(crate) fn plus(self, other: Count) -> Self {
        let (low, carry) = self.low.overflowing_add(other.low);
        if self.high | other.high == 0 && !carry {
            return Count::new(low);
        }
        // both halves are at most LIMIT, so this cannot wrap
        let high = self
            .high
            .wrapping_add(other.high)
            .wrapping_add(carry.into());
        Count::saturate(low, high)
    }

    /// The product with a number; 0 wins over any size.
    #[inline]
    pub(crate) fn times(self, n: u64) -> Self {
        match self.low.checked_mul(n) {
            Some(low) if self.high == 0 => Count::new(low),
            _ => self.times_wide(n),
        }
    }

    #[cold]
    #[inline(never)]
    fn times_wide(self, n: u64) -> Self {
        let (low, carry) = widening_mul(self.low, n);
        let high = match self.high {
            0 => carry,
            high => high.saturating_mul(n).saturating_add(carry),
        };
        Count::saturate(low, high)
    }

    pub(crate) fn times_count(self, other: Count) -> Self {
        if self.high == 0 {
            other.times(self.low)
        } else if other.high == 0 {
            self.times(other.low)
        } else {
            Count::TOO_LARGE
        }
    }

    /// Bytes that this many elements of a width take when packed (TYPE-12).
    pub(crate) fn bytes(self, bits: u32) -> Count {
        let (shift, bytes) = group(bits);
        let partial = 1u64.wrapping_shl(shift).wrapping_sub(1);
        self.plus(Count::new(partial))
            .shifted_right(shift)
            .times(bytes)
    }

    /// One less, for a count above 0.
    #[inline]
    pub(crate) fn minus_one(self) -> Self {
        if self == Count::TOO_LARGE {
            return self;
        }
        let (low, borrow) = self.low.overflowing_sub(1);
        Count {
            low,
            high: self.high.wrapping_sub(borrow.into()),
        }
    }

    fn shifted_right(self, n: u32) -> Self {
        if self.high == 0 {
            return Count::new(self.low.wrapping_shr(n));
        }
        if self == Count::TOO_LARGE || n == 0 {
            return self;
        }
        let carried = self.high.wrapping_shl(64u32.wrapping_sub(n));
        Count {
            low: self.low.wrapping_shr(n) | carried,
            high: self.high.wrapping_shr(n),
        }
    }

    /// The value, if it fits 64 bits.
    #[inline]
    pub(crate) fn fits(self) -> Option<u64> {
        (self.high == 0).then_some(self.low)
    }

    /// Whether at least this many things are there.
    #[inline]
    pub(crate) fn within(self, available: u64) -> bool {
        self.high == 0 && self.low <= available
    }
}

/// The smallest group of elements that fills whole bytes: its length as a power of two, and its bytes.
///
/// An odd multiple of `2^n` bits needs `2^(3 - n)` elements.
#[inline]
pub(crate) fn group(bits: u32) -> (u32, u64) {
    let even = bits.trailing_zeros().min(3);
    (3u32.wrapping_sub(even), bits.wrapping_shr(even).into())
}

/// Bytes of packed elements, if they fit 64 bits.
#[inline(always)]
pub(crate) fn near_bytes(elements: u64, bits: u32) -> Option<u64> {
    if bits & 7 == 0 {
        return elements.checked_mul(bits.wrapping_shr(3).into());
    }
    let (shift, bytes) = group(bits);
    let partial = elements & 1u64.wrapping_shl(shift).wrapping_sub(1) != 0;
    let groups = elements.wrapping_shr(shift).wrapping_add(partial.into());
    groups.checked_mul(bytes)
}

/// Elements of a shape: none while a dimension that matters is dynamic. A zero wins over everything.
#[inline(always)]
pub(crate) fn elements(shape: U64s<'_>) -> Option<Count> {
    match near(shape) {
        Some(elements) => Some(Count::new(elements)),
        None => exact(shape, u32::MAX, 0),
    }
}

/// Elements of a shape without a dynamic dimension, where they and every product on the way to them fit
/// 64 bits.
#[inline(always)]
pub(crate) fn near(shape: U64s<'_>) -> Option<u64> {
    match shape {
        Array::Le(bytes) => {
            let sizes = bytes.as_chunks().0.iter();
            product(sizes.map(|size| u64::from_le_bytes(*size)))
        }
        Array::Native(sizes) => product(sizes.iter().copied()),
    }
}

#[inline(always)]
fn product(mut sizes: impl Iterator<Item = u64>) -> Option<u64> {
    let product = sizes.try_fold(1, u64::checked_mul)?;
    // a product with a dynamic dimension that fits is 0 or that dimension
    (product != DYNAMIC).then_some(product)
}

/// Elements of a shape with another size for one dimension.
#[inline(always)]
pub(crate) fn elements_with(shape: U64s<'_>, axis: u32, size: u64) -> Option<Count> {
    let other = |(k, dimension)| if k == axis { size } else { dimension };
    let near = match shape {
        Array::Le(bytes) => {
            let sizes = bytes.as_chunks().0.iter().copied();
            product((0..).zip(sizes.map(u64::from_le_bytes)).map(other))
        }
        Array::Native(sizes) => product((0..).zip(sizes.iter().copied()).map(other)),
    };
    match near {
        Some(elements) => Some(Count::new(elements)),
        None => exact(shape, axis, size),
    }
}

#[cold]
#[inline(never)]
fn exact(shape: U64s<'_>, axis: u32, size: u64) -> Option<Count> {
    let mut product = Count::ONE;
    let mut dynamic = false;
    for (dimension, k) in shape.iter().zip(0..) {
        let size = if k == axis { size } else { dimension };
        if size == DYNAMIC {
            dynamic = true;
        } else {
            product = product.times(size);
        }
    }
    (!dynamic || product == Count::ZERO).then_some(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact_below_2_pow_70_and_saturate_above() {
        let big = Count::power_of_two(69);
        assert_eq!(Count::new(1 << 40).times(1 << 29), big);
        assert_eq!(big.times(2), Count::TOO_LARGE);
        assert_eq!(big.times(u64::MAX), Count::TOO_LARGE);
        assert_eq!(big.times(0), Count::ZERO);
        assert_eq!(Count::TOO_LARGE.times(1), Count::TOO_LARGE);
        assert_eq!(Count::TOO_LARGE.times_count(Count::ZERO), Count::ZERO);
        assert_eq!(Count::ZERO.times_count(Count::TOO_LARGE), Count::ZERO);
        assert_eq!(
            Count::new(u64::MAX).plus(Count::ONE),
            Count::power_of_two(64)
        );
    }

    #[test]
    fn bytes_of_packed_types() {
        // five 6-bit elements take two groups of three bytes
        assert_eq!(Count::new(5).bytes(6), Count::new(6));
        assert_eq!(Count::new(1).bytes(6), Count::new(3));
        assert_eq!(Count::new(0).bytes(6), Count::ZERO);
        assert_eq!(Count::new(9).bytes(1), Count::new(2));
        assert_eq!(Count::new(7).bytes(4), Count::new(4));
        assert_eq!(Count::new(3).bytes(2), Count::new(1));
        assert_eq!(Count::new(3).bytes(256), Count::new(96));
        // 2^67 bits are 2^64 bytes, one more than fits
        assert_eq!(Count::power_of_two(67).bytes(1).fits(), None);
        assert_eq!(Count::power_of_two(66).bytes(1).fits(), Some(1 << 63));
        assert_eq!(Count::new(u64::MAX).bytes(128).fits(), None);
        assert_eq!(Count::power_of_two(68).bytes(128), Count::TOO_LARGE);
    }

    #[test]
    fn zero_dimensions_win() {
        assert_eq!(
            elements(U64s::from(&[1 << 40, 1 << 40, 0])),
            Some(Count::ZERO)
        );
        assert_eq!(elements(U64s::from(&[DYNAMIC, 0])), Some(Count::ZERO));
        assert_eq!(elements(U64s::from(&[DYNAMIC, 2])), None);
        assert_eq!(elements(U64s::EMPTY), Some(Count::ONE));
    }

    #[test]
    fn short_ways_give_what_the_long_ones_do() {
        let shapes: [&[u64]; 8] = [
            &[],
            &[3, 4],
            &[1 << 32, 1 << 31],
            // 2^64 - 1, and so no different from a dynamic dimension at first sight
            &[0xFFFF_FFFF, 0x1_0000_0001],
            &[DYNAMIC],
            &[DYNAMIC, 1],
            &[DYNAMIC, 2, 0],
            &[1 << 40, 1 << 40],
        ];
        for shape in shapes {
            let bytes: std::vec::Vec<u8> = shape.iter().flat_map(|n| n.to_le_bytes()).collect();
            for array in [U64s::from(shape), Array::Le(&bytes)] {
                assert_eq!(elements(array), exact(array, u32::MAX, 0), "{shape:?}");
                for k in 0..2 {
                    let long = exact(array, k, 7);
                    assert_eq!(elements_with(array, k, 7), long, "{shape:?}");
                }
            }
        }
        for bits in [1, 2, 4, 6, 8, 32, 128, 256] {
            for n in [0, 1, 2, 3, 4, 5, 7, 8, 9, 1 << 60, u64::MAX - 1, u64::MAX] {
                let long = Count::new(n).bytes(bits).fits();
                assert_eq!(near_bytes(n, bits), long, "{n} of {bits} bits");
            }
        }
    }
}
