//! Every place of elements in bytes, against a model that moves one bit at a time.

use hrry::element::{bits, decode, decode_stepped, encode, set_bits, value};
use hrry::{ElementError, ElementType, Scalar, Value};

/// All types with the width that the specification gives them.
const WIDTHS: [(ElementType, u64); 26] = [
    (ElementType::Float16, 16),
    (ElementType::BFloat16, 16),
    (ElementType::Float32, 32),
    (ElementType::Float64, 64),
    (ElementType::Int8, 8),
    (ElementType::UInt8, 8),
    (ElementType::Int16, 16),
    (ElementType::UInt16, 16),
    (ElementType::Int32, 32),
    (ElementType::UInt32, 32),
    (ElementType::Int64, 64),
    (ElementType::UInt64, 64),
    (ElementType::Bool, 1),
    (ElementType::Float8E4M3, 8),
    (ElementType::Float8E5M2, 8),
    (ElementType::Float8E8M0, 8),
    (ElementType::Float4E2M1, 4),
    (ElementType::Float6E2M3, 6),
    (ElementType::Float6E3M2, 6),
    (ElementType::Float128, 128),
    (ElementType::Int4, 4),
    (ElementType::UInt4, 4),
    (ElementType::Int2, 2),
    (ElementType::UInt2, 2),
    (ElementType::Complex64, 64),
    (ElementType::Complex128, 128),
];

/// Bit `k` of the bytes, from the lowest of the first.
fn bit(bytes: &[u8], k: u64) -> bool {
    bytes[(k / 8) as usize] >> (k % 8) & 1 == 1
}

/// Elements that so many bytes hold: of 6 bits only whole groups of four.
fn room(width: u64, len: usize) -> u64 {
    let len = len as u64;
    if width == 6 {
        len / 3 * 4
    } else {
        len * 8 / width
    }
}

fn model_bits(width: u64, bytes: &[u8], position: u64) -> u128 {
    (0..width).fold(0, |code, k| {
        code | u128::from(bit(bytes, position * width + k)) << k
    })
}

/// The same bytes in every run.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}

#[test]
fn every_type_is_there() {
    assert!(
        ElementType::ASSIGNED
            .iter()
            .copied()
            .eq(WIDTHS.map(|(of, _)| of))
    );
}

#[test]
fn single_elements() {
    for (of, width) in WIDTHS {
        for len in 0..=49 {
            let bytes = noise(len);
            for position in 0..room(width, len) {
                let code = model_bits(width, &bytes, position);
                assert_eq!(bits(of, &bytes, position), Some(code), "{of:?} {position}");
                let mut changed = bytes.clone();
                set_bits(of, &mut changed, position, !0).unwrap();
                let own = position * width..(position + 1) * width;
                for k in 0..len as u64 * 8 {
                    let wanted = own.contains(&k) || bit(&bytes, k);
                    assert_eq!(bit(&changed, k), wanted, "{of:?} {position}, bit {k}");
                }
                set_bits(of, &mut changed, position, code).unwrap();
                assert_eq!(changed, bytes, "{of:?} {position}");
            }
            for position in [room(width, len), u64::MAX / 2, u64::MAX] {
                assert_eq!(
                    bits(of, &bytes, position),
                    None,
                    "{of:?} {position} of {len} bytes"
                );
                let mut unchanged = bytes.clone();
                assert_eq!(set_bits(of, &mut unchanged, position, 0), None);
                assert_eq!(unchanged, bytes);
            }
        }
    }
}

/// The number of an element, from its bits.
trait FromValue: Scalar + PartialEq + std::fmt::Debug {
    /// Whether it may hold a fraction, and so is not written to integers.
    const REAL: bool;
    fn from_value(value: Value) -> Self;
}

impl FromValue for f32 {
    const REAL: bool = true;

    fn from_value(value: Value) -> f32 {
        match value {
            Value::F32(x) => x,
            Value::Int(n) => n as f32,
            Value::UInt(n) => n as f32,
            Value::Bool(bit) => u8::from(bit).into(),
            other => panic!("{other:?}"),
        }
    }
}

impl FromValue for i16 {
    const REAL: bool = false;

    fn from_value(value: Value) -> i16 {
        match value {
            Value::Int(n) => n as i16,
            Value::UInt(n) => n as i16,
            Value::Bool(bit) => i16::from(bit),
            other => panic!("{other:?}"),
        }
    }
}

