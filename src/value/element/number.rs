//! One element at a time, as a number of its own kind.

use super::cast::{
    Cast, Low, double, double_odd, join_64, join_128, parts_64, parts_128, single, single_odd,
};
use super::format::{Format, power};
use super::integer;
use super::quad::{self, Rounding};
use crate::wire::tag::ElementType;

/// What the bits of an element mean.
///
/// ```
/// use hrry::element::{self, Value};
/// use hrry::ElementType;
///
/// assert_eq!(element::value(ElementType::Int4, 0xD), Some(Value::Int(-3)));
/// assert_eq!(element::value(ElementType::Float16, 0x3C00), Some(Value::F32(1.0)));
/// assert_eq!(element::value(ElementType::Float8E8M0, 0xFF), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Value {
    /// Of bool.
    Bool(bool),
    /// Of int2 to int64.
    Int(i64),
    /// Of uint2 to uint64.
    UInt(u64),
    /// Of floats of at most 32 bits, exactly.
    F32(f32),
    /// Of float64, exactly, and of float128, rounded to nearest, ties to even.
    F64(f64),
    /// Of complex64: real part, imaginary part.
    Complex64([f32; 2]),
    /// Of complex128: real part, imaginary part.
    Complex128([f64; 2]),
}

/// The number that the bits of an element stand for; none for private and unknown types, and for bits
/// that are no value of their type (`0x00` and `0xFF` of float8_e8m0).
///
/// `bits` are those that [`bits`](super::bits) gives; what lies above the width of the type is ignored.
/// A NaN of float32, float64 and the complex types keeps its bits, any other becomes quiet.
#[must_use]
pub fn value(element_type: ElementType, bits: u128) -> Option<Value> {
    if let Some(format) = Format::of(element_type) {
        return Some(Value::F32(f32::from_bits(format.widen(u32::low(bits)))));
    }
    if let Some((min, max)) = integer::range(element_type) {
        return Some(whole_number(element_type, bits, min, max));
    }
    Some(match element_type {
        ElementType::Float8E8M0 => {
            let code = Some(u8::low(bits)).filter(|code| power::is_value(*code))?;
            Value::F32(f32::from_bits(power::widen(code)))
        }
        ElementType::Float32 => Value::F32(f32::from_bits(u32::low(bits))),
        ElementType::Float64 => Value::F64(f64::from_bits(u64::low(bits))),
        ElementType::Float128 => Value::F64(quad::to_double(bits, Rounding::Nearest)),
        ElementType::Complex64 => Value::Complex64(parts_64(u64::low(bits)).map(f32::from_bits)),
        ElementType::Complex128 => Value::Complex128(parts_128(bits).map(f64::from_bits)),
        _ => return None,
    })
}

fn whole_number(of: ElementType, bits: u128, min: i128, max: i128) -> Value {
    let unused = 64u32.wrapping_sub(of.bits());
    let top = u64::low(bits).wrapping_shl(unused);
    let unsigned = top.wrapping_shr(unused);
    if min < 0 {
        Value::Int(top.cast_signed().wrapping_shr(unused))
    } else if max == 1 {
        Value::Bool(unsigned == 1)
    } else {
        Value::UInt(unsigned)
    }
}

/// The bits of the element that is nearest to a number: ties to even, beyond the largest infinity or,
/// where the type has none, the largest.
///
/// None where the type has no such value: a NaN or a number that is not positive, in types without; an
/// integer out of the range of an integer type; floats in integer types, complex numbers in real types;
/// and anything in private and unknown types. Bool counts as 0 and 1, a real number as a complex one
/// with imaginary part +0.
///
/// A NaN becomes quiet and keeps its sign and the leading bits of its payload that fit; numbers that
/// already are of the type keep all bits.
///
/// ```
/// use hrry::element::{self, Value};
/// use hrry::ElementType;
///
/// assert_eq!(element::nearest(ElementType::Float8E4M3, Value::F64(1e9)), Some(0x7E)); // 448
/// assert_eq!(element::nearest(ElementType::Float16, Value::F64(1e9)), Some(0x7C00)); // infinity
/// assert_eq!(element::nearest(ElementType::UInt8, Value::Int(300)), None);
/// ```
#[must_use]
pub fn nearest(element_type: ElementType, value: Value) -> Option<u128> {
    match element_type {
        ElementType::Complex64 => {
            let parts = match value {
                Value::Complex64(parts) => parts,
                Value::Complex128(parts) => parts.map(single),
                real => [nearest_single(real)?, 0.0],
            };
            Some(join_64(parts.map(f32::to_bits)).into())
        }
        ElementType::Complex128 => {
            let parts = match value {
                Value::Complex64(parts) => parts.map(double),
                Value::Complex128(parts) => parts,
                real => [nearest_double(real)?, 0.0],
            };
            Some(join_128(parts.map(f64::to_bits)))
        }
        ElementType::Float32 => Some(nearest_single(value)?.to_bits().into()),
        ElementType::Float64 => Some(nearest_double(value)?.to_bits().into()),
        ElementType::Float128 => nearest_quad(value),
        ElementType::Float8E8M0 => {
            let x = odd_single(value).filter(|x| power::has(*x))?;
            Some(power::narrow(x.to_bits()).into())
        }
        _ => match Format::of(element_type) {
            Some(format) => {
                let x = odd_single(value).filter(|x| format.has(*x))?;
                Some(format.narrow(x.to_bits()).into())
            }
            None => same_integer(element_type, value),
        },
    }
}

