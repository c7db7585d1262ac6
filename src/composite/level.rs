//! One open composite, and what it asks of each member.

use super::cover::{Boxed, CoverState, Place};
use crate::check::sections;
use crate::error::{Field, Violation};
use crate::model::{Array, CompositeHead, Fields, Layout, Shard, U64s};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::tag::{CompositionRule, ElementType, MemberRole};

/// An open composite. Its head's shape and extension type and what its cover needs are in the arena, from
/// `base` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    pub(super) origin: u64,
    pub(super) declared: u32,
    /// Members that were begun.
    pub(super) begun: u32,
    /// Words of the arena below this level.
    pub(super) base: usize,
    pub(super) rule: CompositionRule,
    element_type: ElementType,
    pub(super) rank: u8,
    /// Why it cannot be whole (permissive mode).
    pub(super) broken: Option<Rule>,
    pub(super) cover: CoverState,
}

/// Words of the extension type section of a head with a private type.
const EXTENSION_WORDS: usize = 2;

impl Level {
    /// A level without members, of a head whose rank is still to be set.
    pub(super) fn new<F: Fields + ?Sized>(d: &F, head: &CompositeHead, base: usize) -> Self {
        Level {
            origin: d.origin(),
            declared: head.member_count,
            begun: 0,
            base,
            rule: head.composition_rule,
            element_type: d.element_type(),
            rank: 0,
            broken: None,
            cover: CoverState::default(),
        }
    }

    /// Partitions and overlays compare their members with the head; groups and private rules do not.
    pub(super) fn is_spatial(&self) -> bool {
        matches!(
            self.rule,
            CompositionRule::Partition | CompositionRule::Overlay
        )
    }

    /// Where the cover's words start.
    pub(super) fn cover_at(&self) -> usize {
        let extension = if self.element_type.is_private() {
            EXTENSION_WORDS
        } else {
            0
        };
        self.base
            .wrapping_add(self.rank.into())
            .wrapping_add(extension)
    }

    pub(super) fn place<'a, A>(&self, arena: &'a mut A) -> Place<'a, A> {
        Place {
            arena,
            base: self.base,
            at: self.cover_at(),
            rank: self.rank.into(),
        }
    }

    /// The rules of a member of a partition or overlay, but for its place among the others; its box.
    #[inline(always)]
    pub(super) fn spatial<'d, F: Fields + ?Sized>(
        &self,
        d: &'d F,
        layout: &Layout<'_>,
        words: &[u64],
    ) -> Result<Boxed<'d>, Violation> {
        let words = words.get(self.base..).unwrap_or(&[]);
        let (head, rest) = words.split_at_checked(self.rank.into()).unwrap_or_default();
        self.member_type(d, layout, rest)?;
        let Some(shard) = d.shard() else {
            return Err(broken(Rule::MemberShard, Field::Flags, 0));
        };
        let shape = d.shape();
        if !inside(shape, &shard, head) {
            misplaced(shape, layout, &shard, head)?;
        }
        let offset = shard.shard_offset;
        Ok(Boxed { offset, shape })
    }

    /// COMP-30.
    #[inline(always)]
    pub(super) fn bare<F: Fields + ?Sized>(&self, d: &F) -> Result<(), Violation> {
        let bare = d.member_role().is_none() || self.rule.is_private();
        require(bare, Rule::RoleUnexpected, Field::MemberRole, 0)
    }

    /// COMP-23 to COMP-26; `words` start with the extension type of a head that has one.
    #[inline(always)]
    fn member_type<F: Fields + ?Sized>(
        &self,
        d: &F,
        layout: &Layout<'_>,
        words: &[u64],
    ) -> Result<(), Violation> {
        let head = self.element_type;
        let extension = || words.first_chunk().copied().filter(|_| head.is_private());
        let same = d.element_type() == head;
        let (rule, holds) = if d.quantization().is_some() {
            let real = head.is_float() || extension().is_some_and(|words| is_float(&words));
            (Rule::QuantizedMemberType, real)
        } else if same && head.is_private() {
            (Rule::PrivateMemberType, extension_words(d) == extension())
        } else if matches!(layout, Layout::Composite(_)) {
            (Rule::NestedType, same)
        } else {
            (Rule::MemberType, same)
        };
        require(holds, rule, Field::TypeTag, 0)
    }

    /// COMP-31 to COMP-34: one base, first and spanning the head, then corrections.
    pub(super) fn overlay_role(
        &self,
        role: Option<MemberRole>,
        boxed: &Boxed<'_>,
        words: &[u64],
    ) -> Result<(), Violation> {
        require(role.is_some(), Rule::RoleMissing, Field::Flags, 0)?;
        let base = role == Some(MemberRole::Base);
        if self.begun > 0 {
            return require(!base, Rule::BaseTwice, Field::MemberRole, 0);
        }
        require(base, Rule::BaseFirst, Field::MemberRole, 0)?;
        let spans = |holds, field, k| require(holds, Rule::BaseSpans, field, k);
        let head = words.get(self.base..).unwrap_or(&[]);
        for (k, size) in (0..u32::from(self.rank)).zip(head) {
            spans(boxed.offset.at(k) == 0, Field::ShardOffset, k)?;
            spans(boxed.shape.at(k) == *size, Field::Shape, k)?;
        }
        Ok(())
    }
}

