#![doc = include_str!("../README.md")]
#![no_std]
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
    Key, Keyed, MAX_COMPOSITE_DEPTH, Method, Outcome, SetError, corners,
};
pub use content::{ContentError, ContentScan, check_content};
pub use descriptor::{
    DescriptorSpec, DescriptorView, FieldSpan, FieldWalk, NoSpace, Order, Sink, SliceSink,
    WriteError, encode, encode_to, encoded_len,
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
