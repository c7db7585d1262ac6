//! Where the fields of a container file are.
//!
//! ```text
//! header   0 HRRYFILE   8 major   9 minor   10 reserved   12 file_flags u32   16 data_buffer_alignment u32
//!          20 first_descriptor_offset u64   28 tensor_count_hint u64   36 reserved, to 64
//! index    0 index_entry_count u64, then for each tensor, with n = name_length:
//!   entry  0 name_length u16   2 name   2+n descriptor_offset u64   10+n descriptor_length u32
//!          14+n data_offset u64   22+n data_length u64   30+n flags u32, to 34+n
//! keys     0 kv_count u32, then for each: key_length u16 | key | value_tag u8 | value
//! trailer  0 index_offset u64   8 index_length u64   16 kv_offset u64   24 kv_length u32
//!          28 index_crc32c u32   32 reserved   36 HRRY, to 40
//! ```

use crate::error::Field;

pub(crate) const FILE_MAGIC: [u8; 8] = *b"HRRYFILE";
pub(crate) const CONTAINER_VERSION_MAJOR: u8 = 1;
pub(crate) const FILE_HEADER: usize = 64;
pub(crate) const TRAILER: usize = 40;
/// Bytes of `index_entry_count`.
pub(crate) const INDEX_HEAD: usize = 8;
/// Bytes of an entry in front of its name.
pub(crate) const ENTRY_HEAD: usize = 2;
/// Bytes of an entry behind its name.
pub(crate) const ENTRY_TAIL: usize = 32;
/// Bytes of the smallest entry.
pub(crate) const ENTRY_MINIMUM: usize = ENTRY_HEAD + 1 + ENTRY_TAIL;
/// Bytes of `kv_count`.
pub(crate) const KV_HEAD: usize = 4;
/// What descriptors and sections are aligned to.
pub(crate) const PLACEMENT: u64 = 8;
pub(crate) const LEAST_DATA_ALIGNMENT: u32 = 4096;
pub(crate) const MOST_DATA_ALIGNMENT: u32 = 2 << 20;

/// Bits of `file_flags`.
pub(crate) mod file_flag {
    pub(crate) const KV_METADATA: u32 = 1;
    pub(crate) const SORTED_INDEX: u32 = 1 << 1;
    pub(crate) const INDEX_CRC32C: u32 = 1 << 2;
    pub(crate) const DEFINED: u32 = 7;
}

/// Tags of values in the key-value section.
pub(crate) mod kv_tag {
    pub(crate) const STRING: u8 = 1;
    pub(crate) const INT64: u8 = 2;
    pub(crate) const UINT64: u8 = 3;
    pub(crate) const FLOAT64: u8 = 4;
    pub(crate) const BOOL: u8 = 5;
    pub(crate) const BYTES: u8 = 6;
    pub(crate) const ARRAY: u8 = 7;
    pub(crate) const SCALARS: core::ops::RangeInclusive<u8> = STRING..=BYTES;
    pub(crate) const PRIVATE: core::ops::RangeInclusive<u8> = 0xF0..=0xFE;
}

/// Offset of a field in its record; fields behind a name or key count from its end.
pub(crate) const fn offset(field: Field) -> usize {
    match field {
        Field::ContainerVersionMajor | Field::IndexLength => 8,
        Field::ContainerVersionMinor => 9,
        Field::FileHeaderReserved => 10,
        Field::FileFlags => 12,
        Field::DataBufferAlignment | Field::KvOffset => 16,
        Field::FirstDescriptorOffset => 20,
        Field::TensorCountHint | Field::IndexCrc32c => 28,
        Field::FileHeaderTail | Field::TrailerMagic => 36,
        Field::KvLength => 24,
        Field::TrailerReserved => 32,
        Field::Name | Field::Key => ENTRY_HEAD,
        Field::EntryDescriptorLength => 8,
        Field::DataOffset => 12,
        Field::DataLength => 20,
        Field::EntryFlags => 28,
        // the first of their records
        _ => 0,
    }
}

/// The next multiple of a power of two, if there is one.
pub(crate) const fn align_up(offset: u64, alignment: u64) -> Option<u64> {
    let mask = alignment.wrapping_sub(1);
    match offset.checked_add(mask) {
        Some(sum) => Some(sum & !mask),
        None => None,
    }
}
