//! Writing a descriptor: a known length, then one forward pass.

use super::sink::{NoSpace, Sink, WriteError};
use crate::check;
use crate::error::{Field, Violation};
use crate::model::{Array, ExtensionType, Fields, Layout, Quantization, Statistics};
use crate::policy::{Mode, Policy};
use crate::rule::Rule;
use crate::wire::descriptor::{
    Facts, HEADER, MAGIC, PRIVATE_LAYOUT, SCHEME_VERSION, VERSION_MAJOR, VERSION_MINOR, flag,
    offset, scheme_len, scheme_shift, tile_level_len,
};
use crate::wire::form::form;
use crate::wire::handle::RawHandle;
use crate::wire::tag::Scheme;
use crate::wire::{Number, index, length32};

/// Fills a slice from the front.
struct Filled<'a> {
    rest: &'a mut [u8],
    needed: u32,
}

impl Sink for Filled<'_> {
    type Error = NoSpace;

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Result<(), NoSpace> {
        let rest = core::mem::take(&mut self.rest);
        let needed = self.needed;
        let (head, rest) = rest
            .split_at_mut_checked(bytes.len())
            .ok_or(NoSpace { needed })?;
        // `copy_from_slice` keeps its length check, and so a panic, in builds for size
        for (slot, byte) in head.iter_mut().zip(bytes) {
            *slot = *byte;
        }
        self.rest = rest;
        Ok(())
    }
}

/// Bytes that the encoded descriptor takes.
///
/// # Errors
///
/// DESC-21 where that is 2^32 or more; only the data of a private layout or scheme can be that long.
pub fn encoded_len<F: Fields + ?Sized>(d: &F) -> Result<u32, Violation> {
    total(&facts(d))
}

fn total(facts: &Facts) -> Result<u32, Violation> {
    u32::try_from(facts.total()).map_err(|_| Violation {
        rule: Rule::TotalLength,
        field: Field::DescriptorLength,
        index: 0,
    })
}

/// Writes a descriptor to the front of `out` and returns its length.
///
/// # Errors
///
/// Everything that [`check::descriptor`] and [`encoded_len`] refuse, LAYOUT-02 in permissive mode too;
/// [`NoSpace`] with the length that is needed. Nothing is written then.
pub fn encode<F: Fields + ?Sized>(
    d: &F,
    out: &mut [u8],
    policy: &Policy,
) -> Result<usize, WriteError<NoSpace>> {
    let (facts, needed) = prepare(d, policy)?;
    let Some(rest) = out.get_mut(..index(needed)) else {
        return Err(WriteError::Sink(NoSpace { needed }));
    };
    put(d, &facts, needed, &mut Filled { rest, needed }).map_err(WriteError::Sink)?;
    Ok(index(needed))
}

/// Writes a descriptor to a sink, front to back, and returns its length.
///
/// # Errors
///
/// Everything that [`check::descriptor`] and [`encoded_len`] refuse, LAYOUT-02 in permissive mode too,
/// before the first byte is written; the sink's own errors.
pub fn encode_to<F: Fields + ?Sized, W: Sink + ?Sized>(
    d: &F,
    sink: &mut W,
    policy: &Policy,
) -> Result<u32, WriteError<W::Error>> {
    let (facts, len) = prepare(d, policy)?;
    put(d, &facts, len, sink).map_err(WriteError::Sink)?;
    Ok(len)
}

/// Everything that can refuse a descriptor before its first byte is written.
pub(crate) fn prepare<F: Fields + ?Sized>(
    d: &F,
    policy: &Policy,
) -> Result<(Facts, u32), Violation> {
    if matches!(d.layout(), Layout::Unknown(_)) {
        // LAYOUT-02 in any mode: nobody could find what would stand behind `byte_offset`
        let mode = Mode::Strict;
        check::descriptor(d, &Policy { mode, ..*policy })?;
    }
    check::descriptor(d, policy)?;
    let facts = facts(d);
    let len = total(&facts)?;
    Ok((facts, len))
}

fn facts<F: Fields + ?Sized>(d: &F) -> Facts {
    let when = |there: bool, flag: u8| if there { flag } else { 0 };
    let rank = d.shape().len();
    let quantization = d.quantization();
    let layout = d.layout();
    let flags = when(quantization.is_some(), flag::QUANTIZATION)
        | when(d.shard().is_some(), flag::SHARD)
        | when(d.extension_type().is_some(), flag::EXTENSION_TYPE)
        | when(d.statistics().is_some(), flag::STATISTICS)
        | when(d.member_role().is_some(), flag::MEMBER);
    let short = u8::try_from(rank).unwrap_or(u8::MAX);
    let mut facts = Facts::new(short, flags, d.element_type(), layout.tag());
    facts.set_layout_len(payload_len(&layout, length32(rank)));
    facts.set_buffers(u8::try_from(d.buffer_count()).unwrap_or(u8::MAX));
    facts.set_quantization_len(match quantization {
        None => 0,
        Some(Quantization::Other { bytes, .. }) => length32(bytes.len()),
        Some(known) => scheme_len(known.scheme()),
    });
    facts
}

