//! Schemes: ADDR-20 to ADDR-28.

use hrry::{ElementType, F32Bits, Parameters, Quantization};

use super::super::support::scale::Rng;
use super::super::support::spec::{PlainLayout, PlainScheme};
use super::numbers::whole;
use super::{Case, bits_of, small_float, unravel, value};

/// None, per tensor, per channel, per block, NF4, MXFP.
pub const SCHEMES: usize = 6;

const WIDE: [ElementType; 10] = [
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
const SMALL: [ElementType; 6] = [
    ElementType::Int8,
    ElementType::UInt8,
    ElementType::Int4,
    ElementType::UInt4,
    ElementType::Int2,
    ElementType::UInt2,
];
const FLOATS: [ElementType; 7] = [
    ElementType::Float8E4M3,
    ElementType::Float8E5M2,
    ElementType::Float4E2M1,
    ElementType::Float6E2M3,
    ElementType::Float6E3M2,
    ElementType::Int8,
    ElementType::Int4,
];

/// The types that a scheme stores.
pub fn storage(scheme: usize) -> &'static [ElementType] {
    match scheme {
        0 => ElementType::ASSIGNED,
        1 | 2 => &WIDE,
        3 => &SMALL,
        4 => &[ElementType::UInt4],
        _ => &FLOATS,
    }
}

/// Gives a tensor a scheme with random parameters of any kind.
pub fn scheme_of(mut case: Case, scheme: usize, rng: &mut Rng) -> Case {
    let shape = case.plain.shape.clone();
    let base = case.buffers.len() as u32;
    let paged = matches!(case.plain.layout, PlainLayout::BlockPaged(_));
    let mut axis = rng.below(shape.len().max(1)) as u32;
    if paged && scheme == 2 {
        axis = axis.max(1);
    }
    // where blocks fit
    let least = if scheme == 5 { 16 } else { 8 };
    if scheme > 3
        && let Some(long) = shape.iter().position(|size| *size >= least)
        && shape[axis as usize] < least
    {
        axis = long as u32;
    }
    let quantization = match scheme {
        0 => return case,
        1 => {
            let zero_point = zero_point(case.element_type(), rng);
            Quantization::per_tensor(F32Bits(single(rng).to_bits()), zero_point)
        }
        2 => Quantization::per_channel(axis, base, zero_buffer(base, rng)),
        3 => {
            let (axis, block) = match &case.plain.layout {
                PlainLayout::BlockPaged(paged) => (0, paged.page_size),
                _ => (axis, 2 << rng.below(2)),
            };
            let scale_type = ElementType(1 + rng.below(3) as u8);
            Quantization::per_block(axis, block, base, zero_buffer(base, rng), scale_type)
        }
        4 => Quantization::nf4(axis, 8, base),
        _ => Quantization::mxfp(axis, 16, base),
    };
    case.plain.quantization = Some(PlainScheme::Known(quantization));
    let Quantization::Buffers(p) = quantization else {
        return case;
    };
    let entries = entries(&case, &p);
    let scales: Vec<u8> = (0..entries).flat_map(|_| scale(scheme, &p, rng)).collect();
    case.buffers.push(scales);
    if let Some(zero_buffer) = zeros(&p) {
        if zero_buffer != base {
            case.buffers.push(Vec::new());
        }
        let zeros = (0..entries).map(|_| zero_point(case.element_type(), rng));
        let zeros: Vec<u8> = zeros.flat_map(i32::to_le_bytes).collect();
        case.buffers[zero_buffer as usize].extend(zeros);
    }
    case.sized()
}

fn zero_buffer(base: u32, rng: &mut Rng) -> Option<u32> {
    [None, Some(base), Some(base + 1)][rng.below(3)]
}

fn zeros(p: &Parameters) -> Option<u32> {
    (p.zero_point_buffer_index != u32::MAX).then_some(p.zero_point_buffer_index)
}

/// Any number of the type, the ends more often.
fn zero_point(of: ElementType, rng: &mut Rng) -> i32 {
    let (low, high) = (
        whole_range(of).0,
        whole_range(of).1.min(i64::from(i32::MAX)),
    );
    let any = low + (rng.next() % (high - low + 1) as u64) as i64;
    [low, high, 0, any, any, any][rng.below(6)] as i32
}

pub fn whole_range(of: ElementType) -> (i64, i64) {
    let all = 1i64 << of.bits();
    match whole(of, u128::from((all - 1) as u64)) {
        -1 => (-all / 2, all / 2 - 1),
        _ => (0, all - 1),
    }
}

/// A float that is neither 0 nor infinite nor NaN, sometimes tiny or huge.
fn single(rng: &mut Rng) -> f32 {
    let odd = f32::from_bits(rng.next() as u32);
    let mild = (rng.below(4001) as f32 - 2000.0) / 1024.0;
    let candidates = [odd, mild, mild, f32::from_bits(1), -3.0e38];
    let chosen = candidates[rng.below(5)];
    if chosen.is_finite() && chosen != 0.0 {
        chosen
    } else {
        -0.75
    }
}

