//! Writing a descriptor: a known length, then one forward pass.

use super::sink::{NoSpace, Output, Pieces, Rest, Short, Sink, WriteError};
use crate::check;
use crate::error::{Field, Violation};
use crate::model::{
    Array, ExtensionType, Fields, I64s, Layout, Parameters, Quantization, Statistics, Tiled, U32s,
    U64s,
};
use crate::policy::{Mode, Policy};
use crate::rule::Rule;
use crate::wire::descriptor::{
    EXTENSION_TYPE, Facts, HEADER, MAGIC, MEMBER, PRIVATE_LAYOUT, SCHEME_VERSION, STATISTICS,
    Section, VERSION_MAJOR, VERSION_MINOR, flag, offset, scheme_len, scheme_shift, tile_level_len,
};
use crate::wire::form::form;
use crate::wire::handle::RawHandle;
use crate::wire::tag::{LayoutTag, Scheme};
use crate::wire::{self, Number, index, length32};

/// Bytes that the encoded descriptor takes.
///
/// # Errors
///
/// DESC-21 where that is 2^32 or more; only the data of a private layout or scheme can be that long.
pub fn encoded_len<F: Fields + ?Sized>(d: &F) -> Result<u32, Violation> {
    Ok(Prepared::measured(d)?.len)
}

/// Bytes of all sections, where a length can say so many.
#[inline(always)]
fn total(facts: &Facts) -> Option<u32> {
    let total = match facts.flags() {
        // the buffer table is the last section
        0 => facts.start(Section::Quantization),
        _ => facts.total(),
    };
    u32::try_from(total).ok()
}

const TOO_LONG: Violation = Violation {
    rule: Rule::TotalLength,
    field: Field::DescriptorLength,
    index: 0,
};

/// Writes a descriptor to the front of `out` and returns its length.
///
/// # Errors
///
/// As [`Prepared::new`]; [`NoSpace`] with the length that is needed. Nothing is written then.
pub fn encode<F: Fields + ?Sized>(
    d: &F,
    out: &mut [u8],
    policy: &Policy,
) -> Result<usize, WriteError<NoSpace>> {
    let prepared = Prepared::new(d, policy)?;
    prepared.encode(out).map_err(WriteError::Sink)
}

/// Writes a descriptor to a sink, front to back, and returns its length.
///
/// # Errors
///
/// As [`Prepared::new`], before the first byte is written; the sink's own errors.
pub fn encode_to<F: Fields + ?Sized, W: Sink + ?Sized>(
    d: &F,
    sink: &mut W,
    policy: &Policy,
) -> Result<u32, WriteError<W::Error>> {
    let prepared = Prepared::new(d, policy)?;
    prepared.encode_to(sink).map_err(WriteError::Sink)
}

/// A descriptor that was checked and measured, so that only writing is left, however often.
///
/// It reads its fields again each time: an implementation of [`Fields`] whose answers change writes a wrong descriptor.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, Prepared};
///
/// let buffers = [BufferHandle::cpu(48, 64)];
/// let spec = DescriptorSpec::new(ElementType::Float32, &[3, 4], Layout::RowMajor, &buffers);
/// let prepared = Prepared::new(&spec, &Policy::STRICT)?;
/// assert_eq!(prepared.encoded_len(), 61);
/// let mut slots = [[0; 61]; 4];
/// for slot in &mut slots {
///     assert_eq!(prepared.encode(slot), Ok(61));
/// }
/// # Ok::<(), hrry::Violation>(())
/// ```
#[derive(Debug)]
pub struct Prepared<'d, F: ?Sized> {
    fields: &'d F,
    facts: Facts,
    len: u32,
}

impl<F: ?Sized> Clone for Prepared<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: ?Sized> Copy for Prepared<'_, F> {}

impl<'d, F: Fields + ?Sized> Prepared<'d, F> {
    /// Checks a descriptor and counts its bytes.
    ///
    /// # Errors
    ///
    /// Everything that [`check::descriptor`] and [`encoded_len`] refuse, LAYOUT-02 in permissive mode too.
    #[inline(always)]
    pub fn new(d: &'d F, policy: &Policy) -> Result<Self, Violation> {
        if matches!(d.layout(), Layout::Unknown(_)) {
            // LAYOUT-02 in any mode: nobody could find what would stand behind `byte_offset`
            let mode = Mode::Strict;
            check::descriptor(d, &Policy { mode, ..*policy })?;
        }
        check::descriptor(d, policy)?;
        Prepared::measured(d)
    }

    /// Counts the bytes of a descriptor that was checked, whatever the policy was.
    #[inline(always)]
    pub(crate) fn measured(d: &'d F) -> Result<Self, Violation> {
        let facts = facts(d);
        let len = total(&facts).ok_or(TOO_LONG)?;
        Ok(Prepared {
            fields: d,
            facts,
            len,
        })
    }

