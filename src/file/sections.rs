//! The fixed records of a container: header and trailer, and where they say the sections are.

use core::ops::Range;

use super::entry::{RawEntry, require_ascending};
use crate::check::Judge;
use crate::error::{Error, ErrorKind, Field};
use crate::record::{Spot, require, require_within};
use crate::rule::Rule;
use crate::wire::container::{
    CONTAINER_VERSION_MAJOR, FILE_HEADER, FILE_MAGIC, KV_HEAD, LEAST_DATA_ALIGNMENT,
    MOST_DATA_ALIGNMENT, PLACEMENT, TRAILER, file_flag, offset,
};
use crate::wire::descriptor::MAGIC;
use crate::wire::{array, index, length, set, u8, u32, u64};

/// What the first 64 bytes of a container say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FileHeader {
    /// `container_version_minor`.
    pub version_minor: u8,
    /// `file_flags`.
    pub file_flags: u32,
    /// What buffers are aligned to, in bytes: a power of two from 4,096 to 2,097,152.
    pub data_buffer_alignment: u32,
    /// Where the first descriptor is.
    pub first_descriptor_offset: u64,
    /// How many tensors the writer expected; `u64::MAX` where it did not know. Nothing follows from it.
    pub tensor_count_hint: u64,
}

impl FileHeader {
    /// What a reader holds before it read one.
    pub(super) const NONE: FileHeader = FileHeader {
        version_minor: 0,
        file_flags: 0,
        data_buffer_alignment: LEAST_DATA_ALIGNMENT,
        first_descriptor_offset: 0,
        tensor_count_hint: 0,
    };

    /// Whether the header announces a key-value section; the trailer decides.
    #[must_use]
    pub const fn has_kv_metadata(&self) -> bool {
        self.file_flags & file_flag::KV_METADATA != 0
    }

    /// Whether names ascend.
    #[must_use]
    pub const fn is_sorted(&self) -> bool {
        self.file_flags & file_flag::SORTED_INDEX != 0
    }

    /// Whether the trailer has a checksum of the index.
    #[must_use]
    pub const fn has_index_crc32c(&self) -> bool {
        self.file_flags & file_flag::INDEX_CRC32C != 0
    }

    /// Reads a header behind its magic, and checks what it says by itself, in byte order.
    pub(super) fn read<J: Judge>(bytes: &[u8; FILE_HEADER], judge: &mut J) -> Result<Self, Error> {
        let spot = |field| Spot::new(field, length(offset(field)));
        let byte = |field| u8(bytes, offset(field));
        let major = byte(Field::ContainerVersionMajor) == CONTAINER_VERSION_MAJOR;
        let at = spot(Field::ContainerVersionMajor);
        require(judge, major, Rule::ContainerMajor, at)?;
        let in_front = is_zero(bytes, Field::FileHeaderReserved, offset(Field::FileFlags));
        let behind = is_zero(bytes, Field::FileHeaderTail, FILE_HEADER);
        let at = match in_front {
            true => spot(Field::FileHeaderTail),
            false => spot(Field::FileHeaderReserved),
        };
        require(judge, in_front && behind, Rule::FileHeaderReserved, at)?;
        let file_flags = u32(bytes, offset(Field::FileFlags));
        let defined = file_flags & !file_flag::DEFINED == 0;
        let at = spot(Field::FileFlags);
        require(judge, defined, Rule::ReservedFileFlags, at)?;
        let alignment = u32(bytes, offset(Field::DataBufferAlignment));
        require_alignment(judge, alignment)?;
        Ok(FileHeader {
            version_minor: byte(Field::ContainerVersionMinor),
            file_flags,
            data_buffer_alignment: alignment,
            first_descriptor_offset: u64(bytes, offset(Field::FirstDescriptorOffset)),
            tensor_count_hint: u64(bytes, offset(Field::TensorCountHint)),
        })
    }

    /// The header as it stands in a file.
    pub(super) fn bytes(&self) -> [u8; FILE_HEADER] {
        let mut bytes = [0; FILE_HEADER];
        let first = self.first_descriptor_offset.to_le_bytes();
        put(&mut bytes, Field::FileMagic, FILE_MAGIC);
        let major = [CONTAINER_VERSION_MAJOR];
        put(&mut bytes, Field::ContainerVersionMajor, major);
        let minor = [self.version_minor];
        put(&mut bytes, Field::ContainerVersionMinor, minor);
        put(&mut bytes, Field::FileFlags, self.file_flags.to_le_bytes());
        let alignment = self.data_buffer_alignment.to_le_bytes();
        put(&mut bytes, Field::DataBufferAlignment, alignment);
        put(&mut bytes, Field::FirstDescriptorOffset, first);
        let hint = self.tensor_count_hint.to_le_bytes();
        put(&mut bytes, Field::TensorCountHint, hint);
        bytes
    }

