//! Messages of one side: the same trace for every way of cutting, nothing lost behind what is skipped, and what
//! is accepted can be written again.
//!
//! The first byte chooses the link.

use std::convert::Infallible;

use hrry::message::{
    FixedMessages, FixedParallel, LinkOptions, MessageBody, MessageEvent, MessageHeader,
    MessageParser, MessageType, MessageWriter, Scope, ShardNumber, Side, StreamSlot, Streams,
};
use hrry::owned::GrowFrame;
use hrry::{Error, Exact, Policy, Sink, Storage, WriteError};

use crate::source::{next, seed};

type Growing = Vec<StreamSlot<Exact, Vec<u64>>>;

/// Everything that a parser said, data joined.
#[derive(Debug, PartialEq)]
struct Trace {
    steps: Vec<Step>,
    end: Result<(), Error>,
    offset: u64,
}

#[derive(Debug, PartialEq)]
enum Step {
    /// What it says, and a descriptor in it.
    Message(MessageHeader, String, Vec<u8>),
    Data(MessageHeader, u64, Vec<u8>),
}

/// Panics where the ways differ.
pub fn messages(data: &[u8]) {
    let Some((first, data)) = data.split_first() else {
        return;
    };
    let link = link(*first);
    let strict = cuts(data, || grow(link, Policy::STRICT));
    let permissive = cuts(data, || grow(link, Policy::PERMISSIVE));
    if strict.end.is_ok() {
        assert_eq!(permissive.end, Ok(()));
        assert_eq!(permissive.steps, strict.steps);
        write(data, link, strict.steps);
    }
    cuts(data, || {
        FixedMessages::<128, 24, 2>::new(link, Policy::STRICT)
    });
    skip(data, grow(link, Policy::STRICT));
    skip(data, grow(link, Policy::PERMISSIVE));
}

/// A limit that many messages are above.
const SMALL: u32 = 64;

fn link(choice: u8) -> LinkOptions {
    let sender = match choice & 1 {
        0 => Side::Client,
        _ => Side::Server,
    };
    let most = match choice & 8 {
        0 => 1 << 20,
        _ => SMALL,
    };
    let mut link = LinkOptions::new(sender, most);
    link.scope = match choice >> 1 & 3 {
        0 => Scope::Message,
        1 => Scope::Session,
        _ => Scope::Tensor,
    };
    link
}

fn places() -> Growing {
    let place = || StreamSlot::with_parts(Exact, Vec::new());
    (0..4).map(|_| place()).collect()
}

fn grow(link: LinkOptions, policy: Policy) -> MessageParser<GrowFrame, Growing> {
    MessageParser::with_parts(GrowFrame::new(), places(), link, policy)
}

/// The trace of the whole input, after comparing it with those of other cuts.
fn cuts<S: Storage, T: Streams>(data: &[u8], parser: impl Fn() -> MessageParser<S, T>) -> Trace {
    let whole = trace(parser(), data, |_| usize::MAX);
    assert!(whole.offset <= data.len() as u64);
    if let Err(error) = whole.end {
        assert!(error.offset() <= data.len() as u64, "{error:?}");
    }
    assert_eq!(whole, trace(parser(), data, |_| 1));
    assert_eq!(whole, trace(parser(), data, |wanted| wanted));
    let mut state = seed(data);
    for most in [4, 64] {
        let cut = |_| 1 + (next(&mut state) % most) as usize;
        assert_eq!(whole, trace(parser(), data, cut));
    }
    whole
}

fn trace<S: Storage, T: Streams>(
    mut parser: MessageParser<S, T>,
    data: &[u8],
    mut cut: impl FnMut(usize) -> usize,
) -> Trace {
    let mut steps = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let wanted = parser.wanted();
        assert!(wanted > 0);
        let (mut chunk, later) = rest.split_at(cut(wanted).min(rest.len()));
        rest = later;
        loop {
            match parser.next_event(&mut chunk) {
                Ok(None) => break assert!(chunk.is_empty()),
                Ok(Some(event)) => note(&mut steps, &event),
                Err(error) => {
                    assert_eq!(parser.next_event(&mut chunk).unwrap_err(), error);
                    assert_eq!(parser.finish(), Err(error));
                    // how much of a refused piece was read depends on the piece
                    let (end, offset) = (Err(error), 0);
                    return Trace { steps, end, offset };
                }
            }
        }
    }
    Trace {
        steps,
        end: parser.finish(),
        offset: parser.offset(),
    }
}

