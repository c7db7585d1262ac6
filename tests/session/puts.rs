//! Tensors that a client gives.

use hrry::message::ErrorCode;
use hrry::{CombineOp, CompositeHead, CompositionRule, ElementType, Rule};

use super::side::{Party, Seen, ack, described, error, request, rule, tensor};
use crate::support::bytes::encode;
use crate::support::messages::{data, end, put};
use crate::support::spec::Plain;

#[test]
fn given_and_taken() {
    let mut client = Party::client();
    assert_eq!(client.put("k", &tensor(3)).unwrap(), 1);
    assert_eq!(client.missing(), Some(Rule::MessageOrder));
    client.session.data(1, b"ab").unwrap();
    client.session.data(1, b"c").unwrap();
    client.session.end(1).unwrap();
    let sent = client.sent();
    let parts = [
        put(1, b"k", &described(3), 3),
        data(1, 0, b"ab"),
        data(1, 2, b"c"),
        end(1),
    ];
    assert_eq!(sent, parts.concat());
    // it is not over before it is taken
    assert_eq!(client.missing(), Some(Rule::MessageOrder));

    let mut server = Party::server();
    let told = [
        Seen::Put(1, "k".into(), described(3)),
        Seen::Data(1, 0, b"abc".to_vec()),
        Seen::End(1),
    ];
    assert_eq!(server.feed(&sent), told);
    assert_eq!(server.missing(), Some(Rule::MessageOrder));
    server.session.accept(1).unwrap();
    assert_eq!(server.missing(), None);
    assert_eq!(rule(server.session.accept(1)), Some(Rule::MessageOrder));
    let sent = server.sent();
    assert_eq!(sent, ack(1));
    assert_eq!(client.feed(&sent), [Seen::Accepted(1)]);
    assert_eq!(client.missing(), None);
    assert_eq!(client.sent(), b"");
}

#[test]
fn a_tensor_without_data() {
    let mut client = Party::client();
    client.put("", &tensor(0)).unwrap();
    client.session.end(1).unwrap();
    let mut server = Party::server();
    let told = [Seen::Put(1, String::new(), described(0)), Seen::End(1)];
    assert_eq!(server.feed(&client.sent()), told);
    server.session.accept(1).unwrap();
    assert_eq!(client.feed(&server.sent()), [Seen::Accepted(1)]);
}

/// Refused before its data, inside it, or behind it: what is under way then means nothing any more.
#[test]
fn refused() {
    let parts = [
        put(1, b"k", &described(4), 4),
        data(1, 0, b"ab"),
        data(1, 2, b"cd"),
        end(1),
    ];
    for before in 1..=4 {
        let mut server = Party::server();
        server.feed(&parts[..before].concat());
        assert!(server.missing().is_some());
        server.refuse(1, ErrorCode::DeviceUnavailable).unwrap();
        assert_eq!(server.sent(), error(1, 5, "no"));
        assert_eq!(server.feed(&parts[before..].concat()), []);
        assert_eq!(server.sent(), b"");
        assert_eq!(server.missing(), None);

        let mut client = Party::client();
        client.put("k", &tensor(4)).unwrap();
        let calls = before - 1;
        for half in [b"ab", b"cd"].iter().take(calls.min(2)) {
            client.session.data(1, *half).unwrap();
        }
        if calls == 3 {
            client.session.end(1).unwrap();
        }
        assert_eq!(
            client.feed(&error(1, 5, "no")),
            [Seen::Failed(1, 5, "no".into())]
        );
        assert_eq!(rule(client.session.data(1, b"x")), Some(Rule::MessageOrder));
        assert_eq!(rule(client.session.end(1)), Some(Rule::MessageOrder));
        assert_eq!(client.missing(), None);
    }
}

/// A client that gives up tells the server.
#[test]
fn given_up() {
    let mut client = Party::client();
    client.put("k", &tensor(4)).unwrap();
    client.session.data(1, b"ab").unwrap();
    let mut server = Party::server();
    server.feed(&client.sent());
    client.refuse(1, ErrorCode(0xF0)).unwrap();
    assert_eq!(client.missing(), None);
    assert_eq!(
        server.feed(&client.sent()),
        [Seen::Failed(1, 0xF0, "no".into())]
    );
    assert_eq!(server.missing(), None);
    assert_eq!(server.sent(), b"");
}

#[test]
fn heads_with_members_are_not_given() {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count: 1,
    };
    let head = Plain::head(ElementType::UInt8, &[1], head);
    let mut client = Party::client();
    assert_eq!(rule(client.put("k", &head)), Some(Rule::PutHead));
    assert_eq!(client.sent(), b"");
    assert_eq!(client.missing(), None);
    let mut server = Party::server();
    let seen = server.feed(&put(5, b"k", &encode(&head), 0));
    assert_eq!(seen, [Seen::Refused(5, Some(Rule::PutHead))]);
    assert_eq!(server.sent(), error(5, 6, "MSG-35"));
}

/// TENSOR_PUT_ACK where nothing was given, or not all of it.
#[test]
fn taken_without_being_given() {
    let mut client = Party::client();
    let refused = |id| [Seen::Refused(id, Some(Rule::MessageOrder))];
    assert_eq!(client.feed(&ack(8)), refused(8));
    assert_eq!(client.sent(), error(8, 6, "MSG-18"));
    client.put("k", &tensor(4)).unwrap();
    client.sent();
    assert_eq!(client.feed(&ack(1)), refused(1));
    assert_eq!(client.sent(), error(1, 6, "MSG-18"));
    assert_eq!(rule(client.session.data(1, b"x")), Some(Rule::MessageOrder));
    assert_eq!(client.missing(), None);
    // a server does not answer on the stream of a put
    let mut server = Party::server();
    server.feed(&put(1, b"k", &described(4), 4));
    assert_eq!(rule(server.answer(1, &tensor(1))), Some(Rule::MessageOrder));
    assert_eq!(rule(server.session.accept(1)), Some(Rule::MessageOrder));
    let seen = server.feed(&request(1, "w", 0));
    assert_eq!(seen, refused(1));
}
