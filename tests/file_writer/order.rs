//! Calls that come too early, too late, or with the wrong number of bytes, and sinks that fail.

use hrry::{
    CombineOp, CompositeHead, CompositionRule, ElementType, FileOptions, Order, Policy, WriteError,
};

use super::expected::{self, Tensor};
use super::kv::{announced, pool, section};
use super::{Result, Writer, plain, with, write, writer};
use crate::support::sinks::{Full, Limited};
use crate::support::spec::{Plain, PlainLayout};

fn order<T>(order: Order) -> Result<T> {
    Err(WriteError::Order(order))
}

/// Three bytes in the first buffer, eight in the second.
fn two_buffers() -> Plain {
    let layout = PlainLayout::Coo {
        nnz: 1,
        is_sorted: false,
    };
    Plain::new(ElementType::UInt8, &[5], &[3, 8]).with_layout(layout)
}

fn group(member_count: u32) -> Plain {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count,
    };
    Plain::head(ElementType::UInt8, &[4], head)
}

fn begin(writer: &mut Writer<'_>, name: &str, plain: &Plain) -> Result {
    with(plain, |spec| writer.begin(name, spec))
}

#[test]
fn payload_is_counted_over_all_buffers() {
    let mut sink = Limited::unlimited();
    let mut writer = plain(&mut sink);
    let item = two_buffers();
    assert_eq!(writer.payload(b"x"), order(Order::NoTensor));
    assert_eq!(writer.end(), order(Order::NoTensor));
    assert_eq!(begin(&mut writer, "a", &item), Ok(()));
    assert_eq!(begin(&mut writer, "b", &item), order(Order::TensorOpen));
    assert_eq!(writer.end(), order(Order::Missing { bytes: 11 }));
    assert_eq!(writer.payload(&[1; 12]), order(Order::Excess { bytes: 1 }));
    assert_eq!(writer.payload(&[2; 2]), Ok(()));
    assert_eq!(writer.payload(&[]), Ok(()));
    assert_eq!(writer.end(), order(Order::Missing { bytes: 9 }));
    // over the edge of the first buffer
    assert_eq!(writer.payload(&[3; 8]), Ok(()));
    assert_eq!(writer.payload(&[1; 3]), order(Order::Excess { bytes: 2 }));
    assert_eq!(writer.payload(&[4]), Ok(()));
    assert_eq!(writer.payload(b"x"), order(Order::Excess { bytes: 1 }));
    assert_eq!(writer.end(), Ok(()));
    assert_eq!(writer.payload(b"x"), order(Order::NoTensor));
    assert!(writer.finish().is_ok());
    let buffers: [&[u8]; 2] = [&[2, 2, 3], &[3, 3, 3, 3, 3, 3, 3, 4]];
    let tensor = Tensor::new("a", item, &buffers);
    let expected = expected::file(&FileOptions::PLAIN, &[tensor], None);
    assert_eq!(sink.bytes, expected, "refused calls wrote nothing");
}

#[test]
fn whole_tensors_need_one_slice_for_each_buffer() {
    let mut sink = Limited::unlimited();
    let mut writer = plain(&mut sink);
    with(&two_buffers(), |spec| {
        for (buffers, refused) in [
            (&[][..], Order::Missing { bytes: 3 }),
            (&[&[1; 3][..], &[1; 6]], Order::Missing { bytes: 2 }),
            (&[&[1; 4][..], &[1; 7]], Order::Excess { bytes: 1 }),
            (&[&[1; 3][..], &[1; 8], &[1; 2]], Order::Excess { bytes: 2 }),
        ] {
            assert_eq!(writer.tensor("a", spec, buffers), order(refused));
        }
        assert_eq!(writer.tensor("a", spec, &[&[1; 3], &[2; 8]]), Ok(()));
    });
    assert!(writer.finish().is_ok());
}

#[test]
fn never_finished_while_something_is_open() {
    let finish = |steps: &dyn Fn(&mut Writer<'_>)| {
        let mut sink = Limited::unlimited();
        let mut writer = plain(&mut sink);
        steps(&mut writer);
        writer.finish().map(drop)
    };
    let item = two_buffers();
    let open = |writer: &mut Writer<'_>, name: &str, plain: &Plain| {
        begin(writer, name, plain).unwrap();
        let payload = vec![0; if plain.buffers.is_empty() { 0 } else { 11 }];
        writer.payload(&payload).unwrap();
        writer.end().unwrap();
    };
    let composite = |members| order(Order::CompositeOpen { members });

    assert_eq!(finish(&|_| {}), Ok(()));
    assert_eq!(
        finish(&|w| begin(w, "a", &item).unwrap()),
        order(Order::Missing { bytes: 11 })
    );
    let whole = |w: &mut Writer<'_>| {
        begin(w, "a", &item).unwrap();
        w.payload(&[0; 11]).unwrap();
    };
    assert_eq!(finish(&whole), order(Order::TensorOpen));
    assert_eq!(finish(&|w| open(w, "h", &group(2))), composite(2));
    let one_of_two = |w: &mut Writer<'_>| {
        open(w, "h", &group(2));
        open(w, "a", &item);
    };
    assert_eq!(finish(&one_of_two), composite(1));
    let complete = |w: &mut Writer<'_>| {
        one_of_two(w);
        open(w, "b", &item);
    };
    assert_eq!(finish(&complete), Ok(()));
    assert_eq!(finish(&|w| open(w, "h", &group(0))), Ok(()));
}

#[test]
fn a_sink_that_fails_after_any_number_of_bytes_breaks_the_writer() {
    let entries = pool();
    let keys: Vec<_> = entries.iter().map(|(entry, _)| *entry).collect();
    let tensors = [
        Tensor::new("h", group(2), &[]),
        Tensor::new("a", two_buffers(), &[&[1; 3], &[2; 8]]),
        Tensor::new("b", two_buffers(), &[&[3; 3], &[4; 8]]),
    ];
    let whole = expected::file(&announced(), &tensors, Some(&section(&entries)));
    for limit in 0..whole.len() {
        let limited = || Limited {
            bytes: Vec::new(),
            limit,
        };
        let mut sink = limited();
        let failed = writer(&mut sink, &announced(), Policy::STRICT)
            .and_then(|writer| write(writer, &tensors, &keys, 2));
        assert_eq!(failed, Err(WriteError::Sink(Full)), "{limit}");
        assert_eq!(sink.bytes, whole[..limit], "{limit}");

        // whatever comes next is not written
        let mut sink = limited();
        let Ok(mut writer) = writer(&mut sink, &announced(), Policy::STRICT) else {
            continue;
        };
        let mut results = tensors.iter().map(|tensor| {
            let buffers: Vec<&[u8]> = tensor.buffers.iter().map(|b| &b[..]).collect();
            with(&tensor.plain, |spec| {
                writer.tensor(&tensor.name, spec, &buffers)
            })
        });
        let Some(error) = results.find(|result| result.is_err()) else {
            continue;
        };
        assert_eq!(error, Err(WriteError::Sink(Full)));
        assert!(results.all(|result| result == order(Order::Broken)));
        drop(results);
        assert_eq!(writer.payload(&[]), order(Order::Broken));
        assert_eq!(writer.end(), order(Order::Broken));
        assert_eq!(writer.finish().map(drop), order(Order::Broken));
        assert_eq!(sink.bytes, whole[..limit], "{limit}");
    }
}
