//! Sources and outputs that do what real ones do on a bad day.

use std::io::{self, ErrorKind, Read, Write};

/// Gives `piece` bytes at a time, interrupted before each of them, and fails once in front of byte `fails`.
pub struct Feed<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    pub piece: usize,
    pub fails: Option<usize>,
    interrupted: bool,
}

impl<'a> Feed<'a> {
    pub fn new(bytes: &'a [u8], piece: usize) -> Self {
        Feed {
            bytes,
            at: 0,
            piece,
            fails: None,
            interrupted: false,
        }
    }

    pub fn failing(bytes: &'a [u8], piece: usize, fails: usize) -> Self {
        Feed {
            fails: Some(fails),
            ..Feed::new(bytes, piece)
        }
    }
}

/// What a failing source or output says at a place.
pub fn broken(at: usize) -> io::Error {
    io::Error::new(ErrorKind::ConnectionReset, format!("broken at {at}"))
}

pub fn assert_broken(error: &io::Error, at: usize) {
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(error.to_string(), format!("broken at {at}"));
}

impl Read for Feed<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let mut len = self.piece.min(into.len()).min(self.bytes.len() - self.at);
        if let Some(fails) = self.fails {
            len = len.min(fails - self.at);
            if len == 0 {
                self.fails = None;
                return Err(broken(fails));
            }
        }
        into[..len].copy_from_slice(&self.bytes[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

/// Takes `piece` bytes at a time, interrupted before each of them, and fails for good behind byte `fails`.
pub struct Drain {
    pub bytes: Vec<u8>,
    pub piece: usize,
    pub fails: Option<usize>,
    interrupted: bool,
}

impl Drain {
    pub fn new(piece: usize, fails: Option<usize>) -> Self {
        Drain {
            bytes: Vec::new(),
            piece,
            fails,
            interrupted: false,
        }
    }
}

impl Write for Drain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let mut len = self.piece.min(bytes.len());
        if let Some(fails) = self.fails {
            len = len.min(fails - self.bytes.len());
            if len == 0 {
                return Err(broken(fails));
            }
        }
        self.bytes.extend(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
