//! COO, CSR, CSC and CSF by hand.

use hrry::Field::{ColIndices, ColPtr, Crd, Indices, Pos, RowIndices, RowPtr, Values};
use hrry::{ContentScan, ElementType, Policy};

use crate::judged::{Tensor, accepted, le, refused};
use crate::support::spec::{Kind, PlainLayout};

const KIND: ElementType = ElementType::UInt8;
const DYNAMIC: u64 = u64::MAX;

fn coo(shape: &[u64], is_sorted: bool, indices: &[u64]) -> Tensor {
    let nnz = indices.len() / shape.len();
    let layout = PlainLayout::Coo {
        nnz: nnz as u64,
        is_sorted,
    };
    Tensor::new(KIND, shape, layout, vec![vec![0; nnz], le(indices)])
}

#[test]
fn coo_bounds() {
    for is_sorted in [true, false] {
        accepted(&coo(&[2, 3], is_sorted, &[0, 2, 1, 0, 1, 2]));
        accepted(&coo(&[2, 3], is_sorted, &[]));
        accepted(&coo(&[2, DYNAMIC], is_sorted, &[0, 2, 1, DYNAMIC]));
        // coordinate 1 of tuple 1, coordinate 0 of tuple 2
        let at = ("LAYOUT-26", Indices, 1, 3, 24);
        refused(&coo(&[2, 3], is_sorted, &[0, 2, 1, 3, 1, 2]), at);
        let at = ("LAYOUT-26", Indices, 1, 4, 32);
        refused(&coo(&[2, 3], is_sorted, &[0, 2, 1, 0, DYNAMIC, 2]), at);
    }
}

#[test]
fn coo_order() {
    // a higher first coordinate outweighs lower ones behind it
    accepted(&coo(
        &[3, 9, 9],
        true,
        &[0, 8, 8, 1, 0, 0, 1, 0, 1, 1, 1, 0],
    ));
    refused(
        &coo(&[3, 3], true, &[1, 0, 0, 2]),
        ("LAYOUT-28", Indices, 1, 2, 16),
    );
    refused(
        &coo(&[3, 3], true, &[0, 1, 1, 1, 1, 0]),
        ("LAYOUT-28", Indices, 1, 4, 32),
    );
    // without the promise they come in any order
    accepted(&coo(&[3, 3], false, &[1, 0, 0, 2, 0, 0]));
}

#[test]
fn coo_duplicates() {
    for is_sorted in [true, false] {
        let tensor = coo(&[3, 3], is_sorted, &[0, 1, 1, 1, 1, 1]);
        refused(&tensor, ("LAYOUT-27", Indices, 1, 4, 32));
        let tensor = coo(&[3, 3], is_sorted, &[2, 1, 2, 1]);
        refused(&tensor, ("LAYOUT-27", Indices, 1, 2, 16));
        // the first tuple of zeros has nothing before it
        accepted(&coo(&[1], is_sorted, &[0]));
    }
    // of several, the first one that was there before: tuple 3 is tuple 1
    let tuples = [2, 2, 0, 1, 2, 0, 0, 1, 2, 2];
    refused(
        &coo(&[3, 3], false, &tuples),
        ("LAYOUT-27", Indices, 1, 6, 48),
    );
    // bounds come first
    let tensor = coo(&[3], false, &[1, 1, 7]);
    refused(&tensor, ("LAYOUT-26", Indices, 1, 2, 16));
}

/// Rows and columns 3 and 4; the same tensor as CSC has them the other way around.
fn pair(shape: [u64; 2], indices: &[u64], pointers: &[u64]) -> [Tensor; 2] {
    let nnz = indices.len() as u64;
    let buffers = vec![vec![0; indices.len()], le(indices), le(pointers)];
    let [rows, columns] = shape;
    [
        Tensor::new(
            KIND,
            &[rows, columns],
            PlainLayout::Csr(nnz),
            buffers.clone(),
        ),
        Tensor::new(KIND, &[columns, rows], PlainLayout::Csc(nnz), buffers),
    ]
}