/// COMP-28 and COMP-29 in one look.
#[inline(always)]
fn inside(shape: U64s<'_>, shard: &Shard<'_>, head: &[u64]) -> bool {
    let (parent, offset) = (shard.parent_shape, shard.shard_offset);
    let rank = head.len();
    if (parent.len(), offset.len(), shape.len()) != (rank, rank, rank) {
        return false;
    }
    let fits = |head: u64, whole: u64, from: u64, len: u64| {
        whole == head && from.checked_add(len).is_some_and(|end| end <= whole)
    };
    // loops: chains of adapters are built in memory, and waiting for that takes longer
    if let (Array::Le(parent), Array::Le(offset), Array::Le(shape)) = (parent, offset, shape) {
        let (parent, offset, shape) = (
            parent.as_chunks().0,
            offset.as_chunks().0,
            shape.as_chunks().0,
        );
        let number = u64::from_le_bytes;
        for (((whole, from), len), size) in parent.iter().zip(offset).zip(shape).zip(head) {
            if !fits(*size, number(*whole), number(*from), number(*len)) {
                return false;
            }
        }
        return true;
    }
    let (mut parent, mut offset, mut shape) = (parent.iter(), offset.iter(), shape.iter());
    for size in head {
        let (Some(whole), Some(from), Some(len)) = (parent.next(), offset.next(), shape.next())
        else {
            return false;
        };
        if !fits(*size, whole, from, len) {
            return false;
        }
    }
    true
}

/// Names what [`inside`] found, in the same numbers: asking for them again might give others.
#[cold]
fn misplaced(
    shape: U64s<'_>,
    layout: &Layout<'_>,
    shard: &Shard<'_>,
    head: &[u64],
) -> Result<(), Violation> {
    let parent = &shard.parent_shape;
    let same_rank = parent.len() == head.len();
    require(same_rank, Rule::MemberParent, Field::Rank, 0)?;
    for (k, size) in (0u32..).zip(head) {
        let same = parent.at(k) == *size;
        require(same, Rule::MemberParent, Field::ParentShape, k)?;
    }
    sections::shard(shard, layout.tag(), shape, &mut &Policy::STRICT)?;
    Ok(())
}

pub(super) fn require(holds: bool, rule: Rule, field: Field, index: u32) -> Result<(), Violation> {
    if holds {
        Ok(())
    } else {
        Err(broken(rule, field, index))
    }
}

fn broken(rule: Rule, field: Field, index: u32) -> Violation {
    Violation { rule, field, index }
}

/// The whole extension type section in two words, so that two of them compare as their bytes do.
pub(super) fn extension_words<F: Fields + ?Sized>(d: &F) -> Option<[u64; EXTENSION_WORDS]> {
    let e = d.extension_type()?;
    let wide = u64::from(e.exponent_bias).wrapping_shl(32) | u64::from(e.bit_width);
    let bytes = [
        e.packing_factor,
        e.is_float,
        e.is_signed,
        e.sign_bits,
        e.exponent_bits,
        e.mantissa_bits,
        e.has_nan,
        e.has_inf,
    ];
    Some([wide, u64::from_le_bytes(bytes)])
}

fn is_float(words: &[u64; EXTENSION_WORDS]) -> bool {
    let [_, bytes] = words;
    bytes & 0xFF00 != 0
}
