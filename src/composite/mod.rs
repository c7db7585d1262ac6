//! Composites: a data-less head and the members that follow it.
//!
//! Depends on the model of one descriptor. Guarantees that a partition is accepted only if its members
//! cover the head exactly, for every shape that 64-bit dimensions can express, and that storage follows
//! from what arrived, never from `member_count`. Never sees payload and knows no positions.

mod arena;
mod boxes;
pub mod corners;
mod cover;
mod member;
mod sum;

use heapless::Vec;

pub use arena::{Arena, InlineArena};
pub use cover::{Cover, Exact, ExactThenKeyed, Key, Keyed, Method};

use crate::error::{ErrorKind, Field, Resource, Violation};
use crate::frame::Full;
use crate::model::{CompositeHead, Fields, Layout};
use crate::policy::{Mode, Policy};
use crate::rule::Rule;
use crate::wire::length;
use crate::wire::tag::{CompositionRule, ElementType};
use cover::{Boxed, CoverState, Place};
use member::{count, extension_words, no_role, require};

/// Deepest nesting of heads.
pub const MAX_COMPOSITE_DEPTH: usize = 8;

/// The place of an item among composites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Outcome {
    /// A tensor outside every composite.
    Plain,
    /// A head: its members follow.
    Opened {
        /// Levels that are open now, this one included.
        depth: u8,
        /// Items that follow and belong to it.
        members: u32,
        /// Its index in the enclosing composite, if there is one.
        index: Option<u32>,
    },
    /// A tensor in a composite that goes on.
    Member {
        /// Levels that are open.
        depth: u8,
        /// Its index in the innermost one.
        index: u32,
    },
    /// The end of an item that was the last member of one or more composites.
    Closed {
        /// How many levels close.
        levels: u8,
        /// The rule that keeps the composite from being whole; only permissive mode gets here with one.
        complete: Result<(), Rule>,
        /// How the partitions among them were checked: keyed if one of them was.
        method: Option<Method>,
    },
}

/// Why an item or an end was refused, without a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SetError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// [`Fields::origin`] of the descriptor that the kind speaks of: the item itself, or the head of the
    /// composite that should have closed.
    pub origin: u64,
}

impl core::fmt::Display for SetError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.kind.fmt(f)
    }
}

impl core::error::Error for SetError {}

/// An open composite. Its head's shape and what its cover needs are in the arena, from `base` on.
#[derive(Clone, Copy, Debug)]
struct Level {
    origin: u64,
    declared: u32,
    /// Members that were begun.
    begun: u32,
    /// Words of the arena below this level.
    base: usize,
    rule: CompositionRule,
    element_type: ElementType,
    rank: u8,
    /// Why it cannot be whole (permissive mode).
    broken: Option<Rule>,
    cover: CoverState,
}

/// Words of the extension type section of a head with a private type.
const EXTENSION_WORDS: usize = 2;

impl Level {
    /// Partitions and overlays compare their members with the head; groups and private rules do not.
    fn is_spatial(&self) -> bool {
        matches!(
            self.rule,
            CompositionRule::Partition | CompositionRule::Overlay
        )
    }

    fn extension_words(&self) -> usize {
        if self.element_type.is_private() {
            EXTENSION_WORDS
        } else {
            0
        }
    }

    /// Where the cover's words start.
    fn cover_at(&self) -> usize {
        let shape = usize::from(self.rank);
        self.base
            .wrapping_add(shape)
            .wrapping_add(self.extension_words())
    }

    fn place<'a, A>(&self, arena: &'a mut A) -> Place<'a, A> {
        Place {
            arena,
            base: self.base,
            at: self.cover_at(),
            rank: self.rank.into(),
        }
    }
}

/// Checks items in the order of their descriptors: binding, members, covers, torn composites.
///
/// Call [`begin`](Self::begin) with each descriptor, [`end`](Self::end) when its data is through, and
/// [`finish`](Self::finish) at the end of the input. A refused item leaves the state as it was, but after
/// a capacity error only [`reset`](Self::reset) goes on.
///
/// ```
/// use hrry::{
///     BufferHandle, CombineOp, CompositeHead, CompositionRule, DescriptorSpec, ElementType,
///     ErrorKind, FixedComposite, Layout, Outcome, Policy, Shard,
/// };
///
/// let head = CompositeHead {
///     composition_rule: CompositionRule::Partition,
///     combine_op: CombineOp::None,
///     member_count: 2,
/// };
/// let head = DescriptorSpec::new(ElementType::Float32, &[8, 8], Layout::Composite(head), &[]);
/// let buffers = [BufferHandle::cpu(128, 64)];
/// let tile = DescriptorSpec::new(ElementType::Float32, &[8, 4], Layout::RowMajor, &buffers);
/// let at = |offset| DescriptorSpec {
///     shard: Some(Shard { parent_shape: (&[8, 8]).into(), shard_offset: offset }),
///     ..tile
/// };
///
/// let mut validator = FixedComposite::<64>::new(Policy::STRICT);
/// assert!(matches!(validator.begin(&head)?, Outcome::Opened { members: 2, .. }));
/// validator.end()?;
/// validator.begin(&at((&[0, 0]).into()))?;
/// validator.end()?;
/// // the same place again
/// let error = validator.begin(&at((&[0, 0]).into())).unwrap_err();
/// assert_eq!(error.kind, ErrorKind::Overlap { member: 1, first: 0, last: 0 });
/// // the place that is left
/// validator.begin(&at((&[0, 4]).into()))?;
/// assert!(matches!(validator.end()?, Outcome::Closed { levels: 1, complete: Ok(()), .. }));
/// validator.finish()?;
/// # Ok::<(), hrry::SetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CompositeValidator<C, A> {
    cover: C,
    arena: A,
    levels: Vec<Level, MAX_COMPOSITE_DEPTH>,
    mode: Mode,
    max_members: u32,
    /// Whether an item was begun and not ended.
    open: bool,
}

