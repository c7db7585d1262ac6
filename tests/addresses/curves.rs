//! Space-filling curves.

use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, StorageWalk, locate};

use super::model::{hilbert, hilbert_index, indices, morton};
use super::support::{Boxes, Stored, boxes, judge, shapes};

/// Every bit count from what a dimension needs up to 3, the same for all axes or not.
#[test]
fn morton_codes() {
    for (rank, end) in [(1, 9), (2, 6), (3, 4), (4, 3)] {
        for shape in shapes(rank, end) {
            for choice in shapes(rank, 3) {
                let bits: Vec<u32> = choice.iter().map(|k| *k as u32 + 1).collect();
                if shape
                    .iter()
                    .zip(&bits)
                    .any(|(size, bits)| *size > 1 << bits)
                {
                    continue;
                }
                let layout = Layout::Morton {
                    morton_bits: (&*bits).into(),
                };
                let equal = choice.iter().all(|k| *k == 2);
                let walked = if equal { boxes(&shape) } else { Boxes::Whole };
                judge(&shape, layout, Stored::Rising, walked, |index| {
                    morton(&bits, index)
                });
            }
        }
    }
}

/// Bits beyond the largest coordinate, up to more than a coordinate has.
#[test]
fn morton_bits_to_spare() {
    for bits in [[64, 64], [5, 90], [u32::MAX, 3]] {
        let layout = Layout::Morton {
            morton_bits: (&bits).into(),
        };
        judge(&[6, 5], layout, Stored::Rising, Boxes::All, |index| {
            morton(&bits, index)
        });
    }
}

#[test]
fn hilbert_codes() {
    for (rank, order) in [
        (2, 1),
        (2, 2),
        (2, 3),
        (2, 5),
        (3, 1),
        (3, 2),
        (3, 3),
        (4, 1),
        (4, 2),
    ] {
        let shape = vec![1 << order; rank];
        let layout = curve(order, rank);
        judge(&shape, layout, Stored::Rising, boxes(&shape), |index| {
            hilbert(order, index)
        });
    }
}

fn curve(hilbert_order: u32, rank: usize) -> Layout<'static> {
    let hilbert_rank = rank as u32;
    Layout::Hilbert {
        hilbert_order,
        hilbert_rank,
    }
}

/// The first sixteen points as the specification prints them.
#[test]
fn hilbert_table() {
    const POINTS: [[u64; 2]; 16] = [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
        [0, 2],
        [0, 3],
        [1, 3],
        [1, 2],
        [2, 2],
        [2, 3],
        [3, 3],
        [3, 2],
        [3, 1],
        [2, 1],
        [2, 0],
        [3, 0],
    ];
    let buffers = [BufferHandle::cpu(16, 64)];
    let spec = DescriptorSpec::new(ElementType::UInt8, &[4, 4], curve(2, 2), &buffers);
    let mut walk = StorageWalk::new(&spec).unwrap();
    for (at, point) in (0..).zip(POINTS) {
        assert_eq!(locate(&spec, &point).unwrap().byte, at);
        assert_eq!(walk.next().unwrap().byte, at);
        assert_eq!(walk.index(), point);
        assert_eq!(
            (hilbert(2, &point), hilbert_index(2, 2, at)),
            (at as i64, point.to_vec())
        );
    }
    assert_eq!(walk.next(), None);
}

/// Both directions, one step of one coordinate at a time.
#[test]
fn hilbert_order_of_storage() {
    for (rank, order) in [(2, 4), (3, 2), (4, 2), (5, 1)] {
        let shape = vec![1 << order; rank];
        let buffers = [BufferHandle::cpu(1 << (rank as u32 * order), 64)];
        let layout = curve(order, rank);
        let spec = DescriptorSpec::new(ElementType::UInt8, &shape, layout, &buffers);
        let mut walk = StorageWalk::new(&spec).unwrap();
        let mut before: Option<Vec<u64>> = None;
        for place in 0..indices(&shape).len() as u64 {
            assert_eq!(walk.next().unwrap().byte, place);
            let index = hilbert_index(order, rank, place);
            assert_eq!(walk.index(), index);
            if let Some(before) = before {
                let steps = before.iter().zip(&index).map(|(a, b)| a.abs_diff(*b));
                assert_eq!(steps.sum::<u64>(), 1);
            }
            before = Some(index);
        }
        assert_eq!(walk.next(), None);
    }
}
