//! Where the elements of members go, and how they meet what is there.

use super::dequantize::CHUNK;
use super::element::{self, ElementError};
use super::error::ValueError;
use super::stored::{Data, Piece};
use crate::model::U64s;
use crate::wire::length;
use crate::wire::tag::ElementType;

/// How the elements of a member meet what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// They replace it; what a member does not store is left as it is.
    Replace,
    /// They are added to it.
    Add,
}

/// Where the elements of a member go.
pub(super) struct Target<'a> {
    pub(super) element_type: ElementType,
    /// The whole box.
    pub(super) shape: U64s<'a>,
    /// The first index in the member, and the one in the box that it goes to.
    pub(super) local: U64s<'a>,
    pub(super) place: U64s<'a>,
}

impl Target<'_> {
    /// The position in the box of an element of the member.
    pub(super) fn at(&self, index: &[u64]) -> u64 {
        let axes = index
            .iter()
            .zip(self.local.iter().zip(self.place))
            .zip(self.shape);
        axes.fold(0u64, |at, ((index, (local, place)), size)| {
            let inside = index.wrapping_sub(local).wrapping_add(place);
            // elements of memory
            at.wrapping_mul(size).wrapping_add(inside)
        })
    }

    /// Rounds numbers to the type of the box; at most [`CHUNK`] of them.
    pub(super) fn numbers(
        &self,
        numbers: &[f32],
        out: &mut [u8],
        at: u64,
        mode: Mode,
    ) -> Result<(), ValueError> {
        if mode != Mode::Add {
            return Ok(element::encode(self.element_type, numbers, at, out)?);
        }
        if self.adds_as_singles() {
            let mut rounded = [0; CHUNK * 4];
            let mut again = [0.0; CHUNK];
            let again = again.get_mut(..numbers.len()).unwrap_or_default();
            element::encode(self.element_type, numbers, 0, &mut rounded)
                .map_err(|_| ValueError::Sum(self.element_type))?;
            element::decode(self.element_type, &rounded, 0, again)?;
            return self.add_singles(again, out, at);
        }
        for (k, number) in (0..).zip(numbers) {
            let number = element::nearest(self.element_type, element::Value::F32(*number));
            let number = number.ok_or(ValueError::Sum(self.element_type))?;
            self.add(out, at.wrapping_add(k), number)?;
        }
        Ok(())
    }

    /// Adds stored elements.
    pub(super) fn sums(
        &self,
        data: &Data<'_>,
        piece: Piece,
        out: &mut [u8],
        at: u64,
    ) -> Result<(), ValueError> {
        if !self.adds_as_singles() {
            return (0..piece.len).try_for_each(|k| {
                let bits = data.bits(piece.part(k, 1).first)?;
                self.add(out, at.wrapping_add(length(k)), bits)
            });
        }
        let mut start = 0usize;
        while start < piece.len {
            let mut numbers = [0.0; CHUNK];
            let len = piece.len.wrapping_sub(start).min(CHUNK);
            let numbers = numbers.get_mut(..len).unwrap_or_default();
            let first = piece.part(start, len).first;
            element::decode_stepped(data.element_type, data.bytes, first, piece.step, numbers)?;
            self.add_singles(numbers, out, at.wrapping_add(length(start)))?;
            start = start.wrapping_add(len);
        }
        Ok(())
    }

    /// Whether rounding a float32 sum gives the sum: float32 has more than twice the bits of all smaller
    /// types with a zero.
    fn adds_as_singles(&self) -> bool {
        self.element_type.is_float() && self.element_type.bits() <= 32
    }

    /// Adds at most [`CHUNK`] elements.
    fn add_singles(&self, numbers: &[f32], out: &mut [u8], at: u64) -> Result<(), ValueError> {
        let mut sums = [0.0; CHUNK];
        let sums = sums.get_mut(..numbers.len()).unwrap_or_default();
        element::decode(self.element_type, out, at, sums)?;
        for (sum, number) in sums.iter_mut().zip(numbers) {
            let new = *sum + number;
            // which NaN comes out is not the same on every target
            *sum = if new.is_nan() { f32::NAN } else { new };
        }
        Ok(element::encode(self.element_type, sums, at, out)?)
    }

    fn add(&self, out: &mut [u8], at: u64, bits: u128) -> Result<(), ValueError> {
        let before = element::bits(self.element_type, out, at);
        let before = before.ok_or(ElementError::NoSuchPosition)?;
        let sum = element::add(self.element_type, before, bits);
        let sum = sum.ok_or(ValueError::Sum(self.element_type))?;
        let set = element::set_bits(self.element_type, out, at, sum);
        Ok(set.ok_or(ElementError::NoSuchPosition)?)
    }
}
