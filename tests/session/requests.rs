//! Tensors that a client asks for.

use hrry::message::{ErrorCode, TensorRequest};
use hrry::{
    CombineOp, CompositeHead, CompositionRule, ElementType, ErrorKind, Resource, Rule, WriteError,
};

use super::side::{Party, STREAMS, Seen, described, error, request, rule, tensor};
use crate::support::bytes::encode;
use crate::support::messages::{data, descriptor, end, message};
use crate::support::spec::Plain;

fn asked(client: &mut Party, key: &str) -> u32 {
    client.session.request(&TensorRequest::new(key)).unwrap()
}

#[test]
fn an_unknown_tensor() {
    let mut server = Party::server();
    assert_eq!(
        server.feed(&request(3, "nobody", 0)),
        [Seen::Requested(3, "nobody".into())]
    );
    assert_eq!(server.missing(), Some(Rule::MessageOrder));
    server.refuse(3, ErrorCode::UnknownTensor).unwrap();
    assert_eq!(server.sent(), error(3, 2, "no"));
    assert_eq!(server.missing(), None);
    assert_eq!(
        rule(server.refuse(3, ErrorCode::UnknownTensor)),
        Some(Rule::MessageOrder)
    );

    let mut client = Party::client();
    assert_eq!(asked(&mut client, "nobody"), 1);
    assert_eq!(client.sent(), request(1, "nobody", 0));
    assert_eq!(client.missing(), Some(Rule::MessageOrder));
    assert_eq!(
        client.feed(&error(1, 2, "no")),
        [Seen::Failed(1, 2, "no".into())]
    );
    assert_eq!(client.missing(), None);
    assert_eq!(client.sent(), b"");
    // a code that nobody knows is a failure all the same
    assert_eq!(asked(&mut client, ""), 2);
    let seen = client.feed(&error(2, 0xDEAD, "ß"));
    assert_eq!(seen, [Seen::Failed(2, 0xDEAD, "ß".into())]);
}

/// What a server sends for a tensor, and what a client tells of that.
#[test]
fn tensors_without_and_with_data() {
    let three = Plain::new(ElementType::UInt8, &[0], &[0]);
    let cases = [
        (tensor(5), b"hello".to_vec()),
        (three, vec![]),
        (
            // values and indices of a list of coordinates
            Plain::new(ElementType::UInt8, &[9], &[2, 16]).with_layout(
                crate::support::spec::PlainLayout::Coo {
                    nnz: 2,
                    is_sorted: true,
                },
            ),
            (0..18).collect(),
        ),
    ];
    for (plain, bytes) in cases {
        let described = encode(&plain);
        let total = bytes.len() as u64;
        let mut server = Party::server();
        server.feed(&request(3, "w", 0));
        server.answer(3, &plain).unwrap();
        server.session.data(3, &bytes).unwrap();
        server.session.end(3).unwrap();
        let mut expected = descriptor(3, &described, total);
        if total > 0 {
            expected.extend(data(3, 0, &bytes));
        }
        expected.extend(end(3));
        let sent = server.sent();
        assert_eq!(sent, expected);
        assert_eq!(server.missing(), None);

        let mut client = Party::client();
        client.session.request(&TensorRequest::new("a")).unwrap();
        client.session.request(&TensorRequest::new("b")).unwrap();
        client.session.request(&TensorRequest::new("w")).unwrap();
        for dropped in [1, 2] {
            client.feed(&error(dropped, 2, ""));
        }
        let mut told = vec![Seen::Tensor(3, described, [0, 1])];
        if total > 0 {
            told.push(Seen::Data(3, 0, bytes));
        }
        told.push(Seen::End(3));
        assert_eq!(client.feed(&sent), told);
        assert_eq!(client.missing(), None);
    }
}

fn head(rule: CompositionRule, combine_op: CombineOp, members: u32) -> Plain {
    let head = CompositeHead {
        composition_rule: rule,
        combine_op,
        member_count: members,
    };
    Plain::head(ElementType::UInt8, &[4], head)
}

fn part(len: u64, offset: u64, role: Option<u8>) -> Plain {
    let mut part = tensor(len).with_shard(&[4], &[offset]);
    part.member_role = role;
    part
}

