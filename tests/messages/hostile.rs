//! Anything at all: no panic, no error outside the input, an end.

use hrry::message::{LinkOptions, MessageParser, Scope, Side, Streams};
use hrry::{Mode, Policy, Storage};

use crate::support::messages::{growing, message};
use crate::support::scale::{Rng, scale};
use crate::support::vectors::messages;

/// Reads all of it and goes on behind each error; events and errors are not more than bytes allow.
fn survive<S: Storage, T: Streams>(input: &[u8], size: usize, mut parser: MessageParser<S, T>) {
    let (mut events, mut errors) = (0, 0);
    for mut chunk in input.chunks(size) {
        loop {
            match parser.next_event(&mut chunk) {
                Ok(None) => break,
                Ok(Some(event)) => {
                    // nothing that is told of can make formatting fail
                    let _ = format!("{event:?}");
                    events += 1;
                }
                Err(error) => {
                    assert!(error.offset() <= input.len() as u64, "{error:?}");
                    let _ = error.to_string();
                    parser
                        .skip_message()
                        .expect("positions are far from their end");
                    errors += 1;
                }
            }
        }
        assert!(chunk.is_empty());
    }
    assert!(parser.offset() == input.len() as u64);
    assert!(events <= input.len() && errors <= 1 + input.len() / 12);
    let _ = parser.finish();
}

fn any_link(rng: &mut Rng) -> LinkOptions {
    let mut link = LinkOptions::new([Side::Client, Side::Server][rng.below(2)], 1 << 16);
    link.scope = [Scope::Message, Scope::Tensor, Scope::Session][rng.below(3)];
    link
}

fn any_policy(rng: &mut Rng) -> Policy {
    let mut policy = Policy::STRICT;
    policy.mode = [Mode::Strict, Mode::Permissive][rng.below(2)];
    policy
}

#[test]
fn random_bytes() {
    let mut rng = Rng(61);
    for _ in 0..2000 * scale() {
        let input: Vec<u8> = (0..rng.below(400)).map(|_| rng.byte() % 16).collect();
        let size = 1 + rng.below(50);
        let link = any_link(&mut rng);
        survive(&input, size, growing(link, any_policy(&mut rng)));
    }
}

#[test]
fn random_payloads() {
    let mut rng = Rng(62);
    for _ in 0..2000 * scale() {
        let mut input = Vec::new();
        for _ in 0..rng.below(8) {
            let small = rng.below(2) == 0;
            let payload: Vec<u8> = (0..rng.below(120))
                .map(|_| if small { rng.byte() % 4 } else { rng.byte() })
                .collect();
            let kind = rng.below(15) as u32;
            input.extend(message(kind, rng.below(3) as u32, &payload));
        }
        let size = 1 + rng.below(50);
        let link = any_link(&mut rng);
        survive(&input, size, growing(link, any_policy(&mut rng)));
    }
}

#[test]
fn damaged_vectors() {
    let mut rng = Rng(63);
    let vectors = messages();
    for _ in 0..2000 * scale() {
        let (v, link) = &vectors[rng.below(vectors.len())];
        let mut input = v.bytes.clone();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(input.len());
            input[at] = match rng.below(3) {
                0 => rng.byte(),
                1 => 0xFF,
                _ => input[at] ^ 1 << rng.below(8),
            };
        }
        // behind it another one, whole
        let (other, _) = &vectors[rng.below(vectors.len())];
        input.extend(&other.bytes);
        let size = 1 + rng.below(50);
        survive(&input, size, growing(*link, any_policy(&mut rng)));
    }
}
