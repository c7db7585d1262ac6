//! Block-paged tensors: page numbers and sequence pointers.

use hrry::Field::{BlockTable, SeqPtr};
use hrry::{BlockPaged, BlockTableIndexType, ElementType, KvRole};

use crate::judged::{Tensor, accepted, le, le32, refused};
use crate::support::spec::PlainLayout;

/// Pages of one token slot, 32-bit numbers.
pub fn tensor(kind: ElementType, pages: u64, shape: &[u64], table: &[u32], ptr: &[u32]) -> Tensor {
    let elements = pages * shape[1] * shape[2];
    let pool = hrry::check::packed_bytes(kind, elements).unwrap();
    let buffers = vec![vec![0; pool as usize], le32(table), le32(ptr)];
    let layout = PlainLayout::BlockPaged(BlockPaged {
        page_size: 1,
        num_pages: pages,
        paged_axis: 0,
        num_seqs: ptr.len() as u32 - 1,
        kv_role: KvRole::Key,
        layer_index: u32::MAX,
        block_table_index_type: BlockTableIndexType::U32,
    });
    Tensor::new(kind, shape, layout, buffers)
}

fn paged(table: &[u32], ptr: &[u32]) -> Tensor {
    tensor(ElementType::Int8, 3, &[4, 1, 1], table, ptr)
}

/// The same with 64-bit numbers.
fn wide(table: &[u64], ptr: &[u64]) -> Tensor {
    let mut tensor = paged(&vec![0; table.len() * 2], &vec![0; ptr.len() * 2]);
    tensor.buffers[1] = le(table);
    tensor.buffers[2] = le(ptr);
    if let PlainLayout::BlockPaged(paged) = &mut tensor.plain.layout {
        paged.block_table_index_type = BlockTableIndexType::U64;
        paged.num_seqs = ptr.len() as u32 - 1;
    }
    tensor
}

const ID: &str = "LAYOUT-46";

#[test]
fn pages_and_sequences() {
    // two sequences of two and one pages; shared and unused pages are fine, so is an empty sequence
    accepted(&paged(&[0, 2, 1], &[0, 2, 3]));
    accepted(&paged(&[2, 2, 2], &[0, 2, 2, 3]));
    accepted(&paged(&[], &[0]));
    accepted(&wide(&[0, 2, 1], &[0, 2, 3]));
}

#[test]
fn pointers() {
    refused(&paged(&[0, 2, 1], &[1, 2, 3]), (ID, SeqPtr, 2, 0, 0));
    refused(&paged(&[0, 2, 1], &[0, 2, 1]), (ID, SeqPtr, 2, 2, 8));
    // the table has three entries
    refused(&paged(&[0, 2, 1], &[0, 2, 4]), (ID, SeqPtr, 2, 2, 8));
    refused(&wide(&[0], &[0, u64::MAX]), (ID, SeqPtr, 2, 1, 8));
}

#[test]
fn page_numbers() {
    refused(&paged(&[0, 3, 1], &[0, 2, 3]), (ID, BlockTable, 1, 1, 4));
    refused(&wide(&[0, 1 << 32], &[0, 2]), (ID, BlockTable, 1, 1, 8));
    // entries that no sequence has are free
    accepted(&paged(&[0, 1, 9], &[0, 2]));
    refused(&paged(&[0, 9, 9], &[0, 2]), (ID, BlockTable, 1, 1, 4));
}
