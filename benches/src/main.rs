//! `hrry` beside the reference, in one process.
//!
//! `cargo run --release` prints tables of times and ratios, `-- --json` the same for machines, a word
//! such as `decode` or `cover/rank1` restricts the run. `-- --instructions` asks callgrind for instructions of
//! each operation; `-- --count NAME N` is what that runs.

mod address;
mod alloc;
mod cases;
mod cover;
mod decode;
mod file;
mod instructions;
mod io;
mod measure;
mod messages;
mod report;
mod stream;
mod targets;
mod values;

use std::process::ExitCode;

use measure::Group;

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

/// Makes the contestants.
pub type Build = fn() -> Vec<Group>;

/// A part of the tables, built only when it is asked for.
pub struct Section {
    /// The first word of its groups' names.
    pub name: &'static str,
    /// Builds its groups.
    pub groups: Build,
    /// Which of them run under callgrind, and how often; none where that would take too long.
    pub counted: Option<(Build, u64)>,
}

/// All parts, in the order of the report.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "decode",
        groups: decode::groups,
        counted: Some((decode::groups, 1000)),
    },
    Section {
        name: "encode",
        groups: decode::encoding,
        counted: Some((decode::encoding, 1000)),
    },
    Section {
        name: "payload",
        groups: stream::payload,
        counted: Some((stream::payload, 1000)),
    },
    Section {
        name: "tensor",
        groups: stream::whole_tensor,
        counted: None,
    },
    Section {
        name: "bytes",
        groups: stream::single_bytes,
        counted: Some((stream::single_bytes, 20)),
    },
    Section {
        name: "cover",
        groups: cover::groups,
        counted: Some((cover::counted_groups, 1)),
    },
    Section {
        name: "address",
        groups: address::groups,
        counted: Some((address::groups, 3)),
    },
    Section {
        name: "file",
        groups: file::groups,
        counted: Some((file::opening, 1)),
    },
    Section {
        name: "io",
        groups: io::groups,
        counted: None,
    },
    Section {
        name: "messages",
        groups: messages::groups,
        counted: None,
    },
    Section {
        name: "values",
        groups: values::groups,
        counted: None,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["--count", name, times] => instructions::count(name, times.parse().expect("a number")),
        ["--instructions", filter @ ..] => instructions::table(filter, false),
        ["--json", "--instructions", filter @ ..] => instructions::table(filter, true),
        ["--json", filter @ ..] => report::run(filter, true),
        filter if filter.iter().all(|word| !word.starts_with('-')) => report::run(filter, false),
        _ => {
            eprintln!("usage: [--json] [--instructions] [WORD...] | --count NAME N");
            ExitCode::from(2)
        }
    }
}

/// Whether a group or contestant is asked for.
pub fn wanted(name: &str, filter: &[&str]) -> bool {
    filter.is_empty() || filter.iter().any(|word| name.contains(word))
}
