//! Each known difference between containers of the reference and of `hrry`, by a container made for it: what
//! the reference writes and the format forbids, what it refuses and the format allows, and what both may
//! write differently. Composites are in `file_composites.rs`.

use hrry::owned::GrowFrame;
use hrry::{BufferHandle, DeviceTag, Exact, FileOptions, FileView, FileWriter, Policy, SyncMode};
use hrry_reference_tests::deviations;
use hrry_reference_tests::files::container::Container;
use hrry_reference_tests::files::flags::{FLAGS, HAS_KV_METADATA, without_checksum};
use hrry_reference_tests::files::here::{Here, view, we_write};
use hrry_reference_tests::files::kv::{Scalar, Value};
use hrry_reference_tests::files::small::{both_read, eight, tensor};
use hrry_reference_tests::files::there::{they_read, they_write, they_write_with};
use hrry_reference_tests::policy;
use hrry_reference_tests::streams::ready;
use hurray_core::descriptor::TensorDescriptor;
use hurray_io::file::KvValue;

/// FILE-45, AMB-100 and AMB-101: the format states no rule for handles at rest, the reference keeps all of
/// them. We read them, and write none that a map of the file could not keep.
#[test]
fn handles_that_mean_nothing_in_a_file() {
    let aligned = BufferHandle::cpu(8, 8192);
    let synced = BufferHandle {
        device_tag: DeviceTag(1),
        sync_mode: SyncMode(1),
        ..BufferHandle::cpu(8, 64)
    };
    for handle in [aligned, synced] {
        let container = Container::of(vec![tensor(&[8], handle)]);
        both_read(&they_write(&container).unwrap());
        let refused = we_write(&container, Policy::STRICT).unwrap_err();
        assert!(refused.to_string().starts_with("FILE-45"), "{refused}");
    }
}

/// FILE-31 and AMB-92: HAS_KV_METADATA is fixed before the first byte. The reference, which learns of keys at
/// the end, never sets it. Nothing else differs.
#[test]
fn keys_that_were_not_announced() {
    let mut container = Container::of(vec![eight()]);
    let value = Value::One(Scalar::String("a sensor".into()));
    container.kv = vec![("model".into(), value)];
    let mut theirs = they_write(&container).unwrap();
    let ours = we_write(&container, Policy::STRICT).unwrap();
    let announced = |file: &[u8]| file[FLAGS] & HAS_KV_METADATA > 0;
    assert_eq!((announced(&theirs), announced(&ours)), (false, true));
    assert_eq!(both_read(&theirs), both_read(&ours));
    theirs[FLAGS] |= HAS_KV_METADATA;
    assert_eq!(theirs, ours);
}

/// FILE-38 and AMB-93: a section that was announced is there, if need be without keys. The reference never
/// writes one without keys, and reads it.
#[test]
fn a_section_without_keys() {
    let mut options = FileOptions::PLAIN;
    options.has_kv_metadata = true;
    let (index, arena) = (GrowFrame::new(), Vec::new());
    let policy = Policy::STRICT;
    let writer = FileWriter::with_parts(Vec::new(), &options, index, Exact, arena, policy);
    let (file, _) = writer.unwrap().finish().unwrap();
    // header, kv_count, zeros to a multiple of 8, index_entry_count, trailer
    assert_eq!(file.len(), 64 + 4 + 4 + 8 + 40);
    assert_eq!(both_read(&file), Here::default());
    // kv_length
    assert_eq!(file[80 + 24..80 + 28], [4, 0, 0, 0]);
    let none = they_write(&Container::of(vec![])).unwrap();
    assert_eq!(none.len(), 64 + 8 + 40);
    assert_eq!(both_read(&none), Here::default());
}

/// FILE-36 and AMB-96: an array may have no elements. The reference reads such arrays and writes none.
#[test]
fn empty_arrays() {
    let mut container = Container::of(vec![]);
    let arrays = (1..=6).map(|tag| (tag.to_string(), Value::Array(tag, vec![])));
    container.kv = arrays.collect();
    let here = both_read(&we_write(&container, Policy::STRICT).unwrap());
    assert_eq!(here.kv, container.kv);
    let refused = they_write(&container).unwrap_err();
    assert!(refused.contains("KV array must not be empty"), "{refused}");
}

/// FILE-36: neither writes arrays of arrays or of several types; `KvArray` cannot even say them.
#[test]
fn arrays_that_are_none() {
    let inner = KvValue::Array(vec![KvValue::Int64(1)]);
    let mixed = vec![KvValue::Int64(1), KvValue::Uint64(1)];
    for elements in [vec![inner], mixed] {
        let kv = vec![("k".to_owned(), KvValue::Array(elements))];
        assert!(they_write_with(&Container::of(vec![]), kv).is_err());
    }
}

/// FILE-35 and AMB-96: a value of a private type has no length. The reference refuses the file; so do we, but
/// in permissive mode the keys in front of it are read.
#[test]
fn values_of_private_types() {
    let mut container = Container::of(vec![eight()]);
    let one = |number| Value::One(Scalar::Uint64(number));
    container.kv = vec![("a".into(), one(1)), ("b".into(), one(2))];
    let mut file = we_write(&container, Policy::STRICT).unwrap();
    // header, descriptor and buffer, then the count, an entry of 12 bytes, and the second key
    let tag = 4096 + 8 + 4 + 12 + 3;
    assert_eq!(file[tag - 1..=tag], [b'b', 3]);
    file[tag] = 0xF0;
    assert!(they_read(&file).is_err());
    let error = view(&file, Policy::STRICT).unwrap_err();
    assert_eq!(error.rule().map(|rule| rule.id()), Some("FILE-35"));
    let here = view(&file, Policy::PERMISSIVE).unwrap();
    assert_eq!(here.kv, container.kv[..1]);
}

