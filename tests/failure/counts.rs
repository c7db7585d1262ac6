//! Counts and limits that several paths look at, and nothing at all.

use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositeValidator, CompositionRule, DescriptorView,
    ElementType, ErrorKind, Exact, FixedDecoder, FixedStream, Policy, Quantization, Resource, Rule,
};

use super::{kind, rule_of};
use crate::support::bytes;
use crate::support::generate::{Recipe, valid};
use crate::support::spec::{Kind, Plain, PlainLayout, PlainScheme};
use crate::support::trace::{growing, trace};

/// A row-major tensor of 61 bytes with 48 bytes of data.
fn worked_example() -> Plain {
    Plain::new(ElementType::Float32, &[3, 4], &[48])
}

fn group(member_count: u32) -> Plain {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count,
    };
    Plain::head(ElementType::UInt8, &[1], head)
}

fn capacity(what: Resource, needed: u64, available: u64) -> Result<(), ErrorKind> {
    Err(ErrorKind::Capacity {
        what,
        needed,
        available,
    })
}

#[test]
fn c16_the_length_of_descriptors_is_limited_everywhere() {
    let descriptor = bytes::encode(&worked_example());
    let mut stream = descriptor.clone();
    stream.extend([0; 48]);
    for (limit, expected) in [(61, Ok(())), (60, capacity(Resource::Frame, 61, 60))] {
        let mut policy = Policy::STRICT;
        policy.max_descriptor = limit;
        for result in [
            DescriptorView::parse(&descriptor, &policy).map(|_| ()),
            trace(&stream, &[], growing(policy)).result,
            trace(&stream, &[], FixedDecoder::<256, 8>::new(policy)).result,
            trace(&stream, &[], FixedStream::<256>::new(policy)).result,
        ] {
            assert_eq!(kind(result), expected);
        }
    }
    // a frame is a limit like the policy's
    let exact = trace(&stream, &[], FixedDecoder::<61, 8>::new(Policy::STRICT));
    assert_eq!(exact.result, Ok(()));
    let small = trace(&stream, &[], FixedDecoder::<60, 8>::new(Policy::STRICT));
    assert_eq!(kind(small.result), capacity(Resource::Frame, 61, 60));
}

#[test]
fn c16_buffers_are_limited_in_parser_and_decoder() {
    let mut stream = bytes::encode(&worked_example());
    stream.extend([0; 48]);
    for (limit, expected) in [(48, Ok(())), (47, capacity(Resource::Buffer, 48, 47))] {
        let mut policy = Policy::STRICT;
        policy.max_buffer = limit;
        for result in [
            trace(&stream, &[], growing(policy)).result,
            trace(&stream, &[], FixedStream::<256>::new(policy)).result,
        ] {
            assert_eq!(kind(result), expected);
            // at byte_size of the first handle
            assert!(result.map_or_else(|error| error.offset() == 45, |()| true));
        }
    }
}

#[test]
fn c16_members_are_limited_in_decoder_and_validator() {
    let mut stream = bytes::encode(&group(2));
    let member = bytes::encode(&Plain::new(ElementType::UInt8, &[0], &[0]));
    stream.extend(member.repeat(2));
    for (limit, expected) in [(2, Ok(())), (1, capacity(Resource::Members, 2, 1))] {
        let mut policy = Policy::STRICT;
        policy.max_members = limit;
        let result = trace(&stream, &[], growing(policy)).result;
        assert_eq!(kind(result), expected);
        // at member_count, behind rule, op and two reserved bytes
        assert!(result.map_or_else(|error| error.offset() == 36 + 4, |()| true));
        let mut validator = CompositeValidator::with_arena(Exact, Vec::<u64>::new(), policy);
        let begun = group(2).lend(Kind::Native, |spec| validator.begin(spec));
        assert_eq!(begun.map(|_| ()).map_err(|error| error.kind), expected);
    }
}

/// Buffers of the layouts, in the order of their tags.
fn base_count(layout: usize, rank: usize) -> usize {
    [1, 1, 1, 1, 1, 2, 3, 3, 2 * rank + 1, 3, 0, 1][layout]
}

