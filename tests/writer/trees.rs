//! Random trees of composites, written and read back.

use hrry::{Outcome, Policy};

use super::{Writer, writer};
use crate::support::bytes;
use crate::support::scale::{Rng, scale};
use crate::support::sinks::Limited;
use crate::support::spec::Kind;
use crate::support::trace::{Entry, bytewise, growing, trace};
use crate::support::trees::{Node, root};

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
        let roots: Vec<Node> = (0..1 + rng.below(3)).map(|_| root(&mut rng)).collect();
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
