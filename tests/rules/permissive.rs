//! Every rejecting vector in permissive mode: what the table says of its rules is what happens.

use std::collections::BTreeSet;

use hrry::{DescriptorView, ErrorKind, Outcome, Permissive, Policy, Rule};

use crate::support::files::read;
use crate::support::messages;
use crate::support::trace::{Entry, growing, trace};
use crate::support::vectors::{self, Vector, descriptors, files, permissive, streams};

/// Vectors that break a rule by more than permissive mode tolerates.
const TOO_MUCH: &[&str] = &[
    "d-bad-coo-1buf",
    "d-bad-csc-2buf",
    "d-bad-csf-6buf",
    "d-bad-bp-2buf",
    "d-bad-q-pc-scale-small",
    "d-bad-q-pb-scale-small",
    "d-bad-q-nf4-scale-small",
    "d-bad-bp-pb-scale-per-page",
    "d-bad-bp-pb-zp-short",
    "f-bad-name-utf8",
    "f-bad-name-utf8-cut",
    "f-bad-name-utf8-surrogate",
    "f-bad-desc-beyond",
    "f-bad-data-length-short",
    "f-bad-kv-beyond",
    "f-bad-kv-length-beyond",
    "f-bad-kv-cut",
    "f-bad-kv-count-more",
    "f-bad-kv-count-max",
    "f-bad-kv-key-overrun",
    "m-bad-hello-cut-0",
    "m-bad-hello-cut-3",
    "m-bad-hello-cut-8",
    "m-bad-hello-cut-15",
    "m-bad-hello-cut-17",
    "m-bad-hello-cut-26",
    "m-bad-hello-cut-27",
    "m-bad-hello-cut-31",
    "m-bad-request-cut-0",
    "m-bad-request-cut-4",
    "m-bad-request-cut-8",
    "m-bad-request-cut-10",
    "m-bad-request-cut-18",
    "m-bad-request-utf8-overlong",
    "m-bad-request-utf8-surrogate",
    "m-bad-request-align-0",
    "m-bad-request-align-3",
    "m-bad-request-align-96",
    "m-bad-request-align-4294967295",
    "m-bad-error-length",
    "m-bad-error-utf8",
    // what is left of a parallel transfer is no tensor that could be put together
    "m-bad-parallel-gap",
    "m-bad-parallel-overlap",
];

/// An unknown type is opaque in permissive mode, but it is not the type of the head.
const UNKNOWN_TYPE_IN_PARTITION: &str = "s-bad-member-type";

/// The rules that a vector breaks; a row that restates another stands for that.
fn broken(v: &Vector) -> BTreeSet<Rule> {
    let rule =
        |id: &String| Rule::from_id(id).unwrap_or_else(|| panic!("{id} is not in the table"));
    let mut rules: BTreeSet<Rule> = v.rules.iter().map(rule).collect();
    if v.id == UNKNOWN_TYPE_IN_PARTITION {
        rules.insert(Rule::MemberType);
    }
    if rules.contains(&Rule::KvPrivate) {
        // a private tag is "not assigned" too, and the vector says so
        rules.remove(&Rule::KvValue);
    }
    rules
}

fn is_refused(v: &Vector) -> bool {
    let reject = |rule: &Rule| rule.permissive() == Permissive::Reject;
    broken(v).iter().any(reject) || TOO_MUCH.contains(&v.id.as_str())
}

fn relaxed(view: &DescriptorView<'_>, policy: &Policy) -> BTreeSet<Rule> {
    let mut rules = BTreeSet::new();
    view.relaxed(policy, |violation| {
        rules.insert(violation.rule);
    });
    rules
}

#[test]
fn rejected_descriptors() {
    let mut accepted = 0;
    for v in descriptors().iter().filter(|v| !v.accept) {
        let policy = permissive(&v.policy);
        match DescriptorView::parse(&v.bytes, &policy) {
            Ok((view, _)) => {
                assert!(!is_refused(v), "{}", v.id);
                let mut expected = broken(v);
                if expected.contains(&Rule::PrivateScheme) {
                    // a private scheme is "not assigned" too, and the vector says so
                    expected.remove(&Rule::SchemeUnknown);
                }
                assert_eq!(relaxed(&view, &policy), expected, "{}", v.id);
                accepted += 1;
            }
            Err(error) => {
                assert!(is_refused(v), "{}: {error}", v.id);
                let rule = error.rule().expect("a rule is broken");
                assert!(broken(v).contains(&rule), "{}: {error}", v.id);
            }
        }
    }
    assert!(accepted > 0);
}

