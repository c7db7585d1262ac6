//! The tree for people: one line a tensor, members under their heads, byte offsets in front.

use std::io::{self, Write};

use hrry::{FileDirectory, Rule};

use super::args::Kind;
use super::hint::Clues;
use super::inspect::Show;
use super::plain::Plain;
use super::read::{Item, Problem, Stop, Summary, Visit};
use super::{bytes, kv, text};

pub struct Tree<'a> {
    out: &'a mut dyn Write,
    bytes: bool,
    kind: Kind,
    depth: usize,
    clues: Clues,
    /// Whether the item is a head, to be indented under from its end on.
    head: bool,
}

impl<'a> Tree<'a> {
    pub fn new(out: &'a mut dyn Write, bytes: bool) -> Self {
        Tree {
            out,
            bytes,
            kind: Kind::Stream,
            depth: 0,
            clues: Clues::default(),
            head: false,
        }
    }

    fn indent(&self) -> String {
        "  ".repeat(self.depth)
    }
}

impl Show for Tree<'_> {
    fn start(&mut self, kind: Kind) -> io::Result<()> {
        self.kind = kind;
        Ok(())
    }

    fn finish(&mut self, result: &Result<Summary, Problem>) -> io::Result<()> {
        if let Ok(summary) = result {
            let end = summary.bytes;
            match self.kind {
                Kind::Descriptor => writeln!(self.out, "{end:>10}  end of the descriptor")?,
                Kind::File => writeln!(self.out, "{end:>10}  end of the file: {summary}")?,
                _ => writeln!(self.out, "{end:>10}  end of the stream: {summary}")?,
            }
            for rule in &summary.flags {
                writeln!(
                    self.out,
                    "{:>10}  flagged {}: {}",
                    "",
                    rule.id(),
                    rule.text()
                )?;
            }
        }
        self.out.flush()
    }

    fn clues(&mut self) -> &mut Clues {
        &mut self.clues
    }
}

impl Visit for Tree<'_> {
    fn writes(&self) -> bool {
        true
    }

    fn directory(&mut self, directory: &FileDirectory<'_>) -> io::Result<()> {
        writeln!(self.out, "{:>10}  {}", 0, text::container(directory))?;
        for entry in directory.kv() {
            let (key, value) = (Plain::new(entry.key), kv::text(&entry.value));
            writeln!(self.out, "{:>10}  {key} = {}", "", Plain::new(&value))?;
        }
        Ok(())
    }

    fn begin(&mut self, item: &Item<'_>) -> io::Result<()> {
        let path: Vec<_> = item.path.iter().map(u64::to_string).collect();
        let path = match item.tensor {
            Some(tensor) => format!("{}: ", Plain::new(tensor.entry().name)),
            None if path.is_empty() => String::new(),
            None => format!("#{} ", path.join(".")),
        };
        let line = text::tensor(item.view, item.path.len() < 2);
        writeln!(
            self.out,
            "{:>10}  {}{path}{line}",
            item.offset,
            self.indent()
        )?;
        self.head = item.head.is_some();
        self.clues.item(item);
        if self.bytes {
            let rows = bytes::rows(item.offset, item.view.as_bytes());
            bytes::print(self.out, &rows, None)?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Stop> {
        self.depth += usize::from(self.head);
        self.head = false;
        Ok(())
    }

    fn close(&mut self, whole: Option<Result<(), Rule>>) -> io::Result<()> {
        if let Some(Err(rule)) = whole {
            let (indent, id, text) = (self.indent(), rule.id(), rule.text());
            writeln!(
                self.out,
                "{:>10}  {indent}not whole, breaks {id}: {text}",
                ""
            )?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn broken(&mut self, offset: u64, bytes: &[u8], problem: &Problem) -> io::Result<()> {
        if self.bytes {
            writeln!(self.out, "{offset:>10}  {}refused:", self.indent())?;
            bytes::print(self.out, &bytes::rows(offset, bytes), Some(problem))?;
        }
        Ok(())
    }
}
