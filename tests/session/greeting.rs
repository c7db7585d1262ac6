//! The first messages of both sides.

use hrry::message::{Capabilities, Closed, ErrorCode, ErrorMessage, Hello, Side, TensorRequest};
use hrry::{ErrorKind, Rule};

use super::side::{Party, Seen, error, rule};
use crate::support::messages::{hello, message};

/// The rule for which a side gave the link up.
fn broken(seen: &[Seen]) -> Rule {
    match seen {
        [Seen::Closed(Closed::Broken(error))] => error.rule().unwrap(),
        other => panic!("{other:?}"),
    }
}

fn speaks(protocol_version: u32) -> Hello<'static> {
    Hello {
        protocol_version,
        ..Hello::new(1 << 20)
    }
}

#[test]
fn a_client_greets_first_and_a_server_answers() {
    let mut client = Party::new(Side::Client, Hello::new(1 << 20));
    let mut server = Party::new(Side::Server, Hello::new(1 << 20));
    assert_eq!(server.sent(), b"");
    let greeting = client.sent();
    assert_eq!(greeting, message(1, 1, &hello(1, 0)));
    assert_eq!(client.missing(), Some(Rule::HelloFirst));
    // byte by byte
    let seen: Vec<Seen> = greeting
        .chunks(1)
        .flat_map(|byte| server.feed(byte))
        .collect();
    assert_eq!(seen, [Seen::Opened]);
    let answer = server.sent();
    assert_eq!(answer, message(2, 1, &hello(1, 0)));
    assert_eq!(client.feed(&answer), [Seen::Opened]);
    assert_eq!(client.sent(), b"");
    assert_eq!(client.missing(), None);
    assert_eq!(server.missing(), None);
}

/// The version is the lower one of both.
#[test]
fn versions() {
    for (own, client, chosen) in [(1, 1, 1), (3, 2, 2), (2, 3, 2), (u32::MAX, 1, 1)] {
        let mut server = Party::new(Side::Server, speaks(own));
        assert_eq!(
            server.feed(&message(1, 9, &hello(client, 0))),
            [Seen::Opened]
        );
        assert_eq!(server.sent(), message(2, 9, &hello(chosen, 0)));
        assert_eq!(server.session.peer().unwrap().version(), client);
    }
    let mut client = Party::new(Side::Client, speaks(3));
    assert_eq!(client.feed(&message(2, 1, &hello(2, 0))), [Seen::Opened]);
    assert_eq!(client.session.peer().unwrap().version(), 2);
}

#[test]
fn versions_that_do_not_fit() {
    let mut server = Party::new(Side::Server, speaks(1));
    assert_eq!(
        broken(&server.feed(&message(1, 9, &hello(0, 0)))),
        Rule::ProtocolVersion
    );
    assert_eq!(server.sent(), error(9, 1, "MSG-07"));
    for version in [0, 2] {
        let mut client = Party::new(Side::Client, speaks(1));
        client.sent();
        let seen = client.feed(&message(2, 1, &hello(version, 0)));
        assert_eq!(broken(&seen), Rule::ProtocolVersion);
        assert_eq!(client.sent(), error(1, 1, "MSG-07"));
        assert_eq!(client.missing(), Some(Rule::ProtocolVersion));
        // nothing is taken any more
        assert_eq!(client.feed(&message(2, 1, &hello(1, 0))), []);
        assert!(client.session.request(&TensorRequest::new("w")).is_err());
    }
}

