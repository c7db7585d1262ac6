//! Runs of every length, wherever they lie, against their elements one at a time: a processor may have
//! instructions that convert many at once.

use std::ops::RangeInclusive;

use hrry::element::{bits, decode, encode, nearest, value};
use hrry::{ElementType, Scalar, Value};

use crate::support::scale::{Rng, scale};

/// Lengths of runs.
const LONGEST: usize = 70;

/// Floats of 16 bits: the pattern of infinity, and what it would be as a number.
const HALVES: [(ElementType, u16, f64); 2] = [
    (ElementType::Float16, 0x7C00, 65536.0),
    (ElementType::BFloat16, 0x7F80, 2.0 * (1u128 << 127) as f64),
];

trait Real: Scalar {
    /// As a number of that type, in 64 bits.
    fn bits(self) -> u64;
    fn value(self) -> Value;
    fn of(single: f32) -> Self;
}

impl Real for f32 {
    fn bits(self) -> u64 {
        self.to_bits().into()
    }

    fn value(self) -> Value {
        Value::F32(self)
    }

    fn of(single: f32) -> f32 {
        single
    }
}

impl Real for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }

    fn value(self) -> Value {
        Value::F64(self)
    }

    fn of(single: f32) -> f64 {
        single.into()
    }
}

/// What an element is as `f32`, without a run.
fn single(of: ElementType, pattern: u16) -> f32 {
    match value(of, pattern.into()) {
        Some(Value::F32(x)) => x,
        other => panic!("{of:?} {pattern:#x}: {other:?}"),
    }
}

/// Reads all patterns in runs of these lengths, behind `lead` bytes, to places that move on.
fn read_in_runs<T: Real>(
    of: ElementType,
    lengths: RangeInclusive<usize>,
    wanted: impl Fn(u16) -> u64,
) {
    let patterns: Vec<u16> = (0..=u16::MAX).collect();
    let wanted: Vec<u64> = patterns.iter().map(|pattern| wanted(*pattern)).collect();
    let mut bytes = vec![0xA5];
    bytes.extend(patterns.iter().flat_map(|pattern| pattern.to_le_bytes()));
    let mut out = [T::default(); LONGEST + 9];
    let mark = T::of(-0.3).bits();
    for length in lengths {
        for (n, wanted) in wanted.chunks(length).enumerate() {
            out.fill(T::of(-0.3));
            let (at, start) = (n % 8, n * length);
            let place = &mut out[at..][..wanted.len()];
            // sometimes the run starts with its bytes
            if n % 3 == 0 {
                let end = 1 + 2 * (start + wanted.len());
                decode(of, &bytes[1 + 2 * start..end], 0, place).unwrap();
            } else {
                decode(of, &bytes[1..], start as u64, place).unwrap();
            }
            assert!(
                place.iter().map(|x| x.bits()).eq(wanted.iter().copied()),
                "{of:?}: {length} from {start}"
            );
            assert_eq!(out[at + wanted.len()].bits(), mark, "{of:?}: {length}");
        }
    }
}

/// Writes all numbers in runs of some lengths and a part of them in runs of each, to places that move on.
fn write_in_runs<T: Real>(of: ElementType, numbers: &[T]) {
    let code = |x: &T| nearest(of, x.value()).unwrap() as u16;
    let wanted: Vec<u16> = numbers.iter().map(code).collect();
    let mut bytes = [0; 2 * LONGEST + 40];
    for length in 1..=LONGEST {
        let count = match length {
            16 | LONGEST => numbers.len(),
            _ => numbers.len().min(scale().min(10) * 4000),
        };
        let (numbers, wanted) = (&numbers[..count], &wanted[..count]);
        let runs = numbers.chunks(length).zip(wanted.chunks(length));
        for (n, (numbers, wanted)) in runs.enumerate() {
            bytes.fill(0xA5);
            let (from, first) = (n % 17, n % 5);
            encode(of, numbers, first as u64, &mut bytes[from..]).unwrap();
            let (before, rest) = bytes.split_at(from + 2 * first);
            let (codes, behind) = rest.split_at(2 * wanted.len());
            let codes = codes.as_chunks().0.iter().copied().map(u16::from_le_bytes);
            assert!(
                codes.eq(wanted.iter().copied()),
                "{of:?}: {length}, {:x?} gives {wanted:x?}",
                numbers.iter().map(|x| x.bits()).collect::<Vec<_>>()
            );
            assert!(before.iter().chain(behind).all(|byte| *byte == 0xA5));
        }
    }
}

#[test]
fn patterns_in_runs() {
    for (of, ..) in HALVES {
        read_in_runs::<f32>(of, 1..=LONGEST, |pattern| single(of, pattern).bits());
        read_in_runs::<f64>(of, 15..=33, |pattern| {
            let mut double = [0f64];
            decode(of, &pattern.to_le_bytes(), 0, &mut double).unwrap();
            double[0].bits()
        });
    }
}

