//! Layouts and what they add to a descriptor.

use super::{Array, I64s, U32s, U64s};
use crate::wire::descriptor::tile_level_len;
use crate::wire::tag::{BlockTableIndexType, CombineOp, CompositionRule, KvRole, LayoutTag};
use crate::wire::{index, u8};

/// How elements are placed, with what the layout adds to the descriptor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Layout<'a> {
    /// Last dimension fastest.
    RowMajor,
    /// First dimension fastest.
    ColumnMajor,
    /// One step, in elements, for each dimension; negative and zero steps are legal.
    Strided {
        /// Elements from one index to the next.
        strides: I64s<'a>,
    },
    /// Tiles, possibly of tiles.
    Tiled(Tiled<'a>),
    /// Z-order curve.
    Morton {
        /// Bits of each dimension's index.
        morton_bits: U32s<'a>,
    },
    /// Coordinate list.
    Coo {
        /// Stored elements.
        nnz: u64,
        /// Whether coordinates strictly increase.
        is_sorted: bool,
    },
    /// Compressed rows.
    Csr {
        /// Stored elements.
        nnz: u64,
    },
    /// Compressed columns.
    Csc {
        /// Stored elements.
        nnz: u64,
    },
    /// Compressed fibres.
    Csf {
        /// Stored elements.
        nnz: u64,
        /// Which dimension each level of the tree stands for.
        mode_order: U32s<'a>,
    },
    /// Pages addressed through a block table.
    BlockPaged(BlockPaged),
    /// The data-less head of a composite.
    Composite(CompositeHead),
    /// Hilbert curve.
    Hilbert {
        /// Every dimension is `2^hilbert_order`.
        hilbert_order: u32,
        /// Dimensions of the curve; the rank.
        hilbert_rank: u32,
    },
    /// A layout outside the specification.
    Private {
        /// `0xF0..=0xFE`.
        tag: LayoutTag,
        /// Which one it is, by agreement.
        extension_layout_id: u64,
        /// Its own description.
        extension_data: &'a [u8],
    },
    /// A tag without a meaning, seen in permissive mode only: nothing behind `byte_offset` can be read.
    Unknown(LayoutTag),
}

impl Layout<'_> {
    /// The tag on the wire.
    #[must_use]
    pub const fn tag(&self) -> LayoutTag {
        match self {
            Layout::RowMajor => LayoutTag::RowMajor,
            Layout::ColumnMajor => LayoutTag::ColumnMajor,
            Layout::Strided { .. } => LayoutTag::Strided,
            Layout::Tiled(_) => LayoutTag::Tiled,
            Layout::Morton { .. } => LayoutTag::Morton,
            Layout::Coo { .. } => LayoutTag::Coo,
            Layout::Csr { .. } => LayoutTag::Csr,
            Layout::Csc { .. } => LayoutTag::Csc,
            Layout::Csf { .. } => LayoutTag::Csf,
            Layout::BlockPaged(_) => LayoutTag::BlockPaged,
            Layout::Composite(_) => LayoutTag::Composite,
            Layout::Hilbert { .. } => LayoutTag::Hilbert,
            Layout::Private { tag, .. } | Layout::Unknown(tag) => *tag,
        }
    }
}

/// What a block-paged layout adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlockPaged {
    /// Token slots of a page.
    pub page_size: u32,
    /// Pages of the pool.
    pub num_pages: u64,
    /// The paged dimension; 0.
    pub paged_axis: u32,
    /// Sequences of the batch.
    pub num_seqs: u32,
    /// Keys, values or both.
    pub kv_role: KvRole,
    /// The model layer; `0xFFFFFFFF` for none.
    pub layer_index: u32,
    /// Width of page numbers and sequence pointers.
    pub block_table_index_type: BlockTableIndexType,
}

/// What a composite head adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CompositeHead {
    /// What the members are to the head.
    pub composition_rule: CompositionRule,
    /// How overlay members combine.
    pub combine_op: CombineOp,
    /// Items that follow and belong to the head.
    pub member_count: u32,
}

/// The levels of a tiled layout, outermost first.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Tiled<'a> {
    /// Wire bytes of all levels.
    Le {
        /// The layout payload.
        payload: &'a [u8],
        /// Rank of the tensor.
        rank: u32,
    },
    /// Levels in memory.
    Native(&'a [TiledLevel<'a>]),
}

/// One level of tiling.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TiledLevel<'a> {
    /// Elements of a tile along each dimension.
    pub tile_shape: U64s<'a>,
    /// Order of the tiles: row-major, column-major or strided.
    pub outer_layout: LayoutTag,
    /// Order inside a tile: row-major, column-major, strided, or tiled again by the next level.
    pub inner_layout: LayoutTag,
    /// Steps between tiles, in tiles; empty unless `outer_layout` is strided.
    pub outer_strides: I64s<'a>,
    /// Steps inside a tile, in elements; empty unless `inner_layout` is strided.
    pub inner_strides: I64s<'a>,
}

impl<'a> Tiled<'a> {
    /// The levels, outermost first.
    #[must_use]
    pub fn levels(&self) -> Levels<'a> {
        Levels(*self)
    }
}

impl PartialEq for Tiled<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.levels().eq(other.levels())
    }
}

/// The levels of a [`Tiled`] layout.
#[derive(Clone, Copy, Debug)]
pub struct Levels<'a>(Tiled<'a>);

impl<'a> Iterator for Levels<'a> {
    type Item = TiledLevel<'a>;

    fn next(&mut self) -> Option<TiledLevel<'a>> {
        match &mut self.0 {
            Tiled::Le { payload, rank } => {
                let array = index(*rank).wrapping_mul(8);
                let (tile_shape, tags) = payload.split_at_checked(array)?;
                let (outer, inner) = (LayoutTag(u8(tags, 0)), LayoutTag(u8(tags, 1)));
                let len = index(tile_level_len(*rank, outer, inner));
                let (level, rest) = payload.split_at_checked(len)?;
                *payload = rest;
                let strides = level.get(array.wrapping_add(4)..)?;
                let outer_len = if outer == LayoutTag::Strided {
                    array
                } else {
                    0
                };
                let (outer_strides, inner_strides) = strides.split_at_checked(outer_len)?;
                Some(TiledLevel {
                    tile_shape: Array::Le(tile_shape),
                    outer_layout: outer,
                    inner_layout: inner,
                    outer_strides: Array::Le(outer_strides),
                    inner_strides: Array::Le(inner_strides),
                })
            }
            Tiled::Native(levels) => {
                let (first, rest) = levels.split_first()?;
                *levels = rest;
                Some(*first)
            }
        }
    }
}
