//! How long an entry is, found out from its start.
//!
//! Each step looks at one number, so that an entry costs time in proportion to its length however it arrives.

use crate::wire::container::{ENTRY_HEAD, ENTRY_TAIL, kv_tag};
use crate::wire::{length, u8, u32};

/// Bytes of the lengths and counts inside values.
const NUMBER: u64 = 4;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Behind the length of a key.
    KeyLength,
    /// Behind a tag.
    Tag,
    /// Behind a length, with more elements to come.
    Length { more: u32 },
    /// Behind tag and count of an array.
    Array,
    /// Behind the length of a name.
    NameLength,
    /// What follows from the bytes is known.
    Whole,
}

/// The length of an entry as far as its start tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    needed: u64,
    step: Step,
}

impl Measure {
    /// An entry of the key-value section.
    pub(super) const KEY: Measure = Measure {
        needed: 2,
        step: Step::KeyLength,
    };

    /// An entry of the index.
    pub(super) const NAME: Measure = Measure {
        needed: 2,
        step: Step::NameLength,
    };

    /// Bytes to the next step, or to the end.
    pub(super) const fn needed(&self) -> u64 {
        self.needed
    }

    /// Whether the entry ends there.
    pub(super) const fn is_whole(&self) -> bool {
        matches!(self.step, Step::Whole)
    }

    /// Takes the next step; `bytes` are those that it needs.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        let last = |size| bytes.len().saturating_sub(size);
        let number = u32(bytes, last(4));
        let (more, step) = match self.step {
            Step::KeyLength => (name_length(bytes).saturating_add(1), Step::Tag),
            Step::Tag => match u8(bytes, last(1)) {
                kv_tag::ARRAY => (NUMBER.saturating_add(1), Step::Array),
                tag => values(tag, 1),
            },
            Step::Length { more } => match more.checked_sub(1) {
                Some(more) => (
                    u64::from(number).saturating_add(NUMBER),
                    Step::Length { more },
                ),
                None => (number.into(), Step::Whole),
            },
            Step::Array => values(u8(bytes, last(5)), number),
            Step::NameLength => (
                name_length(bytes).saturating_add(length(ENTRY_TAIL)),
                Step::Whole,
            ),
            Step::Whole => (0, Step::Whole),
        };
        self.needed = self.needed.saturating_add(more);
        self.step = step;
    }
}

fn name_length(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk::<ENTRY_HEAD>()
        .map_or(0, |head| u16::from_le_bytes(*head).into())
}

/// What comes behind the tag of so many values.
fn values(tag: u8, count: u32) -> (u64, Step) {
    match (tag, count.checked_sub(1)) {
        (kv_tag::STRING | kv_tag::BYTES, Some(more)) => (NUMBER, Step::Length { more }),
        _ => (width(tag).saturating_mul(count.into()), Step::Whole),
    }
}

/// Bytes of a value with a fixed length; what has no such type is refused without its bytes.
fn width(tag: u8) -> u64 {
    match tag {
        kv_tag::INT64 | kv_tag::UINT64 | kv_tag::FLOAT64 => 8,
        kv_tag::BOOL => 1,
        _ => 0,
    }
}
