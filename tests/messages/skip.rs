//! Going on behind what was refused, and using streams again.

use hrry::message::{FixedMessages, LinkOptions, MessageBody, Scope, Side, Streams};
use hrry::{ElementType, Policy, Storage};

use crate::support::bytes;
use crate::support::messages::{Recorder, data, descriptor, end, growing, hello, message, trace};
use crate::support::scale::scale;
use crate::support::spec::Plain;
use crate::support::vectors::messages;

/// How many bytes are missing to the end of the last message, if its header is whole.
fn missing(bytes: &[u8]) -> Option<u64> {
    let mut at = 0;
    while at < bytes.len() as u64 {
        let header = bytes.get(at as usize..at as usize + 12)?;
        let len = u32::from_le_bytes(header[8..].try_into().unwrap());
        at += 12 + u64::from(len);
    }
    Some(at - bytes.len() as u64)
}

/// A message on a stream of its own that nobody may refuse, behind a HELLO where that may be missing.
fn good(link: &LinkOptions) -> Vec<u8> {
    let ping = message(10, 4242, b"still there");
    let kind = match link.sender {
        Side::Client => 1,
        Side::Server => 2,
    };
    match link.scope {
        Scope::Session => [message(kind, 4242, &hello(1, 0)), ping].concat(),
        _ => ping,
    }
}

/// Feeds everything, skips what is refused, and gives how often and the streams of the messages that were told.
fn skipping<S: Storage, T: Streams>(
    input: &[u8],
    size: usize,
    parser: &mut hrry::message::MessageParser<S, T>,
) -> (usize, Vec<u32>) {
    let (mut skipped, mut streams) = (0, Vec::new());
    for mut chunk in input.chunks(size) {
        loop {
            match parser.next_event(&mut chunk) {
                Ok(None) => break,
                Ok(Some(event)) if matches!(event.body, MessageBody::Data(_)) => {}
                Ok(Some(event)) => streams.push(event.header.stream_id),
                Err(error) => {
                    assert_eq!(parser.wanted(), 0);
                    assert_eq!(parser.finish(), Err(error));
                    parser.skip_message().unwrap();
                    assert_eq!(parser.skip_message(), Ok(()), "there is nothing to skip");
                    skipped += 1;
                }
            }
        }
    }
    (skipped, streams)
}

#[test]
fn a_good_message_behind_every_rejected_one() {
    let mut seen = 0;
    for (v, link) in messages().iter().filter(|(v, _)| !v.accept) {
        let Some(missing) = missing(&v.bytes) else {
            assert!(v.rules.contains(&"MSG-01".to_owned()), "{}", v.id);
            continue;
        };
        if missing > 1 << 21 {
            continue;
        }
        let input = [v.bytes.clone(), vec![0; missing as usize], good(link)].concat();
        let alone = skipping(&input, input.len(), &mut growing(*link, v.policy));
        let (skipped, streams) = &alone;
        assert_eq!(streams.last(), Some(&4242), "{}", v.id);
        seen += usize::from(*skipped > 0);
        for size in [1, 5, 64] {
            let mut parser = growing(*link, v.policy);
            assert_eq!(skipping(&input, size, &mut parser), alone, "{}", v.id);
            assert_eq!(parser.offset(), input.len() as u64, "{}", v.id);
        }
    }
    // the others break a rule at their end, or with other shards
    assert!(seen > 70, "{seen}");
}

fn link() -> LinkOptions {
    let mut options = LinkOptions::new(Side::Server, 1 << 20);
    options.scope = Scope::Tensor;
    options
}

fn tensor(len: u64) -> Vec<u8> {
    bytes::encode(&Plain::new(ElementType::UInt8, &[len], &[len]))
}

