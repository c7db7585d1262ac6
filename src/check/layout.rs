//! Layout rules and what a layout needs from its buffers.

use super::Subject;
use super::size::{Count, elements};
use crate::error::{Field, Violation};
use crate::model::{Array, BlockPaged, CompositeHead, Fields, I64s, Layout, Tiled, U32s, U64s};
use crate::policy::Judge;
use crate::rule::Rule;
use crate::wire::descriptor::{DYNAMIC, MAX_TILE_LEVELS, OPEN_COMPOSITE};
use crate::wire::tag::{BlockTableIndexType, CombineOp, CompositionRule, KvRole, LayoutTag};
use crate::wire::{Number, index, length, length32};

type Checked = Result<(), Violation>;

/// Buffers that the layout itself needs; none for private layouts, which decide for themselves.
#[inline]
pub(crate) fn base_buffers(layout: &Layout<'_>, rank: u32) -> Option<u32> {
    Some(match layout {
        Layout::Coo { .. } => 2,
        Layout::Csr { .. } | Layout::Csc { .. } | Layout::BlockPaged(_) => 3,
        Layout::Csf { .. } => rank.wrapping_mul(2).wrapping_add(1),
        Layout::Composite(_) => 0,
        Layout::Private { .. } | Layout::Unknown(_) => return None,
        _ => 1,
    })
}

/// The rules of the layout payload alone.
#[inline]
pub(crate) fn payload<F: Fields + ?Sized>(
    d: &Subject<'_, F>,
    layout: &Layout<'_>,
    judge: &mut Judge<'_>,
) -> Checked {
    match layout {
        Layout::RowMajor | Layout::ColumnMajor | Layout::Unknown(_) => Ok(()),
        Layout::Strided { strides } => same_rank(strides, d.rank, Field::Strides, judge),
        Layout::Tiled(levels) => tiled(levels, d.rank, judge),
        Layout::Morton { morton_bits } => morton(morton_bits, d.shape, judge),
        Layout::Hilbert {
            hilbert_order,
            hilbert_rank,
        } => hilbert(*hilbert_order, *hilbert_rank, d, judge),
        Layout::Coo { nnz, .. } => sparse_count(*nnz, d.shape, judge),
        Layout::Csr { nnz } | Layout::Csc { nnz } => {
            judge.require(d.rank == 2, Rule::CompressedRank, Field::Rank, 0)?;
            sparse_count(*nnz, d.shape, judge)
        }
        Layout::Csf { nnz, mode_order } => {
            judge.require(d.rank >= 3, Rule::CsfRank, Field::Rank, 0)?;
            sparse_count(*nnz, d.shape, judge)?;
            modes(mode_order, d.rank, judge)
        }
        Layout::BlockPaged(paged) => block_paged(paged, d.rank, judge),
        Layout::Composite(head) => composite_head(head, d.shape, judge),
        Layout::Private {
            extension_layout_id,
            ..
        } => {
            let known = judge
                .policy
                .agreements
                .layouts
                .contains(extension_layout_id);
            judge.require(known, Rule::PrivateLayout, Field::ExtensionLayoutId, 0)
        }
    }
}

/// Every array of a descriptor has one number for each dimension.
pub(crate) fn same_rank<T: Number>(
    array: &Array<'_, T>,
    rank: u32,
    field: Field,
    judge: &mut Judge<'_>,
) -> Checked {
    array_length(length32(array.len()) == rank, field, judge)
}

fn array_length(holds: bool, field: Field, judge: &mut Judge<'_>) -> Checked {
    judge.require(holds, Rule::ArrayLength, field, 0)
}

/// LAYOUT-12: there may be a level with this number, counted from 0.
pub(crate) fn tile_level(level: u32, judge: &mut Judge<'_>) -> Checked {
    let enclosing = level.saturating_sub(1);
    judge.require(
        level < MAX_TILE_LEVELS,
        Rule::TileLevels,
        Field::InnerLayout,
        enclosing,
    )
}

