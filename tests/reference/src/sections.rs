//! Random quantization schemes, extension types, shards and statistics that fit their descriptor.

use hrry::{DYNAMIC, ElementType, ExtensionType, F64Bits, Statistics};

use crate::SCHEMES;
use crate::choices::Choices;
use crate::plan::{LayoutPlan, SchemePlan, ShardPlan};
use crate::sizes::elements;

const INTEGERS: [ElementType; 10] = [
    ElementType::Int8,
    ElementType::UInt8,
    ElementType::Int16,
    ElementType::UInt16,
    ElementType::Int32,
    ElementType::UInt32,
    ElementType::Int4,
    ElementType::UInt4,
    ElementType::Int2,
    ElementType::UInt2,
];
const SMALL_INTEGERS: [ElementType; 6] = [
    ElementType::Int8,
    ElementType::UInt8,
    ElementType::Int4,
    ElementType::UInt4,
    ElementType::Int2,
    ElementType::UInt2,
];
const MXFP: [ElementType; 7] = [
    ElementType::Float8E4M3,
    ElementType::Float8E5M2,
    ElementType::Float4E2M1,
    ElementType::Float6E2M3,
    ElementType::Float6E3M2,
    ElementType::Int8,
    ElementType::Int4,
];

/// A scheme, the type it stores, and the sizes of its parameter buffers.
pub struct Quantized {
    pub scheme: SchemePlan,
    pub element_type: ElementType,
    pub parameters: Vec<u64>,
}

/// A scheme for that tensor, whose layout has `base` buffers of its own.
pub fn quantized(
    c: &mut Choices<'_>,
    layout: &LayoutPlan,
    shape: &[u64],
    base: u32,
) -> Option<Quantized> {
    let paged = match layout {
        LayoutPlan::Composite(_) => return None,
        LayoutPlan::BlockPaged(paged) => Some(paged),
        _ => None,
    };
    let kind = c.below(6);
    // the reference knows no private scheme for pages
    if kind == 5 && paged.is_none() {
        return Some(private(c));
    }
    if kind == 0 || kind == 5 || shape.is_empty() {
        return Some(per_tensor(c));
    }
    let mut axis = c.below(shape.len() as u64) as usize;
    match (paged, kind) {
        (Some(_), 1) => axis = axis.max(1),
        (Some(_), 2) => axis = 0,
        // what NF4 and MXFP parameters of pages are is not settled
        (Some(_), _) => return Some(per_tensor(c)),
        _ => {}
    }
    let size = shape[axis];
    let others = [&shape[..axis], &shape[axis + 1..]].concat();
    let range = match kind {
        1 => 1..=1,
        2 => 2..=u32::MAX,
        3 => 8..=u32::MAX,
        _ => 16..=2048,
    };
    let fits = |block: &u32| match (paged, kind) {
        (_, 1) => true,
        (Some(paged), _) => *block == paged.page_size,
        (None, 4) => size > 0 && size.is_multiple_of(u64::from(*block)),
        _ => size == 0 || u64::from(*block) <= size,
    };
    let blocks: Vec<u32> = (0..20).map(|k| 1 << k).collect();
    let blocks = blocks
        .into_iter()
        .filter(|block| range.contains(block) && fits(block));
    let blocks: Vec<u32> = blocks.collect();
    if size == DYNAMIC || blocks.is_empty() {
        return Some(per_tensor(c));
    }
    let block_size = c.pick(&blocks);
    // without a static count of the others, sizes wait
    let blocks_along = size.div_ceil(block_size.into());
    let entries = match (paged, kind) {
        (_, 1) => Some(size),
        (Some(paged), _) => Some(paged.num_pages * u64::from(paged.page_size)),
        _ if blocks_along == 0 => Some(0),
        _ => elements(&others).map(|others| others * blocks_along),
    };
    let axis = axis as u32;
    Some(with_buffers(c, kind, axis, block_size, entries, base))
}

fn with_buffers(
    c: &mut Choices<'_>,
    kind: u64,
    axis: u32,
    block_size: u32,
    entries: Option<u64>,
    base: u32,
) -> Quantized {
    let mut room = |bytes: u64| entries.map_or_else(|| c.below(100), |n| n * bytes);
    let (float32, points) = (room(4), room(4));
    let half = room(2);
    let byte = room(1);
    let two_byte = c.one_in(2);
    let scale_type = match (kind, two_byte) {
        (2, true) => c.pick(&[ElementType::Float16, ElementType::BFloat16]),
        _ => ElementType::Float32,
    };
    let scales = match kind {
        4 => byte,
        _ if scale_type != ElementType::Float32 => half,
        _ => float32,
    };
    // one buffer; two in either order; one for both
    let (scale, zero_points, parameters) = match if kind < 3 { c.below(4) } else { 0 } {
        0 => (base, None, vec![scales]),
        1 => (base, Some(base + 1), vec![scales, points]),
        2 => (base + 1, Some(base), vec![points, scales]),
        _ => (base, Some(base), vec![scales + points]),
    };
    let (scheme, element_type) = match kind {
        1 => (
            SchemePlan::PerChannel {
                axis,
                scales: scale,
                zero_points,
            },
            c.pick(&INTEGERS),
        ),
        2 => (
            SchemePlan::PerBlock {
                axis,
                block_size,
                scales: scale,
                zero_points,
                scale_type,
            },
            c.pick(&SMALL_INTEGERS),
        ),
        3 => (
            SchemePlan::Nf4 {
                axis,
                block_size,
                scales: scale,
            },
            ElementType::UInt4,
        ),
        _ => (
            SchemePlan::Mxfp {
                axis,
                block_size,
                scales: scale,
            },
            c.pick(&MXFP),
        ),
    };
    Quantized {
        scheme,
        element_type,
        parameters,
    }
}

