//! What permissive mode lets pass costs no more than the bytes, and is told.

use hrry::io_std::FileReader;
use hrry::{ElementType, FileView, FixedFile, Policy, Region, Rule};

use crate::support::bytes::encode;
use crate::support::container::{Container, Stored, Value, Written};
use crate::support::spec::Plain;

fn tensor(name: &str, data: u8) -> Stored {
    Stored {
        name: name.to_owned(),
        descriptor: encode(&Plain::new(ElementType::UInt8, &[1], &[1])),
        buffers: vec![vec![data]],
    }
}

/// A tensor and two keys, of which the first has a value of a private type: `value` follows its tag.
fn private(value: [u8; 8]) -> Written {
    let mut container = Container::new(vec![tensor("a", 1)]);
    let value = Value::Uint64(u64::from_le_bytes(value));
    container.keys = Some(vec![("k".into(), value), ("l".into(), Value::Bool(true))]);
    let mut written = container.write();
    // the count, then the length of the key and the key
    let tag = written.keys[0] + 4 + 2 + 1;
    written.bytes[tag] = 0xF0;
    written
}

#[test]
fn keys_that_are_only_announced_take_no_memory() {
    let mut written = private([0; 8]);
    let count = written.keys[0];
    written.bytes[count..count + 4].fill(0xFF);
    let view = FileView::open(&written.bytes, &Policy::PERMISSIVE).unwrap();
    // two for the tensor
    assert_eq!(view.scratch_words(), 2);
    let mut words = [0; 2];
    assert!(FileView::open_with_scratch(&written.bytes, &Policy::PERMISSIVE, &mut words).is_ok());
    let source = std::io::Cursor::new(&written.bytes);
    let reader = FileReader::new(source, Policy::PERMISSIVE).unwrap();
    assert_eq!(reader.kv().count(), 0);
}

#[test]
fn keys_end_once() {
    // what stands behind the tag looks like a key `z` with the truth value 1
    let written = private([1, 0, b'z', 5, 1, 0, 0, 0]);
    let view = FileView::open(&written.bytes, &Policy::PERMISSIVE).unwrap();
    let mut keys = view.kv();
    assert_eq!([keys.next(), keys.next()], [None, None]);
}

#[test]
fn names_that_only_promise_to_ascend_are_not_checked() {
    for (names, ascend) in [(["x", "x"], false), (["x", "a"], false), (["a", "x"], true)] {
        let mut container = Container::new(vec![tensor(names[0], 1), tensor(names[1], 2)]);
        container.sorted = true;
        let written = container.write();
        let view = FileView::open(&written.bytes, &Policy::PERMISSIVE).unwrap();
        assert_eq!(view.unchecked().names, !ascend);
        let region = Some(Region::Count(2));
        let mut parser = FixedFile::<256, 16, 16>::new(Policy::PERMISSIVE, region);
        let mut chunk = &written.bytes[..];
        while parser.next_event(&mut chunk).unwrap().is_some() {}
        assert_eq!(parser.finish().unwrap().unchecked.names, !ascend);
    }
}

/// However many there are.
#[test]
fn each_name_that_descends_is_told() {
    let names: Vec<String> = (0..14).rev().map(|k| format!("layer.{k:02}")).collect();
    let mut container = Container::new(names.iter().map(|name| tensor(name, 1)).collect());
    container.sorted = true;
    let written = container.write();
    let policy = Policy::PERMISSIVE;
    let mut reader = FileReader::new(std::io::Cursor::new(written.bytes), policy).unwrap();
    let mut told = Vec::new();
    reader
        .relaxed(|violation| told.push(violation.rule))
        .unwrap();
    assert_eq!(told, [Rule::SortedNames; 13]);
}
