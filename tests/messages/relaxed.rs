//! What permissive mode lets pass is told.

use hrry::message::{Capabilities, LinkOptions, MessageBody, MessageParser, Scope, Side};
use hrry::owned::GrowFrame;
use hrry::{ElementType, Field, Outcome, Permissive, Policy, Rule, Violation};

use crate::support::bytes::encode;
use crate::support::messages::{
    Growing, data, descriptor, end, growing, hello, message, put, shards, trace,
};
use crate::support::spec::Plain;
use crate::support::vectors::{messages, permissive};

type Parser = MessageParser<GrowFrame, Growing>;

/// What the messages of an input break, in the order of their events; descriptors left out.
fn told(input: &[u8], size: usize, mut parser: Parser) -> Vec<(Rule, Field)> {
    let mut told = Vec::new();
    for mut chunk in input.chunks(size) {
        while parser.next_event(&mut chunk).unwrap().is_some() {
            parser.relaxed(|Violation { rule, field, .. }| told.push((rule, field)));
        }
    }
    parser.finish().unwrap();
    told
}

fn options(sender: Side, scope: Scope) -> LinkOptions {
    let mut options = LinkOptions::new(sender, 1 << 20);
    options.scope = scope;
    options
}

/// TENSOR_REQUEST of "w" with flags, and bytes behind it.
fn request(flags: u32, tail: &[u8]) -> Vec<u8> {
    let fields = [64, flags].map(u32::to_le_bytes).concat();
    let head = b"\x01\0\0\0w\0\0\0";
    message(3, 1, &[&head[..], &fields, tail].concat())
}

/// uint8 of so many bytes.
fn tensor(len: u64) -> Vec<u8> {
    encode(&Plain::new(ElementType::UInt8, &[len], &[len]))
}

/// Who sends messages that break rules, what holds them together, and what they break: the first one in strict mode
/// too.
type Case = (Side, Scope, Vec<u8>, Vec<(Rule, Field)>);

fn cases() -> Vec<Case> {
    const TAIL: Field = Field::MessageTail;
    const FLAGS: Field = Field::CapabilityFlags;
    const LEN: Field = Field::PayloadLength;
    let tailed = |mut payload: Vec<u8>| {
        payload.push(0);
        payload
    };
    let (client, server) = (Side::Client, Side::Server);
    let (alone, tensors) = (Scope::Message, Scope::Tensor);
    let reserved = (Rule::CapabilityBits, FLAGS);
    let direct = (Rule::GpuDirect, FLAGS);
    let empty = [descriptor(1, &tensor(0), 0), data(1, 0, b""), end(1)].concat();
    let given = [put(1, b"k", &tensor(0), 0), data(1, 5, b""), end(1)].concat();
    let mut cases = vec![
        (
            client,
            alone,
            request(4, b""),
            vec![(Rule::Request, Field::RequestFlags)],
        ),
        (client, alone, request(3, b"?"), vec![(Rule::Request, TAIL)]),
        (
            client,
            alone,
            request(u32::MAX, b"?"),
            vec![(Rule::Request, Field::RequestFlags), (Rule::Request, TAIL)],
        ),
        (
            server,
            alone,
            message(8, 1, b"?"),
            vec![(Rule::NoPayload, LEN)],
        ),
        (server, tensors, empty, vec![(Rule::EmptyData, LEN)]),
        (client, tensors, given, vec![(Rule::EmptyData, LEN)]),
    ];
    for (side, kind) in [(client, 1), (server, 2)] {
        let greeting = |payload: Vec<u8>| message(kind, 1, &payload);
        cases.extend([
            (
                side,
                Scope::Session,
                greeting(hello(1, 1 << 4)),
                vec![reserved],
            ),
            (side, Scope::Session, greeting(hello(1, 8)), vec![direct]),
            (
                side,
                alone,
                greeting(tailed(hello(1, 1 << 63 | 8))),
                vec![(Rule::Hello, TAIL), reserved, direct],
            ),
            (
                side,
                alone,
                message(6, 1, b"?"),
                vec![(Rule::NoPayload, LEN)],
            ),
            (
                side,
                alone,
                message(13, 1, &[0; 9]),
                vec![(Rule::NoPayload, LEN)],
            ),
            (
                side,
                alone,
                message(9, 1, b"\x02\0\0\0\x02\0\0\0no?"),
                vec![(Rule::ErrorText, TAIL)],
            ),
        ]);
    }
    cases
}

#[test]
fn every_rule_that_is_relaxed() {
    let mut seen = vec![Rule::MessagesTorn];
    for (side, scope, bytes, expected) in cases() {
        let parser = |policy| growing(options(side, scope), policy);
        let strict = trace(&bytes, &[], parser(Policy::STRICT));
        let rule = strict.result.unwrap_err().rule();
        assert_eq!(rule, Some(expected[0].0), "{bytes:?}");
        for size in [1, 7, 1000] {
            let told = told(&bytes, size, parser(Policy::PERMISSIVE));
            assert_eq!(told, expected, "{bytes:?}");
        }
        seen.extend(expected.iter().map(|(rule, _)| *rule));
    }
    // no other rule of messages is relaxed, but where the input ends
    let is_relaxed =
        |rule: &&Rule| rule.id().starts_with("MSG-") && rule.permissive() != Permissive::Reject;
    let relaxed: Vec<Rule> = Rule::ALL.iter().filter(is_relaxed).copied().collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen, relaxed);
}

