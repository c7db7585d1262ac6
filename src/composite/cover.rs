//! Whether the members of a partition cover their head exactly.
//!
//! Two ways and their combination, all exact in their arithmetic for every shape. `Exact` holds boxes
//! and merges neighbours; disjoint boxes inside the head cover it exactly when their volumes add up to
//! its volume. `Keyed` holds one sum: a set of boxes tiles the head if and only if the formal sums of
//! signed corners agree, and the sum hashes every corner coordinate with a secret key. `docs/cover.md`
//! has the proof. Boxes without elements cover nothing and overlap nothing.

use core::fmt;

use super::boxes;
use super::sum::{Tally, Weigh};
use super::{Arena, grow};
use crate::error::{ErrorKind, Resource};
use crate::model::{Array, U64s};
use crate::rule::Rule;
use crate::wire::index;

/// 128 secret random bits; whoever knows them can forge a partition that `Keyed` accepts.
#[derive(Clone, Copy)]
pub struct Key(pub [u64; 2]);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// Which of the two ways decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Method {
    /// Boxes, without any chance of error.
    Exact,
    /// The keyed sum: a wrong partition passes with probability at most `rank * 2^-61`.
    Keyed,
}

/// What boxes break that overlap nowhere and are no cover.
pub(super) const GAP: Rule = Rule::Gap;

/// A way to check covers; what a build does not name is not linked.
pub trait Cover: sealed::Sealed {
    /// Most boxes that are held.
    #[doc(hidden)]
    const BOXES: u32;
    /// What the sum hashes with, where there is one.
    #[doc(hidden)]
    fn key(&self) -> Option<[u64; 2]>;
}

mod sealed {
    pub trait Sealed {}
}

/// Streaming and exact: tests every box on arrival, names the members that overlap.
///
/// Holds two boxes for row-, column- or reverse-ordered two-dimensional grids of any size, 18 for 512 by 512
/// tiles in Morton order, 14 in Hilbert order; random orders grow with the number of members. What does
/// not fit the arena is a capacity error. A box takes `2 * rank + 1` words, the head `3 * rank + 2`,
/// and 2 more with a private element type.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

/// One pass, constant memory, any order: a keyed sum over corners. Names no members.
///
/// Proves nothing against a sender who knows the key: a device without entropy wants [`Exact`].
#[derive(Clone, Copy, Debug)]
pub struct Keyed(pub Key);

/// [`Exact`] as long as 256 boxes and the arena suffice, [`Keyed`] beyond: linear on every input.
///
/// What it holds stays while nested composites are open: a fixed arena has to have room for their heads.
#[derive(Clone, Copy, Debug)]
pub struct ExactThenKeyed(pub Key);

impl sealed::Sealed for Exact {}
impl sealed::Sealed for Keyed {}
impl sealed::Sealed for ExactThenKeyed {}

impl Cover for Exact {
    const BOXES: u32 = u32::MAX;
    fn key(&self) -> Option<[u64; 2]> {
        None
    }
}

impl Cover for Keyed {
    const BOXES: u32 = 0;
    fn key(&self) -> Option<[u64; 2]> {
        Some(self.0.0)
    }
}

impl Cover for ExactThenKeyed {
    const BOXES: u32 = 256;
    fn key(&self) -> Option<[u64; 2]> {
        Some(self.0.0)
    }
}

/// The box of a member in its head, which it was found to end in; or of a head, which has no offset.
#[derive(Clone, Copy)]
pub(super) struct Boxed<'a> {
    pub(super) offset: U64s<'a>,
    pub(super) shape: U64s<'a>,
}

