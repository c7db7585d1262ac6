//! Alignment of the input, and stack.

use hrry::{
    CombineOp, CompositeHead, CompositionRule, DescriptorView, ElementType, Policy, Rule,
    StreamParser,
};

use super::{refused, rule_of};
use crate::support::bytes;
use crate::support::scale::every;
use crate::support::spec::{Plain, PlainLayout, PlainLevel, assert_same_fields};
use crate::support::trace::{growing, trace};
use crate::support::vectors::{descriptors, streams};

const BLOCK: usize = 128;

/// Puts `input` at every offset of an aligned block.
fn at_every_offset(input: &[u8], step: usize, mut f: impl FnMut(&[u8])) {
    let mut memory = vec![0; input.len() + 2 * BLOCK];
    let aligned = memory.as_ptr().align_offset(BLOCK);
    for offset in (0..BLOCK).step_by(step) {
        let place = &mut memory[aligned + offset..][..input.len()];
        place.copy_from_slice(input);
        assert_eq!(place.as_ptr().align_offset(BLOCK), (BLOCK - offset) % BLOCK);
        f(place);
    }
}

#[test]
fn c06_descriptors_are_read_at_any_alignment() {
    for v in descriptors() {
        let expected = DescriptorView::parse(&v.bytes, &v.policy);
        at_every_offset(&v.bytes, every(5), |moved| {
            match (&expected, DescriptorView::parse(moved, &v.policy)) {
                (Ok((expected, _)), Ok((view, _))) => assert_same_fields(&view, expected, &v.id),
                (Err(expected), Err(error)) => assert_eq!(error, *expected, "{}", v.id),
                _ => panic!("{}: the verdict depends on the alignment", v.id),
            }
        });
    }
}

#[test]
fn c06_streams_are_read_at_any_alignment() {
    for v in streams().iter().filter(|v| v.bytes.len() < 1000) {
        let expected = trace(&v.bytes, &[], growing(v.policy));
        at_every_offset(&v.bytes, every(5), |moved| {
            assert_eq!(trace(moved, &[], growing(v.policy)), expected, "{}", v.id);
        });
    }
}

/// Runs on a thread whose stack would not last for a recursion over the input.
fn on_a_small_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(48 * 1024);
    thread.spawn(f).unwrap().join().unwrap();
}

fn tiles(levels: usize) -> Plain {
    let level = |inner_layout| PlainLevel {
        tile_shape: vec![1],
        outer_layout: 1,
        inner_layout,
        outer_strides: vec![],
        inner_strides: vec![],
    };
    let mut all = vec![level(4); levels - 1];
    all.push(level(1));
    Plain::new(ElementType::UInt8, &[1], &[1]).with_layout(PlainLayout::Tiled(all))
}

/// So many group heads, each the only member of the one before, and a tensor.
fn groups(levels: usize) -> Vec<u8> {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count: 1,
    };
    let mut stream = bytes::encode(&Plain::head(ElementType::UInt8, &[1], head)).repeat(levels);
    stream.extend(bytes::encode(&Plain::new(ElementType::UInt8, &[0], &[0])));
    stream
}

#[test]
fn c09_nested_tiles() {
    assert_eq!(rule_of(&tiles(8)), None);
    // the layout payload starts at 36; the eighth level of 12 bytes says that one more follows
    let eighth = 36 + 7 * 12 + 9;
    let expected = Some((Rule::TileLevels, eighth));
    for levels in [9, 100_000] {
        let deep = bytes::encode(&tiles(levels));
        on_a_small_stack(move || {
            assert_eq!(refused(&deep), expected);
            let pushed = trace(&deep, &[30, 100], growing(Policy::STRICT));
            let error = pushed.result.unwrap_err();
            assert_eq!(error.rule().map(|rule| (rule, error.offset())), expected);
        });
    }
}

#[test]
fn c09_nested_composites() {
    let head_len = groups(1).len() - groups(0).len();
    on_a_small_stack(move || {
        let eight = trace(&groups(8), &[], growing(Policy::STRICT));
        // a descriptor and an end for each head, and for the tensor
        assert_eq!((eight.result, eight.entries.len()), (Ok(()), 2 * 9));
        for levels in [9, 100_000] {
            let deep = trace(&groups(levels), &[], growing(Policy::STRICT));
            let error = deep.result.unwrap_err();
            assert_eq!(error.rule(), Some(Rule::CompositeDepth));
            // the layout tag of the ninth head
            assert_eq!(error.offset(), 8 * head_len as u64 + 15);
            assert_eq!(deep.entries.len(), 2 * 8);
        }
        // a parser alone does not look at composites
        let parser = StreamParser::with_storage([0; 64], Policy::STRICT);
        let flat = trace(&groups(100_000), &[], parser);
        assert_eq!((flat.result, flat.entries.len()), (Ok(()), 2 * 100_001));
    });
}