/// Items with so many bytes each, one after the other on one stream.
fn composite(items: &[(Plain, u64)]) {
    let mut server = Party::server();
    let mut client = Party::client();
    asked(&mut client, "c");
    server.feed(&client.sent());
    let mut expected = Vec::new();
    let mut told = Vec::new();
    for (k, (plain, len)) in items.iter().enumerate() {
        let bytes = vec![k as u8; *len as usize];
        // nothing is over before the last member
        assert_eq!(server.missing(), Some(Rule::MessageOrder));
        server.answer(1, plain).unwrap();
        server.session.data(1, &bytes).unwrap();
        server.session.end(1).unwrap();
        expected.extend(descriptor(1, &encode(plain), *len));
        told.push(Seen::Tensor(1, encode(plain), [0, 1]));
        if *len > 0 {
            expected.extend(data(1, 0, &bytes));
            told.push(Seen::Data(1, 0, bytes));
        }
        expected.extend(end(1));
        told.push(Seen::End(1));
    }
    assert_eq!(server.missing(), None);
    assert_eq!(rule(server.answer(1, &tensor(1))), Some(Rule::MessageOrder));
    let sent = server.sent();
    assert_eq!(sent, expected);
    // cut anywhere, it is not whole
    let whole = sent.len();
    for len in 0..whole {
        let mut client = Party::client();
        asked(&mut client, "c");
        client.feed(&sent[..len]);
        assert!(client.session.finish().is_err(), "{len}");
    }
    assert_eq!(client.feed(&sent), told);
    assert_eq!(client.missing(), None);
    assert_eq!(client.sent(), b"");
}

#[test]
fn composites_on_the_stream_of_their_request() {
    let partition = head(CompositionRule::Partition, CombineOp::None, 2);
    composite(&[
        (partition.clone(), 0),
        (part(1, 0, None), 1),
        (part(3, 1, None), 3),
    ]);
    let overlay = head(CompositionRule::Overlay, CombineOp(1), 2);
    composite(&[
        (overlay, 0),
        (part(4, 0, Some(1)), 4),
        (part(2, 1, Some(0)), 2),
    ]);
    let group = head(CompositionRule::Group, CombineOp::None, 3);
    composite(&[
        (group.clone(), 0),
        (tensor(2), 2),
        // a partition inside a group
        (partition, 0),
        (part(2, 2, None), 2),
        (part(2, 0, None), 2),
        (tensor(0), 0),
    ]);
    composite(&[(head(CompositionRule::Group, CombineOp::None, 0), 0)]);
}

/// A member that does not fit closes the stream; the link goes on.
#[test]
fn a_member_that_overlaps() {
    let mut client = Party::client();
    asked(&mut client, "c");
    client.sent();
    let mut bytes = descriptor(
        1,
        &encode(&head(CompositionRule::Partition, CombineOp::None, 2)),
        0,
    );
    bytes.extend(end(1));
    for _ in 0..2 {
        bytes.extend(descriptor(1, &encode(&part(2, 0, None)), 2));
        bytes.extend(data(1, 0, b"ab"));
        bytes.extend(end(1));
    }
    let seen = client.feed(&bytes);
    assert_eq!(
        seen.last(),
        Some(&Seen::Refused(1, Rule::from_id("COMP-42")))
    );
    assert_eq!(client.sent(), error(1, 6, "COMP-42"));
    assert_eq!(client.missing(), None);
    assert_eq!(asked(&mut client, "again"), 2);
}

