//! A plan in the types of the reference, through its constructors.

use hrry::{BufferHandle, CombineOp, CompositionRule, ElementType, MemberRole};
use hurray_core::descriptor::{
    CompositeMemberDescriptor, ExtensionTypeDescriptor, ShardDescriptor, Statistics,
    StatisticsMask, TensorDescriptor,
};
use hurray_core::layout::{
    BlockPagedLayout, CompositeLayout, CooLayout, CscLayout, CsfLayout, CsrLayout, HilbertLayout,
    InnerStrides, LayoutDescriptor, MortonLayout, OuterStrides, PrivateExtensionLayout,
    StridedLayout, TiledLayout,
};
use hurray_core::quantization::{
    Mxfp, Nf4, PerBlockAffine, PerChannelAffine, PerTensorAffine, QuantizationDescriptor,
};
use hurray_core::{Error, Shape};

use crate::plan::{LayoutPlan, LevelPlan, Plan, SchemePlan};

impl Plan {
    /// The descriptor that the reference builds from it.
    pub fn reference(&self) -> Result<TensorDescriptor, Error> {
        let buffers: Result<_, Error> = self.buffers.iter().map(handle).collect();
        let quantization = match &self.quantization {
            Some(scheme) => Some([scheme.reference()?, self.padding.clone()].concat()),
            None => None,
        };
        let shard = match &self.shard {
            Some(s) => Some(ShardDescriptor::new(
                s.parent_shape.clone(),
                s.shard_offset.clone(),
            )?),
            None => None,
        };
        let extension = match &self.extension_type {
            Some(e) => Some(ExtensionTypeDescriptor::new(
                e.bit_width,
                e.packing_factor,
                e.is_float == 1,
                e.is_signed == 1,
                e.sign_bits,
                e.exponent_bits,
                e.mantissa_bits,
                e.exponent_bias,
                e.has_nan == 1,
                e.has_inf == 1,
            )?),
            None => None,
        };
        let descriptor = TensorDescriptor::new(
            1,
            self.version_minor,
            element(self.element_type)?,
            Shape::new(self.shape.clone())?,
            self.byte_offset,
            self.layout.reference()?,
            buffers?,
            quantization,
            shard,
            self.statistics.as_ref().map(statistics),
            extension,
        )?;
        Ok(match self.member_role {
            None => descriptor,
            Some(role) => {
                let role = match role {
                    MemberRole::Base => hurray_core::descriptor::MemberRole::Base,
                    _ => hurray_core::descriptor::MemberRole::Correction,
                };
                descriptor.with_composite_member(CompositeMemberDescriptor::new(role))
            }
        })
    }
}

/// The type that the reference has for a tag.
pub fn element(tag: ElementType) -> Result<hurray_core::ElementType, Error> {
    hurray_core::ElementType::from_tag(tag.0)
}

fn handle(handle: &BufferHandle) -> Result<hurray_core::BufferHandle, Error> {
    hurray_core::BufferHandle::with_memory_class(
        handle.byte_size,
        handle.alignment,
        hurray_core::DeviceTag::from_byte(handle.device_tag.0)?,
        hurray_core::SyncMode::from_byte(handle.sync_mode.0)?,
        hurray_core::MemoryClass::from_byte(handle.memory_class.0)?,
    )
}

fn statistics(s: &hrry::Statistics) -> Statistics {
    Statistics {
        computed_mask: StatisticsMask(s.computed_mask),
        nnz: s.nnz,
        sparsity_ratio: f64::from_bits(s.sparsity_ratio.0),
        value_min: f64::from_bits(s.value_min.0),
        value_max: f64::from_bits(s.value_max.0),
        value_abs_max: f64::from_bits(s.value_abs_max.0),
        value_mean: f64::from_bits(s.value_mean.0),
        value_stddev: f64::from_bits(s.value_stddev.0),
        nm_n: s.nm_n,
        nm_m: s.nm_m,
        has_nan: s.has_nan == 1,
        has_inf: s.has_inf == 1,
    }
}

