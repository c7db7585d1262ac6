//! Streams and containers over `std::io`, with memory of their own.

use std::hint::black_box;
use std::io::Cursor;

use hrry::io_std::{FileReader, IoError, StreamReader, read_events};
use hrry::owned::{Item, ItemReader};
use hrry::{BufferHandle, DescriptorSpec, ElementType, Event, Layout, Policy, StreamDecoder};

use crate::cases::bytes_of;
use crate::file::{container, names, open, unchecked};
use crate::measure::{Group, Op};
use crate::stream::{read_all, ready};

fn stream(count: usize, len: usize) -> Vec<u8> {
    let buffers = [BufferHandle::cpu(len as u64, 64)];
    let shape = [len as u64];
    let spec = DescriptorSpec::new(ElementType::UInt8, &shape, Layout::RowMajor, &buffers);
    let mut tensor = bytes_of(&spec);
    tensor.resize(tensor.len() + len, 0x5A);
    tensor.repeat(count)
}

fn pushed(mut stream: &[u8]) -> impl Iterator<Item = Item> {
    let mut reader = ItemReader::new(Policy::STRICT);
    std::iter::from_fn(move || reader.next_item(&mut stream).expect("valid"))
}

fn owning(stream: &[u8]) -> impl Iterator<Item = Item> {
    let mut reader = StreamReader::new(stream, Policy::STRICT);
    std::iter::from_fn(move || reader.next_item().expect("valid"))
}

fn borrowing(stream: &[u8]) -> usize {
    let mut len = 0;
    let mut decoder = StreamDecoder::growing(Policy::STRICT);
    let read = read_events(&mut decoder, stream, |event| {
        if let Event::Payload(payload) = event {
            len += black_box(payload.bytes).len();
        }
        Ok::<(), IoError>(())
    });
    read.expect("valid");
    len
}

/// Tensors of one size, given up one after the other; the copy is of all bytes at once.
fn streaming(name: &str, count: usize, len: usize) -> Group {
    let stream: &'static [u8] = stream(count, len).leak();
    Group {
        name: format!("io/{name}"),
        unit: "stream",
        ops: vec![
            Op::new("reference", move || {
                assert_eq!(read_all(black_box(stream)), count as u32);
            }),
            Op::new("copy", move || black_box(stream).to_vec()),
            Op::new("pushed", move || {
                assert_eq!(pushed(black_box(stream)).map(black_box).count(), count);
            }),
            Op::new("owning", move || {
                assert_eq!(owning(black_box(stream)).map(black_box).count(), count);
            }),
            Op::new("borrowing", move || {
                assert_eq!(borrowing(black_box(stream)), count * len);
            }),
        ],
    }
}

/// Tensors of one size, all kept to the end: apart from those that are given up, which would find their memory in
/// pieces.
fn keeping(name: &str, count: usize, len: usize) -> Group {
    let stream: &'static [u8] = stream(count, len).leak();
    Group {
        name: format!("io/{name}_kept"),
        unit: "stream",
        ops: vec![
            Op::new("copy", move || black_box(stream).to_vec()),
            Op::new("owning", move || {
                let items: Vec<Item> = owning(black_box(stream)).collect();
                assert_eq!(items.len(), count);
                items
            }),
        ],
    }
}

fn opening(name: &str, file: Vec<u8>) -> Group {
    let file: &'static [u8] = file.leak();
    Group {
        name: format!("io/open_{name}"),
        unit: "file",
        ops: vec![
            Op::new("reference", move || open(black_box(file))),
            Op::new("reader", move || {
                FileReader::new(Cursor::new(black_box(file)), Policy::STRICT).expect("valid")
            }),
        ],
    }
}

/// Every tensor by its name, in the order of the file.
fn reading() -> Group {
    let file: &'static [u8] = container().leak();
    let names: &'static [String] = names().collect::<Vec<_>>().leak();
    let mut theirs = open(file);
    let mut ours = FileReader::new(Cursor::new(file), Policy::STRICT).expect("valid");
    Group {
        name: "io/read_by_name".into(),
        unit: "tensor",
        ops: vec![
            Op::new("reference", move || {
                for name in names {
                    let tensor = ready(theirs.read_tensor(black_box(name)));
                    black_box(&tensor.expect("it is there"));
                }
            })
            .per(names.len()),
            Op::new("reader", move || {
                for name in names {
                    let item = ours.read(black_box(name)).expect("valid");
                    black_box(&item.expect("it is there"));
                }
            })
            .per(names.len()),
        ],
    }
}

pub fn groups() -> Vec<Group> {
    let checked = container();
    vec![
        streaming("1000_of_4KiB", 1000, 4 << 10),
        keeping("1000_of_4KiB", 1000, 4 << 10),
        streaming("one_of_256MiB", 1, 256 << 20),
        opening("plain", unchecked(checked.clone())),
        opening("crc", checked),
        reading(),
    ]
}
