//! float128 in integer arithmetic: no target has it in hardware that Rust may use.

const SIGN: u128 = 1 << 127;
const MANTISSA: u32 = 112;
const HIDDEN: u128 = 1 << MANTISSA;
const INFINITY: u128 = 0x7FFF << MANTISSA;
const QUIET_NAN: u128 = INFINITY | (HIDDEN >> 1);
const BIAS: u32 = 16383;

/// Of float64.
const DOUBLE_MANTISSA: u32 = 52;
const DOUBLE_INFINITY: u64 = 0x7FF << DOUBLE_MANTISSA;
const DOUBLE_QUIET_NAN: u64 = DOUBLE_INFINITY | (1 << 51);
const DOUBLE_BIAS: u32 = 1023;

/// What becomes of bits that do not fit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    /// To the nearest, ties to even.
    Nearest,
    /// To the neighbour with an odd pattern, for a second rounding to come.
    Odd,
}

/// Exact; a NaN becomes quiet.
pub(super) fn from_double(x: f64) -> u128 {
    let bits = x.to_bits();
    let sign = u128::from(bits >> 63) << 127;
    let magnitude = bits & !(1 << 63);
    let exponent = u32::try_from(magnitude >> DOUBLE_MANTISSA).unwrap_or(0);
    let fraction = u128::from(magnitude & ((1 << DOUBLE_MANTISSA) - 1));
    let number = if x.is_nan() {
        QUIET_NAN | (fraction << (MANTISSA - DOUBLE_MANTISSA))
    } else if magnitude == DOUBLE_INFINITY {
        INFINITY
    } else if exponent == 0 {
        // a subnormal float64 counts steps of 2^-1074
        scaled(fraction, -1074)
    } else {
        let exponent = exponent.wrapping_add(BIAS - DOUBLE_BIAS);
        (u128::from(exponent) << MANTISSA) | (fraction << (MANTISSA - DOUBLE_MANTISSA))
    };
    number | sign
}

/// Exact.
pub(super) fn from_integer(negative: bool, magnitude: u64) -> u128 {
    scaled(magnitude.into(), 0) | (u128::from(negative) << 127)
}

/// `count * 2^power`, for fewer than 2^64 and a power far inside the range.
fn scaled(count: u128, power: i32) -> u128 {
    let Some(top) = count.checked_ilog2() else {
        return 0;
    };
    let fraction = count.wrapping_shl(MANTISSA.wrapping_sub(top)) & (HIDDEN - 1);
    let exponent = BIAS.wrapping_add(top).wrapping_add_signed(power);
    (u128::from(exponent) << MANTISSA) | fraction
}

/// A NaN becomes quiet and keeps what fits of its payload.
pub(super) fn to_double(bits: u128, rounding: Rounding) -> f64 {
    let sign = u64::try_from(bits >> 127).unwrap_or(0) << 63;
    let magnitude = bits & !SIGN;
    let number = if magnitude > INFINITY {
        let (_, significand) = parts(magnitude);
        let payload = u64::try_from(significand >> (MANTISSA - DOUBLE_MANTISSA)).unwrap_or(0);
        DOUBLE_QUIET_NAN | (payload & ((1 << DOUBLE_MANTISSA) - 1))
    } else if magnitude == INFINITY {
        DOUBLE_INFINITY
    } else {
        round_to_double(magnitude, rounding)
    };
    f64::from_bits(number | sign)
}

fn round_to_double(magnitude: u128, rounding: Rounding) -> u64 {
    const SHIFT: u32 = MANTISSA - DOUBLE_MANTISSA;
    let (exponent, significand) = parts(magnitude);
    let Some(above) = exponent.checked_sub(BIAS - DOUBLE_BIAS + 1) else {
        let missing = (BIAS - DOUBLE_BIAS + 1).saturating_sub(exponent);
        // beyond 127 nothing of 113 bits is left, and less than half a step
        let shift = missing.saturating_add(SHIFT).min(127);
        return shifted(significand, shift, rounding);
    };
    let kept = shifted(significand, SHIFT, rounding);
    // the hidden bit adds one to the exponent; one more where rounding carries
    let number = (u64::from(above.min(0x7FF)) << DOUBLE_MANTISSA).wrapping_add(kept);
    let most = match rounding {
        Rounding::Nearest => DOUBLE_INFINITY,
        Rounding::Odd => DOUBLE_INFINITY - 1,
    };
    number.min(most)
}

