//! Composites and their members.

use hrry::{
    Arena, BufferHandle, Canvas, CombineOp, CompositionRule, DescriptorSpec, ElementError,
    ElementType, InlineArena, MemberRole, Quantization, SubBox, U64s, ValueError,
};

use super::{all, composite, placed, quantized, spec};

const PARTITION: (CompositionRule, CombineOp) = (CompositionRule::Partition, CombineOp::None);

#[test]
fn composites_without_a_view() {
    let mut out = [0u8; 2];
    for rule in [CompositionRule::Group, CompositionRule(0xF1)] {
        let head = composite(rule, CombineOp::None, &[2], 1);
        let refused = Canvas::new(&head, all(&head), &mut out, InlineArena::<8>::new());
        assert_eq!(refused.unwrap_err(), ValueError::NoView(rule));
    }
    let plain = spec(ElementType::UInt8, &[2], &[]);
    let refused = Canvas::new(&plain, all(&plain), &mut out, InlineArena::<8>::new());
    assert_eq!(refused.unwrap_err(), ValueError::Order);

    // a group in a partition: only a box that reaches into it is refused
    let head = composite(PARTITION.0, PARTITION.1, &[4], 2);
    let group = composite(CompositionRule::Group, CombineOp::None, &[2], 2);
    let group = placed(group, &[4], &[2]);
    let buffers = [BufferHandle::cpu(2, 64)];
    let left = placed(spec(ElementType::UInt8, &[2], &buffers), &[4], &[0]);
    let inner = spec(ElementType::Float64, &[7, 7], &buffers);
    for (offset, size, seen) in [
        (0, 2, true),
        (1, 1, true),
        (1, 2, false),
        (3, 1, false),
        (3, 0, true),
    ] {
        let (offset, size) = ([offset], [size]);
        let part = SubBox {
            offset: U64s::from(&offset),
            shape: U64s::from(&size),
        };
        let mut out = vec![0; size[0] as usize];
        let mut canvas = Canvas::new(&head, part, &mut out, InlineArena::<8>::new()).unwrap();
        canvas.item(&left, &[&[5, 6]]).unwrap();
        let met = canvas.item(&group, &[]);
        if !seen {
            assert_eq!(met, Err(ValueError::NoView(CompositionRule::Group)));
            continue;
        }
        met.unwrap();
        // whatever they are, they are passed over
        canvas.item(&inner, &[]).unwrap();
        assert_eq!(canvas.finish(), Err(ValueError::Order));
        canvas.item(&inner, &[]).unwrap();
        canvas.finish().unwrap();
        assert_eq!(canvas.item(&inner, &[]), Err(ValueError::Order));
        assert_eq!(out, [5, 6][offset[0].min(2) as usize..][..out.len()]);
    }
}

#[test]
fn items_that_do_not_belong() {
    let head = composite(PARTITION.0, PARTITION.1, &[4], 2);
    let buffers = [BufferHandle::cpu(2, 64)];
    let member = spec(ElementType::UInt8, &[2], &buffers);
    let mut out = [0u8; 4];
    let mut item = |d: &DescriptorSpec<'_>| {
        let arena = InlineArena::<8>::new();
        Canvas::new(&head, all(&head), &mut out, arena)
            .unwrap()
            .item(d, &[&[1, 2]])
    };
    assert_eq!(item(&member), Err(ValueError::Order), "without a place");
    assert_eq!(item(&placed(member, &[4], &[0])), Ok(()));
    let rank = spec(ElementType::UInt8, &[1, 2], &buffers);
    assert_eq!(
        item(&placed(rank, &[1, 4], &[0, 0])),
        Err(ValueError::Order),
        "another rank"
    );
    let other = spec(ElementType::Int8, &[2], &buffers);
    assert_eq!(
        item(&placed(other, &[4], &[0])),
        Err(ValueError::Order),
        "another type"
    );

    let overlay = composite(CompositionRule::Overlay, CombineOp::Replace, &[4], 2);
    let nested = placed(composite(PARTITION.0, PARTITION.1, &[4], 0), &[4], &[0]);
    let mut canvas =
        Canvas::new(&overlay, all(&overlay), &mut out, InlineArena::<8>::new()).unwrap();
    assert_eq!(
        canvas.item(&nested, &[]),
        Err(ValueError::Order),
        "a head in an overlay"
    );
}

#[test]
fn a_view_that_failed_stays_failed() {
    let head = composite(PARTITION.0, PARTITION.1, &[4], 2);
    let buffers = [BufferHandle::cpu(2, 64)];
    let half = |offset| placed(spec(ElementType::UInt8, &[2], &buffers), &[4], offset);
    let mut out = [0; 4];
    let mut canvas = Canvas::new(&head, all(&head), &mut out, InlineArena::<8>::new()).unwrap();
    // a byte is missing
    let error = canvas.item(&half(&[0]), &[&[1]]).unwrap_err();
    assert!(matches!(
        error,
        ValueError::Element(ElementError::TooShort { .. })
    ));
    assert_eq!(canvas.item(&half(&[2]), &[&[3, 4]]), Err(error));
    assert_eq!(canvas.finish(), Err(error));
}

