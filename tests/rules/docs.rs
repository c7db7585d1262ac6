//! `docs/rules.md` is what the table says. `HRRY_BLESS=1` writes it anew.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use hrry::{Class, Restated, Rule};

use super::catalogue::{FAMILIES, UNBREAKABLE};

const HEAD: &str = "# Rules

Generated from `src/rule.rs` and `src/rule/` by `HRRY_BLESS=1 cargo test --test rules`; do not edit.

A strict reader refuses whatever breaks a rule and names its ID; the last column says what permissive mode does instead:
`reject` (it refuses as well), `accept` (and flag), `ignore` (the field), `opaque` (the data stays uninterpreted), `expose`
(what arrived, never as a whole). Accepting buffers that are larger or more than needed is all that BUF-03, BUF-04,
QUANT-25 to QUANT-27 and QUANT-35 relax.

Who can break a rule: `wire` bytes, `model` the values of one descriptor, `set` several descriptors in order, `content` the
bytes inside buffers (checked on request), `call` the user of a writer.

Numbers are what devices and the C interface report (`Rule::number`); they never change.

What restates a rule is never reported itself.
";

const COLUMNS: &str = "
| ID | Number | Rule | Class | What must hold | Specification | Strict / permissive |
|---|---|---|---|---|---|---|
";

#[test]
fn docs_are_what_the_table_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md");
    let expected = document();
    if std::env::var_os("HRRY_BLESS").is_some_and(|value| value == "1") {
        fs::create_dir_all(path.parent().expect("a file has a folder")).unwrap();
        fs::write(&path, &expected).unwrap();
    }
    let actual = fs::read_to_string(&path).expect("docs/rules.md is in the repository");
    assert!(
        actual == expected,
        "docs/rules.md is stale; run HRRY_BLESS=1 cargo test --test rules"
    );
}

fn document() -> String {
    let mut text = HEAD.to_owned();
    for (family, _) in FAMILIES {
        let of_family = |id: &str| id.split_once('-').is_some_and(|(name, _)| name == family);
        write!(text, "\n## {family}\n{COLUMNS}").unwrap();
        for rule in Rule::ALL.iter().filter(|rule| of_family(rule.id())) {
            text.push_str(&row(*rule));
        }
        let mut restated = Rule::RESTATED
            .iter()
            .filter(|row| of_family(row.id))
            .peekable();
        if restated.peek().is_some() {
            text.push_str("\nThese restate others:\n\n");
        }
        for row in restated {
            let Restated {
                id,
                clause,
                text: what,
                rule,
                ..
            } = row;
            writeln!(text, "* {id}, as {}: {what} ({clause}).", rule.id()).unwrap();
        }
        text.push_str("\nNothing can break the others:\n\n");
        for (id, why) in UNBREAKABLE.iter().filter(|(id, _)| of_family(id)) {
            writeln!(text, "* {id}: {why}.").unwrap();
        }
    }
    text
}

fn row(rule: Rule) -> String {
    let strict = if rule.class() == Class::Call {
        "error"
    } else {
        "reject"
    };
    format!(
        "| {} | {} | `{:?}` | {} | {} | {} | {strict} / {} |\n",
        rule.id(),
        rule.number(),
        rule,
        format!("{:?}", rule.class()).to_lowercase(),
        rule.text(),
        rule.clause(),
        format!("{:?}", rule.permissive()).to_lowercase(),
    )
}
