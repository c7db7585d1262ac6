//! The descriptor of the tensor that is being read.

use hrry::{
    BufferHandle, CompositeHead, DescriptorView, ElementType, F32Bits, Layout, Parameters,
    Quantization,
};

use crate::decoder::{answer_with, hrry_decoder};
use crate::status::{
    Checked, HRRY_ERR_ABSENT, HRRY_ERR_INDEX_OUT_OF_BOUNDS, HRRY_ERR_NO_DESCRIPTOR, answer,
    hrry_status,
};

/// A dimension that is not known yet.
pub const HRRY_DYNAMIC: u64 = 0xFFFFFFFFFFFFFFFF;
/// `zero_point_buffer_index` of a scheme without zero points.
pub const HRRY_NO_BUFFER: u32 = 0xFFFFFFFF;

/// The single fields of a descriptor.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hrry_descriptor {
    /// The encoded descriptor, in the frame: until the next call that is given the handle to change.
    pub bytes: *const u8,
    /// How many bytes it has.
    pub length: usize,
    /// Bytes from the start of buffer 0 to the first element.
    pub byte_offset: u64,
    /// Which optional sections there are.
    pub flags: u32,
    /// Number of dimensions, 0 to 64.
    pub rank: u32,
    /// Number of buffers, 0 to 255.
    pub buffer_count: u32,
    /// HRRY_TYPE_, or a private one.
    pub element_type: u8,
    /// HRRY_LAYOUT_, or a private one.
    pub layout: u8,
    /// HRRY_ROLE_, where `has_member_role` is 1.
    pub member_role: u8,
    /// 1 for a member of an overlay.
    pub has_member_role: u8,
}

/// One entry of a buffer table.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hrry_buffer {
    /// Bytes; 0 for an empty buffer.
    pub byte_size: u64,
    /// A power of two; at least 64 unless the buffer is empty.
    pub alignment: u32,
    /// HRRY_DEVICE_, or a private one.
    pub device_tag: u8,
    /// HRRY_SYNC_.
    pub sync_mode: u8,
    /// HRRY_MEMORY_, or a private one.
    pub memory_class: u8,
    /// 0; anything else is HRRY_ERR_INVALID_ARGUMENT.
    pub reserved: u8,
}

/// Where a tensor lies in a larger one, along one dimension.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hrry_shard {
    /// Size of the larger tensor.
    pub parent_shape: u64,
    /// First index of this tensor in it.
    pub shard_offset: u64,
}

/// What the head of a composite adds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hrry_composite {
    /// Items that follow and belong to the head.
    pub member_count: u32,
    /// HRRY_RULE_, or a private one.
    pub composition_rule: u8,
    /// HRRY_COMBINE_.
    pub combine_op: u8,
    /// 0; anything else is HRRY_ERR_INVALID_ARGUMENT.
    pub reserved: [u8; 2],
}

/// A quantization scheme. What a scheme does not have is 0; NF4 and MXFP have the fields of the per-block scheme.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hrry_quantization {
    /// HRRY_SCHEME_, or a private one, of which nothing else is told.
    pub scheme: u8,
    /// Per channel, per block: HRRY_TYPE_ of the scales.
    pub scale_type: u8,
    /// HRRY_SYMMETRIC, per channel and per block.
    pub flags: u16,
    /// Per tensor.
    pub scale: f32,
    /// Per tensor.
    pub zero_point: i32,
    /// Per channel, per block: the dimension that channels or blocks run along.
    pub axis: u32,
    /// Per block: elements of a block.
    pub block_size: u32,
    /// Per channel, per block: the buffer of the scales.
    pub scale_buffer_index: u32,
    /// Per channel, per block: the buffer of the zero points, or HRRY_NO_BUFFER.
    pub zero_point_buffer_index: u32,
}

impl From<BufferHandle> for hrry_buffer {
    fn from(handle: BufferHandle) -> Self {
        hrry_buffer {
            byte_size: handle.byte_size,
            alignment: handle.alignment,
            device_tag: handle.device_tag.0,
            sync_mode: handle.sync_mode.0,
            memory_class: handle.memory_class.0,
            reserved: 0,
        }
    }
}

impl From<CompositeHead> for hrry_composite {
    fn from(head: CompositeHead) -> Self {
        hrry_composite {
            member_count: head.member_count,
            composition_rule: head.composition_rule.0,
            combine_op: head.combine_op.0,
            reserved: [0; 2],
        }
    }
}

impl From<Quantization<'_>> for hrry_quantization {
    fn from(quantization: Quantization<'_>) -> Self {
        let none = hrry_quantization {
            scheme: quantization.scheme().0,
            scale_type: 0,
            flags: 0,
            scale: 0.0,
            zero_point: 0,
            axis: 0,
            block_size: 0,
            scale_buffer_index: 0,
            zero_point_buffer_index: 0,
        };
        match quantization {
            Quantization::PerTensor {
                flags,
                scale: F32Bits(bits),
                zero_point,
            } => hrry_quantization {
                flags,
                scale: f32::from_bits(bits),
                zero_point,
                ..none
            },
            Quantization::Buffers(Parameters {
                scheme: _,
                flags,
                axis,
                block_size,
                scale_buffer_index,
                zero_point_buffer_index,
                scale_type: ElementType(scale_type),
            }) => hrry_quantization {
                scale_type,
                flags,
                axis,
                block_size,
                scale_buffer_index,
                zero_point_buffer_index,
                ..none
            },
            _ => none,
        }
    }
}

