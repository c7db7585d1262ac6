//! Descriptors put together by hand, byte by byte, valid or not.

/// The parts of a descriptor in wire order; lengths, counts and flags follow from them.
#[derive(Clone, Debug)]
pub struct Wire {
    pub version: [u8; 2],
    pub type_tag: u8,
    pub layout_tag: u8,
    pub shape: Vec<u64>,
    pub byte_offset: u64,
    pub payload: Vec<u8>,
    pub handles: Vec<Handle>,
    pub quantization: Option<Vec<u8>>,
    pub shard: Option<Vec<u64>>,
    pub statistics: Option<[u8; 72]>,
    pub extension_type: Option<[u8; 20]>,
}

/// `byte_size`, then device, sync mode and memory class; aligned to 64.
pub type Handle = (u64, [u8; 3]);

/// A buffer in host memory.
pub fn cpu(byte_size: u64) -> Handle {
    (byte_size, [0, 0, 0])
}

impl Wire {
    /// A tensor with buffers in host memory.
    pub fn new(
        type_tag: u8,
        layout_tag: u8,
        shape: &[u64],
        payload: Vec<u8>,
        sizes: &[u64],
    ) -> Self {
        Wire {
            version: [1, 0],
            type_tag,
            layout_tag,
            shape: shape.to_vec(),
            byte_offset: 0,
            payload,
            handles: sizes.iter().copied().map(cpu).collect(),
            quantization: None,
            shard: None,
            statistics: None,
            extension_type: None,
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let flag = |present: bool, bit: u32| u32::from(present) << bit;
        let flags = flag(self.quantization.is_some(), 0)
            | flag(self.shard.is_some(), 1)
            | flag(self.extension_type.is_some(), 2)
            | flag(self.statistics.is_some(), 3);
        let mut out = b"HRRY".to_vec();
        out.extend(self.version);
        out.extend([0; 4]);
        out.extend(flags.to_le_bytes());
        out.extend([self.type_tag, self.layout_tag]);
        out.extend((self.shape.len() as u32).to_le_bytes());
        out.extend(words(&self.shape));
        out.extend(self.byte_offset.to_le_bytes());
        out.extend(&self.payload);
        out.push(self.handles.len() as u8);
        for (byte_size, tags) in &self.handles {
            out.extend(byte_size.to_le_bytes());
            out.extend(64u32.to_le_bytes());
            out.extend(tags);
            out.push(0);
        }
        if let Some(bytes) = &self.quantization {
            out.extend((bytes.len() as u32).to_le_bytes());
            out.extend(bytes);
        }
        out.extend(self.shard.iter().flat_map(|shard| words(shard)));
        out.extend(self.statistics.iter().flatten());
        out.extend(self.extension_type.iter().flatten());
        let len = (out.len() as u32).to_le_bytes();
        out[6..10].copy_from_slice(&len);
        out
    }
}

/// Little-endian numbers of 64 bits.
pub fn words(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// Little-endian numbers of 32 bits.
pub fn halves(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}
