//! How far the elements of a dense layout lie from the first one.

use super::layout::divide;
use super::size::{Count, elements};
use crate::model::{I64s, Tiled, U32s, U64s};
use crate::rule::Rule;
use crate::wire::descriptor::DYNAMIC;
use crate::wire::length32;
use crate::wire::tag::LayoutTag;

/// A span of more elements than this reaches past any buffer.
const TOO_FAR: u128 = 1 << 70;

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
    pub(crate) fn strided(strides: &I64s<'_>, shape: &U64s<'_>) -> Option<Self> {
        let (mut below, mut above) = (0u128, 0u128);
        let mut empty = false;
        let mut dynamic = false;
        let mut large = false;
        for (stride, size) in strides.iter().zip(shape.iter()) {
            empty |= size == 0;
            dynamic |= size == DYNAMIC;
            let last = u128::from(size.wrapping_sub(1));
            let span = u128::from(stride.unsigned_abs()).wrapping_mul(last);
            // 64 spans below this stay far from wrapping
            large |= span > TOO_FAR;
            if stride < 0 {
                below = below.wrapping_add(span);
            } else {
                above = above.wrapping_add(span);
            }
        }
        if empty || dynamic {
            return None;
        }
        let count = |spans| {
            if large {
                Count::TOO_LARGE
            } else {
                Count::wide(spans)
            }
        };
        Some(Reach {
            below: if below == 0 {
                Count::ZERO
            } else {
                count(below)
            },
            count: count(above.wrapping_add(1)),
        })
    }

    /// ADDR-29: every level adds the reach of its tiles, in elements of a tile; and the rule that speaks
    /// of it.
    pub(crate) fn tiled(tiled: &Tiled<'_>, shape: U64s<'_>, rank: u32) -> (Rule, Option<Self>) {
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

    fn step(&mut self, stride: i64, size: u64) {
        let span = Count::new(stride.unsigned_abs()).times(size.wrapping_sub(1));
        let side = if stride < 0 {
            &mut self.below
        } else {
            &mut self.count
        };
        *side = side.plus(span);
    }

    /// Adds a reach that is counted in units of so many elements.
    fn add(&mut self, other: Reach, unit: Count) {
        self.below = self.below.plus(other.below.times_count(unit));
        let behind = other.count.minus_one();
        self.count = self.count.plus(behind.times_count(unit));
    }

    /// LAYOUT-18: the code space, or more where uneven bit counts leave holes in it.
    pub(crate) fn morton(bits: &U32s<'_>, shape: U64s<'_>) -> Option<Self> {
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
