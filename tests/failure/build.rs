//! What the source itself has to say.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Every file of the library and its text.
fn sources() -> Vec<(PathBuf, String)> {
    fn visit(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, files);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    let mut files = Vec::new();
    visit(&root().join("src"), &mut files);
    assert!(files.len() > 20);
    files
}

#[test]
fn c10_features_only_add() {
    let manifest = read("Cargo.toml");
    assert!(
        manifest.contains("\ndefault = []\n"),
        "none is on by itself"
    );
    assert!(
        read("src/lib.rs").contains("#![no_std]"),
        "whatever the features"
    );
    for (path, text) in sources() {
        let negative = ["not(feature", "not(any(feature", "not(all(feature"];
        for (at, _) in negative.iter().flat_map(|start| text.match_indices(start)) {
            // words in the documentation may differ, and a lint that changes nothing
            let attribute = text[at..].split("]\n").next().unwrap_or("");
            let harmless = attribute.contains("doc =") || attribute.contains("forbid(unsafe_code)");
            assert!(harmless, "{}: {attribute}", path.display());
        }
    }
}

#[test]
fn c32_no_unsafe_code() {
    let lints = concat!(
        "#![cfg_attr(not(any(feature = \"mmap\", feature = \"simd\")), forbid(unsafe_code))]\n",
        "#![deny(unsafe_code)]\n",
    );
    assert!(read("src/lib.rs").contains(lints));
    // safe code cannot have mapped files, and cannot call what needs instructions found at run time
    let apart = ["src/io_std/mmap.rs", "src/value/element/simd.rs"].map(|path| root().join(path));
    for (path, text) in sources() {
        if apart.contains(&path) {
            continue;
        }
        for (number, line) in (1..).zip(text.lines()) {
            let code = line.split("//").next().unwrap_or("");
            let mentions = code.contains("unsafe") && !code.contains("unsafe_code");
            assert!(!mentions, "{}:{number}", path.display());
        }
    }
}

#[test]
fn c32_only_a_decoder_makes_a_view() {
    let view = read("src/descriptor/view.rs");
    let (_, body) = view.split_once("pub struct DescriptorView<'a> {").unwrap();
    let (fields, _) = body.split_once('}').unwrap();
    assert!(!fields.contains("pub "), "no field is public: {fields}");
    let public = view
        .split("pub fn ")
        .chain(view.split("pub const fn "))
        .skip(1);
    let makers = public.filter(|text| {
        let signature = text.split('{').next().unwrap_or("");
        signature.contains("-> Self") || signature.contains("(Self")
    });
    let names: Vec<&str> = makers.filter_map(|text| text.split('(').next()).collect();
    assert_eq!(names, ["parse"]);
}