/// Descriptors that only the reference accepts: it writes them into files, and we name the rule when the
/// tensor is asked for. The file around them is right.
#[test]
fn descriptors_that_break_a_rule() {
    let (mut written, mut not_written) = (0, Vec::new());
    for row in deviations::all() {
        let descriptor = TensorDescriptor::decode(&row.bytes).unwrap();
        let sizes = descriptor.buffers.iter().map(|handle| handle.byte_size());
        let sizes: Vec<u64> = sizes.collect();
        let name = row.name;
        // what it decoded is not what it writes, or nobody has so many bytes
        let encoded = descriptor.encode().ok();
        if encoded.as_deref() != Some(&row.bytes) || sizes.iter().any(|size| *size > 1 << 20) {
            not_written.push(name);
            continue;
        }
        let buffers: Vec<Vec<u8>> = sizes.iter().map(|size| vec![0; *size as usize]).collect();
        let slices: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
        let mut writer = ready(hurray_io::file::FileWriter::new(Vec::new())).unwrap();
        ready(writer.write_tensor(name, &descriptor, &slices)).unwrap();
        let file = ready(writer.finish(vec![])).unwrap();
        let opened = FileView::open(&file, &policy()).unwrap();
        let entry = opened.find(name).unwrap();
        let error = opened.tensor(&entry, &policy()).unwrap_err();
        let rule = error.rule().map(|rule| rule.id());
        assert_eq!(rule, Some(row.rule), "{name}: {error}");
        written += 1;
    }
    // a stated length, and flags that are read as 0 or 1; and one tensor is too large to exist
    let flags = [
        "has_nan 9",
        "has_inf 9",
        "is_signed 9",
        "has_nan 9 of a float",
    ];
    let others = ["minor 1, 200 bytes declared, 61 present", "2^80 elements"];
    let known = |name: &&str| flags.contains(name) || others.contains(name);
    not_written.retain(|name| !known(name));
    assert_eq!(not_written, ["COO is_sorted 2"]);
    assert_eq!(written + 7, deviations::all().len());
}

/// Both refuse names and keys that are empty, too long for their length, or there twice; the longest are
/// written and read.
#[test]
fn names_and_keys_at_their_limits() {
    let named = |names: &[&str]| {
        let mut container = Container::of(names.iter().map(|_| eight()).collect());
        container.names = names.iter().map(|name| (*name).to_owned()).collect();
        container
    };
    let keyed = |keys: &[&str]| {
        let mut container = Container::of(vec![eight()]);
        let pair = |key: &&str| ((*key).to_owned(), Value::One(Scalar::Bool(true)));
        container.kv = keys.iter().map(pair).collect();
        container
    };
    let (longest, longer) = ("n".repeat(65_535), "n".repeat(65_536));
    for container in [named(&[&longest]), keyed(&[&longest])] {
        both_read(&they_write(&container).unwrap());
        both_read(&we_write(&container, Policy::STRICT).unwrap());
    }
    for wrong in [&["a", "b", "a"][..], &[""], &[&longer]] {
        for (container, rule) in [(named(wrong), "FILE-17"), (keyed(wrong), "FILE-33")] {
            assert!(they_write(&container).is_err());
            let refused = we_write(&container, Policy::STRICT).unwrap_err();
            assert!(refused.to_string().starts_with(rule), "{refused}");
        }
    }
}

/// Both refuse a file that has a name or a key twice; in permissive mode the first of the names is found,
/// and keys are refused still.
#[test]
fn names_and_keys_that_are_there_twice() {
    let mut container = Container::of(vec![eight(), eight()]);
    let value = || Value::One(Scalar::Bool(true));
    container.kv = vec![("a".into(), value()), ("b".into(), value())];
    let file = we_write(&container, Policy::STRICT).unwrap();
    // two descriptors and buffers, the count, an entry of 5 bytes, and the length of the second key
    let key = 2 * 4096 + 8 + 4 + 5 + 2;
    // the last entry has 35 bytes
    let name = file.len() - 40 - 35 + 2;
    assert_eq!((file[key], file[name]), (b'b', b'1'));
    for (at, byte, rule) in [(key, b'a', "FILE-33"), (name, b'0', "FILE-17")] {
        let mut file = without_checksum(&file);
        both_read(&file);
        file[at] = byte;
        assert!(they_read(&file).is_err());
        let error = view(&file, Policy::STRICT).unwrap_err();
        let id = error.rule().map(|rule| rule.id());
        assert_eq!((id, error.offset()), (Some(rule), at as u64), "{error}");
        let mut scratch = [0; 6];
        let opened = FileView::open_with_scratch(&file, &Policy::PERMISSIVE, &mut scratch);
        let first = opened.ok().and_then(|(_, index)| index.find("0"));
        let offset = first.map(|entry| entry.descriptor_offset);
        assert_eq!(offset, (rule == "FILE-17").then_some(64));
    }
}
