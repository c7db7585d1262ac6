//! Quantization schemes as owned values, and their bytes.

use alloc::vec::Vec;
use core::num::NonZeroU64;

use super::grow::Growing;
use super::{Error, probe};
use crate::descriptor::cut;
use crate::descriptor::encode::put_scheme;
use crate::model::{F32Bits, Parameters, Quantization};
use crate::policy::Policy;
use crate::wire::descriptor::NO_BUFFER;
use crate::wire::length32;
use crate::wire::tag::{ElementType, Scheme};

/// A quantization scheme and its parameters; [`quantize`](super::TensorDescriptorBuilder::quantize) of the builder
/// stores numbers with it.
///
/// ```
/// use hrry::owned::{ElementType, PerBlockAffine, QuantizationDescriptor};
/// // blocks of 128 along axis 1, scales in buffer 1
/// let scheme = PerBlockAffine::new_symmetric(1, 128, 1, ElementType::Float16)?;
/// assert_eq!(scheme.num_blocks_per_axis(4096), 32);
/// let scheme = QuantizationDescriptor::PerBlockAffine(scheme);
/// let bytes = scheme.encode_to_vec();
/// assert_eq!(bytes[..12], [3, 1, 1, 0, 1, 0, 0, 0, 128, 0, 0, 0]);
/// assert_eq!(QuantizationDescriptor::decode(&bytes)?, scheme);
/// # Ok::<(), hrry::owned::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuantizationDescriptor {
    /// One scale and zero point for the whole tensor.
    PerTensorAffine(PerTensorAffine),
    /// A scale for each channel.
    PerChannelAffine(PerChannelAffine),
    /// A scale for each block.
    PerBlockAffine(PerBlockAffine),
    /// 4-bit codes of a fixed table, with a scale for each block.
    Nf4(Nf4),
    /// Small floats with a power-of-two scale for each block.
    Mxfp(Mxfp),
    /// A scheme without a known meaning.
    Private(PrivateScheme),
}

/// One scale and zero point for the whole tensor, in the descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerTensorAffine {
    flags: u16,
    scale: F32Bits,
    zero_point: i32,
}

/// A scheme outside the specification, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateScheme {
    scheme: Scheme,
    bytes: Vec<u8>,
}

impl PerTensorAffine {
    /// That scale and zero point.
    ///
    /// # Errors
    ///
    /// QUANT-09 of the scale. The zero point is judged with the tensor.
    pub fn new(scale: impl Into<F32Bits>, zero_point: i32) -> Result<Self, Error> {
        let scale = scale.into();
        probe::scheme(Quantization::per_tensor(scale, zero_point))?;
        Ok(PerTensorAffine {
            flags: 0,
            scale,
            zero_point,
        })
    }

    /// The scale.
    #[must_use]
    pub const fn scale(&self) -> F32Bits {
        self.scale
    }

    /// The zero point.
    #[must_use]
    pub const fn zero_point(&self) -> i32 {
        self.zero_point
    }
}

impl PrivateScheme {
    /// Its tag.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Everything behind `quantization_length`, the tag included.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

macro_rules! schemes {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $name(Parameters);

            impl $name {
                fn of(parameters: Parameters) -> Result<Self, Error> {
                    probe::scheme(Quantization::Buffers(parameters))?;
                    Ok($name(parameters))
                }

                /// Axis, block size and buffers.
                #[must_use]
                pub const fn parameters(&self) -> &Parameters {
                    &self.0
                }
            }
        )*
    };
}

schemes! {
    /// A scale, and perhaps a zero point, for each channel.
    PerChannelAffine
    /// A scale, and perhaps a zero point, for each block.
    ///
    /// [`quantize`](super::TensorDescriptorBuilder::quantize) of the builder chooses them for numbers and makes the
    /// tensor, with its buffers.
    PerBlockAffine
    /// 4-bit codes of a fixed table, with a scale for each block.
    Nf4
    /// Small floats with a power-of-two scale for each block.
    Mxfp
}

// axis and buffers depend on the tensor and are judged with it

impl PerChannelAffine {
    /// Scales of float32 in a buffer, every zero point 0.
    ///
    /// # Errors
    ///
    /// None that the numbers have alone; axis and buffer are judged with the tensor.
    pub fn new_symmetric(axis: u32, scale_buffer_index: u32) -> Result<Self, Error> {
        Self::of(parameters(
            Scheme::PerChannelAffine,
            axis,
            scale_buffer_index,
            None,
        ))
    }

    /// Scales of float32 and zero points, in buffers that may be one.
    ///
    /// # Errors
    ///
    /// None that the numbers have alone; axis and buffers are judged with the tensor.
    pub fn new_asymmetric(
        axis: u32,
        scale_buffer_index: u32,
        zero_point_buffer_index: u32,
    ) -> Result<Self, Error> {
        let zero_points = Some(zero_point_buffer_index);
        Self::of(parameters(
            Scheme::PerChannelAffine,
            axis,
            scale_buffer_index,
            zero_points,
        ))
    }
}

impl PerBlockAffine {
    /// Scales in a buffer, every zero point 0.
    ///
    /// # Errors
    ///
    /// QUANT-15 of the scale type, QUANT-22 of the block size; axis and buffer are judged with the tensor.
    pub fn new_symmetric(
        axis: u32,
        block_size: u32,
        scale_buffer_index: u32,
        scale_type: ElementType,
    ) -> Result<Self, Error> {
        Self::of(Parameters {
            block_size,
            scale_type,
            ..parameters(Scheme::PerBlockAffine, axis, scale_buffer_index, None)
        })
    }

