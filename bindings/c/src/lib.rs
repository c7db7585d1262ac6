//! C interface of `hrry`: a decoder in memory of the caller, and an encoder.
//!
//! `include/hrry.h` is made from this crate and documents it; `docs/c.md` of the repository says how to build and
//! link. Every function returns a status, checks the pointers that it is given, and neither allocates nor panics.
#![no_std]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]
#![deny(missing_docs, unreachable_pub)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::as_conversions,
        clippy::todo
    )
)]
#![allow(non_camel_case_types)] // types have the names that they have in C
#![allow(clippy::missing_safety_doc)] // one text for all: the header's own

mod decoder;
mod descriptor;
mod encode;
mod error;
mod event;
mod pointer;
mod policy;
mod status;
mod tags;
mod text;

pub use decoder::*;
pub use descriptor::*;
pub use encode::*;
pub use error::*;
pub use event::*;
pub use policy::*;
pub use status::*;
pub use tags::*;
pub use text::*;

/// Linked programs do not hold it: a gate of the repository sees to that.
#[cfg(feature = "panic-handler")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
