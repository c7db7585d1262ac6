//! Descriptors that are valid by construction.

use hrry::{
    BlockPaged, BlockTableIndexType, BufferHandle, CombineOp, CompositeHead, CompositionRule,
    DeviceTag, ElementType, ExtensionType, F32Bits, F64Bits, KvRole, MemoryClass, Quantization,
    Statistics, SyncMode,
};

use super::scale::Rng;
use super::spec::{Plain, PlainLayout, PlainLevel, PlainScheme};

pub const LAYOUTS: usize = 13;
pub const SCHEMES: usize = 7;
/// What the tests agree on.
pub const LAYOUT_ID: u64 = 7;
pub const SCHEME: u8 = 0xF3;

const CSF: usize = 8;
const PAGED: usize = 9;
const COMPOSITE: usize = 10;
const HILBERT: usize = 11;
const AFFINE: [u8; 10] = [0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x48, 0x49, 0x4A, 0x4B];

/// What a descriptor is made from; the seed decides everything that is free.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    pub seed: u64,
    /// In the order of the tags, the private one last.
    pub layout: usize,
    /// 0 for none, the tag, or 6 for a private one.
    pub scheme: usize,
    /// Shard, statistics, private type, member.
    pub sections: u8,
}

/// A valid descriptor. What does not go together is left out.
pub fn valid(recipe: Recipe) -> Plain {
    let Recipe {
        seed,
        layout,
        mut scheme,
        sections,
    } = recipe;
    let mut rng = Rng(seed);
    let private_type = sections & 4 != 0 && matches!(scheme, 0 | 6);
    let rank = match layout {
        0 => rng.below(5),
        6 | 7 => 2,
        CSF => 3 + rng.below(2),
        PAGED => 3,
        HILBERT => 2 + rng.below(2),
        _ => 1 + rng.below(4),
    };
    if layout == COMPOSITE || rank == 0 && scheme > 1 {
        scheme = 0;
    }
    let axis = rng.below(rank.max(1));
    let mut shape: Vec<u64> = (0..rank).map(|_| rng.below(6) as u64).collect();
    match scheme {
        3 => shape[axis] = [0, 2, 3, 5][rng.below(4)],
        4 => shape[axis] = [0, 8, 9, 16][rng.below(4)],
        5 => shape[axis] = [16, 32, 48][rng.below(3)],
        _ => {}
    }
    if layout == HILBERT {
        shape.fill(if scheme >= 4 {
            16
        } else {
            [2, 4][rng.below(2)]
        });
    }
    let extension_type = private_type.then(|| extension(&mut rng));
    let element_type = match scheme {
        _ if private_type => 0xF0 + rng.below(15) as u8,
        1 | 2 => AFFINE[rng.below(AFFINE.len())],
        3 => [0x10, 0x11, 0x48, 0x49, 0x4A, 0x4B][rng.below(6)],
        4 => 0x49,
        5 => [0x40, 0x41, 0x43, 0x44, 0x45, 0x10, 0x48][rng.below(7)],
        _ => ElementType::ASSIGNED[rng.below(ElementType::ASSIGNED.len())].0,
    };
    let bits = match &extension_type {
        Some(extension) => extension.bit_width.into(),
        None => u64::from(ElementType(element_type).bits()),
    };
    let (layout, byte_offset, mut sizes) = placed(layout, &shape, bits, &mut rng);
    for size in &mut sizes {
        *size += rng.below(3) as u64;
    }
    let base = sizes.len() as u32;
    let quantization = quantized(
        scheme,
        axis as u32,
        base,
        &shape,
        &layout,
        &mut sizes,
        &mut rng,
    );
    let unshardable = matches!(layout, PlainLayout::Csf { .. } | PlainLayout::BlockPaged(_));
    let shard = (sections & 1 != 0 && !unshardable).then(|| {
        let offset: Vec<u64> = shape.iter().map(|_| rng.below(4) as u64).collect();
        let parent = shape
            .iter()
            .zip(&offset)
            .map(|(size, offset)| size + offset);
        let parent = parent.map(|end| end + rng.below(3) as u64).collect();
        [parent, offset]
    });
    let member = sections & 8 != 0 && !matches!(layout, PlainLayout::Composite(_));
    Plain {
        element_type,
        shape,
        byte_offset,
        statistics: (sections & 2 != 0).then(|| facts(&layout, &mut rng)),
        layout,
        buffers: handles(&sizes, &mut rng),
        quantization,
        shard,
        extension_type,
        member_role: member.then(|| rng.below(2) as u8),
    }
}

