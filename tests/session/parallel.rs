//! Tensors that come in shards on several streams.

use hrry::message::{Capabilities, ErrorCode, RequestFlags, Side, TensorRequest};
use hrry::{
    CombineOp, CompositeHead, CompositionRule, ElementType, ErrorKind, Resource, Rule, WriteError,
};

use super::side::{Outcome, Party, STREAMS, Seen, error, request, rule, tensor};
use crate::support::bytes::encode;
use crate::support::messages::{data, descriptor, end, shard};
use crate::support::scale::{Rng, scale};
use crate::support::spec::{Plain, PlainLayout};

const PARALLEL: Capabilities = Capabilities::PARALLEL_STREAMS;
const OPENED: u32 = 1 << 31;

/// Bytes of a vector of six from a place on.
fn part(len: u64, offset: u64) -> Plain {
    tensor(len).with_shard(&[6], &[offset])
}

fn begin(stream_id: u32, plain: &Plain, number: [u32; 2]) -> Vec<u8> {
    let total = plain.buffers.iter().map(|buffer| buffer.byte_size).sum();
    shard(stream_id, &encode(plain), total, number)
}

fn wanting(key: &str) -> TensorRequest<'_> {
    TensorRequest {
        request_flags: RequestFlags::PARALLEL_OK,
        ..TensorRequest::new(key)
    }
}

/// A client that asked for shards on stream 1.
fn asking() -> Party {
    let mut client = Party::open(Side::Client, PARALLEL);
    assert_eq!(client.session.request(&wanting("w")).unwrap(), 1);
    assert_eq!(client.sent(), request(1, "w", 2));
    client
}

/// A server that was asked for shards on stream 1.
fn asked() -> Party {
    let mut server = Party::open(Side::Server, PARALLEL);
    server.feed(&request(1, "w", 2));
    server
}

/// Messages of one shard with bytes of its offset.
fn messages(stream_id: u32, number: [u32; 2], len: u64, offset: u64) -> Vec<Vec<u8>> {
    let bytes = vec![offset as u8; len as usize];
    vec![
        begin(stream_id, &part(len, offset), number),
        data(stream_id, 0, &bytes),
        end(stream_id),
    ]
}

/// Three shards in every order of their messages that a seed gives, on the stream of the request or not.
#[test]
fn any_order_of_messages() {
    for seed in 0..200 * scale() as u64 {
        let mut rng = Rng(seed);
        let on_request = seed % 2 == 0;
        let streams = [if on_request { 1 } else { 7 }, OPENED, u32::MAX];
        let places = [(1, 0), (2, 1), (3, 3)];
        let mut queues: Vec<Vec<Vec<u8>>> = (0..3)
            .map(|k| {
                let number = [(k as u32 + seed as u32) % 3, 3];
                let mut queue = messages(streams[k], number, places[k].0, places[k].1);
                queue.reverse();
                queue
            })
            .collect();
        let mut client = asking();
        let mut ends = Vec::new();
        while !queues.is_empty() {
            let k = rng.below(queues.len());
            let message = queues[k].pop().unwrap();
            if queues[k].is_empty() {
                queues.swap_remove(k);
            }
            assert!(client.missing().is_some());
            let seen = client.feed(&message);
            let begins = matches!(seen[0], Seen::Tensor(..));
            assert_eq!(
                client.session.parallel_request().is_some(),
                begins || !queues.is_empty() || seen.len() == 1
            );
            ends.extend(
                seen.into_iter()
                    .filter(|seen| matches!(seen, Seen::End(_) | Seen::AllShards(_))),
            );
        }
        assert_eq!(ends.len(), 4, "seed {seed}");
        assert_eq!(ends[3], Seen::AllShards(1));
        assert_eq!(client.session.parallel_request(), None);
        assert_eq!(client.missing(), None);
        assert_eq!(client.sent(), b"");
    }
}

