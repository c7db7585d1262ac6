//! The theorem: events, errors and offsets do not depend on how the input was cut.

mod support;

mod chunking {
    mod corpus;
    mod feeding;
    mod finish;
    mod frames;
    mod mutated;
    mod origin;

    use hrry::{Cover, ExactThenKeyed, Key, Keyed, Policy, StreamDecoder, StreamParser};

    use crate::support::scale::Rng;
    use crate::support::trace::{Machine, Trace, bytewise, growing, trace};

    /// A fixed key: which streams pass must not depend on it.
    const KEY: Key = Key([0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210]);

    /// The trace of the whole input, after one byte at a time and `runs` random cuts gave the same.
    fn agreed<M: Machine<End = ()>>(
        name: &str,
        input: &[u8],
        rng: &mut Rng,
        runs: usize,
        machine: impl Fn() -> M,
    ) -> Trace {
        let whole = trace(input, &[], machine());
        assert_eq!(bytewise(input, machine()), whole, "{name}: byte by byte");
        for _ in 0..runs {
            let cuts = rng.cuts(input.len());
            assert_eq!(trace(input, &cuts, machine()), whole, "{name}: {cuts:?}");
        }
        whole
    }

    /// The same for every kind of machine without a capacity; gives the trace of the exact decoder.
    fn agreed_everywhere(
        name: &str,
        input: &[u8],
        policy: Policy,
        rng: &mut Rng,
        runs: usize,
    ) -> Trace {
        agreed(name, input, rng, runs, || covered(Keyed(KEY), policy));
        agreed(name, input, rng, runs, || {
            covered(ExactThenKeyed(KEY), policy)
        });
        agreed(name, input, rng, runs, || {
            StreamParser::with_storage(hrry::owned::GrowFrame::new(), policy)
        });
        agreed(name, input, rng, runs, || growing(policy))
    }

    fn covered<C: Cover>(
        cover: C,
        policy: Policy,
    ) -> StreamDecoder<hrry::owned::GrowFrame, C, Vec<u64>> {
        StreamDecoder::with_parts(hrry::owned::GrowFrame::new(), cover, Vec::new(), policy)
    }
}
