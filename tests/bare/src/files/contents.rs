//! Everything that a reader tells of a container, as one number that does not depend on the reader.

use hrry::{DescriptorView, Entry, Fields, FileDirectory, FileHeader, KvEntry, KvValue, Trailer};

/// FNV-1a of 64 bits.
#[derive(Clone, Copy)]
pub struct Fold(pub u64);

impl Fold {
    pub const fn new() -> Self {
        Fold(0xCBF2_9CE4_8422_2325)
    }

    /// A tensor so far, its descriptor.
    pub fn tensor(descriptor: &DescriptorView<'_>) -> Self {
        let mut fold = Fold::new();
        fold.number(descriptor.origin());
        fold.bytes(descriptor.as_bytes());
        fold
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        }
    }

    pub fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.bytes(text);
    }
}

/// Header, keys, entries and trailer in this order, and tensors in any.
pub struct Contents {
    fold: Fold,
    tensors: u64,
}

impl Contents {
    pub fn new() -> Self {
        Contents {
            fold: Fold::new(),
            tensors: 0,
        }
    }

    pub fn header(&mut self, header: &FileHeader) {
        self.fold.number(header.version_minor.into());
        self.fold.number(header.file_flags.into());
        self.fold.number(header.data_buffer_alignment.into());
        self.fold.number(header.first_descriptor_offset);
        self.fold.number(header.tensor_count_hint);
    }

    /// A tensor whose bytes were all there.
    pub fn tensor(&mut self, tensor: Fold) {
        self.tensors = self.tensors.wrapping_add(tensor.0);
    }

    pub fn kv(&mut self, entry: &KvEntry<'_>) {
        self.fold.text(entry.key.as_bytes());
        self.value(&entry.value);
    }

    fn value(&mut self, value: &KvValue<'_>) {
        match *value {
            KvValue::String(text) => self.fold.text(text.as_bytes()),
            KvValue::Int64(number) => self.fold.number(number.cast_unsigned()),
            KvValue::Uint64(number) => self.fold.number(number),
            KvValue::Float64(bits) => self.fold.number(bits.0),
            KvValue::Bool(truth) => self.fold.number(truth.into()),
            KvValue::Bytes(bytes) => self.fold.text(bytes),
            KvValue::Array(array) => {
                self.fold.number(array.len().into());
                array.iter().for_each(|element| self.value(&element));
            }
            _ => unreachable!("a value that the trace does not know"),
        }
    }

    pub fn entry(&mut self, entry: &Entry<'_>) {
        self.fold.text(entry.name.as_bytes());
        self.fold.number(entry.descriptor_offset);
        self.fold.number(entry.descriptor_length.into());
        self.fold.number(entry.data_offset);
        self.fold.number(entry.data_length);
        self.fold.number(entry.offset);
    }

    pub fn trailer(&mut self, trailer: &Trailer) {
        self.fold.number(trailer.index_offset);
        self.fold.number(trailer.index_length);
        self.fold.number(trailer.kv_offset);
        self.fold.number(trailer.kv_length.into());
        self.fold.number(trailer.index_crc32c.into());
    }

    /// All but the tensors.
    pub fn directory(&mut self, directory: &FileDirectory<'_>) {
        self.header(directory.header());
        directory.kv().for_each(|entry| self.kv(&entry));
        directory.entries().for_each(|entry| self.entry(&entry));
        self.trailer(directory.trailer());
    }

    pub fn sum(&self) -> u64 {
        self.fold.0 ^ self.tensors
    }
}
