//! The Rust snippets of the document on composite tensors, as they stand there.

#![allow(unused_variables, clippy::all)]

use hrry::owned as hurray_core;

#[test]
fn partition() {
use hurray_core::{
    composite::CompositeTensor,
    descriptor::TensorDescriptor,
    layout::{CompositeLayout, CompositionRule, LayoutDescriptor},
    BufferHandle, DeviceTag, ElementType, Shape, ShardDescriptor, SyncMode,
    MIN_BUFFER_ALIGNMENT,
};

// Head: float32 logical view, partition of 2 members.
let head_shape = Shape::new(vec![8u64, 8]).unwrap();
let head_layout = LayoutDescriptor::Composite(
    CompositeLayout::new(CompositionRule::Partition, 2).unwrap(),
);
let head = TensorDescriptor::new(
    1, 0, ElementType::Float32, head_shape, 0,
    head_layout, vec![], None, None, None, None,
).unwrap();

// Helper to build a member at a given shard offset.
let member = |offset: u64| {
    let buf = BufferHandle::new(128, MIN_BUFFER_ALIGNMENT, DeviceTag::Cpu, SyncMode::ProducerSynced).unwrap();
    let shard = ShardDescriptor::new(vec![8, 8], vec![0, offset]).unwrap();
    TensorDescriptor::new(
        1, 0, ElementType::Float32, Shape::new(vec![8u64, 4]).unwrap(), 0,
        LayoutDescriptor::RowMajor, vec![buf],
        None, Some(shard), None, None,
    ).unwrap()
};

// Two [8, 4] members at columns 0..4 and 4..8 exactly tile the head.
let composite = CompositeTensor::new(head, vec![member(0), member(4)]).unwrap();
assert_eq!(composite.member_count(), 2);
}

#[test]
fn overlay_replace() {
use hurray_core::{
    composite::CompositeTensor,
    descriptor::{CompositeMemberDescriptor, MemberRole, TensorDescriptor},
    layout::{CombineOp, CompositeLayout, CompositionRule, CooLayout, LayoutDescriptor},
    BufferHandle, DeviceTag, ElementType, PerBlockAffine, QuantizationDescriptor,
    Shape, ShardDescriptor, SyncMode, MIN_BUFFER_ALIGNMENT, buffer_size_bytes,
};

let shape = Shape::new(vec![4096u64, 4096]).unwrap();

// Head: float16 logical view, overlay with replace combine, 2 members.
let head = TensorDescriptor::new(
    1, 0, ElementType::Float16, shape.clone(), 0,
    LayoutDescriptor::Composite(
        CompositeLayout::new(CompositionRule::Overlay(CombineOp::Replace), 2).unwrap()
    ),
    vec![], None, None, None, None,
).unwrap();

// Member 0 (base): int4 storage with per-block-affine quantization.
let pba = PerBlockAffine::new_symmetric(1, 128, 1, ElementType::Float16).unwrap();
let num_blocks = pba.num_blocks_per_axis(4096) * 4096;
let quant = QuantizationDescriptor::PerBlockAffine(pba);
let base_data = BufferHandle::new(
    buffer_size_bytes(ElementType::Int4, 4096 * 4096),
    MIN_BUFFER_ALIGNMENT, DeviceTag::Cpu, SyncMode::ProducerSynced
).unwrap();
let base_scales = BufferHandle::new(
    buffer_size_bytes(ElementType::Float16, num_blocks),
    MIN_BUFFER_ALIGNMENT, DeviceTag::Cpu, SyncMode::ProducerSynced
).unwrap();
let base_shard = ShardDescriptor::new(vec![4096, 4096], vec![0, 0]).unwrap();
let base = TensorDescriptor::new(
    1, 0, ElementType::Int4, shape.clone(), 0,
    LayoutDescriptor::RowMajor, vec![base_data, base_scales],
    Some(quant.encode_to_vec()),
    Some(base_shard),
    None, None,
).unwrap()
.with_composite_member(CompositeMemberDescriptor::new(MemberRole::Base));

// Member 1 (correction): float16 COO sparse outliers.
let nnz = 128u64;
let coo_values = BufferHandle::new(
    buffer_size_bytes(ElementType::Float16, nnz),
    MIN_BUFFER_ALIGNMENT, DeviceTag::Cpu, SyncMode::ProducerSynced
).unwrap();
let coo_indices = BufferHandle::new(
    nnz * 2 /* rank */ * 8 /* uint64 */,
    MIN_BUFFER_ALIGNMENT, DeviceTag::Cpu, SyncMode::ProducerSynced
).unwrap();
let correction_shard = ShardDescriptor::new(vec![4096, 4096], vec![0, 0]).unwrap();
let correction = TensorDescriptor::new(
    1, 0, ElementType::Float16, shape, 0,
    LayoutDescriptor::Coo(CooLayout::new(nnz, false)),
    vec![coo_values, coo_indices],
    None, Some(correction_shard),
    None, None,
).unwrap()
.with_composite_member(CompositeMemberDescriptor::new(MemberRole::Correction));

let composite = CompositeTensor::new(head, vec![base, correction]).unwrap();
assert_eq!(composite.member_count(), 2);
}

