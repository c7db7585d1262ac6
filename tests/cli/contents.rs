//! `hrry check --content`: what is inside buffers.

use std::path::PathBuf;

use serde_json::json;

use crate::inputs;
use crate::{feed, run};

fn vector(name: &str) -> Vec<u8> {
    inputs::vector(&format!("streams/{name}.bin"))
}

/// Verdict, rule and offset of standard input.
fn content(args: &[&str], input: &[u8]) -> serde_json::Value {
    let args = [&["check", "--json", "--content"], args, &["-"]].concat();
    let run = feed(&args, input);
    let line = &run.lines()[0];
    assert_eq!(run.status, i32::from(line["verdict"] == "reject"), "{line}");
    json!([line["verdict"], line["rule"], line["offset"]])
}

fn refused(rule: &str, offset: usize) -> serde_json::Value {
    json!(["reject", rule, offset])
}

#[test]
fn rules_and_offsets_of_streams() {
    // descriptor 109, values 20, col_indices 40, row_ptr: its fifth entry
    let csr = vector("s-bad-content-csr-ptr-end");
    assert_eq!(
        content(&[], &csr),
        refused("LAYOUT-31", 109 + 20 + 40 + 4 * 8)
    );
    // descriptor 53, the second byte
    let data = vector("s-bad-content-e8m0-00");
    assert_eq!(content(&[], &data), refused("TYPE-11", 54));
    // descriptor 93, values 8: the first coordinate of the second tuple is 4 of 4
    let coo = vector("s-bad-content-coo-range");
    assert_eq!(content(&[], &coo), refused("LAYOUT-26", 93 + 8 + 2 * 8));
    // behind another tensor
    let two = [vector("s-ok-one"), coo].concat();
    assert_eq!(
        content(&[], &two),
        refused("LAYOUT-26", 109 + 93 + 8 + 2 * 8)
    );
    // in a duplicate, only the end can tell
    let mut twice = vector("s-ok-coo-unsorted");
    twice.copy_within(101..117, 117);
    assert_eq!(content(&[], &twice), refused("LAYOUT-27", 93 + 8 + 2 * 8));
}

#[test]
fn nobody_looks_unless_asked() {
    let stream = vector("s-bad-content-csr-ptr-end");
    assert_eq!(feed(&["check", "-"], &stream).status, 0);
    let said = feed(&["check", "--content", "-"], &stream);
    assert_eq!(said.status, 1);
    let wanted = "-: refused, LAYOUT-31 does not hold: pointers start at 0, do not fall and end at nnz \
                  (row_ptr[4]) at byte 201 (layouts/csr.md, csc.md § Storage Invariants)\n";
    assert_eq!(said.out, wanted);
}

#[test]
fn permissive_mode_flags() {
    let stream = vector("s-bad-content-csr-ptr-end");
    let run = feed(
        &["check", "--json", "--content", "--permissive", "-"],
        &stream,
    );
    assert_eq!(run.status, 0);
    assert_eq!(run.json()["flags"], json!(["LAYOUT-31"]));
    let run = feed(&["check", "--json", "--permissive", "-"], &stream);
    assert_eq!(run.json().get("flags"), None);
}

#[test]
fn a_lone_descriptor_has_no_contents() {
    let stream = vector("s-bad-content-csr-ptr-end");
    let alone = ["--kind", "descriptor"];
    assert_eq!(
        content(&alone, &stream[..109]),
        json!(["accept", null, null])
    );
}

#[test]
fn offsets_in_a_container() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("content.hrry");
    let path = path.to_str().unwrap();
    let packed = feed(&["pack", path, "-"], &vector("s-bad-content-csr-ptr-end"));
    assert_eq!(packed.status, 0, "{}", packed.err);
    assert_eq!(run(&["check", path]).status, 0);
    let run = run(&["check", "--json", "--content", path]);
    let line = run.json();
    // the three buffers are on pages of their own behind that of the header
    let place = 3 * 4096 + 4 * 8;
    let found = json!([line["verdict"], line["rule"], line["offset"]]);
    assert_eq!((run.status, found), (1, refused("LAYOUT-31", place)));
}
