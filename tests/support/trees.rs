//! Random trees of composites.

use hrry::{CombineOp, CompositeHead, CompositionRule, ElementType};

use super::scale::Rng;
use super::spec::Plain;

/// An item: its descriptor, the bytes of its one buffer, its members.
#[derive(Clone, Debug)]
pub struct Node {
    pub plain: Plain,
    pub payload: Vec<u8>,
    pub members: Vec<Node>,
}

const TYPE: ElementType = ElementType::UInt8;
const DEEPEST: usize = 8;

/// A tensor or a composite of two dimensions.
pub fn root(rng: &mut Rng) -> Node {
    let shape = [1 + rng.below(5) as u64, 1 + rng.below(5) as u64];
    node(&shape, 0, rng)
}

fn node(shape: &[u64], depth: usize, rng: &mut Rng) -> Node {
    if depth < DEEPEST && rng.below(3) > 0 {
        return composite(shape, depth + 1, rng);
    }
    leaf(shape, rng)
}

fn leaf(shape: &[u64], rng: &mut Rng) -> Node {
    let size: u64 = shape.iter().product();
    Node {
        plain: Plain::new(TYPE, shape, &[size]),
        payload: (0..size).map(|_| rng.byte()).collect(),
        members: Vec::new(),
    }
}

fn composite(shape: &[u64], depth: usize, rng: &mut Rng) -> Node {
    let rule = CompositionRule::ASSIGNED[rng.below(3)];
    let members = match rule {
        CompositionRule::Partition => partition(shape, depth, rng),
        CompositionRule::Overlay => overlay(shape, rng),
        _ => (0..rng.below(4))
            .map(|_| node(&[1 + rng.below(4) as u64, 2], depth, rng))
            .collect(),
    };
    let combine_op = match rule {
        CompositionRule::Overlay => CombineOp(1 + rng.below(2) as u8),
        _ => CombineOp::None,
    };
    let head = CompositeHead {
        composition_rule: rule,
        combine_op,
        member_count: members.len() as u32,
    };
    Node {
        plain: Plain::head(TYPE, shape, head),
        payload: Vec::new(),
        members,
    }
}

/// Cuts the head along one dimension after the other; every piece may be a composite again.
fn partition(shape: &[u64], depth: usize, rng: &mut Rng) -> Vec<Node> {
    let mut boxes = vec![(vec![0; shape.len()], shape.to_vec())];
    for _ in 0..rng.below(6) {
        let (offset, size) = boxes[rng.below(boxes.len())].clone();
        let k = rng.below(shape.len());
        if size[k] < 2 {
            continue;
        }
        let cut = 1 + rng.below(size[k] as usize - 1) as u64;
        let whole = boxes.iter_mut().find(|(at, _)| *at == offset).unwrap();
        whole.1[k] = cut;
        let (mut rest_at, mut rest) = (offset, size);
        rest_at[k] += cut;
        rest[k] -= cut;
        boxes.push((rest_at, rest));
    }
    let members = boxes.into_iter().map(|(offset, size)| {
        let mut member = node(&size, depth, rng);
        member.plain = member.plain.with_shard(shape, &offset);
        member
    });
    members.collect()
}

/// A base that spans the head, and corrections of one row each.
fn overlay(shape: &[u64], rng: &mut Rng) -> Vec<Node> {
    let mut members = vec![leaf(shape, rng)];
    members[0].plain = members[0]
        .plain
        .clone()
        .with_shard(shape, &vec![0; shape.len()]);
    members[0].plain.member_role = Some(1);
    for _ in 0..rng.below(3) {
        let mut size = shape.to_vec();
        size[0] = 1;
        let mut offset = vec![0; shape.len()];
        offset[0] = rng.below(shape[0] as usize) as u64;
        let mut correction = leaf(&size, rng);
        correction.plain = correction.plain.with_shard(shape, &offset);
        correction.plain.member_role = Some(0);
        members.push(correction);
    }
    members
}
