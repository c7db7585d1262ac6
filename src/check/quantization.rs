//! Rules of quantization schemes: parameters, their buffers and sizes.

use core::convert::Infallible;

use super::Subject;
use super::buffers::excess;
use super::judge::{Checked, Judge};
use super::size::{Count, elements_with};
use crate::error::Field;
use crate::model::{Layout, Parameters, Quantization, U64s};
use crate::policy::agreed;
use crate::rule::Rule;
use crate::wire::descriptor::{DYNAMIC, NO_BUFFER, SCHEME_HEADER};
use crate::wire::tag::{ElementType, LayoutTag, Scheme};
use crate::wire::{index, length32};

/// Bytes of a zero point.
const ZERO_POINT: u32 = 4;

/// Buffers that hold parameters; unknown for schemes without a known meaning.
#[inline]
pub(crate) fn parameter_buffers(quantization: &Quantization<'_>) -> Option<u32> {
    match quantization {
        Quantization::PerTensor { .. } => Some(0),
        Quantization::Buffers(p) => {
            let separate = zero_points(p).is_some_and(|buffer| buffer != p.scale_buffer_index);
            Some(u32::from(separate).wrapping_add(1))
        }
        Quantization::Other { .. } => None,
    }
}

/// The zero-point buffer of a scheme that has one.
#[inline(always)]
pub(crate) fn zero_points(p: &Parameters) -> Option<u32> {
    let asymmetric = p.flags & defined_flags(p.scheme) == 0;
    (may_be_symmetric(p.scheme) && asymmetric).then_some(p.zero_point_buffer_index)
}

#[inline(always)]
fn may_be_symmetric(scheme: Scheme) -> bool {
    matches!(scheme, Scheme::PerChannelAffine | Scheme::PerBlockAffine)
}

#[inline(always)]
fn defined_flags(scheme: Scheme) -> u16 {
    if may_be_symmetric(scheme) {
        Parameters::SYMMETRIC
    } else {
        0
    }
}

/// Whether the tag is one of the variant's and what the bytes state: a writer can say anything.
#[inline(always)]
fn is_told(quantization: &Quantization<'_>) -> bool {
    match quantization {
        Quantization::PerTensor { .. } => true,
        Quantization::Buffers(p) => p.scheme.is_assigned() && p.scheme != Scheme::PerTensorAffine,
        Quantization::Other { scheme, bytes } => {
            let long = bytes.len() >= index(SCHEME_HEADER);
            !scheme.is_assigned() && long && bytes.first() == Some(&scheme.0)
        }
    }
}

#[inline(always)]
pub(crate) fn scheme<S: Subject, J: Judge>(
    d: S,
    own: Option<u32>,
    quantization: &Quantization<'_>,
    judge: &mut J,
) -> Checked {
    let scheme = quantization.scheme();
    let possible = is_told(quantization) && !matches!(scheme.0, 0x00 | 0xFF);
    judge.require(possible, Rule::SchemeInvalid, Field::SchemeTag, 0)?;
    let flags = match quantization {
        Quantization::Buffers(Parameters { flags, .. }) | Quantization::PerTensor { flags, .. } => {
            *flags
        }
        Quantization::Other { .. } => {
            let private = scheme.is_private();
            judge.require(private, Rule::SchemeUnknown, Field::SchemeTag, 0)?;
            let registered = agreed(judge.policy().agreements.schemes, &scheme.0);
            let rule = Rule::PrivateScheme;
            return judge.require(!private || registered, rule, Field::SchemeTag, 0);
        }
    };
    let defined = flags & !defined_flags(scheme) == 0;
    judge.require(defined, Rule::SchemeFlags, Field::SchemeFlags, 0)?;
    let stored = d.element_type().stores(scheme);
    judge.require(stored, Rule::StorageType, Field::TypeTag, 0)?;
    match quantization {
        Quantization::Buffers(p) => parameters(d, own, p, judge),
        Quantization::PerTensor {
            scale, zero_point, ..
        } => {
            let (infinite, magnitude) = (0x7F80_0000, scale.0 & 0x7FFF_FFFF);
            let usable = magnitude > 0 && magnitude < infinite;
            judge.require(usable, Rule::ScaleValue, Field::Scale, 0)?;
            let (low, high) = d.element_type().integer_range();
            let value = i64::from(*zero_point);
            let in_range = low <= value && value <= high;
            judge.require(in_range, Rule::ZeroPointRange, Field::ZeroPoint, 0)
        }
        Quantization::Other { .. } => Ok(()),
    }
}

