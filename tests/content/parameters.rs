//! Scales and zero points.

use hrry::Field::{Scales, ZeroPoints};
use hrry::{ElementType, Policy, Quantization};

use crate::judged::{Tensor, accepted, judged, le32, refused};
use crate::support::spec::PlainLayout;

use ElementType as T;

const ROW: PlainLayout = PlainLayout::RowMajor;
const ONE: u32 = 0x3F80_0000;
/// Not finite, or zero.
const BAD_F32: [u32; 5] = [0, 0x8000_0000, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0001];
/// Subnormal, smallest normal, largest, negative.
const GOOD_F32: [u32; 5] = [1, 0x0080_0000, 0x7F7F_FFFF, 0x8000_0001, 0xFF7F_FFFF];

fn channels(kind: T, bytes: usize, scales: &[u32], points: &[i32]) -> Tensor {
    let points: Vec<u32> = points.iter().map(|point| *point as u32).collect();
    let scheme = Quantization::per_channel(0, 1, Some(2));
    let buffers = vec![vec![0; bytes], le32(scales), le32(&points)];
    Tensor::new(kind, &[2], ROW, buffers).quantized(scheme)
}

#[test]
fn per_channel() {
    let with = |scale| channels(T::Int8, 2, &[ONE, scale], &[0, 0]);
    GOOD_F32.iter().for_each(|scale| accepted(&with(*scale)));
    for scale in BAD_F32 {
        refused(&with(scale), ("QUANT-28", Scales, 1, 1, 4));
    }
}

#[test]
fn zero_points_are_values_of_the_storage_type() {
    let cases: [(T, usize, i32, i32); 9] = [
        (T::Int8, 2, -128, 127),
        (T::UInt8, 2, 0, 255),
        (T::Int16, 4, -32_768, 32_767),
        (T::UInt16, 4, 0, 65_535),
        (T::Int4, 1, -8, 7),
        (T::UInt4, 1, 0, 15),
        (T::Int2, 1, -2, 1),
        (T::UInt2, 1, 0, 3),
        (T::UInt32, 8, 0, i32::MAX),
    ];
    for (kind, bytes, low, high) in cases {
        let with = |first, second| channels(kind, bytes, &[ONE, ONE], &[first, second]);
        accepted(&with(low, high));
        refused(&with(0, low - 1), ("QUANT-29", ZeroPoints, 2, 1, 4));
        if high < i32::MAX {
            refused(&with(high + 1, 0), ("QUANT-29", ZeroPoints, 2, 0, 0));
        }
    }
    accepted(&channels(T::Int32, 8, &[ONE, ONE], &[i32::MIN, i32::MAX]));
}

#[test]
fn scales_of_blocks_have_three_types() {
    // two blocks of two
    let blocks = |kind, scales: Vec<u8>| {
        let scheme = Quantization::per_block(0, 2, 1, None, kind);
        Tensor::new(T::Int8, &[4], ROW, vec![vec![0; 4], scales]).quantized(scheme)
    };
    let half = |kind, second: u16| blocks(kind, [[0, 0x3C], second.to_le_bytes()].concat());
    for good in [0x0001, 0x7BFF, 0xFBFF, 0x8001] {
        accepted(&half(T::Float16, good));
    }
    for bad in [0x0000, 0x8000, 0x7C00, 0xFC00, 0x7C01, 0x7E00] {
        refused(&half(T::Float16, bad), ("QUANT-28", Scales, 1, 1, 2));
    }
    // what is infinite in one type is large in the other
    for good in [0x7C00, 0x7F7F, 0x0001] {
        accepted(&half(T::BFloat16, good));
    }
    for bad in [0x0000, 0x8000, 0x7F80, 0xFF80, 0x7F81] {
        refused(&half(T::BFloat16, bad), ("QUANT-28", Scales, 1, 1, 2));
    }
    for bad in BAD_F32 {
        let tensor = blocks(T::Float32, le32(&[ONE, bad]));
        refused(&tensor, ("QUANT-28", Scales, 1, 1, 4));
    }
}

