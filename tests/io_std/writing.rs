//! Writing streams into what takes few bytes, none, or fails.

use std::io::{self, ErrorKind, Write};

use hrry::io_std::{IoError, StreamReader, StreamWriter};
use hrry::owned::Item;
use hrry::{Order, Policy};

use super::feed::{Drain, assert_broken};
use crate::support::vectors;

fn items(stream: &[u8], policy: Policy) -> Vec<Item> {
    let mut reader = StreamReader::new(stream, policy);
    std::iter::from_fn(|| reader.next_item().unwrap()).collect()
}

fn write<W: Write>(items: &[Item], output: W, policy: Policy) -> Result<W, IoError> {
    let mut writer = StreamWriter::new(output, policy);
    for item in items {
        writer.item(item)?;
    }
    writer.finish()
}

#[test]
fn accepted_vectors_come_out_as_they_went_in() {
    let mut count = 0;
    for v in vectors::streams() {
        if !v.accept {
            continue;
        }
        let items = items(&v.bytes, v.policy);
        let whole = write(&items, Vec::new(), v.policy).unwrap();
        let Ok(again) = write(&items, Drain::new(3, None), v.policy) else {
            panic!("{}", v.id);
        };
        assert_eq!(whole, again.bytes, "{}", v.id);
        count += usize::from(whole == v.bytes);
    }
    // those of another minor version are written as 1.0
    assert!(count > 30, "{count}");
}

fn overlay() -> (Vec<u8>, Vec<Item>) {
    let all = vectors::streams();
    let stream = vectors::named(&all, "s-ok-ov-spqr").bytes.clone();
    let items = items(&stream, Policy::STRICT);
    (stream, items)
}

#[test]
fn errors_of_the_output_are_kept() {
    let (stream, items) = overlay();
    for fails in 0..stream.len() {
        let mut output = Drain::new(100, Some(fails));
        let Err(IoError::Io(error)) = write(&items, &mut output, Policy::STRICT) else {
            panic!("{fails}");
        };
        assert_broken(&error, fails);
        assert!(output.bytes == stream[..fails]);
    }
}

#[test]
fn an_output_that_takes_nothing_is_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Ok(0)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (_, items) = overlay();
    let Err(IoError::Io(error)) = write(&items, Full, Policy::STRICT) else {
        panic!("taken");
    };
    assert_eq!(error.kind(), ErrorKind::WriteZero);
}

#[test]
fn pieces_are_watched_over() {
    let (stream, items) = overlay();
    let composite = items[0].as_composite().unwrap();
    let mut writer = StreamWriter::new(Vec::new(), Policy::STRICT);
    writer.begin(composite.head()).unwrap();
    writer.end().unwrap();
    let base = composite.members()[0].as_tensor().unwrap();
    writer.begin(base.descriptor()).unwrap();
    for byte in base.buffers().iter().flat_map(|buffer| buffer.iter()) {
        writer.payload(&[*byte]).unwrap();
    }
    let Err(IoError::Refused(hrry::owned::Error::Order(Order::Excess { bytes: 1 }))) =
        writer.payload(&[0])
    else {
        panic!("a byte too many");
    };
    writer.end().unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.rule().unwrap().id(), "STREAM-11");

    let mut writer = StreamWriter::new(Vec::new(), Policy::STRICT);
    writer.item(&items[0]).unwrap();
    assert!(writer.finish().unwrap() == stream);
}
