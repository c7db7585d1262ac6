//! Signs of life.

use hrry::message::{Closed, Hello, KeepAlive, Side};

use super::side::{Party, Seen, link};
use crate::support::messages::{hello, message};

/// Asks after 10 and gives up after 25.
const USUAL: KeepAlive = KeepAlive {
    ping_after: 10,
    lost_after: 25,
};

/// A client that was started at a time.
fn started(keep_alive: KeepAlive, start: u64) -> Party {
    let mut session = link(Side::Client, Hello::new(1 << 20), keep_alive);
    assert_eq!(session.deadline(), u64::MAX);
    assert_eq!(session.tick(u64::MAX).unwrap(), None);
    session.start(start).unwrap();
    Party { session }
}

fn greeted(start: u64) -> Party {
    greeted_with(USUAL, start)
}

fn greeted_with(keep_alive: KeepAlive, start: u64) -> Party {
    let mut client = started(keep_alive, start);
    assert_eq!(
        client.feed_at(&message(2, 1, &hello(1, 0)), start),
        [Seen::Opened]
    );
    client.sent();
    client
}

#[test]
fn pings_are_answered_with_their_payload() {
    for mut party in [Party::client(), Party::server()] {
        for payload in [&b""[..], b"x", &[0xFF; 300]] {
            let mut both = message(10, 77, payload);
            both.extend(message(10, u32::MAX, payload));
            assert_eq!(party.feed(&both), []);
            let answers = [message(11, 77, payload), message(11, u32::MAX, payload)];
            assert_eq!(party.sent(), answers.concat());
            // a PONG that nobody asked for means nothing
            assert_eq!(party.feed(&message(11, 77, payload)), []);
            assert_eq!(party.sent(), b"");
        }
        assert_eq!(party.missing(), None);
    }
}

#[test]
fn silence_is_asked_about_once_and_then_given_up() {
    let mut client = greeted(100);
    assert_eq!(client.session.deadline(), 110);
    assert_eq!(client.session.tick(109).unwrap(), None);
    assert_eq!(client.sent(), b"");
    for now in [110, 111, 124] {
        assert_eq!(client.session.tick(now).unwrap(), None);
        assert_eq!(client.session.deadline(), 125);
    }
    assert_eq!(client.sent(), message(10, 1, b""));
    assert_eq!(client.session.tick(125).unwrap(), Some(Closed::Silent));
    assert_eq!(client.session.closed(), Some(Closed::Silent));
    assert_eq!(client.session.deadline(), u64::MAX);
    // once
    assert_eq!(client.session.tick(126).unwrap(), None);
    assert_eq!(client.feed_at(&message(10, 1, b""), 126), []);
    assert_eq!(client.sent(), b"");
}

/// Any byte is a sign of life, also one inside a message.
#[test]
fn a_byte_counts() {
    let mut client = greeted(0);
    client.session.tick(10).unwrap();
    assert_eq!(client.feed_at(&[11], 24), []);
    assert_eq!(client.session.deadline(), 34);
    assert_eq!(client.session.tick(33).unwrap(), None);
    assert_eq!(client.sent(), message(10, 1, b""));
    // none is no sign
    assert_eq!(client.feed_at(&[], 33), []);
    client.session.tick(34).unwrap();
    assert_eq!(client.sent(), message(10, 1, b""));
    assert_eq!(client.session.tick(49).unwrap(), Some(Closed::Silent));
}

/// Nobody is asked before the greeting, but it is not waited for without end.
#[test]
fn a_greeting_that_does_not_come() {
    let mut client = started(USUAL, 5);
    client.sent();
    assert_eq!(client.session.deadline(), 30);
    assert_eq!(client.session.tick(29).unwrap(), None);
    assert_eq!(client.sent(), b"");
    assert_eq!(client.session.tick(30).unwrap(), Some(Closed::Silent));
}

/// An owner that was busy for long asks first, and the answer has the 15 that it always has.
#[test]
fn a_late_tick_asks_before_it_gives_up() {
    for now in [110, 124, 125, 126, 1000] {
        let mut client = greeted(100);
        assert_eq!(client.session.tick(now).unwrap(), None);
        assert_eq!(client.sent(), message(10, 1, b""));
        assert_eq!(client.session.deadline(), now + 15);
        assert_eq!(client.session.tick(now + 14).unwrap(), None);
        assert_eq!(client.session.tick(now + 15).unwrap(), Some(Closed::Silent));
        assert_eq!(client.sent(), b"");

        let mut client = greeted(100);
        client.session.tick(now).unwrap();
        assert_eq!(client.feed_at(&message(11, 1, b""), now + 14), []);
        assert_eq!(client.session.deadline(), now + 24);
        assert_eq!(client.session.tick(now + 23).unwrap(), None);
        assert_eq!(client.session.closed(), None);
    }
}

/// Whenever it is called, a tick does something from the deadline on and nothing before it.
#[test]
fn the_deadline_is_when_a_tick_does_something() {
    const NEVER: u64 = u64::MAX;
    // the times of both, where each tick is on time
    for (ping_after, lost_after, asked, lost) in [
        (10, 25, Some(10), Some(25)),
        (0, 1, Some(0), Some(1)),
        (10, NEVER, Some(10), None),
        (NEVER, 25, None, Some(25)),
        (NEVER, NEVER, None, None),
        // nobody is asked who is not given time to answer
        (25, 25, None, Some(25)),
        (26, 25, None, Some(25)),
        (0, 0, None, Some(0)),
    ] {
        for step in [1, 2, 7, 11, 30, 100] {
            let keep_alive = KeepAlive {
                ping_after,
                lost_after,
            };
            let mut client = greeted_with(keep_alive, 0);
            let mut did = Vec::new();
            for now in (0..300).step_by(step) {
                let deadline = client.session.deadline();
                let is_lost = client.session.tick(now).unwrap().is_some();
                let is_asked = client.sent() == message(10, 1, b"");
                assert_eq!(is_lost || is_asked, now >= deadline, "{keep_alive:?} {now}");
                did.extend((is_lost || is_asked).then_some((now, is_lost)));
            }
            let step = step as u64;
            let tick_from = |time: u64| time.next_multiple_of(step);
            let asked = asked.map(tick_from);
            // late by as much as the question was
            let late = asked.map_or(0, |asked| asked - ping_after);
            let lost = lost.map(|lost| tick_from(lost + late));
            let asked = asked.map(|now| (now, false));
            let lost = lost.map(|now| (now, true));
            let expected: Vec<_> = asked.into_iter().chain(lost).collect();
            assert_eq!(did, expected, "{keep_alive:?} {step}");
        }
    }
}

#[test]
fn clocks_at_their_end() {
    let mut client = greeted(u64::MAX - 12);
    assert_eq!(client.session.deadline(), u64::MAX - 2);
    assert_eq!(client.session.tick(u64::MAX - 2).unwrap(), None);
    assert_eq!(client.sent(), message(10, 1, b""));
    // the deadline lies behind the end of the clock
    assert_eq!(client.session.deadline(), u64::MAX);
    assert_eq!(client.session.tick(u64::MAX).unwrap(), None);
    // a clock that goes back is no silence
    assert_eq!(client.session.tick(0).unwrap(), None);
    assert_eq!(client.session.closed(), None);
}

#[test]
fn never_is_never() {
    let mut party = Party::client();
    assert_eq!(party.session.deadline(), u64::MAX);
    assert_eq!(party.session.tick(u64::MAX).unwrap(), None);
    assert_eq!(party.sent(), b"");
    assert_eq!(party.session.closed(), None);
}
