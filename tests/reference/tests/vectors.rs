//! The vectors with the reference at hand: what the manifests say of it is true, and both read the same.

use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::path::PathBuf;

use hrry::{DescriptorView, Policy, Transport};
use hrry_reference_tests::compare::same;
use hrry_reference_tests::deviations;
use hrry_reference_tests::files::equal::same_file;
use hrry_reference_tests::files::here::view;
use hrry_reference_tests::files::there;
use hrry_reference_tests::streams::{same_items, they_read, we_read};
use hurray_core::descriptor::TensorDescriptor;
use serde_json::Value;

fn vectors() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "vectors"]
        .iter()
        .collect()
}

fn manifest(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(vectors().join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn bytes(entry: &Value) -> Vec<u8> {
    std::fs::read(vectors().join(entry["file"].as_str().unwrap())).unwrap()
}

/// Rules that the entry breaks.
fn rules(entry: &Value) -> Vec<&str> {
    let rules = entry["format_rules"].as_array().into_iter().flatten();
    rules.filter_map(Value::as_str).collect()
}

fn reference_accepts(entry: &Value) -> bool {
    entry["reference"] == "accept"
}

#[test]
fn descriptors() {
    let known = deviations::all();
    let mut both = 0;
    for entry in manifest("descriptors.json") {
        let id = entry["id"].as_str().unwrap();
        let bytes = bytes(&entry);
        let theirs = TensorDescriptor::decode(&bytes);
        assert_eq!(
            theirs.is_ok(),
            reference_accepts(&entry),
            "{id}: {theirs:?}"
        );
        let ours = DescriptorView::parse(&bytes, &Policy::STRICT);
        match (
            entry["verdict"] == "accept",
            entry["mode"] == "strict",
            theirs,
        ) {
            (true, true, Ok(theirs)) => {
                both += 1;
                let (view, _) = ours.unwrap_or_else(|error| panic!("{id}: {error}"));
                same(&view, &theirs).unwrap_or_else(|error| panic!("{id}: {error}"));
            }
            (false, true, Ok(_)) => {
                let rules = rules(&entry);
                let argued = known.iter().any(|d| rules.contains(&d.rule));
                assert!(argued, "{id}: {rules:?} is not in the list of differences");
            }
            _ => {}
        }
    }
    assert!(both > 150, "{both}");
}

/// Rules of composites and transports that the reference does not keep, or keeps on request only.
const STREAM_RULES: [(&str, &str); 5] = [
    ("COMP-20", "8 levels of heads (AMB-61)"),
    ("COMP-24", "a quantized member is real-valued (AMB-59)"),
    (
        "COMP-26",
        "a private type is its section, not its tag (AMB-73)",
    ),
    (
        "COMP-43",
        "a gap is a gap in shapes beyond 2^64 elements, too (AMB-62)",
    ),
    (
        "BUF-19",
        "the reader was told that the stream comes from another machine",
    ),
];

#[test]
fn streams() {
    let known = deviations::all();
    let (mut both, mut refused) = (0, 0);
    for entry in manifest("streams.json") {
        let id = entry["id"].as_str().unwrap();
        // content is not a matter of reading; two of the inputs end the process
        if entry["level"] == "content" || entry["reference"] == "abort" {
            continue;
        }
        let bytes = bytes(&entry);
        let theirs = they_read(&bytes);
        assert_eq!(theirs.is_ok(), reference_accepts(&entry), "{id}");
        let mut policy = Policy::STRICT;
        if entry["transport"] == "cross-machine" {
            policy.transport = Transport::CrossMachine;
        }
        let ours = we_read(&bytes, 64, policy);
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => {
                both += 1;
                assert_eq!(entry["verdict"], "accept", "{id}");
                same_items(&ours, &theirs, &policy).unwrap_or_else(|e| panic!("{id}: {e}"));
            }
            (Err(error), Ok(_)) => {
                refused += 1;
                let rule = error.rule().map(|rule| rule.id()).unwrap_or_default();
                let stream_rule = STREAM_RULES.iter().any(|known| known.0 == rule);
                assert!(
                    stream_rule || known.iter().any(|d| d.rule == rule),
                    "{id}: {error}"
                );
            }
            // a member without elements inside another one overlaps nothing (AMB-63)
            (Ok(_), Err(_)) => assert_eq!(id, "s-ok-part-empty-member-inside"),
            (Err(_), Err(_)) => {}
        }
    }
    assert!(both >= 46 && refused >= 13, "{both} and {refused}");
}

/// Rules of containers, and of composites in them, that the reference does not keep.
const FILE_RULES: [(&str, &str); 16] = [
    ("FILE-02", "versioning.md bars lower majors (AMB-08)"),
    ("FILE-04", "reserved bytes are 0 (AMB-104)"),
    ("FILE-05", "a power of two from 4,096 to 2 MiB (AMB-104)"),
    ("FILE-06", "the first descriptor is where the header says"),
    ("FILE-10", "reserved bytes are 0 (AMB-104)"),
    ("FILE-12", "the index starts at a multiple of 8"),
    ("FILE-16", "no bytes behind the last entry (AMB-105)"),
    ("FILE-18", "names ascend where the header says so"),
    ("FILE-20", "descriptors start at multiples of 8"),
    ("FILE-22", "data lie behind their descriptor"),
    ("FILE-23", "buffers start at multiples of the alignment"),
    ("FILE-24", "data_length is that of the buffers (AMB-98)"),
    ("FILE-32", "the section of keys starts at a multiple of 8"),
    ("FILE-40", "tensors, keys and index follow each other"),
    ("COMP-20", "8 levels of heads (AMB-61)"),
    ("COMP-24", "a quantized member is real-valued (AMB-59)"),
];

#[test]
fn files() {
    let (mut both, mut ending, mut overflows) = (0, 0, vec![]);
    let mut kept_here = BTreeSet::new();
    for entry in manifest("files.json") {
        let id = entry["id"].as_str().unwrap();
        let bytes = bytes(&entry);
        let ours = view(&bytes, Policy::STRICT);
        assert_eq!(ours.is_ok(), entry["verdict"] == "accept", "{id}");
        // these inputs end the process
        if entry["reference"] == "abort" {
            ending += 1;
            continue;
        }
        // offsets near 2^64 overflow in a build with checks, where the manifest has a refusal (AMB-103)
        let Ok(theirs) = catch_unwind(|| there::they_read(&bytes)) else {
            overflows.push(id.to_owned());
            assert!(ours.is_err() && !reference_accepts(&entry), "{id}");
            continue;
        };
        assert_eq!(theirs.is_ok(), reference_accepts(&entry), "{id}");
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => {
                both += 1;
                same_file(&ours, &theirs, &Policy::STRICT).unwrap_or_else(|e| panic!("{id}: {e}"));
            }
            (Err(error), Ok(_)) => {
                let rule = error.rule().map(|rule| rule.id()).unwrap_or_default();
                let known = FILE_RULES.iter().any(|known| known.0 == rule);
                assert!(known, "{id}: {error}");
                kept_here.insert(rule);
            }
            (Ok(_), Err(error)) => panic!("{id}: only we accept: {error:?}"),
            (Err(_), Err(_)) => {}
        }
    }
    assert_eq!((both, ending), (46, 8));
    assert!(overflows.iter().all(|id| id == "f-bad-index-max"));
    let unused = FILE_RULES.iter().filter(|row| !kept_here.contains(row.0));
    assert_eq!(unused.collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
}
