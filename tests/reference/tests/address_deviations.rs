//! Where the reference computes no place, or one that no buffer has; rows of format.md section 5 by number.

use std::collections::BTreeSet;
use std::panic::catch_unwind;

use hrry::{
    AddressError, BufferHandle, Element, ElementType, ErrorKind, ExtensionType, WriteError, encode,
    locate,
};
use hrry_reference_tests::places::{Seen, indexes, same_places, their_byte, their_place, tight};
use hrry_reference_tests::plan::{LayoutPlan, LevelPlan, Plan};
use hrry_reference_tests::policy;
use hurray_core::{Error, Shape};

fn rows(tile_shape: &[u64], inner_layout: u8) -> LevelPlan {
    LevelPlan {
        tile_shape: tile_shape.to_vec(),
        outer_layout: 1,
        inner_layout,
        outer_strides: vec![],
        inner_strides: vec![],
    }
}

/// The rule by which we refuse to write a descriptor, if we do.
fn refused(plan: &Plan) -> Option<&'static str> {
    plan.with_spec(|spec| {
        let mut bytes = [0; 200];
        match encode(spec, &mut bytes, &policy()) {
            Ok(_) => None,
            Err(WriteError::Refused(ErrorKind::Rule(violation))) => Some(violation.rule.id()),
            Err(error) => panic!("{error}"),
        }
    })
}

/// AMB-35: LAYOUT-13 refuses the descriptor, and both compute what the formula says of it.
#[test]
fn tiles_that_do_not_divide() {
    let levels = vec![rows(&[3, 3], 4), rows(&[2, 2], 1)];
    let mut plan = tight(ElementType::UInt8, &[6, 6], LayoutPlan::Tiled(levels), 5);
    plan.buffers[0].byte_size = 5 + 40;
    assert_eq!(refused(&plan), Some("LAYOUT-13"));
    let all: Vec<Vec<u64>> = indexes(&[6, 6]).collect();
    let seen = same_places(&plan, &all).unwrap();
    assert_eq!(seen.placed, 36);
    let places: BTreeSet<u64> = plan.with_spec(|spec| {
        let byte = |index: &Vec<u64>| locate(spec, index).unwrap().byte;
        all.iter().map(byte).collect()
    });
    assert_eq!((places.len(), places.last()), (30, Some(&(5 + 39))));
}

fn morton(shape: &[u64], bits: &[u32], byte_size: u64) -> Plan {
    let buffers = vec![BufferHandle::cpu(byte_size, 64)];
    let layout = LayoutPlan::Morton(bits.to_vec());
    Plan::new(ElementType::Bool, shape.to_vec(), layout, buffers)
}

/// AMB-37: codes beyond the product of the powers, and positions from 64 on, which the reference refuses
/// even where all bits there are 0.
#[test]
fn codes_with_holes() {
    let both = same_places(&morton(&[8, 2], &[3, 1], 3), &[vec![7, 1]]);
    assert_eq!(both.unwrap().placed, 1);
    let code = |plan: &Plan, index: &[u64]| {
        let ours = plan.with_spec(|spec| locate(spec, index));
        let shape = Shape::new(plan.shape.clone()).unwrap();
        let theirs = their_place(plan, &plan.layout.reference().unwrap(), &shape, index);
        (ours.map(|e| e.byte * 8 + u64::from(e.bit)), theirs)
    };
    assert_eq!(code(&morton(&[8, 2], &[3, 1], 3), &[7, 1]).0, Ok(23));
    let overflow = |(ours, theirs): (Result<u64, AddressError>, Result<Element, Error>)| {
        assert!(
            matches!(theirs, Err(Error::IndexArithmeticOverflow)),
            "{theirs:?}"
        );
        ours
    };
    // 33 + 32 bits; the last position of 33 bits of the second dimension is 2 * 32 + 1
    let high = morton(&[2, 2], &[33, 32], 1 << 60);
    assert_eq!(refused(&high), Some("LAYOUT-18"));
    assert_eq!(overflow(code(&high, &[0, 1])), Ok(2));
    let far = morton(&[1, 1024], &[1, 33], 1 << 60);
    assert_eq!(
        overflow(code(&far, &[0, 1023])),
        Ok(0b1010_1010_1010_1010_1010)
    );
    let near = same_places(&morton(&[1, 1024], &[1, 32], 1 << 60), &[vec![0, 1023]]);
    assert_eq!(near.unwrap().placed, 1);
}

