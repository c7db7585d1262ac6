//! A container in memory: tables against passes over the index, strict against permissive, and every
//! place inside the file.

use hrry::{
    Entry, ErrorKind, Exact, FileIndex, FileItems, FileView, Mode, Policy, Rule, TensorView,
};

/// Words that are lent; larger tables are left to tests.
const SCRATCH: usize = 1024;
/// Data of tensors is a multiple of so many bytes into a file, which is far for a fuzzer: a hole of zeros
/// takes the place of [`KEPT`] to here.
const DATA: usize = 4096;
/// Header and a descriptor of 61 bytes, to a multiple of 8.
const KEPT: usize = 128;

/// Panics where the ways differ.
pub fn file_view(data: &[u8]) {
    read(data);
    if let Some((front, behind)) = data.split_at_checked(KEPT) {
        let mut stretched = front.to_vec();
        stretched.resize(DATA, 0);
        stretched.extend(behind);
        read(&stretched);
    }
}

fn read(file: &[u8]) {
    let strict = whole(file, &Policy::STRICT);
    let permissive = whole(file, &Policy::PERMISSIVE);
    assert!(!strict || permissive, "only permissive mode refuses");
}

/// Whether everything about the file is right.
fn whole(file: &[u8], policy: &Policy) -> bool {
    let view = match FileView::open(file, policy) {
        Ok(view) => view,
        Err(error) => {
            assert!(error.offset() <= file.len() as u64, "{error:?}");
            assert!(error.rule().is_some(), "{error:?}");
            return false;
        }
    };
    keys(&view);
    let entries: Vec<Entry<'_>> = view.entries().collect();
    assert_eq!(entries.len() as u64, view.tensor_count());
    let mut scratch = [0xA5A5_A5A5_A5A5_A5A5; SCRATCH];
    let needed = view.scratch_words() as usize;
    if needed > SCRATCH {
        return false;
    }
    if let Some(short) = needed.checked_sub(1) {
        let error = view.index(policy, &mut scratch[..short]).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Capacity { .. }),
            "{error:?}"
        );
    }
    match view.index(policy, &mut scratch[..needed]) {
        Ok(index) => {
            tables(&view, &entries, &index);
            places(file, &view, &entries, policy) & items(file, view, index, policy)
        }
        Err(error) => {
            assert!(error.offset() <= file.len() as u64, "{error:?}");
            refused(&view, &entries, error.rule(), policy);
            false
        }
    }
}

fn keys(view: &FileView<'_>) {
    for kv in view.kv() {
        assert!(!kv.key.is_empty());
        if let hrry::KvValue::Array(array) = kv.value {
            assert_eq!(array.iter().count(), array.len() as usize);
        }
    }
}

/// Names and places of the tables are those of a pass over the index.
fn tables(view: &FileView<'_>, entries: &[Entry<'_>], index: &FileIndex<'_, '_>) {
    for entry in entries {
        let found = view.find(entry.name);
        assert_eq!(index.find(entry.name), found);
        assert!(found.is_some_and(|found| found.offset <= entry.offset));
        let longer = format!("{}\0", entry.name);
        assert_eq!(index.find(&longer), view.find(&longer));
    }
    assert_eq!(index.find(""), None);
    let mut sorted = entries.to_vec();
    sorted.sort_by_key(|entry| (entry.descriptor_offset, entry.offset));
    assert!(index.in_order().eq(sorted));
}

/// What the tables refuse is there, found by comparing all with all.
fn refused(view: &FileView<'_>, entries: &[Entry<'_>], rule: Option<Rule>, policy: &Policy) {
    let pairs = |same: &dyn Fn(&Entry<'_>, &Entry<'_>) -> bool| {
        let others = |(k, a)| entries[..k].iter().any(|b| same(a, b));
        entries.iter().enumerate().any(others)
    };
    let twice = match rule {
        Some(Rule::KvKey) => {
            let keys: Vec<&str> = view.kv().map(|kv| kv.key).collect();
            let others = |(k, key)| keys[..k].contains(key);
            keys.iter().enumerate().any(others)
        }
        _ if policy.mode == Mode::Permissive => panic!("{rule:?} is relaxed"),
        Some(Rule::EntryName) => pairs(&|a, b| a.name == b.name),
        Some(Rule::SectionOrder) => pairs(&|a, b| {
            let (first, next) = match a.descriptor_offset < b.descriptor_offset {
                true => (a, b),
                false => (b, a),
            };
            let descriptor = u64::from(first.descriptor_length);
            let data = match first.data_length {
                0 => 0,
                length => first.data_offset + length,
            };
            data.max(first.descriptor_offset + descriptor) > next.descriptor_offset
        }),
        rule => panic!("{rule:?} takes no table"),
    };
    assert!(twice, "{rule:?} without a reason");
}

/// Whether all tensors are right; those that are lie where index and descriptor say.
fn places(file: &[u8], view: &FileView<'_>, entries: &[Entry<'_>], policy: &Policy) -> bool {
    let mut right = true;
    for entry in entries {
        match view.tensor(entry, policy) {
            Ok(tensor) => inside(file, &tensor),
            Err(error) => {
                assert!(error.offset() <= file.len() as u64, "{error:?}");
                right = false;
            }
        }
    }
    right
}

fn inside(file: &[u8], tensor: &TensorView<'_>) {
    let place = |bytes: &[u8]| bytes.as_ptr() as usize - file.as_ptr() as usize;
    let entry = tensor.entry();
    let descriptor = tensor.descriptor();
    assert_eq!(descriptor.as_bytes().len() as u32, entry.descriptor_length);
    assert_eq!(place(descriptor.as_bytes()) as u64, entry.descriptor_offset);
    let mut end = entry.data_offset;
    for (k, buffer) in tensor.buffers().enumerate() {
        let handle = descriptor.buffer(k).expect("a buffer has a handle");
        assert_eq!(buffer.len() as u64, handle.byte_size);
        if !buffer.is_empty() {
            let start = place(buffer) as u64;
            assert!(start >= end && (k > 0 || start == end));
            end = start + handle.byte_size;
        }
        assert_eq!(tensor.buffer(k), Some(buffer));
    }
    assert_eq!(tensor.buffers().count(), descriptor.buffer_count());
    assert!(end <= entry.data_offset.saturating_add(entry.data_length));
}

/// Whether the tensors make whole composites.
fn items(file: &[u8], view: FileView<'_>, index: FileIndex<'_, '_>, policy: &Policy) -> bool {
    let mut items = FileItems::new(view, index, Exact, Vec::new(), *policy);
    let mut names = index.in_order().map(|entry| entry.name);
    loop {
        let result = match items.next_item() {
            Ok(Some(item)) => {
                assert_eq!(Some(item.tensor.entry().name), names.next());
                continue;
            }
            Ok(None) => {
                assert_eq!(names.next(), None);
                items.finish()
            }
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            assert!(error.offset() <= file.len() as u64, "{error:?}");
            assert_eq!(items.finish(), Err(error));
        }
        return result.is_ok();
    }
}
