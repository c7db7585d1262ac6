//! Numbers to elements and sums of elements, by looking through all codes of a type.

use std::collections::HashMap;

use hrry::ElementType;

use super::model::small_float;

/// Finds the nearest codes; keeps a table of each type.
#[derive(Default)]
pub struct Rounder(HashMap<u8, Vec<(f64, u128)>>);

impl Rounder {
    /// The bits of the element that is nearest to a number, as AMB-111 says.
    pub fn nearest(&mut self, of: ElementType, x: f64) -> u128 {
        match of {
            ElementType::Float32 => return (x as f32).to_bits().into(),
            ElementType::Float64 => return x.to_bits().into(),
            _ => {}
        }
        if x.is_nan() {
            return nan(of);
        }
        let sign = u128::from(x.is_sign_negative()) << (of.bits() - 1);
        let codes = self.0.entry(of.0).or_insert_with(|| magnitudes(of));
        let x = x.abs();
        let above = codes.partition_point(|(number, _)| *number < x);
        let Some((high, code)) = codes.get(above) else {
            return sign | codes[codes.len() - 1].1;
        };
        let Some((low, below)) = above.checked_sub(1).map(|below| codes[below]) else {
            return sign | code;
        };
        let (up, down) = (high - x, x - low);
        let even = if code & 1 == 0 { *code } else { below };
        sign | match up.partial_cmp(&down).unwrap() {
            std::cmp::Ordering::Less => *code,
            std::cmp::Ordering::Equal => even,
            std::cmp::Ordering::Greater => below,
        }
    }

    /// The sum of two elements, rounded once.
    pub fn sum(&mut self, of: ElementType, a: u128, b: u128) -> u128 {
        let single = |bits: u128| f32::from_bits(bits as u32);
        match of {
            ElementType::Float32 => (single(a) + single(b)).to_bits().into(),
            ElementType::Float64 => (f64::from_bits(a as u64) + f64::from_bits(b as u64))
                .to_bits()
                .into(),
            ElementType::Complex64 => {
                let part = |at: u32| {
                    let sum = single(a >> at & 0xFFFF_FFFF) + single(b >> at & 0xFFFF_FFFF);
                    u128::from(sum.to_bits()) << at
                };
                part(0) | part(32)
            }
            ElementType::Bool => a | b,
            _ if is_small(of) => {
                // exact in float64 wherever a sum is near the middle of two numbers
                let sum = f64::from(small_float(of, a)) + f64::from(small_float(of, b));
                self.nearest(of, sum)
            }
            _ => a.wrapping_add(b) & ((1 << of.bits()) - 1),
        }
    }
}

pub fn is_small(of: ElementType) -> bool {
    matches!(of.0, 0x01 | 0x02 | 0x40 | 0x41 | 0x43..=0x45)
}

/// Whether the bits are a NaN, or one in either part.
pub fn is_nan(of: ElementType, bits: u128) -> bool {
    let single = |bits: u128| f32::from_bits(bits as u32).is_nan();
    match of {
        ElementType::Float32 => single(bits),
        ElementType::Float64 => f64::from_bits(bits as u64).is_nan(),
        ElementType::Complex64 => single(bits) || single(bits >> 32),
        _ => is_small(of) && small_float(of, bits).is_nan(),
    }
}

fn nan(of: ElementType) -> u128 {
    match of {
        ElementType::Float16 => 0x7E00,
        ElementType::BFloat16 => 0x7FC0,
        ElementType::Float8E4M3 => 0x7F,
        ElementType::Float8E5M2 => 0x7E,
        other => panic!("{other:?} has no NaN"),
    }
}

/// The numbers that are not negative, ascending, with their codes; infinity counts as the power of two
/// behind the largest, which is where it begins for rounding.
fn magnitudes(of: ElementType) -> Vec<(f64, u128)> {
    let codes = 0..1u128 << (of.bits() - 1);
    let mut all: Vec<(f64, u128)> = codes
        .map(|code| (f64::from(small_float(of, code)), code))
        .filter(|(number, _)| !number.is_nan())
        .collect();
    if let Some(last) = all.last_mut().filter(|(number, _)| number.is_infinite()) {
        last.0 = if of == ElementType::BFloat16 {
            2f64.powi(128)
        } else {
            65536.0
        };
    }
    all
}
