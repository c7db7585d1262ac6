//! What needs an operating system.
//!
//! Depends on everything below; contains no rule and no parsing.

use std::io;

use crate::composite::Key;

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
