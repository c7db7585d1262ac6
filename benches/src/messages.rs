//! Messages beside the bare stream of the same tensors: what the frames cost.

use std::hint::black_box;

use hrry::message::{FixedMessageWriter, FixedMessages, LinkOptions, Scope, ShardNumber, Side};
use hrry::{BufferHandle, DescriptorSpec, ElementType, FixedDecoder, Layout, Policy, Sink};

use crate::cases::bytes_of;
use crate::measure::{Group, Op};

/// Tensors in a run.
const COUNT: usize = 1000;

struct Bytes(Vec<u8>);

impl Sink for Bytes {
    type Error = std::convert::Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// Tensors of the README's first example and larger ones, in chunks of 64 KiB.
pub fn groups() -> Vec<Group> {
    vec![group("48B", 48), group("4KiB", 4096)]
}

fn group(name: &str, size: u64) -> Group {
    let buffers = [BufferHandle::cpu(size, 64)];
    let shape = [size / 4];
    let spec = DescriptorSpec::new(ElementType::Float32, &shape, Layout::RowMajor, &buffers);
    let payload = vec![0x5A; usize::try_from(size).expect("small")];
    let one = [bytes_of(&spec), payload.clone()].concat();
    let stream: &'static [u8] = one.repeat(COUNT).leak();

    let mut options = LinkOptions::new(Side::Server, 1 << 20);
    options.scope = Scope::Tensor;
    let mut writer = FixedMessageWriter::<_, 64>::new(Bytes(Vec::new()), options, Policy::STRICT);
    for _ in 0..COUNT {
        writer
            .descriptor(1, &spec, ShardNumber::WHOLE)
            .expect("valid");
        writer.data(1, &payload).expect("valid");
        writer.end(1).expect("valid");
    }
    let messages: &'static [u8] = writer.finish().expect("whole").0.leak();

    let mut decoder = FixedDecoder::<256, 64>::new(Policy::STRICT);
    let mut parser = FixedMessages::<256, 64>::new(options, Policy::STRICT);
    let mut room = vec![0; messages.len()];
    Group {
        name: format!("messages/{name}"),
        unit: "tensor",
        ops: vec![
            Op::new("stream", move || {
                for mut chunk in black_box(stream).chunks(64 << 10) {
                    while let Some(event) = decoder.next_event(&mut chunk).expect("valid") {
                        black_box(&event);
                    }
                }
            })
            .per(COUNT),
            Op::new("messages", move || {
                for mut chunk in black_box(messages).chunks(64 << 10) {
                    while let Some(event) = parser.next_event(&mut chunk).expect("valid") {
                        black_box(&event);
                    }
                }
            })
            .per(COUNT),
            Op::new("memcpy", move || {
                room.copy_from_slice(black_box(messages));
                black_box(&room);
            })
            .per(COUNT),
        ],
    }
}