/// Distances and places of 63 bits and more, which the reference has in 64 bits with a sign.
#[test]
fn far_away() {
    let shape = Shape::new(vec![2, 2]).unwrap();
    let layout = LayoutPlan::Strided(vec![i64::MAX, i64::MAX]);
    let plan = tight(ElementType::Bool, &[2, 2], LayoutPlan::RowMajor, 0);
    let plan = Plan {
        layout,
        buffers: vec![BufferHandle::cpu(1 << 61, 64)],
        ..plan
    };
    assert_eq!(refused(&plan), None);
    let near = [vec![0, 0], vec![0, 1], vec![1, 0]];
    assert_eq!(same_places(&plan, &near).unwrap().placed, 3);
    // element 2^64 - 2 of one bit
    let far = plan.with_spec(|spec| locate(spec, &[1, 1])).unwrap();
    assert_eq!((far.byte, far.bit), ((1 << 61) - 1, 6));
    let theirs = their_place(&plan, &plan.layout.reference().unwrap(), &shape, &[1, 1]);
    assert!(matches!(theirs, Err(Error::AddressOverflow)), "{theirs:?}");

    let mut behind = tight(ElementType::UInt8, &[2], LayoutPlan::Strided(vec![-4]), 0);
    behind.byte_offset = u64::MAX - 3;
    behind.buffers[0].byte_size = u64::MAX;
    assert_eq!(refused(&behind), None);
    let place = behind.with_spec(|spec| locate(spec, &[1])).unwrap();
    assert_eq!(place.byte, u64::MAX - 7);
    let theirs = their_byte(&behind, (-4i64).cast_unsigned());
    assert!(
        matches!(theirs, Err(Error::ByteAddressOverflow { .. })),
        "{theirs:?}"
    );
}

/// ADDR-15: the first byte is in the buffer, the last one is not; the reference looks at the first.
#[test]
fn elements_cut_by_the_end() {
    for (element_type, bytes) in [
        (ElementType::Int16, 2),
        (ElementType::Float6E2M3, 3),
        (ElementType::Complex128, 16),
    ] {
        let mut plan = tight(element_type, &[1], LayoutPlan::RowMajor, 0);
        assert_eq!(plan.buffers[0].byte_size, bytes);
        plan.buffers[0].byte_size = 1;
        assert_eq!(their_byte(&plan, 0).unwrap().byte, 0);
        assert_eq!(
            plan.with_spec(|spec| locate(spec, &[0])),
            Err(AddressError::Outside)
        );
        plan.buffers[0].byte_size = 0;
        let both = Seen {
            refused: 1,
            ..Seen::default()
        };
        assert_eq!(same_places(&plan, &[vec![0]]), Ok(both));
    }
}

/// ADDR-19: the width of a private type is in its section, which the reference's function is not given.
#[test]
fn private_types_panic() {
    let mut plan = tight(ElementType::UInt8, &[3], LayoutPlan::RowMajor, 0);
    plan.element_type = ElementType(0xF0);
    plan.extension_type = Some(ExtensionType {
        bit_width: 24,
        packing_factor: 1,
        is_float: 0,
        is_signed: 0,
        sign_bits: 0,
        exponent_bits: 0,
        mantissa_bits: 0,
        exponent_bias: 0,
        has_nan: 0,
        has_inf: 0,
    });
    plan.buffers[0].byte_size = 9;
    assert_eq!(refused(&plan), None);
    let place = plan.with_spec(|spec| locate(spec, &[2])).unwrap();
    assert_eq!((place.byte, place.width), (6, 24));
    let panic = catch_unwind(|| their_byte(&plan, 2)).unwrap_err();
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or(panic.downcast_ref::<&str>().copied());
    assert_eq!(said, Some("attempt to divide by zero"));
}
