//! Rules that only a writer can break.

use hrry::message::{FixedMessageWriter, Hello, LinkOptions, ShardNumber, Side};
use hrry::{
    BufferHandle, DescriptorSpec, DescriptorView, DeviceTag, ElementType, Field, FileOptions,
    FixedFileWriter, FixedWriter, I64s, KvEntry, KvValue, Layout, LayoutTag, MemoryClass, Order,
    Policy, Rule, Shard, Sink, SyncMode, Tiled, TiledLevel, WriteError, check, encoded_len,
};

use super::offsets::{agreed, changed, put, u64};
use super::special::violation;
use crate::support::vectors::{named, streams};

/// Bytes have no other lengths than the right ones, so only a writer can break this.
pub(crate) fn array_length() {
    let buffers = [BufferHandle::cpu(48, 64)];
    let strided = |strides| {
        let layout = Layout::Strided { strides };
        let spec = DescriptorSpec::new(ElementType::Float32, &[3, 4], layout, &buffers);
        check::descriptor(&spec, &Policy::STRICT)
    };
    assert_eq!(strided((&[4, 1]).into()), Ok(()));
    let broken = |field| Err(violation(Rule::ArrayLength, field, 0));
    assert_eq!(strided((&[4]).into()), broken(Field::Strides));
    assert_eq!(strided((&[4, 1, 1]).into()), broken(Field::Strides));

    let tiled = |levels: &[TiledLevel<'_>]| {
        let layout = Layout::Tiled(Tiled::Native(levels));
        let spec = DescriptorSpec::new(ElementType::Float32, &[3, 4], layout, &buffers);
        check::descriptor(&spec, &Policy::STRICT)
    };
    let level = TiledLevel {
        tile_shape: (&[3, 4]).into(),
        outer_layout: LayoutTag::RowMajor,
        inner_layout: LayoutTag::RowMajor,
        outer_strides: I64s::EMPTY,
        inner_strides: I64s::EMPTY,
    };
    assert_eq!(tiled(&[level]), Ok(()));
    assert_eq!(tiled(&[]), broken(Field::TileShape));
    let inner_layout = LayoutTag::Tiled;
    assert_eq!(
        tiled(&[TiledLevel {
            inner_layout,
            ..level
        }]),
        broken(Field::TileShape)
    );
    let inner_layout = LayoutTag::Strided;
    assert_eq!(
        tiled(&[TiledLevel {
            inner_layout,
            ..level
        }]),
        broken(Field::InnerStrides)
    );
    let outer_strides = (&[1, 1]).into();
    assert_eq!(
        tiled(&[TiledLevel {
            outer_strides,
            ..level
        }]),
        broken(Field::OuterStrides)
    );

    let sharded = |parent_shape: &[u64], shard_offset: &[u64]| {
        let shard = Some(Shard {
            parent_shape: parent_shape.into(),
            shard_offset: shard_offset.into(),
        });
        let spec = DescriptorSpec::new(ElementType::Float32, &[3, 4], Layout::RowMajor, &buffers);
        check::descriptor(&DescriptorSpec { shard, ..spec }, &Policy::STRICT)
    };
    assert_eq!(sharded(&[3, 4], &[0, 0]), Ok(()));
    assert_eq!(sharded(&[3], &[0, 0]), broken(Field::ParentShape));
    assert_eq!(sharded(&[3, 4], &[0]), broken(Field::ShardOffset));
}

/// Zeroed memory that is never touched, so the system need not have it.
#[cfg(target_pointer_width = "64")]
pub(crate) fn total_length() {
    // 20 bytes of header, 8 of shape, 8 of byte_offset, 12 before the data, 1 of buffer_count
    let around = 20 + 8 + 8 + 12 + 1;
    let zeros = vec![0; 1 << 32];
    let len = |data: usize| {
        let layout = Layout::Private {
            tag: LayoutTag(0xF0),
            extension_layout_id: 0,
            extension_data: &zeros[..data],
        };
        encoded_len(&DescriptorSpec::new(ElementType::UInt8, &[1], layout, &[]))
    };
    let most = (1 << 32) - 1 - around;
    assert_eq!(len(most), Ok(u32::MAX));
    let broken = violation(Rule::TotalLength, Field::DescriptorLength, 0);
    assert_eq!(len(most + 1), Err(broken));
    assert_eq!(len(1 << 32), Err(broken));
}

