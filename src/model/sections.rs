//! Buffers and the fixed sections.

use super::U64s;
use crate::wire::tag::{DeviceTag, MemoryClass, SyncMode};

/// The bits of an IEEE 754 binary32 number; the codec never computes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct F32Bits(pub u32);

/// The bits of an IEEE 754 binary64 number; the codec never computes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct F64Bits(pub u64);

impl From<f32> for F32Bits {
    fn from(value: f32) -> Self {
        F32Bits(value.to_bits())
    }
}

impl From<f64> for F64Bits {
    fn from(value: f64) -> Self {
        F64Bits(value.to_bits())
    }
}

/// One buffer as the buffer table describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BufferHandle {
    /// Bytes; 0 for an empty buffer.
    pub byte_size: u64,
    /// What the address of the buffer is a multiple of, where it is in memory: a power of two, and at least 64
    /// unless the buffer is empty.
    pub alignment: u32,
    /// Where the buffer is.
    pub device_tag: DeviceTag,
    /// What a consumer waits for.
    pub sync_mode: SyncMode,
    /// Who reaches it.
    pub memory_class: MemoryClass,
}

impl BufferHandle {
    /// A buffer in host memory, synchronised by its producer.
    ///
    /// `alignment` is a promise to those who find the buffer in memory, as in a mapped file: its address is a multiple
    /// of that. It says nothing about the bytes of a stream, which have no address: whoever reads them into memory
    /// sees to the alignment, and the slice that they are written from may lie anywhere.
    ///
    /// 64, a cache line, is the least for a buffer that is not empty, whatever the element type: 2 or 4 are refused
    /// (BUF-07). More than that helps where others map the memory or a device reads it, as 4,096 for a page.
    #[must_use]
    pub const fn cpu(byte_size: u64, alignment: u32) -> Self {
        BufferHandle {
            byte_size,
            alignment,
            device_tag: DeviceTag::Cpu,
            sync_mode: SyncMode::ProducerSynced,
            memory_class: MemoryClass::Standard,
        }
    }
}

/// Where a tensor lies in a larger one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Shard<'a> {
    /// Shape of the larger tensor.
    pub parent_shape: U64s<'a>,
    /// First index of this tensor in it.
    pub shard_offset: U64s<'a>,
}

/// Facts about the values; each is valid if its bit in `computed_mask` is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Statistics {
    /// [`Statistics::NNZ_VALID`] and so on.
    pub computed_mask: u32,
    /// Elements that are not zero.
    pub nnz: u64,
    /// Share of zeros, 0.0 to 1.0.
    pub sparsity_ratio: F64Bits,
    /// Smallest value.
    pub value_min: F64Bits,
    /// Largest value.
    pub value_max: F64Bits,
    /// Largest magnitude.
    pub value_abs_max: F64Bits,
    /// Mean.
    pub value_mean: F64Bits,
    /// Standard deviation, not negative.
    pub value_stddev: F64Bits,
    /// At most `nm_n` values that are not zero ...
    pub nm_n: u8,
    /// ... among each `nm_m`.
    pub nm_m: u8,
    /// 1 if there is a NaN; in permissive mode any other number but 0 too.
    pub has_nan: u8,
    /// 1 if there is an infinity; in permissive mode any other number but 0 too.
    pub has_inf: u8,
}

impl Statistics {
    /// `nnz` is valid.
    pub const NNZ_VALID: u32 = 1;
    /// `sparsity_ratio` is valid.
    pub const SPARSITY_VALID: u32 = 1 << 1;
    /// `value_min`, `value_max` and `value_abs_max` are valid.
    pub const VALUE_RANGE_VALID: u32 = 1 << 2;
    /// `value_mean` and `value_stddev` are valid.
    pub const VALUE_STATS_VALID: u32 = 1 << 3;
    /// `nm_n` and `nm_m` are valid.
    pub const NM_SPARSITY_VALID: u32 = 1 << 4;
    /// `has_nan` and `has_inf` are valid.
    pub const NAN_INF_VALID: u32 = 1 << 5;
}

/// What a private element type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExtensionType {
    /// Bits of an element: 1, 2, 4 or a multiple of 8.
    pub bit_width: u32,
    /// Elements of a byte; 1 from 8 bits up.
    pub packing_factor: u8,
    /// 1 for a float, 0 for an integer.
    pub is_float: u8,
    /// 1 for a signed integer.
    pub is_signed: u8,
    /// Sign bits of a float.
    pub sign_bits: u8,
    /// Exponent bits of a float.
    pub exponent_bits: u8,
    /// Mantissa bits of a float.
    pub mantissa_bits: u8,
    /// Exponent bias of a float.
    pub exponent_bias: u32,
    /// 1 if the float has NaNs; in permissive mode any other number but 0 too.
    pub has_nan: u8,
    /// 1 if the float has infinities; in permissive mode any other number but 0 too.
    pub has_inf: u8,
}
