//! What the reference accepts and the format refuses.
//!
//! Every input breaks one rule and nothing else; the last two columns are the rule and the words of the
//! format that back it. The random tests take their list of known differences from here, so a rule that
//! is not argued for here is never an excuse.

use crate::misfits::{coo, heads, private_layouts, scalars, shapes, sizes};
use crate::wire::{Handle, Wire, words};

/// An input that the reference accepts, and the rule by which it is refused.
pub struct Deviation {
    pub name: &'static str,
    pub rule: &'static str,
    /// Why the rule stands.
    pub reason: &'static str,
    pub bytes: Vec<u8>,
}

/// A dynamic dimension.
pub(crate) const DYN: u64 = u64::MAX;
/// `type_tag` of float32.
pub(crate) const F32: u8 = 0x03;

pub(crate) fn one(
    name: &'static str,
    rule: &'static str,
    reason: &'static str,
    wire: &Wire,
) -> Deviation {
    Deviation {
        name,
        rule,
        reason,
        bytes: wire.bytes(),
    }
}

/// The 61-byte example of the specification.
fn plain() -> Wire {
    Wire::new(F32, 0x01, &[3, 4], vec![], &[48])
}

fn with_handles(handles: &[Handle]) -> Wire {
    Wire {
        handles: handles.to_vec(),
        ..plain()
    }
}

/// Unknown versions.
pub fn versions() -> Vec<Deviation> {
    let old = Wire {
        version: [0, 0],
        ..plain()
    };
    let later = Wire {
        version: [1, 1],
        ..plain()
    };
    let mut short = later.bytes();
    short[6..10].copy_from_slice(&200u32.to_le_bytes());
    vec![
        one(
            "major 0",
            "VER-02",
            "versioning.md bars lower majors (AMB-08)",
            &old,
        ),
        Deviation {
            name: "minor 1, 200 bytes declared, 61 present",
            rule: "DESC-06",
            reason: "a descriptor ends where descriptor_length says",
            bytes: short,
        },
    ]
}

/// Handles that no device can have.
pub fn handles() -> Vec<Deviation> {
    let class = "section Memory Classes lists the pairs";
    let coo = Wire {
        handles: vec![(16, [1, 0, 0]), (64, [2, 0, 0])],
        ..Wire::new(F32, 0x06, &[4, 4], coo(4, 1), &[])
    };
    let mixed = Wire {
        handles: vec![(16, [1, 0, 0]), (64, [1, 0, 2])],
        ..coo.clone()
    };
    vec![
        one("two devices", "BUF-16", "buffers are colocated", &coo),
        one(
            "two memory classes",
            "BUF-16",
            "buffers are colocated",
            &mixed,
        ),
        one(
            "CPU with PEER",
            "BUF-14",
            class,
            &with_handles(&[(48, [0, 0, 3])]),
        ),
        one(
            "WebGPU with UNIFIED",
            "BUF-14",
            class,
            &with_handles(&[(48, [5, 0, 2])]),
        ),
        one(
            "CPU with a private class",
            "BUF-14",
            class,
            &with_handles(&[(48, [0, 0, 0xF0])]),
        ),
        one(
            "a private class nobody agreed on",
            "BUF-15",
            "private classes mean nothing by themselves",
            &with_handles(&[(48, [0xF0, 0, 0xF5])]),
        ),
    ]
}

/// Buffers that the first element or all of them are not in.
pub fn offsets() -> Vec<Deviation> {
    let at = |byte_offset, wire: Wire| Wire {
        byte_offset,
        ..wire
    };
    let none = Wire::new(F32, 0x01, &[0, 4], vec![], &[48]);
    let csr = Wire::new(F32, 0x07, &[3, 4], words(&[2, 0]), &[48, 16, 32]);
    let small = Wire::new(F32, 0x01, &[3, 4], vec![], &[47]);
    vec![
        one(
            "byte_offset beyond buffer 0",
            "BUF-17",
            "metadata.md bounds it",
            &at(49, none),
        ),
        one(
            "byte_offset on CSR",
            "BUF-18",
            "memory-layout.md: 0 for sparse",
            &at(8, csr),
        ),
        one(
            "data buffer too small",
            "LAYOUT-05",
            "47 of 48 bytes (AMB-16)",
            &small,
        ),
        one(
            "data pushed out by byte_offset",
            "LAYOUT-05",
            "1 + 48 of 48 bytes",
            &at(1, plain()),
        ),
    ]
}

