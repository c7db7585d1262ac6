//! The vectors with the reference at hand: what the manifests say of it is true, and both read the same.

use std::path::PathBuf;

use hrry::{DescriptorView, Policy, Transport};
use hrry_reference_tests::compare::same;
use hrry_reference_tests::deviations;
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
