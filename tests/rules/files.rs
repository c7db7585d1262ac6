//! One rejecting case, or more, for each rule that the bytes of a container can break; the base of each is
//! accepted and has no checksum over what is changed.
//!
//! Offsets are absolute and sums in file order. `here` changes the bytes that the error names.

use hrry::owned::GrowFrame;
use hrry::{
    Error, ErrorKind, Exact, Field, FileEnd, FileParser, FileView, Permissive, Policy, Region, Rule,
};

use super::offsets::{Case, changed, cut, edits, here, insert, put, remove, u32, u64};
use super::special::violation;
use crate::support::files::read;
use crate::support::vectors::{files, named};

macro_rules! cases {
    ($($rule:literal $base:literal $field:ident @ $offset:expr => $change:expr;)*) => {
        vec![$(Case {
            rule: $rule,
            base: $base,
            field: Field::$field,
            index: 0,
            offset: $offset,
            change: $change,
        }),*]
    };
}

/// `f-ok-no-crc`: header 64, descriptor of 61 bytes at 64, data of 48 at 4096, and the index at 8192: count
/// 8, then the only entry, for `a`.
const INDEX: usize = 8192;
const ENTRY: usize = INDEX + 8;
/// `descriptor_offset` at 0, `descriptor_length` at 8, `data_offset` at 12, `data_length` at 20, flags at 28.
const PLACES: usize = ENTRY + 2 + 1;
const TRAILER: usize = PLACES + 32;

/// `f-ok-kv-nocrc-sorted`: heads of 45 bytes at 64 and 112, keys of 28 bytes at 160, the index at 192: count
/// 8, `a` for the second head and `b` for the first, 35 bytes each.
const A: usize = 192 + 8;
const B: usize = A + 35;
/// The keys: count 4, then key length 2, key 1, tag 1, value 8 for `z` and for `a`.
const KEY_Z: usize = 160 + 4;
const KEY_A: usize = KEY_Z + 12;

/// `f-ok-kv-only`: 13 bytes of keys at 64: count 4, length 2, key 1, tag 1, length 4, text 1; the index of 8
/// bytes at 80, the trailer at 88.
const KEYS: usize = 64;
const TAG: usize = KEYS + 4 + 2 + 1;
const TEXT: usize = TAG + 1 + 4;
const KEYS_TRAILER: usize = 88;

