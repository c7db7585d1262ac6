//! A descriptor as plain values that own their arrays, and its form for `hrry`.

use hrry::{
    Array, BlockPaged, BufferHandle, CompositeHead, DescriptorSpec, ElementType, ExtensionType,
    F32Bits, Layout, LayoutTag, MemberRole, Quantization, Scheme, Shard, Statistics, Tiled,
    TiledLevel,
};

/// What both implementations can say.
#[derive(Clone, Debug)]
pub struct Plan {
    pub version_minor: u8,
    pub element_type: ElementType,
    pub extension_type: Option<ExtensionType>,
    pub shape: Vec<u64>,
    pub byte_offset: u64,
    pub layout: LayoutPlan,
    pub buffers: Vec<BufferHandle>,
    pub quantization: Option<SchemePlan>,
    /// Bytes behind a known scheme's fields, within `quantization_length`.
    pub padding: Vec<u8>,
    pub shard: Option<ShardPlan>,
    pub statistics: Option<Statistics>,
    pub member_role: Option<MemberRole>,
}

#[derive(Clone, Debug)]
pub enum LayoutPlan {
    RowMajor,
    ColumnMajor,
    Strided(Vec<i64>),
    Tiled(Vec<LevelPlan>),
    Morton(Vec<u32>),
    Coo { nnz: u64, is_sorted: bool },
    Csr(u64),
    Csc(u64),
    Csf { nnz: u64, mode_order: Vec<u32> },
    BlockPaged(BlockPaged),
    Composite(CompositeHead),
    Hilbert { order: u32, rank: u32 },
    Private { tag: u8, id: u64, data: Vec<u8> },
}

#[derive(Clone, Debug)]
pub struct LevelPlan {
    pub tile_shape: Vec<u64>,
    pub outer_layout: u8,
    pub inner_layout: u8,
    pub outer_strides: Vec<i64>,
    pub inner_strides: Vec<i64>,
}

#[derive(Clone, Debug)]
pub enum SchemePlan {
    PerTensor {
        scale: f32,
        zero_point: i32,
    },
    PerChannel {
        axis: u32,
        scales: u32,
        zero_points: Option<u32>,
    },
    PerBlock {
        axis: u32,
        block_size: u32,
        scales: u32,
        zero_points: Option<u32>,
        scale_type: ElementType,
    },
    Nf4 {
        axis: u32,
        block_size: u32,
        scales: u32,
    },
    Mxfp {
        axis: u32,
        block_size: u32,
        scales: u32,
    },
    /// Everything behind `quantization_length`.
    Private(Vec<u8>),
}

#[derive(Clone, Debug)]
pub struct ShardPlan {
    pub parent_shape: Vec<u64>,
    pub shard_offset: Vec<u64>,
}

impl Plan {
    /// A plan without optional sections.
    pub fn new(
        element_type: ElementType,
        shape: Vec<u64>,
        layout: LayoutPlan,
        buffers: Vec<BufferHandle>,
    ) -> Self {
        Plan {
            version_minor: 0,
            element_type,
            extension_type: None,
            shape,
            byte_offset: 0,
            layout,
            buffers,
            quantization: None,
            padding: Vec::new(),
            shard: None,
            statistics: None,
            member_role: None,
        }
    }

    /// Whether `hrry` has a way to write it: it emits version 1.0 and no padding.
    pub fn is_writable(&self) -> bool {
        self.version_minor == 0 && self.padding.is_empty()
    }

    /// Lends the plan to `hrry` as a specification.
    pub fn with_spec<R>(&self, use_spec: impl FnOnce(&DescriptorSpec<'_>) -> R) -> R {
        let levels: Vec<TiledLevel<'_>> = match &self.layout {
            LayoutPlan::Tiled(levels) => levels.iter().map(LevelPlan::level).collect(),
            _ => Vec::new(),
        };
        let shard = self.shard.as_ref().map(|shard| Shard {
            parent_shape: Array::Native(&shard.parent_shape),
            shard_offset: Array::Native(&shard.shard_offset),
        });
        use_spec(&DescriptorSpec {
            byte_offset: self.byte_offset,
            quantization: self.quantization.as_ref().map(SchemePlan::quantization),
            shard,
            statistics: self.statistics,
            extension_type: self.extension_type,
            member_role: self.member_role,
            ..DescriptorSpec::new(
                self.element_type,
                &self.shape,
                self.layout.layout(&levels),
                &self.buffers,
            )
        })
    }
}

impl LayoutPlan {
    fn layout<'a>(&'a self, levels: &'a [TiledLevel<'a>]) -> Layout<'a> {
        match self {
            LayoutPlan::RowMajor => Layout::RowMajor,
            LayoutPlan::ColumnMajor => Layout::ColumnMajor,
            LayoutPlan::Strided(strides) => Layout::Strided {
                strides: Array::Native(strides),
            },
            LayoutPlan::Tiled(_) => Layout::Tiled(Tiled::Native(levels)),
            LayoutPlan::Morton(bits) => Layout::Morton {
                morton_bits: Array::Native(bits),
            },
            LayoutPlan::Coo { nnz, is_sorted } => Layout::Coo {
                nnz: *nnz,
                is_sorted: *is_sorted,
            },
            LayoutPlan::Csr(nnz) => Layout::Csr { nnz: *nnz },
            LayoutPlan::Csc(nnz) => Layout::Csc { nnz: *nnz },
            LayoutPlan::Csf { nnz, mode_order } => Layout::Csf {
                nnz: *nnz,
                mode_order: Array::Native(mode_order),
            },
            LayoutPlan::BlockPaged(paged) => Layout::BlockPaged(*paged),
            LayoutPlan::Composite(head) => Layout::Composite(*head),
            LayoutPlan::Hilbert { order, rank } => Layout::Hilbert {
                hilbert_order: *order,
                hilbert_rank: *rank,
            },
            LayoutPlan::Private { tag, id, data } => Layout::Private {
                tag: LayoutTag(*tag),
                extension_layout_id: *id,
                extension_data: data,
            },
        }
    }
}

impl LevelPlan {
    fn level(&self) -> TiledLevel<'_> {
        TiledLevel {
            tile_shape: Array::Native(&self.tile_shape),
            outer_layout: LayoutTag(self.outer_layout),
            inner_layout: LayoutTag(self.inner_layout),
            outer_strides: Array::Native(&self.outer_strides),
            inner_strides: Array::Native(&self.inner_strides),
        }
    }
}

impl SchemePlan {
    fn quantization(&self) -> Quantization<'_> {
        match self {
            SchemePlan::PerTensor { scale, zero_point } => {
                Quantization::per_tensor(F32Bits::from(*scale), *zero_point)
            }
            SchemePlan::PerChannel {
                axis,
                scales,
                zero_points,
            } => Quantization::per_channel(*axis, *scales, *zero_points),
            SchemePlan::PerBlock {
                axis,
                block_size,
                scales,
                zero_points,
                scale_type,
            } => Quantization::per_block(*axis, *block_size, *scales, *zero_points, *scale_type),
            SchemePlan::Nf4 {
                axis,
                block_size,
                scales,
            } => Quantization::nf4(*axis, *block_size, *scales),
            SchemePlan::Mxfp {
                axis,
                block_size,
                scales,
            } => Quantization::mxfp(*axis, *block_size, *scales),
            SchemePlan::Private(bytes) => Quantization::Other {
                scheme: Scheme(bytes[0]),
                bytes,
            },
        }
    }
}
