//! How far the elements of a dense layout lie from the first one.

use super::layout::divide;
use super::size::{Count, elements};
use crate::model::{Array, I64s, Tiled, U32s, U64s};
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
    pub(crate) fn strided(strides: I64s<'_>, shape: U64s<'_>) -> Option<Self> {
        let mut reach = Reach::first(Count::ONE);
        let mut elements = true;
        for k in 0..length32(shape.len()) {
            let (stride, size) = (strides.at(k), shape.at(k));
            // neither without elements nor dynamic
            elements &= size.wrapping_add(1) > 1;
            reach.step(stride, size);
        }
        elements.then_some(reach)
    }

    /// The elements of the commonest reach: no step backwards, and small numbers only.
    #[inline(always)]
    pub(crate) fn near(strides: I64s<'_>, shape: U64s<'_>) -> Option<u64> {
        match (strides, shape) {
            (Array::Le(strides), Array::Le(shape)) => {
                let strides = strides.as_chunks().0.iter();
                let shape = shape.as_chunks().0.iter();
                let strides = strides.map(|stride| u64::from_le_bytes(*stride));
                Reach::small(strides.zip(shape.map(|size| u64::from_le_bytes(*size))))
            }
            (Array::Native(strides), Array::Native(shape)) => {
                let strides = strides.iter().map(|stride| stride.cast_unsigned());
                Reach::small(strides.zip(shape.iter().copied()))
            }
            _ => None,
        }
    }

    /// 64 products of two numbers below 2^29 do not fill 64 bits, so one look at all of them is enough.
    #[inline(always)]
    fn small(axes: impl Iterator<Item = (u64, u64)>) -> Option<u64> {
        // factors of 32 bits are what vector units multiply
        const LOW: u64 = 0xFFFF_FFFF;
        let (all, reach) = axes.fold((0, 1u64), |(all, reach), (stride, size)| {
            // large for a dimension of 0 and for a dynamic one, as a negative stride is
            let last = size.wrapping_sub(1);
            let span = (stride & LOW).wrapping_mul(last & LOW);
            (all | stride | last, reach.wrapping_add(span))
        });
        (all < 1 << 29).then_some(reach)
    }

    /// ADDR-29: every level adds the reach of its tiles, in elements of a tile; and the rule that speaks
    /// of it.
    #[inline(never)]
    pub(crate) fn tiled(tiled: Tiled<'_>, shape: U64s<'_>) -> (Rule, Option<Self>) {
        let rank = length32(shape.len());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::descriptor::DYNAMIC;

    #[test]
    fn near_reaches_are_those_of_all_strides() {
        let far = (1 << 29) - 1;
        let cases: [(&[i64], &[u64], Option<u64>); 7] = [
            (&[4, 1], &[3, 4], Some(12)),
            (&[0, 0], &[9, 9], Some(1)),
            (
                &[far; 64],
                &[1 << 29; 64],
                Some(64 * ((1 << 29) - 1) * ((1 << 29) - 1) + 1),
            ),
            // backwards, without elements, dynamic, and large: the long way decides
            (&[-1, 1], &[3, 4], None),
            (&[4, 1], &[0, 4], None),
            (&[4, 1], &[DYNAMIC, 4], None),
            (&[1 << 29, 1], &[3, 4], None),
        ];
        for (strides, shape, near) in cases {
            let le = |words: std::vec::Vec<[u8; 8]>| words.concat();
            let strides_le = le(strides.iter().map(|n| n.to_le_bytes()).collect());
            let shape_le = le(shape.iter().map(|n| n.to_le_bytes()).collect());
            assert_eq!(Reach::near(strides.into(), shape.into()), near);
            assert_eq!(
                Reach::near(Array::Le(&strides_le), Array::Le(&shape_le)),
                near
            );
            if let Some(near) = near {
                let reach = Reach::strided(strides.into(), shape.into()).unwrap();
                assert_eq!((reach.below, reach.count), (Count::ZERO, Count::new(near)));
            }
        }
    }
}
