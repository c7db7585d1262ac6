//! Matrices as SciPy stores them: the table is printed by `tests/oracles/sparse.py`.

use hrry::{
    BufferHandle, Compressed, DescriptorSpec, ElementType, Layout, StoredWalk, locate_stored,
};

use super::model::indices;
use super::support::bytes;

const TABLE: &str = include_str!("../vectors/oracles/sparse.txt");

/// The numbers of the next line, whose name is known.
fn line(lines: &mut std::str::Lines<'_>, name: &str) -> Option<Vec<u64>> {
    let mut words = lines.next()?.split(' ');
    assert_eq!(words.next(), Some(name));
    Some(words.map(|word| word.parse().unwrap()).collect())
}

#[test]
fn places_of_values() {
    let mut lines = TABLE.lines();
    lines.next();
    let mut seen = 0;
    while let Some(matrix) = line(&mut lines, "matrix") {
        let shape = [matrix[0], matrix[1]];
        let dense = &matrix[2..];
        let mut next = |name| line(&mut lines, name).unwrap();
        for by_column in [false, true] {
            let (data, across, pointers) = (next("data"), next("indices"), next("pointers"));
            let nnz = data.len() as u64;
            let layout = if by_column {
                Layout::Csc { nnz }
            } else {
                Layout::Csr { nnz }
            };
            judge(&shape, layout, dense, &data, &[&across, &pointers]);
            sums(&shape, layout, dense, &data, &[&across, &pointers]);
        }
        let (data, rows, columns) = (next("data"), next("rows"), next("columns"));
        let coordinates: Vec<u64> = rows
            .iter()
            .zip(&columns)
            .flat_map(|(row, column)| [*row, *column])
            .collect();
        for is_sorted in [false, true] {
            let layout = Layout::Coo {
                nnz: data.len() as u64,
                is_sorted,
            };
            judge(&shape, layout, dense, &data, &[&coordinates]);
        }
        seen += 1;
    }
    assert_eq!(seen, 10);
}

fn judge(shape: &[u64], layout: Layout<'_>, dense: &[u64], data: &[u64], numbers: &[&[u64]]) {
    let values: Vec<u8> = data.iter().map(|value| *value as u8).collect();
    let numbers: Vec<Vec<u8>> = numbers.iter().map(|numbers| bytes(numbers)).collect();
    let mut buffers: Vec<&[u8]> = vec![&values];
    buffers.extend(numbers.iter().map(Vec::as_slice));
    let handles = [BufferHandle::cpu(values.len() as u64, 64)];
    let spec = DescriptorSpec::new(ElementType::UInt8, shape, layout, &handles);
    for (index, wanted) in indices(shape).iter().zip(dense) {
        let found = locate_stored(&spec, &buffers, index).unwrap();
        let value = found.map_or(0, |found| values[found.byte as usize]);
        assert_eq!(u64::from(value), *wanted, "{index:?} of {spec:?}");
    }
    let mut painted = vec![0; dense.len()];
    let mut walk = StoredWalk::new(&spec, &buffers).unwrap();
    while let Some((index, position)) = walk.next_entry().unwrap() {
        painted[(index[0] * shape[1] + index[1]) as usize] = data[position as usize];
    }
    assert_eq!(painted, dense);
}

fn sums(shape: &[u64; 2], layout: Layout<'_>, dense: &[u64], data: &[u64], numbers: &[&[u64]; 2]) {
    let (across, pointers) = (bytes(numbers[0]), bytes(numbers[1]));
    let spec = DescriptorSpec::new(ElementType::UInt8, shape, layout, &[]);
    let matrix = Compressed::new(&spec, &[&[], &across, &pointers]).unwrap();
    let columns = shape[1] as usize;
    for number in 0..matrix.lines() {
        let cells = dense.iter().enumerate().filter(|(at, _)| {
            let line = if matches!(layout, Layout::Csr { .. }) {
                at / columns
            } else {
                at % columns
            };
            line as u64 == number
        });
        let entries = matrix.line(number).unwrap().entries();
        let sum: u64 = entries.map(|(_, position)| data[position as usize]).sum();
        assert_eq!(sum, cells.map(|(_, value)| value).sum());
    }
}