/// Nothing in 32-bit memory is that long.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn total_length() {
    let spec = DescriptorSpec::new(ElementType::UInt8, &[1], Layout::RowMajor, &[]);
    assert_eq!(encoded_len(&spec), Ok(20 + 8 + 8 + 1));
}

pub(crate) fn buffer_limit() {
    // CSF of rank 127 would need 255 buffers; a private layout takes any number
    let buffers = [BufferHandle::cpu(0, 1); 256];
    let layout = Layout::Private {
        tag: LayoutTag(0xF0),
        extension_layout_id: 0,
        extension_data: &[],
    };
    let with = |count| {
        let spec = DescriptorSpec::new(ElementType::UInt8, &[1], layout, &buffers[..count]);
        check::descriptor(&spec, &agreed())
    };
    assert_eq!(with(255), Ok(()));
    assert_eq!(
        with(256),
        Err(violation(Rule::BufferLimit, Field::BufferCount, 0))
    );
}

#[derive(Debug, Default)]
struct Count(usize);

impl Sink for Count {
    type Error = core::convert::Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error> {
        self.0 += bytes.len();
        Ok(())
    }
}

type Writer = FixedWriter<Count, 64>;

pub(crate) fn payload_length() {
    let buffers = [BufferHandle::cpu(4, 64), BufferHandle::cpu(16, 64)];
    let layout = Layout::Coo {
        nnz: 1,
        is_sorted: true,
    };
    let spec = DescriptorSpec::new(ElementType::Float32, &[3, 4], layout, &buffers);
    let mut writer = Writer::new(Count::default(), Policy::STRICT);
    let order = |order: Order| {
        assert_eq!(order.rule(), Rule::PayloadLength);
        Err(WriteError::Order(order))
    };
    assert_eq!(writer.payload(&[0]), order(Order::NoTensor));
    assert_eq!(
        writer.tensor(&spec, &[&[0; 4]]),
        order(Order::Missing { bytes: 16 })
    );
    assert_eq!(
        writer.tensor(&spec, &[&[0; 5], &[0; 15]]),
        order(Order::Excess { bytes: 1 })
    );
    assert_eq!(writer.tensor(&spec, &[&[0; 4], &[0; 16]]), Ok(()));
    writer.begin(&spec).unwrap();
    assert_eq!(writer.payload(&[0; 21]), order(Order::Excess { bytes: 1 }));
    writer.payload(&[0; 19]).unwrap();
    assert_eq!(writer.end(), order(Order::Missing { bytes: 1 }));
    writer.payload(&[0]).unwrap();
    writer.end().unwrap();
    // twice 20 + 16 + 8 + 16 + 1 + 32 and 4 + 16
    assert_eq!(writer.finish().unwrap().0, 2 * (93 + 20));
}

pub(crate) fn writer_open() {
    let streams = streams();
    let part = &named(&streams, "s-ok-part-1").bytes;
    let (head, rest) = DescriptorView::parse(part, &Policy::STRICT).unwrap();
    let (member, _) = DescriptorView::parse(rest, &Policy::STRICT).unwrap();
    let written = || {
        let mut writer = Writer::new(Count::default(), Policy::STRICT);
        writer.tensor(&head, &[]).unwrap();
        writer
    };
    let refused = |writer: Writer, order: Order| {
        assert_eq!(order.rule(), Rule::WriterOpen);
        assert_eq!(writer.finish().err(), Some(WriteError::Order(order)));
    };
    refused(written(), Order::CompositeOpen { members: 1 });
    let mut open = written();
    open.begin(&member).unwrap();
    assert_eq!(
        open.begin(&member),
        Err(WriteError::Order(Order::TensorOpen))
    );
    open.payload(&[0; 16]).unwrap();
    refused(open, Order::TensorOpen);
    let mut whole = written();
    whole.tensor(&member, &[&[0; 16]]).unwrap();
    assert_eq!(whole.finish().unwrap().0, part.len());
    // a composite that is never whole
    let gap = changed(rest, &[put(20, u64(3))]);
    let (small, _) = DescriptorView::parse(&gap, &Policy::STRICT).unwrap();
    let mut broken = written();
    assert!(broken.tensor(&small, &[&[0; 16]]).is_err());
    refused(broken, Order::Broken);
}

