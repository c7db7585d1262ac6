//! Unused bits of packed types, and float8_e8m0 data.

use hrry::{ElementType, LayoutTag};

use crate::judged::{Tensor, accepted, refused};
use crate::support::spec::{PlainLayout, PlainLevel};
use hrry::Field::{Data, PagePool, Values};

use ElementType as T;

const ROW: PlainLayout = PlainLayout::RowMajor;

fn row(element_type: T, shape: &[u64], bytes: &[u8]) -> Tensor {
    Tensor::new(element_type, shape, ROW, vec![bytes.to_vec()])
}

#[test]
fn bits_behind_the_last_element() {
    // bool [5]: bits 5 to 7 of its byte
    accepted(&row(T::Bool, &[5], &[0x1F]));
    for bit in [0x20, 0x40, 0x80] {
        refused(&row(T::Bool, &[5], &[bit]), ("TYPE-07", Data, 0, 0, 0));
    }
    // [3, 3] is 9 bits, and what is behind their two bytes is free
    accepted(&row(T::Bool, &[3, 3], &[0xFF, 0x01, 0xFF]));
    refused(
        &row(T::Bool, &[3, 3], &[0xFF, 0x03, 0xFF]),
        ("TYPE-07", Data, 0, 1, 1),
    );
    for kind in [T::Int4, T::UInt4, T::Float4E2M1] {
        accepted(&row(kind, &[3], &[0xFF, 0x0F]));
        refused(&row(kind, &[3], &[0xFF, 0x1F]), ("TYPE-08", Data, 0, 1, 1));
    }
    for kind in [T::Int2, T::UInt2] {
        accepted(&row(kind, &[3], &[0x3F]));
        refused(&row(kind, &[3], &[0x40]), ("TYPE-09", Data, 0, 0, 0));
        accepted(&row(kind, &[5], &[0xFF, 0x03]));
        refused(&row(kind, &[5], &[0xFF, 0x04]), ("TYPE-09", Data, 0, 1, 1));
    }
    for kind in [T::Float6E2M3, T::Float6E3M2] {
        // five elements: 6 bits of the second group
        accepted(&row(kind, &[5], &[0xFF, 0xFF, 0xFF, 0x3F, 0, 0]));
        for group in [[0x40, 0, 0], [0, 1, 0], [0, 0, 0x80]] {
            let bytes = [&[0xFF; 3][..], &group].concat();
            refused(&row(kind, &[5], &bytes), ("TYPE-10", Data, 0, 1, 3));
        }
        // three: 18 bits
        accepted(&row(kind, &[3], &[0xFF, 0xFF, 0x03]));
        refused(
            &row(kind, &[3], &[0xFF, 0xFF, 0x04]),
            ("TYPE-10", Data, 0, 0, 0),
        );
    }
}

#[test]
fn full_bytes_have_no_unused_bits() {
    accepted(&row(T::Bool, &[2, 4], &[0xFF]));
    accepted(&row(T::UInt4, &[2, 2], &[0xFF, 0xFF]));
    accepted(&row(T::UInt2, &[4], &[0xFF]));
    accepted(&row(T::Float6E3M2, &[4], &[0xFF; 3]));
    // wide types have none at all
    accepted(&row(T::Float32, &[1], &[0xFF; 4]));
    // nothing of an empty tensor is used, and nothing that is left over is unused
    accepted(&row(T::Bool, &[0, 3], &[0xFF]));
    // a scalar is one element
    accepted(&row(T::Bool, &[], &[0x01]));
    refused(&row(T::Bool, &[], &[0x02]), ("TYPE-07", Data, 0, 0, 0));
}

#[test]
fn bits_are_counted_from_byte_offset() {
    let mut tensor = row(T::UInt4, &[1], &[0xFF, 0xFF, 0x0F, 0xFF]);
    tensor.plain.byte_offset = 2;
    accepted(&tensor);
    refused(
        &tensor.with(0, vec![0xFF, 0xFF, 0x10, 0xFF]),
        ("TYPE-08", Data, 0, 0, 2),
    );
}

#[test]
fn a_dynamic_shape_has_no_last_element() {
    accepted(&row(T::Bool, &[u64::MAX], &[0xFF]));
    accepted(&row(T::Float8E8M0, &[u64::MAX], &[0x00]));
}

fn level(tile_shape: &[u64], outer: LayoutTag) -> PlainLevel {
    let strided = outer == LayoutTag::Strided;
    PlainLevel {
        tile_shape: tile_shape.to_vec(),
        outer_layout: outer.0,
        inner_layout: LayoutTag::RowMajor.0,
        outer_strides: if strided {
            vec![1; tile_shape.len()]
        } else {
            vec![]
        },
        inner_strides: vec![],
    }
}

