//! What the bytes of a buffer are: runs of entries, and what must hold for each.

use super::elements::{dense, values};
use super::parameters::parameters;
use crate::check::Subject;
use crate::check::layout::{is_permutation, own_buffers, page_number, pool};
use crate::error::Field;
use crate::model::{Fields, Layout, Quantization, U32s};
use crate::rule::Rule;
use crate::wire::descriptor::DYNAMIC;
use crate::wire::length32;
use crate::wire::tag::ElementType;

/// Bytes of an index, coordinate or pointer.
pub(super) const INDEX: u64 = 8;

/// What entries are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// Bits behind the last element; `unused` of a little-endian group are 0.
    Padding { unused: u64 },
    /// A byte of `float8_e8m0`.
    E8m0,
    /// Nothing may be there.
    Absent,
    /// Coordinates, one tuple after the other.
    Tuple { sorted: bool },
    /// Indices below a bound, in the order that pointers behind them give.
    Index,
    /// Indices below a bound, strictly increasing from each of the pointers before them on.
    Child,
    /// Pointers: from 0 on, never falling.
    Pointer(Pointers),
    /// Numbers below a bound, of which the pointers behind them say how many count.
    Page,
    /// A scale: `sign` is its sign bit, and magnitudes from `infinite` on are not finite.
    Scale {
        sign: u64,
        infinite: u64,
        absolute: bool,
    },
    /// A zero point of a type of that range.
    ZeroPoint { low: i64, high: i64 },
}

/// What pointers point to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointers {
    /// The entries that there are.
    pub(super) most: u64,
    /// What the last one is, if that is stated, and the rule that says so.
    pub(super) end: Option<(u64, Rule)>,
}

/// A run of entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) role: Role,
    /// The rule that an entry can break, and what entries are called.
    pub(super) rule: Rule,
    pub(super) field: Field,
    /// Where the run starts in the buffer, bytes of an entry, and how many there are.
    pub(super) start: u64,
    pub(super) width: u8,
    pub(super) count: u64,
    /// The first that is judged.
    pub(super) from: u64,
    /// What indices are below; [`DYNAMIC`] is no bound.
    pub(super) below: u64,
}

impl Segment {
    pub(super) const fn new(role: Role, rule: Rule, field: Field, width: u8, count: u64) -> Self {
        Segment {
            role,
            rule,
            field,
            start: 0,
            width,
            count,
            from: 0,
            below: DYNAMIC,
        }
    }

    const fn below(mut self, bound: u64) -> Self {
        self.below = bound;
        self
    }

    pub(super) const fn at(mut self, start: u64) -> Self {
        self.start = start;
        self
    }

    /// The first byte of an entry.
    pub(super) fn place(&self, index: u64) -> u64 {
        let before = index.saturating_mul(self.width.into());
        self.start.saturating_add(before)
    }
}

/// Which buffers the order of others is judged by, and so must be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    None,
    /// `indices` of unsorted COO, so many tuples.
    Tuples(u64),
    /// The indices of CSR and CSC.
    Indices,
    /// The pointers of all levels of CSF but the first.
    Pointers {
        rank: u8,
    },
}

impl Keep {
    pub(super) fn of<F: Fields + ?Sized>(d: &F) -> Self {
        let rank = u8::try_from(d.shape().len()).unwrap_or(u8::MAX);
        match d.layout() {
            Layout::Coo {
                is_sorted: false,
                nnz,
            } if nnz > 1 => Keep::Tuples(nnz),
            Layout::Csr { .. } | Layout::Csc { .. } => Keep::Indices,
            layout @ Layout::Csf { .. } if is_readable(&layout) => Keep::Pointers { rank },
            _ => Keep::None,
        }
    }
}

/// Whether the layout has a meaning, and permissive mode did not let an unknown one pass.
fn is_readable(layout: &Layout<'_>) -> bool {
    match layout {
        Layout::Private { .. } | Layout::Unknown(_) | Layout::Composite(_) => false,
        Layout::BlockPaged(paged) => paged.paged_axis == 0,
        Layout::Csf { mode_order, .. } => is_permutation(*mode_order, length32(mode_order.len())),
        _ => true,
    }
}

/// A run of a buffer: the first, or with `part` 1 the one behind it. `nodes` counts the fibres of the level above, in
/// a CSF tensor.
pub(super) fn segment<F: Fields + ?Sized>(
    d: &F,
    buffer: u32,
    part: u8,
    nodes: u64,
) -> Option<Segment> {
    let layout = d.layout();
    let own = own_buffers(d);
    if !is_readable(&layout) {
        return None;
    }
    if own.is_none_or(|own| buffer < own) {
        return match part {
            0 => stored(d, &layout, buffer, nodes),
            _ => None,
        };
    }
    match d.quantization() {
        Some(Quantization::Buffers(p)) => parameters(d, &p, buffer, part),
        _ => None,
    }
}

