//! Lists of layouts, in the order in which a peer prefers them.

use core::fmt;

use crate::descriptor::Sink;
use crate::error::{Error, Field, Violation};
use crate::record::Cursor;
use crate::rule::Rule;
use crate::wire::message::COUNT;
use crate::wire::tag::LayoutTag;
use crate::wire::{array, index, length, length32};

/// A layout that a peer takes or offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LayoutEntry<'a> {
    /// Which layout.
    pub tag: LayoutTag,
    /// What its owner has to say of a private layout, at most 65,535 bytes; empty for the others.
    pub metadata: &'a [u8],
}

impl LayoutEntry<'_> {
    /// A layout that needs no metadata.
    #[must_use]
    pub const fn new(tag: LayoutTag) -> Self {
        LayoutEntry { tag, metadata: &[] }
    }

    /// What must hold of an entry, and which rule it breaks otherwise.
    fn fault(&self) -> Option<Rule> {
        let fits = match self.tag.is_private() {
            true => u16::try_from(self.metadata.len()).is_ok(),
            false => self.metadata.is_empty(),
        };
        if matches!(self.tag.0, 0x00 | 0xFF) {
            Some(Rule::LayoutList)
        } else {
            (!fits).then_some(WHOLE)
        }
    }

    fn encoded_len(&self) -> u64 {
        let metadata = length(COUNT).wrapping_add(length(self.metadata.len()));
        match self.tag.is_private() {
            true => metadata.wrapping_add(1),
            false => 1,
        }
    }
}

/// What is broken where the metadata of an entry is not whole.
const WHOLE: Rule = Rule::LayoutEntry;

/// A list of layouts, most preferred first: as it came in a message, or values.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LayoutEntries<'a>(Entries<'a>);

#[derive(Clone, Copy)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Entries<'a> {
    /// The encoded entries of a list that was checked.
    Encoded(&'a [u8]),
    Values(&'a [LayoutEntry<'a>]),
}

impl<'a> LayoutEntries<'a> {
    /// No layouts: no preference.
    pub const EMPTY: Self = LayoutEntries(Entries::Values(&[]));

    /// The list of these entries.
    #[must_use]
    pub const fn new(entries: &'a [LayoutEntry<'a>]) -> Self {
        LayoutEntries(Entries::Values(entries))
    }

    /// The entries, in order.
    #[must_use]
    pub const fn iter(&self) -> LayoutIter<'a> {
        LayoutIter(self.0)
    }

    /// Whether a layout is listed, whatever its metadata.
    #[must_use]
    pub fn has(&self, tag: LayoutTag) -> bool {
        self.iter().any(|entry| entry.tag == tag)
    }

    /// Reads a list with its count.
    pub(super) fn read(cursor: &mut Cursor<'a>, list: Field) -> Result<Self, Error> {
        let count = cursor.number(Field::LayoutCount).map(u16::from_le_bytes)?;
        let from = cursor.rest();
        for _ in 0..count {
            let at = cursor.spot(list);
            let [tag] = cursor.number(list)?;
            let tag = LayoutTag(tag);
            let metadata = match tag.is_private() {
                true => cursor.fitting(WHOLE, |cursor| {
                    let len = cursor.number(list).map(u16::from_le_bytes)?;
                    cursor.take(len.into(), list)
                })?,
                false => &[],
            };
            if let Some(rule) = (LayoutEntry { tag, metadata }).fault() {
                return Err(at.error(rule));
            }
        }
        let len = from.len().saturating_sub(cursor.rest().len());
        let entries = from.get(..len).unwrap_or_default();
        Ok(LayoutEntries(Entries::Encoded(entries)))
    }

    /// What is wrong with the list in that field.
    pub(super) fn check(&self, list: Field, fits: Rule) -> Result<(), Violation> {
        let mut index = 0u32;
        for entry in self.iter() {
            if let Some(rule) = entry.fault() {
                let field = list;
                return Err(Violation { rule, field, index });
            }
            index = index.saturating_add(1);
        }
        counted(self.iter().count(), Field::LayoutCount, fits)
    }

    pub(super) fn encoded_len(&self) -> u64 {
        let lens = self.iter().map(|entry| entry.encoded_len());
        lens.fold(length(COUNT), u64::wrapping_add)
    }

    pub(super) fn write<W: Sink + ?Sized>(&self, sink: &mut W) -> Result<(), W::Error> {
        sink.put(&count16(self.iter().count()))?;
        for entry in self.iter() {
            sink.put(&[entry.tag.0])?;
            if entry.tag.is_private() {
                sink.put(&count16(entry.metadata.len()))?;
                sink.put(entry.metadata)?;
            }
        }
        Ok(())
    }
}

/// Requires of a list that its count fits.
pub(super) fn counted(len: usize, field: Field, rule: Rule) -> Result<(), Violation> {
    match u16::try_from(len) {
        Ok(_) => Ok(()),
        Err(_) => Err(Violation {
            rule,
            field,
            index: length32(len),
        }),
    }
}

/// A count that was checked, as it is written.
pub(super) fn count16(len: usize) -> [u8; COUNT] {
    u16::try_from(len).unwrap_or(u16::MAX).to_le_bytes()
}

/// The entries of a list of layouts.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LayoutIter<'a>(Entries<'a>);

impl<'a> Iterator for LayoutIter<'a> {
    type Item = LayoutEntry<'a>;

    fn next(&mut self) -> Option<LayoutEntry<'a>> {
        match &mut self.0 {
            Entries::Values(entries) => {
                let (entry, rest) = entries.split_first()?;
                *entries = rest;
                Some(*entry)
            }
            Entries::Encoded(bytes) => {
                let (tag, rest) = bytes.split_first()?;
                let tag = LayoutTag(*tag);
                let (metadata, rest) = match tag.is_private() {
                    true => {
                        let len = u16::from_le_bytes(array(rest, 0)?);
                        rest.get(COUNT..)?.split_at_checked(index(len.into()))?
                    }
                    false => rest.split_at_checked(0)?,
                };
                *bytes = rest;
                Some(LayoutEntry { tag, metadata })
            }
        }
    }
}

impl core::iter::FusedIterator for LayoutIter<'_> {}

impl<'a> IntoIterator for LayoutEntries<'a> {
    type Item = LayoutEntry<'a>;
    type IntoIter = LayoutIter<'a>;

    fn into_iter(self) -> LayoutIter<'a> {
        self.iter()
    }
}

impl fmt::Debug for LayoutEntries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LayoutEntries(*self).fmt(f)
    }
}

impl PartialEq for LayoutEntries<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for LayoutEntries<'_> {}
