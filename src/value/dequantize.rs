//! Numbers of stored codes (ADDR-20 to ADDR-28), in float32: every step is rounded once, to nearest, ties to
//! even.

use super::element;
use super::error::ValueError;
use super::stored::{Data, Piece};
use crate::check::quantization::{parameter_entries, scale_type, zero_points};
use crate::model::{Fields, Layout, Parameters, Quantization, U64s};
use crate::wire::tag::{ElementType, Scheme};
use crate::wire::{index as slot, length, length32};

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

/// A scheme with its parameters in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dequantizer<'a> {
    shape: U64s<'a>,
    codes: ElementType,
    scheme: Scheme,
    source: Source<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    Tensor { scale: f32, zero_point: i64 },
    Buffers(Buffers<'a>),
}

/// Scales and zero points of channels or blocks.
#[derive(Clone, Copy, Debug)]
struct Buffers<'a> {
    axis: u32,
    /// Elements of a block along the axis; 1 for channels.
    block: u64,
    /// Blocks along the axis; 0 for channels, whose parameters the other dimensions have no part in.
    blocks: u64,
    /// Parameters of a block-paged tensor go by the slot of the token.
    by_slot: bool,
    scale_type: ElementType,
    scale_buffer: u32,
    scales: &'a [u8],
    zero_buffer: u32,
    zeros: Option<&'a [u8]>,
}

impl<'a> Dequantizer<'a> {
    pub(super) fn new<F: Fields + ?Sized>(
        d: &'a F,
        quantization: &Quantization<'_>,
        buffers: &[&'a [u8]],
    ) -> Result<Self, ValueError> {
        let scheme = quantization.scheme();
        let source = match quantization {
            Quantization::PerTensor {
                scale, zero_point, ..
            } => Source::Tensor {
                scale: f32::from_bits(scale.0),
                zero_point: (*zero_point).into(),
            },
            Quantization::Buffers(p) => Source::Buffers(Buffers::new(d, p, buffers)?),
            Quantization::Other { .. } => return Err(ValueError::Scheme(scheme)),
        };
        Ok(Dequantizer {
            shape: d.shape(),
            codes: d.element_type(),
            scheme,
            source,
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
        let Source::Buffers(buffers) = &self.source else {
            return self.segment(data, piece, Parameter::default(), out);
        };
        let along = length(along);
        let last = index.last().map_or(0, |last| last.wrapping_add(along));
        let mut parameter = buffers.at(self.shape, index, along, piece.slot);
        // along their own axis, blocks are one parameter each
        if buffers.runs_along(index.len()) && buffers.blocks > 0 && piece.slot.is_none() {
            let within = last.checked_rem(buffers.block).unwrap_or(0);
            let mut left = buffers.block.wrapping_sub(within);
            let (mut start, mut rest) = (0, out);
            while !rest.is_empty() {
                let len = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                let (head, tail) = rest.split_at_mut_checked(len).unwrap_or_default();
                self.segment(data, piece.from(start, len), parameter, head)?;
                parameter.entry = parameter.entry.wrapping_add(1);
                (start, rest, left) = (start.wrapping_add(len), tail, buffers.block);
            }
            return Ok(());
        }
        self.segment(data, piece, parameter, out)
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
            return self.same(data, piece, scale, zero_point, out);
        }
        let Source::Buffers(buffers) = &self.source else {
            return Ok(());
        };
        let (mut start, mut entry) = (0usize, parameter.entry);
        for out in out.chunks_mut(CHUNK) {
            let (mut scales, mut zeros) = ([0.0; CHUNK], [0; CHUNK]);
            let (Some(scales), Some(zeros)) =
                (scales.get_mut(..out.len()), zeros.get_mut(..out.len()))
            else {
                return Ok(());
            };
            buffers.scales(entry, parameter.step, scales)?;
            buffers.zeros(entry, parameter.step, zeros)?;
            self.different(data, piece.from(start, out.len()), scales, zeros, out)?;
            start = start.wrapping_add(out.len());
            entry = entry.wrapping_add(length(out.len()).wrapping_mul(parameter.step));
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
                *x = (*x - zero) * scale;
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
                *x = (*x - zero) * scale;
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
                *x = scale * element::nearest_f32(code.wrapping_sub(zero_point));
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
                *x = scale(start.wrapping_add(k)) * f32::from_bits(number);
            }
            start = start.wrapping_add(out.len());
        }
        Ok(())
    }
}

/// The parameter of the first element of a piece, and how many entries lie from one element to the next.
#[derive(Clone, Copy, Debug, Default)]
struct Parameter {
    entry: u64,
    step: u64,
}

impl Source<'_> {
    fn one(&self, entry: u64) -> Result<(f32, i64), ValueError> {
        match self {
            Source::Tensor { scale, zero_point } => Ok((*scale, *zero_point)),
            Source::Buffers(buffers) => {
                let (mut scale, mut zero) = ([0.0], [0]);
                buffers.scales(entry, 0, &mut scale)?;
                buffers.zeros(entry, 0, &mut zero)?;
                let ([scale], [zero]) = (scale, zero);
                Ok((scale, zero.into()))
            }
        }
    }
}

