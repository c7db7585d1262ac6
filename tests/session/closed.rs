//! What still comes on streams that are closed.

use hrry::Rule;
use hrry::message::{ErrorCode, TensorRequest};

use super::side::{Party, STREAMS, Seen, described, error, request, tensor};
use crate::support::bytes::encode;
use crate::support::messages::{data, descriptor, end, message, put};

/// A client that refused the tensor on stream 1 after so many of its messages.
fn refused(messages: &[Vec<u8>], after: usize) -> Party {
    let mut client = Party::client();
    client.session.request(&TensorRequest::new("w")).unwrap();
    client.feed(&messages[..after].concat());
    client.sent();
    client.refuse(1, ErrorCode(0xF0)).unwrap();
    assert_eq!(client.sent(), error(1, 0xF0, "no"));
    client
}

#[test]
fn the_rest_of_a_tensor_means_nothing() {
    let parts = [
        descriptor(1, &described(4), 4),
        data(1, 0, b"ab"),
        data(1, 2, b"cd"),
        end(1),
    ];
    for after in 0..=parts.len() - 1 {
        let mut client = refused(&parts, after);
        assert_eq!(client.feed(&parts[after..].concat()), []);
        // again and again, and what makes no sense at all
        for _ in 0..10 {
            assert_eq!(client.feed(&parts.concat()), []);
            assert_eq!(client.feed(&message(14, 1, b"?")), []);
        }
        assert_eq!(client.sent(), b"");
        assert_eq!(client.missing(), None);
        // an ERROR that crossed ours
        assert_eq!(client.feed(&error(1, 2, "")), []);
        assert_eq!(client.sent(), b"");
    }
}

/// A stream that is closed inside a frame takes nothing of it any more.
#[test]
fn the_rest_of_a_frame_means_nothing() {
    let mut client = Party::client();
    client.session.request(&TensorRequest::new("w")).unwrap();
    let bytes = [descriptor(1, &described(4), 4), data(1, 0, b"abcd"), end(1)].concat();
    let (now, later) = bytes.split_at(bytes.len() - 12 - 2);
    let told = [
        Seen::Tensor(1, described(4), [0, 1]),
        Seen::Data(1, 0, b"ab".to_vec()),
    ];
    assert_eq!(client.feed(now), told);
    client.sent();
    client.refuse(1, ErrorCode(0xF0)).unwrap();
    client.sent();
    assert_eq!(client.feed(later), []);
    assert_eq!(client.sent(), b"");
}

#[test]
fn errors_about_streams_that_nobody_knows() {
    for mut party in [Party::client(), Party::server()] {
        for stream_id in [1, 2, u32::MAX] {
            assert_eq!(party.feed(&error(stream_id, 2, "?")), []);
        }
        assert_eq!(party.sent(), b"");
    }
}

/// As many streams as there can be under way are remembered. Behind that, an answer is sent once.
#[test]
fn many_closed_streams() {
    let mut server = Party::server();
    let streams = 1..=STREAMS as u32 + 1;
    for id in streams.clone() {
        server.feed(&put(id, b"k", &described(4), 4));
        server.refuse(id, ErrorCode(0xF0)).unwrap();
        // however much comes on it, the others stay known
        server.feed(&data(id, 0, b"ab").repeat(20));
    }
    server.sent();
    for id in streams.skip(1) {
        assert_eq!(server.feed(&data(id, 2, b"cd").repeat(3)), []);
    }
    assert_eq!(server.sent(), b"");
    let forgotten = server.feed(&data(1, 0, b"abcd").repeat(3));
    assert_eq!(forgotten, [Seen::Refused(1, Some(Rule::MessageOrder))]);
    assert_eq!(server.sent(), error(1, 6, "MSG-18"));
}

/// A number that is used again is a new stream.
#[test]
fn a_closed_stream_that_is_used_again() {
    let mut server = Party::server();
    server.feed(&request(9, "w", 0));
    server.refuse(9, ErrorCode::UnknownTensor).unwrap();
    assert_eq!(
        server.feed(&request(9, "v", 0)),
        [Seen::Requested(9, "v".into())]
    );
    server.sent();
    server.answer(9, &tensor(1)).unwrap();
    server.session.data(9, b"x").unwrap();
    server.session.end(9).unwrap();
    let sent = [
        descriptor(9, &encode(&tensor(1)), 1),
        data(9, 0, b"x"),
        end(9),
    ];
    assert_eq!(server.sent(), sent.concat());
    // and what breaks the protocol on it is told again
    assert_eq!(
        server.feed(&end(9)),
        [Seen::Refused(9, Some(Rule::MessageOrder))]
    );
    assert_eq!(server.sent(), error(9, 6, "MSG-18"));
}
