//! `cargo run` compares `include/hrry.h` with what the sources say; `cargo run -- --bless` writes it.

use std::path::Path;
use std::process::ExitCode;

use cbindgen::{Builder, Config, DocumentationStyle, Language, Style};

/// In the order of the header.
const SOURCES: [&str; 9] = [
    "status.rs",
    "tags.rs",
    "policy.rs",
    "error.rs",
    "text.rs",
    "event.rs",
    "decoder.rs",
    "descriptor.rs",
    "encode.rs",
];

fn main() -> ExitCode {
    let binding = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let committed = binding.join("include/hrry.h");
    let fresh = generate(&binding.join("src"));
    if std::env::args().any(|argument| argument == "--bless") {
        std::fs::write(committed, fresh).expect("the header can be written");
    } else if std::fs::read(committed).ok() != Some(fresh) {
        eprintln!("include/hrry.h is out of date: cargo run -- --bless");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn generate(src: &Path) -> Vec<u8> {
    let about = include_str!("about.txt");
    let mut config = Config {
        language: Language::C,
        header: Some(format!("/*\n{about}*/")),
        include_guard: Some("HRRY_H".to_owned()),
        no_includes: true,
        sys_includes: ["stddef.h", "stdint.h"].map(str::to_owned).to_vec(),
        after_includes: Some(include_str!("pointers.h").to_owned()),
        cpp_compat: true,
        style: Style::Both,
        documentation_style: DocumentationStyle::C99,
        usize_is_size_t: true,
        line_length: 120,
        ..Config::default()
    };
    let wide = ["target_pointer_width = 64", "HRRY_POINTER_64"];
    let narrow = ["target_pointer_width = 32", "HRRY_POINTER_32"];
    config.defines = [wide, narrow]
        .map(|[condition, define]| (condition.to_owned(), define.to_owned()))
        .into();
    let builder = SOURCES
        .iter()
        .fold(Builder::new().with_config(config), |builder, source| {
            builder.with_src(src.join(source))
        });
    let mut out = Vec::new();
    let bindings = builder.generate().expect("the sources can be read");
    bindings.write(&mut out);
    out
}
