//! Cutting a descriptor into its parts: the wire rules behind the header, in byte order.

use super::parts::Parts;
use crate::check::{self, Breach, Checked, Judge};
use crate::error::Field;
use crate::rule::Rule;
use crate::wire::descriptor::{
    Facts, HANDLE, HEADER, MAX_TILE_LEVELS, PRIVATE_LAYOUT, SCHEME_HEADER, SCHEME_VERSION, flag,
    is_zero, is_zero_at, offset, scheme_len, scheme_shift, tile_level_len,
};
use crate::wire::form::form;
use crate::wire::handle::RawHandle;
use crate::wire::tag::{LayoutTag, Scheme};
use crate::wire::{index, length32, u8, u32};
#[cfg(feature = "alloc")]
use crate::{error::Violation, model::Quantization, policy::Policy};

/// What of a descriptor has not been cut off yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    /// DESC-05: the next part lies inside the descriptor.
    #[inline(always)]
    fn part(&mut self, len: usize, first: Field, element: u32) -> Result<&'a [u8], Breach> {
        let Some((part, rest)) = self.0.split_at_checked(len) else {
            return overrun(first, element);
        };
        self.0 = rest;
        Ok(part)
    }

    /// The same for a part of a length that is known to the compiler.
    #[inline(always)]
    fn record<const N: usize>(&mut self, first: Field) -> Result<&'a [u8; N], Breach> {
        let Some((record, rest)) = self.0.split_first_chunk() else {
            return overrun(first, 0);
        };
        self.0 = rest;
        Ok(record)
    }
}

#[inline(always)]
fn overrun<T>(first: Field, element: u32) -> Result<T, Breach> {
    Err(Breach::new(Rule::FieldOverrun, first, element))
}

/// Cuts all parts that can be found, in wire order, and returns them with what is left behind them.
///
/// `facts` hold what the header says of the parts and take in the rest of it, as far as the walk comes.
#[inline(always)]
pub(super) fn parts<'a, J: Judge>(
    bytes: &'a [u8],
    facts: &mut Facts,
    judge: &mut J,
) -> Result<(Parts<'a>, &'a [u8]), Breach> {
    let rank = u32::from(facts.rank());
    let mut rest = Rest(bytes.get(HEADER..).unwrap_or(&[]));
    let shape = rest.part(index(rank).wrapping_mul(8), Field::Shape, 0)?;
    let byte_offset = rest.record(Field::ByteOffset)?;
    let mut parts = Parts {
        element_type: facts.element_type(),
        layout_tag: facts.layout(),
        form: form(facts.layout()),
        rank,
        shape,
        byte_offset: u64::from_le_bytes(*byte_offset),
        payload: &[],
        handles: &[],
        is_hosted: true,
        quantization: &[],
        shard: None,
        statistics: None,
        extension_type: None,
        member: None,
    };
    if facts.is_opaque() {
        return Ok((parts, &[]));
    }
    let layout = facts.layout();
    let len = match parts.form {
        Some(form) => form.len(rank),
        None => variable(rest.0, layout, rank, judge)?,
    };
    facts.set_layout_len(len);
    let first = parts.form.map_or(Field::TileShape, |form| form.first);
    parts.payload = rest.part(index(len), first, 0)?;
    if layout == LayoutTag::Coo {
        let sorted = u8(parts.payload, offset(Field::IsSorted)) <= 1;
        judge.require(sorted, Rule::CooSorted, Field::IsSorted, 0)?;
    }
    if let Some(form) = parts.form
        && let Some(field) = form.reserved
        && !form.is_clear(rank, parts.payload)
    {
        layout_reserved(layout, field, judge)?;
    }
    let [buffers] = *rest.record(Field::BufferCount)?;
    let table = rest.part(
        usize::from(buffers).wrapping_mul(HANDLE),
        Field::ByteSize,
        0,
    )?;
    facts.set_buffers(buffers);
    parts.handles = table.as_chunks().0;
    parts.is_hosted = check::are_hosted(parts.handles.iter().map(RawHandle::read));
    if !parts.is_hosted {
        handle_reserved(parts.handles, judge)?;
    }
    if facts.flags() == 0 {
        return Ok((parts, rest.0));
    }
    if facts.flags() & flag::QUANTIZATION != 0 {
        let with_length = rest.0;
        let prefix = rest.record(Field::QuantizationLength)?;
        let len = u32::from_le_bytes(*prefix);
        facts.set_quantization_len(len);
        rest.part(index(len), Field::SchemeTag, 0)?;
        // both are there
        let whole = index(len).wrapping_add(prefix.len());
        parts.quantization = with_length.get(..whole).unwrap_or(&[]);
        quantization(parts.quantization, len, judge)?;
    }
    if facts.flags() & flag::SHARD != 0 {
        let len = index(rank).wrapping_mul(16);
        parts.shard = Some(rest.part(len, Field::ParentShape, 0)?);
    }
    if facts.flags() & flag::STATISTICS != 0 {
        let section = rest.record(Field::ComputedMask)?;
        let rule = Rule::StatisticsReserved;
        reserved(section, Field::StatisticsReserved, rule, judge)?;
        reserved(section, Field::StatisticsTail, rule, judge)?;
        parts.statistics = Some(section);
    }
    if facts.flags() & flag::EXTENSION_TYPE != 0 {
        let section = rest.record(Field::BitWidth)?;
        let rule = Rule::ExtensionReserved;
        reserved(section, Field::ExtensionReserved, rule, judge)?;
        reserved(section, Field::ExtensionTail, rule, judge)?;
        parts.extension_type = Some(section);
    }
    if facts.flags() & flag::MEMBER != 0 {
        let section = rest.record(Field::MemberRole)?;
        reserved(section, Field::MemberReserved, Rule::MemberReserved, judge)?;
        parts.member = Some(section);
    }
    Ok((parts, rest.0))
}

