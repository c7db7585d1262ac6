//! Values worked out by hand from the tables of the specification.

use hrry::element::{add, bits, decode, encode, nearest, set_bits, value};
use hrry::{ElementError, ElementType, Value};

/// Type, bits, and the number they are.
const NUMBERS: &[(ElementType, u32, f32)] = &[
    (ElementType::Float16, 0x3C00, 1.0),
    (ElementType::Float16, 0x0001, 5.960_464_5e-8), // 2^-24
    (ElementType::Float16, 0x03FF, 6.097_555e-5),   // 1023 * 2^-24
    (ElementType::Float16, 0x7BFF, 65504.0),
    (ElementType::Float16, 0xFC00, f32::NEG_INFINITY),
    (ElementType::BFloat16, 0x3F80, 1.0),
    (ElementType::BFloat16, 0x0001, 9.183_55e-41), // 2^-133
    (ElementType::BFloat16, 0x7F80, f32::INFINITY),
    (ElementType::Float8E4M3, 0x7E, 448.0),
    (ElementType::Float8E4M3, 0x01, 0.001_953_125), // 2^-9
    (ElementType::Float8E4M3, 0x08, 0.015_625),     // 2^-6
    (ElementType::Float8E4M3, 0xC4, -3.0),
    (ElementType::Float8E5M2, 0x7B, 57344.0),
    (ElementType::Float8E5M2, 0xFC, f32::NEG_INFINITY),
    (ElementType::Float8E5M2, 0x03, 4.577_636_7e-5), // 3 * 2^-16
    (ElementType::Float8E8M0, 0x7F, 1.0),
    (ElementType::Float8E8M0, 0x01, 1.175_494_4e-38), // 2^-126
    (ElementType::Float8E8M0, 0xFE, 1.701_411_8e38),  // 2^127
    (ElementType::Float6E2M3, 0x1F, 7.5),
    (ElementType::Float6E2M3, 0x01, 0.125),
    (ElementType::Float6E2M3, 0x29, -1.125),
    (ElementType::Float6E3M2, 0x1F, 28.0),
    (ElementType::Float6E3M2, 0x01, 0.0625),
    (ElementType::Float4E2M1, 0x7, 6.0),
    (ElementType::Float4E2M1, 0x9, -0.5),
    (ElementType::Float32, 0x3DCC_CCCD, 0.1),
];

#[test]
fn bits_are_numbers_and_numbers_are_bits() {
    for &(of, pattern, number) in NUMBERS {
        let mut bytes = [0; 4];
        set_bits(of, &mut bytes, 0, pattern.into()).unwrap();
        assert_eq!(bits(of, &bytes, 0), Some(pattern.into()), "{of:?}");
        assert_eq!(
            value(of, pattern.into()),
            Some(Value::F32(number)),
            "{of:?}"
        );
        assert_eq!(
            nearest(of, Value::F32(number)),
            Some(pattern.into()),
            "{of:?}"
        );
        let (mut single, mut double) = ([0f32], [0f64]);
        decode(of, &bytes, 0, &mut single).unwrap();
        decode(of, &bytes, 0, &mut double).unwrap();
        assert_eq!((single, double), ([number], [number.into()]), "{of:?}");
        let mut again = [0; 4];
        encode(of, &double, 0, &mut again).unwrap();
        assert_eq!(again, bytes, "{of:?}");
    }
}

#[test]
fn four_bits_count_in_the_known_steps() {
    let steps = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0f32];
    let mut out = [0f32; 16];
    let bytes = [0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE];
    decode(ElementType::Float4E2M1, &bytes, 0, &mut out).unwrap();
    let wanted = steps.into_iter().chain(steps.map(|step| -step));
    assert!(out.iter().map(|x| x.to_bits()).eq(wanted.map(f32::to_bits)));
}

