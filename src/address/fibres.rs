//! Compressed fibres (ADDR-10): a tree with one level for each dimension.

use super::AddressError;
use crate::check::layout::is_permutation;
use crate::model::{Fields, Layout, U32s, U64s};
use crate::wire::index as slot;
use crate::wire::{length, length32};

/// The tree of a CSF tensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fibres<'a, 'b> {
    buffers: &'b [&'a [u8]],
    mode_order: U32s<'b>,
    rank: u32,
    nnz: u64,
}

impl<'a, 'b> Fibres<'a, 'b> {
    pub(super) fn new<F: Fields + ?Sized>(
        d: &'b F,
        buffers: &'b [&'a [u8]],
    ) -> Result<Self, AddressError> {
        let Layout::Csf { nnz, mode_order } = d.layout() else {
            return Err(AddressError::Layout(d.layout().tag()));
        };
        let rank = length32(d.shape().len());
        // what order the levels have is unknown otherwise, and nothing can be read (LAYOUT-34)
        if rank == 0 || !is_permutation(mode_order, rank) {
            return Err(AddressError::Layout(d.layout().tag()));
        }
        Ok(Fibres {
            buffers,
            mode_order,
            rank,
            nnz,
        })
    }

    pub(super) const fn rank(&self) -> u32 {
        self.rank
    }

    /// The dimension that a level stands for.
    pub(super) fn mode(&self, level: u32) -> u32 {
        self.mode_order.at(level)
    }

    /// The children of a node of the level above: where they are among the coordinates of a level.
    pub(super) fn children(&self, level: u32, node: u64) -> Result<(u64, u64), AddressError> {
        let (pos, buffer) = self.numbers(level, 1);
        let broken = |entry| AddressError::Broken { buffer, entry };
        let pointer = |entry: u64| {
            let at = usize::try_from(entry).ok();
            at.and_then(|at| pos.get(at)).ok_or(broken(entry))
        };
        let next = node.saturating_add(1);
        let (first, end) = (pointer(node)?, pointer(next)?);
        let (crd, _) = self.numbers(level, 2);
        let leaf = level.saturating_add(1) == self.rank;
        let inside = end <= length(crd.len()) && (!leaf || end <= self.nnz);
        if first > end || !inside {
            return Err(broken(next));
        }
        Ok((first, end))
    }

    /// The coordinate of a node.
    pub(super) fn coordinate(&self, level: u32, node: u64, size: u64) -> Result<u64, AddressError> {
        let (crd, buffer) = self.numbers(level, 2);
        let at = usize::try_from(node).ok();
        let coordinate = at.and_then(|at| crd.get(at)).filter(|at| *at < size);
        coordinate.ok_or(AddressError::Broken {
            buffer,
            entry: node,
        })
    }

    /// The position of an element among the values; none for one that is not stored.
    pub(super) fn find(&self, index: &[u64]) -> Result<Option<u64>, AddressError> {
        let mut node = 0;
        for level in 0..self.rank {
            let (first, end) = self.children(level, node)?;
            let (crd, _) = self.numbers(level, 2);
            let wanted = index.get(slot(self.mode(level))).copied().unwrap_or(0);
            let siblings = crd.range(first, end).unwrap_or(U64s::EMPTY);
            match siblings.search(wanted) {
                Some(found) => node = first.saturating_add(found),
                None => return Ok(None),
            }
        }
        Ok(Some(node))
    }

    /// The pos array of a level, or the crd array behind it; and the buffer it is.
    fn numbers(&self, level: u32, which: u32) -> (U64s<'a>, u8) {
        let buffer = level.saturating_mul(2).saturating_add(which);
        let buffer = u8::try_from(buffer).unwrap_or(u8::MAX);
        (super::stored::numbers(self.buffers, buffer), buffer)
    }
}
