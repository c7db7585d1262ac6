//! Rows, columns and strides.

use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, locate};

use super::model::{Order, strided};
use super::support::{Boxes, Stored, boxes, judge, shapes};

#[test]
fn rows_and_columns_of_all_small_shapes() {
    for (rank, end) in [(0, 1), (1, 9), (2, 6), (3, 4), (4, 3)] {
        for shape in shapes(rank, end) {
            let (rows, columns) = (Order::Rows, Order::Columns);
            let walked = boxes(&shape);
            judge(&shape, Layout::RowMajor, Stored::Rising, walked, |index| {
                rows.place(&shape, index)
            });
            judge(
                &shape,
                Layout::ColumnMajor,
                Stored::Rising,
                walked,
                |index| columns.place(&shape, index),
            );
        }
    }
    for shape in [[3, 2, 3, 4], [3, 3, 3, 3], [1, 4, 1, 5]] {
        let order = |order: Order| move |index: &[u64]| order.place(&shape, index);
        judge(
            &shape,
            Layout::RowMajor,
            Stored::Rising,
            Boxes::All,
            order(Order::Rows),
        );
        let columns = order(Order::Columns);
        judge(
            &shape,
            Layout::ColumnMajor,
            Stored::Rising,
            Boxes::All,
            columns,
        );
    }
}

#[test]
fn strides_of_all_signs() {
    const STEPS: [i64; 7] = [-7, -2, -1, 0, 1, 3, 64];
    for (rank, end) in [(1, 6), (2, 4), (3, 3)] {
        for choice in shapes(rank, STEPS.len() as u64) {
            let strides: Vec<i64> = choice.iter().map(|k| STEPS[*k as usize]).collect();
            let layout = Layout::Strided {
                strides: (&*strides).into(),
            };
            for shape in shapes(rank, end) {
                let walked = if rank < 3 {
                    boxes(&shape)
                } else {
                    Boxes::Whole
                };
                judge(&shape, layout, Stored::Somehow, walked, |index| {
                    strided(&strides, index)
                });
            }
        }
    }
}

/// Each stride is longer than everything below it, so that storage has one order: all orders of four axes.
#[test]
fn strides_in_any_order() {
    const STEPS: [i64; 4] = [1, 3, 11, 40];
    let shape = [3, 2, 3, 2];
    for order in shapes(4, 4) {
        if (0..4).any(|k| !order.contains(&k)) {
            continue;
        }
        let strides: Vec<i64> = order.iter().map(|k| STEPS[*k as usize]).collect();
        let layout = Layout::Strided {
            strides: (&*strides).into(),
        };
        let places = |index: &[u64]| strided(&strides, index);
        judge(&shape, layout, Stored::Rising, Boxes::All, places);
    }
}

/// The numbers of section 4.6 of the specification.
#[test]
fn packing_vectors() {
    let at = |layout, shape: &[u64], index: &[u64]| {
        let buffers = [BufferHandle::cpu(1 << 20, 64)];
        let spec = DescriptorSpec::new(ElementType::UInt8, shape, layout, &buffers);
        locate(&spec, index).unwrap().byte
    };
    assert_eq!(at(Layout::RowMajor, &[3, 4], &[1, 2]), 6);
    assert_eq!(at(Layout::ColumnMajor, &[3, 4], &[1, 2]), 7);
    let morton = |bits| Layout::Morton { morton_bits: bits };
    assert_eq!(at(morton((&[2, 2]).into()), &[4, 4], &[2, 3]), 14);
    assert_eq!(at(morton((&[3, 1]).into()), &[8, 2], &[7, 1]), 23);

    // strides [-4, 1] reach from -8 to 3: with float32 the first element is at byte 32 at least
    let reach = |byte_offset, byte_size| {
        let buffers = [BufferHandle::cpu(byte_size, 64)];
        let strides = Layout::Strided {
            strides: (&[-4, 1]).into(),
        };
        let spec = DescriptorSpec {
            byte_offset,
            ..DescriptorSpec::new(ElementType::Float32, &[3, 4], strides, &buffers)
        };
        [[2, 0], [0, 3]].map(|index| locate(&spec, &index).ok().map(|found| found.byte))
    };
    assert_eq!(reach(32, 48), [Some(0), Some(44)]);
    assert_eq!(reach(31, 47), [None, Some(43)]);
    assert_eq!(reach(32, 47), [Some(0), None]);

    // 1, 0, 1, 1, 0 as bool; 5, 12, 3 as uint4; 3, 1, 2 as uint2; 1, 2, 4, 8 as codes of 6 bits
    let read = |element_type, bytes: &[u8], len: u64| -> Vec<u32> {
        let buffers = [BufferHandle::cpu(bytes.len() as u64, 64)];
        let shape = [len];
        let spec = DescriptorSpec::new(element_type, &shape, Layout::RowMajor, &buffers);
        let read = |k| {
            let found = locate(&spec, &[k]).unwrap();
            let rest = bytes[found.byte as usize..].iter().rev();
            let number = rest.fold(0u32, |all, byte| all << 8 | u32::from(*byte));
            number >> found.bit & ((1 << found.width) - 1)
        };
        (0..len).map(read).collect()
    };
    assert_eq!(read(ElementType::Bool, &[0x0D], 5), [1, 0, 1, 1, 0]);
    assert_eq!(read(ElementType::UInt4, &[0xC5, 0x03], 3), [5, 12, 3]);
    assert_eq!(read(ElementType::UInt2, &[0x27], 3), [3, 1, 2]);
    assert_eq!(
        read(ElementType::Float6E3M2, &[0x81, 0x40, 0x20], 4),
        [1, 2, 4, 8]
    );
}
