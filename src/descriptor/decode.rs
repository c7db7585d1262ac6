//! The one decoder: header, then the lengths of all parts, then the model rules.
//!
//! Wire rules come in byte order and before model rules. Every length is a function of facts already
//! read; nothing is read past `descriptor_length`.

use super::view::DescriptorView;
use crate::check::{self, Header};
use crate::error::{Error, ErrorKind, Field, Violation};
use crate::policy::{Judge, Policy};
use crate::rule::Rule;
use crate::wire::descriptor::{
    Facts, HANDLE, HEADER, LENGTH_KNOWN, MAGIC, PRIVATE_LAYOUT, SCHEME_HEADER, SCHEME_VERSION,
    Section, VERSION_MAJOR, flag, layout_len, locate, offset, scheme_len, tile_level_len,
};
use crate::wire::tag::{ElementType, LayoutTag, Scheme};
use crate::wire::{index, length, length32, u8, u32};

type Checked = Result<(), Violation>;

const fn at(rule: Rule, field: Field, index: u32) -> Violation {
    Violation { rule, field, index }
}

/// `descriptor_length` as the header states it.
#[inline(always)]
pub(crate) fn stated_length(bytes: &[u8]) -> u32 {
    u32(bytes, offset(Field::DescriptorLength))
}

/// The first of `bytes` that is not the magic, if any.
#[inline(always)]
pub(crate) fn wrong_magic(bytes: &[u8]) -> Option<usize> {
    bytes
        .iter()
        .zip(&MAGIC)
        .position(|(byte, magic)| byte != magic)
}

/// The magic at an absolute offset.
pub(crate) fn magic_error(origin: u64, wrong: usize) -> Error {
    let kind = at(Rule::Magic, Field::Magic, 0).into();
    Error::new(kind, origin.wrapping_add(length(wrong)))
}

/// Everything that the fixed header alone decides.
#[inline]
pub(crate) fn header(bytes: &[u8], judge: &mut Judge<'_>) -> Checked {
    let major = u8(bytes, offset(Field::VersionMajor));
    if major != VERSION_MAJOR {
        let rule = if major > VERSION_MAJOR {
            Rule::MajorAbove
        } else {
            Rule::MajorBelow
        };
        return Err(at(rule, Field::VersionMajor, 0));
    }
    if index(stated_length(bytes)) < HEADER {
        return Err(at(Rule::LengthMinimum, Field::DescriptorLength, 0));
    }
    let flags = u32(bytes, offset(Field::Flags));
    if flags & flag::RESERVED != 0 {
        return Err(at(Rule::ReservedFlags, Field::Flags, 0));
    }
    let header = Header {
        element_type: ElementType(u8(bytes, offset(Field::TypeTag))),
        layout: LayoutTag(u8(bytes, offset(Field::LayoutTag))),
        rank: u32(bytes, offset(Field::Rank)),
        has_extension: flags & flag::EXTENSION_TYPE != 0,
    };
    header.check(judge)
}

/// Reads one descriptor from the front of `bytes` and returns what follows it.
pub(crate) fn parse<'a>(
    bytes: &'a [u8],
    origin: u64,
    judge: &mut Judge<'_>,
) -> Result<(DescriptorView<'a>, &'a [u8]), Error> {
    let end = || origin.wrapping_add(length(bytes.len()));
    let truncated = |missing| {
        let rule = Rule::Incomplete;
        Error::new(ErrorKind::Truncated { rule, missing }, end())
    };
    if let Some(wrong) = wrong_magic(bytes) {
        return Err(magic_error(origin, wrong));
    }
    let missing_header = length(HEADER.saturating_sub(bytes.len()));
    if bytes.len() >= LENGTH_KNOWN
        && let Some(error) = too_long(bytes, origin, u64::MAX, judge.policy)
    {
        return Err(error);
    }
    if missing_header > 0 {
        return Err(truncated(missing_header));
    }
    let stated = stated_length(bytes);
    let missing = u64::from(stated).saturating_sub(length(bytes.len()));
    // a length below the header's is refused by looking at the header
    let whole = index(stated).max(HEADER);
    let (descriptor, rest) = bytes.split_at_checked(whole).unwrap_or((bytes, &[]));
    if missing > 0 {
        // a header that can never be right is refused before the rest is missed
        return Err(match header(bytes, judge) {
            Ok(()) => truncated(missing),
            Err(violation) => place(bytes, origin, violation),
        });
    }
    match decode(descriptor, origin, judge) {
        Ok(view) => Ok((view, rest)),
        Err(violation) => Err(place(descriptor, origin, violation)),
    }
}

