//! Sparse layouts and pages: ADDR-07 to ADDR-11, built from what they store.

use hrry::{BlockPaged, BlockTableIndexType, ElementType, KvRole};

use super::super::support::scale::Rng;
use super::super::support::spec::{Plain, PlainLayout};
use super::{Case, indices, packed};

/// Sorted and unsorted coordinates, compressed rows, compressed columns, fibres, pages.
pub const SPARSE: usize = 6;

/// A tensor of one of these layouts; matrices and fibres need 2 and 3 or more dimensions, pages 3.
pub fn sparse(layout: usize, element_type: ElementType, shape: &[u64], rng: &mut Rng) -> Case {
    if layout == 5 {
        return paged(element_type, shape, rng);
    }
    let chosen: Vec<bool> = indices(shape).iter().map(|_| rng.below(2) == 0).collect();
    let all = indices(shape);
    let mut stored: Vec<&Vec<u64>> = all
        .iter()
        .zip(&chosen)
        .filter_map(|(index, chosen)| chosen.then_some(index))
        .collect();
    let nnz = stored.len() as u64;
    let mut mode_order: Vec<u32> = (0..shape.len() as u32).collect();
    mode_order.rotate_left(rng.below(shape.len()));
    match layout {
        1 => {
            for k in (1..stored.len()).rev() {
                stored.swap(k, rng.below(k + 1));
            }
        }
        3 => stored.sort_by_key(|index| (index[1], index[0])),
        4 => stored.sort_by_key(|index| permuted(index, &mode_order)),
        _ => {}
    }
    let column = |k: usize| {
        stored
            .iter()
            .flat_map(move |index| index[k].to_le_bytes())
            .collect()
    };
    let (kind, structure) = match layout {
        0 | 1 => {
            let all = stored.iter().flat_map(|index| index.iter());
            let coordinates = all.flat_map(|at| at.to_le_bytes()).collect();
            let is_sorted = layout == 0;
            (PlainLayout::Coo { nnz, is_sorted }, vec![coordinates])
        }
        2 => (
            PlainLayout::Csr(nnz),
            vec![column(1), pointers(&stored, 0, shape[0])],
        ),
        3 => (
            PlainLayout::Csc(nnz),
            vec![column(0), pointers(&stored, 1, shape[1])],
        ),
        _ => {
            let keys: Vec<Vec<u64>> = stored
                .iter()
                .map(|index| permuted(index, &mode_order))
                .collect();
            let buffers = fibres(&keys, shape.len());
            (PlainLayout::Csf { nnz, mode_order }, buffers)
        }
    };
    let values = (0..packed(nnz, element_type.bits()))
        .map(|_| rng.byte())
        .collect();
    let places = all.iter().map(|index| {
        stored
            .iter()
            .position(|stored| *stored == index)
            .map(|at| at as i64)
    });
    let case = Case {
        plain: Plain::new(element_type, shape, &[]).with_layout(kind),
        places: places.collect(),
        buffers: [vec![values], structure].concat(),
    };
    case.sized()
}

fn permuted(index: &[u64], mode_order: &[u32]) -> Vec<u64> {
    mode_order
        .iter()
        .map(|mode| index[*mode as usize])
        .collect()
}

fn pointers(stored: &[&Vec<u64>], axis: usize, lines: u64) -> Vec<u8> {
    let before = |line| stored.iter().filter(|index| index[axis] < line).count() as u64;
    (0..=lines)
        .flat_map(|line| before(line).to_le_bytes())
        .collect()
}

/// Pointers and coordinates of each level: a node of level `L` is a start of `L + 1` coordinates.
fn fibres(keys: &[Vec<u64>], rank: usize) -> Vec<Vec<u8>> {
    let nodes = |len: usize| {
        let mut nodes: Vec<&[u64]> = keys.iter().map(|key| &key[..len]).collect();
        nodes.dedup();
        nodes
    };
    let mut buffers = Vec::new();
    for level in 0..rank {
        let (above, here) = (nodes(level), nodes(level + 1));
        let parents = if level == 0 { vec![&[][..]] } else { above };
        let mut ends = vec![0u64];
        for parent in parents {
            let children = here.iter().filter(|node| node.starts_with(parent)).count() as u64;
            ends.push(ends[ends.len() - 1] + children);
        }
        buffers.push(ends.iter().flat_map(|end| end.to_le_bytes()).collect());
        buffers.push(
            here.iter()
                .flat_map(|node| node[level].to_le_bytes())
                .collect(),
        );
    }
    buffers
}

/// One sequence, whose last page may be partly filled.
fn paged(element_type: ElementType, shape: &[u64], rng: &mut Rng) -> Case {
    let page_size = 2u64;
    let used = shape[0].div_ceil(page_size);
    let num_pages = used + 2;
    let pages: Vec<u64> = (0..used).map(|k| (k * 3 + 1) % num_pages).collect();
    let wide = rng.below(2) == 1;
    let bytes = |numbers: &[u64]| -> Vec<u8> {
        let one = |n: &u64| match wide {
            true => n.to_le_bytes().to_vec(),
            false => (*n as u32).to_le_bytes().to_vec(),
        };
        numbers.iter().flat_map(one).collect()
    };
    let row = shape[1] * shape[2];
    let elements = num_pages * page_size * row;
    let pool = (0..packed(elements, element_type.bits()))
        .map(|_| rng.byte())
        .collect();
    let place = |index: &Vec<u64>| {
        let slot = pages[(index[0] / page_size) as usize] * page_size + index[0] % page_size;
        Some((slot * row + index[1] * shape[2] + index[2]) as i64)
    };
    let layout = PlainLayout::BlockPaged(BlockPaged {
        page_size: page_size as u32,
        num_pages,
        paged_axis: 0,
        num_seqs: 1,
        kv_role: KvRole(2),
        layer_index: 0,
        block_table_index_type: BlockTableIndexType(wide.into()),
    });
    let case = Case {
        plain: Plain::new(element_type, shape, &[]).with_layout(layout),
        buffers: vec![pool, bytes(&pages), bytes(&[0, used])],
        places: indices(shape).iter().map(place).collect(),
    };
    case.sized()
}
