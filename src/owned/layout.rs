//! Layouts that own what they add to a descriptor.
//!
//! Their fields are public and judged with the tensor; the constructors that return a result judge what
//! can be judged alone.

use alloc::vec::Vec;

use super::{Error, probe};
pub use crate::model::BlockPaged;
use crate::model::Layout;
use crate::wire::tag;
pub use crate::wire::tag::{BlockTableIndexType, CombineOp, KvRole, LayoutTag};

/// How elements are placed, with what the layout adds to the descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutDescriptor {
    /// Last dimension fastest.
    RowMajor,
    /// First dimension fastest.
    ColumnMajor,
    /// One step for each dimension.
    Strided(StridedLayout),
    /// Tiles, possibly of tiles.
    Tiled(TiledLayout),
    /// Z-order curve.
    Morton(MortonLayout),
    /// Coordinate list.
    Coo(CooLayout),
    /// Compressed rows.
    Csr(CsrLayout),
    /// Compressed columns.
    Csc(CscLayout),
    /// Compressed fibres.
    Csf(CsfLayout),
    /// Pages addressed through a block table.
    BlockPaged(BlockPaged),
    /// The data-less head of a composite.
    Composite(CompositeLayout),
    /// Hilbert curve.
    Hilbert(HilbertLayout),
    /// A layout outside the specification.
    Private(PrivateLayout),
    /// A tag without a meaning, as permissive mode reads it; nothing can be written with it.
    Unknown(LayoutTag),
}

/// One step, in elements, for each dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StridedLayout {
    /// Elements from one index to the next; negative and zero steps are legal.
    pub strides: Vec<i64>,
}

/// Tiles, possibly of tiles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledLayout {
    /// The levels, outermost first.
    pub levels: Vec<TileLevel>,
}

/// One level of tiling.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TileLevel {
    /// Elements of a tile along each dimension.
    pub tile_shape: Vec<u64>,
    /// Order of the tiles: row-major, column-major or strided.
    pub outer_layout: LayoutTag,
    /// Order inside a tile: row-major, column-major, strided, or tiled again by the next level.
    pub inner_layout: LayoutTag,
    /// Steps between tiles, in tiles; empty unless `outer_layout` is strided.
    pub outer_strides: Vec<i64>,
    /// Steps inside a tile, in elements; empty unless `inner_layout` is strided.
    pub inner_strides: Vec<i64>,
}

/// Z-order curve.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MortonLayout {
    /// Bits of each dimension's index.
    pub morton_bits: Vec<u32>,
}

/// Coordinate list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CooLayout {
    /// Stored elements.
    pub nnz: u64,
    /// Whether coordinates strictly increase.
    pub is_sorted: bool,
}

/// Compressed rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CsrLayout {
    /// Stored elements.
    pub nnz: u64,
}

/// Compressed columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CscLayout {
    /// Stored elements.
    pub nnz: u64,
}

/// Compressed fibres.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CsfLayout {
    /// Stored elements.
    pub nnz: u64,
    /// Which dimension each level of the tree stands for.
    pub mode_order: Vec<u32>,
}

/// The data-less head of a composite.
///
/// ```
/// use hrry::owned::layout::{CombineOp, CompositeLayout, CompositionRule};
/// let overlay = CompositionRule::Overlay(CombineOp::Replace);
/// assert_eq!(CompositeLayout::new(overlay, 2)?.member_count, 2);
/// let empty = CompositeLayout::new(overlay, 0).unwrap_err();
/// assert_eq!(empty.rule().unwrap().id(), "COMP-12");
///
/// // the rules of plain descriptors go as well
/// let group = CompositeLayout::new(hrry::CompositionRule::Group, 3)?;
/// assert_eq!(group.composition_rule, CompositionRule::Group);
/// let same = CompositeLayout::new((hrry::CompositionRule::Overlay, CombineOp::Replace), 2)?;
/// assert_eq!(same.composition_rule, overlay);
/// let missing = CompositeLayout::new(hrry::CompositionRule::Overlay, 2).unwrap_err();
/// assert_eq!(missing.rule().unwrap().id(), "COMP-09");
/// # Ok::<(), hrry::owned::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompositeLayout {
    /// What the members are to the head.
    pub composition_rule: CompositionRule,
    /// Items that belong to the head.
    pub member_count: u32,
}

/// What the members of a composite are to its head: rule and combine operation in one, since only
/// overlays have the latter. [`CompositeHead`](crate::CompositeHead) keeps them apart, with the
/// [rule of the wire](tag::CompositionRule); each is made of the other by `into`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompositionRule {
    /// They cover the head exactly.
    Partition,
    /// A base, and corrections that combine with it.
    Overlay(CombineOp),
    /// They belong together, and no more.
    Group,
    /// A rule outside the specification.
    Private(tag::CompositionRule, CombineOp),
}

/// Hilbert curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HilbertLayout {
    /// Every dimension is `2^hilbert_order`.
    pub hilbert_order: u32,
    /// Dimensions of the curve; the rank.
    pub hilbert_rank: u32,
}

/// A layout outside the specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrivateLayout {
    /// `0xF0..=0xFE`.
    pub tag: LayoutTag,
    /// Which one it is, by agreement.
    pub extension_layout_id: u64,
    /// Its own description.
    pub extension_data: Vec<u8>,
}

impl CompositionRule {
    /// How corrections combine with what is below them; `None` but for overlays and private rules.
    #[must_use]
    pub const fn combine_op(self) -> CombineOp {
        match self {
            CompositionRule::Partition | CompositionRule::Group => CombineOp::None,
            CompositionRule::Overlay(op) | CompositionRule::Private(_, op) => op,
        }
    }
}

impl CooLayout {
    /// So many stored elements.
    #[must_use]
    pub const fn new(nnz: u64, is_sorted: bool) -> Self {
        CooLayout { nnz, is_sorted }
    }
}

impl CsrLayout {
    /// So many stored elements.
    #[must_use]
    pub const fn new(nnz: u64) -> Self {
        CsrLayout { nnz }
    }
}

impl CscLayout {
    /// So many stored elements.
    #[must_use]
    pub const fn new(nnz: u64) -> Self {
        CscLayout { nnz }
    }
}

impl CompositeLayout {
    /// A head that so many items belong to. The rule may be that of the [wire](tag::CompositionRule), alone or with
    /// its operation.
    ///
    /// # Errors
    ///
    /// COMP-09 of an overlay without an operation, COMP-11 of the count that is reserved, COMP-12 of an
    /// overlay without members; COMP-06 and COMP-07 of a private rule. A partition without members is
    /// judged with the shape.
    pub fn new(
        composition_rule: impl Into<CompositionRule>,
        member_count: u32,
    ) -> Result<Self, Error> {
        let layout = CompositeLayout {
            composition_rule: composition_rule.into(),
            member_count,
        };
        probe::head(Layout::Composite(layout.into()))?;
        Ok(layout)
    }
}
