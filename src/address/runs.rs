//! Dense elements in logical order: last dimension fastest.

use super::dense::{Along, Dense};
use super::place::Steps;
use super::{AddressError, Coordinates, Element, ORIGIN, Place, SubBox};
use crate::model::Fields;
use crate::wire::index as slot;

/// Elements along one axis whose places lie a fixed step apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Elements from element `[0, .., 0]` to the first one.
    pub(crate) first: i128,
    /// Elements from one to the next.
    pub(crate) step: i128,
    /// How many there are.
    pub(crate) len: u64,
}

impl Run {
    pub(super) const NONE: Run = Run {
        first: 0,
        step: 0,
        len: 0,
    };

    /// One element.
    pub(super) fn single(first: i128) -> Run {
        Run {
            first,
            step: 0,
            len: 1,
        }
    }
}

/// Whether rows that lie one behind the other are one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    /// As many as there are.
    Rows,
    /// Every run is inside one row.
    Nothing,
}

/// The elements of a box in logical order, as runs.
#[derive(Clone, Debug)]
pub(crate) struct Runs<'a> {
    dense: Dense<'a>,
    part: SubBox<'a>,
    /// The axis that runs go along, and how many coordinates of it are in the box, axes behind it included
    /// where rows are merged; none in a tensor without axes.
    axis: Option<u32>,
    len: u64,
    along: Along,
    /// The index of the next run; behind `axis` everything is at its first place.
    index: Coordinates,
    /// The coordinate along `axis`, from the start of the box.
    done: u64,
    /// What the coordinates in front of `axis` add to a place, and what the one along it does on a Morton
    /// curve.
    base: i128,
    code: u128,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    /// The last run was the last one of its row.
    RowEnds,
    Over,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(
        dense: Dense<'a>,
        part: SubBox<'a>,
        merge: Merge,
    ) -> Result<Self, AddressError> {
        part.within(dense.shape)?;
        let mut axis = dense.rank().checked_sub(1);
        let mut len = axis.map_or(1, |axis| part.shape.at(axis));
        if merge == Merge::Rows && dense.is_row_major() {
            while let Some(before) = axis.and_then(|axis| axis.checked_sub(1)) {
                let whole = axis.is_some_and(|k| part.shape.at(k) == dense.shape.at(k));
                let Some(longer) = len.checked_mul(part.shape.at(before)).filter(|_| whole) else {
                    break;
                };
                (axis, len) = (Some(before), longer);
            }
        }
        let empty = part.shape.iter().any(|size| size == 0);
        let along = match axis {
            // merged rows go on in steps of 1
            Some(_) if merge == Merge::Rows && dense.is_row_major() => Along::Step(1),
            Some(axis) if !empty => dense.along(axis).ok_or(AddressError::Outside)?,
            _ => Along::Step(0),
        };
        let mut runs = Runs {
            dense,
            part,
            axis,
            len,
            along,
            index: ORIGIN,
            done: 0,
            base: 0,
            code: 0,
            state: if empty { State::Over } else { State::Ready },
        };
        part.offset.copy_to(&mut runs.index);
        if !empty {
            runs.begin_row()?;
        }
        Ok(runs)
    }

    /// The index of the first element of the run that was last returned.
    pub(crate) fn index(&self) -> &[u64] {
        let rank = slot(self.dense.rank());
        self.index.get(..rank).unwrap_or(&self.index)
    }

    /// The next run; none behind the last one.
    ///
    /// # Errors
    ///
    /// Places that no buffer reaches; nothing comes behind them.
    pub(crate) fn next_run(&mut self) -> Result<Option<Run>, AddressError> {
        let run = self.advance();
        if run.is_err() {
            self.state = State::Over;
        }
        run
    }

    fn advance(&mut self) -> Result<Option<Run>, AddressError> {
        let Some(axis) = self.axis else {
            let first = self.state == State::Ready;
            self.state = State::Over;
            let place = self.dense.offset(&[]).ok_or(AddressError::Outside)?;
            return Ok(first.then_some(Run::single(place)));
        };
        if self.state == State::RowEnds {
            self.next_row(axis)?;
        }
        if self.state == State::Over {
            return Ok(None);
        }
        let start = self.part.offset.at(axis);
        let coordinate = start.wrapping_add(self.done);
        if let Some(slot) = self.index.get_mut(slot(axis)) {
            *slot = coordinate;
        }
        let run = self.run_at(coordinate).ok_or(AddressError::Outside)?;
        self.done = self.done.saturating_add(run.len);
        if self.done >= self.len {
            self.state = State::RowEnds;
        }
        Ok(Some(run))
    }

    fn run_at(&mut self, coordinate: u64) -> Option<Run> {
        let left = self.len.wrapping_sub(self.done);
        let (along, step, len) = match &mut self.along {
            // the whole row at once, from its first element on, whose place is the base
            Along::Step(step) => (0, *step, left),
            Along::Tiles(ladder) => ladder.stretch(coordinate)?,
            Along::Bits(strands) => {
                self.code = if self.done == 0 {
                    strands.code(coordinate)?
                } else {
                    strands.next(self.code, coordinate)?
                };
                (i128::try_from(self.code).ok()?, 0, 1)
            }
            Along::Cubes(cube) => {
                let index = self.index.get(..slot(self.dense.rank()))?;
                (i128::try_from(cube.code(index)).ok()?, 0, 1)
            }
        };
        Some(Run {
            first: self.base.checked_add(along)?,
            step,
            len: len.min(left),
        })
    }

    /// Finds what the coordinates in front of the axis add.
    fn begin_row(&mut self) -> Result<(), AddressError> {
        self.done = 0;
        let Some(axis) = self.axis else {
            return Ok(());
        };
        let start = self.part.offset.at(axis);
        if let Some(coordinate) = self.index.get_mut(slot(axis)) {
            *coordinate = match self.along {
                Along::Step(_) => start,
                _ => 0,
            };
        }
        self.base = match &mut self.along {
            Along::Cubes(cube) => {
                cube.leave();
                0
            }
            _ => {
                let place = self.dense.offset(self.index());
                place.ok_or(AddressError::Outside)?
            }
        };
        Ok(())
    }

    /// Steps the coordinates in front of the axis.
    fn next_row(&mut self, axis: u32) -> Result<(), AddressError> {
        for k in (0..axis).rev() {
            let (offset, len) = (self.part.offset.at(k), self.part.shape.at(k));
            let Some(coordinate) = self.index.get_mut(slot(k)) else {
                break;
            };
            *coordinate = coordinate.wrapping_add(1);
            if coordinate.wrapping_sub(offset) < len {
                self.state = State::Ready;
                return self.begin_row();
            }
            *coordinate = offset;
        }
        self.state = State::Over;
        Ok(())
    }
}

