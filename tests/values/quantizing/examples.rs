//! Examples worked by hand.

use hrry::{ElementType, F32Bits, Quantization, Scheme, choose_per_tensor};

use super::super::model::Case;
use super::super::support::spec::{Plain, PlainScheme};
use super::store;

#[test]
fn examples_worked_by_hand() {
    let choose = |of, numbers: &[f32]| choose_per_tensor(of, numbers).unwrap();
    let chosen = |scale: f32, zero| Quantization::per_tensor(F32Bits::from(scale), zero);
    // 255 steps from -128 to 127
    assert_eq!(
        choose(ElementType::Int8, &[-1.0, 0.9921875]),
        chosen(1.0 / 128.0, 0)
    );
    // all above 0: the range starts there
    assert_eq!(
        choose(ElementType::UInt8, &[2.0, 25.5]),
        chosen(f32::from_bits(0x3DCC_CCCD), 0)
    );
    assert_eq!(
        choose(ElementType::Int8, &[2.0, 25.5]),
        chosen(f32::from_bits(0x3DCC_CCCD), -128)
    );
    assert_eq!(choose(ElementType::UInt4, &[-15.0]), chosen(1.0, 15));
    assert_eq!(choose(ElementType::Int2, &[-2.0, 1.0]), chosen(1.0, 0));
    assert_eq!(choose(ElementType::UInt2, &[0.0, -0.0]), chosen(1.0, 0));
    assert_eq!(choose(ElementType::Int4, &[]), chosen(1.0, -8));
    // the zero point of uint32 goes to 2^31 - 1 only: 0 to -(2^31 - 1)
    assert_eq!(
        choose(ElementType::UInt32, &[-2147483520.0]).scheme(),
        Scheme::PerTensorAffine
    );
    let Quantization::PerTensor {
        scale, zero_point, ..
    } = choose(ElementType::UInt32, &[-1.0])
    else {
        panic!();
    };
    assert_eq!(
        (f32::from_bits(scale.0), zero_point),
        (f32::from_bits(0x3000_0001), 2147483392)
    );
    // 1/3 has no float32: the one above it
    assert_eq!(
        choose(ElementType::UInt2, &[1.0]),
        chosen(f32::from_bits(0x3EAA_AAAB), 0)
    );
    // smaller than any float: the smallest one
    assert_eq!(
        choose(ElementType::UInt8, &[f32::from_bits(1)]),
        chosen(f32::from_bits(1), 0)
    );
    assert_eq!(
        choose(ElementType::UInt8, &[f32::from_bits(300)]),
        chosen(f32::from_bits(2), 0)
    );
}

/// One row of blocks of two or more with an own scale buffer.
fn row(of: ElementType, len: u64, quantization: Quantization<'static>, sizes: [u64; 2]) -> Plain {
    let mut plain = Plain::new(of, &[len], &sizes);
    plain.quantization = Some(PlainScheme::Known(quantization));
    plain
}

fn by_hand(plain: &Plain, numbers: &[f32]) -> Vec<Vec<u8>> {
    let sizes = plain
        .buffers
        .iter()
        .map(|buffer| vec![0xFF; buffer.byte_size as usize]);
    let mut case = Case {
        plain: plain.clone(),
        buffers: sizes.collect(),
        places: vec![],
    };
    store(&mut case, numbers).unwrap();
    case.buffers
}

#[test]
fn bytes_worked_by_hand() {
    // blocks of 2: scales 1 and 2 as float16, codes 7 and -7, 1 and 3.5 -> 4 (to even)
    let quantization = Quantization::per_block(0, 2, 1, None, ElementType::Float16);
    let plain = row(ElementType::Int4, 5, quantization, [3, 6]);
    let buffers = by_hand(&plain, &[7.0, -7.0, 14.0, 7.0, 0.0]);
    assert_eq!(buffers[0], [0x97, 0x47, 0xF0]);
    assert_eq!(buffers[1], [0x00, 0x3C, 0x00, 0x40, 0x00, 0x3C]);

    // scales of float16 that overflow and underflow stay finite and above 0
    let buffers = by_hand(&plain, &[1e9, -1e9, 1e-9, -1e-9, 1e-9]);
    assert_eq!(buffers[1], [0xFF, 0x7B, 0x01, 0x00, 0x01, 0x00]);
    assert_eq!(buffers[0], [0x87, 0x00, 0xF0]);

    // bfloat16 keeps 8 bits: 1/7 is 0x3E12, one step up 0x3E13
    let quantization = Quantization::per_block(0, 2, 1, None, ElementType::BFloat16);
    let buffers = by_hand(
        &row(ElementType::Int4, 2, quantization, [1, 2]),
        &[1.0, -1.0],
    );
    assert_eq!(
        (&buffers[0][..], &buffers[1][..]),
        (&[0x97][..], &[0x13, 0x3E][..])
    );

    // zero points behind the scales of the same buffer: spans of 15 from 0 and from -15
    let quantization = Quantization::per_block(0, 2, 1, Some(1), ElementType::Float32);
    let plain = row(ElementType::UInt4, 4, quantization, [2, 16]);
    let buffers = by_hand(&plain, &[15.0, 3.0, -15.0, -3.0]);
    assert_eq!(buffers[0], [0x3F, 0xC0]);
    let one = [0, 0, 0x80, 0x3F];
    assert_eq!(
        buffers[1],
        [&one[..], &one, &[0, 0, 0, 0, 15, 0, 0, 0]].concat()
    );

    // MXFP: 6 = 1.5 x 2^2 has the largest exponent of float4_e2m1, so the scale is 1; then 2^-127 is none
    let quantization = Quantization::mxfp(0, 16, 1);
    let plain = row(ElementType::Float4E2M1, 32, quantization, [16, 2]);
    let mut numbers = [0.0f32; 32];
    numbers[..6].copy_from_slice(&[6.0, -5.0, 0.25, 0.75, 7.0, 1.25]);
    numbers[16] = f32::from_bits(1);
    let buffers = by_hand(&plain, &numbers);
    assert_eq!(buffers[1], [127, 1]);
    // 6, -5 -> -4 (to even), 0.25 -> 0, 0.75 -> 1, 7 -> 6, 1.25 -> 1
    assert_eq!(buffers[0][..4], [0xE7, 0x20, 0x27, 0x00]);
    assert_eq!(buffers[0][8..], [0; 8]);

    // beyond the largest float8_e5m2 under the scale: 65535 has the exponent 15
    let plain = row(ElementType::Float8E5M2, 16, quantization, [16, 1]);
    let mut numbers = [0.0f32; 16];
    numbers[..3].copy_from_slice(&[65535.0, -65535.0, 57344.0]);
    let buffers = by_hand(&plain, &numbers);
    assert_eq!(
        (&buffers[0][..4], &buffers[1][..]),
        (&[0x7B, 0xFB, 0x7B, 0][..], &[127][..])
    );
}
