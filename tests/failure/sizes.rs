//! Arithmetic on sizes that the input states.

use hrry::{
    BufferHandle, DescriptorView, ElementType, ErrorKind, FixedDecoder, Policy, Quantization,
    Resource, Rule, check,
};

use super::{refused, rule_of};
use crate::support::bytes;
use crate::support::spec::{Plain, PlainLayout, PlainLevel, PlainScheme};
use crate::support::trace::{growing, trace};

const TYPES: [(ElementType, u128); 6] = [
    (ElementType::Bool, 1),
    (ElementType::Int4, 4),
    (ElementType::Float6E2M3, 6),
    (ElementType::UInt8, 8),
    (ElementType::Float16, 16),
    (ElementType::Float128, 128),
];

fn packed(elements: u128, bits: u128) -> u128 {
    match bits {
        6 => elements.div_ceil(4) * 3,
        _ => (elements * bits).div_ceil(8),
    }
}

fn one_level(tile: u64) -> PlainLayout {
    PlainLayout::Tiled(vec![PlainLevel {
        tile_shape: vec![tile],
        outer_layout: 1,
        inner_layout: 1,
        outer_strides: vec![],
        inner_strides: vec![],
    }])
}

#[test]
fn c01_sizes_never_wrap() {
    let twos = [2; 64];
    let shapes: [(&[u64], u128); 4] = [
        (&[1 << 63, 2], 1 << 64),
        (&[1 << 32, 1 << 32], 1 << 64),
        (&twos, 1 << 64),
        (&[u64::MAX - 1], (1 << 64) - 2),
    ];
    for (shape, elements) in shapes {
        for (element_type, bits) in TYPES {
            let name = format!("{shape:?} of {element_type:?}");
            let in_buffer = |size| rule_of(&Plain::new(element_type, shape, &[size]));
            let needed = u64::try_from(packed(elements, bits)).ok();
            if let Some(needed) = needed {
                assert_eq!(in_buffer(needed), None, "{name}");
                for size in [0, 64, needed - 1] {
                    assert_eq!(in_buffer(size), Some(Rule::DenseSize), "{name}");
                }
            } else {
                for size in [0, 64, u64::MAX] {
                    assert_eq!(in_buffer(size), Some(Rule::SizeOverflow), "{name}");
                }
            }
            if let Ok(n) = u64::try_from(elements) {
                assert_eq!(check::packed_bytes(element_type, n), needed, "{name}");
            }
        }
    }
}

#[test]
fn c01_no_layout_wraps() {
    let hilbert = |order| PlainLayout::Hilbert { order, rank: 2 };
    let strided = |strides: &[i64]| PlainLayout::Strided(strides.to_vec());
    let (low, high) = (i64::MIN, i64::MAX);
    for (shape, layout, rule) in [
        // two steps of 2^63 are 2^64 bytes
        (vec![3], strided(&[low]), Rule::SizeOverflow),
        // two of one less, and one element, are 2^64 - 1
        (vec![3], strided(&[high]), Rule::StridedReach),
        (vec![4], strided(&[high]), Rule::SizeOverflow),
        (
            vec![u64::MAX - 1; 2],
            strided(&[high, low]),
            Rule::SizeOverflow,
        ),
        (vec![u64::MAX - 1], one_level(u64::MAX), Rule::DenseSize),
        (vec![(1 << 63) + 1], one_level(1 << 63), Rule::SizeOverflow),
        (
            vec![2; 2],
            PlainLayout::Morton(vec![u32::MAX; 2]),
            Rule::SizeOverflow,
        ),
        (
            vec![2; 2],
            PlainLayout::Morton(vec![32; 2]),
            Rule::SizeOverflow,
        ),
        (
            vec![2; 2],
            PlainLayout::Morton(vec![31; 2]),
            Rule::MortonSize,
        ),
        (vec![1 << 32; 2], hilbert(32), Rule::SizeOverflow),
        (vec![1 << 31; 2], hilbert(31), Rule::HilbertSize),
    ] {
        let plain = Plain::new(ElementType::UInt8, &shape, &[64]).with_layout(layout);
        assert_eq!(rule_of(&plain), Some(rule), "{plain:?}");
    }
}

const LARGE: [u64; 3] = [1 << 32, (1 << 32) + 64, u64::MAX];

