//! Malformed quantization sections. The reference keeps the section as it is and looks into it for
//! block-paged tensors only.

use crate::deviations::Deviation;
use crate::wire::{Wire, halves};

const INT8: u8 = 0x10;
const INT4: u8 = 0x48;
const UINT4: u8 = 0x49;
const NONE: u32 = u32::MAX;

/// A section of a scheme: its tag, its flags, numbers of 32 bits, further bytes.
fn section(scheme: u8, flags: u16, numbers: &[u32], rest: &[u8]) -> Vec<u8> {
    let flags = flags.to_le_bytes();
    let header = vec![scheme, 1, flags[0], flags[1]];
    [header, halves(numbers), rest.to_vec()].concat()
}

fn per_tensor(scale: f32, zero_point: i32) -> Vec<u8> {
    section(1, 0, &[scale.to_bits(), zero_point as u32], &[0; 4])
}

fn per_channel(flags: u16, axis: u32, scales: u32, points: u32) -> Vec<u8> {
    section(2, flags, &[axis, scales, points], &[3, 0, 0, 0])
}

fn per_block(flags: u16, axis: u32, block: u32, scales: u32, points: u32) -> Vec<u8> {
    section(3, flags, &[axis, block, scales, points], &[3, 0, 0, 0])
}

/// A [4, 32] tensor; with a buffer of scales behind its data unless told otherwise.
fn tensor(type_tag: u8, section: Vec<u8>, sizes: &[u64]) -> Wire {
    Wire {
        quantization: Some(section),
        ..Wire::new(type_tag, 0x01, &[4, 32], vec![], sizes)
    }
}

fn set(mut bytes: Vec<u8>, at: usize, value: u8) -> Vec<u8> {
    bytes[at] = value;
    bytes
}