impl Boxed<'_> {
    /// Tells the start and size on each axis.
    #[inline(always)]
    pub(super) fn each(&self, mut tell: impl FnMut(u64, u64)) {
        if let (Array::Le(offset), Array::Le(shape)) = (self.offset, self.shape) {
            // the commonest, which one counter is enough for
            let (offset, shape) = (offset.as_chunks().0, shape.as_chunks().0);
            for (from, size) in offset.iter().zip(shape) {
                tell(u64::from_le_bytes(*from), u64::from_le_bytes(*size));
            }
            return;
        }
        let mut offset = self.offset.iter();
        for size in self.shape {
            tell(offset.next().unwrap_or(0), size);
        }
    }
}

/// The words of the innermost level in the arena: its head's shape from `base`, its cover from `at` to
/// the end.
///
/// The cover has a tally and, where boxes are held, the boxes behind it. They need the tally only when
/// they end; before, its words hold the box that arrives.
pub(super) struct Place<'a, A> {
    pub(super) arena: &'a mut A,
    pub(super) base: usize,
    pub(super) at: usize,
    pub(super) rank: usize,
}

impl<A: Arena> Place<'_, A> {
    /// The words of the cover before and from its word `n`.
    #[inline]
    fn split(&mut self, n: usize) -> (&mut [u64], &mut [u64]) {
        let words = self.arena.words_mut().get_mut(self.at..);
        words
            .and_then(|words| words.split_at_mut_checked(n))
            .unwrap_or_default()
    }

    fn resize(&mut self, len: usize) -> Result<(), ErrorKind> {
        grow(self.arena, self.at.wrapping_add(len))
    }
}

/// What a level knows of its cover besides its words in the arena.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CoverState {
    /// Limbs of a volume.
    limbs: u8,
    /// No boxes: the tally goes on from member to member.
    sum_only: bool,
}

impl CoverState {
    /// Starts with the whole head uncovered.
    pub(super) fn open<C: Cover, A: Arena>(
        cover: &C,
        mut place: Place<'_, A>,
        head: U64s<'_>,
    ) -> Result<Self, ErrorKind> {
        // a product has at most the bits of its factors together
        let bits = head.iter().fold(0u32, |bits, size| {
            bits.wrapping_add(64u32.wrapping_sub(size.leading_zeros()))
        });
        let state = CoverState {
            limbs: u8::try_from(bits.div_ceil(64).max(1)).unwrap_or(u8::MAX),
            sum_only: C::BOXES == 0,
        };
        let work = state.work::<C>(place.rank);
        place.resize(work)?;
        if let (0, Some(key)) = (C::BOXES, cover.key()) {
            let (work, _) = place.split(work);
            work.fill(0);
            let head = Boxed {
                offset: U64s::EMPTY,
                shape: head,
            };
            state.sum(key, work, &head, true);
        }
        Ok(state)
    }

    /// Words before the boxes: a tally, or the arriving box, which is never longer than `rank` limbs ask.
    fn work<C: Cover>(&self, rank: usize) -> usize {
        let limbs = usize::from(self.limbs);
        Tally::len(if C::BOXES > 0 { rank.max(limbs) } else { limbs })
    }

