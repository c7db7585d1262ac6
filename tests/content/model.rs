//! The rules of sparse and paged layouts, of packed values and of channel parameters, read literally and without haste: every
//! rule that a tensor breaks.

use std::collections::BTreeSet;

use hrry::{BlockTableIndexType, ElementType, Parameters, Quantization};

use crate::judged::Tensor;
use crate::support::spec::{PlainLayout, PlainScheme};

type Broken = BTreeSet<&'static str>;

const DYNAMIC: u64 = u64::MAX;

pub fn broken(tensor: &Tensor) -> Broken {
    let shape = &tensor.plain.shape;
    let mut broken = Broken::new();
    let numbers = |buffer: usize| words(&tensor.buffers[buffer]);
    match &tensor.plain.layout {
        PlainLayout::Coo { nnz, is_sorted } => {
            coo(shape, *nnz, *is_sorted, &numbers(1), &mut broken);
            unused(tensor, *nnz, &mut broken);
        }
        PlainLayout::Csr(nnz) => {
            compressed(
                shape[0],
                shape[1],
                *nnz,
                &numbers(1),
                &numbers(2),
                &mut broken,
            );
            unused(tensor, *nnz, &mut broken);
        }
        PlainLayout::Csc(nnz) => {
            compressed(
                shape[1],
                shape[0],
                *nnz,
                &numbers(1),
                &numbers(2),
                &mut broken,
            );
            unused(tensor, *nnz, &mut broken);
        }
        PlainLayout::Csf { nnz, mode_order } => {
            let levels: Vec<_> = (0..shape.len())
                .map(|level| [numbers(1 + 2 * level), numbers(2 + 2 * level)])
                .collect();
            let sizes: Vec<u64> = mode_order
                .iter()
                .map(|mode| shape[*mode as usize])
                .collect();
            csf(&sizes, *nnz, &levels, &mut broken);
            if *nnz == 0 {
                let empty = |k: usize| tensor.buffers[k].is_empty();
                let crd = (0..shape.len()).all(|level| empty(2 + 2 * level));
                let firsts = levels.iter().all(|[pos, _]| pos[0] == 0);
                if !(empty(0) && crd && firsts && levels[0][0][1] == 0) {
                    broken.insert("LAYOUT-38");
                }
            }
            unused(tensor, *nnz, &mut broken);
        }
        PlainLayout::BlockPaged(paged) => {
            let wide = paged.block_table_index_type == BlockTableIndexType::U64;
            let read = |k: usize| {
                if wide {
                    numbers(k)
                } else {
                    halves(&tensor.buffers[k])
                }
            };
            let pointers = read(2);
            let pointers = &pointers[..paged.num_seqs as usize + 1];
            if !pages(paged.num_pages, &read(1), pointers) {
                broken.insert("LAYOUT-46");
            }
            let slots = paged.num_pages * u64::from(paged.page_size);
            unused(tensor, slots * shape[1] * shape[2], &mut broken);
        }
        other => panic!("no model of {other:?}"),
    }
    if let Some(PlainScheme::Known(Quantization::Buffers(p))) = &tensor.plain.quantization {
        channels(tensor, p, &mut broken);
    }
    broken
}

fn words(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.chunks_exact(8);
    words
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

fn halves(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()).into())
        .collect()
}

fn in_bounds(index: u64, size: u64) -> bool {
    size == DYNAMIC || index < size
}

fn coo(shape: &[u64], nnz: u64, is_sorted: bool, indices: &[u64], broken: &mut Broken) {
    let tuples: Vec<&[u64]> = indices.chunks(shape.len()).take(nnz as usize).collect();
    for (i, tuple) in tuples.iter().enumerate() {
        if tuple
            .iter()
            .zip(shape)
            .any(|(index, size)| !in_bounds(*index, *size))
        {
            broken.insert("LAYOUT-26");
        }
        if tuples[..i].contains(tuple) {
            broken.insert("LAYOUT-27");
        }
        if is_sorted && i > 0 && tuples[i - 1] >= *tuple {
            broken.insert("LAYOUT-28");
        }
    }
}

fn compressed(
    lines: u64,
    across: u64,
    nnz: u64,
    indices: &[u64],
    pointers: &[u64],
    broken: &mut Broken,
) {
    let (nnz, lines) = (nnz as usize, lines as usize);
    let pointers = &pointers[..=lines];
    let falls = pointers.windows(2).any(|pair| pair[0] > pair[1]);
    let sound = pointers[0] == 0 && pointers[lines] == nnz as u64 && !falls;
    if !sound {
        broken.insert("LAYOUT-31");
    }
    if indices[..nnz]
        .iter()
        .any(|index| !in_bounds(*index, across))
    {
        broken.insert("LAYOUT-32");
    }
    for line in pointers.windows(2).filter(|_| sound) {
        let line = &indices[line[0] as usize..line[1] as usize];
        if line.windows(2).any(|pair| pair[0] >= pair[1]) {
            broken.insert("LAYOUT-32");
        }
    }
}

/// Levels from the first one on, as far as they can be told.
fn csf(sizes: &[u64], nnz: u64, levels: &[[Vec<u64>; 2]], broken: &mut Broken) {
    let mut above = 1;
    for (level, [pos, crd]) in levels.iter().enumerate() {
        let Some(pos) = pos.get(..above + 1) else {
            broken.insert("LAYOUT-36");
            return;
        };
        let count = pos[above];
        let falls = pos.windows(2).any(|pair| pair[0] > pair[1]);
        let leaf = level + 1 == levels.len();
        if pos[0] != 0 || falls || count > crd.len() as u64 || leaf && count != nnz {
            broken.insert("LAYOUT-36");
            return;
        }
        let crd = &crd[..count as usize];
        if crd.iter().any(|index| !in_bounds(*index, sizes[level])) {
            broken.insert("LAYOUT-37");
        }
        for siblings in pos.windows(2) {
            let siblings = &crd[siblings[0] as usize..siblings[1] as usize];
            if siblings.windows(2).any(|pair| pair[0] >= pair[1]) {
                broken.insert("LAYOUT-37");
            }
        }
        above = count as usize;
    }
}

fn pages(num_pages: u64, table: &[u64], pointers: &[u64]) -> bool {
    let falls = pointers.windows(2).any(|pair| pair[0] > pair[1]);
    let total = pointers[pointers.len() - 1];
    if pointers[0] != 0 || falls || total > table.len() as u64 {
        return false;
    }
    table[..total as usize].iter().all(|page| *page < num_pages)
}

/// Bits behind `count` elements of four bits, or of eight, which leave none.
fn unused(tensor: &Tensor, count: u64, broken: &mut Broken) {
    let packed = tensor.plain.element_type == ElementType::UInt4.0;
    if packed && count % 2 == 1 && tensor.buffers[0][count as usize / 2] > 0x0F {
        broken.insert("TYPE-08");
    }
}

/// Float32 scales and 32-bit zero points of channels.
fn channels(tensor: &Tensor, p: &Parameters, broken: &mut Broken) {
    let count = tensor.plain.shape[p.axis as usize] as usize;
    let most = if tensor.plain.element_type == ElementType::UInt4.0 {
        15
    } else {
        255
    };
    let read = |buffer: u32| halves(&tensor.buffers[buffer as usize]);
    for scale in &read(p.scale_buffer_index)[..count] {
        let scale = f32::from_bits(*scale as u32);
        if !scale.is_finite() || scale == 0.0 {
            broken.insert("QUANT-28");
        }
    }
    for point in &read(p.zero_point_buffer_index)[..count] {
        if *point > most {
            broken.insert("QUANT-29");
        }
    }
}
