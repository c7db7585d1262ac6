//! Grids of members against a look at each of them.

use std::convert::Infallible;

use hrry::{DescriptorSpec, ElementType, Grid, Layout, Shard, U64s};

use super::model::{boxes, indices, some_box};
use super::support::scale::{Rng, scale};
use super::trees::{grid, guillotine};

type Boxes = [[Vec<u64>; 2]];

fn members<'a>(shape: &'a [u64], boxes: &'a Boxes) -> Vec<DescriptorSpec<'a>> {
    let member = |[offset, size]: &'a [Vec<u64>; 2]| DescriptorSpec {
        shard: Some(Shard {
            parent_shape: U64s::from(shape),
            shard_offset: U64s::from(&offset[..]),
        }),
        ..DescriptorSpec::new(ElementType::UInt8, size, Layout::RowMajor, &[])
    };
    boxes.iter().map(member).collect()
}

fn holds([offset, size]: &[Vec<u64>; 2], index: &[u64]) -> bool {
    let mut axes = index.iter().zip(offset).zip(size);
    axes.all(|((at, offset), size)| at >= offset && at - offset < *size)
}

fn meet(a: &[Vec<u64>; 2], b: &[Vec<u64>; 2]) -> bool {
    let axis = |k: usize| {
        let end = |of: &[Vec<u64>; 2]| u128::from(of[0][k]) + u128::from(of[1][k]);
        u128::from(a[0][k].max(b[0][k])) < end(a).min(end(b))
    };
    (0..a[0].len()).all(axis)
}

/// Whether the members are a grid of non-empty boxes, row-major, worked out from all their starts.
fn is_grid(shape: &[u64], boxes: &Boxes) -> bool {
    let mut cuts: Vec<Vec<u64>> = (0..shape.len())
        .map(|k| boxes.iter().map(|[offset, _]| offset[k]).collect())
        .collect();
    for cuts in &mut cuts {
        cuts.sort_unstable();
        cuts.dedup();
    }
    let counts: Vec<u64> = cuts.iter().map(|cuts| cuts.len() as u64).collect();
    let wanted = indices(&counts).into_iter().map(|index| {
        let axis = |k: usize| {
            let start = cuts[k][index[k] as usize];
            let end = cuts[k].get(index[k] as usize + 1).unwrap_or(&shape[k]);
            (start, end - start)
        };
        let (offset, size) = (0..shape.len()).map(axis).unzip();
        [offset, size]
    });
    let wanted: Vec<[Vec<u64>; 2]> = wanted.collect();
    wanted == *boxes && boxes.iter().all(|[_, size]| !size.contains(&0))
}