/// The single fields of the current descriptor: from its event to the end of the tensor. Then this, and all functions
/// below, return HRRY_ERR_NO_DESCRIPTOR.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_descriptor(
    handle: *const hrry_decoder,
    out: *mut hrry_descriptor,
) -> hrry_status {
    let fields = |view: DescriptorView<'_>| {
        let bytes = view.as_bytes();
        Ok(hrry_descriptor {
            bytes: bytes.as_ptr(),
            length: bytes.len(),
            byte_offset: view.byte_offset(),
            flags: view.flags(),
            rank: view.rank(),
            buffer_count: u32::try_from(view.buffer_count()).unwrap_or(0),
            element_type: view.element_type().0,
            layout: view.layout_tag().0,
            member_role: view.member_role().map_or(0, |role| role.0),
            has_member_role: view.member_role().is_some().into(),
        })
    };
    // SAFETY: the caller's promise
    unsafe { tell(handle, out, fields) }
}

/// Dimension `index`, or HRRY_DYNAMIC.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_shape(
    handle: *const hrry_decoder,
    index: usize,
    out: *mut u64,
) -> hrry_status {
    // SAFETY: the caller's promise
    unsafe {
        tell(handle, out, |view| {
            view.shape().get(index).ok_or(HRRY_ERR_INDEX_OUT_OF_BOUNDS)
        })
    }
}

/// Elements from one index to the next along dimension `index`; HRRY_ERR_ABSENT unless the layout is strided.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_stride(
    handle: *const hrry_decoder,
    index: usize,
    out: *mut i64,
) -> hrry_status {
    let stride = |view: DescriptorView<'_>| match view.layout() {
        Layout::Strided { strides } => strides.get(index).ok_or(HRRY_ERR_INDEX_OUT_OF_BOUNDS),
        _ => Err(HRRY_ERR_ABSENT),
    };
    // SAFETY: the caller's promise
    unsafe { tell(handle, out, stride) }
}

/// Entry `index` of the buffer table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_buffer(
    handle: *const hrry_decoder,
    index: usize,
    out: *mut hrry_buffer,
) -> hrry_status {
    let buffer = |view: DescriptorView<'_>| {
        let buffer = view.buffer(index).ok_or(HRRY_ERR_INDEX_OUT_OF_BOUNDS)?;
        Ok(buffer.into())
    };
    // SAFETY: the caller's promise
    unsafe { tell(handle, out, buffer) }
}

/// The quantization scheme; HRRY_ERR_ABSENT without one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_quantization(
    handle: *const hrry_decoder,
    out: *mut hrry_quantization,
) -> hrry_status {
    let scheme = |view: DescriptorView<'_>| {
        let quantization = view.quantization().ok_or(HRRY_ERR_ABSENT)?;
        Ok(quantization.into())
    };
    // SAFETY: the caller's promise
    unsafe { tell(handle, out, scheme) }
}

/// The place in a larger tensor along dimension `index`; HRRY_ERR_ABSENT without one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_shard(
    handle: *const hrry_decoder,
    index: usize,
    out: *mut hrry_shard,
) -> hrry_status {
    let shard = |view: DescriptorView<'_>| {
        let shard = view.shard().ok_or(HRRY_ERR_ABSENT)?;
        let parent_shape = shard.parent_shape.get(index);
        let shard_offset = shard.shard_offset.get(index);
        Ok(hrry_shard {
            parent_shape: parent_shape.ok_or(HRRY_ERR_INDEX_OUT_OF_BOUNDS)?,
            shard_offset: shard_offset.ok_or(HRRY_ERR_INDEX_OUT_OF_BOUNDS)?,
        })
    };
    // SAFETY: the caller's promise
    unsafe { tell(handle, out, shard) }
}

/// What the head of a composite adds; HRRY_ERR_ABSENT for any other tensor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_composite(
    handle: *const hrry_decoder,
    out: *mut hrry_composite,
) -> hrry_status {
    let head = |view: DescriptorView<'_>| match view.layout() {
        Layout::Composite(head) => Ok(head.into()),
        _ => Err(HRRY_ERR_ABSENT),
    };
    // SAFETY: the caller's promise
    unsafe { tell(handle, out, head) }
}

/// # Safety
///
/// As [`answer_with`].
unsafe fn tell<T: Copy>(
    handle: *const hrry_decoder,
    out: *mut T,
    value: impl FnOnce(DescriptorView<'_>) -> Checked<T>,
) -> hrry_status {
    // SAFETY: as above
    let told = unsafe {
        answer_with(handle, out, |slot| {
            value(slot.decoder.current().ok_or(HRRY_ERR_NO_DESCRIPTOR)?)
        })
    };
    answer(told)
}
