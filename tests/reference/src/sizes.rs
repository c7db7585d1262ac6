//! How much room elements need, by the formulas of the format. Numbers stay small, so that 128 bits
//! are enough.

use hrry::{DYNAMIC, ElementType, ExtensionType};

/// How an element lies in bytes.
#[derive(Clone, Copy, Debug)]
pub enum Width {
    /// So many bytes.
    Bytes(u64),
    /// So many elements in a byte.
    Packed(u64),
    /// Four elements of 6 bits in three bytes.
    Sextets,
}

/// Width of a type.
pub fn width(element_type: ElementType, extension: Option<&ExtensionType>) -> Width {
    if let Some(e) = extension {
        return if e.bit_width >= 8 {
            Width::Bytes(u64::from(e.bit_width) / 8)
        } else {
            Width::Packed(e.packing_factor.into())
        };
    }
    match element_type.0 {
        0x10 | 0x11 | 0x40 | 0x41 | 0x42 => Width::Bytes(1),
        0x01 | 0x02 | 0x12 | 0x13 => Width::Bytes(2),
        0x03 | 0x14 | 0x15 => Width::Bytes(4),
        0x04 | 0x16 | 0x17 | 0x50 => Width::Bytes(8),
        0x46 | 0x51 => Width::Bytes(16),
        0x20 => Width::Packed(8),
        0x4A | 0x4B => Width::Packed(4),
        0x43 | 0x48 | 0x49 => Width::Packed(2),
        0x44 | 0x45 => Width::Sextets,
        tag => panic!("no such type: {tag:#x}"),
    }
}

impl Width {
    /// Bytes of so many elements.
    pub fn bytes(self, elements: u64) -> u64 {
        match self {
            Width::Bytes(bytes) => elements * bytes,
            Width::Packed(packing) => elements.div_ceil(packing),
            Width::Sextets => 3 * elements.div_ceil(4),
        }
    }

    /// Bytes in front of element 0 and from it on, for elements `lo..=hi` (`lo <= 0 <= hi`).
    pub fn around(self, lo: i64, hi: i64) -> (u64, u64) {
        let (low, high) = match self {
            Width::Bytes(bytes) => (lo * bytes as i64, (hi + 1) * bytes as i64),
            Width::Packed(packing) => {
                let packing = packing as i64;
                (lo.div_euclid(packing), hi.div_euclid(packing) + 1)
            }
            Width::Sextets => (3 * lo.div_euclid(4), 3 * hi.div_euclid(4) + 3),
        };
        (low.unsigned_abs(), high as u64)
    }
}

/// Elements of a shape; none where a dimension is dynamic and no other is 0.
pub fn elements(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    if shape.contains(&DYNAMIC) {
        return None;
    }
    Some(shape.iter().product())
}

/// Elements `lo..=hi` that strides reach.
pub fn reach(strides: &[i64], shape: &[u64]) -> (i64, i64) {
    strides
        .iter()
        .zip(shape)
        .fold((0, 0), |(lo, hi), (stride, size)| {
            let span = stride * (*size as i64 - 1);
            (lo + span.min(0), hi + span.max(0))
        })
}
