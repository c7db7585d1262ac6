//! Stored elements of COO, CSR, CSC and CSF tensors: every set of stored indices of small shapes.

use std::collections::BTreeMap;

use hrry::{
    AddressError, BufferHandle, Compressed, DescriptorSpec, Element, ElementType, Layout,
    StoredWalk, locate_stored,
};

use super::model::{indices, packed};
use super::support::{WIDTHS, bytes, extension};

/// Buffers behind the values, and the index of each value.
struct Stored {
    numbers: Vec<Vec<u64>>,
    order: Vec<Vec<u64>>,
}

/// Holds a tensor against the place of each stored index, which is its number in `order`.
fn judge(shape: &[u64], layout: Layout<'_>, stored: &Stored, (kind, width): (ElementType, u32)) {
    let place = |at: usize| packed(width, 0, at as i64);
    let end = |at: usize| place(at).0 as u64 + place(at).2;
    let value_bytes = stored.order.len().checked_sub(1).map_or(0, end);
    let values = vec![0; value_bytes as usize];
    let numbers: Vec<Vec<u8>> = stored.numbers.iter().map(|n| bytes(n)).collect();
    let mut buffers: Vec<&[u8]> = vec![&values];
    buffers.extend(numbers.iter().map(Vec::as_slice));
    let handles: Vec<BufferHandle> = buffers
        .iter()
        .map(|bytes| BufferHandle::cpu(bytes.len() as u64, 64))
        .collect();
    let spec = DescriptorSpec {
        extension_type: extension(kind, width),
        ..DescriptorSpec::new(kind, shape, layout, &handles)
    };

    let positions: BTreeMap<&[u64], usize> = stored
        .order
        .iter()
        .enumerate()
        .map(|(at, index)| (&**index, at))
        .collect();
    for index in indices(shape) {
        let wanted = positions.get(&*index).map(|at| Element {
            buffer: 0,
            byte: place(*at).0 as u64,
            bit: place(*at).1,
            width,
        });
        assert_eq!(
            locate_stored(&spec, &buffers, &index),
            Ok(wanted),
            "{index:?} of {spec:?}"
        );
    }
    let mut walk = StoredWalk::new(&spec, &buffers).unwrap();
    let mut seen = Vec::new();
    while let Some((index, position)) = walk.next_entry().unwrap() {
        assert_eq!(position, seen.len() as u64);
        seen.push(index.to_vec());
    }
    assert_eq!(walk.next_entry(), Ok(None));
    assert_eq!(seen, stored.order, "{spec:?}");
}

/// The indices of a shape that a bit mask names.
fn chosen(shape: &[u64], mask: u64) -> Vec<Vec<u64>> {
    let all = indices(shape).into_iter().enumerate();
    all.filter(|(k, _)| mask >> k & 1 == 1)
        .map(|(_, index)| index)
        .collect()
}

/// Every subset where there are few, else a sample of them.
fn masks(shape: &[u64]) -> Vec<u64> {
    let cells: u64 = shape.iter().product();
    assert!(cells < 64);
    let end = 1u64 << cells;
    if end <= 1 << 9 {
        return (0..end).collect();
    }
    let sample = (1..60u64).map(|k| k.wrapping_mul(0x9E37_79B9_7F4A_7C15) % end);
    sample.chain([0, end - 1]).collect()
}

const SHAPES: [&[u64]; 9] = [
    &[0],
    &[5],
    &[2, 3],
    &[3, 2],
    &[4, 0],
    &[0, 3],
    &[3, 3],
    &[5, 4],
    &[1, 7],
];
const DEEP: [&[u64]; 5] = [
    &[2, 2, 2],
    &[3, 1, 2],
    &[2, 3, 4],
    &[0, 2, 1],
    &[2, 3, 2, 2],
];

#[test]
fn coordinates() {
    for shape in SHAPES.into_iter().chain(DEEP) {
        for (k, mask) in masks(shape).into_iter().enumerate() {
            let mut order = chosen(shape, mask);
            let nnz = order.len() as u64;
            let list = |order: &[Vec<u64>]| Stored {
                numbers: vec![order.concat()],
                order: order.to_vec(),
            };
            let width = WIDTHS[k % WIDTHS.len()];
            let layout = |is_sorted| Layout::Coo { nnz, is_sorted };
            judge(shape, layout(true), &list(&order), width);
            judge(shape, layout(false), &list(&order), width);
            let middle = order.len() / 2;
            order.rotate_left(middle);
            order.reverse();
            judge(shape, layout(false), &list(&order), width);
        }
    }
}

/// Pointers and indices of the lines along an axis.
fn compress(shape: &[u64], mut order: Vec<Vec<u64>>, axis: usize) -> Stored {
    order.sort_by_key(|index| (index[axis], index[1 - axis]));
    let line_end = |line: u64| order.iter().filter(|index| index[axis] < line).count() as u64;
    let pointers = (0..=shape[axis]).map(line_end).collect();
    let across = order.iter().map(|index| index[1 - axis]).collect();
    Stored {
        numbers: vec![across, pointers],
        order,
    }
}

#[test]
fn rows_and_columns() {
    for shape in SHAPES.into_iter().filter(|shape| shape.len() == 2) {
        for (k, mask) in masks(shape).into_iter().enumerate() {
            let order = chosen(shape, mask);
            let nnz = order.len() as u64;
            let width = WIDTHS[k % WIDTHS.len()];
            for (axis, layout) in [Layout::Csr { nnz }, Layout::Csc { nnz }]
                .into_iter()
                .enumerate()
            {
                let stored = compress(shape, order.clone(), axis);
                judge(shape, layout, &stored, width);
                lines(shape, layout, &stored, axis);
            }
        }
    }
}

