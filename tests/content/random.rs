//! Random small tensors with random changes, against the model.

use std::collections::BTreeSet;

use hrry::{
    BlockPaged, BlockTableIndexType, BufferHandle, ElementType, KvRole, Policy, Quantization,
};
use proptest::prelude::*;

use crate::judged::{Tensor, judged, le, le32};
use crate::model::broken;
use crate::support::scale::{Rng, scale};
use crate::support::spec::PlainLayout;

const COO: usize = 0;
const CSF: usize = 3;
const PAGED: usize = 4;

/// A valid tensor.
fn valid(rng: &mut Rng, layout: usize) -> Tensor {
    let rank = match layout {
        COO => 1 + rng.below(4),
        CSF => 3 + rng.below(2),
        PAGED => 3,
        _ => 2,
    };
    let shape: Vec<u64> = (0..rank).map(|_| rng.below(4) as u64).collect();
    let kind = [ElementType::UInt8, ElementType::UInt4][rng.below(2)];
    let mut tensor = if layout == PAGED {
        paged(rng, kind, &shape)
    } else {
        let elements = every_index(&shape);
        let density = rng.below(5);
        let some = elements.into_iter().filter(|_| rng.below(4) < density);
        let some = some.collect();
        sparse(rng, layout, kind, &shape, some)
    };
    if layout != PAGED && rng.below(2) == 0 {
        quantize(rng, &mut tensor);
    }
    tensor
}

fn every_index(shape: &[u64]) -> Vec<Vec<u64>> {
    let mut indices = vec![vec![]];
    for size in shape {
        let longer = indices
            .iter()
            .flat_map(|index: &Vec<u64>| (0..*size).map(|k| [index.as_slice(), &[k]].concat()));
        indices = longer.collect();
    }
    indices
}

fn values(rng: &mut Rng, kind: ElementType, count: u64) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..hrry::check::packed_bytes(kind, count).unwrap())
        .map(|_| rng.byte())
        .collect();
    if kind == ElementType::UInt4 && count % 2 == 1 {
        *bytes.last_mut().unwrap() &= 0x0F;
    }
    bytes
}

/// Numbers with anything behind them.
fn spare(rng: &mut Rng, mut numbers: Vec<u64>) -> Vec<u8> {
    for _ in 0..rng.below(3) {
        numbers.push(rng.below(5) as u64);
    }
    le(&numbers)
}

fn sparse(
    rng: &mut Rng,
    layout: usize,
    kind: ElementType,
    shape: &[u64],
    mut indices: Vec<Vec<u64>>,
) -> Tensor {
    let nnz = indices.len() as u64;
    let mut buffers = vec![values(rng, kind, nnz)];
    let plain = match layout {
        COO => {
            let is_sorted = rng.below(2) == 0;
            if !is_sorted {
                for i in (1..indices.len()).rev() {
                    indices.swap(i, rng.below(i + 1));
                }
            }
            buffers.push(spare(rng, indices.concat()));
            PlainLayout::Coo { nnz, is_sorted }
        }
        CSF => {
            let mut modes: Vec<u32> = (0..shape.len() as u32).collect();
            for i in (1..modes.len()).rev() {
                modes.swap(i, rng.below(i + 1));
            }
            buffers.extend(tree(rng, &modes, &indices));
            PlainLayout::Csf {
                nnz,
                mode_order: modes,
            }
        }
        _ => {
            let axis = layout - 1;
            indices.sort_by_key(|index| index[axis]);
            let across = indices.iter().map(|index| index[1 - axis]).collect();
            let before = |line| indices.iter().filter(|index| index[axis] < line).count() as u64;
            let pointers = (0..=shape[axis]).map(before).collect();
            buffers.push(spare(rng, across));
            buffers.push(spare(rng, pointers));
            if axis == 0 {
                PlainLayout::Csr(nnz)
            } else {
                PlainLayout::Csc(nnz)
            }
        }
    };
    Tensor::new(kind, shape, plain, buffers)
}

/// The pos and crd arrays of a CSF tensor.
fn tree(rng: &mut Rng, modes: &[u32], indices: &[Vec<u64>]) -> Vec<Vec<u8>> {
    let turned = |index: &Vec<u64>| modes.iter().map(|mode| index[*mode as usize]).collect();
    let paths: BTreeSet<Vec<u64>> = indices.iter().map(turned).collect();
    let mut buffers = Vec::new();
    let mut above: Vec<Vec<u64>> = vec![vec![]];
    for level in 1..=modes.len() {
        let prefixes: BTreeSet<Vec<u64>> =
            paths.iter().map(|path| path[..level].to_vec()).collect();
        let fibres: Vec<Vec<u64>> = prefixes.into_iter().collect();
        let mut pos = vec![0];
        for parent in &above {
            let children = fibres
                .iter()
                .filter(|fibre| fibre.starts_with(parent))
                .count();
            pos.push(pos[pos.len() - 1] + children as u64);
        }
        let crd: Vec<u64> = fibres.iter().map(|fibre| fibre[level - 1]).collect();
        buffers.push(spare(rng, pos));
        buffers.push(if paths.is_empty() {
            vec![]
        } else {
            spare(rng, crd)
        });
        above = fibres;
    }
    buffers
}