/// What a buffer of the layout's own holds.
fn stored<F: Fields + ?Sized>(
    d: &F,
    layout: &Layout<'_>,
    buffer: u32,
    nodes: u64,
) -> Option<Segment> {
    let shape = d.shape();
    let kind = d.element_type();
    match *layout {
        Layout::Coo { nnz, .. } if buffer == 0 => values(kind, Some(nnz), Field::Values, true),
        Layout::Coo { nnz, is_sorted } => {
            let rank = u64::from(length32(shape.len()));
            let role = Role::Tuple { sorted: is_sorted };
            let count = nnz.saturating_mul(rank);
            Some(Segment::new(role, Rule::CooRange, Field::Indices, 8, count))
        }
        Layout::Csr { nnz } => {
            let fields = [Field::ColIndices, Field::RowPtr];
            compressed(kind, nnz, buffer, [shape.at(0), shape.at(1)], fields)
        }
        Layout::Csc { nnz } => {
            let fields = [Field::RowIndices, Field::ColPtr];
            compressed(kind, nnz, buffer, [shape.at(1), shape.at(0)], fields)
        }
        Layout::Csf { nnz, mode_order } => csf(d, nnz, mode_order, buffer, nodes),
        Layout::BlockPaged(paged) => {
            let width = page_number(&paged);
            let entries = d.byte_size(1).checked_div(width).unwrap_or(0);
            let width = u8::try_from(width).unwrap_or(8);
            let rule = Rule::PagedTable;
            match buffer {
                0 => {
                    let elements = pool(&paged, shape).and_then(|count| count.fits());
                    values(kind, elements, Field::PagePool, false)
                }
                1 => {
                    let pages = Segment::new(Role::Page, rule, Field::BlockTable, width, entries);
                    Some(pages.below(paged.num_pages))
                }
                _ => {
                    let role = Role::Pointer(Pointers {
                        most: entries,
                        end: None,
                    });
                    let count = u64::from(paged.num_seqs).wrapping_add(1);
                    Some(Segment::new(role, rule, Field::SeqPtr, width, count))
                }
            }
        }
        _ => dense(d, layout),
    }
}

/// CSR and CSC alike: `lines` pointers and one more, over indices below `across`.
fn compressed(
    kind: ElementType,
    nnz: u64,
    buffer: u32,
    [lines, across]: [u64; 2],
    [indices, pointers]: [Field; 2],
) -> Option<Segment> {
    match buffer {
        0 => values(kind, Some(nnz), Field::Values, true),
        1 => {
            let run = Segment::new(Role::Index, Rule::CompressedOrder, indices, 8, nnz);
            Some(run.below(across))
        }
        _ => {
            let rule = Rule::CompressedPointers;
            let end = (lines != DYNAMIC).then_some((nnz, rule));
            // of a dynamic number of lines there is one pointer that is known
            let count = if end.is_some() {
                lines.wrapping_add(1)
            } else {
                1
            };
            let role = Role::Pointer(Pointers { most: nnz, end });
            Some(Segment::new(role, rule, pointers, 8, count))
        }
    }
}

fn csf<F: Fields + ?Sized>(
    d: &F,
    nnz: u64,
    mode_order: U32s<'_>,
    buffer: u32,
    nodes: u64,
) -> Option<Segment> {
    let empty = Rule::CsfEmpty;
    let level = buffer.saturating_sub(1).wrapping_shr(1);
    let pointers = buffer & 1 == 1;
    if nnz == 0 && !pointers {
        let field = if buffer == 0 {
            Field::Values
        } else {
            Field::Crd
        };
        let some = d.byte_size(buffer).min(1);
        return Some(Segment::new(Role::Absent, empty, field, 1, some));
    }
    if buffer == 0 {
        return values(d.element_type(), Some(nnz), Field::Values, true);
    }
    if pointers {
        let rule = Rule::CsfPointers;
        let leaf = level.wrapping_add(1) == length32(d.shape().len());
        let end = match level {
            0 if nnz == 0 => Some((0, empty)),
            _ => leaf.then_some((nnz, rule)),
        };
        let coordinates = d.byte_size(buffer.wrapping_add(1));
        let role = Role::Pointer(Pointers {
            most: coordinates.wrapping_shr(3),
            end,
        });
        let count = nodes.saturating_add(1);
        return Some(Segment::new(role, rule, Field::Pos, 8, count));
    }
    let below = d.shape().at(mode_order.at(level));
    let run = Segment::new(Role::Child, Rule::CsfOrder, Field::Crd, 8, nodes);
    Some(run.below(below))
}
