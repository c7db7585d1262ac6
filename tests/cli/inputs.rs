//! Inputs made by hand, from the byte map of the specification.

/// A row-major descriptor of uint8 elements with one buffer, and its optional sections.
pub struct Tensor {
    pub shape: Vec<u64>,
    /// `parent_shape` and `shard_offset`.
    pub shard: Option<(Vec<u64>, Vec<u64>)>,
}

impl Tensor {
    pub fn of(shape: &[u64]) -> Self {
        Tensor {
            shape: shape.to_vec(),
            shard: None,
        }
    }

    pub fn at(shape: &[u64], parent: &[u64], offset: &[u64]) -> Self {
        Tensor {
            shard: Some((parent.to_vec(), offset.to_vec())),
            ..Tensor::of(shape)
        }
    }

    pub fn descriptor(&self) -> Vec<u8> {
        let size: u64 = self.shape.iter().product();
        let mut table = vec![1];
        table.extend(size.to_le_bytes());
        table.extend([64, 0, 0, 0, 0, 0, 0, 0]);
        let flags = if self.shard.is_some() { 2 } else { 0 };
        let mut sections = table;
        if let Some((parent, offset)) = &self.shard {
            sections.extend(parent.iter().chain(offset).flat_map(|n| n.to_le_bytes()));
        }
        descriptor(flags, 0x01, &self.shape, &sections)
    }

    /// The descriptor and as many bytes of data as it announces.
    pub fn stream(&self) -> Vec<u8> {
        let size: u64 = self.shape.iter().product();
        let mut bytes = self.descriptor();
        bytes.extend((0..size).map(|n| n as u8));
        bytes
    }
}

/// A partition head of uint8 elements.
pub fn partition(shape: &[u64], members: u32) -> Vec<u8> {
    let mut sections = vec![1, 0, 0, 0];
    sections.extend(members.to_le_bytes());
    sections.push(0);
    descriptor(0, 0x0B, shape, &sections)
}

/// `sections` is everything behind `byte_offset`.
fn descriptor(flags: u32, layout: u8, shape: &[u64], sections: &[u8]) -> Vec<u8> {
    let len = 20 + 8 * shape.len() + 8 + sections.len();
    let mut bytes = b"HRRY\x01\x00".to_vec();
    bytes.extend((len as u32).to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    bytes.extend([0x11, layout]);
    bytes.extend((shape.len() as u32).to_le_bytes());
    bytes.extend(shape.iter().flat_map(|n| n.to_le_bytes()));
    bytes.extend([0; 8]);
    bytes.extend(sections);
    bytes
}

/// Reads one of the vectors.
pub fn vector(path: &str) -> Vec<u8> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/");
    std::fs::read(format!("{root}{path}")).unwrap()
}