    /// Requires what must hold of `first_descriptor_offset`.
    pub(super) fn first_is<J: Judge>(&self, judge: &mut J, holds: bool) -> Result<(), Error> {
        let field = Field::FirstDescriptorOffset;
        let at = Spot::new(field, length(offset(field)));
        require(judge, holds, Rule::FirstDescriptor, at)
    }

    /// Requires of an entry that its name is above the last one, where names ascend.
    pub(super) fn ascends<J: Judge>(
        &self,
        judge: &mut J,
        above: bool,
        entry: &RawEntry<'_>,
    ) -> Result<(), Error> {
        let holds = above || !self.is_sorted();
        require_ascending(judge, holds, entry.spot(Field::Name))
    }

    /// Requires of entries that they end where the index does.
    pub(super) fn index_filled<J: Judge>(
        &self,
        judge: &mut J,
        filled: bool,
        end: u64,
    ) -> Result<(), Error> {
        let holds = filled || self.version_minor > 0;
        let at = Spot::new(Field::IndexTail, end);
        require(judge, holds, Rule::IndexTail, at)
    }
}

/// Sets a field of a record of zeros.
fn put<const N: usize>(record: &mut [u8], field: Field, value: [u8; N]) {
    set(record, offset(field), value);
}

/// Requires what must hold of `data_buffer_alignment`.
pub(super) fn require_alignment<J: Judge>(judge: &mut J, alignment: u32) -> Result<(), Error> {
    let within = (LEAST_DATA_ALIGNMENT..=MOST_DATA_ALIGNMENT).contains(&alignment);
    let field = Field::DataBufferAlignment;
    let at = Spot::new(field, length(offset(field)));
    let valid = within && alignment.is_power_of_two();
    require(judge, valid, Rule::DataAlignment, at)
}

fn is_zero(bytes: &[u8], from: Field, to: usize) -> bool {
    let reserved = bytes.get(offset(from)..to).unwrap_or_default();
    reserved.iter().all(|byte| *byte == 0)
}

/// Refuses what does not start like a container, as far as it goes.
pub(super) fn magic(start: &[u8]) -> Result<(), Error> {
    let pairs = start.iter().zip(&FILE_MAGIC);
    match pairs.into_iter().position(|(byte, magic)| byte != magic) {
        Some(wrong) => Err(Spot::new(Field::FileMagic, length(wrong)).error(Rule::FileMagic)),
        None => Ok(()),
    }
}

/// Refuses what has no room for a header and a trailer.
pub(super) fn long_enough(file_size: u64) -> Result<(), Error> {
    let least = length(FILE_HEADER.saturating_add(TRAILER));
    match least.saturating_sub(file_size) {
        0 => Ok(()),
        missing => Err(too_short(file_size, missing)),
    }
}

/// The error of a file that ends where `missing` bytes more are needed.
pub(super) fn too_short(file_size: u64, missing: u64) -> Error {
    let rule = Rule::FileLength;
    Error::new(ErrorKind::Truncated { rule, missing }, file_size)
}

fn trailer_spot(trailer: u64, field: Field) -> Spot {
    Spot::new(field, trailer.saturating_add(length(offset(field))))
}

/// What the last 40 bytes of a container say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Trailer {
    /// Where the index is.
    pub index_offset: u64,
    /// Bytes of the index.
    pub index_length: u64,
    /// Where the key-value section is; 0 for none.
    pub kv_offset: u64,
    /// Bytes of the key-value section; 0 for none.
    pub kv_length: u32,
    /// CRC-32C of the index; 0 where the header announces none.
    pub index_crc32c: u32,
}

impl Trailer {
    /// The trailer as it stands in a file.
    pub(super) fn bytes(&self) -> [u8; TRAILER] {
        let mut bytes = [0; TRAILER];
        let index_length = self.index_length.to_le_bytes();
        put(
            &mut bytes,
            Field::IndexOffset,
            self.index_offset.to_le_bytes(),
        );
        put(&mut bytes, Field::IndexLength, index_length);
        put(&mut bytes, Field::KvOffset, self.kv_offset.to_le_bytes());
        put(&mut bytes, Field::KvLength, self.kv_length.to_le_bytes());
        put(
            &mut bytes,
            Field::IndexCrc32c,
            self.index_crc32c.to_le_bytes(),
        );
        put(&mut bytes, Field::TrailerMagic, MAGIC);
        bytes
    }
}

/// Header and trailer of a container, which agree with each other and with its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Sections {
    pub(super) header: FileHeader,
    pub(super) trailer: Trailer,
    /// Where the trailer starts.
    pub(super) end: u64,
}

