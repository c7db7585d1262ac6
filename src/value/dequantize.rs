//! Numbers of stored codes (ADDR-20 to ADDR-28), in float32: every step is rounded once, to nearest, ties to
//! even.

use super::element;
use super::error::ValueError;
use super::parameters::{Blocks, Parameter, Source};
use super::stored::{Data, Piece};
use crate::model::{Fields, Quantization, U64s};
use crate::wire::tag::{ElementType, Scheme};
use crate::wire::{index as slot, length};

/// Parameters that are read at a time, and numbers that are handed on.
pub(super) const CHUNK: usize = 64;
/// Elements that are turned into numbers at a time: few enough to stay near.
const RUN: usize = 1024;

/// The numbers of NF4 codes.
const NF4: [u32; 16] = [
    0xBF80_0000,
    0xBF32_39B1,
    0xBF06_6B30,
    0xBECA_32A0,
    0xBE91_A24D,
    0xBE3D_353F,
    0xBDBA_7871,
    0x0000_0000,
    0x3DA2_FAFF,
    0x3E24_CAE3,
    0x3E7C_04DD,
    0x3EAD_033A,
    0x3EE1_A4B8,
    0x3F10_07AB,
    0x3F39_13B3,
    0x3F80_0000,
];

/// With one rounding. Which NaN an operation makes is not the same on every target.
#[inline(always)]
fn product(number: f32, scale: f32) -> f32 {
    let product = number * scale;
    if product.is_nan() { f32::NAN } else { product }
}

/// A scheme with its parameters in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dequantizer<'a> {
    shape: U64s<'a>,
    codes: ElementType,
    scheme: Scheme,
    source: Source<'a>,
}

