//! Dense elements in the order in which they are stored.

use super::dense::{Along, Dense};
use super::hilbert::Cube;
use super::place::Steps;
use super::runs::Run;
use super::{AXES, AddressError, Coordinates, Element, ORIGIN, Place, morton};
use crate::model::{Fields, Layout, Tiled, U32s};
use crate::wire::descriptor::MAX_TILE_LEVELS;
use crate::wire::index as slot;
use crate::wire::tag::LayoutTag;

/// The places of all elements in the order in which they are stored, each with its index.
///
/// Steps of strides are taken from the smallest to the largest, whatever their sign; tiles, and elements
/// inside tiles, that explicit strides place, are taken in row-major order.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, StorageWalk};
/// let buffers = [BufferHandle::cpu(6, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[2, 3], Layout::ColumnMajor, &buffers);
/// let mut walk = StorageWalk::new(&spec)?;
/// let third = walk.nth(2).unwrap();
/// assert_eq!((third.byte, walk.index()), (2, &[0, 1][..]));
/// # Ok::<(), hrry::AddressError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StorageWalk<'a> {
    dense: Dense<'a>,
    place: Place,
    order: Order<'a>,
    index: Coordinates,
    /// The axis that runs go along.
    fastest: usize,
    /// What is left of a run, but for the steps.
    run: Run,
    steps: Steps,
    started: bool,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // there is no heap to put the larger one on
enum Order<'a> {
    /// Along the fastest axis first.
    Axes { along: Along, axes: [u8; AXES] },
    /// By the code of the curve; the last one.
    Morton { bits: U32s<'a>, code: u128 },
    /// By the code of the curve; the next one.
    Hilbert { cube: Cube, next: u128 },
    /// One element.
    Scalar,
    /// Nothing is left.
    Over,
}

impl<'a> StorageWalk<'a> {
    /// In front of the first stored element.
    ///
    /// # Errors
    ///
    /// What [`locate`](crate::locate) refuses of a descriptor.
    pub fn new<F: Fields + ?Sized>(d: &'a F) -> Result<Self, AddressError> {
        let dense = Dense::of(d)?;
        let place = Place::of(d)?;
        let (order, fastest) = order(&dense).ok_or(AddressError::Outside)?;
        Ok(StorageWalk {
            dense,
            place,
            order,
            index: ORIGIN,
            fastest,
            run: Run::NONE,
            steps: Steps::NONE,
            started: false,
        })
    }

    /// The index of the element that was last returned; of no element behind the last one.
    #[must_use]
    pub fn index(&self) -> &[u64] {
        let rank = slot(self.dense.rank());
        self.index.get(..rank).unwrap_or(&self.index)
    }

    fn step_along(&mut self) {
        if let Some(coordinate) = self.index.get_mut(self.fastest) {
            *coordinate = coordinate.wrapping_add(1);
        }
    }

    #[inline(never)]
    fn next_steps(&mut self) -> Option<Element> {
        if self.run.len == 0 {
            self.run = self.next_run()?;
        } else {
            self.step_along();
        }
        if let Some(steps) = self.place.take(&mut self.run) {
            self.steps = steps;
        } else {
            (self.run, self.order) = (Run::NONE, Order::Over);
        }
        self.steps.next()
    }

    fn next_run(&mut self) -> Option<Run> {
        let run = self.find_run();
        if run.is_none() {
            self.order = Order::Over;
        }
        run
    }

    fn find_run(&mut self) -> Option<Run> {
        let first = !core::mem::replace(&mut self.started, true);
        let index = self.index.get_mut(..slot(self.dense.rank()))?;
        match &mut self.order {
            Order::Axes { along, axes } => {
                if !first && !advance(&self.dense, axes, index) {
                    return None;
                }
                let coordinate = index.get(self.fastest).copied()?;
                let size = self.dense.shape.get(self.fastest)?;
                let left = size.wrapping_sub(coordinate);
                let (step, len) = match along {
                    Along::Tiles(ladder) => {
                        let (_, step, len) = ladder.stretch(coordinate)?;
                        (step, len.min(left))
                    }
                    Along::Step(step) => (*step, left),
                    _ => (0, 1),
                };
                let first = self.dense.offset(index)?;
                Some(Run { first, step, len })
            }
            Order::Morton { bits, code } => {
                let found = first || morton::advance(*bits, self.dense.shape, code, index);
                let first = i128::try_from(*code).ok()?;
                found.then_some(Run::single(first))
            }
            Order::Hilbert { cube, next } => {
                let code = *next;
                *next = code.wrapping_add(1);
                cube.find(code, index);
                let first = i128::try_from(code).ok()?;
                (code < cube.codes()).then_some(Run::single(first))
            }
            Order::Scalar => self.dense.offset(&[]).filter(|_| first).map(Run::single),
            Order::Over => None,
        }
    }
}

impl Iterator for StorageWalk<'_> {
    type Item = Element;

    /// The next place; none behind the last one, and from a place on that is outside the buffer, which a
    /// checked descriptor does not have.
    #[inline]
    fn next(&mut self) -> Option<Element> {
        match self.steps.next() {
            None => self.next_steps(),
            element => {
                self.step_along();
                element
            }
        }
    }
}

