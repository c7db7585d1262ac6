//! Composites by value: what is refused, under which name, and which member is at fault.

use hrry::owned::composite::CompositeTensor;
use hrry::owned::descriptor::MemberRole;
use hrry::owned::layout::{CombineOp, CompositeLayout, CompositionRule, LayoutDescriptor};
use hrry::owned::{
    Buffer, BufferHandle, Composite, ElementType, Error, Item, Shape, ShardDescriptor, Tensor,
    TensorDescriptor, TensorDescriptorBuilder,
};
use hrry::{ErrorKind, Rule};

const OVERLAY: CompositionRule = CompositionRule::Overlay(CombineOp::Replace);

/// One byte an element, `len` of them.
fn tensor(len: u64) -> TensorDescriptorBuilder {
    TensorDescriptor::builder(ElementType::UInt8, Shape::new([len]).unwrap())
        .buffer(BufferHandle::cpu(len, 64))
}

fn tile(parent: u64, offset: u64, len: u64) -> TensorDescriptor {
    let shard = ShardDescriptor::new([parent], [offset]).unwrap();
    tensor(len).shard(shard).build().unwrap()
}

fn member(parent: u64, offset: u64, len: u64, role: MemberRole) -> TensorDescriptor {
    let tile = tile(parent, offset, len).to_builder();
    tile.member_role(role).build().unwrap()
}

fn composite(rule: CompositionRule, len: u64, members: u32) -> TensorDescriptorBuilder {
    let layout = CompositeLayout::new(rule, members).unwrap();
    TensorDescriptor::builder(ElementType::UInt8, Shape::new([len]).unwrap())
        .layout(LayoutDescriptor::Composite(layout))
}

fn head(rule: CompositionRule, len: u64, members: u32) -> TensorDescriptor {
    composite(rule, len, members).build().unwrap()
}

fn nested(parent: u64, offset: u64, len: u64, members: u32) -> TensorDescriptor {
    let shard = ShardDescriptor::new([parent], [offset]).unwrap();
    let nested = composite(CompositionRule::Partition, len, members);
    nested.shard(shard).build().unwrap()
}

fn refused(head: TensorDescriptor, members: Vec<TensorDescriptor>) -> Error {
    CompositeTensor::new(head, members).unwrap_err()
}

fn partition(len: u64, members: Vec<TensorDescriptor>) -> Error {
    refused(
        head(CompositionRule::Partition, len, members.len() as u32),
        members,
    )
}

fn id(error: &Error) -> &'static str {
    error.rule().map_or("none", Rule::id)
}

#[test]
fn names_of_the_partition_rules() {
    let gap = partition(10, vec![tile(10, 0, 4), tile(10, 5, 5)]);
    assert_eq!((&gap, id(&gap)), (&Error::CompositePartitionGap, "COMP-43"));
    let text = "COMP-43 does not hold: members of a partition leave nothing uncovered";
    assert_eq!(gap.to_string(), text);

    let overlap = partition(10, vec![tile(10, 0, 6), tile(10, 5, 5)]);
    let expected = Error::CompositePartitionOverlap { a: 0, b: 1 };
    assert_eq!((&overlap, id(&overlap)), (&expected, "COMP-42"));
    assert_eq!(overlap.to_string(), "COMP-42: member 1 overlaps member 0");
}

#[test]
fn overlapping_members_are_named_though_their_boxes_had_merged() {
    // the first three are one box when the fourth comes, which lies in the second and third
    let tiles = [(0, 2), (2, 2), (4, 2), (3, 2), (6, 4)];
    let tiles = tiles.map(|(offset, len)| tile(10, offset, len));
    let expected = Error::CompositePartitionOverlap { a: 1, b: 3 };
    assert_eq!(partition(10, tiles.to_vec()), expected);
    // as the smaller one of a pair, the last counts as well
    let tiles = [(0, 2), (2, 2), (4, 2), (5, 5)].map(|(offset, len)| tile(10, offset, len));
    let expected = Error::CompositePartitionOverlap { a: 2, b: 3 };
    assert_eq!(partition(10, tiles.to_vec()), expected);
}

#[test]
fn overlaps_of_nested_heads() {
    let members = |at| {
        vec![
            nested(8, 0, 2, 1),
            tile(2, 0, 2),
            nested(8, 2, 2, 2),
            tile(2, 0, 1),
            tile(2, 1, 1),
            tile(8, at, 4),
        ]
    };
    let outer = || head(CompositionRule::Partition, 8, 3);
    let whole = CompositeTensor::new(outer(), members(4)).unwrap();
    assert_eq!((whole.member_count(), whole.members().len()), (3, 6));
    let error = refused(outer(), members(3));
    assert_eq!(error, Error::CompositePartitionOverlap { a: 1, b: 2 });
    // indices of the composite in which it happens
    let mut inner = members(4);
    inner[4] = tile(2, 0, 1);
    let error = refused(outer(), inner);
    assert_eq!(error, Error::CompositePartitionOverlap { a: 0, b: 1 });
}