/// Several at once: frames of streams in any order, on all streams that there are.
#[test]
fn interleaved_requests() {
    let mut client = Party::client();
    let mut server = Party::server();
    let streams: Vec<u32> = (0..STREAMS)
        .map(|k| asked(&mut client, &k.to_string()))
        .collect();
    assert_eq!(streams, [1, 2, 3, 4]);
    let requests = client.sent();
    let seen = server.feed(&requests);
    let told = |k: usize| Seen::Requested(streams[k], k.to_string());
    assert_eq!(seen, (0..STREAMS).map(told).collect::<Vec<_>>());
    for id in &streams {
        server.answer(*id, &tensor(4)).unwrap();
    }
    for half in 0..2 {
        for id in streams.iter().rev() {
            server.session.data(*id, &[*id as u8, half]).unwrap();
        }
    }
    for id in [3, 1, 4, 2] {
        server.session.end(id).unwrap();
    }
    assert_eq!(server.missing(), None);
    let seen = client.feed(&server.sent());
    let of = |id: u32| -> Vec<Seen> {
        let is_of = |seen: &&Seen| match seen {
            Seen::Tensor(stream, ..) | Seen::Data(stream, ..) | Seen::End(stream) => *stream == id,
            _ => false,
        };
        seen.iter().filter(is_of).cloned().collect()
    };
    for id in streams {
        let byte = id as u8;
        let told = [
            Seen::Tensor(id, described(4), [0, 1]),
            Seen::Data(id, 0, vec![byte, 0]),
            Seen::Data(id, 2, vec![byte, 1]),
            Seen::End(id),
        ];
        assert_eq!(of(id), told);
    }
    let ends: Vec<&Seen> = seen
        .iter()
        .filter(|seen| matches!(seen, Seen::End(_)))
        .collect();
    assert_eq!(
        ends,
        [&Seen::End(3), &Seen::End(1), &Seen::End(4), &Seen::End(2)]
    );
    assert_eq!(client.missing(), None);
}

#[test]
fn one_request_more_than_there_is_room_for() {
    let mut client = Party::client();
    for _ in 0..STREAMS {
        asked(&mut client, "w");
    }
    let full = client.session.request(&TensorRequest::new("w"));
    let capacity = ErrorKind::Capacity {
        what: Resource::Streams,
        needed: 5,
        available: 4,
    };
    assert_eq!(full, Err(WriteError::Refused(capacity)));
    // one that is over makes room; its number is not taken again
    client.feed(&error(2, 2, ""));
    assert_eq!(asked(&mut client, "w"), 5);

    let mut server = Party::server();
    for id in [9, 8, 7, u32::MAX] {
        assert_eq!(
            server.feed(&request(id, "", 0)),
            [Seen::Requested(id, String::new())]
        );
    }
    assert_eq!(server.feed(&request(6, "", 0)), [Seen::Refused(6, None)]);
    assert_eq!(server.sent(), error(6, 7, "capacity"));
    server.answer(u32::MAX, &tensor(0)).unwrap();
    server.session.end(u32::MAX).unwrap();
    assert_eq!(
        server.feed(&request(6, "", 0)),
        [Seen::Requested(6, String::new())]
    );
}

/// A stream has one exchange at a time.
#[test]
fn a_stream_that_is_under_way() {
    let mut server = Party::server();
    server.feed(&request(3, "w", 0));
    let seen = server.feed(&request(3, "w", 0));
    assert_eq!(seen, [Seen::Refused(3, Some(Rule::MessageOrder))]);
    assert_eq!(server.sent(), error(3, 6, "MSG-18"));
    // both sides know that it is closed
    assert_eq!(rule(server.answer(3, &tensor(1))), Some(Rule::MessageOrder));
    assert_eq!(server.missing(), None);
}

#[test]
fn a_tensor_that_nobody_asked_for() {
    let mut client = Party::client();
    asked(&mut client, "w");
    client.sent();
    let mut bytes = descriptor(2, &described(1), 1);
    bytes.extend(data(2, 0, b"x"));
    bytes.extend(end(2));
    assert_eq!(
        client.feed(&bytes),
        [Seen::Refused(2, Some(Rule::MessageOrder))]
    );
    assert_eq!(client.sent(), error(2, 6, "MSG-18"));
    // a second tensor on a stream that had one
    let mut bytes = descriptor(1, &described(1), 1);
    bytes.extend(data(1, 0, b"x"));
    bytes.extend(end(1));
    let told = [
        Seen::Tensor(1, described(1), [0, 1]),
        Seen::Data(1, 0, b"x".to_vec()),
        Seen::End(1),
    ];
    assert_eq!(client.feed(&bytes), told);
    assert_eq!(
        client.feed(&bytes),
        [Seen::Refused(1, Some(Rule::MessageOrder))]
    );
    assert_eq!(client.sent(), error(1, 6, "MSG-18"));
}

