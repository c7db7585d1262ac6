//! The one decoder: header, then the lengths of all parts, then the model rules.
//!
//! Wire rules come in byte order and before model rules. Every length is a function of facts already
//! read; nothing is read past `descriptor_length`.

use super::view::DescriptorView;
use crate::check::{self, Header};
use crate::error::{Error, ErrorKind, Field, Resource, Violation};
use crate::policy::{Judge, Policy};
use crate::rule::Rule;
use crate::wire::descriptor::{
    Facts, HANDLE, HEADER, LENGTH_KNOWN, MAGIC, MAX_TILE_LEVELS, PRIVATE_LAYOUT, SCHEME_HEADER,
    SCHEME_VERSION, Section, VERSION_MAJOR, flag, is_zero, layout_len, locate, offset, scheme_len,
    scheme_shift, tile_level_len,
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
pub(crate) fn header(bytes: &[u8], judge: &mut Judge<'_>) {
    let bytes: &[u8; HEADER] = record(bytes, 0);
    let major = u8(bytes, offset(Field::VersionMajor));
    judge.require(
        major <= VERSION_MAJOR,
        Rule::MajorAbove,
        Field::VersionMajor,
        0,
    );
    judge.require(
        major >= VERSION_MAJOR,
        Rule::MajorBelow,
        Field::VersionMajor,
        0,
    );
    let long = index(stated_length(bytes)) >= HEADER;
    judge.require(long, Rule::LengthMinimum, Field::DescriptorLength, 0);
    let flags = u32(bytes, offset(Field::Flags));
    judge.require(
        flags & flag::RESERVED == 0,
        Rule::ReservedFlags,
        Field::Flags,
        0,
    );
    let header = Header {
        element_type: ElementType(u8(bytes, offset(Field::TypeTag))),
        layout: LayoutTag(u8(bytes, offset(Field::LayoutTag))),
        rank: u32(bytes, offset(Field::Rank)),
        has_extension: flags & flag::EXTENSION_TYPE != 0,
    };
    header.check(judge);
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
    origin: u64,
    judge: &mut Judge<'_>,
) -> Result<(DescriptorView<'a>, &'a [u8]), Error> {
    let end = || origin.wrapping_add(length(bytes.len()));
    let truncated = || {
        let (rule, missing) = (Rule::Incomplete, missing(bytes));
        Error::new(ErrorKind::Truncated { rule, missing }, end())
    };
    if let Some(wrong) = wrong_magic(bytes) {
        return Err(magic_error(origin, wrong));
    }
    if bytes.len() >= LENGTH_KNOWN
        && let Some(error) = too_long(bytes, origin, u64::MAX, judge.policy)
    {
        return Err(error);
    }
    if bytes.len() < HEADER {
        return Err(truncated());
    }
    // a length below the header's is refused by looking at the header
    let whole = index(stated_length(bytes)).max(HEADER);
    let (descriptor, rest) = bytes.split_at_checked(whole).unwrap_or((bytes, &[]));
    if missing(bytes) > 0 {
        // a header that can never be right is refused before the rest is missed
        header(bytes, judge);
        return Err(match judge.verdict() {
            Ok(()) => truncated(),
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

/// The facts of any bytes, as far as they go.
pub(crate) fn facts(bytes: &[u8]) -> Facts {
    let mut walk = Walk::new(bytes);
    // what it finds was found before, or is nobody's concern
    let _ = walk.parts(&mut Judge::new(&Policy::PERMISSIVE));
    walk.facts
}

/// Decodes exactly one descriptor: `bytes` is `descriptor_length` long and starts with the magic.
pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    origin: u64,
    judge: &mut Judge<'_>,
) -> Result<DescriptorView<'a>, Violation> {
    header(bytes, judge);
    // rank-sized work is bounded only behind the header's rules
    judge.verdict()?;
    let facts = structure(bytes, judge);
    judge.verdict()?;
    let view = DescriptorView::new(bytes, facts, origin);
    check::body(&view, judge);
    judge.verdict().map(|()| view)
}

/// Wire rules behind the header, part by part.
#[inline]
fn structure(bytes: &[u8], judge: &mut Judge<'_>) -> Facts {
    let mut walk = Walk::new(bytes);
    let walked = walk.parts(judge);
    if walked.is_none() {
        judge.refuse(Rule::FieldOverrun, walk.field, 0);
        return walk.facts;
    }
    if walk.is_opaque() {
        // flags speak of sections that cannot be found
        walk.facts.flags = 0;
        return walk.facts;
    }
    let minor = u8(bytes, offset(Field::VersionMinor));
    let filled = walk.at == bytes.len() || minor > 0;
    judge.require(filled, Rule::TrailingBytes, Field::Tail, 0);
    walk.facts
}

/// A walk over the parts of a descriptor, in wire order.
struct Walk<'a> {
    bytes: &'a [u8],
    /// End of the parts that were entered.
    at: usize,
    /// The field that the walk stands at.
    field: Field,
    facts: Facts,
}

impl<'a> Walk<'a> {
    #[inline]
    fn new(bytes: &'a [u8]) -> Self {
        Walk {
            bytes,
            at: HEADER,
            field: Field::Shape,
            facts: Facts {
                rank: u32(bytes, offset(Field::Rank)),
                flags: u32(bytes, offset(Field::Flags)),
                layout: 0,
                buffers: 0,
                quantization: 0,
            },
        }
    }

    fn layout_tag(&self) -> LayoutTag {
        LayoutTag(u8(self.bytes, offset(Field::LayoutTag)))
    }

    fn is_opaque(&self) -> bool {
        let layout = self.layout_tag();
        !layout.is_assigned() && !layout.is_private()
    }

    /// Walks all parts; none where one crosses the end (DESC-05), or where no next one can be found.
    #[inline]
    fn parts(&mut self, judge: &mut Judge<'_>) -> Option<()> {
        self.enter(Section::Shape)?;
        self.enter(Section::ByteOffset)?;
        if self.is_opaque() {
            // permissive mode only: nothing behind byte_offset can be found
            return Some(());
        }
        self.layout(judge)?;
        self.buffer_table(judge)?;
        if self.facts.flags == 0 {
            return Some(());
        }
        self.quantization(judge)?;
        self.enter(Section::Shard)?;
        if let Some(start) = self.enter(Section::Statistics)? {
            for field in [Field::StatisticsReserved, Field::StatisticsTail] {
                let zero = self.is_zero(start, field);
                judge.require(zero, Rule::StatisticsReserved, field, 0);
            }
        }
        if let Some(start) = self.enter(Section::ExtensionType)? {
            for field in [Field::ExtensionReserved, Field::ExtensionTail] {
                let zero = self.is_zero(start, field);
                judge.require(zero, Rule::ExtensionReserved, field, 0);
            }
        }
        if let Some(start) = self.enter(Section::CompositeMember)? {
            let field = Field::MemberReserved;
            judge.require(self.is_zero(start, field), Rule::MemberReserved, field, 0);
        }
        Some(())
    }

    /// Enters a part and tells where it starts, if it has bytes.
    #[inline]
    fn enter(&mut self, section: Section) -> Option<Option<usize>> {
        let len = self.facts.len(section);
        let start = self.at;
        self.reach(len, section.first_field())?;
        Some((len > 0).then_some(start))
    }

    #[inline]
    fn reach(&mut self, len: u64, first: Field) -> Option<()> {
        self.field = first;
        let left = self.bytes.len().wrapping_sub(self.at);
        let len = usize::try_from(len).ok().filter(|len| *len <= left)?;
        self.at = self.at.wrapping_add(len);
        Some(())
    }

    fn layout(&mut self, judge: &mut Judge<'_>) -> Option<()> {
        let layout = self.layout_tag();
        let start = self.at;
        if let Some(len) = layout_len(layout, self.facts.rank) {
            self.facts.layout = len;
            self.reach(len.into(), layout_field(layout))?;
            self.layout_reserved(start, layout, judge);
            return Some(());
        }
        if layout == LayoutTag::Tiled {
            self.tiles(judge)?;
        } else {
            let data_len = start.wrapping_add(offset(Field::ExtensionDataLength));
            self.reach(length(PRIVATE_LAYOUT), Field::ExtensionLayoutId)?;
            self.reach(u32(self.bytes, data_len).into(), Field::ExtensionData)?;
        }
        self.facts.layout = length32(self.at.wrapping_sub(start));
        Some(())
    }

    fn layout_reserved(&self, start: usize, layout: LayoutTag, judge: &mut Judge<'_>) {
        let sparse = match layout {
            LayoutTag::Coo => {
                let at = start.wrapping_add(offset(Field::IsSorted));
                let sorted = u8(self.bytes, at) <= 1;
                judge.require(sorted, Rule::CooSorted, Field::IsSorted, 0);
                Field::CooReserved
            }
            LayoutTag::Csr | LayoutTag::Csc => Field::CompressedReserved,
            LayoutTag::Csf => Field::CsfReserved,
            LayoutTag::BlockPaged => {
                let field = Field::PagedReserved;
                return judge.require(self.is_zero(start, field), Rule::PagedReserved, field, 0);
            }
            LayoutTag::Composite => {
                let field = Field::HeadReserved;
                return judge.require(self.is_zero(start, field), Rule::HeadReserved, field, 0);
            }
            _ => return,
        };
        judge.require(self.is_zero(start, sparse), Rule::SparseReserved, sparse, 0);
    }

    fn tiles(&mut self, judge: &mut Judge<'_>) -> Option<()> {
        let rank = self.facts.rank;
        let mut level = 0u32;
        loop {
            // behind too many levels no part can be found
            check::layout::tile_level(level, judge);
            if level >= MAX_TILE_LEVELS {
                return None;
            }
            let start = self.at;
            let tags = start.wrapping_add(index(rank).wrapping_mul(8));
            let outer = LayoutTag(u8(self.bytes, tags));
            let inner = LayoutTag(u8(self.bytes, tags.wrapping_add(1)));
            self.reach(tile_level_len(rank, outer, inner).into(), Field::TileShape)?;
            let field = Field::TileReserved;
            judge.require(self.is_zero(start, field), Rule::TileReserved, field, level);
            if inner != LayoutTag::Tiled {
                return Some(());
            }
            level = level.wrapping_add(1);
        }
    }

    #[inline]
    fn buffer_table(&mut self, judge: &mut Judge<'_>) -> Option<()> {
        let start = self.at;
        self.facts.buffers = u8(self.bytes, start).into();
        let handles = length(HANDLE).wrapping_mul(self.facts.buffers.into());
        self.reach(1, Field::BufferCount)?;
        self.reach(handles, Field::ByteSize)?;
        let mut at = start.wrapping_add(offset(Field::HandleReserved));
        for k in 0..self.facts.buffers {
            let zero = u8(self.bytes, at) == 0;
            judge.require(zero, Rule::HandleReserved, Field::HandleReserved, k);
            at = at.wrapping_add(HANDLE);
        }
        Some(())
    }

    fn quantization(&mut self, judge: &mut Judge<'_>) -> Option<()> {
        if self.facts.flags & flag::QUANTIZATION == 0 {
            return Some(());
        }
        let start = self.at;
        self.reach(4, Field::QuantizationLength)?;
        let len = u32(self.bytes, start);
        self.facts.quantization = len;
        self.reach(len.into(), Field::SchemeTag)?;
        let prefix = Field::QuantizationLength;
        let scheme = Scheme(u8(self.bytes, start.wrapping_add(offset(Field::SchemeTag))));
        judge.require(len >= SCHEME_HEADER, Rule::QuantizationLength, prefix, 0);
        judge.require(len >= scheme_len(scheme), Rule::SchemeLength, prefix, 0);
        let version = u8(self.bytes, start.wrapping_add(offset(Field::SchemeVersion)));
        let current = !scheme.is_assigned() || version == SCHEME_VERSION;
        judge.require(current, Rule::SchemeVersion, Field::SchemeVersion, 0);
        let field = Field::ScaleTypeReserved;
        let zero = |field| self.is_zero(start.wrapping_sub(index(scheme_shift(scheme))), field);
        match scheme {
            Scheme::PerTensorAffine => {
                let field = Field::PerTensorReserved;
                judge.require(zero(field), Rule::PerTensorReserved, field, 0);
            }
            Scheme::PerChannelAffine => {
                check::quantization::per_channel_scale(zero(field), field, judge);
            }
            Scheme::PerBlockAffine => {
                judge.require(zero(field), Rule::PerBlockReserved, field, 0);
            }
            _ => {}
        }
        Some(())
    }

    #[inline]
    fn is_zero(&self, start: usize, field: Field) -> bool {
        is_zero(self.bytes, start, self.facts.rank, field)
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