type Files = FixedFileWriter<Count, 64, 0>;

fn started(options: &FileOptions) -> Files {
    Files::new(Count::default(), options, Policy::STRICT).unwrap()
}

pub(crate) fn kv_promise() {
    let entry = KvEntry {
        key: "k",
        value: KvValue::Bool(true),
    };
    let mut options = FileOptions::PLAIN;
    let refused = started(&options).finish_with_kv([entry]).map(drop);
    assert_eq!(refused, Err(WriteError::Order(Order::NoKvSection)));
    assert_eq!(Order::NoKvSection.rule(), Rule::KvPromise);
    options.has_kv_metadata = true;
    let (_, len) = started(&options).finish_with_kv([entry]).unwrap();
    // a section of 4 + 2 + 1 + 1 + 1 bytes, and 7 to a multiple of 8
    assert_eq!(len, 64 + 16 + 8 + 40);
}

pub(crate) fn handle_at_rest() {
    let begun = |alignment, sync_mode| {
        let mut buffers = [BufferHandle::cpu(1, alignment)];
        buffers[0].sync_mode = sync_mode;
        if sync_mode != SyncMode::ProducerSynced {
            buffers[0].device_tag = DeviceTag::Cuda;
        }
        let spec = DescriptorSpec::new(ElementType::UInt8, &[1], Layout::RowMajor, &buffers);
        started(&FileOptions::PLAIN).begin("t", &spec)
    };
    let synced = SyncMode::ProducerSynced;
    let broken = |field| {
        let violation = violation(Rule::HandleAtRest, field, 0);
        Err(WriteError::Refused(violation.into()))
    };
    assert_eq!(begun(4096, synced), Ok(()));
    assert_eq!(begun(8192, synced), broken(Field::Alignment));
    assert_eq!(begun(64, SyncMode(1)), broken(Field::SyncMode));
}

type Messages = FixedMessageWriter<Count, 0, 1>;

/// A server that told of itself and knows what its peer said.
fn greeted(peer: &Hello<'_>) -> Messages {
    let options = LinkOptions::new(Side::Server, u32::MAX);
    let mut writer = Messages::new(Count::default(), options, Policy::STRICT);
    writer.hello(1, &Hello::new(0)).unwrap();
    writer.meet(peer);
    writer
}

pub(crate) fn peer_message_size() {
    let broken = violation(Rule::PeerMessageSize, Field::PayloadLength, 0);
    let mut writer = greeted(&Hello::new(8));
    assert_eq!(writer.pong(1, &[0; 9]), Err(broken.into()));
    assert_eq!(writer.pong(1, &[0; 8]), Ok(()));
    // a HELLO of 16 + 2 + 3 + 3 bytes, and 8
    assert_eq!(writer.finish().unwrap().0, 12 + 24 + 12 + 8);
}

pub(crate) fn peer_memory_class() {
    let mut peer = Hello::new(1 << 20);
    let begun = |peer: &Hello<'_>, class| {
        let mut buffers = [BufferHandle::cpu(1, 64)];
        buffers[0].device_tag = DeviceTag::Cuda;
        buffers[0].memory_class = class;
        let spec = DescriptorSpec::new(ElementType::UInt8, &[1], Layout::RowMajor, &buffers);
        greeted(peer)
            .descriptor(1, &spec, ShardNumber::WHOLE)
            .map(drop)
    };
    let broken = violation(Rule::PeerMemoryClass, Field::MemoryClass, 0);
    let classes = [MemoryClass::Standard, MemoryClass::Unified];
    for (listed, accepted) in [
        (&[0][..], [true, false]),
        (&[], [true, false]),
        (&[MemoryClass::Unified.0, 200], [false, true]),
    ] {
        peer.memory_classes = listed;
        for (class, accepted) in classes.into_iter().zip(accepted) {
            let expected = if accepted { Ok(()) } else { Err(broken.into()) };
            assert_eq!(begun(&peer, class), expected, "{listed:?} {class:?}");
        }
    }
}