/// One input for each rule that a section can break.
pub fn deviations() -> Vec<Deviation> {
    let one = |name, rule, wire: Wire| Deviation {
        name,
        rule,
        reason: "quantization.md and its schemes: parsed and checked by every reader (AMB-56)",
        bytes: wire.bytes(),
    };
    let single = |type_tag, section| tensor(type_tag, section, &[128]);
    let channels = |section| tensor(INT8, section, &[128, 16]);
    let blocks = |section| tensor(INT8, section, &[128, 64]);
    let plain = || per_tensor(0.5, 0);
    let symmetric = || per_channel(1, 0, 1, NONE);
    let block = || per_block(1, 1, 8, 1, NONE);
    let dynamic = Wire {
        shape: vec![u64::MAX, 32],
        ..channels(symmetric())
    };
    let mxfp = |size: u64| Wire {
        shape: vec![4, size],
        ..tensor(INT8, section(5, 0, &[1, 32, 1], &[]), &[256, 8])
    };
    let paged = Wire {
        quantization: Some(per_block(1, 0, 4, 3, NONE)),
        ..Wire::new(
            INT8,
            0x0A,
            &[4, 2, 2],
            crate::misfits::block_paged(4, 1, 0, 0),
            &[16, 0, 8, 15],
        )
    };
    vec![
        one("three bytes", "QUANT-01", single(INT8, vec![1, 1, 0])),
        one("empty", "QUANT-01", single(INT8, vec![])),
        one(
            "per-tensor of 15 bytes",
            "QUANT-02",
            single(INT8, plain()[..15].to_vec()),
        ),
        one("scheme 0x00", "QUANT-03", single(INT8, set(plain(), 0, 0))),
        one(
            "scheme 0xFF",
            "QUANT-03",
            single(INT8, set(plain(), 0, 0xFF)),
        ),
        one("scheme 0x06", "QUANT-04", single(INT8, set(plain(), 0, 6))),
        one(
            "scheme 0xEE",
            "QUANT-04",
            single(INT8, set(plain(), 0, 0xEE)),
        ),
        one(
            "a private scheme",
            "QUANT-05",
            single(INT8, set(plain(), 0, 0xFA)),
        ),
        one("version 0", "QUANT-06", single(INT8, set(plain(), 1, 0))),
        one("version 2", "QUANT-06", single(INT8, set(plain(), 1, 2))),
        one(
            "a flag of per-tensor",
            "QUANT-07",
            single(INT8, set(plain(), 2, 1)),
        ),
        one(
            "the second flag",
            "QUANT-07",
            channels(set(symmetric(), 2, 3)),
        ),
        one("float32 storage", "QUANT-08", tensor(0x03, plain(), &[512])),
        one(
            "NF4 in int4",
            "QUANT-08",
            tensor(INT4, section(4, 0, &[1, 8, 1], &[]), &[64, 64]),
        ),
        one("scale 0", "QUANT-09", single(INT8, per_tensor(0.0, 0))),
        one(
            "scale NaN",
            "QUANT-09",
            single(INT8, per_tensor(f32::NAN, 0)),
        ),
        one(
            "zero point 8 in int4",
            "QUANT-10",
            tensor(INT4, per_tensor(1.0, 8), &[64]),
        ),
        one(
            "reserved byte of per-tensor",
            "QUANT-11",
            single(INT8, set(plain(), 15, 1)),
        ),
        one(
            "axis 2 of rank 2",
            "QUANT-12",
            channels(per_channel(1, 2, 1, NONE)),
        ),
        one("a dynamic axis", "QUANT-13", dynamic),
        one(
            "float16 channel scales",
            "QUANT-14",
            channels(set(symmetric(), 16, 1)),
        ),
        one(
            "reserved byte of per-channel",
            "QUANT-14",
            channels(set(symmetric(), 17, 1)),
        ),
        one(
            "float64 block scales",
            "QUANT-15",
            blocks(set(block(), 20, 4)),
        ),
        one(
            "reserved byte of per-block",
            "QUANT-16",
            blocks(set(block(), 21, 1)),
        ),
        one(
            "symmetric with zero points",
            "QUANT-17",
            channels(per_channel(1, 0, 1, 1)),
        ),
        one(
            "no zero points",
            "QUANT-18",
            tensor(INT8, per_block(0, 1, 8, 1, NONE), &[128, 64, 64]),
        ),
        one(
            "scales in buffer 2 of 2",
            "QUANT-19",
            channels(per_channel(1, 0, 2, NONE)),
        ),
        one(
            "scales in the data",
            "QUANT-20",
            channels(per_channel(1, 0, 0, NONE)),
        ),
        one(
            "blocks of 3",
            "QUANT-22",
            blocks(per_block(1, 1, 3, 1, NONE)),
        ),
        one(
            "blocks of 1",
            "QUANT-22",
            blocks(per_block(1, 1, 1, 1, NONE)),
        ),
        one(
            "NF4 blocks of 4",
            "QUANT-22",
            tensor(UINT4, section(4, 0, &[1, 4, 1], &[]), &[64, 128]),
        ),
        one(
            "blocks of 64 along 32",
            "QUANT-23",
            blocks(per_block(1, 1, 64, 1, NONE)),
        ),
        one("MXFP blocks of 32 along 48", "QUANT-24", mxfp(48)),
        one("MXFP along nothing", "QUANT-24", mxfp(0)),
        one(
            "a scale too few",
            "QUANT-25",
            tensor(INT8, symmetric(), &[128, 12]),
        ),
        one(
            "a scale too many",
            "QUANT-25",
            tensor(INT8, symmetric(), &[128, 20]),
        ),
        one(
            "a zero point too few",
            "QUANT-26",
            tensor(INT8, per_channel(0, 0, 1, 2), &[128, 16, 12]),
        ),
        one(
            "a shared buffer too small",
            "QUANT-27",
            tensor(INT8, per_channel(0, 0, 1, 1), &[128, 28]),
        ),
        one("a page slot without a scale", "QUANT-35", paged),
        one(
            "a buffer too many",
            "BUF-04",
            tensor(INT8, symmetric(), &[128, 16, 16]),
        ),
    ]
}
