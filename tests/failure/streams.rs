//! Chunk boundaries, time, counters and ends.

use std::cell::Cell;
use std::rc::Rc;

use hrry::owned::GrowFrame;
use hrry::{
    Arena, CombineOp, CompositeHead, CompositionRule, ElementType, ErrorKind, Event, Exact,
    FixedDecoder, NoRoom, Policy, Resource, Rule, Storage, StreamDecoder,
};

use super::kind;
use crate::support::bytes;
use crate::support::scale::every;
use crate::support::spec::Plain;
use crate::support::trace::{growing, trace};
use crate::support::vectors::{named, streams};

fn head(composition_rule: CompositionRule, shape: &[u64], member_count: u32) -> Vec<u8> {
    let head = CompositeHead {
        composition_rule,
        combine_op: CombineOp::None,
        member_count,
    };
    bytes::encode(&Plain::head(ElementType::UInt8, shape, head))
}

/// A tensor without elements, 53 bytes.
fn empty() -> Vec<u8> {
    bytes::encode(&Plain::new(ElementType::UInt8, &[0], &[0]))
}

#[test]
fn c03_two_tensors_cut_at_every_pair_of_positions() {
    let streams = streams();
    let v = named(&streams, "s-ok-two");
    let whole = trace(&v.bytes, &[], growing(v.policy));
    assert_eq!((whole.result, whole.entries.len()), (Ok(()), 6));
    for first in 0..=v.bytes.len() {
        for second in (first..=v.bytes.len()).step_by(every(3)) {
            let cut = trace(&v.bytes, &[first, second], growing(v.policy));
            assert_eq!(cut, whole, "{first}, {second}");
        }
    }
}

/// Counts what is copied into a frame.
struct Counting(GrowFrame, Rc<Cell<usize>>);

impl Storage for Counting {
    fn limit(&self) -> u64 {
        self.0.limit()
    }

    fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), NoRoom> {
        self.1.set(self.1.get() + bytes.len());
        self.0.append(len, bytes)
    }

    fn stored(&self, len: usize) -> &[u8] {
        self.0.stored(len)
    }
}

/// Remembers the most words that were in use.
struct Peak(Vec<u64>, Rc<Cell<usize>>);

impl Arena for Peak {
    fn words(&self) -> &[u64] {
        &self.0
    }

    fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }

    fn resize(&mut self, len: usize) -> Result<(), NoRoom> {
        self.1.set(self.1.get().max(len));
        Arena::resize(&mut self.0, len)
    }

    fn capacity(&self) -> usize {
        Arena::capacity(&self.0)
    }
}

#[derive(Debug, PartialEq)]
struct Work {
    copied: usize,
    held: usize,
    events: usize,
}

/// What reading a stream in chunks of `size` takes.
fn work(stream: &[u8], size: usize) -> Work {
    let copied = Rc::new(Cell::new(0));
    let held = Rc::new(Cell::new(0));
    let frame = Counting(GrowFrame::new(), copied.clone());
    let arena = Peak(Vec::new(), held.clone());
    let mut decoder = StreamDecoder::with_parts(frame, Exact, arena, Policy::STRICT);
    let mut events = 0;
    for mut chunk in stream.chunks(size) {
        while decoder.next_event(&mut chunk).unwrap().is_some() {
            events += 1;
        }
    }
    decoder.finish().unwrap();
    Work {
        copied: copied.get(),
        held: held.get(),
        events,
    }
}

#[test]
fn c04_a_long_payload_is_never_copied() {
    let size = 1 << 20;
    let mut stream = bytes::encode(&Plain::new(ElementType::UInt8, &[size], &[size]));
    let copied = stream.len();
    stream.resize(copied + size as usize, 1);
    for (chunk, pieces) in [(1, 1 << 20), (stream.len(), 1)] {
        // descriptor and end, and one event for each piece
        let events = 2 + pieces;
        let expected = Work {
            copied,
            held: 0,
            events,
        };
        assert_eq!(work(&stream, chunk), expected);
    }
}

#[test]
fn c04_a_descriptor_is_copied_once_whatever_the_chunks() {
    let shape = [1; 64];
    let plain = Plain::new(ElementType::UInt8, &shape, &[1]).with_shard(&shape, &[0; 64]);
    let mut stream = bytes::encode(&plain);
    let copied = stream.len();
    stream.push(7);
    for size in [1, 2, 7, 64, 4096] {
        let work = work(&stream, size);
        assert_eq!((work.copied, work.held), (copied, 0), "chunks of {size}");
    }
}

