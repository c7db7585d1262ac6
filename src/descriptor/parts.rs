//! The parts of a descriptor as slices, and the values that they hold.
//!
//! The decoder cuts the parts while it walks and hands them to the checks, so that nothing is located a
//! second time; a view cuts the one part that it is asked for. Both read values here.

use crate::check::Subject;
use crate::error::Field;
use crate::model::{
    Array, BlockPaged, BufferHandle, CompositeHead, ExtensionType, F32Bits, F64Bits, Fields,
    Layout, Parameters, Quantization, Shard, Statistics, Tiled, U64s,
};
use crate::wire::descriptor::{
    EXTENSION_TYPE, HANDLE, MEMBER, NO_BUFFER, STATISTICS, offset, scheme_shift,
};
use crate::wire::form::Form;
use crate::wire::handle::RawHandle;
use crate::wire::tag::{
    BlockTableIndexType, CombineOp, CompositionRule, ElementType, KvRole, LayoutTag, MemberRole,
    Scheme,
};
use crate::wire::{index, record, u8, u16, u32, u64};

/// A descriptor cut into its parts; those that are not there are empty.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) element_type: ElementType,
    pub(super) layout_tag: LayoutTag,
    pub(super) form: Option<&'static Form>,
    pub(super) rank: u32,
    pub(super) shape: &'a [u8],
    pub(super) byte_offset: u64,
    pub(super) payload: &'a [u8],
    pub(super) handles: &'a [[u8; HANDLE]],
    pub(super) is_hosted: bool,
    /// With its length in front.
    pub(super) quantization: &'a [u8],
    pub(super) shard: Option<&'a [u8]>,
    pub(super) statistics: Option<&'a [u8; STATISTICS]>,
    pub(super) extension_type: Option<&'a [u8; EXTENSION_TYPE]>,
    pub(super) member: Option<&'a [u8; MEMBER]>,
}

/// The layout whose payload the bytes are.
#[inline(always)]
pub(super) fn layout<'a>(tag: LayoutTag, rank: u32, payload: &'a [u8]) -> Layout<'a> {
    let short: &[u8; 8] = record(payload, 0);
    let nnz = u64(short, offset(Field::Nnz));
    match tag {
        LayoutTag::RowMajor => Layout::RowMajor,
        LayoutTag::ColumnMajor => Layout::ColumnMajor,
        LayoutTag::Strided => Layout::Strided {
            strides: Array::Le(payload),
        },
        LayoutTag::Tiled => Layout::Tiled(Tiled::Le { payload, rank }),
        LayoutTag::Morton => Layout::Morton {
            morton_bits: Array::Le(payload),
        },
        LayoutTag::Coo => Layout::Coo {
            nnz,
            is_sorted: u8(payload, offset(Field::IsSorted)) == 1,
        },
        LayoutTag::Csr => Layout::Csr { nnz },
        LayoutTag::Csc => Layout::Csc { nnz },
        LayoutTag::Csf => {
            let modes = payload.get(offset(Field::ModeOrder)..);
            let len = index(rank).wrapping_mul(4);
            let modes = modes.and_then(|modes| modes.get(..len));
            Layout::Csf {
                nnz,
                mode_order: Array::Le(modes.unwrap_or(&[])),
            }
        }
        LayoutTag::BlockPaged => {
            let payload: &[u8; 32] = record(payload, 0);
            let byte = |field| u8(payload, offset(field));
            let word = |field| u32(payload, offset(field));
            Layout::BlockPaged(BlockPaged {
                page_size: word(Field::PageSize),
                num_pages: u64(payload, offset(Field::NumPages)),
                paged_axis: word(Field::PagedAxis),
                num_seqs: word(Field::NumSeqs),
                kv_role: KvRole(byte(Field::KvRole)),
                layer_index: word(Field::LayerIndex),
                block_table_index_type: BlockTableIndexType(byte(Field::BlockTableIndexType)),
            })
        }
        LayoutTag::Composite => Layout::Composite(head(payload)),
        LayoutTag::Hilbert => Layout::Hilbert {
            hilbert_order: u32(short, offset(Field::HilbertOrder)),
            hilbert_rank: u32(short, offset(Field::HilbertRank)),
        },
        _ if tag.is_private() => Layout::Private {
            tag,
            extension_layout_id: u64(short, offset(Field::ExtensionLayoutId)),
            extension_data: payload.get(offset(Field::ExtensionData)..).unwrap_or(&[]),
        },
        _ => Layout::Unknown(tag),
    }
}