fn note(steps: &mut Vec<Step>, event: &MessageEvent<'_, '_>) {
    let header = event.header;
    let descriptor = match &event.body {
        MessageBody::Data(data) => {
            assert!(!data.bytes.is_empty());
            if let Some(Step::Data(before, offset, bytes)) = steps.last_mut() {
                assert_eq!(*before, header);
                // on its own, a message may say any place
                assert_eq!(data.offset, offset.saturating_add(bytes.len() as u64));
                bytes.extend_from_slice(data.bytes);
            } else {
                steps.push(Step::Data(header, data.offset, data.bytes.to_vec()));
            }
            return;
        }
        MessageBody::TensorDescriptor(message, _) => message.descriptor.as_bytes(),
        MessageBody::TensorPut(message) => message.descriptor.as_bytes(),
        _ => &[],
    };
    let said = format!("{:?}", event.body);
    steps.push(Step::Message(header, said, descriptor.to_vec()));
}

/// Goes on behind every error; all bytes are taken, and errors are no more than messages.
fn skip<S: Storage, T: Streams>(data: &[u8], mut parser: MessageParser<S, T>) {
    let mut transfer = FixedParallel::<32>::new(Policy::STRICT);
    let (mut chunk, mut errors) = (data, 0);
    loop {
        match parser.next_event(&mut chunk) {
            Ok(None) => break,
            Ok(Some(event)) => {
                if let MessageBody::TensorDescriptor(message, _) = event.body
                    && message.shard != ShardNumber::WHOLE
                    && transfer.add(&message.descriptor, message.shard).is_err()
                {
                    transfer.reset();
                }
            }
            Err(error) => {
                errors += 1;
                assert!(errors <= data.len() / 12, "{error:?}");
                assert_eq!(parser.skip_message(), Ok(()));
            }
        }
    }
    assert!(chunk.is_empty());
    assert_eq!(parser.offset(), data.len() as u64);
}

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Sink for Bytes {
    type Error = Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// Writes what a parser accepts. Only frames without data and payloads of PING have no call.
fn write(data: &[u8], link: LinkOptions, read: Vec<Step>) {
    // a HELLO grows by the count of classes that it left out
    if link.scope == Scope::Message || link.max_message_size == SMALL {
        return;
    }
    let mut writer = MessageWriter::with_parts(Bytes::default(), places(), link, Policy::STRICT);
    let mut parser = grow(link, Policy::STRICT);
    let mut chunk = data;
    while let Some(event) = parser.next_event(&mut chunk).expect("it was accepted") {
        repeat(&mut writer, &event).expect("what is read can be written");
    }
    let written = writer.finish().expect("nothing is open").0;
    let again = trace(grow(link, Policy::STRICT), &written, |_| usize::MAX);
    assert_eq!(again.end, Ok(()));
    assert_eq!(without_hollow(again.steps), without_hollow(read));
}

fn repeat(
    writer: &mut MessageWriter<Bytes, Growing>,
    event: &MessageEvent<'_, '_>,
) -> Result<(), WriteError<Infallible>> {
    let id = event.header.stream_id;
    match &event.body {
        MessageBody::ClientHello(hello) | MessageBody::ServerHello(hello) => {
            writer.hello(id, hello)
        }
        MessageBody::TensorRequest(request) => writer.request(id, request),
        MessageBody::TensorDescriptor(message, outcome) => {
            let written = writer.descriptor(id, &message.descriptor, message.shard)?;
            assert_eq!(written, *outcome);
            Ok(())
        }
        MessageBody::TensorPut(message) => writer.put(id, message.tensor_key, &message.descriptor),
        MessageBody::Data(data) => writer.data(id, data.bytes),
        MessageBody::TensorDataEnd(outcome) => {
            assert_eq!(writer.end(id)?, *outcome);
            Ok(())
        }
        MessageBody::TensorPutAck => writer.put_ack(id),
        MessageBody::Error(error) => writer.error(id, error),
        MessageBody::Ping(_) => writer.ping(id),
        MessageBody::Pong(payload) => writer.pong(id, payload),
        MessageBody::RdmaRegister(region) => writer.rdma_register(id, region),
        MessageBody::RdmaReady => writer.rdma_ready(id),
        // its data follows
        _ => Ok(()),
    }
}

/// Without messages that a writer leaves out, and without what it leaves out of a message: the payload of a
/// PING, a minor version and what belongs to it; the lengths that follow from that, and from lists of a HELLO
/// that were left out.
fn without_hollow(steps: Vec<Step>) -> Vec<Step> {
    let hollow = |step: &Step| match step {
        Step::Message(header, ..) => {
            header.message_type == MessageType::TensorData && header.payload_length == 8
        }
        Step::Data(..) => false,
    };
    let mut steps = steps;
    steps.retain(|step| !hollow(step));
    for step in &mut steps {
        if let Step::Message(header, said, descriptor) = step {
            match header.message_type {
                MessageType::Ping => said.clear(),
                MessageType::ClientHello | MessageType::ServerHello => {}
                // that all fields are written is shown by the target of descriptors
                MessageType::TensorDescriptor | MessageType::TensorPut => descriptor.clear(),
                _ => continue,
            }
            header.payload_length = 0;
        }
    }
    steps
}