#[test]
fn c14_no_64_bit_field_is_cut_to_32_bits() {
    let bytes = |shape: &[u64]| Plain::new(ElementType::UInt8, shape, &[64]);
    for n in LARGE {
        let unless_last = |rule| (n < u64::MAX).then_some(rule);
        let if_last = |rule| (n == u64::MAX).then_some(rule);
        // the last one is a dynamic dimension
        assert_eq!(rule_of(&bytes(&[n])), unless_last(Rule::DenseSize));
        let mut late = bytes(&[1]);
        late.byte_offset = n;
        assert_eq!(rule_of(&late), Some(Rule::ByteOffsetRange));
        let strided = bytes(&[2]).with_layout(PlainLayout::Strided(vec![n as i64]));
        assert_eq!(rule_of(&strided), Some(Rule::StridedReach));
        let tiled = bytes(&[1]).with_layout(one_level(n));
        assert_eq!(rule_of(&tiled), Some(Rule::DenseSize));
        let coo = PlainLayout::Coo {
            nnz: n,
            is_sorted: false,
        };
        let mut sparse = Plain::new(ElementType::UInt8, &[5], &[64, 64]).with_layout(coo);
        assert_eq!(rule_of(&sparse), Some(Rule::SparseCount));
        sparse.shape = vec![n];
        assert_eq!(rule_of(&sparse), Some(Rule::CooSize));
        let shard = bytes(&[1]).with_shard(&[1 << 33], &[n]);
        assert_eq!(rule_of(&shard), if_last(Rule::ShardBounds));
        let parent = bytes(&[1]).with_shard(&[n], &[(1 << 32) - 1]);
        assert_eq!(rule_of(&parent), if_last(Rule::ShardDynamic));
    }
}

#[test]
fn c14_large_numbers_are_read_in_full() {
    for n in LARGE {
        let mut plain = Plain::new(ElementType::UInt8, &[0], &[n]).with_shard(&[n - 1], &[n - 2]);
        plain.byte_offset = n;
        let bytes = bytes::encode(&plain);
        let (view, _) = DescriptorView::parse(&bytes, &Policy::STRICT).unwrap();
        assert_eq!(view.byte_offset(), n);
        assert_eq!(view.buffer(0), Some(BufferHandle::cpu(n, 64)));
        let shard = view.shard().unwrap();
        assert_eq!(shard.parent_shape.get(0), Some(n - 1));
        assert_eq!(shard.shard_offset.get(0), Some(n - 2));

        let mut decoder = growing(Policy::STRICT);
        let mut input = &bytes[..];
        while decoder.next_event(&mut input).unwrap().is_some() {}
        let wanted = usize::try_from(n).unwrap_or(usize::MAX);
        assert_eq!(decoder.wanted(), wanted);
        let mut more = &[7; 100][..];
        while decoder.next_event(&mut more).unwrap().is_some() {}
        let error = decoder.finish().unwrap_err();
        let truncated = ErrorKind::Truncated {
            rule: Rule::StreamTruncated,
            missing: n - 100,
        };
        let end = bytes.len() as u64 + 100;
        assert_eq!((error.kind(), error.offset()), (truncated, end));
    }
}

#[test]
fn c15_a_length_is_compared_with_what_is_left() {
    for n in [u32::MAX, u32::MAX - 3] {
        for rank in [0, 1, 4] {
            let mut quantized = Plain::new(ElementType::UInt8, &vec![1; rank], &[8]);
            let scheme = Quantization::per_tensor(1.0.into(), 0);
            quantized.quantization = Some(PlainScheme::Known(scheme));
            // behind the header, the shape, byte_offset and a table of one buffer
            let place = 28 + 8 * rank + 17;
            assert_overrun(&quantized, place, n);
        }
        for rank in [1, 4] {
            let private = PlainLayout::Private {
                tag: 0xF0,
                id: 1,
                data: vec![0; 5],
            };
            let plain = Plain::new(ElementType::UInt8, &vec![1; rank], &[8]);
            // behind the header, the shape, byte_offset and the id
            assert_overrun(&plain.with_layout(private), 28 + 8 * rank + 8, n);
        }
    }
}

