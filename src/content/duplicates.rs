//! Tuples of unsorted COO that are there twice.

use core::cmp::Ordering;

use super::error::ContentError;
use super::plan::segment;
use super::scan::{ContentScan, kept_index, short};
use crate::error::{ErrorKind, Resource};
use crate::model::{Fields, Layout};
use crate::rule::Rule;
use crate::sort::sort;
use crate::wire::{length, u64};

/// The rule that sorted tuples break where they arrive.
pub(super) const DUPLICATE: Rule = Rule::CooDuplicate;

/// The buffer of the tuples.
const INDICES: u8 = 1;

/// Reports the first tuple that is equal to one before it. Sorts the tuples' numbers in `scratch`.
pub(super) fn judge<F: Fields + ?Sized, B: AsRef<[u8]>>(
    scan: &mut ContentScan,
    d: &F,
    kept: &[B],
    scratch: &mut [u64],
) -> Result<(), ContentError> {
    let (Layout::Coo { nnz, .. }, Some(run)) = (d.layout(), segment(d, INDICES.into(), 0, 1))
    else {
        return Ok(());
    };
    let rank = length(d.shape().len());
    if let Some(last) = run.count.checked_sub(1) {
        // all of them are there
        kept_index(kept, INDICES, last)?;
    }
    let available = length(scratch.len());
    let Some(numbers) = usize::try_from(nnz)
        .ok()
        .and_then(|nnz| scratch.get_mut(..nnz))
    else {
        let kind = ErrorKind::Capacity {
            what: Resource::Arena,
            needed: nnz,
            available,
        };
        return Err(ContentError {
            kind,
            ..short(INDICES, 0, 0)
        });
    };
    for (slot, number) in numbers.iter_mut().zip(0..) {
        *slot = number;
    }
    let bytes = kept
        .get(usize::from(INDICES))
        .map_or(&[][..], AsRef::as_ref);
    let compare = |a: u64, b: u64| {
        let mut axes = (0..rank).map(|axis| {
            let coordinate = |tuple: u64| {
                let at = tuple.wrapping_mul(rank).wrapping_add(axis).wrapping_mul(8);
                u64(bytes, usize::try_from(at).unwrap_or(usize::MAX))
            };
            coordinate(a).cmp(&coordinate(b))
        });
        axes.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    sort(numbers, |a, b| compare(a, b).then(a.cmp(&b)));
    let pairs = numbers.windows(2).filter_map(|pair| match pair {
        [a, b] if compare(*a, *b).is_eq() => Some(*b),
        _ => None,
    });
    match pairs.min() {
        Some(tuple) => {
            let first = tuple.wrapping_mul(rank);
            scan.broken(DUPLICATE, run.field, INDICES, first, run.place(first))
        }
        None => Ok(()),
    }
}