#[test]
fn nans_in_runs() {
    // sign, all exponent bits, quiet bit, and the rest of the payload where it was
    let nans: Vec<u16> = (0x7C01..=0x7FFF)
        .flat_map(|nan| [nan, nan | 0x8000])
        .collect();
    let bytes: Vec<u8> = nans.iter().flat_map(|nan| nan.to_le_bytes()).collect();
    let mut singles = vec![0f32; nans.len()];
    decode(ElementType::Float16, &bytes, 0, &mut singles).unwrap();
    for (nan, single) in nans.iter().zip(&singles) {
        let (sign, payload) = (u32::from(nan >> 15), u32::from(nan & 0x1FF));
        assert_eq!(
            single.to_bits(),
            sign << 31 | 0x7FC0_0000 | payload << 13,
            "{nan:#x}"
        );
    }
    let mut rng = Rng(0x004E_614E);
    let nan = |n: u32| match n % 24 {
        0 => rng.next() as u32 | 0x7F80_0001,
        // one bit of the payload; the lowest are lost
        bit => (n / 24 % 2) << 31 | 0x7F80_0000 | 1 << (bit - 1),
    };
    let nans: Vec<u32> = (0..24_000).map(nan).collect();
    let singles: Vec<f32> = nans.iter().map(|nan| f32::from_bits(*nan)).collect();
    let mut codes = vec![0; 2 * nans.len()];
    encode(ElementType::Float16, &singles, 0, &mut codes).unwrap();
    for (nan, code) in nans.iter().zip(codes.as_chunks().0) {
        let wanted = nan >> 31 << 15 | 0x7E00 | nan >> 13 & 0x1FF;
        assert_eq!(u32::from(u16::from_le_bytes(*code)), wanted, "{nan:#x}");
    }
}

/// Every number of one sign, the middle between it and the next, and the nearest `f32` on both sides.
fn around(of: ElementType, infinity: u16, beyond: f64) -> Vec<f32> {
    let mut numbers = Vec::new();
    for pattern in 0..infinity {
        let low = single(of, pattern);
        let high = match pattern + 1 {
            next if next == infinity => beyond,
            next => single(of, next).into(),
        };
        let middle = f64::midpoint(low.into(), high) as f32;
        for center in [low.to_bits(), middle.to_bits()] {
            numbers.extend([center.wrapping_sub(1), center, center + 1].map(f32::from_bits));
        }
    }
    numbers
}

#[test]
fn numbers_in_runs() {
    let mut rng = Rng(0x6A1F_52C3);
    for (of, infinity, beyond) in HALVES {
        // every length meets these
        let mut numbers = vec![0.0, 1e-45, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY];
        numbers.extend([0x7F80_0001, 0x7FBF_FFFF, 0x7FC0_0000, u32::MAX >> 1].map(f32::from_bits));
        numbers.extend((0..scale() << 11).map(|_| f32::from_bits(rng.next() as u32)));
        numbers.extend(around(of, infinity, beyond));
        // midway between the largest float16 and what would come next
        assert!(of != ElementType::Float16 || numbers.contains(&65520.0));
        let negative: Vec<f32> = numbers.iter().map(|x| -x).collect();
        numbers.extend(negative);
        write_in_runs::<f32>(of, &numbers);
        let some = numbers.iter().step_by((40 / scale()).max(1));
        let mut doubles: Vec<f64> = some.map(|x| f64::from(*x)).collect();
        // and a little more or less than float32 sees
        let near: Vec<u64> = doubles.iter().map(|x| x.to_bits()).collect();
        let near = near
            .iter()
            .flat_map(|bits| [bits.wrapping_sub(1), bits + 1]);
        doubles.extend(near.map(f64::from_bits));
        write_in_runs::<f64>(of, &doubles);
    }
}

/// All other floats: runs of bytes of all kinds.
#[test]
fn small_floats_in_runs() {
    let mut rng = Rng(0x51D);
    let bytes: Vec<u8> = (0..256)
        .chain((0..512).map(|_| rng.below(256)))
        .map(|n| n as u8)
        .collect();
    for of in [
        ElementType::Float8E4M3,
        ElementType::Float8E5M2,
        ElementType::Float6E2M3,
        ElementType::Float6E3M2,
        ElementType::Float4E2M1,
        ElementType::Int4,
        ElementType::Int8,
        ElementType::Bool,
    ] {
        let wanted = |position: u64| {
            let code = bits(of, &bytes, position).unwrap();
            match value(of, code).unwrap() {
                Value::F32(x) => x,
                Value::Int(n) => n as f32,
                Value::Bool(bit) => f32::from(bit),
                other => panic!("{of:?}: {other:?}"),
            }
        };
        for length in 0..=LONGEST {
            for first in (0..9).chain([200, 513]) {
                let mut out = vec![0f32; length];
                decode(of, &bytes, first, &mut out).unwrap();
                for (position, x) in (first..).zip(out) {
                    assert_eq!(x.to_bits(), wanted(position).to_bits(), "{of:?} {position}");
                }
            }
        }
    }
}
