//! The JSON shapes of layouts.

use hrry::{DescriptorView, Field, Layout, LayoutTag, Levels};
use serde::Serialize;

use super::{Numbers, Word, hex, number};

#[derive(Serialize)]
#[serde(untagged)]
pub enum LayoutShape<'a> {
    Plain {},
    Strided {
        strides: Numbers<'a, i64>,
    },
    Tiled(TiledShape<'a>),
    Morton {
        morton_bits: Numbers<'a, u32>,
    },
    Coo {
        nnz: u64,
        is_sorted: u8,
    },
    Compressed {
        nnz: u64,
    },
    Csf {
        nnz: u64,
        mode_order: Numbers<'a, u32>,
    },
    BlockPaged {
        #[serde(flatten)]
        fields: hrry::BlockPaged,
        kv_role_name: &'static str,
        index_type_name: &'static str,
    },
    Composite {
        #[serde(flatten)]
        fields: hrry::CompositeHead,
        rule_name: &'static str,
        op_name: &'static str,
    },
    Hilbert {
        hilbert_order: u32,
        hilbert_rank: u32,
    },
    Private {
        extension_layout_id: u64,
        extension_data: String,
    },
}

impl<'a> LayoutShape<'a> {
    pub fn of(view: &DescriptorView<'a>) -> Self {
        match view.layout() {
            Layout::Strided { strides } => LayoutShape::Strided {
                strides: Numbers(strides),
            },
            Layout::Tiled(tiled) => match TiledShape::of(&mut tiled.levels()) {
                Some(level) => LayoutShape::Tiled(level),
                None => LayoutShape::Plain {},
            },
            Layout::Morton { morton_bits } => LayoutShape::Morton {
                morton_bits: Numbers(morton_bits),
            },
            Layout::Coo { nnz, .. } => LayoutShape::Coo {
                nnz,
                is_sorted: number(view, Field::IsSorted) as u8,
            },
            Layout::Csr { nnz } | Layout::Csc { nnz } => LayoutShape::Compressed { nnz },
            Layout::Csf { nnz, mode_order } => LayoutShape::Csf {
                nnz,
                mode_order: Numbers(mode_order),
            },
            Layout::BlockPaged(fields) => LayoutShape::BlockPaged {
                fields,
                kv_role_name: fields.kv_role.word(),
                index_type_name: fields.block_table_index_type.word(),
            },
            Layout::Composite(fields) => LayoutShape::Composite {
                fields,
                rule_name: fields.composition_rule.word(),
                op_name: fields.combine_op.word(),
            },
            Layout::Hilbert {
                hilbert_order,
                hilbert_rank,
            } => LayoutShape::Hilbert {
                hilbert_order,
                hilbert_rank,
            },
            Layout::Private {
                extension_layout_id,
                extension_data,
                ..
            } => LayoutShape::Private {
                extension_layout_id,
                extension_data: hex(extension_data),
            },
            _ => LayoutShape::Plain {},
        }
    }
}

#[derive(Serialize)]
pub struct TiledShape<'a> {
    tile_shape: Numbers<'a, u64>,
    outer_layout: u8,
    outer_layout_name: &'static str,
    inner_layout: u8,
    inner_layout_name: &'static str,
    outer_strides: Option<Numbers<'a, i64>>,
    inner_strides: Option<Numbers<'a, i64>>,
    inner_tiled: Option<Box<TiledShape<'a>>>,
}

impl<'a> TiledShape<'a> {
    /// The next level with those inside it; the format allows eight.
    fn of(levels: &mut Levels<'a>) -> Option<Self> {
        let level = levels.next()?;
        let strided = |tag, strides| (tag == LayoutTag::Strided).then_some(Numbers(strides));
        Some(TiledShape {
            tile_shape: Numbers(level.tile_shape),
            outer_layout: level.outer_layout.0,
            outer_layout_name: level.outer_layout.word(),
            inner_layout: level.inner_layout.0,
            inner_layout_name: level.inner_layout.word(),
            outer_strides: strided(level.outer_layout, level.outer_strides),
            inner_strides: strided(level.inner_layout, level.inner_strides),
            inner_tiled: match level.inner_layout {
                LayoutTag::Tiled => TiledShape::of(levels).map(Box::new),
                _ => None,
            },
        })
    }
}
