//! Blocking writers and the sink.

use hrry::io_embedded::OutputError;
use hrry::io_embedded::blocking_07::{FixedWriter, Output, Writer};
use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositionRule, DescriptorSpec, ElementType,
    ErrorKind, Exact, Layout, Order, Policy, Resource, Sink, StreamWriter, WriteError,
};

use super::drivers::{Mood, Target, Timeout};
use super::items;

type Result<T = ()> = std::result::Result<T, WriteError<OutputError<Timeout>>>;

const BUFFERS: [BufferHandle; 1] = [BufferHandle::cpu(3, 64)];

/// Three numbers; 53 bytes of descriptor.
fn tensor() -> DescriptorSpec<'static> {
    DescriptorSpec::new(ElementType::UInt8, &[3], Layout::RowMajor, &BUFFERS)
}

/// Calls until the output does not fail.
fn insist(mut call: impl FnMut() -> Result) {
    loop {
        match call() {
            Ok(()) => return,
            Err(WriteError::Sink(OutputError::Output(Timeout(_)))) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn outputs_that_fail_get_every_byte_once() {
    let mut failures = 0;
    for stream in items::all() {
        for mood in [Mood::good(7), Mood::bad(3, 5), Mood::bad(4, 100)] {
            let target = Target::new(mood);
            let mut writer =
                Writer::with_parts(target, [0; 4096], Exact, Vec::new(), stream.policy);
            for one in &stream.items {
                let view = one.view(&stream.policy);
                insist(|| writer.begin(&view));
                let mut payload = &one.payload[..];
                insist(|| writer.payload(&mut payload));
                assert!(payload.is_empty());
                writer.end().unwrap();
            }
            insist(|| writer.finish());
            let target = writer.into_output();
            assert_eq!(target.bytes, stream.bytes, "{}", stream.id);
            assert_eq!(target.flushed, target.bytes.len());
            failures += target.mood.failures;
        }
    }
    assert!(failures > 500, "{failures}");
}

#[test]
fn payload_stands_behind_what_is_out() {
    let mut writer = FixedWriter::<_, 64, 0>::new(Target::new(Mood::good(2)), Policy::STRICT);
    writer.begin(&tensor()).unwrap();
    let mut too_many: &[u8] = &[1, 2, 3, 4];
    let excess = WriteError::Order(Order::Excess { bytes: 1 });
    assert_eq!(writer.payload(&mut too_many), Err(excess));
    assert_eq!(too_many.len(), 4);
    let mut first: &[u8] = &[1, 2];
    writer.payload(&mut first).unwrap();
    let missing = WriteError::Order(Order::Missing { bytes: 1 });
    assert_eq!(
        (writer.end(), writer.finish()),
        (Err(missing), Err(missing))
    );
    writer.payload(&mut &[3][..]).unwrap();
    writer.end().unwrap();
    let none = WriteError::Order(Order::NoTensor);
    assert_eq!(writer.payload(&mut &[4][..]), Err(none));
    writer.finish().unwrap();
    let bytes = writer.into_output().bytes;
    assert_eq!((bytes.len(), &bytes[53..]), (56, &[1, 2, 3][..]));
}

/// Nothing of it is written, and a shorter one goes.
#[test]
fn a_descriptor_that_is_too_long_for_the_buffer_is_refused() {
    let mut writer = FixedWriter::<_, 53, 8>::new(Target::new(Mood::good(9)), Policy::STRICT);
    let scalars = [BufferHandle::cpu(1, 64)];
    let longer = DescriptorSpec::new(ElementType::UInt8, &[1, 1], Layout::RowMajor, &scalars);
    let capacity = WriteError::Refused(ErrorKind::Capacity {
        what: Resource::Frame,
        needed: 61,
        available: 53,
    });
    assert_eq!(writer.begin(&longer), Err(capacity));
    writer.begin(&tensor()).unwrap();
    let open = WriteError::Order(Order::TensorOpen);
    assert_eq!(writer.begin(&tensor()), Err(open));
    writer.payload(&mut &[1, 2, 3][..]).unwrap();
    writer.end().unwrap();
    writer.finish().unwrap();
    assert_eq!(writer.into_output().bytes.len(), 56);
}

#[test]
fn an_open_composite_cannot_be_finished() {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count: 1,
    };
    let head = DescriptorSpec::new(ElementType::UInt8, &[3], Layout::Composite(head), &[]);
    let mut writer = FixedWriter::<_, 64, 8>::new(Target::new(Mood::good(9)), Policy::STRICT);
    writer.begin(&head).unwrap();
    writer.end().unwrap();
    let open = WriteError::Order(Order::CompositeOpen { members: 1 });
    assert_eq!(writer.finish(), Err(open));
    // the member's descriptor takes the place of the head's, which is out by then
    writer.begin(&tensor()).unwrap();
    writer.payload(&mut &[1, 2, 3][..]).unwrap();
    writer.end().unwrap();
    writer.finish().unwrap();
    let target = writer.into_output();
    assert_eq!((target.bytes.len(), target.flushed), (45 + 56, 45 + 56));
}

/// The traits forbid it, and their `write_all` panics where it happens.
#[test]
fn an_output_that_takes_nothing_is_an_error() {
    let mut writer = FixedWriter::<_, 64, 0>::new(Target::new(Mood::good(0)), Policy::STRICT);
    writer.begin(&tensor()).unwrap();
    let mut payload: &[u8] = &[1, 2, 3];
    for _ in 0..3 {
        let nothing = WriteError::Sink(OutputError::TookNothing);
        assert_eq!(writer.payload(&mut payload), Err(nothing));
        assert_eq!(payload.len(), 3);
    }
    assert_eq!(writer.into_output().bytes.len(), 0);

    let mut sink = Output(Target::new(Mood::good(0)));
    assert_eq!(sink.put(&[1]), Err(OutputError::TookNothing));
    assert_eq!(sink.put(&[]), Ok(()));
}

#[test]
fn the_sink_serves_the_writers_of_the_core() {
    for stream in items::all() {
        for piece in [1, 3, usize::MAX] {
            let sink = Output(Target::new(Mood::good(piece)));
            let mut writer = StreamWriter::with_parts(sink, Exact, Vec::new(), stream.policy);
            for one in &stream.items {
                writer.begin(&one.view(&stream.policy)).unwrap();
                writer.payload(&one.payload).unwrap();
                writer.end().unwrap();
            }
            let sink = writer.finish().unwrap();
            assert_eq!(sink.0.flushed, 0);
            let target = sink.finish().unwrap();
            assert_eq!(target.bytes, stream.bytes, "{}", stream.id);
            assert_eq!(target.flushed, target.bytes.len());
        }
    }
}

/// A sink cannot tell how far it came, so its writer stops.
#[test]
fn a_writer_over_the_sink_stops_at_an_error() {
    let mut target = Target::new(Mood::good(9));
    target.mood.fails = 1;
    let mut writer = hrry::FixedWriter::<_, 0>::new(Output(target), Policy::STRICT);
    let failed = WriteError::Sink(OutputError::Output(Timeout(0)));
    assert_eq!(writer.begin(&tensor()), Err(failed));
    let broken = WriteError::Order(Order::Broken);
    assert_eq!(writer.begin(&tensor()), Err(broken));
}