/// What a server sends, with one shard after the other or both at once, and that it is done then.
#[test]
fn what_a_server_sends() {
    for on_request in [true, false] {
        let mut server = asked();
        let first = match on_request {
            true => 1,
            false => server.session.open_shard(1).unwrap(),
        };
        server.answer_shard(first, &part(2, 4), [1, 2]).unwrap();
        server.session.data(first, &[4, 4]).unwrap();
        server.session.end(first).unwrap();
        // the request is open while a shard is missing
        assert_eq!(server.missing(), Some(Rule::MessageOrder));
        let second = server.session.open_shard(1).unwrap();
        server.answer_shard(second, &part(4, 0), [0, 2]).unwrap();
        server.session.data(second, &[0; 4]).unwrap();
        server.session.end(second).unwrap();
        assert_eq!(server.missing(), None);
        let expected = [
            messages(first, [1, 2], 2, 4),
            messages(second, [0, 2], 4, 0),
        ];
        let sent = server.sent();
        assert_eq!(sent, expected.concat().concat());
        assert_eq!(rule(server.session.open_shard(1)), Some(Rule::MessageOrder));
        let mut client = asking();
        assert_eq!(client.feed(&sent).last(), Some(&Seen::AllShards(1)));
        assert_eq!(client.missing(), None);
    }
}

/// A writer refuses what a reader would.
#[test]
fn what_a_server_does_not_send() {
    let mut column = part(2, 4);
    column = column.with_layout(PlainLayout::ColumnMajor);
    let mut typed = part(2, 4);
    typed.element_type = ElementType::Int8.0;
    let cases = [
        (part(3, 3), [1, 2], Rule::from_id("COMP-42")),
        (part(1, 4), [1, 2], Rule::from_id("COMP-43")),
        (
            tensor(2).with_shard(&[7], &[4]),
            [1, 2],
            Some(Rule::ShardsDiffer),
        ),
        (column, [1, 2], Some(Rule::ShardsDiffer)),
        (typed, [1, 2], Some(Rule::ShardsDiffer)),
        (part(2, 4), [0, 2], Some(Rule::ShardIndex)),
        (part(2, 4), [1, 3], Some(Rule::ShardIndex)),
        (tensor(2), [1, 2], Some(Rule::ShardMissing)),
        (part(2, 4), [2, 2], Some(Rule::ShardCount)),
    ];
    for (plain, number, expected) in cases {
        let mut server = asked();
        server.answer_shard(1, &part(4, 0), [0, 2]).unwrap();
        let second = server.session.open_shard(1).unwrap();
        server.sent();
        assert_eq!(rule(server.answer_shard(second, &plain, number)), expected);
        assert_eq!(server.sent(), b"");
        // all of it is given up by giving up a part
        server.refuse(second, ErrorCode::ShardMismatch).unwrap();
        let told = [error(second, 8, "no"), error(1, 8, "no")];
        assert_eq!(server.sent(), told.concat());
        assert_eq!(server.missing(), None);

        // a reader refuses it as well, on both streams
        let mut client = asking();
        client.feed(&begin(1, &part(4, 0), [0, 2]));
        let seen = client.feed(&begin(OPENED, &plain, number));
        if matches!(expected, Some(Rule::ShardMissing | Rule::ShardCount)) {
            // that is no shard, and nobody waits for it
            assert_eq!(seen, [Seen::Refused(OPENED, expected)]);
            continue;
        }
        assert_eq!(seen, [Seen::Refused(1, expected)]);
        let id = expected.unwrap().id();
        assert_eq!(
            client.sent(),
            [error(OPENED, 8, id), error(1, 8, id)].concat()
        );
        assert_eq!(client.missing(), None);
        assert_eq!(client.session.parallel_request(), None);
        // what is under way of them means nothing any more
        let rest = [data(1, 0, b"x"), data(OPENED, 0, b"y"), end(OPENED), end(1)];
        assert_eq!(client.feed(&rest.concat()), []);
        assert_eq!(client.sent(), b"");
    }
}

/// Shards that nobody allowed.
#[test]
fn without_leave() {
    for (capabilities, flags) in [(PARALLEL, 0), (Capabilities::NONE, 2)] {
        let mut client = Party::open(Side::Client, capabilities);
        let wanted = TensorRequest {
            request_flags: RequestFlags(flags),
            ..TensorRequest::new("w")
        };
        client.session.request(&wanted).unwrap();
        assert_eq!(client.sent(), request(1, "w", 0));
        for stream_id in [OPENED, 1] {
            let seen = client.feed(&begin(stream_id, &part(4, 0), [0, 2]));
            assert_eq!(seen, [Seen::Refused(stream_id, Some(Rule::MessageOrder))]);
            assert_eq!(client.sent(), error(stream_id, 6, "MSG-18"));
        }
        let mut server = Party::open(Side::Server, capabilities);
        server.feed(&request(1, "w", flags));
        assert_eq!(rule(server.session.open_shard(1)), Some(Rule::MessageOrder));
        let shard = server.answer_shard(1, &part(4, 0), [0, 2]);
        assert_eq!(rule(shard), Some(Rule::MessageOrder));
        server.answer(1, &tensor(6)).unwrap();
    }
    let mut client = Party::open(Side::Client, PARALLEL);
    let seen = client.feed(&begin(OPENED, &part(4, 0), [0, 2]));
    assert_eq!(seen, [Seen::Refused(OPENED, Some(Rule::MessageOrder))]);
}

