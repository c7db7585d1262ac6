//! What several test files share: the vectors, normalised traces of a stream parser, plain descriptors
//! with an encoder of their own.
//!
//! Knows the public API only. Nothing here decides whether input is valid.
//!
//! The environment variable `HRRY_TEST_SCALE` is a whole number, 1 where it is not set. Tests that
//! sample look at one case of `k` at scale 1 and at one of `k / n` at scale `n`; tests with random
//! input make `n` times as many runs. At scale 100 only the longest inputs are still sampled. Plain
//! `cargo test` is meant for scale 1, `cargo test --release` for scale 100.

#![allow(dead_code)] // every test file uses a part of it

pub mod bytes;
pub mod container;
pub mod contents;
pub mod describe;
pub mod files;
pub mod front;
pub mod generate;
pub mod messages;
pub mod ranges;
pub mod reading;
pub mod regions;
pub mod scale;
pub mod sinks;
pub mod source;
pub mod spec;
pub mod trace;
pub mod trees;
pub mod vectors;
pub mod walk;

/// CRC-32C, bit by bit; the check value of `"123456789"` is `0xE3069283`.
pub fn crc32c(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0x82F6_3B78 } else { 0 };
        }
    }
    !crc
}

#[test]
fn crc32c_has_its_check_value() {
    assert_eq!(crc32c(b"123456789"), 0xE306_9283);
}
