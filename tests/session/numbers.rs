//! Numbers of streams: who opens which, and what comes behind the last one.
//!
//! The format keeps 0 for itself and says no more of them. A client opens 1 to 2^31 - 1, a server 2^31 to 2^32 - 1.

use hrry::message::{Capabilities, ErrorCode, RequestFlags, Side, TensorRequest};

use super::side::{Party, STREAMS, Seen, ack, described, error, request, tensor};
use crate::support::bytes::encode;
use crate::support::messages::{data, descriptor, end, message, put, shard};
use crate::support::scale::{Rng, scale};
use crate::support::spec::Plain;

const LAST_OF_CLIENT: u32 = 0x7FFF_FFFF;
const FIRST_OF_SERVER: u32 = 0x8000_0000;
const LAST_OF_SERVER: u32 = 0xFFFF_FFFF;

/// A side that has greeted, whose next stream has that number.
fn from(side: Side, capabilities: Capabilities, stream_id: u32) -> Party {
    let session = Party::open(side, capabilities).session;
    Party {
        session: session.with_first_stream(stream_id),
    }
}

fn client(stream_id: u32) -> Party {
    from(Side::Client, Capabilities::NONE, stream_id)
}

fn asked(client: &mut Party) -> u32 {
    client.session.request(&TensorRequest::new("w")).unwrap()
}

/// A server that is asked for a tensor in shards on a stream.
fn sharding(request_stream: u32, first: u32) -> Party {
    let mut server = from(Side::Server, Capabilities::PARALLEL_STREAMS, first);
    server.feed(&request(request_stream, "w", 2));
    server
}

#[test]
fn a_client_starts_again_at_one() {
    let mut client = client(LAST_OF_CLIENT - 1);
    assert_eq!(asked(&mut client), LAST_OF_CLIENT - 1);
    assert_eq!(client.put("k", &tensor(1)).unwrap(), LAST_OF_CLIENT);
    assert_eq!(asked(&mut client), 1);
    assert_eq!(client.put("k", &tensor(1)).unwrap(), 2);
    let mut sent = request(LAST_OF_CLIENT - 1, "w", 0);
    sent.extend(put(LAST_OF_CLIENT, b"k", &described(1), 1));
    sent.extend(request(1, "w", 0));
    sent.extend(put(2, b"k", &described(1), 1));
    assert_eq!(client.sent(), sent);
    // each is answered on its own
    for stream_id in [1, LAST_OF_CLIENT - 1] {
        let whole = [
            descriptor(stream_id, &described(1), 1),
            data(stream_id, 0, b"x"),
            end(stream_id),
        ];
        let seen = [
            Seen::Tensor(stream_id, described(1), [0, 1]),
            Seen::Data(stream_id, 0, b"x".to_vec()),
            Seen::End(stream_id),
        ];
        assert_eq!(client.feed(&whole.concat()), seen);
    }
    for stream_id in [2, LAST_OF_CLIENT] {
        client.session.data(stream_id, b"x").unwrap();
        client.session.end(stream_id).unwrap();
        assert_eq!(client.feed(&ack(stream_id)), [Seen::Accepted(stream_id)]);
    }
    assert_eq!(client.missing(), None);
}

#[test]
fn a_client_skips_what_is_under_way() {
    let mut client = client(1);
    assert_eq!([asked(&mut client), asked(&mut client)], [1, 2]);
    let session = client.session.with_first_stream(LAST_OF_CLIENT);
    let mut client = Party { session };
    assert_eq!(asked(&mut client), LAST_OF_CLIENT);
    assert_eq!(asked(&mut client), 3);
    // with all streams under way there is none
    assert!(client.session.request(&TensorRequest::new("w")).is_err());
    // one that is closed is free when its turn comes again
    client.feed(&error(1, 2, ""));
    assert_eq!(asked(&mut client), 4);
    client.refuse(4, ErrorCode(0xF0)).unwrap();
    let session = client.session.with_first_stream(LAST_OF_CLIENT);
    let mut client = Party { session };
    assert_eq!(asked(&mut client), 1);
    // and an ERROR about no stream goes to one that is not under way
    client.sent();
    let session = client.session.with_first_stream(LAST_OF_CLIENT);
    let mut client = Party { session };
    client.feed(&message(10, 0, b""));
    assert_eq!(client.sent(), error(4, 6, "MSG-04"));
}

