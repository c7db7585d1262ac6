//! Where the fields of a descriptor are.
//!
//! ```text
//! 0     4     5     6                 10      14   15     16     20
//! | HRRY | maj | min | descriptor_length | flags | type | layout | rank |   header
//! | shape u64[rank] | byte_offset u64 | layout payload |
//! | buffer_count u8 | handle 16 bytes, buffer_count times |
//! | quantization | shard | statistics | extension type | composite member |  as flags say
//!
//! handle:  0 byte_size u64   8 alignment u32   12 device   13 sync   14 class   15 reserved
//! ```

use core::ops::Range;

pub(crate) use super::facts::{
    EXTENSION_TYPE, Facts, MEMBER, STATISTICS, scheme_len, tile_level_len,
};
use super::{index, length, length32, u8, u32};
use crate::error::Field;
use crate::wire::tag::{LayoutTag, Scheme, u32_from};

pub(crate) const MAGIC: [u8; 4] = *b"HRRY";
/// What follows the magic in a container file.
pub(crate) const FILE_MAGIC_TAIL: [u8; 4] = *b"FILE";
pub(crate) const VERSION_MAJOR: u8 = 1;
pub(crate) const VERSION_MINOR: u8 = 0;
pub(crate) const HEADER: usize = 20;
/// Bytes after which `descriptor_length` is known.
pub(crate) const LENGTH_KNOWN: usize = 10;
pub(crate) const HANDLE: usize = 16;
/// Bytes of a private layout's payload before its data.
pub(crate) const PRIVATE_LAYOUT: usize = 12;
pub(crate) const SCHEME_VERSION: u8 = 1;
/// Bytes that every scheme starts with: tag, version, flags.
pub(crate) const SCHEME_HEADER: u32 = 4;

/// Largest rank.
pub const MAX_RANK: u32 = 64;
#[allow(clippy::as_conversions)] // `From` is not const
pub(crate) const AXES: usize = MAX_RANK as usize;
/// Largest number of buffers of a descriptor.
pub const MAX_BUFFERS: usize = 255;
/// Deepest nesting of tiles.
pub const MAX_TILE_LEVELS: u32 = 8;
/// A dimension that is not known yet.
pub const DYNAMIC: u64 = u64::MAX;
/// Smallest alignment of a buffer that is not empty.
pub const MIN_BUFFER_ALIGNMENT: u32 = 64;
/// `member_count` of an open composite, which the format reserves.
pub(crate) const OPEN_COMPOSITE: u32 = u32::MAX;
/// `zero_point_buffer_index` of a scheme without zero points.
pub const NO_BUFFER: u32 = u32::MAX;

/// Bits of the descriptor's `flags`.
pub(crate) mod flag {
    pub(crate) const QUANTIZATION: u8 = 1;
    pub(crate) const SHARD: u8 = 1 << 1;
    pub(crate) const EXTENSION_TYPE: u8 = 1 << 2;
    pub(crate) const STATISTICS: u8 = 1 << 3;
    pub(crate) const MEMBER: u8 = 1 << 4;
    pub(crate) const DEFINED: u8 = 0x1F;
}

/// A part of a descriptor, in wire order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
pub enum Section {
    /// The fixed header, 20 bytes.
    Header,
    /// One 64-bit number for each dimension.
    Shape,
    /// Where the first element is in buffer 0.
    ByteOffset,
    /// What the layout adds.
    Layout,
    /// `buffer_count` and the handles.
    BufferTable,
    /// The quantization scheme.
    Quantization,
    /// Where the tensor lies in a larger one.
    Shard,
    /// Facts about the values.
    Statistics,
    /// What a private element type is.
    ExtensionType,
    /// What a member is to its overlay.
    CompositeMember,
    /// What a later minor version added.
    Tail,
}

impl Section {
    /// All sections, in wire order.
    pub const ALL: [Section; 11] = [
        Section::Header,
        Section::Shape,
        Section::ByteOffset,
        Section::Layout,
        Section::BufferTable,
        Section::Quantization,
        Section::Shard,
        Section::Statistics,
        Section::ExtensionType,
        Section::CompositeMember,
        Section::Tail,
    ];
}

/// A field in its section: at `offset + rank * per_rank + index * step`.
#[derive(Clone, Copy)]
struct Place {
    section: Section,
    offset: u8,
    per_rank: u8,
    step: u8,
    /// Bytes; 0 where the length is on the wire.
    width: u8,
}

