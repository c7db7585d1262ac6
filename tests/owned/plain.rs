//! The plain descriptors of the tests as owned values.

use hrry::owned::layout::{
    CompositeLayout, CooLayout, CscLayout, CsfLayout, CsrLayout, HilbertLayout, LayoutDescriptor,
    LayoutTag, MortonLayout, PrivateLayout, StridedLayout, TileLevel, TiledLayout,
};
use hrry::owned::{
    ElementType, Error, QuantizationDescriptor, Shape, ShardDescriptor, TensorDescriptor,
    TensorDescriptorBuilder,
};
use hrry::{MemberRole, Quantization, Scheme, Shard};

use crate::support::spec::{Plain, PlainLayout, PlainLevel, PlainScheme};

/// A builder with the same values.
pub fn builder(plain: &Plain) -> Result<TensorDescriptorBuilder, Error> {
    let shape = Shape::new(plain.shape.clone())?;
    let mut builder = TensorDescriptor::builder(ElementType(plain.element_type), shape)
        .byte_offset(plain.byte_offset)
        .layout(layout(&plain.layout))
        .buffers(plain.buffers.clone());
    if let Some(scheme) = &plain.quantization {
        builder = builder.quantization(match scheme {
            PlainScheme::Known(known) => QuantizationDescriptor::from(*known),
            PlainScheme::Other(bytes) => QuantizationDescriptor::from(Quantization::Other {
                scheme: Scheme(bytes[0]),
                bytes,
            }),
        });
    }
    if let Some([parent, offset]) = &plain.shard {
        // not by `new`, which would refuse a damaged one alone
        builder = builder.shard(ShardDescriptor::from(Shard {
            parent_shape: parent[..].into(),
            shard_offset: offset[..].into(),
        }));
    }
    if let Some(statistics) = plain.statistics {
        builder = builder.statistics(statistics);
    }
    if let Some(extension_type) = plain.extension_type {
        builder = builder.extension_type(extension_type);
    }
    if let Some(role) = plain.member_role {
        builder = builder.member_role(MemberRole(role));
    }
    Ok(builder)
}

fn layout(plain: &PlainLayout) -> LayoutDescriptor {
    match plain.clone() {
        PlainLayout::RowMajor => LayoutDescriptor::RowMajor,
        PlainLayout::ColumnMajor => LayoutDescriptor::ColumnMajor,
        PlainLayout::Strided(strides) => LayoutDescriptor::Strided(StridedLayout { strides }),
        PlainLayout::Tiled(levels) => LayoutDescriptor::Tiled(TiledLayout {
            levels: levels.into_iter().map(level).collect(),
        }),
        PlainLayout::Morton(morton_bits) => LayoutDescriptor::Morton(MortonLayout { morton_bits }),
        PlainLayout::Coo { nnz, is_sorted } => {
            LayoutDescriptor::Coo(CooLayout::new(nnz, is_sorted))
        }
        PlainLayout::Csr(nnz) => LayoutDescriptor::Csr(CsrLayout::new(nnz)),
        PlainLayout::Csc(nnz) => LayoutDescriptor::Csc(CscLayout::new(nnz)),
        PlainLayout::Csf { nnz, mode_order } => {
            LayoutDescriptor::Csf(CsfLayout { nnz, mode_order })
        }
        PlainLayout::BlockPaged(paged) => LayoutDescriptor::BlockPaged(paged),
        PlainLayout::Composite(head) => LayoutDescriptor::Composite(CompositeLayout::from(head)),
        PlainLayout::Hilbert { order, rank } => LayoutDescriptor::Hilbert(HilbertLayout {
            hilbert_order: order,
            hilbert_rank: rank,
        }),
        PlainLayout::Private { tag, id, data } => LayoutDescriptor::Private(PrivateLayout {
            tag: LayoutTag(tag),
            extension_layout_id: id,
            extension_data: data,
        }),
    }
}

fn level(plain: PlainLevel) -> TileLevel {
    TileLevel {
        tile_shape: plain.tile_shape,
        outer_layout: LayoutTag(plain.outer_layout),
        inner_layout: LayoutTag(plain.inner_layout),
        outer_strides: plain.outer_strides,
        inner_strides: plain.inner_strides,
    }
}
