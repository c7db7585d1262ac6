//! Needs feature `std`. What needs an operating system: streams and sessions over `Read` and `Write`, files, mapped files, atomic saves, and
//! random keys.
//!
//! Depends on everything below; contains no rule and no parsing. An I/O error stays the value that the
//! system gave and is never turned into one about the bytes. Memory follows from bytes that are there.

mod error;
mod file;
mod gather;
mod link;
#[cfg(feature = "mmap")]
mod mmap;
mod output;
mod save;
mod source;
mod stream;
mod writer;

pub use error::IoError;
pub use file::FileReader;
pub use link::{Arrival, LinkSession, SessionLink};
#[cfg(feature = "mmap")]
pub use mmap::MappedFile;
pub use output::{Output, StreamWriter};
pub use save::{Saved, Saving, save};
pub use source::Source;
pub use stream::{StreamReader, read_events};
pub use writer::FileWriter;

use std::io;

use crate::composite::Key;

/// Bytes read at once, few enough to stay in the first cache, and room that is made for a buffer before any
/// of it arrived.
const CHUNK: usize = 16 * 1024;

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
