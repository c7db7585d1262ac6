//! Containers with places of 2^32 and above, on targets whose addresses have 32 bits: such a place is used or
//! refused, and never cut to its low half.

mod fields;
mod pipe;
mod sparse;

pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    sparse::run(check);
    fields::run(check);
    // the interpreter has no time for 2^32 bytes
    if !cfg!(miri) {
        check("far: written and read front to back", pipe::holds());
    }
}

use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, encode};

/// Bytes of the descriptor of a vector.
const DESCRIPTOR: usize = 53;

/// A key, `k`, with the number 7.
const KEYS: [u8; 16] = *b"\x01\0\0\0\x01\0k\x03\x07\0\0\0\0\0\0\0";

/// The descriptor of a uint8 vector.
fn vector(size: u64) -> [u8; DESCRIPTOR] {
    let (shape, buffers) = ([size], [BufferHandle::cpu(size, 64)]);
    let spec = DescriptorSpec::new(ElementType::UInt8, &shape, Layout::RowMajor, &buffers);
    let mut out = [0; DESCRIPTOR];
    assert_eq!(encode(&spec, &mut out, &Policy::STRICT), Ok(DESCRIPTOR));
    out
}

/// Bytes that are put one behind the other.
struct Record<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Record<N> {
    const fn new() -> Self {
        Record {
            bytes: [0; N],
            len: 0,
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        self.bytes[self.len..end].copy_from_slice(bytes);
        self.len = end;
    }

    fn word(&mut self, word: u64) {
        self.put(&word.to_le_bytes());
    }

    /// An entry of an index.
    fn entry(&mut self, name: &str, descriptor_offset: u64, data_offset: u64, data_length: u64) {
        self.put(&(name.len() as u16).to_le_bytes());
        self.put(name.as_bytes());
        self.word(descriptor_offset);
        self.put(&(DESCRIPTOR as u32).to_le_bytes());
        self.word(data_offset);
        self.word(data_length);
        self.put(&[0; 4]);
    }

    /// A trailer without a checksum; the keys are [`KEYS`].
    fn trailer(&mut self, index_offset: u64, index_length: u64, kv_offset: u64) {
        self.word(index_offset);
        self.word(index_length);
        self.word(kv_offset);
        self.put(&(KEYS.len() as u32).to_le_bytes());
        self.put(&[0; 8]);
        self.put(b"HRRY");
    }
}

/// A header that announces keys; 4,096 bytes of alignment, the first descriptor at 64.
fn header(hint: u64) -> [u8; 64] {
    let mut header = Record::<64>::new();
    header.put(b"HRRYFILE\x01\0\0\0\x01\0\0\0\0\x10\0\0");
    header.word(64);
    header.word(hint);
    header.bytes
}