#[track_caller]
fn both_refused(pair: [Tensor; 2], at: (&'static str, u8, u64, u64)) {
    let fields = [[ColIndices, RowPtr], [RowIndices, ColPtr]];
    for (tensor, fields) in pair.iter().zip(fields) {
        let field = fields[usize::from(at.1) - 1];
        refused(tensor, (at.0, field, at.1, at.2, at.3));
    }
}

#[test]
fn compressed_pointers() {
    let shape = [3, 4];
    for good in [[0, 2, 2, 3], [0, 0, 2, 3], [0, 1, 2, 3]] {
        pair(shape, &[0, 3, 1], &good).iter().for_each(accepted);
    }
    pair(shape, &[], &[0; 4]).iter().for_each(accepted);
    pair([0, 4], &[], &[0]).iter().for_each(accepted);
    let with = |pointers: &[u64]| pair(shape, &[0, 1, 2], pointers);
    both_refused(with(&[1, 2, 2, 3]), ("LAYOUT-31", 2, 0, 0));
    both_refused(with(&[0, 2, 1, 3]), ("LAYOUT-31", 2, 2, 16));
    both_refused(with(&[0, 1, 2, 2]), ("LAYOUT-31", 2, 3, 24));
    both_refused(with(&[0, 1, 4, 3]), ("LAYOUT-31", 2, 2, 16));
    both_refused(with(&[0, 1, DYNAMIC, 3]), ("LAYOUT-31", 2, 2, 16));
    // behind the last line everything is free
    with(&[0, 1, 2, 3, 0]).iter().for_each(accepted);
}

#[test]
fn compressed_indices() {
    let shape = [3, 4];
    both_refused(
        pair(shape, &[0, 4, 1], &[0, 2, 2, 3]),
        ("LAYOUT-32", 1, 1, 8),
    );
    both_refused(
        pair(shape, &[3, 0, 1], &[0, 2, 2, 3]),
        ("LAYOUT-32", 1, 1, 8),
    );
    both_refused(
        pair(shape, &[1, 2, 2], &[0, 1, 3, 3]),
        ("LAYOUT-32", 1, 2, 16),
    );
    // a fall between lines is none
    pair(shape, &[3, 2, 1], &[0, 1, 2, 3])
        .iter()
        .for_each(accepted);
    // that pointers are wrong is what there is to say where they are
    both_refused(
        pair(shape, &[3, 2, 1], &[0, 2, 1, 3]),
        ("LAYOUT-31", 2, 2, 16),
    );
}

#[test]
fn compressed_with_a_dynamic_shape() {
    // no bound across the lines
    pair([2, DYNAMIC], &[7, 1 << 40], &[0, 2, 2])
        .iter()
        .for_each(accepted);
    // an unknown number of lines
    pair([DYNAMIC, 4], &[3, 2], &[0, 9, 1])
        .iter()
        .for_each(accepted);
    both_refused(pair([DYNAMIC, 4], &[3, 2], &[1, 2]), ("LAYOUT-31", 2, 0, 0));
    both_refused(pair([DYNAMIC, 4], &[3, 4], &[0, 2]), ("LAYOUT-32", 1, 1, 8));
}

/// [2, 3, 4] with the elements [0, 0, 1], [0, 0, 3], [0, 2, 0] and [1, 1, 1], of mode order 0, 1, 2.
fn csf() -> Tensor {
    csf_of(
        &[2, 3, 4],
        &[0, 1, 2],
        4,
        [
            &[0, 2],
            &[0, 1], // one fibre [0], one [1]
            &[0, 2, 3],
            &[0, 2, 1],
            &[0, 2, 3, 4],
            &[1, 3, 0, 1],
        ],
    )
}

fn csf_of(shape: &[u64], modes: &[u32], nnz: usize, levels: [&[u64]; 6]) -> Tensor {
    let layout = PlainLayout::Csf {
        nnz: nnz as u64,
        mode_order: modes.to_vec(),
    };
    let levels = levels.iter().map(|numbers| le(numbers));
    let buffers = std::iter::once(vec![0; nnz]).chain(levels).collect();
    Tensor::new(KIND, shape, layout, buffers)
}

#[test]
fn what_is_kept() {
    let kept = |tensor: Tensor| -> Vec<usize> {
        tensor.plain.lend(Kind::Native, |spec| {
            let scan = ContentScan::new(spec, &Policy::STRICT);
            (0..300).filter(|buffer| scan.keeps(*buffer)).collect()
        })
    };
    let none: [usize; 0] = [];
    assert_eq!(kept(coo(&[3], true, &[0, 1])), none);
    assert_eq!(kept(coo(&[3], false, &[0, 1])), [1]);
    // one tuple is no duplicate
    assert_eq!(kept(coo(&[3], false, &[0])), none);
    let [csr, csc] = pair([1, 4], &[0], &[0, 1]);
    assert_eq!((kept(csr), kept(csc)), (vec![1], vec![1]));
    // pos_1 and pos_2
    assert_eq!(kept(csf()), [3, 5]);
}

#[test]
fn csf_pointers() {
    accepted(&csf());
    let with = |buffer, numbers: &[u64]| csf().with(buffer, le(numbers));
    let id = "LAYOUT-36";
    refused(&with(1, &[1, 2]), (id, Pos, 1, 0, 0));
    // crd_0 has two entries
    refused(&with(1, &[0, 3]), (id, Pos, 1, 1, 8));
    refused(&with(3, &[1, 2, 3]), (id, Pos, 3, 0, 0));
    refused(&with(3, &[0, 3, 2]), (id, Pos, 3, 2, 16));
    refused(&with(3, &[0, 2, 4]), (id, Pos, 3, 2, 16));
    refused(&with(5, &[0, 2, 1, 4]), (id, Pos, 5, 2, 16));
    // the leaves are nnz
    refused(&with(5, &[0, 2, 3, 3]), (id, Pos, 5, 3, 24));
    // fewer fibres: nothing is said of what is left over
    let fewer = csf().with(1, le(&[0, 1])).with(3, le(&[0, 2, 99]));
    refused(&fewer, (id, Pos, 5, 2, 16));
    refused(&csf().with(1, le(&[0, DYNAMIC])), (id, Pos, 1, 1, 8));
}

#[test]
fn csf_pointers_that_are_missing() {
    // pos_1 needs one pointer more than crd_0 has entries
    let tensor = csf_of(
        &[2, 3, 4],
        &[0, 1, 2],
        4,
        [
            &[0, 2],
            &[0, 1],
            &[0, 2],
            &[0, 2, 1],
            &[0, 2, 3, 4],
            &[1, 3, 0, 1],
        ],
    );
    refused(&tensor, ("LAYOUT-36", Pos, 3, 2, 16));
}

#[test]
fn csf_coordinates() {
    let with = |buffer, numbers: &[u64]| csf().with(buffer, le(numbers));
    let id = "LAYOUT-37";
    refused(&with(2, &[0, 2]), (id, Crd, 2, 1, 8));
    refused(&with(2, &[1, 1]), (id, Crd, 2, 1, 8));
    refused(&with(4, &[0, 3, 1]), (id, Crd, 4, 1, 8));
    refused(&with(4, &[2, 0, 1]), (id, Crd, 4, 1, 8));
    refused(&with(6, &[1, 1, 0, 1]), (id, Crd, 6, 1, 8));
    refused(&with(6, &[1, 3, 0, 4]), (id, Crd, 6, 3, 24));
    // a first sibling has none before it
    accepted(&with(6, &[2, 3, 3, 0]));
}

#[test]
fn csf_modes_choose_the_bounds() {
    // level 0 runs over dimension 2, level 1 over 0, level 2 over 1
    let levels: [&[u64]; 6] = [&[0, 1], &[3], &[0, 1], &[1], &[0, 1], &[2]];
    let tensor = csf_of(&[2, 3, 4], &[2, 0, 1], 1, levels);
    accepted(&tensor);
    refused(&tensor.with(2, le(&[4])), ("LAYOUT-37", Crd, 2, 0, 0));
    refused(&tensor.with(4, le(&[2])), ("LAYOUT-37", Crd, 4, 0, 0));
    refused(&tensor.with(6, le(&[3])), ("LAYOUT-37", Crd, 6, 0, 0));
    let mut dynamic = tensor.with(2, le(&[1 << 60]));
    dynamic.plain.shape[2] = DYNAMIC;
    accepted(&dynamic);
}

#[test]
fn csf_without_elements() {
    let empty = |levels| csf_of(&[2, 3, 4], &[0, 1, 2], 0, levels);
    accepted(&empty([&[0, 0], &[], &[0], &[], &[0], &[]]));
    // more pointers than needed are free
    accepted(&empty([&[0, 0, 5], &[], &[0, 7], &[], &[0], &[]]));
    let id = "LAYOUT-38";
    refused(
        &empty([&[0, 0], &[0], &[0], &[], &[0], &[]]),
        (id, Crd, 2, 0, 0),
    );
    refused(
        &empty([&[0, 0], &[], &[0], &[], &[0], &[9]]),
        (id, Crd, 6, 0, 0),
    );
    refused(
        &empty([&[0, 1], &[], &[0], &[], &[0], &[]]),
        (id, Pos, 1, 1, 8),
    );
    let mut values = empty([&[0, 0], &[], &[0], &[], &[0], &[]]);
    values.buffers[0] = vec![0];
    values.plain.buffers[0].byte_size = 1;
    refused(&values, (id, Values, 0, 0, 0));
    // elsewhere it is LAYOUT-36
    let first = empty([&[1, 0], &[], &[0], &[], &[0], &[]]);
    refused(&first, ("LAYOUT-36", Pos, 1, 0, 0));
    let below = empty([&[0, 0], &[], &[0], &[], &[3], &[]]);
    refused(&below, ("LAYOUT-36", Pos, 5, 0, 0));
}
