//! Checks that need no allocator, no operating system and no features, for hosts, emulated
//! microcontrollers and wasm alike.
#![no_std]

mod card;
pub mod codec;
pub mod deep;
mod far;
pub mod files;
pub mod golden;
pub mod messages;
pub mod trace;
pub mod values;
pub mod wide;

/// Runs everything; `check` hears the name of each check and whether it held.
pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    golden::run(check);
    codec::run(check);
    deep::run(check);
    files::run(check);
    far::run(check);
    messages::run(check);
    wide::run(check);
    values::run(check);
}
