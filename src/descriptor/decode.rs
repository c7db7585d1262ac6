//! The one decoder: header, then the lengths of all parts, then the model rules.
//!
//! Wire rules come in byte order and before model rules. Every length is a function of facts already
//! read; nothing is read past `descriptor_length`.

use super::view::{DescriptorView, WireTable};
use crate::check::{self, Breach, Checked, Header, Judge};
use crate::error::{Error, ErrorKind, Field, Resource, Violation};
use crate::model::Array;
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::descriptor::{
    EXTENSION_TYPE, Facts, HANDLE, HEADER, LENGTH_KNOWN, MAGIC, MAX_TILE_LEVELS, MEMBER,
    PRIVATE_LAYOUT, Packed, SCHEME_HEADER, SCHEME_VERSION, STATISTICS, VERSION_MAJOR, flag,
    is_zero, layout_len, locate, offset, scheme_len, scheme_shift, tile_level_len,
};
use crate::wire::handle::RawHandle;
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
            let mut facts = Facts::NONE;
            match decode(descriptor, &mut { policy }, &mut facts) {
                Ok(()) => Ok((DescriptorView::new(descriptor, facts, 0), rest)),
                Err(breach) => Err(place(descriptor, Packed::new(facts), 0, breach.into())),
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
        return place(bytes, Packed::new(Facts::NONE), 0, breach.into());
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

/// Gives a violation in a descriptor its absolute position; `facts` reach as far as the decoder came.
#[cold]
#[inline(never)]
pub(crate) fn place(bytes: &[u8], facts: Packed, origin: u64, violation: Violation) -> Error {
    let start = locate(bytes, &facts.facts(), violation.field, violation.index).start;
    Error::new(violation.into(), origin.wrapping_add(start.into()))
}

/// Decodes exactly one descriptor: `bytes` is `descriptor_length` long and starts with the magic.
///
/// Where it fails, `facts` are those behind which the breach lies.
#[inline]
pub(crate) fn decode<J: Judge>(bytes: &[u8], judge: &mut J, facts: &mut Facts) -> Checked {
    // rank-sized work is bounded only behind the header's rules
    header(bytes, judge)?;
    *facts = announced(bytes);
    if glance(bytes, facts) {
        return Ok(());
    }
    let at = parts(bytes, facts, judge)?;
    let minor = u8(bytes, offset(Field::VersionMinor));
    let filled = at == bytes.len() || minor > 0 || facts.is_opaque();
    judge.require(filled, Rule::TrailingBytes, Field::Tail, 0)?;
    let view = DescriptorView::new(bytes, *facts, 0);
    check::body(&view, WireTable(facts.table(bytes)), judge)
}

/// Sees at a glance that a descriptor is right: one of the commonest kind, without optional sections.
///
/// Every place follows from the rank then. It decides nothing else: what it does not accept goes the
/// long way, where the rules are.
#[inline]
fn glance(bytes: &[u8], facts: &mut Facts) -> bool {
    let dense = matches!(facts.layout, LayoutTag::RowMajor | LayoutTag::ColumnMajor);
    let right = facts.flags == 0 && dense && alone(bytes, facts).unwrap_or(false);
    facts.buffers = u8::from(right);
    right
}

#[inline(always)]
fn alone(bytes: &[u8], facts: &Facts) -> Option<bool> {
    let (shape, rest) = bytes
        .get(HEADER..)?
        .split_at_checked(usize::from(facts.rank).wrapping_mul(8))?;
    let (byte_offset, table) = rest.split_first_chunk()?;
    let (buffers, handle) = table.split_first()?;
    // to the last byte
    let handle = RawHandle::read(handle.try_into().ok()?);
    let byte_offset = u64::from_le_bytes(*byte_offset);
    let right = check::is_plain(facts.element_type, Array::Le(shape), byte_offset, handle);
    Some(*buffers == 1 && right)
}

/// The facts of any bytes, as far as they go.
pub(crate) fn facts(bytes: &[u8]) -> Facts {
    let mut facts = announced(bytes);
    // what it finds was found before, or is nobody's concern
    let _ = parts(bytes, &mut facts, &mut &Policy::PERMISSIVE);
    facts
}

/// What the header says of the parts.
#[inline(always)]
fn announced(bytes: &[u8]) -> Facts {
    let header: &[u8; HEADER] = record(bytes, 0);
    let rank = u32(header, offset(Field::Rank));
    Facts {
        rank: u8::try_from(rank).unwrap_or(u8::MAX),
        flags: u8(header, offset(Field::Flags)) & flag::DEFINED,
        element_type: ElementType(u8(header, offset(Field::TypeTag))),
        layout: LayoutTag(u8(header, offset(Field::LayoutTag))),
        ..Facts::NONE
    }
}

/// Walks over all parts that can be found, in wire order, and returns where they end.
#[inline(always)]
fn parts<J: Judge>(bytes: &[u8], facts: &mut Facts, judge: &mut J) -> Result<usize, Breach> {
    let rank = usize::from(facts.rank);
    let shape = rank.wrapping_mul(8);
    let at = reach(bytes, HEADER, shape, Field::Shape, 0, judge)?;
    let start = reach(bytes, at, 8, Field::ByteOffset, 0, judge)?;
    if facts.is_opaque() {
        // permissive mode only: flags speak of sections that cannot be found
        facts.flags = 0;
        return Ok(start);
    }
    let at = match layout_len(facts.layout, facts.rank.into()) {
        Some(0) => start,
        Some(len) => {
            facts.layout_len = len;
            let field = layout_field(facts.layout);
            let at = reach(bytes, start, index(len), field, 0, judge)?;
            layout_reserved(bytes, start, facts.layout, facts.rank, judge)?;
            at
        }
        None => {
            let len = variable(bytes, start, facts.layout, facts.rank, judge)?;
            facts.layout_len = len;
            start.wrapping_add(index(len))
        }
    };
    let buffers = u8(bytes, at);
    let at = reach(bytes, at, 1, Field::BufferCount, 0, judge)?;
    let len = usize::from(buffers).wrapping_mul(HANDLE);
    let at = reach(bytes, at, len, Field::ByteSize, 0, judge)?;
    facts.buffers = buffers;
    for (handle, k) in facts.table(bytes).iter().zip(0..) {
        let [.., reserved] = *handle;
        judge.require(
            reserved == 0,
            Rule::HandleReserved,
            Field::HandleReserved,
            k,
        )?;
    }
    if facts.flags == 0 {
        return Ok(at);
    }
    let at = if facts.flags & flag::QUANTIZATION != 0 {
        let first = reach(bytes, at, 4, Field::QuantizationLength, 0, judge)?;
        let len = u32(bytes, at);
        facts.quantization_len = len;
        let end = reach(bytes, first, index(len), Field::SchemeTag, 0, judge)?;
        quantization(bytes, at, len, judge)?;
        end
    } else {
        at
    };
    fixed_sections(bytes, at, facts.flags, rank, judge)
}

/// DESC-05: the next part lies inside the descriptor. Returns where it ends.
#[inline(always)]
fn reach<J: Judge>(
    bytes: &[u8],
    at: usize,
    len: usize,
    first: Field,
    element: u32,
    judge: &mut J,
) -> Result<usize, Breach> {
    let left = bytes.len().wrapping_sub(at);
    judge.require(len <= left, Rule::FieldOverrun, first, element)?;
    Ok(at.wrapping_add(len))
}

/// The fixed sections that flags announce.
#[inline]
fn fixed_sections<J: Judge>(
    bytes: &[u8],
    at: usize,
    flags: u8,
    rank: usize,
    judge: &mut J,
) -> Result<usize, Breach> {
    let mut at = at;
    if flags & flag::SHARD != 0 {
        let len = rank.wrapping_mul(16);
        at = reach(bytes, at, len, Field::ParentShape, 0, judge)?;
    }
    if flags & flag::STATISTICS != 0 {
        let start = at;
        at = reach(bytes, at, STATISTICS, Field::ComputedMask, 0, judge)?;
        for field in [Field::StatisticsReserved, Field::StatisticsTail] {
            let zero = is_zero(bytes, start, 0, field);
            judge.require(zero, Rule::StatisticsReserved, field, 0)?;
        }
    }
    if flags & flag::EXTENSION_TYPE != 0 {
        let start = at;
        at = reach(bytes, at, EXTENSION_TYPE, Field::BitWidth, 0, judge)?;
        for field in [Field::ExtensionReserved, Field::ExtensionTail] {
            let zero = is_zero(bytes, start, 0, field);
            judge.require(zero, Rule::ExtensionReserved, field, 0)?;
        }
    }
    if flags & flag::MEMBER != 0 {
        let start = at;
        at = reach(bytes, at, MEMBER, Field::MemberRole, 0, judge)?;
        let zero = is_zero(bytes, start, 0, Field::MemberReserved);
        judge.require(zero, Rule::MemberReserved, Field::MemberReserved, 0)?;
    }
    Ok(at)
}

#[inline]
fn layout_reserved<J: Judge>(
    bytes: &[u8],
    start: usize,
    layout: LayoutTag,
    rank: u8,
    judge: &mut J,
) -> Checked {
    let sparse = match layout {
        LayoutTag::Coo => {
            let sorted = u8(bytes, start.wrapping_add(offset(Field::IsSorted))) <= 1;
            judge.require(sorted, Rule::CooSorted, Field::IsSorted, 0)?;
            Field::CooReserved
        }
        LayoutTag::Csr | LayoutTag::Csc => Field::CompressedReserved,
        LayoutTag::Csf => Field::CsfReserved,
        LayoutTag::BlockPaged => {
            let zero = is_zero(bytes, start, 0, Field::PagedReserved);
            return judge.require(zero, Rule::PagedReserved, Field::PagedReserved, 0);
        }
        LayoutTag::Composite => {
            let zero = is_zero(bytes, start, 0, Field::HeadReserved);
            return judge.require(zero, Rule::HeadReserved, Field::HeadReserved, 0);
        }
        _ => return Ok(()),
    };
    let zero = is_zero(bytes, start, rank.into(), sparse);
    judge.require(zero, Rule::SparseReserved, sparse, 0)
}

/// A layout whose length is on the wire: tiles, or a private one. Returns the length.
fn variable<J: Judge>(
    bytes: &[u8],
    start: usize,
    layout: LayoutTag,
    rank: u8,
    judge: &mut J,
) -> Result<u32, Breach> {
    let end = if layout == LayoutTag::Tiled {
        tiles(bytes, start, rank.into(), judge)?
    } else {
        let (id, data) = (Field::ExtensionLayoutId, Field::ExtensionData);
        let at = reach(bytes, start, PRIVATE_LAYOUT, id, 0, judge)?;
        let len = start.wrapping_add(offset(Field::ExtensionDataLength));
        reach(bytes, at, index(u32(bytes, len)), data, 0, judge)?
    };
    Ok(length32(end.wrapping_sub(start)))
}

fn tiles<J: Judge>(bytes: &[u8], start: usize, rank: u32, judge: &mut J) -> Result<usize, Breach> {
    let mut at = start;
    for level in 0..=MAX_TILE_LEVELS {
        // behind too many levels no part can be found
        check::layout::tile_level(level, judge)?;
        let tags = at.wrapping_add(index(rank).wrapping_mul(8));
        let outer = LayoutTag(u8(bytes, tags));
        let inner = LayoutTag(u8(bytes, tags.wrapping_add(1)));
        let len = tile_level_len(rank, outer, inner);
        let first = level.wrapping_mul(rank);
        let end = reach(bytes, at, index(len), Field::TileShape, first, judge)?;
        let zero = is_zero(bytes, at, rank, Field::TileReserved);
        judge.require(zero, Rule::TileReserved, Field::TileReserved, level)?;
        at = end;
        if inner != LayoutTag::Tiled {
            break;
        }
    }
    Ok(at)
}

/// A quantization section of `len` bytes behind its length, which are there.
#[inline]
fn quantization<J: Judge>(bytes: &[u8], start: usize, len: u32, judge: &mut J) -> Checked {
    let prefix = Field::QuantizationLength;
    let scheme = Scheme(u8(bytes, start.wrapping_add(offset(Field::SchemeTag))));
    judge.require(len >= SCHEME_HEADER, Rule::QuantizationLength, prefix, 0)?;
    judge.require(len >= scheme_len(scheme), Rule::SchemeLength, prefix, 0)?;
    let version = u8(bytes, start.wrapping_add(offset(Field::SchemeVersion)));
    let current = !scheme.is_assigned() || version == SCHEME_VERSION;
    judge.require(current, Rule::SchemeVersion, Field::SchemeVersion, 0)?;
    let start = start.wrapping_sub(index(scheme_shift(scheme)));
    let zero = |field| is_zero(bytes, start, 0, field);
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