    /// Bytes that it takes.
    #[must_use]
    pub const fn encoded_len(&self) -> u32 {
        self.len
    }

    /// Writes it to the front of `out` and returns its length.
    ///
    /// # Errors
    ///
    /// [`NoSpace`] with the length that is needed. Nothing is written then.
    #[inline(always)]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, NoSpace> {
        let needed = self.len;
        let rest = out.get_mut(..index(needed)).ok_or(NoSpace { needed })?;
        match self.write(Rest(rest)) {
            Ok(_) => Ok(index(needed)),
            Err(Short) => Err(NoSpace { needed }),
        }
    }

    /// Writes it to a sink, front to back, and returns its length.
    ///
    /// # Errors
    ///
    /// The sink's own.
    #[inline]
    pub fn encode_to<W: Sink + ?Sized>(&self, sink: &mut W) -> Result<u32, W::Error> {
        self.write(Pieces(sink))?;
        Ok(self.len)
    }

    /// Reserved bytes come from the zeroed records and are never set.
    #[inline(always)]
    fn write<O: Output>(&self, out: O) -> Result<O, O::Error> {
        let (d, facts) = (self.fields, &self.facts);
        let out = out.filled(|r: &mut [u8; HEADER]| {
            set(r, Field::Magic, 0, MAGIC);
            set(r, Field::VersionMajor, 0, [VERSION_MAJOR]);
            set(r, Field::VersionMinor, 0, [VERSION_MINOR]);
            set(r, Field::DescriptorLength, 0, self.len.to_le_bytes());
            set(r, Field::Flags, 0, [facts.flags()]);
            set(r, Field::TypeTag, 0, [facts.element_type().0]);
            set(r, Field::LayoutTag, 0, [facts.layout().0]);
            set(r, Field::Rank, 0, [facts.rank()]);
        })?;
        let out = put_u64s(d.shape(), out)?;
        let out = out.record(d.byte_offset().to_le_bytes())?;
        let out = match facts.layout_len() {
            0 => out,
            _ => put_layout(&d.layout(), out)?,
        };
        let mut out = out.record([facts.buffers()])?;
        for k in 0..facts.buffers() {
            if let Some(handle) = d.buffer(k.into()) {
                out = out.record(RawHandle::from(handle).bytes())?;
            }
        }
        match facts.flags() {
            0 => Ok(out),
            _ => optional(d, facts.quantization_len(), out),
        }
    }
}

#[inline(always)]
fn facts<F: Fields + ?Sized>(d: &F) -> Facts {
    let when = |there: bool, flag: u8| if there { flag } else { 0 };
    let rank = d.shape().len();
    let quantization = d.quantization();
    let (layout, layout_len) = match d.layout() {
        Layout::RowMajor => (LayoutTag::RowMajor, 0),
        layout => (layout.tag(), payload_len(layout, rank)),
    };
    let flags = when(quantization.is_some(), flag::QUANTIZATION)
        | when(d.shard().is_some(), flag::SHARD)
        | when(d.extension_type().is_some(), flag::EXTENSION_TYPE)
        | when(d.statistics().is_some(), flag::STATISTICS)
        | when(d.member_role().is_some(), flag::MEMBER);
    let short = u8::try_from(rank).unwrap_or(u8::MAX);
    let mut facts = Facts::new(short, flags, d.element_type(), layout);
    facts.set_layout_len(layout_len);
    facts.set_buffers(u8::try_from(d.buffer_count()).unwrap_or(u8::MAX));
    facts.set_quantization_len(match quantization {
        None => 0,
        Some(Quantization::Other { bytes, .. }) => length32(bytes.len()),
        Some(known) => scheme_len(known.scheme()),
    });
    facts
}

/// Saturates, and so does the total, which is then refused.
#[inline(always)]
fn payload_len(layout: Layout<'_>, rank: usize) -> u32 {
    let rank = length32(rank);
    match layout {
        Layout::Tiled(tiled) => tiled_len(tiled, rank),
        Layout::Private { extension_data, .. } => {
            length32(extension_data.len()).saturating_add(length32(PRIVATE_LAYOUT))
        }
        other => form(other.tag()).map_or(0, |form| form.len(rank)),
    }
}

fn tiled_len(tiled: Tiled<'_>, rank: u32) -> u32 {
    tiled
        .levels()
        .map(|level| tile_level_len(rank, level.outer_layout, level.inner_layout))
        .fold(0, u32::saturating_add)
}

/// Sets a field of a record that starts with its section, `shift` bytes earlier or later than there.
#[inline]
fn set<const N: usize>(record: &mut [u8], field: Field, shift: usize, value: [u8; N]) {
    wire::set(record, offset(field).wrapping_sub(shift), value);
}