/// Saturates, and so does the total, which is then refused.
fn payload_len(layout: &Layout<'_>, rank: u32) -> u32 {
    match layout {
        Layout::Tiled(tiled) => tiled
            .levels()
            .map(|level| tile_level_len(rank, level.outer_layout, level.inner_layout))
            .fold(0, u32::saturating_add),
        Layout::Private { extension_data, .. } => {
            length32(extension_data.len()).saturating_add(length32(PRIVATE_LAYOUT))
        }
        other => form(other.tag()).map_or(0, |form| form.len(rank)),
    }
}

/// Sets a field of a record that starts with its section, `shift` bytes earlier or later than there.
#[inline]
fn set<const N: usize>(record: &mut [u8], field: Field, shift: usize, value: [u8; N]) {
    let at = offset(field).wrapping_sub(shift);
    if let Some(slot) = record.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *slot = value;
    }
}

/// Reserved bytes come from the zeroed records and are never set.
#[inline]
pub(crate) fn put<F: Fields + ?Sized, W: Sink + ?Sized>(
    d: &F,
    facts: &Facts,
    len: u32,
    sink: &mut W,
) -> Result<(), W::Error> {
    let layout = d.layout();
    let mut header = [0; HEADER];
    set(&mut header, Field::Magic, 0, MAGIC);
    set(&mut header, Field::VersionMajor, 0, [VERSION_MAJOR]);
    set(&mut header, Field::VersionMinor, 0, [VERSION_MINOR]);
    set(&mut header, Field::DescriptorLength, 0, len.to_le_bytes());
    set(&mut header, Field::Flags, 0, [facts.flags(), 0, 0, 0]);
    set(&mut header, Field::TypeTag, 0, [facts.element_type().0]);
    set(&mut header, Field::LayoutTag, 0, [facts.layout().0]);
    set(&mut header, Field::Rank, 0, [facts.rank(), 0, 0, 0]);
    sink.put(&header)?;
    numbers(d.shape(), sink)?;
    sink.put(&d.byte_offset().to_le_bytes())?;
    put_layout(&layout, sink)?;
    sink.put(&[facts.buffers()])?;
    for k in 0..facts.buffers() {
        if let Some(handle) = d.buffer(k.into()) {
            sink.put(&RawHandle::from(handle).bytes())?;
        }
    }
    if facts.flags() == 0 {
        return Ok(());
    }
    if let Some(quantization) = d.quantization() {
        sink.put(&facts.quantization_len().to_le_bytes())?;
        put_quantization(&quantization, sink)?;
    }
    if let Some(shard) = d.shard() {
        numbers(shard.parent_shape, sink)?;
        numbers(shard.shard_offset, sink)?;
    }
    if let Some(statistics) = d.statistics() {
        put_statistics(&statistics, sink)?;
    }
    if let Some(extension) = d.extension_type() {
        put_extension(&extension, sink)?;
    }
    if let Some(role) = d.member_role() {
        let mut record = [0; 16];
        set(&mut record, Field::MemberRole, 0, [role.0]);
        sink.put(&record)?;
    }
    Ok(())
}

fn numbers<T: Number, W: Sink + ?Sized>(array: Array<'_, T>, sink: &mut W) -> Result<(), W::Error> {
    match array {
        // whole numbers only, as many as the length counts
        Array::Le(bytes) => {
            let whole = array.len().wrapping_mul(T::WIDTH);
            sink.put(bytes.get(..whole).unwrap_or(bytes))
        }
        Array::Native(numbers) => {
            for number in numbers {
                number.with_bytes(|bytes| sink.put(bytes))?;
            }
            Ok(())
        }
    }
}

