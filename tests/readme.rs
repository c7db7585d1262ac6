//! The README is the crate's documentation, and what it says to type works.
//!
//! `HRRY_BLESS=1 cargo test --test readme` writes its size table anew, from `docs/footprint.md`.
#![cfg(not(miri))]

#[cfg(target_endian = "little")]
#[path = "support/program.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENTS: [&str; 8] = [
    "README.md",
    "CHANGELOG.md",
    "docs/architecture.md",
    "docs/c.md",
    "docs/protocol.md",
    "docs/embedded.md",
    "docs/spec-notes.md",
    "docs/wasm.md",
];

const MAIN_COMMAND: &str = "cargo run --features cli -- ";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(name: &str) -> String {
    let path = root().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The fenced blocks of that language, each as its text.
fn blocks(markdown: &str, language: &str) -> Vec<String> {
    let fences = markdown.split("```").skip(1).step_by(2);
    fences
        .filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n'))
        .map(str::to_owned)
        .collect()
}

/// One source: the examples are compiled and run with the documentation's.
#[test]
fn crate_docs_are_the_readme() {
    let included = "\n#![doc = include_str!(\"../README.md\")]\n";
    let lib = text("src/lib.rs");
    let (table, _) = lib.split_once(included).expect("the README is included");
    // behind where to start, and nothing else
    assert!(table.starts_with("//! ") && !table.contains("mod "));
}

/// The loop and the two commands come before the first heading.
#[test]
fn the_first_screen_says_what_to_type() {
    let readme = text("README.md");
    let screen = readme.split("\n## ").next().unwrap();
    assert!(screen.lines().count() <= 50);
    assert_eq!(blocks(screen, "rust").len(), 1);
    let commands = blocks(screen, "sh").concat();
    let commands: Vec<&str> = commands.lines().collect();
    assert_eq!(commands.len(), 2);
    assert!(commands[0].starts_with(MAIN_COMMAND));
    assert_eq!(commands[1], "cargo test");
}

/// The main command runs, and prints what the README shows. The emulator that runs tests for big-endian
/// machines cannot start a program for them.
#[cfg(target_endian = "little")]
#[test]
fn the_main_command_prints_what_is_shown() {
    let readme = text("README.md");
    let command = blocks(&readme, "sh").concat();
    let arguments = command.lines().next().unwrap().strip_prefix(MAIN_COMMAND);
    let arguments = arguments.unwrap().split(' ');
    let output = program::program().args(arguments).output().unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(blocks(&readme, "text"), [printed]);
}

/// Every other command names an example that is there.
#[test]
fn examples_exist() {
    let commands = blocks(&text("README.md"), "sh").concat();
    let mut examples: Vec<PathBuf> = Vec::new();
    for command in commands.lines().skip(2) {
        let name = command.strip_prefix("cargo run --example ");
        let name = name.unwrap_or_else(|| panic!("{command}"));
        examples.push(root().join(format!("examples/{name}.rs")));
    }
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    examples.sort();
    files.sort();
    assert_eq!(examples, files);
}

/// Whatever looks like a path of the repository is one.
#[test]
fn paths_exist() {
    const FOLDERS: [&str; 8] = [
        ".ci/",
        "benches",
        "bindings/",
        "docs/",
        "examples/",
        "fuzz",
        "src/",
        "tests/",
    ];
    let mut seen = 0;
    for document in DOCUMENTS {
        let text = text(document);
        let prose = text.split("```").step_by(2);
        let quoted = prose.flat_map(|prose| prose.split('`').skip(1).step_by(2));
        let paths = quoted.filter(|code| FOLDERS.iter().any(|folder| code.starts_with(folder)));
        for path in paths.filter(|path| !path.contains([' ', '*'])) {
            assert!(root().join(path).exists(), "{document}: {path}");
            seen += 1;
        }
    }
    assert!(seen > 20);
}

#[test]
fn the_test_map_is_complete() {
    let map = text("docs/architecture.md");
    for entry in fs::read_dir(root().join("tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".rs") {
            assert!(map.contains(&format!("\n| `tests/{name}` | ")), "{name}");
        }
    }
}

/// Rules that the documents name, by their IDs.
#[test]
fn rules_exist() {
    let mut seen = 0;
    for document in DOCUMENTS {
        let text = text(document);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        for word in words.filter(|word| is_rule(word)) {
            assert!(hrry::Rule::from_id(word).is_some(), "{document}: {word}");
            seen += 1;
        }
    }
    assert!(seen > 100);
}

/// Capitals, a dash and two digits. AMB numbers count points of the specification.
fn is_rule(word: &str) -> bool {
    word.split_once('-').is_some_and(|(family, number)| {
        family.len() > 1
            && family.bytes().all(|byte| byte.is_ascii_uppercase())
            && family != "AMB"
            && number.len() == 2
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[test]
fn features_are_those_of_the_manifest() {
    let manifest = text("Cargo.toml");
    let (_, features) = manifest.split_once("[features]\n").unwrap();
    let features = features.split("\n[").next().unwrap();
    let features = features.lines().filter_map(|line| line.split_once(" = "));
    let features: Vec<&str> = features.map(|(name, _)| name).collect();
    let readme = text("README.md");
    let (_, section) = readme.split_once("\n## Features\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert_eq!([vec!["default"], rows].concat(), features);
}

const BEGIN: &str = "<!-- from docs/footprint.md by HRRY_BLESS=1 cargo test --test readme -->\n";
const END: &str = "<!-- end -->\n";

#[test]
fn sizes_are_those_of_the_footprint() {
    let readme = text("README.md");
    let (before, rest) = readme.split_once(BEGIN).expect("the table has its marks");
    let (_, after) = rest.split_once(END).expect("the table has its marks");
    let expected = [
        before,
        BEGIN,
        &sizes(&text("docs/footprint.md")),
        END,
        after,
    ]
    .concat();
    if std::env::var_os("HRRY_BLESS").is_some_and(|value| value == "1") {
        // at once, since other tests read it
        let fresh = root().join("README.md.new");
        fs::write(&fresh, &expected).unwrap();
        fs::rename(&fresh, root().join("README.md")).unwrap();
    }
    assert!(
        text("README.md") == expected,
        "the size table is stale; run HRRY_BLESS=1 cargo test --test readme"
    );
}

const TARGETS: [&str; 4] = [
    "thumbv6m-none-eabi",
    "thumbv7em-none-eabi",
    "riscv32imc-unknown-none-elf",
    "wasm32-unknown-unknown",
];

/// A figure and what it is to a newcomer.
const FLASH: [(&str, &str); 8] = [
    ("view", "one descriptor from a slice, every field read"),
    ("parser", "a stream pushed in pieces, without composites"),
    (
        "exact",
        "a stream with composites, partitions checked exactly",
    ),
    (
        "keyed",
        "a stream with composites, partitions checked in constant memory",
    ),
    ("encoder", "descriptors written"),
    ("file_view", "a container in place: opened, a tensor found"),
    ("file_parser", "a container front to back, with composites"),
    ("file_writer", "a container written"),
];

const MEMORY: [(&str, &str); 2] = [
    ("size of `Decoder<Exact>`", "size of that decoder"),
    (
        "stack of `Decoder<Exact>`",
        "deepest stack while it reads a partition of rank 8",
    ),
];

fn sizes(footprint: &str) -> String {
    let figure = |name: &str, target: &str| {
        let row = format!("| {name} | {target} | ");
        let rest = footprint.lines().find_map(|line| line.strip_prefix(&row));
        let rest = rest.unwrap_or_else(|| panic!("docs/footprint.md has no row {row}"));
        rest.split(' ').next().unwrap().to_owned()
    };
    let mut table = "\n| what is linked | thumbv6m | thumbv7em | riscv32imc | wasm32 |\n|---|---|---|---|---|\n".to_owned();
    for (name, what) in FLASH {
        let figures = TARGETS.map(|target| figure(name, target)).join(" | ");
        table += &format!("| {what} | {figures} |\n");
    }
    table += "\nA decoder of streams with a frame of 256 bytes and 64 words for composites, on thumbv7m:\n";
    table += "\n| memory | bytes |\n|---|---|\n";
    for (name, what) in MEMORY {
        table += &format!("| {what} | {} |\n", figure(name, "thumbv7m-none-eabi"));
    }
    table + "\n"
}