/// A destination is registered where both sides can RDMA and write to destinations; permissive mode takes the
/// second capability without the first, and ignores it.
#[test]
fn gpudirect_alone_is_ignored() {
    let register = {
        let fields = [7, 4].map(u64::to_le_bytes).concat();
        message(12, 1, &[&fields[..], &[0; 4]].concat())
    };
    for (capabilities, rule) in [(0b1100, None), (0b1000, Some(Rule::RdmaOrder))] {
        let mut link = options(Side::Client, Scope::Session);
        link.receiver = Capabilities(0b1100);
        let mut parser = growing(link, Policy::PERMISSIVE);
        let mut greeting = &message(1, 1, &hello(1, capabilities))[..];
        assert!(parser.next_event(&mut greeting).unwrap().is_some());
        parser.await_rdma(1, 4).unwrap();
        let told = parser.next_event(&mut &register[..]);
        assert_eq!(told.err().and_then(|error| error.rule()), rule);
    }
}

/// Half a message is none, and one that was right before is not told of again.
#[test]
fn nothing_is_told_between_events() {
    let link = options(Side::Client, Scope::Message);
    let bytes = [request(3, b""), request(4, b"?")].concat();
    let mut parser = growing(link, Policy::PERMISSIVE);
    let mut told = 0;
    parser.relaxed(|_| told += 1);
    for mut byte in bytes[..bytes.len() - 1].chunks(1) {
        while parser.next_event(&mut byte).unwrap().is_some() {}
        parser.relaxed(|_| told += 1);
    }
    assert_eq!(told, 0);
    // flags and tail, as long as the next message has no byte
    for (mut bytes, more) in [(&b"?"[..], 2), (b"", 2), (b"\x03", 0)] {
        while parser.next_event(&mut bytes).unwrap().is_some() {}
        told = 0;
        parser.relaxed(|_| told += 1);
        assert_eq!(told, more);
    }
}

/// A message that was refused has no event, though it breaks what permissive mode would let pass; one that was told
/// of before the parser was reset has none any more.
#[test]
fn nothing_is_told_of_what_was_skipped_or_forgotten() {
    let link = options(Side::Server, Scope::Tensor);
    let told = |parser: &Parser| {
        let mut told = 0;
        parser.relaxed(|_| told += 1);
        told
    };
    // TENSOR_PUT_ACK with a payload: on stream 0, which is none, and on stream 1
    let (refused, relaxed) = (message(8, 0, b"?"), message(8, 1, b"?"));
    for size in [1, 13] {
        let mut parser = growing(link, Policy::PERMISSIVE);
        let mut errors = 0;
        for mut chunk in refused.chunks(size) {
            while let Err(error) = parser.next_event(&mut chunk) {
                assert_eq!(error.rule(), Some(Rule::StreamId));
                parser.skip_message().unwrap();
                errors += 1;
            }
            assert_eq!(told(&parser), 0);
        }
        assert_eq!((errors, parser.offset()), (1, 13));
    }
    let mut parser = growing(link, Policy::PERMISSIVE);
    let event = parser.next_event(&mut &relaxed[..]).unwrap();
    assert!(event.is_some());
    assert_eq!(told(&parser), 1);
    parser.reset();
    assert_eq!(told(&parser), 0);
    assert!(parser.next_event(&mut &refused[..]).is_err());
    parser.reset();
    assert_eq!(told(&parser), 0);
}

/// What a vector breaks that permissive mode accepts is told, and of those that are right nothing.
#[test]
fn every_vector() {
    let mut relaxed = 0;
    for (v, link) in messages() {
        let policy = permissive(&v.policy);
        let read = trace(&v.bytes, &[], growing(link, policy));
        let is_refused = read.result.is_err() || shards(&read.entries, &policy).is_err();
        if is_refused {
            continue;
        }
        let mut parser = growing(link, policy);
        let mut told = Vec::new();
        let mut chunk = &v.bytes[..];
        while let Some(event) = parser.next_event(&mut chunk).unwrap() {
            let view = match &event.body {
                MessageBody::TensorDescriptor(tensor, _) => Some(tensor.descriptor),
                MessageBody::TensorPut(put) => Some(put.descriptor),
                MessageBody::TensorDataEnd(Outcome::Closed { complete, .. }) => {
                    told.extend(complete.err());
                    None
                }
                _ => None,
            };
            if let Some(view) = view {
                view.relaxed(&policy, |violation| told.push(violation.rule));
            }
            parser.relaxed(|violation| told.push(violation.rule));
        }
        if v.accept {
            assert_eq!(told, [], "{}", v.id);
            continue;
        }
        let named = |rule: &Rule| v.rules.iter().any(|id| rule.id() == id);
        assert!(told.iter().any(named), "{}: {told:?}", v.id);
        relaxed += 1;
    }
    // ten of messages, and three of what they carry
    assert_eq!(relaxed, 13);
}