/// What permissive mode does is what the table says of the rule.
#[rustfmt::skip]
fn as_the_table_says() -> Vec<Case> {
    cases! {
    "FILE-01" "f-ok-no-crc" FileMagic @ 0 => here([b'h']);
    "FILE-01" "f-ok-no-crc" FileMagic @ 4 => here([1]);
    "FILE-01" "f-ok-no-crc" FileMagic @ 7 => here([b'e']);
    "FILE-02" "f-ok-no-crc" ContainerVersionMajor @ 8 => here([0]);
    "FILE-02" "f-ok-no-crc" ContainerVersionMajor @ 8 => here([2]);
    "FILE-03" "f-ok-no-crc" FileFlags @ 12 => here(u32(1 << 3));
    "FILE-03" "f-ok-minor-1" FileFlags @ 12 => here(u32(1 << 31 | 1 << 2));
    "FILE-04" "f-ok-no-crc" FileHeaderReserved @ 10 => here([1]);
    "FILE-04" "f-ok-no-crc" FileHeaderReserved @ 10 => here([0, 1]);
    "FILE-04" "f-ok-no-crc" FileHeaderTail @ 36 => here([1]);
    "FILE-04" "f-ok-no-crc" FileHeaderTail @ 36 => edits([put(63, vec![1])]);
    "FILE-05" "f-ok-no-crc" DataBufferAlignment @ 16 => here(u32(0));
    "FILE-05" "f-ok-no-crc" DataBufferAlignment @ 16 => here(u32(2048));
    "FILE-05" "f-ok-no-crc" DataBufferAlignment @ 16 => here(u32(4096 + 8));
    "FILE-05" "f-ok-no-crc" DataBufferAlignment @ 16 => here(u32(1 << 22));
    "FILE-06" "f-ok-no-crc" FirstDescriptorOffset @ 20 => here(u64(56));
    "FILE-06" "f-ok-no-crc" FirstDescriptorOffset @ 20 => here(u64(65));
    "FILE-06" "f-ok-no-crc" FirstDescriptorOffset @ 20 => here(u64(72));
    "FILE-06" "f-ok-no-crc" FirstDescriptorOffset @ 20 => here(u64(u64::MAX - 7));
    // the last place is that of the trailer, 112 - 40
    "FILE-06" "f-ok-no-tensors" FirstDescriptorOffset @ 20 => here(u64(80));
    "FILE-09" "f-ok-no-crc" TrailerMagic @ TRAILER + 36 => here([b'h']);
    "FILE-09" "f-ok-no-crc" TrailerMagic @ TRAILER + 36 => edits([put(TRAILER + 39, vec![b'Z'])]);
    "FILE-09" "f-ok-no-crc" TrailerMagic @ TRAILER + 37 => edits([insert(TRAILER + 40, vec![0])]);
    "FILE-09" "f-ok-no-crc" TrailerMagic @ TRAILER + 35 => edits([cut(TRAILER + 39)]);
    "FILE-10" "f-ok-no-crc" TrailerReserved @ TRAILER + 32 => here([0, 0, 0, 1]);
    "FILE-11" "f-ok-no-crc" IndexOffset @ TRAILER => here(u64(8193));
    "FILE-11" "f-ok-no-crc" IndexOffset @ TRAILER => here(u64(u64::MAX));
    // 43 bytes behind it is 2^64
    "FILE-11" "f-ok-no-crc" IndexOffset @ TRAILER => here(u64(u64::MAX - 42));
    // so many bytes behind 8192 is 2^64 + 128
    "FILE-11" "f-ok-no-crc" IndexOffset @ TRAILER => edits([put(TRAILER + 8, u64(u64::MAX - 8191 + 128))]);
    "FILE-11" "f-ok-no-crc" IndexOffset @ TRAILER => here(u64(INDEX as u64 | 1 << 32));
    "FILE-11" "f-ok-no-crc" IndexOffset @ TRAILER => edits([put(TRAILER + 8, u64(44))]);
    "FILE-11" "f-ok-no-crc" IndexOffset @ TRAILER => edits([put(TRAILER + 8, u64(43 | 1 << 32))]);
    "FILE-11" "f-ok-no-crc" IndexOffset @ TRAILER => edits([put(TRAILER + 8, u64(u64::MAX))]);
    "FILE-12" "f-ok-no-crc" IndexOffset @ TRAILER + 1 => edits([insert(INDEX, vec![0]), put(TRAILER + 1, u64(8193))]);
    "FILE-13" "f-ok-no-crc" IndexCrc32c @ TRAILER + 28 => edits([put(12, u32(1 << 2))]);
    // the trailer is at 112 - 40
    "FILE-13" "f-ok-no-tensors" IndexCrc32c @ 72 + 28 => here(u32(0));
    "FILE-13" "f-ok-no-tensors" IndexCrc32c @ 72 + 28 => edits([put(64, u64(1))]);
    "FILE-14" "f-ok-no-crc" IndexCrc32c @ TRAILER + 28 => here(u32(1 << 31));
    // 43 - 8 bytes are one entry at most
    "FILE-15" "f-ok-no-crc" IndexEntryCount @ INDEX => here(u64(2));
    "FILE-15" "f-ok-no-crc" IndexEntryCount @ INDEX => here(u64(1 << 32 | 1));
    "FILE-15" "f-ok-no-crc" IndexEntryCount @ INDEX => here(u64(1 << 61));
    "FILE-15" "f-ok-no-crc" IndexEntryCount @ INDEX => here(u64(u64::MAX));
    "FILE-15" "f-ok-no-crc" IndexEntryCount @ INDEX => edits([put(TRAILER + 8, u64(7))]);
    "FILE-15" "f-ok-no-crc" IndexEntryCount @ INDEX => edits([put(TRAILER + 8, u64(0))]);
    "FILE-15" "f-ok-no-crc" NameLength @ ENTRY => here([2, 0]);
    "FILE-15" "f-ok-no-crc" NameLength @ ENTRY => here([255, 255]);
    "FILE-15" "f-ok-kv-nocrc-sorted" NameLength @ B => here([2, 0]);
    "FILE-16" "f-ok-no-crc" IndexTail @ TRAILER => edits([insert(TRAILER, vec![0]), put(TRAILER + 1 + 8, u64(44))]);
    "FILE-16" "f-ok-kv-nocrc-sorted" IndexTail @ B => edits([put(192, u64(1)), put(20, u64(112))]);
    // without SORTED_INDEX
    "FILE-17" "f-ok-kv-nocrc-sorted" Name @ B + 2 => edits([put(12, u32(1)), put(B + 2, vec![b'a'])]);
    "FILE-18" "f-ok-kv-nocrc-sorted" Name @ B + 2 => here([b'A']);
    "FILE-18" "f-ok-kv-nocrc-sorted" Name @ B + 2 => here([b'a']);
    "FILE-19" "f-ok-no-crc" EntryFlags @ PLACES + 28 => here(u32(1));
    "FILE-19" "f-ok-no-crc" EntryFlags @ PLACES + 28 => here(u32(1 << 31));
    // the descriptor is moved by one byte; nobody looks at padding
    "FILE-20" "f-ok-no-crc" DescriptorOffset @ PLACES => edits([insert(64, vec![0]), remove(4096, 1), put(PLACES, u64(65))]);
    "FILE-21" "f-ok-no-crc" EntryDescriptorLength @ PLACES + 8 => here(u32(0));
    "FILE-21" "f-ok-no-crc" EntryDescriptorLength @ PLACES + 8 => here(u32(60));
    "FILE-21" "f-ok-no-crc" EntryDescriptorLength @ PLACES + 8 => here(u32(62));
    "FILE-22" "f-ok-no-crc" DataOffset @ PLACES + 12 => here(u64(0));
    "FILE-22" "f-ok-no-crc" DataOffset @ PLACES + 12 => here(u64(12288));
    "FILE-22" "f-ok-no-crc" DataOffset @ PLACES + 12 => here(u64(4096 | 1 << 32));
    // 48 bytes behind it is 2^64
    "FILE-22" "f-ok-no-crc" DataOffset @ PLACES + 12 => here(u64(u64::MAX - 47));
    "FILE-22" "f-ok-no-crc" DataOffset @ PLACES + 12 => edits([put(PLACES + 20, u64(u64::MAX))]);
    // 2^64 bytes less the place
    "FILE-22" "f-ok-no-crc" DataOffset @ PLACES + 12 => edits([put(PLACES + 20, u64(u64::MAX - 4095))]);
    // the buffer is larger than the file, whatever the index says; its handle is 45 bytes into the descriptor
    "FILE-22" "f-ok-no-crc" DataOffset @ PLACES + 12 => edits([put(64 + 45, u64(1 << 40))]);
    "FILE-22" "f-ok-no-crc" DataOffset @ PLACES + 12 => edits([put(64 + 45, u64(u64::MAX - 4095))]);
    "FILE-22" "f-ok-no-crc" DataOffset @ PLACES + 12 => edits([put(64 + 45, u64(u64::MAX))]);
    "FILE-23" "f-ok-no-crc" DataOffset @ PLACES + 12 => here(u64(4096 + 8));
    "FILE-23" "f-ok-no-crc" DataOffset @ PLACES + 12 => here(u64(2048));
    "FILE-23" "f-ok-no-crc" DataOffset @ PLACES + 12 => edits([put(16, u32(8192))]);
    "FILE-24" "f-ok-no-crc" DataLength @ PLACES + 20 => here(u64(49));
    // a head has none; `data_offset` is 157
    "FILE-24" "f-ok-kv-nocrc-sorted" DataLength @ A + 3 + 20 => here(u64(3));
    "FILE-30" "f-ok-no-crc" KvOffset @ TRAILER + 16 => edits([put(12, u32(1))]);
    "FILE-30" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => here(u64(0));
    "FILE-30" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => edits([put(KEYS_TRAILER + 24, u32(0))]);
    // moved by one byte, at the cost of one behind it
    "FILE-32" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => edits([insert(KEYS, vec![0]), remove(78, 1), put(KEYS_TRAILER + 16, u64(65))]);
    "FILE-33" "f-ok-kv-only" KeyLength @ KEYS + 4 => here([0, 0]);
    "FILE-33" "f-ok-kv-only" Key @ KEYS + 6 => here([0x80]);
    "FILE-33" "f-ok-kv-nocrc-sorted" Key @ KEY_A + 2 => here([b'z']);
    "FILE-34" "f-ok-kv-only" ValueTag @ TAG => here([0]);
    "FILE-34" "f-ok-kv-only" ValueTag @ TAG => here([8]);
    "FILE-34" "f-ok-kv-only" ValueTag @ TAG => here([0xEF]);
    "FILE-34" "f-ok-kv-only" ValueTag @ TAG => here([0xFF]);
    "FILE-34" "f-ok-kv-only" Value @ TEXT => here([0xC3]);
    // count, five entries of 14, 14, 15, 14 and 15 bytes, then length 2, key 1, tag 1
    "FILE-34" "f-ok-kv-limits" Value @ KEYS + 4 + 72 + 4 => here([2]);
    "FILE-35" "f-ok-kv-only" ValueTag @ TAG => here([0xF0]);
    "FILE-35" "f-ok-kv-only" ValueTag @ TAG => here([0xFE]);
    // count, two entries of 8 bytes, then length 2, key 1, tag 1
    "FILE-36" "f-ok-kv-empty-values" Value @ KEYS + 4 + 16 + 4 => here([0]);
    "FILE-36" "f-ok-kv-empty-values" Value @ KEYS + 4 + 16 + 4 => here([7]);
    "FILE-36" "f-ok-kv-empty-values" Value @ KEYS + 4 + 16 + 4 => here([0xF0]);
    "FILE-37" "f-ok-kv-only" KvTail @ KEYS + 13 => edits([put(KEYS_TRAILER + 24, u32(14))]);
    "FILE-37" "f-ok-kv-only" KvTail @ KEYS + 4 => edits([put(KEYS, u32(0))]);
    // keys of 13 bytes behind an index of 8
    "FILE-40" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => edits([insert(KEYS, vec![0; 8]), remove(85, 8), put(KEYS_TRAILER, u64(64)), put(KEYS_TRAILER + 16, u64(72))]);
    // the index of 43 bytes between descriptor and data
    "FILE-40" "f-ok-no-crc" DataOffset @ 128 + 8 + 3 + 12 => edits([put(128, index_of_one()), put(TRAILER, u64(128))]);
    // and in front of the descriptor
    "FILE-40" "f-ok-no-crc" DescriptorOffset @ 64 + 8 + 3 => edits([put(64, index_of_one()), put(64 + 8 + 3, u64(112)), put(112, descriptor()), put(20, u64(112)), put(TRAILER, u64(64))]);
    // the same descriptor twice, and one that starts where data ends
    "FILE-40" "f-ok-kv-nocrc-sorted" DescriptorOffset @ B + 3 => edits([put(A + 3, u64(64))]);
    "FILE-40" "f-ok-kv-nocrc-sorted" DescriptorOffset @ A + 3 => edits([put(B + 3 + 20, u64(4))]);
    }
}

