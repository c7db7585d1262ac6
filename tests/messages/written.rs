//! What is written: the bytes of the vectors, and of sessions made at random, put together by hand as well.

use hrry::message::{
    Capabilities, ErrorCode, ErrorMessage, Hello, LayoutEntries, LayoutEntry, LinkOptions,
    MessageBody, MessageType, MessageWriter, RdmaRegister, RequestFlags, Scope, ShardNumber, Side,
    TensorRequest,
};
use hrry::{LayoutTag, Policy, WriteError};
use proptest::prelude::*;

use super::script::{Script, Step, interleaved};
use crate::support::bytes;
use crate::support::messages::{
    Entry, Growing, as_wanted, growing, hello, in_chunks, message, places, put, shard, trace,
};
use crate::support::scale::Rng;
use crate::support::sinks::{Full, Limited};
use crate::support::spec::Kind;
use crate::support::vectors::messages;

pub type Writer<'a> = MessageWriter<&'a mut Limited, Growing>;

/// Messages that a writer has no call for, or that are part of an exchange that did not begin.
const BEYOND: &[&str] = &[
    // it always tells of its memory classes, and writes no payload for a PING
    "m-ok-client-hello-no-classes",
    "m-ok-ping-payload",
    // no tensor is open
    "m-ok-at-limit",
    "m-ok-data-end",
    "m-ok-rdma-ready",
    "m-ok-rdma-register-empty-key",
];

/// Writes what was read.
fn repeat(
    writer: &mut Writer<'_>,
    stream_id: u32,
    body: &MessageBody<'_, '_>,
) -> Result<(), WriteError<Full>> {
    match body {
        MessageBody::ClientHello(hello) | MessageBody::ServerHello(hello) => {
            writer.hello(stream_id, hello)
        }
        MessageBody::TensorRequest(request) => writer.request(stream_id, request),
        MessageBody::TensorDescriptor(message, _) => writer
            .descriptor(stream_id, &message.descriptor, message.shard)
            .map(drop),
        MessageBody::TensorPut(message) => {
            writer.put(stream_id, message.tensor_key, &message.descriptor)
        }
        MessageBody::TensorData { .. } => Ok(()),
        MessageBody::Data(data) => writer.data(stream_id, data.bytes),
        MessageBody::TensorDataEnd(_) => writer.end(stream_id).map(drop),
        MessageBody::TensorPutAck => writer.put_ack(stream_id),
        MessageBody::Error(error) => writer.error(stream_id, error),
        MessageBody::Ping(_) => writer.ping(stream_id),
        MessageBody::Pong(payload) => writer.pong(stream_id, payload),
        MessageBody::RdmaRegister(region) => writer.rdma_register(stream_id, region),
        MessageBody::RdmaReady => writer.rdma_ready(stream_id),
        other => panic!("no vector has {other:?}"),
    }
}

#[test]
fn accepted_vectors_are_written_byte_for_byte() {
    let vectors = messages();
    let mut differing = Vec::new();
    for (v, link) in vectors.iter().filter(|(v, _)| v.accept) {
        let mut sink = Limited::unlimited();
        let mut writer = Writer::with_parts(&mut sink, places(16), *link, v.policy);
        let mut parser = growing(*link, v.policy);
        let mut chunk = &v.bytes[..];
        let mut result = Ok(());
        while let Some(event) = parser.next_event(&mut chunk).unwrap() {
            result = result.and(repeat(&mut writer, event.header.stream_id, &event.body));
        }
        if result.is_err() || sink.bytes != v.bytes {
            differing.push(v.id.as_str());
        }
    }
    differing.sort_unstable();
    let mut beyond = BEYOND.to_vec();
    beyond.sort_unstable();
    assert_eq!(differing, beyond);
}

/// A writer, the bytes that it should have written, and the most that its peer takes.
struct Session<'a> {
    writer: Writer<'a>,
    expected: Vec<u8>,
    most: usize,
}

