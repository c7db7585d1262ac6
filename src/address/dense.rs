//! Layouts that have a place for every element.

use super::hilbert::{self, Cube};
use super::linear::Linear;
use super::morton::{self, Strands};
use super::tiles::{self, Ladder};
use super::{AddressError, placeable};
use crate::model::{Fields, I64s, Layout, U64s};
use crate::wire::length32;
use crate::wire::tag::LayoutTag;

/// A dense layout over a static shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dense<'a> {
    pub(super) shape: U64s<'a>,
    pub(super) layout: Layout<'a>,
}

impl<'a> Dense<'a> {
    pub(crate) fn of<F: Fields + ?Sized>(d: &'a F) -> Result<Self, AddressError> {
        let (shape, layout) = (d.shape(), d.layout());
        let dense = Dense { shape, layout };
        let known = dense.linear().is_some()
            || matches!(
                layout,
                Layout::Tiled(_) | Layout::Morton { .. } | Layout::Hilbert { .. }
            );
        if !known {
            return Err(AddressError::Layout(layout.tag()));
        }
        placeable(shape)?;
        Ok(dense)
    }

    /// The same shape, each row behind the one before it.
    pub(crate) fn row_major(shape: U64s<'a>) -> Self {
        let layout = Layout::RowMajor;
        Dense { shape, layout }
    }

    pub(super) fn rank(&self) -> u32 {
        length32(self.shape.len())
    }

    /// The order of a layout without tiles and curves.
    pub(super) fn linear(&self) -> Option<Linear<'a>> {
        let strides = match self.layout {
            Layout::RowMajor | Layout::ColumnMajor => I64s::EMPTY,
            Layout::Strided { strides } => strides,
            _ => return None,
        };
        let order = self.layout.tag();
        Some(Linear { order, strides })
    }

    /// Elements from the first one to the one at an index inside the shape; none where no buffer reaches
    /// that far.
    pub(crate) fn offset(&self, index: &[u64]) -> Option<i128> {
        if let Some(linear) = self.linear() {
            let digit = |k| index.get(crate::wire::index(k)).copied().unwrap_or(0);
            return linear.place(self.rank(), |k| self.shape.at(k), digit);
        }
        match self.layout {
            Layout::Tiled(levels) => tiles::place(levels, self.shape, index),
            Layout::Morton { morton_bits } => code(morton::code(morton_bits, index)?),
            Layout::Hilbert { hilbert_order, .. } => code(hilbert::code(hilbert_order, index)?),
            _ => None,
        }
    }

    /// How places grow along an axis.
    pub(super) fn along(&self, axis: u32) -> Option<Along> {
        if let Some(linear) = self.linear() {
            let step = linear.weight(self.rank(), |k| self.shape.at(k), axis)?;
            return Some(Along::Step(step));
        }
        match self.layout {
            Layout::Tiled(levels) => Ladder::new(levels, self.shape, axis).map(Along::Tiles),
            Layout::Morton { morton_bits } => {
                let strands = Strands::walked(morton_bits, self.rank(), axis);
                Some(Along::Bits(strands))
            }
            Layout::Hilbert { hilbert_order, .. } => {
                Cube::new(hilbert_order, self.rank()).map(Along::Cubes)
            }
            _ => None,
        }
    }

    /// Whether an order of rows is the order of places, without a gap.
    pub(super) fn is_row_major(&self) -> bool {
        self.layout.tag() == LayoutTag::RowMajor
    }
}

/// A code of [`MOST_BITS`](super::MOST_BITS) bits.
fn code(code: u128) -> Option<i128> {
    i128::try_from(code).ok()
}

/// What a coordinate adds to the place of an element.
#[derive(Clone, Debug)]
pub(super) enum Along {
    /// The same for every step.
    Step(i128),
    /// One step inside tiles, others between them.
    Tiles(Ladder),
    /// Bits between those of other coordinates.
    Bits(Strands),
    /// It depends on the other coordinates, and is alike inside small cubes.
    Cubes(Cube),
}
