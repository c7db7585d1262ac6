//! Random shapes and layouts that fit each other, and the room that a layout's own buffers need.

use hrry::{
    BlockPaged, BlockTableIndexType, CombineOp, CompositeHead, CompositionRule, DYNAMIC, KvRole,
};

use crate::LAYOUTS;
use crate::choices::Choices;
use crate::plan::{LayoutPlan, LevelPlan};
use crate::sizes::{Width, elements, reach};

/// How large things may get.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Elements of a tensor; a power of two.
    pub elements: u64,
    /// Bytes of a buffer that nobody needs.
    pub slack: u64,
    /// Whether dimensions may be dynamic.
    pub dynamic: bool,
}

impl Limits {
    /// For descriptors without data.
    pub const DESCRIPTOR: Limits = Limits {
        elements: 1 << 40,
        slack: 1 << 20,
        dynamic: true,
    };
    /// For tensors whose bytes exist.
    pub const STREAM: Limits = Limits {
        elements: 1 << 7,
        slack: 16,
        dynamic: false,
    };

    fn bits(&self) -> u32 {
        self.elements.trailing_zeros()
    }
}

/// The named layouts and the private ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    RowMajor,
    ColumnMajor,
    Strided,
    Tiled,
    Morton,
    Coo,
    Csr,
    Csc,
    Csf,
    BlockPaged,
    Composite,
    Hilbert,
    Private,
}

impl Kind {
    pub const ALL: [Kind; 13] = [
        Kind::RowMajor,
        Kind::ColumnMajor,
        Kind::Strided,
        Kind::Tiled,
        Kind::Morton,
        Kind::Coo,
        Kind::Csr,
        Kind::Csc,
        Kind::Csf,
        Kind::BlockPaged,
        Kind::Composite,
        Kind::Hilbert,
        Kind::Private,
    ];

    /// A rank the layout may have, mostly small.
    pub fn rank(self, c: &mut Choices<'_>, limits: Limits) -> usize {
        let least = match self {
            Kind::RowMajor => 0,
            Kind::Csr | Kind::Csc => return 2,
            Kind::BlockPaged => return 3,
            Kind::Csf => 3,
            Kind::Hilbert => 2,
            _ => 1,
        };
        let most = match self {
            // at least one bit for each dimension
            Kind::Morton | Kind::Hilbert => limits.bits() as u64,
            _ => 64,
        };
        let rank = match c.below(10) {
            0..=6 => c.below(4),
            7 | 8 => c.below(8),
            _ => c.below(64),
        };
        (least + rank).min(most) as usize
    }

    /// A shape of that rank.
    pub fn shape(self, c: &mut Choices<'_>, rank: usize, limits: Limits) -> Vec<u64> {
        if self == Kind::Hilbert {
            let order = 1 + c.below(u64::from(limits.bits()) / rank as u64);
            return vec![1 << order; rank];
        }
        let mut left = match self {
            Kind::Morton => 1 << (limits.bits() as usize / rank),
            Kind::BlockPaged => limits.elements >> 4,
            _ => limits.elements,
        };
        let dynamic = limits.dynamic && self != Kind::BlockPaged;
        let dimension = |_| {
            if c.one_in(40) {
                return 0;
            }
            if dynamic && c.one_in(40) {
                return DYNAMIC;
            }
            let size = match c.below(8) {
                0..=2 => 1,
                3..=5 => c.pick(&[2, 3, 4, 8, 16, 32, 64, 96]),
                6 => 1 + c.below(100),
                _ => 1 + c.below(1 << 20),
            };
            let size = if size > left { 1 } else { size };
            if self != Kind::Morton {
                left /= size;
            }
            size
        };
        (0..rank).map(dimension).collect()
    }
}