/// Rules that permissive mode relaxes, broken by more than it tolerates.
#[rustfmt::skip]
fn beyond_what_is_relaxed() -> Vec<Case> {
    cases! {
    "FILE-12" "f-ok-no-crc" IndexOffset @ TRAILER => here(u64(56));
    "FILE-17" "f-ok-no-crc" Name @ ENTRY + 2 => here([0x80]);
    "FILE-17" "f-ok-no-crc" Name @ ENTRY + 2 => here([0xC3]);
    // the second name grows by the byte that the first one loses
    "FILE-17" "f-ok-kv-nocrc-sorted" NameLength @ A => edits([put(A, vec![0, 0]), remove(A + 2, 1), put(B - 1, vec![2, 0]), insert(B + 2, vec![b'c'])]);
    "FILE-20" "f-ok-no-crc" DescriptorOffset @ PLACES => here(u64(0));
    "FILE-20" "f-ok-no-crc" DescriptorOffset @ PLACES => here(u64(56));
    "FILE-20" "f-ok-no-crc" DescriptorOffset @ PLACES => here(u64(63));
    // 61 bytes from there is one more than in front of the trailer
    "FILE-20" "f-ok-no-crc" DescriptorOffset @ PLACES => here(u64(8175));
    "FILE-20" "f-ok-no-crc" DescriptorOffset @ PLACES => here(u64(64 | 1 << 32));
    // 61 bytes behind it is 2^64
    "FILE-20" "f-ok-no-crc" DescriptorOffset @ PLACES => here(u64(u64::MAX - 60));
    "FILE-20" "f-ok-no-crc" DescriptorOffset @ PLACES => here(u64(u64::MAX));
    "FILE-20" "f-ok-no-crc" DescriptorOffset @ PLACES => edits([put(PLACES + 8, u32(u32::MAX))]);
    "FILE-24" "f-ok-no-crc" DataLength @ PLACES + 20 => here(u64(47));
    "FILE-24" "f-ok-no-crc" DataLength @ PLACES + 20 => here(u64(0));
    "FILE-32" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => here(u64(56));
    // 13 bytes from there is one more than in front of the trailer
    "FILE-32" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => here(u64(76));
    "FILE-32" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => here(u64(64 | 1 << 32));
    "FILE-32" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => here(u64(u64::MAX - 12));
    "FILE-32" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => here(u64(u64::MAX));
    "FILE-32" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => edits([put(KEYS_TRAILER + 24, u32(u32::MAX))]);
    "FILE-32" "f-ok-kv-only" KvOffset @ KEYS_TRAILER + 16 => edits([put(KEYS_TRAILER + 24, u32(3))]);
    // half a place, although the header announces no keys
    "FILE-32" "f-ok-no-crc" KvOffset @ TRAILER + 16 => here(u64(64));
    "FILE-32" "f-ok-no-crc" KvOffset @ TRAILER + 16 => edits([put(TRAILER + 24, u32(8))]);
    // an entry that does not fit is more than a tail
    "FILE-37" "f-ok-kv-only" KeyLength @ KEYS + 13 => edits([put(KEYS, u32(2))]);
    "FILE-37" "f-ok-kv-only" KeyLength @ KEYS + 13 => edits([put(KEYS, u32(u32::MAX))]);
    "FILE-37" "f-ok-kv-only" KeyLength @ KEYS + 4 => edits([put(KEYS_TRAILER + 24, u32(5))]);
    "FILE-37" "f-ok-kv-only" Key @ KEYS + 6 => edits([put(KEYS + 4, vec![8, 0])]);
    "FILE-37" "f-ok-kv-only" ValueTag @ TAG => edits([put(KEYS_TRAILER + 24, u32(7))]);
    "FILE-37" "f-ok-kv-only" Value @ TAG + 1 => edits([put(KEYS_TRAILER + 24, u32(11))]);
    "FILE-37" "f-ok-kv-only" Value @ TEXT => edits([put(TAG + 1, u32(2))]);
    "FILE-37" "f-ok-kv-only" Value @ TEXT => edits([put(TAG + 1, u32(u32::MAX))]);
    // the array is the last of the section
    "FILE-37" "f-ok-kv-empty-values" Value @ KEYS + 29 => edits([put(KEYS + 25, u32(1))]);
    "FILE-37" "f-ok-kv-empty-values" Value @ KEYS + 29 => edits([put(KEYS + 25, u32(u32::MAX))]);
    }
}

