//! Exchanges of two sides: memory for RDMA, private messages, shards on several streams.

use hrry::message::{
    Capabilities, ErrorCode, Hello, LinkOptions, MessageBody, MessageParser, RdmaRegister, Scope,
    Side, StreamSlot, Streams,
};
use hrry::{
    Agreements, ElementType, ErrorKind, Field, LayoutTag, Policy, Resource, Rule, Violation,
};

use super::written::Writer;
use crate::support::bytes;
use crate::support::messages::{
    Entry, descriptor, end, growing, hello, in_chunks, message, places, trace,
};
use crate::support::sinks::Limited;
use crate::support::spec::Plain;

fn tensor(len: u64) -> Plain {
    Plain::new(ElementType::UInt8, &[len], &[len])
}

fn region(length: u64) -> RdmaRegister<'static> {
    RdmaRegister {
        remote_addr: 7,
        length,
        rkey: b"key",
    }
}

const BOTH: Capabilities = Capabilities::RDMA_DATA_PLANE.or(Capabilities::RDMA_GPUDIRECT);

pub const fn violation(rule: Rule, field: Field) -> ErrorKind {
    let index = 0;
    ErrorKind::Rule(Violation { rule, field, index })
}

/// A client with some capabilities that talks to a server with some.
fn client(receiver: Capabilities) -> LinkOptions {
    let mut link = LinkOptions::new(Side::Client, 1 << 20);
    link.receiver = receiver;
    link
}