fn tiled(tiled: &Tiled<'_>, rank: u32, judge: &mut Judge<'_>) -> Checked {
    let mut level = 0u32;
    let mut enclosing: Option<U64s<'_>> = None;
    let mut open = true;
    for tile in tiled.levels() {
        tile_level(level, judge)?;
        let first = level.wrapping_mul(rank);
        same_rank(&tile.tile_shape, rank, Field::TileShape, judge)?;
        for (k, size) in (first..).zip(tile.tile_shape) {
            judge.require(size > 0, Rule::TileShape, Field::TileShape, k)?;
        }
        let mut order = |legal, field| judge.require(legal, Rule::TileOrder, field, level);
        order(matches!(tile.outer_layout.0, 1..=3), Field::OuterLayout)?;
        order(matches!(tile.inner_layout.0, 1..=4), Field::InnerLayout)?;
        for (order, strides, field) in [
            (tile.outer_layout, tile.outer_strides, Field::OuterStrides),
            (tile.inner_layout, tile.inner_strides, Field::InnerStrides),
        ] {
            let rank = if order == LayoutTag::Strided { rank } else { 0 };
            same_rank(&strides, rank, field, judge)?;
        }
        if let (Some(enclosing), true) = (enclosing, tile.outer_layout != LayoutTag::Strided) {
            for (k, (inner, outer)) in (first..).zip(tile.tile_shape.iter().zip(enclosing)) {
                let divides = outer.checked_rem(inner) == Some(0);
                judge.require(divides, Rule::TileDivides, Field::TileShape, k)?;
            }
        }
        enclosing = (tile.outer_layout != LayoutTag::Strided).then_some(tile.tile_shape);
        open = tile.inner_layout == LayoutTag::Tiled;
        level = level.wrapping_add(1);
        if !open {
            break;
        }
    }
    // only a writer can leave the last level open
    array_length(!open, Field::TileShape, judge)
}

fn morton(bits: &U32s<'_>, shape: U64s<'_>, judge: &mut Judge<'_>) -> Checked {
    same_rank(bits, length32(shape.len()), Field::MortonBits, judge)?;
    for (k, bits) in (0..).zip(bits.iter()) {
        judge.require(bits > 0, Rule::MortonBits, Field::MortonBits, k)?;
    }
    for (k, (bits, size)) in (0..).zip(bits.iter().zip(shape)) {
        let fits = size == DYNAMIC || bits >= 64 || size <= 1u64.wrapping_shl(bits);
        judge.require(fits, Rule::MortonShape, Field::Shape, k)?;
    }
    Ok(())
}

fn hilbert<F: Fields + ?Sized>(
    order: u32,
    rank: u32,
    d: &Subject<'_, F>,
    judge: &mut Judge<'_>,
) -> Checked {
    let mut broken = |field, k| judge.broken(Rule::HilbertShape, field, k);
    if order == 0 {
        broken(Field::HilbertOrder, 0)?;
    }
    if rank < 2 || rank != d.rank {
        broken(Field::HilbertRank, 0)?;
    }
    let side = if order < 64 {
        1u64.wrapping_shl(order)
    } else {
        0
    };
    for (k, size) in (0..).zip(d.shape) {
        if size != side || side == 0 {
            broken(Field::Shape, k)?;
        }
    }
    Ok(())
}

fn sparse_count(nnz: u64, shape: U64s<'_>, judge: &mut Judge<'_>) -> Checked {
    let possible = match elements(shape).map(Count::fits) {
        Some(Some(elements)) => nnz <= elements,
        _ => true,
    };
    judge.require(possible, Rule::SparseCount, Field::Nnz, 0)
}

fn modes(order: &U32s<'_>, rank: u32, judge: &mut Judge<'_>) -> Checked {
    same_rank(order, rank, Field::ModeOrder, judge)?;
    let mut seen = 0u64;
    for (k, mode) in (0..).zip(order.iter()) {
        let bit = 1u64.wrapping_shl(mode);
        let new = mode < rank && seen & bit == 0;
        judge.require(new, Rule::CsfModes, Field::ModeOrder, k)?;
        seen |= bit;
    }
    Ok(())
}

fn block_paged(paged: &BlockPaged, rank: u32, judge: &mut Judge<'_>) -> Checked {
    judge.require(rank == 3, Rule::PagedRank, Field::Rank, 0)?;
    judge.require(paged.page_size > 0, Rule::PageSize, Field::PageSize, 0)?;
    judge.require(paged.paged_axis == 0, Rule::PagedAxis, Field::PagedAxis, 0)?;
    let mut broken = |field| judge.broken(Rule::PagedTags, field, 0);
    if paged.kv_role.0 > KvRole::Fused.0 {
        broken(Field::KvRole)?;
    }
    if paged.block_table_index_type.0 > BlockTableIndexType::U64.0 {
        broken(Field::BlockTableIndexType)?;
    }
    let wide = paged.block_table_index_type == BlockTableIndexType::U64;
    let addressable = wide || paged.num_pages <= u64::from(u32::MAX);
    judge.require(addressable, Rule::PagedIndexWidth, Field::NumPages, 0)
}

