//! Scales and zero points, and which of them an element has.

use super::element::{self, ElementError, Scalar};
use super::error::ValueError;
use crate::check::quantization::{blocks_along, scale_type, zero_points, zero_points_start};
use crate::model::{Fields, Layout, Parameters, Quantization, U64s};
use crate::wire::tag::{ElementType, Scheme};
use crate::wire::{index as slot, length, length32};

/// Where the parameters of a scheme are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'a> {
    Tensor { scale: f32, zero_point: i32 },
    Buffers(Buffers<'a>),
}

/// Scales and zero points of channels or blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffers<'a> {
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

/// The parameter of the first element of a piece, and how many entries lie from one element to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parameter {
    pub(super) entry: u64,
    pub(super) step: u64,
}

/// Blocks one behind the other, each with the parameter behind that of the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    /// The parameter of the first one.
    pub(super) entry: u64,
    /// Elements of a block.
    pub(super) size: u64,
    /// Elements that are left of the first one; at least one.
    pub(super) left: u64,
}

impl Blocks {
    /// How many of so many elements are in the first block.
    pub(super) fn next_len(&self, len: usize) -> usize {
        usize::try_from(self.left).unwrap_or(usize::MAX).min(len)
    }

    /// Goes on behind so many elements of the first block.
    pub(super) fn pass(&mut self, len: usize) {
        self.left = self.left.wrapping_sub(length(len));
        if self.left == 0 {
            self.left = self.size;
            self.entry = self.entry.wrapping_add(1);
        }
    }
}

impl<'a> Source<'a> {
    pub(super) fn new<F: Fields + ?Sized>(
        d: &F,
        quantization: &Quantization<'_>,
        buffer: impl Fn(u32) -> &'a [u8],
    ) -> Result<Self, ValueError> {
        match quantization {
            Quantization::PerTensor {
                scale, zero_point, ..
            } => Ok(Source::Tensor {
                scale: f32::from_bits(scale.0),
                zero_point: *zero_point,
            }),
            Quantization::Buffers(p) => Ok(Source::Buffers(Buffers::new(d, p, buffer)?)),
            Quantization::Other { scheme, .. } => Err(ValueError::Scheme(*scheme)),
        }
    }

    /// Cuts elements along the last axis, from one that lies so far from an index, into runs whose
    /// parameters lie a fixed step apart: where each starts, how long it is, and its parameter.
    pub(super) fn segments(
        &self,
        shape: U64s<'_>,
        index: &[u64],
        along: u64,
        token: Option<u64>,
        len: usize,
        mut take: impl FnMut(usize, usize, Parameter) -> Result<(), ValueError>,
    ) -> Result<(), ValueError> {
        let Some(blocks) = self.blocks(shape, index, along, token) else {
            return take(0, len, self.first(shape, index, along, token));
        };
        let mut blocks = blocks;
        let mut start = 0usize;
        while start < len {
            let rest = len.wrapping_sub(start);
            let part = blocks.next_len(rest);
            let entry = blocks.entry;
            take(start, part, Parameter { entry, step: 0 })?;
            blocks.pass(part);
            start = start.wrapping_add(part);
        }
        Ok(())
    }

    /// The parameter of an element, and the step to that of the next one along the last axis, where that is
    /// the same for all.
    pub(super) fn first(
        &self,
        shape: U64s<'_>,
        index: &[u64],
        along: u64,
        token: Option<u64>,
    ) -> Parameter {
        match self {
            Source::Tensor { .. } => Parameter::default(),
            Source::Buffers(buffers) => buffers.at(shape, index, along, token),
        }
    }

    /// The blocks from an element on, where they run along the last axis.
    pub(super) fn blocks(
        &self,
        shape: U64s<'_>,
        index: &[u64],
        along: u64,
        token: Option<u64>,
    ) -> Option<Blocks> {
        let Source::Buffers(buffers) = self else {
            return None;
        };
        let runs = buffers.blocks > 0 && buffers.runs_along(index.len()) && token.is_none();
        let last = index.last().filter(|_| runs)?.wrapping_add(along);
        let within = last.checked_rem(buffers.block).unwrap_or(0);
        Some(Blocks {
            entry: buffers.at(shape, index, along, token).entry,
            size: buffers.block,
            left: buffers.block.wrapping_sub(within),
        })
    }

    /// Scale and zero point of one entry.
    pub(super) fn one(&self, entry: u64) -> Result<(f32, i32), ValueError> {
        let (mut scale, mut zero) = ([0.0], [0]);
        self.many(Parameter { entry, step: 0 }, &mut scale, &mut zero)?;
        let ([scale], [zero]) = (scale, zero);
        Ok((scale, zero))
    }

    /// Scales and zero points of entries that lie a step apart.
    pub(super) fn many(
        &self,
        parameter: Parameter,
        scales: &mut [f32],
        zeros: &mut [i32],
    ) -> Result<(), ValueError> {
        match self {
            Source::Tensor { scale, zero_point } => {
                scales.fill(*scale);
                zeros.fill(*zero_point);
                Ok(())
            }
            Source::Buffers(buffers) => {
                buffers.scales(parameter, scales)?;
                buffers.zeros(parameter, zeros)
            }
        }
    }
}

impl<'a> Buffers<'a> {
    fn new<F: Fields + ?Sized>(
        d: &F,
        p: &Parameters,
        buffer: impl Fn(u32) -> &'a [u8],
    ) -> Result<Self, ValueError> {
        let paged = matches!(d.layout(), Layout::BlockPaged(_));
        let per_channel = p.scheme == Scheme::PerChannelAffine;
        let by_slot = paged && p.scheme == Scheme::PerBlockAffine;
        if paged && !per_channel && !by_slot {
            return Err(ValueError::Scheme(p.scheme));
        }
        let zero_buffer = zero_points(p);
        let zeros = zero_buffer.map(|k| {
            let start = zero_points_start(d, p);
            let start = start.and_then(|start| usize::try_from(start).ok());
            start
                .and_then(|start| buffer(k).get(start..))
                .unwrap_or(&[])
        });
        let block = u64::from(p.block_size.max(1));
        let blocks = blocks_along(d.shape().at(p.axis), p.block_size);
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

    fn scales(&self, from: Parameter, out: &mut [f32]) -> Result<(), ValueError> {
        read(self.scale_type, self.scales, self.scale_buffer, from, out)
    }

    /// All 0 in a scheme without zero points.
    fn zeros(&self, from: Parameter, out: &mut [i32]) -> Result<(), ValueError> {
        let Some(zeros) = self.zeros else {
            out.fill(0);
            return Ok(());
        };
        read(ElementType::Int32, zeros, self.zero_buffer, from, out)
    }
}

fn read<T: Scalar>(
    of: ElementType,
    bytes: &[u8],
    buffer: u32,
    from: Parameter,
    out: &mut [T],
) -> Result<(), ValueError> {
    let step = i64::try_from(from.step).unwrap_or(i64::MAX);
    let read = element::decode_stepped(of, bytes, from.entry, step, out);
    read.map_err(|error| {
        // the first that is not there, or none
        let steps = match error {
            ElementError::NoSuchValue { index } => length(index),
            ElementError::TooShort { available, .. } => {
                let there = available.saturating_sub(from.entry);
                there.div_ceil(from.step.max(1))
            }
            _ => 0,
        };
        let entry = from.entry.saturating_add(steps.saturating_mul(from.step));
        ValueError::Parameter { buffer, entry }
    })
}
