//! Dense layouts: ADDR-01 to ADDR-06.

use hrry::{BufferHandle, ElementType, locate};

use super::super::support::scale::Rng;
use super::super::support::spec::{Kind, Plain, PlainLayout, PlainLevel};
use super::{Case, indices};

/// Row-major, column-major, strided, tiled, tiled twice, Morton, Hilbert.
pub const LAYOUTS: usize = 7;
const HILBERT: usize = 6;

/// Bytes of so many elements in a row.
pub fn packed(elements: u64, width: u32) -> u64 {
    match width {
        6 => elements.div_ceil(4) * 3,
        _ => (elements * u64::from(width)).div_ceil(8),
    }
}

pub fn dense(layout: usize, element_type: ElementType, shape: &[u64], rng: &mut Rng) -> Case {
    // a Hilbert curve needs a cube of a power of two
    let cube =
        shape.len() > 1 && shape[0].is_power_of_two() && shape.iter().all(|n| *n == shape[0]);
    let layout = match layout {
        HILBERT if cube && shape[0] > 1 => PlainLayout::Hilbert {
            order: shape[0].ilog2(),
            rank: shape.len() as u32,
        },
        _ => order(layout % HILBERT, shape, rng),
    };
    let all = indices(shape);
    let plain = Plain::new(element_type, shape, &[0]).with_layout(layout);
    let places: Vec<i64> = all.iter().map(|index| place(&plain, index)).collect();
    let lowest = places.iter().min().copied().unwrap_or(0);
    let highest = places.iter().max().copied().unwrap_or(-1);
    let stored = match &plain.layout {
        PlainLayout::Strided(_) => 0,
        PlainLayout::Morton(bits) => 1 << bits.iter().sum::<u32>().min(20),
        PlainLayout::Tiled(levels) => tiled_size(levels, shape),
        _ => shape.iter().product(),
    };
    let empty = shape.contains(&0);
    let width = element_type.bits();
    let before = packed(lowest.min(0).unsigned_abs() + 8, width);
    let behind = packed(stored.max((highest + 1) as u64), width);
    let byte_offset = before + rng.below(3) as u64;
    let size = if empty {
        byte_offset
    } else {
        byte_offset + behind + rng.below(3) as u64
    };
    let mut case = Case {
        plain,
        buffers: vec![(0..size).map(|_| rng.byte()).collect()],
        places: places.into_iter().map(Some).collect(),
    };
    case.plain.byte_offset = byte_offset;
    case.sized()
}

fn order(layout: usize, shape: &[u64], rng: &mut Rng) -> PlainLayout {
    match layout {
        0 => PlainLayout::RowMajor,
        1 => PlainLayout::ColumnMajor,
        2 => PlainLayout::Strided(strides(shape, rng)),
        3 | 4 => PlainLayout::Tiled(tiles(layout == 4, shape, rng)),
        _ => {
            let bits = |size: &u64| size.next_power_of_two().ilog2().max(1);
            PlainLayout::Morton(shape.iter().map(bits).collect())
        }
    }
}

/// Steps that keep elements apart, in any order of the dimensions and either direction.
fn strides(shape: &[u64], rng: &mut Rng) -> Vec<i64> {
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    for k in (1..axes.len()).rev() {
        axes.swap(k, rng.below(k + 1));
    }
    let (mut strides, mut step) = (vec![0; shape.len()], 1 + rng.below(2) as i64);
    for axis in axes {
        strides[axis] = if rng.below(3) == 0 { -step } else { step };
        step *= shape[axis].max(1) as i64 + rng.below(2) as i64;
    }
    strides
}

fn tiles(twice: bool, shape: &[u64], rng: &mut Rng) -> Vec<PlainLevel> {
    let inner: Vec<u64> = shape.iter().map(|_| 1 + rng.below(3) as u64).collect();
    let mut level = |tile_shape: &[u64], last: bool| PlainLevel {
        tile_shape: tile_shape.to_vec(),
        outer_layout: 1 + rng.below(2) as u8,
        inner_layout: if last { 1 + rng.below(2) as u8 } else { 4 },
        outer_strides: vec![],
        inner_strides: vec![],
    };
    if !twice {
        return vec![level(&inner, true)];
    }
    let outer: Vec<u64> = inner.iter().map(|n| n * 2).collect();
    vec![level(&outer, false), level(&inner, true)]
}

fn tiled_size(levels: &[PlainLevel], shape: &[u64]) -> u64 {
    let tile = &levels[0].tile_shape;
    let grid = shape
        .iter()
        .zip(tile)
        .map(|(size, tile)| size.div_ceil(*tile));
    grid.product::<u64>() * tile.iter().product::<u64>()
}

fn place(plain: &Plain, index: &[u64]) -> i64 {
    match &plain.layout {
        PlainLayout::RowMajor => linear(1, &plain.shape, index) as i64,
        PlainLayout::ColumnMajor => linear(2, &plain.shape, index) as i64,
        PlainLayout::Strided(strides) => {
            let terms = strides.iter().zip(index);
            terms.map(|(step, at)| step * *at as i64).sum()
        }
        PlainLayout::Tiled(levels) => tiled(levels, &plain.shape, index) as i64,
        PlainLayout::Morton(bits) => morton(bits, index),
        // the curve has tests of its own
        _ => hilbert(plain, index),
    }
}

/// In row-major (1) or column-major (2) order.
fn linear(layout: u8, shape: &[u64], index: &[u64]) -> u64 {
    let mut pairs: Vec<(&u64, &u64)> = shape.iter().zip(index).collect();
    if layout == 2 {
        pairs.reverse();
    }
    pairs
        .iter()
        .fold(0, |at, (size, index)| at * **size + **index)
}

fn tiled(levels: &[PlainLevel], shape: &[u64], index: &[u64]) -> u64 {
    let level = &levels[0];
    let tile = &level.tile_shape;
    let by = |f: fn(u64, u64) -> u64, a: &[u64]| -> Vec<u64> {
        a.iter().zip(tile).map(|(a, b)| f(*a, *b)).collect()
    };
    let grid = by(u64::div_ceil, shape);
    let (number, rest) = (by(|a, b| a / b, index), by(|a, b| a % b, index));
    let outer = linear(level.outer_layout, &grid, &number) * tile.iter().product::<u64>();
    outer
        + match level.inner_layout {
            4 => tiled(&levels[1..], tile, &rest),
            order => linear(order, tile, &rest),
        }
}

fn morton(bits: &[u32], index: &[u64]) -> i64 {
    let mut code = 0;
    for (d, (bits, at)) in bits.iter().zip(index).enumerate() {
        for b in 0..*bits {
            code |= ((at >> b & 1) as i64) << (b as usize * index.len() + d);
        }
    }
    code
}

fn hilbert(plain: &Plain, index: &[u64]) -> i64 {
    let mut bytes =
        Plain::new(ElementType::UInt8, &plain.shape, &[]).with_layout(plain.layout.clone());
    bytes.buffers = vec![BufferHandle::cpu(plain.shape.iter().product(), 64)];
    bytes.lend(Kind::Native, |spec| {
        locate(spec, index).unwrap().byte as i64
    })
}
