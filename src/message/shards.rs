//! Whether the shards of a parallel transfer fit together.

use super::ShardNumber;
use super::sequence::ORDER;
use crate::composite::{Arena, CompositeValidator, Cover, Exact, InlineArena, SetError};
use crate::descriptor::DescriptorSpec;
use crate::error::{ErrorKind, Field, Violation};
use crate::model::{
    Array, BufferHandle, CompositeHead, ExtensionType, Fields, Layout, Quantization, Shard,
    Statistics, U64s,
};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::tag::{CombineOp, CompositionRule, ElementType, LayoutTag, MemberRole};

/// Checks that the shards of one tensor, each on a stream of its own, have one type, layout and parent,
/// cover it exactly, and are each there once.
///
/// Streams of several connections may go through one of these. `C` checks covers and `A` holds what that
/// needs: one for the places of the shards, one for their numbers, both of which may come in any order.
///
/// ```
/// use hrry::message::{FixedParallel, ShardNumber};
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, Shard};
///
/// let buffers = [BufferHandle::cpu(32, 64)];
/// let half = DescriptorSpec::new(ElementType::Float32, &[2, 4], Layout::RowMajor, &buffers);
/// let at = |offset| DescriptorSpec {
///     shard: Some(Shard { parent_shape: (&[4, 4]).into(), shard_offset: offset }),
///     ..half
/// };
///
/// let mut transfer = FixedParallel::<64>::new(Policy::STRICT);
/// transfer.add(&at((&[2, 0]).into()), ShardNumber { index: 1, total: 2 })?;
/// assert!(!transfer.is_complete());
/// transfer.add(&at((&[0, 0]).into()), ShardNumber { index: 0, total: 2 })?;
/// assert!(transfer.is_complete());
/// # Ok::<(), hrry::SetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ParallelTransfer<C, A> {
    places: CompositeValidator<C, A>,
    numbers: CompositeValidator<C, A>,
    layout: LayoutTag,
    /// 0 before the first.
    total: u32,
    seen: u32,
}

/// A check with twice `W` words inside that is exact.
pub type FixedParallel<const W: usize> = ParallelTransfer<Exact, InlineArena<W>>;

impl<const W: usize> FixedParallel<W> {
    /// A check before the first shard.
    #[must_use]
    pub const fn new(policy: Policy) -> Self {
        let places = InlineArena::new();
        let numbers = InlineArena::new();
        ParallelTransfer::with_parts(Exact, places, Exact, numbers, policy)
    }
}

impl<C, A> ParallelTransfer<C, A> {
    /// A check before the first shard, from a way to check covers and room, for places and for numbers.
    ///
    /// It is strict: what permissive mode exposes of a composite is no tensor that could be put together.
    #[must_use]
    pub const fn with_parts(
        place_cover: C,
        place_arena: A,
        number_cover: C,
        number_arena: A,
        policy: Policy,
    ) -> Self {
        let strict = Policy {
            max_members: policy.max_members,
            ..Policy::STRICT
        };
        ParallelTransfer {
            places: CompositeValidator::with_arena(place_cover, place_arena, strict),
            numbers: CompositeValidator::with_arena(number_cover, number_arena, strict),
            layout: LayoutTag(0),
            total: 0,
            seen: 0,
        }
    }

    /// Whether all shards are there.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.total > 0 && self.seen == self.total
    }

    /// How many shards are there.
    #[must_use]
    pub const fn seen(&self) -> u32 {
        self.seen
    }
}

impl<C: Cover, A: Arena> ParallelTransfer<C, A> {
    /// Takes the descriptor of the next shard, which was checked on its own.
    ///
    /// # Errors
    ///
    /// MSG-18 for a composite head; MSG-29 and MSG-44 where it does not fit those before; COMP-42 where it
    /// overlaps one; COMP-43 where it is the last and something is left uncovered; a capacity. The transfer is
    /// over then.
    pub fn add<F: Fields + ?Sized>(&mut self, d: &F, shard: ShardNumber) -> Result<(), SetError> {
        let origin = d.origin();
        let added = self.take(d, shard);
        added.map_err(|kind| SetError { kind, origin })
    }

