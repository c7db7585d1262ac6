//! The one decoder: header, then the lengths of all parts, then the model rules.
//!
//! Wire rules come in byte order and before model rules. Every length is a function of facts already
//! read; nothing is read past `descriptor_length`.

use super::view::DescriptorView;
use crate::check::{self, Header, Judge, Verdict};
use crate::error::{Error, ErrorKind, Field, Resource, Violation};
use crate::policy::Policy;
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
pub(crate) fn header<J: Judge>(bytes: &[u8], mut judge: J) -> J {
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
    let defined = flags & !u32::from(flag::DEFINED) == 0;
    judge.require(defined, Rule::ReservedFlags, Field::Flags, 0);
    let header = Header {
        element_type: ElementType(u8(bytes, offset(Field::TypeTag))),
        layout: LayoutTag(u8(bytes, offset(Field::LayoutTag))),
        rank: u32(bytes, offset(Field::Rank)),
        has_extension: flags & u32::from(flag::EXTENSION_TYPE) != 0,
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
            match decode(descriptor, 0, Verdict::new(policy)) {
                Ok(view) => Ok((view, rest)),
                Err(violation) => Err(place(descriptor, 0, violation)),
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
        && let Err(violation) = header(bytes, Verdict::new(policy)).verdict()
    {
        return place(bytes, 0, violation);
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
pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    origin: u64,
    judge: impl Judge,
) -> Result<DescriptorView<'a>, Violation> {
    let judge = header(bytes, judge);
    if judge.is_broken() {
        // rank-sized work is bounded only behind the header's rules
        return Err(judge.first());
    }
    let (walk, judge) = Walk::new(bytes).whole(judge);
    let view = DescriptorView::new(bytes, walk.facts, origin);
    if judge.is_broken() {
        return Err(judge.first());
    }
    let judge = check::body(view, judge);
    if judge.is_broken() {
        Err(judge.first())
    } else {
        Ok(view)
    }
}

/// The facts of any bytes, as far as they go.
pub(crate) fn facts(bytes: &[u8]) -> Facts {
    // what it finds was found before, or is nobody's concern
    Walk::new(bytes)
        .parts(Verdict::new(&Policy::PERMISSIVE))
        .0
        .facts
}

/// A walk over the parts of a descriptor, in wire order.
///
/// It goes on behind the end of the bytes, where everything is 0: the overrun is the first breach then.
#[derive(Clone, Copy)]
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

    /// Wire rules behind the header, part by part.
    #[inline(always)]
    fn whole<J: Judge>(self, judge: J) -> (Self, J) {
        let (walk, mut judge) = self.parts(judge);
        let minor = u8(walk.bytes, offset(Field::VersionMinor));
        let filled = walk.at == walk.bytes.len() || minor > 0 || walk.is_opaque();
        judge.require(filled, Rule::TrailingBytes, Field::Tail, 0);
        (walk, judge)
    }

    #[inline]
    fn is_opaque(&self) -> bool {
        let layout = self.facts.layout;
        !layout.is_assigned() && !layout.is_private()
    }

    /// Walks all parts that can be found.
    #[inline(always)]
    fn parts<J: Judge>(mut self, mut judge: J) -> (Self, J) {
        self.enter(Section::Shape, &mut judge);
        self.enter(Section::ByteOffset, &mut judge);
        if self.is_opaque() {
            // permissive mode only: flags speak of sections that cannot be found
            self.facts.flags = 0;
            return (self, judge);
        }
        let start = self.at;
        match layout_len(self.facts.layout, self.facts.rank.into()) {
            Some(0) => {}
            Some(len) => {
                self.facts.layout_len = len;
                self.reach(len.into(), layout_field(self.facts.layout), 0, &mut judge);
                judge = self.layout_reserved(start, judge);
            }
            None if self.facts.layout == LayoutTag::Tiled => (self, judge) = self.tiles(judge),
            None => (self, judge) = self.private(judge),
        }
        self.buffer_table(&mut judge);
        if self.facts.flags == 0 {
            (self, judge)
        } else {
            self.optional(judge)
        }
    }

    /// DESC-05: the next part lies inside the descriptor.
    #[inline(always)]
    fn enter(&mut self, section: Section, judge: &mut impl Judge) {
        self.reach(self.facts.len(section), section.first_field(), 0, judge);
    }

    #[inline(always)]
    fn reach(&mut self, len: u64, first: Field, element: u32, judge: &mut impl Judge) {
        let left = length(self.bytes.len().wrapping_sub(self.at));
        let inside = len <= left;
        overrun(inside, first, element, judge);
        let len = usize::try_from(len.min(left)).unwrap_or(usize::MAX);
        self.at = self.at.wrapping_add(len);
    }

    /// The parts that flags announce.
    fn optional<J: Judge>(mut self, mut judge: J) -> (Self, J) {
        let flags = self.facts.flags;
        if flags & flag::QUANTIZATION != 0 {
            self.quantization(&mut judge);
        }
        self.enter(Section::Shard, &mut judge);
        let start = self.at;
        self.enter(Section::Statistics, &mut judge);
        if flags & flag::STATISTICS != 0 {
            for field in [Field::StatisticsReserved, Field::StatisticsTail] {
                let zero = self.is_zero(start, field);
                judge.require(zero, Rule::StatisticsReserved, field, 0);
            }
        }
        let start = self.at;
        self.enter(Section::ExtensionType, &mut judge);
        if flags & flag::EXTENSION_TYPE != 0 {
            for field in [Field::ExtensionReserved, Field::ExtensionTail] {
                let zero = self.is_zero(start, field);
                judge.require(zero, Rule::ExtensionReserved, field, 0);
            }
        }
        let start = self.at;
        self.enter(Section::CompositeMember, &mut judge);
        if flags & flag::MEMBER != 0 {
            let zero = self.is_zero(start, Field::MemberReserved);
            judge.require(zero, Rule::MemberReserved, Field::MemberReserved, 0);
        }
        (self, judge)
    }

    fn layout_reserved<J: Judge>(&self, start: usize, mut judge: J) -> J {
        let layout = self.facts.layout;
        let mut sparse = |field| {
            judge.require(self.is_zero(start, field), Rule::SparseReserved, field, 0);
        };
        match layout {
            LayoutTag::Coo => {
                sparse(Field::CooReserved);
                let at = start.wrapping_add(offset(Field::IsSorted));
                let sorted = u8(self.bytes, at) <= 1;
                judge.require(sorted, Rule::CooSorted, Field::IsSorted, 0);
            }
            LayoutTag::Csr | LayoutTag::Csc => sparse(Field::CompressedReserved),
            LayoutTag::Csf => sparse(Field::CsfReserved),
            LayoutTag::BlockPaged => {
                let zero = self.is_zero(start, Field::PagedReserved);
                judge.require(zero, Rule::PagedReserved, Field::PagedReserved, 0);
            }
            LayoutTag::Composite => {
                let zero = self.is_zero(start, Field::HeadReserved);
                judge.require(zero, Rule::HeadReserved, Field::HeadReserved, 0);
            }
            _ => {}
        }
        judge
    }

    fn private<J: Judge>(mut self, mut judge: J) -> (Self, J) {
        let start = self.at;
        let data_len = start.wrapping_add(offset(Field::ExtensionDataLength));
        self.reach(
            length(PRIVATE_LAYOUT),
            Field::ExtensionLayoutId,
            0,
            &mut judge,
        );
        self.reach(
            u32(self.bytes, data_len).into(),
            Field::ExtensionData,
            0,
            &mut judge,
        );
        self.facts.layout_len = length32(self.at.wrapping_sub(start));
        (self, judge)
    }

    fn tiles<J: Judge>(mut self, mut judge: J) -> (Self, J) {
        let rank = u32::from(self.facts.rank);
        let first = self.at;
        for level in 0..=MAX_TILE_LEVELS {
            // behind too many levels no part can be found
            check::layout::tile_level(level, &mut judge);
            let start = self.at;
            let tags = start.wrapping_add(index(rank).wrapping_mul(8));
            let outer = LayoutTag(u8(self.bytes, tags));
            let inner = LayoutTag(u8(self.bytes, tags.wrapping_add(1)));
            let len = tile_level_len(rank, outer, inner);
            self.reach(
                len.into(),
                Field::TileShape,
                level.wrapping_mul(rank),
                &mut judge,
            );
            let zero = self.is_zero(start, Field::TileReserved);
            judge.require(zero, Rule::TileReserved, Field::TileReserved, level);
            if inner != LayoutTag::Tiled {
                break;
            }
        }
        self.facts.layout_len = length32(self.at.wrapping_sub(first));
        (self, judge)
    }

    #[inline(always)]
    fn buffer_table(&mut self, judge: &mut impl Judge) {
        let start = self.at;
        let buffers = u8(self.bytes, start);
        self.reach(1, Field::BufferCount, 0, judge);
        self.reach(
            u64::from(buffers).wrapping_mul(length(HANDLE)),
            Field::ByteSize,
            0,
            judge,
        );
        self.facts.buffers = buffers;
        let mut at = start.wrapping_add(offset(Field::HandleReserved));
        for k in 0..buffers {
            let zero = u8(self.bytes, at) == 0;
            judge.require(zero, Rule::HandleReserved, Field::HandleReserved, k.into());
            at = at.wrapping_add(HANDLE);
        }
    }

    #[inline]
    fn quantization(&mut self, judge: &mut impl Judge) {
        let start = self.at;
        self.reach(4, Field::QuantizationLength, 0, judge);
        let len = u32(self.bytes, start);
        self.facts.quantization_len = len;
        self.reach(len.into(), Field::SchemeTag, 0, judge);
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
    }

    #[inline]
    fn is_zero(&self, start: usize, field: Field) -> bool {
        is_zero(self.bytes, start, self.facts.rank.into(), field)
    }
}

#[inline(always)]
fn overrun(inside: bool, field: Field, element: u32, judge: &mut impl Judge) {
    judge.require(inside, Rule::FieldOverrun, field, element);
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
