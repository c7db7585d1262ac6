//! Numbers of stored codes (ADDR-20 to ADDR-28), in float32: every step is rounded once, to nearest, ties to
//! even.

use super::element;
use super::error::ValueError;
use super::parameters::{Parameter, Source};
use super::stored::{Data, Piece};
use crate::model::{Fields, Quantization, U64s};
use crate::wire::tag::{ElementType, Scheme};
use crate::wire::{index as slot, length};

/// Elements that are turned into numbers at a time.
const CHUNK: usize = 64;

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
        let (along, token, len) = (length(along), piece.slot, out.len());
        let segments = |start: usize, len, parameter| {
            let out = out.get_mut(start..).and_then(|out| out.get_mut(..len));
            self.segment(
                data,
                piece.from(start, len),
                parameter,
                out.unwrap_or_default(),
            )
        };
        self.source
            .segments(self.shape, index, along, token, len, segments)
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
            self.piece(data, index, start, piece.from(start, len), numbers)?;
            take(start, numbers)?;
            start = start.wrapping_add(len);
        }
        Ok(())
    }

    /// Elements whose parameters lie a fixed step apart.
    fn segment(
        &self,
        data: &Data<'_>,
        piece: Piece,
        parameter: Parameter,
        out: &mut [f32],
    ) -> Result<(), ValueError> {
        if parameter.step == 0 {
            let (scale, zero_point) = self.source.one(parameter.entry)?;
            return self.same(data, piece, scale, zero_point.into(), out);
        }
        let (mut start, mut parameter) = (0usize, parameter);
        for out in out.chunks_mut(CHUNK) {
            let (mut scales, mut zeros) = ([0.0; CHUNK], [0; CHUNK]);
            let (Some(scales), Some(zeros)) =
                (scales.get_mut(..out.len()), zeros.get_mut(..out.len()))
            else {
                return Ok(());
            };
            self.source.many(parameter, scales, zeros)?;
            self.different(data, piece.from(start, out.len()), scales, zeros, out)?;
            start = start.wrapping_add(out.len());
            let entries = length(out.len()).wrapping_mul(parameter.step);
            parameter.entry = parameter.entry.wrapping_add(entries);
        }
        Ok(())
    }

    /// One scale and one zero point for all.
    fn same(
        &self,
        data: &Data<'_>,
        piece: Piece,
        scale: f32,
        zero_point: i64,
        out: &mut [f32],
    ) -> Result<(), ValueError> {
        if self.scheme == Scheme::Nf4 {
            return self.nf4(data, piece, out, |_| scale);
        }
        if let Some(zero) = self.exact(zero_point) {
            element::decode_stepped(self.codes, data.bytes, piece.first, piece.step, out)?;
            for x in out {
                *x = product(*x - zero, scale);
            }
            return Ok(());
        }
        self.wide(data, piece, out, |_| (scale, zero_point))
    }

    /// A scale and a zero point for each.
    fn different(
        &self,
        data: &Data<'_>,
        piece: Piece,
        scales: &[f32],
        zeros: &[i32],
        out: &mut [f32],
    ) -> Result<(), ValueError> {
        let scale = |k: usize| scales.get(k).copied().unwrap_or(0.0);
        let zero = |k: usize| zeros.get(k).copied().unwrap_or(0);
        if self.scheme == Scheme::Nf4 {
            return self.nf4(data, piece, out, scale);
        }
        if zeros
            .iter()
            .all(|zero| self.exact((*zero).into()).is_some())
        {
            element::decode_stepped(self.codes, data.bytes, piece.first, piece.step, out)?;
            for ((x, scale), zero) in out.iter_mut().zip(scales).zip(zeros) {
                let zero = self.exact((*zero).into()).unwrap_or(0.0);
                *x = product(*x - zero, *scale);
            }
            return Ok(());
        }
        self.wide(data, piece, out, |k| (scale(k), zero(k).into()))
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
        parameter: impl Fn(usize) -> (f32, i64),
    ) -> Result<(), ValueError> {
        let mut start = 0usize;
        for out in out.chunks_mut(CHUNK) {
            let mut codes = [0i64; CHUNK];
            let Some(codes) = codes.get_mut(..out.len()) else {
                return Ok(());
            };
            let Piece { first, step, .. } = piece.from(start, out.len());
            element::decode_stepped(self.codes, data.bytes, first, step, codes)?;
            for (k, (x, code)) in out.iter_mut().zip(codes).enumerate() {
                let (scale, zero_point) = parameter(start.wrapping_add(k));
                *x = product(element::nearest_f32(code.wrapping_sub(zero_point)), scale);
            }
            start = start.wrapping_add(out.len());
        }
        Ok(())
    }

    fn nf4(
        &self,
        data: &Data<'_>,
        piece: Piece,
        out: &mut [f32],
        scale: impl Fn(usize) -> f32,
    ) -> Result<(), ValueError> {
        let mut start = 0usize;
        for out in out.chunks_mut(CHUNK) {
            let mut codes = [0u8; CHUNK];
            let Some(codes) = codes.get_mut(..out.len()) else {
                return Ok(());
            };
            let Piece { first, step, .. } = piece.from(start, out.len());
            element::decode_stepped(self.codes, data.bytes, first, step, codes)?;
            for (k, (x, code)) in out.iter_mut().zip(codes).enumerate() {
                let number = NF4.get(usize::from(*code)).copied().unwrap_or(0);
                *x = product(f32::from_bits(number), scale(start.wrapping_add(k)));
            }
            start = start.wrapping_add(out.len());
        }
        Ok(())
    }
}
