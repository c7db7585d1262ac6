//! Integer types and bool: one table.

use super::ElementError;
use super::cast::FromIntegers;
use super::lanes::Packed;
use super::source::{Place, Source};
use crate::wire::tag::ElementType;

/// What numbers a Rust type holds.
pub(super) trait Holds {
    /// Whether every integer of the range has a place in it, exactly or as the nearest.
    fn holds(min: i128, max: i128) -> bool;
}

/// The integers of Rust that are written.
pub(super) trait Integer: Copy + Into<i128> {
    /// Two's complement of 64 bits.
    fn wide(self) -> u64;
}

/// A pattern of at most 64 bits.
trait Narrow {
    fn narrow(wide: u64) -> Self;
}

#[allow(clippy::as_conversions)] // low bits
mod narrow {
    use super::{Holds, Integer, Narrow};

    macro_rules! numbers {
        ($($number:ident)*) => {
            $(
                impl Holds for $number {
                    #[inline(always)]
                    fn holds(min: i128, max: i128) -> bool {
                        i128::from($number::MIN) <= min && max <= i128::from($number::MAX)
                    }
                }

                impl Integer for $number {
                    #[inline(always)]
                    fn wide(self) -> u64 {
                        self as u64
                    }
                }
            )*
        };
    }

    numbers! { i8 u8 i16 u16 i32 u32 i64 u64 }

    macro_rules! codes {
        ($($code:ident)*) => {
            $(
                impl Narrow for $code {
                    #[inline(always)]
                    fn narrow(wide: u64) -> $code {
                        wide as $code
                    }
                }
            )*
        };
    }

    codes! { u8 u16 u32 u64 }
}

macro_rules! integers {
    ($($name:ident in $lanes:ty, $min:literal ..= $max:expr, $decode:expr;)*) => {
        /// The smallest and the largest value of a type of the table.
        pub(super) fn range(of: ElementType) -> Option<(i128, i128)> {
            match of {
                $(ElementType::$name => Some(($min, $max)),)*
                _ => None,
            }
        }

        /// Reads elements of a type of the table.
        pub(super) fn read<T: FromIntegers + Holds>(
            of: ElementType,
            from: Source<'_>,
            out: &mut [T],
        ) -> Option<Result<(), ElementError>> {
            Some(match of {
                $(ElementType::$name if T::holds($min, $max) => {
                    from.read::<$lanes, T>(out, |code| T::cast($decode(code)))
                })*
                _ => {
                    range(of)?;
                    Err(ElementError::Lossy { from: of })
                }
            })
        }

        /// Writes elements of a type of the table.
        pub(super) fn write<N: Integer>(
            of: ElementType,
            values: &[N],
            to: Place<'_>,
        ) -> Option<Result<(), ElementError>> {
            Some(match of {
                $(ElementType::$name => to.write::<$lanes, N>(
                    values,
                    |n| ($min..=$max).contains(&n.into()),
                    |n| Narrow::narrow(n.wide()),
                ),)*
                _ => return None,
            })
        }
    };
}

integers! {
    Int8 in u8, -0x80 ..= 0x7F, u8::cast_signed;
    UInt8 in u8, 0 ..= 0xFF, u8::from;
    Int16 in u16, -0x8000 ..= 0x7FFF, u16::cast_signed;
    UInt16 in u16, 0 ..= 0xFFFF, u16::from;
    Int32 in u32, -0x8000_0000 ..= 0x7FFF_FFFF, u32::cast_signed;
    UInt32 in u32, 0 ..= 0xFFFF_FFFF, u32::from;
    Int64 in u64, -0x8000_0000_0000_0000 ..= 0x7FFF_FFFF_FFFF_FFFF, u64::cast_signed;
    UInt64 in u64, 0 ..= 0xFFFF_FFFF_FFFF_FFFF, u64::from;
    Bool in Packed<1>, 0 ..= 1, u8::from;
    Int4 in Packed<4>, -8 ..= 7, |code: u8| (code ^ 8).wrapping_sub(8).cast_signed();
    UInt4 in Packed<4>, 0 ..= 15, u8::from;
    Int2 in Packed<2>, -2 ..= 1, |code: u8| (code ^ 2).wrapping_sub(2).cast_signed();
    UInt2 in Packed<2>, 0 ..= 3, u8::from;
}
