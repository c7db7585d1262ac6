//! Scales and zero points.

use super::plan::{Role, Segment};
use crate::check::quantization::{parameter_entries, scale_type, zero_points, zero_points_start};
use crate::error::Field;
use crate::model::{Fields, Parameters};
use crate::rule::Rule;
use crate::wire::tag::{ElementType, Scheme};

/// Scales, zero points, or the latter behind the former.
pub(super) fn parameters<F: Fields + ?Sized>(
    d: &F,
    p: &Parameters,
    buffer: u32,
    part: u8,
) -> Option<Segment> {
    let count = parameter_entries(d, p)?;
    let bits = scale_type(p).bits();
    let width = u8::try_from(bits.wrapping_shr(3)).unwrap_or(8);
    let scales = p.scale_buffer_index == buffer;
    if scales && part == 0 {
        return scale(p, width, count);
    }
    let shared = scales && part == 1;
    if zero_points(p) != Some(buffer) || shared != (part == 1) {
        return None;
    }
    let (low, high) = d.element_type().integer_range();
    let role = Role::ZeroPoint { low, high };
    let start = zero_points_start(d, p).unwrap_or(u64::MAX);
    let run = Segment::new(role, Rule::ZeroPointContent, Field::ZeroPoints, 4, count);
    Some(run.at(start))
}

fn scale(p: &Parameters, width: u8, count: u64) -> Option<Segment> {
    let field = Field::Scales;
    if p.scheme == Scheme::Mxfp {
        return Some(Segment::new(Role::E8m0, Rule::E8m0Scale, field, 1, count));
    }
    let infinite = match p.scale_type {
        _ if p.scheme == Scheme::Nf4 => 0x7F80_0000,
        ElementType::Float32 => 0x7F80_0000,
        ElementType::BFloat16 => 0x7F80,
        ElementType::Float16 => 0x7C00,
        _ => return None,
    };
    let sign = 1u64.wrapping_shl(u32::from(width).wrapping_mul(8).wrapping_sub(1));
    let role = Role::Scale {
        sign,
        infinite,
        absolute: p.scheme == Scheme::Nf4,
    };
    Some(Segment::new(role, Rule::ScaleContent, field, width, count))
}