#[test]
fn other_dense_layouts_count_their_places() {
    // [5] in tiles of 3 has 6 places
    let tiled = |outer, bytes: &[u8]| {
        let layout = PlainLayout::Tiled(vec![level(&[3], outer)]);
        Tensor::new(T::Bool, &[5], layout, vec![bytes.to_vec()])
    };
    accepted(&tiled(LayoutTag::RowMajor, &[0x3F]));
    refused(
        &tiled(LayoutTag::ColumnMajor, &[0x40]),
        ("TYPE-07", Data, 0, 0, 0),
    );
    accepted(&tiled(LayoutTag::Strided, &[0xFF]));
    // [1, 3] with bits 1 and 2: index [0, 2] has code 8, and so there are 9 places
    let morton = |bytes: &[u8]| {
        let layout = PlainLayout::Morton(vec![1, 2]);
        Tensor::new(T::Bool, &[1, 3], layout, vec![bytes.to_vec()])
    };
    accepted(&morton(&[0xFF, 0x01]));
    refused(&morton(&[0xFF, 0x02]), ("TYPE-07", Data, 0, 1, 1));
    // a Hilbert curve of order 1 has 4
    let layout = PlainLayout::Hilbert { order: 1, rank: 2 };
    let hilbert = Tensor::new(T::Bool, &[2, 2], layout, vec![vec![0x0F]]);
    accepted(&hilbert);
    refused(&hilbert.with(0, vec![0x10]), ("TYPE-07", Data, 0, 0, 0));
    // of strides nobody can tell
    let strided = PlainLayout::Strided(vec![1]);
    accepted(&Tensor::new(T::Bool, &[3], strided, vec![vec![0xFF]]));
    let column = Tensor::new(T::Bool, &[3], PlainLayout::ColumnMajor, vec![vec![0x07]]);
    accepted(&column);
    refused(&column.with(0, vec![0x0F]), ("TYPE-07", Data, 0, 0, 0));
}

#[test]
fn stored_elements_have_a_last_one() {
    let coo = PlainLayout::Coo {
        nnz: 3,
        is_sorted: true,
    };
    let indices = crate::judged::le(&[0, 1, 2]);
    let tensor = Tensor::new(T::UInt2, &[9], coo, vec![vec![0x3F, 0xFF], indices]);
    accepted(&tensor);
    refused(&tensor.with(0, vec![0x7F, 0]), ("TYPE-09", Values, 0, 0, 0));
}

#[test]
fn pages_have_a_last_element() {
    // one page of one slot with one head of depth 3
    let tensor = crate::paged::tensor(T::UInt4, 1, &[1, 1, 3], &[0], &[0, 1]);
    let with = |last| tensor.with(0, vec![0xFF, last]);
    accepted(&with(0x0F));
    refused(&with(0x1F), ("TYPE-08", PagePool, 0, 1, 1));
}

#[test]
fn float8_e8m0_data() {
    let kind = T::Float8E8M0;
    accepted(&row(kind, &[2, 2], &[0x01, 0xFE, 0x7F, 0x80, 0x00, 0xFF]));
    for code in [0x00, 0xFF] {
        let tensor = row(kind, &[2, 2], &[1, 1, code, 1]);
        refused(&tensor, ("TYPE-11", Data, 0, 2, 2));
    }
    let mut offset = row(kind, &[2], &[0, 0, 1, 1]);
    offset.plain.byte_offset = 2;
    accepted(&offset);
    refused(
        &offset.with(0, vec![1, 1, 1, 0]),
        ("TYPE-11", Data, 0, 1, 3),
    );
}

#[test]
fn float8_e8m0_data_between_gaps_is_not_looked_for() {
    let strided = |shape: &[u64], strides: &[i64], byte_offset, bytes: &[u8]| {
        let layout = PlainLayout::Strided(strides.to_vec());
        let mut tensor = Tensor::new(T::Float8E8M0, shape, layout, vec![bytes.to_vec()]);
        tensor.plain.byte_offset = byte_offset;
        tensor
    };
    // every second byte is an element
    accepted(&strided(&[2], &[2], 0, &[1, 0, 1]));
    // backwards from byte 2, one dimension of 1 whose step is never taken: bytes 0 to 2 are elements
    accepted(&strided(&[3, 1], &[-1, 9], 2, &[1, 1, 1, 0]));
    refused(
        &strided(&[3, 1], &[-1, 9], 2, &[1, 0, 1, 0]),
        ("TYPE-11", Data, 0, 1, 1),
    );
    // column-major
    refused(
        &strided(&[2, 3], &[1, 2], 0, &[1, 1, 1, 1, 1, 0]),
        ("TYPE-11", Data, 0, 5, 5),
    );
    // eight elements that reach over eight bytes and leave out two of them
    accepted(&strided(
        &[2, 2, 2],
        &[1, 1, 5],
        0,
        &[1, 1, 1, 0, 0, 1, 1, 1],
    ));
    // tiles without and with padding
    let tiled = |shape: u64, bytes: &[u8]| {
        let layout = PlainLayout::Tiled(vec![level(&[2], LayoutTag::RowMajor)]);
        Tensor::new(T::Float8E8M0, &[shape], layout, vec![bytes.to_vec()])
    };
    refused(&tiled(4, &[1, 1, 1, 0]), ("TYPE-11", Data, 0, 3, 3));
    accepted(&tiled(3, &[1, 1, 1, 0]));
}
