//! The one decoder: header, then the lengths of all parts, then the model rules.
//!
//! Wire rules come in byte order and before model rules. Every length is a function of facts already
//! read; nothing is read past `descriptor_length`.

use super::view::DescriptorView;
use crate::check::{self, Breach, Checked, Header, Judge};
use crate::error::{Error, ErrorKind, Field, Resource, Violation};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::descriptor::{
    DYNAMIC, Facts, HANDLE, HEADER, LENGTH_KNOWN, MAGIC, MAX_TILE_LEVELS, MIN_BUFFER_ALIGNMENT,
    PRIVATE_LAYOUT, SCHEME_HEADER, SCHEME_VERSION, Section, VERSION_MAJOR, flag, is_zero,
    layout_len, locate, offset, scheme_len, scheme_shift, tile_level_len,
};
use crate::wire::tag::{ElementType, LayoutTag, Scheme};
use crate::wire::{index, length, length32, record, u8, u32};

/// `descriptor_length` as the header states it.
#[inline]
pub(crate) fn stated_length(bytes: &[u8]) -> u32 {
    u32(bytes, offset(Field::DescriptorLength))
}

/// The first of `bytes` that is not the magic, if any.
#[inline]
pub(crate) fn wrong_magic(bytes: &[u8]) -> Option<usize> {
    if bytes.first_chunk() == Some(&MAGIC) {
        return None;
    }
    bytes
        .iter()
        .zip(&MAGIC)
        .position(|(byte, magic)| byte != magic)
}

/// The magic at an absolute offset.
pub(crate) fn magic_error(origin: u64, wrong: usize) -> Error {
    let violation = Violation {
        rule: Rule::Magic,
        field: Field::Magic,
        index: 0,
    };
    Error::new(violation.into(), origin.wrapping_add(length(wrong)))
}

/// Everything that the fixed header alone decides.
#[inline]
pub(crate) fn header<J: Judge>(bytes: &[u8], judge: &mut J) -> Checked {
    let bytes: &[u8; HEADER] = record(bytes, 0);
    let major = u8(bytes, offset(Field::VersionMajor));
    judge.require(
        major <= VERSION_MAJOR,
        Rule::MajorAbove,
        Field::VersionMajor,
        0,
    )?;
    judge.require(
        major >= VERSION_MAJOR,
        Rule::MajorBelow,
        Field::VersionMajor,
        0,
    )?;
    let long = index(stated_length(bytes)) >= HEADER;
    judge.require(long, Rule::LengthMinimum, Field::DescriptorLength, 0)?;
    let flags = u32(bytes, offset(Field::Flags));
    let defined = flags & !u32::from(flag::DEFINED) == 0;
    judge.require(defined, Rule::ReservedFlags, Field::Flags, 0)?;
    let header = Header {
        element_type: ElementType(u8(bytes, offset(Field::TypeTag))),
        layout: LayoutTag(u8(bytes, offset(Field::LayoutTag))),
        rank: u32(bytes, offset(Field::Rank)),
        has_extension: flags & u32::from(flag::EXTENSION_TYPE) != 0,
        tagged: true,
    };
    header.check(judge)
}

/// Bytes that a descriptor still misses which `bytes` are the start of: to the end of its header, until
/// they state a length.
pub(crate) fn missing(bytes: &[u8]) -> u64 {
    let whole = index(stated_length(bytes)).max(HEADER);
    length(whole.saturating_sub(bytes.len()))
}

/// Reads one descriptor from the front of `bytes` and returns what follows it.
pub(crate) fn parse<'a>(
    bytes: &'a [u8],
    policy: &Policy,
) -> Result<(DescriptorView<'a>, &'a [u8]), Error> {
    if let Some(wrong) = wrong_magic(bytes) {
        return Err(magic_error(0, wrong));
    }
    let stated = stated_length(bytes);
    // a length below the header's is refused by looking at the header
    let whole = index(stated).max(HEADER);
    let available = policy.max_descriptor.into();
    match bytes.split_at_checked(whole) {
        Some((descriptor, rest)) if u64::from(stated) <= available => {
            match decode(descriptor, &mut { policy }) {
                Ok(facts) => Ok((DescriptorView::new(descriptor, facts, 0), rest)),
                Err(breach) => Err(place(descriptor, 0, breach.into())),
            }
        }
        _ => Err(incomplete(bytes, policy)),
    }
}