/// The index of `f-ok-no-crc`.
fn index_of_one() -> Vec<u8> {
    [
        u64(1),
        vec![1, 0, b'a'],
        u64(64),
        u32(61),
        u64(4096),
        u64(48),
        u32(0),
    ]
    .concat()
}

/// The descriptor of `f-ok-no-crc`: float32 [3, 4], one buffer of 48 bytes.
fn descriptor() -> Vec<u8> {
    [
        b"HRRY\x01\x00".to_vec(),
        u32(61),
        u32(0),
        vec![3, 1],
        u32(2),
        u64(3),
        u64(4),
        u64(0),
        vec![1],
        u64(48),
        u32(64),
        u32(0),
    ]
    .concat()
}

pub(crate) fn cases() -> impl Iterator<Item = Case> {
    as_the_table_says()
        .into_iter()
        .chain(beyond_what_is_relaxed())
}

#[test]
fn every_rule_of_a_file_is_placed() {
    let vectors = files();
    for case in cases() {
        let base = named(&vectors, case.base);
        assert_eq!(read(&base.bytes, &Policy::STRICT), Ok(()), "{}", base.id);
        let result = read(&case.bytes(base), &Policy::STRICT);
        case.assert_error(result, 0);
    }
}

#[test]
fn permissive_mode_lets_pass_what_the_table_says() {
    let vectors = files();
    for case in as_the_table_says() {
        let result = read(&case.bytes(named(&vectors, case.base)), &Policy::PERMISSIVE);
        match case.rule().permissive() {
            Permissive::Reject => case.assert_error(result, 0),
            _ => assert_eq!(result, Ok(()), "{} from {}", case.rule, case.base),
        }
    }
}

