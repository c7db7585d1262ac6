//! Bits in bytes, and what small floats and integers mean.

use hrry::ElementType;

/// The pattern of the element so far from the first one: ADDR-12 to ADDR-14, bit by bit.
pub fn bits_of(bytes: &[u8], byte_offset: u64, place: i64, width: u32) -> u128 {
    let start = byte_offset as i64 * 8 + place * i64::from(width);
    (0..i64::from(width)).fold(0, |bits, k| {
        let at = (start + k) as usize;
        bits | u128::from(bytes[at / 8] >> (at % 8) & 1) << k
    })
}

pub fn put_bits(bytes: &mut [u8], byte_offset: u64, place: i64, width: u32, bits: u128) {
    let start = byte_offset as i64 * 8 + place * i64::from(width);
    for k in 0..i64::from(width) {
        let at = (start + k) as usize;
        bytes[at / 8] &= !(1 << (at % 8));
        bytes[at / 8] |= ((bits >> k & 1) as u8) << (at % 8);
    }
}

/// A float with so many bits of exponent and mantissa, without infinities and NaN.
fn finite(bits: u128, exponent: u32, mantissa: u32) -> f64 {
    let sign = if bits >> (exponent + mantissa) & 1 == 1 {
        -1.0
    } else {
        1.0
    };
    let power = (bits >> mantissa & ((1 << exponent) - 1)) as i32;
    let digits = (bits & ((1 << mantissa) - 1)) as f64 / f64::from(1u32 << mantissa);
    let bias = (1 << (exponent - 1)) - 1;
    sign * match power {
        0 => digits * 2f64.powi(1 - bias),
        _ => (1.0 + digits) * 2f64.powi(power - bias),
    }
}

/// The value of a float of at most 16 bits; NaN is the positive quiet one.
pub fn small_float(of: ElementType, bits: u128) -> f32 {
    let (exponent, mantissa) = match of {
        ElementType::Float16 => (5, 10),
        ElementType::BFloat16 => (8, 7),
        ElementType::Float8E4M3 => (4, 3),
        ElementType::Float8E5M2 => (5, 2),
        ElementType::Float4E2M1 => (2, 1),
        ElementType::Float6E2M3 => (2, 3),
        ElementType::Float6E3M2 => (3, 2),
        other => panic!("{other:?}"),
    };
    let ones = (1 << exponent) - 1;
    let (power, digits) = (bits >> mantissa & ones, bits & ((1 << mantissa) - 1));
    let sign = if bits >> (exponent + mantissa) & 1 == 1 {
        -1.0
    } else {
        1.0
    };
    match of {
        ElementType::Float16 | ElementType::BFloat16 | ElementType::Float8E5M2 if power == ones => {
            if digits == 0 {
                sign * f32::INFINITY
            } else {
                f32::from_bits(0x7FC0_0000)
            }
        }
        ElementType::Float8E4M3 if bits & 0x7F == 0x7F => f32::from_bits(0x7FC0_0000),
        _ => finite(bits, exponent, mantissa) as f32,
    }
}

/// The value of an integer.
pub fn whole(of: ElementType, bits: u128) -> i64 {
    let signed = matches!(
        of,
        ElementType::Int2
            | ElementType::Int4
            | ElementType::Int8
            | ElementType::Int16
            | ElementType::Int32
    );
    let negative = signed && bits >> (of.bits() - 1) == 1;
    bits as i64 - if negative { 1 << of.bits() } else { 0 }
}

/// What a code of MXFP counts for.
pub fn value(of: ElementType, bits: u128) -> f32 {
    match of {
        ElementType::Int8 | ElementType::Int4 => whole(of, bits) as f32,
        _ => small_float(of, bits),
    }
}
