//! Where bytes come from: a file or standard input, and what kind of input they are.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::Path;

use tempfile::tempfile;

/// Bytes to read, the first few of them looked at.
pub struct Source {
    first: Cursor<Vec<u8>>,
    rest: Rest,
}

enum Rest {
    File(File),
    Stdin(io::Stdin),
}

/// What a descriptor starts with.
pub const MAGIC: &[u8] = b"HRRY";

/// What a container file starts with, and so no descriptor does.
const FILE_MAGIC: &[u8] = b"HRRYFILE";

impl Source {
    /// Opens a file and looks at its first bytes; `-` is standard input.
    pub fn open(path: &Path) -> io::Result<Source> {
        let mut rest = if is_stdin(path) {
            Rest::Stdin(io::stdin())
        } else {
            Rest::File(File::open(path)?)
        };
        let mut first = Vec::new();
        let len = FILE_MAGIC.len() as u64;
        (&mut rest).take(len).read_to_end(&mut first)?;
        let first = Cursor::new(first);
        Ok(Source { first, rest })
    }

    /// How many bytes there are, where that is known; 0 elsewhere.
    pub fn len(&self) -> u64 {
        match &self.rest {
            Rest::File(file) => file.metadata().map_or(0, |data| data.len()),
            Rest::Stdin(_) => 0,
        }
    }

    /// The first bytes, as many as tell a kind.
    pub fn start(&self) -> &[u8] {
        self.first.get_ref()
    }

    /// Whether it starts as a container file does.
    pub fn is_file(&self) -> bool {
        self.start() == FILE_MAGIC
    }

    /// The whole input as a file that can be read anywhere: itself, or a nameless copy of what cannot.
    pub fn into_file(self) -> io::Result<File> {
        let mut this = self;
        if let Rest::File(file) = &mut this.rest
            && file.stream_position().is_ok()
        {
            return file.try_clone();
        }
        let mut file = tempfile()?;
        io::copy(&mut this, &mut file)?;
        Ok(file)
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

impl Read for Rest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Rest::File(file) => file.read(buffer),
            Rest::Stdin(stdin) => stdin.read(buffer),
        }
    }
}

pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
