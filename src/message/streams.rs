//! Where tensors stand on the streams of a link.

use crate::composite::{Arena, CompositeValidator, Cover, Exact, InlineArena};
use crate::policy::Policy;

/// A stream on which a tensor or composite is open, or room for one.
#[derive(Clone, Debug)]
pub struct StreamSlot<C, A> {
    /// 0 where none is.
    pub(super) stream_id: u32,
    pub(super) phase: Phase,
    pub(super) composites: CompositeValidator<C, A>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Between the members of a composite.
    Between,
    /// The data of a tensor comes, so many bytes of it, or its memory was registered.
    Open {
        total: u64,
        done: u64,
        registered: bool,
    },
    /// The other side sends a tensor, and this one may answer with memory for it.
    Awaited { total: u64, registered: bool },
}

impl<C, A> StreamSlot<C, A> {
    /// Room for a stream, with a way to check covers and room for composites.
    #[must_use]
    pub const fn with_parts(cover: C, arena: A) -> Self {
        StreamSlot {
            stream_id: 0,
            phase: Phase::Between,
            composites: CompositeValidator::with_arena(cover, arena, Policy::STRICT),
        }
    }
}

impl<const W: usize> StreamSlot<Exact, InlineArena<W>> {
    /// Room for a stream with `W` words for composites inside, checking covers exactly.
    #[must_use]
    pub const fn new() -> Self {
        StreamSlot::with_parts(Exact, InlineArena::new())
    }
}

impl<const W: usize> Default for StreamSlot<Exact, InlineArena<W>> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C: Cover, A: Arena> StreamSlot<C, A> {
    /// Makes room again.
    pub(super) fn release(&mut self) {
        self.stream_id = 0;
        self.phase = Phase::Between;
        self.composites.reset();
    }
}

/// Room for streams with open tensors or composites: an array, a borrowed slice, or a vector. The number
/// of places is the number of such streams that a link may have at the same time.
pub trait Streams {
    /// How covers are checked.
    type Cover: Cover;
    /// Where open composites are kept.
    type Arena: Arena;

    /// All places.
    fn slots(&self) -> &[StreamSlot<Self::Cover, Self::Arena>];

    /// All places.
    fn slots_mut(&mut self) -> &mut [StreamSlot<Self::Cover, Self::Arena>];
}

impl<C: Cover, A: Arena> Streams for [StreamSlot<C, A>] {
    type Cover = C;
    type Arena = A;

    fn slots(&self) -> &[StreamSlot<C, A>] {
        self
    }

    fn slots_mut(&mut self) -> &mut [StreamSlot<C, A>] {
        self
    }
}

impl<C: Cover, A: Arena, const N: usize> Streams for [StreamSlot<C, A>; N] {
    type Cover = C;
    type Arena = A;

    fn slots(&self) -> &[StreamSlot<C, A>] {
        self
    }

    fn slots_mut(&mut self) -> &mut [StreamSlot<C, A>] {
        self
    }
}

impl<T: Streams + ?Sized> Streams for &mut T {
    type Cover = T::Cover;
    type Arena = T::Arena;

    fn slots(&self) -> &[StreamSlot<T::Cover, T::Arena>] {
        (**self).slots()
    }

    fn slots_mut(&mut self) -> &mut [StreamSlot<T::Cover, T::Arena>] {
        (**self).slots_mut()
    }
}

#[cfg(feature = "alloc")]
impl<C: Cover, A: Arena> Streams for alloc::vec::Vec<StreamSlot<C, A>> {
    type Cover = C;
    type Arena = A;

    fn slots(&self) -> &[StreamSlot<C, A>] {
        self
    }

    fn slots_mut(&mut self) -> &mut [StreamSlot<C, A>] {
        self
    }
}