impl Sections {
    /// Reads a trailer and checks it against the header and the length of the file.
    pub(super) fn read<J: Judge>(
        header: FileHeader,
        bytes: &[u8; TRAILER],
        file_size: u64,
        judge: &mut J,
    ) -> Result<Self, Error> {
        let end = file_size.saturating_sub(length(TRAILER));
        let spot = |field| trailer_spot(end, field);
        let magic = array(bytes, offset(Field::TrailerMagic)) == Some(MAGIC);
        let at = spot(Field::TrailerMagic);
        require(judge, magic, Rule::TrailerMagic, at)?;
        let trailer = Trailer {
            index_offset: u64(bytes, offset(Field::IndexOffset)),
            index_length: u64(bytes, offset(Field::IndexLength)),
            kv_offset: u64(bytes, offset(Field::KvOffset)),
            kv_length: u32(bytes, offset(Field::KvLength)),
            index_crc32c: u32(bytes, offset(Field::IndexCrc32c)),
        };
        let sections = Sections {
            header,
            trailer,
            end,
        };
        sections.index_place(judge, spot)?;
        sections.kv_place(judge, spot)?;
        let used = header.has_index_crc32c() || trailer.index_crc32c == 0;
        let at = spot(Field::IndexCrc32c);
        require(judge, used, Rule::ChecksumUnused, at)?;
        let reserved = is_zero(bytes, Field::TrailerReserved, offset(Field::TrailerMagic));
        let at = spot(Field::TrailerReserved);
        require(judge, reserved, Rule::TrailerReserved, at)?;
        sections.first_place(judge)?;
        Ok(sections)
    }

    fn index_place<J: Judge>(
        &self,
        judge: &mut J,
        spot: impl Fn(Field) -> Spot,
    ) -> Result<(), Error> {
        let index = self.index();
        let at = spot(Field::IndexOffset);
        let inside = index.end <= self.end && index.end != u64::MAX;
        require(judge, inside, Rule::IndexRange, at)?;
        let behind = index.start >= length(FILE_HEADER);
        let holds = index.start.is_multiple_of(PLACEMENT);
        require_within(judge, holds, behind, Rule::IndexPlace, at)
    }

    fn kv_place<J: Judge>(&self, judge: &mut J, spot: impl Fn(Field) -> Spot) -> Result<(), Error> {
        let Trailer {
            kv_offset,
            kv_length,
            ..
        } = self.trailer;
        let at = spot(Field::KvOffset);
        let missing = self.header.has_kv_metadata() && self.kv().is_none();
        require(judge, !missing, Rule::KvMissing, at)?;
        if missing || (kv_offset, kv_length) == (0, 0) {
            return Ok(());
        }
        let kv_end = kv_offset.saturating_add(kv_length.into());
        let inside = kv_end <= self.end && kv_end != u64::MAX;
        let room = index(kv_length) >= KV_HEAD;
        let tolerable = inside && room && kv_offset >= length(FILE_HEADER);
        let holds = kv_offset.is_multiple_of(PLACEMENT);
        require_within(judge, holds, tolerable, Rule::KvRange, at)?;
        let ordered = kv_end <= self.trailer.index_offset;
        self.require_order(judge, ordered, at)
    }

    fn first_place<J: Judge>(&self, judge: &mut J) -> Result<(), Error> {
        let first = self.header.first_descriptor_offset;
        let inside = (length(FILE_HEADER)..=self.end).contains(&first);
        let holds = inside && first.is_multiple_of(PLACEMENT);
        self.header.first_is(judge, holds)
    }

    /// Requires a checksum of the index, where there is one.
    pub(super) fn checksum<J: Judge>(&self, judge: &mut J, crc: u32) -> Result<(), Error> {
        let same = !self.header.has_index_crc32c() || self.trailer.index_crc32c == crc;
        let at = self.trailer_spot(Field::IndexCrc32c);
        require(judge, same, Rule::IndexChecksum, at)
    }

    /// A field of the trailer.
    pub(super) fn trailer_spot(&self, field: Field) -> Spot {
        trailer_spot(self.end, field)
    }

    /// Where the key-value section is, if there is one.
    pub(super) fn kv(&self) -> Option<Range<u64>> {
        let (start, len) = (self.trailer.kv_offset, self.trailer.kv_length);
        let whole = start != 0 && len != 0;
        whole.then(|| start..start.saturating_add(len.into()))
    }

    /// Where the index is.
    pub(super) fn index(&self) -> Range<u64> {
        let start = self.trailer.index_offset;
        start..start.saturating_add(self.trailer.index_length)
    }

    /// Where tensors end.
    pub(super) fn region_end(&self) -> u64 {
        self.kv().map_or(self.trailer.index_offset, |kv| kv.start)
    }

    /// Whether a range lies between header and trailer; a saturated end does not.
    pub(super) fn holds(&self, start: u64, end: u64) -> bool {
        start >= length(FILE_HEADER) && end <= self.end && end != u64::MAX
    }

    /// Requires that something lies in front of the sections it must lie in front of.
    pub(super) fn require_order<J: Judge>(
        &self,
        judge: &mut J,
        holds: bool,
        at: Spot,
    ) -> Result<(), Error> {
        require(judge, holds, Rule::SectionOrder, at)
    }
}
