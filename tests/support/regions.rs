//! Where the tensors of a container end, as a caller of a front-to-back reader would know.

use hrry::Region;

/// The last 40 bytes as a trailer: index_offset, index_length, kv_offset, kv_length.
pub fn trailer(bytes: &[u8]) -> Option<[u64; 4]> {
    let trailer = &bytes[bytes.len().checked_sub(40)?..];
    let word = |at: usize| u64::from_le_bytes(trailer[at..at + 8].try_into().unwrap());
    Some([word(0), word(8), word(16), word(24) & u64::from(u32::MAX)])
}

/// Where the trailer says that tensors end.
pub fn ends_at(bytes: &[u8]) -> Region {
    let [index, _, kv, _] = trailer(bytes).unwrap_or_default();
    Region::EndsAt(if kv == 0 { index } else { kv.min(index) })
}

/// How many entries the index has, if the file has such a place.
pub fn count(bytes: &[u8]) -> Option<Region> {
    let at = usize::try_from(trailer(bytes)?[0]).ok()?;
    let head = bytes.get(at..at.checked_add(8)?)?;
    Some(Region::Count(u64::from_le_bytes(head.try_into().unwrap())))
}