#[test]
fn members_that_are_skipped() {
    let head = composite(PARTITION.0, PARTITION.1, &[4], 3);
    let buffers = [BufferHandle::cpu(2, 64)];
    let member = placed(spec(ElementType::UInt8, &[2], &buffers), &[4], &[1]);
    let part = SubBox {
        offset: U64s::from(&[1]),
        shape: U64s::from(&[2]),
    };
    let mut out = [0u8; 2];
    let mut canvas = Canvas::new(&head, part, &mut out, InlineArena::<1>::new()).unwrap();
    canvas.skip(0).unwrap();
    canvas.skip(1).unwrap();
    assert_eq!(canvas.skip(3), Err(ValueError::Order));
    canvas.item(&member, &[&[8, 9]]).unwrap();
    assert_eq!(canvas.finish(), Err(ValueError::Order));
    canvas.skip(1).unwrap();
    canvas.finish().unwrap();
    assert_eq!(canvas.skip(1), Err(ValueError::Order));
    canvas.skip(0).unwrap();
    assert_eq!(out, [8, 9]);
}

#[test]
fn nesting_as_deep_as_it_goes() {
    let buffers = [BufferHandle::cpu(2, 64)];
    // each head holds the next one at its second row, which shifts it by one
    let shapes: Vec<[u64; 2]> = (0..9).map(|k| [10 - k, 2]).collect();
    let head = composite(PARTITION.0, PARTITION.1, &shapes[0], 1);
    let nested = |k: usize| {
        placed(
            composite(PARTITION.0, PARTITION.1, &shapes[k], 1),
            &shapes[k - 1],
            &[1, 0],
        )
    };
    let leaf = placed(
        spec(ElementType::UInt8, &[1, 2], &buffers),
        &shapes[7],
        &[2, 0],
    );
    let mut out = [0u8; 20];
    let mut canvas = Canvas::new(&head, all(&head), &mut out, InlineArena::<16>::new()).unwrap();
    (1..8).for_each(|k| canvas.item(&nested(k), &[]).unwrap());
    canvas.item(&leaf, &[&[3, 4]]).unwrap();
    canvas.finish().unwrap();
    let mut expected = [0; 20];
    expected[18..].copy_from_slice(&[3, 4]);
    assert_eq!(out, expected);

    // one level more than there may be
    let mut canvas = Canvas::new(&head, all(&head), &mut out, InlineArena::<64>::new()).unwrap();
    (1..8).for_each(|k| canvas.item(&nested(k), &[]).unwrap());
    assert_eq!(canvas.item(&nested(8), &[]), Err(ValueError::Order));

    // two words for each open partition
    let full = ValueError::Nesting {
        needed: 16,
        available: 15,
    };
    let mut canvas = Canvas::new(&head, all(&head), &mut out, InlineArena::<15>::new()).unwrap();
    (1..7).for_each(|k| canvas.item(&nested(k), &[]).unwrap());
    assert_eq!(canvas.item(&nested(7), &[]), Err(full));
    let full = ValueError::Nesting {
        needed: 2,
        available: 1,
    };
    let refused = Canvas::new(&head, all(&head), &mut out, InlineArena::<1>::new());
    assert_eq!(refused.unwrap_err(), full);

    // words that are in use already say nothing
    let mut used = vec![99; 6];
    used.resize(7, 99);
    assert_eq!(Arena::words(&used).len(), 7);
    let mut canvas = Canvas::new(&head, all(&head), &mut out, used).unwrap();
    let first = placed(
        spec(ElementType::UInt8, &[1, 2], &buffers),
        &shapes[0],
        &[0, 0],
    );
    canvas.item(&first, &[&[5, 6]]).unwrap();
    canvas.finish().unwrap();
    assert_eq!(out[..2], [5, 6]);
}

#[test]
fn sums_and_numbers_that_the_head_does_not_have() {
    let buffers = [1, 1].map(|size| BufferHandle::cpu(size, 64));
    let member = |d: DescriptorSpec<'static>, role| {
        let mut d = placed(d, &[1], &[0]);
        d.member_role = Some(role);
        d
    };
    let buffers: &'static [BufferHandle] = Box::leak(Box::new(buffers));
    let mut head = composite(CompositionRule::Overlay, CombineOp::Add, &[1], 2);
    // a power of two that is none
    head.element_type = ElementType::Float8E8M0;
    let power = spec(ElementType::Float8E8M0, &[1], buffers);
    let mut out = [0u8];
    let mut canvas = Canvas::new(&head, all(&head), &mut out, InlineArena::<1>::new()).unwrap();
    canvas
        .item(&member(power, MemberRole::Base), &[&[0]])
        .unwrap();
    let refused = canvas.item(&member(power, MemberRole::Correction), &[&[127]]);
    assert_eq!(refused, Err(ValueError::Sum(ElementType::Float8E8M0)));

    // NaN in a type without
    head.element_type = ElementType::Float4E2M1;
    let nan = quantized(
        ElementType::Float8E4M3,
        &[1],
        buffers,
        Quantization::mxfp(0, 16, 1),
    );
    let four = spec(ElementType::Float4E2M1, &[1], buffers);
    let mut canvas = Canvas::new(&head, all(&head), &mut out, InlineArena::<1>::new()).unwrap();
    canvas
        .item(&member(four, MemberRole::Base), &[&[2]])
        .unwrap();
    let refused = canvas.item(&member(nan, MemberRole::Correction), &[&[0x7F], &[127]]);
    assert_eq!(refused, Err(ValueError::Sum(ElementType::Float4E2M1)));
    let mut canvas = Canvas::new(&head, all(&head), &mut out, InlineArena::<1>::new()).unwrap();
    let refused = canvas.item(&member(nan, MemberRole::Base), &[&[0x7F], &[127]]);
    assert_eq!(refused, Err(ElementError::NoSuchValue { index: 0 }.into()));
}
