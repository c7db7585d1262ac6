//! Layout rules and what a layout needs from its buffers.

use super::Subject;
use super::judge::{Breach, Checked, Judge};
use super::reach::Reach;
use super::size::{Count, elements, near, near_bytes};
use crate::error::Field;
use crate::model::{BlockPaged, CompositeHead, Fields, Layout, Tiled, U32s, U64s};
use crate::policy::agreed;
use crate::rule::Rule;
use crate::wire::descriptor::{DYNAMIC, MAX_TILE_LEVELS, OPEN_COMPOSITE};
use crate::wire::length32;
use crate::wire::tag::{BlockTableIndexType, CombineOp, CompositionRule, KvRole, LayoutTag};

/// Buffers that the layout itself needs; none for private layouts, which decide for themselves.
#[inline(always)]
pub(crate) fn own_buffers<S: Subject>(d: S) -> Option<u32> {
    match d.form() {
        Some(form) => Some(form.buffers(d.rank())),
        None => (d.layout_tag() == LayoutTag::Tiled).then_some(1),
    }
}

/// The rules of the layout payload alone.
#[inline(always)]
pub(crate) fn payload<S: Subject, J: Judge>(d: S, layout: LayoutTag, judge: &mut J) -> Checked {
    match layout {
        LayoutTag::RowMajor | LayoutTag::ColumnMajor => Ok(()),
        LayoutTag::Composite => match d.layout() {
            Layout::Composite(head) => composite_head(head, d.shape(), judge),
            _ => Ok(()),
        },
        _ if layout.is_sparse() => sparse(d, layout, judge),
        LayoutTag::Strided => match d.layout() {
            Layout::Strided { strides } => {
                same_rank(strides.len(), d.rank(), Field::Strides, judge)
            }
            _ => Ok(()),
        },
        _ => other_payload(d, judge),
    }
}

#[inline(always)]
fn sparse<S: Subject, J: Judge>(d: S, layout: LayoutTag, judge: &mut J) -> Checked {
    let shape = d.shape();
    let rank = d.rank();
    if layout == LayoutTag::Csf {
        judge.require(rank >= 3, Rule::CsfRank, Field::Rank, 0)?;
        if let Layout::Csf { mode_order, .. } = d.layout() {
            modes(mode_order, rank, judge)?;
        }
    } else if layout != LayoutTag::Coo {
        judge.require(rank == 2, Rule::CompressedRank, Field::Rank, 0)?;
    }
    let stored = Count::new(d.stored().unwrap_or(0));
    let possible = elements(shape).is_none_or(|elements| stored <= elements);
    judge.require(possible, Rule::SparseCount, Field::Nnz, 0)
}

#[inline(never)]
fn other_payload<S: Subject, J: Judge>(d: S, judge: &mut J) -> Checked {
    let (shape, rank) = (d.shape(), d.rank());
    match d.layout() {
        Layout::Tiled(levels) => tiled(levels, rank, judge),
        Layout::Morton { morton_bits } => morton(morton_bits, shape, rank, judge),
        Layout::Hilbert {
            hilbert_order,
            hilbert_rank,
        } => hilbert(hilbert_order, hilbert_rank, shape, rank, judge),
        Layout::BlockPaged(paged) => block_paged(paged, rank, judge),
        Layout::Private {
            extension_layout_id: id,
            ..
        } => {
            let known = agreed(judge.policy().agreements.layouts, &id);
            judge.require(known, Rule::PrivateLayout, Field::ExtensionLayoutId, 0)
        }
        _ => Ok(()),
    }
}

/// Every array of a descriptor has one number for each dimension.
#[inline(always)]
pub(crate) fn same_rank(len: usize, rank: u32, field: Field, judge: &mut impl Judge) -> Checked {
    judge.require(length32(len) == rank, Rule::ArrayLength, field, 0)
}

