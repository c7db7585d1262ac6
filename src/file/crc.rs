//! CRC-32C (Castagnoli): eight bytes at a time where memory is wide, with a small table elsewhere.

use core::slice;

/// The polynomial 0x1EDC6F41, bits reversed.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// How many bytes are taken at a time, for each of which there is a table of 1 KiB.
const WIDTH: usize = match usize::BITS {
    64.. => 8,
    _ => 1,
};

/// What a byte does to the checksum with so many bytes behind it.
static TABLES: [[u32; 256]; WIDTH] = tables();

/// The checksum of `bytes` behind bytes with the checksum `crc`; 0 to begin with.
///
/// ```
/// let crc = hrry::crc32c(0, b"12345");
/// assert_eq!(hrry::crc32c(crc, b"6789"), 0xE306_9283);
/// ```
#[must_use]
pub fn crc32c(crc: u32, bytes: &[u8]) -> u32 {
    let lane = bytes.len().wrapping_div(4) & !7;
    if WIDTH == 1 || lane < WORTH_LANES {
        return !follow(!crc, bytes);
    }
    // each step waits for the one before, so four parts are stepped through at once
    let (a, rest) = bytes.split_at_checked(lane).unwrap_or((bytes, &[]));
    let (b, rest) = rest.split_at_checked(lane).unwrap_or((rest, &[]));
    let (c, rest) = rest.split_at_checked(lane).unwrap_or((rest, &[]));
    let (d, rest) = rest.split_at_checked(lane).unwrap_or((rest, &[]));
    let mut states = [!crc, u32::MAX, u32::MAX, u32::MAX];
    for (((a, b), c), d) in words(a).zip(words(b)).zip(words(c)).zip(words(d)) {
        let [sa, sb, sc, sd] = states;
        states = [step(sa, a), step(sb, b), step(sc, c), step(sd, d)];
    }
    let shift = zeros(lane);
    let [first, others @ ..] = states;
    let joined = others
        .iter()
        .fold(!first, |crc, state| multiply(shift, crc) ^ !state);
    !follow(!joined, rest)
}

fn words(bytes: &[u8]) -> slice::Iter<'_, [u8; 8]> {
    bytes.as_chunks().0.iter()
}

/// Bytes of a part from which on four of them save more than joining them costs.
const WORTH_LANES: usize = 1024;

/// The state of the checksum behind `bytes`.
fn follow(state: u32, bytes: &[u8]) -> u32 {
    let (words, rest) = match WIDTH {
        1 => (&[][..], bytes),
        _ => bytes.as_chunks(),
    };
    let state = words.iter().fold(state, step);
    let [nearest, ..] = &TABLES;
    rest.iter().fold(state, |state, byte| {
        let [low, ..] = state.to_le_bytes();
        state.wrapping_shr(8) ^ look_up(nearest, low ^ byte)
    })
}

#[inline]
fn step(state: u32, word: &[u8; 8]) -> u32 {
    let word = u64::from_le_bytes(*word) ^ u64::from(state);
    let effects = word.to_le_bytes().into_iter().zip(TABLES.iter().rev());
    effects.fold(0, |state, (byte, table)| state ^ look_up(table, byte))
}

/// What so many zero bytes multiply a checksum by, as polynomials over two elements.
fn zeros(count: usize) -> u32 {
    // x to the 8th, bits reversed
    let mut power = 1u32 << 23;
    // x to the 0th
    let mut product = 1u32 << 31;
    let mut count = count;
    while count > 0 {
        if count & 1 == 1 {
            product = multiply(product, power);
        }
        power = multiply(power, power);
        count = count.wrapping_shr(1);
    }
    product
}

/// The product of two polynomials of reversed bits, modulo the polynomial of the checksum.
fn multiply(a: u32, b: u32) -> u32 {
    let mut product = 0;
    let mut power = b;
    for bit in (0..u32::BITS).rev() {
        if a.wrapping_shr(bit) & 1 == 1 {
            product ^= power;
        }
        let reduced = if power & 1 == 1 { POLYNOMIAL } else { 0 };
        power = power.wrapping_shr(1) ^ reduced;
    }
    product
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
const fn tables() -> [[u32; 256]; WIDTH] {
    let mut tables = [[0; 256]; WIDTH];
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
    while behind < WIDTH {
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

    /// Long input goes in four parts; one byte at a time it never does.
    #[test]
    fn parts_do_not_matter() {
        let bytes: std::vec::Vec<u8> = (0..20_000u32).map(|k| ((k * k) >> 5) as u8).collect();
        let lens: &[usize] = match cfg!(miri) {
            true => &[4095, 4100],
            false => &[4095, 4096, 4097, 8191, 8200, 12_345, 20_000],
        };
        for len in lens.iter().copied() {
            let whole = crc32c(7, &bytes[..len]);
            let piecemeal = bytes[..len]
                .iter()
                .fold(7, |crc, byte| crc32c(crc, &[*byte]));
            assert_eq!(whole, piecemeal, "{len}");
        }
    }
}
