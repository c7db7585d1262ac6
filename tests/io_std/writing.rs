//! Writing streams into what takes few bytes, none, or fails.

use std::cell::RefCell;
use std::io::{self, ErrorKind, Write};
use std::rc::Rc;

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

/// Keeps what arrived where it can be looked at while the writer goes on, and counts flushes.
#[derive(Default)]
struct Arrived {
    bytes: RefCell<Vec<u8>>,
    flushes: RefCell<usize>,
}

struct Wire(Rc<Arrived>);

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.bytes.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        *self.0.flushes.borrow_mut() += 1;
        Ok(())
    }
}

#[test]
fn what_is_flushed_has_arrived() {
    let (stream, items) = overlay();
    let arrived = Rc::new(Arrived::default());
    let mut writer = StreamWriter::new(Wire(Rc::clone(&arrived)), Policy::STRICT);
    for k in 1..4 {
        writer.item(&items[0]).unwrap();
        // small items wait
        assert_eq!(arrived.bytes.borrow().len(), (k - 1) * stream.len());
        writer.flush().unwrap();
        assert_eq!(*arrived.bytes.borrow(), stream.repeat(k));
        assert_eq!(*arrived.flushes.borrow(), k);
    }
    assert_eq!(writer.output().0.bytes.borrow().len(), 3 * stream.len());
    // inside an item and a composite as well
    let composite = items[0].as_composite().unwrap();
    writer.begin(composite.head()).unwrap();
    writer.flush().unwrap();
    assert_eq!(arrived.bytes.borrow().len(), 3 * stream.len() + 53);
}

#[test]
fn tensors_are_written_from_slices() {
    let (stream, items) = overlay();
    let composite = items[0].as_composite().unwrap();
    let mut writer = StreamWriter::new(Vec::new(), Policy::STRICT);
    writer.tensor(composite.head(), &[]).unwrap();
    for member in composite.members() {
        let tensor = member.as_tensor().unwrap();
        let slices: Vec<&[u8]> = tensor.buffers().iter().map(|buffer| &**buffer).collect();
        let short = writer.tensor(tensor.descriptor(), &slices[..1]);
        assert_eq!(short.unwrap_err().rule().unwrap().id(), "STREAM-10");
        writer.tensor(tensor.descriptor(), &slices).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), stream);
}
