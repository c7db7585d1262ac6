//! Hostile containers: a typed error inside the input or the right result, the same as a reader written
//! from the rules alone, and no panic.

mod support;

mod files {
    mod changes;
    mod composites;
    mod names;
    mod numbers;
    mod random;
    mod samples;
    mod scratch;

    use hrry::Policy;

    use crate::support::reading::{expected, ours};

    const MODES: [Policy; 2] = [Policy::STRICT, Policy::PERMISSIVE];

    /// Verdict and contents are those of the other reader; returns whether they were read.
    fn check(bytes: &[u8], policy: &Policy, name: &str) -> bool {
        let expected = expected(bytes, policy);
        match ours(bytes, policy) {
            Ok(reading) => {
                assert_eq!(
                    Some(&reading),
                    expected.as_ref(),
                    "{name}, {:?}",
                    policy.mode
                );
                true
            }
            Err(error) => {
                assert_eq!(expected, None, "{name}, {:?}: {error}", policy.mode);
                assert!(error.rule().is_some(), "{name}: {error}");
                assert!(error.offset() <= bytes.len() as u64, "{name}: {error}");
                false
            }
        }
    }
}
