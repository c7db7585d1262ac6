//! What readers and writers over files and streams refuse.

use std::collections::TryReserveError;
use std::fmt;
use std::io;

use crate::descriptor::WriteError;
use crate::error::Error;
use crate::file::ReadError;
use crate::owned;
use crate::rule::Rule;

/// Why nothing, or not everything, was read or written.
///
/// ```
/// use std::io::{self, Read};
/// use hrry::io_std::{IoError, StreamReader};
/// use hrry::Policy;
///
/// let mut reader = StreamReader::new(&b"HRRZ"[..], Policy::STRICT);
/// let error = reader.next_item().unwrap_err();
/// assert_eq!((error.rule().unwrap().id(), error.offset()), ("DESC-02", Some(3)));
///
/// struct Unplugged;
/// impl Read for Unplugged {
///     fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
///         Err(io::Error::new(io::ErrorKind::NotConnected, "unplugged"))
///     }
/// }
/// let error = StreamReader::new(Unplugged, Policy::STRICT).next_item().unwrap_err();
/// let IoError::Io(error) = error else { panic!("{error}") };
/// assert_eq!((error.kind(), error.to_string()), (io::ErrorKind::NotConnected, "unplugged".into()));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum IoError {
    /// Bytes that were read are at fault; it says where.
    Format(Error),
    /// The system failed; the error is its own, whole.
    Io(io::Error),
    /// Values that were to be written are at fault, or there is no memory for an index or a descriptor; for
    /// a buffer, [`IoError::Io`] of kind [`OutOfMemory`](io::ErrorKind::OutOfMemory) says so. Never
    /// [`owned::Error::Format`], which is [`IoError::Format`].
    Refused(owned::Error),
}

impl IoError {
    /// The broken rule, if one of the format is broken.
    #[must_use]
    pub fn rule(&self) -> Option<Rule> {
        match self {
            IoError::Format(error) => error.rule(),
            IoError::Io(_) => None,
            IoError::Refused(error) => error.rule(),
        }
    }

    /// Absolute byte offset in what was read, if bytes are at fault.
    #[must_use]
    pub const fn offset(&self) -> Option<u64> {
        match self {
            IoError::Format(error) => Some(error.offset()),
            _ => None,
        }
    }
}

impl From<Error> for IoError {
    fn from(error: Error) -> Self {
        IoError::Format(error)
    }
}

impl From<io::Error> for IoError {
    fn from(error: io::Error) -> Self {
        IoError::Io(error)
    }
}

impl From<owned::Error> for IoError {
    fn from(error: owned::Error) -> Self {
        match error {
            owned::Error::Format(error) => IoError::Format(error),
            error => IoError::Refused(error),
        }
    }
}

impl From<TryReserveError> for IoError {
    fn from(error: TryReserveError) -> Self {
        IoError::Refused(error.into())
    }
}

impl From<ReadError<io::Error>> for IoError {
    fn from(error: ReadError<io::Error>) -> Self {
        match error {
            ReadError::Refused(error) => IoError::Format(error),
            ReadError::Source(error) => IoError::Io(error),
        }
    }
}

impl From<WriteError<io::Error>> for IoError {
    fn from(error: WriteError<io::Error>) -> Self {
        match error {
            WriteError::Refused(kind) => IoError::Refused(owned::Error::of(kind, None)),
            WriteError::Order(order) => IoError::Refused(owned::Error::Order(order)),
            WriteError::Sink(error) => IoError::Io(error),
        }
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IoError::Format(error) => error.fmt(f),
            IoError::Io(error) => error.fmt(f),
            IoError::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for IoError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // what the error itself says is said
            IoError::Io(error) => error.source(),
            IoError::Format(_) | IoError::Refused(_) => None,
        }
    }
}
