//! The entries of an index: a name, and where a tensor is.

use super::sections::Sections;
use crate::check::Judge;
use crate::error::{Error, Field};
use crate::record::{Spot, require, require_within};
use crate::rule::Rule;
use crate::wire::container::{ENTRY_HEAD, ENTRY_TAIL, PLACEMENT, offset};
use crate::wire::descriptor::HEADER;
use crate::wire::{index, length, set, u32, u64};

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
    /// Absolute offset of the entry.
    pub(super) at: u64,
}

impl<'a> RawEntry<'a> {
    /// Takes an entry from the front of `bytes`, which are at an absolute offset.
    #[inline]
    pub(super) fn split(bytes: &mut &'a [u8], at: u64) -> Option<Self> {
        let mut rest = *bytes;
        let name = split_name(&mut rest)?;
        let (places, rest) = rest.split_first_chunk()?;
        *bytes = rest;
        Some(RawEntry { name, places, at })
    }

    #[inline]
    pub(super) fn descriptor_offset(&self) -> u64 {
        u64(self.places, offset(Field::DescriptorOffset))
    }

    #[inline]
    fn descriptor_length(&self) -> u32 {
        u32(self.places, offset(Field::EntryDescriptorLength))
    }

    #[inline]
    fn data_offset(&self) -> u64 {
        u64(self.places, offset(Field::DataOffset))
    }

    #[inline]
    fn data_length(&self) -> u64 {
        u64(self.places, offset(Field::DataLength))
    }

    /// Where the descriptor ends; it saturates.
    #[inline]
    fn descriptor_end(&self) -> u64 {
        let length = self.descriptor_length().into();
        self.descriptor_offset().saturating_add(length)
    }

    /// Where the tensor ends: behind its data, or behind its descriptor where it has none.
    #[inline]
    pub(super) fn end(&self) -> u64 {
        let data_end = self.data_offset().saturating_add(self.data_length());
        match self.data_length() {
            0 => self.descriptor_end(),
            _ => data_end.max(self.descriptor_end()),
        }
    }

    /// The entry with its name as text; it is empty where it is none.
    #[inline]
    pub(super) fn entry(&self) -> Entry<'a> {
        Entry {
            name: core::str::from_utf8(self.name).unwrap_or_default(),
            descriptor_offset: self.descriptor_offset(),
            descriptor_length: self.descriptor_length(),
            data_offset: self.data_offset(),
            data_length: self.data_length(),
            offset: self.at,
        }
    }

    /// A field of this entry.
    pub(super) fn spot(&self, field: Field) -> Spot {
        spot(field, self.at, self.name.len())
    }

    /// Where the tensor ends, if at a glance all is right but the name, its data is behind its descriptor, and it
    /// starts where `behind` allows. Only a place says something. A region ends in front of the trailer, so nothing that
    /// fits it wraps.
    #[inline]
    pub(super) fn end_behind(&self, behind: u64, region_end: u64) -> Option<u64> {
        let fits = |start, least, len| {
            let room = region_end.wrapping_sub(start);
            start >= least && start <= region_end && len <= room
        };
        let (start, len) = (self.descriptor_offset(), self.descriptor_length().into());
        let plain =
            start.is_multiple_of(PLACEMENT) && u32(self.places, offset(Field::EntryFlags)) == 0;
        let end = start.wrapping_add(len);
        let data_start = match self.data_length() {
            0 => end,
            _ => self.data_offset(),
        };
        let whole = plain && fits(start, behind, len) && fits(data_start, end, self.data_length());
        whole.then(|| data_start.wrapping_add(self.data_length()))
    }

    /// Checks what the entry says by itself and against the sections of its file, in byte order.
    #[inline(never)]
    pub(super) fn check<J: Judge>(&self, sections: &Sections, judge: &mut J) -> Result<(), Error> {
        let field = match self.name {
            [] => Field::NameLength,
            _ => Field::Name,
        };
        // nearly all are ASCII, which is seen sooner
        let text = self.name.is_ascii() || core::str::from_utf8(self.name).is_ok();
        let named = text && !self.name.is_empty();
        require_name(judge, named, named, self.spot(field))?;

        let at = self.spot(Field::DescriptorOffset);
        let (start, end) = (self.descriptor_offset(), self.descriptor_end());
        let (aligned, inside) = (start.is_multiple_of(PLACEMENT), sections.holds(start, end));
        require_within(judge, aligned, inside, Rule::DescriptorPlace, at)?;
        sections.require_order(judge, end <= sections.region_end(), at)?;

        if self.data_length() > 0 {
            let at = self.spot(Field::DataOffset);
            let start = self.data_offset();
            let end = start.saturating_add(self.data_length());
            require_data(sections.holds(start, end), at)?;
            sections.require_order(judge, end <= sections.region_end(), at)?;
        }
        let unflagged = u32(self.places, offset(Field::EntryFlags)) == 0;
        require(
            judge,
            unflagged,
            Rule::EntryFlags,
            self.spot(Field::EntryFlags),
        )
    }
}

