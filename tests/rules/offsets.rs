//! Every rule has an accepting and a rejecting case, and every error points where it should.

use std::collections::BTreeSet;

use hrry::{
    Agreements, DescriptorView, Error, ErrorKind, Field, Permissive, Policy, Rule, Violation,
};

use super::special::SPECIAL;
use super::{contents, files, messages, table};
use crate::support::trace::{Trace, growing, trace};
use crate::support::vectors::{self, Vector, named, permissive};

/// An accepted vector, a change, and where the rule that it breaks is reported.
pub(crate) struct Case {
    pub(crate) rule: &'static str,
    pub(crate) base: &'static str,
    pub(crate) field: Field,
    pub(crate) index: u32,
    pub(crate) offset: usize,
    pub(crate) change: Change,
}

pub(crate) enum Change {
    /// The bytes at the offset of the error.
    Here(Vec<u8>),
    /// Applied in order.
    Edits(Vec<Edit>),
}

pub(crate) enum Edit {
    Put(usize, Vec<u8>),
    Insert(usize, Vec<u8>),
    Remove(usize, usize),
    Cut(usize),
}

pub(crate) fn here(bytes: impl Into<Vec<u8>>) -> Change {
    Change::Here(bytes.into())
}

pub(crate) fn edits(edits: impl Into<Vec<Edit>>) -> Change {
    Change::Edits(edits.into())
}

pub(crate) fn put(at: usize, bytes: Vec<u8>) -> Edit {
    Edit::Put(at, bytes)
}

pub(crate) fn insert(at: usize, bytes: Vec<u8>) -> Edit {
    Edit::Insert(at, bytes)
}

/// Takes `len` bytes away.
pub(crate) fn remove(at: usize, len: usize) -> Edit {
    Edit::Remove(at, len)
}

/// Leaves so many bytes.
pub(crate) fn cut(len: usize) -> Edit {
    Edit::Cut(len)
}

pub(crate) fn u32(n: u32) -> Vec<u8> {
    n.to_le_bytes().to_vec()
}

pub(crate) fn u64(n: u64) -> Vec<u8> {
    n.to_le_bytes().to_vec()
}

pub(crate) fn i32(n: i32) -> Vec<u8> {
    n.to_le_bytes().to_vec()
}

pub(crate) fn f64(n: f64) -> Vec<u8> {
    n.to_le_bytes().to_vec()
}

pub(crate) fn changed(base: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = base.to_vec();
    for edit in edits {
        match edit {
            Edit::Put(at, new) => bytes[*at..at + new.len()].copy_from_slice(new),
            Edit::Insert(at, new) => drop(bytes.splice(at..at, new.iter().copied())),
            Edit::Remove(at, len) => drop(bytes.drain(*at..at + len)),
            Edit::Cut(len) => {
                assert!(*len < bytes.len());
                bytes.truncate(*len);
            }
        }
    }
    bytes
}

impl Case {
    pub(crate) fn bytes(&self, base: &Vector) -> Vec<u8> {
        assert!(base.accept, "{} is an accepting case", base.id);
        match &self.change {
            Change::Here(new) => changed(&base.bytes, &[put(self.offset, new.clone())]),
            Change::Edits(edits) => changed(&base.bytes, edits),
        }
    }

    pub(crate) fn rule(&self) -> Rule {
        Rule::from_id(self.rule).unwrap_or_else(|| panic!("no rule {}", self.rule))
    }

    fn violation(&self) -> Violation {
        Violation {
            rule: self.rule(),
            field: self.field,
            index: self.index,
        }
    }

    pub(crate) fn assert_error(&self, result: Result<(), Error>, origin: u64) {
        let name = format!("{} from {}", self.rule, self.base);
        let error = result.expect_err(&name);
        assert_eq!(error.kind(), ErrorKind::Rule(self.violation()), "{name}");
        assert_eq!(error.offset(), origin + self.offset as u64, "{name}");
    }
}

/// All private layouts, schemes, rules and classes that cases and vectors use.
pub(crate) static AGREED: Agreements = {
    let mut agreements = Agreements::NONE;
    agreements.layouts = &[0, 0xDEAD_BEEF_0000_0001];
    agreements.schemes = &[0xF0];
    agreements.composition_rules = &[0xF0];
    agreements.memory_classes = &[0xF0, 0xF9, 0xFE];
    agreements
};

pub(crate) fn agreed() -> Policy {
    let mut policy = Policy::STRICT;
    policy.agreements = &AGREED;
    policy
}

const ORIGIN: u64 = 1 << 40;

pub(crate) fn stream(bytes: &[u8], policy: Policy, origin: u64) -> Trace {
    trace(bytes, &[], growing(policy).with_origin(origin))
}

#[test]
fn every_rule_of_one_descriptor_is_placed() {
    let vectors = vectors::descriptors();
    for case in table::descriptors() {
        let base = named(&vectors, case.base);
        let (view, rest) = DescriptorView::parse(&base.bytes, &agreed()).unwrap();
        assert!(rest.is_empty());
        if let Change::Here(_) = case.change {
            let range = view.locate(case.field, case.index as usize).unwrap();
            let wrong_magic = case.field == Field::Magic;
            assert!(
                wrong_magic || range.start as usize == case.offset,
                "{}",
                case.rule
            );
        }
        let bytes = case.bytes(base);
        let parsed = DescriptorView::parse(&bytes, &agreed());
        case.assert_error(parsed.map(drop), 0);
        // behind others, in a stream
        case.assert_error(stream(&bytes, agreed(), ORIGIN).result, ORIGIN);
    }
}

#[test]
fn every_rule_of_a_stream_is_placed() {
    let vectors = vectors::streams();
    for case in table::streams() {
        let base = named(&vectors, case.base);
        assert_eq!(
            stream(&base.bytes, agreed(), 0).result,
            Ok(()),
            "{}",
            base.id
        );
        let bytes = case.bytes(base);
        case.assert_error(stream(&bytes, agreed(), 0).result, 0);
        case.assert_error(stream(&bytes, agreed(), ORIGIN).result, ORIGIN);
    }
}

#[test]
fn permissive_mode_lets_pass_what_the_table_says() {
    let vectors = vectors::descriptors();
    for case in table::descriptors() {
        let bytes = case.bytes(named(&vectors, case.base));
        let policy = permissive(&agreed());
        let parsed = DescriptorView::parse(&bytes, &policy);
        if case.rule().permissive() == Permissive::Reject {
            case.assert_error(parsed.map(drop), 0);
            continue;
        }
        let name = format!("{} from {}", case.rule, case.base);
        let (view, _) = parsed.expect(&name);
        let mut relaxed = Vec::new();
        view.relaxed(&policy, |violation| relaxed.push(violation));
        assert_eq!(relaxed, [case.violation()], "{name}");
    }
}

#[test]
fn every_rule_has_its_cases() {
    let cases = [table::descriptors(), table::streams()];
    let cases = cases.into_iter().flatten().chain(files::cases());
    let contents = contents::cases().into_iter().map(|case| case.rule);
    let messages = messages::cases().map(|case| case.rule);
    let placed = cases.map(|case| case.rule).chain(contents).chain(messages);
    let special = SPECIAL.iter().map(|(rule, _)| *rule);
    let covered: BTreeSet<&str> = placed.chain(special).collect();
    let reported = Rule::ALL.iter().map(|rule| rule.id());
    assert_eq!(covered, reported.collect());
    for (rule, case) in SPECIAL {
        // shown where the case fails
        println!("{rule}");
        case();
    }
}
