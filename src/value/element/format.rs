//! Floats of at most 16 bits: one table, one way to read them, one way to write them.
//!
//! Both ways go through float32, which holds all of their values, by adding to and taking from exponents.
//! There is no branch in either, so that loops over them become vector code.

use crate::wire::tag::ElementType;

/// A binary float format with a sign bit.
#[derive(Clone, Copy)]
pub(super) struct Format {
    exponent: u32,
    mantissa: u32,
    specials: Specials,
}

/// What the highest exponent means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Specials {
    /// Infinity and NaN, as in IEEE 754.
    Ieee,
    /// A number, except for the pattern with all bits set, which is NaN.
    OneNan,
    /// A number.
    None,
}

macro_rules! formats {
    ($($name:ident = $constant:ident($exponent:literal, $mantissa:literal, $specials:ident);)*) => {
        impl Format {
            $(pub(super) const $constant: Format = Format {
                exponent: $exponent,
                mantissa: $mantissa,
                specials: Specials::$specials,
            };)*

            /// The format of a type, for floats of at most 16 bits with a sign.
            pub(super) fn of(element_type: ElementType) -> Option<Format> {
                match element_type {
                    $(ElementType::$name => Some(Format::$constant),)*
                    _ => None,
                }
            }
        }
    };
}

formats! {
    Float16 = FLOAT16(5, 10, Ieee);
    BFloat16 = BFLOAT16(8, 7, Ieee);
    Float8E4M3 = E4M3(4, 3, OneNan);
    Float8E5M2 = E5M2(5, 2, Ieee);
    Float4E2M1 = E2M1(2, 1, None);
    Float6E2M3 = E2M3(2, 3, None);
    Float6E3M2 = E3M2(3, 2, None);
}

/// Of float32.
const EXPONENT: u32 = 8;
const MANTISSA: u32 = 23;
const SIGN: u32 = 1 << 31;
/// The lowest bit of an exponent, where the hidden bit would be.
const LEAD: u32 = 1 << MANTISSA;
const INFINITY: u32 = 0x7F80_0000;
const QUIET_NAN: u32 = 0x7FC0_0000;

impl Format {
    /// The bits of the same number as float32; a NaN becomes quiet.
    #[inline(always)]
    pub(super) fn widen(self, code: u32) -> u32 {
        let top = self.aligned(code);
        let (sign, magnitude) = (top & SIGN, top & !SIGN);
        let from = |least: u32, bits: u32| {
            if magnitude >= self.aligned(least) {
                bits
            } else {
                0
            }
        };
        let above_infinity = self.infinity().wrapping_add(1);
        if self.exponent == EXPONENT {
            return top | from(above_infinity, QUIET_NAN);
        }
        let moved = self.moved(magnitude);
        let number = self.with_lead(moved, magnitude);
        let special = match self.specials {
            Specials::Ieee => {
                number | from(self.infinity(), INFINITY) | from(above_infinity, QUIET_NAN)
            }
            Specials::OneNan => {
                let ones = self.all_ones();
                number ^ from(ones, self.moved(self.aligned(ones)) ^ QUIET_NAN)
            }
            Specials::None => number,
        };
        special | sign
    }

    /// Aligned bits with the exponents of float32.
    #[inline(always)]
    const fn moved(self, magnitude: u32) -> u32 {
        let by = EXPONENT.wrapping_sub(self.exponent);
        magnitude.wrapping_shr(by).wrapping_add(self.rebias())
    }

    /// A subnormal number has no hidden bit: it is given one, and then that is subtracted.
    #[inline(always)]
    fn with_lead(self, moved: u32, magnitude: u32) -> u32 {
        let smallest_normal = self.rebias().wrapping_add(LEAD);
        let subnormal = magnitude < self.aligned(1u32.wrapping_shl(self.mantissa));
        let (lead, excess) = if subnormal {
            (LEAD, smallest_normal)
        } else {
            (0, 0)
        };
        (f32::from_bits(moved.wrapping_add(lead)) - f32::from_bits(excess)).to_bits()
    }

    /// A code with its sign where float32 has it.
    #[inline(always)]
    const fn aligned(self, code: u32) -> u32 {
        code.wrapping_shl(31u32.wrapping_sub(self.digits()))
    }

    /// The code of the nearest number, ties to even. Above the largest, infinity where there is one,
    /// else the largest. A NaN keeps its sign and the payload that fits; without a NaN in the format it
    /// becomes the largest, see [`has`](Self::has).
    #[inline(always)]
    pub(super) fn narrow(self, bits: u32) -> u32 {
        let magnitude = bits & !SIGN;
        if self.exponent == EXPONENT {
            let quiet = bits | QUIET_NAN;
            let kept = if magnitude > INFINITY {
                quiet
            } else {
                self.rounded(bits, 0)
            };
            return kept.wrapping_shr(self.shift());
        }
        let sign = (bits & SIGN).wrapping_shr(31u32.wrapping_sub(self.digits()));
        let number = self.nearest(self.at_most_limit(magnitude));
        let payload =
            magnitude.wrapping_shr(self.shift()) & 1u32.wrapping_shl(self.mantissa).wrapping_sub(1);
        let nan = match self.specials {
            Specials::Ieee => payload | 1u32.wrapping_shl(self.mantissa.wrapping_sub(1)),
            Specials::OneNan => 1,
            Specials::None => 0,
        };
        number | (if magnitude > INFINITY { nan } else { 0 }) | sign
    }

