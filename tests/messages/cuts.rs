//! Events, errors and offsets do not depend on how the input was cut.

use hrry::{FixedMessages, Mode, Policy};
use proptest::prelude::*;

use crate::support::messages::{Trace, as_wanted, growing, in_chunks, trace};
use crate::support::scale::{Rng, scale};
use crate::support::vectors::{messages, permissive};

/// The trace of the whole, after every cut, single bytes, and what the parser wants gave the same.
fn agreed(name: &str, input: &[u8], read: impl Fn(&dyn Fn() -> Cutting) -> Trace) -> Trace {
    let whole = read(&|| Cutting::At(Vec::new()));
    for cut in 0..=input.len() {
        let one = read(&|| Cutting::At(vec![cut]));
        assert_eq!(one, whole, "{name}: cut at {cut}");
    }
    assert_eq!(read(&|| Cutting::Bytes), whole, "{name}: byte by byte");
    assert_eq!(read(&|| Cutting::Wanted), whole, "{name}: as wanted");
    whole
}

enum Cutting {
    At(Vec<usize>),
    Bytes,
    Wanted,
}

#[test]
fn every_vector_at_every_cut() {
    for (v, link) in messages() {
        for policy in [v.policy, permissive(&v.policy)] {
            let grown = agreed(&v.id, &v.bytes, |cutting| {
                let parser = growing(link, policy).with_origin(5);
                match cutting() {
                    Cutting::At(cuts) => trace(&v.bytes, &cuts, parser),
                    Cutting::Bytes => in_chunks(&v.bytes, 1, parser),
                    Cutting::Wanted => as_wanted(&v.bytes, parser),
                }
            });
            let fixed = agreed(&v.id, &v.bytes, |cutting| {
                let parser = FixedMessages::<512, 64, 4>::new(link, policy).with_origin(5);
                match cutting() {
                    Cutting::At(cuts) => trace(&v.bytes, &cuts, parser),
                    Cutting::Bytes => in_chunks(&v.bytes, 1, parser),
                    Cutting::Wanted => as_wanted(&v.bytes, parser),
                }
            });
            assert_eq!(grown, fixed, "{}", v.id);
        }
    }
}

#[test]
fn one_byte_wrong_at_random_cuts() {
    let mut rng = Rng(51);
    let vectors = messages();
    for _ in 0..3_000 * scale() {
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
        assert_eq!(trace(&input, &cuts, growing(*link, policy)), whole, "{name}");
        assert_eq!(in_chunks(&input, 1, growing(*link, policy)), whole, "{name}");
        assert_eq!(as_wanted(&input, growing(*link, policy)), whole, "{name}");
        assert!(whole.offset <= input.len() as u64, "{name}");
    }
}

/// A reader that asks for what is wanted and no more holds, at each end of a message, what belongs to it:
/// all that was taken is the messages that were told of.
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
                assert!(wanted > 0 && wanted as u64 <= end - parser.offset(), "{}", v.id);
                let (mut chunk, behind) = rest.split_at(wanted);
                rest = behind;
                while parser.next_event(&mut chunk).unwrap().is_some() {}
            }
        }
        assert_eq!(parser.finish(), Ok(()), "{}", v.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_read_the_same_in_pieces(
        input in proptest::collection::vec(prop_oneof![3 => 0u8..14, 1 => any::<u8>()], 0..96),
        cut in 0usize..96,
        which in 0usize..136,
    ) {
        let (_, link) = &messages_of_any_link()[which];
        let cut = cut.min(input.len());
        let whole = trace(&input, &[], growing(*link, Policy::PERMISSIVE));
        prop_assert_eq!(trace(&input, &[cut], growing(*link, Policy::PERMISSIVE)), whole.clone());
        prop_assert_eq!(as_wanted(&input, growing(*link, Policy::PERMISSIVE)), whole);
    }
}

/// The vectors, read once.
fn messages_of_any_link() -> &'static [(crate::support::vectors::Vector, hrry::LinkOptions)] {
    static VECTORS: std::sync::OnceLock<Vec<(crate::support::vectors::Vector, hrry::LinkOptions)>> =
        std::sync::OnceLock::new();
    VECTORS.get_or_init(messages)
}
