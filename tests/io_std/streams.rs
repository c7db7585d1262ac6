//! Reading streams: the items of the core, whatever the source does.

use std::io::{BufReader, Read};

use hrry::io_std::{IoError, StreamReader, read_events};
use hrry::owned::layout::{CooLayout, LayoutDescriptor};
use hrry::owned::{BufferHandle, ElementType, Item, ItemReader, Shape, TensorDescriptor};
use hrry::{Error, Event, Policy, StreamDecoder};

use super::feed::{Feed, assert_broken};
use crate::support::scale::every;
use crate::support::vectors::{self, permissive};

/// All items of a source and how it ends.
fn read(source: impl Read, policy: Policy) -> (Vec<Item>, Result<(), IoError>) {
    let mut reader = StreamReader::new(source, policy);
    let mut items = Vec::new();
    loop {
        match reader.next_item() {
            Ok(Some(item)) => items.push(item),
            Ok(None) => return (items, Ok(())),
            Err(error) => return (items, Err(error)),
        }
    }
}

/// The same from the core's reader, pushed.
fn pushed(mut bytes: &[u8], policy: Policy) -> (Vec<Item>, Result<(), hrry::owned::Error>) {
    let mut reader = ItemReader::new(policy);
    let mut items = Vec::new();
    loop {
        match reader.next_item(&mut bytes) {
            Ok(Some(item)) => items.push(item),
            Ok(None) => return (items, reader.finish()),
            Err(error) => return (items, Err(error)),
        }
    }
}

fn format(error: IoError) -> Error {
    match error {
        IoError::Format(error) => error,
        other => panic!("{other}"),
    }
}

fn events(source: impl std::io::BufRead, policy: Policy) -> (usize, Result<(), IoError>) {
    let mut count = 0;
    let mut decoder = StreamDecoder::growing(policy);
    let result = read_events(&mut decoder, source, |event| {
        count += usize::from(matches!(event, Event::TensorEnd(_)));
        Ok::<(), IoError>(())
    });
    (count, result)
}