impl Entry<'_> {
    /// Bytes of storage that [`RangeReader::tensor`](crate::RangeReader::tensor) takes for the descriptor: a
    /// header of its own is in front of the trailer, whatever the index says.
    #[must_use]
    pub fn storage_len(&self) -> usize {
        index(self.descriptor_length).max(HEADER)
    }

    /// Where the descriptor ends; it saturates.
    pub(super) fn descriptor_end(&self) -> u64 {
        let length = self.descriptor_length.into();
        self.descriptor_offset.saturating_add(length)
    }

    /// A field of this entry.
    pub(super) fn spot(&self, field: Field) -> Spot {
        spot(field, self.offset, self.name.len())
    }

    /// Requires of the descriptor that it is as long as the entry says.
    pub(super) fn require_descriptor(&self, length: u64) -> Result<(), Error> {
        let at = self.spot(Field::EntryDescriptorLength);
        at.must(
            length == u64::from(self.descriptor_length),
            Rule::EntryLength,
        )
    }

    /// Requires of the data that it starts where buffers do; elsewhere only what is `tolerable` is relaxed.
    pub(super) fn require_start<J: Judge>(
        &self,
        judge: &mut J,
        holds: bool,
        tolerable: bool,
    ) -> Result<(), Error> {
        let at = self.spot(Field::DataOffset);
        require_within(judge, holds, tolerable, Rule::DataPlace, at)
    }

    /// Requires of the data that it is as long as the buffers need.
    pub(super) fn require_length<J: Judge>(&self, judge: &mut J, needed: u64) -> Result<(), Error> {
        let (holds, tolerable) = (self.data_length == needed, self.data_length >= needed);
        let at = self.spot(Field::DataLength);
        require_within(judge, holds, tolerable, Rule::DataLength, at)
    }
}

/// A field of the entry at an absolute offset.
pub(super) fn spot(field: Field, at: u64, name_length: usize) -> Spot {
    let behind_name = match field {
        Field::NameLength | Field::Name => 0,
        _ => ENTRY_HEAD.saturating_add(name_length),
    };
    let place = length(behind_name.saturating_add(offset(field)));
    Spot::new(field, at.saturating_add(place))
}

/// Requires of data that it lies where it may.
pub(super) fn require_data(holds: bool, at: Spot) -> Result<(), Error> {
    at.must(holds, Rule::DataRange)
}

/// What an entry says behind its name.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub(super) descriptor_offset: u64,
    pub(super) descriptor_length: u32,
    pub(super) data_offset: u64,
    pub(super) data_length: u64,
}

impl Places {
    /// The end of an entry as it stands in an index.
    pub(super) fn bytes(&self) -> [u8; ENTRY_TAIL] {
        let mut bytes = [0; ENTRY_TAIL];
        let mut put = |field, value: u64| set(&mut bytes, offset(field), value.to_le_bytes());
        put(Field::DescriptorOffset, self.descriptor_offset);
        put(Field::DataOffset, self.data_offset);
        put(Field::DataLength, self.data_length);
        let length = self.descriptor_length.to_le_bytes();
        set(&mut bytes, offset(Field::EntryDescriptorLength), length);
        bytes
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

/// Requires of a name in an index that is to ascend that it does.
pub(super) fn require_ascending<J: Judge>(
    judge: &mut J,
    ascends: bool,
    at: Spot,
) -> Result<(), Error> {
    require(judge, ascends, Rule::SortedNames, at)
}