impl FromValue for bool {
    const REAL: bool = false;

    fn from_value(value: Value) -> bool {
        value == Value::Bool(true)
    }
}

impl FromValue for [f64; 2] {
    const REAL: bool = false;

    fn from_value(value: Value) -> [f64; 2] {
        match value {
            Value::Complex64(parts) => parts.map(f64::from),
            Value::Complex128(parts) => parts,
            other => panic!("{other:?}"),
        }
    }
}

/// Reads runs of every start and many lengths, and writes them where the type takes such numbers.
fn runs<T: FromValue>(of: ElementType, width: u64, bytes: &[u8]) {
    let room = room(width, bytes.len());
    let numbers: Vec<T> = (0..room)
        .map(|position| T::from_value(value(of, model_bits(width, bytes, position)).unwrap()))
        .collect();
    let starts = (0..20).chain([room / 2 + 3, room - 2, room - 1, room]);
    for first in starts {
        let from = first as usize;
        let most = numbers.len() - from;
        for count in (0..18)
            .chain([63, 64, 65, 200, most])
            .filter(|count| *count <= most)
        {
            let wanted = &numbers[from..from + count];
            let mut out = vec![T::default(); count];
            decode(of, bytes, first, &mut out).unwrap();
            assert_eq!(out, wanted, "{of:?} {first} {count}");

            let mut written: Vec<u8> = bytes.iter().map(|byte| !byte).collect();
            let before = written.clone();
            if encode(of, wanted, first, &mut written) == Err(ElementError::Mismatch(of)) {
                let whole = matches!(
                    value(of, 1),
                    Some(Value::Bool(_) | Value::Int(_) | Value::UInt(_))
                );
                assert!(whole && T::REAL, "{of:?}");
                continue;
            }
            let own = first * width..(first + count as u64) * width;
            for k in 0..bytes.len() as u64 * 8 {
                let wanted = if own.contains(&k) { bytes } else { &before };
                assert_eq!(
                    bit(&written, k),
                    bit(wanted, k),
                    "{of:?} {first} {count}, bit {k}"
                );
            }
        }
    }
    for (first, step) in [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 3),
        (5, 7),
        (room - 1, -1),
        (room - 1, -5),
    ] {
        let mut out = vec![T::default(); 6];
        decode_stepped(of, bytes, first, step, &mut out).unwrap();
        let place = |k: i64| numbers[(first as i64 + k * step) as usize];
        assert_eq!(
            out,
            (0..6).map(place).collect::<Vec<T>>(),
            "{of:?} {first} {step}"
        );
    }
}

#[test]
fn runs_of_elements() {
    // no code of noise below 0x70 is NaN or infinite in the float8 types
    let small: Vec<u8> = noise(999).iter().map(|byte| byte % 0x70 + 1).collect();
    for (of, width) in WIDTHS {
        match of {
            ElementType::Bool => {
                runs::<bool>(of, width, &noise(99));
                runs::<f32>(of, width, &noise(99));
                runs::<i16>(of, width, &noise(99));
            }
            ElementType::Int2 | ElementType::UInt2 | ElementType::Int4 | ElementType::UInt4 => {
                runs::<i16>(of, width, &noise(198));
                runs::<f32>(of, width, &noise(198));
            }
            ElementType::Int8 | ElementType::UInt8 | ElementType::Int16 => {
                runs::<i16>(of, width, &noise(500));
                runs::<f32>(of, width, &noise(500));
            }
            ElementType::UInt16 => runs::<f32>(of, width, &noise(600)),
            ElementType::Complex64 | ElementType::Complex128 => {
                runs::<[f64; 2]>(of, width, &small);
            }
            ElementType::Float64 | ElementType::Float128 => {}
            ElementType::Int32 | ElementType::UInt32 => {}
            ElementType::Int64 | ElementType::UInt64 => {}
            _ if width == 8 || width == 16 || width == 32 => {
                let count = 600 * width as usize / 8;
                if of != ElementType::Float8E8M0 {
                    runs::<f32>(of, width, &small[..count.min(999)]);
                }
            }
            _ => runs::<f32>(of, width, &noise(150)),
        }
    }
}

