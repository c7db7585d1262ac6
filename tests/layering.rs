//! Dependencies point down only, and files stay small.

mod support;

use support::source::{Source, all};

/// Files and folders of `src`, lowest first. Each may use itself and what stands before it.
const ORDER: &[&str] = &[
    "rule",
    "error",
    "policy",
    "sort",
    "wire",
    "frame",
    "model",
    "check",
    "record",
    "descriptor",
    "composite",
    "content",
    "address",
    "value",
    "stream",
    "file",
    "message",
    "profile",
    "owned",
    "io_embedded",
    "io_std",
    "bin",
];

const MOST_LINES: usize = 500;

fn place(top: &str, name: &str) -> usize {
    let place = ORDER.iter().position(|entry| *entry == top);
    place.unwrap_or_else(|| panic!("{name}: {top} has no place in the order"))
}

#[test]
fn dependencies_point_down() {
    let mut edges = 0;
    // lib.rs re-exports everything and decides nothing
    for source in all().iter().filter(|source| source.name != "lib.rs") {
        let own = place(source.top(), &source.name);
        for used in source.code.iter().flat_map(|line| uses(line)) {
            assert!(
                place(used, &source.name) <= own,
                "{} uses {used}",
                source.name
            );
            edges += 1;
        }
        assert_stays_inside(source);
    }
    assert!(edges > 0);
}

/// The top-level modules that a line names by `crate::`, text in quotes aside.
fn uses(line: &str) -> Vec<&str> {
    let code = line.split('"').step_by(2);
    code.flat_map(|code| code.split("crate::").skip(1))
        .filter_map(|rest| {
            rest.split(|c: char| c != '_' && !c.is_ascii_lowercase())
                .next()
        })
        .filter(|name| !name.is_empty())
        .collect()
}

/// `super` leads out of a folder from its `mod.rs`, and twice from any file in it.
fn assert_stays_inside(source: &Source) {
    let at_edge = source.name.ends_with("mod.rs") || !source.name.contains('/');
    let way_out = if at_edge { "super::" } else { "super::super::" };
    let nested = source.top() == "bin";
    let leaves = source.code.iter().any(|line| line.contains(way_out));
    assert!(
        nested || !leaves,
        "{} leaves its folder by {way_out}",
        source.name
    );
}

#[test]
fn files_are_small() {
    for source in all() {
        let lines = source.lines;
        assert!(lines <= MOST_LINES, "{} has {lines} lines", source.name);
    }
}