fn per_tensor(c: &mut Choices<'_>) -> Quantized {
    let element_type = c.pick(&INTEGERS);
    let range = match element_type {
        ElementType::Int8 => -128..=127,
        ElementType::UInt8 => 0..=255,
        ElementType::Int16 => -32768..=32767,
        ElementType::UInt16 => 0..=65535,
        ElementType::Int32 => i32::MIN..=i32::MAX,
        ElementType::UInt32 => 0..=i32::MAX,
        ElementType::Int4 => -8..=7,
        ElementType::UInt4 => 0..=15,
        ElementType::Int2 => -2..=1,
        _ => 0..=3,
    };
    let any = c.any() as i32;
    let zero_point = c.pick(&[0, *range.start(), *range.end(), any]);
    let zero_point = if range.contains(&zero_point) {
        zero_point
    } else {
        0
    };
    let any = f32::from_bits(c.any() as u32);
    let any = if any.is_finite() && any != 0.0 {
        any
    } else {
        1.0
    };
    let scale = c.pick(&[1.0, -0.5, f32::MAX, 1e-45, any]);
    Quantized {
        scheme: SchemePlan::PerTensor { scale, zero_point },
        element_type,
        parameters: vec![],
    }
}

fn private(c: &mut Choices<'_>) -> Quantized {
    let rest = (0..3 + c.below(20)).map(|_| c.byte());
    let bytes = std::iter::once(SCHEMES[0])
        .chain(rest.collect::<Vec<_>>())
        .collect();
    Quantized {
        scheme: SchemePlan::Private(bytes),
        element_type: c.pick(ElementType::ASSIGNED),
        parameters: (0..c.below(3)).map(|_| c.below(100)).collect(),
    }
}

/// A private type: an integer or a float.
pub fn extension_type(c: &mut Choices<'_>) -> ExtensionType {
    let bit_width = c.pick(&[8, 16, 24, 64, 1, 2, 4, 256]);
    let is_float = c.below(2) as u8;
    let for_float = |value: u64| if is_float == 1 { value } else { 0 };
    ExtensionType {
        bit_width,
        packing_factor: if bit_width < 8 {
            8 / bit_width as u8
        } else {
            1
        },
        is_float,
        is_signed: if is_float == 1 { 0 } else { c.below(2) as u8 },
        sign_bits: for_float(c.below(2)) as u8,
        exponent_bits: for_float(c.below(16)) as u8,
        mantissa_bits: for_float(c.below(113)) as u8,
        exponent_bias: for_float(c.below(1 << 31)) as u32,
        has_nan: for_float(c.below(2)) as u8,
        has_inf: for_float(c.below(2)) as u8,
    }
}

/// A place in a larger tensor.
pub fn shard(c: &mut Choices<'_>, shape: &[u64]) -> ShardPlan {
    let mut plan = ShardPlan {
        parent_shape: vec![],
        shard_offset: vec![],
    };
    for size in shape {
        let parent = match c.below(5) {
            0 => *size,
            4 => u64::MAX - 1,
            _ => size + c.below(1000),
        };
        plan.parent_shape.push(parent);
        plan.shard_offset.push(c.any() % (parent - size + 1));
    }
    plan
}

/// Facts that hold where their bit is set; anything where it is not.
pub fn statistics(c: &mut Choices<'_>, stored: Option<u64>) -> Statistics {
    let computed_mask = c.below(64) as u32;
    let valid = |bit: u32| computed_mask & bit != 0;
    let mut float = || F64Bits(c.any());
    let [value_min, value_max, value_abs_max, value_mean] = [float(), float(), float(), float()];
    let (mut sparsity_ratio, mut value_stddev) = (float(), float());
    if valid(Statistics::SPARSITY_VALID) {
        sparsity_ratio = c.pick(&[0.0, 0.25, 1.0]).into();
    }
    if valid(Statistics::VALUE_STATS_VALID) {
        value_stddev = c.pick(&[0.0, 1.5, f64::INFINITY, f64::NAN]).into();
    }
    let nm_m = c.byte();
    let nm_n = if valid(Statistics::NM_SPARSITY_VALID) {
        c.below(u64::from(nm_m) + 1) as u8
    } else {
        c.byte()
    };
    Statistics {
        computed_mask,
        nnz: match stored {
            Some(nnz) if valid(Statistics::NNZ_VALID) => nnz,
            _ => c.any(),
        },
        sparsity_ratio,
        value_min,
        value_max,
        value_abs_max,
        value_mean,
        value_stddev,
        nm_n,
        nm_m,
        has_nan: c.below(2) as u8,
        has_inf: c.below(2) as u8,
    }
}