#[test]
fn beyond_the_largest() {
    let cases = [
        (ElementType::Float16, 65519.99, 0x7BFF),
        (ElementType::Float16, 65520.0, 0x7C00),
        (ElementType::Float8E5M2, -61439.0, 0xFB),
        (ElementType::Float8E5M2, -61440.0, 0xFC),
        (ElementType::Float8E4M3, 1e30, 0x7E),
        (ElementType::Float8E4M3, f64::NEG_INFINITY, 0xFE),
        (ElementType::Float6E2M3, -1e300, 0x3F),
        (ElementType::Float6E3M2, f64::INFINITY, 0x1F),
        (ElementType::Float4E2M1, 100.0, 0x7),
        (ElementType::Float8E8M0, f64::INFINITY, 0xFE),
        (ElementType::Float8E8M0, 1e-300, 0x01),
        (ElementType::BFloat16, 3.4e38, 0x7F80),
        (ElementType::BFloat16, 3.39e38, 0x7F7F),
        (
            ElementType::Float32,
            3.402_823_567_797_336_6e38,
            0x7F80_0000,
        ), // midway to 2^128
    ];
    for (of, number, wanted) in cases {
        assert_eq!(
            nearest(of, Value::F64(number)),
            Some(wanted),
            "{of:?} {number}"
        );
        let mut bytes = [0; 4];
        encode(of, &[number], 0, &mut bytes).unwrap();
        assert_eq!(bits(of, &bytes, 0), Some(wanted), "{of:?} {number}");
    }
}

#[test]
fn rounding_happens_once() {
    // midway between 1 and the next float16 plus less than float32 sees
    let above = 1.0 + f64::exp2(-11.0) + f64::exp2(-40.0);
    assert_eq!(
        nearest(ElementType::Float16, Value::F64(above)),
        Some(0x3C01)
    );
    assert_eq!(
        nearest(ElementType::Float16, Value::F64(1.0 + f64::exp2(-11.0))),
        Some(0x3C00)
    );
    let below = 1.0 + 3.0 * f64::exp2(-11.0) - f64::exp2(-40.0);
    assert_eq!(
        nearest(ElementType::Float16, Value::F64(below)),
        Some(0x3C01)
    );
    // 2^63 + 2^39 is midway between two float32 numbers; one more is above
    let n = (1u64 << 63) + (1 << 39);
    assert_eq!(
        nearest(ElementType::Float32, Value::UInt(n)),
        Some(0x5F00_0000)
    );
    assert_eq!(
        nearest(ElementType::Float32, Value::UInt(n + 1)),
        Some(0x5F00_0001)
    );
    // the same for bfloat16, beyond what float64 holds
    let n = (1u64 << 63) + (1 << 55);
    assert_eq!(nearest(ElementType::BFloat16, Value::UInt(n)), Some(0x5F00));
    assert_eq!(
        nearest(ElementType::BFloat16, Value::UInt(n + 1)),
        Some(0x5F01)
    );
    assert_eq!(
        nearest(ElementType::BFloat16, Value::Int(i64::MIN)),
        Some(0xDF00)
    );
    // float128 to float32: midway above 1 plus one part in 2^112
    let quad = (0x3FFF << 112) | (1 << 88) | 1;
    let mut out = [0f32];
    decode(ElementType::Float128, &u128::to_le_bytes(quad), 0, &mut out).unwrap();
    assert_eq!(out, [1.0 + f32::EPSILON]);
    decode(
        ElementType::Float128,
        &u128::to_le_bytes(quad - 1),
        0,
        &mut out,
    )
    .unwrap();
    assert_eq!(out, [1.0]);
}