/// A validator with `W` words inside that checks covers exactly.
pub type FixedComposite<const W: usize> = CompositeValidator<Exact, InlineArena<W>>;

impl<const W: usize> FixedComposite<W> {
    /// A validator outside every composite.
    #[must_use]
    pub const fn new(policy: Policy) -> Self {
        CompositeValidator::with_arena(Exact, InlineArena::new(), policy)
    }
}

impl<C, A> CompositeValidator<C, A> {
    /// A validator outside every composite, with a way to check covers and room for it.
    #[must_use]
    pub const fn with_arena(cover: C, arena: A, policy: Policy) -> Self {
        CompositeValidator {
            cover,
            arena,
            levels: Vec::new(),
            mode: policy.mode,
            max_members: policy.max_members,
            open: false,
        }
    }

    /// How many composites are open.
    #[must_use]
    pub fn depth(&self) -> u8 {
        u8::try_from(self.levels.len()).unwrap_or(u8::MAX)
    }

    /// Tells whether the input may end here.
    ///
    /// # Errors
    ///
    /// COMP-48 inside a composite, as [`ErrorKind::Torn`].
    pub fn finish(&self) -> Result<(), SetError> {
        let Some(level) = self.levels.last() else {
            return Ok(());
        };
        Err(SetError {
            kind: ErrorKind::Torn {
                level: self.depth(),
                declared: level.declared,
                seen: level.begun.saturating_sub(self.open.into()),
            },
            origin: level.origin,
        })
    }
}

impl<C: Cover, A: Arena> CompositeValidator<C, A> {
    /// Forgets all open composites.
    pub fn reset(&mut self) {
        self.levels.clear();
        // shrinking cannot fail
        let _ = self.arena.resize(0);
        self.open = false;
    }

    /// Takes the next descriptor.
    ///
    /// # Errors
    ///
    /// COMP-20, the per-member rules COMP-23 to COMP-34 and COMP-57, COMP-42 where the method finds an
    /// overlap on arrival, COMP-49 where the item before was not ended; a capacity.
    pub fn begin<F: Fields + ?Sized>(&mut self, d: &F) -> Result<Outcome, SetError> {
        let origin = d.origin();
        let refuse = |kind: ErrorKind| SetError { kind, origin };
        let room = self
            .levels
            .last()
            .is_none_or(|level| level.begun < level.declared);
        count(room && !self.open).map_err(|v| refuse(v.into()))?;
        let layout = d.layout();
        let head = match &layout {
            Layout::Composite(head) => Some(head),
            _ => None,
        };
        if let Some(head) = head {
            self.may_open(head).map_err(refuse)?;
        }
        let index = match self.levels.last().copied() {
            Some(level) => {
                self.member(d, &layout, level).map_err(refuse)?;
                Some(level.begun)
            }
            None => None,
        };
        self.open = true;
        let outcome = match (head, index) {
            (Some(head), index) => {
                self.push(d, head).map_err(refuse)?;
                Outcome::Opened {
                    depth: self.depth(),
                    members: head.member_count,
                    index,
                }
            }
            (None, Some(index)) => Outcome::Member {
                depth: self.depth(),
                index,
            },
            (None, None) => Outcome::Plain,
        };
        Ok(outcome)
    }

    /// Ends the item that was begun last; a composite closes at the end of its last member, one without
    /// members at the end of its head.
    ///
    /// # Errors
    ///
    /// COMP-43 and, where the method finds overlaps at the close, COMP-42; COMP-49 without an item.
    pub fn end(&mut self) -> Result<Outcome, SetError> {
        let refuse = |kind, origin| SetError { kind, origin };
        count(self.open).map_err(|v| refuse(v.into(), 0))?;
        let mut levels = 0u8;
        let mut complete = Ok(());
        let mut method = None;
        while let Some(level) = self.levels.last_mut() {
            // an incomplete member leaves nothing whole around it
            level.broken = level.broken.or(complete.err());
            if level.begun < level.declared {
                break;
            }
            let level = *level;
            let closed = self.close(&level, &mut method);
            complete = match (closed, self.mode) {
                (Err(rule), Mode::Strict) => {
                    let violation = Violation {
                        rule,
                        field: Field::Shape,
                        index: 0,
                    };
                    return Err(refuse(violation.into(), level.origin));
                }
                (closed, _) => closed,
            };
            self.levels.pop();
            // shrinking cannot fail
            let _ = self.arena.resize(level.base);
            levels = levels.wrapping_add(1);
        }
        self.open = false;
        Ok(match self.levels.last() {
            _ if levels > 0 => Outcome::Closed {
                levels,
                complete,
                method,
            },
            Some(level) if level.begun > 0 => Outcome::Member {
                depth: self.depth(),
                index: level.begun.wrapping_sub(1),
            },
            Some(level) => Outcome::Opened {
                depth: self.depth(),
                members: level.declared,
                index: self.enclosing_index(),
            },
            None => Outcome::Plain,
        })
    }

