//! Elements: unused bits behind the last one, and bytes of `float8_e8m0`.

use super::plan::{Role, Segment};
use crate::check::layout::reach;
use crate::check::size::{elements, group};
use crate::error::Field;
use crate::model::{Fields, I64s, Layout, U64s};
use crate::rule::Rule;
use crate::wire::tag::ElementType;

/// Dense layouts. Of strides nobody can tell where the last element of a buffer ends.
pub(super) fn dense<F: Fields + ?Sized>(d: &F, layout: &Layout<'_>) -> Option<Segment> {
    let shape = d.shape();
    let (_, reach) = reach(layout, shape);
    let reach = reach?;
    let strided = match layout {
        Layout::Strided { .. } => true,
        Layout::Tiled(levels) => levels
            .levels()
            .any(|level| !(level.outer_strides.is_empty() && level.inner_strides.is_empty())),
        _ => false,
    };
    let full = match layout {
        Layout::Strided { strides } => is_gapless(*strides, shape),
        _ => !strided && elements(shape) == Some(reach.count),
    };
    let kind = d.element_type();
    if strided && !(full && kind == ElementType::Float8E8M0) {
        return None;
    }
    let cells = reach.below.plus(reach.count).fits();
    let first = d.byte_offset().wrapping_sub(reach.below.fits()?);
    values(kind, cells, Field::Data, full).map(|run| run.at(first))
}

/// Whether steps are those of a row-major shape in some order of its dimensions, forwards or backwards, so that every
/// element in their reach is one of the tensor.
fn is_gapless(strides: I64s<'_>, shape: U64s<'_>) -> bool {
    let mut span = 1u64;
    let wide = shape.iter().filter(|size| *size > 1).count();
    for _ in 0..wide {
        let next = strides
            .iter()
            .zip(shape)
            .find(|(stride, size)| *size > 1 && stride.unsigned_abs() == span);
        match next {
            Some((_, size)) => span = span.saturating_mul(size),
            None => return false,
        }
    }
    true
}

/// Elements of a type, `full` where every place has one.
pub(super) fn values(
    kind: ElementType,
    count: Option<u64>,
    field: Field,
    full: bool,
) -> Option<Segment> {
    let count = count?;
    if kind == ElementType::Float8E8M0 && full {
        return Some(Segment::new(Role::E8m0, Rule::E8m0Data, field, 1, count));
    }
    let rule = match kind.bits() {
        1 => Rule::BoolPadding,
        2 => Rule::PairPadding,
        4 => Rule::NibblePadding,
        6 => Rule::SextetPadding,
        _ => return None,
    };
    let (shift, bytes) = group(kind.bits());
    let width = u8::try_from(bytes).unwrap_or(1);
    let used = count & 1u64.wrapping_shl(shift).wrapping_sub(1);
    let used = u32::try_from(used).unwrap_or(0);
    let used = used.wrapping_mul(kind.bits());
    let unused = u64::MAX.wrapping_shl(used);
    let role = Role::Padding { unused };
    let from = count.wrapping_shr(shift);
    let groups = from.wrapping_add(u64::from(used > 0));
    Some(Segment {
        from,
        ..Segment::new(role, rule, field, width, groups)
    })
}