/// LAYOUT-12: there may be a level with this number, counted from 0.
#[inline(always)]
pub(crate) fn tile_level(level: u32, judge: &mut impl Judge) -> Checked {
    let enclosing = level.saturating_sub(1);
    judge.require(
        level < MAX_TILE_LEVELS,
        Rule::TileLevels,
        Field::InnerLayout,
        enclosing,
    )
}

#[inline(never)]
fn tiled<J: Judge>(tiled: Tiled<'_>, rank: u32, judge: &mut J) -> Checked {
    let mut level = 0u32;
    let mut around: Option<U64s<'_>> = None;
    let mut open = true;
    let mut levels = tiled.levels();
    for tile in &mut levels {
        tile_level(level, judge)?;
        let (outer, inner) = (tile.outer_layout, tile.inner_layout);
        let explicit = |order| if order == LayoutTag::Strided { rank } else { 0 };
        same_rank(tile.tile_shape.len(), rank, Field::TileShape, judge)?;
        same_rank(
            tile.outer_strides.len(),
            explicit(outer),
            Field::OuterStrides,
            judge,
        )?;
        same_rank(
            tile.inner_strides.len(),
            explicit(inner),
            Field::InnerStrides,
            judge,
        )?;
        for k in 0..rank {
            let size = tile.tile_shape.at(k);
            let place = level.wrapping_mul(rank).wrapping_add(k);
            judge.require(size > 0, Rule::TileShape, Field::TileShape, place)?;
        }
        let mut order = |legal, field| judge.require(legal, Rule::TileOrder, field, level);
        order(matches!(outer.0, 1..=3), Field::OuterLayout)?;
        order(matches!(inner.0, 1..=4), Field::InnerLayout)?;
        let implicit = outer != LayoutTag::Strided;
        if let (Some(around), true) = (around, implicit) {
            for k in 0..rank {
                let divides = divide(around.at(k), tile.tile_shape.at(k)).1 == 0;
                let place = level.wrapping_mul(rank).wrapping_add(k);
                judge.require(divides, Rule::TileDivides, Field::TileShape, place)?;
            }
        }
        around = implicit.then_some(tile.tile_shape);
        level = level.wrapping_add(1);
        open = inner == LayoutTag::Tiled;
        if !open {
            break;
        }
    }
    // only a writer can leave the last level open or go on behind it
    let more = open || levels.next().is_some();
    same_rank(usize::from(more), 0, Field::TileShape, judge)
}

/// Quotient and remainder; nothing of a division by zero.
///
/// Shifts and subtracts: the divisions of 32-bit targets are larger than all of tiling, and as many
/// rounds are needed as the quotient has bits.
pub(crate) fn divide(n: u64, by: u64) -> (u64, u64) {
    let (mut quotient, mut rest) = (0u64, n);
    let mut bit = by.leading_zeros().checked_sub(n.leading_zeros());
    while let (Some(shift), true) = (bit, by > 0) {
        let part = by.wrapping_shl(shift);
        quotient = quotient.wrapping_shl(1);
        if rest >= part {
            rest = rest.wrapping_sub(part);
            quotient |= 1;
        }
        bit = shift.checked_sub(1);
    }
    (quotient, rest)
}

#[inline(never)]
fn morton<J: Judge>(bits: U32s<'_>, shape: U64s<'_>, rank: u32, judge: &mut J) -> Checked {
    same_rank(bits.len(), rank, Field::MortonBits, judge)?;
    for k in 0..rank {
        judge.require(bits.at(k) > 0, Rule::MortonBits, Field::MortonBits, k)?;
    }
    for k in 0..rank {
        let (size, bits) = (shape.at(k), bits.at(k));
        // the largest coordinate, as far as its bits go
        let beyond = if bits < 64 {
            size.wrapping_sub(1).wrapping_shr(bits)
        } else {
            0
        };
        let fits = beyond == 0 || size == 0 || size == DYNAMIC;
        judge.require(fits, Rule::MortonShape, Field::Shape, k)?;
    }
    Ok(())
}