fn nearest_single(value: Value) -> Option<f32> {
    Some(match value {
        Value::F32(x) => x,
        Value::F64(x) => single(x),
        Value::Int(n) => f32::cast(n),
        Value::UInt(n) => f32::cast(n),
        Value::Bool(bit) => f32::from(bit),
        Value::Complex64(_) | Value::Complex128(_) => return None,
    })
}

fn nearest_double(value: Value) -> Option<f64> {
    Some(match value {
        Value::F32(x) => double(x),
        Value::F64(x) => x,
        Value::Int(n) => f64::cast(n),
        Value::UInt(n) => f64::cast(n),
        Value::Bool(bit) => f64::from(bit),
        Value::Complex64(_) | Value::Complex128(_) => return None,
    })
}

fn nearest_quad(value: Value) -> Option<u128> {
    match value {
        Value::Int(n) => Some(quad::from_integer(n < 0, n.unsigned_abs())),
        Value::UInt(n) => Some(quad::from_integer(false, n)),
        other => nearest_double(other).map(quad::from_double),
    }
}

/// For one rounding more, to a type of at most 16 bits.
fn odd_single(value: Value) -> Option<f32> {
    let wide = match value {
        Value::F32(x) => return Some(x),
        Value::Int(n) if n < 0 => -double_odd(n.unsigned_abs()),
        Value::Int(n) => double_odd(n.unsigned_abs()),
        Value::UInt(n) => double_odd(n),
        other => nearest_double(other)?,
    };
    Some(single_odd(wide))
}

fn same_integer(of: ElementType, value: Value) -> Option<u128> {
    let (min, max) = integer::range(of)?;
    let n = match value {
        Value::Int(n) => i128::from(n),
        Value::UInt(n) => i128::from(n),
        Value::Bool(bit) => i128::from(bit),
        _ => return None,
    };
    (min..=max)
        .contains(&n)
        .then(|| masked(of, n.cast_unsigned()))
}

/// The bits of a type's width.
fn masked(of: ElementType, bits: u128) -> u128 {
    let unused = 128u32.wrapping_sub(of.bits());
    bits.wrapping_shl(unused).wrapping_shr(unused)
}

/// The sum of two elements, with one rounding.
///
/// Floats as IEEE 754 adds them, and to the largest where their type has no infinity; complex numbers
/// by parts; integers wrap around; of bools, whether one of them is true. A NaN that comes out is the
/// positive quiet one. None for private and unknown types, and where an operand is no value.
///
/// ```
/// use hrry::{ElementType, element};
///
/// assert_eq!(element::add(ElementType::Float16, 0x3C00, 0x4000), Some(0x4200)); // 1 + 2
/// assert_eq!(element::add(ElementType::UInt4, 15, 3), Some(2));
/// ```
#[must_use]
pub fn add(element_type: ElementType, a: u128, b: u128) -> Option<u128> {
    if let Some(format) = Format::of(element_type) {
        return Some(format.add(u32::low(a), u32::low(b)).into());
    }
    Some(match element_type {
        ElementType::Bool => masked(element_type, a | b),
        ElementType::Float32 => add_singles(u32::low(a), u32::low(b)).into(),
        ElementType::Float64 => add_doubles(u64::low(a), u64::low(b)).into(),
        ElementType::Float128 => quad::add(a, b),
        ElementType::Complex64 => {
            let ([a, b], [c, d]) = (parts_64(u64::low(a)), parts_64(u64::low(b)));
            join_64([add_singles(a, c), add_singles(b, d)]).into()
        }
        ElementType::Complex128 => {
            let ([a, b], [c, d]) = (parts_128(a), parts_128(b));
            join_128([add_doubles(a, c), add_doubles(b, d)])
        }
        ElementType::Float8E8M0 => match (value(element_type, a)?, value(element_type, b)?) {
            // 2^127 twice is more than float32 holds, and so infinite: the largest, as it would be anyway
            (Value::F32(a), Value::F32(b)) => power::narrow((a + b).to_bits()).into(),
            _ => return None,
        },
        _ => {
            integer::range(element_type)?;
            masked(element_type, a.wrapping_add(b))
        }
    })
}

fn add_singles(a: u32, b: u32) -> u32 {
    let sum = f32::from_bits(a) + f32::from_bits(b);
    if sum.is_nan() {
        f32::NAN.to_bits()
    } else {
        sum.to_bits()
    }
}

fn add_doubles(a: u64, b: u64) -> u64 {
    let sum = f64::from_bits(a) + f64::from_bits(b);
    if sum.is_nan() {
        f64::NAN.to_bits()
    } else {
        sum.to_bits()
    }
}