/// Out of line, so that the rest of the encoder keeps its registers.
#[inline(never)]
fn optional<F: Fields + ?Sized, O: Output>(
    d: &F,
    quantization_len: u32,
    mut out: O,
) -> Result<O, O::Error> {
    if let Some(quantization) = d.quantization() {
        out = out.record(quantization_len.to_le_bytes())?;
        out = put_quantization(quantization, out)?;
    }
    if let Some(shard) = d.shard() {
        out = put_u64s(shard.parent_shape, out)?;
        out = put_u64s(shard.shard_offset, out)?;
    }
    if let Some(statistics) = d.statistics() {
        out = out.filled(|r: &mut [u8; STATISTICS]| put_statistics(r, &statistics))?;
    }
    if let Some(extension) = d.extension_type() {
        out = out.filled(|r: &mut [u8; EXTENSION_TYPE]| put_extension(r, &extension))?;
    }
    if let Some(role) = d.member_role() {
        out = out.filled(|r: &mut [u8; MEMBER]| set(r, Field::MemberRole, 0, [role.0]))?;
    }
    Ok(out)
}

#[inline]
fn numbers<T: Number, O: Output, const N: usize>(
    array: Array<'_, T>,
    out: O,
    bytes: impl Fn(T) -> [u8; N],
) -> Result<O, O::Error> {
    match array {
        // whole numbers only, as many as the length counts
        Array::Le(bytes) => out.bytes(bytes.as_chunks::<N>().0.as_flattened()),
        Array::Native(numbers) => out.numbers(numbers, bytes),
    }
}

#[inline]
fn put_u64s<O: Output>(array: U64s<'_>, out: O) -> Result<O, O::Error> {
    numbers(array, out, u64::to_le_bytes)
}

fn put_i64s<O: Output>(array: I64s<'_>, out: O) -> Result<O, O::Error> {
    numbers(array, out, i64::to_le_bytes)
}

fn put_u32s<O: Output>(array: U32s<'_>, out: O) -> Result<O, O::Error> {
    numbers(array, out, u32::to_le_bytes)
}

fn put_layout<O: Output>(layout: &Layout<'_>, out: O) -> Result<O, O::Error> {
    match layout {
        Layout::RowMajor | Layout::ColumnMajor | Layout::Unknown(_) => Ok(out),
        Layout::Strided { strides } => put_i64s(*strides, out),
        Layout::Tiled(tiled) => {
            let mut out = out;
            for level in tiled.levels() {
                out = put_u64s(level.tile_shape, out)?;
                out = out.record([level.outer_layout.0, level.inner_layout.0, 0, 0])?;
                out = put_i64s(level.outer_strides, out)?;
                out = put_i64s(level.inner_strides, out)?;
            }
            Ok(out)
        }
        Layout::Morton { morton_bits } => put_u32s(*morton_bits, out),
        Layout::Coo { nnz, is_sorted } => out.filled(|r: &mut [u8; 16]| {
            set(r, Field::Nnz, 0, nnz.to_le_bytes());
            set(r, Field::IsSorted, 0, [u8::from(*is_sorted)]);
        }),
        Layout::Csr { nnz } | Layout::Csc { nnz } => {
            out.filled(|r: &mut [u8; 16]| set(r, Field::Nnz, 0, nnz.to_le_bytes()))
        }
        Layout::Csf { nnz, mode_order } => {
            let out = out.record(nnz.to_le_bytes())?;
            let out = put_u32s(*mode_order, out)?;
            out.record([0; 8])
        }
        Layout::BlockPaged(paged) => out.filled(|r: &mut [u8; 32]| {
            let width = paged.block_table_index_type;
            set(r, Field::PageSize, 0, paged.page_size.to_le_bytes());
            set(r, Field::NumPages, 0, paged.num_pages.to_le_bytes());
            set(r, Field::PagedAxis, 0, paged.paged_axis.to_le_bytes());
            set(r, Field::NumSeqs, 0, paged.num_seqs.to_le_bytes());
            set(r, Field::KvRole, 0, [paged.kv_role.0]);
            set(r, Field::LayerIndex, 0, paged.layer_index.to_le_bytes());
            set(r, Field::BlockTableIndexType, 0, [width.0]);
        }),
        Layout::Composite(head) => out.filled(|r: &mut [u8; 8]| {
            set(r, Field::CompositionRule, 0, [head.composition_rule.0]);
            set(r, Field::CombineOp, 0, [head.combine_op.0]);
            set(r, Field::MemberCount, 0, head.member_count.to_le_bytes());
        }),
        Layout::Hilbert {
            hilbert_order,
            hilbert_rank,
        } => out.filled(|r: &mut [u8; 8]| {
            set(r, Field::HilbertOrder, 0, hilbert_order.to_le_bytes());
            set(r, Field::HilbertRank, 0, hilbert_rank.to_le_bytes());
        }),
        Layout::Private {
            extension_layout_id,
            extension_data,
            ..
        } => {
            let out = out.record(extension_layout_id.to_le_bytes())?;
            let out = out.record(length32(extension_data.len()).to_le_bytes())?;
            out.bytes(extension_data)
        }
    }
}

