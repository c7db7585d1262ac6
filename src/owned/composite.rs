//! Composites: descriptors alone, and containers of items.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::descriptor::TensorDescriptor;
use super::item::Items;
use super::{Error, Item};
use crate::address::SubBox;
use crate::composite::{self, Exact, Grid, Outcome, SetError};
use crate::descriptor::DescriptorSpec;
use crate::error::ErrorKind;
use crate::model::{Fields, Layout};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::tag::CompositionRule;
use crate::wire::{index, length32};

/// The core's validator with growing memory, checking covers exactly.
pub type CompositeValidator = composite::CompositeValidator<Exact, Vec<u64>>;

/// A head and the descriptors of its members, without data.
///
/// ```
/// use hrry::owned::composite::CompositeTensor;
/// use hrry::owned::layout::{CompositeLayout, CompositionRule, LayoutDescriptor};
/// use hrry::owned::{BufferHandle, ElementType, Error, Shape, ShardDescriptor, TensorDescriptor};
///
/// let head = TensorDescriptor::builder(ElementType::UInt8, Shape::new(vec![8])?)
///     .layout(LayoutDescriptor::Composite(CompositeLayout::new(CompositionRule::Partition, 2)?))
///     .build()?;
/// let tile = |offset| TensorDescriptor::builder(ElementType::UInt8, Shape::new(vec![4])?)
///     .buffer(BufferHandle::cpu(4, 64))
///     .shard(ShardDescriptor::new(vec![8], vec![offset])?)
///     .build();
/// let whole = CompositeTensor::new(head.clone(), vec![tile(0)?, tile(4)?])?;
/// assert_eq!(whole.member_count(), 2);
/// let error = CompositeTensor::new(head, vec![tile(0)?, tile(3)?]).unwrap_err();
/// assert_eq!(error, Error::CompositePartitionOverlap { a: 0, b: 1 });
/// # Ok::<(), hrry::owned::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompositeTensor {
    head: TensorDescriptor,
    members: Vec<TensorDescriptor>,
}

impl CompositeTensor {
    /// A composite whose members keep every rule. They stand in the order of a stream: behind the head of
    /// a nested composite come its own members.
    ///
    /// # Errors
    ///
    /// [`Error::HeadExpected`]; [`Error::CompositeMemberCountMismatch`]; what the validator refuses:
    /// COMP-20, COMP-23 to COMP-34 and SHARD-01 of a member, COMP-42 and COMP-43 of a partition.
    pub fn new(head: TensorDescriptor, members: Vec<TensorDescriptor>) -> Result<Self, Error> {
        validate(&head, members.iter())?;
        Ok(CompositeTensor { head, members })
    }

    /// The head.
    #[must_use]
    pub const fn head(&self) -> &TensorDescriptor {
        &self.head
    }

    /// How many members the head has; those of nested composites are theirs.
    #[must_use]
    pub fn member_count(&self) -> usize {
        index(declared(&self.head))
    }

    /// All descriptors behind the head, in the order of a stream.
    #[must_use]
    pub fn members(&self) -> &[TensorDescriptor] {
        &self.members
    }
}

/// A composite with its data: a head, and members that are tensors or composites themselves. It is a
/// container and never a tensor: it has no buffers and no values of its own.
///
/// ```
/// use hrry::owned::layout::{CompositeLayout, CompositionRule, LayoutDescriptor};
/// use hrry::owned::{Composite, ElementType, Error, Item, ItemReader, Shape, TensorDescriptor};
/// use hrry::Policy;
///
/// let group = |members| TensorDescriptor::builder(ElementType::UInt8, Shape::new(vec![1])?)
///     .layout(LayoutDescriptor::Composite(CompositeLayout::new(CompositionRule::Group, members)?))
///     .build();
/// let inner = Composite::new(group(0)?, vec![])?;
/// let outer = Item::from(Composite::new(group(1)?, vec![inner.into()])?);
///
/// let stream = outer.encode_to_vec()?;
/// let mut reader = ItemReader::new(Policy::STRICT);
/// assert_eq!(reader.next_item(&mut &stream[..])?, Some(outer));
/// reader.finish()?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composite {
    head: TensorDescriptor,
    members: Vec<Item>,
    complete: Result<(), Rule>,
    /// How the members of a partition lie, if they are a grid.
    grid: Option<Box<Grid>>,
}

impl Composite {
    /// A composite whose members keep every rule.
    ///
    /// # Errors
    ///
    /// As [`CompositeTensor::new`].
    pub fn new(head: TensorDescriptor, members: Vec<Item>) -> Result<Self, Error> {
        validate(&head, Items::of(&members).map(|node| node.descriptor()))?;
        Ok(Composite::assembled(head, members, Ok(())))
    }

    /// A composite that a validator watched over as it came.
    pub(super) fn assembled(
        head: TensorDescriptor,
        members: Vec<Item>,
        complete: Result<(), Rule>,
    ) -> Self {
        let grid = complete.ok().filter(|()| is_partition(&head));
        let grid = grid.and_then(|()| Grid::of(members.len(), |k| member(&members, k)));
        let grid = grid.map(Box::new);
        Composite {
            head,
            members,
            complete,
            grid,
        }
    }

    /// The head.
    #[must_use]
    pub const fn head(&self) -> &TensorDescriptor {
        &self.head
    }

