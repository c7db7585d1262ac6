//! `FileParser`: verdicts, contents, cuts, truncations, changes, capacities and positions.

mod support;

mod file_parser {
    mod agree;
    mod cuts;
    mod damage;
    mod frames;
    mod offsets;
    mod vectors;

    use hrry::FileEnd;

    use crate::support::regions::ends_at;
    use crate::support::trace::{self, growing_file, trace};
    use crate::support::vectors::Vector;

    type Trace = trace::Trace<FileEnd>;

    /// The trace of a vector by a parser that knows where the tensors end.
    fn whole(v: &Vector) -> Trace {
        let parser = growing_file(v.policy, Some(ends_at(&v.bytes)));
        trace(&v.bytes, &[], parser)
    }
}