#[inline(always)]
fn parameters<S: Subject, J: Judge>(
    d: S,
    own: Option<u32>,
    p: &Parameters,
    judge: &mut J,
) -> Checked {
    let shape = d.shape();
    let inside = p.axis < d.rank();
    judge.require(inside, Rule::QuantizedAxis, Field::Axis, 0)?;
    let size = shape.at(p.axis);
    judge.require(size != DYNAMIC, Rule::AxisDynamic, Field::Axis, 0)?;
    let pages = match d.layout_tag() {
        LayoutTag::BlockPaged => pages(d),
        _ => None,
    };
    let per_channel = p.scheme == Scheme::PerChannelAffine;
    let per_block = p.scheme == Scheme::PerBlockAffine;
    if per_channel {
        let float32 = p.scale_type == ElementType::Float32;
        per_channel_scale(float32, Field::ScaleTypeTag, judge)?;
        let channels = pages.is_none() || p.axis > 0;
        judge.require(channels, Rule::PagedChannelAxis, Field::Axis, 0)?;
    }
    if per_block {
        let float = matches!(p.scale_type.0, 1..=3);
        judge.require(float, Rule::PerBlockScaleType, Field::ScaleTypeTag, 0)?;
    }
    indices(length32(d.buffer_count()), own, p, judge)?;
    if !per_channel {
        block_size(p, size, pages.is_some(), judge)?;
    }
    let mut rules = [Rule::ScaleSize, Rule::ZeroPointSize, Rule::SharedSize];
    let entries = entries(shape, p, size, pages, |page_size| {
        let slots = p.axis == 0 && p.block_size == page_size;
        rules = [Rule::PagedParameters; 3];
        judge.require(slots, Rule::PagedBlock, Field::BlockSize, 0)
    })?;
    match entries {
        Some(entries) => sizes(d, p, entries, rules, judge),
        None => Ok(()),
    }
}

/// How many scales there are, and zero points; no number where they fit no buffer. None where nothing says
/// it. `by_slot` judges pages whose parameters go by slot.
#[inline(always)]
fn entries<E>(
    shape: U64s<'_>,
    p: &Parameters,
    size: u64,
    pages: Option<(u64, u32)>,
    by_slot: impl FnOnce(u32) -> Result<(), E>,
) -> Result<Option<Option<u64>>, E> {
    Ok(match pages {
        _ if p.scheme == Scheme::PerChannelAffine => Some(Some(size)),
        Some((pages, page_size)) if p.scheme == Scheme::PerBlockAffine => {
            by_slot(page_size)?;
            Some(pages.checked_mul(page_size.into()))
        }
        // AMB-42: NF4 and MXFP parameters of pages have no stated size
        Some(_) => None,
        // none while a dimension that matters is dynamic
        None => blocks(shape, p, size).map(Count::fits),
    })
}

/// How many scales a checked descriptor has, and zero points, where something says it.
pub(crate) fn parameter_entries<S: Subject>(d: S, p: &Parameters) -> Option<u64> {
    let size = d.shape().at(p.axis);
    let entries = entries(d.shape(), p, size, pages(d), |_| Ok::<_, Infallible>(()));
    entries.ok().flatten().flatten()
}

/// ADDR-28: where the zero points start in their buffer, behind the scales where they share it.
pub(crate) fn zero_points_start<S: Subject>(d: S, p: &Parameters) -> Option<u64> {
    if zero_points(p) != Some(p.scale_buffer_index) {
        return Some(0);
    }
    let bytes = scale_type(p).bits().wrapping_shr(3);
    parameter_entries(d, p)?.checked_mul(bytes.into())
}

/// Type of the scales: where the scheme has one, that is not on the wire and a writer's word is nothing.
#[inline(always)]
pub(crate) fn scale_type(p: &Parameters) -> ElementType {
    match p.scheme {
        Scheme::Nf4 => ElementType::Float32,
        Scheme::Mxfp => ElementType::Float8E8M0,
        _ => p.scale_type,
    }
}

/// Bytes of a buffer of parameters; none of one that is no such buffer.
pub(crate) fn buffer_bytes<S: Subject>(d: S, p: &Parameters, buffer: u32) -> Option<u64> {
    let scales = scale_type(p).bits().wrapping_shr(3);
    let of_scales = if p.scale_buffer_index == buffer {
        scales
    } else {
        0
    };
    let of_zeros = match zero_points(p) {
        Some(zeros) if zeros == buffer => ZERO_POINT,
        _ => 0,
    };
    let width = of_scales.wrapping_add(of_zeros);
    let bytes = parameter_entries(d, p)?.checked_mul(width.into())?;
    (width > 0).then_some(bytes)
}