#[test]
fn a_skipped_message_closes_its_stream_and_no_other() {
    let open = |stream_id| descriptor(stream_id, &tensor(4), 4);
    let input = [
        open(1),
        open(2),
        data(1, 0, b"ab"),
        // refused
        data(1, 3, b"c"),
        data(2, 0, b"abcd"),
        // refused, since the stream is closed
        data(1, 2, b"cd"),
        end(1),
        end(2),
        // a tensor of its own
        open(1),
        data(1, 0, b"abcd"),
        end(1),
    ];
    let mut parser = growing(link(), Policy::STRICT);
    let (skipped, streams) = skipping(&input.concat(), 1000, &mut parser);
    assert_eq!(skipped, 3);
    assert_eq!(streams, [1, 2, 1, 2, 2, 1, 1, 1]);
    assert_eq!(parser.finish(), Ok(()));
}

#[test]
fn a_stream_is_used_again_after_its_end_and_after_an_error() {
    let open = || descriptor(5, &tensor(2), 2);
    let whole = [open(), data(5, 0, b"xy"), end(5)].concat();
    let error = message(9, 5, &[6, 0, 0, 0, 0, 0, 0, 0]);
    let input = [whole.clone(), whole.clone(), open(), error, whole].concat();
    let parser = FixedMessages::<80, 0, 1>::new(link(), Policy::STRICT);
    assert_eq!(trace(&input, &[], parser).result, Ok(()));
}

#[test]
fn empty_tensors_without_end_on_one_stream() {
    let one = [descriptor(5, &tensor(0), 0), end(5)].concat();
    let mut parser = FixedMessages::<80, 0, 1>::new(link(), Policy::STRICT);
    let count = (20_000 * scale()).min(1_000_000);
    for _ in 0..count {
        let mut chunk = &one[..];
        let first = parser
            .next_event(&mut chunk)
            .unwrap()
            .map(|event| event.header.stream_id);
        let second = parser
            .next_event(&mut chunk)
            .unwrap()
            .map(|event| event.header.stream_id);
        assert_eq!((first, second), (Some(5), Some(5)));
    }
    assert_eq!(parser.finish(), Ok(()));
    assert_eq!(parser.offset(), (count * one.len()) as u64);
}

#[test]
fn what_a_receiver_closes_is_forgotten() {
    let mut recorder = Recorder::new(growing(link(), Policy::STRICT));
    recorder.push(&descriptor(5, &tensor(2), 2)).unwrap();
    assert!(recorder.parser.finish().is_err());
    recorder.parser.close_stream(6);
    assert!(recorder.parser.finish().is_err());
    recorder.parser.close_stream(5);
    assert_eq!(recorder.parser.finish(), Ok(()));
    let error = recorder.push(&data(5, 0, b"x")).unwrap_err();
    assert_eq!(error.rule().map(|rule| rule.id()), Some("MSG-18"));
}

#[test]
fn a_reset_forgets_streams_and_keeps_sides_and_positions() {
    let options = LinkOptions::new(Side::Server, 1 << 20);
    let mut parser = growing(options, Policy::STRICT).with_origin(1000);
    let greeting = message(2, 1, &hello(1, 0));
    let open = descriptor(5, &tensor(2), 2);
    let half = &data(5, 0, b"xy")[..21];
    for piece in [&greeting[..], &open, half] {
        let mut chunk = piece;
        while parser.next_event(&mut chunk).unwrap().is_some() {}
    }
    let at = 1000 + (greeting.len() + open.len() + half.len()) as u64;
    assert!(parser.finish().is_err());
    parser.reset();
    assert_eq!((parser.finish(), parser.offset()), (Ok(()), at));
    // the HELLO was there
    let ping = message(10, 1, b"x");
    let mut chunk = &ping[..];
    let event = parser.next_event(&mut chunk).unwrap().unwrap();
    assert!(matches!(event.body, MessageBody::Ping(b"x")));
    let error = parser.next_event(&mut &greeting[..]).unwrap_err();
    assert_eq!(error.rule().map(|rule| rule.id()), Some("MSG-06"));
    assert_eq!(error.offset(), at + 13);
    // and after an error
    parser.reset();
    assert_eq!(parser.finish(), Ok(()));
    let error = parser.next_event(&mut &end(5)[..]).unwrap_err();
    assert_eq!(error.rule().map(|rule| rule.id()), Some("MSG-18"));
}