#[inline(always)]
fn put_quantization<O: Output>(quantization: Quantization<'_>, out: O) -> Result<O, O::Error> {
    match quantization {
        Quantization::Other { bytes, .. } => out.bytes(bytes),
        Quantization::PerTensor {
            flags,
            scale,
            zero_point,
        } => out.filled(|r: &mut [u8; 16]| {
            scheme(r, Scheme::PerTensorAffine, flags);
            set(r, Field::Scale, prefix(), scale.0.to_le_bytes());
            set(r, Field::ZeroPoint, prefix(), zero_point.to_le_bytes());
        }),
        Quantization::Buffers(p) => match p.scheme {
            Scheme::PerChannelAffine => out.filled(|r: &mut [u8; 20]| parameters(r, p)),
            Scheme::PerBlockAffine => out.filled(|r: &mut [u8; 24]| parameters(r, p)),
            _ => out.filled(|r: &mut [u8; 16]| parameters(r, p)),
        },
    }
}

/// Writes a scheme without the length in front of it.
#[cfg(feature = "alloc")]
pub(crate) fn put_scheme<W: Sink + ?Sized>(
    quantization: Quantization<'_>,
    sink: &mut W,
) -> Result<(), W::Error> {
    put_quantization(quantization, Pieces(sink))?;
    Ok(())
}

/// The section's length prefix is already out.
#[inline]
fn prefix() -> usize {
    offset(Field::SchemeTag)
}

#[inline(always)]
fn scheme(r: &mut [u8], scheme: Scheme, flags: u16) {
    set(r, Field::SchemeTag, prefix(), [scheme.0]);
    set(r, Field::SchemeVersion, prefix(), [SCHEME_VERSION]);
    set(r, Field::SchemeFlags, prefix(), flags.to_le_bytes());
}

/// A field that the scheme does not have lies behind the end of its record, and `block_size` of the
/// per-channel scheme under the field behind it, which is set later.
#[inline(always)]
fn parameters(r: &mut [u8], p: Parameters) {
    let shift = prefix().wrapping_add(index(scheme_shift(p.scheme)));
    let (scales, zero_points) = (p.scale_buffer_index, p.zero_point_buffer_index);
    scheme(r, p.scheme, p.flags);
    set(r, Field::Axis, prefix(), p.axis.to_le_bytes());
    set(r, Field::BlockSize, prefix(), p.block_size.to_le_bytes());
    set(r, Field::ScaleBufferIndex, shift, scales.to_le_bytes());
    set(
        r,
        Field::ZeroPointBufferIndex,
        shift,
        zero_points.to_le_bytes(),
    );
    set(r, Field::ScaleTypeTag, shift, [p.scale_type.0]);
}

fn put_statistics(r: &mut [u8], s: &Statistics) {
    set(r, Field::ComputedMask, 0, s.computed_mask.to_le_bytes());
    set(r, Field::StatisticsNnz, 0, s.nnz.to_le_bytes());
    for (field, value) in [
        (Field::SparsityRatio, s.sparsity_ratio),
        (Field::ValueMin, s.value_min),
        (Field::ValueMax, s.value_max),
        (Field::ValueAbsMax, s.value_abs_max),
        (Field::ValueMean, s.value_mean),
        (Field::ValueStddev, s.value_stddev),
    ] {
        set(r, field, 0, value.0.to_le_bytes());
    }
    set(r, Field::NmN, 0, [s.nm_n]);
    set(r, Field::NmM, 0, [s.nm_m]);
    set(r, Field::HasNan, 0, [s.has_nan]);
    set(r, Field::HasInf, 0, [s.has_inf]);
}

fn put_extension(r: &mut [u8], e: &ExtensionType) {
    set(r, Field::BitWidth, 0, e.bit_width.to_le_bytes());
    set(r, Field::PackingFactor, 0, [e.packing_factor]);
    set(r, Field::IsFloat, 0, [e.is_float]);
    set(r, Field::IsSigned, 0, [e.is_signed]);
    set(r, Field::SignBits, 0, [e.sign_bits]);
    set(r, Field::ExponentBits, 0, [e.exponent_bits]);
    set(r, Field::MantissaBits, 0, [e.mantissa_bits]);
    set(r, Field::ExponentBias, 0, e.exponent_bias.to_le_bytes());
    // an integer has neither (EXT-09)
    if e.is_float != 0 {
        set(r, Field::ExtensionHasNan, 0, [e.has_nan]);
        set(r, Field::ExtensionHasInf, 0, [e.has_inf]);
    }
}