/// Tables of the wrong length.
pub fn counts() -> Vec<Deviation> {
    let three = Wire::new(F32, 0x01, &[3, 4], vec![], &[48, 48, 48]);
    let one_buffer = Wire::new(F32, 0x06, &[4, 4], coo(4, 1), &[16]);
    let reason = "every layout states its buffers";
    vec![
        one("dense with three buffers", "BUF-03", reason, &three),
        one("COO with one buffer", "BUF-03", reason, &one_buffer),
    ]
}

/// Shards of what has no size.
pub fn shards() -> Vec<Deviation> {
    let shard = Wire {
        shard: Some(vec![DYN, 4, 0, 0]),
        ..Wire::new(F32, 0x01, &[DYN, 4], vec![], &[48])
    };
    vec![one(
        "DYN in shape and parent_shape",
        "SHARD-02",
        "data-model.md: no dynamic shards",
        &shard,
    )]
}

/// Statistics that cannot be.
pub fn statistics() -> Vec<Deviation> {
    let with = |mask: u32, at: usize, bytes: &[u8]| {
        let mut section = [0; 72];
        section[..4].copy_from_slice(&mask.to_le_bytes());
        section[at..at + bytes.len()].copy_from_slice(bytes);
        Wire {
            statistics: Some(section),
            ..plain()
        }
    };
    let ratio = |ratio: f64| with(2, 16, &ratio.to_le_bytes());
    vec![
        one(
            "sparsity_ratio 7",
            "STAT-05",
            "metadata.md: 0.0 to 1.0",
            &ratio(7.0),
        ),
        one(
            "sparsity_ratio NaN",
            "STAT-05",
            "metadata.md: 0.0 to 1.0",
            &ratio(f64::NAN),
        ),
        one(
            "stddev -1",
            "STAT-06",
            "metadata.md: not negative",
            &with(8, 56, &(-1f64).to_le_bytes()),
        ),
        one(
            "4 of 2",
            "STAT-07",
            "metadata.md: nm_n <= nm_m",
            &with(16, 64, &[4, 2]),
        ),
        one(
            "has_nan 9",
            "STAT-08",
            "metadata.md: 0 or 1",
            &with(32, 66, &[9, 0]),
        ),
        one(
            "has_inf 9",
            "STAT-08",
            "metadata.md: 0 or 1",
            &with(32, 66, &[0, 9]),
        ),
    ]
}

/// Extension types without a size or meaning.
pub fn extension_types() -> Vec<Deviation> {
    let with = |width: u32, at: usize, value: u8, is_float: u8| {
        let mut section = [0; 20];
        section[..4].copy_from_slice(&width.to_le_bytes());
        section[4] = 1;
        section[5] = is_float;
        section[at] = value;
        Wire {
            extension_type: Some(section),
            ..Wire::new(0xF0, 0x01, &[3, 4], vec![], &[48])
        }
    };
    vec![
        one(
            "bit_width 12",
            "EXT-04",
            "half a byte of each element is nowhere (AMB-29)",
            &with(12, 4, 1, 0),
        ),
        one(
            "integer with exponent bits",
            "EXT-07",
            "metadata.md: 0 for integers",
            &with(16, 8, 5, 0),
        ),
        one(
            "is_signed 9",
            "EXT-05",
            "metadata.md: 0 or 1 (AMB-30)",
            &with(16, 6, 9, 0),
        ),
        one(
            "has_nan 9 of a float",
            "EXT-05",
            "metadata.md: 0 or 1 (AMB-30)",
            &with(16, 16, 9, 1),
        ),
        one(
            "is_signed of a float",
            "EXT-06",
            "metadata.md: 0 for floats",
            &with(16, 6, 1, 1),
        ),
        one(
            "two sign bits",
            "EXT-06",
            "metadata.md: at most one",
            &with(16, 7, 2, 1),
        ),
    ]
}

/// Sections of quantized tensors.
pub fn quantization() -> Vec<Deviation> {
    crate::schemes::deviations()
}

/// All of them.
pub fn all() -> Vec<Deviation> {
    let rows = [
        versions,
        handles,
        offsets,
        shapes,
        counts,
        quantization,
        shards,
        statistics,
        extension_types,
        scalars,
        heads,
        private_layouts,
        sizes,
    ];
    rows.into_iter().flat_map(|row| row()).collect()
}