/// [`Compressed`]: each line by itself.
fn lines(shape: &[u64], layout: Layout<'_>, stored: &Stored, axis: usize) {
    let numbers: Vec<Vec<u8>> = stored.numbers.iter().map(|n| bytes(n)).collect();
    let spec = DescriptorSpec::new(ElementType::UInt8, shape, layout, &[]);
    let matrix = Compressed::new(&spec, &[&[], &numbers[0], &numbers[1]]).unwrap();
    assert_eq!(matrix.lines(), shape[axis]);
    for number in 0..shape[axis] {
        let line = matrix.line(number).unwrap();
        let all = stored.order.iter().zip(0u64..);
        let wanted: Vec<(u64, u64)> = all
            .filter(|(index, _)| index[axis] == number)
            .map(|(index, position)| (index[1 - axis], position))
            .collect();
        assert!(line.entries().eq(wanted.iter().copied()));
        assert!(line.indices().iter().eq(wanted.iter().map(|entry| entry.0)));
        let before = stored
            .order
            .iter()
            .filter(|index| index[axis] < number)
            .count();
        assert_eq!(line.first(), before as u64);
    }
    let axis = axis as u32;
    let outside = matrix.line(matrix.lines()).err();
    assert_eq!(outside, Some(AddressError::OutOfRange { axis }));
}

/// Positions and coordinates of the tree whose level `L` stands for dimension `modes[L]`.
fn tree(modes: &[u32], mut order: Vec<Vec<u64>>) -> Stored {
    let along = |index: &[u64], level: usize| index[modes[level] as usize];
    order.sort_by_key(|index| {
        (0..modes.len())
            .map(|level| along(index, level))
            .collect::<Vec<_>>()
    });
    let mut numbers = Vec::new();
    let mut parents: Vec<Vec<u64>> = vec![vec![]];
    for level in 0..modes.len() {
        let mut nodes: Vec<Vec<u64>> = order
            .iter()
            .map(|index| (0..=level).map(|level| along(index, level)).collect())
            .collect();
        nodes.dedup();
        let mut pointers = vec![0];
        for parent in &parents {
            let children = nodes
                .iter()
                .filter(|node| node[..level] == **parent)
                .count();
            pointers.push(pointers.last().unwrap() + children as u64);
        }
        // without stored elements there is no node above the first level either
        numbers.push(pointers);
        numbers.push(nodes.iter().map(|node| node[level]).collect());
        parents = nodes;
    }
    Stored { numbers, order }
}

#[test]
fn fibres_in_every_order_of_modes() {
    for shape in DEEP {
        let rank = shape.len() as u64;
        for choice in indices(&vec![rank; shape.len()]) {
            if (0..rank).any(|mode| !choice.contains(&mode)) {
                continue;
            }
            let modes: Vec<u32> = choice.iter().map(|mode| *mode as u32).collect();
            for (k, mask) in masks(shape).into_iter().enumerate() {
                let order = chosen(shape, mask);
                let nnz = order.len() as u64;
                let layout = Layout::Csf {
                    nnz,
                    mode_order: (&*modes).into(),
                };
                judge(
                    shape,
                    layout,
                    &tree(&modes, order),
                    WIDTHS[k % WIDTHS.len()],
                );
            }
        }
    }
}

/// The tree of LAYOUT-38: nothing stored.
#[test]
fn an_empty_tree() {
    let stored = tree(&[0, 1, 2], vec![]);
    assert_eq!(
        stored.numbers,
        [vec![0, 0], vec![], vec![0], vec![], vec![0], vec![]]
    );
}

/// Permissive readers ignore `byte_offset` where it has to be 0 (BUF-18), and what `mode_order` leaves
/// unsaid they do not read (LAYOUT-34).
#[test]
fn what_permissive_readers_meet() {
    let coordinates = bytes(&[1, 4]);
    let buffers: [&[u8]; 2] = [&[7, 8], &coordinates];
    let handles = [2, 16].map(|len| BufferHandle::cpu(len, 64));
    let layout = Layout::Coo {
        nnz: 2,
        is_sorted: true,
    };
    let spec = DescriptorSpec {
        byte_offset: 2,
        ..DescriptorSpec::new(ElementType::UInt8, &[5], layout, &handles)
    };
    let wanted = Element {
        buffer: 0,
        byte: 1,
        bit: 0,
        width: 8,
    };
    assert_eq!(locate_stored(&spec, &buffers, &[4]), Ok(Some(wanted)));

    for modes in [[0, 1, 1], [2, 2, 2], [0, 1, 3]] {
        let tree = tree(&[0, 1, 2], vec![vec![0, 0, 0]]);
        let numbers: Vec<Vec<u8>> = tree.numbers.iter().map(|n| bytes(n)).collect();
        let mut buffers: Vec<&[u8]> = vec![&[7]];
        buffers.extend(numbers.iter().map(Vec::as_slice));
        let layout = Layout::Csf {
            nnz: 1,
            mode_order: (&modes).into(),
        };
        let handles = [BufferHandle::cpu(1, 64)];
        let spec = DescriptorSpec::new(ElementType::UInt8, &[4, 4, 4], layout, &handles);
        let refused = AddressError::Layout(layout.tag());
        assert_eq!(locate_stored(&spec, &buffers, &[0, 0, 0]), Err(refused));
        assert_eq!(StoredWalk::new(&spec, &buffers).err(), Some(refused));
    }
}
