//! Every conversion between Rust's own numbers, in one place.
//!
//! `as` between integers keeps the value or the low bits, and from integers or wider floats it rounds
//! to nearest, ties to even; both are guaranteed by the language on every target. Its NaNs are not, so
//! those are made here.

#![allow(clippy::as_conversions)] // what the file is for

/// A number of type `N` as the nearest of another type; the caller knows that integers fit.
pub(super) trait Cast<N> {
    fn cast(n: N) -> Self;
}

macro_rules! casts {
    ($($to:ident)*) => { $(casts! { $to: i8 u8 i16 u16 i32 u32 i64 u64 })* };
    ($to:ident: $($from:ident)*) => {
        $(
            impl Cast<$from> for $to {
                #[inline(always)]
                fn cast(n: $from) -> $to {
                    n as $to
                }
            }
        )*
    };
}

casts! { i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }

/// All integers that elements hold.
pub(super) trait FromIntegers:
    Cast<i8> + Cast<u8> + Cast<i16> + Cast<u16> + Cast<i32> + Cast<u32> + Cast<i64> + Cast<u64>
{
}

impl<T> FromIntegers for T where
    T: Cast<i8> + Cast<u8> + Cast<i16> + Cast<u16> + Cast<i32> + Cast<u32> + Cast<i64> + Cast<u64>
{
}

/// The nearest float of an integer.
#[inline]
pub(in crate::value) fn nearest_f32(n: i64) -> f32 {
    n as f32
}

/// The nearest float of a count.
#[inline]
pub(in crate::value) fn nearest_f64(n: u64) -> f64 {
    n as f64
}

/// An integer of at most 53 bits.
#[inline]
pub(in crate::value) fn exact_f64(n: i64) -> f64 {
    n as f64
}

/// The integer that a whole number of less than 64 bits is.
#[inline]
pub(in crate::value) fn whole(x: f64) -> i64 {
    x as i64
}

/// A pattern of at most 32 bits, between the width of its element and that of a word.
pub(super) trait Code: Copy {
    fn widen(self) -> u32;
    fn low(word: u32) -> Self;
}

macro_rules! codes {
    ($($code:ident)*) => {
        $(
            impl Code for $code {
                #[inline(always)]
                fn widen(self) -> u32 {
                    self as u32
                }

                #[inline(always)]
                fn low(word: u32) -> $code {
                    word as $code
                }
            }
        )*
    };
}

codes! { u8 u16 }

/// Exact; a NaN becomes quiet.
#[inline(always)]
pub(super) fn double(x: f32) -> f64 {
    let bits = x.to_bits();
    let payload = (u64::from(bits & 0x003F_FFFF)).wrapping_shl(29);
    let nan = u64::from(bits >> 31).wrapping_shl(63) | 0x7FF8_0000_0000_0000 | payload;
    if x.is_nan() {
        f64::from_bits(nan)
    } else {
        f64::from(x)
    }
}

/// The nearest; a NaN becomes quiet and keeps what fits of its payload.
#[inline(always)]
pub(super) fn single(x: f64) -> f32 {
    let bits = x.to_bits();
    let nan = ((bits >> 32) as u32 & (1 << 31)) | 0x7FC0_0000 | ((bits >> 29) as u32 & 0x003F_FFFF);
    if x.is_nan() {
        f32::from_bits(nan)
    } else {
        x as f32
    }
}

/// One of the two neighbours, so that rounding it once more to a type of at most 22 bits of precision
/// gives what rounding `x` gives: where `x` lies between two, the one with an odd pattern, which is
/// never a tie.
#[inline(always)]
pub(super) fn single_odd(x: f64) -> f32 {
    let near = single(x);
    let back = f64::from(near);
    let toward_zero = near.to_bits().wrapping_sub(u32::from(back.abs() > x.abs()));
    // NaN differs from itself, and is left alone
    let inexact = back.abs() < x.abs() || back.abs() > x.abs();
    f32::from_bits(toward_zero | u32::from(inexact))
}

/// The same for an integer, rounded to 53 bits: bits that do not fit leave their trace in the last that
/// does.
#[inline]
pub(super) fn double_odd(magnitude: u64) -> f64 {
    const LOST: u64 = 0x7FF;
    if magnitude >> 53 == 0 {
        return magnitude as f64;
    }
    let trace = u64::from(magnitude & LOST != 0).wrapping_shl(11);
    ((magnitude & !LOST) | trace) as f64
}

/// Complex numbers as pairs of patterns: the real part is the low half.
#[inline(always)]
pub(super) fn parts_64(bits: u64) -> [u32; 2] {
    [bits as u32, (bits >> 32) as u32]
}

#[inline(always)]
pub(super) fn parts_128(bits: u128) -> [u64; 2] {
    [bits as u64, (bits >> 64) as u64]
}

#[inline(always)]
pub(super) fn join_64([real, imaginary]: [u32; 2]) -> u64 {
    u64::from(real) | (u64::from(imaginary) << 32)
}

#[inline(always)]
pub(super) fn join_128([real, imaginary]: [u64; 2]) -> u128 {
    u128::from(real) | (u128::from(imaginary) << 64)
}

/// The low bits of a pattern.
pub(super) trait Low {
    fn low(bits: u128) -> Self;
}

macro_rules! lows {
    ($($code:ident)*) => {
        $(
            impl Low for $code {
                #[inline(always)]
                fn low(bits: u128) -> $code {
                    bits as $code
                }
            }
        )*
    };
}

lows! { u8 u16 u32 u64 u128 }
