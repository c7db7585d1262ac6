//! Space-filling curves: Morton (ADDR-05) and Hilbert (ADDR-06), both ways.

use super::{Coordinates, ORIGIN};
use crate::model::U32s;
use crate::wire::{index as place, length32};

/// The most bits that a code may have: more are further than any buffer reaches.
const MOST_BITS: u32 = 127;

/// The Morton code of an index; none where a bit of it has no room in any buffer.
pub(super) fn morton(bits: U32s<'_>, index: &[u64]) -> Option<u128> {
    let rank = length32(index.len());
    let mut code = 0;
    for (k, coordinate) in (0..rank).zip(index) {
        code |= spread(*coordinate, bits.at(k), k, rank)?;
    }
    Some(code)
}

/// Bit `b` of a coordinate at bit `b * rank + axis`.
pub(super) fn spread(coordinate: u64, bits: u32, axis: u32, rank: u32) -> Option<u128> {
    let mut rest = coordinate & low_bits(bits);
    let (mut code, mut position) = (0u128, axis);
    while rest > 0 {
        if rest & 1 == 1 {
            if position >= MOST_BITS {
                return None;
            }
            code |= 1u128.wrapping_shl(position);
        }
        rest = rest.wrapping_shr(1);
        position = position.saturating_add(rank);
    }
    Some(code)
}

/// The index with that Morton code; none for codes that no index has.
pub(super) fn from_morton(bits: U32s<'_>, code: u128, index: &mut [u64]) -> Option<()> {
    let rank = length32(index.len());
    let mut rest = code;
    index.fill(0);
    let mut bit = 0u32;
    while rest > 0 {
        for (k, coordinate) in (0..rank).zip(index.iter_mut()) {
            if rest & 1 == 1 {
                if bit >= bits.at(k) || bit >= u64::BITS {
                    return None;
                }
                *coordinate |= 1u64.wrapping_shl(bit);
            }
            rest = rest.wrapping_shr(1);
        }
        bit = bit.saturating_add(1);
    }
    Some(())
}

/// The place of an index along the Hilbert curve; none where it has no room in any buffer.
pub(super) fn hilbert(order: u32, index: &[u64]) -> Option<u128> {
    let rank = length32(index.len());
    fits(order, rank)?;
    let mut x: Coordinates = ORIGIN;
    let x = x.get_mut(..index.len())?;
    for (x, index) in x.iter_mut().zip(index) {
        *x = *index;
    }
    let top = top_bit(order);
    let mut q = top;
    while q > 1 {
        exchange(x, q, 0..rank);
        q = q.wrapping_shr(1);
    }
    gray(x, 1..rank);
    let last = x.last().copied().unwrap_or(0);
    let (mut turn, mut q) = (0, top);
    while q > 1 {
        if last & q != 0 {
            turn ^= q.wrapping_sub(1);
        }
        q = q.wrapping_shr(1);
    }
    let mut code = 0u128;
    for b in (0..order).rev() {
        for coordinate in x.iter() {
            let bit = (coordinate ^ turn).wrapping_shr(b) & 1;
            code = code.wrapping_shl(1) | u128::from(bit);
        }
    }
    Some(code)
}

/// The index at a place along the Hilbert curve.
pub(super) fn from_hilbert(order: u32, code: u128, index: &mut [u64]) -> Option<()> {
    let rank = length32(index.len());
    fits(order, rank)?;
    index.fill(0);
    let mut position = 0;
    for b in 0..order {
        for coordinate in index.iter_mut().rev() {
            if code.wrapping_shr(position) & 1 == 1 {
                *coordinate |= 1u64.wrapping_shl(b);
            }
            position = position.saturating_add(1);
        }
    }
    let turn = index.last().copied().unwrap_or(0).wrapping_shr(1);
    gray(index, (1..rank).rev());
    if let Some(first) = index.first_mut() {
        *first ^= turn;
    }
    let mut q = 2;
    while q <= top_bit(order) && q > 0 {
        exchange(index, q, (0..rank).rev());
        q = q.wrapping_shl(1);
    }
    Some(())
}

fn fits(order: u32, rank: u32) -> Option<()> {
    let bits = order.checked_mul(rank)?;
    (order > 0 && order <= u64::BITS && bits <= MOST_BITS).then_some(())
}

fn top_bit(order: u32) -> u64 {
    1u64.wrapping_shl(order.saturating_sub(1))
}

fn low_bits(bits: u32) -> u64 {
    let above = u64::BITS.saturating_sub(bits);
    if bits == 0 {
        0
    } else {
        u64::MAX.wrapping_shr(above)
    }
}

/// One level of turning and reflecting sub-cubes.
fn exchange(x: &mut [u64], q: u64, axes: impl Iterator<Item = u32>) {
    let below = q.wrapping_sub(1);
    for k in axes {
        let first = x.first().copied().unwrap_or(0);
        let Some(coordinate) = x.get_mut(place(k)) else {
            return;
        };
        let change = if *coordinate & q != 0 {
            below
        } else {
            let swapped = (first ^ *coordinate) & below;
            *coordinate ^= swapped;
            swapped
        };
        if let Some(first) = x.first_mut() {
            *first ^= change;
        }
    }
}

/// Each coordinate takes in the one before it.
fn gray(x: &mut [u64], axes: impl Iterator<Item = u32>) {
    for k in axes {
        let before = x.get(place(k).wrapping_sub(1)).copied().unwrap_or(0);
        if let Some(coordinate) = x.get_mut(place(k)) {
            *coordinate ^= before;
        }
    }
}