const fn at(section: Section, offset: u8, width: u8) -> Place {
    after_rank(section, 0, offset, 0, width)
}

const fn each(section: Section, offset: u8, step: u8, width: u8) -> Place {
    after_rank(section, 0, offset, step, width)
}

const fn after_rank(section: Section, per_rank: u8, offset: u8, step: u8, width: u8) -> Place {
    Place {
        section,
        offset,
        per_rank,
        step,
        width,
    }
}

/// How many fields a descriptor has; those of containers come behind.
const FIELDS: usize = usize_from(Field::Payload.number()) + 1;

/// The place of every field; a table is smaller than a function.
const PLACES: [Place; FIELDS] = {
    let mut table = [at(Section::Tail, 0, 0); FIELDS];
    let mut rest = Field::ALL;
    while let [field, after @ ..] = rest
        && usize_from(field.number()) < FIELDS
    {
        #[allow(clippy::indexing_slicing)] // at compile time
        {
            table[usize_from(field.number())] = place_of(*field);
        }
        rest = after;
    }
    table
};

#[allow(clippy::as_conversions)] // `From` is not const
const fn usize_from(n: u8) -> usize {
    n as usize
}

#[inline]
fn place(field: Field) -> &'static Place {
    const NOWHERE: Place = at(Section::Tail, 0, 0);
    PLACES.get(usize_from(field.number())).unwrap_or(&NOWHERE)
}

