//! Where elements are: layouts that store every element, at every index of many small shapes.

use std::collections::BTreeSet;
use std::sync::Mutex;

use hrry::{DYNAMIC, ElementType};
use hrry_reference_tests::cases;
use hrry_reference_tests::choices::check;
use hrry_reference_tests::generate::NUMBERS;
use hrry_reference_tests::layouts::{Kind, Limits, layout};
use hrry_reference_tests::places::{Seen, TYPES, compare, indexes, same_places, tight};
use hrry_reference_tests::plan::{LayoutPlan, LevelPlan};

/// Every list of that length.
fn lists<T: Copy>(len: usize, items: &[T]) -> Vec<Vec<T>> {
    let mut lists = vec![vec![]];
    for _ in 0..len {
        let longer = |list: &Vec<T>| {
            let list = list.clone();
            items
                .iter()
                .map(move |item| [list.clone(), vec![*item]].concat())
        };
        lists = lists.iter().flat_map(longer).collect();
    }
    lists
}

/// Compares layouts one after the other, each with the next types and the next distance of element 0.
#[derive(Default)]
struct Sweep {
    turn: usize,
    seen: Seen,
}

impl Sweep {
    fn each(&mut self, types: usize, shape: &[u64], layout: &LayoutPlan) {
        let all: Vec<Vec<u64>> = indexes(shape).collect();
        for _ in 0..types {
            let element_type = TYPES[self.turn % TYPES.len()];
            let plan = tight(element_type, shape, layout.clone(), self.turn as u64 % 7);
            self.turn += 1;
            match compare(&plan, &all) {
                Ok(seen) => self.seen += seen,
                Err(error) => panic!("{error}\n{plan:?}"),
            }
        }
    }
}

#[test]
fn rows_and_columns() {
    let mut sweep = Sweep::default();
    // a scalar has no other layout (AMB-15)
    sweep.each(TYPES.len(), &[], &LayoutPlan::RowMajor);
    for rank in 1..=4 {
        for shape in lists(rank, &[0, 1, 2, 3]) {
            sweep.each(TYPES.len(), &shape, &LayoutPlan::RowMajor);
            sweep.each(TYPES.len(), &shape, &LayoutPlan::ColumnMajor);
        }
    }
    // the shapes hold 6 + 6^2 + 6^3 + 6^4 = 1554 elements; each is found in either order, with each
    // type, from the fields and from their bytes; the scalar in one order
    let exact = 26 * 2 * (2 * 1554 + 1);
    assert!(sweep.seen.placed > exact, "{:?}", sweep.seen);
    assert!(
        sweep.seen.refused > 0 && sweep.seen.cut > 0,
        "{:?}",
        sweep.seen
    );
}

#[test]
fn strides_of_both_signs_and_none() {
    let mut sweep = Sweep::default();
    for rank in 1..=4 {
        let (sizes, steps): (&[u64], &[i64]) = match rank {
            1 | 2 => (&[0, 1, 2, 3, 5], &[-3, -2, -1, 0, 1, 2, 7]),
            3 => (&[1, 2, 3], &[-2, -1, 0, 1, 5]),
            _ => (&[1, 2, 3], &[-1, 0, 3]),
        };
        for shape in lists(rank, sizes) {
            for strides in lists(rank, steps) {
                sweep.each(1, &shape, &LayoutPlan::Strided(strides));
            }
        }
    }
    assert!(
        sweep.seen.refused > 0 && sweep.seen.cut > 0,
        "{:?}",
        sweep.seen
    );
}

fn level(tile_shape: &[u64], outer_layout: u8, inner_layout: u8, turn: i64) -> LevelPlan {
    let strides = |order, first: i64| match order {
        3 => (0..tile_shape.len() as i64)
            .map(|k| first - 2 * k)
            .collect(),
        _ => vec![],
    };
    LevelPlan {
        tile_shape: tile_shape.to_vec(),
        outer_layout,
        inner_layout,
        outer_strides: strides(outer_layout, turn % 4),
        inner_strides: strides(inner_layout, 3 - turn % 5),
    }
}

#[test]
fn tiles_in_every_order() {
    let mut sweep = Sweep::default();
    for rank in 1..=4 {
        let (sizes, tiles): (&[u64], &[u64]) = match rank {
            1 | 2 => (&[0, 1, 2, 3, 5], &[1, 2, 3]),
            _ => (&[1, 2, 3], &[1, 2]),
        };
        for shape in lists(rank, sizes) {
            for tile in lists(rank, tiles) {
                for orders in lists(2, &[1, 2, 3]) {
                    let level = level(&tile, orders[0], orders[1], sweep.turn as i64);
                    sweep.each(1, &shape, &LayoutPlan::Tiled(vec![level]));
                }
            }
        }
    }
    assert!(
        sweep.seen.refused > 0 && sweep.seen.cut > 0,
        "{:?}",
        sweep.seen
    );
}

#[test]
fn tiles_of_tiles() {
    let mut sweep = Sweep::default();
    for rank in 1..=3 {
        let sizes: &[u64] = if rank < 3 { &[0, 1, 3, 4, 6] } else { &[3, 4] };
        for shape in lists(rank, sizes) {
            for inner in lists(rank, &[1, 2]) {
                let outer: Vec<u64> = inner.iter().map(|size| size * 2).collect();
                for orders in lists(3, &[1, 2, 3]) {
                    let turn = sweep.turn as i64;
                    let mut levels = vec![
                        level(&outer, orders[0], 4, turn),
                        level(&inner, orders[1], orders[2], turn + 1),
                    ];
                    sweep.each(1, &shape, &LayoutPlan::Tiled(levels.clone()));
                    // tiles of one element in front of the innermost order
                    levels[1].inner_layout = 4;
                    levels[1].inner_strides.clear();
                    levels.push(level(&vec![1; rank], orders[2], orders[0], turn + 2));
                    sweep.each(1, &shape, &LayoutPlan::Tiled(levels));
                }
            }
        }
    }
    assert!(
        sweep.seen.refused > 0 && sweep.seen.cut > 0,
        "{:?}",
        sweep.seen
    );
}