fn scale(scheme: usize, p: &Parameters, rng: &mut Rng) -> Vec<u8> {
    match (scheme, p.scale_type) {
        (5, _) => vec![[1, 254, 127, 1 + (rng.byte() % 254)][rng.below(4)]],
        (4, _) => single(rng).abs().to_le_bytes().to_vec(),
        (_, ElementType::Float32) => single(rng).to_le_bytes().to_vec(),
        (_, of) => loop {
            let bits = rng.next() as u16;
            let scale = small_float(of, bits.into());
            if scale.is_finite() && scale != 0.0 {
                return bits.to_le_bytes().to_vec();
            }
        },
    }
}

/// How many parameters there are.
fn entries(case: &Case, p: &Parameters) -> u64 {
    let shape = &case.plain.shape;
    let size = shape[p.axis as usize];
    match &case.plain.layout {
        _ if p.block_size == 0 => size,
        PlainLayout::BlockPaged(paged) => paged.num_pages * u64::from(paged.page_size),
        _ if shape.contains(&0) => 0,
        _ => shape.iter().product::<u64>() / size * size.div_ceil(p.block_size.into()),
    }
}

/// Which parameter an element has.
pub fn entry(case: &Case, p: &Parameters, at: usize) -> u64 {
    let shape = &case.plain.shape;
    let index = unravel(shape, at);
    let axis = p.axis as usize;
    match &case.plain.layout {
        _ if p.block_size == 0 => index[axis],
        PlainLayout::BlockPaged(_) => case.places[at].unwrap() as u64 / (shape[1] * shape[2]),
        _ => {
            let block = u64::from(p.block_size);
            let mut outer = 0;
            for k in (0..shape.len()).filter(|k| *k != axis) {
                outer = outer * shape[k] + index[k];
            }
            outer * shape[axis].div_ceil(block) + index[axis] / block
        }
    }
}

/// The number of a stored element.
pub fn number(case: &Case, at: usize) -> f32 {
    let of = case.element_type();
    let code = case.bits(at);
    let (scale, zero_point, scheme) = parameter(case, at);
    let number = match scheme {
        4 => scale * NF4[code as usize],
        5 => scale * value(of, code),
        _ => scale * (whole(of, code) - i64::from(zero_point)) as f32,
    };
    if number.is_nan() {
        f32::from_bits(0x7FC0_0000)
    } else {
        number
    }
}

/// The parameters that are in buffers.
pub fn buffers(case: &Case) -> Option<Parameters> {
    match &case.plain.quantization {
        Some(PlainScheme::Known(Quantization::Buffers(p))) => Some(*p),
        _ => None,
    }
}

/// Scale, zero point and tag of the scheme.
pub fn parameter(case: &Case, at: usize) -> (f32, i32, u8) {
    match &case.plain.quantization {
        Some(PlainScheme::Known(Quantization::PerTensor {
            scale, zero_point, ..
        })) => (f32::from_bits(scale.0), *zero_point, 1),
        Some(PlainScheme::Known(Quantization::Buffers(p))) => parameters(case, p, at),
        other => panic!("{other:?}"),
    }
}

fn parameters(case: &Case, p: &Parameters, at: usize) -> (f32, i32, u8) {
    let entry = entry(case, p, at) as i64;
    let scales = &case.buffers[p.scale_buffer_index as usize];
    let of = p.scale_type;
    let bits = bits_of(scales, 0, entry, of.bits());
    let scale = match of {
        ElementType::Float32 => f32::from_bits(bits as u32),
        ElementType::Float8E8M0 => 2f64.powi(bits as i32 - 127) as f32,
        _ => small_float(of, bits),
    };
    let shared = zeros(p) == Some(p.scale_buffer_index);
    let start = if shared {
        entries(case, p) * u64::from(of.bits() / 8)
    } else {
        0
    };
    let zero_point = zeros(p).map_or(0, |buffer| {
        bits_of(&case.buffers[buffer as usize], start, entry, 32) as u32 as i32
    });
    (scale, zero_point, p.scheme.0)
}

/// Section 1.8, in decimal.
#[allow(clippy::excessive_precision)]
const NF4: [f32; 16] = [
    -1.0,
    -0.6961928009986877,
    -0.5250730514526367,
    -0.39491748809814453,
    -0.28444138169288635,
    -0.18477343022823334,
    -0.09105003625154495,
    0.0,
    0.07958029955625534,
    0.16093020141124725,
    0.24611230194568634,
    0.33791524171829224,
    0.44070982933044434,
    0.5626170039176941,
    0.7229568362236023,
    1.0,
];
