//! Byte examples that were put together by hand, built with the writer.

use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositionRule, DescriptorSpec, ElementType,
    FixedWriter, Layout, MemberRole, Policy, Quantization, Shard, Sink, check, encode,
};

use crate::support::trace::{Entry, growing, trace};

fn encoded(spec: &DescriptorSpec<'_>) -> Vec<u8> {
    let mut out = [0; 128];
    let len = encode(spec, &mut out, &Policy::STRICT).unwrap();
    out[..len].to_vec()
}

/// Hexadecimal digits, in any grouping, to bytes.
fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

const WORKED: &str = "48 52 52 59 01 00 3D 00 00 00 00 00 00 00 03 01 02 00 00 00
    03 00 00 00 00 00 00 00  04 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00
    01
    C0 00 00 00 00 00 00 00  40 00 00 00  00 00 00 00";

const HEAD: &str = "48 52 52 59 01 00 35 00 00 00 00 00 00 00 03 0B 02 00 00 00
    08 00 00 00 00 00 00 00  08 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00
    01 00 00 00 02 00 00 00
    00";

const MEMBER: &str = "48 52 52 59 01 00 5D 00 00 00 02 00 00 00 03 01 02 00 00 00
    08 00 00 00 00 00 00 00  04 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00
    01
    80 00 00 00 00 00 00 00  40 00 00 00  00 00 00 00
    08 00 00 00 00 00 00 00  08 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00";

const OVERLAY_BASE: &str = "48 52 52 59 01 00 55 00 00 00 12 00 00 00 03 01 01 00 00 00
    08 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00
    01
    20 00 00 00 00 00 00 00  40 00 00 00  00 00 00 00
    08 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00
    01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00";

const QUANTIZED: &str = "48 52 52 59 01 00 69 00 00 00 01 00 00 00 48 01 02 00 00 00
    80 00 00 00 00 00 00 00  80 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00
    02
    00 20 00 00 00 00 00 00  40 00 00 00  00 00 00 00
    00 01 00 00 00 00 00 00  40 00 00 00  00 00 00 00
    18 00 00 00
    03 01 01 00
    01 00 00 00  80 00 00 00
    01 00 00 00  FF FF FF FF
    01 00 00 00";

#[test]
fn the_worked_example_of_the_specification() {
    let buffers = [BufferHandle::cpu(192, 64)];
    let spec = DescriptorSpec::new(ElementType::Float32, &[3, 4], Layout::RowMajor, &buffers);
    assert_eq!(encoded(&spec), hex(WORKED));
}

#[test]
fn a_partition_of_two_members() {
    let head = CompositeHead {
        composition_rule: CompositionRule::Partition,
        combine_op: CombineOp::None,
        member_count: 2,
    };
    let head = DescriptorSpec::new(ElementType::Float32, &[8, 8], Layout::Composite(head), &[]);
    assert_eq!(encoded(&head), hex(HEAD));

    let buffers = [BufferHandle::cpu(128, 64)];
    let member = |shard_offset| DescriptorSpec {
        shard: Some(Shard {
            parent_shape: (&[8, 8]).into(),
            shard_offset,
        }),
        ..DescriptorSpec::new(ElementType::Float32, &[8, 4], Layout::RowMajor, &buffers)
    };
    let [first, second] = [member((&[0, 0]).into()), member((&[0, 4]).into())];
    let mut second_bytes = hex(MEMBER);
    second_bytes[85] = 4;
    assert_eq!(encoded(&first), hex(MEMBER));
    assert_eq!(encoded(&second), second_bytes);

    let data = [7; 128];
    let mut writer = FixedWriter::<_, 64>::new(Bytes::default(), Policy::STRICT);
    writer.tensor(&head, &[]).unwrap();
    writer.tensor(&first, &[&data]).unwrap();
    writer.tensor(&second, &[&data]).unwrap();
    let stream = writer.finish().unwrap().0;
    assert_eq!(stream.len(), 495);
    let expect = [
        &hex(HEAD),
        &hex(MEMBER),
        &data[..],
        &second_bytes,
        &data[..],
    ]
    .concat();
    assert_eq!(stream, expect);

    let items = trace(&stream, &[], growing(Policy::STRICT)).entries;
    let starts = items.iter().filter_map(|entry| match entry {
        Entry::Descriptor { origin, .. } => Some(*origin),
        _ => None,
    });
    assert_eq!(starts.collect::<Vec<_>>(), [0, 53, 53 + 93 + 128]);
}

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Sink for Bytes {
    type Error = core::convert::Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

#[test]
fn the_members_of_an_overlay() {
    let buffers = [BufferHandle::cpu(32, 64)];
    let base = DescriptorSpec {
        shard: Some(Shard {
            parent_shape: (&[8]).into(),
            shard_offset: (&[0]).into(),
        }),
        member_role: Some(MemberRole::Base),
        ..DescriptorSpec::new(ElementType::Float32, &[8], Layout::RowMajor, &buffers)
    };
    let correction = DescriptorSpec {
        member_role: Some(MemberRole::Correction),
        ..base
    };
    let mut bytes = hex(OVERLAY_BASE);
    assert_eq!(encoded(&base), bytes);
    bytes[69] = 0;
    assert_eq!(encoded(&correction), bytes);
}

#[test]
fn a_quantized_tensor() {
    let buffers = [BufferHandle::cpu(8192, 64), BufferHandle::cpu(256, 64)];
    let spec = DescriptorSpec {
        quantization: Some(Quantization::per_block(
            1,
            128,
            1,
            None,
            ElementType::Float16,
        )),
        ..DescriptorSpec::new(ElementType::Int4, &[128, 128], Layout::RowMajor, &buffers)
    };
    assert_eq!(encoded(&spec), hex(QUANTIZED));
}

#[test]
fn packed_sizes() {
    let sizes = [
        (ElementType::Bool, 5, 1),
        (ElementType::UInt4, 3, 2),
        (ElementType::UInt2, 3, 1),
        (ElementType::Float6E2M3, 4, 3),
        // one element and five elements fill whole groups of three bytes (AMB-26)
        (ElementType::Float6E3M2, 1, 3),
        (ElementType::Float6E3M2, 5, 6),
    ];
    for (element_type, elements, bytes) in sizes {
        assert_eq!(
            check::packed_bytes(element_type, elements),
            Some(bytes),
            "{element_type:?}"
        );
    }
}