    fn tally<'a>(&self, work: &'a mut [u64]) -> Tally<'a> {
        Tally::new(work, self.limbs.into())
    }

    pub(super) fn method(&self) -> Method {
        if self.sum_only {
            Method::Keyed
        } else {
            Method::Exact
        }
    }

    /// Adds the box of member `member`. An overlap that is found changes nothing.
    #[inline(always)]
    pub(super) fn add<C: Cover, A: Arena>(
        &mut self,
        cover: &C,
        mut place: Place<'_, A>,
        boxed: &Boxed<'_>,
        member: u32,
    ) -> Result<(), ErrorKind> {
        let work = self.work::<C>(place.rank);
        if C::BOXES > 0 && !self.sum_only {
            let most = index(C::BOXES).saturating_mul(boxes::len(place.rank));
            let Err(error) = hold(&mut place, work, most, boxed, member) else {
                return Ok(());
            };
            let (true, Some(key)) = (matches!(error, ErrorKind::Capacity { .. }), cover.key())
            else {
                return Err(error);
            };
            // what was merged has the same sum as its parts
            self.sum_only = true;
            self.settle(key, &mut place, work);
            place.resize(work)?;
        }
        if let Some(key) = cover.key() {
            let (work, _) = place.split(work);
            self.sum(key, work, boxed, false);
        }
        Ok(())
    }

    /// Counts a member, or the head, which is `negative`.
    #[inline(never)]
    fn sum(&self, key: [u64; 2], work: &mut [u64], boxed: &Boxed<'_>, negative: bool) {
        self.tally(work).count(key, negative, |term| {
            boxed.each(|from, size| term.axis(from, size));
        });
    }

    /// The verdict when all members are there: COMP-42 or COMP-43.
    pub(super) fn close<C: Cover, A: Arena>(
        &self,
        cover: &C,
        mut place: Place<'_, A>,
    ) -> Result<(), Rule> {
        let work = self.work::<C>(place.rank);
        if C::BOXES > 0 && !self.sum_only {
            self.settle((), &mut place, work);
        }
        let (work, _) = place.split(work);
        let tally = self.tally(work);
        let covered = if self.sum_only && cover.key().is_some() {
            tally.sums_agree()
        } else {
            tally.is_equal()
        };
        match covered {
            true => Ok(()),
            false if tally.is_less() => Err(GAP),
            // as much as the head or more, and not exactly the head: something is covered twice
            false => Err(Rule::Overlap),
        }
    }

    /// Makes a tally of the head and the boxes that are held.
    #[cold]
    fn settle<K: Weigh, A: Arena>(&self, key: K, place: &mut Place<'_, A>, work: usize) {
        let (base, rank) = (place.base, place.rank);
        let words = place.arena.words_mut().get_mut(base..).unwrap_or_default();
        let (head, cover) = words
            .split_at_mut_checked(place.at.wrapping_sub(base))
            .unwrap_or_default();
        let (work, held) = cover.split_at_mut_checked(work).unwrap_or_default();
        let mut tally = self.tally(work);
        let shape = head.get(..rank).unwrap_or(&[]);
        tally.start(key, |term| {
            shape.iter().for_each(|size| term.axis(0, *size));
        });
        let mut rest: &[u64] = held;
        while let Some((one, behind)) = rest.split_at_checked(boxes::len(rank)) {
            tally.count(key, false, |term| {
                boxes::each(one, |from, size| term.axis(from, size));
            });
            rest = behind;
        }
    }
}

/// Adds a box to those that are held, if there is room for it among `most` words.
#[inline(always)]
fn hold<A: Arena>(
    place: &mut Place<'_, A>,
    work: usize,
    most: usize,
    boxed: &Boxed<'_>,
    member: u32,
) -> Result<(), ErrorKind> {
    let len = boxes::len(place.rank);
    let (slot, held) = place.split(work);
    let slot = slot.get_mut(..len).unwrap_or_default();
    let before = held.len();
    let others = if let Some(both) = boxes::continues(held, len, boxed) {
        boxes::grow(held, len, both, member)
    } else if boxes::write(slot, boxed, member) {
        boxes::merge(slot, held)
    } else {
        return Ok(());
    };
    let others = others.map_err(|(first, last)| ErrorKind::Overlap {
        member,
        first,
        last,
    })?;
    let after = others.wrapping_add(len);
    if after == before {
        return Ok(());
    }
    if after > most {
        return Err(NO_ROOM);
    }
    place.resize(work.wrapping_add(after))?;
    if after > before {
        let (slot, held) = place.split(work);
        let new = held.get_mut(before..).unwrap_or_default();
        boxes::copy(slot, new);
    }
    Ok(())
}

/// Never reported: only where a sum goes on instead.
const NO_ROOM: ErrorKind = ErrorKind::Capacity {
    what: Resource::Arena,
    needed: 0,
    available: 0,
};
