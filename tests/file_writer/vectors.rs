//! The accepted files among the vectors, written again from what a reader makes of them.

use hrry::{Exact, FileIndex, FileItems, FileOptions, FileView};

use super::writer;
use crate::support::sinks::Limited;
use crate::support::vectors::{Vector, files};

/// Files that are placed as a writer places them. The others have zeros up to the alignment behind the last
/// buffer or a head, another order of the index, no checksum, or a later version.
const SAME: &[&str] = &[
    "f-ok-ref-scalar-empty",
    "f-ok-ref-unicode",
    "f-ok-ref-long-name",
    "f-ok-ref-align-8192",
    "f-ok-ref-csf",
    "f-ok-no-tensors",
    "f-ok-empty-tensor",
    "f-ok-sorted-flag-empty",
    "f-ok-kv-empty-section",
    "f-ok-kv-empty-values",
    "f-ok-kv-only",
    "f-ok-kv-limits",
    "f-ok-kv-large-array",
    "f-ok-kv-many",
];

fn rewritten(v: &Vector, view: FileView<'_>, index: FileIndex<'_, '_>) -> Vec<u8> {
    let mut options = FileOptions::PLAIN;
    options.data_buffer_alignment = view.header().data_buffer_alignment;
    options.tensor_count_hint = view.header().tensor_count_hint;
    options.has_kv_metadata = view.header().has_kv_metadata() || view.kv().next().is_some();
    let ascend = index.in_order().map(|entry| entry.name).is_sorted();
    options.is_sorted = view.header().is_sorted() && ascend;
    let mut sink = Limited::unlimited();
    let mut writer = writer(&mut sink, &options, v.policy).unwrap();
    let mut items = FileItems::new(view, index, Exact, Vec::new(), v.policy);
    while let Some(item) = items.next_item().unwrap() {
        let name = item.tensor.entry().name;
        let buffers: Vec<&[u8]> = item.tensor.buffers().collect();
        writer
            .tensor(name, item.tensor.descriptor(), &buffers)
            .unwrap();
    }
    let (_, len) = writer.finish_with_kv(view.kv()).unwrap();
    assert_eq!(len, sink.bytes.len() as u64);
    sink.bytes
}

type Opened<'a, 's> = (FileView<'a>, FileIndex<'a, 's>);

/// Names, descriptors and buffers in the order of their places, and the keys.
fn assert_same(a: Opened<'_, '_>, b: Opened<'_, '_>, v: &Vector) {
    assert!(a.0.kv().eq(b.0.kv()), "{}", v.id);
    assert_eq!(a.1.in_order().count(), b.1.in_order().count(), "{}", v.id);
    for (x, y) in a.1.in_order().zip(b.1.in_order()) {
        assert_eq!(x.name, y.name, "{}", v.id);
        let x = a.0.tensor(&x, &v.policy).unwrap();
        let y = b.0.tensor(&y, &v.policy).unwrap();
        assert!(x.buffers().eq(y.buffers()), "{}", v.id);
        crate::support::spec::assert_same_fields(x.descriptor(), y.descriptor(), &v.id);
    }
}

#[test]
fn accepted_files_are_written_again() {
    let mut same = Vec::new();
    let files = files();
    for v in files.iter().filter(|v| v.accept) {
        let mut words = vec![0; 2048];
        let read = FileView::open_with_scratch(&v.bytes, &v.policy, &mut words).unwrap();
        let bytes = rewritten(v, read.0, read.1);
        let mut words = vec![0; 2048];
        let again = FileView::open_with_scratch(&bytes, &v.policy, &mut words).unwrap();
        assert_same(read, again, v);
        if bytes == v.bytes {
            same.push(&v.id[..]);
        } else {
            assert_ne!(skeleton(&read.0), skeleton(&again.0), "{}", v.id);
        }
    }
    assert_eq!(same, SAME);
}

/// Everything that a writer decides: header, places, order of the index.
fn skeleton(view: &FileView<'_>) -> impl PartialEq + std::fmt::Debug + use<> {
    let entries = view.entries().map(|entry| {
        let places = [entry.offset, entry.descriptor_offset, entry.data_offset];
        (places, entry.descriptor_length)
    });
    (*view.header(), *view.trailer(), entries.collect::<Vec<_>>())
}
