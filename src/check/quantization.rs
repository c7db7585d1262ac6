//! Rules of quantization schemes: parameters, their buffers and sizes.

use super::Subject;
use super::layout::base_buffers;
use super::size::Count;
use crate::error::{Field, Violation};
use crate::model::{Fields, Layout, Parameters, Quantization};
use crate::policy::Judge;
use crate::rule::Rule;
use crate::wire::descriptor::{DYNAMIC, NO_BUFFER};
use crate::wire::index;
use crate::wire::tag::{ElementType, Scheme};

type Checked = Result<(), Violation>;

/// Buffers that hold parameters; unknown for schemes without a known meaning.
pub(crate) fn parameter_buffers(quantization: &Quantization<'_>) -> Option<u32> {
    match quantization {
        Quantization::PerTensor { .. } => Some(0),
        Quantization::Buffers(p) => Some(match zero_points(p) {
            Some(buffer) if buffer != p.scale_buffer_index => 2,
            _ => 1,
        }),
        Quantization::Other { .. } => None,
    }
}

/// The zero-point buffer of a scheme that has one.
fn zero_points(p: &Parameters) -> Option<u32> {
    let asymmetric = may_be_symmetric(p.scheme) && p.flags & Parameters::SYMMETRIC == 0;
    asymmetric.then_some(p.zero_point_buffer_index)
}

fn may_be_symmetric(scheme: Scheme) -> bool {
    matches!(scheme, Scheme::PerChannelAffine | Scheme::PerBlockAffine)
}

pub(crate) fn scheme<F: Fields + ?Sized>(
    d: &Subject<'_, F>,
    layout: &Layout<'_>,
    quantization: &Quantization<'_>,
    judge: &mut Judge<'_>,
) -> Checked {
    let scheme = quantization.scheme();
    if let Quantization::Other { .. } = quantization {
        let possible = !matches!(scheme.0, 0x00 | 0xFF);
        judge.require(possible, Rule::SchemeInvalid, Field::SchemeTag, 0)?;
        judge.require(
            scheme.is_private(),
            Rule::SchemeUnknown,
            Field::SchemeTag,
            0,
        )?;
        let registered =
            !scheme.is_private() || judge.policy.agreements.schemes.contains(&scheme.0);
        return judge.require(registered, Rule::PrivateScheme, Field::SchemeTag, 0);
    }
    let (flags, defined) = match quantization {
        Quantization::Buffers(p) if may_be_symmetric(scheme) => (p.flags, Parameters::SYMMETRIC),
        Quantization::Buffers(p) => (p.flags, 0),
        Quantization::PerTensor { flags, .. } => (*flags, 0),
        Quantization::Other { .. } => (0, 0),
    };
    judge.require(
        flags & !defined == 0,
        Rule::SchemeFlags,
        Field::SchemeFlags,
        0,
    )?;
    let stores = d.element_type.stores(scheme);
    judge.require(stores, Rule::StorageType, Field::TypeTag, 0)?;
    match quantization {
        Quantization::PerTensor {
            scale, zero_point, ..
        } => {
            let (infinite, magnitude) = (0x7F80_0000, scale.0 & 0x7FFF_FFFF);
            let usable = magnitude > 0 && magnitude < infinite;
            judge.require(usable, Rule::ScaleValue, Field::Scale, 0)?;
            let (low, high) = d.element_type.integer_range();
            let in_range = (low..=high).contains(&(*zero_point).into());
            judge.require(in_range, Rule::ZeroPointRange, Field::ZeroPoint, 0)
        }
        Quantization::Buffers(p) => parameters(d, layout, p, judge),
        Quantization::Other { .. } => Ok(()),
    }
}

fn parameters<F: Fields + ?Sized>(
    d: &Subject<'_, F>,
    layout: &Layout<'_>,
    p: &Parameters,
    judge: &mut Judge<'_>,
) -> Checked {
    judge.require(p.axis < d.rank, Rule::QuantizedAxis, Field::Axis, 0)?;
    let size = d.shape.get(index(p.axis)).unwrap_or(0);
    judge.require(size != DYNAMIC, Rule::AxisDynamic, Field::Axis, 0)?;
    let paged = match layout {
        Layout::BlockPaged(paged) => Some(paged),
        _ => None,
    };
    match p.scheme {
        Scheme::PerChannelAffine => {
            let float32 = p.scale_type == ElementType::Float32;
            per_channel_scale(float32, Field::ScaleTypeTag, judge)?;
            let channels = paged.is_none() || matches!(p.axis, 1 | 2);
            judge.require(channels, Rule::PagedChannelAxis, Field::Axis, 0)?;
        }
        Scheme::PerBlockAffine => {
            let float = matches!(p.scale_type.0, 1..=3);
            judge.require(float, Rule::PerBlockScaleType, Field::ScaleTypeTag, 0)?;
        }
        _ => {}
    }
    indices(d, layout, p, judge)?;
    if p.scheme != Scheme::PerChannelAffine {
        block_size(p, size, paged.is_some(), judge)?;
    }
    if let (Some(paged), Scheme::PerBlockAffine) = (paged, p.scheme) {
        let slots = p.axis == 0 && p.block_size == paged.page_size;
        judge.require(slots, Rule::PagedBlock, Field::BlockSize, 0)?;
        let entries = Count::new(paged.num_pages).times(paged.page_size.into());
        return sizes(d, p, entries, [Rule::PagedParameters; 3], judge);
    }
    let rules = [Rule::ScaleSize, Rule::ZeroPointSize, Rule::SharedSize];
    match p.scheme {
        Scheme::PerChannelAffine => sizes(d, p, Count::new(size), rules, judge),
        // AMB-42: NF4 and MXFP parameters of pages have no stated size
        _ if paged.is_some() => Ok(()),
        _ => match blocks(d, p, size) {
            Some(blocks) => sizes(d, p, blocks, rules, judge),
            None => Ok(()),
        },
    }
}