    /// The bits of a number that is not beyond the limit.
    #[inline(always)]
    fn at_most_limit(self, magnitude: u32) -> u32 {
        let limit = self
            .limit()
            .wrapping_shl(self.shift())
            .wrapping_add(self.rebias());
        let (x, limit) = (f32::from_bits(magnitude), f32::from_bits(limit));
        // as numbers: vector units without a minimum of integers have one of floats; NaN comes to the
        // limit
        (if x < limit { x } else { limit }).to_bits()
    }

    /// The code of the nearest number.
    #[inline(always)]
    fn nearest(self, magnitude: u32) -> u32 {
        let normal = self
            .rounded(magnitude, self.rebias())
            .wrapping_shr(self.shift());
        // next to a number whose last bit weighs as much as that of a subnormal one, a sum is rounded
        // there
        let steps = self.shift().wrapping_add(1).wrapping_shl(MANTISSA);
        let weight = self.rebias().wrapping_add(steps);
        let sum = f32::from_bits(magnitude) + f32::from_bits(weight);
        let subnormal = sum.to_bits().wrapping_sub(weight);
        if magnitude < self.rebias().wrapping_add(LEAD) {
            subnormal
        } else {
            normal
        }
    }

    /// Bits of a number of which the low ones can be cut off, and less in the exponent.
    #[inline(always)]
    fn rounded(self, bits: u32, less: u32) -> u32 {
        let odd = bits.wrapping_shr(self.shift()) & 1;
        let half = 1u32.wrapping_shl(self.shift().wrapping_sub(1));
        bits.wrapping_add(half.wrapping_sub(1).wrapping_sub(less))
            .wrapping_add(odd)
    }

    /// Whether some code is the nearest to the number.
    #[inline(always)]
    pub(super) fn has(self, x: f32) -> bool {
        self.specials != Specials::None || !x.is_nan()
    }

    /// One addition with one rounding. Float32 has more than twice the bits of any format here, so
    /// rounding to it first changes nothing.
    pub(super) fn add(self, a: u32, b: u32) -> u32 {
        let sum = f32::from_bits(self.widen(a)) + f32::from_bits(self.widen(b));
        if sum.is_nan() {
            self.nan()
        } else {
            self.narrow(sum.to_bits())
        }
    }

    /// Bits below the sign.
    const fn digits(self) -> u32 {
        self.exponent.wrapping_add(self.mantissa)
    }

    /// How far the mantissa is from where float32 has it.
    const fn shift(self) -> u32 {
        MANTISSA.wrapping_sub(self.mantissa)
    }

    /// What exponents of float32 have more.
    const fn rebias(self) -> u32 {
        let own = 1u32.wrapping_shl(self.exponent.wrapping_sub(1));
        128u32.wrapping_sub(own).wrapping_shl(MANTISSA)
    }

    const fn all_ones(self) -> u32 {
        1u32.wrapping_shl(self.digits()).wrapping_sub(1)
    }

    const fn infinity(self) -> u32 {
        let ones = 1u32.wrapping_shl(self.exponent).wrapping_sub(1);
        ones.wrapping_shl(self.mantissa)
    }

    /// What everything above the largest number becomes.
    const fn limit(self) -> u32 {
        match self.specials {
            Specials::Ieee => self.infinity(),
            Specials::OneNan => self.all_ones().wrapping_sub(1),
            Specials::None => self.all_ones(),
        }
    }

    const fn nan(self) -> u32 {
        match self.specials {
            Specials::Ieee => self.infinity() | 1u32.wrapping_shl(self.mantissa.wrapping_sub(1)),
            _ => self.all_ones(),
        }
    }
}

/// float8_e8m0: powers of two, the exponents of float32 without anything else.
pub(super) mod power {
    use super::{INFINITY, MANTISSA};

    /// Whether the code is a value.
    #[inline(always)]
    pub(in super::super) fn is_value(code: u8) -> bool {
        !matches!(code, 0x00 | 0xFF)
    }

    /// The bits of the number as float32.
    #[inline(always)]
    pub(in super::super) fn widen(code: u8) -> u32 {
        u32::from(code) << MANTISSA
    }

    /// Whether some code is the nearest to the number: there is no zero and no sign.
    #[inline(always)]
    pub(in super::super) fn has(x: f32) -> bool {
        x > 0.0
    }

    /// The code of the nearest power. With one digit none is even, and then IEEE 754 takes the larger
    /// of two that are equally near.
    #[inline(always)]
    pub(in super::super) fn narrow(bits: u32) -> u32 {
        let rounded = bits.min(INFINITY).wrapping_add(1 << 22) >> MANTISSA;
        rounded.clamp(0x01, 0xFE)
    }
}
