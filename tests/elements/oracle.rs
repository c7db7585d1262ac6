//! Tables from NumPy, ml_dtypes and gcc, made by `tests/oracles/elements.py`.

use std::fs;
use std::path::Path;

use hrry::element::{add, bits, decode, encode, nearest, set_bits, value};
use hrry::{ElementType, Scalar, Value};
use serde_json::Value as Json;

use crate::support::crc32c;

fn table(name: &str) -> Json {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/oracles");
    serde_json::from_str(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

/// The types of the table, and what it says of each.
fn small_floats() -> Vec<(ElementType, Json)> {
    let Json::Object(table) = table("small_floats.json") else {
        panic!("an object");
    };
    assert_eq!(table.len(), 8);
    let of = |name: &str| {
        let mut all = ElementType::ASSIGNED.iter();
        *all.find(|of| of.name() == Some(name)).unwrap()
    };
    table
        .into_iter()
        .map(|(name, rows)| (of(&name), rows))
        .collect()
}

fn hex(text: &Json) -> u128 {
    u128::from_str_radix(text.as_str().unwrap(), 16).unwrap()
}

fn rows<'a>(table: &'a Json, name: &str) -> impl Iterator<Item = &'a Json> {
    let rows = table[name].as_array().unwrap();
    assert!(!rows.is_empty());
    rows.iter()
}

/// Codes that are numbers, of one sign, in order: the first and the one behind the last.
fn positive(of: ElementType) -> (u32, u32) {
    match of {
        ElementType::Float8E8M0 => (0x01, 0xFF),
        ElementType::Float16 => (0, 0x7C00),
        ElementType::BFloat16 => (0, 0x7F80),
        ElementType::Float8E4M3 => (0, 0x7F),
        ElementType::Float8E5M2 => (0, 0x7C),
        ElementType::Float4E2M1 => (0, 0x8),
        _ => (0, 0x20),
    }
}

/// Elements of these codes.
fn elements(of: ElementType, codes: &[u32]) -> Vec<u8> {
    let mut bytes = vec![0; codes.len() * 2 + 3];
    for (position, code) in (0..).zip(codes) {
        set_bits(of, &mut bytes, position, u128::from(*code)).unwrap();
    }
    bytes
}

fn numbers<T: Scalar>(of: ElementType, codes: &[u32]) -> Vec<T> {
    let mut out = vec![T::default(); codes.len()];
    decode(of, &elements(of, codes), 0, &mut out).unwrap();
    out
}

fn codes<T: Scalar>(of: ElementType, values: &[T]) -> Vec<u32> {
    let mut bytes = vec![0; values.len() * 2 + 3];
    encode(of, values, 0, &mut bytes).unwrap();
    let code = |position| bits(of, &bytes, position).unwrap();
    (0..values.len() as u64).map(|n| code(n) as u32).collect()
}

/// Hex of codes of at most 8 bits; of 16, a CRC for each 2048.
fn packed(of: ElementType, codes: &[u32]) -> Json {
    if of.bits() < 16 {
        return codes
            .iter()
            .map(|code| format!("{code:02x}"))
            .collect::<String>()
            .into();
    }
    let bytes = |codes: &[u32]| -> Vec<u8> {
        codes
            .iter()
            .flat_map(|code| (*code as u16).to_le_bytes())
            .collect()
    };
    codes
        .chunks(2048)
        .map(|codes| format!("{:08x}", crc32c(&bytes(codes))))
        .collect()
}

#[test]
fn every_code_is_read() {
    for (of, table) in small_floats() {
        let all: Vec<u32> = match of {
            ElementType::Float8E8M0 => (1..255).collect(),
            _ => (0..1 << of.bits()).collect(),
        };
        let singles: Vec<f32> = numbers(of, &all);
        let plain = |x: &f32| {
            let nan = x.to_bits() & 0x8000_0000 | 0x7FC0_0000;
            if x.is_nan() { nan } else { x.to_bits() }
        };
        let words: Vec<u32> = singles.iter().map(plain).collect();
        let made: Vec<String> = if of.bits() < 16 {
            words.iter().map(|word| format!("{word:08x}")).collect()
        } else {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes
                .chunks(1024)
                .map(|block| format!("{:08x}", crc32c(block)))
                .collect()
        };
        assert_eq!(Json::from(made), table["decode"], "{of:?}");
        let doubles: Vec<f64> = numbers(of, &all);
        for ((code, single), double) in all.iter().zip(singles).zip(doubles) {
            if single.is_nan() {
                let bits = single.to_bits();
                let payload = u64::from(bits & 0x007F_FFFF) << 29;
                let wanted = u64::from(bits >> 31) << 63 | 0x7FF << 52 | payload;
                assert_eq!(double.to_bits(), wanted, "{of:?} {code:#x}");
            } else {
                assert_eq!(
                    double.to_bits(),
                    f64::from(single).to_bits(),
                    "{of:?} {code:#x}"
                );
            }
            let Some(Value::F32(one)) = value(of, u128::from(*code)) else {
                panic!("{of:?} {code:#x}");
            };
            assert_eq!(one.to_bits(), single.to_bits(), "{of:?} {code:#x}");
        }
    }
}

