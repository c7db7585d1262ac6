//! Numbers: what the elements of tensors and composites are.
//!
//! Depends on addresses, on the tags and on little-endian bytes. The only layer with floating-point operations:
//! results are those of IEEE 754 with rounding to nearest, ties to even, the same on every target. Never
//! checks a rule of the format: buffers of any content give numbers or a typed error.

mod canvas;
mod dequantize;
pub mod element;
mod error;
mod parameters;
mod quantize;
mod read;
#[cfg(feature = "alloc")]
mod store;
mod stored;
mod summary;
mod target;

pub use canvas::Canvas;

pub use error::ValueError;
#[cfg(feature = "alloc")]
pub(crate) use quantize::{all_given, dense};
pub use quantize::{choose_per_tensor, quantize};
#[cfg(feature = "alloc")]
pub(crate) use read::packed_len;
pub use read::{read_stored, read_tokens, read_values};
#[cfg(feature = "alloc")]
pub(crate) use store::store;
pub use summary::Summary;
