//! Messages against lists that were written down by hand, in pieces, and written again byte for byte.

use hrry::message::{
    FixedMessageWriter, FixedMessages, FixedParallel, LinkOptions, MessageBody, MessageEvent,
    Scope, Side,
};
use hrry::{ErrorKind, Field, Policy, Rule, Sink, WriteError, crc32c};

/// Messages of one side, and what they are.
struct Sample {
    told: &'static str,
    bytes: &'static [u8],
    sender: Side,
    scope: Scope,
    /// Type, stream and length of each message, and the checksum of its data.
    messages: &'static [(u32, u32, u32, u32)],
}

const NONE: u32 = 0;

const SAMPLES: [Sample; 5] = [
    Sample {
        told: "messages: the start of a session",
        bytes: include_bytes!("../../vectors/messages/m-ok-session-client.bin"),
        sender: Side::Client,
        scope: Scope::Session,
        messages: &[(1, 1, 25, NONE), (3, 1, 17, NONE), (10, 1, 0, NONE)],
    },
    Sample {
        told: "messages: two tensors on two streams",
        bytes: include_bytes!("../../vectors/messages/m-ok-tensor-interleaved.bin"),
        sender: Side::Server,
        scope: Scope::Tensor,
        messages: &[
            (4, 1, 77, NONE),
            (4, 2, 77, NONE),
            (5, 2, 24, 0x3b0e_2ced),
            (5, 1, 56, 0xef8c_c9e7),
            (6, 1, 0, NONE),
            (5, 2, 40, 0x39c3_43f0),
            (6, 2, 0, NONE),
        ],
    },
    Sample {
        told: "messages: an overlay",
        bytes: include_bytes!("../../vectors/messages/m-ok-composite-overlay.bin"),
        sender: Side::Server,
        scope: Scope::Tensor,
        messages: &[
            (4, 1, 61, NONE),
            (6, 1, 0, NONE),
            (4, 1, 101, NONE),
            (5, 1, 24, 0x0144_e77c),
            (6, 1, 0, NONE),
            (4, 1, 101, NONE),
            (5, 1, 16, 0x0926_a23f),
            (6, 1, 0, NONE),
        ],
    },
    Sample {
        told: "messages: four shards",
        bytes: include_bytes!("../../vectors/messages/m-ok-parallel-4.bin"),
        sender: Side::Server,
        scope: Scope::Tensor,
        messages: &[
            (4, 1, 109, NONE),
            (5, 1, 24, 0x3b0e_2ced),
            (6, 1, 0, NONE),
            (4, 2, 109, NONE),
            (5, 2, 24, 0x3b0e_2ced),
            (6, 2, 0, NONE),
            (4, 3, 109, NONE),
            (5, 3, 24, 0x3b0e_2ced),
            (6, 3, 0, NONE),
            (4, 4, 109, NONE),
            (5, 4, 24, 0x3b0e_2ced),
            (6, 4, 0, NONE),
        ],
    },
    Sample {
        told: "messages: a put",
        bytes: include_bytes!("../../vectors/messages/m-ok-put-transfer.bin"),
        sender: Side::Client,
        scope: Scope::Tensor,
        messages: &[(7, 1, 78, NONE), (5, 1, 56, 0xef8c_c9e7), (6, 1, 0, NONE)],
    },
];

type Parser = FixedMessages<128, 64, 2>;

pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    for sample in &SAMPLES {
        let cuts = [usize::MAX, 1, 5, 64];
        let held = cuts.into_iter().all(|cut| sample.is_listed(cut));
        check(sample.told, held && sample.is_written());
    }
    check("messages: shards fit together", shards(&SAMPLES[3]));
    check("messages: an error and what follows", refused());
}

impl Sample {
    fn link(&self) -> LinkOptions {
        let mut link = LinkOptions::new(self.sender, 1 << 20);
        link.scope = self.scope;
        link
    }