/// The scheme of a quantization section, if the section is there.
#[inline(never)]
pub(super) fn quantization(section: &[u8]) -> Option<Quantization<'_>> {
    let (_, scheme_bytes) = section.split_at_checked(offset(Field::SchemeTag))?;
    let scheme = Scheme(u8(section, offset(Field::SchemeTag)));
    if !scheme.is_assigned() {
        return Some(Quantization::Other {
            scheme,
            bytes: scheme_bytes,
        });
    }
    // the shortest assigned scheme
    let head: &[u8; 20] = record(section, 0);
    let flags = u16(head, offset(Field::SchemeFlags));
    let first = u32(head, offset(Field::Axis));
    let second = u32(head, offset(Field::BlockSize));
    if scheme == Scheme::PerTensorAffine {
        return Some(Quantization::PerTensor {
            flags,
            scale: F32Bits(first),
            zero_point: second.cast_signed(),
        });
    }
    let per_channel = scheme == Scheme::PerChannelAffine;
    let mut scale_buffer_index = u32(head, offset(Field::ScaleBufferIndex));
    let (mut zero_point_buffer_index, mut scale_type) = (NO_BUFFER, ElementType::Float32);
    if scheme == Scheme::Mxfp {
        scale_type = ElementType::Float8E8M0;
    } else if per_channel || scheme == Scheme::PerBlockAffine {
        let first = offset(Field::ScaleBufferIndex);
        let behind: &[u8; 9] = record(section, first.wrapping_sub(index(scheme_shift(scheme))));
        let at = |field| offset(field).wrapping_sub(first);
        scale_buffer_index = u32(behind, 0);
        zero_point_buffer_index = u32(behind, at(Field::ZeroPointBufferIndex));
        scale_type = ElementType(u8(behind, at(Field::ScaleTypeTag)));
    }
    Some(Quantization::Buffers(Parameters {
        scheme,
        flags,
        axis: first,
        block_size: if per_channel { 0 } else { second },
        scale_buffer_index,
        zero_point_buffer_index,
        scale_type,
    }))
}

/// The halves of a shard section.
#[inline]
pub(super) fn shard(section: &[u8]) -> Shard<'_> {
    let half = section.len().wrapping_shr(1);
    let (parent, offset) = section.split_at_checked(half).unwrap_or((section, &[]));
    Shard {
        parent_shape: Array::Le(parent),
        shard_offset: Array::Le(offset),
    }
}

#[inline]
pub(super) fn statistics(section: &[u8; STATISTICS]) -> Statistics {
    let float = |field| F64Bits(u64(section, offset(field)));
    let byte = |field| u8(section, offset(field));
    Statistics {
        computed_mask: u32(section, offset(Field::ComputedMask)),
        nnz: u64(section, offset(Field::StatisticsNnz)),
        sparsity_ratio: float(Field::SparsityRatio),
        value_min: float(Field::ValueMin),
        value_max: float(Field::ValueMax),
        value_abs_max: float(Field::ValueAbsMax),
        value_mean: float(Field::ValueMean),
        value_stddev: float(Field::ValueStddev),
        nm_n: byte(Field::NmN),
        nm_m: byte(Field::NmM),
        has_nan: byte(Field::HasNan),
        has_inf: byte(Field::HasInf),
    }
}

