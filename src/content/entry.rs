//! What must hold for one entry.

use core::cmp::Ordering;
use core::mem;

use super::duplicates::DUPLICATE;
use super::error::ContentError;
use super::plan::{Keep, Pointers, Role, Segment, segment};
use super::scan::{ContentScan, kept_index};
use crate::model::Fields;
use crate::rule::Rule;
use crate::wire::descriptor::DYNAMIC;
use crate::wire::length;

impl ContentScan {
    /// Judges entry `index` of a run.
    pub(super) fn entry<F: Fields + ?Sized, B: AsRef<[u8]>>(
        &mut self,
        d: &F,
        run: Segment,
        index: u64,
        value: u64,
        kept: &[B],
    ) -> Result<(), ContentError> {
        let holds = match run.role {
            Role::Padding { unused } => value & unused == 0,
            Role::E8m0 => value != 0 && value != 0xFF,
            Role::Absent => false,
            Role::Index => is_below(value, run.below),
            Role::Scale {
                sign,
                infinite,
                absolute,
            } => {
                let magnitude = value & sign.wrapping_sub(1);
                let allowed = if absolute {
                    // zero has either sign
                    magnitude == value || magnitude == 0
                } else {
                    magnitude > 0
                };
                allowed && magnitude < infinite
            }
            Role::ZeroPoint { low, high } => {
                // the sign of 32 bits
                let value = value.wrapping_shl(32).cast_signed().wrapping_shr(32);
                low <= value && value <= high
            }
            Role::Page => {
                // whether it counts, the pointers will tell
                if value >= run.below && self.suspect.is_none() {
                    self.suspect = Some(index);
                }
                true
            }
            Role::Tuple { sorted } => return self.coordinate(d, run, sorted, index, value),
            Role::Child => {
                let rises = self.starts(index, kept)? || value > self.last;
                rises && is_below(value, run.below)
            }
            Role::Pointer(to) => return self.pointer(d, run, to, index, value, kept),
        };
        self.last = value;
        if holds {
            return Ok(());
        }
        self.broken(run.rule, run.field, self.buffer, index, run.place(index))
    }

    /// One coordinate of a COO tuple.
    fn coordinate<F: Fields + ?Sized>(
        &mut self,
        d: &F,
        run: Segment,
        sorted: bool,
        index: u64,
        value: u64,
    ) -> Result<(), ContentError> {
        let shape = d.shape();
        let size = shape.get(self.axis).unwrap_or(0);
        if !is_below(value, size) {
            self.broken(run.rule, run.field, self.buffer, index, run.place(index))?;
        }
        if let Some(before) = self.tuple.get_mut(self.axis) {
            self.order = self.order.then(value.cmp(before));
            *before = value;
        }
        self.axis = self.axis.wrapping_add(1);
        if self.axis < shape.len() {
            return Ok(());
        }
        let first = index.wrapping_add(1).wrapping_sub(length(self.axis));
        let order = mem::replace(&mut self.order, Ordering::Equal);
        self.axis = 0;
        let rule = match order {
            Ordering::Equal => DUPLICATE,
            Ordering::Less => Rule::CooOrder,
            Ordering::Greater => return Ok(()),
        };
        if !sorted || first == 0 {
            return Ok(());
        }
        self.broken(rule, run.field, self.buffer, first, run.place(first))
    }

    /// A pointer to the entries of another buffer.
    fn pointer<F: Fields + ?Sized, B: AsRef<[u8]>>(
        &mut self,
        d: &F,
        run: Segment,
        to: Pointers,
        index: u64,
        value: u64,
        kept: &[B],
    ) -> Result<(), ContentError> {
        if self.lost {
            return Ok(());
        }
        let before = mem::replace(&mut self.last, value);
        let ends = index.wrapping_add(1) == run.count;
        let rises = if index == 0 {
            value == 0
        } else {
            value >= before
        };
        let last = to.end.filter(|_| ends);
        let rule = match last {
            Some((end, rule)) if rises && value != end => Some(rule),
            _ => (!rises || value > to.most).then_some(run.rule),
        };
        if let Some(rule) = rule {
            self.lost = true;
            return self.broken(rule, run.field, self.buffer, index, run.place(index));
        }
        if self.keep == Keep::Indices {
            self.line(before, value, kept)?;
        }
        if !ends {
            return Ok(());
        }
        self.parents = mem::replace(&mut self.nodes, value);
        match (self.suspect.filter(|at| *at < value), segment(d, 1, 0, 1)) {
            (Some(at), Some(run)) => self.broken(run.rule, run.field, 1, at, run.place(at)),
            _ => Ok(()),
        }
    }

    /// The indices of a row or column strictly increase.
    fn line<B: AsRef<[u8]>>(
        &mut self,
        start: u64,
        end: u64,
        kept: &[B],
    ) -> Result<(), ContentError> {
        let mut before = None;
        for at in start..end {
            let value = kept_index(kept, 1, at)?;
            if self.suspect.is_none() && before.is_some_and(|before| value <= before) {
                self.suspect = Some(at);
            }
            before = Some(value);
        }
        Ok(())
    }

    /// Whether siblings start at an entry.
    fn starts<B: AsRef<[u8]>>(&mut self, index: u64, kept: &[B]) -> Result<bool, ContentError> {
        let mut starts = index == 0;
        // the first level has one group
        if self.buffer <= 2 {
            return Ok(starts);
        }
        let pointers = self.buffer.wrapping_sub(1);
        while self.cursor <= self.parents {
            let pointer = kept_index(kept, pointers, self.cursor)?;
            if pointer > index {
                break;
            }
            starts |= pointer == index;
            self.cursor = self.cursor.wrapping_add(1);
        }
        Ok(starts)
    }
}

/// Whether an index is in bounds; a dynamic dimension has none.
fn is_below(value: u64, bound: u64) -> bool {
    value < bound || bound == DYNAMIC
}