/// A client may get the whole tensor all the same, but not after a shard.
#[test]
fn whole_instead() {
    let whole = tensor(6);
    let mut client = asking();
    let sent = [
        descriptor(1, &encode(&whole), 6),
        data(1, 0, b"abcdef"),
        end(1),
    ]
    .concat();
    let told = [
        Seen::Tensor(1, encode(&whole), [0, 1]),
        Seen::Data(1, 0, b"abcdef".to_vec()),
        Seen::End(1),
    ];
    assert_eq!(client.feed(&sent), told);
    assert_eq!(client.missing(), None);
    // the next request may have shards
    client.session.request(&wanting("v")).unwrap();
    assert_eq!(client.sent(), request(2, "v", 2));

    let mut client = asking();
    client.feed(&begin(OPENED, &part(4, 0), [0, 2]));
    assert_eq!(
        client.feed(&sent),
        [Seen::Refused(1, Some(Rule::MessageOrder))]
    );
    assert_eq!(
        client.sent(),
        [error(1, 8, "MSG-18"), error(OPENED, 8, "MSG-18")].concat()
    );
    let mut server = asked();
    server.session.open_shard(1).unwrap();
    assert_eq!(rule(server.answer(1, &whole)), Some(Rule::MessageOrder));
}

/// An ERROR on the stream of one shard, or of the request, ends all of it on both sides.
#[test]
fn one_shard_fails() {
    for failed in [1, OPENED] {
        let mut client = asking();
        client.feed(&messages(OPENED + 1, [2, 3], 1, 5).concat());
        client.feed(&begin(OPENED, &part(4, 0), [0, 3]));
        let seen = client.feed(&error(failed, 5, "gone"));
        assert_eq!(seen, [Seen::Failed(1, 5, "gone".into())]);
        let other = OPENED + 1 - failed;
        assert_eq!(client.sent(), error(other, 8, "another shard failed"));
        assert_eq!(client.missing(), None);

        let mut server = asked();
        let stream = server.session.open_shard(1).unwrap();
        server.answer_shard(stream, &part(4, 0), [0, 3]).unwrap();
        server.sent();
        let seen = server.feed(&error(failed, 8, "COMP-42"));
        assert_eq!(seen, [Seen::Failed(1, 8, "COMP-42".into())]);
        assert_eq!(server.sent(), error(other, 8, "another shard failed"));
        assert_eq!(
            rule(server.session.data(stream, b"x")),
            Some(Rule::MessageOrder)
        );
        assert_eq!(server.missing(), None);
    }
}

/// A frame that does not fit, or the application itself, on the stream of one shard.
#[test]
fn one_shard_is_refused() {
    let mut client = asking();
    client.feed(&begin(1, &part(4, 0), [0, 2]));
    client.feed(&begin(OPENED, &part(2, 4), [1, 2]));
    let seen = client.feed(&data(OPENED, 1, b"x"));
    assert_eq!(seen, [Seen::Refused(1, Some(Rule::DataOffset))]);
    assert_eq!(
        client.sent(),
        [error(OPENED, 6, "MSG-24"), error(1, 6, "MSG-24")].concat()
    );
    assert_eq!(client.missing(), None);

    let mut client = asking();
    client.feed(&begin(1, &part(4, 0), [0, 2]));
    client.feed(&begin(OPENED, &part(2, 4), [1, 2]));
    client.refuse(1, ErrorCode(0xF0)).unwrap();
    assert_eq!(
        client.sent(),
        [error(1, 0xF0, "no"), error(OPENED, 0xF0, "no")].concat()
    );
    assert_eq!(client.missing(), None);
}

