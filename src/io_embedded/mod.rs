//! Needs feature `embedded-io-07` or `embedded-io-async-07`. Streams over the I/O traits of embedded Rust, with memory
//! of the caller: module `blocking_07` for `embedded-io` 0.7, `async_07` for `embedded-io-async` 0.7.
//!
//! Depends on streams; contains no rule and no parsing. The two modules differ in nothing but the waiting:
//! what is read and what is to be written is kept here, between one call of the driver and the next, so
//! that an error of the driver or a future that is dropped loses no byte and repeats none. An I/O error
//! stays the value that the driver gave and is never turned into one about the bytes.
//!
//! The version is part of each name, because the traits are part of the interface: another major version
//! of theirs will be another module beside these.

#[cfg(feature = "embedded-io-async-07")]
pub mod async_07;
#[cfg(feature = "embedded-io-07")]
pub mod blocking_07;
mod error;
mod incoming;
mod outgoing;
mod parser;

pub use error::{OutputError, PumpError};
pub use parser::Parser;
