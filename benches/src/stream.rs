//! Streams: payload handed out, payload copied, and the hardest feed of all, one byte at a time.

use std::hint::black_box;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use hrry::{BufferHandle, DescriptorSpec, ElementType, Event, FixedDecoder, Layout, Policy};
use hurray_io::stream::StreamReader;
use tokio::io::{AsyncRead, ReadBuf};

use crate::cases::{self, Case, bytes_of};
use crate::measure::{Group, Op};

/// Longest descriptor of the cases, rounded up.
const FRAME: usize = 2048;
type Decoder = FixedDecoder<FRAME, 64>;

/// Bytes of the tensor that is read whole.
const TENSOR: usize = 16 << 20;
const BIG: [BufferHandle; 1] = [BufferHandle::cpu(TENSOR as u64, 64)];
/// A tensor that no run reads to its end.
const ENDLESS: [BufferHandle; 1] = [BufferHandle::cpu(1 << 62, 64)];

fn tensor(buffers: &'static [BufferHandle; 1], len: &'static [u64]) -> Vec<u8> {
    let spec = DescriptorSpec::new(ElementType::UInt8, len, Layout::RowMajor, buffers);
    bytes_of(&spec)
}

/// Chunks of one endless buffer: what a reader adds to each of them, whatever their size.
pub fn payload() -> Vec<Group> {
    let chunk = |name: &str, size: usize| {
        let mut decoder = Decoder::new(Policy::STRICT);
        let head = tensor(&ENDLESS, &[1 << 62]);
        let event = decoder.next_event(&mut head.as_slice()).expect("valid");
        assert!(matches!(event, Some(Event::Descriptor(..))));
        let bytes: &'static [u8] = vec![0x5A; size].leak();
        let mut room = vec![0; size];
        Group {
            name: format!("payload/{name}"),
            unit: "chunk",
            ops: vec![
                Op::new("memcpy", move || {
                    room.copy_from_slice(black_box(bytes));
                    black_box(&room);
                }),
                Op::new("hand_out", move || {
                    let mut chunk = black_box(bytes);
                    let mut len = 0;
                    while let Some(event) = decoder.next_event(&mut chunk).expect("valid") {
                        if let Event::Payload(payload) = event {
                            len += black_box(payload.bytes).len();
                        }
                    }
                    assert_eq!(len, size);
                }),
            ],
        }
    };
    vec![
        chunk("chunk_64KiB", 64 << 10),
        chunk("chunk_4KiB", 4 << 10),
        chunk("chunk_512B", 512),
    ]
}

/// One tensor of 16 MiB in chunks of 64 KiB.
pub fn whole_tensor() -> Vec<Group> {
    let mut stream = tensor(&BIG, &[TENSOR as u64]);
    stream.resize(stream.len() + TENSOR, 0x5A);
    let stream: &'static [u8] = stream.leak();
    let mut copied = vec![0; TENSOR];
    let mut target = vec![0; TENSOR];
    let (mut lender, mut filler) = (Decoder::new(Policy::STRICT), Decoder::new(Policy::STRICT));
    let group = Group {
        name: "tensor/16MiB".into(),
        unit: "tensor",
        ops: vec![
            Op::new("reference", move || assert_eq!(reference(stream), 1)),
            Op::new("memcpy", move || {
                copied.copy_from_slice(&black_box(stream)[stream.len() - TENSOR..]);
                black_box(&copied);
            }),
            Op::new("hand_out", move || {
                assert_eq!(decode(&mut lender, stream, 64 << 10, |_, _| ()), 1);
            }),
            Op::new("copy", move || {
                let copy = |at: usize, bytes: &[u8]| {
                    target[at..at + bytes.len()].copy_from_slice(bytes);
                };
                assert_eq!(decode(&mut filler, stream, 64 << 10, copy), 1);
                black_box(&target);
            }),
        ],
    };
    vec![group]
}

/// Complete streams of one tensor or composite, one byte at a time.
///
/// The reference is polled directly, without a runtime. Its source has the next byte ready whenever it is
/// asked (`reference_ready`), or only after it was asked in vain, as with bytes that arrive one by one and
/// as the push decoder gets them (`reference`, without the cost of real wake-ups).
pub fn single_bytes() -> Vec<Group> {
    let group = |case: Case| {
        let stream: &'static [u8] = case.stream.leak();
        let mut decoder = Decoder::new(Policy::STRICT);
        let tensors = decode(&mut decoder, stream, 1, |_, _| ());
        assert!(reference(stream) > 0 && tensors > 0);
        Group {
            name: format!("bytes/{}", case.name),
            unit: "byte",
            ops: vec![
                fed("reference", stream, true),
                fed("reference_ready", stream, false),
                Op::new("hrry", move || {
                    decode(&mut decoder, black_box(stream), 1, |_, _| ())
                })
                .per(stream.len()),
            ],
        }
    };
    cases::all().into_iter().map(group).collect()
}

fn fed(name: &'static str, stream: &'static [u8], waits: bool) -> Op {
    let run = move || {
        let bytes = black_box(stream);
        read_all(OneByte {
            bytes,
            waits,
            asked: false,
        })
    };
    Op::new(name, run).per(stream.len())
}

/// Pushes a stream and returns how many descriptors were in it.
fn decode(
    decoder: &mut Decoder,
    stream: &[u8],
    size: usize,
    mut take: impl FnMut(usize, &[u8]),
) -> u32 {
    let mut descriptors = 0;
    for chunk in stream.chunks(black_box(size)) {
        let mut chunk = chunk;
        while let Some(event) = decoder.next_event(&mut chunk).expect("valid") {
            match event {
                Event::Descriptor(view, _) => {
                    black_box(&view);
                    descriptors += 1;
                }
                Event::Payload(payload) => take(payload.offset as usize, black_box(payload.bytes)),
                _ => {}
            }
        }
    }
    decoder.finish().expect("complete");
    descriptors
}

fn reference(stream: &[u8]) -> u32 {
    read_all(black_box(stream))
}

/// Reads every item of a stream with the reference and returns how many there were.
pub fn read_all(source: impl AsyncRead + Unpin) -> u32 {
    ready(async {
        let mut reader = StreamReader::new(source);
        let mut items = 0;
        while let Some(item) = reader.next_item().await.expect("valid") {
            black_box(&item);
            items += 1;
        }
        items
    })
}

/// Polls until there is a result, without a runtime.
pub fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
            return result;
        }
    }
}

/// A source that has one byte each time it is asked, or each second time.
struct OneByte<'a> {
    bytes: &'a [u8],
    waits: bool,
    asked: bool,
}

impl AsyncRead for OneByte<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.waits {
            self.asked = !self.asked;
            if self.asked {
                return Poll::Pending;
            }
        }
        if let Some((byte, rest)) = self.bytes.split_first()
            && buf.remaining() > 0
        {
            buf.put_slice(std::slice::from_ref(byte));
            self.bytes = rest;
        }
        Poll::Ready(Ok(()))
    }
}
