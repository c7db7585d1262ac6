//! Coordinate lists (ADDR-07).

use super::AddressError;
use crate::model::{Fields, Layout, U64s};
use crate::sort::first_not;
use crate::wire::index as slot;
use crate::wire::length32;

/// The coordinates of a COO tensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoordinateList<'a> {
    /// `rank` numbers for each stored element.
    numbers: U64s<'a>,
    rank: u32,
    nnz: u64,
    is_sorted: bool,
}

const INDICES: u8 = 1;

impl<'a> CoordinateList<'a> {
    pub(super) fn new<F: Fields + ?Sized>(
        d: &F,
        buffers: &[&'a [u8]],
    ) -> Result<Self, AddressError> {
        let Layout::Coo { nnz, is_sorted } = d.layout() else {
            return Err(AddressError::Layout(d.layout().tag()));
        };
        let numbers = super::stored::numbers(buffers, INDICES);
        let rank = length32(d.shape().len());
        let needed = nnz.checked_mul(rank.into());
        if needed.is_none_or(|needed| needed > crate::wire::length(numbers.len())) {
            return Err(AddressError::Broken {
                buffer: INDICES,
                entry: crate::wire::length(numbers.len()),
            });
        }
        Ok(CoordinateList {
            numbers,
            rank,
            nnz,
            is_sorted,
        })
    }

    pub(super) const fn len(&self) -> u64 {
        self.nnz
    }

    /// A coordinate of a stored element.
    pub(super) fn at(&self, entry: u64, axis: u32) -> u64 {
        let number = entry
            .wrapping_mul(self.rank.into())
            .wrapping_add(axis.into());
        let number = usize::try_from(number).ok();
        number
            .and_then(|at| self.numbers.get(at))
            .unwrap_or(u64::MAX)
    }

    /// Copies the index of a stored element and requires it to be inside the shape.
    pub(super) fn index(
        &self,
        entry: u64,
        shape: U64s<'_>,
        index: &mut [u64],
    ) -> Result<(), AddressError> {
        for (axis, (slot, size)) in (0..self.rank).zip(index.iter_mut().zip(shape)) {
            *slot = self.at(entry, axis);
            if *slot >= size {
                let first = entry.wrapping_mul(self.rank.into());
                return Err(AddressError::Broken {
                    buffer: INDICES,
                    entry: first.wrapping_add(axis.into()),
                });
            }
        }
        Ok(())
    }

    /// The position of an element among the values; none for one that is not stored.
    pub(super) fn find(&self, index: &[u64]) -> Option<u64> {
        let compare = |entry: u64| {
            let stored = (0..self.rank).map(|axis| self.at(entry, axis));
            stored.cmp(index.iter().take(slot(self.rank)).copied())
        };
        if !self.is_sorted {
            return (0..self.nnz).find(|entry| compare(*entry).is_eq());
        }
        let entry = first_not(0, self.nnz, |entry| compare(entry).is_lt());
        (entry < self.nnz && compare(entry).is_eq()).then_some(entry)
    }
}