#[test]
fn permissive_mode_tolerates_no_more_than_it_says() {
    let vectors = files();
    for case in beyond_what_is_relaxed() {
        assert_ne!(case.rule().permissive(), Permissive::Reject);
        let result = read(&case.bytes(named(&vectors, case.base)), &Policy::PERMISSIVE);
        case.assert_error(result, 0);
    }
}

/// FILE-08: where the file ends, and how many bytes of header and trailer are missing.
pub(crate) fn too_short() {
    let vectors = files();
    let whole = &named(&vectors, "f-ok-no-tensors").bytes;
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        assert_eq!(read(whole, &policy), Ok(()));
        for (len, missing) in [(0, 104), (7, 97), (8, 96), (63, 41), (64, 40), (103, 1)] {
            let error = FileView::open(&whole[..len], &policy).unwrap_err();
            let rule = Rule::FileLength;
            assert_eq!(error.kind(), ErrorKind::Truncated { rule, missing });
            assert_eq!(error.offset(), len as u64);
        }
        // header and trailer alone have no room for a count
        let no_checksum = [put(12, u32(0)), put(64 + 28, u32(0))];
        let bytes = changed(whole, &[remove(64, 8), put(64 + 8, u64(0))]);
        let bytes = changed(&bytes, &no_checksum);
        let error = read(&bytes, &policy).unwrap_err();
        assert_eq!(error.rule(), Some(Rule::IndexEntries));
    }
}

