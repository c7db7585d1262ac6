//! The file that tensors stand for, put together from the byte tables without the library.

use hrry::FileOptions;

use crate::support::spec::Plain;
use crate::support::{bytes, crc32c};

/// A tensor, or the head of a composite, with the bytes of its buffers.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub name: String,
    pub plain: Plain,
    pub buffers: Vec<Vec<u8>>,
}

impl Tensor {
    pub fn new(name: &str, plain: Plain, buffers: &[&[u8]]) -> Self {
        Tensor {
            name: name.to_owned(),
            plain,
            buffers: buffers.iter().map(|buffer| buffer.to_vec()).collect(),
        }
    }
}

/// `section` is the whole key-value section, where one is announced.
pub fn file(options: &FileOptions, tensors: &[Tensor], section: Option<&[u8]>) -> Vec<u8> {
    let flags = 4 | u32::from(options.is_sorted) << 1 | u32::from(section.is_some());
    let mut out = b"HRRYFILE\x01\x00\x00\x00".to_vec();
    out.extend(flags.to_le_bytes());
    out.extend(options.data_buffer_alignment.to_le_bytes());
    out.extend(64u64.to_le_bytes());
    out.extend(options.tensor_count_hint.to_le_bytes());
    pad(&mut out, 64);
    let mut index = (tensors.len() as u64).to_le_bytes().to_vec();
    for tensor in tensors {
        pad(&mut out, 8);
        let start = out.len() as u64;
        out.extend(bytes::encode(&tensor.plain));
        let length = out.len() as u32 - start as u32;
        let mut places = Vec::new();
        for buffer in &tensor.buffers {
            pad(&mut out, options.data_buffer_alignment as usize);
            places.push(out.len() as u64);
            out.extend(buffer);
        }
        let end = out.len() as u64;
        let (data, data_length) = match places.first() {
            Some(first) => (*first, end - first),
            // where the next descriptor starts
            None => (end.next_multiple_of(8), 0),
        };
        index.extend((tensor.name.len() as u16).to_le_bytes());
        index.extend(tensor.name.as_bytes());
        index.extend(start.to_le_bytes());
        index.extend(length.to_le_bytes());
        index.extend(data.to_le_bytes());
        index.extend(data_length.to_le_bytes());
        index.extend([0; 4]);
    }
    pad(&mut out, 8);
    let kv_offset = section.map_or(0, |_| out.len() as u64);
    out.extend(section.unwrap_or_default());
    pad(&mut out, 8);
    let index_offset = out.len() as u64;
    out.extend(&index);
    out.extend(index_offset.to_le_bytes());
    out.extend((index.len() as u64).to_le_bytes());
    out.extend(kv_offset.to_le_bytes());
    out.extend((section.map_or(0, <[u8]>::len) as u32).to_le_bytes());
    out.extend(crc32c(&index).to_le_bytes());
    out.extend(*b"\0\0\0\0HRRY");
    out
}

fn pad(out: &mut Vec<u8>, alignment: usize) {
    out.resize(out.len().next_multiple_of(alignment), 0);
}
