//! The entries of an index: a name, and where a tensor is.

use super::sections::Sections;
use super::spot::{Spot, require, require_within};
use crate::check::Judge;
use crate::error::{Error, Field};
use crate::rule::Rule;
use crate::wire::container::{ENTRY_HEAD, ENTRY_TAIL, PLACEMENT, offset};
use crate::wire::{length, u32, u64};

/// One tensor of a container: its name, and where its descriptor and data are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Entry<'a> {
    /// At least one byte, and unique in the file.
    pub name: &'a str,
    /// Absolute offset of the descriptor.
    pub descriptor_offset: u64,
    /// Bytes of the descriptor.
    pub descriptor_length: u32,
    /// Absolute offset of buffer 0; without a meaning where there are no buffers.
    pub data_offset: u64,
    /// Bytes from buffer 0 to the end of the last buffer, padding between them included.
    pub data_length: u64,
    /// Absolute offset of the entry itself.
    pub offset: u64,
}

/// An entry as it stands in the index; only that it is whole is known.
#[derive(Clone, Copy)]
pub(super) struct RawEntry<'a> {
    pub(super) name: &'a [u8],
    places: &'a [u8; ENTRY_TAIL],
}

impl<'a> RawEntry<'a> {
    /// Takes an entry from the front of `bytes`.
    #[inline]
    pub(super) fn split(bytes: &mut &'a [u8]) -> Option<Self> {
        let mut rest = *bytes;
        let name = split_name(&mut rest)?;
        let (places, rest) = rest.split_first_chunk()?;
        *bytes = rest;
        Some(RawEntry { name, places })
    }

    #[inline]
    pub(super) fn descriptor_offset(&self) -> u64 {
        u64(self.places, offset(Field::DescriptorOffset))
    }

    /// Where the tensor ends: behind its data, or behind its descriptor where it has none.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        let descriptor_length = u32(self.places, offset(Field::EntryDescriptorLength));
        let descriptor_end = self
            .descriptor_offset()
            .saturating_add(descriptor_length.into());
        let data_length = u64(self.places, offset(Field::DataLength));
        let data_end = u64(self.places, offset(Field::DataOffset)).saturating_add(data_length);
        match data_length {
            0 => descriptor_end,
            _ => data_end.max(descriptor_end),
        }
    }

    /// The entry at an absolute offset. A name that is no UTF-8 is empty.
    #[inline]
    pub(super) fn entry(self, at: u64) -> Entry<'a> {
        Entry {
            name: core::str::from_utf8(self.name).unwrap_or_default(),
            descriptor_offset: self.descriptor_offset(),
            descriptor_length: u32(self.places, offset(Field::EntryDescriptorLength)),
            data_offset: u64(self.places, offset(Field::DataOffset)),
            data_length: u64(self.places, offset(Field::DataLength)),
            offset: at,
        }
    }

    /// Checks what the entry says by itself and against the sections of its file, in byte order.
    pub(super) fn check<J: Judge>(
        &self,
        entry: &Entry<'_>,
        sections: &Sections,
        judge: &mut J,
    ) -> Result<(), Error> {
        let field = match self.name {
            [] => Field::NameLength,
            _ => Field::Name,
        };
        let named = !entry.name.is_empty();
        require_name(judge, named, named, entry.spot(field))?;

        let at = entry.spot(Field::DescriptorOffset);
        let aligned = entry.descriptor_offset.is_multiple_of(PLACEMENT);
        let descriptor_end = entry.descriptor_end();
        let inside = sections.holds(entry.descriptor_offset, descriptor_end);
        require_within(judge, aligned, inside, Rule::DescriptorPlace, at)?;
        let in_order = descriptor_end <= sections.region_end();
        sections.require_order(judge, in_order, at)?;

        if entry.data_length > 0 {
            let at = entry.spot(Field::DataOffset);
            let data_end = entry.data_offset.saturating_add(entry.data_length);
            entry.require_data(sections.holds(entry.data_offset, data_end))?;
            let in_order = data_end <= sections.region_end();
            sections.require_order(judge, in_order, at)?;
        }
        let unflagged = u32(self.places, offset(Field::EntryFlags)) == 0;
        let at = entry.spot(Field::EntryFlags);
        require(judge, unflagged, Rule::EntryFlags, at)
    }
}

impl Entry<'_> {
    /// Where the descriptor ends; it saturates.
    pub(super) fn descriptor_end(&self) -> u64 {
        let length = self.descriptor_length.into();
        self.descriptor_offset.saturating_add(length)
    }

    /// A field of this entry.
    pub(super) fn spot(&self, field: Field) -> Spot {
        let behind_name = match field {
            Field::NameLength | Field::Name => 0,
            _ => ENTRY_HEAD.saturating_add(self.name.len()),
        };
        let at = length(behind_name.saturating_add(offset(field)));
        Spot::new(field, self.offset.saturating_add(at))
    }

    /// Requires of the data that it lies where it may.
    pub(super) fn require_data(&self, holds: bool) -> Result<(), Error> {
        match holds {
            true => Ok(()),
            false => Err(self.spot(Field::DataOffset).error(Rule::DataRange)),
        }
    }
}

/// Takes a name or key, behind its length, from the front of `bytes`.
#[inline]
pub(super) fn split_name<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (head, rest) = bytes.split_first_chunk::<ENTRY_HEAD>()?;
    let (name, rest) = rest.split_at_checked(u16::from_le_bytes(*head).into())?;
    *bytes = rest;
    Some(name)
}

/// Requires what must hold of a name; what is not even `tolerable` no mode relaxes.
pub(super) fn require_name<J: Judge>(
    judge: &mut J,
    holds: bool,
    tolerable: bool,
    at: Spot,
) -> Result<(), Error> {
    require_within(judge, holds, tolerable, Rule::EntryName, at)
}
