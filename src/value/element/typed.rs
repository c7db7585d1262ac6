//! Elements as slices of Rust's own numbers, without a copy.

use core::fmt;

use bytemuck::PodCastError;

use crate::wire::tag::ElementType;

/// Numbers whose bytes are those of element types, on hosts with little-endian numbers.
///
/// Floats and integers stand for the type of the same name, `[f32; 2]` and `[f64; 2]` for the complex
/// types. Floats that Rust does not have are seen as their bits: `u16` for float16 and bfloat16, `u8`
/// for the float8 types, `u128` for float128.
pub trait Typed: bytemuck::Pod + sealed::Types {}

mod sealed {
    use super::ElementType;

    pub trait Types {
        #[doc(hidden)]
        const TYPES: &'static [ElementType];
    }
}

macro_rules! typed {
    ($($number:ty: $($element_type:ident)*;)*) => {
        $(
            impl Typed for $number {}
            impl sealed::Types for $number {
                const TYPES: &'static [ElementType] = &[$(ElementType::$element_type),*];
            }
        )*
    };
}

typed! {
    f32: Float32;
    f64: Float64;
    i8: Int8;
    u8: UInt8 Float8E4M3 Float8E5M2 Float8E8M0;
    i16: Int16;
    u16: UInt16 Float16 BFloat16;
    i32: Int32;
    u32: UInt32;
    i64: Int64;
    u64: UInt64;
    u128: Float128;
    [f32; 2]: Complex64;
    [f64; 2]: Complex128;
}

/// Why there is no slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum TypedError {
    /// Elements of the type are not these numbers; see [`Typed`].
    Mismatch(ElementType),
    /// The numbers of this host have another byte order.
    ByteOrder,
    /// The bytes start at an address that is not a multiple of the numbers' alignment.
    Misaligned,
    /// The bytes end within an element.
    PartElement,
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypedError::Mismatch(of) => write!(f, "elements of type {of:?} are not these numbers"),
            TypedError::ByteOrder => f.write_str("numbers of this host have another byte order"),
            TypedError::Misaligned => f.write_str("the bytes are not aligned for these numbers"),
            TypedError::PartElement => f.write_str("the bytes end within an element"),
        }
    }
}

impl core::error::Error for TypedError {}

/// All elements of `bytes`, where they lie; [`decode`](super::decode) is there for all other cases.
///
/// ```
/// use hrry::{ElementType, element};
///
/// let bytes = [1, 2, 0xFF];
/// assert_eq!(element::typed::<i8>(ElementType::Int8, &bytes)?, [1, 2, -1]);
/// # Ok::<(), element::TypedError>(())
/// ```
///
/// # Errors
///
/// Says what is in the way: the type, the byte order of the host, alignment, or a part of an element at
/// the end.
pub fn typed<T: Typed>(element_type: ElementType, bytes: &[u8]) -> Result<&[T], TypedError> {
    if !T::TYPES.contains(&element_type) {
        return Err(TypedError::Mismatch(element_type));
    }
    if cfg!(target_endian = "big") && element_type.bits() > 8 {
        return Err(TypedError::ByteOrder);
    }
    if bytes.is_empty() {
        return Ok(&[]); // wherever it is
    }
    bytemuck::try_cast_slice(bytes).map_err(|error| match error {
        PodCastError::TargetAlignmentGreaterAndInputNotAligned => TypedError::Misaligned,
        _ => TypedError::PartElement,
    })
}