/// The places of the elements of a box in logical order: last dimension fastest.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, SubBox, U64s, Walk};
/// let buffers = [BufferHandle::cpu(12, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[3, 4], Layout::ColumnMajor, &buffers);
/// let part = SubBox { offset: U64s::from(&[1, 2]), shape: U64s::from(&[2, 2]) };
/// let walk = Walk::new(&spec, part)?;
/// let bytes: Vec<u64> = walk.map(|element| element.byte).collect();
/// assert_eq!(bytes, [7, 10, 8, 11]);
/// # Ok::<(), hrry::AddressError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    runs: Runs<'a>,
    place: Place,
    /// What is left of a run, but for the steps.
    run: Run,
    steps: Steps,
}

impl<'a> Walk<'a> {
    /// In front of the first element of a box.
    ///
    /// # Errors
    ///
    /// A box of another rank or outside the shape; what [`locate`](crate::locate) refuses of a descriptor.
    pub fn new<F: Fields + ?Sized>(d: &'a F, part: SubBox<'a>) -> Result<Self, AddressError> {
        Ok(Walk {
            runs: Runs::new(Dense::of(d)?, part, Merge::Rows)?,
            place: Place::of(d)?,
            run: Run::NONE,
            steps: Steps::NONE,
        })
    }

    #[inline(never)]
    fn next_steps(&mut self) -> Option<Element> {
        while self.run.len == 0 {
            self.run = self.runs.next_run().ok()??;
        }
        self.steps = self.place.take(&mut self.run)?;
        self.steps.next()
    }
}

impl Iterator for Walk<'_> {
    type Item = Element;

    /// The next place; none behind the last one, and from a place on that is outside the buffer, which a
    /// checked descriptor does not have.
    #[inline]
    fn next(&mut self) -> Option<Element> {
        match self.steps.next() {
            None => self.next_steps(),
            element => element,
        }
    }
}
