//! A box of indices.

use super::{AddressError, Coordinates, ORIGIN, placeable, same_rank};
use crate::model::U64s;

/// A part of a shape: the indices from `offset` up to, but without, `offset + shape`.
///
/// ```
/// use hrry::{SubBox, U64s};
/// let rows = SubBox { offset: U64s::from(&[2, 0]), shape: U64s::from(&[3, 8]) };
/// assert_eq!(rows.elements(), Some(24));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SubBox<'a> {
    /// The first index along each dimension.
    pub offset: U64s<'a>,
    /// How many indices there are along each dimension.
    pub shape: U64s<'a>,
}

/// The offset of a whole shape.
static FIRST: Coordinates = ORIGIN;

impl<'a> SubBox<'a> {
    /// All of a shape, of rank 64 at most.
    #[must_use]
    pub fn whole(shape: U64s<'a>) -> Self {
        let zeros = FIRST.get(..shape.len()).unwrap_or(&FIRST);
        SubBox {
            offset: U64s::from(zeros),
            shape,
        }
    }

    /// How many indices are in it; none where more than 64 bits count.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        crate::check::size::elements(self.shape)?.fits()
    }

    /// Whether an index of the same rank is in it.
    pub(crate) fn holds(&self, index: &[u64]) -> bool {
        let part = self.offset.iter().zip(self.shape);
        let mut axes = index.iter().zip(part);
        axes.all(|(at, (offset, len))| *at >= offset && at.wrapping_sub(offset) < len)
    }

    /// The place of one of its indices among all of them, last dimension fastest.
    pub(crate) fn place(&self, index: &[u64]) -> Option<u64> {
        let part = self.offset.iter().zip(self.shape);
        index
            .iter()
            .zip(part)
            .try_fold(0u64, |place, (at, (offset, len))| {
                place.checked_mul(len)?.checked_add(at.checked_sub(offset)?)
            })
    }

    /// Requires the box to lie in a static shape.
    pub(crate) fn within(&self, shape: U64s<'_>) -> Result<(), AddressError> {
        same_rank(shape, self.shape.len())?;
        same_rank(shape, self.offset.len())?;
        placeable(shape)?;
        let part = self.offset.iter().zip(self.shape);
        for (axis, ((offset, len), size)) in (0..).zip(part.zip(shape)) {
            if offset.checked_add(len).is_none_or(|end| end > size) {
                return Err(AddressError::OutOfRange { axis });
            }
        }
        Ok(())
    }
}