/// Bytes of `n` packed elements.
fn packed(n: u64, bits: u64) -> u64 {
    match bits {
        6 => n.div_ceil(4) * 3,
        _ => (n * bits).div_ceil(8),
    }
}

/// A layout with its byte offset and the sizes that its buffers need.
fn placed(layout: usize, shape: &[u64], bits: u64, rng: &mut Rng) -> (PlainLayout, u64, Vec<u64>) {
    let rank = shape.len();
    let elements: u64 = shape.iter().product();
    let nnz = rng.below(elements as usize + 1) as u64;
    let dense = |rng: &mut Rng, elements: u64| {
        let offset = rng.below(4) as u64;
        (offset, vec![offset + packed(elements, bits)])
    };
    let at = |layout, (offset, sizes)| (layout, offset, sizes);
    match layout {
        0 => at(PlainLayout::RowMajor, dense(rng, elements)),
        1 => at(PlainLayout::ColumnMajor, dense(rng, elements)),
        2 => {
            let strides: Vec<i64> = (0..rank).map(|_| rng.below(9) as i64 - 4).collect();
            let reach = |sign: i64| {
                let spans = strides
                    .iter()
                    .zip(shape)
                    .filter(|(s, _)| s.signum() == sign);
                spans
                    .map(|(s, n)| s.unsigned_abs() * n.saturating_sub(1))
                    .sum::<u64>()
            };
            let (front, back) = match elements {
                0 => (0, 0),
                _ => (packed(reach(-1), bits), packed(reach(1) + 1, bits)),
            };
            (PlainLayout::Strided(strides), front, vec![front + back])
        }
        3 => {
            let (levels, stored) = tiles(shape, rng);
            let stored = if elements == 0 { 0 } else { stored };
            at(PlainLayout::Tiled(levels), dense(rng, stored))
        }
        4 => {
            let bits = 3;
            let stored = if elements == 0 { 0 } else { 1 << (bits * rank) };
            // every dimension of this generator is below 64
            let bits = if shape.iter().all(|n| *n <= 8) {
                bits
            } else {
                6
            };
            let stored = if bits == 6 && stored > 0 {
                1 << (6 * rank)
            } else {
                stored
            };
            at(
                PlainLayout::Morton(vec![bits as u32; rank]),
                dense(rng, stored),
            )
        }
        5 => {
            let is_sorted = rng.below(2) == 1;
            let sizes = vec![packed(nnz, bits), nnz * rank as u64 * 8];
            (PlainLayout::Coo { nnz, is_sorted }, 0, sizes)
        }
        6 => (
            PlainLayout::Csr(nnz),
            0,
            vec![packed(nnz, bits), nnz * 8, (shape[0] + 1) * 8],
        ),
        7 => (
            PlainLayout::Csc(nnz),
            0,
            vec![packed(nnz, bits), nnz * 8, (shape[1] + 1) * 8],
        ),
        CSF => {
            let mut mode_order: Vec<u32> = (0..rank as u32).collect();
            mode_order.swap(0, rng.below(rank));
            let mut sizes = vec![packed(nnz, bits), 16, 0];
            for _ in 1..rank {
                sizes.extend([8, 0]);
            }
            sizes[2 * rank] = nnz * 8;
            (PlainLayout::Csf { nnz, mode_order }, 0, sizes)
        }
        PAGED => {
            let paged = BlockPaged {
                page_size: 1 << (1 + rng.below(3)),
                num_pages: rng.below(4) as u64,
                paged_axis: 0,
                num_seqs: rng.below(4) as u32,
                kv_role: KvRole(rng.below(3) as u8),
                layer_index: [0, 5, u32::MAX][rng.below(3)],
                block_table_index_type: BlockTableIndexType(rng.below(2) as u8),
            };
            let slots = u64::from(paged.page_size) * paged.num_pages * shape[1] * shape[2];
            let width = [4, 8][usize::from(paged.block_table_index_type.0)];
            let pointers = (u64::from(paged.num_seqs) + 1) * width;
            let sizes = vec![packed(slots, bits), 0, pointers];
            (PlainLayout::BlockPaged(paged), 0, sizes)
        }
        COMPOSITE => {
            let rule = CompositionRule::ASSIGNED[rng.below(3)];
            let head = CompositeHead {
                composition_rule: rule,
                combine_op: match rule {
                    CompositionRule::Overlay => CombineOp(1 + rng.below(2) as u8),
                    _ => CombineOp::None,
                },
                member_count: 1 + rng.below(5) as u32,
            };
            (PlainLayout::Composite(head), 0, vec![])
        }
        HILBERT => {
            let (order, rank) = (shape[0].ilog2(), rank as u32);
            at(PlainLayout::Hilbert { order, rank }, dense(rng, elements))
        }
        _ => {
            let private = PlainLayout::Private {
                tag: 0xF0 + rng.below(15) as u8,
                id: LAYOUT_ID,
                data: (0..rng.below(9)).map(|_| rng.byte()).collect(),
            };
            (private, 0, vec![rng.below(20) as u64, 0])
        }
    }
}