impl Session<'_> {
    /// One call, and what it stands for.
    fn step(&mut self, stream_id: u32, step: &Step, rng: &mut Rng) {
        let kind = [Kind::Native, Kind::Le][rng.below(2)];
        let writer = &mut self.writer;
        match step {
            Step::Begin(plain, number) => {
                let [index, total] = *number;
                let begun = plain.lend(kind, |spec| {
                    writer.descriptor(stream_id, spec, ShardNumber { index, total })
                });
                begun.unwrap();
                let bytes = bytes::encode(plain);
                let total = plain.buffers.iter().map(|buffer| buffer.byte_size).sum();
                self.expected
                    .extend(shard(stream_id, &bytes, total, *number));
            }
            Step::Put(key, plain) => {
                plain
                    .lend(kind, |spec| writer.put(stream_id, key, spec))
                    .unwrap();
                let bytes = bytes::encode(plain);
                let total = plain.buffers.iter().map(|buffer| buffer.byte_size).sum();
                self.expected
                    .extend(put(stream_id, key.as_bytes(), &bytes, total));
            }
            Step::Data(offset, bytes) => {
                writer.data(stream_id, bytes).unwrap();
                let mut offset = *offset;
                for frame in bytes.chunks(self.most - 8) {
                    let frame_bytes = crate::support::messages::data(stream_id, offset, frame);
                    self.expected.extend(frame_bytes);
                    offset += frame.len() as u64;
                }
            }
            Step::End => {
                writer.end(stream_id).unwrap();
                self.expected.extend(message(6, stream_id, b""));
            }
            Step::Ack => {
                writer.put_ack(stream_id).unwrap();
                self.expected.extend(message(8, stream_id, b""));
            }
            Step::Error(code, text) => {
                let error = ErrorMessage {
                    error_code: ErrorCode(*code),
                    message: text,
                };
                writer.error(stream_id, &error).unwrap();
                let head = [*code, text.len() as u32].map(u32::to_le_bytes).concat();
                let payload = [&head, text.as_bytes()].concat();
                self.expected.extend(message(9, stream_id, &payload));
            }
            Step::Ping => {
                writer.ping(stream_id).unwrap();
                self.expected.extend(message(10, stream_id, b""));
            }
            Step::Pong(payload) => {
                writer.pong(stream_id, payload).unwrap();
                self.expected.extend(message(11, stream_id, payload));
            }
            Step::Register(len, rkey) => {
                let region = RdmaRegister {
                    remote_addr: 1 << 40,
                    length: *len,
                    rkey,
                };
                writer.rdma_register(stream_id, &region).unwrap();
                let numbers = [1 << 40, *len].map(u64::to_le_bytes).concat();
                let key_len = (rkey.len() as u32).to_le_bytes();
                let payload = [&numbers[..], &key_len, rkey].concat();
                self.expected.extend(message(12, stream_id, &payload));
            }
            Step::Private(kind, payload) => {
                writer
                    .private(MessageType(*kind), stream_id, payload)
                    .unwrap();
                self.expected.extend(message(*kind, stream_id, payload));
            }
            Step::Request(key) => {
                let metadata = [1, 2, 3];
                let layouts = [
                    LayoutEntry::new(LayoutTag::Csr),
                    LayoutEntry {
                        tag: LayoutTag(0xF0),
                        metadata: &metadata,
                    },
                ];
                let request = TensorRequest {
                    preferred_layouts: LayoutEntries::new(&layouts),
                    request_flags: RequestFlags::ALLOW_TRANSCODE.or(RequestFlags::PARALLEL_OK),
                    ..TensorRequest::new(key)
                };
                writer.request(stream_id, &request).unwrap();
                let lists = [2, 0, 7, 0xF0, 3, 0, 1, 2, 3, 0, 64, 0, 0, 0, 3, 0, 0, 0];
                let key_len = (key.len() as u32).to_le_bytes();
                let payload = [&key_len, key.as_bytes(), &lists].concat();
                self.expected.extend(message(3, stream_id, &payload));
            }
        }
    }
}

static AGREED: hrry::Agreements = {
    let mut agreements = hrry::Agreements::NONE;
    agreements.message_types = &[0xF0, 0xFE];
    agreements
};