fn put_layout<W: Sink + ?Sized>(layout: &Layout<'_>, sink: &mut W) -> Result<(), W::Error> {
    match layout {
        Layout::RowMajor | Layout::ColumnMajor | Layout::Unknown(_) => Ok(()),
        Layout::Strided { strides } => numbers(*strides, sink),
        Layout::Tiled(tiled) => {
            for level in tiled.levels() {
                numbers(level.tile_shape, sink)?;
                sink.put(&[level.outer_layout.0, level.inner_layout.0, 0, 0])?;
                numbers(level.outer_strides, sink)?;
                numbers(level.inner_strides, sink)?;
            }
            Ok(())
        }
        Layout::Morton { morton_bits } => numbers(*morton_bits, sink),
        Layout::Coo { nnz, is_sorted } => {
            let mut record = [0; 16];
            set(&mut record, Field::Nnz, 0, nnz.to_le_bytes());
            set(&mut record, Field::IsSorted, 0, [u8::from(*is_sorted)]);
            sink.put(&record)
        }
        Layout::Csr { nnz } | Layout::Csc { nnz } => {
            let mut record = [0; 16];
            set(&mut record, Field::Nnz, 0, nnz.to_le_bytes());
            sink.put(&record)
        }
        Layout::Csf { nnz, mode_order } => {
            sink.put(&nnz.to_le_bytes())?;
            numbers(*mode_order, sink)?;
            sink.put(&[0; 8])
        }
        Layout::BlockPaged(paged) => {
            let mut record = [0; 32];
            let r = &mut record;
            set(r, Field::PageSize, 0, paged.page_size.to_le_bytes());
            set(r, Field::NumPages, 0, paged.num_pages.to_le_bytes());
            set(r, Field::PagedAxis, 0, paged.paged_axis.to_le_bytes());
            set(r, Field::NumSeqs, 0, paged.num_seqs.to_le_bytes());
            set(r, Field::KvRole, 0, [paged.kv_role.0]);
            set(r, Field::LayerIndex, 0, paged.layer_index.to_le_bytes());
            set(
                r,
                Field::BlockTableIndexType,
                0,
                [paged.block_table_index_type.0],
            );
            sink.put(&record)
        }
        Layout::Composite(head) => {
            let mut record = [0; 8];
            set(
                &mut record,
                Field::CompositionRule,
                0,
                [head.composition_rule.0],
            );
            set(&mut record, Field::CombineOp, 0, [head.combine_op.0]);
            set(
                &mut record,
                Field::MemberCount,
                0,
                head.member_count.to_le_bytes(),
            );
            sink.put(&record)
        }
        Layout::Hilbert {
            hilbert_order,
            hilbert_rank,
        } => {
            let mut record = [0; 8];
            set(
                &mut record,
                Field::HilbertOrder,
                0,
                hilbert_order.to_le_bytes(),
            );
            set(
                &mut record,
                Field::HilbertRank,
                0,
                hilbert_rank.to_le_bytes(),
            );
            sink.put(&record)
        }
        Layout::Private {
            extension_layout_id,
            extension_data,
            ..
        } => {
            sink.put(&extension_layout_id.to_le_bytes())?;
            sink.put(&length32(extension_data.len()).to_le_bytes())?;
            sink.put(extension_data)
        }
    }
}

fn put_quantization<W: Sink + ?Sized>(
    quantization: &Quantization<'_>,
    sink: &mut W,
) -> Result<(), W::Error> {
    let scheme = quantization.scheme();
    // the section's length prefix is already out
    let prefix = offset(Field::SchemeTag);
    let mut record = [0; 24];
    let r = &mut record;
    set(r, Field::SchemeTag, prefix, [scheme.0]);
    set(r, Field::SchemeVersion, prefix, [SCHEME_VERSION]);
    match quantization {
        Quantization::Other { bytes, .. } => return sink.put(bytes),
        Quantization::PerTensor {
            flags,
            scale,
            zero_point,
        } => {
            set(r, Field::SchemeFlags, prefix, flags.to_le_bytes());
            set(r, Field::Scale, prefix, scale.0.to_le_bytes());
            set(r, Field::ZeroPoint, prefix, zero_point.to_le_bytes());
        }
        Quantization::Buffers(p) => {
            let shift = prefix.wrapping_add(index(scheme_shift(scheme)));
            set(r, Field::SchemeFlags, prefix, p.flags.to_le_bytes());
            set(r, Field::Axis, prefix, p.axis.to_le_bytes());
            if scheme != Scheme::PerChannelAffine {
                set(r, Field::BlockSize, prefix, p.block_size.to_le_bytes());
            }
            set(
                r,
                Field::ScaleBufferIndex,
                shift,
                p.scale_buffer_index.to_le_bytes(),
            );
            if matches!(scheme, Scheme::PerChannelAffine | Scheme::PerBlockAffine) {
                set(
                    r,
                    Field::ZeroPointBufferIndex,
                    shift,
                    p.zero_point_buffer_index.to_le_bytes(),
                );
                set(r, Field::ScaleTypeTag, shift, [p.scale_type.0]);
            }
        }
    }
    let len = index(scheme_len(scheme));
    sink.put(record.get(..len).unwrap_or(&record))
}

fn put_statistics<W: Sink + ?Sized>(s: &Statistics, sink: &mut W) -> Result<(), W::Error> {
    let mut record = [0; 72];
    let r = &mut record;
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
    sink.put(&record)
}

fn put_extension<W: Sink + ?Sized>(e: &ExtensionType, sink: &mut W) -> Result<(), W::Error> {
    let mut record = [0; 20];
    let r = &mut record;
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
    sink.put(&record)
}
