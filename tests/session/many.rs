//! Very many tensors over one link.

use hrry::message::TensorRequest;

use super::side::{Party, Seen, tensor};
use crate::support::scale::scale;

/// Ten thousand for each unit of scale, so a million at scale 100: numbers of streams go up, and nothing is
/// left behind.
#[test]
fn empty_tensors() {
    let mut client = Party::client();
    let mut server = Party::server();
    let empty = tensor(0);
    for k in 1..=10_000 * scale() as u32 {
        let id = client.session.request(&TensorRequest::new("")).unwrap();
        assert_eq!(id, k);
        assert_eq!(
            server.feed(&client.sent()),
            [Seen::Requested(k, String::new())]
        );
        server.answer(k, &empty).unwrap();
        server.session.end(k).unwrap();
        let seen = client.feed(&server.sent());
        assert!(matches!(seen[..], [Seen::Tensor(a, ..), Seen::End(b)] if a == k && b == k));
    }
    assert_eq!(client.missing(), None);
    assert_eq!(server.missing(), None);
}