/// A session of one side over several streams: the writer writes what was put together by hand, and a parser
/// reads it back, in whatever pieces.
fn session(seed: u64, sender: Side, most: usize) {
    let mut rng = Rng(seed);
    let mut policy = Policy::STRICT;
    policy.agreements = &AGREED;
    let mut link = LinkOptions::new(sender, u32::MAX);
    link.receiver = Capabilities::RDMA_DATA_PLANE;
    let capabilities = Capabilities::RDMA_DATA_PLANE.or(Capabilities::PARALLEL_STREAMS);
    let scripts: Vec<Script> = (0..1 + rng.below(4))
        .map(|k| Script::new(sender, 1 + 7 * k as u32, &mut rng))
        .collect();

    let mut sink = Limited::unlimited();
    let mut session = Session {
        writer: Writer::with_parts(&mut sink, places(4), link, policy),
        expected: Vec::new(),
        most,
    };
    let greeting = Hello {
        capabilities,
        ..Hello::new(1 << 20)
    };
    session.writer.hello(9, &greeting).unwrap();
    let kind = if sender == Side::Client { 1 } else { 2 };
    session.expected.extend(message(kind, 9, &hello(1, 6)));
    let mut peer = Hello::new(u32::MAX);
    peer.capabilities = Capabilities::RDMA_DATA_PLANE;
    peer.memory_classes = &[0, 1, 2, 3];
    for (stream_id, step) in interleaved(&scripts, &mut rng) {
        // the limit is for data alone, since nothing else is cut
        peer.max_message_size = match step {
            Step::Data(..) => most as u32,
            _ => u32::MAX,
        };
        session.writer.meet(&peer);
        session.step(stream_id, step, &mut rng);
    }
    let Session {
        writer, expected, ..
    } = session;
    writer.finish().unwrap();
    assert_eq!(sink.bytes, expected);

    let whole = trace(&expected, &[], growing(link, policy));
    assert_eq!(whole.result, Ok(()));
    assert_eq!(
        trace(&expected, &rng.cuts(expected.len()), growing(link, policy)),
        whole
    );
    assert_eq!(in_chunks(&expected, 1, growing(link, policy)), whole);
    assert_eq!(as_wanted(&expected, growing(link, policy)), whole);
    for script in &scripts {
        let arrived: Vec<u8> = whole
            .entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::Data { header, bytes, .. } if header.stream_id == script.stream_id => {
                    Some(bytes.as_slice())
                }
                _ => None,
            })
            .flatten()
            .copied()
            .collect();
        assert_eq!(arrived, script.data());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sessions_are_written_and_read_back(seed: u64, client: bool, most in 9usize..100) {
        let sender = if client { Side::Client } else { Side::Server };
        session(seed, sender, most);
    }
}

/// Nothing but data is cut, down to one byte in a message.
#[test]
fn data_is_cut_to_what_the_peer_takes() {
    let mut link = LinkOptions::new(Side::Server, 1 << 20);
    link.scope = Scope::Tensor;
    let plain = crate::support::spec::Plain::new(hrry::ElementType::UInt8, &[5], &[5]);
    for (most, frames) in [(9, 5), (10, 3), (12, 2), (13, 1), (14, 1)] {
        let mut sink = Limited::unlimited();
        let mut writer = Writer::with_parts(&mut sink, places(1), link, Policy::STRICT);
        let begun = plain.lend(Kind::Native, |spec| {
            writer.descriptor(1, spec, ShardNumber::WHOLE)
        });
        begun.unwrap();
        writer.meet(&Hello::new(most));
        writer.data(1, b"abcde").unwrap();
        writer.end(1).unwrap();
        writer.finish().unwrap();
        assert_eq!(sink.bytes.len(), 12 + 53 + 16 + frames * 20 + 5 + 12);
        let mut parts = Vec::new();
        for entry in trace(&sink.bytes, &[], growing(link, Policy::STRICT)).entries {
            if let Entry::Data { bytes, .. } = entry {
                assert!(bytes.len() + 8 <= most as usize);
                parts.extend(bytes);
            }
        }
        assert_eq!(parts, b"abcde");
    }
}