#[test]
fn a_partial_block_has_parameters() {
    // [3, 2] along axis 0 in blocks of two: two blocks for each column
    let scheme = Quantization::per_block(0, 2, 1, Some(2), T::Float32);
    let buffers = vec![vec![0; 6], le32(&[ONE; 4]), le32(&[0; 4])];
    let tensor = Tensor::new(T::Int8, &[3, 2], ROW, buffers).quantized(scheme);
    accepted(&tensor);
    let scales = le32(&[ONE, ONE, ONE, 0]);
    refused(&tensor.with(1, scales), ("QUANT-28", Scales, 1, 3, 12));
    let points = le32(&[0, 0, 0, 128]);
    refused(&tensor.with(2, points), ("QUANT-29", ZeroPoints, 2, 3, 12));
}

#[test]
fn one_buffer_for_both() {
    // three half scales, then three zero points from byte 6 on
    let scheme = Quantization::per_block(0, 2, 1, Some(1), T::Float16);
    let both = |scales: [u16; 3], points: [u32; 3]| {
        let scales = scales.iter().flat_map(|scale| scale.to_le_bytes());
        let bytes = scales.chain(le32(&points)).collect();
        Tensor::new(T::UInt8, &[6], ROW, vec![vec![0; 6], bytes]).quantized(scheme)
    };
    accepted(&both([1, 1, 1], [0, 255, 9]));
    let last = both([1, 1, 0], [0, 255, 9]);
    refused(&last, ("QUANT-28", Scales, 1, 2, 4));
    let first = both([1, 1, 1], [256, 255, 9]);
    refused(&first, ("QUANT-29", ZeroPoints, 1, 0, 6));
    let last = both([1, 1, 1], [0, 255, u32::MAX]);
    refused(&last, ("QUANT-29", ZeroPoints, 1, 2, 14));
}

#[test]
fn nf4_scales_are_not_negative() {
    let nf4 = |scale| {
        let buffers = vec![vec![0; 8], le32(&[ONE, scale])];
        Tensor::new(T::UInt4, &[16], ROW, buffers).quantized(Quantization::nf4(0, 8, 1))
    };
    // zero has either sign
    for good in [0, 0x8000_0000, 1, ONE, 0x7F7F_FFFF] {
        accepted(&nf4(good));
    }
    for bad in [
        0x8000_0001,
        0xBF80_0000,
        0x7F80_0000,
        0xFF80_0000,
        0x7FC0_0000,
    ] {
        refused(&nf4(bad), ("QUANT-28", Scales, 1, 1, 4));
    }
}

#[test]
fn mxfp_scales_are_refused_in_both_modes() {
    let mxfp = |scales: [u8; 2]| {
        let buffers = vec![vec![0; 32], scales.to_vec()];
        Tensor::new(T::Int8, &[32], ROW, buffers).quantized(Quantization::mxfp(0, 16, 1))
    };
    accepted(&mxfp([0x01, 0xFE]));
    for code in [0x00, 0xFF] {
        for policy in [Policy::STRICT, Policy::PERMISSIVE] {
            let at = ("QUANT-30", Scales, 1, 1, 1);
            assert_eq!(judged(&mxfp([1, code]), &policy), Err(at));
        }
    }
}

#[test]
fn pages_have_parameters_for_each_slot() {
    // two pages of two slots
    let mut tensor = crate::paged::tensor(T::Int8, 4, &[2, 1, 1], &[0], &[0, 1]);
    if let PlainLayout::BlockPaged(paged) = &mut tensor.plain.layout {
        (paged.page_size, paged.num_pages) = (2, 2);
    }
    tensor.buffers.push(le32(&[ONE; 4]));
    tensor.plain.buffers.push(hrry::BufferHandle::cpu(16, 64));
    let tensor = tensor.quantized(Quantization::per_block(0, 2, 3, None, T::Float32));
    accepted(&tensor);
    let scales = le32(&[ONE, ONE, ONE, 0]);
    refused(&tensor.with(3, scales), ("QUANT-28", Scales, 3, 3, 12));
}
