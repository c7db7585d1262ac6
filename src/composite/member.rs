//! What a composite asks of each member.

use super::{Arena, CompositeValidator, EXTENSION_WORDS, Level};
use crate::check::sections;
use crate::error::{Field, Violation};
use crate::model::{ExtensionType, Fields, Layout, Shard, U64s};
use crate::policy::{Judge, Policy};
use crate::rule::Rule;
use crate::wire::tag::{CompositionRule, MemberRole};

impl<C, A: Arena> CompositeValidator<C, A> {
    /// The rules of members that have a place in their head.
    pub(super) fn spatial<F: Fields + ?Sized>(
        &self,
        d: &F,
        layout: &Layout<'_>,
        level: &Level,
    ) -> Result<(), Violation> {
        self.member_type(d, layout, level)?;
        let Some(shard) = d.shard() else {
            return require(false, Rule::MemberShard, Field::Flags, 0);
        };
        let head = self.head_shape(level);
        if !inside(d.shape(), &shard, head) {
            misplaced(d, layout, &shard, head)?;
        }
        if level.rule == CompositionRule::Overlay {
            overlay_role(d, &shard, level)
        } else {
            no_role(d)
        }
    }

    /// COMP-23 to COMP-26.
    fn member_type<F: Fields + ?Sized>(
        &self,
        d: &F,
        layout: &Layout<'_>,
        level: &Level,
    ) -> Result<(), Violation> {
        let head = level.element_type;
        let extension = self.head_extension(level);
        let same = d.element_type() == head;
        let (rule, holds) = if d.quantization().is_some() {
            let real = head.is_float() || extension.is_some_and(|words| is_float(&words));
            (Rule::QuantizedMemberType, real)
        } else if same && head.is_private() {
            let repeated = d.extension_type().map(|e| extension_words(&e)) == extension;
            (Rule::PrivateMemberType, repeated)
        } else if matches!(layout, Layout::Composite(_)) {
            (Rule::NestedType, same)
        } else {
            (Rule::MemberType, same)
        };
        require(holds, rule, Field::TypeTag, 0)
    }

    fn head_shape(&self, level: &Level) -> &[u64] {
        let end = level.base.wrapping_add(level.rank.into());
        self.arena.words().get(level.base..end).unwrap_or(&[])
    }

    fn head_extension(&self, level: &Level) -> Option<[u64; EXTENSION_WORDS]> {
        if level.extension_words() == 0 {
            return None;
        }
        let at = level.base.wrapping_add(level.rank.into());
        self.arena.words().get(at..)?.first_chunk().copied()
    }
}

/// COMP-28 and COMP-29 in one look.
fn inside(shape: U64s<'_>, shard: &Shard<'_>, head: &[u64]) -> bool {
    let rank = head.len();
    let boxes = shape.iter().zip(shard.shard_offset);
    let mut axes = boxes.zip(shard.parent_shape.iter().zip(head));
    (
        shape.len(),
        shard.shard_offset.len(),
        shard.parent_shape.len(),
    ) == (rank, rank, rank)
        && axes.all(|((size, offset), (parent, head))| {
            parent == *head && offset.checked_add(size).is_some_and(|end| end <= parent)
        })
}

/// Names what [`inside`] found.
#[cold]
fn misplaced<F: Fields + ?Sized>(
    d: &F,
    layout: &Layout<'_>,
    shard: &Shard<'_>,
    head: &[u64],
) -> Result<(), Violation> {
    let same_rank = shard.parent_shape.len() == head.len();
    require(same_rank, Rule::MemberParent, Field::Rank, 0)?;
    let mut pairs = (0..).zip(shard.parent_shape.iter().zip(head));
    if let Some((k, _)) = pairs.find(|(_, (parent, head))| parent != *head) {
        require(false, Rule::MemberParent, Field::ParentShape, k)?;
    }
    let mut judge = Judge::new(&Policy::STRICT);
    sections::shard(shard, layout, d.shape(), &mut judge);
    judge.verdict()
}

pub(super) fn require(holds: bool, rule: Rule, field: Field, index: u32) -> Result<(), Violation> {
    if holds {
        Ok(())
    } else {
        Err(Violation { rule, field, index })
    }
}

/// COMP-49: items are begun and ended in turn, and a composite takes no more than it announced.
pub(super) fn count(holds: bool) -> Result<(), Violation> {
    require(holds, Rule::MemberCount, Field::MemberCount, 0)
}

/// COMP-30.
pub(super) fn no_role<F: Fields + ?Sized>(d: &F) -> Result<(), Violation> {
    require(
        d.member_role().is_none(),
        Rule::RoleUnexpected,
        Field::MemberRole,
        0,
    )
}

/// COMP-31 to COMP-34: one base, first and spanning the head, then corrections.
fn overlay_role<F: Fields + ?Sized>(
    d: &F,
    shard: &Shard<'_>,
    level: &Level,
) -> Result<(), Violation> {
    let Some(role) = d.member_role() else {
        return require(false, Rule::RoleMissing, Field::Flags, 0);
    };
    let base = role == MemberRole::Base;
    if level.begun > 0 {
        return require(!base, Rule::BaseTwice, Field::MemberRole, 0);
    }
    require(base, Rule::BaseFirst, Field::MemberRole, 0)?;
    let spans = |holds, field| require(holds, Rule::BaseSpans, field, 0);
    spans(
        shard.shard_offset.iter().all(|offset| offset == 0),
        Field::ShardOffset,
    )?;
    spans(shard.parent_shape == d.shape(), Field::Shape)
}

/// The whole section in two words, so that two of them compare as their bytes do.
pub(super) fn extension_words(e: &ExtensionType) -> [u64; EXTENSION_WORDS] {
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
    [wide, u64::from_le_bytes(bytes)]
}

fn is_float(words: &[u64; EXTENSION_WORDS]) -> bool {
    let [_, bytes] = words;
    bytes & 0xFF00 != 0
}
