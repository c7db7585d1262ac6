//! Streams item by item against the core's decoder.

use hrry::owned::layout::{CompositeLayout, CompositionRule, LayoutDescriptor};
use hrry::owned::{
    Buffer, BufferHandle, Composite, ElementType, Error, Item, ItemReader, Shape, ShardDescriptor,
    Tensor, TensorDescriptor,
};
use hrry::{Event, ExactThenKeyed, Key, Policy, Rule, StreamWriter};

use crate::support::scale::{Rng, every};
use crate::support::trace::growing;
use crate::support::vectors::{self, permissive};

/// All items of a stream that comes in pieces, and what it ends with.
fn read(stream: &[u8], cuts: &[usize], policy: Policy) -> (Vec<Item>, Result<(), Error>) {
    let mut reader = ItemReader::new(policy);
    let mut items = Vec::new();
    let ends = cuts.iter().copied().chain([stream.len()]);
    let mut start = 0;
    for end in ends {
        let mut chunk = &stream[start..end];
        start = end;
        loop {
            match reader.next_item(&mut chunk) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(reader.finish(), Err(error.clone()));
                    assert_eq!(reader.next_item(&mut chunk), Err(error.clone()));
                    return (items, Err(error));
                }
            }
        }
    }
    assert_eq!(reader.offset(), stream.len() as u64);
    let result = reader.finish();
    (items, result)
}

/// Payload and the result, as the core tells them.
fn decode(stream: &[u8], policy: Policy) -> (Vec<u8>, Result<(), Error>) {
    let mut decoder = growing(policy);
    let mut payload = Vec::new();
    let mut rest = stream;
    loop {
        match decoder.next_event(&mut rest) {
            Ok(Some(Event::Payload(piece))) => payload.extend(piece.bytes),
            Ok(Some(_)) => {}
            Ok(None) => return (payload, decoder.finish().map_err(Error::from)),
            Err(error) => return (payload, Err(error.into())),
        }
    }
}

