//! Owned layouts from those of the core, and back.

use alloc::vec::Vec;

use super::layout::{
    CombineOp, CompositeLayout, CompositionRule, CooLayout, CscLayout, CsfLayout, CsrLayout,
    HilbertLayout, LayoutDescriptor, MortonLayout, PrivateLayout, StridedLayout, TileLevel,
    TiledLayout,
};
use crate::model::{CompositeHead, I64s, Layout, Tiled, TiledLevel, U32s, U64s};
use crate::wire::tag;

impl From<CompositeLayout> for CompositeHead {
    fn from(layout: CompositeLayout) -> Self {
        CompositeHead {
            composition_rule: layout.composition_rule.into(),
            combine_op: layout.composition_rule.combine_op(),
            member_count: layout.member_count,
        }
    }
}

impl From<CompositeHead> for CompositeLayout {
    fn from(head: CompositeHead) -> Self {
        CompositeLayout {
            composition_rule: (head.composition_rule, head.combine_op).into(),
            member_count: head.member_count,
        }
    }
}

/// The rule by itself, as [`CompositeHead`] has it.
impl From<CompositionRule> for tag::CompositionRule {
    fn from(rule: CompositionRule) -> Self {
        match rule {
            CompositionRule::Partition => tag::CompositionRule::Partition,
            CompositionRule::Overlay(_) => tag::CompositionRule::Overlay,
            CompositionRule::Group => tag::CompositionRule::Group,
            CompositionRule::Private(rule, _) => rule,
        }
    }
}

/// A rule and what it does to members; an overlay needs an operation (COMP-09).
impl From<(tag::CompositionRule, CombineOp)> for CompositionRule {
    fn from(both: (tag::CompositionRule, CombineOp)) -> Self {
        match both {
            (tag::CompositionRule::Partition, CombineOp::None) => CompositionRule::Partition,
            (tag::CompositionRule::Overlay, op) => CompositionRule::Overlay(op),
            (tag::CompositionRule::Group, CombineOp::None) => CompositionRule::Group,
            (rule, op) => CompositionRule::Private(rule, op),
        }
    }
}

/// A rule without an operation: an overlay needs one (COMP-09).
impl From<tag::CompositionRule> for CompositionRule {
    fn from(rule: tag::CompositionRule) -> Self {
        (rule, CombineOp::None).into()
    }
}

impl LayoutDescriptor {
    /// Lends the layout in the core's form to `f`.
    pub fn lend<R>(&self, f: impl FnOnce(Layout<'_>) -> R) -> R {
        let layout = match self {
            LayoutDescriptor::RowMajor => Layout::RowMajor,
            LayoutDescriptor::ColumnMajor => Layout::ColumnMajor,
            LayoutDescriptor::Strided(StridedLayout { strides }) => Layout::Strided {
                strides: I64s::Native(strides),
            },
            LayoutDescriptor::Tiled(TiledLayout { levels }) => {
                let levels: Vec<TiledLevel<'_>> = levels.iter().map(TileLevel::lend).collect();
                return f(Layout::Tiled(Tiled::Native(&levels)));
            }
            LayoutDescriptor::Morton(MortonLayout { morton_bits }) => Layout::Morton {
                morton_bits: U32s::Native(morton_bits),
            },
            LayoutDescriptor::Coo(CooLayout { nnz, is_sorted }) => Layout::Coo {
                nnz: *nnz,
                is_sorted: *is_sorted,
            },
            LayoutDescriptor::Csr(CsrLayout { nnz }) => Layout::Csr { nnz: *nnz },
            LayoutDescriptor::Csc(CscLayout { nnz }) => Layout::Csc { nnz: *nnz },
            LayoutDescriptor::Csf(CsfLayout { nnz, mode_order }) => Layout::Csf {
                nnz: *nnz,
                mode_order: U32s::Native(mode_order),
            },
            LayoutDescriptor::BlockPaged(paged) => Layout::BlockPaged(*paged),
            LayoutDescriptor::Composite(layout) => Layout::Composite((*layout).into()),
            LayoutDescriptor::Hilbert(HilbertLayout {
                hilbert_order,
                hilbert_rank,
            }) => Layout::Hilbert {
                hilbert_order: *hilbert_order,
                hilbert_rank: *hilbert_rank,
            },
            LayoutDescriptor::Private(PrivateLayout {
                tag,
                extension_layout_id,
                extension_data,
            }) => Layout::Private {
                tag: *tag,
                extension_layout_id: *extension_layout_id,
                extension_data,
            },
            LayoutDescriptor::Unknown(tag) => Layout::Unknown(*tag),
        };
        f(layout)
    }
}

impl From<Layout<'_>> for LayoutDescriptor {
    fn from(layout: Layout<'_>) -> Self {
        match layout {
            Layout::RowMajor => LayoutDescriptor::RowMajor,
            Layout::ColumnMajor => LayoutDescriptor::ColumnMajor,
            Layout::Strided { strides } => LayoutDescriptor::Strided(StridedLayout {
                strides: strides.iter().collect(),
            }),
            Layout::Tiled(tiled) => LayoutDescriptor::Tiled(TiledLayout {
                levels: tiled.levels().map(TileLevel::from).collect(),
            }),
            Layout::Morton { morton_bits } => LayoutDescriptor::Morton(MortonLayout {
                morton_bits: morton_bits.iter().collect(),
            }),
            Layout::Coo { nnz, is_sorted } => LayoutDescriptor::Coo(CooLayout { nnz, is_sorted }),
            Layout::Csr { nnz } => LayoutDescriptor::Csr(CsrLayout { nnz }),
            Layout::Csc { nnz } => LayoutDescriptor::Csc(CscLayout { nnz }),
            Layout::Csf { nnz, mode_order } => LayoutDescriptor::Csf(CsfLayout {
                nnz,
                mode_order: mode_order.iter().collect(),
            }),
            Layout::BlockPaged(paged) => LayoutDescriptor::BlockPaged(paged),
            Layout::Composite(head) => LayoutDescriptor::Composite(head.into()),
            Layout::Hilbert {
                hilbert_order,
                hilbert_rank,
            } => LayoutDescriptor::Hilbert(HilbertLayout {
                hilbert_order,
                hilbert_rank,
            }),
            Layout::Private {
                tag,
                extension_layout_id,
                extension_data,
            } => LayoutDescriptor::Private(PrivateLayout {
                tag,
                extension_layout_id,
                extension_data: extension_data.into(),
            }),
            Layout::Unknown(tag) => LayoutDescriptor::Unknown(tag),
        }
    }
}

impl TileLevel {
    fn lend(&self) -> TiledLevel<'_> {
        TiledLevel {
            tile_shape: U64s::Native(&self.tile_shape),
            outer_layout: self.outer_layout,
            inner_layout: self.inner_layout,
            outer_strides: I64s::Native(&self.outer_strides),
            inner_strides: I64s::Native(&self.inner_strides),
        }
    }
}

impl From<TiledLevel<'_>> for TileLevel {
    fn from(level: TiledLevel<'_>) -> Self {
        TileLevel {
            tile_shape: level.tile_shape.iter().collect(),
            outer_layout: level.outer_layout,
            inner_layout: level.inner_layout,
            outer_strides: level.outer_strides.iter().collect(),
            inner_strides: level.inner_strides.iter().collect(),
        }
    }
}