/// Pages and their token slots.
fn pages<S: Subject>(d: S) -> Option<(u64, u32)> {
    match d.layout() {
        Layout::BlockPaged(paged) => Some((paged.num_pages, paged.page_size)),
        _ => None,
    }
}

/// QUANT-14 speaks of the tag, which is a value, and of the reserved bytes behind it, which are not.
#[inline(always)]
pub(crate) fn per_channel_scale(holds: bool, field: Field, judge: &mut impl Judge) -> Checked {
    judge.require(holds, Rule::PerChannelScaleType, field, 0)
}

/// Parameter buffers exist and are not the layout's own.
#[inline(always)]
fn indices<J: Judge>(
    buffer_count: u32,
    own: Option<u32>,
    p: &Parameters,
    judge: &mut J,
) -> Checked {
    // a private layout owns at least its first buffer
    let own = own.unwrap_or(1);
    let (scale, zero) = (Field::ScaleBufferIndex, Field::ZeroPointBufferIndex);
    judge.require(
        p.scale_buffer_index < buffer_count,
        Rule::ScaleIndex,
        scale,
        0,
    )?;
    let points = zero_points(p);
    let exists = points.is_none_or(|buffer| buffer < buffer_count);
    judge.require(exists, Rule::ZeroPointIndex, zero, 0)?;
    let mut outside = |buffer, field| judge.require(buffer >= own, Rule::ParameterPlace, field, 0);
    outside(p.scale_buffer_index, scale)?;
    outside(points.unwrap_or(own), zero)?;
    let none = points.is_some() || p.zero_point_buffer_index == NO_BUFFER;
    judge.require(none, Rule::SymmetricIndex, zero, 0)?;
    Ok(())
}

#[inline(always)]
fn block_size<J: Judge>(p: &Parameters, size: u64, paged: bool, judge: &mut J) -> Checked {
    let (least, most) = match p.scheme {
        Scheme::Nf4 => (8, u32::MAX),
        Scheme::Mxfp => (16, 2048),
        _ => (2, u32::MAX),
    };
    let block = p.block_size;
    let valid = block.is_power_of_two() && block >= least && block <= most;
    judge.require(valid, Rule::BlockSize, Field::BlockSize, 0)?;
    let block = u64::from(block);
    let mxfp = p.scheme == Scheme::Mxfp;
    let whole = size > 0 && size & block.wrapping_sub(1) == 0;
    judge.require(!mxfp || whole, Rule::BlockWhole, Field::BlockSize, 0)?;
    let fits = mxfp || block <= size || size == 0 || paged;
    judge.require(fits, Rule::BlockFits, Field::BlockSize, 0)?;
    Ok(())
}

/// ADDR-25: blocks along an axis of that size, for every index of the other dimensions.
#[inline(always)]
fn blocks(shape: U64s<'_>, p: &Parameters, size: u64) -> Option<Count> {
    elements_with(shape, p.axis, blocks_along(size, p.block_size))
}

/// Blocks of a power of two along an axis of that size.
#[inline(always)]
pub(crate) fn blocks_along(size: u64, block: u32) -> u64 {
    let partial = size & u64::from(block).wrapping_sub(1) != 0;
    let whole = size.wrapping_shr(block.trailing_zeros());
    whole.wrapping_add(partial.into())
}

/// QUANT-25 to QUANT-27: parameter buffers have exactly their entries; none are more than fit any buffer.
#[inline(always)]
fn sizes<S: Subject, J: Judge>(
    d: S,
    p: &Parameters,
    entries: Option<u64>,
    [scale_rule, zero_rule, shared_rule]: [Rule; 3],
    judge: &mut J,
) -> Checked {
    let bytes_of = |width: u32| entries.and_then(|entries| entries.checked_mul(width.into()));
    let scale_bytes = scale_type(p).bits().wrapping_shr(3);
    let mut exactly = |buffer: u32, needed: Option<u64>, rule| {
        let size = d.byte_size(buffer);
        if Some(size) == needed {
            return Ok(());
        }
        let more = needed.is_some_and(|needed| size > needed);
        excess(more, rule, Field::ByteSize, buffer, judge)
    };
    match zero_points(p) {
        Some(buffer) if buffer == p.scale_buffer_index => {
            let both = bytes_of(scale_bytes.wrapping_add(ZERO_POINT));
            exactly(buffer, both, shared_rule)
        }
        points => {
            exactly(p.scale_buffer_index, bytes_of(scale_bytes), scale_rule)?;
            match points {
                Some(buffer) => exactly(buffer, bytes_of(ZERO_POINT), zero_rule),
                None => Ok(()),
            }
        }
    }
}