#[inline(never)]
fn hilbert<J: Judge>(order: u32, curve: u32, shape: U64s<'_>, rank: u32, judge: &mut J) -> Checked {
    let mut holds = |holds, field, k| judge.require(holds, Rule::HilbertShape, field, k);
    holds(order > 0, Field::HilbertOrder, 0)?;
    holds(curve >= 2 && curve == rank, Field::HilbertRank, 0)?;
    let side = if order < 64 {
        1u64.wrapping_shl(order)
    } else {
        0
    };
    for k in 0..rank {
        holds(side > 0 && shape.at(k) == side, Field::Shape, k)?;
    }
    Ok(())
}

/// LAYOUT-34, of what permissive mode let pass: whether an order names each of its dimensions once.
pub(crate) fn is_permutation(order: U32s<'_>, rank: u32) -> bool {
    let modes = order.iter().filter(|mode| *mode < rank);
    let seen = modes.fold(0u64, |seen, mode| seen | 1u64.wrapping_shl(mode));
    length32(order.len()) == rank && seen.count_ones() == rank
}

#[inline(always)]
fn modes<J: Judge>(order: U32s<'_>, rank: u32, judge: &mut J) -> Checked {
    same_rank(order.len(), rank, Field::ModeOrder, judge)?;
    let mut seen = 0u64;
    for (mode, k) in order.iter().zip(0..) {
        let bit = 1u64.wrapping_shl(mode);
        let new = mode < rank && seen & bit == 0;
        judge.require(new, Rule::CsfModes, Field::ModeOrder, k)?;
        seen |= bit;
    }
    Ok(())
}

#[inline(never)]
fn block_paged<J: Judge>(paged: BlockPaged, rank: u32, judge: &mut J) -> Checked {
    judge.require(rank == 3, Rule::PagedRank, Field::Rank, 0)?;
    judge.require(paged.page_size > 0, Rule::PageSize, Field::PageSize, 0)?;
    judge.require(paged.paged_axis == 0, Rule::PagedAxis, Field::PagedAxis, 0)?;
    let mut tag = |known, field| judge.require(known, Rule::PagedTags, field, 0);
    let width = paged.block_table_index_type;
    tag(paged.kv_role.0 <= KvRole::Fused.0, Field::KvRole)?;
    tag(
        width.0 <= BlockTableIndexType::U64.0,
        Field::BlockTableIndexType,
    )?;
    let addressable = width == BlockTableIndexType::U64 || paged.num_pages <= u64::from(u32::MAX);
    judge.require(addressable, Rule::PagedIndexWidth, Field::NumPages, 0)?;
    Ok(())
}

#[inline(never)]
pub(super) fn composite_head<J: Judge>(
    head: CompositeHead,
    shape: U64s<'_>,
    judge: &mut J,
) -> Checked {
    let (rule, op, count) = (head.composition_rule, head.combine_op, head.member_count);
    let known = rule.is_assigned() || rule.is_private();
    judge.require(known, Rule::CompositionRule, Field::CompositionRule, 0)?;
    let rules = judge.policy().agreements.composition_rules;
    let registered = !rule.is_private() || agreed(rules, &rule.0);
    judge.require(registered, Rule::PrivateRule, Field::CompositionRule, 0)?;
    let overlay = rule == CompositionRule::Overlay;
    let partition = rule == CompositionRule::Partition;
    let none = op == CombineOp::None;
    let single = partition || rule == CompositionRule::Group;
    judge.require(!single || none, Rule::CombineNone, Field::CombineOp, 0)?;
    let combines = op.is_assigned() && !none;
    judge.require(
        !overlay || combines,
        Rule::CombineOverlay,
        Field::CombineOp,
        0,
    )?;
    judge.require(
        count != OPEN_COMPOSITE,
        Rule::OpenComposite,
        Field::MemberCount,
        0,
    )?;
    judge.require(
        !overlay || count > 0,
        Rule::OverlayEmpty,
        Field::MemberCount,
        0,
    )?;
    let mut empty = false;
    for (size, k) in shape.iter().zip(0..) {
        let fixed = size != DYNAMIC || !(overlay || partition);
        judge.require(fixed, Rule::HeadDynamic, Field::Shape, k)?;
        empty |= size == 0;
    }
    let coverable = !partition || count > 0 || empty;
    judge.require(coverable, Rule::PartitionEmpty, Field::MemberCount, 0)?;
    Ok(())
}

