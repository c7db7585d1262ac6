//! Raw lines, and reads that are cancelled.

use std::convert::Infallible;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hrry::io_embedded::async_07::Pump;
use hrry::io_embedded::{PumpError, blocking_07};
use hrry::{ElementType, Event, FixedDecoder, Policy, Resync, ResyncEvent, Rule};

use crate::support::bytes;
use crate::support::spec::Plain;

/// A tensor of four bytes that are not found in descriptors; 57 bytes.
fn tensor(number: u8) -> Vec<u8> {
    let mut tensor = bytes::encode(&Plain::new(ElementType::UInt8, &[4], &[4]));
    tensor.extend([0xA0 + number; 4]);
    tensor
}

const LEN: usize = 57;

/// A line with seven tensors that is damaged in or behind the third: what is told of the others, and the
/// offset up to which something is lost.
fn read_damaged(line: &[u8]) -> (Vec<Vec<u8>>, u64) {
    let mut policy = Policy::STRICT;
    policy.max_descriptor = 64;
    policy.max_buffer = 64;
    let mut resync = Resync::new(FixedDecoder::<64, 0>::new(policy), 1000);
    let (mut tensors, mut lost): (Vec<Vec<u8>>, u64) = (Vec::new(), 0);
    for byte in line.chunks(1) {
        let mut chunk = byte;
        while let Some(event) = resync.next_event(&mut chunk).unwrap() {
            match event {
                ResyncEvent::Stream(Event::Descriptor(view, _)) => {
                    tensors.push(view.as_bytes().to_vec());
                }
                ResyncEvent::Stream(Event::Payload(payload)) => {
                    tensors.last_mut().unwrap().extend(payload.bytes);
                }
                ResyncEvent::Lost(loss) => lost = lost.max(loss.to),
                _ => {}
            }
        }
        assert!(resync.wanted() <= 64, "nothing long is waited for");
    }
    resync.finish().unwrap();
    (tensors, lost)
}

/// Between and inside: tensors in front of the damage and from the second behind it on come out whole, and
/// what is lost lies between.
#[test]
fn c26_a_byte_dropped_doubled_or_inserted_costs_two_tensors_at_most() {
    let whole: Vec<Vec<u8>> = (0..7).map(tensor).collect();
    let line = whole.concat();
    assert_eq!(read_damaged(&line), (whole.clone(), 0));
    let mut losses = 0;
    for at in 2 * LEN..=3 * LEN {
        let inserted = [0, 0xFF, b'H', b'R', b'Y', line[at] ^ 1].map(Some);
        let others = [None, Some(line[at])];
        for byte in others.into_iter().chain(inserted) {
            let mut damaged = line.clone();
            match byte {
                None => _ = damaged.remove(at),
                Some(byte) => damaged.insert(at, byte),
            }
            let (tensors, lost) = read_damaged(&damaged);
            assert_eq!(tensors[..2], whole[..2], "{at}, {byte:?}");
            assert!(tensors.ends_with(&whole[4..]), "{at}, {byte:?}");
            assert!(lost <= 4 * LEN as u64 + 1, "{at}, {byte:?}");
            losses += usize::from(lost > 0);
        }
    }
    assert!(losses > 300, "{losses}");
}

/// Gives a byte at a time, and waits in front of each, once.
struct Line<'a> {
    bytes: &'a [u8],
    waited: bool,
}

impl embedded_io_07::ErrorType for Line<'_> {
    type Error = Infallible;
}

impl embedded_io_async_07::Read for Line<'_> {
    async fn read(&mut self, into: &mut [u8]) -> Result<usize, Infallible> {
        std::future::poll_fn(|_| {
            self.waited = !self.waited;
            match self.waited {
                true => Poll::Pending,
                false => Poll::Ready(()),
            }
        })
        .await;
        let Some((byte, rest)) = self.bytes.split_first() else {
            return Ok(0);
        };
        (into[0], self.bytes) = (*byte, rest);
        Ok(1)
    }
}

/// `tests/io_embedded` does so for each point alone, with all vectors, and for writes.
#[test]
fn c28_a_read_that_is_dropped_at_every_point_loses_no_byte() {
    let stream: Vec<u8> = (0..3).flat_map(tensor).collect();
    let line = Line {
        bytes: &stream,
        waited: false,
    };
    let decoder = FixedDecoder::<64, 0>::new(Policy::STRICT);
    let mut pump = Pump::new(line, decoder, [0; 16]);
    let (mut dropped, mut seen) = (0, Vec::<u8>::new());
    loop {
        let mut context = Context::from_waker(Waker::noop());
        match pin!(pump.next_event()).poll(&mut context) {
            Poll::Pending => dropped += 1,
            Poll::Ready(Ok(Some(Event::Descriptor(view, _)))) => seen.extend(view.as_bytes()),
            Poll::Ready(Ok(Some(Event::Payload(payload)))) => seen.extend(payload.bytes),
            Poll::Ready(Ok(Some(_))) => {}
            Poll::Ready(Ok(None)) => break,
            Poll::Ready(Err(error)) => panic!("{error}"),
        }
    }
    assert_eq!((seen == stream, dropped), (true, stream.len() + 1));
}

/// A source that gives nothing ends the input where it may end; a buffer that takes nothing does not.
#[test]
fn c29_a_source_at_its_end_is_not_an_empty_buffer() {
    let stream = tensor(0);
    for len in 0..=LEN {
        let decoder = FixedDecoder::<64, 0>::new(Policy::STRICT);
        let mut pump = blocking_07::Pump::new(&stream[..len], decoder, [0; 8]);
        let result = loop {
            match pump.next_event() {
                Ok(Some(_)) => {}
                Ok(None) => break Ok(()),
                Err(PumpError::Format(error)) => break Err(error.rule().unwrap()),
                Err(error) => panic!("{error}"),
            }
        };
        let expected = match len {
            0 | LEN => Ok(()),
            _ => Err(Rule::StreamTruncated),
        };
        assert_eq!(result, expected, "{len} bytes");
    }
    let decoder = FixedDecoder::<64, 0>::new(Policy::STRICT);
    let mut pump = blocking_07::Pump::new(&stream[..], decoder, [0; 0]);
    assert_eq!(pump.next_event().err(), Some(PumpError::NoBuffer));
}
