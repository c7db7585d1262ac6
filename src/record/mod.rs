//! Fields of containers: where they are, what a breach there is, and reading them front to back.
//!
//! Depends on the vocabulary and on who decides what breaches mean. Files and messages put their records
//! together from this. Never knows a layout of its own.

mod cursor;
mod spot;

pub(crate) use cursor::Cursor;
pub(crate) use spot::{Spot, require, require_within};
