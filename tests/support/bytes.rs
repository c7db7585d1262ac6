//! An encoder of its own: writes what it is given, valid or not, from the byte tables of the format.

use hrry::{ExtensionType, Quantization, Scheme, Statistics};

use super::spec::{Plain, PlainLayout, PlainScheme};

/// The bytes of a descriptor. Flags follow from the sections, and the length from all of it.
pub fn encode(plain: &Plain) -> Vec<u8> {
    let mut out = b"HRRY\x01\x00".to_vec();
    put(&mut out, [0; 4]);
    let flags = u32::from(plain.quantization.is_some())
        | u32::from(plain.shard.is_some()) << 1
        | u32::from(plain.extension_type.is_some()) << 2
        | u32::from(plain.statistics.is_some()) << 3
        | u32::from(plain.member_role.is_some()) << 4;
    put(&mut out, flags.to_le_bytes());
    put(&mut out, [plain.element_type, layout_tag(&plain.layout)]);
    put(&mut out, (plain.shape.len() as u32).to_le_bytes());
    longs(&mut out, &plain.shape);
    put(&mut out, plain.byte_offset.to_le_bytes());
    layout(&mut out, &plain.layout);
    out.push(plain.buffers.len() as u8);
    for buffer in &plain.buffers {
        put(&mut out, buffer.byte_size.to_le_bytes());
        put(&mut out, buffer.alignment.to_le_bytes());
        let tags = [
            buffer.device_tag.0,
            buffer.sync_mode.0,
            buffer.memory_class.0,
            0,
        ];
        put(&mut out, tags);
    }
    if let Some(scheme) = &plain.quantization {
        let payload = match scheme {
            PlainScheme::Known(known) => quantization(known),
            PlainScheme::Other(bytes) => bytes.clone(),
        };
        put(&mut out, (payload.len() as u32).to_le_bytes());
        out.extend(payload);
    }
    for array in plain.shard.iter().flatten() {
        longs(&mut out, array);
    }
    if let Some(section) = &plain.statistics {
        statistics(&mut out, section);
    }
    if let Some(section) = &plain.extension_type {
        extension_type(&mut out, section);
    }
    if let Some(role) = plain.member_role {
        out.push(role);
        put(&mut out, [0; 15]);
    }
    let len = out.len() as u32;
    out[6..10].copy_from_slice(&len.to_le_bytes());
    out
}

fn put<const N: usize>(out: &mut Vec<u8>, bytes: [u8; N]) {
    out.extend(bytes);
}

fn longs(out: &mut Vec<u8>, numbers: &[u64]) {
    numbers.iter().for_each(|n| put(out, n.to_le_bytes()));
}

fn signed(out: &mut Vec<u8>, numbers: &[i64]) {
    numbers.iter().for_each(|n| put(out, n.to_le_bytes()));
}

fn words(out: &mut Vec<u8>, numbers: &[u32]) {
    numbers.iter().for_each(|n| put(out, n.to_le_bytes()));
}

fn layout_tag(layout: &PlainLayout) -> u8 {
    match layout {
        PlainLayout::RowMajor => 0x01,
        PlainLayout::ColumnMajor => 0x02,
        PlainLayout::Strided(_) => 0x03,
        PlainLayout::Tiled(_) => 0x04,
        PlainLayout::Morton(_) => 0x05,
        PlainLayout::Coo { .. } => 0x06,
        PlainLayout::Csr(_) => 0x07,
        PlainLayout::Csc(_) => 0x08,
        PlainLayout::Csf { .. } => 0x09,
        PlainLayout::BlockPaged(_) => 0x0A,
        PlainLayout::Composite(_) => 0x0B,
        PlainLayout::Hilbert { .. } => 0x40,
        PlainLayout::Private { tag, .. } => *tag,
    }
}

