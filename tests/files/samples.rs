//! Small containers with something of everything.

use hrry::{CombineOp, CompositeHead, CompositionRule, ElementType};

use crate::support::bytes::encode;
use crate::support::container::{Container, Stored, Value};
use crate::support::spec::{Plain, PlainLayout};

/// Bytes of one dimension.
pub(super) fn tensor(name: &str, data: &[u8]) -> Stored {
    let len = data.len() as u64;
    Stored {
        name: name.to_owned(),
        descriptor: encode(&Plain::new(ElementType::UInt8, &[len], &[len])),
        buffers: vec![data.to_vec()],
    }
}

/// A group of whatever follows.
pub(super) fn group(name: &str, member_count: u32) -> Stored {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count,
    };
    Stored {
        name: name.to_owned(),
        descriptor: encode(&Plain::head(ElementType::UInt8, &[1], head)),
        buffers: Vec::new(),
    }
}

/// Two elements of a matrix, and where they are: two buffers.
pub(super) fn sparse(name: &str) -> Stored {
    let nnz = 2;
    let is_sorted = false;
    let plain = Plain::new(ElementType::UInt8, &[3, 4], &[2, 32]);
    Stored {
        name: name.to_owned(),
        descriptor: encode(&plain.with_layout(PlainLayout::Coo { nnz, is_sorted })),
        buffers: vec![vec![7, 9], (0..32).collect()],
    }
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

pub(super) fn keys() -> Vec<(String, Value)> {
    let pairs = [
        ("s", text("höhe")),
        ("i", Value::Int64(-2)),
        ("u", Value::Uint64(1 << 63)),
        ("f", Value::Float64(0x7FF8_0000_0000_0001)),
        ("b", Value::Bool(true)),
        ("y", Value::Bytes(vec![0, 255])),
        ("as", Value::Array(1, vec![text("x"), text("")])),
        ("ab", Value::Array(5, vec![Value::Bool(false)])),
        ("ae", Value::Array(2, Vec::new())),
    ];
    pairs.map(|(key, value)| (key.to_owned(), value)).into()
}

/// A plain tensor, one with two buffers, a group of an empty tensor and another one.
pub(super) fn sample() -> Container {
    let mut container = Container::new(vec![
        tensor("a", &[1, 2, 3]),
        sparse("größe"),
        group("g", 2),
        tensor("g.0", &[]),
        tensor("g.1", &[5]),
    ]);
    container.keys = Some(keys());
    container.index = vec![3, 0, 4, 2, 1];
    container
}
