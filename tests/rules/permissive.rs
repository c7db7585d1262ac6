//! Every rejecting vector in permissive mode: what the table says of its rules is what happens.

use std::collections::BTreeSet;

use hrry::{DescriptorView, ErrorKind, Outcome, Permissive, Policy, Rule};

use crate::support::files::read;
use crate::support::trace::{Entry, growing, trace};
use crate::support::vectors::{Vector, descriptors, files, permissive, streams};

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