/// QUANT-14 speaks of the tag, which is a value, and of the reserved bytes behind it, which are not.
pub(crate) fn per_channel_scale(holds: bool, field: Field, judge: &mut Judge<'_>) -> Checked {
    judge.require(holds, Rule::PerChannelScaleType, field, 0)
}

/// Parameter buffers exist and are not the layout's own.
fn indices<F: Fields + ?Sized>(
    d: &Subject<'_, F>,
    layout: &Layout<'_>,
    p: &Parameters,
    judge: &mut Judge<'_>,
) -> Checked {
    // a private layout owns at least its first buffer
    let own = base_buffers(layout, d.rank).unwrap_or(1);
    let scale = p.scale_buffer_index;
    judge.require(
        scale < d.buffer_count,
        Rule::ScaleIndex,
        Field::ScaleBufferIndex,
        0,
    )?;
    let mut outside = |buffer, field| judge.require(buffer >= own, Rule::ParameterPlace, field, 0);
    outside(scale, Field::ScaleBufferIndex)?;
    let field = Field::ZeroPointBufferIndex;
    match zero_points(p) {
        Some(buffer) => {
            if buffer < d.buffer_count {
                outside(buffer, field)
            } else {
                judge.broken(Rule::ZeroPointIndex, field, 0)
            }
        }
        None => {
            let none = p.zero_point_buffer_index == NO_BUFFER;
            judge.require(none, Rule::SymmetricIndex, field, 0)
        }
    }
}

fn block_size(p: &Parameters, size: u64, paged: bool, judge: &mut Judge<'_>) -> Checked {
    let (least, most) = match p.scheme {
        Scheme::Nf4 => (8, u32::MAX),
        Scheme::Mxfp => (16, 2048),
        _ => (2, u32::MAX),
    };
    let block = p.block_size;
    let valid = block.is_power_of_two() && (least..=most).contains(&block);
    judge.require(valid, Rule::BlockSize, Field::BlockSize, 0)?;
    let block = u64::from(block);
    if p.scheme == Scheme::Mxfp {
        let whole = size > 0 && size & block.wrapping_sub(1) == 0;
        judge.require(whole, Rule::BlockWhole, Field::BlockSize, 0)
    } else {
        let fits = block <= size || size == 0 || paged;
        judge.require(fits, Rule::BlockFits, Field::BlockSize, 0)
    }
}

/// ADDR-25: blocks along the axis, for every index of the other dimensions.
fn blocks<F: Fields + ?Sized>(d: &Subject<'_, F>, p: &Parameters, size: u64) -> Option<Count> {
    let block = u64::from(p.block_size);
    let rounds = size & block.wrapping_sub(1) != 0;
    let along = size
        .wrapping_shr(p.block_size.trailing_zeros())
        .wrapping_add(rounds.into());
    let mut count = Count::new(along);
    let mut dynamic = false;
    for (k, size) in (0..).zip(d.shape) {
        if size == DYNAMIC {
            dynamic = true;
        } else if k != p.axis {
            count = count.times(size);
        }
    }
    (!dynamic || count == Count::ZERO).then_some(count)
}

/// QUANT-25 to QUANT-27: parameter buffers have exactly their entries.
fn sizes<F: Fields + ?Sized>(
    d: &Subject<'_, F>,
    p: &Parameters,
    entries: Count,
    [scale_rule, zero_rule, shared_rule]: [Rule; 3],
    judge: &mut Judge<'_>,
) -> Checked {
    let scales = entries.bytes(p.scale_type.bits());
    let points = entries.bytes(32);
    match zero_points(p) {
        Some(buffer) if buffer == p.scale_buffer_index => {
            exactly(d, buffer, scales.plus(points), shared_rule, judge)
        }
        Some(buffer) => {
            exactly(d, p.scale_buffer_index, scales, scale_rule, judge)?;
            exactly(d, buffer, points, zero_rule, judge)
        }
        None => exactly(d, p.scale_buffer_index, scales, scale_rule, judge),
    }
}

/// Permissive mode allows a larger buffer, never a smaller one.
fn exactly<F: Fields + ?Sized>(
    d: &Subject<'_, F>,
    buffer: u32,
    needed: Count,
    rule: Rule,
    judge: &mut Judge<'_>,
) -> Checked {
    let size = d
        .fields
        .buffer(index(buffer))
        .map_or(0, |handle| handle.byte_size);
    let violation = Violation {
        rule,
        field: Field::ByteSize,
        index: buffer,
    };
    if needed == Count::new(size) {
        Ok(())
    } else if needed.within(size) {
        judge.relax(violation)
    } else {
        Err(violation)
    }
}