/// A reserved field of a section is zero.
#[inline(always)]
fn reserved<J: Judge>(section: &[u8], field: Field, rule: Rule, judge: &mut J) -> Checked {
    judge.require(is_zero(section, 0, field), rule, field, 0)
}

/// Tells of reserved bytes in a layout payload that are not zero.
#[cold]
fn layout_reserved<J: Judge>(layout: LayoutTag, field: Field, judge: &mut J) -> Checked {
    // each rule by itself: the mode of a rule that only the running program knows is a table in flash
    match layout {
        LayoutTag::BlockPaged => judge.broken(Rule::PagedReserved, field, 0),
        LayoutTag::Composite => judge.broken(Rule::HeadReserved, field, 0),
        _ => judge.broken(Rule::SparseReserved, field, 0),
    }
}

/// Reserved bytes of handles; those that are hosted have none that is set.
#[inline(never)]
fn handle_reserved<J: Judge>(handles: &[[u8; HANDLE]], judge: &mut J) -> Checked {
    for (handle, k) in handles.iter().zip(0..) {
        let [.., reserved] = *handle;
        let zero = reserved == 0;
        judge.require(zero, Rule::HandleReserved, Field::HandleReserved, k)?;
    }
    Ok(())
}

/// Bytes of a layout payload whose length is on the wire: tiles, or a private one.
#[inline(never)]
fn variable<J: Judge>(
    all: &[u8],
    layout: LayoutTag,
    rank: u32,
    judge: &mut J,
) -> Result<u32, Breach> {
    let mut rest = Rest(all);
    if layout == LayoutTag::Tiled {
        tiles(&mut rest, rank, judge)?;
    } else {
        let fixed: &[u8; PRIVATE_LAYOUT] = rest.record(Field::ExtensionLayoutId)?;
        let len = u32(fixed, offset(Field::ExtensionDataLength));
        rest.part(index(len), Field::ExtensionData, 0)?;
    }
    Ok(length32(all.len().wrapping_sub(rest.0.len())))
}

fn tiles<J: Judge>(rest: &mut Rest<'_>, rank: u32, judge: &mut J) -> Checked {
    for level in 0..=MAX_TILE_LEVELS {
        // behind too many levels no part can be found
        check::layout::tile_level(level, judge)?;
        let tags = index(rank).wrapping_mul(8);
        let outer = LayoutTag(u8(rest.0, tags));
        let inner = LayoutTag(u8(rest.0, tags.wrapping_add(1)));
        let len = tile_level_len(rank, outer, inner);
        let first = level.wrapping_mul(rank);
        let tile = rest.part(index(len), Field::TileShape, first)?;
        let zero = is_zero(tile, rank, Field::TileReserved);
        judge.require(zero, Rule::TileReserved, Field::TileReserved, level)?;
        if inner != LayoutTag::Tiled {
            break;
        }
    }
    Ok(())
}

/// The scheme of a quantization section on its own, its length in front.
#[cfg(feature = "alloc")]
pub(crate) fn scheme<'a>(
    section: &'a [u8],
    mut policy: &Policy,
) -> Result<Quantization<'a>, Violation> {
    let len = section.len().saturating_sub(offset(Field::SchemeTag));
    quantization(section, length32(len), &mut policy)?;
    let scheme = super::parts::quantization(section);
    // what is no section was refused
    Ok(scheme.unwrap_or(Quantization::Other {
        scheme: Scheme(0),
        bytes: &[],
    }))
}

/// A whole quantization section; `len` is what it says of the bytes behind its length.
#[inline]
fn quantization<J: Judge>(section: &[u8], len: u32, judge: &mut J) -> Checked {
    let prefix = Field::QuantizationLength;
    let scheme = Scheme(u8(section, offset(Field::SchemeTag)));
    judge.require(len >= SCHEME_HEADER, Rule::QuantizationLength, prefix, 0)?;
    judge.require(len >= scheme_len(scheme), Rule::SchemeLength, prefix, 0)?;
    let version = u8(section, offset(Field::SchemeVersion));
    let current = !scheme.is_assigned() || version == SCHEME_VERSION;
    judge.require(current, Rule::SchemeVersion, Field::SchemeVersion, 0)?;
    let field = Field::ScaleTypeReserved;
    match scheme {
        Scheme::PerTensorAffine => {
            let field = Field::PerTensorReserved;
            reserved(section, field, Rule::PerTensorReserved, judge)
        }
        Scheme::PerChannelAffine => {
            let at = offset(field).wrapping_sub(index(scheme_shift(scheme)));
            let zero = is_zero_at(section, at, field);
            check::quantization::per_channel_scale(zero, field, judge)
        }
        Scheme::PerBlockAffine => reserved(section, field, Rule::PerBlockReserved, judge),
        _ => Ok(()),
    }
}
