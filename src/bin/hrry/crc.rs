//! CRC-32C (Castagnoli). Fifteen lines, so no dependency.

/// The polynomial 0x1EDC6F41, bits reversed.
const POLYNOMIAL: u32 = 0x82F6_3B78;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// The checksum of `bytes` behind bytes with the checksum `crc`; 0 to begin with.
pub fn crc32c(crc: u32, bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!crc, |crc, byte| {
        (crc >> 8) ^ TABLE[usize::from(crc as u8 ^ byte)]
    })
}

#[cfg(test)]
mod tests {
    use super::crc32c;

    #[test]
    fn check_value() {
        assert_eq!(crc32c(0, b"123456789"), 0xE306_9283);
        for split in 0..9 {
            let (head, tail) = b"123456789".split_at(split);
            assert_eq!(crc32c(crc32c(0, head), tail), 0xE306_9283);
        }
    }
}