#[test]
fn wide_integers_are_exact() {
    let longs = [i64::MIN, -1, 0, 1, i64::MAX, 0x0102_0304_0506_0708];
    let mut bytes = [0; 48];
    encode(ElementType::Int64, &longs, 0, &mut bytes).unwrap();
    assert!(bytes.chunks(8).eq(longs.iter().map(|n| n.to_le_bytes())));
    let mut out = [0i64; 6];
    decode(ElementType::Int64, &bytes, 0, &mut out).unwrap();
    assert_eq!(out, longs);
    assert_eq!(
        encode(ElementType::UInt64, &longs, 0, &mut bytes),
        Err(ElementError::NoSuchValue { index: 0 })
    );
    encode(ElementType::UInt64, &[u64::MAX, 0], 1, &mut bytes).unwrap();
    assert_eq!(bytes[8..24], [[0xFF; 8], [0; 8]].concat());
    encode(
        ElementType::Int32,
        &[-2i64, i64::from(i32::MAX)],
        0,
        &mut bytes,
    )
    .unwrap();
    assert_eq!(bytes[..8], [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]);
    let mut unsigned = [0u64; 2];
    decode(ElementType::UInt32, &bytes, 0, &mut unsigned).unwrap();
    assert_eq!(unsigned, [0xFFFF_FFFE, 0x7FFF_FFFF]);
    let mut single = [0f32; 1];
    let n = (1u64 << 24) + 1; // between two float32 numbers, and the even one is below
    decode(ElementType::UInt64, &n.to_le_bytes(), 0, &mut single).unwrap();
    assert_eq!(single, [16_777_216.0]);
}

#[test]
fn vectors_of_the_specification() {
    let mut bytes = [0];
    encode(
        ElementType::Bool,
        &[true, false, true, true, false],
        0,
        &mut bytes,
    )
    .unwrap();
    assert_eq!(bytes, [0x0D]);
    let mut bytes = [0; 2];
    encode(ElementType::UInt4, &[5u8, 12, 3], 0, &mut bytes).unwrap();
    assert_eq!(bytes, [0xC5, 0x03]);
    let mut bytes = [0];
    encode(ElementType::UInt2, &[3u64, 1, 2], 0, &mut bytes).unwrap();
    assert_eq!(bytes, [0x27]);
    let mut bytes = [0; 3];
    for (position, code) in [1, 2, 4, 8].into_iter().enumerate() {
        set_bits(ElementType::Float6E2M3, &mut bytes, position as u64, code).unwrap();
    }
    assert_eq!(bytes, [0x81, 0x40, 0x20]);
    let mut out = [0i8; 4];
    decode(ElementType::Int2, &[0b11_10_01_00], 0, &mut out).unwrap();
    assert_eq!(out, [0, 1, -2, -1]);
}

#[test]
fn what_is_not_there() {
    let short = |needed, available| Err(ElementError::TooShort { needed, available });
    let mut out = [0f32; 3];
    assert_eq!(
        decode(ElementType::Float16, &[0; 5], 0, &mut out),
        short(3, 2)
    );
    assert_eq!(
        decode(ElementType::Int2, &[0; 5], 18, &mut out),
        short(21, 20)
    );
    assert_eq!(
        decode(ElementType::Float6E3M2, &[0; 5], 2, &mut out),
        short(5, 4)
    );
    assert_eq!(
        decode(ElementType::UInt8, &[0; 5], u64::MAX - 3, &mut out),
        short(u64::MAX, 5)
    );
    let nowhere = Err(ElementError::NoSuchPosition);
    assert_eq!(
        decode(ElementType::UInt8, &[0; 5], u64::MAX - 1, &mut out),
        nowhere
    );
    assert_eq!(
        decode_stepped(ElementType::UInt8, &[0; 5], 1, -1, &mut out),
        nowhere
    );
    assert_eq!(
        decode_stepped(ElementType::UInt8, &[0; 5], 7, -1, &mut out),
        short(8, 5)
    );
    assert_eq!(
        decode_stepped(ElementType::UInt8, &[0; 5], 7, i64::MIN, &mut out),
        nowhere
    );
    assert_eq!(
        decode(ElementType::UInt8, &[], u64::MAX, &mut [0f32; 0]),
        Ok(())
    );
    let mut bytes = [0x11; 5];
    assert_eq!(
        encode(ElementType::Int16, &out, 0, &mut bytes),
        Err(ElementError::Mismatch(ElementType::Int16))
    );
    assert_eq!(
        encode(ElementType::Int16, &[1i8, 2], 1, &mut bytes),
        short(3, 2)
    );
    assert_eq!(bytes, [0x11; 5]);
}
