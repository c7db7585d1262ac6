//! Writing container files: what was read is written and read again.

use std::io::{self, Cursor};

use hrry::io_std::{FileReader, FileWriter, IoError};
use hrry::owned::Item;
use hrry::{FileOptions, KvEntry, Policy};

use super::feed::{Drain, assert_broken};
use crate::support::vectors::{self, Vector, named};

/// Items, and the names of all their tensors, in the order of places.
fn read(bytes: &[u8], policy: Policy) -> (Vec<Item>, Vec<String>) {
    let mut reader = FileReader::new(Cursor::new(bytes), policy).unwrap();
    let names = reader.in_order().map(|entry| entry.name.to_owned());
    let names = names.collect();
    let items = reader.items().map(|item| item.unwrap().1).collect();
    (items, names)
}

fn write<W: io::Write>(
    output: W,
    (items, names): &(Vec<Item>, Vec<String>),
    kv: &[KvEntry<'_>],
    policy: Policy,
) -> Result<(W, u64), IoError> {
    let mut options = FileOptions::PLAIN;
    options.has_kv_metadata = !kv.is_empty();
    let mut writer = FileWriter::new(output, &options, policy)?;
    let mut first = 0;
    for item in items {
        writer.item(item, |k| &names[first + k])?;
        first += item.items().count();
    }
    writer.finish_with_kv(kv.iter().copied())
}

#[test]
fn accepted_vectors_are_written_and_read_again() {
    let (mut written, mut keys) = (0, 0);
    for v in vectors::files().iter().filter(|v| v.accept) {
        let all = read(&v.bytes, v.policy);
        let reader = FileReader::new(Cursor::new(&v.bytes), v.policy).unwrap();
        let kv: Vec<KvEntry<'_>> = reader.kv().collect();
        let Ok((bytes, len)) = write(Vec::new(), &all, &kv, v.policy) else {
            // a file may ask for less than its buffers do, and its writer may not
            continue;
        };
        assert_eq!(len, bytes.len() as u64);
        assert_eq!(read(&bytes, v.policy), all, "{}", v.id);
        let again = FileReader::new(Cursor::new(&bytes), v.policy).unwrap();
        assert!(again.kv().eq(reader.kv()), "{}", v.id);
        let (short, _) =
            write(Drain::new(7, None), &all, &kv, v.policy).unwrap_or_else(|_| panic!());
        assert!(short.bytes == bytes);
        written += 1;
        keys += kv.len();
    }
    assert!(written > 35 && keys > 20, "{written}, {keys}");
}

fn one() -> Vector {
    named(&vectors::files(), "f-ok-two").clone()
}

#[test]
fn errors_of_the_output_are_kept() {
    let all = read(&one().bytes, Policy::STRICT);
    let (whole, len) = write(Vec::new(), &all, &[], Policy::STRICT).unwrap();
    for fails in (0..len as usize).step_by(97) {
        let mut output = Drain::new(1000, Some(fails));
        let Err(IoError::Io(error)) = write(&mut output, &all, &[], Policy::STRICT) else {
            panic!("{fails}");
        };
        assert_broken(&error, fails);
        assert!(output.bytes == whole[..fails]);
    }
}

#[test]
fn names_are_the_callers_and_judged() {
    let (items, names) = read(&one().bytes, Policy::STRICT);
    let twice = vec![names[0].clone(); names.len()];
    for (names, rule) in [
        (twice, "FILE-17"),
        (vec![String::new(); names.len()], "FILE-17"),
    ] {
        let refused = write(Vec::new(), &(items.clone(), names), &[], Policy::STRICT);
        let error = refused.map(drop).unwrap_err();
        assert!(matches!(error, IoError::Refused(_)), "{error}");
        assert_eq!(error.rule().unwrap().id(), rule);
    }
    let mut writer = FileWriter::new(Vec::new(), &FileOptions::PLAIN, Policy::STRICT).unwrap();
    writer.begin("a", items[0].descriptor()).unwrap();
    let error = writer.finish().map(drop).unwrap_err();
    assert_eq!(error.rule().unwrap().id(), "STREAM-10");
}

#[test]
fn a_composite_that_was_refused_cannot_be_finished() {
    let v = named(&vectors::files(), "f-ok-partition").clone();
    let (items, names) = read(&v.bytes, Policy::STRICT);
    let mut writer = FileWriter::new(Vec::new(), &FileOptions::PLAIN, Policy::STRICT).unwrap();
    // the head is out when its second member has the name of the first
    let error = writer.item(&items[0], |k| &*names[k.min(1)]).unwrap_err();
    assert_eq!(error.rule().unwrap().id(), "FILE-17");
    let error = writer
        .item(&items[0], |k| format!("other {k}"))
        .unwrap_err();
    assert_eq!(error.rule().unwrap().id(), "STREAM-11");
    assert!(writer.finish().is_err());
}

/// Fails at the first call, and would take what comes later.
struct Hiccup<'a>(bool, &'a mut Vec<u8>);

impl io::Write for Hiccup<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::mem::replace(&mut self.0, true) {
            false => Err(io::Error::other("hiccup")),
            true => self.1.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn nothing_is_written_behind_an_error() {
    let mut bytes = Vec::new();
    let hiccup = Hiccup(false, &mut bytes);
    let writer = FileWriter::new(hiccup, &FileOptions::PLAIN, Policy::STRICT).unwrap();
    let error = writer.finish().map(drop).unwrap_err();
    assert_eq!(error.to_string(), "hiccup");
    assert!(bytes.is_empty());
}