/// One or two levels, and how many elements they reach over.
fn tiles(shape: &[u64], rng: &mut Rng) -> (Vec<PlainLevel>, u64) {
    let inner: Vec<u64> = shape.iter().map(|_| 1 + rng.below(3) as u64).collect();
    let order = |rng: &mut Rng| 1 + rng.below(2) as u8;
    let plain = |tile_shape: &[u64], outer_layout, inner_layout| PlainLevel {
        tile_shape: tile_shape.to_vec(),
        outer_layout,
        inner_layout,
        outer_strides: vec![],
        inner_strides: vec![],
    };
    let grid = |tile: &[u64]| {
        let whole = shape
            .iter()
            .zip(tile)
            .map(|(size, tile)| size.div_ceil(*tile));
        whole.product::<u64>()
    };
    let unit: u64 = inner.iter().product();
    match rng.below(4) {
        0 => {
            let outer: Vec<u64> = inner
                .iter()
                .map(|n| n * (1 + rng.below(2) as u64))
                .collect();
            let levels = vec![
                plain(&outer, order(rng), 4),
                plain(&inner, order(rng), order(rng)),
            ];
            let stored = grid(&outer) * outer.iter().product::<u64>();
            (levels, stored)
        }
        1 => {
            let mut level = plain(&inner, 3, 3);
            let steps = |rng: &mut Rng| (0..shape.len()).map(|_| rng.below(4) as i64).collect();
            level.outer_strides = steps(rng);
            level.inner_strides = steps(rng);
            let span = |strides: &[i64], sizes: &mut dyn Iterator<Item = u64>| {
                let spans = strides
                    .iter()
                    .zip(sizes)
                    .map(|(s, n)| *s as u64 * n.saturating_sub(1));
                spans.sum::<u64>()
            };
            let mut grid = shape
                .iter()
                .zip(&inner)
                .map(|(size, tile)| size.div_ceil(*tile));
            let outer = span(&level.outer_strides, &mut grid) * unit;
            let last = outer + span(&level.inner_strides, &mut inner.iter().copied());
            (vec![level], last + 1)
        }
        _ => (
            vec![plain(&inner, order(rng), order(rng))],
            grid(&inner) * unit,
        ),
    }
}