/// Why bytes that are no whole descriptor, or a too long one, are refused.
#[cold]
fn incomplete(bytes: &[u8], policy: &Policy) -> Error {
    if bytes.len() >= LENGTH_KNOWN
        && let Some(error) = too_long(bytes, 0, policy.max_descriptor.into())
    {
        return error;
    }
    // a header that can never be right is refused before the rest is missed
    if bytes.len() >= HEADER
        && let Err(breach) = header(bytes, &mut { policy })
    {
        return place(bytes, 0, breach.into());
    }
    let kind = ErrorKind::Truncated {
        rule: Rule::Incomplete,
        missing: missing(bytes),
    };
    Error::new(kind, length(bytes.len()))
}

/// The capacity error of a descriptor of the supported version that is longer than a reader takes.
pub(crate) fn too_long(bytes: &[u8], origin: u64, available: u64) -> Option<Error> {
    let needed = u64::from(stated_length(bytes));
    let supported = u8(bytes, offset(Field::VersionMajor)) == VERSION_MAJOR;
    (supported && needed > available).then(|| {
        let kind = ErrorKind::Capacity {
            what: Resource::Frame,
            needed,
            available,
        };
        Error::new(
            kind,
            origin.wrapping_add(length(offset(Field::DescriptorLength))),
        )
    })
}

/// Gives a violation in a descriptor its absolute position.
#[cold]
pub(crate) fn place(bytes: &[u8], origin: u64, violation: Violation) -> Error {
    let facts = facts(bytes);
    let start = locate(bytes, &facts, violation.field, violation.index).start;
    Error::new(violation.into(), origin.wrapping_add(start.into()))
}

/// Decodes exactly one descriptor: `bytes` is `descriptor_length` long and starts with the magic.
#[inline]
pub(crate) fn decode<J: Judge>(bytes: &[u8], judge: &mut J) -> Result<Facts, Breach> {
    // rank-sized work is bounded only behind the header's rules
    header(bytes, judge)?;
    let mut walk = Walk::new(bytes);
    if let Some(facts) = glance(bytes, &walk.facts) {
        return Ok(facts);
    }
    walk.parts(judge)?;
    let minor = u8(bytes, offset(Field::VersionMinor));
    let filled = walk.at == bytes.len() || minor > 0 || walk.facts.is_opaque();
    judge.require(filled, Rule::TrailingBytes, Field::Tail, 0)?;
    check::body(DescriptorView::new(bytes, walk.facts, 0), judge)?;
    Ok(walk.facts)
}

/// Sees at a glance that a descriptor is right: dense in one host buffer, without optional sections.
///
/// Every place follows from the rank then. It decides nothing else: what it does not accept goes the
/// long way, where the rules are.
#[inline]
fn glance(bytes: &[u8], facts: &Facts) -> Option<Facts> {
    const HOST: &[u8; 4] = &[0; 4];
    let facts = Facts {
        buffers: 1,
        ..*facts
    };
    let whole = facts.total() == length(bytes.len());
    let dense = matches!(facts.layout, LayoutTag::RowMajor | LayoutTag::ColumnMajor);
    let bits = facts.element_type.bits();
    if !whole || !dense || facts.flags != 0 || bits & 7 != 0 || bits == 0 {
        return None;
    }
    let (mut shape, rest) = bytes
        .get(HEADER..)?
        .split_at_checked(usize::from(facts.rank).wrapping_mul(8))?;
    let mut needed = u64::from(bits.wrapping_shr(3));
    while let Some((size, others)) = shape.split_first_chunk() {
        let size = u64::from_le_bytes(*size);
        needed = needed.checked_mul(size).filter(|_| size != DYNAMIC)?;
        shape = others;
    }
    let (byte_offset, table) = rest.split_first_chunk()?;
    let (buffers, handle) = table.split_first()?;
    let (byte_size, handle) = handle.split_first_chunk()?;
    let (alignment, tags) = handle.split_first_chunk()?;
    let alignment = u32::from_le_bytes(*alignment);
    let free = u64::from_le_bytes(*byte_size).checked_sub(u64::from_le_bytes(*byte_offset))?;
    let right = *buffers == 1
        && tags == HOST
        && alignment.is_power_of_two()
        && alignment >= MIN_BUFFER_ALIGNMENT
        && needed <= free;
    right.then_some(facts)
}

/// The facts of any bytes, as far as they go.
pub(crate) fn facts(bytes: &[u8]) -> Facts {
    let mut walk = Walk::new(bytes);
    // what it finds was found before, or is nobody's concern
    let _ = walk.parts(&mut &Policy::PERMISSIVE);
    walk.facts
}

/// A walk over the parts of a descriptor, in wire order.
struct Walk<'a> {
    bytes: &'a [u8],
    /// End of the parts that were entered.
    at: usize,
    facts: Facts,
}

