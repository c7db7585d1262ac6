//! Ways in which parsers of such formats have failed, each with a test under its number: `c01_..` to
//! `c32_..`. What needs a counting allocator is in `allocation.rs`; classes that speak of files, messages
//! or bindings have their tests there.

mod support;

mod failure {
    mod build;
    mod counts;
    mod links;
    mod memory;
    mod partitions;
    mod sizes;
    mod streams;
    mod verdicts;

    use hrry::{DescriptorView, Error, ErrorKind, Policy, Rule};

    use crate::support::bytes;
    use crate::support::spec::Plain;

    /// The rule that a strict reader names, with its offset.
    fn refused(bytes: &[u8]) -> Option<(Rule, u64)> {
        let error = DescriptorView::parse(bytes, &Policy::STRICT).err()?;
        Some((error.rule()?, error.offset()))
    }

    /// The rule that reading such a descriptor breaks.
    fn rule_of(plain: &Plain) -> Option<Rule> {
        refused(&bytes::encode(plain)).map(|(rule, _)| rule)
    }

    fn kind(result: Result<(), Error>) -> Result<(), ErrorKind> {
        result.map_err(|error| error.kind())
    }
}
