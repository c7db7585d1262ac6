//! Composites painted box by box: member by member as they come from a stream cut anywhere, and as owned
//! items, against a model that builds the whole view.

use hrry::owned::{GrowFrame, Item};
use hrry::{Canvas, Event, Exact, Outcome, Policy, StreamDecoder, check, element};
use proptest::prelude::{ProptestConfig, proptest};

use super::model::{inside, part, some_box};
use super::nodes::Node;
use super::rounding::{Rounder, is_nan};
use super::support::scale::{Rng, scale};
use super::trees::{Tree, root};

/// Paints a box from the events of a decoder that gets its input in pieces.
fn from_stream(stream: &[u8], of: &[Vec<u64>; 2], out: &mut [u8], rng: &mut Rng) {
    let mut decoder: StreamDecoder<GrowFrame, Exact, Vec<u64>> =
        StreamDecoder::with_parts(GrowFrame::new(), Exact, Vec::new(), Policy::STRICT);
    let mut cuts = rng.cuts(stream.len());
    cuts.push(stream.len());
    // the item that is arriving
    let mut current = Node::default();
    let mut out = Some(out);
    let mut canvas = None;
    let mut start = 0;
    for end in cuts {
        let mut chunk = &stream[start..end];
        start = end;
        while let Some(event) = decoder.next_event(&mut chunk).unwrap() {
            let ended = match event {
                Event::Descriptor(view, outcome) => {
                    current = Node {
                        descriptor: view.as_bytes().to_vec(),
                        buffers: vec![Vec::new(); view.buffer_count()],
                        ..Node::default()
                    };
                    view.buffer_count() == 0 && !matches!(outcome, Outcome::Plain)
                }
                Event::Payload(payload) => {
                    let buffer = &mut current.buffers[usize::from(payload.buffer)];
                    buffer.extend_from_slice(payload.bytes);
                    false
                }
                Event::TensorEnd(_) => true,
                _ => false,
            };
            if !ended || current.descriptor.is_empty() {
                continue;
            }
            let node = std::mem::take(&mut current);
            match &mut canvas {
                None => {
                    let out = out.take().unwrap();
                    canvas = Some(Canvas::new(&node.view(), part(of), out, Vec::new()).unwrap());
                }
                Some(canvas) => canvas.item(&node.view(), &node.slices()).unwrap(),
            }
        }
    }
    canvas.unwrap().finish().unwrap();
}

fn compare(tree: &Tree, expected: &[(u128, bool)], of: &[Vec<u64>; 2], rng: &mut Rng) {
    let head = tree.element_type();
    let at = inside(&tree.plain().shape, of);
    let node = tree.to_node();
    let stream = node.to_stream();
    let len = check::packed_bytes(head, at.len() as u64).unwrap() as usize;
    let mut painted = vec![0xFF; len];
    from_stream(&stream, of, &mut painted, rng);
    for (k, at) in (0..).zip(&at) {
        let bits = element::bits(head, &painted, k).unwrap();
        let (wanted, computed) = expected[*at];
        let both = computed && is_nan(head, bits) && is_nan(head, wanted);
        assert!(
            bits == wanted || both,
            "{of:?}: {at}: {bits:#x}, not {wanted:#x}: {tree:?}"
        );
    }
    let mut by_tree = vec![0xFF; len];
    let (packed_type, packed) = node.packed(part(of), false).unwrap();
    by_tree.copy_from_slice(&packed);
    assert_eq!((packed_type, &by_tree), (head, &painted));

    let Item::Composite(composite) = node.to_owned_item() else {
        panic!("{tree:?}");
    };
    assert!(
        composite.read_packed(part(of)).unwrap() == painted,
        "{of:?} {tree:?}"
    );
    let mut numbers = vec![0.0f64; at.len()];
    if element::decode(head, &painted, 0, &mut numbers).is_ok() {
        let read: Vec<f64> = composite.read_box(part(of)).unwrap();
        assert_eq!(format!("{read:?}"), format!("{numbers:?}"));
    }
}

#[test]
fn random_trees_are_what_their_members_are() {
    let (mut rng, mut rounder) = (Rng(40), Rounder::default());
    let mut depths = [0; 10];
    for _ in 0..150 * scale().min(100) {
        let tree = root(&mut rng);
        depths[depth(&tree)] += 1;
        let shape = tree.plain().shape.clone();
        let expected = tree.view(tree.element_type(), &mut rounder);
        compare(
            &tree,
            &expected,
            &[vec![0; shape.len()], shape.clone()],
            &mut rng,
        );
        for _ in 0..3 {
            let of = some_box(&shape, &mut rng);
            compare(&tree, &expected, &of, &mut rng);
        }
    }
    assert!(depths[1..8].iter().all(|count| *count > 0), "{depths:?}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64 * scale().min(20) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_tree_is_what_its_members_are(seed: u64) {
        let (mut rng, mut rounder) = (Rng(seed), Rounder::default());
        let tree = root(&mut rng);
        let expected = tree.view(tree.element_type(), &mut rounder);
        let of = some_box(&tree.plain().shape, &mut rng);
        compare(&tree, &expected, &of, &mut rng);
    }
}

fn depth(tree: &Tree) -> usize {
    match tree {
        Tree::Leaf(_) => 0,
        Tree::Partition(_, members) | Tree::Overlay(_, _, members) => {
            1 + members.iter().map(depth).max().unwrap_or(0)
        }
    }
}