/// The capacity error of a descriptor of the supported version that is longer than a reader takes.
pub(crate) fn too_long(bytes: &[u8], origin: u64, limit: u64, policy: &Policy) -> Option<Error> {
    let available = limit.min(policy.max_descriptor.into());
    let needed = u64::from(stated_length(bytes));
    let supported = u8(bytes, offset(Field::VersionMajor)) == VERSION_MAJOR;
    (supported && needed > available).then(|| {
        let kind = ErrorKind::Capacity {
            what: crate::error::Resource::Frame,
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

/// The facts of any bytes, as far as they go.
pub(crate) fn facts(bytes: &[u8]) -> Facts {
    let mut walk = Walk::new(bytes);
    let layout = walk.layout_tag();
    let _ = walk
        .enter(Section::Shape)
        .and_then(|()| walk.enter(Section::ByteOffset))
        .and_then(|()| walk.layout(layout, &mut Judge::new(&Policy::STRICT)))
        .and_then(|()| walk.buffer_table())
        .and_then(|()| walk.quantization());
    walk.facts
}

/// Decodes exactly one descriptor: `bytes` is `descriptor_length` long and starts with the magic.
pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    origin: u64,
    judge: &mut Judge<'_>,
) -> Result<DescriptorView<'a>, Violation> {
    header(bytes, judge)?;
    let facts = structure(bytes, judge)?;
    let view = DescriptorView::new(bytes, facts.layout, origin);
    check::body(&view, judge)?;
    Ok(view)
}

/// Wire rules behind the header, part by part.
#[inline]
fn structure(bytes: &[u8], judge: &mut Judge<'_>) -> Result<Facts, Violation> {
    let mut walk = Walk::new(bytes);
    walk.enter(Section::Shape)?;
    walk.enter(Section::ByteOffset)?;
    let layout = walk.layout_tag();
    if !layout.is_assigned() && !layout.is_private() {
        // permissive mode only: nothing behind byte_offset can be found
        return Ok(walk.facts);
    }
    walk.layout(layout, judge)?;
    layout_reserved(&walk, layout, judge)?;
    walk.buffer_table()?;
    for k in 0..walk.facts.buffers {
        walk.zero(Field::HandleReserved, k, Rule::HandleReserved, judge)?;
    }
    let flags = walk.facts.flags;
    if flags != 0 {
        if flags & flag::QUANTIZATION != 0 {
            walk.quantization()?;
            scheme_wire(&walk, judge)?;
        }
        walk.enter(Section::Shard)?;
        walk.enter(Section::Statistics)?;
        if flags & flag::STATISTICS != 0 {
            let mut zero = |field| walk.zero(field, 0, Rule::StatisticsReserved, judge);
            zero(Field::StatisticsReserved)?;
            zero(Field::StatisticsTail)?;
        }
        walk.enter(Section::ExtensionType)?;
        if flags & flag::EXTENSION_TYPE != 0 {
            let mut zero = |field| walk.zero(field, 0, Rule::ExtensionReserved, judge);
            zero(Field::ExtensionReserved)?;
            zero(Field::ExtensionTail)?;
        }
        walk.enter(Section::CompositeMember)?;
        if flags & flag::MEMBER != 0 {
            walk.zero(Field::MemberReserved, 0, Rule::MemberReserved, judge)?;
        }
    }
    let minor = u8(bytes, offset(Field::VersionMinor));
    let filled = walk.at == bytes.len() || minor > 0;
    judge.require(filled, Rule::TrailingBytes, Field::Tail, 0)?;
    Ok(walk.facts)
}

fn layout_reserved(walk: &Walk<'_>, layout: LayoutTag, judge: &mut Judge<'_>) -> Checked {
    let mut sparse = |field| walk.zero(field, 0, Rule::SparseReserved, judge);
    match layout {
        LayoutTag::Coo => {
            sparse(Field::CooReserved)?;
            let sorted = walk.byte(Field::IsSorted) <= 1;
            judge.require(sorted, Rule::CooSorted, Field::IsSorted, 0)
        }
        LayoutTag::Csr | LayoutTag::Csc => sparse(Field::CompressedReserved),
        LayoutTag::Csf => sparse(Field::CsfReserved),
        LayoutTag::BlockPaged => walk.zero(Field::PagedReserved, 0, Rule::PagedReserved, judge),
        LayoutTag::Composite => walk.zero(Field::HeadReserved, 0, Rule::HeadReserved, judge),
        LayoutTag::Tiled => {
            for level in 0..walk.tile_levels {
                walk.zero(Field::TileReserved, level, Rule::TileReserved, judge)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn scheme_wire(walk: &Walk<'_>, judge: &mut Judge<'_>) -> Checked {
    let scheme = Scheme(walk.byte(Field::SchemeTag));
    let known = scheme.is_assigned();
    let current = walk.byte(Field::SchemeVersion) == SCHEME_VERSION;
    judge.require(
        !known || current,
        Rule::SchemeVersion,
        Field::SchemeVersion,
        0,
    )?;
    let field = Field::ScaleTypeReserved;
    match scheme {
        Scheme::PerTensorAffine => {
            walk.zero(Field::PerTensorReserved, 0, Rule::PerTensorReserved, judge)
        }
        Scheme::PerChannelAffine => {
            check::quantization::per_channel_scale(walk.is_zero(field, 0), field, judge)
        }
        Scheme::PerBlockAffine => walk.zero(field, 0, Rule::PerBlockReserved, judge),
        _ => Ok(()),
    }
}

/// A walk over the parts of a descriptor, in wire order.
struct Walk<'a> {
    bytes: &'a [u8],
    /// End of the parts that were entered.
    at: usize,
    facts: Facts,
    tile_levels: u32,
}

impl<'a> Walk<'a> {
    #[inline]
    fn new(bytes: &'a [u8]) -> Self {
        Walk {
            bytes,
            at: HEADER,
            facts: Facts {
                rank: u32(bytes, offset(Field::Rank)),
                flags: u32(bytes, offset(Field::Flags)),
                layout: 0,
                buffers: 0,
                quantization: 0,
            },
            tile_levels: 0,
        }
    }

    fn layout_tag(&self) -> LayoutTag {
        LayoutTag(u8(self.bytes, offset(Field::LayoutTag)))
    }

    /// DESC-05: the next part lies inside the descriptor.
    #[inline]
    fn enter(&mut self, section: Section) -> Checked {
        self.reach(self.facts.len(section), section.first_field())
    }

    #[inline]
    fn reach(&mut self, len: u64, first: Field) -> Checked {
        let left = self.bytes.len().wrapping_sub(self.at);
        match usize::try_from(len) {
            Ok(len) if len <= left => {
                self.at = self.at.wrapping_add(len);
                Ok(())
            }
            _ => Err(at(Rule::FieldOverrun, first, 0)),
        }
    }

    #[inline]
    fn layout(&mut self, layout: LayoutTag, judge: &mut Judge<'_>) -> Checked {
        let start = self.at;
        if let Some(len) = layout_len(layout, self.facts.rank) {
            self.facts.layout = len;
            return self.reach(len.into(), layout_field(layout));
        }
        if layout == LayoutTag::Tiled {
            self.tiles(judge)?;
        } else {
            let data_len = start.wrapping_add(offset(Field::ExtensionDataLength));
            self.reach(length(PRIVATE_LAYOUT), Field::ExtensionLayoutId)?;
            self.reach(u32(self.bytes, data_len).into(), Field::ExtensionData)?;
        }
        self.facts.layout = length32(self.at.wrapping_sub(start));
        Ok(())
    }

    fn tiles(&mut self, judge: &mut Judge<'_>) -> Checked {
        let rank = self.facts.rank;
        loop {
            // behind too many levels no part can be found
            check::layout::tile_level(self.tile_levels, judge)?;
            let tags = self.at.wrapping_add(index(rank).wrapping_mul(8));
            let outer = LayoutTag(u8(self.bytes, tags));
            let inner = LayoutTag(u8(self.bytes, tags.wrapping_add(1)));
            self.reach(tile_level_len(rank, outer, inner).into(), Field::TileShape)?;
            self.tile_levels = self.tile_levels.wrapping_add(1);
            if inner != LayoutTag::Tiled {
                return Ok(());
            }
        }
    }

    #[inline]
    fn buffer_table(&mut self) -> Checked {
        self.facts.buffers = u8(self.bytes, self.at).into();
        let handles = length(HANDLE).wrapping_mul(self.facts.buffers.into());
        self.reach(1, Field::BufferCount)?;
        self.reach(handles, Field::ByteSize)
    }

    fn quantization(&mut self) -> Checked {
        if self.facts.flags & flag::QUANTIZATION == 0 {
            return Ok(());
        }
        let start = self.at;
        self.reach(4, Field::QuantizationLength)?;
        let len = u32(self.bytes, start);
        self.facts.quantization = len;
        self.reach(len.into(), Field::SchemeTag)?;
        if len < SCHEME_HEADER {
            return Err(at(Rule::QuantizationLength, Field::QuantizationLength, 0));
        }
        let scheme = Scheme(u8(self.bytes, start.wrapping_add(offset(Field::SchemeTag))));
        if len < scheme_len(scheme) {
            return Err(at(Rule::SchemeLength, Field::QuantizationLength, 0));
        }
        Ok(())
    }

    /// The first byte of a field that lies in a part which was entered.
    fn byte(&self, field: Field) -> u8 {
        let at = locate(self.bytes, &self.facts, field, 0).start;
        u8(self.bytes, index(at))
    }

    fn is_zero(&self, field: Field, element: u32) -> bool {
        let range = locate(self.bytes, &self.facts, field, element);
        let bytes = self.bytes.get(index(range.start)..index(range.end));
        bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0))
    }

    #[inline]
    fn zero(&self, field: Field, element: u32, rule: Rule, judge: &mut Judge<'_>) -> Checked {
        judge.require(self.is_zero(field, element), rule, field, element)
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