fn composite_head(head: &CompositeHead, shape: U64s<'_>, judge: &mut Judge<'_>) -> Checked {
    let rule = head.composition_rule;
    let known = rule.is_assigned() || rule.is_private();
    judge.require(known, Rule::CompositionRule, Field::CompositionRule, 0)?;
    let registered =
        !rule.is_private() || judge.policy.agreements.composition_rules.contains(&rule.0);
    judge.require(registered, Rule::PrivateRule, Field::CompositionRule, 0)?;
    let overlay = rule == CompositionRule::Overlay;
    if overlay {
        let combines = matches!(head.combine_op, CombineOp::Replace | CombineOp::Add);
        judge.require(combines, Rule::CombineOverlay, Field::CombineOp, 0)?;
    } else if rule.is_assigned() {
        let none = head.combine_op == CombineOp::None;
        judge.require(none, Rule::CombineNone, Field::CombineOp, 0)?;
    }
    let count = head.member_count;
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
    if overlay || rule == CompositionRule::Partition {
        for (k, size) in (0..).zip(shape) {
            judge.require(size != DYNAMIC, Rule::HeadDynamic, Field::Shape, k)?;
        }
    }
    let coverable =
        rule != CompositionRule::Partition || count > 0 || elements(shape) == Some(Count::ZERO);
    judge.require(coverable, Rule::PartitionEmpty, Field::MemberCount, 0)
}

/// The sizes that the layout needs its buffers to have.
///
/// `bits` is the element width; 0 where it is unknown, and then nothing that depends on it is checked.
pub(crate) fn sizes<F: Fields + ?Sized>(
    d: &Subject<'_, F>,
    layout: &Layout<'_>,
    bits: u32,
    judge: &mut Judge<'_>,
) -> Checked {
    let values = |nnz: u64| {
        if bits == 0 {
            Some(Count::ZERO)
        } else {
            Some(Count::new(nnz).bytes(bits))
        }
    };
    let words = |n: Option<u64>, width: u64| n.map(|n| Count::new(n).times(width));
    let at_least = |judge: &mut Judge<'_>, rule, needs: &[Option<Count>]| {
        for (k, need) in needs.iter().enumerate() {
            let size = d.fields.buffer(k).map_or(0, |handle| handle.byte_size);
            let enough = need.is_none_or(|need| need.within(size));
            judge.require(enough, rule, Field::ByteSize, length32(k))?;
        }
        Ok(())
    };
    let dimension = |k: usize| d.shape.get(k).filter(|size| *size != DYNAMIC);
    let pointers = |k: usize| dimension(k).map(|n| Count::new(n).plus(Count::ONE).times(8));
    match layout {
        Layout::Coo { nnz, .. } => {
            let coordinates = Count::new(*nnz).times(d.rank.into()).times(8);
            at_least(judge, Rule::CooSize, &[values(*nnz), Some(coordinates)])
        }
        Layout::Csr { nnz } | Layout::Csc { nnz } => {
            let axis = usize::from(matches!(layout, Layout::Csc { .. }));
            at_least(
                judge,
                Rule::CompressedSize,
                &[values(*nnz), words(Some(*nnz), 8), pointers(axis)],
            )
        }
        Layout::Csf { nnz, .. } => {
            let leaf = d.rank.wrapping_mul(2);
            for k in 0..=leaf {
                let need = match k {
                    0 => values(*nnz),
                    1 => Some(Count::new(16)),
                    _ if k == leaf => words(Some(*nnz), 8),
                    _ => Some(Count::new(if k % 2 == 1 { 8 } else { 0 })),
                };
                let size = d
                    .fields
                    .buffer(index(k))
                    .map_or(0, |handle| handle.byte_size);
                let enough = need.is_none_or(|need| need.within(size));
                judge.require(enough, Rule::CsfSize, Field::ByteSize, k)?;
            }
            Ok(())
        }
        Layout::BlockPaged(paged) => {
            let slots = Count::new(paged.num_pages).times(paged.page_size.into());
            let pool = dimension(1).zip(dimension(2)).map(|(heads, depth)| {
                if bits == 0 {
                    Count::ZERO
                } else {
                    slots.times(heads).times(depth).bytes(bits)
                }
            });
            let width = if paged.block_table_index_type == BlockTableIndexType::U64 {
                8
            } else {
                4
            };
            let sequences = words(u64::from(paged.num_seqs).checked_add(1), width);
            at_least(
                judge,
                Rule::PagedSize,
                &[pool, Some(Count::ZERO), sequences],
            )
        }
        Layout::Composite(_) | Layout::Private { .. } | Layout::Unknown(_) => Ok(()),
        _ if bits == 0 => Ok(()),
        _ => dense(d, layout, bits, judge),
    }
}

