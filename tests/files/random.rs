//! Containers at random, whole and damaged.

use hrry::Policy;
use proptest::prelude::*;

use super::MODES;
use super::readers::check;
use super::samples::{group, sparse, tensor};
use crate::support::container::{Container, Stored, Value, Written};
use crate::support::reading::{Reading, Tensor, ours};
use crate::support::scale::scale;

fn scalar(tag: u8) -> BoxedStrategy<Value> {
    match tag {
        1 => "\\PC{0,5}".prop_map(Value::String).boxed(),
        2 => any::<i64>().prop_map(Value::Int64).boxed(),
        3 => any::<u64>().prop_map(Value::Uint64).boxed(),
        4 => any::<u64>().prop_map(Value::Float64).boxed(),
        5 => any::<bool>().prop_map(Value::Bool).boxed(),
        _ => prop::collection::vec(any::<u8>(), 0..5)
            .prop_map(Value::Bytes)
            .boxed(),
    }
}

fn value() -> impl Strategy<Value = Value> {
    let array = (1..=6u8).prop_flat_map(|tag| {
        let elements = prop::collection::vec(scalar(tag), 0..4);
        elements.prop_map(move |elements| Value::Array(tag, elements))
    });
    prop_oneof![3 => (1..=6u8).prop_flat_map(scalar), 1 => array]
}

/// What stands at a place: a plain tensor, a sparse one, or a group with all that follows up to its end.
#[derive(Clone, Debug)]
enum Shape {
    Plain(Vec<u8>),
    Sparse,
    Group(Vec<Shape>),
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..20).prop_map(Shape::Plain),
        1 => Just(Shape::Sparse),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop::collection::vec(inner, 0..3).prop_map(Shape::Group)
    })
}

fn store(shape: &Shape, names: &mut impl Iterator<Item = String>, out: &mut Vec<Stored>) {
    let name = names.next().expect("names do not end");
    match shape {
        Shape::Plain(data) => out.push(tensor(&name, data)),
        Shape::Sparse => out.push(sparse(&name)),
        Shape::Group(members) => {
            out.push(group(&name, members.len() as u32));
            members.iter().for_each(|member| store(member, names, out));
        }
    }
}

fn container() -> impl Strategy<Value = Container> {
    let keys = prop::collection::btree_map("\\PC{1,4}", value(), 0..5);
    let shapes = prop::collection::vec(shape(), 0..5);
    let names = prop::collection::btree_set("\\PC{1,12}", 80).prop_map(Vec::from_iter);
    let parts = (
        prop::option::of(keys),
        shapes,
        names.prop_shuffle(),
        any::<[bool; 3]>(),
    );
    parts.prop_perturb(
        |(keys, shapes, names, [sorted, checksum, coarse]), mut rng| {
            let mut tensors = Vec::new();
            let mut names = names.into_iter();
            shapes
                .iter()
                .for_each(|shape| store(shape, &mut names, &mut tensors));
            let mut container = Container::new(tensors);
            let index = &mut container.index;
            match sorted {
                true => index.sort_by_key(|k| &container.tensors[*k].name),
                false => {
                    (1..index.len()).for_each(|k| index.swap(k, rng.next_u32() as usize % (k + 1)))
                }
            }
            container.keys = keys.map(Vec::from_iter);
            container.sorted = sorted;
            container.checksum = checksum;
            if coarse {
                container.alignment = 8192;
            }
            container
        },
    )
}

/// What the container was made from.
fn model(container: &Container) -> Reading<'_> {
    let tensor = |k: &usize| {
        let stored = &container.tensors[*k];
        Tensor {
            name: &stored.name,
            descriptor: &stored.descriptor,
            buffers: stored.buffers.iter().map(Vec::as_slice).collect(),
        }
    };
    let keys = container.keys.iter().flatten();
    let bits = [
        container.keys.is_some(),
        container.sorted,
        container.checksum,
    ];
    Reading {
        minor: 0,
        flags: bits
            .iter()
            .rev()
            .fold(0, |sum, bit| sum * 2 + u32::from(*bit)),
        alignment: container.alignment,
        keys: keys
            .map(|(key, value)| (key.as_str(), value.clone()))
            .collect(),
        tensors: container.index.iter().map(tensor).collect(),
        order: container
            .tensors
            .iter()
            .map(|stored| &stored.name[..])
            .collect(),
    }
}

/// Bytes that say something: those of the header, and from the keys on; sometimes any.
fn place(written: &Written, n: u32) -> usize {
    let tail = match written.keys {
        [0, 0] => written.index,
        [start, _] => start,
    };
    let meaning = 64 + written.bytes.len() - tail;
    match n as usize % (meaning + 200) {
        k if k < 64 => k,
        k if k < meaning => tail + k - 64,
        _ => n as usize % written.bytes.len(),
    }
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Set(u32, u8),
    Flip(u32, u8),
    Long(u32, u64),
    Insert(u32, u8),
    Remove(u32),
    Cut(u32),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<u32>();
    let long = prop_oneof![
        any::<u64>(),
        (0..64u32).prop_map(|bits| 1 << bits),
        0..20_000u64
    ];
    prop_oneof![
        3 => (at, any::<u8>()).prop_map(|(at, value)| Damage::Set(at, value)),
        3 => (at, 0..8u8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        2 => (at, long).prop_map(|(at, long)| Damage::Long(at, long)),
        1 => (at, any::<u8>()).prop_map(|(at, value)| Damage::Insert(at, value)),
        1 => at.prop_map(Damage::Remove),
        1 => at.prop_map(Damage::Cut),
    ]
}

fn apply(written: &Written, damages: &[Damage]) -> Vec<u8> {
    let mut bytes = written.bytes.clone();
    for damage in damages {
        let (Damage::Set(n, _)
        | Damage::Flip(n, _)
        | Damage::Long(n, _)
        | Damage::Insert(n, _)
        | Damage::Remove(n)
        | Damage::Cut(n)) = *damage;
        let at = place(written, n);
        if at >= bytes.len() {
            continue;
        }
        match *damage {
            Damage::Set(_, value) => bytes[at] = value,
            Damage::Flip(_, bit) => bytes[at] ^= 1 << bit,
            Damage::Long(_, long) => {
                let rest = &mut bytes[at..];
                let len = rest.len().min(8);
                rest[..len].copy_from_slice(&long.to_le_bytes()[..len]);
            }
            Damage::Insert(_, value) => bytes.insert(at, value),
            Damage::Remove(_) => drop(bytes.remove(at)),
            Damage::Cut(_) => bytes.truncate(at),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80 + 20 * scale() as u32))]

    #[test]
    fn whole_ones_are_read_as_they_were_made(container in container()) {
        let written = container.write();
        for policy in MODES {
            prop_assert_eq!(ours(&written.bytes, &policy), Ok(model(&container)));
        }
        prop_assert!(check(&written.bytes, &Policy::STRICT, "whole"));
    }

    #[test]
    fn damaged_ones_are_refused_or_read(
        mut container in container(),
        checksum in prop::bool::weighted(0.1),
        minor in prop::bool::weighted(0.1),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        container.checksum = checksum;
        container.minor = u8::from(minor);
        let bytes = apply(&container.write(), &damages);
        for policy in MODES {
            check(&bytes, &policy, "damaged");
        }
    }
}