impl<'a> Walk<'a> {
    #[inline(always)]
    fn new(bytes: &'a [u8]) -> Self {
        let header: &[u8; HEADER] = record(bytes, 0);
        let rank = u32(header, offset(Field::Rank));
        Walk {
            bytes,
            at: HEADER,
            facts: Facts {
                rank: u8::try_from(rank).unwrap_or(u8::MAX),
                flags: u8(header, offset(Field::Flags)) & flag::DEFINED,
                element_type: ElementType(u8(header, offset(Field::TypeTag))),
                layout: LayoutTag(u8(header, offset(Field::LayoutTag))),
                ..Facts::NONE
            },
        }
    }

    /// Walks all parts that can be found.
    #[inline(always)]
    fn parts<J: Judge>(&mut self, judge: &mut J) -> Checked {
        self.enter(Section::Shape, judge)?;
        self.enter(Section::ByteOffset, judge)?;
        if self.facts.is_opaque() {
            // permissive mode only: flags speak of sections that cannot be found
            self.facts.flags = 0;
            return Ok(());
        }
        let start = self.at;
        match layout_len(self.facts.layout, self.facts.rank.into()) {
            Some(0) => {}
            Some(len) => {
                self.facts.layout_len = len;
                self.reach(len.into(), layout_field(self.facts.layout), 0, judge)?;
                self.layout_reserved(start, judge)?;
            }
            None => self.variable(judge)?,
        }
        self.buffer_table(judge)?;
        if self.facts.flags == 0 {
            Ok(())
        } else {
            self.optional(judge)
        }
    }

    /// DESC-05: the next part lies inside the descriptor.
    #[inline(always)]
    fn enter<J: Judge>(&mut self, section: Section, judge: &mut J) -> Checked {
        self.reach(self.facts.len(section), section.first_field(), 0, judge)
    }

    #[inline(always)]
    fn reach<J: Judge>(&mut self, len: u64, first: Field, element: u32, judge: &mut J) -> Checked {
        let left = length(self.bytes.len().wrapping_sub(self.at));
        judge.require(len <= left, Rule::FieldOverrun, first, element)?;
        self.at = self
            .at
            .wrapping_add(usize::try_from(len).unwrap_or(usize::MAX));
        Ok(())
    }

    /// The parts that flags announce.
    fn optional<J: Judge>(&mut self, judge: &mut J) -> Checked {
        let flags = self.facts.flags;
        if flags & flag::QUANTIZATION != 0 {
            self.quantization(judge)?;
        }
        self.enter(Section::Shard, judge)?;
        let start = self.at;
        self.enter(Section::Statistics, judge)?;
        if flags & flag::STATISTICS != 0 {
            for field in [Field::StatisticsReserved, Field::StatisticsTail] {
                let zero = self.is_zero(start, field);
                judge.require(zero, Rule::StatisticsReserved, field, 0)?;
            }
        }
        let start = self.at;
        self.enter(Section::ExtensionType, judge)?;
        if flags & flag::EXTENSION_TYPE != 0 {
            for field in [Field::ExtensionReserved, Field::ExtensionTail] {
                let zero = self.is_zero(start, field);
                judge.require(zero, Rule::ExtensionReserved, field, 0)?;
            }
        }
        let start = self.at;
        self.enter(Section::CompositeMember, judge)?;
        if flags & flag::MEMBER != 0 {
            let zero = self.is_zero(start, Field::MemberReserved);
            judge.require(zero, Rule::MemberReserved, Field::MemberReserved, 0)?;
        }
        Ok(())
    }

    #[inline]
    fn layout_reserved<J: Judge>(&self, start: usize, judge: &mut J) -> Checked {
        let layout = self.facts.layout;
        let sparse = match layout {
            LayoutTag::Coo => Field::CooReserved,
            LayoutTag::Csr | LayoutTag::Csc => Field::CompressedReserved,
            LayoutTag::Csf => Field::CsfReserved,
            LayoutTag::BlockPaged => {
                let zero = self.is_zero(start, Field::PagedReserved);
                return judge.require(zero, Rule::PagedReserved, Field::PagedReserved, 0);
            }
            LayoutTag::Composite => {
                let zero = self.is_zero(start, Field::HeadReserved);
                return judge.require(zero, Rule::HeadReserved, Field::HeadReserved, 0);
            }
            _ => return Ok(()),
        };
        if layout == LayoutTag::Coo {
            let sorted = u8(self.bytes, start.wrapping_add(offset(Field::IsSorted))) <= 1;
            judge.require(sorted, Rule::CooSorted, Field::IsSorted, 0)?;
        }
        judge.require(self.is_zero(start, sparse), Rule::SparseReserved, sparse, 0)
    }