/// What it says stays there, whatever comes behind it and however it was cut.
#[test]
fn a_server_may_decline() {
    for (code, text) in [
        (ErrorCode::ProtocolVersionMismatch, "too old"),
        (ErrorCode(0xF2), ""),
        (ErrorCode(0x77), "r\u{e9}essayez"),
    ] {
        for size in [1, 5, 100] {
            let mut client = Party::new(Side::Client, speaks(1));
            client.sent();
            assert_eq!(client.session.declined(), None);
            let bytes = [error(7, code.0, text), error(9, 2, "later")].concat();
            let seen: Vec<Seen> = bytes
                .chunks(size)
                .flat_map(|chunk| client.feed(chunk))
                .collect();
            let declined = Closed::Declined(code);
            assert_eq!(seen, [Seen::Closed(declined)]);
            assert_eq!(client.session.closed(), Some(declined));
            let message = text;
            let error_code = code;
            let said = ErrorMessage {
                error_code,
                message,
            };
            assert_eq!(client.session.declined(), Some(said));
            assert_eq!(client.sent(), b"");
        }
    }
    // an ERROR behind the greeting is about a stream
    let mut client = Party::client();
    client.feed(&error(7, 2, "later"));
    assert_eq!(client.session.declined(), None);
}

#[test]
fn anything_but_a_greeting_closes_the_link() {
    let cases = [
        (Side::Server, message(3, 5, b""), Rule::HelloFirst, 5),
        (
            Side::Server,
            message(9, 5, b"\x01\0\0\0\0\0\0\0"),
            Rule::HelloFirst,
            5,
        ),
        (
            Side::Server,
            message(2, 5, &hello(1, 0)),
            Rule::MessageType,
            5,
        ),
        (Side::Server, message(1, 0, &hello(1, 0)), Rule::StreamId, 1),
        (
            Side::Server,
            message(1, 5, &hello(1, 1 << 4)),
            Rule::CapabilityBits,
            5,
        ),
        (
            Side::Server,
            message(1, 5, &hello(1, 0)[..5]),
            Rule::Hello,
            5,
        ),
        (Side::Client, message(10, 5, b""), Rule::HelloFirst, 5),
        (Side::Client, message(9, 5, b"\x01\0"), Rule::ErrorText, 5),
    ];
    for (side, bytes, expected, stream_id) in cases {
        let mut party = Party::new(side, speaks(1));
        party.sent();
        assert_eq!(broken(&party.feed(&bytes)), expected);
        assert_eq!(party.sent(), error(stream_id, 6, expected.id()));
        assert_eq!(party.missing(), Some(expected));
    }
}

/// A HELLO that comes again is refused, and the link goes on.
#[test]
fn one_greeting() {
    for (mut party, kind) in [(Party::server(), 1), (Party::client(), 2)] {
        let seen = party.feed(&message(kind, 8, &hello(1, 0)));
        assert_eq!(seen, [Seen::Refused(8, Some(Rule::HelloFirst))]);
        assert_eq!(party.sent(), error(8, 6, "MSG-06"));
        assert_eq!(party.feed(&message(10, 8, b"")), []);
        assert_eq!(party.sent(), message(11, 8, b""));
    }
}

#[test]
fn calls_before_their_time() {
    let mut session = super::side::link(Side::Client, speaks(1), hrry::message::KeepAlive::NEVER);
    let mut bytes = &message(2, 1, &hello(1, 0))[..];
    assert_eq!(
        rule(session.receive(&mut bytes, 0).map(|_| ())),
        Some(Rule::MessageOrder)
    );
    session.start(0).unwrap();
    assert_eq!(rule(session.start(0)), Some(Rule::MessageOrder));
    let early = session.request(&TensorRequest::new("w"));
    assert_eq!(rule(early), Some(Rule::MessageOrder));
}

#[test]
fn own_greetings_are_checked() {
    let wrong = Hello {
        capabilities: Capabilities::RDMA_GPUDIRECT,
        ..speaks(1)
    };
    for (own, expected) in [(speaks(0), Rule::ProtocolVersion), (wrong, Rule::GpuDirect)] {
        for side in [Side::Client, Side::Server] {
            let mut session = super::side::link(side, own, hrry::message::KeepAlive::NEVER);
            assert_eq!(rule(session.start(0)), Some(expected), "{side:?}");
        }
    }
}

/// A HELLO of someone that takes `most` bytes in a message.
fn takes(most: u32) -> Vec<u8> {
    let mut payload = hello(1, 0);
    payload[4..8].copy_from_slice(&most.to_le_bytes());
    payload
}