impl<'a> Buffers<'a> {
    fn new<F: Fields + ?Sized>(
        d: &F,
        p: &Parameters,
        buffers: &[&'a [u8]],
    ) -> Result<Self, ValueError> {
        let paged = matches!(d.layout(), Layout::BlockPaged(_));
        let per_channel = p.scheme == Scheme::PerChannelAffine;
        let by_slot = paged && p.scheme == Scheme::PerBlockAffine;
        if paged && !per_channel && !by_slot {
            return Err(ValueError::Scheme(p.scheme));
        }
        let buffer = |k: u32| buffers.get(slot(k)).copied().unwrap_or(&[]);
        let zero_buffer = zero_points(p);
        let zeros = zero_buffer.map(|k| {
            let shared = k == p.scale_buffer_index;
            let start = if shared { scales_end(d, p) } else { Some(0) };
            let start = start.and_then(|start| usize::try_from(start).ok());
            start
                .and_then(|start| buffer(k).get(start..))
                .unwrap_or(&[])
        });
        let block = u64::from(p.block_size.max(1));
        let size = d.shape().at(p.axis);
        let blocks = size.div_ceil(block);
        Ok(Buffers {
            axis: p.axis,
            block: if per_channel { 1 } else { block },
            blocks: if per_channel { 0 } else { blocks },
            by_slot,
            scale_type: scale_type(p),
            scale_buffer: p.scale_buffer_index,
            scales: buffer(p.scale_buffer_index),
            zero_buffer: zero_buffer.unwrap_or(0),
            zeros,
        })
    }

    /// Whether the axis of the parameters is the last one.
    fn runs_along(&self, rank: usize) -> bool {
        self.axis.saturating_add(1) == length32(rank)
    }

    /// ADDR-21, ADDR-25, ADDR-27: the parameter of an element, and the step to that of the next one along
    /// the last axis. It wraps only where no buffer holds so many.
    fn at(&self, shape: U64s<'_>, index: &[u64], along: u64, token: Option<u64>) -> Parameter {
        if let (Some(token), true) = (token, self.by_slot) {
            return Parameter {
                entry: token,
                step: 0,
            };
        }
        let last = self.runs_along(index.len());
        let shift = if last { along } else { 0 };
        let own = index
            .get(slot(self.axis))
            .copied()
            .unwrap_or(0)
            .wrapping_add(shift);
        if self.blocks == 0 {
            return Parameter {
                entry: own,
                step: last.into(),
            };
        }
        let others = (0..)
            .zip(index)
            .zip(shape)
            .filter(|((k, _), _)| *k != self.axis);
        let outer = others.fold(0u64, |outer, ((_, at), size)| {
            outer.wrapping_mul(size).wrapping_add(*at)
        });
        // of the others, the last axis is the one that goes on
        let outer = outer.wrapping_add(along.wrapping_sub(shift));
        let block = own.checked_div(self.block).unwrap_or(0);
        Parameter {
            entry: outer.wrapping_mul(self.blocks).wrapping_add(block),
            step: if last { 0 } else { self.blocks },
        }
    }

    fn scales(&self, entry: u64, step: u64, out: &mut [f32]) -> Result<(), ValueError> {
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        let read = element::decode_stepped(self.scale_type, self.scales, entry, step, out);
        read.map_err(|_| ValueError::Parameter {
            buffer: self.scale_buffer,
            entry,
        })
    }

    /// All 0 in a scheme without zero points.
    fn zeros(&self, entry: u64, step: u64, out: &mut [i32]) -> Result<(), ValueError> {
        let Some(zeros) = self.zeros else {
            out.fill(0);
            return Ok(());
        };
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        let read = element::decode_stepped(ElementType::Int32, zeros, entry, step, out);
        read.map_err(|_| ValueError::Parameter {
            buffer: self.zero_buffer,
            entry,
        })
    }
}

/// ADDR-28: where the zero points start that stand behind the scales.
fn scales_end<F: Fields + ?Sized>(d: &F, p: &Parameters) -> Option<u64> {
    let bytes = scale_type(p).bits().wrapping_shr(3);
    parameter_entries(d, p)?.checked_mul(bytes.into())
}
