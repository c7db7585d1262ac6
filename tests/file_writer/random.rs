//! Random files: byte for byte what the tables say, and equal when they are read.

use hrry::{Agreements, Field, FileOptions, KvEntry, Policy, SyncMode, WriteError};
use proptest::prelude::*;

use super::expected::{self, Tensor};
use super::kv::{pool, section};
use super::readers;
use super::{Dirty, Writer, with, writer};
use crate::support::generate::{LAYOUT_ID, LAYOUTS, Recipe, SCHEME, SCHEMES, valid};
use crate::support::scale::{Rng, scale};
use crate::support::spec::PlainLayout;
use crate::support::trees::{Node, root};

static AGREED: Agreements = {
    let mut agreements = Agreements::NONE;
    agreements.layouts = &[LAYOUT_ID];
    agreements.schemes = &[SCHEME];
    agreements
};

fn policy() -> Policy {
    let mut policy = Policy::STRICT;
    policy.agreements = &AGREED;
    policy
}

fn config(cases: usize) -> ProptestConfig {
    ProptestConfig {
        cases: (cases * scale()) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// The entries of the pool in a random order, as many as there are or fewer.
fn keys(rng: &mut Rng) -> Vec<(KvEntry<'static>, Vec<u8>)> {
    let mut keys = pool();
    for k in 0..keys.len() {
        let other = k + rng.below(keys.len() - k);
        keys.swap(k, other);
    }
    keys.truncate(rng.below(keys.len() + 1));
    keys
}

fn options(rng: &mut Rng) -> FileOptions {
    let mut options = FileOptions::PLAIN;
    options.data_buffer_alignment = 4096 << rng.below(3);
    options.tensor_count_hint = rng.next();
    options.has_kv_metadata = rng.below(2) == 1;
    options.is_sorted = rng.below(2) == 1;
    options
}

/// Ascending where that is promised, and different in any case.
fn name(k: usize, options: &FileOptions, rng: &mut Rng) -> String {
    match options.is_sorted {
        true => format!("{k:03}{}", rng.below(9)),
        false => format!("{}{k}", ["", "é", "layers."][rng.below(3)]),
    }
}

fn put(writer: &mut Writer<'_, Dirty>, tensor: &Tensor, rng: &mut Rng) {
    with(&tensor.plain, |spec| writer.begin(&tensor.name, spec)).unwrap();
    let payload = tensor.buffers.concat();
    let mut rest = &payload[..];
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(1 + rng.below(rest.len()));
        writer.payload(piece).unwrap();
        rest = behind;
    }
    writer.end().unwrap();
}

/// Writes, compares, reads back in every way and compares again. Returns how deep composites were.
fn check(tensors: &[Tensor], options: &FileOptions, rng: &mut Rng) -> u8 {
    let keys = match options.has_kv_metadata {
        true => keys(rng),
        false => Vec::new(),
    };
    let section = options.has_kv_metadata.then(|| section(&keys));
    let expected = expected::file(options, tensors, section.as_deref());
    let mut sink = Dirty::new(expected.len());
    let mut writer = writer(&mut sink, options, policy()).unwrap();
    for tensor in tensors {
        put(&mut writer, tensor, rng);
    }
    let entries = keys.iter().map(|(entry, _)| *entry);
    let (_, len) = writer.finish_with_kv(entries.clone()).unwrap();
    let file = sink.written();
    assert!(file == expected);
    assert_eq!(len, file.len() as u64);

    let entries: Vec<_> = entries.collect();
    readers::all(file, tensors, &entries, policy(), rng)
}

fn flatten(node: &Node, options: &FileOptions, rng: &mut Rng, tensors: &mut Vec<Tensor>) {
    let payload = &node.payload[..];
    let buffers: &[&[u8]] = match node.plain.buffers.is_empty() {
        true => &[],
        false => &[payload],
    };
    let name = name(tensors.len(), options, rng);
    tensors.push(Tensor::new(&name, node.plain.clone(), buffers));
    for member in &node.members {
        flatten(member, options, rng, tensors);
    }
}

#[test]
fn random_trees_come_back_equal() {
    let mut rng = Rng(43);
    let mut deepest = 0;
    for _ in 0..60 * scale() {
        let options = options(&mut rng);
        let mut tensors = Vec::new();
        for _ in 0..1 + rng.below(2) {
            let root = root(&mut rng);
            flatten(&root, &options, &mut rng, &mut tensors);
        }
        deepest = deepest.max(check(&tensors, &options, &mut rng));
    }
    assert!(deepest >= 5, "{deepest}");
}

proptest! {
    #![proptest_config(config(60))]

    /// Tensors of every layout and scheme, with handles that a file can keep.
    #[test]
    fn random_tensors_come_back_equal(seed in any::<u64>(), count in 0..5usize) {
        let mut rng = Rng(seed);
        let options = options(&mut rng);
        let mut tensors: Vec<Tensor> = Vec::new();
        while tensors.len() < count {
            let mut plain = valid(Recipe {
                seed: rng.next(),
                layout: rng.below(LAYOUTS),
                scheme: rng.below(SCHEMES),
                sections: rng.below(16) as u8,
            });
            if matches!(plain.layout, PlainLayout::Composite(_)) {
                continue;
            }
            for handle in &mut plain.buffers {
                handle.alignment = handle.alignment.min(options.data_buffer_alignment);
                handle.sync_mode = SyncMode::ProducerSynced;
            }
            let sizes = plain.buffers.iter().map(|handle| handle.byte_size);
            let buffers = sizes.map(|size| (0..size).map(|_| rng.byte()).collect()).collect();
            let name = name(tensors.len(), &options, &mut rng);
            tensors.push(Tensor { name, plain, buffers });
        }
        check(&tensors, &options, &mut rng);
    }

    /// Any valid tensor is refused exactly for a handle that a file cannot keep.
    #[test]
    fn handles_decide(seed in any::<u64>(), layout in 0..LAYOUTS, scheme in 0..SCHEMES) {
        let plain = valid(Recipe { seed, layout, scheme, sections: 0 });
        let asks = plain.buffers.iter().enumerate().find_map(|(k, handle)| {
            let alignment = (handle.alignment > 4096).then_some((Field::Alignment, k as u32));
            let sync = (handle.sync_mode.0 != 0).then_some((Field::SyncMode, k as u32));
            alignment.or(sync)
        });
        let mut sink = Dirty::new(1 << 16);
        let mut writer = writer(&mut sink, &FileOptions::PLAIN, policy()).unwrap();
        let refused = match with(&plain, |spec| writer.begin("t", spec)) {
            Ok(()) => None,
            Err(WriteError::Refused(hrry::ErrorKind::Rule(v))) => {
                prop_assert_eq!(v.rule.id(), "FILE-45");
                Some((v.field, v.index))
            }
            Err(other) => panic!("{other:?}"),
        };
        prop_assert_eq!(refused, asks);
    }
}