/// A server of somebody else may take numbers of the client for its shards.
#[test]
fn a_client_skips_shards_of_low_numbers() {
    let mut client = from(Side::Client, Capabilities::PARALLEL_STREAMS, LAST_OF_CLIENT);
    let mut wanted = TensorRequest::new("w");
    wanted.request_flags = RequestFlags::PARALLEL_OK;
    assert_eq!(client.session.request(&wanted).unwrap(), LAST_OF_CLIENT);
    let part = tensor(1).with_shard(&[2], &[0]);
    let seen = client.feed(&shard(1, &encode(&part), 1, [0, 2]));
    assert_eq!(seen, [Seen::Tensor(1, encode(&part), [0, 2])]);
    assert_eq!(asked(&mut client), 2);
}

#[test]
fn a_server_starts_again_at_two_to_the_31() {
    let mut server = sharding(1, LAST_OF_SERVER);
    let streams = [0, 1].map(|_| server.session.open_shard(1).unwrap());
    assert_eq!(streams, [LAST_OF_SERVER, FIRST_OF_SERVER]);
    let part = |offset| -> Plain { tensor(1).with_shard(&[2], &[offset]) };
    let mut sent = Vec::new();
    for (k, stream_id) in streams.into_iter().enumerate() {
        let k = k as u32;
        let part = part(k.into());
        server.answer_shard(stream_id, &part, [k, 2]).unwrap();
        server.session.data(stream_id, b"x").unwrap();
        server.session.end(stream_id).unwrap();
        sent.extend(shard(stream_id, &encode(&part), 1, [k, 2]));
        sent.extend(data(stream_id, 0, b"x"));
        sent.extend(end(stream_id));
    }
    assert_eq!(server.sent(), sent);
    assert_eq!(server.missing(), None);
}

/// A client of somebody else may take numbers of the server.
#[test]
fn a_server_skips_what_is_under_way() {
    let mut server = sharding(LAST_OF_SERVER, LAST_OF_SERVER);
    server.feed(&request(FIRST_OF_SERVER, "v", 0));
    let shard = server.session.open_shard(LAST_OF_SERVER);
    assert_eq!(shard.unwrap(), FIRST_OF_SERVER + 1);
}

#[test]
fn a_number_of_the_other_side_stands_for_the_first_one() {
    for stream_id in [0, FIRST_OF_SERVER, LAST_OF_SERVER] {
        assert_eq!(asked(&mut client(stream_id)), 1);
    }
    for stream_id in [0, 1, LAST_OF_CLIENT] {
        let mut server = sharding(1, stream_id);
        assert_eq!(server.session.open_shard(1).unwrap(), FIRST_OF_SERVER);
    }
}

/// Whatever ends in whatever order, around the last number.
#[test]
fn no_number_is_given_twice() {
    for seed in 0..50 * scale() as u64 {
        let mut rng = Rng(seed);
        let mut client = client(LAST_OF_CLIENT - rng.below(12) as u32);
        let mut open: Vec<u32> = Vec::new();
        for _ in 0..100 {
            if rng.below(7) == 0 {
                let first = LAST_OF_CLIENT - rng.below(3) as u32;
                let session = client.session.with_first_stream(first);
                client = Party { session };
            }
            if open.len() < STREAMS && rng.below(2) == 0 {
                let stream_id = match rng.below(2) {
                    0 => asked(&mut client),
                    _ => client.put("k", &tensor(1)).unwrap(),
                };
                assert!((1..=LAST_OF_CLIENT).contains(&stream_id));
                assert!(!open.contains(&stream_id), "seed {seed}");
                open.push(stream_id);
            } else if !open.is_empty() {
                let stream_id = open.swap_remove(rng.below(open.len()));
                match rng.below(2) {
                    0 => client.refuse(stream_id, ErrorCode(0xF0)).unwrap(),
                    _ => drop(client.feed(&error(stream_id, 2, ""))),
                }
            }
            for stream_id in &open {
                assert!(client.session.is_under_way(*stream_id));
            }
        }
    }
}
