//! Cases that need another policy, a writer, or an error without a field.

use hrry::{
    BufferHandle, DescriptorSpec, DescriptorView, ElementType, ErrorKind, Event, Field,
    FixedComposite, FixedWriter, I64s, Layout, LayoutTag, Order, Outcome, Policy, Rule, Shard,
    Sink, Tiled, TiledLevel, Transport, Violation, WriteError, check, encoded_len,
};

use super::offsets::{Edit, agreed, changed, cut, put, stream, u64};
use crate::support::trace::{Entry, growing};
use crate::support::vectors::{descriptors, named, streams};

/// The rule and a test with an accepting and a rejecting case.
pub(crate) const SPECIAL: &[(&str, fn())] = &[
    ("DESC-06", incomplete),
    ("DESC-07", bytes_after),
    ("DESC-13", array_length),
    ("DESC-21", total_length),
    ("LAYOUT-04", private_layout),
    ("BUF-15", private_class),
    ("BUF-19", cross_machine_sync),
    ("BUF-24", buffer_limit),
    ("QUANT-05", private_scheme),
    ("COMP-07", private_rule),
    ("COMP-42", overlap),
    ("COMP-48", torn),
    ("COMP-49", member_count),
    ("COMP-57", member_unreadable),
    ("STREAM-04", stream_truncated),
    ("STREAM-08", unskippable),
    ("STREAM-10", payload_length),
    ("STREAM-11", writer_open),
];

const fn violation(rule: Rule, field: Field, index: u32) -> Violation {
    Violation { rule, field, index }
}

fn incomplete() {
    let whole = named(&descriptors(), "d-ok-spec-worked-example")
        .bytes
        .clone();
    // the header is 20 bytes, the whole 61; before the length is known the header is what is missing
    for (len, missing) in [(0, 20), (9, 11), (19, 1), (20, 41), (60, 1)] {
        let error = DescriptorView::parse(&whole[..len], &Policy::STRICT).unwrap_err();
        let rule = Rule::Incomplete;
        assert_eq!(error.kind(), ErrorKind::Truncated { rule, missing });
        assert_eq!(error.offset(), len as u64);
    }
    assert!(DescriptorView::parse(&whole, &Policy::STRICT).is_ok());
}

/// The library hands back what follows a descriptor; only who takes one descriptor can call it wrong.
fn bytes_after() {
    let mut bytes = named(&descriptors(), "d-ok-spec-worked-example")
        .bytes
        .clone();
    bytes.push(7);
    let (_, rest) = DescriptorView::parse(&bytes, &Policy::STRICT).unwrap();
    assert_eq!(rest, [7]);
}

