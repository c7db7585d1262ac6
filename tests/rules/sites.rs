//! Each rule is decided in one place of `src`, and its documentation names rules that exist.

use hrry::Rule;

use super::catalogue::{FAMILIES, ids};
use crate::support::source::{self, Source};

/// Rules whose name stands more or less than once in `src`, and why that is right.
const EXCEPTIONS: &[(&str, usize, &str)] = &[
    (
        "DESC-07",
        0,
        "`parse` hands back what follows; only its caller knows that nothing may follow",
    ),
    (
        "LAYOUT-05",
        2,
        "chosen twice, for plain and for tiled layouts without strides; checked once",
    ),
    (
        "COMP-28",
        2,
        "the rank and the sizes of one shape, which are two fields",
    ),
    ("COMP-48", 0, "travels as `ErrorKind::Torn`"),
    (
        "FILE-45",
        2,
        "decided once; the last one that a check can name, where a table ends",
    ),
];

/// Everything but the table itself, what turns errors into rules, and the program.
fn sources() -> impl Iterator<Item = Source> {
    let apart = ["rule.rs", "rule/restated.rs", "error/mod.rs"];
    source::all()
        .into_iter()
        .filter(move |source| !apart.contains(&source.name.as_str()) && source.top() != "bin")
}

#[test]
fn every_rule_is_constructed_once() {
    let sources: Vec<Source> = sources().collect();
    for rule in Rule::ALL {
        let found: Vec<&str> = sources
            .iter()
            .flat_map(|source| source.code.iter().map(move |line| (source, line)))
            .filter(|(_, line)| names(line, &format!("{rule:?}")))
            .map(|(source, _)| source.name.as_str())
            .collect();
        let exception = EXCEPTIONS.iter().find(|(id, ..)| *id == rule.id());
        match exception {
            Some((id, count, why)) => {
                assert_eq!(found.len(), *count, "{id} in {found:?}, but {why}");
            }
            None => assert_eq!(found.len(), 1, "{} in {found:?}", rule.id()),
        }
    }
}

#[test]
fn documentation_names_rules_that_exist() {
    let known = ids();
    let mut named = 0;
    for source in sources() {
        let mut in_errors = false;
        for comment in &source.comments {
            let text = comment.trim_start_matches(['/', '!', ' ']);
            let goes_on = comment.starts_with("///") && !text.starts_with("# ");
            in_errors = text == "# Errors" || in_errors && goes_on;
            for id in rule_ids(comment) {
                assert!(known.contains(&id), "{}: {id}", source.name);
                if in_errors {
                    assert!(Rule::from_id(&id).is_some(), "{}: no row {id}", source.name);
                    named += 1;
                }
            }
        }
    }
    assert!(named > 0);
}

/// Whether a line of code names the rule.
fn names(line: &str, variant: &str) -> bool {
    line.match_indices("Rule::").any(|(at, prefix)| {
        let before = line[..at].chars().next_back();
        let rest = &line[at + prefix.len()..];
        let end = rest
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len());
        !before.is_some_and(char::is_alphanumeric) && &rest[..end] == variant
    })
}

/// The IDs of the table's families in a comment.
fn rule_ids(comment: &str) -> Vec<String> {
    comment
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter(|word| {
            let family = |(family, _): &(&str, u32)| {
                word.strip_prefix(family)
                    .and_then(|rest| rest.strip_prefix('-'))
                    .is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
            };
            FAMILIES.iter().any(family)
        })
        .map(str::to_owned)
        .collect()
}
