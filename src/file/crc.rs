//! CRC-32C (Castagnoli), eight bytes at a time.

/// The polynomial 0x1EDC6F41, bits reversed.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// What a byte does to the checksum with 0 to 7 bytes behind it.
static TABLES: [[u32; 256]; 8] = tables();

/// The checksum of `bytes` behind bytes with the checksum `crc`; 0 to begin with.
///
/// ```
/// let crc = hrry::crc32c(0, b"12345");
/// assert_eq!(hrry::crc32c(crc, b"6789"), 0xE306_9283);
/// ```
#[must_use]
pub fn crc32c(crc: u32, bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<8>();
    let crc = words.iter().fold(!crc, |crc, word| {
        let word = u64::from_le_bytes(*word) ^ u64::from(crc);
        let effects = word.to_le_bytes().into_iter().zip(TABLES.iter().rev());
        effects.fold(0, |crc, (byte, table)| crc ^ look_up(table, byte))
    });
    let [nearest, ..] = &TABLES;
    !rest.iter().fold(crc, |crc, byte| {
        let [low, ..] = crc.to_le_bytes();
        crc.wrapping_shr(8) ^ look_up(nearest, low ^ byte)
    })
}

#[inline]
fn look_up(table: &[u32; 256], byte: u8) -> u32 {
    table.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Runs at compile time only.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::as_conversions
)]
const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut behind = 1;
    while behind < 8 {
        let mut byte = 0;
        while byte < 256 {
            let crc = tables[behind - 1][byte];
            tables[behind][byte] = (crc >> 8) ^ tables[0][(crc & 0xFF) as usize];
            byte += 1;
        }
        behind += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::crc32c;

    #[test]
    fn check_values() {
        assert_eq!(crc32c(0, b"123456789"), 0xE306_9283);
        // RFC 3720, B.4
        assert_eq!(crc32c(0, &[0; 32]), 0x8A91_36AA);
        assert_eq!(crc32c(0, &[0xFF; 32]), 0x62A8_AB43);
    }

    #[test]
    fn cuts_do_not_matter() {
        for split in 0..=9 {
            let (head, tail) = b"123456789".split_at(split);
            assert_eq!(crc32c(crc32c(0, head), tail), 0xE306_9283);
        }
    }
}