/// The sizes that the layout needs its buffers to have.
///
/// `bits` is the element width; 0 where it is unknown, and then nothing that depends on it is checked.
#[inline(always)]
pub(crate) fn sizes<S: Subject, J: Judge>(
    d: S,
    layout: LayoutTag,
    bits: u32,
    judge: &mut J,
) -> Checked {
    // byte_offset <= byte_size was checked as BUF-17
    let free = d.byte_size(0).saturating_sub(d.byte_offset());
    let near = match layout {
        LayoutTag::Composite => return Ok(()),
        _ if layout.is_sparse() => return sparse_sizes(d, layout, bits),
        LayoutTag::RowMajor | LayoutTag::ColumnMajor => near(d.shape()),
        LayoutTag::Strided => match d.layout() {
            Layout::Strided { strides } => Reach::near(strides, d.shape()),
            _ => None,
        },
        _ => None,
    };
    // the commonest: forwards only, and nothing that needs more than 64 bits
    let bytes = near.and_then(|elements| near_bytes(elements, bits));
    if bytes.is_some_and(|bytes| bytes <= free) {
        return Ok(());
    }
    other_sizes(d, bits, judge)
}

/// A size rule; a size that does not fit 64 bits fits no buffer.
#[inline(always)]
fn holds<S: Subject>(d: S, k: u32, needed: Option<u64>, rule: Rule) -> Checked {
    match needed {
        Some(needed) if needed <= d.byte_size(k) => Ok(()),
        _ => Err(Breach::new(rule, Field::ByteSize, k)),
    }
}

#[inline(always)]
fn sparse_sizes<S: Subject>(d: S, layout: LayoutTag, bits: u32) -> Checked {
    let rule = match layout {
        LayoutTag::Coo => Rule::CooSize,
        LayoutTag::Csf => Rule::CsfSize,
        _ => Rule::CompressedSize,
    };
    let shape = d.shape();
    let rank = length32(shape.len());
    let stored = d.stored().unwrap_or(0);
    holds(d, 0, near_bytes(stored, bits), rule)?;
    let indices = stored.checked_mul(8);
    match layout {
        LayoutTag::Coo => {
            let coordinates = indices.and_then(|bytes| bytes.checked_mul(rank.into()));
            holds(d, 1, coordinates, rule)
        }
        LayoutTag::Csf => {
            holds(d, 1, Some(16), rule)?;
            // the pointers of a level are one more than its fibres; there may be no indices
            for level in 1..rank {
                let pointers = level.wrapping_mul(2).wrapping_add(1);
                holds(d, pointers, Some(8), rule)?;
            }
            holds(d, rank.wrapping_mul(2), indices, rule)
        }
        _ => {
            holds(d, 1, indices, rule)?;
            let axis = u32::from(layout == LayoutTag::Csc);
            match d.shape().at(axis) {
                DYNAMIC => Ok(()),
                size => holds(d, 2, pointers(size, 8), rule),
            }
        }
    }
}

/// Bytes of one pointer more than rows, columns or sequences.
#[inline(always)]
fn pointers(n: u64, width: u64) -> Option<u64> {
    n.checked_add(1)?.checked_mul(width)
}

/// Elements of all pages; none while a dimension that matters is dynamic.
pub(crate) fn pool(paged: &BlockPaged, shape: U64s<'_>) -> Option<Count> {
    let slots = Count::new(paged.num_pages).times(paged.page_size.into());
    let (heads, depth) = (shape.at(1), shape.at(2));
    (heads != DYNAMIC && depth != DYNAMIC).then(|| slots.times(heads).times(depth))
}

