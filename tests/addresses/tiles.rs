//! Tiles, tiles of tiles, and tiles that the shape cuts off.

use hrry::{
    BufferHandle, DescriptorSpec, ElementType, Layout, LayoutTag, Tiled, TiledLevel, locate,
};

use super::model::{Level, Order, tiled};
use super::support::{Boxes, Stored, boxes, judge, shapes};

fn tag(order: &Order) -> LayoutTag {
    match order {
        Order::Rows => LayoutTag::RowMajor,
        Order::Columns => LayoutTag::ColumnMajor,
        Order::Strides(_) => LayoutTag::Strided,
    }
}

fn strides(order: Option<&Order>) -> &[i64] {
    match order {
        Some(Order::Strides(strides)) => strides,
        _ => &[],
    }
}

fn judge_levels(shape: &[u64], levels: &[Level], walked: Boxes) {
    let native: Vec<TiledLevel<'_>> = levels
        .iter()
        .map(|level| TiledLevel {
            tile_shape: (&*level.tile).into(),
            outer_layout: tag(&level.outer),
            inner_layout: level.inner.as_ref().map_or(LayoutTag::Tiled, tag),
            outer_strides: strides(Some(&level.outer)).into(),
            inner_strides: strides(level.inner.as_ref()).into(),
        })
        .collect();
    let explicit = |order: &Order| matches!(order, Order::Strides(_));
    let implicit = !levels
        .iter()
        .any(|level| explicit(&level.outer) || level.inner.as_ref().is_some_and(explicit));
    let stored = if implicit {
        Stored::Rising
    } else {
        Stored::Somehow
    };
    judge(
        shape,
        Layout::Tiled(Tiled::Native(&native)),
        stored,
        walked,
        |index| tiled(levels, shape, index),
    );
}

/// Rows, columns, and strides that leave gaps and go backwards now and then.
fn orders(rank: usize) -> [Order; 4] {
    let gaps = (0..rank as i64).map(|k| 5 * k + 2).collect();
    let back = (0..rank as i64).map(|k| if k % 2 == 0 { -3 } else { 4 });
    [
        Order::Rows,
        Order::Columns,
        Order::Strides(gaps),
        Order::Strides(back.collect()),
    ]
}

/// Every shape of tile on every shape, partial tiles among them.
#[test]
fn one_level() {
    for (rank, end, largest) in [(1, 8, 4), (2, 5, 3), (3, 3, 2)] {
        for shape in shapes(rank, end) {
            for tile in shapes(rank, largest) {
                let tile: Vec<u64> = tile.iter().map(|size| size + 1).collect();
                for (outer, inner) in pairs(rank) {
                    let level = Level {
                        tile: tile.clone(),
                        outer,
                        inner: Some(inner),
                    };
                    let walked = if rank == 1 {
                        boxes(&shape)
                    } else {
                        Boxes::Whole
                    };
                    judge_levels(&shape, &[level], walked);
                }
            }
        }
    }
}

fn pairs(rank: usize) -> Vec<(Order, Order)> {
    let orders = orders(rank);
    let pairs = orders.iter().flat_map(|outer| {
        let pair = |inner: &Order| (outer.clone(), inner.clone());
        orders.iter().map(pair)
    });
    pairs.collect()
}

#[test]
fn boxes_across_tiles() {
    for (shape, tile) in [
        (vec![5, 7], vec![2, 3]),
        (vec![7, 3], vec![3, 5]),
        (vec![3, 4, 5], vec![2, 2, 2]),
        (vec![2, 3, 2, 3], vec![2, 2, 1, 2]),
    ] {
        for (outer, inner) in pairs(shape.len()) {
            let level = Level {
                tile: tile.clone(),
                outer,
                inner: Some(inner),
            };
            judge_levels(&shape, &[level], Boxes::All);
        }
    }
}

/// Two and three levels in all orders; the inner tiles divide the outer ones.
#[test]
fn tiles_of_tiles() {
    for (shape, tiles) in [
        (vec![7, 9], vec![vec![4, 6], vec![2, 3]]),
        (vec![9, 5], vec![vec![4, 4], vec![2, 4], vec![1, 2]]),
        (vec![5, 3, 6], vec![vec![2, 2, 4], vec![1, 2, 2]]),
        (vec![13], vec![vec![8], vec![4], vec![2]]),
        (
            vec![3, 2, 4, 5],
            vec![vec![2, 2, 4, 2], vec![2, 1, 2, 2], vec![1, 1, 2, 1]],
        ),
    ] {
        let orders = orders(shape.len());
        // one order for each level and one for the innermost tile
        for choice in shapes(tiles.len() + 1, orders.len() as u64) {
            let order = |k: usize| orders[choice[k] as usize].clone();
            let level = |(k, tile): (usize, &Vec<u64>)| Level {
                tile: tile.clone(),
                outer: order(k),
                inner: (k + 1 == tiles.len()).then(|| order(k + 1)),
            };
            let levels: Vec<Level> = tiles.iter().enumerate().map(level).collect();
            let plain = choice.iter().all(|k| *k < 2) && shape.len() < 4;
            let walked = if plain { Boxes::All } else { Boxes::Whole };
            judge_levels(&shape, &levels, walked);
        }
    }
}

/// The most levels that there may be.
#[test]
fn eight_levels() {
    let shape = [300, 2];
    let levels: Vec<Level> = (0..8u32)
        .map(|k| Level {
            tile: vec![1 << (8 - k), 2],
            outer: if k % 2 == 0 {
                Order::Rows
            } else {
                Order::Columns
            },
            inner: (k == 7).then_some(Order::Columns),
        })
        .collect();
    judge_levels(&shape, &levels, Boxes::Whole);
}

/// Inner tiles that do not divide the outer ones share places, which only permissive readers meet: the
/// formula counts as it stands (AMB-35).
#[test]
fn tiles_that_do_not_divide() {
    let level = |tile: &[u64], inner| Level {
        tile: tile.to_vec(),
        outer: Order::Rows,
        inner,
    };
    let levels = [level(&[3, 3], None), level(&[2, 2], Some(Order::Rows))];
    let native = [
        native_level(&[3, 3], LayoutTag::Tiled),
        native_level(&[2, 2], LayoutTag::RowMajor),
    ];
    let buffers = [BufferHandle::cpu(40, 64)];
    let layout = Layout::Tiled(Tiled::Native(&native));
    let spec = DescriptorSpec::new(ElementType::UInt8, &[6, 6], layout, &buffers);
    let last = [5, 5];
    assert_eq!(tiled(&levels, &[6, 6], &last), 39);
    assert_eq!(locate(&spec, &last).unwrap().byte, 39);
}

fn native_level(tile: &[u64], inner_layout: LayoutTag) -> TiledLevel<'_> {
    TiledLevel {
        tile_shape: tile.into(),
        outer_layout: LayoutTag::RowMajor,
        inner_layout,
        outer_strides: (&[]).into(),
        inner_strides: (&[]).into(),
    }
}

/// Section 4.6: index [3, 5] of [6, 8] in tiles of [2, 4] is element 29.
#[test]
fn packing_vector() {
    let native = [native_level(&[2, 4], LayoutTag::RowMajor)];
    let buffers = [BufferHandle::cpu(48, 64)];
    let layout = Layout::Tiled(Tiled::Native(&native));
    let spec = DescriptorSpec::new(ElementType::UInt8, &[6, 8], layout, &buffers);
    assert_eq!(locate(&spec, &[3, 5]).unwrap().byte, 29);
}