#[test]
fn overlay_add() {
use hurray_core::{
    descriptor::TensorDescriptor,
    layout::{CombineOp, CompositeLayout, CompositionRule, LayoutDescriptor},
    ElementType, Shape,
};
let shape = Shape::new(vec![4096u64, 4096]).unwrap();
// Head with add combine instead of replace.
let head = TensorDescriptor::new(
    1, 0, ElementType::Float16, shape.clone(), 0,
    LayoutDescriptor::Composite(
        CompositeLayout::new(CompositionRule::Overlay(CombineOp::Add), 2).unwrap()
    ),
    vec![], None, None, None, None,
).unwrap();

// ... base and correction members as above ...
// The logical value is: base_value + correction_value (at indices
// where the correction is present; outside it, just the base).
}

#[test]
fn group() {
use hurray_core::{
    composite::CompositeTensor,
    descriptor::TensorDescriptor,
    layout::{CompositeLayout, CompositionRule, LayoutDescriptor},
    BufferHandle, DeviceTag, ElementType, Shape, SyncMode, MIN_BUFFER_ALIGNMENT,
};

// Head: shape and type_tag are advisory (members may differ).
let head = TensorDescriptor::new(
    1, 0, ElementType::Float32, Shape::new(vec![1u64]).unwrap(), 0,
    LayoutDescriptor::Composite(
        CompositeLayout::new(CompositionRule::Group, 2).unwrap()
    ),
    vec![], None, None, None, None,
).unwrap();

// Member 0: int8 vector, 100 elements.
let buf0 = BufferHandle::new(100, MIN_BUFFER_ALIGNMENT, DeviceTag::Cpu, SyncMode::ProducerSynced).unwrap();
let member0 = TensorDescriptor::new(
    1, 0, ElementType::Int8, Shape::new(vec![100u64]).unwrap(), 0,
    LayoutDescriptor::RowMajor, vec![buf0],
    None, None, None, None,
).unwrap();

// Member 1: float64 3×3×3 tensor (completely different shape and type).
let buf1 = BufferHandle::new(216 * 8, MIN_BUFFER_ALIGNMENT, DeviceTag::Cpu, SyncMode::ProducerSynced).unwrap();
let member1 = TensorDescriptor::new(
    1, 0, ElementType::Float64, Shape::new(vec![3u64, 3, 3]).unwrap(), 0,
    LayoutDescriptor::RowMajor, vec![buf1],
    None, None, None, None,
).unwrap();

// Both members grouped under one head.
let composite = CompositeTensor::new(head, vec![member0, member1]).unwrap();
assert_eq!(composite.member_count(), 2);
}

#[test]
fn overlap() {
use hurray_core::{
    composite::CompositeTensor,
    descriptor::TensorDescriptor,
    layout::{CompositeLayout, CompositionRule, LayoutDescriptor},
    BufferHandle, DeviceTag, ElementType, Error, Shape, ShardDescriptor, SyncMode,
    MIN_BUFFER_ALIGNMENT,
};

let head_shape = Shape::new(vec![8u64, 8]).unwrap();
let head = TensorDescriptor::new(
    1, 0, ElementType::Float32, head_shape, 0,
    LayoutDescriptor::Composite(
        CompositeLayout::new(CompositionRule::Partition, 2).unwrap()
    ),
    vec![], None, None, None, None,
).unwrap();

// Both members start at column 0: they overlap.
let member_at = |offset: u64| {
    let buf = BufferHandle::new(128, MIN_BUFFER_ALIGNMENT, DeviceTag::Cpu, SyncMode::ProducerSynced).unwrap();
    let shard = ShardDescriptor::new(vec![8, 8], vec![0, offset]).unwrap();
    TensorDescriptor::new(
        1, 0, ElementType::Float32, Shape::new(vec![8u64, 4]).unwrap(), 0,
        LayoutDescriptor::RowMajor, vec![buf],
        None, Some(shard), None, None,
    ).unwrap()
};

let err = CompositeTensor::new(head, vec![member_at(0), member_at(0)]).unwrap_err();
assert!(matches!(err, Error::CompositePartitionOverlap { a: 0, b: 1 }));
}