/// Bytes of a page number or sequence pointer.
pub(crate) fn page_number(paged: &BlockPaged) -> u64 {
    let wide = paged.block_table_index_type == BlockTableIndexType::U64;
    if wide { 8 } else { 4 }
}

#[inline(never)]
fn other_sizes<S: Subject, J: Judge>(d: S, bits: u32, judge: &mut J) -> Checked {
    match d.layout() {
        Layout::Private { .. } | Layout::Unknown(_) => Ok(()),
        Layout::BlockPaged(paged) => {
            let rule = Rule::PagedSize;
            if let Some(elements) = pool(&paged, d.shape()) {
                holds(d, 0, elements.bytes(bits).fits(), rule)?;
            }
            let width = page_number(&paged);
            holds(d, 2, pointers(paged.num_seqs.into(), width), rule)
        }
        _ if bits == 0 => Ok(()),
        layout => dense(d, &layout, bits, judge),
    }
}

/// How far a dense layout reaches, and the rule that buffer 0 holds that; none where there is no element or the shape
/// is dynamic.
#[inline(always)]
pub(crate) fn reach(layout: &Layout<'_>, shape: U64s<'_>) -> (Rule, Option<Reach>) {
    match layout {
        Layout::Strided { strides } => (Rule::StridedReach, Reach::strided(*strides, shape)),
        Layout::Tiled(levels) => Reach::tiled(*levels, shape),
        Layout::Morton { morton_bits } => (Rule::MortonSize, Reach::morton(*morton_bits, shape)),
        Layout::Hilbert { .. } => (Rule::HilbertSize, Reach::contiguous(shape)),
        _ => (Rule::DenseSize, Reach::contiguous(shape)),
    }
}

/// Bytes of buffer 0 up to the end of the last element of a dense layout.
pub(crate) fn dense_bytes<F: Fields + ?Sized>(d: &F) -> Option<u64> {
    let (layout, shape) = (d.layout(), d.shape());
    let tag = layout.tag();
    let elsewhere = tag.is_sparse() || matches!(tag, LayoutTag::BlockPaged | LayoutTag::Composite);
    if elsewhere || !tag.is_assigned() {
        return None;
    }
    let elements = elements(shape)?;
    let (_, reach) = reach(&layout, shape);
    let own = d.element_type().bits();
    let bits = d.extension_type().map_or(own, |private| private.bit_width);
    match reach.filter(|_| elements != Count::ZERO) {
        Some(reach) => {
            let back = reach.count.bytes(bits).fits()?;
            back.checked_add(d.byte_offset())
        }
        None => Some(d.byte_offset()),
    }
}

/// LAYOUT-05 and its siblings: all elements of a dense tensor lie in buffer 0.
fn dense<S: Subject, J: Judge>(d: S, layout: &Layout<'_>, bits: u32, judge: &mut J) -> Checked {
    let (rule, reach) = reach(layout, d.shape());
    let Some(reach) = reach else {
        return Ok(());
    };
    let free = d.byte_size(0).saturating_sub(d.byte_offset());
    let (front, back) = (reach.below.bytes(bits), reach.count.bytes(bits));
    if front.within(d.byte_offset()) && back.within(free) {
        return Ok(());
    }
    let exists = back.within(u64::MAX) && front.within(u64::MAX);
    judge.require(exists, Rule::SizeOverflow, Field::Shape, 0)?;
    Err(Breach::new(rule, Field::ByteSize, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_without_an_instruction() {
        for n in [0, 1, 2, 7, 8, 1000, u64::MAX - 1, u64::MAX] {
            for by in [1, 2, 3, 7, 8, 1001, 1 << 63, u64::MAX] {
                assert_eq!(divide(n, by), (n / by, n % by), "{n} / {by}");
            }
        }
        assert_eq!(divide(5, 0), (0, 5));
    }
}
