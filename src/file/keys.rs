//! Writing a key-value section: its length first, then one forward pass.

use core::convert::Infallible;

use super::kv::{KvEntry, KvValue, require_fill, require_key};
use crate::descriptor::Sink;
use crate::error::{Error, Field};
use crate::policy::Policy;
use crate::record::Spot;
use crate::wire::container::kv_tag;
use crate::wire::{length, length32};

/// Checks the entries of a section as a reader does, and returns its length.
pub(super) fn section_len<'k>(
    entries: impl Iterator<Item = KvEntry<'k>> + Clone,
) -> Result<u32, Error> {
    let mut rest = entries.clone();
    while let Some(KvEntry { key, .. }) = rest.next() {
        let named = !key.is_empty() && u16::try_from(key.len()).is_ok();
        require_key(named, Spot::new(Field::KeyLength, 0))?;
        let unique = rest.clone().all(|other| other.key != key);
        require_key(unique, Spot::new(Field::Key, 0))?;
    }
    let mut count = Count(0);
    let Ok(()) = put_section(entries, &mut count);
    let len = u32::try_from(count.0);
    let at = Spot::new(Field::KvLength, 0);
    require_fill(&mut &Policy::STRICT, len.is_ok(), at)?;
    Ok(len.unwrap_or(u32::MAX))
}

/// Writes a section that was checked.
pub(super) fn put_section<'k, W: Sink>(
    entries: impl Iterator<Item = KvEntry<'k>> + Clone,
    sink: &mut W,
) -> Result<(), W::Error> {
    // what does not fit its field makes the section too long
    sink.put(&length32(entries.clone().count()).to_le_bytes())?;
    for KvEntry { key, value } in entries {
        let key_length = u16::try_from(key.len()).unwrap_or(u16::MAX);
        sink.put(&key_length.to_le_bytes())?;
        sink.put(key.as_bytes())?;
        sink.put(&[tag(&value)])?;
        if let KvValue::Array(array) = value {
            sink.put(&[array.element_tag()])?;
            sink.put(&array.len().to_le_bytes())?;
            for element in array.iter() {
                put_scalar(&element, sink)?;
            }
        } else {
            put_scalar(&value, sink)?;
        }
    }
    Ok(())
}

fn tag(value: &KvValue<'_>) -> u8 {
    match value {
        KvValue::String(_) => kv_tag::STRING,
        KvValue::Int64(_) => kv_tag::INT64,
        KvValue::Uint64(_) => kv_tag::UINT64,
        KvValue::Float64(_) => kv_tag::FLOAT64,
        KvValue::Bool(_) => kv_tag::BOOL,
        KvValue::Bytes(_) => kv_tag::BYTES,
        KvValue::Array(_) => kv_tag::ARRAY,
    }
}

fn put_scalar<W: Sink>(value: &KvValue<'_>, sink: &mut W) -> Result<(), W::Error> {
    match value {
        KvValue::Int64(number) => sink.put(&number.to_le_bytes()),
        KvValue::Uint64(number) => sink.put(&number.to_le_bytes()),
        KvValue::Float64(bits) => sink.put(&bits.0.to_le_bytes()),
        KvValue::Bool(truth) => sink.put(&[u8::from(*truth)]),
        KvValue::String(text) => put_bytes(text.as_bytes(), sink),
        KvValue::Bytes(bytes) => put_bytes(bytes, sink),
        // no element is one
        KvValue::Array(_) => Ok(()),
    }
}

fn put_bytes<W: Sink>(bytes: &[u8], sink: &mut W) -> Result<(), W::Error> {
    sink.put(&length32(bytes.len()).to_le_bytes())?;
    sink.put(bytes)
}

/// Measures what is put.
struct Count(u64);

impl Sink for Count {
    type Error = Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.0 = self.0.saturating_add(length(bytes.len()));
        Ok(())
    }
}
