//! Pages: every token of every sequence, through tables of either width.

use hrry::{
    AddressError, BlockPaged, BlockTableIndexType, BufferHandle, DescriptorSpec, Element,
    ElementType, KvRole, Layout, Pages, locate_stored,
};

use super::model::packed;
use super::support::{WIDTHS, extension};

const HEADS: u64 = 2;
const DIMENSIONS: u64 = 3;
const POOL: u64 = 5;

/// Page numbers of each sequence.
type Batch = &'static [&'static [u64]];

const BATCHES: [Batch; 6] = [
    &[&[2, 0, 4]],
    &[&[1], &[1, 3], &[1]],
    &[&[], &[4, 2], &[], &[0], &[]],
    &[&[3, 3, 3]],
    &[],
    &[&[], &[]],
];

fn numbers(width: BlockTableIndexType, numbers: impl Iterator<Item = u64>) -> Vec<u8> {
    if width == BlockTableIndexType::U64 {
        numbers.flat_map(u64::to_le_bytes).collect()
    } else {
        numbers.flat_map(|n| (n as u32).to_le_bytes()).collect()
    }
}

fn paged(
    batch: Batch,
    page_size: u32,
    width: BlockTableIndexType,
) -> (Layout<'static>, Vec<u8>, Vec<u8>) {
    let layout = Layout::BlockPaged(BlockPaged {
        page_size,
        num_pages: POOL,
        paged_axis: 0,
        num_seqs: batch.len() as u32,
        kv_role: KvRole::Key,
        layer_index: 0,
        block_table_index_type: width,
    });
    let ends = (0..=batch.len()).map(|k| batch[..k].concat().len() as u64);
    (
        layout,
        numbers(width, batch.concat().into_iter()),
        numbers(width, ends),
    )
}

#[test]
fn every_token() {
    for width in [BlockTableIndexType::U32, BlockTableIndexType::U64] {
        for (batch, page_size) in BATCHES
            .into_iter()
            .flat_map(|batch| [(batch, 1), (batch, 4)])
        {
            for (kind, bits) in WIDTHS {
                judge(batch, page_size, width, (kind, bits));
            }
        }
    }
}

fn judge(
    batch: Batch,
    page_size: u32,
    width: BlockTableIndexType,
    (kind, bits): (ElementType, u32),
) {
    let (layout, table, sequences) = paged(batch, page_size, width);
    let size = u64::from(page_size);
    let (last, _, len) = packed(bits, 0, (POOL * size * HEADS * DIMENSIONS) as i64 - 1);
    let pool = vec![0; last as usize + len as usize];
    let buffers: [&[u8]; 3] = [&pool, &table, &sequences];
    let handles = buffers.map(|bytes| BufferHandle::cpu(bytes.len() as u64, 64));
    let slots: u64 = batch.concat().len() as u64 * size;
    let shape = [slots, HEADS, DIMENSIONS];
    let spec = DescriptorSpec {
        extension_type: extension(kind, bits),
        ..DescriptorSpec::new(kind, &shape, layout, &handles)
    };
    let pages = Pages::new(&spec, &buffers).unwrap();
    assert_eq!(pages.sequences(), batch.len() as u32);
    // all slots are tokens, one sequence behind the other
    let mut row = 0;
    for (s, list) in (0u32..).zip(batch) {
        let own = list.len() as u64 * size;
        assert_eq!(pages.slots(s), Ok(own));
        for t in 0..own {
            let slot = list[(t / size) as usize] * size + t % size;
            assert_eq!(pages.slot(s, t), Ok(slot));
            for h in 0..HEADS {
                for d in 0..DIMENSIONS {
                    let off = (slot * HEADS + h) * DIMENSIONS + d;
                    assert_eq!(pages.position(s, t, h, d), Ok(off));
                    let (byte, bit, _) = packed(bits, 0, off as i64);
                    let wanted = Element {
                        buffer: 0,
                        byte: byte as u64,
                        bit,
                        width: bits,
                    };
                    assert_eq!(
                        locate_stored(&spec, &buffers, &[row, h, d]),
                        Ok(Some(wanted))
                    );
                }
            }
            row += 1;
        }
        assert_eq!(
            pages.slot(s, own),
            Err(AddressError::OutOfRange { axis: 0 })
        );
        if own > 0 {
            let off = pages.position(s, 0, HEADS, 0);
            assert_eq!(off, Err(AddressError::OutOfRange { axis: 1 }));
            let off = pages.position(s, 0, 0, DIMENSIONS);
            assert_eq!(off, Err(AddressError::OutOfRange { axis: 2 }));
        }
    }
    assert_eq!(row, slots);
    let none = pages.slots(batch.len() as u32);
    assert_eq!(none, Err(AddressError::OutOfRange { axis: 0 }));
}

/// With one sequence the tokens are known, however many of its slots they fill; with more they are not.
#[test]
fn partly_filled_pages() {
    let handles = [BufferHandle::cpu(1 << 10, 64)];
    let locate = |batch, tokens: u64, token| {
        let (layout, table, sequences) = paged(batch, 4, BlockTableIndexType::U32);
        let shape = [tokens, HEADS, DIMENSIONS];
        let spec = DescriptorSpec::new(ElementType::UInt8, &shape, layout, &handles);
        let found = locate_stored(&spec, &[&[], &table, &sequences], &[token, 0, 0]);
        found.map(|found| found.map(|found| found.byte))
    };
    // page 4 of the pool, its second slot
    assert_eq!(locate(&[&[2, 0, 4]], 10, 9), Ok(Some((4 * 4 + 1) * 6)));
    assert_eq!(locate(&[&[2, 0], &[4]], 10, 9), Err(AddressError::Tokens));
    assert_eq!(locate(&[&[2, 0], &[4]], 12, 9), Ok(Some((4 * 4 + 1) * 6)));
    // more tokens than slots
    assert_eq!(
        locate(&[&[2]], 5, 4),
        Err(AddressError::OutOfRange { axis: 0 })
    );
}

/// Numbers that lead nowhere, and numbers that are not there.
#[test]
fn broken_tables() {
    let layout = |num_seqs| {
        Layout::BlockPaged(BlockPaged {
            page_size: 2,
            num_pages: 3,
            paged_axis: 0,
            num_seqs,
            kv_role: KvRole::Value,
            layer_index: 0,
            block_table_index_type: BlockTableIndexType::U64,
        })
    };
    let bytes = |all: &[u64]| numbers(BlockTableIndexType::U64, all.iter().copied());
    let slot = |table: &[u64], sequences: &[u64], sequence, token| {
        let spec = DescriptorSpec::new(ElementType::UInt8, &[8, 1, 1], layout(2), &[]);
        let (table, sequences) = (bytes(table), bytes(sequences));
        Pages::new(&spec, &[&[], &table, &sequences])
            .unwrap()
            .slot(sequence, token)
    };
    let broken = |buffer, entry| Err(AddressError::Broken { buffer, entry });
    assert_eq!(slot(&[0, 2], &[0, 1, 2], 1, 1), Ok(5));
    assert_eq!(slot(&[0, 3], &[0, 1, 2], 1, 1), broken(1, 1));
    assert_eq!(slot(&[0], &[0, 1, 2], 1, 1), broken(1, 1));
    assert_eq!(slot(&[0, 2], &[0, 3, 2], 1, 1), broken(2, 2));
    assert_eq!(slot(&[0, 2], &[0, 1], 1, 1), broken(2, 2));
    assert_eq!(slot(&[0, 2], &[], 0, 0), broken(2, 0));
}
