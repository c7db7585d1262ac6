//! Every reason for which there are no numbers, each in a case made for it.

mod composites;
mod parameters;
mod tensors;

use hrry::{
    AddressError, BufferHandle, CombineOp, CompositeHead, CompositionRule, DescriptorSpec,
    ElementError, ElementType, Layout, Quantization, Shard, SubBox, U64s, ValueError,
};

fn spec<'a>(of: ElementType, shape: &'a [u64], buffers: &'a [BufferHandle]) -> DescriptorSpec<'a> {
    DescriptorSpec::new(of, shape, Layout::RowMajor, buffers)
}

fn all<'a>(d: &DescriptorSpec<'a>) -> SubBox<'a> {
    SubBox::whole(d.shape)
}

fn quantized<'a>(
    of: ElementType,
    shape: &'a [u64],
    buffers: &'a [BufferHandle],
    quantization: Quantization<'a>,
) -> DescriptorSpec<'a> {
    DescriptorSpec {
        quantization: Some(quantization),
        ..spec(of, shape, buffers)
    }
}

fn composite<'a>(
    composition_rule: CompositionRule,
    combine_op: CombineOp,
    shape: &'a [u64],
    member_count: u32,
) -> DescriptorSpec<'a> {
    let head = CompositeHead {
        composition_rule,
        combine_op,
        member_count,
    };
    DescriptorSpec::new(ElementType::UInt8, shape, Layout::Composite(head), &[])
}

fn placed<'a>(
    mut d: DescriptorSpec<'a>,
    parent: &'a [u64],
    offset: &'a [u64],
) -> DescriptorSpec<'a> {
    d.shard = Some(Shard {
        parent_shape: U64s::from(parent),
        shard_offset: U64s::from(offset),
    });
    d
}

#[test]
fn words_for_every_reason() {
    let said = [
        (
            ValueError::Length {
                needed: 3,
                available: 2,
            },
            "room for 2 where 3 are asked for",
        ),
        (
            ValueError::Parameter {
                buffer: 1,
                entry: 7,
            },
            "no usable parameter 7: buffer 1 is missing or too short, or holds no number there",
        ),
        (
            ValueError::Values {
                given: 200,
                elements: 256,
            },
            "200 values where the shape has 256",
        ),
        (
            ValueError::Quantized,
            "the tensor is quantized: its numbers are f32 or f64, and `read_stored` gives its codes",
        ),
        (ValueError::NotFinite { index: 4 }, "number 4 is not finite"),
        (
            ValueError::Order,
            "the items are not those of the composite",
        ),
        (
            ValueError::Nesting {
                needed: 4,
                available: 2,
            },
            "nested offsets take 4 words, there are 2",
        ),
    ];
    for (error, words) in said {
        assert_eq!(error.to_string(), words);
    }
    let inner = ValueError::from(AddressError::Outside);
    assert_eq!(inner.to_string(), AddressError::Outside.to_string());
    assert!(std::error::Error::source(&inner).is_some());
    let inner = ValueError::from(ElementError::NoSuchPosition);
    assert!(std::error::Error::source(&inner).is_some());
    assert!(std::error::Error::source(&ValueError::Order).is_none());
}