#[inline]
pub(super) fn extension_type(section: &[u8; EXTENSION_TYPE]) -> ExtensionType {
    let byte = |field| u8(section, offset(field));
    ExtensionType {
        bit_width: u32(section, offset(Field::BitWidth)),
        packing_factor: byte(Field::PackingFactor),
        is_float: byte(Field::IsFloat),
        is_signed: byte(Field::IsSigned),
        sign_bits: byte(Field::SignBits),
        exponent_bits: byte(Field::ExponentBits),
        mantissa_bits: byte(Field::MantissaBits),
        exponent_bias: u32(section, offset(Field::ExponentBias)),
        has_nan: byte(Field::ExtensionHasNan),
        has_inf: byte(Field::ExtensionHasInf),
    }
}

#[inline]
pub(super) fn member_role(section: &[u8; MEMBER]) -> MemberRole {
    MemberRole(u8(section, offset(Field::MemberRole)))
}

#[inline]
pub(super) fn buffer(handle: &[u8; HANDLE]) -> BufferHandle {
    let handle = RawHandle::read(handle);
    let (device_tag, sync_mode, memory_class) = handle.tags();
    BufferHandle {
        byte_size: handle.byte_size,
        alignment: handle.alignment(),
        device_tag,
        sync_mode,
        memory_class,
    }
}

impl Subject for Parts<'_> {
    #[inline(always)]
    fn layout_tag(&self) -> LayoutTag {
        self.layout_tag
    }

    #[inline(always)]
    fn form(&self) -> Option<&'static Form> {
        self.form
    }

    #[inline(always)]
    fn rank(&self) -> u32 {
        self.rank
    }

    #[inline(always)]
    fn stored(&self) -> Option<u64> {
        let sparse = self.layout_tag.is_sparse();
        sparse.then(|| u64(self.payload, offset(Field::Nnz)))
    }

    #[inline(always)]
    fn handle(&self, k: u32) -> Option<RawHandle> {
        self.handles.get(index(k)).map(RawHandle::read)
    }

    #[inline(always)]
    fn is_hosted(&self) -> bool {
        self.is_hosted
    }
}

impl Fields for Parts<'_> {
    #[inline(always)]
    fn element_type(&self) -> ElementType {
        self.element_type
    }

    #[inline(always)]
    fn shape(&self) -> U64s<'_> {
        Array::Le(self.shape)
    }

    #[inline(always)]
    fn byte_offset(&self) -> u64 {
        self.byte_offset
    }

    #[inline(always)]
    fn layout(&self) -> Layout<'_> {
        layout(self.layout_tag, self.rank, self.payload)
    }

    #[inline(always)]
    fn buffer_count(&self) -> usize {
        self.handles.len()
    }

    #[inline(always)]
    fn buffer(&self, index: usize) -> Option<BufferHandle> {
        self.handles.get(index).map(buffer)
    }

    #[inline(always)]
    fn quantization(&self) -> Option<Quantization<'_>> {
        if self.quantization.is_empty() {
            return None;
        }
        quantization(self.quantization)
    }

    #[inline(always)]
    fn shard(&self) -> Option<Shard<'_>> {
        self.shard.map(shard)
    }

    #[inline(always)]
    fn statistics(&self) -> Option<Statistics> {
        self.statistics.map(statistics)
    }

    #[inline(always)]
    fn extension_type(&self) -> Option<ExtensionType> {
        self.extension_type.map(extension_type)
    }

    #[inline(always)]
    fn member_role(&self) -> Option<MemberRole> {
        self.member.map(member_role)
    }
}

/// The payload of a head.
#[inline]
pub(super) fn head(payload: &[u8]) -> CompositeHead {
    CompositeHead {
        composition_rule: CompositionRule(u8(payload, offset(Field::CompositionRule))),
        combine_op: CombineOp(u8(payload, offset(Field::CombineOp))),
        member_count: u32(payload, offset(Field::MemberCount)),
    }
}
