//! Schemes, and parameters that are not there.

use hrry::{
    BufferHandle, ElementType, Quantization, Scheme, SubBox, U64s, ValueError, read_stored,
    read_values,
};

use super::{all, quantized};

#[test]
fn parameters_name_buffer_and_place() {
    let buffers = [4, 3, 3].map(|size| BufferHandle::cpu(size, 64));
    let codes = [0u8; 16];
    let missing = |buffer, entry| Err(ValueError::Parameter { buffer, entry });
    let float = |n: usize| vec![0u8; n];

    // channels along the last axis: 3 of 4 scales, then 2 of 4 zero points
    let quantization = Quantization::per_channel(1, 1, Some(2));
    let d = quantized(ElementType::Int8, &[1, 4], &buffers, quantization);
    let read = |scales: usize, zeros: usize| {
        let bytes: [&[u8]; 3] = [&codes, &float(scales), &float(zeros)];
        read_values(&d, &bytes, all(&d), &mut [0.0f32; 4])
    };
    assert_eq!(read(16, 16), Ok(()));
    assert_eq!(read(15, 16), missing(1, 3));
    assert_eq!(read(16, 11), missing(2, 2));
    assert_eq!(read(0, 16), missing(1, 0));
    let refused = read_values(&d, &[&codes, &[0; 16]], all(&d), &mut [0.0f32; 4]);
    assert_eq!(refused, missing(2, 0));
    assert_eq!(
        read_values(&d, &[&codes], all(&d), &mut [0.0f32; 4]),
        missing(1, 0)
    );

    // blocks along the first axis of [4, 3]: the entries of a row lie 2 apart
    let quantization = Quantization::per_block(0, 2, 1, None, ElementType::Float16);
    let d = quantized(ElementType::Int8, &[4, 3], &buffers, quantization);
    let read =
        |scales: usize| read_values(&d, &[&codes, &float(scales)], all(&d), &mut [0.0f32; 12]);
    assert_eq!(read(12), Ok(()));
    // 5 scales: the second row of blocks needs 1, 3 and 5
    assert_eq!(read(10), missing(1, 5));
    assert_eq!(read(8), missing(1, 4));
    assert_eq!(read(3), missing(1, 2));

    // scales and zero points in one buffer
    let quantization = Quantization::per_block(1, 2, 1, Some(1), ElementType::Float16);
    let d = quantized(ElementType::Int8, &[1, 4], &buffers, quantization);
    let read = |bytes: usize| read_values(&d, &[&codes, &float(bytes)], all(&d), &mut [0.0f32; 4]);
    assert_eq!(read(12), Ok(()));
    assert_eq!(read(11), missing(1, 1));
    assert_eq!(read(4), missing(1, 0));
    assert_eq!(read(2), missing(1, 1));

    // scales of MXFP that are none
    let d = quantized(
        ElementType::Float4E2M1,
        &[2, 16],
        &buffers,
        Quantization::mxfp(1, 16, 1),
    );
    for (scales, entry) in [([0, 127], 0), ([127, 255], 1)] {
        let refused = read_values(&d, &[&codes, &scales], all(&d), &mut [0.0f32; 32]);
        assert_eq!(refused, missing(1, entry));
    }
    // of which a box that does not reach them knows nothing
    let part = SubBox {
        offset: U64s::from(&[1, 0]),
        shape: U64s::from(&[1, 16]),
    };
    read_values(&d, &[&codes, &[0, 127]], part, &mut [0.0f32; 16]).unwrap();
    // along another axis
    let d = quantized(
        ElementType::Int8,
        &[16, 3],
        &buffers,
        Quantization::mxfp(0, 16, 1),
    );
    let codes = [1u8; 48];
    let refused = read_values(&d, &[&codes, &[127, 1, 0]], all(&d), &mut [0.0f32; 48]);
    assert_eq!(refused, missing(1, 2));
}

#[test]
fn schemes_without_numbers() {
    let buffers = [BufferHandle::cpu(4, 64)];
    let private = Quantization::Other {
        scheme: Scheme(0xF3),
        bytes: &[0xF3, 0, 0, 0],
    };
    let d = quantized(ElementType::Int8, &[4], &buffers, private);
    let refused = read_values(&d, &[&[0; 4]], all(&d), &mut [0.0f32; 4]);
    assert_eq!(refused, Err(ValueError::Scheme(Scheme(0xF3))));
    read_stored(&d, &[&[0; 4]], all(&d), &mut [0; 4]).unwrap();
}
