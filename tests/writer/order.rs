//! Calls that come too early, too late, or with the wrong number of bytes.

use hrry::{
    CombineOp, CompositeHead, CompositionRule, ElementType, ErrorKind, Order, Policy, Resource,
    Rule, WriteError,
};

use super::writer;
use crate::support::bytes;
use crate::support::sinks::{Full, Limited};
use crate::support::spec::{Kind, Plain};

type Result = std::result::Result<(), WriteError<Full>>;

fn order(order: Order) -> Result {
    Err(WriteError::Order(order))
}

/// Eight bytes in the first buffer, four in the second; the first is described, the second its indices.
fn two_buffers() -> Plain {
    let layout = crate::support::spec::PlainLayout::Coo {
        nnz: 1,
        is_sorted: false,
    };
    Plain::new(ElementType::UInt8, &[5], &[3, 8]).with_layout(layout)
}

fn head(rule: CompositionRule, member_count: u32) -> Plain {
    let head = CompositeHead {
        composition_rule: rule,
        combine_op: CombineOp::None,
        member_count,
    };
    Plain::head(ElementType::UInt8, &[4], head)
}

fn begin(writer: &mut super::Writer<'_>, plain: &Plain) -> Result {
    plain.lend(Kind::Native, |spec| writer.begin(spec))
}

#[test]
fn payload_is_counted_over_all_buffers() {
    let mut sink = Limited::unlimited();
    let mut writer = writer(&mut sink, Policy::STRICT);
    let item = two_buffers();
    assert_eq!(writer.payload(b"x"), order(Order::NoTensor));
    assert_eq!(writer.end(), order(Order::NoTensor));
    assert_eq!(begin(&mut writer, &item), Ok(()));
    assert_eq!(begin(&mut writer, &item), order(Order::TensorOpen));
    assert_eq!(writer.end(), order(Order::Missing { bytes: 11 }));
    assert_eq!(writer.payload(&[1; 12]), order(Order::Excess { bytes: 1 }));
    assert_eq!(writer.payload(&[2; 4]), Ok(()));
    assert_eq!(writer.payload(&[]), Ok(()));
    assert_eq!(writer.end(), order(Order::Missing { bytes: 7 }));
    assert_eq!(writer.payload(&[1; 10]), order(Order::Excess { bytes: 3 }));
    assert_eq!(writer.payload(&[3; 7]), Ok(()));
    assert_eq!(writer.payload(b"x"), order(Order::Excess { bytes: 1 }));
    assert_eq!(writer.end(), Ok(()));
    assert_eq!(writer.payload(b"x"), order(Order::NoTensor));
    assert!(writer.finish().is_ok());
    let mut expected = bytes::encode(&item);
    expected.extend([2; 4]);
    expected.extend([3; 7]);
    assert_eq!(sink.bytes, expected, "refused calls wrote nothing");
}

#[test]
fn whole_items_need_one_slice_for_each_buffer() {
    let mut sink = Limited::unlimited();
    let mut writer = writer(&mut sink, Policy::STRICT);
    let item = two_buffers();
    item.lend(Kind::Native, |spec| {
        for (buffers, refused) in [
            (&[][..], Order::Missing { bytes: 3 }),
            (&[&[1; 3][..]], Order::Missing { bytes: 8 }),
            (&[&[1; 3], &[1; 6]], Order::Missing { bytes: 2 }),
            (&[&[1; 4], &[1; 7]], Order::Excess { bytes: 1 }),
            (&[&[1; 3], &[1; 8], &[1; 2]], Order::Excess { bytes: 2 }),
        ] {
            assert_eq!(writer.tensor(spec, buffers), order(refused));
        }
        assert_eq!(writer.tensor(spec, &[&[1; 3], &[2; 8]]), Ok(()));
        // an empty slice more is no byte more
        assert_eq!(writer.tensor(spec, &[&[1; 3], &[2; 8], &[]]), Ok(()));
    });
    assert!(writer.finish().is_ok());
    assert_eq!(sink.bytes.len(), 2 * (bytes::encode(&item).len() + 11));
}

