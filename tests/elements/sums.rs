//! Sums of small floats against float64, which holds them exactly, and one rounding.

use hrry::element::{add, nearest, value};
use hrry::{ElementType, Value};

fn number(of: ElementType, code: u32) -> f64 {
    match value(of, code.into()) {
        Some(Value::F32(x)) => x.into(),
        other => panic!("{of:?} {code:#x}: {other:?}"),
    }
}

/// What a sum has to be.
fn rounded(of: ElementType, sum: f64) -> Option<u128> {
    // a NaN that is computed has no sign
    nearest(of, Value::F64(if sum.is_nan() { f64::NAN } else { sum }))
}

fn check(of: ElementType, a: u32, b: u32) {
    let sum = number(of, a) + number(of, b);
    let wanted = rounded(of, sum);
    assert!(wanted.is_some());
    assert_eq!(add(of, a.into(), b.into()), wanted, "{of:?} {a:#x} {b:#x}");
}

#[test]
fn all_pairs_of_at_most_eight_bits() {
    let types = [
        ElementType::Float8E4M3,
        ElementType::Float8E5M2,
        ElementType::Float4E2M1,
        ElementType::Float6E2M3,
        ElementType::Float6E3M2,
    ];
    for of in types {
        for a in 0..1 << of.bits() {
            for b in 0..1 << of.bits() {
                check(of, a, b);
            }
        }
    }
    for a in 1..0xFF {
        for b in 1..0xFF {
            // beyond 40 powers apart the larger is the sum, and float64 may not hold it
            let (a, b): (u32, u32) = (a, b);
            if a.abs_diff(b) < 40 {
                check(ElementType::Float8E8M0, a, b);
            } else {
                let sum = add(ElementType::Float8E8M0, a.into(), b.into());
                assert_eq!(sum, Some(a.max(b).into()));
            }
        }
    }
}

#[test]
fn pairs_of_sixteen_bits() {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    for _ in 0..100_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (a, b) = ((state >> 16) as u32 & 0xFFFF, (state >> 40) as u32 & 0xFFFF);
        check(ElementType::Float16, a, b);
        // near enough for an exact sum
        let near = a & 0x7F80 | b & 0x807F;
        check(ElementType::BFloat16, a, near);
        check(ElementType::BFloat16, a, near.saturating_sub(9 << 7));
    }
}