/// The table of places. Tile fields are relative to their level, and the fields of per-block
/// quantization stand for those of the other schemes (see [`scheme_shift`]).
const fn place_of(field: Field) -> Place {
    use Section as S;
    match field {
        Field::Magic => at(S::Header, 0, 4),
        Field::VersionMajor => at(S::Header, 4, 1),
        Field::VersionMinor => at(S::Header, 5, 1),
        Field::DescriptorLength => at(S::Header, 6, 4),
        Field::Flags => at(S::Header, 10, 4),
        Field::TypeTag => at(S::Header, 14, 1),
        Field::LayoutTag => at(S::Header, 15, 1),
        Field::Rank => at(S::Header, 16, 4),
        Field::Shape => each(S::Shape, 0, 8, 8),
        Field::ByteOffset => at(S::ByteOffset, 0, 8),
        Field::Strides => each(S::Layout, 0, 8, 8),
        Field::TileShape => each(S::Layout, 0, 8, 8),
        Field::OuterLayout => after_rank(S::Layout, 8, 0, 0, 1),
        Field::InnerLayout => after_rank(S::Layout, 8, 1, 0, 1),
        Field::TileReserved => after_rank(S::Layout, 8, 2, 0, 2),
        Field::OuterStrides => after_rank(S::Layout, 8, 4, 8, 8),
        // behind outer_strides where those exist: see `locate`
        Field::InnerStrides => after_rank(S::Layout, 8, 4, 8, 8),
        Field::MortonBits => each(S::Layout, 0, 4, 4),
        Field::Nnz => at(S::Layout, 0, 8),
        Field::IsSorted => at(S::Layout, 8, 1),
        Field::CooReserved => at(S::Layout, 9, 7),
        Field::CompressedReserved => at(S::Layout, 8, 8),
        Field::ModeOrder => each(S::Layout, 8, 4, 4),
        Field::CsfReserved => after_rank(S::Layout, 4, 8, 0, 8),
        Field::PageSize => at(S::Layout, 0, 4),
        Field::NumPages => at(S::Layout, 4, 8),
        Field::PagedAxis => at(S::Layout, 12, 4),
        Field::NumSeqs => at(S::Layout, 16, 4),
        Field::KvRole => at(S::Layout, 20, 1),
        Field::LayerIndex => at(S::Layout, 21, 4),
        Field::BlockTableIndexType => at(S::Layout, 25, 1),
        Field::PagedReserved => at(S::Layout, 26, 6),
        Field::CompositionRule => at(S::Layout, 0, 1),
        Field::CombineOp => at(S::Layout, 1, 1),
        Field::HeadReserved => at(S::Layout, 2, 2),
        Field::MemberCount => at(S::Layout, 4, 4),
        Field::HilbertOrder => at(S::Layout, 0, 4),
        Field::HilbertRank => at(S::Layout, 4, 4),
        Field::ExtensionLayoutId => at(S::Layout, 0, 8),
        Field::ExtensionDataLength => at(S::Layout, 8, 4),
        Field::ExtensionData => at(S::Layout, 12, 0),
        Field::BufferCount => at(S::BufferTable, 0, 1),
        Field::ByteSize => each(S::BufferTable, 1, 16, 8),
        Field::Alignment => each(S::BufferTable, 9, 16, 4),
        Field::DeviceTag => each(S::BufferTable, 13, 16, 1),
        Field::SyncMode => each(S::BufferTable, 14, 16, 1),
        Field::MemoryClass => each(S::BufferTable, 15, 16, 1),
        Field::HandleReserved => each(S::BufferTable, 16, 16, 1),
        Field::QuantizationLength => at(S::Quantization, 0, 4),
        Field::SchemeTag => at(S::Quantization, 4, 1),
        Field::SchemeVersion => at(S::Quantization, 5, 1),
        Field::SchemeFlags => at(S::Quantization, 6, 2),
        Field::Scale => at(S::Quantization, 8, 4),
        Field::ZeroPoint => at(S::Quantization, 12, 4),
        Field::PerTensorReserved => at(S::Quantization, 16, 4),
        Field::Axis => at(S::Quantization, 8, 4),
        Field::BlockSize => at(S::Quantization, 12, 4),
        Field::ScaleBufferIndex => at(S::Quantization, 16, 4),
        Field::ZeroPointBufferIndex => at(S::Quantization, 20, 4),
        Field::ScaleTypeTag => at(S::Quantization, 24, 1),
        Field::ScaleTypeReserved => at(S::Quantization, 25, 3),
        Field::ParentShape => each(S::Shard, 0, 8, 8),
        Field::ShardOffset => after_rank(S::Shard, 8, 0, 8, 8),
        Field::ComputedMask => at(S::Statistics, 0, 4),
        Field::StatisticsReserved => at(S::Statistics, 4, 4),
        Field::StatisticsNnz => at(S::Statistics, 8, 8),
        Field::SparsityRatio => at(S::Statistics, 16, 8),
        Field::ValueMin => at(S::Statistics, 24, 8),
        Field::ValueMax => at(S::Statistics, 32, 8),
        Field::ValueAbsMax => at(S::Statistics, 40, 8),
        Field::ValueMean => at(S::Statistics, 48, 8),
        Field::ValueStddev => at(S::Statistics, 56, 8),
        Field::NmN => at(S::Statistics, 64, 1),
        Field::NmM => at(S::Statistics, 65, 1),
        Field::HasNan => at(S::Statistics, 66, 1),
        Field::HasInf => at(S::Statistics, 67, 1),
        Field::StatisticsTail => at(S::Statistics, 68, 4),
        Field::BitWidth => at(S::ExtensionType, 0, 4),
        Field::PackingFactor => at(S::ExtensionType, 4, 1),
        Field::IsFloat => at(S::ExtensionType, 5, 1),
        Field::IsSigned => at(S::ExtensionType, 6, 1),
        Field::SignBits => at(S::ExtensionType, 7, 1),
        Field::ExponentBits => at(S::ExtensionType, 8, 1),
        Field::MantissaBits => at(S::ExtensionType, 9, 1),
        Field::ExtensionReserved => at(S::ExtensionType, 10, 2),
        Field::ExponentBias => at(S::ExtensionType, 12, 4),
        Field::ExtensionHasNan => at(S::ExtensionType, 16, 1),
        Field::ExtensionHasInf => at(S::ExtensionType, 17, 1),
        Field::ExtensionTail => at(S::ExtensionType, 18, 2),
        Field::MemberRole => at(S::CompositeMember, 0, 1),
        Field::MemberReserved => at(S::CompositeMember, 1, 15),
        // what is behind it, and the fields of other records
        _ => at(S::Tail, 0, 0),
    }
}

/// Offset of a single field in its section.
#[inline]
pub(crate) fn offset(field: Field) -> usize {
    usize::from(place(field).offset)
}

/// Bytes that an array in front of the field has for each dimension.
pub(crate) const fn per_rank(field: Field) -> u8 {
    place_of(field).per_rank
}

