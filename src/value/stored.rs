//! The stored elements of one tensor that lie in a box, in logical order where every element is stored.

use super::element::{self, ElementError};
use super::error::ValueError;
use crate::address::{AddressError, Dense, Merge, Pages, Place, Runs, StoredWalk, SubBox};
use crate::check::size::group;
use crate::model::{Fields, Layout, U64s};
use crate::wire::length;
use crate::wire::tag::ElementType;

/// Where the elements of a tensor are in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Data<'a> {
    pub(super) element_type: ElementType,
    /// Bytes of the buffer in front of these.
    pub(super) start: usize,
    /// From the start of a group of elements on.
    pub(super) bytes: &'a [u8],
    /// Elements in front of element `[0, .., 0]` there.
    before: u64,
}

impl<'a> Data<'a> {
    pub(super) fn new<F: Fields + ?Sized>(d: &F, buffers: &[&'a [u8]]) -> Result<Self, ValueError> {
        let (start, before) = Place::of(d)?.origin();
        let bytes = buffers.first().copied().unwrap_or(&[]);
        // less than an element has bytes
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        Ok(Data {
            element_type: d.element_type(),
            start,
            bytes: bytes.get(start..).unwrap_or(&[]),
            before,
        })
    }

    /// The bits of an element.
    pub(super) fn bits(&self, position: u64) -> Result<u128, ElementError> {
        let bits = element::bits(self.element_type, self.bytes, position);
        bits.ok_or_else(|| {
            let (shift, bytes) = group(self.element_type.bits());
            let groups = length(self.bytes.len()).checked_div(bytes).unwrap_or(0);
            ElementError::TooShort {
                needed: position.saturating_add(1),
                available: groups.wrapping_shl(shift),
            }
        })
    }

    /// The position in `bytes` of an element so far from the first one.
    fn position(&self, offset: i128) -> Result<u64, ValueError> {
        let position = offset.checked_add(self.before.into());
        let position = position.and_then(|position| u64::try_from(position).ok());
        position.ok_or(ElementError::NoSuchPosition.into())
    }
}

/// Elements that follow each other along the last axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The position of the first one in the data.
    pub(super) first: u64,
    /// Positions from one to the next.
    pub(super) step: i64,
    pub(super) len: usize,
    /// The slot of the token, in a block-paged tensor.
    pub(super) slot: Option<u64>,
}

/// Whether a tensor has a place for each of its elements, so that [`each`] visits all of a box.
pub(super) fn is_complete<F: Fields + ?Sized>(d: &F) -> bool {
    !d.layout().tag().is_sparse()
}

/// Visits the stored elements of a box as pieces, with the index of the first element of each.
///
/// Where every element is stored, pieces follow each other in logical order and leave nothing out. Of a
/// sparse tensor every piece is one element.
pub(super) fn each<F: Fields + ?Sized>(
    d: &F,
    buffers: &[&[u8]],
    data: &Data<'_>,
    part: SubBox<'_>,
    merge: Merge,
    mut take: impl FnMut(&[u64], Piece) -> Result<(), ValueError>,
) -> Result<(), ValueError> {
    match d.layout() {
        Layout::Coo { .. } | Layout::Csr { .. } | Layout::Csc { .. } | Layout::Csf { .. } => {
            part.within(d.shape())?;
            let mut walk = StoredWalk::near(d, buffers, part)?;
            while let Some((index, position)) = walk.next_entry()? {
                if part.holds(index) {
                    let first = data.position(position.into())?;
                    take(index, Piece::single(first))?;
                }
            }
            Ok(())
        }
        Layout::BlockPaged(_) => {
            let pages = Pages::new(d, buffers)?;
            each_row(
                &pages,
                data,
                d.shape(),
                part,
                |place| pages.token(place),
                take,
            )
        }
        _ => {
            let mut runs = Runs::new(Dense::of(d)?, part, merge)?;
            while let Some(run) = runs.next_run()? {
                let piece = Piece {
                    first: data.position(run.first)?,
                    // a step that does not fit leaves every buffer, unless it is not taken
                    step: i64::try_from(run.step).unwrap_or(i64::MAX),
                    len: count(run.len)?,
                    slot: None,
                };
                take(runs.index(), piece)?;
            }
            Ok(())
        }
    }
}

/// Visits the rows of block-paged elements, wherever they are in the pool. `token` gives sequence and token
/// of a place along the first axis.
pub(super) fn each_row(
    pages: &Pages<'_>,
    data: &Data<'_>,
    shape: U64s<'_>,
    part: SubBox<'_>,
    token: impl Fn(u64) -> Result<(u32, u64), AddressError>,
    mut take: impl FnMut(&[u64], Piece) -> Result<(), ValueError>,
) -> Result<(), ValueError> {
    let mut rows = Runs::new(Dense::row_major(shape), part, Merge::Nothing)?;
    while let Some(run) = rows.next_run()? {
        let index = rows.index();
        let at = |axis: usize| index.get(axis).copied().unwrap_or(0);
        let (sequence, token) = token(at(0))?;
        let slot = pages.slot(sequence, token)?;
        let first = pages.position_in(slot, at(1), at(2))?;
        let piece = Piece {
            first: data.position(first.into())?,
            step: 1,
            len: count(run.len)?,
            slot: Some(slot),
        };
        take(index, piece)?;
    }
    Ok(())
}

impl Piece {
    const fn single(first: u64) -> Self {
        Piece {
            first,
            step: 0,
            len: 1,
            slot: None,
        }
    }

    /// The part from an element on.
    pub(super) fn part(self, start: usize, len: usize) -> Self {
        let moved = i128::from(self.step).wrapping_mul(length(start).into());
        let first = i128::from(self.first).wrapping_add(moved);
        Piece {
            // a position outside is found where it is read
            first: u64::try_from(first).unwrap_or(u64::MAX),
            len,
            ..self
        }
    }
}

/// Elements that are to lie in memory.
fn count(n: u64) -> Result<usize, ValueError> {
    usize::try_from(n).map_err(|_| ValueError::Length {
        needed: n,
        available: length(usize::MAX),
    })
}
