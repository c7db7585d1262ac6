//! Keys and values from the command line: `KEY=TEXT`, or `KEY:TYPE=VALUE`, where `KEY` may hold colons.

use std::str::FromStr;

use hrry::{KvEntry, KvValue};

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Setting {
    key: String,
    value: Value,
}

#[derive(Clone, Debug)]
enum Value {
    String(String),
    Int64(i64),
    Uint64(u64),
    Float64(f64),
    Bool(bool),
    Bytes(Vec<u8>),
}

impl Setting {
    /// As the library takes it.
    pub fn entry(&self) -> KvEntry<'_> {
        let value = match &self.value {
            Value::String(text) => KvValue::String(text),
            Value::Int64(number) => KvValue::Int64(*number),
            Value::Uint64(number) => KvValue::Uint64(*number),
            Value::Float64(number) => KvValue::Float64((*number).into()),
            Value::Bool(truth) => KvValue::Bool(*truth),
            Value::Bytes(bytes) => KvValue::Bytes(bytes),
        };
        KvEntry {
            key: &self.key,
            value,
        }
    }
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("there is no =")?;
        let (key, kind) = name.rsplit_once(':').unwrap_or((name, "string"));
        let value = match kind {
            "string" => Value::String(value.into()),
            "int64" => Value::Int64(parsed(value)?),
            "uint64" => Value::Uint64(parsed(value)?),
            "float64" => Value::Float64(parsed(value)?),
            "bool" => Value::Bool(parsed(value)?),
            "bytes" => Value::Bytes(bytes(value)?),
            _ => {
                return Err(format!(
                    "{kind} is none of string, int64, uint64, float64, bool, bytes; \
                     a key that holds : takes a type, {name}:string=.."
                ));
            }
        };
        Ok(Setting {
            key: key.into(),
            value,
        })
    }
}

fn parsed<T: FromStr<Err: ToString>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|error: T::Err| error.to_string())
}

/// Two hexadecimal digits a byte.
fn bytes(value: &str) -> Result<Vec<u8>, String> {
    let digit = |c: char| c.to_digit(16).map(|digit| digit as u8);
    let digits: Option<Vec<u8>> = value.chars().map(digit).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2));
    let digits = digits.ok_or("two hexadecimal digits are a byte")?;
    Ok(digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect())
}