#[test]
fn curves() {
    let mut sweep = Sweep::default();
    for rank in 1..=4 {
        for shape in lists(rank, &[1, 2, 3, 4]) {
            for bits in lists(rank, &[2, 3]) {
                // AMB-37: with unequal bits, codes have holes and the buffer is larger
                sweep.each(2, &shape, &LayoutPlan::Morton(bits));
            }
        }
    }
    let orders = [(2, 5), (3, 3), (4, 2), (5, 1), (6, 1)];
    for (rank, highest) in orders {
        for order in 1..=highest {
            let shape = vec![1 << order; rank as usize];
            sweep.each(TYPES.len(), &shape, &LayoutPlan::Hilbert { order, rank });
        }
    }
    assert!(
        sweep.seen.refused > 0 && sweep.seen.cut > 0,
        "{:?}",
        sweep.seen
    );
}

#[test]
fn indexes_that_name_no_element() {
    let shape = [2, 3, 4];
    let layouts = [
        LayoutPlan::RowMajor,
        LayoutPlan::ColumnMajor,
        LayoutPlan::Strided(vec![12, -4, 1]),
        LayoutPlan::Tiled(vec![level(&[2, 2, 2], 1, 2, 0)]),
        LayoutPlan::Morton(vec![2, 2, 2]),
    ];
    let wrong = [
        &[2, 0, 0][..],
        &[0, 3, 0],
        &[0, 0, 4],
        &[1, u64::MAX, 9],
        &[],
        &[0, 0],
        &[0, 0, 0, 0],
    ];
    let wrong: Vec<Vec<u64>> = wrong.iter().map(|index| index.to_vec()).collect();
    for layout in layouts {
        let mut plan = tight(ElementType::Int4, &shape, layout, 3);
        let seen = same_places(&plan, &wrong).unwrap();
        assert_eq!(seen.refused, 7, "{plan:?}");
        for axis in 0..3 {
            plan.shape = shape.to_vec();
            plan.shape[axis] = DYNAMIC;
            let seen = same_places(&plan, &[vec![0, 0, 0], vec![0]]).unwrap();
            assert_eq!(seen.refused, 2, "{plan:?}");
        }
    }
}

#[test]
fn random_layouts_of_all_ranks() {
    let seen = Mutex::new(BTreeSet::new());
    check(cases(4000), NUMBERS, |c| {
        let kinds = [
            Kind::RowMajor,
            Kind::ColumnMajor,
            Kind::Strided,
            Kind::Tiled,
            Kind::Morton,
            Kind::Hilbert,
        ];
        let kind = c.pick(&kinds);
        let rank = kind.rank(c, Limits::STREAM);
        let shape = kind.shape(c, rank, Limits::STREAM);
        let layout = layout(c, kind, &shape, Limits::STREAM);
        let plan = tight(c.pick(&TYPES), &shape, layout, c.below(9));
        let all: Vec<Vec<u64>> = indexes(&shape).collect();
        compare(&plan, &all).map_err(|error| format!("{error}\n{plan:?}"))?;
        seen.lock().unwrap().insert((kind, rank));
        Ok(())
    });
    let kinds = seen.into_inner().unwrap();
    for (kind, least) in [
        (Kind::RowMajor, 33),
        (Kind::ColumnMajor, 33),
        (Kind::Strided, 33),
        (Kind::Tiled, 33),
        (Kind::Morton, 5),
        (Kind::Hilbert, 5),
    ] {
        let most = kinds
            .iter()
            .filter(|(k, _)| *k == kind)
            .map(|(_, rank)| *rank);
        assert!(most.max() >= Some(least), "{kind:?}: {kinds:?}");
    }
}

/// The most dimensions: 63 of them for curves, whose codes fit 64 bits.
#[test]
fn rank_64() {
    let mut shape = vec![1u64; 64];
    for (axis, size) in [(0, 2), (31, 3), (62, 2), (63, 5)] {
        shape[axis] = size;
    }
    let steps: Vec<i64> = (0..64).map(|k| 7 - k).collect();
    let tile: Vec<u64> = shape.iter().map(|size| size.div_ceil(2)).collect();
    let mut sweep = Sweep::default();
    let levels = vec![level(&tile, 2, 4, 1), level(&[1; 64], 3, 2, 2)];
    for layout in [
        LayoutPlan::RowMajor,
        LayoutPlan::ColumnMajor,
        LayoutPlan::Strided(steps),
        LayoutPlan::Tiled(levels),
    ] {
        sweep.each(TYPES.len(), &shape, &layout);
    }
    // each dimension of a curve has 2 elements
    let pair = vec![2; 63];
    let corner = |from: usize, to: usize| {
        (0..63)
            .map(|k| u64::from((from..to).contains(&k)))
            .collect()
    };
    let corners: Vec<Vec<u64>> = (0..63)
        .flat_map(|k| [corner(0, k), corner(k, 63)])
        .collect();
    let hilbert = LayoutPlan::Hilbert { order: 1, rank: 63 };
    for layout in [LayoutPlan::Morton(vec![1; 63]), hilbert] {
        let plan = tight(ElementType::Bool, &pair, layout, 9);
        let seen = compare(&plan, &corners).unwrap();
        assert!(seen.placed > 2 * 126, "{seen:?}");
    }
}