/// Bytes have no other lengths than the right ones, so only a writer can break this.
fn array_length() {
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

fn total_length() {
    // a level of rank 65,536 with both stride arrays takes 65,536 * 8 * 3 + 4 bytes; the rest of the
    // descriptor 20 + 65,536 * 8 + 8 + 1
    let shape = vec![0; 1 << 16];
    let level = TiledLevel {
        tile_shape: (&[]).into(),
        outer_layout: LayoutTag::Strided,
        inner_layout: LayoutTag::Strided,
        outer_strides: I64s::EMPTY,
        inner_strides: I64s::EMPTY,
    };
    let len = |levels: usize| {
        let levels = vec![level; levels];
        let layout = Layout::Tiled(Tiled::Native(&levels));
        encoded_len(&DescriptorSpec::new(
            ElementType::UInt8,
            &shape,
            layout,
            &[],
        ))
    };
    assert_eq!(len(2730), Ok(2730 * 1_572_868 + 524_317));
    // 2731 * 1,572,868 alone is above 2^32
    let broken = violation(Rule::TotalLength, Field::DescriptorLength, 0);
    assert_eq!(len(2731), Err(broken));
}

/// A descriptor that one policy accepts and another refuses.
fn policies(base: &str, edits: &[Edit], accepts: Policy, refuses: Policy, at: (Violation, u64)) {
    let bytes = changed(&named(&descriptors(), base).bytes, edits);
    assert!(DescriptorView::parse(&bytes, &accepts).is_ok(), "{base}");
    let error = DescriptorView::parse(&bytes, &refuses).unwrap_err();
    assert_eq!(
        (error.kind(), error.offset()),
        (ErrorKind::Rule(at.0), at.1)
    );
}

fn private_layout() {
    let broken = violation(Rule::PrivateLayout, Field::ExtensionLayoutId, 0);
    let at = (broken, 20 + 2 * 8 + 8);
    policies(
        "d-ok-private-layout-3buf",
        &[],
        agreed(),
        Policy::STRICT,
        at,
    );
}

fn private_class() {
    let broken = violation(Rule::PrivateClass, Field::MemoryClass, 0);
    // rank 1
    let at = (broken, 20 + 8 + 8 + 1 + 14);
    policies("d-ok-dev-private-f0-f0", &[], agreed(), Policy::STRICT, at);
    policies(
        "d-ok-dev-private-f0-f0",
        &[],
        agreed(),
        Policy::PERMISSIVE,
        at,
    );
}

fn cross_machine_sync() {
    let mut cross = Policy::STRICT;
    cross.transport = Transport::CrossMachine;
    let broken = violation(Rule::CrossMachineSync, Field::SyncMode, 0);
    let at = 20 + 8 + 8 + 1 + 13;
    let event = [put(at, vec![1])];
    policies(
        "d-ok-dev-cuda-unified",
        &event,
        Policy::STRICT,
        cross,
        (broken, at as u64),
    );
}

fn buffer_limit() {
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

fn private_scheme() {
    let broken = violation(Rule::PrivateScheme, Field::SchemeTag, 0);
    // the section starts behind one handle
    let at = 20 + 2 * 8 + 8 + 1 + 16 + 4;
    let scheme = [put(at, vec![0xF0])];
    policies(
        "d-ok-pt-int8-max",
        &scheme,
        agreed(),
        Policy::STRICT,
        (broken, at as u64),
    );
}

fn private_rule() {
    let broken = violation(Rule::PrivateRule, Field::CompositionRule, 0);
    let at = 20 + 2 * 8 + 8;
    let rule = [put(at, vec![0xF0])];
    policies(
        "d-ok-head-group",
        &rule,
        agreed(),
        Policy::STRICT,
        (broken, at as u64),
    );
}

fn overlap() {
    // [10] as [0, 1), [1, 7) and [7, 10); tensors of 69 bytes at 45, 45 + 69 + 4 and 118 + 69 + 24
    let base = named(&streams(), "s-ok-part-1d-3").bytes.clone();
    assert_eq!(stream(&base, Policy::STRICT, 0).result, Ok(()));
    let offset_of = |tensor: usize| tensor + 53 + 8;
    // neighbours are merged: the third member meets what the first two cover together
    for (tensor, moved_to, member, last) in [(118, 0, 1, 0), (211, 6, 2, 1)] {
        let bytes = changed(&base, &[put(offset_of(tensor), u64(moved_to))]);
        let error = stream(&bytes, Policy::STRICT, 0).result.unwrap_err();
        let first = 0;
        assert_eq!(
            error.kind(),
            ErrorKind::Overlap {
                member,
                first,
                last
            }
        );
        assert_eq!(error.rule(), Some(Rule::Overlap));
        // the shard section of the member that arrives
        assert_eq!(error.offset(), tensor as u64 + 53);
    }
}

fn torn() {
    let base = named(&streams(), "s-ok-part-nested-2").bytes.clone();
    assert_eq!(stream(&base, Policy::STRICT, 0).result, Ok(()));
    // head 53, tensor 93 + 64, head 85, tensors 93 + 32
    for (len, level, seen) in [(53, 1, 0), (210, 1, 1), (295, 2, 0), (420, 2, 1)] {
        for policy in [Policy::STRICT, Policy::PERMISSIVE] {
            let error = stream(&base[..len], policy, 0).result.unwrap_err();
            let declared = 2;
            let torn = ErrorKind::Torn {
                level,
                declared,
                seen,
            };
            assert_eq!((error.kind(), error.offset()), (torn, len as u64));
            assert_eq!(error.rule(), Some(Rule::Torn));
        }
    }
}

/// A stream decoder counts for itself; a caller of the validator can miscount.
fn member_count() {
    let buffers = [BufferHandle::cpu(4, 64)];
    let tensor = DescriptorSpec::new(ElementType::Float32, &[1], Layout::RowMajor, &buffers);
    let mut validator = FixedComposite::<8>::new(Policy::STRICT);
    let broken = ErrorKind::Rule(violation(Rule::MemberCount, Field::MemberCount, 0));
    assert_eq!(validator.end().unwrap_err().kind, broken);
    assert_eq!(validator.begin(&tensor), Ok(Outcome::Plain));
    assert_eq!(validator.begin(&tensor).unwrap_err().kind, broken);
    assert_eq!(validator.end(), Ok(Outcome::Plain));
    assert_eq!(validator.end().unwrap_err().kind, broken);
}

/// A strict stream stops at LAYOUT-02 before; a validator can be handed such a member all the same.
fn member_unreadable() {
    let streams = streams();
    let head = &named(&streams, "s-ok-part-1").bytes[..45];
    let (head, _) = DescriptorView::parse(head, &Policy::STRICT).unwrap();
    let unknown = Layout::Unknown(LayoutTag(0x0C));
    let member = DescriptorSpec::new(ElementType::Float32, &[4], unknown, &[]);

    let mut strict = FixedComposite::<64>::new(Policy::STRICT);
    strict.begin(&head).unwrap();
    strict.end().unwrap();
    let broken = violation(Rule::MemberUnreadable, Field::LayoutTag, 0);
    assert_eq!(
        strict.begin(&member).unwrap_err().kind,
        ErrorKind::Rule(broken)
    );

    let mut permissive = FixedComposite::<64>::new(Policy::PERMISSIVE);
    permissive.begin(&head).unwrap();
    permissive.end().unwrap();
    assert!(matches!(
        permissive.begin(&member),
        Ok(Outcome::Member { .. })
    ));
    let Ok(Outcome::Closed { complete, .. }) = permissive.end() else {
        panic!("its only member closes it");
    };
    assert_eq!(complete, Err(Rule::MemberUnreadable));
}

fn stream_truncated() {
    let base = named(&streams(), "s-ok-one").bytes.clone();
    assert_eq!(stream(&base, Policy::STRICT, 0).result, Ok(()));
    // descriptor 61, payload 48
    for (len, missing) in [(1, 19), (20, 41), (60, 1), (61, 48), (108, 1)] {
        let bytes = changed(&base, &[cut(len)]);
        let error = stream(&bytes, Policy::STRICT, 100).result.unwrap_err();
        let rule = Rule::StreamTruncated;
        assert_eq!(error.kind(), ErrorKind::Truncated { rule, missing });
        assert_eq!(error.offset(), 100 + len as u64);
    }
}

/// Permissive mode shows the descriptor and ends there: nobody knows where the next one starts.
fn unskippable() {
    let base = named(&streams(), "s-ok-one").bytes.clone();
    let bytes = changed(&base, &[put(15, vec![0x0C])]);
    let trace = stream(&bytes, Policy::PERMISSIVE, 7);
    assert!(matches!(&trace.entries[..], [Entry::Descriptor { bytes, .. }] if bytes.len() == 61));
    let error = trace.result.unwrap_err();
    let broken = violation(Rule::Unskippable, Field::LayoutTag, 0);
    assert_eq!((error.kind(), error.offset()), (broken.into(), 7 + 15));

    // the same at the end of the input, and no error while nothing is asked
    let mut decoder = growing(Policy::PERMISSIVE);
    let mut descriptor = &bytes[..61];
    let event = decoder.next_event(&mut descriptor).unwrap();
    assert!(matches!(event, Some(Event::Descriptor(view, _)) if view.is_opaque()));
    assert_eq!(decoder.finish().unwrap_err().kind(), broken.into());
}

#[derive(Default)]
struct Count(usize);

impl Sink for Count {
    type Error = core::convert::Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error> {
        self.0 += bytes.len();
        Ok(())
    }
}

type Writer = FixedWriter<Count, 64>;

fn payload_length() {
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

fn writer_open() {
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