    /// Scales and zero points, in buffers that may be one.
    ///
    /// # Errors
    ///
    /// As [`new_symmetric`](Self::new_symmetric).
    pub fn new_asymmetric(
        axis: u32,
        block_size: u32,
        scale_buffer_index: u32,
        zero_point_buffer_index: u32,
        scale_type: ElementType,
    ) -> Result<Self, Error> {
        let zero_points = Some(zero_point_buffer_index);
        Self::of(Parameters {
            block_size,
            scale_type,
            ..parameters(
                Scheme::PerBlockAffine,
                axis,
                scale_buffer_index,
                zero_points,
            )
        })
    }

    /// Blocks along an axis of that size, a part of one counted whole.
    #[must_use]
    pub fn num_blocks_per_axis(&self, size: u64) -> u64 {
        NonZeroU64::new(self.0.block_size.into()).map_or(0, |block| size.div_ceil(block.get()))
    }
}

impl Nf4 {
    /// Scales of float32 in a buffer.
    ///
    /// # Errors
    ///
    /// QUANT-22 of the block size; axis and buffer are judged with the tensor.
    pub fn new(axis: u32, block_size: u32, scale_buffer_index: u32) -> Result<Self, Error> {
        Self::of(Parameters {
            block_size,
            ..parameters(Scheme::Nf4, axis, scale_buffer_index, None)
        })
    }
}

impl Mxfp {
    /// Scales of float8_e8m0 in a buffer.
    ///
    /// # Errors
    ///
    /// QUANT-22 of the block size; axis and buffer are judged with the tensor.
    pub fn new(axis: u32, block_size: u32, scale_buffer_index: u32) -> Result<Self, Error> {
        Self::of(Parameters {
            block_size,
            scale_type: ElementType::Float8E8M0,
            ..parameters(Scheme::Mxfp, axis, scale_buffer_index, None)
        })
    }
}

/// Parameters for channels, with scales of float32; the other schemes say more.
fn parameters(
    scheme: Scheme,
    axis: u32,
    scale_buffer_index: u32,
    zero_points: Option<u32>,
) -> Parameters {
    let may_be_symmetric = matches!(scheme, Scheme::PerChannelAffine | Scheme::PerBlockAffine);
    Parameters {
        scheme,
        flags: match zero_points {
            None if may_be_symmetric => Parameters::SYMMETRIC,
            _ => 0,
        },
        axis,
        block_size: 0,
        scale_buffer_index,
        zero_point_buffer_index: zero_points.unwrap_or(NO_BUFFER),
        scale_type: ElementType::Float32,
    }
}

impl QuantizationDescriptor {
    /// The bytes of the quantization section behind `quantization_length`.
    #[must_use]
    pub fn encode_to_vec(&self) -> Vec<u8> {
        let mut bytes = Growing(Vec::new());
        match put_scheme(self.lend(), &mut bytes) {
            Ok(()) => bytes.0,
        }
    }

    /// The scheme that the bytes of a quantization section behind `quantization_length` are.
    ///
    /// # Errors
    ///
    /// QUANT-01, QUANT-02, QUANT-06, QUANT-11, QUANT-14 and QUANT-16, as far as bytes can break them; everything
    /// else is judged with the tensor.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut section = Vec::new();
        section.extend(length32(bytes.len()).to_le_bytes());
        section.extend(bytes);
        let scheme = cut::scheme(&section, &Policy::STRICT)?;
        Ok(scheme.into())
    }

    /// The scheme in the core's form.
    #[must_use]
    pub fn lend(&self) -> Quantization<'_> {
        match self {
            QuantizationDescriptor::PerTensorAffine(scheme) => Quantization::PerTensor {
                flags: scheme.flags,
                scale: scheme.scale,
                zero_point: scheme.zero_point,
            },
            QuantizationDescriptor::PerChannelAffine(PerChannelAffine(parameters))
            | QuantizationDescriptor::PerBlockAffine(PerBlockAffine(parameters))
            | QuantizationDescriptor::Nf4(Nf4(parameters))
            | QuantizationDescriptor::Mxfp(Mxfp(parameters)) => Quantization::Buffers(*parameters),
            QuantizationDescriptor::Private(PrivateScheme { scheme, bytes }) => {
                Quantization::Other {
                    scheme: *scheme,
                    bytes,
                }
            }
        }
    }
}

impl From<Quantization<'_>> for QuantizationDescriptor {
    fn from(quantization: Quantization<'_>) -> Self {
        match quantization {
            Quantization::PerTensor {
                flags,
                scale,
                zero_point,
            } => QuantizationDescriptor::PerTensorAffine(PerTensorAffine {
                flags,
                scale,
                zero_point,
            }),
            Quantization::Buffers(p) => match p.scheme {
                Scheme::PerChannelAffine => {
                    QuantizationDescriptor::PerChannelAffine(PerChannelAffine(p))
                }
                Scheme::PerBlockAffine => QuantizationDescriptor::PerBlockAffine(PerBlockAffine(p)),
                Scheme::Nf4 => QuantizationDescriptor::Nf4(Nf4(p)),
                _ => QuantizationDescriptor::Mxfp(Mxfp(p)),
            },
            Quantization::Other { scheme, bytes } => {
                let bytes = bytes.into();
                QuantizationDescriptor::Private(PrivateScheme { scheme, bytes })
            }
        }
    }
}
