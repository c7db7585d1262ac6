//! Tensors in the Hurray interchange format, read and written without a standard library and without an allocator.
//!
//! # Start here
//!
//! | task | take | feature |
//! |---|---|---|
#![cfg_attr(
    feature = "std",
    doc = "| tensors by name in a file of your application | [`io_std::FileReader`], [`io_std::FileWriter`] in [`io_std::save`] | `std` |",
    doc = "| tensors over a socket or a pipe | [`io_std::StreamReader`], [`io_std::StreamWriter`]; [`io_std::SessionLink`] for requests and answers | `std` |"
)]
#![cfg_attr(
    feature = "alloc",
    doc = "| a tensor of numbers, and back | [`values`](owned::TensorDescriptorBuilder::values) and [`quantize`](owned::TensorDescriptorBuilder::quantize) of [`owned::TensorDescriptor::builder`]; [`owned::Item::to_vec`] | `alloc` |",
    doc = "| whole tensors of a stream, without I/O | [`owned::ItemReader`], [`owned::Item::encode_to_vec`] | `alloc` |"
)]
#![cfg_attr(
    feature = "embedded-io-07",
    doc = "| a stream from or to a driver of `embedded-io` | [`Pump`](io_embedded::blocking_07::Pump), [`FixedWriter`](io_embedded::blocking_07::FixedWriter) | `embedded-io-07` |"
)]
#![cfg_attr(
    feature = "embedded-io-async-07",
    doc = "| the same, waiting as futures | [`Pump`](io_embedded::async_07::Pump), [`FixedWriter`](io_embedded::async_07::FixedWriter) | `embedded-io-async-07` |"
)]
//! | a stream, its bytes as they arrive | [`profile::Sensor`] or another [`FixedDecoder`]; [`Resync`] around it where the line loses bytes | |
//! | a stream written | [`FixedWriter`] over a [`SliceSink`], or over a [`Sink`] of your own | |
//! | one descriptor in a slice | [`DescriptorView::parse`]; [`DescriptorSpec`] and [`encode`] | |
//! | a file in flash or in memory | [`FileView`] | |
//! | a file on a card, or behind requests for ranges | [`RangeReader`] over a [`ReadAt`] | |
//! | a file front to back, or written | [`FixedFile`], [`FixedFileWriter`] | |
//! | numbers of tensors and composites | [`read_values`], [`Canvas`], [`quantize`] | |
//! | requests and answers over a link | [`message::FixedSession`] | |
//!
#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(any(feature = "mmap", feature = "simd")), forbid(unsafe_code))]
#![deny(unsafe_code)]
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
#[cfg(any(test, feature = "std"))]
extern crate std;

mod address;
pub mod check;
mod composite;
mod content;
mod descriptor;
mod error;
mod file;
mod frame;
#[cfg(any(feature = "embedded-io-07", feature = "embedded-io-async-07"))]
pub mod io_embedded;
#[cfg(feature = "std")]
pub mod io_std;
pub mod message;
mod model;
#[cfg(feature = "alloc")]
pub mod owned;
mod policy;
pub mod profile;
mod record;
mod rule;
mod sort;
mod stream;
mod value;
mod wire;

pub use address::{
    AddressError, Compressed, Element, Line, Pages, StorageWalk, StoredWalk, SubBox, Walk, locate,
    locate_stored,
};
pub use composite::{
    Arena, CompositeValidator, Cover, Exact, ExactThenKeyed, FixedComposite, Grid, InlineArena,
    Key, Keyed, MAX_COMPOSITE_DEPTH, Method, Outcome, SetError, SliceArena, corners,
};
pub use content::{ContentError, ContentScan, check_content};
pub use descriptor::{
    DescriptorSpec, DescriptorView, FieldSpan, FieldWalk, NoSpace, Order, Prepared, Sink,
    SliceSink, WriteError, encode, encode_to, encoded_len,
};
pub use error::{Error, ErrorKind, Field, Report, Resource, Violation};
pub use file::{
    Entries, Entry, FileDirectory, FileEnd, FileEvent, FileHeader, FileIndex, FileItem, FileItems,
    FileOptions, FileParser, FileTensor, FileView, FileWriter, FixedFile, FixedFileWriter, KvArray,
    KvEntries, KvEntry, KvValue, OrderedEntries, RangeReader, ReadAt, ReadError, Region,
    TensorView, Trailer, Unchecked, crc32c,
};
pub use frame::{NoRoom, Storage};
pub use model::{
    Array, ArrayIter, BlockPaged, BufferHandle, CompositeHead, ExtensionType, F32Bits, F64Bits,
    Fields, I64s, Layout, Levels, Parameters, Quantization, Shard, Statistics, Tiled, TiledLevel,
    U32s, U64s,
};
pub use policy::{Agreements, Mode, Policy, Transport};
pub use rule::{Class, Permissive, Restated, Rule};
pub use stream::{
    Event, FixedDecoder, FixedStream, FixedWriter, Lost, Payload, Resync, ResyncEvent,
    StreamDecoder, StreamParser, StreamWriter,
};
pub use value::element;
pub use value::element::{ElementError, Scalar, Value};
pub use value::{
    Canvas, Summary, ValueError, choose_per_tensor, quantize, read_stored, read_tokens, read_values,
};
pub use wire::Number;
pub use wire::descriptor::{
    DYNAMIC, MAX_BUFFERS, MAX_RANK, MAX_TILE_LEVELS, MIN_BUFFER_ALIGNMENT, NO_BUFFER, Section,
};
pub use wire::tag::{
    BlockTableIndexType, CombineOp, CompositionRule, DeviceTag, ElementType, KvRole, LayoutTag,
    MemberRole, MemoryClass, Scheme, SyncMode,
};
