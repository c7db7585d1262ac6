//! Composites: a data-less head and the members that follow it.
//!
//! Depends on the model of one descriptor. Guarantees that a partition is accepted only if its members
//! cover the head exactly, for every shape that 64-bit dimensions can express, and that storage follows
//! from what arrived, never from `member_count`. Never sees payload and knows no positions.

mod arena;
mod boxes;
pub mod corners;
mod cover;
mod grid;
mod level;
mod outcome;
mod sum;

use heapless::Vec;

pub use arena::{Arena, InlineArena, SliceArena};
pub use cover::{Cover, Exact, ExactThenKeyed, Key, Keyed, Method};
pub use grid::Grid;
pub use outcome::{Outcome, SetError};

use crate::error::{ErrorKind, Field, Resource, Violation};
use crate::frame::NoRoom;
use crate::model::{CompositeHead, Fields, Layout};
use crate::policy::{Mode, Policy};
use crate::rule::Rule;
use crate::wire::length;
use crate::wire::tag::CompositionRule;
use cover::CoverState;
use level::{Level, extension_words, require};

/// Deepest nesting of heads.
pub const MAX_COMPOSITE_DEPTH: usize = 8;

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

    /// Takes the choices of a policy, outside every composite.
    pub(crate) const fn adopt(&mut self, policy: &Policy) {
        self.mode = policy.mode;
        self.max_members = policy.max_members;
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
    /// COMP-48 inside a composite, as [`ErrorKind::Torn`]; COMP-49 where the item before was not ended.
    pub fn finish(&self) -> Result<(), SetError> {
        let Some(level) = self.levels.last() else {
            return turn(!self.open);
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

    /// Takes the next descriptor. It need not have been checked on its own, but the rules of a single
    /// descriptor are not looked at here, except that a member of a partition or overlay lies inside its
    /// head.
    ///
    /// # Errors
    ///
    /// COMP-20, the per-member rules COMP-23 to COMP-34 and COMP-57, SHARD-01, COMP-42 where the method
    /// finds an overlap on arrival, COMP-49 where the item before was not ended; a capacity.
    pub fn begin<F: Fields + ?Sized>(&mut self, d: &F) -> Result<Outcome, SetError> {
        self.take(d).map_err(|kind| SetError {
            kind,
            origin: d.origin(),
        })
    }

    /// Ends the item that was begun last; a composite closes at the end of its last member, one without
    /// members at the end of its head. An end that is refused is still to come.
    ///
    /// # Errors
    ///
    /// COMP-43 and, where the method finds overlaps at the close, COMP-42; COMP-49 without an item.
    pub fn end(&mut self) -> Result<Outcome, SetError> {
        turn(self.open)?;
        let outcome = match self.levels.last() {
            Some(level) if level.begun == level.declared => self.close()?,
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
        };
        self.open = false;
        Ok(outcome)
    }

    #[inline(always)]
    fn take<F: Fields + ?Sized>(&mut self, d: &F) -> Result<Outcome, ErrorKind> {
        let layout = d.layout();
        let deep = self.levels.is_full();
        let around = self.levels.last_mut();
        let room = around
            .as_ref()
            .is_none_or(|level| level.begun < level.declared);
        in_turn(room && !self.open)?;
        if let Layout::Composite(head) = &layout {
            require(!deep, Rule::CompositeDepth, Field::LayoutTag, 0)?;
            few(head.member_count, self.max_members)?;
        }
        let mut index = None;
        if let Some(level) = around {
            index = Some(level.begun);
            let mut broken = None;
            if matches!(layout, Layout::Unknown(_)) {
                let rule = Rule::MemberUnreadable;
                require(self.mode == Mode::Permissive, rule, Field::LayoutTag, 0)?;
                broken = Some(rule);
            } else if level.is_spatial() {
                let boxed = level.spatial(d, &layout, self.arena.words())?;
                if level.rule == CompositionRule::Overlay {
                    level.overlay_role(d.member_role(), &boxed, self.arena.words())?;
                } else {
                    level.bare(d)?;
                    if level.broken.is_none() {
                        let place = level.place(&mut self.arena);
                        let added = level.cover.add(&self.cover, place, &boxed, level.begun);
                        if let Err(kind) = added {
                            broken = Some(overlap(kind, self.mode)?);
                        }
                    }
                }
            } else {
                level.bare(d)?;
            }
            level.begun = level.begun.wrapping_add(1);
            level.broken = level.broken.or(broken);
        }
        self.open = true;
        if let Layout::Composite(head) = &layout {
            self.push(d, head)?;
            return Ok(Outcome::Opened {
                depth: self.depth(),
                members: head.member_count,
                index,
            });
        }
        Ok(index.map_or(Outcome::Plain, |index| Outcome::Member {
            depth: self.depth(),
            index,
        }))
    }

    /// Index of the innermost open composite in the one around it.
    fn enclosing_index(&self) -> Option<u32> {
        let around = self.levels.len().checked_sub(2)?;
        Some(self.levels.get(around)?.begun.wrapping_sub(1))
    }

    fn push<F: Fields + ?Sized>(&mut self, d: &F, head: &CompositeHead) -> Result<(), ErrorKind> {
        let base = self.arena.words().len();
        let mut level = Level::new(d, head, base);
        if level.is_spatial() {
            let shape = d.shape();
            level.rank = u8::try_from(shape.len()).unwrap_or(u8::MAX);
            grow(&mut self.arena, level.cover_at())?;
            let words = self.arena.words_mut().get_mut(base..).unwrap_or(&mut []);
            let rank = shape.copy_to(words);
            if let (Some(rest), Some(extension)) = (words.get_mut(rank..), extension_words(d)) {
                boxes::copy(&extension, rest);
            }
            if level.rule == CompositionRule::Partition {
                let place = level.place(&mut self.arena);
                level.cover = CoverState::open(&self.cover, place, shape)?;
            }
        }
        // `take` saw a free level
        let _ = self.levels.push(level);
        Ok(())
    }

    /// Closes the innermost composite, whose members are all there, and those that it was the last
    /// member of.
    #[cold]
    fn close(&mut self) -> Result<Outcome, SetError> {
        let mut levels = 0u8;
        let mut complete = Ok(());
        let mut method = None;
        while let Some(level) = self.levels.last_mut() {
            // an incomplete member leaves nothing whole around it
            level.broken = level.broken.or(complete.err());
            if level.begun < level.declared {
                break;
            }
            complete = level.broken.map_or(Ok(()), Err);
            if level.rule == CompositionRule::Partition {
                method = method.max(Some(level.cover.method()));
                let place = level.place(&mut self.arena);
                complete = complete.and_then(|()| level.cover.close(&self.cover, place));
            }
            if let (Err(rule), Mode::Strict) = (complete, self.mode) {
                let violation = Violation {
                    rule,
                    field: Field::Shape,
                    index: 0,
                };
                return Err(SetError {
                    kind: violation.into(),
                    origin: level.origin,
                });
            }
            // shrinking cannot fail
            let _ = self.arena.resize(level.base);
            self.levels.pop();
            levels = levels.wrapping_add(1);
        }
        Ok(Outcome::Closed {
            levels,
            complete,
            method,
        })
    }
}

/// COMP-49: items are begun and ended in turn, and a composite takes no more than it announced.
fn in_turn(holds: bool) -> Result<(), Violation> {
    require(holds, Rule::MemberCount, Field::MemberCount, 0)
}

/// As [`in_turn`], where no descriptor is at fault.
fn turn(holds: bool) -> Result<(), SetError> {
    in_turn(holds).map_err(|violation| SetError {
        kind: violation.into(),
        origin: 0,
    })
}

fn few(members: u32, most: u32) -> Result<(), ErrorKind> {
    if members <= most {
        return Ok(());
    }
    Err(ErrorKind::Capacity {
        what: Resource::Members,
        needed: members.into(),
        available: most.into(),
    })
}

/// The rule that an overlap breaks, where permissive mode goes on.
fn overlap(kind: ErrorKind, mode: Mode) -> Result<Rule, ErrorKind> {
    match (kind.rule(), mode) {
        (Some(rule), Mode::Permissive) => Ok(rule),
        _ => Err(kind),
    }
}

/// Makes the arena `len` words long.
fn grow<A: Arena>(arena: &mut A, len: usize) -> Result<(), ErrorKind> {
    arena.resize(len).map_err(|NoRoom| ErrorKind::Capacity {
        what: Resource::Arena,
        needed: length(len),
        // one that grows may fail below its capacity
        available: length(arena.capacity().min(len.saturating_sub(1))),
    })
}
