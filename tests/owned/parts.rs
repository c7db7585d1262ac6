//! What the parts of a descriptor refuse on their own.

use hrry::DYNAMIC;
use hrry::owned::layout::{CombineOp, CompositeLayout, CompositionRule};
use hrry::owned::{
    BufferHandle, DeviceTag, ElementType, Error, MemoryClass, Mxfp, Nf4, PerBlockAffine,
    PerChannelAffine, PerTensorAffine, Shape, ShardDescriptor, SyncMode, buffer_size_bytes,
};

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    result.unwrap_err().rule().expect("a rule is broken").id()
}

#[test]
fn shapes() {
    assert_eq!(Shape::new(vec![]).unwrap().rank(), 0);
    assert_eq!(Shape::new(vec![DYNAMIC; 64]).unwrap()[63], DYNAMIC);
    assert_eq!(refused(Shape::new(vec![0; 65])), "DESC-09");
}

#[test]
fn handles() {
    use SyncMode as Sync;
    let handle = BufferHandle::new(128, 4096, DeviceTag::Cuda, Sync::Event).unwrap();
    assert_eq!((handle.byte_size, handle.alignment), (128, 4096));
    assert_eq!(handle.memory_class, MemoryClass::Standard);
    let synced = Sync::ProducerSynced;
    assert!(BufferHandle::new(u64::MAX, 64, DeviceTag::Cpu, synced).is_ok());
    assert!(BufferHandle::new(0, 1, DeviceTag::Cpu, synced).is_ok());
    let new = BufferHandle::new;
    assert_eq!(refused(new(8, 96, DeviceTag::Cpu, synced)), "BUF-06");
    assert_eq!(refused(new(0, 0, DeviceTag::Cpu, synced)), "BUF-06");
    assert_eq!(refused(new(8, 32, DeviceTag::Cpu, synced)), "BUF-07");
    assert_eq!(refused(new(8, 64, DeviceTag(9), synced)), "BUF-10");
    assert_eq!(refused(new(8, 64, DeviceTag::Cuda, SyncMode(3))), "BUF-11");
    assert_eq!(refused(new(8, 64, DeviceTag::Cpu, Sync::Event)), "BUF-12");
}

#[test]
fn shards() {
    let new = |parent: &[u64], offset: &[u64]| ShardDescriptor::new(parent, offset);
    assert!(new(&[], &[]).is_ok());
    let shard = new(&[8, u64::MAX - 1], &[8, 0]).unwrap();
    assert_eq!(shard.parent_shape(), [8, u64::MAX - 1]);
    assert_eq!(refused(new(&[8, 8], &[0])), "DESC-13");
    assert_eq!(refused(new(&[1; 65], &[0; 65])), "DESC-09");
    assert_eq!(refused(new(&[8, 8], &[0, 9])), "SHARD-01");
    assert_eq!(refused(new(&[DYNAMIC], &[0])), "SHARD-02");
}

#[test]
fn heads() {
    let new = CompositeLayout::new;
    let overlay = CompositionRule::Overlay;
    assert!(new(CompositionRule::Partition, 0).is_ok());
    assert!(new(CompositionRule::Group, 0).is_ok());
    assert!(new(overlay(CombineOp::Add), 1).is_ok());
    assert_eq!(refused(new(overlay(CombineOp::None), 1)), "COMP-09");
    assert_eq!(refused(new(overlay(CombineOp::Add), 0)), "COMP-12");
    assert_eq!(refused(new(CompositionRule::Group, u32::MAX)), "COMP-11");
    let private = |tag| CompositionRule::Private(hrry::CompositionRule(tag), CombineOp::None);
    assert_eq!(refused(new(private(0x04), 1)), "COMP-06");
    assert_eq!(refused(new(private(0xF0), 1)), "COMP-07");
    let partition = CompositionRule::Private(hrry::CompositionRule::Partition, CombineOp::Add);
    assert_eq!(refused(new(partition, 1)), "COMP-08");
}

#[test]
fn schemes() {
    let (f16, f32) = (ElementType::Float16, ElementType::Float32);
    assert!(PerTensorAffine::new(-0.5, i32::MIN).is_ok());
    assert_eq!(refused(PerTensorAffine::new(0.0, 0)), "QUANT-09");
    assert_eq!(refused(PerTensorAffine::new(f32::NAN, 0)), "QUANT-09");

    // axis and buffers are the tensor's affair
    assert!(PerChannelAffine::new_symmetric(63, 254).is_ok());
    assert!(PerChannelAffine::new_asymmetric(0, 7, 7).is_ok());
    let scheme = PerChannelAffine::new_asymmetric(3, 4, 5).unwrap();
    let parameters = scheme.parameters();
    assert_eq!((parameters.axis, parameters.flags), (3, 0));
    assert_eq!(parameters.zero_point_buffer_index, 5);

    let block = |size, kind| PerBlockAffine::new_symmetric(9, size, 3, kind);
    assert_eq!(block(128, f16).unwrap().parameters().flags, 1);
    assert!(block(1 << 31, f32).is_ok());
    assert!(PerBlockAffine::new_asymmetric(9, 2, 3, 3, f16).is_ok());
    assert!(PerBlockAffine::new_asymmetric(9, 2, 3, 4, f16).is_ok());
    assert_eq!(refused(block(0, f16)), "QUANT-22");
    assert_eq!(refused(block(48, f16)), "QUANT-22");
    assert_eq!(refused(block(64, ElementType::Float64)), "QUANT-15");
    let blocks = |size| block(4, f16).unwrap().num_blocks_per_axis(size);
    assert_eq!([0, 1, 4, 5, u64::MAX].map(blocks), [0, 1, 1, 2, 1 << 62]);

    assert!(Nf4::new(0, 8, 1).is_ok());
    assert_eq!(refused(Nf4::new(0, 4, 1)), "QUANT-22");
    assert!(Mxfp::new(0, 2048, 1).is_ok());
    assert_eq!(refused(Mxfp::new(0, 4096, 1)), "QUANT-22");
}

#[test]
fn sizes() {
    assert_eq!(buffer_size_bytes(ElementType::Float32, 12), 48);
    assert_eq!(buffer_size_bytes(ElementType::Bool, 9), 2);
    assert_eq!(buffer_size_bytes(ElementType::Float64, 1 << 62), u64::MAX);
    assert_eq!(buffer_size_bytes(ElementType(0xF0), 1), 0);
}
