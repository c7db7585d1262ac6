//! The Hilbert curve (ADDR-06), both ways, one level of cubes in cubes after the other.
//!
//! The specification turns and reflects all lower bits of all coordinates at each level. That is a signed
//! permutation of the axes, so it is enough to remember which one it is by now.

use super::{AXES, MOST_BITS};
use crate::wire::{index as slot, length32};

/// Levels below the cube whose elements a walk takes from one [`Cube`].
const LOW: u32 = 2;

/// The place of an index along the curve; none where it has no room in any buffer.
pub(super) fn code(order: u32, index: &[u64]) -> Option<u128> {
    let rank = fits(order, length32(index.len()))?;
    let mut turned = Turned::new(rank);
    Some(
        (0..order)
            .rev()
            .fold(0, |code, level| turned.enter(code, level, index)),
    )
}

/// The rank, of curves that have room in a buffer.
fn fits(order: u32, rank: u32) -> Option<u32> {
    let bits = order.checked_mul(rank)?;
    (order > 0 && order <= u64::BITS && bits <= MOST_BITS).then_some(rank)
}

/// A cube of the curve, `2^LOW` or the whole curve wide, and how the curve runs through it.
#[derive(Clone, Debug)]
pub(super) struct Cube {
    order: u32,
    low: u32,
    turned: Turned,
    /// The code of the cube itself, while one is known.
    code: Option<u128>,
    last: u64,
}

impl Cube {
    /// In front of the first cube.
    pub(super) fn new(order: u32, rank: u32) -> Option<Self> {
        Some(Cube {
            order,
            low: order.min(LOW),
            turned: Turned::new(fits(order, rank)?),
            code: None,
            last: 0,
        })
    }

    /// Codes that there are.
    pub(super) fn codes(&self) -> u128 {
        1u128.wrapping_shl(self.order.saturating_mul(self.turned.rank))
    }

    /// Forgets the cube: other coordinates than the last one have changed.
    pub(super) fn leave(&mut self) {
        self.code = None;
    }

    /// The code of an index.
    pub(super) fn code(&mut self, index: &[u64]) -> u128 {
        let last = index.last().copied().unwrap_or(0).wrapping_shr(self.low);
        let code = match self.code {
            Some(code) if last == self.last => code,
            _ => {
                self.turned = Turned::new(self.turned.rank);
                let levels = (self.low..self.order).rev();
                levels.fold(0, |code, level| self.turned.enter(code, level, index))
            }
        };
        (self.code, self.last) = (Some(code), last);
        let mut turned = self.turned;
        (0..self.low)
            .rev()
            .fold(code, |code, level| turned.enter(code, level, index))
    }

    /// Sets the index that has a code, which follows the one of the call before.
    pub(super) fn find(&mut self, code: u128, index: &mut [u64]) {
        let rank = self.turned.rank;
        let cube = code.wrapping_shr(self.low.saturating_mul(rank));
        if self.code != Some(cube) {
            self.code = Some(cube);
            self.turned = Turned::new(rank);
            index.fill(0);
            for level in (self.low..self.order).rev() {
                self.turned.find(code, level, index);
            }
        }
        let mut turned = self.turned;
        for level in (0..self.low).rev() {
            turned.find(code, level, index);
        }
    }
}

/// How the curve runs through a cube: which axes its own ones are, which of them backwards.
#[derive(Clone, Copy, Debug)]
struct Turned {
    rank: u32,
    axes: [u8; AXES],
    /// A bit for each of its own axes.
    backwards: u64,
    /// All ones where the digits of codes are complements.
    complement: u64,
}

impl Turned {
    fn new(rank: u32) -> Self {
        let mut axes = [0; AXES];
        for (axis, slot) in (0..).zip(&mut axes) {
            *slot = axis;
        }
        Turned {
            rank,
            axes,
            backwards: 0,
            complement: 0,
        }
    }

    fn own_axes(&self) -> impl Iterator<Item = usize> {
        self.axes
            .iter()
            .take(slot(self.rank))
            .map(|axis| usize::from(*axis))
    }

    /// Goes on to the half-as-wide cube that an index is in, and appends its digit to a code.
    fn enter(&mut self, code: u128, level: u32, index: &[u64]) -> u128 {
        let mut half = 0;
        for (k, axis) in (0..).zip(self.own_axes()) {
            let coordinate = index.get(axis).copied().unwrap_or(0);
            half |= (coordinate.wrapping_shr(level) & 1).wrapping_shl(k);
        }
        half ^= self.backwards;
        // each bit takes in those before it
        let gray = [1, 2, 4, 8, 16, 32]
            .iter()
            .fold(half, |gray, by| gray ^ gray.wrapping_shl(*by));
        let digit = self.reversed(gray ^ self.complement);
        self.turn(half, gray);
        code.wrapping_shl(self.rank) | u128::from(digit)
    }

    /// Goes on to the half-as-wide cube that a code is in, and sets the bits of its index.
    fn find(&mut self, code: u128, level: u32, index: &mut [u64]) {
        let digit = code.wrapping_shr(level.saturating_mul(self.rank));
        let digit = crate::wire::u64(&digit.to_le_bytes(), 0);
        let gray = self.reversed(digit) ^ self.complement;
        let half = gray ^ gray.wrapping_shl(1);
        let bits = half ^ self.backwards;
        let bit = 1u64.wrapping_shl(level);
        for (k, axis) in (0..).zip(self.own_axes()) {
            if let Some(coordinate) = index.get_mut(axis) {
                let set = bits.wrapping_shr(k) & 1;
                *coordinate = *coordinate & !bit | set.wrapping_shl(level);
            }
        }
        self.turn(half, gray);
    }

    /// The lowest `rank` bits the other way round.
    fn reversed(&self, bits: u64) -> u64 {
        bits.reverse_bits()
            .wrapping_shr(u64::BITS.saturating_sub(self.rank))
    }

    /// Turns to a half: one axis after the other is reflected, or changes places with the first.
    fn turn(&mut self, half: u64, gray: u64) {
        for k in 0..self.rank {
            if half.wrapping_shr(k) & 1 == 1 {
                self.backwards ^= 1;
            } else {
                let differ = (self.backwards ^ self.backwards.wrapping_shr(k)) & 1;
                self.backwards ^= differ | differ.wrapping_shl(k);
                if let Some((first, others)) = self.axes.split_first_mut()
                    && let Some(other) = others.get_mut(slot(k).wrapping_sub(1))
                {
                    core::mem::swap(first, other);
                }
            }
        }
        let last = gray.wrapping_shr(self.rank.saturating_sub(1)) & 1;
        self.complement ^= last.wrapping_neg();
    }
}