#[test]
fn c04_ten_thousand_members_in_order_hold_two_boxes() {
    let partition = |members: u64| {
        let mut stream = head(CompositionRule::Partition, &[members], members as u32);
        for k in 0..members {
            let member = Plain::new(ElementType::UInt8, &[1], &[1]).with_shard(&[members], &[k]);
            stream.extend(bytes::encode(&member));
            stream.push(0);
        }
        stream
    };
    let held = [100, 10_000].map(|members| {
        let stream = partition(members as u64);
        let work = work(&stream, 1000);
        assert_eq!(work.copied, stream.len() - members, "descriptors, once");
        work.held
    });
    // shape, volume twice with a carry, sum, and at most two boxes of three words
    assert!(held[1] <= 1 + 3 + 1 + 2 * 3, "{held:?}");
    assert_eq!(
        held[0], held[1],
        "a hundred times the members hold no word more"
    );
}

#[test]
fn c25_one_million_empty_tensors() {
    let empty = empty();
    let len = empty.len() as u64;
    let block = empty.repeat(1000);
    let rounds = 1000 / every(5) as u64;
    for origin in [(1 << 32) - 500 * len, u64::MAX - rounds * 1000 * len] {
        let mut decoder = FixedDecoder::<64, 0>::new(Policy::STRICT).with_origin(origin);
        let mut seen = 0;
        for _ in 0..rounds {
            let mut chunk = &block[..];
            while let Some(event) = decoder.next_event(&mut chunk).unwrap() {
                if let Event::TensorEnd(_) = event {
                    seen += 1;
                }
            }
        }
        assert_eq!((seen, decoder.finish()), (rounds * 1000, Ok(())));
        assert_eq!(decoder.offset(), origin + rounds * 1000 * len);
    }
}

#[test]
fn c25_positions_end_with_a_capacity_error() {
    let stream = empty().repeat(2);
    let len = stream.len() as u64 / 2;
    for spare in 0..len {
        let mut decoder = growing(Policy::STRICT).with_origin(u64::MAX - len - spare);
        let mut input = &stream[..];
        let mut ends = 0;
        let error = loop {
            match decoder.next_event(&mut input) {
                Ok(Some(Event::TensorEnd(_))) => ends += 1,
                Ok(Some(_)) => {}
                Ok(None) => panic!("the second tensor has no positions"),
                Err(error) => break error,
            }
        };
        let capacity = ErrorKind::Capacity {
            what: Resource::Position,
            needed: 1,
            available: 0,
        };
        assert_eq!(
            (ends, error.kind(), error.offset()),
            (1, capacity, u64::MAX)
        );
    }
}

#[test]
fn c25_members_are_counted_up_to_the_largest_number() {
    let members = 10_000;
    let mut stream = head(CompositionRule::Group, &[1], u32::MAX - 1);
    stream.extend(empty().repeat(members));
    let torn = ErrorKind::Torn {
        level: 1,
        declared: u32::MAX - 1,
        seen: members as u32,
    };
    let trace = trace(&stream, &[], growing(Policy::STRICT));
    assert_eq!(kind(trace.result), Err(torn));
}

#[test]
fn c29_an_empty_read_is_not_the_end() {
    let mut tensor = bytes::encode(&Plain::new(ElementType::UInt8, &[3], &[3]));
    tensor.extend([1, 2, 3]);
    let mut stream = head(CompositionRule::Group, &[1], 2);
    let boundaries = [stream.len(), stream.len() + tensor.len()];
    stream.extend(tensor.repeat(2));
    let mut decoder = growing(Policy::STRICT);
    for end in 0..=stream.len() {
        if end > 0 {
            let mut byte = &stream[end - 1..end];
            while decoder.next_event(&mut byte).unwrap().is_some() {}
        }
        for _ in 0..3 {
            assert!(decoder.next_event(&mut &b""[..]).unwrap().is_none());
        }
        let expected = if end == 0 || end == stream.len() {
            Ok(())
        } else if boundaries.contains(&end) {
            Err(Rule::Torn)
        } else {
            Err(Rule::StreamTruncated)
        };
        let result = decoder.finish().map_err(|error| error.rule().unwrap());
        assert_eq!(result, expected, "{end} bytes");
    }
}
