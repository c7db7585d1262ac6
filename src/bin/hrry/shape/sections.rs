//! The JSON shapes of the quantization and statistics sections.

use hrry::{DescriptorView, Field, Quantization, Scheme};
use serde::Serialize;

use super::{Word, hex, number};

#[derive(Serialize)]
pub struct QuantizationShape {
    length: u32,
    scheme_tag: u8,
    scheme: &'static str,
    scheme_version: u8,
    flags: u16,
    #[serde(flatten)]
    parameters: ParametersShape,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ParametersShape {
    PerTensor {
        scale_bits: String,
        scale: f32,
        zero_point: i32,
    },
    Affine {
        axis: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        block_size: Option<u32>,
        scale_buffer_index: u32,
        zero_point_buffer_index: u32,
        scale_type_tag: u8,
        scale_type: &'static str,
    },
    Block {
        axis: u32,
        block_size: u32,
        scale_buffer_index: u32,
    },
    Other {
        payload: String,
    },
}

impl QuantizationShape {
    pub fn of(view: &DescriptorView<'_>, quantization: &Quantization<'_>) -> Self {
        let scheme = quantization.scheme();
        QuantizationShape {
            length: view.quantization_length(),
            scheme_tag: scheme.0,
            scheme: scheme.word(),
            scheme_version: number(view, Field::SchemeVersion) as u8,
            flags: number(view, Field::SchemeFlags) as u16,
            parameters: match quantization {
                Quantization::PerTensor {
                    scale, zero_point, ..
                } => ParametersShape::PerTensor {
                    scale_bits: format!("{:#010x}", scale.0),
                    scale: f32::from_bits(scale.0),
                    zero_point: *zero_point,
                },
                Quantization::Buffers(p) if matches!(scheme, Scheme::Nf4 | Scheme::Mxfp) => {
                    ParametersShape::Block {
                        axis: p.axis,
                        block_size: p.block_size,
                        scale_buffer_index: p.scale_buffer_index,
                    }
                }
                Quantization::Buffers(p) => ParametersShape::Affine {
                    axis: p.axis,
                    block_size: (scheme == Scheme::PerBlockAffine).then_some(p.block_size),
                    scale_buffer_index: p.scale_buffer_index,
                    zero_point_buffer_index: p.zero_point_buffer_index,
                    scale_type_tag: p.scale_type.0,
                    scale_type: p.scale_type.word(),
                },
                Quantization::Other { bytes, .. } => ParametersShape::Other {
                    payload: hex(bytes),
                },
                _ => ParametersShape::Other {
                    payload: String::new(),
                },
            },
        }
    }
}

/// Values stand beside their bits; JSON has none for infinities and NaN.
#[derive(Serialize)]
pub struct StatisticsShape {
    computed_mask: u32,
    nnz: u64,
    sparsity_ratio_bits: String,
    sparsity_ratio: f64,
    value_min_bits: String,
    value_min: f64,
    value_max_bits: String,
    value_max: f64,
    value_abs_max_bits: String,
    value_abs_max: f64,
    value_mean_bits: String,
    value_mean: f64,
    value_stddev_bits: String,
    value_stddev: f64,
    nm_n: u8,
    nm_m: u8,
    has_nan: u8,
    has_inf: u8,
}

impl StatisticsShape {
    pub fn of(s: hrry::Statistics) -> Self {
        let bits = |value: hrry::F64Bits| format!("{:#018x}", value.0);
        let float = |value: hrry::F64Bits| f64::from_bits(value.0);
        StatisticsShape {
            computed_mask: s.computed_mask,
            nnz: s.nnz,
            sparsity_ratio_bits: bits(s.sparsity_ratio),
            sparsity_ratio: float(s.sparsity_ratio),
            value_min_bits: bits(s.value_min),
            value_min: float(s.value_min),
            value_max_bits: bits(s.value_max),
            value_max: float(s.value_max),
            value_abs_max_bits: bits(s.value_abs_max),
            value_abs_max: float(s.value_abs_max),
            value_mean_bits: bits(s.value_mean),
            value_mean: float(s.value_mean),
            value_stddev_bits: bits(s.value_stddev),
            value_stddev: float(s.value_stddev),
            nm_n: s.nm_n,
            nm_m: s.nm_m,
            has_nan: s.has_nan,
            has_inf: s.has_inf,
        }
    }
}
