//! Tiles, possibly of tiles (ADDR-04).

use super::linear::{Linear, product};
use super::{LEVELS, ORIGIN};
use crate::model::{Tiled, TiledLevel, U64s};
use crate::wire::tag::LayoutTag;
use crate::wire::{index as slot, length32};

/// The place of an index; none where it overflows, or where the levels do not end in an order.
pub(super) fn place(tiled: Tiled<'_>, shape: U64s<'_>, index: &[u64]) -> Option<i128> {
    let rank = length32(index.len());
    let mut rest = ORIGIN;
    let rest = rest.get_mut(..index.len())?;
    for (rest, index) in rest.iter_mut().zip(index) {
        *rest = *index;
    }
    let (mut around, mut sum) = (shape, 0i128);
    for level in tiled.levels() {
        let tile = level.tile_shape;
        let at = |rest: &[u64], k| rest.get(slot(k)).copied().unwrap_or(0);
        let unit = unit(&level, rank)?;
        let number = |k| at(rest, k).checked_div(tile.at(k)).unwrap_or(0);
        let outer = outer(&level).place(rank, |k| grid(around, tile, k), number)?;
        sum = sum.checked_add(outer.checked_mul(unit)?)?;
        for (coordinate, size) in rest.iter_mut().zip(tile) {
            *coordinate = coordinate.checked_rem(size)?;
        }
        if level.inner_layout != LayoutTag::Tiled {
            let inner = inner(&level).place(rank, |k| tile.at(k), |k| at(rest, k))?;
            return sum.checked_add(inner);
        }
        around = tile;
    }
    None
}

/// How places grow along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ladder {
    /// Elements of a tile along the axis and what a step to the next tile adds, outermost first.
    levels: [(u64, i128); LEVELS],
    count: usize,
    /// What a step inside the innermost tile adds.
    inner: i128,
}

impl Ladder {
    pub(super) fn new(tiled: Tiled<'_>, shape: U64s<'_>, axis: u32) -> Option<Self> {
        let rank = length32(shape.len());
        let mut ladder = Ladder {
            levels: [(1, 0); LEVELS],
            count: 0,
            inner: 0,
        };
        let mut around = shape;
        for level in tiled.levels() {
            let tile = level.tile_shape;
            let weight = outer(&level).weight(rank, |k| grid(around, tile, k), axis)?;
            let step = weight.checked_mul(unit(&level, rank)?)?;
            *ladder.levels.get_mut(ladder.count)? = (tile.at(axis), step);
            ladder.count = ladder.count.saturating_add(1);
            if level.inner_layout != LayoutTag::Tiled {
                ladder.inner = inner(&level).weight(rank, |k| tile.at(k), axis)?;
                return Some(ladder);
            }
            around = tile;
        }
        None
    }

    /// What the coordinate adds to a place, what the next one adds to that, and for how many coordinates
    /// from this one on.
    pub(super) fn stretch(&self, coordinate: u64) -> Option<(i128, i128, u64)> {
        let (mut rest, mut sum, mut len) = (coordinate, 0i128, u64::MAX);
        for (size, step) in self.levels.get(..self.count)? {
            let number = i128::from(rest.checked_div(*size)?);
            sum = sum.checked_add(number.checked_mul(*step)?)?;
            rest = rest.checked_rem(*size)?;
            len = len.min(size.wrapping_sub(rest));
        }
        let within = i128::from(rest).checked_mul(self.inner)?;
        Some((sum.checked_add(within)?, self.inner, len))
    }
}

/// Tiles along an axis of what is around them.
pub(super) fn grid(around: U64s<'_>, tile: U64s<'_>, axis: u32) -> u64 {
    let (size, tile) = (around.at(axis), tile.at(axis));
    let whole = size.checked_div(tile).unwrap_or(0);
    let partial = size.checked_rem(tile).unwrap_or(0) > 0;
    whole.saturating_add(partial.into())
}

/// Elements of a whole tile.
fn unit(level: &TiledLevel<'_>, rank: u32) -> Option<i128> {
    product(0..rank, |k| level.tile_shape.at(k))
}

fn outer<'a>(level: &TiledLevel<'a>) -> Linear<'a> {
    Linear {
        order: level.outer_layout,
        strides: level.outer_strides,
    }
}

fn inner<'a>(level: &TiledLevel<'a>) -> Linear<'a> {
    Linear {
        order: level.inner_layout,
        strides: level.inner_strides,
    }
}