/// What a server has to say does not fit, however small the limit: it says as much as it can.
#[test]
fn a_client_that_takes_no_greeting() {
    for (most, text) in [
        (23, Some("MSG-03")),
        (14, Some("MSG-03")),
        (9, Some("M")),
        (8, Some("")),
        (7, None),
        (0, None),
    ] {
        let mut server = Party::new(Side::Server, speaks(1));
        let seen = server.feed(&message(1, 3, &takes(most)));
        assert_eq!(broken(&seen), Rule::PeerMessageSize);
        let told = text.map_or(Vec::new(), |text| error(3, 6, text));
        assert_eq!(server.sent(), told, "{most}");
    }
    let mut server = Party::new(Side::Server, speaks(1));
    assert_eq!(server.feed(&message(1, 3, &takes(24))), [Seen::Opened]);
}

/// A server that takes nine bytes in a message: one byte of data, one letter of an error, no request.
#[test]
fn a_server_that_takes_little() {
    let mut client = Party::new(Side::Client, speaks(1));
    client.sent();
    assert_eq!(client.feed(&message(2, 1, &takes(9))), [Seen::Opened]);
    let request = client.session.request(&TensorRequest::new(""));
    assert_eq!(rule(request), Some(Rule::PeerMessageSize));
    assert_eq!(client.sent(), b"");
    // a PING of nine bytes comes back, a longer one does not
    assert_eq!(client.feed(&message(10, 4, &[7; 9])), []);
    assert_eq!(client.sent(), message(11, 4, &[7; 9]));
    assert_eq!(client.feed(&message(10, 4, &[7; 10])), []);
    assert_eq!(client.sent(), b"");
    assert_eq!(
        client.feed(&message(14, 4, &[])),
        [Seen::Refused(4, Some(Rule::MessageType))]
    );
    assert_eq!(client.sent(), error(4, 6, "M"));
}

/// A side that takes nine bytes itself refuses ten, whatever the message, and goes on behind it.
#[test]
fn a_limit_of_nine_bytes() {
    let own = Hello::new(9);
    let mut server = Party::new(Side::Server, own);
    let seen = server.feed(&message(1, 1, &hello(1, 0)));
    assert_eq!(broken(&seen), Rule::MessageSize);
    assert_eq!(server.sent(), error(1, 7, "MSG-02"));

    let mut server = Party::new(Side::Server, Hello::new(24));
    assert_eq!(server.feed(&message(1, 1, &hello(1, 0))), [Seen::Opened]);
    server.sent();
    let mut bytes = message(10, 2, &[1; 25]);
    bytes.extend(message(10, 2, &[1; 24]));
    assert_eq!(
        server.feed(&bytes),
        [Seen::Refused(2, Some(Rule::MessageSize))]
    );
    let mut told = error(2, 7, "MSG-02");
    told.extend(message(11, 2, &[1; 24]));
    assert_eq!(server.sent(), told);
}

/// A message for which there is no room is a capacity, answered as one that is too large.
#[test]
fn a_small_frame() {
    let mut server = hrry::message::FixedSession::<'_, _, 24, 0, 1>::new(
        Side::Server,
        Hello::new(1 << 20),
        crate::support::sinks::Limited::unlimited(),
        hrry::Policy::STRICT,
    );
    server.start(0).unwrap();
    let mut bytes = &message(1, 1, &hello(1, 0))[..];
    assert!(matches!(
        server.receive(&mut bytes, 0),
        Ok(Some(hrry::message::SessionEvent::Opened))
    ));
    server.sink_mut().bytes.clear();
    let mut bytes = &message(10, 6, &[0; 25])[..];
    match server.receive(&mut bytes, 0) {
        Ok(Some(hrry::message::SessionEvent::Refused(6, error))) => {
            assert!(matches!(
                error.kind(),
                ErrorKind::Capacity {
                    needed: 25,
                    available: 24,
                    ..
                }
            ));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(server.sink_mut().bytes, error(6, 7, "capacity"));
}