    fn take<F: Fields + ?Sized>(&mut self, d: &F, shard: ShardNumber) -> Result<(), ErrorKind> {
        let layout = d.layout().tag();
        if self.total == 0 {
            self.open(d, shard.total)?;
            self.layout = layout;
            self.total = shard.total;
        }
        require(shard.total == self.total, NUMBER, Field::TotalShards, 0)?;
        // all numbers are there once
        require(self.seen < self.total, NUMBER, Field::ShardIndex, 0)?;
        require(layout == self.layout, ALIKE, Field::LayoutTag, 0)?;
        // how members would follow a head on a stream of its own is not defined (AMB-88)
        require(layout != LayoutTag::Composite, ORDER, Field::LayoutTag, 0)?;
        let number = u64::from(shard.index);
        let parent = [self.total.into()];
        let unit = DescriptorSpec {
            shard: Some(Shard {
                parent_shape: Array::Native(&parent),
                shard_offset: Array::Native(&[number]),
            }),
            ..DescriptorSpec::new(ElementType::UInt8, &[1], Layout::RowMajor, &[])
        };
        let numbered = self.numbers.begin(&unit).and_then(|_| self.numbers.end());
        numbered.map_err(|error| match error.kind {
            kind @ ErrorKind::Capacity { .. } => kind,
            _ => broken(NUMBER, Field::ShardIndex, 0),
        })?;
        let placed = self.places.begin(&Part {
            shard: d,
            head: None,
        });
        placed.map_err(|error| match error.kind {
            ErrorKind::Rule(Violation { field, index, .. }) => broken(ALIKE, field, index),
            kind => kind,
        })?;
        self.places.end().map_err(|error| error.kind)?;
        self.seen = self.seen.saturating_add(1);
        Ok(())
    }

    fn open<F: Fields + ?Sized>(&mut self, d: &F, total: u32) -> Result<(), ErrorKind> {
        self.reset();
        let parent = [total.into()];
        let partition = CompositeHead {
            composition_rule: CompositionRule::Partition,
            combine_op: CombineOp::None,
            member_count: total,
        };
        let layout = Layout::Composite(partition);
        let all = DescriptorSpec::new(ElementType::UInt8, &parent, layout, &[]);
        let whole = Part {
            shard: d,
            head: Some(partition),
        };
        let opened = self.numbers.begin(&all).and_then(|_| self.numbers.end());
        let opened = opened.and_then(|_| self.places.begin(&whole));
        let opened = opened.and_then(|_| self.places.end());
        opened.map(|_| ()).map_err(|error| error.kind)
    }

    /// Forgets all shards: the next one is the first of a transfer.
    pub fn reset(&mut self) {
        self.places.reset();
        self.numbers.reset();
        self.total = 0;
        self.seen = 0;
    }

    /// Tells whether no shard is missing: none came, or all did.
    ///
    /// # Errors
    ///
    /// MSG-44, with how many shards came for an index.
    pub fn finish(&self) -> Result<(), ErrorKind> {
        let whole = self.seen == self.total;
        require(whole, NUMBER, Field::TotalShards, self.seen)
    }
}

/// What is broken where shards are not of one tensor.
const ALIKE: Rule = Rule::ShardsDiffer;

/// What is broken where the numbers of shards do not fit together.
const NUMBER: Rule = Rule::ShardIndex;

fn require(holds: bool, rule: Rule, field: Field, index: u32) -> Result<(), ErrorKind> {
    match holds {
        true => Ok(()),
        false => Err(broken(rule, field, index)),
    }
}

fn broken(rule: Rule, field: Field, index: u32) -> ErrorKind {
    Violation { rule, field, index }.into()
}

/// A shard as the member of a partition, whatever its elements stand for, or what the head of that would be.
struct Part<'a, F: ?Sized> {
    shard: &'a F,
    head: Option<CompositeHead>,
}

impl<F: Fields + ?Sized> Fields for Part<'_, F> {
    fn element_type(&self) -> ElementType {
        self.shard.element_type()
    }

    fn shape(&self) -> U64s<'_> {
        match (self.head, self.shard.shard()) {
            (None, _) => self.shard.shape(),
            (Some(_), shard) => shard.map_or(Array::EMPTY, |shard| shard.parent_shape),
        }
    }

    fn byte_offset(&self) -> u64 {
        0
    }

    fn layout(&self) -> Layout<'_> {
        self.head.map_or(Layout::RowMajor, Layout::Composite)
    }

    fn buffer_count(&self) -> usize {
        0
    }

    fn buffer(&self, _: usize) -> Option<BufferHandle> {
        None
    }

    fn quantization(&self) -> Option<Quantization<'_>> {
        None
    }

    fn shard(&self) -> Option<Shard<'_>> {
        match self.head {
            None => self.shard.shard(),
            Some(_) => None,
        }
    }

    fn statistics(&self) -> Option<Statistics> {
        None
    }

    fn extension_type(&self) -> Option<ExtensionType> {
        self.shard.extension_type()
    }

    fn member_role(&self) -> Option<MemberRole> {
        None
    }

    fn origin(&self) -> u64 {
        self.shard.origin()
    }
}
