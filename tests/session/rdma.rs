//! Memory that is offered: the two flows of the specification, and what does not fit them.

use hrry::Rule;
use hrry::message::{Capabilities, RdmaRegister, Side, TensorRequest};

use super::side::{
    ALL, Outcome, Party, Seen, ack, described, error, ready, register, request, rule, tensor,
};
use crate::support::messages::{data, descriptor, end, put};

const PLANE: Capabilities = Capabilities::RDMA_DATA_PLANE;

fn offer(party: &mut Party, stream_id: u32, length: u64, rkey: &[u8]) -> Outcome<()> {
    let region = RdmaRegister {
        remote_addr: 7,
        length,
        rkey,
    };
    party.session.rdma_register(stream_id, &region)
}

fn asking(capabilities: Capabilities) -> Party {
    let mut client = Party::open(Side::Client, capabilities);
    client.session.request(&TensorRequest::new("w")).unwrap();
    client.sent();
    client
}

fn asked(capabilities: Capabilities) -> Party {
    let mut server = Party::open(Side::Server, capabilities);
    server.feed(&request(1, "w", 0));
    server
}

#[test]
fn from_server_to_client() {
    for capabilities in [PLANE, ALL] {
        let mut server = asked(capabilities);
        server.answer(1, &tensor(8)).unwrap();
        offer(&mut server, 1, 8, b"src").unwrap();
        let sent = server.sent();
        assert_eq!(
            sent,
            [descriptor(1, &described(8), 8), register(1, 8, b"src")].concat()
        );
        // nothing was written before the client is ready
        assert_eq!(rule(server.session.end(1)), Some(Rule::RdmaOrder));

        let mut client = asking(capabilities);
        let told = [
            Seen::Tensor(1, described(8), [0, 1]),
            Seen::Register(1, 8, b"src".to_vec()),
        ];
        assert_eq!(client.feed(&sent), told);
        let own = offer(&mut client, 1, 8, b"dst");
        let mut expected = Vec::new();
        let mut told = Vec::new();
        if capabilities == ALL {
            own.unwrap();
            expected.extend(register(1, 8, b"dst"));
            told.push(Seen::Register(1, 8, b"dst".to_vec()));
        } else {
            assert_eq!(rule(own), Some(Rule::RdmaOrder));
        }
        client.session.rdma_ready(1).unwrap();
        expected.extend(ready(1));
        told.push(Seen::Ready(1));
        let sent = client.sent();
        assert_eq!(sent, expected);
        assert_eq!(server.feed(&sent), told);
        server.session.end(1).unwrap();
        let sent = server.sent();
        assert_eq!(sent, end(1));
        assert_eq!(client.feed(&sent), [Seen::End(1)]);
        assert_eq!([client.missing(), server.missing()], [None, None]);
    }
}

#[test]
fn from_client_to_server() {
    let mut client = Party::open(Side::Client, ALL);
    assert_eq!(client.put("k", &tensor(8)).unwrap(), 1);
    offer(&mut client, 1, 8, b"").unwrap();
    let sent = client.sent();
    assert_eq!(
        sent,
        [put(1, b"k", &described(8), 8), register(1, 8, b"")].concat()
    );
    let mut server = Party::open(Side::Server, ALL);
    let told = [
        Seen::Put(1, "k".into(), described(8)),
        Seen::Register(1, 8, vec![]),
    ];
    assert_eq!(server.feed(&sent), told);
    offer(&mut server, 1, 8, b"dst").unwrap();
    server.session.rdma_ready(1).unwrap();
    let sent = server.sent();
    assert_eq!(sent, [register(1, 8, b"dst"), ready(1)].concat());
    assert_eq!(
        client.feed(&sent),
        [Seen::Register(1, 8, b"dst".to_vec()), Seen::Ready(1)]
    );
    client.session.end(1).unwrap();
    assert_eq!(server.feed(&client.sent()), [Seen::End(1)]);
    server.session.accept(1).unwrap();
    let sent = server.sent();
    assert_eq!(sent, ack(1));
    assert_eq!(client.feed(&sent), [Seen::Accepted(1)]);
    assert_eq!([client.missing(), server.missing()], [None, None]);
}

/// What a client refuses of memory that is offered, on an open link with those capabilities.
fn refused(capabilities: Capabilities, bytes: &[Vec<u8>], expected: Rule) {
    let mut client = asking(capabilities);
    let seen = client.feed(&bytes.concat());
    assert_eq!(seen.last(), Some(&Seen::Refused(1, Some(expected))));
    assert_eq!(client.sent(), error(1, 6, expected.id()));
    assert_eq!(client.missing(), None);
}

