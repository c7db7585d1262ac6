//! The key-value section: what a file says about itself.

use core::iter::FusedIterator;

use super::array::KvArray;
use crate::check::Judge;
use crate::error::{Error, Field};
use crate::model::F64Bits;
use crate::policy::Policy;
use crate::record::{Cursor, Spot, require};
use crate::rule::Rule;
use crate::wire::container::{kv_tag, offset};
use crate::wire::length;

/// One key with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct KvEntry<'a> {
    /// At least one byte, and unique in the file.
    pub key: &'a str,
    /// What it stands for.
    pub value: KvValue<'a>,
}

/// A value of the key-value section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum KvValue<'a> {
    /// Text.
    String(&'a str),
    /// A number with a sign.
    Int64(i64),
    /// A number without one.
    Uint64(u64),
    /// A binary64.
    Float64(F64Bits),
    /// True or false.
    Bool(bool),
    /// Bytes without a meaning of their own.
    Bytes(&'a [u8]),
    /// Values of one type, none of them an array.
    Array(KvArray<'a>),
}

/// A key-value section, front to back.
#[derive(Clone, Debug)]
pub(super) struct KvSection<'a> {
    cursor: Cursor<'a>,
}

/// What is wrong where entries do not fit the section, or leave some of it.
pub(super) const FILL: Rule = Rule::KvEntries;

impl<'a> KvSection<'a> {
    /// The section that starts at an absolute offset.
    pub(super) fn new(bytes: &'a [u8], start: u64) -> Self {
        KvSection {
            cursor: Cursor::new(bytes, start, FILL),
        }
    }

    /// Reads `kv_count`.
    pub(super) fn count(&mut self) -> Result<u32, Error> {
        self.cursor.number(Field::KvCount).map(u32::from_le_bytes)
    }

    /// Reads the next entry and checks it; none in front of a private value, which has no length.
    pub(super) fn entry<J: Judge>(&mut self, judge: &mut J) -> Result<Option<KvEntry<'a>>, Error> {
        let front = self.cursor.spot(Field::KeyLength);
        let key_length = self
            .cursor
            .number(Field::KeyLength)
            .map(u16::from_le_bytes)?;
        let at = match key_length {
            0 => front,
            _ => self.cursor.spot(Field::Key),
        };
        let key = self.cursor.take(key_length.into(), Field::Key)?;
        let key = core::str::from_utf8(key).unwrap_or_default();
        require_key(!key.is_empty(), at)?;
        let at = self.cursor.spot(Field::ValueTag);
        let [tag] = self.cursor.number(Field::ValueTag)?;
        if kv_tag::PRIVATE.contains(&tag) {
            require(judge, false, Rule::KvPrivate, at)?;
            return Ok(None);
        }
        let value = match tag {
            kv_tag::ARRAY => KvValue::Array(self.array()?),
            _ => {
                require_value(kv_tag::SCALARS.contains(&tag), at)?;
                self.scalar(tag)?
            }
        };
        Ok(Some(KvEntry { key, value }))
    }

    /// Checks that nothing is left.
    pub(super) fn finish<J: Judge>(&self, judge: &mut J) -> Result<(), Error> {
        require_fill(
            judge,
            self.cursor.rest().is_empty(),
            self.cursor.spot(Field::KvTail),
        )
    }

    fn array(&mut self) -> Result<KvArray<'a>, Error> {
        let at = self.cursor.spot(Field::Value);
        let [element_tag] = self.cursor.number(Field::Value)?;
        if !kv_tag::SCALARS.contains(&element_tag) {
            return Err(at.error(Rule::KvArray));
        }
        let count = self.cursor.number(Field::Value).map(u32::from_le_bytes)?;
        let from = self.cursor.rest();
        for _ in 0..count {
            self.scalar(element_tag)?;
        }
        let len = from.len().saturating_sub(self.cursor.rest().len());
        let elements = from.get(..len).unwrap_or_default();
        Ok(KvArray::encoded(element_tag, count, elements))
    }

    pub(super) fn scalar(&mut self, tag: u8) -> Result<KvValue<'a>, Error> {
        let value = match tag {
            kv_tag::INT64 => KvValue::Int64(i64::from_le_bytes(self.cursor.number(Field::Value)?)),
            kv_tag::UINT64 => {
                KvValue::Uint64(u64::from_le_bytes(self.cursor.number(Field::Value)?))
            }
            kv_tag::FLOAT64 => {
                let bits = self.cursor.number(Field::Value).map(u64::from_le_bytes)?;
                KvValue::Float64(F64Bits(bits))
            }
            kv_tag::BOOL => {
                let at = self.cursor.spot(Field::Value);
                let [byte] = self.cursor.number(Field::Value)?;
                require_value(byte <= 1, at)?;
                KvValue::Bool(byte == 1)
            }
            _ => {
                let (bytes, at) = self.cursor.counted(Field::Value)?;
                match (tag, core::str::from_utf8(bytes)) {
                    (kv_tag::STRING, Ok(text)) => KvValue::String(text),
                    (kv_tag::STRING, Err(_)) => {
                        require_value(false, at)?;
                        KvValue::Bytes(bytes)
                    }
                    _ => KvValue::Bytes(bytes),
                }
            }
        };
        Ok(value)
    }
}

/// Requires of entries that they fit the length of their section and leave none of it.
pub(super) fn require_fill<J: Judge>(judge: &mut J, holds: bool, at: Spot) -> Result<(), Error> {
    require(judge, holds, FILL, at)
}

/// Requires what must hold of a key.
pub(super) fn require_key(holds: bool, at: Spot) -> Result<(), Error> {
    at.must(holds, Rule::KvKey)
}

fn require_value(holds: bool, at: Spot) -> Result<(), Error> {
    at.must(holds, Rule::KvValue)
}

/// The entries of a key-value section that was checked.
///
/// In permissive mode they end in front of the first value of a private type, which has no length.
#[derive(Clone, Debug)]
pub struct KvEntries<'a> {
    section: KvSection<'a>,
    left: u32,
}

impl<'a> KvEntries<'a> {
    pub(super) fn new(mut section: KvSection<'a>) -> Self {
        let left = section.count().unwrap_or(0);
        KvEntries { section, left }
    }

    /// Where the next entry is.
    pub(super) fn at(&self) -> u64 {
        self.section.cursor.at()
    }
}

/// The spot of the key whose entry is at an absolute offset.
pub(super) fn key_spot(at: u64) -> Spot {
    let key = length(offset(Field::Key));
    Spot::new(Field::Key, at.saturating_add(key))
}

impl<'a> Iterator for KvEntries<'a> {
    type Item = KvEntry<'a>;

    fn next(&mut self) -> Option<KvEntry<'a>> {
        self.left = self.left.checked_sub(1)?;
        let policy = Policy::PERMISSIVE;
        let entry = self.section.entry(&mut &policy).ok().flatten();
        if entry.is_none() {
            self.left = 0;
        }
        entry
    }
}

impl FusedIterator for KvEntries<'_> {}