/// A payload of that kind for a tensor of that shape.
pub fn layout(c: &mut Choices<'_>, kind: Kind, shape: &[u64], limits: Limits) -> LayoutPlan {
    let most = elements(shape).unwrap_or(u64::MAX).min(limits.elements);
    let mut nnz = || c.below(most.min(1 << 20) + 1);
    match kind {
        Kind::RowMajor => LayoutPlan::RowMajor,
        Kind::ColumnMajor => LayoutPlan::ColumnMajor,
        Kind::Strided => LayoutPlan::Strided(strides(c, shape.len())),
        Kind::Tiled => LayoutPlan::Tiled(levels(c, shape.len(), limits)),
        Kind::Morton => LayoutPlan::Morton(morton_bits(c, shape, limits)),
        Kind::Coo => LayoutPlan::Coo {
            nnz: nnz(),
            is_sorted: c.one_in(2),
        },
        Kind::Csr => LayoutPlan::Csr(nnz()),
        Kind::Csc => LayoutPlan::Csc(nnz()),
        Kind::Csf => {
            let nnz = nnz();
            let mut mode_order: Vec<u32> = (0..shape.len() as u32).collect();
            for k in (1..mode_order.len()).rev() {
                mode_order.swap(k, c.below(k as u64 + 1) as usize);
            }
            LayoutPlan::Csf { nnz, mode_order }
        }
        Kind::BlockPaged => LayoutPlan::BlockPaged(block_paged(c, shape, limits)),
        Kind::Composite => LayoutPlan::Composite(head(c, shape)),
        Kind::Hilbert => LayoutPlan::Hilbert {
            order: shape[0].trailing_zeros(),
            rank: shape.len() as u32,
        },
        Kind::Private => LayoutPlan::Private {
            tag: 0xF0 + c.below(15) as u8,
            id: c.pick(LAYOUTS),
            data: (0..c.below(20)).map(|_| c.byte()).collect(),
        },
    }
}

fn strides(c: &mut Choices<'_>, rank: usize) -> Vec<i64> {
    let stride = |_| match c.below(8) {
        0 => 0,
        1..=4 => 1 + c.below(5) as i64,
        _ => -(1 + c.below(4) as i64),
    };
    (0..rank).map(stride).collect()
}

fn levels(c: &mut Choices<'_>, rank: usize, limits: Limits) -> Vec<LevelPlan> {
    let count = match c.below(4) {
        0 | 1 => 1,
        2 => 2,
        _ => 1 + c.below(8),
    };
    let mut left = 1u64 << (limits.bits() / 4);
    let first = |_| {
        let size = 1 + c.below(4);
        let size = if size > left { 1 } else { size };
        left /= size;
        size
    };
    let mut tile_shape: Vec<u64> = (0..rank).map(first).collect();
    let mut levels = Vec::new();
    for level in 1..=count {
        let (outer_layout, mut inner_layout) = (1 + c.below(3) as u8, 1 + c.below(3) as u8);
        if level < count {
            inner_layout = 4;
        }
        let mut explicit = |order| if order == 3 { strides(c, rank) } else { vec![] };
        levels.push(LevelPlan {
            tile_shape: tile_shape.clone(),
            outer_layout,
            inner_layout,
            outer_strides: explicit(outer_layout),
            inner_strides: explicit(inner_layout),
        });
        for size in &mut tile_shape {
            let divisors: Vec<u64> = (1..=*size).filter(|n| *size % n == 0).collect();
            *size = c.pick(&divisors);
        }
    }
    levels
}

fn morton_bits(c: &mut Choices<'_>, shape: &[u64], limits: Limits) -> Vec<u32> {
    let most = limits.bits() / shape.len() as u32;
    let bits = |size: &u64| {
        let needed = match *size {
            0 | DYNAMIC => 1,
            size => (u64::BITS - (size - 1).leading_zeros()).max(1),
        };
        let more = if c.one_in(3) { 1 } else { 0 };
        (needed + more).min(most)
    };
    shape.iter().map(bits).collect()
}

fn block_paged(c: &mut Choices<'_>, shape: &[u64], limits: Limits) -> BlockPaged {
    let page_size = c.pick(&[1, 2, 4, 16, 3, 256]);
    let slot = shape[1].max(1) * shape[2].max(1) * u64::from(page_size);
    let most = (limits.elements << 4) / slot;
    let num_pages = c.below(most.min(1000) + 1);
    BlockPaged {
        page_size,
        num_pages,
        paged_axis: 0,
        num_seqs: c.below(20) as u32,
        kv_role: KvRole(c.below(3) as u8),
        layer_index: c.pick(&[u32::MAX, 0, 7]),
        block_table_index_type: BlockTableIndexType(c.below(2) as u8),
    }
}

fn head(c: &mut Choices<'_>, shape: &[u64]) -> CompositeHead {
    // partitions and overlays have a static shape, and a partition without members has no elements
    let (rule, op) = match c.below(4) {
        _ if shape.contains(&DYNAMIC) => (CompositionRule::Group, CombineOp::None),
        0 => (CompositionRule::Group, CombineOp::None),
        1 => (CompositionRule::Overlay, CombineOp(1 + c.below(2) as u8)),
        _ => (CompositionRule::Partition, CombineOp::None),
    };
    let may_be_empty =
        rule == CompositionRule::Group || rule == CompositionRule::Partition && shape.contains(&0);
    let least = if may_be_empty { 0 } else { 1 };
    let counts = [least, 1, 2, 100, u32::MAX - 1];
    CompositeHead {
        composition_rule: rule,
        combine_op: op,
        member_count: c.pick(&counts),
    }
}

