//! Why values could not be read.

use core::fmt;

use super::element::ElementError;
use crate::address::AddressError;
use crate::error::Violation;
use crate::wire::tag::{CompositionRule, ElementType, Scheme};

/// Why values were not read, or not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ValueError {
    /// An element has no place.
    Address(AddressError),
    /// An element has no number, or the buffer ends in front of it.
    Element(ElementError),
    /// The caller's memory has another size than what is asked for.
    Length {
        /// Elements, or bytes of packed elements, that are asked for.
        needed: u64,
        /// Those that there is room for.
        available: u64,
    },
    /// There are fewer or more numbers to be stored than the shape has elements.
    Values {
        /// Numbers.
        given: u64,
        /// Elements of the shape.
        elements: u64,
    },
    /// No rule says how the scheme turns stored codes into numbers: a private one, or blocks of a
    /// block-paged tensor (AMB-42).
    Scheme(Scheme),
    /// A scale or zero point is not in its buffer, or is none (QUANT-30); the buffer may be missing.
    Parameter {
        /// The buffer that should hold it.
        buffer: u32,
        /// Its place among the parameters.
        entry: u64,
    },
    /// The tensor has no quantization scheme: its numbers are its elements, and need no codes.
    NotQuantized,
    /// The tensor has a quantization scheme: its numbers are `f32` or `f64`, whatever the type of its codes.
    Quantized,
    /// A strict reader refuses the descriptor.
    Refused(Violation),
    /// A number that is to be quantized is infinite or NaN.
    NotFinite {
        /// Its place among the numbers.
        index: u64,
    },
    /// The composite has no common view: it is a group or a private one, or the box reaches into a group.
    NoView(CompositionRule),
    /// Items do not follow each other as the composite says; a validator tells more.
    Order,
    /// A number of a correction, or a sum with it, has no value in the type of the head.
    Sum(ElementType),
    /// The lent storage holds too few words for the offsets of nested partitions.
    Nesting {
        /// Words that are needed.
        needed: u64,
        /// Words that there are.
        available: u64,
    },
}

impl From<AddressError> for ValueError {
    fn from(error: AddressError) -> Self {
        ValueError::Address(error)
    }
}

impl From<ElementError> for ValueError {
    fn from(error: ElementError) -> Self {
        ValueError::Element(error)
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::Address(error) => error.fmt(f),
            ValueError::Element(error) => error.fmt(f),
            ValueError::Length { needed, available } => {
                write!(f, "room for {available} where {needed} are asked for")
            }
            ValueError::Values { given, elements } => {
                write!(f, "{given} values where the shape has {elements}")
            }
            ValueError::Scheme(scheme) => {
                write!(f, "no rule gives the numbers of the scheme {scheme:?} here")
            }
            ValueError::Parameter { buffer, entry } => {
                write!(
                    f,
                    "no usable parameter {entry}: buffer {buffer} is missing or too short, or holds no number there"
                )
            }
            ValueError::NotQuantized => f.write_str(
                "the tensor has no quantization scheme, and plain numbers are stored as they are",
            ),
            ValueError::Quantized => f.write_str(
                "the tensor is quantized: its numbers are f32 or f64, and `read_stored` gives its codes",
            ),
            ValueError::Refused(violation) => violation.fmt(f),
            ValueError::NotFinite { index } => write!(f, "number {index} is not finite"),
            ValueError::NoView(rule) => write!(f, "a {rule:?} has no common view"),
            ValueError::Order => f.write_str("the items are not those of the composite"),
            ValueError::Sum(element_type) => {
                write!(f, "a number has no value of type {element_type:?}")
            }
            ValueError::Nesting { needed, available } => {
                write!(
                    f,
                    "nested offsets take {needed} words, there are {available}"
                )
            }
        }
    }
}

impl core::error::Error for ValueError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            ValueError::Address(error) => Some(error),
            ValueError::Element(error) => Some(error),
            _ => None,
        }
    }
}
