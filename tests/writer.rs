//! The stream writer: what it refuses, in what order it wants its calls, and what it writes.

mod support;

mod writer {
    mod order;
    mod sinks;
    mod trees;

    use hrry::{Exact, Policy, StreamWriter};

    use crate::support::sinks::Limited;

    pub type Writer<'a> = StreamWriter<&'a mut Limited, Exact, Vec<u64>>;

    pub fn writer(sink: &mut Limited, policy: Policy) -> Writer<'_> {
        StreamWriter::with_parts(sink, Exact, Vec::new(), policy)
    }
}