/// LAYOUT-05 and its siblings: all elements of a dense tensor lie in buffer 0.
fn dense<F: Fields + ?Sized>(
    d: &Subject<'_, F>,
    layout: &Layout<'_>,
    bits: u32,
    judge: &mut Judge<'_>,
) -> Checked {
    let Some(elements) = elements(d.shape) else {
        return Ok(());
    };
    if elements == Count::ZERO {
        return Ok(());
    }
    let (rule, reach) = match layout {
        Layout::Strided { strides } => {
            (Rule::StridedReach, Reach::strided(strides, d.shape.iter()))
        }
        Layout::Tiled(levels) => tile_reach(levels, d.shape),
        Layout::Morton { morton_bits } => (Rule::MortonSize, morton_reach(morton_bits, d.shape)),
        Layout::Hilbert { .. } => (Rule::HilbertSize, Reach::contiguous(elements)),
        _ => (Rule::DenseSize, Reach::contiguous(elements)),
    };
    let front = reach.below.bytes(bits);
    let back = reach.above.plus(Count::ONE).bytes(bits);
    let fits = front.fits().and(back.fits()).is_some();
    judge.require(fits, Rule::SizeOverflow, Field::Shape, 0)?;
    // byte_offset <= byte_size was checked as BUF-17
    let byte_offset = d.fields.byte_offset();
    let size = d.fields.buffer(0).map_or(0, |handle| handle.byte_size);
    let inside = front.within(byte_offset) && back.within(size.saturating_sub(byte_offset));
    judge.require(inside, rule, Field::ByteSize, 0)
}

/// How far elements lie from element `[0, .., 0]`, on either side.
#[derive(Clone, Copy)]
struct Reach {
    below: Count,
    above: Count,
}

impl Reach {
    const NONE: Reach = Reach {
        below: Count::ZERO,
        above: Count::ZERO,
    };

    /// `count` elements from the first on.
    fn contiguous(count: Count) -> Self {
        Reach {
            below: Count::ZERO,
            above: count.minus_one(),
        }
    }

    /// ADDR-03: strides over an index range without zero dimensions.
    fn strided(strides: &I64s<'_>, sizes: impl Iterator<Item = u64>) -> Self {
        let mut reach = Reach::NONE;
        for (stride, size) in strides.iter().zip(sizes) {
            let span = Count::new(stride.unsigned_abs()).times(size.wrapping_sub(1));
            if stride < 0 {
                reach.below = reach.below.plus(span);
            } else {
                reach.above = reach.above.plus(span);
            }
        }
        reach
    }

    fn ordered(order: LayoutTag, strides: &I64s<'_>, sizes: impl Iterator<Item = u64>) -> Self {
        if order == LayoutTag::Strided {
            Reach::strided(strides, sizes)
        } else {
            Reach::contiguous(Count::product(sizes))
        }
    }

    /// Adds a reach that is counted in units of so many elements.
    fn add(&mut self, other: Reach, unit: Count) {
        self.below = self.below.plus(other.below.times_count(unit));
        self.above = self.above.plus(other.above.times_count(unit));
    }
}

/// ADDR-29: every level adds the reach of its tiles, in elements of a tile.
fn tile_reach(tiled: &Tiled<'_>, shape: U64s<'_>) -> (Rule, Reach) {
    let mut rule = Rule::DenseSize;
    let mut reach = Reach::NONE;
    let mut around = shape;
    for tile in tiled.levels() {
        let grid = around.iter().zip(tile.tile_shape).map(|(size, tile)| {
            let whole = size.checked_div(tile).unwrap_or(0);
            let partial = size.checked_rem(tile).unwrap_or(0) != 0;
            whole.saturating_add(partial.into())
        });
        let unit = Count::product(tile.tile_shape.iter());
        reach.add(
            Reach::ordered(tile.outer_layout, &tile.outer_strides, grid),
            unit,
        );
        if tile.outer_layout == LayoutTag::Strided || tile.inner_layout == LayoutTag::Strided {
            rule = Rule::TileReach;
        }
        if tile.inner_layout != LayoutTag::Tiled {
            let inner = Reach::ordered(
                tile.inner_layout,
                &tile.inner_strides,
                tile.tile_shape.iter(),
            );
            reach.add(inner, Count::ONE);
            break;
        }
        around = tile.tile_shape;
    }
    (rule, reach)
}

/// LAYOUT-18: the code space, or more where uneven bit counts leave holes in it.
fn morton_reach(bits: &U32s<'_>, shape: U64s<'_>) -> Reach {
    let sum = bits
        .iter()
        .fold(0u64, |sum, bits| sum.wrapping_add(bits.into()));
    let rank = length(shape.len());
    let mut last = Count::ZERO;
    for (d, size) in (0u64..).zip(shape) {
        // codes grow with every coordinate, so the last index has the largest one
        let mut coordinate = size.wrapping_sub(1);
        let mut position = d;
        while coordinate != 0 {
            if coordinate & 1 == 1 {
                last = last.plus(Count::power_of_two(position));
            }
            coordinate = coordinate.wrapping_shr(1);
            position = position.wrapping_add(rank);
        }
    }
    Reach::contiguous(Count::power_of_two(sum).max(last.plus(Count::ONE)))
}
