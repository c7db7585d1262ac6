//! Where bytes come from: a file or standard input, and what kind of input they are.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use super::args::Kind;

/// Bytes to read, the first few of them looked at.
pub struct Source {
    first: Cursor<Vec<u8>>,
    rest: Box<dyn Read>,
}

/// What a container file starts with, and so no descriptor does.
const FILE_MAGIC: &[u8] = b"HRRYFILE";

impl Source {
    /// Opens a file; `-` is standard input.
    pub fn open(path: &Path) -> io::Result<Source> {
        let rest: Box<dyn Read> = if is_stdin(path) {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path)?)
        };
        let first = Cursor::new(Vec::new());
        Ok(Source { first, rest })
    }

    /// What the bytes are. Messages cannot be told from anything else, and a descriptor alone looks like
    /// the start of a stream.
    pub fn detect(&mut self) -> io::Result<Kind> {
        let mut first = Vec::new();
        let len = FILE_MAGIC.len() as u64;
        (&mut self.rest).take(len).read_to_end(&mut first)?;
        let kind = if first == FILE_MAGIC {
            Kind::File
        } else {
            Kind::Stream
        };
        self.first = Cursor::new(first);
        Ok(kind)
    }

    /// Appends at most `count` bytes to `bytes`; fewer at the end of the input only.
    pub fn append(&mut self, bytes: &mut Vec<u8>, count: usize) -> io::Result<usize> {
        self.take(count as u64).read_to_end(bytes)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.first.read(buffer)? {
            0 => self.rest.read(buffer),
            read => Ok(read),
        }
    }
}

pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
