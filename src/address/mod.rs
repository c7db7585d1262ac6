//! Where an element is: from the index of an element to buffer, byte and bit.
//!
//! Depends on the model and on the size arithmetic of checks. Guarantees that nothing wraps and that no
//! place outside a buffer is named, whatever descriptor and buffers hold. Never looks at an element.

mod boxes;
mod compressed;
mod coordinates;
mod dense;
mod fibres;
mod hilbert;
mod linear;
mod morton;
mod pages;
mod place;
mod runs;
mod storage;
mod stored;
mod tiles;

use core::fmt;

pub use boxes::SubBox;
pub use compressed::{Compressed, Line};
pub use pages::Pages;
pub use place::Element;
pub use runs::Walk;
pub use storage::StorageWalk;
pub use stored::{StoredWalk, locate_stored};

pub(crate) use dense::Dense;
pub(crate) use place::Place;
pub(crate) use runs::{Merge, Runs};

use crate::model::{Fields, U64s};
use crate::wire::descriptor::{AXES, DYNAMIC, MAX_TILE_LEVELS};
use crate::wire::length32;
use crate::wire::tag::{ElementType, LayoutTag};

/// Where the element at `index` is, in a layout that stores every element: row-major, column-major,
/// strided, tiled, Morton or Hilbert.
///
/// ADDR-01 to ADDR-06 and ADDR-12 to ADDR-15. The bytes need not be in memory.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, Element, ElementType, Layout, locate};
/// let buffers = [BufferHandle::cpu(6, 64)];
/// let spec = DescriptorSpec::new(ElementType::Int4, &[3, 4], Layout::ColumnMajor, &buffers);
/// // element 7 of 4 bits: the high half of byte 3
/// let wanted = Element { buffer: 0, byte: 3, bit: 4, width: 4 };
/// assert_eq!(locate(&spec, &[1, 2]), Ok(wanted));
/// ```
///
/// # Errors
///
/// An index of another rank or out of range; a dynamic dimension; a layout without a place for every
/// element; an element type without a width; a place outside the buffer, which a checked descriptor does
/// not have.
pub fn locate<F: Fields + ?Sized>(d: &F, index: &[u64]) -> Result<Element, AddressError> {
    inside(d.shape(), index)?;
    let (dense, place) = (Dense::of(d)?, Place::of(d)?);
    let element = dense.offset(index).and_then(|offset| place.element(offset));
    element.ok_or(AddressError::Outside)
}

/// Why an element has no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum AddressError {
    /// The index has another number of dimensions than the shape; or the shape has more than any index.
    Rank {
        /// Dimensions of the index; 64 for a shape of more.
        index: u32,
        /// Dimensions of the shape.
        shape: u32,
    },
    /// The index, or the box, leaves the shape.
    OutOfRange {
        /// The first dimension that it leaves.
        axis: u32,
    },
    /// A dimension is dynamic: nothing has a place before the shape is known.
    Dynamic {
        /// The first such dimension.
        axis: u32,
    },
    /// The layout has no such places: sparse and block-paged ones have them in [`locate_stored`], composite
    /// heads have no elements, and private ones are not known.
    Layout(LayoutTag),
    /// The element type has no known width.
    Width(ElementType),
    /// The place is outside buffer 0, or further away than any buffer reaches.
    Outside,
    /// A pointer, coordinate or page number leads nowhere; the content rules say which one it breaks.
    Broken {
        /// The buffer that holds it.
        buffer: u8,
        /// Its place among the numbers of the buffer.
        entry: u64,
    },
    /// How many tokens each sequence of a block-paged tensor has is not in the format.
    Tokens,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressError::Rank { index, shape } => {
                write!(f, "an index of rank {index} for a shape of rank {shape}")
            }
            AddressError::OutOfRange { axis } => {
                write!(f, "outside the shape along dimension {axis}")
            }
            AddressError::Dynamic { axis } => write!(f, "dimension {axis} is dynamic"),
            AddressError::Layout(tag) => {
                write!(f, "elements of the layout {tag:?} have no fixed place")
            }
            AddressError::Width(element_type) => {
                write!(f, "the width of {element_type:?} is not known")
            }
            AddressError::Outside => f.write_str("the place is outside the buffer"),
            AddressError::Broken { buffer, entry } => {
                write!(f, "number {entry} of buffer {buffer} leads nowhere")
            }
            AddressError::Tokens => {
                f.write_str("the token counts of the sequences are not in the descriptor")
            }
        }
    }
}

impl core::error::Error for AddressError {}

#[allow(clippy::as_conversions)] // `From` is not const
const LEVELS: usize = MAX_TILE_LEVELS as usize;

/// Coordinates of any rank.
type Coordinates = [u64; AXES];
/// The index of the first element.
const ORIGIN: Coordinates = [0; AXES];

/// The most bits that a place may have: more are further than any buffer reaches.
const MOST_BITS: u32 = 127;

/// Requires an index in a shape that can have places.
fn inside(shape: U64s<'_>, index: &[u64]) -> Result<(), AddressError> {
    same_rank(shape, index.len())?;
    placeable(shape)?;
    let mut axes = (0..).zip(shape.iter().zip(index));
    match axes.find(|(_, (size, index))| *index >= size) {
        Some((axis, _)) => Err(AddressError::OutOfRange { axis }),
        None => Ok(()),
    }
}

fn same_rank(shape: U64s<'_>, rank: usize) -> Result<(), AddressError> {
    if shape.len() == rank {
        return Ok(());
    }
    Err(AddressError::Rank {
        index: length32(rank),
        shape: length32(shape.len()),
    })
}

/// Requires a static shape of a rank that the format has.
fn placeable(shape: U64s<'_>) -> Result<(), AddressError> {
    if shape.len() > AXES {
        return same_rank(shape, AXES);
    }
    match (0..).zip(shape).find(|(_, size)| *size == DYNAMIC) {
        Some((axis, _)) => Err(AddressError::Dynamic { axis }),
        None => Ok(()),
    }
}