/// Bytes in front of the first element in buffer 0, and bytes of the layout's own buffers, counted in
/// buffer 0 from the first element. Nothing where a size waits for a dynamic dimension.
pub fn needed(layout: &LayoutPlan, shape: &[u64], width: Width) -> (u64, Vec<u64>) {
    let count = elements(shape);
    let plain = |elements: Option<u64>| (0, vec![elements.map_or(0, |n| width.bytes(n))]);
    let around = |(lo, hi)| {
        let (below, behind) = width.around(lo, hi);
        (below, vec![behind])
    };
    let empty = count == Some(0);
    match layout {
        LayoutPlan::RowMajor | LayoutPlan::ColumnMajor => plain(count),
        LayoutPlan::Strided(_) | LayoutPlan::Tiled(_) | LayoutPlan::Morton(_)
            if empty || count.is_none() =>
        {
            (0, vec![0])
        }
        LayoutPlan::Strided(strides) => around(reach(strides, shape)),
        LayoutPlan::Tiled(levels) => around(tiled_reach(levels, shape)),
        LayoutPlan::Morton(bits) => {
            let all: u32 = bits.iter().sum();
            plain(Some((1 << all).max(1 + last_code(shape))))
        }
        LayoutPlan::Hilbert { .. } => plain(count),
        LayoutPlan::Coo { nnz, .. } => {
            let indices = nnz * shape.len() as u64 * 8;
            (0, vec![width.bytes(*nnz), indices])
        }
        LayoutPlan::Csr(nnz) => (0, compressed(*nnz, shape[0], width)),
        LayoutPlan::Csc(nnz) => (0, compressed(*nnz, shape[1], width)),
        LayoutPlan::Csf { nnz, .. } => {
            let mut sizes = vec![width.bytes(*nnz)];
            for level in 0..shape.len() {
                sizes.push(if level == 0 { 16 } else { 8 });
                sizes.push(if level + 1 == shape.len() { nnz * 8 } else { 0 });
            }
            (0, sizes)
        }
        LayoutPlan::BlockPaged(paged) => {
            let slots = paged.num_pages * u64::from(paged.page_size);
            let index = if paged.block_table_index_type.0 == 0 {
                4
            } else {
                8
            };
            let pool = width.bytes(slots * shape[1] * shape[2]);
            (0, vec![pool, 0, (u64::from(paged.num_seqs) + 1) * index])
        }
        LayoutPlan::Composite(_) => (0, vec![]),
        LayoutPlan::Private { .. } => (0, vec![0]),
    }
}

fn compressed(nnz: u64, pointers: u64, width: Width) -> Vec<u64> {
    let pointers = match pointers {
        DYNAMIC => 0,
        n => (n + 1) * 8,
    };
    vec![width.bytes(nnz), nnz * 8, pointers]
}

fn tiled_reach(levels: &[LevelPlan], shape: &[u64]) -> (i64, i64) {
    let (level, rest) = levels.split_first().expect("at least one level");
    let tile = &level.tile_shape;
    let grid: Vec<u64> = shape
        .iter()
        .zip(tile)
        .map(|(s, t)| s.div_ceil(*t))
        .collect();
    let last = |counts: &[u64]| (0, counts.iter().product::<u64>() as i64 - 1);
    let outer = match level.outer_layout {
        3 => reach(&level.outer_strides, &grid),
        _ => last(&grid),
    };
    let inner = match level.inner_layout {
        3 => reach(&level.inner_strides, tile),
        4 => tiled_reach(rest, tile),
        _ => last(tile),
    };
    let unit = tile.iter().product::<u64>() as i64;
    (outer.0 * unit + inner.0, outer.1 * unit + inner.1)
}

/// The Morton code of the last index.
fn last_code(shape: &[u64]) -> u64 {
    let mut code = 0;
    for (d, size) in shape.iter().enumerate() {
        for b in 0..64 {
            if (size - 1) >> b & 1 == 1 {
                code |= 1 << (b * shape.len() + d);
            }
        }
    }
    code
}
