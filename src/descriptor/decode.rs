//! The one decoder: header, then the lengths of all parts, then the model rules.
//!
//! Wire rules come in byte order and before model rules. Every length is a function of facts already
//! read; nothing is read past `descriptor_length`.

use super::cut::parts;
use super::parts;
use super::view::DescriptorView;
use crate::check::{self, Checked, Header, Judge};
use crate::error::{Error, ErrorKind, Field, Resource, Violation};
use crate::model::Array;
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::descriptor::{
    Facts, HEADER, LENGTH_KNOWN, MAGIC, VERSION_MAJOR, flag, locate, offset,
};
use crate::wire::form::form;
use crate::wire::handle::RawHandle;
use crate::wire::tag::{ElementType, LayoutTag};
use crate::wire::{index, length, record, u8, u32};

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

/// Reads one descriptor from the front of `bytes`, which are at an absolute offset, and returns what
/// follows it.
#[inline]
pub(crate) fn parse_at<'a>(
    bytes: &'a [u8],
    origin: u64,
    policy: &Policy,
) -> Result<(DescriptorView<'a>, &'a [u8]), Error> {
    if let Some(wrong) = wrong_magic(bytes) {
        return Err(magic_error(origin, wrong));
    }
    let stated = stated_length(bytes);
    // a length below the header's is refused by looking at the header
    let whole = index(stated).max(HEADER);
    let available = policy.max_descriptor.into();
    match bytes.split_at_checked(whole) {
        Some((descriptor, rest)) if u64::from(stated) <= available => {
            let mut facts = Facts::NONE;
            match decode(descriptor, &mut { policy }, &mut facts) {
                Ok(()) => Ok((DescriptorView::new(descriptor, facts, origin), rest)),
                Err(breach) => Err(place(descriptor, facts, origin, breach.into())),
            }
        }
        _ => Err(incomplete(bytes, origin, policy)),
    }
}

/// Why bytes that are no whole descriptor, or a too long one, are refused.
#[cold]
fn incomplete(bytes: &[u8], origin: u64, policy: &Policy) -> Error {
    if bytes.len() >= LENGTH_KNOWN
        && let Some(error) = too_long(bytes, origin, policy.max_descriptor.into())
    {
        return error;
    }
    // a header that can never be right is refused before the rest is missed
    if bytes.len() >= HEADER
        && let Err(breach) = header(bytes, &mut { policy })
    {
        return place(bytes, Facts::NONE, origin, breach.into());
    }
    let kind = ErrorKind::Truncated {
        rule: Rule::Incomplete,
        missing: missing(bytes),
    };
    Error::new(kind, origin.wrapping_add(length(bytes.len())))
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
pub(crate) fn place(bytes: &[u8], facts: Facts, origin: u64, violation: Violation) -> Error {
    let start = locate(bytes, &facts, violation.field, violation.index).start;
    Error::new(violation.into(), origin.wrapping_add(start.into()))
}

/// Decodes exactly one descriptor: `bytes` is `descriptor_length` long and starts with the magic.
///
/// Where it fails, `facts` are those behind which the breach lies.
#[inline]
pub(crate) fn decode<J: Judge>(bytes: &[u8], judge: &mut J, facts: &mut Facts) -> Checked {
    // rank-sized work is bounded only behind the header's rules
    header(bytes, judge)?;
    behind_header(bytes, judge, facts)
}

/// Decodes the descriptor of a header that was judged.
#[inline]
pub(crate) fn behind_header<J: Judge>(bytes: &[u8], judge: &mut J, facts: &mut Facts) -> Checked {
    *facts = announced(bytes);
    if glance(bytes, facts).is_some() {
        return Ok(());
    }
    let (parts, tail) = parts(bytes, facts, judge)?;
    let minor = u8(bytes, offset(Field::VersionMinor));
    let filled = tail.is_empty() || minor > 0;
    judge.require(filled, Rule::TrailingBytes, Field::Tail, 0)?;
    check::body(parts, judge)
}

/// Sees at a glance that a descriptor is right: one of the commonest kinds, without optional sections.
///
/// Every place follows from the rank then. It decides nothing else: what it does not accept goes the
/// long way, where the rules are.
#[inline(always)]
fn glance(bytes: &[u8], facts: &mut Facts) -> Option<()> {
    if facts.flags() != 0 {
        return None;
    }
    let behind = bytes.get(HEADER..)?;
    let (shape, behind) = behind.split_at_checked(usize::from(facts.rank()).wrapping_mul(8))?;
    let shape = Array::Le(shape);
    let (byte_offset, behind) = behind.split_first_chunk()?;
    let byte_offset = u64::from_le_bytes(*byte_offset);
    let element_type = facts.element_type();
    match facts.layout() {
        LayoutTag::RowMajor | LayoutTag::ColumnMajor => {
            // one handle, to the last byte
            let (buffers, handle) = behind.split_first()?;
            let handle = RawHandle::read(handle.try_into().ok()?);
            let plain = check::is_plain(element_type, shape, byte_offset, handle);
            (*buffers == 1 && plain).then(|| facts.set_buffers(1))
        }
        LayoutTag::Composite => {
            let (form, rank) = (form(LayoutTag::Composite)?, facts.rank().into());
            let len = form.len(rank);
            let (payload, [0]) = behind.split_at_checked(index(len))? else {
                return None;
            };
            let head = parts::head(payload);
            let plain = check::is_plain_head(element_type, shape, byte_offset, head);
            (plain && form.is_clear(rank, payload)).then(|| facts.set_layout_len(len))
        }
        _ => None,
    }
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
    let byte = |field| u8(header, offset(field));
    let rank = u32(header, offset(Field::Rank));
    let rank = u8::try_from(rank).unwrap_or(u8::MAX);
    let element_type = ElementType(byte(Field::TypeTag));
    let layout = LayoutTag(byte(Field::LayoutTag));
    // permissive mode only: flags speak of sections that cannot be found
    let flags = match layout.is_assigned() || layout.is_private() {
        true => byte(Field::Flags) & flag::DEFINED,
        false => 0,
    };
    Facts::new(rank, flags, element_type, layout)
}