#[test]
fn nan_becomes_quiet_and_copies_keep_all() {
    let signaling = 0xFF95_0001;
    let of_single = f32::from_bits(signaling);
    let mut bytes = [0; 16];
    encode(ElementType::Float32, &[of_single], 0, &mut bytes).unwrap();
    assert_eq!(
        bits(ElementType::Float32, &bytes, 0),
        Some(signaling.into())
    );
    assert_eq!(
        nearest(ElementType::Float32, Value::F32(of_single)),
        Some(signaling.into())
    );
    // its code, and what that is as float32 and as float64
    let converted: [(ElementType, u128, u32, u64); 6] = [
        (
            ElementType::Float16,
            0xFEA8,
            0xFFD5_0000,
            0xFFFA_A000_0000_0000,
        ),
        (
            ElementType::BFloat16,
            0xFFD5,
            0xFFD5_0000,
            0xFFFA_A000_0000_0000,
        ),
        (
            ElementType::Float8E4M3,
            0xFF,
            0xFFC0_0000,
            0xFFF8_0000_0000_0000,
        ),
        (
            ElementType::Float8E5M2,
            0xFE,
            0xFFC0_0000,
            0xFFF8_0000_0000_0000,
        ),
        (
            ElementType::Float64,
            0xFFFA_A000_2000_0000,
            0xFFD5_0001,
            0xFFFA_A000_2000_0000,
        ),
        (
            ElementType::Float128,
            0xFFFF_AA00_0200 << 80,
            0xFFD5_0001,
            0xFFFA_A000_2000_0000,
        ),
    ];
    for (of, code, single, double) in converted {
        assert_eq!(nearest(of, Value::F32(of_single)), Some(code), "{of:?}");
        encode(of, &[of_single], 0, &mut bytes).unwrap();
        assert_eq!(bits(of, &bytes, 0), Some(code), "{of:?}");
        let (mut singles, mut doubles) = ([0f32], [0f64]);
        decode(of, &bytes, 0, &mut singles).unwrap();
        decode(of, &bytes, 0, &mut doubles).unwrap();
        assert_eq!(singles[0].to_bits(), single, "{of:?}");
        assert_eq!(doubles[0].to_bits(), double, "{of:?}");
        // by way of float64 it comes out the same
        encode(of, &doubles, 0, &mut bytes).unwrap();
        assert_eq!(bits(of, &bytes, 0), Some(code), "{of:?}");
    }
    // signaling patterns become quiet, too
    for (of, code, single) in [
        (ElementType::Float16, 0x7C01u32, 0x7FC0_2000),
        (ElementType::BFloat16, 0xFF81, 0xFFC1_0000),
        (ElementType::Float8E5M2, 0x7D, 0x7FE0_0000),
    ] {
        let Some(Value::F32(x)) = value(of, code.into()) else {
            panic!("{of:?}");
        };
        assert_eq!(x.to_bits(), single, "{of:?}");
    }
    let complex = [of_single, 1.0];
    encode(ElementType::Complex64, &[complex], 0, &mut bytes).unwrap();
    assert_eq!(
        bits(ElementType::Complex64, &bytes, 0),
        Some(0x3F80_0000_FF95_0001)
    );
}

#[test]
fn what_has_no_value() {
    for of in [
        ElementType::Float4E2M1,
        ElementType::Float6E2M3,
        ElementType::Float6E3M2,
    ] {
        let mut bytes = [0x55; 3];
        let refused = encode(of, &[1.0, f32::NAN], 0, &mut bytes);
        assert_eq!(
            refused,
            Err(ElementError::NoSuchValue { index: 1 }),
            "{of:?}"
        );
        assert_eq!(bytes, [0x55; 3], "nothing is written");
        assert_eq!(nearest(of, Value::F64(f64::NAN)), None);
    }
    for x in [0.0, -0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
        assert_eq!(nearest(ElementType::Float8E8M0, Value::F32(x)), None);
        let refused = encode(ElementType::Float8E8M0, &[2.0, 2.0, x], 0, &mut [0; 3]);
        assert_eq!(refused, Err(ElementError::NoSuchValue { index: 2 }));
    }
    let mut out = [0f32; 3];
    for bad in [0x00, 0xFF] {
        let refused = decode(ElementType::Float8E8M0, &[0, 1, 2, bad], 1, &mut out);
        assert_eq!(refused, Err(ElementError::NoSuchValue { index: 2 }));
        assert_eq!(value(ElementType::Float8E8M0, bad.into()), None);
        assert_eq!(add(ElementType::Float8E8M0, 1, bad.into()), None);
    }
    let mut values = [7i16; 600];
    values[511] = 300;
    let refused = encode(ElementType::UInt8, &values, 0, &mut [0; 600]);
    assert_eq!(refused, Err(ElementError::NoSuchValue { index: 511 }));
    assert_eq!(nearest(ElementType::Int4, Value::Int(8)), None);
    assert_eq!(nearest(ElementType::Int4, Value::Int(-8)), Some(0x8));
    assert_eq!(nearest(ElementType::Int64, Value::UInt(1 << 63)), None);
    assert_eq!(nearest(ElementType::Int8, Value::F32(1.0)), None);
    assert_eq!(
        nearest(ElementType::Float32, Value::Complex64([1.0, 0.0])),
        None
    );
    assert_eq!(nearest(ElementType::Bool, Value::UInt(2)), None);
}