/// The order of storage, and the axis that runs go along.
fn order<'a>(dense: &Dense<'a>) -> Option<(Order<'a>, usize)> {
    let rank = dense.rank();
    if dense.shape.iter().any(|size| size == 0) {
        return Some((Order::Over, 0));
    }
    if rank == 0 {
        return Some((Order::Scalar, 0));
    }
    let inner = match dense.layout {
        Layout::Morton { morton_bits: bits } => return Some((Order::Morton { bits, code: 0 }, 0)),
        Layout::Hilbert { hilbert_order, .. } => {
            let cube = Cube::new(hilbert_order, rank)?;
            // LAYOUT-19: every index that a code has is in the shape
            let side = 1u64.checked_shl(hilbert_order)?;
            let fills = dense.shape.iter().all(|size| size == side);
            return fills.then_some((Order::Hilbert { cube, next: 0 }, 0));
        }
        Layout::Tiled(tiled) => tiled.levels().last()?.inner_layout,
        _ => dense.layout.tag(),
    };
    let axes = fastest_first(dense, inner);
    let fastest = axes.first().copied().map_or(0, u32::from);
    let along = dense.along(fastest)?;
    Some((Order::Axes { along, axes }, slot(fastest)))
}

/// The axes of an order, the fastest one first.
fn fastest_first(dense: &Dense<'_>, order: LayoutTag) -> [u8; AXES] {
    let rank = dense.rank();
    let mut axes = [0; AXES];
    for (place, slot) in (0..rank).zip(&mut axes) {
        let axis = nth_axis(order, rank, place);
        *slot = u8::try_from(axis).unwrap_or(0);
    }
    if let (LayoutTag::Strided, Layout::Strided { strides }) = (order, dense.layout)
        && let Some(axes) = axes.get_mut(..slot(rank))
    {
        let stride = |axis: u8| strides.at(axis.into()).unsigned_abs();
        // by insertion: ranks are small, and equal strides stay in row-major order
        for end in 1..axes.len() {
            let mut at = end;
            while let Some(before) = at.checked_sub(1) {
                let pair = axes.get(before).copied().zip(axes.get(at).copied());
                if pair.is_none_or(|(a, b)| stride(a) <= stride(b)) {
                    break;
                }
                axes.swap(before, at);
                at = before;
            }
        }
    }
    axes
}

/// The axis at a place of an order, the fastest one at place 0.
fn nth_axis(order: LayoutTag, rank: u32, place: u32) -> u32 {
    if order == LayoutTag::ColumnMajor {
        place
    } else {
        rank.wrapping_sub(1).wrapping_sub(place)
    }
}

/// Steps an index to the next one that is stored; false behind the last.
fn advance(dense: &Dense<'_>, axes: &[u8; AXES], index: &mut [u64]) -> bool {
    let Layout::Tiled(tiled) = dense.layout else {
        return (0..dense.rank()).zip(axes).any(|(_, axis)| {
            let axis = u32::from(*axis);
            step(index, axis, 1, dense.shape.at(axis), 0)
        });
    };
    let depth = tiled.levels().zip(0..MAX_TILE_LEVELS).count();
    let depth = u32::try_from(depth).unwrap_or(0);
    // elements of the innermost tile first, then the tiles of each level
    (0..=depth).rev().any(|level| {
        let inside = level.checked_sub(1).and_then(|around| nth(tiled, around));
        let tiles = nth(tiled, level);
        let order = match (&tiles, &inside) {
            (Some(tiles), _) => tiles.outer_layout,
            (None, Some(inside)) => inside.inner_layout,
            _ => return false,
        };
        let rank = dense.rank();
        (0..rank).any(|place| {
            let axis = nth_axis(order, rank, place);
            let unit = tiles.as_ref().map_or(1, |tiles| tiles.tile_shape.at(axis));
            let mut rest = index.get(slot(axis)).copied().unwrap_or(0);
            for around in tiled.levels().take(slot(level)) {
                rest = rest.checked_rem(around.tile_shape.at(axis)).unwrap_or(0);
            }
            let size = inside
                .as_ref()
                .map_or(u64::MAX, |inside| inside.tile_shape.at(axis));
            let start = index.get(slot(axis)).copied().unwrap_or(0);
            let start = start.wrapping_sub(rest);
            let end = dense.shape.at(axis).min(start.saturating_add(size));
            step(index, axis, unit, end, start)
        })
    })
}

fn nth<'a>(tiled: Tiled<'a>, level: u32) -> Option<crate::model::TiledLevel<'a>> {
    tiled.levels().nth(slot(level))
}

/// One step along an axis if it stays in front of an end; else back to the start.
fn step(index: &mut [u64], axis: u32, unit: u64, end: u64, start: u64) -> bool {
    let Some(coordinate) = index.get_mut(slot(axis)) else {
        return false;
    };
    let next = coordinate.checked_add(unit).filter(|next| *next < end);
    *coordinate = next.unwrap_or(start);
    next.is_some()
}