/// A length says `n`, and what it is the length of is too long for the descriptor.
fn assert_overrun(plain: &Plain, place: usize, n: u32) {
    let mut bytes = bytes::encode(plain);
    bytes[place..place + 4].copy_from_slice(&n.to_le_bytes());
    let overrun = Some((Rule::FieldOverrun, place as u64 + 4));
    assert_eq!(refused(&bytes), overrun, "{n} at {place}");
}

#[test]
fn c15_the_length_of_the_descriptor_itself() {
    for n in [u32::MAX, u32::MAX - 3] {
        let mut bytes = bytes::encode(&Plain::new(ElementType::UInt8, &[8], &[8]));
        bytes[6..10].copy_from_slice(&n.to_le_bytes());
        let missing = u64::from(n) - bytes.len() as u64;
        let error = DescriptorView::parse(&bytes, &Policy::STRICT).unwrap_err();
        let rule = Rule::Incomplete;
        assert_eq!(error.kind(), ErrorKind::Truncated { rule, missing });
        let error = trace(&bytes, &[], growing(Policy::STRICT))
            .result
            .unwrap_err();
        let rule = Rule::StreamTruncated;
        let grown = match u64::try_from(isize::MAX) {
            // no memory of a 32-bit machine is that large
            Ok(available) if available < n.into() => ErrorKind::Capacity {
                what: Resource::Frame,
                needed: n.into(),
                available,
            },
            _ => ErrorKind::Truncated { rule, missing },
        };
        assert_eq!(error.kind(), grown);
        let fixed = FixedDecoder::<256, 8>::new(Policy::STRICT);
        let error = trace(&bytes, &[], fixed).result.unwrap_err();
        let capacity = ErrorKind::Capacity {
            what: Resource::Frame,
            needed: n.into(),
            available: 256,
        };
        assert_eq!((error.kind(), error.offset()), (capacity, 6));
    }
}

#[test]
fn c24_alignments() {
    let (power, minimum) = (Some(Rule::AlignmentPower), Some(Rule::AlignmentMinimum));
    for (alignment, full, empty) in [
        (0, power, power),
        (1, minimum, None),
        (3, power, power),
        (32, minimum, None),
        (64, None, None),
        (96, power, power),
        (1 << 31, None, None),
        (u32::MAX, power, power),
    ] {
        for (size, rule) in [(8, full), (0, empty)] {
            let mut plain = Plain::new(ElementType::UInt8, &[size], &[size]);
            plain.buffers[0].alignment = alignment;
            assert_eq!(rule_of(&plain), rule, "{alignment} for {size} bytes");
        }
    }
}

#[test]
fn c24_alignment_makes_no_padding() {
    let mut plain = Plain::new(ElementType::UInt8, &[8], &[8]);
    plain.buffers[0].alignment = 1 << 31;
    let mut stream = bytes::encode(&plain);
    stream.extend([9; 8]);
    assert_eq!(stream.len(), 53 + 8);
    let trace = trace(
        &stream.repeat(2),
        &[],
        FixedDecoder::<64, 0>::new(Policy::STRICT),
    );
    assert_eq!((trace.result, trace.entries.len()), (Ok(()), 6));
}

#[test]
fn c27_packed_sizes() {
    let two = [0, 1, 1, 1, 1, 2, 2, 2, 2, 3];
    let four = [0, 1, 1, 2, 2, 3, 3, 4, 4, 5];
    let six = [0, 3, 3, 3, 3, 6, 6, 6, 6, 9];
    for (element_type, sizes) in [
        (ElementType::Bool, [0, 1, 1, 1, 1, 1, 1, 1, 1, 2]),
        (ElementType::Int2, two),
        (ElementType::UInt2, two),
        (ElementType::Int4, four),
        (ElementType::UInt4, four),
        (ElementType::Float4E2M1, four),
        (ElementType::Float6E2M3, six),
        (ElementType::Float6E3M2, six),
    ] {
        for (elements, size) in (0..).zip(sizes) {
            let name = format!("{elements} of {element_type:?}");
            assert_eq!(
                check::packed_bytes(element_type, elements),
                Some(size),
                "{name}"
            );
            let in_buffer = |size| rule_of(&Plain::new(element_type, &[elements], &[size]));
            assert_eq!(in_buffer(size), None, "{name}");
            if size > 0 {
                assert_eq!(in_buffer(size - 1), Some(Rule::DenseSize), "{name}");
            }
        }
    }
}