#[test]
fn sums_are_rounded_once() {
    let cases: [(ElementType, u128, u128, u128); 16] = [
        (ElementType::Float16, 0x3C00, 0x1000, 0x3C00), // 1 + 2^-11: a tie, to even
        (ElementType::Float16, 0x3C01, 0x1000, 0x3C02),
        (ElementType::Float16, 0x7BFF, 0x4C00, 0x7C00), // 65504 + 16
        (ElementType::Float16, 0x7C00, 0xFC00, 0x7E00),
        (ElementType::Float16, 0x0001, 0x8001, 0x0000),
        (ElementType::Float8E4M3, 0x7E, 0x7E, 0x7E), // 896 is beyond 448
        (ElementType::Float4E2M1, 0x7, 0x2, 0x7),
        (ElementType::Float8E8M0, 0x80, 0x80, 0x81), // 2 + 2
        (ElementType::Float8E8M0, 0x80, 0x7F, 0x81), // 3 lies midway between 2 and 4
        (ElementType::Float8E8M0, 0xFE, 0xFE, 0xFE),
        (ElementType::Int4, 0x7, 0x1, 0x8),
        (ElementType::UInt64, u64::MAX as u128, 2, 1),
        (ElementType::Bool, 1, 1, 1),
        (ElementType::Float32, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000),
        (
            ElementType::Complex64,
            0x4000_0000_3F80_0000,
            0x3F80_0000_3F80_0000,
            0x4040_0000_4000_0000,
        ),
        (
            ElementType::Float64,
            0x3FF0 << 48,
            0x4000 << 48,
            0x4008 << 48,
        ),
    ];
    for (of, a, b, sum) in cases {
        assert_eq!(add(of, a, b), Some(sum), "{of:?} {a:#x} {b:#x}");
        assert_eq!(add(of, b, a), Some(sum), "{of:?} {b:#x} {a:#x}");
    }
    assert_eq!(add(ElementType(0xF0), 1, 1), None);
}

#[test]
fn lossy_is_decided_by_the_types() {
    let lossy = |from| Err(ElementError::Lossy { from });
    let zero = [0; 16];
    assert_eq!(
        decode(ElementType::UInt8, &zero, 0, &mut [0i8]),
        lossy(ElementType::UInt8)
    );
    assert_eq!(
        decode(ElementType::Int2, &zero, 0, &mut [0u64]),
        lossy(ElementType::Int2)
    );
    assert_eq!(decode(ElementType::UInt4, &zero, 0, &mut [1i8]), Ok(()));
    assert_eq!(
        decode(ElementType::UInt64, &zero, 0, &mut [0i64]),
        lossy(ElementType::UInt64)
    );
    assert_eq!(
        decode(ElementType::Float16, &zero, 0, &mut [0i64]),
        lossy(ElementType::Float16)
    );
    assert_eq!(
        decode(ElementType::UInt8, &zero, 0, &mut [true]),
        lossy(ElementType::UInt8)
    );
    assert_eq!(
        decode(ElementType::Complex64, &zero, 0, &mut [0f64]),
        lossy(ElementType::Complex64)
    );
    let mismatch = |of| Err(ElementError::Mismatch(of));
    let of = ElementType::Float32;
    assert_eq!(decode(of, &zero, 0, &mut [[0f32; 2]]), mismatch(of));
    assert_eq!(encode(of, &[1i8], 0, &mut [0; 4]), mismatch(of));
    assert_eq!(
        encode(ElementType::Int8, &[1f32], 0, &mut [0]),
        mismatch(ElementType::Int8)
    );
    for tag in [0x00, 0x47, 0x80, 0xF0, 0xFF] {
        let of = ElementType(tag);
        let unknown = Err(ElementError::NoNumbers(of));
        assert_eq!(decode(of, &zero, 0, &mut [0f32]), unknown);
        assert_eq!(decode(of, &zero, 0, &mut [[0f32; 2]]), unknown);
        assert_eq!(decode(of, &zero, 0, &mut [false]), unknown);
        assert_eq!(encode(of, &[0i8], 0, &mut [0; 16]), unknown);
        assert_eq!((bits(of, &zero, 0), value(of, 0)), (None, None));
        assert_eq!(set_bits(of, &mut [0; 16], 0, 0), None);
        assert_eq!(nearest(of, Value::Int(0)), None);
    }
}
