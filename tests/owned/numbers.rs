//! Tensors made of numbers, with bytes worked out by hand.

use hrry::owned::layout::{CooLayout, LayoutDescriptor, StridedLayout};
use hrry::owned::{
    ElementType, Error, PerTensorAffine, QuantizationDescriptor, Shape, TensorDescriptor,
    TensorDescriptorBuilder,
};
use hrry::{AddressError, DYNAMIC, ElementError, LayoutTag, ValueError};

fn builder(of: ElementType, shape: &[u64]) -> TensorDescriptorBuilder {
    TensorDescriptor::builder(of, Shape::new(shape).unwrap())
}

#[test]
fn numbers_become_elements() {
    let nibbles = builder(ElementType::Int4, &[3]).values(&[1i8, -2, 3]);
    assert_eq!(nibbles.unwrap().buffers()[0][..], [0xE1, 0x03]);

    let bits = builder(ElementType::Bool, &[2, 5]);
    let bits = bits.values(&[true; 10]).unwrap();
    assert_eq!(bits.buffers()[0][..], [0xFF, 0x03]);

    let complex = builder(ElementType::Complex64, &[1]).values(&[[1.0f32, -2.0]]);
    let bytes = [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0];
    assert_eq!(complex.unwrap().buffers()[0][..], bytes);

    let scalar = builder(ElementType::Float64, &[])
        .values(&[0.5f64])
        .unwrap();
    assert_eq!(scalar.buffers()[0][..], 0.5f64.to_le_bytes());

    let empty = builder(ElementType::Float32, &[0, 7]).values::<f32>(&[]);
    assert_eq!(empty.unwrap().buffers()[0].len(), 0);
}

/// Backwards along the last axis, with a gap between rows.
#[test]
fn elements_go_where_the_layout_says() {
    let strides = vec![4, -1];
    let tensor = builder(ElementType::UInt16, &[2, 3])
        .layout(LayoutDescriptor::Strided(StridedLayout { strides }))
        .byte_offset(2 * 2)
        .values(&[1u16, 2, 3, 4, 5, 6])
        .unwrap();
    let stored: Vec<u16> = tensor.buffers()[0]
        .as_chunks()
        .0
        .iter()
        .map(|bytes| u16::from_le_bytes(*bytes))
        .collect();
    assert_eq!(stored, [3, 2, 1, 0, 6, 5, 4]);
    assert_eq!(tensor.to_vec::<u16>().unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(tensor.descriptor().buffers().len(), 1);
}

#[test]
fn numbers_that_cannot_be_stored_are_refused() {
    let refused = |made: Result<_, Error>| match made.unwrap_err() {
        Error::Values(error) => error,
        other => panic!("{other}"),
    };
    let bytes = || builder(ElementType::UInt8, &[2, 2]);
    let few = refused(bytes().values(&[1u8, 2, 3]));
    assert_eq!(few.to_string(), "3 values where the shape has 4");
    let large = refused(bytes().values(&[1, 2, 3, 300i32]));
    let index = ElementError::NoSuchValue { index: 3 };
    assert_eq!(large, ValueError::Element(index));
    let floats = refused(bytes().values(&[1.0f32; 4]));
    let mismatch = ElementError::Mismatch(ElementType::UInt8);
    assert_eq!(floats, ValueError::Element(mismatch));

    let coo = LayoutDescriptor::Coo(CooLayout::new(0, true));
    let coo = refused(bytes().layout(coo).values(&[0u8; 4]));
    let layout = AddressError::Layout(LayoutTag::Coo);
    assert_eq!(coo, ValueError::Address(layout));

    let scheme = PerTensorAffine::new(1.0f32, 0).unwrap();
    let scheme = QuantizationDescriptor::PerTensorAffine(scheme);
    let quantized = refused(bytes().quantization(scheme).values(&[1u8; 4]));
    assert_eq!(quantized, ValueError::Quantized);
    assert_eq!(
        refused(bytes().quantize(&[1.0; 4])),
        ValueError::NotQuantized
    );

    // of a shape that they do not fill, no memory is asked for
    let vast = builder(ElementType::UInt8, &[1 << 50]).values(&[1u8]);
    let elements = 1 << 50;
    assert_eq!(refused(vast), ValueError::Values { given: 1, elements });
    assert!(
        builder(ElementType::UInt8, &[DYNAMIC])
            .values(&[1u8])
            .is_err()
    );
}
