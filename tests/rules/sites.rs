//! Each rule is decided in one place of `src`, and its documentation names rules that exist.

use std::fs;
use std::path::{Path, PathBuf};

use hrry::{Class, Rule};

use super::catalogue::{FAMILIES, ids};

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
];

#[test]
fn every_rule_is_constructed_once() {
    let sources = sources();
    for rule in Rule::ALL {
        let found: Vec<&str> = sources
            .iter()
            .flat_map(|source| source.code.iter().map(move |line| (source, line)))
            .filter(|(_, line)| names(line, &format!("{rule:?}")))
            .map(|(source, _)| source.name.as_str())
            .collect();
        let exception = EXCEPTIONS.iter().find(|(id, ..)| *id == rule.id());
        match (rule.same_as(), rule.class(), exception) {
            (Some(_), ..) => assert!(found.is_empty(), "{} in {found:?}", rule.id()),
            // the content checks are a table of their own
            (None, Class::Content, _) => {}
            (None, _, Some((id, count, why))) => {
                assert_eq!(found.len(), *count, "{id} in {found:?}, but {why}");
            }
            (None, ..) => assert_eq!(found.len(), 1, "{} in {found:?}", rule.id()),
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

/// One file of `src`, line by line.
struct Source {
    name: String,
    /// Without comments and unit tests.
    code: Vec<String>,
    /// Of each line; empty where a line is code alone.
    comments: Vec<String>,
}

fn sources() -> Vec<Source> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let apart = ["rule.rs", "error.rs"].map(|name| root.join(name));
    files
        .iter()
        .filter(|file| !apart.contains(file) && !file.starts_with(root.join("bin")))
        .map(|file| read(file))
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("src is readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn read(file: &Path) -> Source {
    let text = fs::read_to_string(file).expect("src is text");
    let mut source = Source {
        name: file.display().to_string(),
        code: Vec::new(),
        comments: Vec::new(),
    };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // a module of tests: one line, or everything to the brace that closes it
            let inline = lines.next().is_some_and(|line| line.ends_with('{'));
            if inline {
                lines.by_ref().find(|line| *line == "}");
            }
            continue;
        }
        let (code, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
        source.code.push(code.to_owned());
        source.comments.push(comment.to_owned());
    }
    source
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