/// Data in front of its descriptor is refused, where only data behind it need be aligned.
#[test]
fn data_in_front_of_its_descriptor() {
    let vectors = files();
    let base = &named(&vectors, "f-ok-no-crc").bytes;
    let behind_data = [
        put(4144, descriptor()),
        put(20, u64(4144)),
        put(PLACES, u64(4144)),
    ];
    let inside = [put(PLACES + 12, u64(64))];
    // inside it, strict mode misses the alignment first
    for (edits, rule) in [
        (&behind_data[..], Rule::DataRange),
        (&inside[..], Rule::DataPlace),
    ] {
        let bytes = changed(base, edits);
        for (policy, rule) in [
            (Policy::STRICT, rule),
            (Policy::PERMISSIVE, Rule::DataRange),
        ] {
            let error = read(&bytes, &policy).unwrap_err();
            assert_eq!(error.rule(), Some(rule));
            assert_eq!(error.offset(), PLACES as u64 + 12);
        }
    }
}

/// The file of a case, read front to back as well.
fn front_to_back(bytes: &[u8], region: Region, policy: Policy) -> Result<FileEnd, Error> {
    let (frame, region) = (GrowFrame::new(), Some(region));
    let mut parser = FileParser::with_parts(frame, Exact, Vec::new(), Vec::new(), policy, region);
    let mut chunk = bytes;
    while parser.next_event(&mut chunk)?.is_some() {}
    parser.finish()
}

