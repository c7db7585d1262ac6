//! Containers of many small tensors: opening one, and reading all of them by name.

use std::hint::black_box;
use std::io::Cursor;

use hrry::{BufferHandle, DescriptorSpec, ElementType, FileIndex, FileView, Layout, Policy};
use hurray_core::TensorDescriptor;
use hurray_io::file::reader::FileReader;
use hurray_io::file::writer::FileWriter;

use crate::cases::bytes_of;
use crate::measure::{Group, Op};
use crate::stream::ready;

const TENSORS: usize = 10_000;
const DATA: [u8; 16] = [0x5A; 16];
const BUFFERS: [BufferHandle; 1] = [BufferHandle::cpu(DATA.len() as u64, 64)];

type Reader = FileReader<Cursor<&'static [u8]>>;

pub fn names() -> impl Iterator<Item = String> {
    (0..TENSORS).map(|k| format!("model.layers.{}.weight.{k}", k / 100))
}

/// The same names, each far from its neighbours.
fn scattered() -> impl Iterator<Item = String> {
    // a prime that is no divisor of the count visits each place once
    let name = |k| format!("model.layers.{}.weight.{k}", k / 100);
    (0..TENSORS).map(move |k| name(k * 7919 % TENSORS))
}

pub fn container() -> Vec<u8> {
    written(names())
}

/// Written by the reference.
fn written(names: impl Iterator<Item = String>) -> Vec<u8> {
    let shape = [2, 2];
    let spec = DescriptorSpec::new(ElementType::Float32, &shape, Layout::RowMajor, &BUFFERS);
    let descriptor = TensorDescriptor::decode(&bytes_of(&spec)).expect("valid");
    ready(async {
        let mut writer = FileWriter::new(Vec::new())
            .await
            .expect("a vector takes all");
        for name in names {
            let written = writer.write_tensor(&name, &descriptor, &[&DATA]).await;
            written.expect("a vector takes all");
        }
        writer.finish(Vec::new()).await.expect("a vector takes all")
    })
}

/// The same without its checksum.
pub fn unchecked(mut file: Vec<u8>) -> Vec<u8> {
    // bit 2 of file_flags, and index_crc32c, 28 bytes into the trailer of 40
    file[12] &= !4;
    let crc = file.len() - 40 + 28;
    file[crc..crc + 4].fill(0);
    file
}

pub fn open(file: &'static [u8]) -> Reader {
    ready(FileReader::open(Cursor::new(file))).expect("valid")
}

/// A table in memory that is never given back, for contestants that live as long.
fn index(file: &'static [u8]) -> (FileView<'static>, FileIndex<'static, 'static>) {
    let scratch = vec![0; 2 * TENSORS].leak();
    FileView::open_with_scratch(file, &Policy::STRICT, scratch).expect("valid")
}

/// With and without a checksum over the index, and with names that are in no order.
pub fn opening() -> Vec<Group> {
    let checked = container();
    let plain = unchecked(checked.clone());
    let group = |name: &str, file: Vec<u8>| {
        let file: &'static [u8] = file.leak();
        assert_eq!(open(file).index.len(), TENSORS);
        let mut scratch = vec![0; 2 * TENSORS];
        Group {
            name: format!("file/open_{name}"),
            unit: "file",
            ops: vec![
                Op::new("reference", move || open(black_box(file))),
                Op::new("open", move || {
                    FileView::open(black_box(file), &Policy::STRICT).expect("valid")
                }),
                Op::new("with_scratch", move || {
                    let file = black_box(file);
                    let opened = FileView::open_with_scratch(file, &Policy::STRICT, &mut scratch);
                    let (view, index) = opened.expect("valid");
                    black_box(&index);
                    view
                }),
            ],
        }
    };
    let scattered = unchecked(written(scattered()));
    vec![
        group("plain", plain),
        group("crc", checked),
        group("scattered", scattered),
    ]
}

/// Every tensor by its name, in the order of the file.
fn reading() -> Group {
    let file: &'static [u8] = container().leak();
    let names: &'static [String] = names().collect::<Vec<_>>().leak();
    let mut reader = open(file);
    let (view, index) = index(file);
    Group {
        name: "file/read_by_name".into(),
        unit: "tensor",
        ops: vec![
            Op::new("reference", move || {
                for name in names {
                    let tensor = ready(reader.read_tensor(black_box(name))).expect("it is there");
                    assert_eq!(black_box(&tensor).buffers[0].len(), DATA.len());
                }
            })
            .per(TENSORS),
            Op::new("hrry", move || {
                for name in names {
                    let entry = index.find(black_box(name)).expect("it is there");
                    let tensor = view.tensor(&entry, &Policy::STRICT).expect("valid");
                    let buffer = tensor.buffers().next().expect("it has one");
                    assert_eq!(black_box(buffer).len(), DATA.len());
                }
            })
            .per(TENSORS),
        ],
    }
}

pub fn groups() -> Vec<Group> {
    let mut groups = opening();
    groups.push(reading());
    groups
}
