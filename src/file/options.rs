//! What a container promises before its first byte is out.

use super::sections::FileHeader;
use crate::wire::container::{FILE_HEADER, LEAST_DATA_ALIGNMENT, file_flag};
use crate::wire::length;

/// What a container promises in its first bytes; start from [`FileOptions::PLAIN`] and change fields. Fields may be
/// added, so that `FileOptions { .., ..FileOptions::PLAIN }` does not compile outside this crate.
///
/// ```
/// use hrry::FileOptions;
/// let mut options = FileOptions::PLAIN;
/// options.data_buffer_alignment = 1 << 16;
/// options.has_kv_metadata = true;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct FileOptions {
    /// What buffers are aligned to, in bytes: a power of two from 4,096 to 2,097,152.
    pub data_buffer_alignment: u32,
    /// How many tensors are expected; `u64::MAX` where that is not known. Nothing follows from it.
    pub tensor_count_hint: u64,
    /// Whether there will be a key-value section. It is there then, if need be without keys.
    pub has_kv_metadata: bool,
    /// Whether names will ascend by bytes.
    pub is_sorted: bool,
}

impl FileOptions {
    /// Pages of 4,096 bytes, an unknown number of tensors in any order, no key-value section.
    pub const PLAIN: FileOptions = FileOptions {
        data_buffer_alignment: LEAST_DATA_ALIGNMENT,
        tensor_count_hint: u64::MAX,
        has_kv_metadata: false,
        is_sorted: false,
    };

    /// What the file starts with.
    pub(super) fn header(&self) -> FileHeader {
        let when = |promised: bool, flag: u32| if promised { flag } else { 0 };
        FileHeader {
            version_minor: 0,
            file_flags: file_flag::INDEX_CRC32C
                | when(self.has_kv_metadata, file_flag::KV_METADATA)
                | when(self.is_sorted, file_flag::SORTED_INDEX),
            data_buffer_alignment: self.data_buffer_alignment,
            first_descriptor_offset: length(FILE_HEADER),
            tensor_count_hint: self.tensor_count_hint,
        }
    }
}

impl Default for FileOptions {
    fn default() -> Self {
        FileOptions::PLAIN
    }
}