fn reached(grid: &Grid, all: &[DescriptorSpec<'_>], of: &[Vec<u64>; 2]) -> Vec<usize> {
    let mut reached = Vec::new();
    let [offset, size] = of;
    let result = grid.each_in(
        |k| all.get(k),
        U64s::from(&offset[..]),
        U64s::from(&size[..]),
        |k| {
            reached.push(k);
            Ok::<(), Infallible>(())
        },
    );
    result.unwrap();
    reached
}

fn scan(boxes: &Boxes, of: &[Vec<u64>; 2]) -> Vec<usize> {
    (0..boxes.len()).filter(|k| meet(&boxes[*k], of)).collect()
}

#[test]
fn members_are_found_as_by_looking_at_all_of_them() {
    let mut rng = Rng(50);
    let (mut grids, mut others) = (0, 0);
    for round in 0..400 * scale().min(100) {
        let shape: Vec<u64> = (0..1 + rng.below(3))
            .map(|_| 1 + rng.below(5) as u64)
            .collect();
        let mut list = if round % 2 == 0 {
            grid(&shape, &mut rng)
        } else {
            guillotine(&shape, &mut rng)
        };
        if round % 7 == 0 {
            let (a, b) = (rng.below(list.len()), rng.below(list.len()));
            list.swap(a, b);
        }
        let all = members(&shape, &list);
        let found = Grid::of(all.len(), |k| all.get(k));
        assert_eq!(
            found.is_some(),
            is_grid(&shape, &list),
            "{shape:?} {list:?}"
        );
        let Some(found) = found else {
            others += 1;
            continue;
        };
        grids += 1;
        for index in indices(&shape) {
            let holder = list.iter().position(|of| holds(of, &index));
            assert_eq!(
                found.find(|k| all.get(k), &index),
                holder,
                "{index:?} {list:?}"
            );
        }
        let few = shape.iter().product::<u64>() <= 12;
        let some = (0..20).map(|_| some_box(&shape, &mut rng));
        let boxes = if few { boxes(&shape) } else { some.collect() };
        for of in boxes {
            assert_eq!(
                reached(&found, &all, &of),
                scan(&list, &of),
                "{of:?} {list:?}"
            );
        }
    }
    assert!(grids > 100 && others > 50, "{grids} {others}");
}

#[test]
fn sizes_up_to_all_of_64_bits() {
    let mut rng = Rng(51);
    for _ in 0..100 * scale().min(100) {
        let wide = |rng: &mut Rng| [u64::MAX - 1, 1 << 63, 1 << 32, 1 << 33, 7][rng.below(5)];
        let shape: Vec<u64> = (0..1 + rng.below(4)).map(|_| wide(&mut rng)).collect();
        let list = grid(&shape, &mut rng);
        let all = members(&shape, &list);
        let found = Grid::of(all.len(), |k| all.get(k)).unwrap();
        for _ in 0..50 {
            let index: Vec<u64> = shape.iter().map(|size| rng.next() % size).collect();
            let holder = list.iter().position(|of| holds(of, &index));
            assert_eq!(found.find(|k| all.get(k), &index), holder);
            let size = shape
                .iter()
                .zip(&index)
                .map(|(size, at)| 1 + rng.next() % (size - at));
            let of = [index.clone(), size.collect()];
            assert_eq!(reached(&found, &all, &of), scan(&list, &of));
        }
        // the corners of every member
        for [offset, size] in &list {
            let last: Vec<u64> = offset
                .iter()
                .zip(size)
                .map(|(at, size)| at + (size - 1))
                .collect();
            let same = |index: &[u64]| found.find(|k| all.get(k), index);
            assert_eq!(same(offset), same(&last));
        }
    }
}

#[test]
fn what_is_no_grid() {
    let one = [[vec![0, 0], vec![2, 2]]];
    let shape = [2, 2];
    let all = members(&shape, &one);
    assert!(Grid::of(1, |k| all.get(k)).is_some());
    assert!(Grid::of(0, |k| all.get(k)).is_none());
    assert!(Grid::of(2, |k| all.get(k)).is_none());
    // without a shard section
    let mut bare = all.clone();
    bare[0].shard = None;
    assert!(Grid::of(1, |k| bare.get(k)).is_none());
    // a head without elements
    let empty = [[vec![0, 0], vec![0, 2]]];
    let all = members(&[0, 2], &empty);
    assert!(Grid::of(1, |k| all.get(k)).is_none());
}

#[test]
fn what_take_returns_ends_it() {
    let shape = [6];
    let list: Vec<[Vec<u64>; 2]> = (0..6).map(|k| [vec![k], vec![1]]).collect();
    let all = members(&shape, &list);
    let grid = Grid::of(6, |k| all.get(k)).unwrap();
    let mut seen = Vec::new();
    let ended = grid.each_in(
        |k| all.get(k),
        U64s::from(&[1]),
        U64s::from(&[4]),
        |k| {
            seen.push(k);
            if k == 3 { Err("enough") } else { Ok(()) }
        },
    );
    assert_eq!((ended, seen), (Err("enough"), vec![1, 2, 3]));
}
