//! The bytes of one descriptor: reading, viewing, writing.
//!
//! Depends on checks, model and the wire level. Decoding runs once over a whole descriptor; a view
//! borrows the bytes and reads fields when asked; encoding is one forward pass of known length.

pub(crate) mod cut;
pub(crate) mod decode;
pub(crate) mod encode;
mod parts;
mod sink;
mod spec;
pub(crate) mod view;
mod walk;

pub use encode::{Prepared, encode, encode_to, encoded_len};
pub use sink::{NoSpace, Order, Sink, SliceSink, WriteError};
pub use spec::DescriptorSpec;
pub use view::DescriptorView;
pub use walk::{FieldSpan, FieldWalk};
