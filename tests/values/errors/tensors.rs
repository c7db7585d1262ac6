//! Boxes, buffers and kinds of numbers.

use hrry::{
    AddressError, BufferHandle, CombineOp, CompositionRule, DescriptorSpec, ElementError,
    ElementType, ExtensionType, Layout, Quantization, SubBox, U64s, ValueError, read_stored,
    read_values,
};

use super::{all, composite, quantized, spec};

#[test]
fn places() {
    let buffers = [BufferHandle::cpu(4, 64)];
    let d = spec(ElementType::UInt8, &[2, 2], &buffers);
    let mut out = [0u8; 4];
    let read = |offset: &[u64], shape: &[u64], out: &mut [u8]| {
        let part = SubBox {
            offset: U64s::from(offset),
            shape: U64s::from(shape),
        };
        let (values, stored) = (
            read_values(&d, &[&[1, 2, 3, 4]], part, out),
            read_stored(&d, &[&[1, 2, 3, 4]], part, out),
        );
        assert_eq!(values, stored);
        values.unwrap_err()
    };
    let outside = AddressError::OutOfRange { axis: 1 };
    assert_eq!(
        read(&[0, 1], &[2, 2], &mut out),
        ValueError::Address(outside)
    );
    assert_eq!(
        read(&[0, u64::MAX], &[1, 2], &mut out),
        ValueError::Address(outside)
    );
    let rank = AddressError::Rank { index: 1, shape: 2 };
    assert_eq!(read(&[0], &[2], &mut out), ValueError::Address(rank));
    assert_eq!(
        read(&[0, 0], &[2, 1], &mut out),
        ValueError::Length {
            needed: 2,
            available: 4
        }
    );
    assert_eq!(
        read(&[0, 0], &[2, 2], &mut out[..3]),
        ValueError::Length {
            needed: 4,
            available: 3
        }
    );

    let dynamic = spec(ElementType::UInt8, &[2, hrry::DYNAMIC], &buffers);
    let part = SubBox {
        offset: U64s::from(&[0, 0]),
        shape: U64s::from(&[1, 1]),
    };
    let refused = read_values(&dynamic, &[&[0; 4]], part, &mut out[..1]);
    assert_eq!(refused, Err(AddressError::Dynamic { axis: 1 }.into()));

    let head = composite(CompositionRule::Partition, CombineOp::None, &[2, 2], 0);
    let refused = read_values(&head, &[], all(&head), &mut out);
    assert_eq!(refused, Err(AddressError::Layout(head.layout.tag()).into()));

    let huge = spec(ElementType::UInt8, &[1 << 40, 1 << 40], &buffers);
    let refused = read_values(&huge, &[&[0; 4]], all(&huge), &mut out);
    assert_eq!(
        refused,
        Err(ValueError::Length {
            needed: u64::MAX,
            available: 4
        })
    );
}

