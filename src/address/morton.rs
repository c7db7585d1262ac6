//! The Z-order curve (ADDR-05): the bits of all coordinates, interleaved.

use super::MOST_BITS;
use crate::model::{U32s, U64s};
use crate::wire::length32;

/// The code of an index; none where a bit of it has no room in any buffer.
pub(super) fn code(bits: U32s<'_>, index: &[u64]) -> Option<u128> {
    let rank = length32(index.len());
    let mut code = 0;
    for (k, coordinate) in (0..rank).zip(index) {
        code |= Strands::new(bits, rank, k).code(*coordinate)?;
    }
    Some(code)
}

/// The bits of one coordinate in a code: bit `b` is bit `b * rank + axis`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strands {
    rank: u32,
    axis: u32,
    /// The bits of a coordinate that count, and the bits of a code that they are.
    counted: u64,
    mask: u128,
}

impl Strands {
    fn new(bits: U32s<'_>, rank: u32, axis: u32) -> Self {
        let counted = match u64::BITS.saturating_sub(bits.at(axis)) {
            u64::BITS => 0,
            above => u64::MAX.wrapping_shr(above),
        };
        Strands {
            rank,
            axis,
            counted,
            mask: 0,
        }
    }

    /// With what [`next`](Self::next) needs.
    pub(super) fn walked(bits: U32s<'_>, rank: u32, axis: u32) -> Self {
        let mut strands = Strands::new(bits, rank, axis);
        let mut position = axis;
        for b in 0..u64::BITS {
            if position < MOST_BITS {
                let bit = u128::from(strands.counted.wrapping_shr(b) & 1);
                strands.mask |= bit.wrapping_shl(position);
            }
            position = position.saturating_add(rank);
        }
        strands
    }

    /// What a coordinate adds to a code.
    pub(super) fn code(&self, coordinate: u64) -> Option<u128> {
        let mut rest = coordinate & self.counted;
        let mut code = 0u128;
        while rest > 0 {
            let position = rest.trailing_zeros().saturating_mul(self.rank);
            let position = position.saturating_add(self.axis);
            if position >= MOST_BITS {
                return None;
            }
            code |= 1u128.wrapping_shl(position);
            rest &= rest.wrapping_sub(1);
        }
        Some(code)
    }

    /// What a coordinate adds, given what the one before it does.
    pub(super) fn next(&self, code: u128, coordinate: u64) -> Option<u128> {
        // the carry runs through all bits that are not of this coordinate
        match (code | !self.mask).wrapping_add(1) & self.mask {
            // more bits than there is room for, or than count
            0 => self.code(coordinate),
            next => Some(next),
        }
    }
}

/// Steps code and index to the next code that has an index in the shape; false behind the last one.
///
/// It counts up, as an odometer whose digits are the bits: a bit that leads out of the shape leads out of
/// it whatever the bits below are, and is skipped like one that is set.
pub(super) fn advance(bits: U32s<'_>, shape: U64s<'_>, code: &mut u128, index: &mut [u64]) -> bool {
    let mut position = 0u32;
    for b in 0..u64::BITS {
        let bit = 1u64.wrapping_shl(b);
        for (k, coordinate) in (0..).zip(index.iter_mut()) {
            if position >= MOST_BITS {
                return false;
            }
            let longer = *coordinate | bit;
            if longer == *coordinate {
                *coordinate ^= bit;
            } else if longer < shape.at(k) && b < bits.at(k) {
                *coordinate = longer;
                *code = (code.wrapping_shr(position) | 1).wrapping_shl(position);
                return true;
            }
            position = position.wrapping_add(1);
        }
    }
    false
}