    /// Whether pieces of `cut` bytes give the list.
    fn is_listed(&self, cut: usize) -> bool {
        let mut parser = Parser::new(self.link(), Policy::STRICT);
        let (mut count, mut crc, mut held) = (0, NONE, true);
        for mut chunk in self.bytes.chunks(cut) {
            while let Ok(Some(MessageEvent { header, body })) = parser.next_event(&mut chunk) {
                let Some(&(kind, stream, len, sum)) = self.messages.get(count) else {
                    return false;
                };
                held &= (kind, stream, len)
                    == (
                        header.message_type.0,
                        header.stream_id,
                        header.payload_length,
                    );
                let whole = match body {
                    MessageBody::TensorData { .. } => false,
                    MessageBody::Data(data) => {
                        crc = crc32c(crc, data.bytes);
                        data.last
                    }
                    _ => true,
                };
                if whole {
                    held &= crc == sum;
                    (count, crc) = (count + 1, NONE);
                }
            }
        }
        held && count == self.messages.len() && parser.finish().is_ok()
    }

    /// Whether what was read is written as it was.
    fn is_written(&self) -> bool {
        let mut parser = Parser::new(self.link(), Policy::STRICT);
        let expected = Expected(self.bytes);
        let mut writer = FixedMessageWriter::<_, 64, 2>::new(expected, self.link(), Policy::STRICT);
        let mut chunk = self.bytes;
        while let Ok(Some(event)) = parser.next_event(&mut chunk) {
            if repeat(&mut writer, event).is_err() {
                return false;
            }
        }
        writer.finish().is_ok_and(|left| left.0.is_empty())
    }
}

/// Takes the bytes that are expected, and no others.
struct Expected(&'static [u8]);

impl Sink for Expected {
    type Error = ();

    fn put(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.0 = self.0.strip_prefix(bytes).ok_or(())?;
        Ok(())
    }
}

fn repeat(
    writer: &mut FixedMessageWriter<Expected, 64, 2>,
    MessageEvent { header, body }: MessageEvent<'_, '_>,
) -> Result<(), WriteError<()>> {
    let id = header.stream_id;
    match body {
        MessageBody::ClientHello(hello) => writer.hello(id, &hello),
        MessageBody::TensorRequest(request) => writer.request(id, &request),
        MessageBody::TensorDescriptor(message, _) => {
            let written = writer.descriptor(id, &message.descriptor, message.shard);
            written.map(drop)
        }
        MessageBody::TensorPut(message) => writer.put(id, message.tensor_key, &message.descriptor),
        MessageBody::Data(data) => writer.data(id, data.bytes),
        MessageBody::TensorDataEnd(_) => writer.end(id).map(drop),
        MessageBody::Ping(_) => writer.ping(id),
        _ => Ok(()),
    }
}

fn shards(sample: &Sample) -> bool {
    let mut parser = Parser::new(sample.link(), Policy::STRICT);
    let mut transfer = FixedParallel::<64>::new(Policy::STRICT);
    let mut chunk = sample.bytes;
    while let Ok(Some(event)) = parser.next_event(&mut chunk) {
        if let MessageBody::TensorDescriptor(message, _) = event.body {
            let early = transfer.is_complete();
            if early || transfer.add(&message.descriptor, message.shard).is_err() {
                return false;
            }
        }
    }
    transfer.is_complete() && transfer.finish().is_ok()
}

/// A frame that repeats bytes, and a good message on another stream behind it.
fn refused() -> bool {
    let bytes: &[u8] = include_bytes!("../../vectors/messages/m-bad-data-repeat.bin");
    let ping: &[u8] = &[10, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0];
    let mut link = LinkOptions::new(Side::Server, 1 << 20);
    link.scope = Scope::Tensor;
    let mut parser = Parser::new(link, Policy::STRICT);
    let (mut errors, mut pings) = (0, 0);
    for mut chunk in bytes.chunks(7).chain([ping]) {
        loop {
            match parser.next_event(&mut chunk) {
                Ok(None) => break,
                Ok(Some(event)) => pings += u32::from(matches!(event.body, MessageBody::Ping(_))),
                Err(error) => {
                    let expected = match errors {
                        // a descriptor of 12 + 77 bytes and a frame of 12 + 56
                        0 => (Rule::DataOffset, Field::ByteOffsetInBuffer, 157 + 12),
                        // the end of a stream that is closed
                        _ => (Rule::MessageOrder, Field::MessageType, 157 + 68),
                    };
                    let ErrorKind::Rule(broken) = error.kind() else {
                        return false;
                    };
                    if (broken.rule, broken.field, error.offset()) != expected {
                        return false;
                    }
                    errors += 1;
                    if parser.skip_message().is_err() {
                        return false;
                    }
                }
            }
        }
    }
    (errors, pings) == (2, 1) && parser.finish().is_ok()
}
