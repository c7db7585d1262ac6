//! Partitions whose members are a grid in order: finding members without looking at all of them.

use crate::model::{Fields, U64s};
use crate::sort::first_not;
use crate::wire::descriptor::AXES;
use crate::wire::index as slot;

/// How the members of a partition lie, where each axis is cut at the same places all through and members
/// come in row-major order: the member at an index is found in as many steps as halving takes.
///
/// It keeps how many cuts each axis has; where they are, the members tell when they are asked for.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Grid, Layout, Shard, U64s};
/// let parent = [4, 6];
/// let tile = |offset, shape| DescriptorSpec {
///     shard: Some(Shard { parent_shape: U64s::from(&parent), shard_offset: offset }),
///     ..DescriptorSpec::new(ElementType::UInt8, shape, Layout::RowMajor, &[])
/// };
/// let members = [
///     tile(U64s::from(&[0, 0]), &[1, 4]),
///     tile(U64s::from(&[0, 4]), &[1, 2]),
///     tile(U64s::from(&[1, 0]), &[3, 4]),
///     tile(U64s::from(&[1, 4]), &[3, 2]),
/// ];
/// let grid = Grid::of(members.len(), |k| members.get(k)).unwrap();
/// assert_eq!(grid.find(|k| members.get(k), &[2, 5]), Some(3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Members along each axis.
    counts: [u32; AXES],
    rank: u32,
}

impl Grid {
    /// The grid of so many members of a partition that covers its head, if they are one.
    pub fn of<'m, M: Fields + ?Sized + 'm>(
        count: usize,
        member: impl Fn(usize) -> Option<&'m M>,
    ) -> Option<Grid> {
        let rank = crate::wire::length32(member(0)?.shape().len());
        let mut grid = Grid {
            counts: [0; AXES],
            rank,
        };
        let offset = |k: usize, axis: u32| Some(member(k)?.shard()?.shard_offset.at(axis));
        // members from one to the next along the axis
        let mut stride = 1usize;
        for axis in (0..rank).rev() {
            let mut along = 1usize;
            let mut next = stride;
            while next < count && offset(next, axis)? > 0 {
                along = along.checked_add(1)?;
                next = next.checked_add(stride)?;
            }
            *grid.counts.get_mut(slot(axis))? = u32::try_from(along).ok()?;
            stride = stride.checked_mul(along)?;
        }
        (stride == count && grid.holds(count, &member)).then_some(grid)
    }

    /// Whether every member lies where the first ones along each axis say.
    fn holds<'m, M: Fields + ?Sized + 'm>(
        &self,
        count: usize,
        member: &impl Fn(usize) -> Option<&'m M>,
    ) -> bool {
        (0..count).all(|k| {
            let Some((shard, shape)) = member(k).and_then(|m| Some((m.shard()?, m.shape()))) else {
                return false;
            };
            let mut rest = k;
            (0..self.rank).rev().all(|axis| {
                let along = slot(self.count(axis));
                let at = rest.checked_rem(along).unwrap_or(0);
                rest = rest.checked_div(along).unwrap_or(0);
                let (start, size) = (shard.shard_offset.at(axis), shape.at(axis));
                let next = at.wrapping_add(1);
                let end = match next < along {
                    true => self.cut(member, axis, next),
                    false => Some(shard.parent_shape.at(axis)),
                };
                size > 0
                    && self.cut(member, axis, at) == Some(start)
                    && end == start.checked_add(size)
            })
        })
    }

    /// The member that holds an index inside the head.
    pub fn find<'m, M: Fields + ?Sized + 'm>(
        &self,
        member: impl Fn(usize) -> Option<&'m M>,
        index: &[u64],
    ) -> Option<usize> {
        let mut axes = (0..self.rank).zip(index);
        axes.try_fold(0usize, |place, (axis, at)| {
            let along = self.last_cut(&member, axis, *at);
            place
                .checked_mul(slot(self.count(axis)))?
                .checked_add(along)
        })
    }

    /// The last member along an axis that starts at an index or in front of it.
    fn last_cut<'m, M: Fields + ?Sized + 'm>(
        &self,
        member: &impl Fn(usize) -> Option<&'m M>,
        axis: u32,
        index: u64,
    ) -> usize {
        let starts = |number: u64| {
            let number = usize::try_from(number).ok();
            let cut = number.and_then(|number| self.cut(member, axis, number));
            cut.is_some_and(|cut| cut <= index)
        };
        let behind = first_not(1, self.count(axis).into(), starts);
        usize::try_from(behind)
            .unwrap_or(usize::MAX)
            .saturating_sub(1)
    }

    /// The first and the last member along each axis that a box reaches into.
    fn reach<'m, M: Fields + ?Sized + 'm>(
        &self,
        member: &impl Fn(usize) -> Option<&'m M>,
        axis: u32,
        offset: u64,
        size: u64,
    ) -> Option<(usize, usize)> {
        let last = offset.checked_add(size)?.checked_sub(1)?;
        let first = self.last_cut(member, axis, offset);
        Some((first, self.last_cut(member, axis, last)))
    }

    /// Calls with each member that a box inside the head reaches into, in order.
    ///
    /// # Errors
    ///
    /// What `take` returns, which ends it.
    pub fn each_in<'m, M: Fields + ?Sized + 'm, E>(
        &self,
        member: impl Fn(usize) -> Option<&'m M>,
        offset: U64s<'_>,
        shape: U64s<'_>,
        mut take: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        if shape.iter().any(|size| size == 0) {
            return Ok(());
        }
        let (mut first, mut last) = ([0usize; AXES], [0usize; AXES]);
        for ((axis, first), last) in (0..self.rank).zip(&mut first).zip(&mut last) {
            let reach = self.reach(&member, axis, offset.at(axis), shape.at(axis));
            let Some(reach) = reach else {
                return Ok(());
            };
            (*first, *last) = reach;
        }
        let mut at = first;
        loop {
            let place = (0..self.rank).zip(&at).fold(0usize, |place, (axis, at)| {
                place.wrapping_mul(slot(self.count(axis))).wrapping_add(*at)
            });
            take(place)?;
            let mut axes = at
                .iter_mut()
                .zip(&first)
                .zip(&last)
                .take(slot(self.rank))
                .rev();
            let stepped = axes.any(|((at, first), last)| {
                let more = *at < *last;
                *at = if more { at.wrapping_add(1) } else { *first };
                more
            });
            if !stepped {
                return Ok(());
            }
        }
    }

    fn count(&self, axis: u32) -> u32 {
        self.counts.get(slot(axis)).copied().unwrap_or(1)
    }

    /// Where the members of that number along an axis start.
    fn cut<'m, M: Fields + ?Sized + 'm>(
        &self,
        member: &impl Fn(usize) -> Option<&'m M>,
        axis: u32,
        number: usize,
    ) -> Option<u64> {
        let behind = (axis.saturating_add(1)..self.rank)
            .fold(1usize, |stride, k| stride.wrapping_mul(slot(self.count(k))));
        let shard = member(number.checked_mul(behind)?)?.shard()?;
        Some(shard.shard_offset.at(axis))
    }
}
