//! Bytes of a container that are set by hand.

/// First byte of `file_flags`.
pub const FLAGS: usize = 12;
pub const HAS_KV_METADATA: u8 = 1;
const HAS_INDEX_CRC32C: u8 = 4;

/// The file as a writer without checksums would have left it.
pub fn without_checksum(file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    assert!(
        file[FLAGS] & HAS_INDEX_CRC32C > 0,
        "both writers set the flag"
    );
    file[FLAGS] &= !HAS_INDEX_CRC32C;
    let crc = file.len() - 12;
    file[crc..crc + 4].fill(0);
    file
}
