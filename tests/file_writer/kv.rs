//! Key-value sections: every type of value, and what is refused.

use hrry::{
    F64Bits, Field, FileOptions, FileView, KvArray, KvEntry, KvValue, Order, Policy, Rule,
    WriteError,
};

use super::{Result, file, plain, writer};
use crate::support::sinks::Limited;

fn entry<'k>(key: &'k str, value: KvValue<'k>) -> KvEntry<'k> {
    KvEntry { key, value }
}

/// Entries, and their bytes by hand: `key_length`, the key, `value_tag`, the value.
pub fn pool() -> Vec<(KvEntry<'static>, Vec<u8>)> {
    let array = |array: KvArray<'static>| KvValue::Array(array);
    let floats = &[
        F64Bits(0x3FE0_0000_0000_0000),
        F64Bits(0xBFF0_0000_0000_0000),
    ];
    let none: &[i64] = &[];
    let texts: &[&[u8]] = &[b"", b"ab"];
    [
        (
            entry("s", KvValue::String("hé")),
            &b"\x01\0s\x01\x03\0\0\0h\xC3\xA9"[..],
        ),
        (
            entry("i", KvValue::Int64(-5)),
            b"\x01\0i\x02\xFB\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
        ),
        (
            entry("u", KvValue::Uint64(u64::MAX - 1)),
            b"\x01\0u\x03\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
        ),
        (
            entry("f", KvValue::Float64(F64Bits::from(2.5))),
            b"\x01\0f\x04\0\0\0\0\0\0\x04\x40",
        ),
        (entry("t", KvValue::Bool(true)), b"\x01\0t\x05\x01"),
        (entry("no", KvValue::Bool(false)), b"\x02\0no\x05\0"),
        (
            entry("y", KvValue::Bytes(&[0, 1, 255])),
            b"\x01\0y\x06\x03\0\0\0\0\x01\xFF",
        ),
        (entry(" ", KvValue::String("")), b"\x01\0 \x01\0\0\0\0"),
        (
            entry("as", array((&["x", "yz"]).into())),
            b"\x02\0as\x07\x01\x02\0\0\0\x01\0\0\0x\x02\0\0\0yz",
        ),
        (
            entry("ai", array((&[-1i64, 2]).into())),
            b"\x02\0ai\x07\x02\x02\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02\0\0\0\0\0\0\0",
        ),
        (
            entry("au", array((&[7u64]).into())),
            b"\x02\0au\x07\x03\x01\0\0\0\x07\0\0\0\0\0\0\0",
        ),
        (
            entry("af", array(floats.into())),
            b"\x02\0af\x07\x04\x02\0\0\0\0\0\0\0\0\0\xE0\x3F\0\0\0\0\0\0\xF0\xBF",
        ),
        (
            entry("ab", array((&[false, true, true]).into())),
            b"\x02\0ab\x07\x05\x03\0\0\0\0\x01\x01",
        ),
        (
            entry("ay", array(texts.into())),
            b"\x02\0ay\x07\x06\x02\0\0\0\0\0\0\0\x02\0\0\0ab",
        ),
        (
            entry("none", array(none.into())),
            b"\x04\0none\x07\x02\0\0\0\0",
        ),
    ]
    .map(|(entry, bytes)| (entry, bytes.to_vec()))
    .to_vec()
}

