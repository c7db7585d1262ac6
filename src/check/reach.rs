//! How far the elements of a dense layout lie from the first one.

use super::layout::divide;
use super::size::{Count, elements};
use crate::model::{Array, I64s, Tiled, U32s, U64s};
use crate::rule::Rule;
use crate::wire::descriptor::DYNAMIC;
use crate::wire::length32;
use crate::wire::tag::LayoutTag;

/// Elements in front of element `[0, .., 0]` and from it on.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    pub(crate) below: Count,
    /// That element and those behind it.
    pub(crate) count: Count,
}

impl Reach {
    /// All elements of a shape from the first on; none where there are none or it is dynamic.
    #[inline]
    pub(crate) fn contiguous(shape: U64s<'_>) -> Option<Self> {
        elements(shape)
            .filter(|count| *count != Count::ZERO)
            .map(Reach::first)
    }

    #[inline]
    fn first(count: Count) -> Self {
        Reach {
            below: Count::ZERO,
            count,
        }
    }

    /// ADDR-03: strides over the index range of a shape.
    #[inline(always)]
    pub(crate) fn strided(strides: I64s<'_>, shape: U64s<'_>) -> Option<Self> {
        match (strides, shape) {
            // one counter for both arrays
            (Array::Le(strides), Array::Le(shape)) => {
                let (strides, shape) = (strides.as_chunks().0, shape.as_chunks().0);
                let strides = strides.iter().copied().map(i64::from_le_bytes);
                Reach::over(strides.zip(shape.iter().copied().map(u64::from_le_bytes)))
            }
            _ => Reach::over(strides.iter().zip(shape)),
        }
    }

    #[inline]
    fn over(axes: impl Iterator<Item = (i64, u64)> + Clone) -> Option<Self> {
        if let Some(count) = Reach::near(axes.clone()) {
            return Some(Reach::first(Count::new(count)));
        }
        let mut reach = Reach::first(Count::ONE);
        let mut elements = true;
        for (stride, size) in axes {
            // neither without elements nor dynamic
            elements &= size.wrapping_add(1) > 1;
            reach.step(stride, size);
        }
        elements.then_some(reach)
    }

    /// The commonest reach: no step backwards, nothing that does not fit.
    #[inline(always)]
    fn near(mut axes: impl Iterator<Item = (i64, u64)>) -> Option<u64> {
        axes.try_fold(1u64, |count, (stride, size)| {
            let last = size.wrapping_sub(1);
            let elements = last < DYNAMIC.wrapping_sub(1);
            let stride = u64::try_from(stride).ok().filter(|_| elements)?;
            count.checked_add(stride.checked_mul(last)?)
        })
    }

    /// ADDR-29: every level adds the reach of its tiles, in elements of a tile; and the rule that speaks
    /// of it.
    #[inline(never)]
    pub(crate) fn tiled(tiled: Tiled<'_>, shape: U64s<'_>, rank: u32) -> (Rule, Option<Self>) {
        let mut rule = Rule::DenseSize;
        if elements(shape).is_none_or(|count| count == Count::ZERO) {
            return (rule, None);
        }
        let mut reach = Reach::first(Count::ONE);
        let mut around = shape;
        for tile in tiled.levels() {
            let (mut tiles, mut unit) = (Count::ONE, Count::ONE);
            let mut outer = Reach::first(Count::ONE);
            for k in 0..rank {
                let size = tile.tile_shape.at(k);
                let (whole, rest) = divide(around.at(k), size);
                let grid = whole.saturating_add(u64::from(rest > 0));
                tiles = tiles.times(grid);
                unit = unit.times(size);
                outer.step(tile.outer_strides.at(k), grid);
            }
            let strided = tile.outer_layout == LayoutTag::Strided;
            reach.add(if strided { outer } else { Reach::first(tiles) }, unit);
            let mut inner = Reach::first(Count::ONE);
            match tile.inner_layout {
                LayoutTag::Strided => {
                    for k in 0..rank {
                        inner.step(tile.inner_strides.at(k), tile.tile_shape.at(k));
                    }
                }
                LayoutTag::Tiled => {}
                _ => inner.count = unit,
            }
            reach.add(inner, Count::ONE);
            if strided || tile.inner_layout == LayoutTag::Strided {
                rule = Rule::TileReach;
            }
            if tile.inner_layout != LayoutTag::Tiled {
                break;
            }
            around = tile.tile_shape;
        }
        (rule, Some(reach))
    }

    #[inline]
    fn step(&mut self, stride: i64, size: u64) {
        let span = Count::new(stride.unsigned_abs()).times(size.wrapping_sub(1));
        if stride < 0 {
            self.below = self.below.plus(span);
        } else {
            self.count = self.count.plus(span);
        }
    }

    /// Adds a reach that is counted in units of so many elements.
    fn add(&mut self, other: Reach, unit: Count) {
        self.below = self.below.plus(other.below.times_count(unit));
        let behind = other.count.minus_one();
        self.count = self.count.plus(behind.times_count(unit));
    }

    /// LAYOUT-18: the code space, or more where uneven bit counts leave holes in it.
    #[inline(never)]
    pub(crate) fn morton(bits: U32s<'_>, shape: U64s<'_>) -> Option<Self> {
        Reach::contiguous(shape)?;
        let rank = length32(shape.len());
        let mut sum = 0u64;
        let mut codes = Count::ONE;
        for k in 0..rank {
            sum = sum.wrapping_add(bits.at(k).into());
            // codes grow with every coordinate, so the last index has the largest one
            let mut coordinate = shape.at(k).wrapping_sub(1);
            let mut position = k;
            while coordinate != 0 {
                if coordinate & 1 == 1 {
                    codes = codes.plus(Count::power_of_two(position.into()));
                }
                coordinate = coordinate.wrapping_shr(1);
                position = position.wrapping_add(rank);
            }
        }
        Some(Reach::first(codes.max(Count::power_of_two(sum))))
    }
}