fn written(items: &[Item], policy: Policy) -> Vec<u8> {
    let mut writer = StreamWriter::growing(Vec::new(), policy);
    for item in items {
        item.write_to(&mut writer).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn vectors_give_the_same_items_in_any_pieces() {
    let mut rng = Rng(3);
    let mut accepted = 0;
    let mut refused = 0;
    for vector in vectors::streams() {
        for policy in [vector.policy, permissive(&vector.policy)] {
            let name = &vector.id;
            let (payload, result) = decode(&vector.bytes, policy);
            let (items, whole) = read(&vector.bytes, &[], policy);
            assert_eq!(whole, result, "{name}");
            for _ in 0..4 {
                let cuts = rng.cuts(vector.bytes.len());
                assert_eq!(
                    read(&vector.bytes, &cuts, policy),
                    (items.clone(), whole.clone())
                );
            }
            if vector.bytes.len() < 4096 {
                let cuts: Vec<usize> = (0..vector.bytes.len()).collect();
                assert_eq!(
                    read(&vector.bytes, &cuts, policy),
                    (items.clone(), whole.clone())
                );
            }
            if result.is_err() {
                refused += 1;
                continue;
            }
            let nodes = items.iter().flat_map(|item| item.items());
            let held: Vec<u8> = nodes
                .flat_map(|node| node.buffers())
                .flat_map(|buffer| buffer.iter().copied())
                .collect();
            assert!(held == payload, "{name}");
            let stream = written(&items, policy);
            assert_eq!(read(&stream, &[], policy), (items, Ok(())), "{name}");
            accepted += 1;
        }
    }
    assert!(accepted > 20 && refused > 20, "{accepted}, {refused}");
}

#[test]
fn every_prefix_says_what_the_core_says() {
    let all = vectors::streams();
    let vector = vectors::named(&all, "s-ok-ov-spqr");
    for len in (0..vector.bytes.len()).step_by(every(7)) {
        let prefix = &vector.bytes[..len];
        assert_eq!(
            read(prefix, &[], Policy::STRICT).1,
            decode(prefix, Policy::STRICT).1
        );
    }
}

/// Each byte is its index.
fn tensor(len: u64, place: Option<(u64, u64)>) -> Item {
    let mut descriptor = TensorDescriptor::builder(ElementType::UInt8, Shape::new([len]).unwrap())
        .buffer(BufferHandle::cpu(len, 64));
    if let Some((parent, offset)) = place {
        descriptor = descriptor.shard(ShardDescriptor::new([parent], [offset]).unwrap());
    }
    let bytes: Vec<u8> = (0..len).map(|k| k as u8).collect();
    Tensor::new(descriptor.build().unwrap(), vec![Buffer::from(bytes)])
        .unwrap()
        .into()
}

fn head(rule: CompositionRule, len: u64, members: u32) -> TensorDescriptor {
    let layout = CompositeLayout::new(rule, members).unwrap();
    TensorDescriptor::builder(ElementType::UInt8, Shape::new([len]).unwrap())
        .layout(LayoutDescriptor::Composite(layout))
        .build()
        .unwrap()
}

#[test]
fn a_torn_composite_leaves_what_arrived() {
    let inner = Composite::new(head(CompositionRule::Group, 1, 1), vec![tensor(3, None)]).unwrap();
    let members = vec![tensor(1, None), inner.into(), tensor(2, None)];
    let whole = Composite::new(head(CompositionRule::Group, 1, 3), members.clone()).unwrap();
    let stream = Item::from(whole).encode_to_vec().unwrap();
    // the last member: 20 bytes of header, a dimension, an offset, a table of one buffer, two bytes
    let last = stream.len() - (20 + 8 + 8 + 1 + 16 + 2);

    let mut reader = ItemReader::new(Policy::STRICT);
    assert_eq!(reader.next_item(&mut &stream[..last]), Ok(None));
    assert_eq!(reader.depth(), 1);
    assert_eq!(reader.finish().unwrap_err().rule(), Some(Rule::Torn));
    assert_eq!(reader.into_arrived(), members[..2]);

    let mut reader = ItemReader::new(Policy::STRICT);
    assert_eq!(reader.next_item(&mut &stream[..stream.len() - 1]), Ok(None));
    assert_eq!(reader.wanted(), 1);
    assert_eq!(
        reader.finish().unwrap_err().rule(),
        Some(Rule::StreamTruncated)
    );
    assert_eq!(reader.into_arrived(), members[..2]);
}

#[test]
fn permissive_readers_expose_what_is_no_whole() {
    let mut writer = StreamWriter::growing(Vec::new(), Policy::PERMISSIVE);
    let partition = head(CompositionRule::Partition, 8, 2);
    writer.tensor(&partition, &[]).unwrap();
    for offset in [0, 3] {
        tensor(4, Some((8, offset))).write_to(&mut writer).unwrap();
    }
    let stream = writer.finish().unwrap();

    let (items, result) = read(&stream, &[], Policy::STRICT);
    assert!(items.is_empty());
    assert_eq!(result.unwrap_err().rule(), Some(Rule::Overlap));

    let (items, result) = read(&stream, &[9, 80], Policy::PERMISSIVE);
    assert_eq!(result, Ok(()));
    let composite = items[0].as_composite().unwrap();
    assert_eq!(composite.complete(), Err(Rule::Overlap));
    let members = [0, 3].map(|offset| tensor(4, Some((8, offset))));
    assert_eq!(composite.members(), members);
    assert_eq!(written(&items, Policy::PERMISSIVE), stream);
    assert_eq!(
        items[0].encode_to_vec().unwrap_err().rule(),
        Some(Rule::Overlap)
    );
}

#[test]
fn covers_can_be_checked_in_another_way() {
    let members: Vec<Item> = [0, 4].map(|offset| tensor(4, Some((8, offset)))).into();
    let whole = Composite::new(head(CompositionRule::Partition, 8, 2), members).unwrap();
    let whole = Item::from(whole);
    let stream = whole.encode_to_vec().unwrap();
    let mut reader = ItemReader::with_cover(ExactThenKeyed(Key([1, 2])), Policy::STRICT);
    assert_eq!(reader.next_item(&mut &stream[..]), Ok(Some(whole)));
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn buffers_are_aligned_and_no_larger_than_needed() {
    let item = tensor(100_000, None);
    let stream = item.encode_to_vec().unwrap();
    for size in [1000, 4096, stream.len()] {
        let mut reader = ItemReader::new(Policy::STRICT);
        let mut items = Vec::new();
        for mut chunk in stream.chunks(size) {
            items.extend(reader.next_item(&mut chunk).unwrap());
        }
        let [read] = &items[..] else {
            panic!("one item");
        };
        assert_eq!(read, &item);
        let buffer = read.as_tensor().unwrap().buffer(0).unwrap();
        assert_eq!(buffer.as_ptr().addr() % 64, 0);
    }
}