#[test]
fn c18_every_layout_has_its_number_of_buffers() {
    for layout in 0..12 {
        for seed in 0..20 {
            let plain = valid(Recipe {
                seed,
                layout,
                scheme: 0,
                sections: 0,
            });
            let base = base_count(layout, plain.shape.len());
            assert_eq!(plain.buffers.len(), base);
            for count in 0..=base + 1 {
                let mut wrong = plain.clone();
                let more = plain.buffers.last().copied();
                wrong
                    .buffers
                    .resize(count, more.unwrap_or(BufferHandle::cpu(8, 64)));
                let rule = match count {
                    _ if count == base => None,
                    _ if base == 0 => Some(Rule::HeadBuffers),
                    0 => Some(Rule::BufferPresence),
                    _ => Some(Rule::BufferCount),
                };
                assert_eq!(rule_of(&wrong), rule, "{count} buffers for {wrong:?}");
            }
        }
    }
}

#[test]
fn c18_parameter_buffers_are_below_the_count() {
    let with = |scales, zeros, sizes: &[u64]| {
        let mut plain = Plain::new(ElementType::UInt8, &[4], sizes);
        let scheme = Quantization::per_channel(0, scales, zeros);
        plain.quantization = Some(PlainScheme::Known(scheme));
        rule_of(&plain)
    };
    assert_eq!(with(1, Some(2), &[4, 16, 16]), None);
    assert_eq!(with(1, None, &[4, 16]), None);
    assert_eq!(with(2, None, &[4, 16]), Some(Rule::ScaleIndex));
    assert_eq!(with(3, Some(2), &[4, 16, 16]), Some(Rule::ScaleIndex));
    assert_eq!(with(1, Some(3), &[4, 16, 16]), Some(Rule::ZeroPointIndex));
    assert_eq!(with(u32::MAX, None, &[4, 16]), Some(Rule::ScaleIndex));
    // the data itself is no parameter
    assert_eq!(with(0, None, &[16, 16]), Some(Rule::ParameterPlace));
    assert_eq!(with(1, Some(0), &[4, 16, 16]), Some(Rule::ParameterPlace));
    for sizes in [&[4][..], &[4, 16], &[4, 16, 16, 16]] {
        let rule = with(1, Some(2), sizes);
        assert_eq!(rule, Some(Rule::QuantizedBufferCount));
    }
}

#[test]
fn c22_empty_and_scalar_tensors() {
    let rule = |shape: &[u64], size| rule_of(&Plain::new(ElementType::UInt8, shape, &[size]));
    assert_eq!(rule(&[], 1), None);
    assert_eq!(rule(&[], 0), Some(Rule::DenseSize));
    for shape in [
        &[0][..],
        &[0, u64::MAX],
        &[1 << 63, 0],
        &[1 << 63, 1 << 63, 0, 1 << 63],
        &[0, 6, 7],
        &[5, 0, 7],
        &[5, 6, 0],
    ] {
        assert_eq!(rule(shape, 0), None, "{shape:?}");
    }
    let scalar = Plain::new(ElementType::UInt8, &[], &[1]);
    for layout in [PlainLayout::ColumnMajor, PlainLayout::Strided(vec![])] {
        let rule = rule_of(&scalar.clone().with_layout(layout));
        assert_eq!(rule, Some(Rule::ScalarLayout));
    }
}

#[test]
fn c22_empty_items_in_a_row() {
    let mut empty = Plain::new(ElementType::Float64, &[0], &[0]);
    empty.buffers[0].alignment = 1;
    let empty = bytes::encode(&empty);
    let head = bytes::encode(&group(0));
    let stream = [&empty[..], &empty, &head, &head, &empty].concat();
    let trace = trace(&stream, &[], growing(Policy::STRICT));
    // a descriptor and an end each, and no payload
    assert_eq!((trace.result, trace.entries.len()), (Ok(()), 10));
}
