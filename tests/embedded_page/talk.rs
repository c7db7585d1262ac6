//! What the sender sends arrives at the receiver, whatever the cuts, and damage is told.

use embedded_io::{ErrorKind, ErrorType, Read};
use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, Resource, Rule, encode};

use super::pumped::Receiver;
use super::receiver::{Arrived, Block, Blocks, line, push, silence};
use super::sender::{BYTES, Sender};

/// A descriptor of rank 2 with one buffer.
const DESCRIPTOR: usize = 20 + 16 + 8 + 1 + 16;

const BLOCKS: [Block; 2] = [[[1, -2, 300]; 16], [[i16::MIN, 0, i16::MAX]; 16]];

fn sent() -> Vec<u8> {
    let mut memory = [0; 1024];
    let mut sender = Sender::new(&mut memory[..]);
    for block in &BLOCKS {
        sender.send(block).unwrap();
    }
    let len = 2 * (DESCRIPTOR + BYTES);
    assert_eq!(memory[len..], [0; 1024][len..]);
    memory[..len].to_vec()
}

fn received(bytes: &[u8], size: usize) -> Vec<Arrived> {
    let (mut line, mut blocks, mut told) = (line(), Blocks::new(), Vec::new());
    for chunk in bytes.chunks(size) {
        push(&mut line, &mut blocks, chunk, |arrived| told.push(arrived));
    }
    told.extend(silence(&mut line));
    assert_eq!(silence(&mut line), None);
    told
}

#[test]
fn blocks_arrive_in_pieces_of_any_size() {
    let stream = sent();
    for size in [1, 3, 64, stream.len()] {
        assert_eq!(
            received(&stream, size),
            BLOCKS.map(Arrived::Block),
            "{size}"
        );
    }
}

#[test]
fn damage_is_told_and_left_behind() {
    let mut stream = sent();
    stream.splice(0..0, *b"noise");
    for size in [1, 3, stream.len()] {
        let [Arrived::Lost(lost), first, second] = received(&stream, size)[..] else {
            panic!("{size}");
        };
        assert_eq!((lost.from, lost.to), (0, 5));
        assert_eq!([first, second], BLOCKS.map(Arrived::Block));
    }
    let cut = received(&stream[..stream.len() - 1], 3);
    let Some(Arrived::StartedAnew(error)) = cut.last() else {
        panic!("{cut:?}");
    };
    assert_eq!((cut.len(), error.rule()), (3, Some(Rule::StreamTruncated)));
}

#[test]
fn a_tensor_that_is_too_large_is_told_at_once() {
    let size = BYTES as u64 + 1;
    let (shape, buffers) = ([size], [BufferHandle::cpu(size, 64)]);
    let spec = DescriptorSpec::new(ElementType::UInt8, &shape, Layout::RowMajor, &buffers);
    let mut large = [0; 53 + BYTES + 1];
    assert_eq!(encode(&spec, &mut large, &Policy::STRICT), Ok(53));
    let told = received(&[&large[..], &sent()].concat(), 7);
    let [Arrived::TooLarge(error), Arrived::Lost(lost), first, second] = told[..] else {
        panic!("{told:?}");
    };
    let capacity = hrry::ErrorKind::Capacity {
        what: Resource::Buffer,
        needed: size,
        available: BYTES as u64,
    };
    assert_eq!(error.kind(), capacity);
    assert_eq!((lost.from, lost.to), (0, large.len() as u64));
    assert_eq!([first, second], BLOCKS.map(Arrived::Block));
}

/// Gives a few bytes a read, and fails between reads.
struct Uart<'u> {
    bytes: &'u [u8],
    fails: bool,
}

impl ErrorType for Uart<'_> {
    type Error = ErrorKind;
}

impl Read for Uart<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, ErrorKind> {
        self.fails = !self.fails;
        if self.fails && self.bytes.len().is_multiple_of(157) {
            return Err(ErrorKind::TimedOut);
        }
        let few = into.len().min(3);
        self.bytes
            .read(&mut into[..few])
            .map_err(|never| match never {})
    }
}

/// The driver is silent between the blocks alone, 61 + 96 bytes each.
#[test]
fn blocks_arrive_from_a_driver() {
    assert_eq!(DESCRIPTOR + BYTES, 157);
    let bytes = &sent()[..];
    let mut receiver = Receiver::new(Uart {
        bytes,
        fails: false,
    });
    let told: Vec<Arrived> = (0..200).filter_map(|_| receiver.step()).collect();
    assert_eq!(told, BLOCKS.map(Arrived::Block));
}
