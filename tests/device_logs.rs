//! What a device meets it can log: public values have `defmt::Format` with the feature `defmt`.
#![cfg(not(miri))]

mod support;

use support::source::all;

/// Levels that need an allocator or an operating system.
const HOSTED: [&str; 3] = ["owned", "io_std", "bin"];

/// Values that nobody logs.
const SILENT: [(&str, &str); 5] = [
    (
        "secrets, and what holds one",
        "Key Keyed ExactThenKeyed Exact",
    ),
    (
        "ways to read lent bytes, not what was read",
        "Compressed Line Pages Grid",
    ),
    (
        "the same, of containers",
        "FileDirectory FileIndex FileView FileTensor TensorView FileItem FileEvent",
    ),
    (
        "iterators, drivers and places",
        "ArrayIter Levels Output Source",
    ),
    ("the catalogue of rules", "Restated"),
];

#[test]
fn values_can_be_logged() {
    let mut silent: Vec<&str> = SILENT
        .iter()
        .flat_map(|(_, names)| names.split(' '))
        .collect();
    let mut logged = 0;
    for source in all()
        .iter()
        .filter(|source| !HOSTED.contains(&source.top()))
    {
        let by_hand = |name: &str| {
            let implementation = format!("impl defmt::Format for {name}");
            source
                .code
                .iter()
                .any(|line| line.starts_with(&implementation))
        };
        for (attributes, name) in values(&source.code) {
            if attributes.contains("derive(defmt::Format)") || by_hand(&name) {
                logged += 1;
            } else {
                let known = silent.iter().position(|other| *other == name);
                let known =
                    known.unwrap_or_else(|| panic!("{}: {name} cannot be logged", source.name));
                silent.swap_remove(known);
            }
        }
    }
    assert!(silent.is_empty(), "can be logged, or are gone: {silent:?}");
    assert!(logged > 80, "{logged}");
}

/// Public enums, and public structs that are copied: each with its attributes.
fn values(code: &[String]) -> Vec<(String, String)> {
    let mut values = Vec::new();
    let mut attributes = String::new();
    for line in code.iter().map(|line| line.trim()) {
        if line.starts_with("#[") || line.is_empty() {
            attributes += line;
            continue;
        }
        let kind = ["pub enum ", "pub struct "].into_iter().find_map(|kind| {
            let name = line.strip_prefix(kind)?;
            Some((kind, name.split(|c: char| !c.is_alphanumeric()).next()?))
        });
        if let Some((kind, name)) = kind
            && (kind == "pub enum " || attributes.contains("Copy"))
        {
            values.push((attributes.clone(), name.to_owned()));
        }
        attributes.clear();
    }
    values
}
