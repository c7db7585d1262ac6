//! A writer of containers of its own: bytes by hand from the byte tables of the format, valid as long as
//! descriptors and names are.

use super::crc32c;

/// A value of the key-value section.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    String(String),
    Int64(i64),
    Uint64(u64),
    Float64(u64),
    Bool(bool),
    Bytes(Vec<u8>),
    /// The tag of all elements, and the elements.
    Array(u8, Vec<Value>),
}

/// A tensor, or the head of a composite: one without buffers.
#[derive(Clone, Debug)]
pub struct Stored {
    pub name: String,
    pub descriptor: Vec<u8>,
    pub buffers: Vec<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub struct Container {
    pub minor: u8,
    pub sorted: bool,
    pub checksum: bool,
    pub alignment: u32,
    pub keys: Option<Vec<(String, Value)>>,
    /// In the order of their places.
    pub tensors: Vec<Stored>,
    /// Which tensor each entry of the index is for.
    pub index: Vec<usize>,
}

/// The bytes, and where things are in them.
#[derive(Clone, Debug)]
pub struct Written {
    pub bytes: Vec<u8>,
    /// Start and end of the key-value section; empty where there is none.
    pub keys: [usize; 2],
    pub index: usize,
    /// Where the entries start, in the order of the index.
    pub entries: Vec<usize>,
    pub trailer: usize,
}

pub const ALIGNMENT: u32 = 4096;

impl Container {
    /// In the order of the places, unsorted, without a checksum.
    pub fn new(tensors: Vec<Stored>) -> Self {
        Container {
            minor: 0,
            sorted: false,
            checksum: false,
            alignment: ALIGNMENT,
            keys: None,
            index: (0..tensors.len()).collect(),
            tensors,
        }
    }

    pub fn write(&self) -> Written {
        let mut out = self.header();
        let places: Vec<_> = self
            .tensors
            .iter()
            .map(|tensor| self.tensor(&mut out, tensor))
            .collect();
        pad(&mut out, 8);
        let mut keys = [0, 0];
        if let Some(pairs) = &self.keys {
            keys = [out.len(), 0];
            write_keys(&mut out, pairs);
            keys[1] = out.len();
            pad(&mut out, 8);
        }
        let index = out.len();
        put(&mut out, self.index.len() as u64);
        let mut entries = Vec::new();
        for tensor in &self.index {
            entries.push(out.len());
            let (name, place) = (&self.tensors[*tensor].name, &places[*tensor]);
            out.extend((name.len() as u16).to_le_bytes());
            out.extend(name.as_bytes());
            out.extend(place);
        }
        let trailer = out.len();
        let checksum = match self.checksum {
            true => crc32c(&out[index..]),
            false => 0,
        };
        put(&mut out, index as u64);
        put(&mut out, (trailer - index) as u64);
        put(&mut out, keys[0] as u64);
        out.extend(((keys[1] - keys[0]) as u32).to_le_bytes());
        out.extend(checksum.to_le_bytes());
        out.extend(*b"\0\0\0\0HRRY");
        Written {
            bytes: out,
            keys,
            index,
            entries,
            trailer,
        }
    }

    fn header(&self) -> Vec<u8> {
        let mut out = b"HRRYFILE\x01".to_vec();
        out.extend([self.minor, 0, 0]);
        let bits = [self.keys.is_some(), self.sorted, self.checksum];
        let flags = bits
            .iter()
            .rev()
            .fold(0, |sum, bit| sum * 2 + u32::from(*bit));
        out.extend(flags.to_le_bytes());
        out.extend(self.alignment.to_le_bytes());
        put(&mut out, 64);
        put(&mut out, u64::MAX);
        out.resize(64, 0);
        out
    }

    /// Writes descriptor and buffers, and returns what stands behind the name of the entry.
    fn tensor(&self, out: &mut Vec<u8>, tensor: &Stored) -> Vec<u8> {
        pad(out, 8);
        let descriptor = out.len();
        out.extend(&tensor.descriptor);
        // where there are no buffers: the next descriptor, if there is one
        let alignment = match tensor.buffers.len() {
            0 => 8,
            _ => self.alignment as usize,
        };
        let data = out.len().next_multiple_of(alignment);
        let mut end = data;
        for buffer in &tensor.buffers {
            pad(out, alignment);
            out.extend(buffer);
            end = out.len();
        }
        let mut entry = Vec::new();
        put(&mut entry, descriptor as u64);
        entry.extend((tensor.descriptor.len() as u32).to_le_bytes());
        put(&mut entry, data as u64);
        put(&mut entry, (end - data) as u64);
        entry.extend([0; 4]);
        entry
    }
}

fn put(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

fn pad(out: &mut Vec<u8>, alignment: usize) {
    out.resize(out.len().next_multiple_of(alignment), 0);
}

fn write_keys(out: &mut Vec<u8>, pairs: &[(String, Value)]) {
    out.extend((pairs.len() as u32).to_le_bytes());
    for (key, value) in pairs {
        out.extend((key.len() as u16).to_le_bytes());
        out.extend(key.as_bytes());
        out.push(tag(value));
        write_value(out, value);
    }
}

fn tag(value: &Value) -> u8 {
    match value {
        Value::String(_) => 1,
        Value::Int64(_) => 2,
        Value::Uint64(_) => 3,
        Value::Float64(_) => 4,
        Value::Bool(_) => 5,
        Value::Bytes(_) => 6,
        Value::Array(..) => 7,
    }
}

fn write_value(out: &mut Vec<u8>, value: &Value) {
    let mut sized = |bytes: &[u8]| {
        out.extend((bytes.len() as u32).to_le_bytes());
        out.extend(bytes);
    };
    match value {
        Value::String(text) => sized(text.as_bytes()),
        Value::Bytes(bytes) => sized(bytes),
        Value::Int64(number) => out.extend(number.to_le_bytes()),
        Value::Uint64(number) | Value::Float64(number) => out.extend(number.to_le_bytes()),
        Value::Bool(truth) => out.push(u8::from(*truth)),
        Value::Array(element, values) => {
            out.push(*element);
            out.extend((values.len() as u32).to_le_bytes());
            values.iter().for_each(|value| write_value(out, value));
        }
    }
}
