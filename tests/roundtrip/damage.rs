//! Ways to make a descriptor wrong, or differently right.

use hrry::{
    CombineOp, CompositionRule, DeviceTag, ElementType, KvRole, MemoryClass, Parameters,
    Quantization, Scheme, SyncMode,
};

use crate::support::spec::{Plain, PlainLayout, PlainScheme};

/// Values at which something changes.
pub const VALUES: [u64; 24] = [
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    16,
    63,
    64,
    65,
    127,
    128,
    255,
    0xF0,
    1 << 12,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
    0x7FF0_0000_0000_0001,
];

/// One field is set to one of [`VALUES`].
#[derive(Clone, Copy, Debug)]
pub struct Damage {
    pub kind: usize,
    pub index: usize,
    pub value: usize,
}

pub const KINDS: usize = 15;

pub fn damage(plain: &mut Plain, damage: Damage) {
    let Damage { kind, index, value } = damage;
    let n = VALUES[value];
    let shape_of = |array: &mut [u64]| {
        let len = array.len().max(1);
        if let Some(slot) = array.get_mut(index % len) {
            *slot = n;
        }
    };
    match kind {
        0 => plain.element_type = n as u8,
        1 => plain.byte_offset = n,
        2 => shape_of(&mut plain.shape),
        3 => {
            if let Some([parent, offset]) = &mut plain.shard {
                shape_of(if value % 2 == 0 { parent } else { offset });
            }
        }
        4 => {
            plain.buffers.pop();
        }
        5 => plain
            .buffers
            .extend_from_within(..1.min(plain.buffers.len())),
        6 => plain.member_role = Some(n as u8),
        7 => plain.extension_type = None,
        8 => plain.quantization = None,
        9 => plain.shard = None,
        10 => statistics(plain, index, n),
        11 => extension(plain, index, n),
        12 => layout(&mut plain.layout, index, n),
        13 => scheme(plain, index, n),
        _ => handle(plain, index, n),
    }
}

fn handle(plain: &mut Plain, index: usize, n: u64) {
    let count = plain.buffers.len().max(1);
    let Some(handle) = plain.buffers.get_mut(index / 5 % count) else {
        return;
    };
    match index % 5 {
        0 => handle.byte_size = n,
        1 => handle.alignment = n as u32,
        2 => handle.device_tag = DeviceTag(n as u8),
        3 => handle.sync_mode = SyncMode(n as u8),
        _ => handle.memory_class = MemoryClass(n as u8),
    }
}

fn statistics(plain: &mut Plain, index: usize, n: u64) {
    let Some(s) = &mut plain.statistics else {
        return;
    };
    match index % 8 {
        0 => s.computed_mask = n as u32,
        1 => s.nnz = n,
        2 => s.sparsity_ratio.0 = n,
        3 => s.value_stddev.0 = n,
        4 => s.nm_n = n as u8,
        5 => s.nm_m = n as u8,
        6 => s.has_nan = n as u8,
        _ => s.has_inf = n as u8,
    }
}

fn extension(plain: &mut Plain, index: usize, n: u64) {
    let Some(e) = &mut plain.extension_type else {
        return;
    };
    match index % 10 {
        0 => e.bit_width = n as u32,
        1 => e.packing_factor = n as u8,
        2 => e.is_float = n as u8,
        3 => e.is_signed = n as u8,
        4 => e.sign_bits = n as u8,
        5 => e.exponent_bits = n as u8,
        6 => e.mantissa_bits = n as u8,
        7 => e.exponent_bias = n as u32,
        8 => e.has_nan = n as u8,
        _ => e.has_inf = n as u8,
    }
}

/// Tags that decide where the parts of a tiled layout are stay as they are.
fn layout(layout: &mut PlainLayout, index: usize, n: u64) {
    fn set<T>(array: &mut [T], index: usize, value: T) {
        let len = array.len().max(1);
        if let Some(slot) = array.get_mut(index % len) {
            *slot = value;
        }
    }
    match layout {
        PlainLayout::RowMajor | PlainLayout::ColumnMajor => {}
        PlainLayout::Strided(strides) => set(strides, index, n as i64),
        PlainLayout::Tiled(levels) => {
            let count = levels.len();
            let level = &mut levels[index / 4 % count];
            let is_structure = |tag: u8| matches!(tag, 3 | 4);
            match index % 4 {
                0 => set(&mut level.tile_shape, index / 8, n),
                1 if !is_structure(level.outer_layout) && n as u8 != 3 => {
                    level.outer_layout = n as u8;
                }
                2 if !is_structure(level.inner_layout) && !is_structure(n as u8) => {
                    level.inner_layout = n as u8;
                }
                _ => {
                    set(&mut level.outer_strides, index / 8, n as i64);
                    set(&mut level.inner_strides, index / 8, n as i64);
                }
            }
        }
        PlainLayout::Morton(bits) => set(bits, index, n as u32),
        PlainLayout::Coo { nnz, .. } | PlainLayout::Csr(nnz) | PlainLayout::Csc(nnz) => *nnz = n,
        PlainLayout::Csf { nnz, mode_order } => match index % 4 {
            0 => *nnz = n,
            _ => set(mode_order, index / 4, n as u32),
        },
        PlainLayout::BlockPaged(paged) => match index % 6 {
            0 => paged.page_size = n as u32,
            1 => paged.num_pages = n,
            2 => paged.paged_axis = n as u32,
            3 => paged.num_seqs = n as u32,
            4 => paged.kv_role = KvRole(n as u8),
            _ => paged.block_table_index_type.0 = n as u8,
        },
        PlainLayout::Composite(head) => match index % 3 {
            0 => head.composition_rule = CompositionRule(n as u8),
            1 => head.combine_op = CombineOp(n as u8),
            _ => head.member_count = n as u32,
        },
        PlainLayout::Hilbert { order, rank } => match index % 2 {
            0 => *order = n as u32,
            _ => *rank = n as u32,
        },
        PlainLayout::Private { id, .. } => *id = n,
    }
}

fn scheme(plain: &mut Plain, index: usize, n: u64) {
    match &mut plain.quantization {
        None => {}
        Some(PlainScheme::Known(Quantization::PerTensor {
            flags,
            scale,
            zero_point,
        })) => match index % 3 {
            0 => *flags = n as u16,
            1 => scale.0 = (n >> 16) as u32,
            _ => *zero_point = n as i32,
        },
        Some(PlainScheme::Known(Quantization::Buffers(p))) => set_parameter(p, index, n),
        Some(PlainScheme::Known(_)) => {}
        // the first byte is the tag; a tag with a meaning would need its bytes
        Some(PlainScheme::Other(bytes)) if !(1..=5).contains(&(n as u8)) => bytes[0] = n as u8,
        Some(PlainScheme::Other(_)) => {}
    }
}

/// Sets a field that the scheme has on the wire.
fn set_parameter(p: &mut Parameters, field: usize, value: u64) {
    let word = value as u32;
    match field % 7 {
        0 => p.flags = value as u16,
        1 => p.axis = word,
        2 if p.scheme != Scheme::PerChannelAffine => p.block_size = word,
        3 => p.scale_buffer_index = word,
        4 if matches!(p.scheme.0, 2 | 3) => p.zero_point_buffer_index = word,
        5 if matches!(p.scheme.0, 2 | 3) => p.scale_type = ElementType(value as u8),
        _ => {}
    }
}