fn paged(rng: &mut Rng, kind: ElementType, shape: &[u64]) -> Tensor {
    let (num_pages, page_size) = (1 + rng.below(4) as u64, 1 + rng.below(3) as u32);
    let mut pointers = vec![0];
    for _ in 0..rng.below(4) {
        pointers.push(pointers[pointers.len() - 1] + rng.below(3) as u64);
    }
    let total = pointers[pointers.len() - 1] as usize + rng.below(2);
    let table: Vec<u64> = (0..total)
        .map(|_| rng.below(num_pages as usize) as u64)
        .collect();
    let wide = rng.below(2) == 0;
    let bytes = |numbers: &[u64]| {
        let narrow = numbers.iter().map(|n| *n as u32).collect::<Vec<_>>();
        if wide { le(numbers) } else { le32(&narrow) }
    };
    let elements = num_pages * u64::from(page_size) * shape[1] * shape[2];
    let buffers = vec![values(rng, kind, elements), bytes(&table), bytes(&pointers)];
    let layout = PlainLayout::BlockPaged(BlockPaged {
        page_size,
        num_pages,
        paged_axis: 0,
        num_seqs: pointers.len() as u32 - 1,
        kv_role: KvRole::Value,
        layer_index: 0,
        block_table_index_type: BlockTableIndexType(wide.into()),
    });
    Tensor::new(kind, shape, layout, buffers)
}

fn quantize(rng: &mut Rng, tensor: &mut Tensor) {
    let axis = rng.below(tensor.plain.shape.len());
    let channels = tensor.plain.shape[axis] as usize;
    let scales: Vec<u32> = (0..channels)
        .map(|_| 0x3F80_0000 + rng.below(9) as u32)
        .collect();
    let points: Vec<u32> = (0..channels).map(|_| rng.below(16) as u32).collect();
    let place = tensor.buffers.len() as u32;
    for numbers in [scales, points] {
        tensor.buffers.push(le32(&numbers));
        let size = 4 * channels as u64;
        tensor.plain.buffers.push(BufferHandle::cpu(size, 64));
    }
    let scheme = Quantization::per_channel(axis as u32, place, Some(place + 1));
    *tensor = tensor.clone().quantized(scheme);
}

/// A number or a byte of it is another one, or two numbers change places.
fn change(rng: &mut Rng, tensor: &mut Tensor) {
    let used: Vec<usize> = (0..tensor.buffers.len())
        .filter(|k| {
            tensor.buffers[*k].len() >= 8 || !tensor.buffers[*k].is_empty() && rng.below(2) == 0
        })
        .collect();
    if used.is_empty() {
        return;
    }
    let bytes = &mut tensor.buffers[used[rng.below(used.len())]];
    let words = bytes.len() / 8;
    if words == 0 || rng.below(4) == 0 {
        let at = rng.below(bytes.len());
        bytes[at] = rng.byte();
        return;
    }
    let at = 8 * rng.below(words);
    if rng.below(3) == 0 {
        let to = 8 * rng.below(words);
        let word: Vec<u8> = bytes[at..at + 8].to_vec();
        bytes.copy_within(to..to + 8, at);
        bytes[to..to + 8].copy_from_slice(&word);
        return;
    }
    let word = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let other = match rng.below(5) {
        0 => word.wrapping_add(1),
        1 => word.wrapping_sub(1),
        2 => rng.below(5) as u64,
        3 => u64::MAX - rng.below(2) as u64,
        _ => rng.next(),
    };
    bytes[at..at + 8].copy_from_slice(&other.to_le_bytes());
}

fn same_as_model(tensor: &Tensor) -> bool {
    let broken = broken(tensor);
    let strict = judged(tensor, &Policy::STRICT);
    assert_eq!(
        strict.is_ok(),
        broken.is_empty(),
        "{strict:?}, but {broken:?}"
    );
    if let Err((rule, field, buffer, index, offset)) = strict {
        assert!(broken.contains(rule), "{rule} at {field:?}, but {broken:?}");
        assert!(
            offset <= tensor.buffers[usize::from(buffer)].len() as u64,
            "{index}"
        );
    }
    let flags = judged(tensor, &Policy::PERMISSIVE).expect("permissive mode relaxes these rules");
    assert_eq!(
        flags.is_empty(),
        broken.is_empty(),
        "{flags:?}, but {broken:?}"
    );
    assert!(
        flags.iter().all(|rule| broken.contains(rule)),
        "{flags:?}, but {broken:?}"
    );
    broken.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000 * scale() as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn valid_tensors_are_accepted(seed: u64, layout in 0usize..5) {
        prop_assert!(same_as_model(&valid(&mut Rng(seed), layout)));
    }

    #[test]
    fn changes_are_judged_as_the_model_does(seed: u64, layout in 0usize..5, changes in 1usize..4) {
        let mut rng = Rng(seed);
        let mut tensor = valid(&mut rng, layout);
        for _ in 0..changes {
            change(&mut rng, &mut tensor);
        }
        same_as_model(&tensor);
    }
}
