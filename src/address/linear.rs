//! Places that are a weighted sum of coordinates.

use crate::model::I64s;
use crate::wire::tag::LayoutTag;

/// An order of a grid: row-major, column-major, or by explicit strides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear<'a> {
    pub(super) order: LayoutTag,
    pub(super) strides: I64s<'a>,
}

impl Linear<'_> {
    /// The place of the grid point with these coordinates, in a grid of these sizes; none where that
    /// overflows.
    pub(super) fn place(
        &self,
        rank: u32,
        size: impl Fn(u32) -> u64,
        digit: impl Fn(u32) -> u64,
    ) -> Option<i128> {
        let horner = |sum: i128, k| {
            let sum = sum.checked_mul(size(k).into())?;
            sum.checked_add(digit(k).into())
        };
        match self.order {
            LayoutTag::RowMajor => (0..rank).try_fold(0, horner),
            LayoutTag::ColumnMajor => (0..rank).rev().try_fold(0, horner),
            _ => (0..rank).try_fold(0i128, |sum, k| {
                let step = i128::from(self.strides.at(k)).checked_mul(digit(k).into())?;
                sum.checked_add(step)
            }),
        }
    }

    /// What a step along an axis adds to the place.
    pub(super) fn weight(&self, rank: u32, size: impl Fn(u32) -> u64, axis: u32) -> Option<i128> {
        match self.order {
            LayoutTag::RowMajor => product(axis.saturating_add(1)..rank, size),
            LayoutTag::ColumnMajor => product(0..axis, size),
            _ => Some(self.strides.at(axis).into()),
        }
    }
}

pub(super) fn product(
    mut axes: impl Iterator<Item = u32>,
    size: impl Fn(u32) -> u64,
) -> Option<i128> {
    axes.try_fold(1i128, |product, k| product.checked_mul(size(k).into()))
}
