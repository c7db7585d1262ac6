//! Random trees of composites, written and read back.

use hrry::{CombineOp, CompositeHead, CompositionRule, ElementType, Outcome, Policy};

use super::{Limited, Writer, writer};
use crate::support::bytes;
use crate::support::scale::{Rng, scale};
use crate::support::spec::{Kind, Plain};
use crate::support::trace::{Entry, bytewise, growing, trace};

/// An item: its descriptor, the bytes of its one buffer, its members.
struct Node {
    plain: Plain,
    payload: Vec<u8>,
    members: Vec<Node>,
}

const TYPE: ElementType = ElementType::UInt8;
const DEEPEST: usize = 8;

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

fn write(writer: &mut Writer<'_>, node: &Node, rng: &mut Rng) {
    let kind = [Kind::Native, Kind::Le][rng.below(2)];
    node.plain.lend(kind, |spec| writer.begin(spec)).unwrap();
    let mut rest = &node.payload[..];
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(1 + rng.below(rest.len()));
        writer.payload(piece).unwrap();
        rest = behind;
    }
    writer.end().unwrap();
    node.members
        .iter()
        .for_each(|member| write(writer, member, rng));
}

/// The bytes that the tree stands for, descriptor by descriptor.
fn expected(node: &Node, out: &mut Vec<u8>) {
    out.extend(bytes::encode(&node.plain));
    out.extend(&node.payload);
    node.members.iter().for_each(|member| expected(member, out));
}

/// Checks what was read against the tree and returns how many levels the last item closed.
fn compare(
    node: &Node,
    depth: u8,
    index: Option<u32>,
    events: &mut dyn Iterator<Item = Entry>,
) -> u8 {
    let Some(Entry::Descriptor { bytes, outcome, .. }) = events.next() else {
        panic!("a descriptor");
    };
    assert_eq!(bytes, bytes::encode(&node.plain));
    let is_head = node.plain.buffers.is_empty();
    let place = match index {
        _ if is_head => Outcome::Opened {
            depth: depth + 1,
            members: node.members.len() as u32,
            index,
        },
        Some(index) => Outcome::Member { depth, index },
        None => Outcome::Plain,
    };
    assert_eq!(outcome, place);
    if !node.payload.is_empty() {
        let buffer = Entry::Buffer {
            index: 0,
            bytes: node.payload.clone(),
            complete: true,
        };
        assert_eq!(events.next(), Some(buffer));
    }
    let Some(Entry::End(outcome)) = events.next() else {
        panic!("an end");
    };
    let mut closed = match outcome {
        Outcome::Closed {
            levels, complete, ..
        } => {
            assert_eq!(complete, Ok(()));
            levels
        }
        other => {
            assert_eq!(other, place);
            0
        }
    };
    for (k, member) in (0..).zip(&node.members) {
        assert_eq!(closed, 0, "nothing closes before the last member");
        closed = compare(member, depth + 1, Some(k), events);
    }
    if is_head {
        assert!(closed > 0, "a composite closes at the end of its last item");
        closed -= 1;
    }
    closed
}

#[test]
fn random_trees_come_back_equal() {
    let mut rng = Rng(41);
    let mut deepest = 0;
    for _ in 0..200 * scale() {
        let roots: Vec<Node> = (0..1 + rng.below(3))
            .map(|_| {
                node(
                    &[1 + rng.below(5) as u64, 1 + rng.below(5) as u64],
                    0,
                    &mut rng,
                )
            })
            .collect();
        let mut sink = Limited::unlimited();
        let mut writer = writer(&mut sink, Policy::STRICT);
        let mut bytes = Vec::new();
        for root in &roots {
            write(&mut writer, root, &mut rng);
            expected(root, &mut bytes);
        }
        assert!(writer.finish().is_ok());
        assert_eq!(sink.bytes, bytes);
        let read = trace(&bytes, &[], growing(Policy::STRICT));
        assert_eq!(read.result, Ok(()));
        assert_eq!(bytewise(&bytes, growing(Policy::STRICT)), read);
        let depth = read.entries.iter().map(|entry| match entry {
            Entry::Descriptor {
                outcome: Outcome::Opened { depth, .. },
                ..
            } => *depth,
            _ => 0,
        });
        deepest = deepest.max(depth.max().unwrap());
        let mut events = read.entries.into_iter();
        for root in &roots {
            assert_eq!(compare(root, 0, None, &mut events), 0);
        }
        assert_eq!(events.next(), None);
    }
    assert!(deepest >= 5, "{deepest}");
}