#[test]
fn buffers_shorter_than_their_handles() {
    let buffers = [BufferHandle::cpu(8, 64)];
    for (of, bytes, available) in [
        (ElementType::UInt16, 5, 2),
        (ElementType::UInt16, 0, 0),
        (ElementType::Float6E2M3, 2, 0),
        (ElementType::UInt4, 1, 2),
    ] {
        let d = spec(of, &[4], &buffers);
        let bytes = vec![0; bytes];
        let refused = read_values(&d, &[&bytes], all(&d), &mut [0.0f32; 4]).unwrap_err();
        let short = ElementError::TooShort {
            needed: 4,
            available,
        };
        assert_eq!(refused, ValueError::Element(short));
        let mut out = vec![0; hrry::check::packed_bytes(of, 4).unwrap() as usize];
        let refused = read_stored(&d, &[&bytes], all(&d), &mut out).unwrap_err();
        let ValueError::Element(ElementError::TooShort {
            needed,
            available: there,
        }) = refused
        else {
            panic!("{refused:?}");
        };
        assert_eq!(there, available);
        // six bits have no integer of that width: they are copied one by one
        let elements = if of.bits() == 6 { 1 } else { 4 };
        assert_eq!(needed, elements);
    }
    let d = spec(ElementType::UInt16, &[4], &buffers);
    let none = ElementError::TooShort {
        needed: 4,
        available: 0,
    };
    let refused = read_values(&d, &[], all(&d), &mut [0u16; 4]);
    assert_eq!(refused, Err(none.into()), "no buffer at all");
    // a box of what is there is read
    let part = SubBox {
        offset: U64s::from(&[0]),
        shape: U64s::from(&[1]),
    };
    let mut out = [0u16];
    read_values(&d, &[&[7, 1, 9]], part, &mut out).unwrap();
    assert_eq!(out, [0x107]);
    let nothing = SubBox {
        offset: U64s::from(&[2]),
        shape: U64s::from(&[0]),
    };
    read_values(&d, &[], nothing, &mut [0u16; 0]).unwrap();

    // steps that lead in front of the buffer
    let strided = DescriptorSpec {
        layout: Layout::Strided {
            strides: hrry::I64s::from(&[-1]),
        },
        ..d
    };
    let refused = read_values(&strided, &[&[0; 8]], all(&strided), &mut [0u16; 4]);
    assert_eq!(refused, Err(ElementError::NoSuchPosition.into()));
    // coordinates that are not there
    let coo = DescriptorSpec {
        layout: Layout::Coo {
            nnz: 1,
            is_sorted: true,
        },
        ..d
    };
    let refused = read_values(&coo, &[&[0; 2], &[0; 7]], all(&coo), &mut [0u16; 4]);
    assert!(
        matches!(
            refused,
            Err(ValueError::Address(AddressError::Broken { buffer: 1, .. }))
        ),
        "{refused:?}"
    );
}

#[test]
fn kinds_of_numbers() {
    let buffers = [BufferHandle::cpu(64, 64)];
    let bytes = [0u8; 64];
    let d = spec(ElementType::Int16, &[2], &buffers);
    let lossy = |from| Err(ValueError::Element(ElementError::Lossy { from }));
    assert_eq!(
        read_values(&d, &[&bytes], all(&d), &mut [0i8; 2]),
        lossy(ElementType::Int16)
    );
    let mismatch = Err(ElementError::Mismatch(ElementType::Int16).into());
    assert_eq!(
        read_values(&d, &[&bytes], all(&d), &mut [[0.0f32; 2]; 2]),
        mismatch
    );
    // the numbers of a quantized tensor are floats
    let q = quantized(
        ElementType::Int16,
        &[2],
        &buffers,
        Quantization::per_tensor(1.0f32.into(), 0),
    );
    assert_eq!(
        read_values(&q, &[&bytes], all(&q), &mut [0i64; 2]),
        Err(ValueError::Quantized)
    );
    // but the codes are still there
    read_stored(&q, &[&bytes], all(&q), &mut [0; 4]).unwrap();

    let private = DescriptorSpec {
        extension_type: Some(ExtensionType {
            bit_width: 16,
            packing_factor: 1,
            is_float: 0,
            is_signed: 1,
            sign_bits: 0,
            exponent_bits: 0,
            mantissa_bits: 0,
            exponent_bias: 0,
            has_nan: 0,
            has_inf: 0,
        }),
        ..spec(ElementType(0xF0), &[2], &buffers)
    };
    let none = Err(ElementError::NoNumbers(ElementType(0xF0)).into());
    assert_eq!(
        read_values(&private, &[&bytes], all(&private), &mut [0.0f32; 2]),
        none
    );
    assert_eq!(
        read_stored(&private, &[&bytes], all(&private), &mut [0; 4]),
        none
    );

    let powers = spec(ElementType::Float8E8M0, &[4], &buffers);
    let refused = read_values(&powers, &[&[1, 2, 255, 0]], all(&powers), &mut [0.0f32; 4]);
    assert_eq!(refused, Err(ElementError::NoSuchValue { index: 2 }.into()));
}
