//! Where elements are: sparse layouts and pages, whose places depend on what buffers hold.

use hrry::ElementType;
use hrry_reference_tests::cases;
use hrry_reference_tests::choices::{Choices, check};
use hrry_reference_tests::generate::NUMBERS;
use hrry_reference_tests::paged::Paged;
use hrry_reference_tests::places::{TYPES, indexes};
use hrry_reference_tests::sparse::Sparse;

/// Every set of indexes of a shape, in the order of indexes.
fn subsets(shape: &[u64]) -> Vec<Vec<Vec<u64>>> {
    let all: Vec<Vec<u64>> = indexes(shape).collect();
    assert!(all.len() <= 9, "{shape:?}");
    let subset = |set: usize| {
        let chosen = all.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1);
        chosen.map(|(_, index)| index.clone()).collect()
    };
    (0..1 << all.len()).map(subset).collect()
}

/// Builds a tensor of every set of indexes, each of the next type, and compares it everywhere.
fn each(shapes: &[&[u64]], build: impl Fn(ElementType, &[u64], &[Vec<u64>]) -> Sparse) {
    let mut turn = 0;
    for shape in shapes {
        for entries in subsets(shape) {
            let tensor = build(TYPES[turn % TYPES.len()], shape, &entries);
            turn += 1;
            match tensor.compare() {
                Ok(stored) => assert_eq!(stored, entries.len() as u64, "{tensor:?}"),
                Err(error) => panic!("{error}\n{tensor:?}"),
            }
        }
    }
}

const MATRICES: &[&[u64]] = &[
    &[1, 1],
    &[0, 3],
    &[3, 0],
    &[1, 5],
    &[5, 1],
    &[2, 3],
    &[3, 2],
    &[2, 4],
    &[3, 3],
];
const CUBES: &[&[u64]] = &[
    &[2, 2, 2],
    &[1, 2, 3],
    &[3, 1, 2],
    &[0, 2, 2],
    &[2, 1, 2, 2],
];

#[test]
fn coordinates() {
    let lines: &[&[u64]] = &[&[0], &[1], &[7]];
    for shapes in [lines, MATRICES, CUBES] {
        each(shapes, |t, shape, entries| {
            Sparse::coo(t, shape, entries, true)
        });
        each(shapes, |t, shape, entries| {
            let mut entries = entries.to_vec();
            let half = entries.len() / 2;
            entries.rotate_left(half);
            Sparse::coo(t, shape, &entries, false)
        });
    }
}

#[test]
fn rows_and_columns() {
    for columns in [false, true] {
        each(MATRICES, |t, shape, entries| {
            Sparse::compressed(t, shape, entries, columns)
        });
    }
}

/// The order of numbers below `n` by choices.
fn shuffled(c: &mut Choices<'_>, n: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    for k in (1..n).rev() {
        order.swap(k, c.below(k as u64 + 1) as usize);
    }
    order
}

#[test]
fn fibres() {
    let orders3 = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for order in orders3 {
        each(&CUBES[..4], |t, shape, entries| {
            Sparse::csf(t, shape, entries, &order)
        });
    }
    for order in [[0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0], [1, 0, 3, 2]] {
        each(&CUBES[4..], |t, shape, entries| {
            Sparse::csf(t, shape, entries, &order)
        });
    }
}

#[test]
fn random_entries() {
    check(cases(3000), NUMBERS, |c| {
        let element_type = c.pick(&TYPES);
        let rank = 1 + c.below(6) as usize;
        let shape: Vec<u64> = (0..rank).map(|_| 1 + c.below(4)).collect();
        let some = 1 + c.below(5);
        let mut entries: Vec<Vec<u64>> = indexes(&shape).filter(|_| c.below(some) == 0).collect();
        let mut tensors = vec![Sparse::coo(element_type, &shape, &entries, true)];
        let order = shuffled(c, entries.len());
        entries = order.iter().map(|k| entries[*k as usize].clone()).collect();
        tensors.push(Sparse::coo(
            element_type,
            &shape,
            &entries,
            entries.len() < 2,
        ));
        if rank == 2 {
            tensors.push(Sparse::compressed(element_type, &shape, &entries, false));
            tensors.push(Sparse::compressed(element_type, &shape, &entries, true));
        }
        if rank > 2 {
            let modes = shuffled(c, rank);
            tensors.push(Sparse::csf(element_type, &shape, &entries, &modes));
        }
        for tensor in tensors {
            let stored = tensor
                .compare()
                .map_err(|error| format!("{error}\n{tensor:?}"))?;
            assert_eq!(stored, entries.len() as u64);
        }
        Ok(())
    });
}

#[test]
fn pages() {
    check(cases(3000), NUMBERS, |c| {
        let paged = Paged::random(c);
        let (element_type, wide) = (c.pick(&TYPES), c.one_in(2));
        let compared = paged.compare(element_type, wide);
        compared.map_err(|error| format!("{error}\n{paged:?}"))
    });
}
