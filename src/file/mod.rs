//! Container files: named tensors, an index behind them, and facts about the whole.
//!
//! Depends on descriptors and the composite validator. Guarantees that whatever an accepted index names
//! lies inside the file, and that offsets keep their 64 bits on every target. Never copies payload and
//! never allocates; a writer goes forward only.

mod advance;
mod array;
mod ascent;
mod close;
mod crc;
mod directory;
mod entry;
mod extent;
mod forward;
mod items;
mod keys;
mod kv;
mod lists;
mod measure;
mod names;
mod options;
mod order;
mod parse;
mod range;
mod runs;
mod sections;
mod seen;
mod table;
mod tables;
mod tensor;
mod view;
mod write;

pub use array::KvArray;
pub use crc::crc32c;
pub use directory::{Entries, FileDirectory, Unchecked};
pub use entry::Entry;
#[cfg(feature = "std")]
pub(crate) use extent::Extent;
pub use items::{FileItem, FileItems};
pub use kv::{KvEntries, KvEntry, KvValue};
pub use options::FileOptions;
#[cfg(feature = "std")]
pub(crate) use order::Tables;
pub use order::{FileIndex, OrderedEntries};
pub use parse::{FileEnd, FileEvent, FileParser, FixedFile, Region};
pub use range::{RangeReader, ReadAt, ReadError};
pub use sections::{FileHeader, Trailer};
pub use tensor::{FileTensor, TensorView};
pub use view::FileView;
pub use write::{FileWriter, FixedFileWriter};
