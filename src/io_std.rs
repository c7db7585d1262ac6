//! What needs an operating system.
//!
//! Depends on everything below; contains no rule and no parsing.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::composite::Key;
use crate::file::ReadAt;

/// A key for [`Keyed`](crate::Keyed) and [`ExactThenKeyed`](crate::ExactThenKeyed) from the operating
/// system's random numbers.
///
/// # Errors
///
/// Where the system has none.
pub fn random_key() -> io::Result<Key> {
    let mut words = [0; 2];
    for word in &mut words {
        *word = getrandom::u64()?;
    }
    Ok(Key(words))
}

impl ReadAt for File {
    type Error = io::Error;

    fn len(&mut self) -> io::Result<u64> {
        self.seek(SeekFrom::End(0))
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.read_exact(into)
    }
}
