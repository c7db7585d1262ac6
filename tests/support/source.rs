//! The library's own source, as text.

use std::fs;
use std::path::{Path, PathBuf};

/// One file of `src`, line by line.
pub struct Source {
    /// Path in `src`, with slashes.
    pub name: String,
    /// Without comments and unit tests.
    pub code: Vec<String>,
    /// Of each line; empty where a line is code alone.
    pub comments: Vec<String>,
    /// Lines of the whole file.
    pub lines: usize,
}

impl Source {
    /// The folder in `src`, or the file without its extension.
    pub fn top(&self) -> &str {
        let top = self.name.split('/').next().unwrap_or(&self.name);
        top.strip_suffix(".rs").unwrap_or(top)
    }
}

/// Every file of `src`.
pub fn all() -> Vec<Source> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files.iter().map(|file| read(&root, file)).collect()
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

fn read(root: &Path, file: &Path) -> Source {
    let text = fs::read_to_string(file).expect("src is text");
    let path = file.strip_prefix(root).expect("it was found there");
    let parts = path.iter().map(|part| part.to_string_lossy());
    let mut source = Source {
        name: parts.collect::<Vec<_>>().join("/"),
        code: Vec::new(),
        comments: Vec::new(),
        lines: text.lines().count(),
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
