//! Field by field: what `hrry` reads against what the reference reads.

use std::fmt::Debug;

use hrry::{
    BufferHandle, DescriptorView, ExtensionType, Layout, MemberRole, Quantization, Statistics,
    Tiled,
};
use hurray_core::descriptor::{MemberRole as TheirRole, TensorDescriptor};
use hurray_core::layout::{LayoutDescriptor, TiledLayout};
use hurray_core::quantization::QuantizationDescriptor;

/// Nothing where all fields are equal, else the first that is not.
pub fn same(ours: &DescriptorView<'_>, theirs: &TensorDescriptor) -> Result<(), String> {
    equal("version_minor", ours.version_minor(), theirs.version_minor)?;
    equal("type_tag", ours.element_type().0, theirs.element_type.tag())?;
    equal(
        "shape",
        ours.shape().iter().collect(),
        theirs.shape.dims().to_vec(),
    )?;
    equal("byte_offset", ours.byte_offset(), theirs.byte_offset)?;
    layout(ours.layout(), &theirs.layout)?;
    let handles: Vec<_> = (0..ours.buffer_count())
        .map_while(|k| ours.buffer(k))
        .collect();
    equal(
        "buffers",
        handles,
        theirs.buffers.iter().map(handle).collect(),
    )?;
    quantization(ours, theirs.quantization.as_deref())?;
    let shard = ours.shard().map(|shard| {
        let parent: Vec<u64> = shard.parent_shape.iter().collect();
        (parent, shard.shard_offset.iter().collect())
    });
    let their_shard = theirs.shard.as_ref();
    equal(
        "shard",
        shard,
        their_shard.map(|s| (s.parent_shape.clone(), s.shard_offset.clone())),
    )?;
    equal(
        "statistics",
        ours.statistics().map(normal),
        theirs.statistics.as_ref().map(statistics),
    )?;
    let their_extension = theirs.extension_type.as_ref().map(extension);
    equal(
        "extension_type",
        ours.extension_type().map(normal_extension),
        their_extension,
    )?;
    let their_role = theirs
        .composite_member
        .as_ref()
        .map(|member| match member.member_role {
            TheirRole::Base => MemberRole::Base,
            _ => MemberRole::Correction,
        });
    equal("member_role", ours.member_role(), their_role)
}

fn equal<T: PartialEq + Debug>(field: &str, ours: T, theirs: T) -> Result<(), String> {
    if ours == theirs {
        Ok(())
    } else {
        Err(format!("{field}: {ours:?} here, {theirs:?} there"))
    }
}

fn handle(theirs: &hurray_core::BufferHandle) -> BufferHandle {
    BufferHandle {
        byte_size: theirs.byte_size(),
        alignment: theirs.alignment(),
        device_tag: hrry::DeviceTag(theirs.device_tag().to_byte()),
        sync_mode: hrry::SyncMode(theirs.sync_mode().to_byte()),
        memory_class: hrry::MemoryClass(theirs.memory_class().to_byte()),
    }
}

fn layout(ours: Layout<'_>, theirs: &LayoutDescriptor) -> Result<(), String> {
    use LayoutDescriptor as L;
    equal("layout_tag", ours.tag().0, theirs.tag())?;
    match (ours, theirs) {
        (Layout::RowMajor, L::RowMajor) | (Layout::ColumnMajor, L::ColMajor) => Ok(()),
        (Layout::Strided { strides }, L::Strided(s)) => {
            equal("strides", strides.iter().collect(), s.strides.clone())
        }
        (Layout::Tiled(levels), L::Tiled(first)) => tiled(levels, first),
        (Layout::Morton { morton_bits }, L::Morton(m)) => equal(
            "morton_bits",
            morton_bits.iter().collect(),
            m.morton_bits.clone(),
        ),
        (Layout::Coo { nnz, is_sorted }, L::Coo(coo)) => {
            equal("coo", (nnz, is_sorted), (coo.nnz, coo.is_sorted))
        }
        (Layout::Csr { nnz }, L::Csr(csr)) => equal("nnz", nnz, csr.nnz),
        (Layout::Csc { nnz }, L::Csc(csc)) => equal("nnz", nnz, csc.nnz),
        (Layout::Csf { nnz, mode_order }, L::Csf(csf)) => {
            let modes: Vec<u32> = mode_order.iter().collect();
            equal("csf", (nnz, modes), (csf.nnz, csf.mode_order.clone()))
        }
        (Layout::BlockPaged(p), L::BlockPaged(t)) => {
            equal("page_size", p.page_size, t.page_size)?;
            equal("num_pages", p.num_pages, t.num_pages)?;
            equal("paged_axis", p.paged_axis, t.paged_axis)?;
            equal("num_seqs", p.num_seqs, t.num_seqs)?;
            equal("kv_role", p.kv_role.0, t.kv_role.wire_byte())?;
            let layer = (p.layer_index != u32::MAX).then_some(p.layer_index);
            equal("layer_index", layer, t.layer_index)?;
            let index = t.block_table_index_type.wire_byte();
            equal("block_table_index_type", p.block_table_index_type.0, index)
        }
        (Layout::Composite(head), L::Composite(t)) => {
            let ours = (
                head.composition_rule.0,
                head.combine_op.0,
                head.member_count,
            );
            let theirs = (t.rule.rule_byte(), t.rule.combine_op_byte(), t.member_count);
            equal("composite", ours, theirs)
        }
        (
            Layout::Hilbert {
                hilbert_order,
                hilbert_rank,
            },
            L::Hilbert(h),
        ) => equal(
            "hilbert",
            (hilbert_order, hilbert_rank),
            (h.hilbert_order, h.hilbert_rank),
        ),
        (
            Layout::Private {
                extension_layout_id,
                extension_data,
                ..
            },
            L::PrivateExtension(private),
        ) => {
            equal(
                "extension_layout_id",
                extension_layout_id,
                private.extension_layout_id,
            )?;
            equal("extension_data", extension_data, &private.extension_data)
        }
        (ours, theirs) => Err(format!("layout: {ours:?} here, {theirs:?} there")),
    }
}

