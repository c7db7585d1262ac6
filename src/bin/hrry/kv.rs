//! Values of the key-value section, as JSON and in words.

use hrry::{KvArray, KvEntry, KvValue};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::shape::hex;
use super::text::plural;

/// `{"key": .., "value": ..}`.
pub struct KvShape<'a>(pub KvEntry<'a>);

impl Serialize for KvShape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("key", self.0.key)?;
        map.serialize_entry("value", &ValueShape(self.0.value))?;
        map.end()
    }
}

struct ValueShape<'a>(KvValue<'a>);

impl Serialize for ValueShape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", type_name(&self.0))?;
        match self.0 {
            KvValue::String(text) => map.serialize_entry("value", text)?,
            KvValue::Int64(number) => map.serialize_entry("value", &number)?,
            KvValue::Uint64(number) => map.serialize_entry("value", &number)?,
            KvValue::Float64(bits) => {
                map.serialize_entry("bits", &format!("{:#018x}", bits.0))?;
            }
            KvValue::Bool(truth) => map.serialize_entry("value", &truth)?,
            KvValue::Bytes(bytes) => map.serialize_entry("hex", &hex(bytes))?,
            KvValue::Array(array) => {
                map.serialize_entry("element_tag", &array.element_tag())?;
                map.serialize_entry("items", &Items(array))?;
            }
            _ => {}
        }
        map.end()
    }
}

struct Items<'a>(KvArray<'a>);

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(usize::try_from(self.0.len()).ok())?;
        for value in self.0.iter() {
            sequence.serialize_element(&ValueShape(value))?;
        }
        sequence.end()
    }
}

const fn type_name(value: &KvValue<'_>) -> &'static str {
    match value {
        KvValue::String(_) => "string",
        KvValue::Int64(_) => "int64",
        KvValue::Uint64(_) => "uint64",
        KvValue::Float64(_) => "float64",
        KvValue::Bool(_) => "bool",
        KvValue::Bytes(_) => "bytes",
        KvValue::Array(_) => "array",
        _ => "unknown",
    }
}

/// A value for people; long ones are told by their length.
pub fn text(value: &KvValue<'_>) -> String {
    match value {
        KvValue::String(text) if text.chars().count() <= SHOWN => format!("{text:?}"),
        KvValue::String(text) => {
            let start: String = text.chars().take(SHOWN).collect();
            format!("{start:?}.., {}", plural(text.len() as u64, "byte"))
        }
        KvValue::Int64(number) => number.to_string(),
        KvValue::Uint64(number) => number.to_string(),
        KvValue::Float64(bits) => format!("{:?}", f64::from_bits(bits.0)),
        KvValue::Bool(truth) => truth.to_string(),
        KvValue::Bytes(bytes) if bytes.len() <= SHOWN => format!("bytes {}", hex(bytes)),
        KvValue::Bytes(bytes) => plural(bytes.len() as u64, "byte"),
        KvValue::Array(array) => {
            let values: Vec<_> = array
                .iter()
                .take(SHOWN_ITEMS)
                .map(|value| self::text(&value))
                .collect();
            let more = if array.len() as usize > SHOWN_ITEMS {
                ", .."
            } else {
                ""
            };
            format!(
                "[{}{more}], {}",
                values.join(", "),
                plural(array.len().into(), "element")
            )
        }
        _ => "unknown".into(),
    }
}

/// The name or key that a message is about, behind the message.
pub fn named(name: &str) -> String {
    format!(": {}", text(&KvValue::String(name)))
}

const SHOWN: usize = 64;
const SHOWN_ITEMS: usize = 8;
