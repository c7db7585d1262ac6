//! Dense elements in the order in which they are stored.

use super::dense::{Along, Dense};
use super::runs::Run;
use super::{AXES, AddressError, Coordinates, Element, ORIGIN, Place, curve};
use crate::model::{Fields, Layout, Tiled};
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
    order: Order,
    index: Coordinates,
    run: Run,
    started: bool,
}

#[derive(Clone, Debug)]
enum Order {
    /// Along the fastest axis first.
    Axes {
        fastest: u32,
        along: Along,
        axes: [u8; AXES],
    },
    /// By the code of a curve; the next one, and how many there are.
    Codes { next: u128, end: u128 },
    /// One element, or none.
    Scalar,
}

impl<'a> StorageWalk<'a> {
    /// In front of the first stored element.
    ///
    /// # Errors
    ///
    /// What [`locate`](crate::locate) refuses of a descriptor.
    pub fn new<F: Fields + ?Sized>(d: &'a F) -> Result<Self, AddressError> {
        let dense = Dense::of(d)?;
        let empty = dense.shape.iter().any(|size| size == 0);
        let order = if empty || dense.rank() == 0 {
            Order::Scalar
        } else {
            order(&dense).ok_or(AddressError::Outside)?
        };
        let mut walk = StorageWalk {
            dense,
            place: Place::of(d)?,
            order,
            index: ORIGIN,
            run: Run {
                first: 0,
                step: 0,
                len: 0,
            },
            started: empty,
        };
        if empty {
            walk.order = Order::Codes { next: 0, end: 0 };
        }
        Ok(walk)
    }

    /// The index of the element that was last returned.
    #[must_use]
    pub fn index(&self) -> &[u64] {
        let rank = slot(self.dense.rank());
        self.index.get(..rank).unwrap_or(&self.index)
    }

    fn next_run(&mut self) -> Option<Run> {
        let first = !self.started;
        self.started = true;
        match &mut self.order {
            Order::Scalar => first.then_some(Run {
                first: 0,
                step: 0,
                len: 1,
            }),
            Order::Codes { next, end } => {
                let rank = slot(self.dense.rank());
                let index = self.index.get_mut(..rank)?;
                let code = next_code(&self.dense, next, *end, index)?;
                Some(Run {
                    first: i128::try_from(code).ok()?,
                    step: 0,
                    len: 1,
                })
            }
            Order::Axes {
                fastest,
                along,
                axes,
            } => {
                if !first && !advance(&self.dense, axes, &mut self.index) {
                    return None;
                }
                let coordinate = self.index.get(slot(*fastest)).copied()?;
                let left = self.dense.shape.at(*fastest).wrapping_sub(coordinate);
                let (step, len) = match along {
                    Along::Tiles(ladder) => {
                        let (_, step, len) = ladder.stretch(coordinate)?;
                        (step, len.min(left))
                    }
                    Along::Step(step) => (*step, left),
                    _ => (0, 1),
                };
                let rank = slot(self.dense.rank());
                let first = self.dense.offset(self.index.get(..rank)?)?;
                Some(Run { first, step, len })
            }
        }
    }
}

impl Iterator for StorageWalk<'_> {
    type Item = Element;

    /// The next place; none behind the last one, and from a place on that is outside the buffer, which a
    /// checked descriptor does not have.
    fn next(&mut self) -> Option<Element> {
        if self.run.len == 0 {
            self.run = self.next_run()?;
        } else if let Order::Axes { fastest, .. } = &self.order
            && let Some(coordinate) = self.index.get_mut(slot(*fastest))
        {
            *coordinate = coordinate.wrapping_add(1);
        }
        let element = self.place.element(self.run.first)?;
        self.run.first = self.run.first.saturating_add(self.run.step);
        self.run.len = self.run.len.wrapping_sub(1);
        Some(element)
    }
}

fn order(dense: &Dense<'_>) -> Option<Order> {
    let rank = dense.rank();
    let (end, last) = match dense.layout {
        Layout::Morton { morton_bits } => {
            let mut last: Coordinates = ORIGIN;
            let last = last.get_mut(..slot(rank))?;
            for (last, size) in last.iter_mut().zip(dense.shape) {
                *last = size.wrapping_sub(1);
            }
            (curve::morton(morton_bits, last)?.checked_add(1), None)
        }
        Layout::Hilbert { hilbert_order, .. } => {
            (1u128.checked_shl(hilbert_order.checked_mul(rank)?), None)
        }
        Layout::Tiled(tiled) => (None, tiled.levels().last()),
        _ => (None, None),
    };
    if let Some(end) = end {
        return Some(Order::Codes { next: 0, end });
    }
    let inner = last.map_or(dense.layout.tag(), |level| level.inner_layout);
    let axes = fastest_first(dense, inner);
    let fastest = axes.first().copied().map_or(0, u32::from);
    let along = dense.along(fastest)?;
    Some(Order::Axes {
        fastest,
        along,
        axes,
    })
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
fn advance(dense: &Dense<'_>, axes: &[u8; AXES], index: &mut Coordinates) -> bool {
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
fn step(index: &mut Coordinates, axis: u32, unit: u64, end: u64, start: u64) -> bool {
    let Some(coordinate) = index.get_mut(slot(axis)) else {
        return false;
    };
    let next = coordinate.checked_add(unit).filter(|next| *next < end);
    *coordinate = next.unwrap_or(start);
    next.is_some()
}

/// The next code that an index inside the shape has, and that index.
fn next_code(dense: &Dense<'_>, next: &mut u128, end: u128, index: &mut [u64]) -> Option<u128> {
    while *next < end {
        let code = *next;
        if decode(dense, code, index) {
            *next = code.wrapping_add(1);
            return Some(code);
        }
        *next = behind(dense, code, index);
    }
    None
}

fn decode(dense: &Dense<'_>, code: u128, index: &mut [u64]) -> bool {
    let found = match dense.layout {
        Layout::Morton { morton_bits } => curve::from_morton(morton_bits, code, index),
        Layout::Hilbert { hilbert_order, .. } => curve::from_hilbert(hilbert_order, code, index),
        _ => None,
    };
    let inside = || index.iter().zip(dense.shape).all(|(at, size)| *at < size);
    found.is_some() && inside()
}

/// The first code behind the largest block of codes around one that lies outside the shape as a whole: a
/// block has no index in the shape if its first code has none.
fn behind(dense: &Dense<'_>, code: u128, index: &mut [u64]) -> u128 {
    let mut block = 1u128;
    loop {
        let larger = block.wrapping_shl(1);
        let first = code & !larger.wrapping_sub(1);
        if larger == 0 || decode(dense, first, index) {
            return (code | block.wrapping_sub(1)).saturating_add(1);
        }
        block = larger;
    }
}