fn tiled(ours: Tiled<'_>, theirs: &TiledLayout) -> Result<(), String> {
    let mut theirs = Some(theirs);
    for level in ours.levels() {
        let Some(their) = theirs else {
            return Err("one level more here".into());
        };
        equal(
            "tile_shape",
            level.tile_shape.iter().collect(),
            their.tile_shape.clone(),
        )?;
        let orders = (level.outer_layout.0, level.inner_layout.0);
        equal(
            "tile orders",
            orders,
            (their.outer_layout, their.inner_layout),
        )?;
        let outer = their.outer_strides.as_ref().map(|s| s.strides.clone());
        equal(
            "outer_strides",
            level.outer_strides.iter().collect(),
            outer.unwrap_or_default(),
        )?;
        let inner = their.inner_strides.as_ref().map(|s| s.strides.clone());
        equal(
            "inner_strides",
            level.inner_strides.iter().collect(),
            inner.unwrap_or_default(),
        )?;
        theirs = their.inner_tiled.as_deref();
    }
    equal("levels", None, theirs.map(|level| &level.tile_shape))
}

fn quantization(ours: &DescriptorView<'_>, theirs: Option<&[u8]>) -> Result<(), String> {
    let (quantization, theirs) = match (ours.quantization(), theirs) {
        (None, None) => return Ok(()),
        (Some(ours), Some(theirs)) => (ours, theirs),
        (ours, theirs) => return Err(format!("{ours:?} here, {theirs:?} there")),
    };
    equal(
        "quantization_length",
        ours.quantization_length() as usize,
        theirs.len(),
    )?;
    if let Quantization::Other { bytes, .. } = quantization {
        return equal("quantization", bytes, theirs);
    }
    let (theirs, _) = QuantizationDescriptor::decode(theirs).map_err(|e| format!("{e:?}"))?;
    match (quantization, theirs) {
        (
            Quantization::PerTensor {
                scale, zero_point, ..
            },
            QuantizationDescriptor::PerTensorAffine(t),
        ) => {
            let theirs = (t.scale().to_bits(), t.zero_point());
            equal("per_tensor", (scale.0, zero_point), theirs)
        }
        (Quantization::Buffers(p), theirs) => {
            let ours = (
                p.scheme.0,
                p.axis,
                p.block_size,
                p.scale_buffer_index,
                (p.zero_point_buffer_index != u32::MAX).then_some(p.zero_point_buffer_index),
                p.scale_type.0,
            );
            equal("parameters", Some(ours), parameters(&theirs))
        }
        (ours, theirs) => Err(format!("{ours:?} here, {theirs:?} there")),
    }
}

type Parameters = (u8, u32, u32, u32, Option<u32>, u8);

fn parameters(theirs: &QuantizationDescriptor) -> Option<Parameters> {
    use QuantizationDescriptor as Q;
    Some(match theirs {
        Q::PerTensorAffine(_) => return None,
        Q::PerChannelAffine(p) => (
            2,
            p.axis(),
            0,
            p.scale_buffer_index(),
            p.zero_point_buffer_index(),
            p.scale_type().tag(),
        ),
        Q::PerBlockAffine(p) => (
            3,
            p.axis(),
            p.block_size(),
            p.scale_buffer_index(),
            p.zero_point_buffer_index(),
            p.scale_type().tag(),
        ),
        Q::Nf4(p) => (
            4,
            p.axis(),
            p.block_size(),
            p.scale_buffer_index(),
            None,
            0x03,
        ),
        Q::Mxfp(p) => (
            5,
            p.axis(),
            p.block_size(),
            p.scale_buffer_index(),
            None,
            0x42,
        ),
    })
}

/// The reference keeps truth values where bytes are on the wire.
fn normal(mut ours: Statistics) -> Statistics {
    ours.has_nan = u8::from(ours.has_nan != 0);
    ours.has_inf = u8::from(ours.has_inf != 0);
    ours
}

fn normal_extension(mut ours: ExtensionType) -> ExtensionType {
    ours.has_nan = u8::from(ours.has_nan != 0);
    ours.has_inf = u8::from(ours.has_inf != 0);
    ours
}

fn statistics(s: &hurray_core::descriptor::Statistics) -> Statistics {
    Statistics {
        computed_mask: s.computed_mask.0,
        nnz: s.nnz,
        sparsity_ratio: s.sparsity_ratio.into(),
        value_min: s.value_min.into(),
        value_max: s.value_max.into(),
        value_abs_max: s.value_abs_max.into(),
        value_mean: s.value_mean.into(),
        value_stddev: s.value_stddev.into(),
        nm_n: s.nm_n,
        nm_m: s.nm_m,
        has_nan: s.has_nan.into(),
        has_inf: s.has_inf.into(),
    }
}

fn extension(e: &hurray_core::descriptor::ExtensionTypeDescriptor) -> ExtensionType {
    ExtensionType {
        bit_width: e.bit_width,
        packing_factor: e.packing_factor,
        is_float: e.is_float.into(),
        is_signed: e.is_signed.into(),
        sign_bits: e.sign_bits,
        exponent_bits: e.exponent_bits,
        mantissa_bits: e.mantissa_bits,
        exponent_bias: e.exponent_bias,
        has_nan: e.has_nan.into(),
        has_inf: e.has_inf.into(),
    }
}
