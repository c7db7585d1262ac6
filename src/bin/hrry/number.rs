//! Numbers in JSON.

use hrry::Value;
use serde::{Serialize, Serializer};

/// A number as JSON has it, and in words what JSON does not have.
pub struct Number(pub Value);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Bool(value) => value.serialize(serializer),
            Value::Int(value) => value.serialize(serializer),
            Value::UInt(value) => value.serialize(serializer),
            Value::F32(value) => Single(value).serialize(serializer),
            Value::F64(value) => Double(value).serialize(serializer),
            Value::Complex64(parts) => parts.map(Single).serialize(serializer),
            Value::Complex128(parts) => parts.map(Double).serialize(serializer),
        }
    }
}

struct Single(f32);
pub struct Double(pub f64);

impl Serialize for Single {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match word(self.0.into()) {
            Some(word) => word.serialize(serializer),
            None => self.0.serialize(serializer),
        }
    }
}

impl Serialize for Double {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match word(self.0) {
            Some(word) => word.serialize(serializer),
            None => self.0.serialize(serializer),
        }
    }
}

fn word(x: f64) -> Option<&'static str> {
    match x {
        f64::INFINITY => Some("Infinity"),
        f64::NEG_INFINITY => Some("-Infinity"),
        _ if x.is_nan() => Some("NaN"),
        _ => None,
    }
}
