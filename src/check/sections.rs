//! Rules of the fixed sections: shard, statistics, extension type, composite member.

use super::judge::{Breach, Checked, Judge};
use super::layout::same_rank;
use crate::error::Field;
use crate::model::{ExtensionType, F64Bits, Shard, Statistics, U64s};
use crate::rule::Rule;
use crate::wire::descriptor::DYNAMIC;
use crate::wire::length32;
use crate::wire::tag::{LayoutTag, MemberRole};

#[inline(always)]
pub(crate) fn shard<J: Judge>(
    shard: &Shard<'_>,
    layout: LayoutTag,
    shape: U64s<'_>,
    judge: &mut J,
) -> Checked {
    let rule = Rule::ShardUnsupported;
    let shardable = !matches!(layout, LayoutTag::Csf | LayoutTag::BlockPaged);
    judge.require(shardable, rule, Field::ParentShape, 0)?;
    bounds(shard.parent_shape, shard.shard_offset, shape, judge)
}

fn bounds<J: Judge>(parent: U64s<'_>, offset: U64s<'_>, shape: U64s<'_>, judge: &mut J) -> Checked {
    let rank = length32(shape.len());
    same_rank(parent.len(), rank, Field::ParentShape, judge)?;
    same_rank(offset.len(), rank, Field::ShardOffset, judge)?;
    // every dimension is known before any is compared
    let mut outside = None;
    for (((size, around), first), k) in shape.iter().zip(parent).zip(offset).zip(0..) {
        let mut fixed = |n, field| judge.require(n != DYNAMIC, Rule::ShardDynamic, field, k);
        fixed(size, Field::Shape)?;
        fixed(around, Field::ParentShape)?;
        let inside = first.checked_add(size).is_some_and(|end| end <= around);
        if !inside {
            outside = outside.or(Some(k));
        }
    }
    let inside = outside.is_none();
    let rule = Rule::ShardBounds;
    judge.require(inside, rule, Field::ShardOffset, outside.unwrap_or(0))
}

#[inline(never)]
pub(crate) fn statistics<J: Judge>(s: Statistics, stored: Option<u64>, judge: &mut J) -> Checked {
    let valid = |bit| s.computed_mask & bit != 0;
    judge.require(
        s.computed_mask < 1 << 6,
        Rule::StatisticsMask,
        Field::ComputedMask,
        0,
    )?;
    let agrees = !valid(Statistics::NNZ_VALID) || stored.is_none_or(|nnz| nnz == s.nnz);
    judge.require(agrees, Rule::StatisticsCount, Field::StatisticsNnz, 0)?;
    let ratio = !valid(Statistics::SPARSITY_VALID) || is_ratio(s.sparsity_ratio);
    judge.require(ratio, Rule::SparsityRatio, Field::SparsityRatio, 0)?;
    let deviation = !valid(Statistics::VALUE_STATS_VALID) || !is_negative(s.value_stddev);
    judge.require(deviation, Rule::Deviation, Field::ValueStddev, 0)?;
    let nm = !valid(Statistics::NM_SPARSITY_VALID) || s.nm_n <= s.nm_m;
    judge.require(nm, Rule::NmSparsity, Field::NmN, 0)?;
    if valid(Statistics::NAN_INF_VALID) {
        let mut flag = |byte, field| judge.require(byte <= 1, Rule::NanInfFlags, field, 0);
        flag(s.has_nan, Field::HasNan)?;
        flag(s.has_inf, Field::HasInf)?;
    }
    Ok(())
}

const F64_NEGATIVE_ZERO: u64 = 1 << 63;
const F64_ONE: u64 = 0x3FF0_0000_0000_0000;
const F64_NEGATIVE_INFINITY: u64 = 0xFFF0_0000_0000_0000;

/// Between 0.0 and 1.0; bit patterns of positive floats are in the order of their values.
fn is_ratio(value: F64Bits) -> bool {
    value.0 <= F64_ONE || value.0 == F64_NEGATIVE_ZERO
}

/// Below zero; a NaN is not.
fn is_negative(value: F64Bits) -> bool {
    value.0 > F64_NEGATIVE_ZERO && value.0 <= F64_NEGATIVE_INFINITY
}

/// Returns the element width in bits, 0 where permissive mode leaves it unknown.
#[inline(never)]
pub(crate) fn extension_type<J: Judge>(e: ExtensionType, judge: &mut J) -> Result<u32, Breach> {
    let bits = e.bit_width;
    judge.require(bits > 0, Rule::ExtensionWidth, Field::BitWidth, 0)?;
    if bits >= 8 {
        let unpacked = e.packing_factor == 1;
        judge.require(unpacked, Rule::ExtensionUnpacked, Field::PackingFactor, 0)?;
    } else {
        let width = matches!(bits, 1 | 2 | 4);
        let packed = width && bits.wrapping_mul(e.packing_factor.into()) == 8;
        let field = if width {
            Field::PackingFactor
        } else {
            Field::BitWidth
        };
        judge.require(packed, Rule::ExtensionPacked, field, 0)?;
    }
    let sized = bits < 8 || bits & 7 == 0;
    judge.require(sized, Rule::ExtensionBytes, Field::BitWidth, 0)?;
    let float = e.is_float != 0;
    let mut flag = |byte, field| judge.require(byte <= 1, Rule::ExtensionBools, field, 0);
    flag(e.is_float, Field::IsFloat)?;
    flag(e.is_signed, Field::IsSigned)?;
    if float {
        flag(e.has_nan, Field::ExtensionHasNan)?;
        flag(e.has_inf, Field::ExtensionHasInf)?;
        let mut holds = |holds, field| judge.require(holds, Rule::ExtensionFloat, field, 0);
        holds(e.is_signed == 0, Field::IsSigned)?;
        holds(e.sign_bits <= 1, Field::SignBits)?;
    } else {
        let mut zero = |n: u32, field| judge.require(n == 0, Rule::ExtensionInteger, field, 0);
        zero(e.sign_bits.into(), Field::SignBits)?;
        zero(e.exponent_bits.into(), Field::ExponentBits)?;
        zero(e.mantissa_bits.into(), Field::MantissaBits)?;
        zero(e.exponent_bias, Field::ExponentBias)?;
    }
    Ok(if sized { bits } else { 0 })
}

#[inline(always)]
pub(crate) fn member<J: Judge>(role: MemberRole, layout: LayoutTag, judge: &mut J) -> Checked {
    judge.require(role.is_assigned(), Rule::MemberRole, Field::MemberRole, 0)?;
    let head = layout == LayoutTag::Composite;
    judge.require(!head, Rule::HeadMember, Field::MemberRole, 0)
}