impl LayoutPlan {
    /// The layout that the reference builds from it.
    pub fn reference(&self) -> Result<LayoutDescriptor, Error> {
        Ok(match self {
            LayoutPlan::RowMajor => LayoutDescriptor::RowMajor,
            LayoutPlan::ColumnMajor => LayoutDescriptor::ColMajor,
            LayoutPlan::Strided(strides) => {
                LayoutDescriptor::Strided(StridedLayout::new(strides.clone()))
            }
            LayoutPlan::Tiled(levels) => LayoutDescriptor::Tiled(Box::new(tiled(levels)?)),
            LayoutPlan::Morton(bits) => LayoutDescriptor::Morton(MortonLayout::new(bits.clone())?),
            LayoutPlan::Coo { nnz, is_sorted } => {
                LayoutDescriptor::Coo(CooLayout::new(*nnz, *is_sorted))
            }
            LayoutPlan::Csr(nnz) => LayoutDescriptor::Csr(CsrLayout::new(*nnz)),
            LayoutPlan::Csc(nnz) => LayoutDescriptor::Csc(CscLayout::new(*nnz)),
            LayoutPlan::Csf { nnz, mode_order } => {
                LayoutDescriptor::Csf(CsfLayout::new(*nnz, mode_order.clone()))
            }
            LayoutPlan::BlockPaged(paged) => LayoutDescriptor::BlockPaged(block_paged(paged)),
            LayoutPlan::Composite(head) => {
                let add = head.combine_op == CombineOp::Add;
                let op = if add {
                    hurray_core::layout::CombineOp::Add
                } else {
                    hurray_core::layout::CombineOp::Replace
                };
                let rule = match head.composition_rule {
                    CompositionRule::Partition => hurray_core::layout::CompositionRule::Partition,
                    CompositionRule::Overlay => hurray_core::layout::CompositionRule::Overlay(op),
                    _ => hurray_core::layout::CompositionRule::Group,
                };
                LayoutDescriptor::Composite(CompositeLayout::new(rule, head.member_count)?)
            }
            LayoutPlan::Hilbert { order, rank } => {
                LayoutDescriptor::Hilbert(HilbertLayout::new(*order, *rank)?)
            }
            LayoutPlan::Private { tag, id, data } => LayoutDescriptor::PrivateExtension(
                PrivateExtensionLayout::new(*tag, *id, data.clone())?,
            ),
        })
    }
}

fn block_paged(paged: &hrry::BlockPaged) -> BlockPagedLayout {
    let role = hurray_core::layout::KvRole::from_wire(paged.kv_role.0).expect("0, 1 or 2");
    let index = paged.block_table_index_type.0;
    BlockPagedLayout::new(
        paged.page_size,
        paged.num_pages,
        paged.paged_axis,
        paged.num_seqs,
        role,
        (paged.layer_index != u32::MAX).then_some(paged.layer_index),
        hurray_core::layout::BlockTableIndexType::from_wire(index).expect("0 or 1"),
    )
}

fn tiled(levels: &[LevelPlan]) -> Result<TiledLayout, Error> {
    let (level, rest) = levels.split_first().expect("at least one level");
    let inner = match rest {
        [] => None,
        rest => Some(Box::new(tiled(rest)?)),
    };
    let outer_strides = (level.outer_layout == 3).then(|| level.outer_strides.clone());
    let inner_strides = (level.inner_layout == 3).then(|| level.inner_strides.clone());
    TiledLayout::new(
        level.tile_shape.clone(),
        level.outer_layout,
        level.inner_layout,
        outer_strides.map(OuterStrides::new),
        inner_strides.map(InnerStrides::new),
        inner,
    )
}

impl SchemePlan {
    /// The wire form that the reference gives it.
    fn reference(&self) -> Result<Vec<u8>, Error> {
        match self {
            SchemePlan::Private(bytes) => Ok(bytes.clone()),
            known => Ok(known.scheme()?.encode_to_vec()),
        }
    }

    /// The scheme that the reference builds from it.
    ///
    /// # Panics
    ///
    /// For a private one, which the reference has no type for.
    pub fn scheme(&self) -> Result<QuantizationDescriptor, Error> {
        Ok(match self {
            SchemePlan::PerTensor { scale, zero_point } => {
                QuantizationDescriptor::PerTensorAffine(PerTensorAffine::new(*scale, *zero_point)?)
            }
            SchemePlan::PerChannel {
                axis,
                scales,
                zero_points,
            } => QuantizationDescriptor::PerChannelAffine(match zero_points {
                Some(points) => PerChannelAffine::new_asymmetric(*axis, *scales, *points)?,
                None => PerChannelAffine::new_symmetric(*axis, *scales)?,
            }),
            SchemePlan::PerBlock {
                axis,
                block_size,
                scales,
                zero_points,
                scale_type,
            } => {
                let scale_type = element(*scale_type)?;
                QuantizationDescriptor::PerBlockAffine(match zero_points {
                    Some(points) => PerBlockAffine::new_asymmetric(
                        *axis,
                        *block_size,
                        *scales,
                        *points,
                        scale_type,
                    )?,
                    None => PerBlockAffine::new_symmetric(*axis, *block_size, *scales, scale_type)?,
                })
            }
            SchemePlan::Nf4 {
                axis,
                block_size,
                scales,
            } => QuantizationDescriptor::Nf4(Nf4::new(*axis, *block_size, *scales)?),
            SchemePlan::Mxfp {
                axis,
                block_size,
                scales,
            } => QuantizationDescriptor::Mxfp(Mxfp::new(*axis, *block_size, *scales)?),
            SchemePlan::Private(_) => panic!("a private scheme"),
        })
    }
}