    /// Index of the innermost open composite in the one around it.
    fn enclosing_index(&self) -> Option<u32> {
        let around = self.levels.len().checked_sub(2)?;
        Some(self.levels.get(around)?.begun.wrapping_sub(1))
    }

    fn may_open(&self, head: &CompositeHead) -> Result<(), ErrorKind> {
        let deep = self.levels.is_full();
        require(!deep, Rule::CompositeDepth, Field::LayoutTag, 0)?;
        if head.member_count > self.max_members {
            return Err(ErrorKind::Capacity {
                what: Resource::Members,
                needed: head.member_count.into(),
                available: self.max_members.into(),
            });
        }
        Ok(())
    }

    fn member<F: Fields + ?Sized>(
        &mut self,
        d: &F,
        layout: &Layout<'_>,
        level: Level,
    ) -> Result<(), ErrorKind> {
        let mut broken = None;
        if matches!(layout, Layout::Unknown(_)) {
            let rule = Rule::MemberUnreadable;
            if self.mode == Mode::Strict {
                require(false, rule, Field::LayoutTag, 0)?;
            }
            broken = Some(rule);
        } else if level.is_spatial() {
            self.spatial(d, layout, &level)?;
        } else if level.rule == CompositionRule::Group {
            no_role(d)?;
        }
        if level.rule == CompositionRule::Partition
            && level.broken.or(broken).is_none()
            && let Some(shard) = d.shard()
        {
            let boxed = Boxed {
                offset: shard.shard_offset,
                shape: d.shape(),
            };
            broken = self.cover(&boxed, &level)?;
        }
        if let Some(last) = self.levels.last_mut() {
            last.begun = level.begun.wrapping_add(1);
            last.broken = last.broken.or(broken);
        }
        Ok(())
    }

    /// Adds the box of a member; the rule it breaks where permissive mode goes on.
    fn cover(&mut self, boxed: &Boxed<'_>, level: &Level) -> Result<Option<Rule>, ErrorKind> {
        let mut state = level.cover;
        let place = level.place(&mut self.arena);
        let added = state.add(&self.cover, place, boxed, level.begun);
        if let Some(last) = self.levels.last_mut() {
            last.cover = state;
        }
        match (added, self.mode) {
            (Err(kind @ ErrorKind::Overlap { .. }), Mode::Permissive) => Ok(kind.rule()),
            (added, _) => added.map(|()| None),
        }
    }

    fn push<F: Fields + ?Sized>(&mut self, d: &F, head: &CompositeHead) -> Result<(), ErrorKind> {
        let base = self.arena.words().len();
        let mut level = Level {
            origin: d.origin(),
            declared: head.member_count,
            begun: 0,
            base,
            rule: head.composition_rule,
            element_type: d.element_type(),
            rank: 0,
            broken: None,
            cover: CoverState::default(),
        };
        if level.is_spatial() {
            let shape = d.shape();
            level.rank = u8::try_from(shape.len()).unwrap_or(u8::MAX);
            grow(&mut self.arena, level.cover_at())?;
            let words = self.arena.words_mut().get_mut(base..).unwrap_or(&mut []);
            let extension = d
                .extension_type()
                .map(|e| extension_words(&e))
                .unwrap_or_default();
            for (word, value) in words.iter_mut().zip(shape.iter().chain(extension)) {
                *word = value;
            }
            if level.rule == CompositionRule::Partition {
                level.cover = CoverState::open(&self.cover, level.place(&mut self.arena))?;
            }
        }
        // may_open saw a free level
        let _ = self.levels.push(level);
        Ok(())
    }

    /// The verdict over a composite whose members are all there.
    fn close(&mut self, level: &Level, method: &mut Option<Method>) -> Result<(), Rule> {
        let partition = level.rule == CompositionRule::Partition;
        if partition {
            *method = (*method).max(Some(level.cover.method()));
        }
        match level.broken {
            Some(rule) => Err(rule),
            None if partition => {
                let place = level.place(&mut self.arena);
                level.cover.close(&self.cover, place)
            }
            None => Ok(()),
        }
    }
}

/// Makes the arena `len` words long.
fn grow<A: Arena>(arena: &mut A, len: usize) -> Result<(), ErrorKind> {
    arena.resize(len).map_err(|Full| ErrorKind::Capacity {
        what: Resource::Arena,
        needed: length(len),
        available: length(arena.capacity()),
    })
}
