//! The cover check over a whole set of boxes at once, for those who have them all.
//!
//! The same signed corners as the keyed sum, sorted and cancelled instead of hashed: exact, in any order
//! of the boxes, in `O(2^d N log N)` for `d` axes that some box does not span.

use core::cmp::Ordering;

use super::cover::GAP;
use crate::check::sections;
use crate::error::{ErrorKind, Field, Resource, Violation};
use crate::model::Shard;
use crate::policy::Policy;
use crate::sort::sort;
use crate::wire::tag::LayoutTag;
use crate::wire::{index, length, length32};

/// Most axes that boxes may split.
pub const MAX_SPLIT_AXES: u32 = 4;

/// Checks that boxes cover a head exactly.
///
/// `boxes` holds for each box its offset and then its shape, `2 * head.len()` numbers; numbers behind the
/// last whole box are not looked at. `scratch` takes `2^d` words for each box and for the head, where `d`
/// counts the axes that some box does not span; [`scratch_words`] tells how many.
///
/// # Errors
///
/// SHARD-01 and SHARD-02 of a box that does not lie in the head; COMP-42 with the smallest member that
/// overlaps an earlier one, and the smallest of those; COMP-43 where nothing overlaps; a capacity error above [`MAX_SPLIT_AXES`] or with too little scratch.
///
/// ```
/// use hrry::{ErrorKind, corners};
/// let mut scratch = [0; 12];
/// assert!(corners::exact_cover(&[8, 8], &[0, 0, 8, 4, 0, 4, 8, 4], &mut scratch).is_ok());
/// let error = corners::exact_cover(&[8, 8], &[0, 0, 8, 4, 0, 0, 8, 4], &mut scratch);
/// assert_eq!(error, Err(ErrorKind::Overlap { member: 1, first: 0, last: 0 }));
/// ```
pub fn exact_cover(head: &[u64], boxes: &[u64], scratch: &mut [u64]) -> Result<(), ErrorKind> {
    let set = Set::new(head, boxes);
    set.bounds()?;
    let needed = set.corners_needed()?;
    let available = length(scratch.len());
    let Some(corners) = usize::try_from(needed)
        .ok()
        .and_then(|n| scratch.get_mut(..n))
    else {
        return Err(ErrorKind::Capacity {
            what: Resource::Arena,
            needed,
            available,
        });
    };
    set.list(corners);
    sort(corners, |a, b| set.compare(a, b));
    if set.cancels(corners) {
        Ok(())
    } else {
        Err(set.culprit())
    }
}

/// Words of scratch that [`exact_cover`] needs.
///
/// # Errors
///
/// A capacity error above [`MAX_SPLIT_AXES`].
pub fn scratch_words(head: &[u64], boxes: &[u64]) -> Result<u64, ErrorKind> {
    Set::new(head, boxes).corners_needed()
}

/// Boxes and their head. A corner is `box << MAX_SPLIT_AXES | ends`, one bit for each split axis; the
/// head counts as the box behind the last.
struct Set<'a> {
    head: &'a [u64],
    boxes: &'a [u64],
    count: usize,
    /// Axes that some box does not span, in the low [`MAX_SPLIT_AXES`] places.
    axes: [usize; 4],
    split: u32,
}

impl<'a> Set<'a> {
    fn new(head: &'a [u64], boxes: &'a [u64]) -> Self {
        let len = head.len().wrapping_mul(2).max(1);
        let mut set = Set {
            head,
            boxes,
            count: boxes.chunks_exact(len).len(),
            axes: [0; 4],
            split: 0,
        };
        for (axis, size) in head.iter().enumerate() {
            let spanned = (0..set.count)
                .filter(|k| !set.is_empty(*k))
                .all(|k| set.range(k, axis) == (0, *size));
            if !spanned {
                if let Some(slot) = set.axes.get_mut(index(set.split)) {
                    *slot = axis;
                }
                set.split = set.split.wrapping_add(1);
            }
        }
        set
    }

