//! Tags of the format, by name: `tests/header.rs` compares them with those of the codec.
#![allow(missing_docs)] // the first of each space says which it is

/// `element_type`.
pub const HRRY_TYPE_FLOAT16: u8 = 0x01;
pub const HRRY_TYPE_BFLOAT16: u8 = 0x02;
pub const HRRY_TYPE_FLOAT32: u8 = 0x03;
pub const HRRY_TYPE_FLOAT64: u8 = 0x04;
pub const HRRY_TYPE_INT8: u8 = 0x10;
pub const HRRY_TYPE_UINT8: u8 = 0x11;
pub const HRRY_TYPE_INT16: u8 = 0x12;
pub const HRRY_TYPE_UINT16: u8 = 0x13;
pub const HRRY_TYPE_INT32: u8 = 0x14;
pub const HRRY_TYPE_UINT32: u8 = 0x15;
pub const HRRY_TYPE_INT64: u8 = 0x16;
pub const HRRY_TYPE_UINT64: u8 = 0x17;
pub const HRRY_TYPE_BOOL: u8 = 0x20;
pub const HRRY_TYPE_FLOAT8_E4M3: u8 = 0x40;
pub const HRRY_TYPE_FLOAT8_E5M2: u8 = 0x41;
pub const HRRY_TYPE_FLOAT8_E8M0: u8 = 0x42;
pub const HRRY_TYPE_FLOAT4_E2M1: u8 = 0x43;
pub const HRRY_TYPE_FLOAT6_E2M3: u8 = 0x44;
pub const HRRY_TYPE_FLOAT6_E3M2: u8 = 0x45;
pub const HRRY_TYPE_FLOAT128: u8 = 0x46;
pub const HRRY_TYPE_INT4: u8 = 0x48;
pub const HRRY_TYPE_UINT4: u8 = 0x49;
pub const HRRY_TYPE_INT2: u8 = 0x4A;
pub const HRRY_TYPE_UINT2: u8 = 0x4B;
pub const HRRY_TYPE_COMPLEX64: u8 = 0x50;
pub const HRRY_TYPE_COMPLEX128: u8 = 0x51;

/// `layout`.
pub const HRRY_LAYOUT_ROW_MAJOR: u8 = 0x01;
pub const HRRY_LAYOUT_COL_MAJOR: u8 = 0x02;
pub const HRRY_LAYOUT_STRIDED: u8 = 0x03;
pub const HRRY_LAYOUT_TILED: u8 = 0x04;
pub const HRRY_LAYOUT_MORTON: u8 = 0x05;
pub const HRRY_LAYOUT_COO: u8 = 0x06;
pub const HRRY_LAYOUT_CSR: u8 = 0x07;
pub const HRRY_LAYOUT_CSC: u8 = 0x08;
pub const HRRY_LAYOUT_CSF: u8 = 0x09;
pub const HRRY_LAYOUT_BLOCK_PAGED: u8 = 0x0A;
pub const HRRY_LAYOUT_COMPOSITE: u8 = 0x0B;
pub const HRRY_LAYOUT_HILBERT: u8 = 0x40;

/// `device_tag`.
pub const HRRY_DEVICE_CPU: u8 = 0x00;
pub const HRRY_DEVICE_CUDA: u8 = 0x01;
pub const HRRY_DEVICE_ROCM: u8 = 0x02;
pub const HRRY_DEVICE_METAL: u8 = 0x03;
pub const HRRY_DEVICE_VULKAN: u8 = 0x04;
pub const HRRY_DEVICE_WEBGPU: u8 = 0x05;
pub const HRRY_DEVICE_HEXAGON: u8 = 0x06;
pub const HRRY_DEVICE_LEVEL_ZERO: u8 = 0x07;
pub const HRRY_DEVICE_OPENCL: u8 = 0x08;

/// `memory_class`.
pub const HRRY_MEMORY_STANDARD: u8 = 0x00;
pub const HRRY_MEMORY_HOST_PINNED: u8 = 0x01;
pub const HRRY_MEMORY_UNIFIED: u8 = 0x02;
pub const HRRY_MEMORY_PEER: u8 = 0x03;

/// `sync_mode`.
pub const HRRY_SYNC_PRODUCER_SYNCED: u8 = 0x00;
pub const HRRY_SYNC_EVENT: u8 = 0x01;
pub const HRRY_SYNC_CONSUMER_STREAM: u8 = 0x02;

/// `scheme` of a quantization.
pub const HRRY_SCHEME_PER_TENSOR_AFFINE: u8 = 0x01;
pub const HRRY_SCHEME_PER_CHANNEL_AFFINE: u8 = 0x02;
pub const HRRY_SCHEME_PER_BLOCK_AFFINE: u8 = 0x03;
pub const HRRY_SCHEME_NF4: u8 = 0x04;
pub const HRRY_SCHEME_MXFP: u8 = 0x05;

/// `composition_rule`.
pub const HRRY_RULE_PARTITION: u8 = 0x01;
pub const HRRY_RULE_OVERLAY: u8 = 0x02;
pub const HRRY_RULE_GROUP: u8 = 0x03;

/// `combine_op`.
pub const HRRY_COMBINE_NONE: u8 = 0x00;
pub const HRRY_COMBINE_REPLACE: u8 = 0x01;
pub const HRRY_COMBINE_ADD: u8 = 0x02;

/// `member_role`.
pub const HRRY_ROLE_CORRECTION: u8 = 0x00;
pub const HRRY_ROLE_BASE: u8 = 0x01;

/// Flag of the per-channel and per-block schemes: every zero point is 0.
pub const HRRY_SYMMETRIC: u16 = 1;