/// Where a file that is right says that tensors end.
fn region(bytes: &[u8]) -> Region {
    Region::EndsAt(FileView::open(bytes, &Policy::STRICT).unwrap().region_end())
}

#[test]
fn a_front_to_back_reader_refuses_every_case() {
    let vectors = files();
    for case in cases() {
        let base = named(&vectors, case.base);
        let region = region(&base.bytes);
        assert!(front_to_back(&base.bytes, region, Policy::STRICT).is_ok());
        let changed = front_to_back(&case.bytes(base), region, Policy::STRICT);
        assert!(changed.is_err(), "{} from {}", case.rule, case.base);
    }
}

/// FILE-26: between descriptor and data, behind data, and in front of the first descriptor.
pub(crate) fn padding() {
    let vectors = files();
    let base = &named(&vectors, "f-ok-no-crc").bytes;
    for (at, first) in [(125, 64), (4095, 64), (4144, 64), (8191, 64), (64, 72)] {
        let moved = [remove(125, 8), insert(64, vec![0; 8]), put(20, u64(72))];
        let base = match first {
            72 => changed(&changed(base, &moved), &[put(PLACES, u64(72))]),
            _ => base.clone(),
        };
        let region = region(&base);
        assert!(front_to_back(&base, region, Policy::STRICT).is_ok());
        let bytes = changed(&base, &[put(at, vec![1])]);
        let error = front_to_back(&bytes, region, Policy::STRICT).unwrap_err();
        let violation = violation(Rule::Padding, Field::Padding, 0);
        assert_eq!(error.kind(), ErrorKind::Rule(violation), "{at}");
        assert_eq!(error.offset(), at as u64);
        assert!(front_to_back(&bytes, region, Policy::PERMISSIVE).is_ok());
        assert!(read(&bytes, &Policy::STRICT).is_ok());
    }
}

/// FILE-44: a place that is inside a tensor, and one that is not where the sections start.
pub(crate) fn region_end() {
    let vectors = files();
    let bytes = &named(&vectors, "f-ok-no-crc").bytes;
    let cases = [
        (Region::EndsAt(4143), Field::Payload, 4143),
        (Region::EndsAt(8200), Field::Magic, 8192),
        (Region::Count(2), Field::Magic, 8192),
    ];
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        assert!(front_to_back(bytes, Region::Count(1), policy).is_ok());
        for (region, field, offset) in cases {
            let error = front_to_back(bytes, region, policy).unwrap_err();
            let violation = violation(Rule::RegionEnd, field, 0);
            assert_eq!(error.kind(), ErrorKind::Rule(violation), "{region:?}");
            assert_eq!(error.offset(), offset, "{region:?}");
        }
        // a trailer that places the index elsewhere: 43 bytes from 8184
        let moved = changed(bytes, &[put(TRAILER, u64(8184))]);
        let error = front_to_back(&moved, Region::Count(1), policy).unwrap_err();
        assert_eq!(error.rule(), Some(Rule::RegionEnd));
        assert_eq!(error.offset(), TRAILER as u64);
    }
}