fn layout(out: &mut Vec<u8>, layout: &PlainLayout) {
    match layout {
        PlainLayout::RowMajor | PlainLayout::ColumnMajor => {}
        PlainLayout::Strided(strides) => signed(out, strides),
        PlainLayout::Tiled(levels) => {
            for level in levels {
                longs(out, &level.tile_shape);
                put(out, [level.outer_layout, level.inner_layout, 0, 0]);
                signed(out, &level.outer_strides);
                signed(out, &level.inner_strides);
            }
        }
        PlainLayout::Morton(bits) => words(out, bits),
        PlainLayout::Coo { nnz, is_sorted } => {
            put(out, nnz.to_le_bytes());
            put(out, [u8::from(*is_sorted), 0, 0, 0, 0, 0, 0, 0]);
        }
        PlainLayout::Csr(nnz) | PlainLayout::Csc(nnz) => {
            put(out, nnz.to_le_bytes());
            put(out, [0; 8]);
        }
        PlainLayout::Csf { nnz, mode_order } => {
            put(out, nnz.to_le_bytes());
            words(out, mode_order);
            put(out, [0; 8]);
        }
        PlainLayout::BlockPaged(paged) => {
            put(out, paged.page_size.to_le_bytes());
            put(out, paged.num_pages.to_le_bytes());
            put(out, paged.paged_axis.to_le_bytes());
            put(out, paged.num_seqs.to_le_bytes());
            put(out, [paged.kv_role.0]);
            put(out, paged.layer_index.to_le_bytes());
            put(out, [paged.block_table_index_type.0, 0, 0, 0, 0, 0, 0]);
        }
        PlainLayout::Composite(head) => {
            put(out, [head.composition_rule.0, head.combine_op.0, 0, 0]);
            put(out, head.member_count.to_le_bytes());
        }
        PlainLayout::Hilbert { order, rank } => words(out, &[*order, *rank]),
        PlainLayout::Private { id, data, .. } => {
            put(out, id.to_le_bytes());
            put(out, (data.len() as u32).to_le_bytes());
            out.extend(data);
        }
    }
}

fn quantization(scheme: &Quantization<'_>) -> Vec<u8> {
    let mut out = vec![scheme.scheme().0, 1];
    match scheme {
        Quantization::PerTensor {
            flags,
            scale,
            zero_point,
        } => {
            put(&mut out, flags.to_le_bytes());
            put(&mut out, scale.0.to_le_bytes());
            put(&mut out, zero_point.to_le_bytes());
            put(&mut out, [0; 4]);
        }
        Quantization::Buffers(p) => {
            put(&mut out, p.flags.to_le_bytes());
            let affine = [p.scale_buffer_index, p.zero_point_buffer_index];
            match p.scheme {
                Scheme::PerChannelAffine => {
                    words(&mut out, &[p.axis]);
                    words(&mut out, &affine);
                    put(&mut out, [p.scale_type.0, 0, 0, 0]);
                }
                Scheme::PerBlockAffine => {
                    words(&mut out, &[p.axis, p.block_size]);
                    words(&mut out, &affine);
                    put(&mut out, [p.scale_type.0, 0, 0, 0]);
                }
                _ => words(&mut out, &[p.axis, p.block_size, p.scale_buffer_index]),
            }
        }
        other => panic!("{other:?} has no fields"),
    }
    out
}

fn statistics(out: &mut Vec<u8>, s: &Statistics) {
    put(out, s.computed_mask.to_le_bytes());
    put(out, [0; 4]);
    let floats = [
        s.sparsity_ratio,
        s.value_min,
        s.value_max,
        s.value_abs_max,
        s.value_mean,
        s.value_stddev,
    ];
    longs(out, &[s.nnz]);
    longs(out, &floats.map(|bits| bits.0));
    put(out, [s.nm_n, s.nm_m, s.has_nan, s.has_inf, 0, 0, 0, 0]);
}

/// NaN and infinity flags belong to floats only; a writer leaves them 0 for integers.
fn extension_type(out: &mut Vec<u8>, e: &ExtensionType) {
    put(out, e.bit_width.to_le_bytes());
    put(
        out,
        [e.packing_factor, e.is_float, e.is_signed, e.sign_bits],
    );
    put(out, [e.exponent_bits, e.mantissa_bits, 0, 0]);
    put(out, e.exponent_bias.to_le_bytes());
    let flags = if e.is_float == 0 {
        [0; 2]
    } else {
        [e.has_nan, e.has_inf]
    };
    put(out, flags);
    put(out, [0; 2]);
}
