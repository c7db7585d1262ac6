//! Rules for a part on its own, asked of a descriptor around it that breaks none.

use alloc::vec;

use super::Error;
use crate::check::{self, Header};
use crate::descriptor::DescriptorSpec;
use crate::error::Violation;
use crate::model::{BufferHandle, CompositeHead, Layout, Parameters, Quantization, Shard};
use crate::policy::Policy;
use crate::wire::descriptor::{MIN_BUFFER_ALIGNMENT, NO_BUFFER};
use crate::wire::length32;
use crate::wire::tag::{CombineOp, CompositionRule, ElementType, LayoutTag, MemberRole, Scheme};

/// A dimension that leaves a tensor without elements.
const EMPTY: &[u64] = &[0];

pub(super) fn shape(shape: &[u64]) -> Result<(), Error> {
    let header = Header {
        element_type: ElementType::UInt8,
        layout: LayoutTag::RowMajor,
        rank: length32(shape.len()),
        has_extension: false,
        tagged: true,
    };
    let checked = header.check(&mut &Policy::STRICT);
    Ok(checked.map_err(Violation::from)?)
}

pub(super) fn handle(handle: BufferHandle) -> Result<(), Error> {
    spec(&DescriptorSpec::new(
        ElementType::UInt8,
        EMPTY,
        Layout::RowMajor,
        &[handle],
    ))
}

/// The place of a shard without elements breaks what any shard there would.
pub(super) fn shard(shard: Shard<'_>) -> Result<(), Error> {
    let shape = vec![0; shard.parent_shape.len()];
    let buffers = [free(1)];
    spec(&DescriptorSpec {
        shard: Some(shard),
        ..DescriptorSpec::new(ElementType::UInt8, &shape, Layout::RowMajor, &buffers)
    })
}

pub(super) fn head(layout: Layout<'_>) -> Result<(), Error> {
    spec(&DescriptorSpec::new(ElementType::UInt8, EMPTY, layout, &[]))
}

pub(super) fn member(on_head: bool, role: MemberRole) -> Result<(), Error> {
    let group = Layout::Composite(CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count: 0,
    });
    let buffers = [free(0)];
    let tensor = DescriptorSpec::new(ElementType::UInt8, EMPTY, Layout::RowMajor, &buffers);
    let head = DescriptorSpec::new(ElementType::UInt8, EMPTY, group, &[]);
    spec(&DescriptorSpec {
        member_role: Some(role),
        ..if on_head { head } else { tensor }
    })
}

/// Along an axis of one block, with parameters behind the data: what axis and buffers break depends on
/// the tensor.
pub(super) fn scheme(quantization: Quantization<'_>) -> Result<(), Error> {
    let (element_type, size, probed, scales) = match quantization {
        // every zero point is a value of it
        Quantization::PerTensor { .. } => (ElementType::Int32, 0, quantization, None),
        Quantization::Buffers(parameters) => {
            let stored = ElementType::ASSIGNED
                .iter()
                .find(|stored| stored.stores(parameters.scheme));
            let size = match parameters.scheme {
                Scheme::PerChannelAffine => 1,
                _ => parameters.block_size.into(),
            };
            let width = parameters.scale_type.bits().wrapping_shr(3);
            let probed = Quantization::Buffers(placed(parameters));
            let element_type = stored.copied().unwrap_or(ElementType::UInt8);
            (element_type, size, probed, Some((parameters, width)))
        }
        Quantization::Other { .. } => return Ok(()),
    };
    let mut buffers = vec![free(u64::MAX)];
    if let Some((parameters, width)) = scales {
        let zero_points = parameters.zero_point_buffer_index != NO_BUFFER;
        let shared = parameters.zero_point_buffer_index == parameters.scale_buffer_index;
        let more = if shared { ZERO_POINT } else { 0 };
        buffers.push(free(u64::from(width).saturating_add(more)));
        if zero_points && !shared {
            buffers.push(free(ZERO_POINT));
        }
    }
    spec(&DescriptorSpec {
        quantization: Some(probed),
        ..DescriptorSpec::new(element_type, &[size], Layout::RowMajor, &buffers)
    })
}

/// Bytes of a zero point.
const ZERO_POINT: u64 = 4;

fn placed(parameters: Parameters) -> Parameters {
    let zero_points = match parameters.zero_point_buffer_index {
        NO_BUFFER => NO_BUFFER,
        index if index == parameters.scale_buffer_index => 1,
        _ => 2,
    };
    Parameters {
        axis: 0,
        scale_buffer_index: 1,
        zero_point_buffer_index: zero_points,
        ..parameters
    }
}

fn free(byte_size: u64) -> BufferHandle {
    BufferHandle::cpu(byte_size, MIN_BUFFER_ALIGNMENT)
}

fn spec(spec: &DescriptorSpec<'_>) -> Result<(), Error> {
    Ok(check::descriptor(spec, &Policy::STRICT)?)
}
