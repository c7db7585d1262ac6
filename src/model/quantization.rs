//! Quantization schemes.

use super::F32Bits;
use crate::wire::descriptor::NO_BUFFER;
use crate::wire::tag::{ElementType, Scheme};

/// A quantization scheme and its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Quantization<'a> {
    /// One scale and zero point for the whole tensor, in the descriptor.
    PerTensor {
        /// Scheme flags; none are defined.
        flags: u16,
        /// Finite and not zero.
        scale: F32Bits,
        /// A value of the storage type.
        zero_point: i32,
    },
    /// Parameters in buffers, for each channel or block.
    Buffers(Parameters),
    /// A scheme without a known meaning.
    Other {
        /// Its tag.
        scheme: Scheme,
        /// Everything behind `quantization_length`.
        bytes: &'a [u8],
    },
}

/// Where the parameters of the per-channel, per-block, NF4 and MXFP schemes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Parameters {
    /// Which scheme.
    pub scheme: Scheme,
    /// Scheme flags: [`Parameters::SYMMETRIC`].
    pub flags: u16,
    /// The dimension that channels or blocks run along.
    pub axis: u32,
    /// Elements of a block; 0 for the per-channel scheme.
    pub block_size: u32,
    /// The buffer of the scales.
    pub scale_buffer_index: u32,
    /// The buffer of the zero points; `0xFFFFFFFF` for none.
    pub zero_point_buffer_index: u32,
    /// Type of the scales: float32, for the per-block scheme also float16 or bfloat16, for MXFP float8_e8m0.
    pub scale_type: ElementType,
}

impl Parameters {
    /// Flag of the per-channel and per-block schemes: every zero point is 0.
    pub const SYMMETRIC: u16 = 1;

    const fn new(scheme: Scheme, axis: u32, block_size: u32, scale_buffer_index: u32) -> Self {
        Parameters {
            scheme,
            flags: 0,
            axis,
            block_size,
            scale_buffer_index,
            zero_point_buffer_index: NO_BUFFER,
            scale_type: ElementType::Float32,
        }
    }

    const fn zero_points(mut self, buffer: Option<u32>) -> Self {
        match buffer {
            Some(index) => self.zero_point_buffer_index = index,
            None => self.flags = Self::SYMMETRIC,
        }
        self
    }
}

impl<'a> Quantization<'a> {
    /// Per-tensor affine.
    #[must_use]
    pub const fn per_tensor(scale: F32Bits, zero_point: i32) -> Self {
        Quantization::PerTensor {
            flags: 0,
            scale,
            zero_point,
        }
    }

    /// Per-channel affine; symmetric without a zero-point buffer.
    #[must_use]
    pub const fn per_channel(axis: u32, scales: u32, zero_points: Option<u32>) -> Self {
        Quantization::Buffers(
            Parameters::new(Scheme::PerChannelAffine, axis, 0, scales).zero_points(zero_points),
        )
    }

    /// Per-block affine; symmetric without a zero-point buffer.
    #[must_use]
    pub const fn per_block(
        axis: u32,
        block_size: u32,
        scales: u32,
        zero_points: Option<u32>,
        scale_type: ElementType,
    ) -> Self {
        let mut parameters = Parameters::new(Scheme::PerBlockAffine, axis, block_size, scales)
            .zero_points(zero_points);
        parameters.scale_type = scale_type;
        Quantization::Buffers(parameters)
    }

    /// NF4: 4-bit codes of a fixed table, scaled for each block.
    #[must_use]
    pub const fn nf4(axis: u32, block_size: u32, scales: u32) -> Self {
        Quantization::Buffers(Parameters::new(Scheme::Nf4, axis, block_size, scales))
    }

    /// MXFP: small floats with a power-of-two scale for each block.
    #[must_use]
    pub const fn mxfp(axis: u32, block_size: u32, scales: u32) -> Self {
        let mut parameters = Parameters::new(Scheme::Mxfp, axis, block_size, scales);
        parameters.scale_type = ElementType::Float8E8M0;
        Quantization::Buffers(parameters)
    }

    /// The scheme's tag.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        match self {
            Quantization::PerTensor { .. } => Scheme::PerTensorAffine,
            Quantization::Buffers(parameters) => parameters.scheme,
            Quantization::Other { scheme, .. } => *scheme,
        }
    }
}