    /// The members, in order.
    #[must_use]
    pub fn members(&self) -> &[Item] {
        &self.members
    }

    /// Calls with each member that a box of the head may reach into, in order: all of them where they are
    /// no grid.
    pub(super) fn each_in(
        &self,
        part: SubBox<'_>,
        mut take: impl FnMut(usize, &Item) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut take = |k| self.members.get(k).map_or(Ok(()), |item| take(k, item));
        match &self.grid {
            Some(grid) => {
                let member = |k| member(&self.members, k);
                grid.each_in(member, part.offset, part.shape, take)
            }
            None => (0..self.members.len()).try_for_each(&mut take),
        }
    }

    /// How many members there are.
    #[must_use]
    pub fn member_count(&self) -> usize {
        self.members.len()
    }

    /// Whether the members make a whole. Only a permissive reader exposes what does not, with the rule
    /// that is broken in it, or in a composite that ends at the same place.
    pub const fn complete(&self) -> Result<(), Rule> {
        self.complete
    }

    /// Head and members apart.
    #[must_use]
    pub fn into_parts(self) -> (TensorDescriptor, Vec<Item>) {
        (self.head, self.members)
    }
}

fn member(members: &[Item], k: usize) -> Option<&TensorDescriptor> {
    members.get(k).map(Item::descriptor)
}

fn is_partition(head: &TensorDescriptor) -> bool {
    match head.layout() {
        Layout::Composite(head) => head.composition_rule == CompositionRule::Partition,
        _ => false,
    }
}

/// An open composite: its head and the members that came.
struct Level<'a> {
    head: &'a TensorDescriptor,
    members: Vec<&'a TensorDescriptor>,
}

/// Takes a head and everything behind it through the core's validator.
fn validate<'a>(
    head: &'a TensorDescriptor,
    members: impl Iterator<Item = &'a TensorDescriptor>,
) -> Result<(), Error> {
    if !head.is_head() {
        return Err(Error::HeadExpected);
    }
    let mut validator = CompositeValidator::growing(Policy::STRICT);
    let mut levels: Vec<Level<'a>> = Vec::new();
    let mut surplus = 0u32;
    for d in core::iter::once(head).chain(members) {
        if validator.depth() == 0 && !levels.is_empty() {
            surplus = surplus.saturating_add(1);
            continue;
        }
        validator
            .begin(d)
            .map_err(|error| name(error.kind, &levels, d))?;
        if let Some(level) = levels.last_mut() {
            level.members.push(d);
        }
        if d.is_head() {
            levels.push(Level {
                head: d,
                members: Vec::new(),
            });
        }
        if let Outcome::Closed { levels: closed, .. } = validator.end().map_err(set)? {
            // the outermost stays, to tell that it was there
            let left = levels.len().saturating_sub(closed.into());
            levels.truncate(left.max(1));
        }
    }
    let declared = declared(head);
    match validator.finish() {
        Ok(()) if surplus == 0 => Ok(()),
        Ok(()) => Err(Error::CompositeMemberCountMismatch {
            declared,
            actual: declared.saturating_add(surplus),
        }),
        Err(error) => Err(set(error)),
    }
}

fn set(error: SetError) -> Error {
    Error::of(error.kind, None)
}

/// Names the members that a refusal speaks of.
fn name(kind: ErrorKind, levels: &[Level<'_>], d: &TensorDescriptor) -> Error {
    let level = levels.last();
    let member = level.map(|level| length32(level.members.len()));
    match (Error::of(kind, member), kind, level) {
        (
            Error::CompositePartitionOverlap { b, .. },
            ErrorKind::Overlap { first, last, .. },
            Some(level),
        ) if first < last => {
            // one of those whose boxes had merged
            let overlapping = (first..=last).zip(level.members.iter().skip(index(first)));
            let found = overlapping
                .into_iter()
                .find(|(_, member)| overlap(level.head, member, d));
            Error::CompositePartitionOverlap {
                a: found.map_or(first, |(a, _)| a),
                b,
            }
        }
        (error, ..) => error,
    }
}

/// Whether the core finds that two members overlap when they are the only ones.
fn overlap(head: &TensorDescriptor, a: &TensorDescriptor, b: &TensorDescriptor) -> bool {
    let mut validator = CompositeValidator::growing(Policy::STRICT);
    let mut begin = |d: &dyn Fields| {
        validator.begin(d)?;
        validator.end()
    };
    let before = begin(head).is_ok() && begin(&as_box(a)).is_ok();
    let found = begin(&as_box(b));
    before
        && matches!(
            found,
            Err(SetError {
                kind: ErrorKind::Overlap { .. },
                ..
            })
        )
}

/// A member as its box: a nested head opens no level.
fn as_box(d: &TensorDescriptor) -> DescriptorSpec<'_> {
    DescriptorSpec {
        element_type: d.element_type(),
        shape: d.shape(),
        byte_offset: 0,
        layout: Layout::RowMajor,
        buffers: &[],
        quantization: d.quantization(),
        shard: d.shard(),
        statistics: None,
        extension_type: d.extension_type(),
        member_role: d.member_role(),
    }
}

fn declared(head: &TensorDescriptor) -> u32 {
    match head.layout() {
        Layout::Composite(head) => head.member_count,
        _ => 0,
    }
}
