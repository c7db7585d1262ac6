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
const INFINITY: u32 = 0x7F80_0000;
const QUIET_NAN: u32 = 0x7FC0_0000;

impl Format {
    /// The bits of the same number as float32; a NaN keeps its sign only.
    #[inline(always)]
    pub(super) fn widen(self, code: u32) -> u32 {
        let sign = code.wrapping_shr(self.digits()).wrapping_shl(31);
        let magnitude = code & self.all_ones();
        let moved = magnitude
            .wrapping_shl(self.shift())
            .wrapping_add(self.rebias());
        let subnormal = self.exponent < EXPONENT && magnitude.wrapping_shr(self.mantissa) == 0;
        let number = if subnormal {
            self.without_lead(moved)
        } else {
            moved
        };
        let special = match self.specials {
            Specials::Ieee if magnitude > self.infinity() => QUIET_NAN,
            Specials::Ieee if magnitude == self.infinity() => INFINITY,
            Specials::OneNan if magnitude == self.all_ones() => QUIET_NAN,
            _ => number,
        };
        special | sign
    }

    /// Without a hidden bit, as the difference of two numbers that have one.
    #[inline(always)]
    fn without_lead(self, moved: u32) -> u32 {
        let lead = self.rebias().wrapping_add(1 << MANTISSA);
        let with_lead = moved.wrapping_add(1 << MANTISSA);
        (f32::from_bits(with_lead) - f32::from_bits(lead)).to_bits()
    }

    /// The code of the nearest number, ties to even. Above the largest, infinity where there is one, else the largest.
    /// Without a NaN in the format a NaN becomes the largest, too; see [`has`](Self::has).
    #[inline(always)]
    pub(super) fn narrow(self, bits: u32) -> u32 {
        let sign = (bits >> 31).wrapping_shl(self.digits());
        let magnitude = bits & !SIGN;
        let smallest_normal = self.rebias().wrapping_add(1 << MANTISSA);
        let subnormal = self.exponent < EXPONENT && magnitude < smallest_normal;
        let rounded = if subnormal {
            self.rounded_by_adding(magnitude)
        } else {
            self.rounded_off(magnitude.wrapping_sub(self.rebias()))
        };
        let number = rounded.min(self.limit());
        let nan = magnitude > INFINITY && self.specials != Specials::None;
        (if nan { self.nan() } else { number }) | sign
    }

    /// Of the bits of a number with the exponents of this format, those that it keeps.
    #[inline(always)]
    fn rounded_off(self, bits: u32) -> u32 {
        let odd = bits.wrapping_shr(self.shift()) & 1;
        let below_half = 1u32
            .wrapping_shl(self.shift().wrapping_sub(1))
            .wrapping_sub(1);
        bits.wrapping_add(below_half)
            .wrapping_add(odd)
            .wrapping_shr(self.shift())
    }

    /// Next to a number whose last bit weighs as much as that of a subnormal one, the sum is rounded there.
    #[inline(always)]
    fn rounded_by_adding(self, magnitude: u32) -> u32 {
        let steps = self.shift().wrapping_add(1).wrapping_shl(MANTISSA);
        let weight = self.rebias().wrapping_add(steps);
        let sum = f32::from_bits(magnitude) + f32::from_bits(weight);
        sum.to_bits().wrapping_sub(weight)
    }

    /// Whether some code is the nearest to the number.
    #[inline(always)]
    pub(super) fn has(self, x: f32) -> bool {
        self.specials != Specials::None || !x.is_nan()
    }

    /// One addition with one rounding. Float32 has more than twice the bits of any format here, so rounding to it first
    /// changes nothing.
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

    /// The code of the nearest power; midway between two, the even code.
    #[inline(always)]
    pub(in super::super) fn narrow(bits: u32) -> u32 {
        let odd = (bits >> MANTISSA) & 1;
        let bits = bits.min(INFINITY);
        let rounded = bits.wrapping_add(odd).wrapping_add((1 << 22) - 1) >> MANTISSA;
        rounded.clamp(0x01, 0xFE)
    }
}