/// Breaches inside an exchange, with the bytes that the other side is told.
#[test]
fn breaches_close_their_stream_only() {
    let begun = descriptor(1, &described(2), 2);
    let cases = [
        (data(1, 0, b"x"), Rule::MessageOrder),
        (end(1), Rule::MessageOrder),
        ([&begun[..], &end(1)].concat(), Rule::DataTotal),
        ([&begun[..], &data(1, 1, b"x")].concat(), Rule::DataOffset),
        ([&begun[..], &data(1, 0, b"xyz")].concat(), Rule::DataTotal),
        ([&begun[..], &begun].concat(), Rule::MessageOrder),
        (descriptor(1, &described(2), 3), Rule::TotalBytes),
        (message(0xEF, 1, b"?"), Rule::MessageType),
        (message(0xFF, 1, b""), Rule::PrivateMessage),
        (message(0xF0, 1, b""), Rule::MessageType),
        (message(3, 1, b""), Rule::MessageType),
        (message(8, 1, b""), Rule::MessageOrder),
        (message(13, 1, b""), Rule::RdmaOrder),
    ];
    for (bytes, expected) in cases {
        let mut client = Party::client();
        asked(&mut client, "a");
        asked(&mut client, "b");
        client.sent();
        let seen = client.feed(&bytes);
        assert_eq!(seen.last(), Some(&Seen::Refused(1, Some(expected))));
        assert_eq!(client.sent(), error(1, 6, expected.id()));
        // the other one goes on
        let other = [descriptor(2, &described(0), 0), end(2)].concat();
        let told = [Seen::Tensor(2, described(0), [0, 1]), Seen::End(2)];
        assert_eq!(client.feed(&other), told);
        assert_eq!(client.missing(), None);
    }
}

/// An ERROR closes its stream, so that about stream 0 goes to one that is not under way.
#[test]
fn stream_zero() {
    let mut client = Party::client();
    asked(&mut client, "w");
    client.sent();
    let seen = client.feed(&message(10, 0, b""));
    assert_eq!(seen, [Seen::Refused(0, Some(Rule::StreamId))]);
    assert_eq!(client.sent(), error(2, 6, "MSG-04"));
    let told = [Seen::Tensor(1, described(0), [0, 1]), Seen::End(1)];
    assert_eq!(
        client.feed(&[descriptor(1, &described(0), 0), end(1)].concat()),
        told
    );
}

/// Calls that do not fit what is under way send nothing.
#[test]
fn calls_out_of_order() {
    let mut server = Party::server();
    assert_eq!(rule(server.answer(1, &tensor(1))), Some(Rule::MessageOrder));
    assert_eq!(rule(server.session.data(1, b"x")), Some(Rule::MessageOrder));
    assert_eq!(rule(server.session.end(1)), Some(Rule::MessageOrder));
    assert_eq!(rule(server.session.accept(1)), Some(Rule::MessageOrder));
    assert_eq!(
        rule(server.session.request(&TensorRequest::new("w"))),
        Some(Rule::MessageType)
    );
    assert_eq!(rule(server.put("w", &tensor(1))), Some(Rule::MessageType));
    server.feed(&request(1, "w", 0));
    assert_eq!(rule(server.session.accept(1)), Some(Rule::MessageOrder));
    server.answer(1, &tensor(2)).unwrap();
    server.sent();
    assert_eq!(rule(server.answer(1, &tensor(2))), Some(Rule::MessageOrder));
    assert_eq!(rule(server.session.end(1)), Some(Rule::DataTotal));
    assert_eq!(rule(server.session.data(1, b"xyz")), Some(Rule::DataTotal));
    assert_eq!(server.sent(), b"");

    let mut client = Party::client();
    asked(&mut client, "w");
    client.sent();
    assert_eq!(rule(client.answer(1, &tensor(1))), Some(Rule::MessageType));
    assert_eq!(rule(client.session.open_shard(1)), Some(Rule::MessageOrder));
    assert_eq!(client.sent(), b"");
}
