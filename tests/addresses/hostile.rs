//! Specifications that nothing has checked, over buffers of any content: no panic, no endless search, and no
//! place outside buffer 0.

use hrry::{
    BlockPaged, BlockTableIndexType, BufferHandle, Compressed, DescriptorSpec, Element,
    ElementType, Fields, KvRole, Layout, LayoutTag, Pages, StorageWalk, StoredWalk, SubBox, Tiled,
    TiledLevel, Walk, locate, locate_stored,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::support::{WIDTHS, bytes, extension};

/// Elements that are looked at of a walk which may have 2^64.
const STEPS: usize = 100;

/// What a specification borrows, and numbers to make it of.
#[derive(Clone, Debug)]
struct Parts {
    kind: u8,
    element: usize,
    shape: Vec<u64>,
    index: Vec<u64>,
    offset: Vec<u64>,
    size: Vec<u64>,
    strides: Vec<i64>,
    small: Vec<u32>,
    tiles: Vec<(Vec<u64>, u8, u8)>,
    order: u32,
    nnz: u64,
    flag: bool,
    byte_offset: u64,
    byte_size: u64,
    numbers: Vec<Vec<u64>>,
    cut: usize,
}

fn number() -> impl Strategy<Value = u64> + Clone {
    prop_oneof![
        6 => 0..6u64,
        1 => (0..64u32, 0..3u64).prop_map(|(bit, near)| (1u64 << bit).wrapping_add(near).wrapping_sub(1)),
        1 => (0..4u64).prop_map(|below| u64::MAX - below),
        1 => any::<u64>(),
    ]
}

fn number32() -> impl Strategy<Value = u32> + Clone {
    prop_oneof![4 => 0..6u32, 1 => 60..70u32, 1 => Just(u32::MAX), 1 => any::<u32>()]
}

fn parts() -> impl Strategy<Value = Parts> {
    let rank = prop_oneof![8 => 0..5usize, 1 => Just(64usize), 1 => Just(66usize)];
    rank.prop_flat_map(|rank| {
        // one number more or less than there should be now and then
        let len = rank.saturating_sub(1)..=rank + 1;
        let len = || prop_oneof![9 => Just(rank), 1 => len.clone()];
        let numbers = || len().prop_flat_map(|len| vec(number(), len));
        let sizes = (vec(number(), rank), numbers(), numbers(), numbers());
        let steps = numbers().prop_map(|all| all.into_iter().map(u64::cast_signed).collect());
        let small = len().prop_flat_map(|len| vec(number32(), len));
        let tiles = vec((numbers(), 0..6u8, 0..6u8), 0..10);
        let rest = (number32(), number(), any::<bool>(), number(), number());
        let buffers = (vec(vec(number(), 0..12), 0..10), 0..9usize);
        let kind = (0..12u8, 0..WIDTHS.len() + 1);
        (kind, sizes, steps, small, tiles, rest, buffers)
    })
    .prop_map(
        |((kind, element), sizes, strides, small, tiles, rest, buffers)| {
            let (shape, index, offset, size) = sizes;
            let (order, nnz, flag, byte_offset, byte_size) = rest;
            let (numbers, cut) = buffers;
            Parts {
                kind,
                element,
                shape,
                index,
                offset,
                size,
                strides,
                small,
                tiles,
                order,
                nnz,
                flag,
                byte_offset,
                byte_size,
                numbers,
                cut,
            }
        },
    )
}

impl Parts {
    fn levels(&self) -> Vec<TiledLevel<'_>> {
        let all = self.tiles.iter().map(|(tile, outer, inner)| TiledLevel {
            tile_shape: (&**tile).into(),
            outer_layout: LayoutTag(*outer),
            inner_layout: LayoutTag(*inner),
            outer_strides: (&*self.strides).into(),
            inner_strides: (&*self.strides).into(),
        });
        all.collect()
    }

    fn layout<'a>(&'a self, levels: &'a [TiledLevel<'a>]) -> Layout<'a> {
        let (nnz, small) = (self.nnz, (&*self.small).into());
        match self.kind {
            0 => Layout::RowMajor,
            1 => Layout::ColumnMajor,
            2 => Layout::Strided {
                strides: (&*self.strides).into(),
            },
            3 => Layout::Tiled(Tiled::Native(levels)),
            4 => Layout::Morton { morton_bits: small },
            5 => Layout::Hilbert {
                hilbert_order: self.order,
                hilbert_rank: self.order,
            },
            6 => Layout::Coo {
                nnz,
                is_sorted: self.flag,
            },
            7 => Layout::Csr { nnz },
            8 => Layout::Csc { nnz },
            9 => Layout::Csf {
                nnz,
                mode_order: small,
            },
            10 => Layout::Unknown(LayoutTag(self.order as u8)),
            _ => Layout::BlockPaged(BlockPaged {
                page_size: self.order,
                num_pages: nnz,
                paged_axis: u32::from(self.index.len() > 4),
                num_seqs: self.small.first().copied().unwrap_or(1),
                kv_role: KvRole::Key,
                layer_index: 0,
                block_table_index_type: BlockTableIndexType(self.flag.into()),
            }),
        }
    }

    fn try_all(&self) {
        let levels = self.levels();
        let data: Vec<Vec<u8>> = self.numbers.iter().map(|numbers| bytes(numbers)).collect();
        let cut = |bytes: &'_ Vec<u8>| bytes.len().saturating_sub(self.cut);
        let buffers: Vec<&[u8]> = data.iter().map(|bytes| &bytes[..cut(bytes)]).collect();
        let handles = [BufferHandle::cpu(self.byte_size, 64)];
        let (element_type, width) = match WIDTHS.get(self.element) {
            Some(known) => *known,
            None => (ElementType(0xF1), self.order),
        };
        let spec = DescriptorSpec {
            element_type,
            byte_offset: self.byte_offset,
            extension_type: extension(element_type, width.max(1)),
            ..DescriptorSpec::new(element_type, &self.shape, self.layout(&levels), &handles)
        };
        let inside = |found: Element| {
            let bytes = match found.width {
                width if width % 8 == 0 => u64::from(width / 8),
                _ => (u64::from(found.bit) + u64::from(found.width)).div_ceil(8),
            };
            let end = found.byte.checked_add(bytes);
            assert!(
                end.is_some_and(|end| end <= self.byte_size),
                "{found:?} of {spec:?}"
            );
        };

        let one = locate(&spec, &self.index);
        one.into_iter().for_each(inside);
        let stored = locate_stored(&spec, &buffers, &self.index);
        stored.into_iter().flatten().for_each(inside);
        let part = SubBox {
            offset: (&*self.offset).into(),
            shape: (&*self.size).into(),
        };
        for part in [part, SubBox::whole(spec.shape())] {
            if let Ok(walk) = Walk::new(&spec, part) {
                walk.take(STEPS).for_each(inside);
            }
        }
        if let Ok(mut walk) = StorageWalk::new(&spec) {
            for found in walk.by_ref().take(STEPS) {
                inside(found);
            }
        }
        if let Ok(mut walk) = StoredWalk::new(&spec, &buffers) {
            for _ in 0..STEPS {
                if let Ok(Some((index, _))) = walk.next_entry() {
                    assert!(index.iter().zip(&self.shape).all(|(at, size)| at < size));
                }
            }
        }
        if let Ok(matrix) = Compressed::new(&spec, &buffers) {
            for line in self.index.iter().chain(&[0, 1, 2]) {
                let line = matrix.line(*line);
                line.iter()
                    .for_each(|line| assert!(line.entries().count() < 12));
            }
        }
        if let Ok(pages) = Pages::new(&spec, &buffers) {
            for (sequence, token) in [(0, 0), (1, 7), (self.order, self.nnz)] {
                let _ = (pages.slots(sequence), pages.slot(sequence, token));
                let _ = pages.position(sequence, token, self.nnz, 0);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..Default::default() })]

    #[test]
    fn nothing_breaks(parts in parts()) {
        parts.try_all();
    }
}

/// Once over, always over: also where it ends for a place outside.
#[test]
fn walks_stay_over() {
    let shape = [3, 4];
    let far = [i64::MAX, i64::MAX];
    for layout in [
        Layout::RowMajor,
        Layout::ColumnMajor,
        Layout::Strided {
            strides: (&far).into(),
        },
        Layout::Morton {
            morton_bits: (&[2, 2]).into(),
        },
    ] {
        for byte_size in 0..20 {
            let handles = [BufferHandle::cpu(byte_size, 64)];
            let spec = DescriptorSpec::new(ElementType::UInt8, &shape, layout, &handles);
            let mut walk = Walk::new(&spec, SubBox::whole(spec.shape())).unwrap();
            while walk.next().is_some() {}
            assert!((0..20).all(|_| walk.next().is_none()), "{spec:?}");
            let mut walk = StorageWalk::new(&spec).unwrap();
            while walk.next().is_some() {}
            assert!((0..20).all(|_| walk.next().is_none()), "{spec:?}");
        }
    }
}
