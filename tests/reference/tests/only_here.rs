//! What we accept and the reference refuses. The list is short and closed: the random tests find no other.

use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositionRule, DescriptorView, ElementType, Policy,
};
use hrry_reference_tests::misfits::block_paged;
use hrry_reference_tests::plan::{LayoutPlan, Plan, ShardPlan};
use hrry_reference_tests::policy;
use hrry_reference_tests::streams::{they_read, we_read, we_write};
use hrry_reference_tests::tree::Tree;
use hrry_reference_tests::wire::Wire;
use hurray_core::Error;
use hurray_core::descriptor::TensorDescriptor;

/// The caller vouches for a private scheme, whatever the layout; the reference lets a private scheme
/// pass everywhere but on pages.
#[test]
fn a_registered_private_scheme_on_pages() {
    let bytes = Wire {
        quantization: Some(vec![0xF1, 1, 0, 0]),
        ..Wire::new(0x10, 0x0A, &[4, 2, 2], block_paged(4, 1, 0, 0), &[16, 0, 8])
    }
    .bytes();
    let theirs = TensorDescriptor::decode(&bytes);
    assert!(
        matches!(theirs, Err(Error::PrivateQuantizationSchemeTag(0xF1))),
        "{theirs:?}"
    );
    assert!(DescriptorView::parse(&bytes, &policy()).is_ok());
    let error = DescriptorView::parse(&bytes, &Policy::STRICT).unwrap_err();
    assert_eq!(error.rule().map(|rule| rule.id()), Some("QUANT-05"));
}

/// A member without elements overlaps nothing (COMP-44, AMB-63).
#[test]
fn an_empty_member_inside_another_one() {
    let head = LayoutPlan::Composite(CompositeHead {
        composition_rule: CompositionRule::Partition,
        combine_op: CombineOp::None,
        member_count: 2,
    });
    let member = |offset, size: u64| {
        let mut plan = Plan::new(
            ElementType::UInt8,
            vec![size],
            LayoutPlan::RowMajor,
            vec![BufferHandle::cpu(size, 64)],
        );
        plan.shard = Some(ShardPlan {
            parent_shape: vec![8],
            shard_offset: vec![offset],
        });
        Tree::Tensor {
            plan,
            buffers: vec![vec![7; size as usize]],
        }
    };
    let tree = |offset| Tree::Composite {
        head: Plan::new(ElementType::UInt8, vec![8], head.clone(), vec![]),
        members: vec![member(0, 8), member(offset, 0)],
    };
    let inside = we_write(&[tree(3)], Policy::STRICT).unwrap();
    assert_eq!(we_read(&inside, 64, Policy::STRICT).unwrap().len(), 3);
    let error = they_read(&inside).unwrap_err();
    let overlap = Error::CompositePartitionOverlap { a: 0, b: 1 };
    assert_eq!(format!("{error:?}"), format!("Core({overlap:?})"));
    // at the edge nobody minds
    let edge = we_write(&[tree(8)], Policy::STRICT).unwrap();
    assert_eq!(they_read(&edge).unwrap().len(), 3);
}