/// `significand / 2^shift`, which fits; `shift` from 1 to 127.
fn shifted(significand: u128, shift: u32, rounding: Rounding) -> u64 {
    let kept = significand.wrapping_shr(shift);
    let rest = significand & 1u128.wrapping_shl(shift).wrapping_sub(1);
    let half = 1u128.wrapping_shl(shift.wrapping_sub(1));
    let odd = kept & 1 == 1;
    let kept = u64::try_from(kept).unwrap_or(u64::MAX);
    match rounding {
        Rounding::Odd => kept | u64::from(rest != 0),
        Rounding::Nearest => kept.wrapping_add(u64::from(rest > half || (rest == half && odd))),
    }
}

/// The exponent, 1 for subnormal numbers, and all bits of a finite number.
fn parts(magnitude: u128) -> (u32, u128) {
    let exponent = u32::try_from(magnitude >> MANTISSA).unwrap_or(0);
    let fraction = magnitude & (HIDDEN - 1);
    if exponent == 0 {
        (1, fraction)
    } else {
        (exponent, fraction | HIDDEN)
    }
}

/// Bits below the last that the result keeps: two to round by, and one that tells of all below.
const SPARE: u32 = 3;

/// The sum, rounded once to nearest, ties to even.
pub(super) fn add(a: u128, b: u128) -> u128 {
    let (large, small) = if a & !SIGN < b & !SIGN {
        (b, a)
    } else {
        (a, b)
    };
    let sign = large & SIGN;
    let opposite = (a ^ b) & SIGN != 0;
    let (large, small) = (large & !SIGN, small & !SIGN);
    if large > INFINITY || (opposite && small == INFINITY) {
        return QUIET_NAN;
    }
    if large == INFINITY {
        return large | sign;
    }
    let (exponent, one) = parts(large);
    let (other_exponent, other) = parts(small);
    let one = one << SPARE;
    let other = lowered(other << SPARE, exponent.wrapping_sub(other_exponent));
    if opposite && one == other {
        return 0;
    }
    let sum = if opposite {
        one.wrapping_sub(other)
    } else {
        one.wrapping_add(other)
    };
    rounded_sum(exponent, sum) | sign
}

/// A sum with its spare bits, as the nearest number.
fn rounded_sum(exponent: u32, sum: u128) -> u128 {
    const TOP: u32 = MANTISSA + SPARE;
    let top = sum.checked_ilog2().unwrap_or(0);
    let (exponent, sum) = if top > TOP {
        (exponent.wrapping_add(1), lowered(sum, 1))
    } else {
        let up = TOP.wrapping_sub(top).min(exponent.wrapping_sub(1));
        (exponent.wrapping_sub(up), sum.wrapping_shl(up))
    };
    let kept = sum >> SPARE;
    let rest = sum & ((1 << SPARE) - 1);
    let up = rest > 4 || (rest == 4 && kept & 1 == 1);
    // the hidden bit, where there is one, adds one to the exponent
    let below = u128::from(exponent.wrapping_sub(1)) << MANTISSA;
    below
        .wrapping_add(kept)
        .wrapping_add(u128::from(up))
        .min(INFINITY)
}

/// `n / 2^by`; what is lost leaves its trace in the last bit.
fn lowered(n: u128, by: u32) -> u128 {
    let by = by.min(127);
    let lost = n & 1u128.wrapping_shl(by).wrapping_sub(1) != 0;
    n.wrapping_shr(by) | u128::from(lost)
}