    /// A layout whose length is on the wire: tiles, or a private one.
    fn variable<J: Judge>(&mut self, judge: &mut J) -> Checked {
        let start = self.at;
        if self.facts.layout == LayoutTag::Tiled {
            self.tiles(judge)?;
        } else {
            let data_len = start.wrapping_add(offset(Field::ExtensionDataLength));
            self.reach(length(PRIVATE_LAYOUT), Field::ExtensionLayoutId, 0, judge)?;
            self.reach(
                u32(self.bytes, data_len).into(),
                Field::ExtensionData,
                0,
                judge,
            )?;
        }
        self.facts.layout_len = length32(self.at.wrapping_sub(start));
        Ok(())
    }

    fn tiles<J: Judge>(&mut self, judge: &mut J) -> Checked {
        let rank = u32::from(self.facts.rank);
        for level in 0..=MAX_TILE_LEVELS {
            // behind too many levels no part can be found
            check::layout::tile_level(level, judge)?;
            let start = self.at;
            let tags = start.wrapping_add(index(rank).wrapping_mul(8));
            let outer = LayoutTag(u8(self.bytes, tags));
            let inner = LayoutTag(u8(self.bytes, tags.wrapping_add(1)));
            let len = tile_level_len(rank, outer, inner);
            self.reach(
                len.into(),
                Field::TileShape,
                level.wrapping_mul(rank),
                judge,
            )?;
            let zero = self.is_zero(start, Field::TileReserved);
            judge.require(zero, Rule::TileReserved, Field::TileReserved, level)?;
            if inner != LayoutTag::Tiled {
                break;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn buffer_table<J: Judge>(&mut self, judge: &mut J) -> Checked {
        let start = self.at;
        let buffers = u8(self.bytes, start);
        self.reach(1, Field::BufferCount, 0, judge)?;
        self.reach(
            u64::from(buffers).wrapping_mul(length(HANDLE)),
            Field::ByteSize,
            0,
            judge,
        )?;
        self.facts.buffers = buffers;
        let mut at = start.wrapping_add(offset(Field::HandleReserved));
        for k in 0..buffers {
            let zero = u8(self.bytes, at) == 0;
            judge.require(zero, Rule::HandleReserved, Field::HandleReserved, k.into())?;
            at = at.wrapping_add(HANDLE);
        }
        Ok(())
    }

    #[inline]
    fn quantization<J: Judge>(&mut self, judge: &mut J) -> Checked {
        let start = self.at;
        self.reach(4, Field::QuantizationLength, 0, judge)?;
        let len = u32(self.bytes, start);
        self.facts.quantization_len = len;
        self.reach(len.into(), Field::SchemeTag, 0, judge)?;
        let prefix = Field::QuantizationLength;
        let scheme = Scheme(u8(self.bytes, start.wrapping_add(offset(Field::SchemeTag))));
        judge.require(len >= SCHEME_HEADER, Rule::QuantizationLength, prefix, 0)?;
        judge.require(len >= scheme_len(scheme), Rule::SchemeLength, prefix, 0)?;
        let version = u8(self.bytes, start.wrapping_add(offset(Field::SchemeVersion)));
        let current = !scheme.is_assigned() || version == SCHEME_VERSION;
        judge.require(current, Rule::SchemeVersion, Field::SchemeVersion, 0)?;
        let zero = |field| self.is_zero(start.wrapping_sub(index(scheme_shift(scheme))), field);
        let field = Field::ScaleTypeReserved;
        match scheme {
            Scheme::PerTensorAffine => {
                let field = Field::PerTensorReserved;
                judge.require(zero(field), Rule::PerTensorReserved, field, 0)
            }
            Scheme::PerChannelAffine => {
                check::quantization::per_channel_scale(zero(field), field, judge)
            }
            Scheme::PerBlockAffine => judge.require(zero(field), Rule::PerBlockReserved, field, 0),
            _ => Ok(()),
        }
    }

    #[inline]
    fn is_zero(&self, start: usize, field: Field) -> bool {
        is_zero(self.bytes, start, self.facts.rank.into(), field)
    }
}

/// The first field of a layout's payload.
fn layout_field(layout: LayoutTag) -> Field {
    match layout {
        LayoutTag::Strided => Field::Strides,
        LayoutTag::Morton => Field::MortonBits,
        LayoutTag::BlockPaged => Field::PageSize,
        LayoutTag::Composite => Field::CompositionRule,
        LayoutTag::Hilbert => Field::HilbertOrder,
        _ => Field::Nnz,
    }
}