#[test]
fn names_of_the_overlay_rules() {
    let base = member(8, 0, 8, MemberRole::Base);
    let correction = member(8, 2, 3, MemberRole::Correction);
    let overlay = |members: Vec<TensorDescriptor>| {
        let head = head(OVERLAY, 8, members.len() as u32);
        CompositeTensor::new(head, members)
    };
    assert!(overlay(vec![base.clone(), correction.clone(), correction.clone()]).is_ok());
    let error = overlay(vec![correction.clone(), base.clone()]).unwrap_err();
    assert_eq!(
        (&error, id(&error)),
        (&Error::CompositeOverlayBaseNotFirst, "COMP-32")
    );
    let error = overlay(vec![member(8, 0, 7, MemberRole::Base)]).unwrap_err();
    assert_eq!(
        (&error, id(&error)),
        (&Error::CompositeOverlayBaseNotSpanning, "COMP-33")
    );

    let error = overlay(vec![base.clone(), correction.clone(), base]).unwrap_err();
    let Error::Member { member: 2, kind } = error else {
        panic!("{error:?}");
    };
    assert_eq!(kind.rule(), Some(Rule::BaseTwice));
    assert!(error.to_string().contains("COMP-34"));
    let error = overlay(vec![tile(8, 0, 8)]).unwrap_err();
    assert!(matches!(error, Error::Member { member: 0, .. }));
    assert_eq!(id(&error), "COMP-31");
}

#[test]
fn members_are_counted() {
    let group = |declared, actual| {
        let members = vec![tensor(1).build().unwrap(); actual];
        CompositeTensor::new(head(CompositionRule::Group, 1, declared), members)
    };
    assert!(group(0, 0).is_ok() && group(3, 3).is_ok());
    for (declared, actual) in [(0, 2), (1, 0), (2, 5), (3, 2), (u32::MAX - 1, 4)] {
        let error = group(declared, actual).unwrap_err();
        let actual = actual as u32;
        let expected = Error::CompositeMemberCountMismatch { declared, actual };
        assert_eq!((&error, id(&error)), (&expected, "COMP-49"));
    }
    // the nested one misses a member
    let inner = head(CompositionRule::Group, 1, 2);
    let members = vec![inner, tensor(1).build().unwrap()];
    let error = refused(head(CompositionRule::Group, 1, 1), members);
    let expected = Error::CompositeMemberCountMismatch {
        declared: 2,
        actual: 1,
    };
    assert_eq!(error, expected);
    assert_eq!(
        error.to_string(),
        "COMP-49: 1 members where the head declares 2"
    );
}

#[test]
fn heads_and_tensors_are_not_the_same() {
    let tensor = tensor(1).build().unwrap();
    let error = CompositeTensor::new(tensor.clone(), vec![]).unwrap_err();
    assert_eq!((&error, id(&error)), (&Error::HeadExpected, "none"));
    assert_eq!(
        Composite::new(tensor, vec![]).unwrap_err(),
        Error::HeadExpected
    );
    let head = head(CompositionRule::Group, 1, 0);
    assert_eq!(
        Tensor::new(head, vec![]).unwrap_err(),
        Error::HeadUnexpected
    );
}

#[test]
fn members_of_another_kind_are_named() {
    let other = TensorDescriptor::builder(ElementType::Int8, Shape::new([4]).unwrap())
        .buffer(BufferHandle::cpu(4, 64))
        .shard(ShardDescriptor::new([8], [4]).unwrap())
        .build()
        .unwrap();
    let error = partition(8, vec![tile(8, 0, 4), other]);
    assert_eq!(id(&error), "COMP-23");
    assert!(
        error
            .to_string()
            .starts_with("member 1: COMP-23 does not hold")
    );
    assert!(matches!(error.kind(), Some(ErrorKind::Rule(_))));
    assert_eq!(error.offset(), None);
    assert_eq!(id(&partition(8, vec![tile(9, 0, 8)])), "COMP-28");
    assert_eq!(
        id(&partition(8, vec![tensor(8).build().unwrap()])),
        "COMP-27"
    );
}

#[test]
fn containers_keep_the_same_rules() {
    let data = |descriptor: TensorDescriptor| {
        let sizes = descriptor.buffers().map(|handle| handle.byte_size as usize);
        let buffers = sizes.map(|size| Buffer::from(vec![7; size])).collect();
        Item::from(Tensor::new(descriptor, buffers).unwrap())
    };
    let outer = || head(CompositionRule::Partition, 8, 2);
    let inner = |second| {
        let members = vec![data(tile(4, 0, 2)), data(tile(4, second, 2))];
        Composite::new(nested(8, 0, 4, 2), members)
    };
    assert_eq!(
        inner(1),
        Err(Error::CompositePartitionOverlap { a: 0, b: 1 })
    );
    let whole = inner(2).unwrap();
    assert_eq!(whole.complete(), Ok(()));
    let around = |offset| {
        let members = vec![whole.clone().into(), data(tile(8, offset, 4))];
        Composite::new(outer(), members)
    };
    let both = around(4).unwrap();
    assert_eq!((both.member_count(), both.head()), (2, &outer()));
    assert_eq!(
        around(3),
        Err(Error::CompositePartitionOverlap { a: 0, b: 1 })
    );
    let one = Composite::new(outer(), vec![whole.clone().into()]).unwrap_err();
    let expected = Error::CompositeMemberCountMismatch {
        declared: 2,
        actual: 1,
    };
    assert_eq!(one, expected);

    let (head, members) = both.into_parts();
    assert_eq!(head, outer());
    let [first, second] = &members[..] else {
        panic!("two members");
    };
    assert_eq!(first.as_composite(), Some(&whole));
    assert!(first.as_tensor().is_none() && second.as_composite().is_none());
    assert_eq!(second.as_tensor().unwrap().buffer(0).unwrap()[..], [7; 4]);
}
