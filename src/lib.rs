//! hrry
#![no_std]
#![cfg_attr(not(test), forbid(unsafe_code))]
#![deny(missing_docs, missing_debug_implementations, unreachable_pub)]
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

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod check;
mod composite;
mod descriptor;
mod error;
mod frame;
mod model;
#[cfg(feature = "alloc")]
pub mod owned;
mod policy;
mod rule;
mod stream;
mod wire;

pub use composite::*;
pub use descriptor::*;
pub use error::*;
pub use frame::{Full, Storage};
pub use model::*;
pub use policy::*;
pub use rule::*;
pub use stream::*;
pub use wire::descriptor::*;
pub use wire::tag::*;