    /// Coordinates only mean places while no end wraps.
    fn bounds(&self) -> Result<(), Violation> {
        let rank = self.head.len();
        for one in self.boxes.chunks_exact(rank.wrapping_mul(2).max(1)) {
            let (offset, shape) = one.split_at_checked(rank).unwrap_or_default();
            let shard = Shard {
                parent_shape: self.head.into(),
                shard_offset: offset.into(),
            };
            sections::shard(
                &shard,
                LayoutTag::RowMajor,
                shape.into(),
                &mut &Policy::STRICT,
            )?;
        }
        Ok(())
    }

    fn corners_needed(&self) -> Result<u64, ErrorKind> {
        if self.split > MAX_SPLIT_AXES {
            return Err(ErrorKind::Capacity {
                what: Resource::SplitAxes,
                needed: self.split.into(),
                available: MAX_SPLIT_AXES.into(),
            });
        }
        let boxes = (0..=self.count).filter(|k| !self.is_empty(*k)).count();
        Ok(length(boxes).wrapping_shl(self.split))
    }

    /// A half-open range of a box along an axis; the head is box `count`.
    fn range(&self, k: usize, axis: usize) -> (u64, u64) {
        let size = self.head.get(axis).copied().unwrap_or(0);
        if k == self.count {
            return (0, size);
        }
        let rank = self.head.len();
        let at = k.wrapping_mul(rank).wrapping_mul(2).wrapping_add(axis);
        let number = |at: usize| self.boxes.get(at).copied().unwrap_or(0);
        let from = number(at);
        (from, from.wrapping_add(number(at.wrapping_add(rank))))
    }

    fn is_empty(&self, k: usize) -> bool {
        (0..self.head.len()).any(|axis| {
            let (from, to) = self.range(k, axis);
            from == to
        })
    }

    fn list(&self, corners: &mut [u64]) {
        let ends = 1u64.wrapping_shl(self.split);
        let boxes = (0..=self.count).filter(|k| !self.is_empty(*k));
        let all = boxes.flat_map(|k| {
            let first = length(k).wrapping_shl(MAX_SPLIT_AXES);
            (0..ends).map(move |ends| first | ends)
        });
        for (slot, corner) in corners.iter_mut().zip(all) {
            *slot = corner;
        }
    }

    fn coordinate(&self, corner: u64, place: u32) -> u64 {
        let k = usize::try_from(corner.wrapping_shr(MAX_SPLIT_AXES)).unwrap_or(usize::MAX);
        let axis = self.axes.get(index(place)).copied().unwrap_or(0);
        let (from, to) = self.range(k, axis);
        if corner.wrapping_shr(place) & 1 == 1 {
            to
        } else {
            from
        }
    }

    fn compare(&self, a: u64, b: u64) -> Ordering {
        (0..self.split)
            .map(|place| self.coordinate(a, place).cmp(&self.coordinate(b, place)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// Whether the signs of all corners at one point add up to the head's, for every point.
    fn cancels(&self, corners: &[u64]) -> bool {
        let head = length(self.count);
        let mut sum = 0i64;
        let mut before = None;
        for corner in corners {
            if before.is_some_and(|before| self.compare(before, *corner).is_ne()) && sum != 0 {
                return false;
            }
            let starts = self.split.wrapping_sub((corner & 0xF).count_ones());
            let negative = (starts & 1 == 1) != (corner.wrapping_shr(MAX_SPLIT_AXES) == head);
            sum = sum.wrapping_add(if negative { -1 } else { 1 });
            before = Some(*corner);
        }
        sum == 0
    }

    /// Names the overlap with the smallest later member, then the smallest earlier one.
    fn culprit(&self) -> ErrorKind {
        for later in 0..self.count {
            if let Some(first) = (0..later).find(|earlier| self.overlap(*earlier, later)) {
                let first = length32(first);
                return ErrorKind::Overlap {
                    member: length32(later),
                    first,
                    last: first,
                };
            }
        }
        ErrorKind::Rule(Violation {
            rule: GAP,
            field: Field::Shape,
            index: 0,
        })
    }

    fn overlap(&self, a: usize, b: usize) -> bool {
        !self.is_empty(a)
            && !self.is_empty(b)
            && (0..self.head.len()).all(|axis| {
                let ((from_a, to_a), (from_b, to_b)) = (self.range(a, axis), self.range(b, axis));
                from_a < to_b && from_b < to_a
            })
    }
}