/// What both ends say of calls of a client that awaits a tensor of eight bytes: its writer, and the parser of
/// its peer. The number of calls that succeed, and why the next one does not.
fn awaiting(
    sender: Capabilities,
    receiver: Capabilities,
    calls: &[Option<u64>],
) -> (usize, Option<ErrorKind>) {
    let link = client(receiver);
    let mut sink = Limited::unlimited();
    let mut writer = Writer::with_parts(&mut sink, places(1), link, Policy::STRICT);
    let greeting = Hello {
        capabilities: sender,
        ..Hello::new(1 << 20)
    };
    writer.hello(3, &greeting).unwrap();
    writer.await_rdma(5, 8).unwrap();
    let mut bytes = message(1, 3, &hello(1, sender.0));
    let mut done = (0, None);
    for call in calls {
        let result = match call {
            Some(length) => writer.rdma_register(5, &region(*length)),
            None => writer.rdma_ready(5),
        };
        bytes.extend(match call {
            Some(length) => {
                let numbers = [7, *length].map(u64::to_le_bytes).concat();
                message(12, 5, &[&numbers[..], b"\x03\0\0\0key"].concat())
            }
            None => message(13, 5, b""),
        });
        match result {
            Ok(()) => done.0 += 1,
            Err(hrry::WriteError::Refused(kind)) => {
                done.1 = Some(kind);
                break;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    let mut parser = growing(link, Policy::STRICT);
    parser.await_rdma(5, 8).unwrap();
    let read = trace(&bytes, &[], parser);
    let refused = read.result.err().map(|error| error.kind());
    assert_eq!((read.entries.len() - 1, refused), done, "both ends agree");
    if refused.is_none() {
        assert_eq!(sink.bytes, bytes);
    }
    done
}

#[test]
fn memory_at_the_destination() {
    let turn = Some(violation(Rule::RdmaOrder, Field::MessageType));
    let length = Some(violation(Rule::RdmaRegister, Field::RegisteredLength));
    let (plane, none) = (Capabilities::RDMA_DATA_PLANE, Capabilities::NONE);
    for (sender, receiver, calls, result) in [
        (BOTH, BOTH, &[Some(8), None][..], (2, None)),
        (BOTH, BOTH, &[None], (1, None)),
        (BOTH, BOTH, &[Some(8), Some(8)], (1, turn)),
        (BOTH, BOTH, &[Some(9)], (0, length)),
        (BOTH, BOTH, &[None, None], (1, turn)),
        (BOTH, BOTH, &[None, Some(8)], (1, turn)),
        // without memory of its own, the destination can be ready
        (BOTH, plane, &[None], (1, None)),
        (plane, BOTH, &[None], (1, None)),
        (BOTH, plane, &[Some(8)], (0, turn)),
        (plane, BOTH, &[Some(8)], (0, turn)),
        (none, BOTH, &[None], (0, turn)),
        (BOTH, none, &[None], (0, turn)),
    ] {
        assert_eq!(awaiting(sender, receiver, calls), result, "{calls:?}");
    }
}

#[test]
fn what_can_be_awaited() {
    let mut link = LinkOptions::new(Side::Server, 1 << 20);
    link.scope = Scope::Tensor;
    let mut parser = growing(link, Policy::STRICT);
    let stream = violation(Rule::StreamId, Field::StreamId);
    assert_eq!(parser.await_rdma(0, 8), Err(stream));
    let open = descriptor(1, &bytes::encode(&tensor(8)), 8);
    parser.next_event(&mut &open[..]).unwrap();
    let order = violation(Rule::MessageOrder, Field::MessageType);
    assert_eq!(parser.await_rdma(1, 8), Err(order));
    assert_eq!(parser.await_rdma(2, 8), Ok(()));
    assert_eq!(parser.await_rdma(2, 8), Err(order));
    parser.close_stream(2);
    assert_eq!(parser.await_rdma(2, 8), Ok(()));
    // nothing of its own sender is open there
    parser.close_stream(1);
    assert_eq!(parser.finish(), Ok(()));
    // a stream is one composite's until that closes
    let head = hrry::CompositeHead {
        composition_rule: hrry::CompositionRule::Group,
        combine_op: hrry::CombineOp::None,
        member_count: 1,
    };
    let head = bytes::encode(&Plain::head(ElementType::UInt8, &[8], head));
    let between = [descriptor(4, &head, 0), end(4)].concat();
    let mut chunk = &between[..];
    while parser.next_event(&mut chunk).unwrap().is_some() {}
    assert_eq!(parser.await_rdma(4, 8), Err(order));
    let mut few = MessageParser::with_parts([0; 8], places(1), link, Policy::STRICT);
    assert_eq!(few.await_rdma(2, 8), Ok(()));
    let capacity = ErrorKind::Capacity {
        what: Resource::Streams,
        needed: 2,
        available: 1,
    };
    assert_eq!(few.await_rdma(3, 8), Err(capacity));
}

#[test]
fn memory_at_the_source_and_data_all_the_same() {
    let mut link = LinkOptions::new(Side::Server, 1 << 20);
    link.scope = Scope::Tensor;
    let begun = descriptor(1, &bytes::encode(&tensor(4)), 4);
    let numbers = [0, 4].map(u64::to_le_bytes).concat();
    let register = message(12, 1, &[&numbers[..], &[0; 4]].concat());
    let data = |offset: u64, bytes| crate::support::messages::data(1, offset, bytes);
    let read = |parts: &[Vec<u8>]| {
        let result = trace(&parts.concat(), &[], growing(link, Policy::STRICT)).result;
        result.map_err(|error| error.rule())
    };
    let (begun, end) = (|| begun.clone(), || end(1));
    assert_eq!(read(&[begun(), register.clone(), end()]), Ok(()));
    assert_eq!(
        read(&[begun(), register.clone(), data(0, b"four"), end()]),
        Ok(())
    );
    // half of it came
    let half = [begun(), register, data(0, b"ha"), end()];
    assert_eq!(read(&half), Err(Some(Rule::DataTotal)));
    assert_eq!(read(&[begun(), end()]), Err(Some(Rule::DataTotal)));
}

#[test]
fn private_messages() {
    static AGREED: Agreements = {
        let mut agreements = Agreements::NONE;
        agreements.message_types = &[0xF1];
        agreements
    };
    let mut policy = Policy::STRICT;
    policy.agreements = &AGREED;
    let mut link = LinkOptions::new(Side::Client, 8);
    link.scope = Scope::Tensor;
    let input = [
        message(0xF1, 1, b""),
        message(0xF1, 2, b"private"),
        message(0xF1, 3, b""),
    ];
    let input = input.concat();
    let whole = trace(&input, &[], growing(link, policy));
    assert_eq!(whole.result, Ok(()));
    let said: Vec<(&str, u32)> = whole
        .entries
        .iter()
        .map(|entry| match entry {
            Entry::Message { name, header, .. } => (*name, header.stream_id),
            Entry::Data {
                header,
                bytes,
                offset,
                complete,
            } => {
                assert_eq!((&bytes[..], *offset, *complete), (&b"private"[..], 0, true));
                ("data", header.stream_id)
            }
        })
        .collect();
    assert_eq!(
        said,
        [("PRIVATE", 1), ("PRIVATE", 2), ("data", 2), ("PRIVATE", 3)]
    );
    for size in 1..20 {
        assert_eq!(in_chunks(&input, size, growing(link, policy)), whole);
    }
    // the receiver's limit holds for them, and nobody agreed on others
    let refused = |input: &[u8]| trace(input, &[], growing(link, policy)).result.unwrap_err();
    assert_eq!(
        refused(&message(0xF1, 1, &[0; 9])).rule(),
        Some(Rule::MessageSize)
    );
    assert_eq!(
        refused(&message(0xF2, 1, b"")).rule(),
        Some(Rule::MessageType)
    );
    // in a session, after the HELLO
    link.scope = Scope::Session;
    let early = trace(&message(0xF1, 1, b""), &[], growing(link, policy));
    assert_eq!(early.result.unwrap_err().rule(), Some(Rule::HelloFirst));
}

/// Frame and streams that are lent, of which nobody knows the number in advance.
#[test]
fn borrowed_storage() {
    let mut link = LinkOptions::new(Side::Server, 1 << 20);
    link.scope = Scope::Tensor;
    let mut frame = [0; 100];
    let mut streams = places(3);
    let input = [
        descriptor(1, &bytes::encode(&tensor(0)), 0),
        descriptor(2, &bytes::encode(&tensor(0)), 0),
        end(1),
        end(2),
    ];
    let (frame, lent) = (&mut frame[..], &mut streams[..]);
    let mut parser = MessageParser::with_parts(frame, lent, link, Policy::STRICT);
    let input = input.concat();
    let mut chunk = &input[..];
    let mut count = 0;
    while parser.next_event(&mut chunk).unwrap().is_some() {
        count += 1;
    }
    assert_eq!((count, parser.finish()), (4, Ok(())));
    assert_eq!(streams.slots().len(), 3);
    let _: StreamSlot<hrry::Exact, hrry::InlineArena<8>> = StreamSlot::default();
}

#[test]
fn what_became_known_of_the_peer_holds_from_then_on() {
    let mut link = LinkOptions::new(Side::Server, 1 << 20);
    link.client_version = 1;
    let second = message(2, 1, &hello(2, 0));
    let mut parser = growing(link, Policy::STRICT);
    let error = parser.next_event(&mut &second[..]).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::ProtocolVersion));
    assert_eq!(
        ErrorCode::of(&error.kind()),
        ErrorCode::ProtocolVersionMismatch
    );
    let mut parser = growing(link, Policy::STRICT);
    parser.meet(&Hello {
        protocol_version: 2,
        capabilities: Capabilities::TRANSCODING,
        ..Hello::new(24)
    });
    link.client_version = 2;
    link.max_message_size = 24;
    link.receiver = Capabilities::TRANSCODING;
    assert_eq!(*parser.options(), link);
    let mut chunk = &second[..];
    let event = parser.next_event(&mut chunk).unwrap().unwrap();
    let MessageBody::ServerHello(hello) = event.body else {
        panic!("a HELLO");
    };
    assert_eq!(hello.protocol_version, 2);
    assert!(!hello.layouts.has(LayoutTag::RowMajor));
    let error = parser
        .next_event(&mut &message(10, 1, &[0; 25])[..])
        .unwrap_err();
    assert_eq!(ErrorCode::of(&error.kind()), ErrorCode::MessageTooLarge);
    parser.skip_message().unwrap();
    let error = trace(&[vec![0; 25], end(1)].concat(), &[], parser)
        .result
        .unwrap_err();
    assert_eq!(ErrorCode::of(&error.kind()), ErrorCode::InvalidMessage);
}

/// Who sends stays as it was; a server's version says nothing of the client that sends to it.
#[test]
fn what_a_server_says_of_itself() {
    let mut link = LinkOptions::new(Side::Client, 1 << 20);
    let mut parser = growing(link, Policy::STRICT);
    parser.meet(&Hello {
        protocol_version: 7,
        ..Hello::new(9)
    });
    link.max_message_size = 9;
    assert_eq!(*parser.options(), link);
    let LinkOptions {
        sender,
        client_version,
        ..
    } = *parser.options();
    assert_eq!((sender, client_version), (Side::Client, 1));
}
