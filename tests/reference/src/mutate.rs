//! Small damage to valid bytes.

use crate::choices::Choices;

const BYTES: [u8; 10] = [0, 1, 2, 3, 4, 0x7F, 0x80, 0xF0, 0xFE, 0xFF];
const WORDS: [u64; 8] = [
    0,
    1,
    u64::MAX,
    u64::MAX - 1,
    1 << 63,
    1 << 32,
    0xFFFF_FFFF,
    1 << 20,
];

/// A copy of `bytes` with one to three changes.
pub fn mutate(c: &mut Choices<'_>, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let count = [1, 1, 1, 2, 3][c.below(5) as usize];
    for _ in 0..count {
        change(c, &mut bytes);
    }
    bytes
}

fn change(c: &mut Choices<'_>, bytes: &mut Vec<u8>) {
    let Some(at) = place(c, bytes.len()) else {
        return;
    };
    match c.below(12) {
        0..=3 => bytes[at] = c.pick(&BYTES),
        4 => bytes[at] ^= 1 << c.below(8),
        5 => bytes[at] = bytes[at].wrapping_add(1),
        6 => bytes[at] = bytes[at].wrapping_sub(1),
        7 => {
            let word = c.pick(&WORDS).to_le_bytes();
            let len = c.pick(&[2, 4, 8]).min(bytes.len() - at);
            bytes[at..at + len].copy_from_slice(&word[..len]);
        }
        8 => bytes[at] = c.byte(),
        9 => {
            let len = c.below(9) as usize;
            bytes.splice(at..at, vec![c.byte(); len]);
            restate_length(bytes);
        }
        10 => {
            let end = (at + c.below(9) as usize).min(bytes.len());
            bytes.drain(at..end);
            restate_length(bytes);
        }
        _ => bytes.truncate(at),
    }
}

/// Any byte, the fixed header more often than others.
fn place(c: &mut Choices<'_>, len: usize) -> Option<usize> {
    let at = match c.below(4) {
        0 => c.below(20),
        _ => c.below(len.max(1) as u64),
    };
    (len > 0).then(|| (at as usize).min(len - 1))
}

/// Makes `descriptor_length` that of the bytes, so that what moved is looked at.
fn restate_length(bytes: &mut [u8]) {
    let len = (bytes.len() as u32).to_le_bytes();
    if let Some(field) = bytes.get_mut(6..10) {
        field.copy_from_slice(&len);
    }
}