#[test]
fn vectors_read_as_in_memory() {
    let (mut accepted, mut refused) = (0, 0);
    for v in vectors::streams() {
        for policy in [v.policy, permissive(&v.policy)] {
            let (items, result) = pushed(&v.bytes, policy);
            let result = result.map_err(|error| format(error.into()));
            let tensors: usize = items.iter().map(|item| item.items().count()).sum();
            for piece in [1, 50, usize::MAX] {
                let (seen, ended) = read(Feed::new(&v.bytes, piece), policy);
                assert_eq!(
                    (seen, ended.map_err(format)),
                    (items.clone(), result),
                    "{}",
                    v.id
                );
                let feed = BufReader::with_capacity(60, Feed::new(&v.bytes, piece));
                let (ends, ended) = events(feed, policy);
                assert_eq!(ended.map_err(format), result, "{}", v.id);
                assert!(ends == tensors || result.is_err(), "{}", v.id);
            }
            match result {
                Ok(()) => accepted += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(accepted > 20 && refused > 20, "{accepted}, {refused}");
}

/// A head of 53 bytes, members from 53 to 350 and from 350 to 527.
fn overlay() -> Vec<u8> {
    let all = vectors::streams();
    vectors::named(&all, "s-ok-ov-spqr").bytes.clone()
}

#[test]
fn every_early_end_has_its_rule_and_place() {
    let stream = overlay();
    assert_eq!(stream.len(), 527);
    for len in 1..527 {
        let error = format(read(&stream[..len], Policy::STRICT).1.unwrap_err());
        let rule = match len {
            53 | 350 => "COMP-48",
            _ => "STREAM-04",
        };
        assert_eq!(
            (error.rule().unwrap().id(), error.offset()),
            (rule, len as u64)
        );
    }
    assert!(read(&[][..], Policy::STRICT).1.is_ok());
}

#[test]
fn errors_of_the_source_are_kept_and_lose_nothing() {
    let stream = overlay();
    let (items, _) = read(&stream[..], Policy::STRICT);
    for fails in 0..=527 {
        let mut reader = StreamReader::new(Feed::failing(&stream, 100, fails), Policy::STRICT);
        let mut seen = Vec::new();
        let mut failures = 0;
        loop {
            match reader.next_item() {
                Ok(Some(item)) => seen.push(item),
                Ok(None) => break,
                Err(IoError::Io(error)) => {
                    assert_broken(&error, fails);
                    failures += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!((&seen, failures), (&items, 1), "{fails}");
        assert_eq!(reader.offset(), 527);
    }
}

/// `stored` elements of a byte and their places of 8 bytes; byte `k` of a buffer is `k` modulo 251.
fn long(stored: usize) -> (Vec<u8>, [Vec<u8>; 2]) {
    let shape = Shape::new([1 << 20]).unwrap();
    let descriptor = TensorDescriptor::builder(ElementType::UInt8, shape)
        .layout(LayoutDescriptor::Coo(CooLayout::new(stored as u64, false)))
        .buffer(BufferHandle::cpu(stored as u64, 64))
        .buffer(BufferHandle::cpu(8 * stored as u64, 64))
        .build()
        .unwrap();
    let filled = |size: usize| (0..size).map(|k| (k % 251) as u8).collect();
    let buffers: [Vec<u8>; 2] = [filled(stored), filled(8 * stored)];
    let mut stream = descriptor.encode_to_vec().unwrap();
    stream.extend(buffers.concat());
    (stream, buffers)
}

#[test]
fn long_buffers_arrive_whole_and_aligned() {
    for stored in [5, 8192, 16_384, 20_000, 65_536, 70_000] {
        let (one, buffers) = long(stored);
        let stream = one.repeat(2);
        for piece in [777, 16_384, 65_536, usize::MAX] {
            let (items, result) = read(Feed::new(&stream, piece), Policy::STRICT);
            result.unwrap();
            assert_eq!(items.len(), 2);
            for item in items {
                for (buffer, wanted) in item.as_tensor().unwrap().buffers().iter().zip(&buffers) {
                    assert!(buffer[..] == wanted[..], "{stored}");
                    assert_eq!(buffer.as_ptr() as usize % 64, 0);
                }
            }
        }
    }
}

#[test]
fn failures_inside_long_buffers_lose_nothing() {
    let (stream, buffers) = long(30_000);
    for fails in (0..stream.len()).step_by(every(40_009)) {
        let mut reader = StreamReader::new(Feed::failing(&stream, 30_000, fails), Policy::STRICT);
        let Err(IoError::Io(error)) = reader.next_item() else {
            panic!("{fails}");
        };
        assert_broken(&error, fails);
        let item = reader.next_item().unwrap().unwrap();
        let tensor = item.as_tensor().unwrap();
        assert!(
            tensor
                .buffers()
                .iter()
                .zip(&buffers)
                .all(|(a, b)| a[..] == b[..])
        );
        assert_eq!(reader.next_item().unwrap(), None);

        let cut = format(read(&stream[..fails.max(1)], Policy::STRICT).1.unwrap_err());
        assert_eq!(cut.rule().unwrap().id(), "STREAM-04");
        assert_eq!(cut.offset(), fails.max(1) as u64);
    }
}

#[test]
fn lent_payload_is_where_the_source_has_it() {
    let stream = overlay();
    let mut lent = 0;
    read_events(
        &mut StreamDecoder::growing(Policy::STRICT),
        &stream[..],
        |event| {
            if let Event::Payload(payload) = event {
                assert!(stream.as_ptr_range().contains(&payload.bytes.as_ptr()));
                lent += payload.bytes.len();
            }
            Ok::<(), IoError>(())
        },
    )
    .unwrap();
    assert_eq!(lent, 128 + 16 + 4 + 32);
}

#[test]
fn a_torn_composite_leaves_what_arrived() {
    let stream = overlay();
    let mut reader = StreamReader::new(&stream[..400], Policy::STRICT);
    let error = format(reader.next_item().unwrap_err());
    assert_eq!(
        (error.rule().unwrap().id(), error.offset()),
        ("STREAM-04", 400)
    );
    let arrived = reader.into_arrived();
    assert_eq!(arrived.len(), 1);
    let base = arrived[0].as_tensor().unwrap();
    assert_eq!(base.buffer(0).unwrap()[..], stream[350 - 144..350 - 16]);
}