impl<'a> Dequantizer<'a> {
    pub(super) fn new<F: Fields + ?Sized>(
        d: &'a F,
        quantization: &Quantization<'_>,
        buffers: &[&'a [u8]],
    ) -> Result<Self, ValueError> {
        let buffer = |k| buffers.get(slot(k)).copied().unwrap_or(&[]);
        Ok(Dequantizer {
            shape: d.shape(),
            codes: d.element_type(),
            scheme: quantization.scheme(),
            source: Source::new(d, quantization, buffer)?,
        })
    }

    /// The numbers of a piece whose first element lies so far from that index along the last axis.
    pub(super) fn piece(
        &self,
        data: &Data<'_>,
        index: &[u64],
        along: usize,
        piece: Piece,
        out: &mut [f32],
    ) -> Result<(), ValueError> {
        let (along, token) = (length(along), piece.slot);
        if let Some(blocks) = self.source.blocks(self.shape, index, along, token) {
            return self.blocks(data, piece, blocks, out);
        }
        let parameter = self.source.first(self.shape, index, along, token);
        if parameter.step > 0 {
            return self.different(data, piece, parameter, out);
        }
        let (scale, zero_point) = self.source.one(parameter.entry)?;
        for (start, out) in chunks(out, RUN) {
            self.unscaled(data, piece.part(start, out.len()), out)?;
            self.scale(data, piece.part(start, out.len()), scale, zero_point, out)?;
        }
        Ok(())
    }

    /// The numbers of a piece in chunks, each with its place in the piece.
    pub(super) fn chunks(
        &self,
        data: &Data<'_>,
        index: &[u64],
        piece: Piece,
        mut take: impl FnMut(usize, &[f32]) -> Result<(), ValueError>,
    ) -> Result<(), ValueError> {
        let mut start = 0usize;
        while start < piece.len {
            let mut numbers = [0.0; CHUNK];
            let len = piece.len.wrapping_sub(start).min(CHUNK);
            let numbers = numbers.get_mut(..len).unwrap_or_default();
            self.piece(data, index, start, piece.part(start, len), numbers)?;
            take(start, numbers)?;
            start = start.wrapping_add(len);
        }
        Ok(())
    }

    /// Elements of blocks one behind the other: codes and parameters of many blocks are read at a time.
    fn blocks(
        &self,
        data: &Data<'_>,
        piece: Piece,
        mut blocks: Blocks,
        out: &mut [f32],
    ) -> Result<(), ValueError> {
        let most = blocks.size.saturating_mul(length(CHUNK.wrapping_sub(1)));
        let most = usize::try_from(most).unwrap_or(RUN).min(RUN);
        for (start, out) in chunks(out, most) {
            let behind = length(out.len()).saturating_sub(blocks.left);
            let others = behind.div_ceil(blocks.size.max(1));
            let count = others.wrapping_add(1);
            let (mut scales, mut zeros) = ([0.0; CHUNK], [0; CHUNK]);
            let count = usize::try_from(count).unwrap_or(CHUNK);
            let scales = scales.get_mut(..count).unwrap_or_default();
            let zeros = zeros.get_mut(..count).unwrap_or_default();
            let entry = blocks.entry;
            self.source
                .many(Parameter { entry, step: 1 }, scales, zeros)?;
            self.unscaled(data, piece.part(start, out.len()), out)?;
            let (mut start, mut rest) = (start, out);
            for (scale, zero) in scales.iter().zip(zeros) {
                let len = blocks.next_len(rest.len());
                let (out, after) = rest.split_at_mut_checked(len).unwrap_or_default();
                self.scale(data, piece.part(start, len), *scale, *zero, out)?;
                blocks.pass(len);
                start = start.wrapping_add(len);
                rest = after;
            }
        }
        Ok(())
    }

    /// Elements whose parameters lie a step apart.
    fn different(
        &self,
        data: &Data<'_>,
        piece: Piece,
        mut parameter: Parameter,
        out: &mut [f32],
    ) -> Result<(), ValueError> {
        for (start, out) in chunks(out, CHUNK) {
            let (mut scales, mut zeros) = ([0.0; CHUNK], [0; CHUNK]);
            let scales = scales.get_mut(..out.len()).unwrap_or_default();
            let zeros = zeros.get_mut(..out.len()).unwrap_or_default();
            self.source.many(parameter, scales, zeros)?;
            let piece = piece.part(start, out.len());
            let exact = |zero: &i32| self.exact((*zero).into());
            if zeros.iter().all(|zero| exact(zero).is_some()) {
                self.unscaled(data, piece, out)?;
                for ((x, scale), zero) in out.iter_mut().zip(&*scales).zip(&*zeros) {
                    *x = product(*x - exact(zero).unwrap_or(0.0), *scale);
                }
            } else {
                let parameters = scales.iter().copied().zip(zeros.iter().copied());
                self.wide(data, piece, out, parameters)?;
            }
            let entries = length(out.len()).wrapping_mul(parameter.step);
            parameter.entry = parameter.entry.wrapping_add(entries);
        }
        Ok(())
    }

    /// The numbers of codes without a zero point and a scale.
    fn unscaled(&self, data: &Data<'_>, piece: Piece, out: &mut [f32]) -> Result<(), ValueError> {
        let Piece { first, step, .. } = piece;
        if self.scheme != Scheme::Nf4 {
            return Ok(element::decode_stepped(
                self.codes, data.bytes, first, step, out,
            )?);
        }
        for (start, out) in chunks(out, CHUNK) {
            let mut codes = [0u8; CHUNK];
            let codes = codes.get_mut(..out.len()).unwrap_or_default();
            let first = piece.part(start, out.len()).first;
            element::decode_stepped(self.codes, data.bytes, first, step, codes)?;
            for (x, code) in out.iter_mut().zip(codes) {
                let number = NF4.get(usize::from(*code)).copied().unwrap_or(0);
                *x = f32::from_bits(number);
            }
        }
        Ok(())
    }

    /// Takes a zero point from unscaled numbers and multiplies them.
    fn scale(
        &self,
        data: &Data<'_>,
        piece: Piece,
        scale: f32,
        zero_point: i32,
        out: &mut [f32],
    ) -> Result<(), ValueError> {
        let Some(zero) = self.exact(zero_point.into()) else {
            let parameters = core::iter::repeat((scale, zero_point));
            return self.wide(data, piece, out, parameters);
        };
        let with_nan = matches!(
            self.codes,
            ElementType::Float8E4M3 | ElementType::Float8E5M2
        );
        if with_nan || !scale.is_finite() {
            for x in out {
                *x = product(*x - zero, scale);
            }
        } else {
            for x in out {
                *x = (*x - zero) * scale;
            }
        }
        Ok(())
    }

    /// The zero point as a float, where float arithmetic gives the exact difference to every code: both are
    /// integers far below 2^24, or there is none.
    fn exact(&self, zero_point: i64) -> Option<f32> {
        if self.scheme == Scheme::Mxfp {
            return Some(0.0);
        }
        let small = self.codes.bits() <= 16 && zero_point.unsigned_abs() <= 1 << 16;
        let zero_point = i16::try_from(zero_point).map(f32::from).ok().or_else(|| {
            let positive = u16::try_from(zero_point).ok()?;
            Some(f32::from(positive))
        });
        zero_point.filter(|_| small)
    }

    /// Differences that floats do not hold, in 64 bits.
    fn wide(
        &self,
        data: &Data<'_>,
        piece: Piece,
        out: &mut [f32],
        mut parameters: impl Iterator<Item = (f32, i32)>,
    ) -> Result<(), ValueError> {
        for (start, out) in chunks(out, CHUNK) {
            let mut codes = [0i64; CHUNK];
            let codes = codes.get_mut(..out.len()).unwrap_or_default();
            let Piece { first, step, .. } = piece.part(start, out.len());
            element::decode_stepped(self.codes, data.bytes, first, step, codes)?;
            for ((x, code), (scale, zero)) in out.iter_mut().zip(codes).zip(&mut parameters) {
                let difference = code.wrapping_sub(zero.into());
                *x = product(element::nearest_f32(difference), scale);
            }
        }
        Ok(())
    }
}

/// Parts of so many numbers, each with its place.
fn chunks(out: &mut [f32], len: usize) -> impl Iterator<Item = (usize, &mut [f32])> {
    (0..).step_by(len.max(1)).zip(out.chunks_mut(len.max(1)))
}
