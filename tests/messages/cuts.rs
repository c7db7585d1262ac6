//! Events, errors and offsets do not depend on how the input was cut.

use hrry::message::{FixedMessages, LinkOptions, MessageParser, Scope, Side, Streams};
use hrry::{Mode, Policy, Storage};

use crate::support::messages::{Trace, as_wanted, growing, in_chunks, message, trace};
use crate::support::scale::{Rng, every, scale};
use crate::support::vectors::{messages, permissive};

/// The trace of the whole, after cuts everywhere, single bytes, and what the parser wants gave the same.
fn agreed<S: Storage, T: Streams>(
    name: &str,
    input: &[u8],
    parser: impl Fn() -> MessageParser<S, T>,
) -> Trace {
    let whole = trace(input, &[], parser());
    for cut in (0..=input.len()).step_by(every(8)) {
        let one = trace(input, &[cut], parser());
        assert_eq!(one, whole, "{name}: cut at {cut}");
    }
    assert_eq!(in_chunks(input, 1, parser()), whole, "{name}: byte by byte");
    assert_eq!(as_wanted(input, parser()), whole, "{name}: as wanted");
    whole
}

#[test]
fn every_vector_at_every_cut() {
    for (v, link) in messages() {
        for policy in [v.policy, permissive(&v.policy)] {
            let grown = || growing(link, policy).with_origin(5);
            let fixed = || FixedMessages::<512, 64, 4>::new(link, policy).with_origin(5);
            let (grown, fixed) = (
                agreed(&v.id, &v.bytes, grown),
                agreed(&v.id, &v.bytes, fixed),
            );
            assert_eq!(grown, fixed, "{}", v.id);
        }
    }
}

#[test]
fn one_byte_wrong_at_random_cuts() {
    let mut rng = Rng(51);
    let vectors = messages();
    for _ in 0..300 * scale() {
        let (v, link) = &vectors[rng.below(vectors.len())];
        let mut input = v.bytes.clone();
        let at = rng.below(input.len());
        match rng.below(4) {
            0 => drop(input.remove(at)),
            1 => input.insert(at, rng.byte()),
            2 => input[at] ^= 1 << rng.below(8),
            _ => input[at] = rng.byte(),
        }
        let mut policy = v.policy;
        policy.mode = [Mode::Strict, Mode::Permissive][rng.below(2)];
        let name = format!("{} {input:02x?}", v.id);
        let whole = trace(&input, &[], growing(*link, policy));
        let cuts = rng.cuts(input.len());
        assert_eq!(
            trace(&input, &cuts, growing(*link, policy)),
            whole,
            "{name}"
        );
        assert_eq!(
            in_chunks(&input, 1, growing(*link, policy)),
            whole,
            "{name}"
        );
        assert_eq!(as_wanted(&input, growing(*link, policy)), whole, "{name}");
        assert!(whole.offset <= input.len() as u64, "{name}");
    }
}

/// A reader that asks for what is wanted and no more never holds bytes of the next message.
#[test]
fn nothing_is_wanted_beyond_the_message() {
    for (v, link) in messages().iter().filter(|(v, _)| v.accept) {
        let mut parser = growing(*link, v.policy);
        let mut rest = &v.bytes[..];
        let mut ends = Vec::new();
        let mut at = 0;
        while at < v.bytes.len() {
            let len = u32::from_le_bytes(v.bytes[at + 8..at + 12].try_into().unwrap());
            at += 12 + len as usize;
            ends.push(at as u64);
        }
        for end in ends {
            while parser.offset() < end {
                let wanted = parser.wanted();
                assert!(
                    wanted > 0 && wanted as u64 <= end - parser.offset(),
                    "{}",
                    v.id
                );
                let (mut chunk, behind) = rest.split_at(wanted);
                rest = behind;
                while parser.next_event(&mut chunk).unwrap().is_some() {}
            }
        }
        assert_eq!(parser.finish(), Ok(()), "{}", v.id);
    }
}

/// A few messages with headers that fit, and anything in them.
fn anything(rng: &mut Rng) -> Vec<u8> {
    let mut input = Vec::new();
    for _ in 0..1 + rng.below(6) {
        let kind = 1 + rng.below(13) as u32;
        let payload: Vec<u8> = (0..rng.below(40)).map(|_| rng.byte() % 5).collect();
        input.extend(message(kind, 1 + rng.below(3) as u32, &payload));
    }
    input
}

#[test]
fn any_messages_at_random_cuts() {
    let mut rng = Rng(52);
    let scopes = [Scope::Message, Scope::Tensor, Scope::Session];
    for _ in 0..300 * scale() {
        let input = anything(&mut rng);
        let sender = [Side::Client, Side::Server][rng.below(2)];
        let mut link = LinkOptions::new(sender, 30);
        link.scope = scopes[rng.below(3)];
        let policy = [Policy::STRICT, Policy::PERMISSIVE][rng.below(2)];
        let whole = trace(&input, &[], growing(link, policy));
        let cuts = rng.cuts(input.len());
        assert_eq!(trace(&input, &cuts, growing(link, policy)), whole);
        assert_eq!(as_wanted(&input, growing(link, policy)), whole);
    }
}