/// The aligned word of a section that a field of at most 8 bytes lies in, and which of its bits it has.
pub(crate) const fn bits_of(field: Field) -> (u8, u64) {
    let Place { offset, width, .. } = place_of(field);
    let word = offset & !7;
    let bytes = u64::MAX.wrapping_shr(64u32.wrapping_sub(u32_from(width).wrapping_mul(8)));
    let first = u32_from(offset.wrapping_sub(word)).wrapping_mul(8);
    (word, bytes.wrapping_shl(first))
}

/// Whether the bytes of a reserved field are 0, in a section that starts at `section[0]`.
#[inline(always)]
pub(crate) fn is_zero(section: &[u8], rank: u32, field: Field) -> bool {
    let behind = index(rank).wrapping_mul(usize::from(place(field).per_rank));
    is_zero_at(section, behind.wrapping_add(offset(field)), field)
}

/// The same for a field that starts at `at`.
#[inline(always)]
pub(crate) fn is_zero_at(section: &[u8], at: usize, field: Field) -> bool {
    let to = at.wrapping_add(usize::from(place(field).width));
    let Some(bytes) = section.get(at..to) else {
        return false;
    };
    let (words, rest) = bytes.as_chunks();
    let words = words
        .iter()
        .fold(0, |all, word| all | u32::from_le_bytes(*word));
    let rest = rest.iter().fold(0, |all, byte| all | byte);
    words | u32::from(rest) == 0
}

/// The section that the field belongs to.
pub(crate) fn section(field: Field) -> Section {
    place(field).section
}

/// Whether the field is an array, or one of a handle.
pub(crate) fn repeats(field: Field) -> bool {
    place(field).step > 0
}

/// Fields behind `axis` stand 4 bytes earlier in a per-channel scheme, which has no block size.
#[inline]
pub(crate) const fn scheme_shift(scheme: Scheme) -> u32 {
    if scheme.0 == Scheme::PerChannelAffine.0 {
        4
    } else {
        0
    }
}

/// The bytes of an element of a field in a descriptor that starts at `bytes[0]`.
///
/// Answers for any bytes: what the field would be if they are no valid descriptor.
pub(crate) fn locate(bytes: &[u8], facts: &Facts, field: Field, element: u32) -> Range<u32> {
    let place = place(field);
    let rank = u32::from(facts.rank());
    let mut start = facts.start(place.section);
    let mut element = element;
    let mut width = u32::from(place.width);
    let byte = |at: u64| u8(bytes, usize::try_from(at).unwrap_or(usize::MAX));
    let tags = |level: u64| {
        let order = level.wrapping_add(u64::from(rank).wrapping_mul(8));
        (
            LayoutTag(byte(order)),
            LayoutTag(byte(order.wrapping_add(1))),
        )
    };
    match field {
        Field::TileShape
        | Field::OuterLayout
        | Field::InnerLayout
        | Field::TileReserved
        | Field::OuterStrides
        | Field::InnerStrides => {
            let per_level = if place.step == 0 { 1 } else { rank.max(1) };
            for _ in 0..MAX_TILE_LEVELS {
                if element < per_level {
                    break;
                }
                element = element.wrapping_sub(per_level);
                let (outer, inner) = tags(start);
                start = start.wrapping_add(tile_level_len(rank, outer, inner).into());
            }
            if matches!(field, Field::InnerStrides) && tags(start).0 == LayoutTag::Strided {
                start = start.wrapping_add(u64::from(rank).wrapping_mul(8));
            }
        }
        Field::ScaleBufferIndex
        | Field::ZeroPointBufferIndex
        | Field::ScaleTypeTag
        | Field::ScaleTypeReserved => {
            let scheme = start.wrapping_add(length(offset(Field::SchemeTag)));
            start = start.wrapping_sub(scheme_shift(Scheme(byte(scheme))).into());
        }
        Field::ExtensionData => {
            let at = start.wrapping_add(length(offset(Field::ExtensionDataLength)));
            width = u32(bytes, usize::try_from(at).unwrap_or(usize::MAX));
        }
        Field::Tail => {
            let len = length32(bytes.len());
            width = len.saturating_sub(u32::try_from(start).unwrap_or(len));
        }
        _ => {}
    }
    let start = start
        .wrapping_add(place.offset.into())
        .wrapping_add(u64::from(rank).wrapping_mul(place.per_rank.into()))
        .wrapping_add(u64::from(element).wrapping_mul(place.step.into()));
    let start = u32::try_from(start).unwrap_or(u32::MAX);
    start..start.saturating_add(width)
}
