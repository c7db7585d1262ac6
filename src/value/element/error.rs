//! Why elements were not read or written.

use core::fmt;

use crate::wire::tag::ElementType;

/// Why elements were not read or written.
///
/// ```
/// use hrry::element::{self, ElementError};
/// use hrry::ElementType;
///
/// let mut out = [0i8; 1];
/// let refused = element::decode(ElementType::UInt8, &[5], 0, &mut out);
/// assert_eq!(refused, Err(ElementError::Lossy { from: ElementType::UInt8 })); // 5 fits, 200 would not
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ElementError {
    /// The type is private or unknown: its bits have no meaning here.
    NoNumbers(ElementType),
    /// The numbers asked for cannot hold every value of the type.
    Lossy {
        /// The type of the elements.
        from: ElementType,
    },
    /// Numbers of that kind never become elements of the type, nor the other way round: real and complex,
    /// floats and integers.
    Mismatch(ElementType),
    /// The bytes end before the last element.
    TooShort {
        /// Elements that the bytes must hold.
        needed: u64,
        /// Elements that they hold.
        available: u64,
    },
    /// A position is below 0 or above what 64 bits count.
    NoSuchPosition,
    /// A value that the other side does not have: NaN in a type without NaN, 300 in uint8, the codes
    /// `0x00` and `0xFF` of float8_e8m0.
    NoSuchValue {
        /// Which of the elements asked for, from 0.
        index: usize,
    },
}

impl fmt::Display for ElementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementError::NoNumbers(of) => {
                write!(f, "elements of type {of:?} have no known numbers")
            }
            ElementError::Lossy { from } => {
                write!(
                    f,
                    "the numbers asked for cannot hold every value of {from:?}"
                )
            }
            ElementError::Mismatch(of) => {
                write!(f, "numbers of this kind are no elements of {of:?}")
            }
            ElementError::TooShort { needed, available } => {
                write!(f, "the bytes hold {available} of {needed} elements")
            }
            ElementError::NoSuchPosition => {
                f.write_str("a position lies outside of what 64 bits count")
            }
            ElementError::NoSuchValue { index } => write!(f, "no such value at element {index}"),
        }
    }
}

impl core::error::Error for ElementError {}