#[test]
fn between_all_neighbours() {
    for (of, table) in small_floats() {
        let (first, end) = positive(of);
        let all: Vec<u32> = (first..end).collect();
        let low: Vec<f64> = numbers(of, &all);
        let mut doubles = Vec::new();
        for pair in low.windows(2) {
            let middle = (pair[0] + pair[1]) / 2.0;
            for x in [pair[0], middle.next_down(), middle, middle.next_up()] {
                doubles.push(x);
                if first == 0 {
                    doubles.push(-x);
                }
            }
        }
        let made = codes(of, &doubles);
        assert_eq!(packed(of, &made), table["from_float64"], "{of:?}");
        let one_by_one = doubles.iter().map(|x| nearest(of, Value::F64(*x)));
        assert!(
            one_by_one.eq(made.iter().map(|code| Some(u128::from(*code)))),
            "{of:?}"
        );

        let mut singles = Vec::new();
        for pair in low.windows(2) {
            let middle = ((pair[0] + pair[1]) / 2.0) as f32;
            for x in [pair[0] as f32, middle.next_down(), middle, middle.next_up()] {
                singles.push(x);
                if first == 0 {
                    singles.push(-x);
                }
            }
        }
        assert_eq!(
            packed(of, &codes(of, &singles)),
            table["from_float32"],
            "{of:?}"
        );
    }
}

#[test]
fn special_numbers() {
    for (of, table) in small_floats() {
        for row in rows(&table, "special") {
            let number = f64::from_bits(hex(&row[0]) as u64);
            assert_eq!(
                nearest(of, Value::F64(number)),
                Some(hex(&row[1])),
                "{of:?} {number:e}"
            );
            assert_eq!(
                codes(of, &[number]),
                [hex(&row[1]) as u32],
                "{of:?} {number:e}"
            );
        }
    }
}

#[test]
fn float128_is_rounded() {
    let table = table("float128.json");
    for row in rows(&table, "narrow") {
        let (quad, double, single) = (hex(&row[0]), hex(&row[1]), hex(&row[2]));
        let (mut doubles, mut singles) = ([0f64], [0f32]);
        decode(ElementType::Float128, &quad.to_le_bytes(), 0, &mut doubles).unwrap();
        decode(ElementType::Float128, &quad.to_le_bytes(), 0, &mut singles).unwrap();
        assert_eq!(u128::from(doubles[0].to_bits()), double, "{row}");
        assert_eq!(u128::from(singles[0].to_bits()), single, "{row}");
        let Some(Value::F64(one)) = value(ElementType::Float128, quad) else {
            panic!("{row}");
        };
        assert_eq!(u128::from(one.to_bits()), double, "{row}");
    }
}

#[test]
fn float128_takes_float64_and_integers() {
    let table = table("float128.json");
    for row in rows(&table, "wide") {
        let double = f64::from_bits(hex(&row[0]) as u64);
        let mut bytes = [0; 16];
        encode(ElementType::Float128, &[double], 0, &mut bytes).unwrap();
        assert_eq!(u128::from_le_bytes(bytes), hex(&row[1]), "{row}");
        assert_eq!(
            nearest(ElementType::Float128, Value::F64(double)),
            Some(hex(&row[1]))
        );
    }
    for row in rows(&table, "integers") {
        let n = hex(&row[0]) as u64;
        assert_eq!(
            nearest(ElementType::Float128, Value::UInt(n)),
            Some(hex(&row[1])),
            "{row}"
        );
        let signed = Value::Int(n.cast_signed());
        assert_eq!(
            nearest(ElementType::Float128, signed),
            Some(hex(&row[2])),
            "{row}"
        );
    }
}

#[test]
fn float128_is_added_with_one_rounding() {
    let table = table("float128.json");
    for row in rows(&table, "sums") {
        let [a, b, sum] = [0, 1, 2].map(|n| hex(&row[n]));
        assert_eq!(add(ElementType::Float128, a, b), Some(sum), "{row}");
        assert_eq!(add(ElementType::Float128, b, a), Some(sum), "{row}");
    }
}