#[test]
fn offers_that_do_not_fit() {
    let begun = descriptor(1, &described(8), 8);
    refused(
        Capabilities::NONE,
        &[begun.clone(), register(1, 8, b"")],
        Rule::RdmaOrder,
    );
    refused(ALL, &[register(1, 8, b"")], Rule::RdmaOrder);
    refused(
        ALL,
        &[begun.clone(), register(1, 9, b"")],
        Rule::RdmaRegister,
    );
    refused(
        ALL,
        &[begun.clone(), register(1, 8, b""), register(1, 8, b"")],
        Rule::RdmaOrder,
    );
    refused(ALL, &[begun.clone(), ready(1)], Rule::RdmaOrder);
    // the end comes although the client said nothing
    refused(
        ALL,
        &[begun.clone(), register(1, 8, b""), end(1)],
        Rule::RdmaOrder,
    );
    refused(
        ALL,
        &[begun, register(1, 8, b""), data(1, 0, b"x"), end(1)],
        Rule::DataTotal,
    );
}

/// A server that has not offered anything is offered nothing, and one that cannot offers nothing.
#[test]
fn calls_that_do_not_fit() {
    let mut server = asked(Capabilities::NONE);
    server.answer(1, &tensor(8)).unwrap();
    assert_eq!(rule(offer(&mut server, 1, 8, b"")), Some(Rule::RdmaOrder));
    let mut server = asked(ALL);
    assert_eq!(rule(offer(&mut server, 1, 8, b"")), Some(Rule::RdmaOrder));
    server.answer(1, &tensor(8)).unwrap();
    assert_eq!(
        rule(offer(&mut server, 1, 7, b"")),
        Some(Rule::RdmaRegister)
    );
    assert_eq!(rule(server.session.rdma_ready(1)), Some(Rule::RdmaOrder));
    server.sent();
    // the client answers before it was asked
    let seen = server.feed(&ready(1));
    assert_eq!(seen, [Seen::Refused(1, Some(Rule::RdmaOrder))]);
    assert_eq!(server.sent(), error(1, 6, "MSG-39"));

    let mut client = asking(ALL);
    client.feed(&descriptor(1, &described(8), 8));
    assert_eq!(rule(offer(&mut client, 1, 8, b"")), Some(Rule::RdmaOrder));
    assert_eq!(rule(client.session.rdma_ready(1)), Some(Rule::RdmaOrder));
}

/// A client that cannot says so; the server asks nobody and sends the data of a new request.
#[test]
fn memory_that_cannot_be_had() {
    let mut server = asked(ALL);
    server.answer(1, &tensor(2)).unwrap();
    offer(&mut server, 1, 2, b"").unwrap();
    let mut client = asking(ALL);
    client.feed(&server.sent());
    client
        .refuse(1, hrry::message::ErrorCode::DeviceUnavailable)
        .unwrap();
    let sent = client.sent();
    assert_eq!(sent, error(1, 5, "no"));
    assert_eq!(server.feed(&sent), [Seen::Failed(1, 5, "no".into())]);
    assert_eq!([client.missing(), server.missing()], [None, None]);
    client.session.request(&TensorRequest::new("w")).unwrap();
    server.feed(&client.sent());
    server.answer(2, &tensor(2)).unwrap();
    server.session.data(2, b"ab").unwrap();
    server.session.end(2).unwrap();
    let told = client.feed(&server.sent());
    assert_eq!(told[1..], [Seen::Data(2, 0, b"ab".to_vec()), Seen::End(2)]);
}

/// However often it happens, an offer leaves nothing behind.
#[test]
fn places_come_back() {
    let mut client = Party::open(Side::Client, ALL);
    let mut server = Party::open(Side::Server, ALL);
    for round in 0..50 {
        let id = client.session.request(&TensorRequest::new("w")).unwrap();
        server.feed(&client.sent());
        server.answer(id, &tensor(2)).unwrap();
        offer(&mut server, id, 2, b"").unwrap();
        client.feed(&server.sent());
        match round % 3 {
            0 => client.session.rdma_ready(id).unwrap(),
            1 => client.refuse(id, hrry::message::ErrorCode(0xF0)).unwrap(),
            // a server that does not wait
            _ => drop(client.feed(&end(id))),
        }
        server.feed(&client.sent());
        if round % 3 == 0 {
            server.session.end(id).unwrap();
            assert_eq!(client.feed(&server.sent()), [Seen::End(id)]);
        }
        assert_eq!(
            [client.missing(), server.missing()],
            [None, None],
            "{round}"
        );
    }
}
