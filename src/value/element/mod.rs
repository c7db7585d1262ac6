//! The numbers of all element types, read and written.
//!
//! [`decode`] and [`encode`] convert slices, [`bits`] and [`set_bits`] move single patterns, [`value`]
//! and [`nearest`] say what patterns mean.
//!
//! Bits that are only copied never change. A NaN that is converted becomes quiet, and keeps its sign
//! and the leading bits of its payload that fit, on every target (float8_e4m3 has one NaN of each
//! sign); a NaN that is computed is the positive quiet one without a payload.
//!
//! Positions count elements from the first bit of the bytes. Packed elements of a byte share it;
//! writing leaves the neighbours alone.

mod cast;
mod error;
mod format;
mod integer;
mod lanes;
mod number;
mod quad;
mod scalar;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
mod simd;
mod source;
#[cfg(feature = "bytemuck")]
mod typed;

pub(in crate::value) use cast::{exact_f64, nearest_f32, nearest_f64, whole};
pub use error::ElementError;
pub use number::{Value, add, nearest, value};
pub use scalar::Scalar;
#[cfg(feature = "bytemuck")]
pub use typed::{Typed, TypedError, typed};

use crate::wire::tag::ElementType;
use lanes::{Lanes, Packed};
use source::{Place, Source};

/// Reads the elements `first..first + out.len()`.
///
/// `bytes` starts at element 0. [`Scalar`] says which numbers go with which types; `f32` and `f64`
/// round to nearest, ties to even.
///
/// ```
/// use hrry::{ElementType, element};
///
/// let mut out = [0.0f32; 2];
/// element::decode(ElementType::UInt4, &[0xC5, 0x03], 1, &mut out)?;
/// assert_eq!(out, [12.0, 3.0]);
/// # Ok::<(), element::ElementError>(())
/// ```
///
/// # Errors
///
/// `NoNumbers`, `Lossy` and `Mismatch` follow from the two types alone; `TooShort` and `NoSuchPosition`
/// from the positions; `NoSuchValue` for a code of float8_e8m0 that is no value. Only after the last is
/// `out` changed, to numbers without a meaning.
pub fn decode<T: Scalar>(
    element_type: ElementType,
    bytes: &[u8],
    first: u64,
    out: &mut [T],
) -> Result<(), ElementError> {
    decode_stepped(element_type, bytes, first, 1, out)
}

/// Reads every `step`-th element from `first`, backwards where `step` is negative, the same one for
/// each place where it is 0.
///
/// ```
/// use hrry::{ElementType, element};
///
/// let mut out = [0u8; 3];
/// element::decode_stepped(ElementType::UInt8, &[0, 1, 2, 3, 4], 4, -2, &mut out)?;
/// assert_eq!(out, [4, 2, 0]);
/// # Ok::<(), element::ElementError>(())
/// ```
///
/// # Errors
///
/// Those of [`decode`].
pub fn decode_stepped<T: Scalar>(
    element_type: ElementType,
    bytes: &[u8],
    first: u64,
    step: i64,
    out: &mut [T],
) -> Result<(), ElementError> {
    T::read(element_type, Source { bytes, first, step }, out)
}

/// Writes the elements `first..first + values.len()`, or none of them.
///
/// Floats are rounded once, to nearest, ties to even; beyond the largest they become infinite or, where
/// the type has no infinity, the largest. Integers must be in the range of the type.
///
/// ```
/// use hrry::{ElementType, element};
///
/// let mut bytes = [0xFF; 2];
/// element::encode(ElementType::Float4E2M1, &[0.5f32, -6.0], 1, &mut bytes)?;
/// assert_eq!(bytes, [0x1F, 0xFF]);
/// # Ok::<(), element::ElementError>(())
/// ```
///
/// # Errors
///
/// `NoNumbers` and `Mismatch` follow from the two types alone; `TooShort` and `NoSuchPosition` from the
/// positions; `NoSuchValue` for a value that the type does not have.
pub fn encode<T: Scalar>(
    element_type: ElementType,
    values: &[T],
    first: u64,
    bytes: &mut [u8],
) -> Result<(), ElementError> {
    T::write(element_type, values, Place { bytes, first })
}

/// The bits of an element, as one number of its own width: its little-endian bytes, of a complex number
/// with the real part in the low half.
///
/// None where the bytes end before it, and for private and unknown types.
///
/// ```
/// use hrry::{ElementType, element};
///
/// assert_eq!(element::bits(ElementType::Float6E2M3, &[0x81, 0x40, 0x20], 2), Some(4));
/// assert_eq!(element::bits(ElementType::Float6E2M3, &[0x81, 0x40], 0), None); // a group has three bytes
/// ```
#[must_use]
pub fn bits(element_type: ElementType, bytes: &[u8], position: u64) -> Option<u128> {
    fn get<L: Lanes<Code: Into<u128>>>(bytes: &[u8], position: u64) -> Option<u128> {
        let code = Some(position).filter(|position| *position < L::room(bytes.len()))?;
        L::get(bytes, code).map(Into::into)
    }
    match element_type.bits() {
        1 => get::<Packed<1>>(bytes, position),
        2 => get::<Packed<2>>(bytes, position),
        4 => get::<Packed<4>>(bytes, position),
        6 => get::<Packed<6>>(bytes, position),
        8 => get::<u8>(bytes, position),
        16 => get::<u16>(bytes, position),
        32 => get::<u32>(bytes, position),
        64 => get::<u64>(bytes, position),
        128 => get::<u128>(bytes, position),
        _ => None,
    }
}

/// Replaces the bits of an element; what lies above the width of the type is ignored, and bits of its
/// neighbours stay.
///
/// None where the bytes end before it, and for private and unknown types.
///
/// ```
/// use hrry::{ElementType, element};
///
/// let mut bytes = [0xFF; 2];
/// element::set_bits(ElementType::Int4, &mut bytes, 2, 0x3).unwrap();
/// assert_eq!(bytes, [0xFF, 0xF3]);
/// ```
#[must_use]
pub fn set_bits(
    element_type: ElementType,
    bytes: &mut [u8],
    position: u64,
    bits: u128,
) -> Option<()> {
    fn set<L: Lanes<Code: cast::Low>>(bytes: &mut [u8], position: u64, bits: u128) -> Option<()> {
        let position = Some(position).filter(|position| *position < L::room(bytes.len()))?;
        L::set(bytes, position, cast::Low::low(bits))
    }
    match element_type.bits() {
        1 => set::<Packed<1>>(bytes, position, bits),
        2 => set::<Packed<2>>(bytes, position, bits),
        4 => set::<Packed<4>>(bytes, position, bits),
        6 => set::<Packed<6>>(bytes, position, bits),
        8 => set::<u8>(bytes, position, bits),
        16 => set::<u16>(bytes, position, bits),
        32 => set::<u32>(bytes, position, bits),
        64 => set::<u64>(bytes, position, bits),
        128 => set::<u128>(bytes, position, bits),
        _ => None,
    }
}