/// Nothing in their messages tells shards of two tensors apart: one request at a time allows them, and
/// none after a transfer that failed, of which some may be under way.
#[test]
fn one_at_a_time() {
    let mut client = asking();
    let next = client.session.request(&wanting("v")).unwrap();
    assert_eq!(client.sent(), request(next, "v", 0));
    for number in [0, 1] {
        client.feed(&messages(OPENED + number, [number, 2], 3, 3 * u64::from(number)).concat());
    }
    client.feed(&[descriptor(next, &encode(&tensor(0)), 0), end(next)].concat());
    assert_eq!(client.missing(), None);
    // one after another one
    for stream_id in 3..6 {
        client.session.request(&wanting("u")).unwrap();
        assert_eq!(client.sent(), request(stream_id, "u", 2));
        client.feed(&messages(stream_id, [1, 2], 2, 4).concat());
        let seen = client.feed(&messages(OPENED + stream_id, [0, 2], 4, 0).concat());
        assert_eq!(seen.last(), Some(&Seen::AllShards(stream_id)));
    }
    client.session.request(&wanting("t")).unwrap();
    client.feed(&begin(OPENED + 20, &part(4, 0), [0, 3]));
    client.refuse(6, ErrorCode(0xF0)).unwrap();
    client.sent();
    client.session.request(&wanting("s")).unwrap();
    assert_eq!(client.sent(), request(7, "s", 0));
    let late = client.feed(&messages(OPENED + 21, [1, 3], 1, 4).concat());
    assert_eq!(late, [Seen::Refused(OPENED + 21, Some(Rule::MessageOrder))]);

    let mut server = asked();
    server.feed(&request(2, "v", 2));
    server.session.open_shard(1).unwrap();
    assert_eq!(rule(server.session.open_shard(2)), Some(Rule::MessageOrder));
    let other = server.answer_shard(2, &part(4, 0), [0, 2]);
    assert_eq!(rule(other), Some(Rule::MessageOrder));
    server.answer(2, &tensor(0)).unwrap();
}

/// A parallel transfer carries plain tensors.
#[test]
fn a_head_is_no_shard() {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count: 1,
    };
    let head = Plain::head(ElementType::UInt8, &[4], head).with_shard(&[6], &[0]);
    let mut client = asking();
    let seen = client.feed(&begin(OPENED, &head, [0, 2]));
    assert_eq!(seen, [Seen::Refused(1, Some(Rule::MessageOrder))]);
    assert_eq!(
        client.sent(),
        [error(OPENED, 8, "MSG-18"), error(1, 8, "MSG-18")].concat()
    );
    let mut server = asked();
    let refused = server.answer_shard(1, &head, [0, 2]);
    assert_eq!(rule(refused), Some(Rule::MessageOrder));
}

/// More shards than there is room for streams.
#[test]
fn too_many_shards() {
    let mut client = asking();
    for k in 0..3 {
        client.feed(&begin(OPENED + k, &part(1, k.into()), [k, 6]));
    }
    let seen = client.feed(&begin(OPENED + 3, &part(1, 3), [3, 6]));
    assert_eq!(seen, [Seen::Refused(1, None)]);
    let mut told = error(OPENED + 3, 7, "capacity");
    for stream_id in [1, OPENED, OPENED + 1, OPENED + 2] {
        told.extend(error(stream_id, 7, "capacity"));
    }
    assert_eq!(client.sent(), told);
    assert_eq!(client.missing(), None);
}

/// Four streams: a request with three shards beside it, or with four of which one is on its own stream.
#[test]
fn shards_take_places_of_requests() {
    let part = |k: u32| tensor(1).with_shard(&[4], &[k.into()]);
    for on_request in [false, true] {
        let mut server = asked();
        if on_request {
            server.answer_shard(1, &part(3), [3, 4]).unwrap();
        }
        for k in 0..3 {
            let stream_id = server.session.open_shard(1).unwrap();
            server.answer_shard(stream_id, &part(k), [k, 4]).unwrap();
        }
        let full = |result: Outcome<u32>| match result {
            Err(WriteError::Refused(kind)) => {
                let what = Resource::Streams;
                let (needed, available) = (STREAMS as u64 + 1, STREAMS as u64);
                let expected = ErrorKind::Capacity {
                    what,
                    needed,
                    available,
                };
                assert_eq!(kind, expected);
            }
            other => panic!("{other:?}"),
        };
        full(server.session.open_shard(1));
        assert_eq!(server.feed(&request(2, "v", 0)), [Seen::Refused(2, None)]);
        // one that has ended makes room
        server.session.data(OPENED, b"x").unwrap();
        server.session.end(OPENED).unwrap();
        server.session.open_shard(1).unwrap();
    }
}
