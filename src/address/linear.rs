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
        // nearly always enough, and much faster
        let near: Option<i64> = self.sum(rank, &size, &digit);
        near.map(i128::from)
            .or_else(|| self.sum(rank, &size, &digit))
    }

    fn sum<N: Integer>(
        &self,
        rank: u32,
        size: impl Fn(u32) -> u64,
        digit: impl Fn(u32) -> u64,
    ) -> Option<N> {
        let horner = |sum: N, k| sum.times(N::size(size(k))?)?.plus(N::size(digit(k))?);
        let zero = N::size(0)?;
        match self.order {
            LayoutTag::RowMajor => (0..rank).try_fold(zero, horner),
            LayoutTag::ColumnMajor => (0..rank).rev().try_fold(zero, horner),
            _ => (0..rank).try_fold(zero, |sum, k| {
                let steps = N::size(digit(k))?;
                sum.plus(steps.times(N::stride(self.strides.at(k)))?)
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

/// Numbers with a sign, whose operations tell where they overflow.
trait Integer: Copy {
    fn size(n: u64) -> Option<Self>;
    fn stride(n: i64) -> Self;
    fn times(self, n: Self) -> Option<Self>;
    fn plus(self, n: Self) -> Option<Self>;
}

macro_rules! integers {
    ($($integer:ident)*) => {
        $(
            impl Integer for $integer {
                #[inline]
                fn size(n: u64) -> Option<Self> {
                    n.try_into().ok()
                }

                #[inline]
                fn stride(n: i64) -> Self {
                    n.into()
                }

                #[inline]
                fn times(self, n: Self) -> Option<Self> {
                    self.checked_mul(n)
                }

                #[inline]
                fn plus(self, n: Self) -> Option<Self> {
                    self.checked_add(n)
                }
            }
        )*
    };
}

integers! { i64 i128 }
