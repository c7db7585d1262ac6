//! The page for WebAssembly shows code of the example, which the step `node` runs, and names exports that it has.
#![cfg(not(miri))]

use std::fs;
use std::path::Path;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn code_is_that_of_the_example() {
    let scripts = ["stream.mjs", "run_container.mjs"];
    let scripts = scripts.map(|name| text(&format!("examples/wasm_decoder/{name}")));
    let page = text("docs/wasm.md");
    let blocks = page.split("```").skip(1).step_by(2);
    let shown: Vec<&str> = blocks
        .filter_map(|block| block.strip_prefix("js\n"))
        .collect();
    assert_eq!(shown.len(), 2);
    for (code, script) in shown.iter().zip(&scripts) {
        assert!(script.contains(code), "no script has this:\n{code}");
    }
}

/// The step `node` runs the scripts that use what is shown.
#[test]
fn the_scripts_run() {
    let steps = text(".ci/run");
    for script in ["run.mjs", "run_container.mjs"] {
        assert!(steps.contains(&format!("in_crate examples/wasm_decoder node {script}\n")));
    }
    let imported = "import { tensors } from \"./stream.mjs\";\n";
    assert!(text("examples/wasm_decoder/run.mjs").contains(imported));
}

#[test]
fn exports_are_there() {
    let modules = ["src/lib.rs", "examples/container.rs"];
    let modules = modules.map(|name| text(&format!("examples/wasm_decoder/{name}")));
    let page = text("docs/wasm.md");
    let prose: String = page.split("```").step_by(2).collect();
    let quoted = prose.split('`').skip(1).step_by(2);
    let mut seen = 0;
    for name in quoted.filter_map(|code| code.strip_suffix("()")) {
        let export = format!("pub extern \"C\" fn {name}(");
        let unsafe_export = format!("pub unsafe extern \"C\" fn {name}(");
        let there = modules
            .iter()
            .any(|module| module.contains(&export) || module.contains(&unsafe_export));
        assert!(there, "no export {name}");
        seen += 1;
    }
    assert!(seen > 8);
}

/// As the page counts them.
#[test]
fn the_container_takes_forty_lines() {
    let module = text("examples/wasm_decoder/examples/container.rs");
    assert!(text("docs/wasm.md").contains("a whole module in 40 lines"));
    assert_eq!(module.lines().count(), 40);
}
