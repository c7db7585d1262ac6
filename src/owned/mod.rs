//! Needs feature `alloc`. Tensors and composites that own what they are made of.
//!
//! Depends on the whole core and contains no rule and no parsing: descriptors are checked, encoded and
//! decoded by the core's one check, encoder and decoder, sets by its validator. Memory grows with bytes
//! that arrived, never with a length that was only announced. Nothing here recurses on input.
//!
//! The names are those of the Rust API that the documents of the format describe, so that code written
//! for that API compiles against this module. Value types that need no heap are the core's own.

mod aligned;
mod assemble;
mod buffer;
mod buffers;
mod builder;
pub mod composite;
mod convert;
pub mod descriptor;
mod error;
mod grow;
mod item;
pub mod layout;
mod probe;
mod quantization;
mod reader;
mod shape;
mod tensor;
mod values;

pub use aligned::{AlignedBuffer, DEFAULT_ALIGNMENT};
pub use assemble::Assembler;
pub use buffer::Buffer;
pub use composite::{Composite, CompositeTensor};
pub use descriptor::{TensorDescriptor, TensorDescriptorBuilder};
pub use error::Error;
pub use grow::GrowFrame;
pub use item::{Item, Items, Node};
pub use quantization::{
    Mxfp, Nf4, PerBlockAffine, PerChannelAffine, PerTensorAffine, PrivateScheme,
    QuantizationDescriptor,
};
pub use reader::ItemReader;
pub use shape::{Shape, ShardDescriptor};
pub use tensor::Tensor;

pub use crate::model::{BufferHandle, ExtensionType, F32Bits, F64Bits, Statistics};
pub use crate::wire::descriptor::MIN_BUFFER_ALIGNMENT;
pub use crate::wire::tag::{DeviceTag, ElementType, MemoryClass, SyncMode};

use crate::check;

/// Bytes of `elements` packed elements of that type, to size a buffer with.
///
/// `u64::MAX` where that is not below 2^64, and 0 for types whose width is not in the specification;
/// [`check::packed_bytes`] tells these apart.
///
/// ```
/// use hrry::owned::{ElementType, buffer_size_bytes};
/// assert_eq!(buffer_size_bytes(ElementType::Int4, 7), 4);
/// ```
#[must_use]
pub fn buffer_size_bytes(element_type: ElementType, elements: u64) -> u64 {
    match element_type.bits() {
        0 => 0,
        _ => check::packed_bytes(element_type, elements).unwrap_or(u64::MAX),
    }
}