/// `kv_count`, then the entries.
pub fn section(pool: &[(KvEntry<'_>, Vec<u8>)]) -> Vec<u8> {
    let mut section = (pool.len() as u32).to_le_bytes().to_vec();
    pool.iter().for_each(|(_, bytes)| section.extend(bytes));
    section
}

pub fn announced() -> FileOptions {
    let mut options = FileOptions::PLAIN;
    options.has_kv_metadata = true;
    options
}

#[test]
fn every_type_of_value_is_written_as_the_tables_say() {
    let pool = pool();
    let entries: Vec<KvEntry<'_>> = pool.iter().map(|(entry, _)| *entry).collect();
    let section = section(&pool);
    let bytes = file(&announced(), &[], &entries);
    // behind the header; HAS_KV_METADATA and HAS_INDEX_CRC32C
    assert_eq!(bytes[64..64 + section.len()], section);
    assert_eq!(bytes[12..16], [5, 0, 0, 0]);
    let trailer = &bytes[bytes.len() - 40..];
    assert_eq!(trailer[16..24], 64u64.to_le_bytes());
    assert_eq!(trailer[24..28], (section.len() as u32).to_le_bytes());
    let view = FileView::open(&bytes, &Policy::STRICT).unwrap();
    assert!(view.kv().eq(entries.iter().copied()));
    // what was read is written as it was lent
    let again: Vec<KvEntry<'_>> = view.kv().collect();
    assert_eq!(file(&announced(), &[], &again), bytes);
    let mut sink = Limited::unlimited();
    let writer = writer(&mut sink, &announced(), Policy::STRICT).unwrap();
    writer.finish_with_kv(view.kv()).unwrap();
    assert_eq!(sink.bytes, bytes);
}

/// 64 for the header, 4 for `kv_count` and 4 to a multiple of 8, 8 for `index_entry_count`, 40.
#[test]
fn a_section_that_was_announced_is_there_without_keys() {
    let bytes = file(&announced(), &[], &[]);
    assert_eq!(bytes.len(), 64 + 8 + 8 + 40);
    assert_eq!(bytes[64..80], [0; 16]);
    let trailer = &bytes[80..];
    assert_eq!(trailer[..8], 72u64.to_le_bytes());
    assert_eq!(trailer[16..28], [64, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0]);
}

fn finish(options: &FileOptions, kv: &[KvEntry<'_>]) -> Result {
    let mut sink = Limited::unlimited();
    let writer = writer(&mut sink, options, Policy::STRICT).unwrap();
    let result = writer.finish_with_kv(kv.iter().copied()).map(drop);
    assert!(
        result.is_ok() || sink.bytes.len() == 64,
        "nothing was written"
    );
    result
}

#[test]
fn keys_need_a_section_that_was_announced() {
    let one = [entry("k", KvValue::Bool(true))];
    let refused = Err(WriteError::Order(Order::NoKvSection));
    assert_eq!(finish(&FileOptions::PLAIN, &one), refused);
    assert_eq!(Order::NoKvSection.rule(), Rule::KvPromise);
    assert_eq!(finish(&FileOptions::PLAIN, &[]), Ok(()));
    assert_eq!(finish(&announced(), &one), Ok(()));
    let mut sink = Limited::unlimited();
    plain(&mut sink).finish().unwrap();
    assert_eq!(sink.bytes[12..16], [4, 0, 0, 0]);
}

#[test]
fn keys_are_refused_where_a_reader_would_refuse_them() {
    let value = KvValue::Bool(true);
    let broken = |kv: &[KvEntry<'_>], rule, field| {
        let Err(WriteError::Refused(kind)) = finish(&announced(), kv) else {
            panic!("{kv:?}");
        };
        assert_eq!((kind.rule(), kind.field()), (Some(rule), Some(field)));
    };
    let longest = "k".repeat(65_535);
    let too_long = "k".repeat(65_536);
    assert_eq!(finish(&announced(), &[entry(&longest, value)]), Ok(()));
    let length = Field::KeyLength;
    broken(&[entry(&too_long, value)], Rule::KvKey, length);
    broken(&[entry("a", value), entry("", value)], Rule::KvKey, length);
    let [a, b] = ["a", "b"].map(|key| entry(key, value));
    broken(&[a, b, a], Rule::KvKey, Field::Key);
    let other = entry("b", KvValue::Int64(1));
    broken(&[a, b, other], Rule::KvKey, Field::Key);
    // 2^16 times 2^16 bytes
    let zeros = vec![0; 1 << 16];
    let many = vec![&zeros[..]; 1 << 16];
    let huge = entry("k", KvValue::Array((&many[..]).into()));
    broken(&[huge], Rule::KvEntries, Field::KvLength);
}

#[test]
fn arrays_are_equal_by_type_and_elements() {
    let none: &[i64] = &[];
    let nothing: &[u64] = &[];
    let one = KvArray::from(&[1i64]);
    assert_ne!(KvArray::from(none), KvArray::from(nothing));
    assert_ne!(one, KvArray::from(&[1u64]));
    assert_ne!(one, KvArray::from(&[1i64, 2]));
    assert_ne!(one, KvArray::from(none));
    assert_eq!(one, KvArray::from(&[1i64][..]));
    assert_eq!(
        (one.element_tag(), one.len(), one.is_empty()),
        (2, 1, false)
    );
    assert!(KvArray::from(none).is_empty());
    // lent, and as it stands in a file
    let bytes = file(&announced(), &[], &[entry("k", KvValue::Array(one))]);
    let view = FileView::open(&bytes, &Policy::STRICT).unwrap();
    let read = view.kv().next().map(|entry| entry.value);
    assert_eq!(read, Some(KvValue::Array(one)));
    assert_ne!(read, Some(KvValue::Array((&[2i64]).into())));
}
