//! How far the elements of a dense layout lie from the first one.

use super::layout::divide;
use super::size::Count;
use crate::model::{I64s, Tiled, U32s, U64s};
use crate::rule::Rule;
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
    const ONE: Reach = Reach {
        below: Count::ZERO,
        count: Count::ONE,
    };

    /// `count` elements from the first on.
    pub(crate) fn contiguous(count: Count) -> Self {
        Reach {
            below: Count::ZERO,
            count,
        }
    }

    /// ADDR-03: strides over an index range without zero dimensions.
    pub(crate) fn strided(strides: &I64s<'_>, shape: &U64s<'_>) -> Self {
        let mut reach = Reach::ONE;
        for k in 0..length32(shape.len()) {
            reach.step(strides.at(k), shape.at(k));
        }
        reach
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

    /// ADDR-29: every level adds the reach of its tiles, in elements of a tile; and the rule that speaks
    /// of it.
    pub(crate) fn tiled(tiled: &Tiled<'_>, shape: U64s<'_>, rank: u32) -> (Rule, Self) {
        let mut rule = Rule::DenseSize;
        let mut reach = Reach::ONE;
        let mut around = shape;
        for tile in tiled.levels() {
            let (mut tiles, mut unit) = (Count::ONE, Count::ONE);
            let mut outer = Reach::ONE;
            for k in 0..rank {
                let size = tile.tile_shape.at(k);
                let (whole, rest) = divide(around.at(k), size);
                let grid = whole.saturating_add(u64::from(rest > 0));
                tiles = tiles.times(grid);
                unit = unit.times(size);
                outer.step(tile.outer_strides.at(k), grid);
            }
            let strided = tile.outer_layout == LayoutTag::Strided;
            reach.add(
                if strided {
                    outer
                } else {
                    Reach::contiguous(tiles)
                },
                unit,
            );
            let inner = match tile.inner_layout {
                LayoutTag::Strided => Reach::strided(&tile.inner_strides, &tile.tile_shape),
                LayoutTag::Tiled => Reach::ONE,
                _ => Reach::contiguous(unit),
            };
            reach.add(inner, Count::ONE);
            if strided || tile.inner_layout == LayoutTag::Strided {
                rule = Rule::TileReach;
            }
            if tile.inner_layout != LayoutTag::Tiled {
                break;
            }
            around = tile.tile_shape;
        }
        (rule, reach)
    }

    /// Adds a reach that is counted in units of so many elements.
    fn add(&mut self, other: Reach, unit: Count) {
        self.below = self.below.plus(other.below.times_count(unit));
        let behind = other.count.minus_one();
        self.count = self.count.plus(behind.times_count(unit));
    }

    /// LAYOUT-18: the code space, or more where uneven bit counts leave holes in it.
    pub(crate) fn morton(bits: &U32s<'_>, shape: U64s<'_>) -> Self {
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
        Reach::contiguous(codes.max(Count::power_of_two(sum)))
    }
}