/// A scheme; its parameter buffers are added behind those of the layout.
fn quantized(
    scheme: usize,
    axis: u32,
    base: u32,
    shape: &[u64],
    layout: &PlainLayout,
    sizes: &mut Vec<u64>,
    rng: &mut Rng,
) -> Option<PlainScheme> {
    let paged = match layout {
        PlainLayout::BlockPaged(paged) => Some(paged),
        _ => None,
    };
    let blocks = |block: u64| {
        let others = shape
            .iter()
            .enumerate()
            .filter(|(k, _)| *k != axis as usize);
        others.map(|(_, size)| size).product::<u64>() * shape[axis as usize].div_ceil(block)
    };
    let scale_type = ElementType(1 + rng.below(3) as u8);
    let width = u64::from(scale_type.bits() / 8);
    let zeros = [None, Some(base), Some(base + 1)][rng.below(3)];
    let mut parameters = |scales: u64, points: u64| match zeros {
        None => sizes.push(scales),
        Some(buffer) if buffer == base => sizes.push(scales + points),
        Some(_) => sizes.extend([scales, points]),
    };
    Some(PlainScheme::Known(match scheme {
        0 => return None,
        1 => {
            let scale = [F32Bits(1), F32Bits::from(-2.5), F32Bits(0x7F7F_FFFF)][rng.below(3)];
            Quantization::per_tensor(scale, rng.below(2) as i32)
        }
        2 => {
            let axis = if paged.is_some() {
                1 + rng.below(2) as u32
            } else {
                axis
            };
            let channels = shape[axis as usize] * 4;
            parameters(channels, channels);
            Quantization::per_channel(axis, base, zeros)
        }
        3 => {
            let (axis, block, blocks) = match paged {
                None => (axis, 2, blocks(2)),
                Some(p) => (0, p.page_size, p.num_pages * u64::from(p.page_size)),
            };
            parameters(blocks * width, blocks * 4);
            Quantization::per_block(axis, block, base, zeros, scale_type)
        }
        4 => {
            sizes.push(blocks(8) * 4);
            Quantization::nf4(axis, 8, base)
        }
        5 => {
            sizes.push(blocks(16));
            Quantization::mxfp(axis, 16, base)
        }
        _ => {
            let mut bytes = vec![SCHEME, rng.byte(), rng.byte(), rng.byte()];
            bytes.extend((0..rng.below(6)).map(|_| rng.byte()));
            return Some(PlainScheme::Other(bytes));
        }
    }))
}

fn handles(sizes: &[u64], rng: &mut Rng) -> Vec<BufferHandle> {
    let (device_tag, memory_class) = [
        (DeviceTag::Cpu, MemoryClass::Standard),
        (DeviceTag::Cpu, MemoryClass::Unified),
        (DeviceTag::Cuda, MemoryClass::Peer),
        (DeviceTag::WebGpu, MemoryClass::Standard),
        (DeviceTag(0xF5), MemoryClass::Standard),
    ][rng.below(5)];
    let handle = |size: &u64| BufferHandle {
        byte_size: *size,
        alignment: match size {
            0 => 1 << rng.below(32),
            _ => 64 << rng.below(26),
        },
        device_tag,
        sync_mode: match device_tag {
            DeviceTag::Cpu => SyncMode::ProducerSynced,
            _ => SyncMode(rng.below(3) as u8),
        },
        memory_class,
    };
    sizes.iter().map(handle).collect()
}

fn facts(layout: &PlainLayout, rng: &mut Rng) -> Statistics {
    let mut float = || F64Bits(rng.next());
    let mut statistics = Statistics {
        computed_mask: 0,
        nnz: 0,
        sparsity_ratio: F64Bits::from(0.25),
        value_min: float(),
        value_max: float(),
        value_abs_max: float(),
        value_mean: float(),
        value_stddev: F64Bits::from(1.5),
        nm_n: 2,
        nm_m: 4,
        has_nan: 1,
        has_inf: 0,
    };
    statistics.computed_mask = rng.below(64) as u32;
    statistics.nnz = match layout {
        PlainLayout::Coo { nnz, .. }
        | PlainLayout::Csr(nnz)
        | PlainLayout::Csc(nnz)
        | PlainLayout::Csf { nnz, .. } => *nnz,
        _ => rng.next(),
    };
    statistics
}

fn extension(rng: &mut Rng) -> ExtensionType {
    let bit_width = [1, 2, 4, 8, 16, 24, 256][rng.below(7)];
    let float = rng.below(2) == 1;
    let when = |there: bool, n: u8| if there { n } else { 0 };
    ExtensionType {
        bit_width,
        packing_factor: if bit_width < 8 {
            8 / bit_width as u8
        } else {
            1
        },
        is_float: float.into(),
        is_signed: when(!float, rng.below(2) as u8),
        sign_bits: when(float, rng.below(2) as u8),
        exponent_bits: when(float, rng.byte()),
        mantissa_bits: when(float, rng.byte()),
        exponent_bias: if float { rng.next() as u32 } else { 0 },
        has_nan: when(float, rng.below(2) as u8),
        has_inf: when(float, rng.below(2) as u8),
    }
}
