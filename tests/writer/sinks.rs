//! Sinks that fail, and streams that a reader refuses.

use hrry::{DescriptorView, ErrorKind, Order, Policy, StreamDecoder, WriteError};

use super::{Writer, writer};
use crate::support::sinks::{Full, Limited};
use crate::support::trace::growing;
use crate::support::vectors::{Vector, streams};
use crate::support::walk::{Item, items};

fn write(
    writer: &mut Writer<'_>,
    bytes: &[u8],
    item: &Item,
    policy: &Policy,
) -> Result<(), WriteError<Full>> {
    let (view, mut rest) = DescriptorView::parse(&bytes[item.start..], policy).unwrap();
    writer.begin(&view)?;
    for size in &item.buffers {
        let (buffer, behind) = rest.split_at(*size);
        rest = behind;
        // in two pieces
        let (front, back) = buffer.split_at(size / 2);
        writer.payload(front)?;
        writer.payload(back)?;
    }
    writer.end()
}

/// Whether a writer can emit these bytes: it knows no later minor version.
fn is_canonical(v: &Vector) -> bool {
    let minor = |item: &Item| v.bytes[item.start + 5];
    items(&v.bytes).iter().all(|item| minor(item) == 0)
}

#[test]
fn accepted_streams_are_written_byte_for_byte() {
    let mut written = 0;
    for v in streams().iter().filter(|v| v.accept && is_canonical(v)) {
        let mut sink = Limited::unlimited();
        let mut writer = writer(&mut sink, v.policy);
        for item in items(&v.bytes) {
            assert_eq!(
                write(&mut writer, &v.bytes, &item, &v.policy),
                Ok(()),
                "{}",
                v.id
            );
        }
        assert!(writer.finish().is_ok(), "{}", v.id);
        assert!(sink.bytes == v.bytes, "{}", v.id);
        written += 1;
    }
    assert!(written > 40, "{written}");
}

/// What is wrong between items, a writer refuses at the same item for the same reason.
#[test]
fn rejected_streams_are_refused_where_a_reader_refuses() {
    let mut refused = 0;
    for v in streams().iter().filter(|v| !v.accept && !v.content) {
        let mut sink = Limited::unlimited();
        let mut writer = writer(&mut sink, v.policy);
        let mut decoder = growing(v.policy);
        let readable =
            |item: &Item| DescriptorView::parse(&v.bytes[item.start..], &v.policy).is_ok();
        for item in items(&v.bytes).iter().take_while(|item| readable(item)) {
            let read = read(&mut decoder, &v.bytes[item.start..item.end()]);
            match (write(&mut writer, &v.bytes, item, &v.policy), read) {
                (Ok(()), Ok(())) => {}
                (Err(WriteError::Refused(a)), Err(b)) => {
                    assert_eq!(a, b, "{}", v.id);
                    refused += 1;
                    break;
                }
                (written, read) => panic!("{}: {written:?} {read:?}", v.id),
            }
        }
        assert!(v.bytes.starts_with(&sink.bytes), "{}", v.id);
    }
    assert!(refused > 40, "{refused}");
}

fn read<S: hrry::Storage, C: hrry::Cover, A: hrry::Arena>(
    decoder: &mut StreamDecoder<S, C, A>,
    mut bytes: &[u8],
) -> Result<(), ErrorKind> {
    while decoder
        .next_event(&mut bytes)
        .map_err(|error| error.kind())?
        .is_some()
    {}
    Ok(())
}

#[test]
fn a_sink_that_fails_after_any_number_of_bytes_breaks_the_writer() {
    let streams = streams();
    for id in ["s-ok-two", "s-ok-part-2d-pinwheel", "s-ok-sequence"] {
        let v = streams.iter().find(|v| v.id == id).unwrap();
        let items = items(&v.bytes);
        for limit in 0..v.bytes.len() {
            let mut sink = Limited {
                bytes: Vec::new(),
                limit,
            };
            let mut writer = writer(&mut sink, v.policy);
            let mut results = items
                .iter()
                .map(|item| write(&mut writer, &v.bytes, item, &v.policy));
            let failed = results.find(|result| result.is_err());
            assert_eq!(failed, Some(Err(WriteError::Sink(Full))), "{id} {limit}");
            // whatever comes next is not written
            assert!(results.all(|result| result == Err(WriteError::Order(Order::Broken))));
            drop(results);
            let broken = Err(WriteError::Order(Order::Broken));
            assert_eq!(writer.payload(&[]), broken);
            assert_eq!(writer.end(), broken);
            assert_eq!(writer.finish().map(|_| ()), broken);
            assert_eq!(sink.bytes, v.bytes[..limit], "{id} {limit}");
        }
    }
}