#[test]
fn rejected_streams() {
    for v in streams().iter().filter(|v| !v.accept && !v.content) {
        let policy = permissive(&v.policy);
        let strict = trace(&v.bytes, &[], growing(v.policy));
        let trace = trace(&v.bytes, &[], growing(policy));
        // what strict mode saw before it stopped is not seen in another way
        assert!(trace.entries.starts_with(&strict.entries), "{}", v.id);
        match trace.result {
            Ok(()) => {
                assert!(!is_refused(v), "{}", v.id);
                let flagged = flags(&trace.entries, &policy);
                assert!(
                    !flagged.is_empty() && flagged.is_subset(&broken(v)),
                    "{}",
                    v.id
                );
            }
            Err(error) => {
                let rule = error.rule().expect("a rule is broken");
                assert!(broken(v).contains(&rule), "{}: {error}", v.id);
                let torn = matches!(error.kind(), ErrorKind::Torn { .. });
                assert!(is_refused(v) || torn, "{}: {error}", v.id);
                assert!(!torn || trace.entries == strict.entries, "{}", v.id);
            }
        }
        assert_never_whole(&trace.entries, &v.id);
    }
}

#[test]
fn rejected_files() {
    let mut accepted = 0;
    for v in files().iter().filter(|v| !v.accept) {
        match read(&v.bytes, &permissive(&v.policy)) {
            Ok(()) => {
                assert!(!is_refused(v), "{}", v.id);
                accepted += 1;
            }
            Err(error) => {
                let rule = error.rule().expect("a rule is broken");
                assert!(broken(v).contains(&rule), "{}: {error}", v.id);
                let torn = matches!(error.kind(), ErrorKind::Torn { .. });
                assert!(is_refused(v) || torn, "{}: {error}", v.id);
            }
        }
    }
    assert!(accepted > 0);
}

#[test]
fn rejected_messages() {
    let mut accepted = BTreeSet::new();
    let vectors = vectors::messages();
    for (v, link) in vectors.iter().filter(|(v, _)| !v.accept) {
        let read = |policy| {
            let trace = messages::trace(&v.bytes, &[], messages::growing(*link, policy));
            let shards = messages::shards(&trace.entries, &policy);
            (
                trace.result.map_err(|error| error.kind()).and(shards),
                trace,
            )
        };
        let (strict, seen) = read(v.policy);
        let (result, more) = read(permissive(&v.policy));
        assert!(more.entries.starts_with(&seen.entries), "{}", v.id);
        match result {
            Ok(()) => {
                assert!(!is_refused(v), "{}", v.id);
                accepted.extend(broken(v));
            }
            Err(kind) => {
                // the end of the bytes is shown and no more
                let torn = kind.rule() == Some(Rule::MessagesTorn);
                assert!(is_refused(v) || torn, "{}: {kind}", v.id);
                assert_eq!(strict, Err(kind), "{}", v.id);
            }
        }
    }
    let relaxed = [
        Rule::CapabilityBits,
        Rule::GpuDirect,
        Rule::Hello,
        Rule::Request,
        Rule::EmptyData,
        Rule::NoPayload,
        Rule::ErrorText,
        Rule::TypeUnknown,
        // of a composite that does not pass for a whole one
        Rule::Overlap,
        Rule::Gap,
    ];
    assert_eq!(accepted, relaxed.into());
}

/// What permissive mode says about an accepted stream: of its descriptors and of composites that close.
fn flags(entries: &[Entry], policy: &Policy) -> BTreeSet<Rule> {
    let mut flags = BTreeSet::new();
    for entry in entries {
        match entry {
            Entry::Descriptor { bytes, .. } => {
                let (view, _) = DescriptorView::parse(bytes, policy).expect("it was accepted");
                flags.extend(relaxed(&view, policy));
            }
            Entry::End(Outcome::Closed { complete, .. }) => flags.extend(complete.err()),
            _ => {}
        }
    }
    flags
}

/// Each of these vectors has one composite at most, and no composite with a fault passes for a whole one.
fn assert_never_whole(entries: &[Entry], id: &str) {
    let mut depth = 0;
    for entry in entries {
        match entry {
            Entry::Descriptor {
                outcome: Outcome::Opened { .. },
                ..
            } => depth += 1,
            Entry::End(Outcome::Closed {
                levels, complete, ..
            }) => {
                depth -= levels;
                assert!(depth > 0 || complete.is_err(), "{id}");
            }
            _ => {}
        }
    }
}