#[test]
fn never_finished_while_something_is_open() {
    let finish = |steps: &dyn Fn(&mut super::Writer<'_>)| {
        let mut sink = Limited::unlimited();
        let mut writer = writer(&mut sink, Policy::STRICT);
        steps(&mut writer);
        writer.finish().map(|_| ())
    };
    let item = Plain::new(ElementType::UInt8, &[4], &[4]);
    let member = |writer: &mut super::Writer<'_>| {
        item.lend(Kind::Native, |spec| writer.tensor(spec, &[&[0; 4]]))
            .unwrap();
    };
    let open = |writer: &mut super::Writer<'_>, plain: &Plain| {
        begin(writer, plain).unwrap();
        writer.end().unwrap();
    };
    let group = |count| head(CompositionRule::Group, count);
    let composite = |members| order(Order::CompositeOpen { members });

    assert_eq!(finish(&|_| {}), Ok(()));
    assert_eq!(
        finish(&|w| begin(w, &item).unwrap()),
        order(Order::Missing { bytes: 4 })
    );
    let whole = |w: &mut super::Writer<'_>| {
        begin(w, &item).unwrap();
        w.payload(&[0; 4]).unwrap();
    };
    assert_eq!(finish(&whole), order(Order::TensorOpen));
    assert_eq!(
        finish(&|w| begin(w, &group(2)).unwrap()),
        order(Order::TensorOpen)
    );
    assert_eq!(finish(&|w| open(w, &group(2))), composite(2));
    let one_of_two = |w: &mut super::Writer<'_>| {
        open(w, &group(2));
        member(w);
    };
    assert_eq!(finish(&one_of_two), composite(1));
    let nested = |w: &mut super::Writer<'_>| {
        one_of_two(w);
        open(w, &group(3));
    };
    assert_eq!(finish(&nested), composite(3));
    let complete = |w: &mut super::Writer<'_>| {
        one_of_two(w);
        member(w);
    };
    assert_eq!(finish(&complete), Ok(()));
    assert_eq!(finish(&|w| open(w, &group(0))), Ok(()));
    let rules = [
        Order::TensorOpen,
        Order::CompositeOpen { members: 1 },
        Order::Broken,
    ];
    assert!(rules.iter().all(|order| order.rule() == Rule::WriterOpen));
    let rules = [
        Order::NoTensor,
        Order::Missing { bytes: 1 },
        Order::Excess { bytes: 1 },
    ];
    assert!(
        rules
            .iter()
            .all(|order| order.rule() == Rule::PayloadLength)
    );
}

#[test]
fn a_partition_with_a_gap_breaks_the_writer_at_its_last_end() {
    let mut sink = Limited::unlimited();
    let mut writer = writer(&mut sink, Policy::STRICT);
    begin(&mut writer, &head(CompositionRule::Partition, 2)).unwrap();
    writer.end().unwrap();
    let half = |offset| Plain::new(ElementType::UInt8, &[1], &[1]).with_shard(&[4], &[offset]);
    let write = |writer: &mut super::Writer<'_>, plain: &Plain| {
        plain.lend(Kind::Native, |spec| writer.tensor(spec, &[&[0]]))
    };
    assert_eq!(write(&mut writer, &half(0)), Ok(()));
    // refused before a byte is written: an overlap, a member outside, and one that has no shard
    for (wrong, rule) in [
        (half(0), Rule::Overlap),
        (half(4), Rule::ShardBounds),
        (
            Plain::new(ElementType::UInt8, &[1], &[1]),
            Rule::MemberShard,
        ),
    ] {
        let Err(WriteError::Refused(kind)) = write(&mut writer, &wrong) else {
            panic!("{wrong:?}");
        };
        assert_eq!(kind.rule(), Some(rule));
    }
    let Err(WriteError::Refused(kind)) = write(&mut writer, &half(3)) else {
        panic!("two of four cells are covered");
    };
    assert_eq!(kind.rule(), Some(Rule::Gap));
    assert_eq!(write(&mut writer, &half(1)), order(Order::Broken));
    assert_eq!(writer.finish().map(|_| ()), order(Order::Broken));
}

#[test]
fn sizes_that_do_not_add_up_in_64_bits() {
    let mut sink = Limited::unlimited();
    let mut writer = writer(&mut sink, Policy::STRICT);
    let layout = crate::support::spec::PlainLayout::Coo {
        nnz: 1,
        is_sorted: false,
    };
    let huge = Plain::new(ElementType::UInt8, &[5], &[u64::MAX, 8]).with_layout(layout);
    let Err(WriteError::Refused(ErrorKind::Capacity { what, .. })) = begin(&mut writer, &huge)
    else {
        panic!("the item has more bytes than positions");
    };
    assert_eq!(what, Resource::Position);
    assert!(writer.finish().is_ok());
    assert!(sink.bytes.is_empty());
}

/// Where the validator runs out of room, it cannot know later items, so the writer stops.
#[test]
fn a_writer_without_room_stops() {
    let mut sink = Limited::unlimited();
    let mut writer = hrry::FixedWriter::<_, 4>::new(&mut sink, Policy::STRICT);
    let partition = head(CompositionRule::Partition, 1);
    let refused = partition.lend(Kind::Native, |spec| writer.begin(spec));
    let capacity = ErrorKind::Capacity {
        what: Resource::Arena,
        needed: 5,
        available: 4,
    };
    assert_eq!(refused, Err(WriteError::Refused(capacity)));
    let plain = two_buffers();
    let next = plain.lend(Kind::Native, |spec| writer.begin(spec));
    assert_eq!(next, order(Order::Broken));
    assert_eq!(writer.finish().map(|_| ()), order(Order::Broken));
    assert!(sink.bytes.is_empty());
}
