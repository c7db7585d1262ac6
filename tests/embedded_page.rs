//! The page for devices shows the firmware examples and two whole programs, which run here; its table says what
//! streams take.
#![cfg(not(miri))]

// as the files of the page name it
extern crate embedded_io_07 as embedded_io;

mod embedded_page {
    pub mod pumped;
    pub mod receiver;
    pub mod sender;

    mod talk;
}

use std::fs;
use std::path::Path;

use hrry::{Arena, Event, Exact, NoRoom, Policy, StreamDecoder};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    fs::read_to_string(root().join("docs/embedded.md")).unwrap()
}

/// Every piece of code stands in one of the crates or of the files beside this one, as it is shown.
#[test]
fn code_is_that_of_the_examples() {
    let mut sources = Vec::new();
    for name in ["device", "link"] {
        collect(&root().join("examples/firmware").join(name), &mut sources);
    }
    let mut whole = Vec::new();
    collect(&root().join("tests/embedded_page"), &mut whole);
    let page = page();
    let shown_whole = whole
        .iter()
        .filter(|file| page.contains(&format!("```rust\n{file}```")));
    assert_eq!(
        shown_whole.count(),
        3,
        "sender.rs, receiver.rs and pumped.rs are shown as they are"
    );
    sources.extend(whole);
    let blocks = page.split("```").skip(1).step_by(2);
    let blocks = blocks.filter_map(|block| block.split_once('\n'));
    let mut shown = 0;
    for (language, code) in blocks.filter(|(language, _)| *language != "sh") {
        let there = sources.iter().any(|text| text.contains(code));
        assert!(there, "no example has this {language}:\n{code}");
        shown += 1;
    }
    assert!(shown > 5);
}

fn collect(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, texts);
        } else if matches!(extension, Some("rs" | "toml")) {
            texts.push(fs::read_to_string(path).unwrap());
        }
    }
}

/// What it says of frames and arenas is the least that those streams take.
#[test]
fn sizes_are_the_least() {
    let page = page();
    let mut rows = 0;
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, _, vector, frame, words, _] = cells[..] else {
            continue;
        };
        let Some(name) = vector
            .strip_prefix("`s-")
            .and_then(|name| name.strip_suffix('`'))
        else {
            continue;
        };
        let file = root().join(format!("tests/vectors/streams/s-{name}.bin"));
        let stream = fs::read(file).unwrap();
        let (frame, words) = (frame.parse().unwrap(), words.parse().unwrap());
        assert!(decodes(&stream, frame, words), "{name}: more is needed");
        assert!(
            !decodes(&stream, frame - 1, words),
            "{name}: a smaller frame"
        );
        assert!(
            words == 0 || !decodes(&stream, frame, words - 1),
            "{name}: fewer words"
        );
        rows += 1;
    }
    assert_eq!(rows, 9);
}

/// Whether a stream is read with so much of both; that it is valid is known.
fn decodes(stream: &[u8], frame: usize, words: usize) -> bool {
    let mut room = [0; 1024];
    let arena = Words {
        words: Vec::new(),
        most: words,
    };
    let mut decoder = StreamDecoder::with_parts(&mut room[..frame], Exact, arena, Policy::STRICT);
    let mut rest = stream;
    let mut ends = 0;
    loop {
        match decoder.next_event(&mut rest) {
            Ok(Some(Event::TensorEnd(_))) => ends += 1,
            Ok(Some(_)) => {}
            Ok(None) => return ends > 0 && decoder.finish().is_ok(),
            Err(_) => return false,
        }
    }
}

/// An arena of a size that is known when the test runs.
struct Words {
    words: Vec<u64>,
    most: usize,
}

impl Arena for Words {
    fn words(&self) -> &[u64] {
        &self.words
    }

    fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    fn resize(&mut self, len: usize) -> Result<(), NoRoom> {
        if len > self.most {
            return Err(NoRoom);
        }
        self.words.resize(len, 0);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.most
    }
}
