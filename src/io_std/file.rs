//! Reading container files.

use std::fs::File;
use std::path::Path;
use std::vec::Vec;

use crate::check::Teller;
use crate::composite::{Cover, Exact};
use crate::error::Violation;
use crate::file::{
    Entries, Entry, Extent, FileDirectory, FileIndex, KvEntries, OrderedEntries, RangeReader,
    Tables,
};
use crate::owned::{Item, TensorDescriptor};
use crate::policy::Policy;
use crate::wire::length;

use super::gather::{Gatherer, grow};
use super::{IoError, Source};

/// A container of which everything was checked that its index can break; tensors are read by name or one
/// after the other.
///
/// It owns the index and tables of it, and depends on no lifetime but that of its source: a [`File`], a
/// mapped file, or another [`Source`].
///
/// ```
/// use hrry::io_std::{FileReader, IoError};
/// use hrry::Policy;
///
/// let path = "tests/vectors/files/f-ok-partition.hrry";
/// let mut file = FileReader::open(path, Policy::STRICT)?;
/// let names: Vec<String> = file.names().map(str::to_owned).collect();
/// let item = file.read(&names[0])?.unwrap();
/// assert_eq!(item.as_composite().unwrap().member_count(), 2);
/// // a member by itself is a tensor
/// assert!(file.read(&names[1])?.unwrap().as_tensor().is_some());
/// assert_eq!(file.read("no such name")?, None);
/// for whole in file.items() {
///     let (name, whole) = whole?;
///     assert_eq!((name, whole), (&*names[0], item.clone()));
/// }
/// # Ok::<(), IoError>(())
/// ```
#[derive(Debug)]
pub struct FileReader<R, C = Exact> {
    source: R,
    cover: C,
    policy: Policy,
    extent: Extent,
    /// Index and key-value section.
    storage: Vec<u8>,
    tables: Tables,
    /// Tables of the index.
    scratch: Vec<u64>,
}

impl FileReader<File> {
    /// Opens a file, checking covers exactly.
    ///
    /// # Errors
    ///
    /// As [`with_cover`](Self::with_cover).
    pub fn open(path: impl AsRef<Path>, policy: Policy) -> Result<Self, IoError> {
        FileReader::new(File::open(path)?, policy)
    }
}

impl<R: Source> FileReader<R> {
    /// Opens a container, checking covers exactly.
    ///
    /// # Errors
    ///
    /// As [`with_cover`](Self::with_cover).
    pub fn new(source: R, policy: Policy) -> Result<Self, IoError> {
        FileReader::with_cover(source, Exact, policy)
    }
}

impl<R: Source, C: Cover + Clone> FileReader<R, C> {
    /// Opens a container, with a way to check covers.
    ///
    /// # Errors
    ///
    /// As [`FileView::open_with_scratch`](crate::FileView::open_with_scratch); errors of the source; where
    /// there is no memory for the index.
    pub fn with_cover(mut source: R, cover: C, policy: Policy) -> Result<Self, IoError> {
        let mut storage = Vec::new();
        let extent = read_extent(&mut source, &mut storage, &policy)?;
        let directory = extent.check(&storage, &mut &policy)?;
        let mut scratch = Vec::new();
        let words = usize::try_from(directory.scratch_words()).unwrap_or(usize::MAX);
        grow(&mut scratch, words)?;
        let tables = directory.index(&policy, &mut scratch)?.tables();
        Ok(FileReader {
            source,
            cover,
            policy,
            extent,
            storage,
            tables,
            scratch,
        })
    }

    /// What the file says of its tensors and of itself.
    #[must_use]
    pub fn directory(&self) -> FileDirectory<'_> {
        self.extent.directory(&self.storage, self.tables.survey)
    }

    /// The names of all tensors, heads and members among them, in the order of the index.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries().map(|entry| entry.name)
    }

    /// What the index says of each tensor, in its order.
    #[must_use]
    pub fn entries(&self) -> Entries<'_> {
        self.directory().entries()
    }

    /// The same in the order of their places: a head, then its members.
    #[must_use]
    pub fn in_order(&self) -> OrderedEntries<'_, '_> {
        self.index().in_order()
    }

    /// What the index says of a tensor; see [`FileIndex::find`](crate::FileIndex::find).
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Entry<'_>> {
        self.index().find(name)
    }

    /// What the file says about itself.
    #[must_use]
    pub fn kv(&self) -> KvEntries<'_> {
        self.directory().kv()
    }

    /// The descriptor of the tensor or head of that name, without its data; none where there is no such name.
    ///
    /// ```
    /// use hrry::io_std::FileReader;
    /// use hrry::{Fields, Policy};
    ///
    /// let mut file = FileReader::open("tests/vectors/files/f-ok-two.hrry", Policy::STRICT)?;
    /// let names: Vec<String> = file.names().map(str::to_owned).collect();
    /// for name in names {
    ///     let descriptor = file.descriptor(&name)?.unwrap();
    ///     let view = descriptor.view();
    ///     let shape: Vec<u64> = view.shape().iter().collect();
    ///     println!("{name}: {:?} {shape:?}", view.element_type());
    /// }
    /// # Ok::<(), hrry::io_std::IoError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`FileView::tensor`](crate::FileView::tensor); errors of the source; where there is no memory. The
    /// next call is not affected.
    pub fn descriptor(&mut self, name: &str) -> Result<Option<TensorDescriptor>, IoError> {
        let (mut reader, index) = self.ranges();
        let Some(entry) = index.find(name) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        grow(&mut bytes, entry.storage_len())?;
        let tensor = reader.tensor(&entry, &mut bytes)?;
        Ok(Some(TensorDescriptor::from_view(*tensor.descriptor())?))
    }

    /// The tensor of that name, or the composite whose head has that name, with everything that belongs to
    /// it; none where there is no such name. A member that is asked for is a tensor by itself.
    ///
    /// # Errors
    ///
    /// As [`FileView::tensor`](crate::FileView::tensor); the COMP rules of members and covers; errors of
    /// the source; where there is no memory. The next call is not affected.
    pub fn read(&mut self, name: &str) -> Result<Option<Item>, IoError> {
        let tables = self.tables;
        let (mut gatherer, index) = self.gatherer();
        let Some(entry) = index.find(name) else {
            return Ok(None);
        };
        for entry in index.onwards(&entry, tables) {
            if let Some(item) = gatherer.take(&entry)? {
                return Ok(Some(item));
            }
        }
        gatherer.finish()?;
        Ok(None)
    }

    /// All tensors that belong to no composite, and all composites, each with its name, in the order of
    /// their places. It ends behind the first error.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read); COMP-48 where the last composite misses members, which can still be read
    /// by their names.
    pub fn items(&mut self) -> impl Iterator<Item = Result<(&str, Item), IoError>> {
        let (mut gatherer, index) = self.gatherer();
        let mut entries = index.in_order();
        let mut ended = false;
        std::iter::from_fn(move || {
            if ended {
                return None;
            }
            let item = next_item(&mut gatherer, &mut entries).transpose();
            ended = !matches!(item, Some(Ok(_)));
            item
        })
    }

    /// The index, and a reader of what it names into memory of the caller, in ranges of any size.
    ///
    /// ```
    /// use hrry::io_std::FileReader;
    /// use hrry::{Policy, ReadAt};
    ///
    /// let mut file = FileReader::open("tests/vectors/files/f-ok-one.hrry", Policy::STRICT)?;
    /// let (mut ranges, index) = file.ranges();
    /// let entry = index.in_order().next().unwrap();
    /// let mut descriptor = vec![0; entry.storage_len()];
    /// let tensor = ranges.tensor(&entry, &mut descriptor)?;
    /// let data = tensor.place(0).unwrap();
    /// let mut first = [0; 4];
    /// ranges.source_mut().read_at(data.start, &mut first)?;
    /// assert_eq!(data, 4096..4144);
    /// # Ok::<(), hrry::io_std::IoError>(())
    /// ```
    pub fn ranges(&mut self) -> (RangeReader<'_, &mut R>, FileIndex<'_, '_>) {
        let directory = self.extent.directory(&self.storage, self.tables.survey);
        let index = FileIndex::again(directory, self.tables, &self.scratch);
        let reader = RangeReader::over(&mut self.source, directory, self.policy);
        (reader, index)
    }

    /// Tells of every rule that header, trailer, index and keys break and the policy's mode lets pass.
    ///
    /// # Errors
    ///
    /// As [`with_cover`](Self::with_cover), where the file has changed; errors of the source, of which header
    /// and trailer are read again.
    pub fn relaxed(&mut self, mut flag: impl FnMut(Violation)) -> Result<(), IoError> {
        let mut judge = Teller {
            policy: &self.policy,
            relaxed: &mut flag,
        };
        Extent::locate(&mut self.source, &mut [], &mut judge)?;
        let directory = self.extent.check(&self.storage, &mut judge)?;
        directory.index_with(&mut judge, &mut self.scratch)?;
        Ok(())
    }

    /// Where the bytes come from.
    pub fn source_mut(&mut self) -> &mut R {
        &mut self.source
    }

    /// The source, without what was learnt of it.
    pub fn into_source(self) -> R {
        self.source
    }

    fn index(&self) -> FileIndex<'_, '_> {
        FileIndex::again(self.directory(), self.tables, &self.scratch)
    }

    fn gatherer(&mut self) -> (Gatherer<'_, R, C>, FileIndex<'_, '_>) {
        let (cover, policy) = (self.cover.clone(), self.policy);
        let (reader, index) = self.ranges();
        (Gatherer::new(reader, cover, policy), index)
    }
}

/// The next item and the name of its first tensor.
fn next_item<'r, R: Source, C: Cover>(
    gatherer: &mut Gatherer<'r, R, C>,
    entries: &mut impl Iterator<Item = Entry<'r>>,
) -> Result<Option<(&'r str, Item)>, IoError> {
    let mut name = None;
    for entry in entries {
        let name = *name.get_or_insert(entry.name);
        if let Some(item) = gatherer.take(&entry)? {
            return Ok(Some((name, item)));
        }
    }
    gatherer.finish()?;
    Ok(None)
}

/// Room for index and key-value section of most files.
const ROOM: usize = 64 * 1024;

/// Reads index and key-value section into storage that grows to what they take; they lie in the file, so
/// the file is as long.
fn read_extent<R: Source>(
    source: &mut R,
    storage: &mut Vec<u8>,
    policy: &Policy,
) -> Result<Extent, IoError> {
    let first = source.len()?.min(length(ROOM));
    grow(storage, usize::try_from(first).unwrap_or(ROOM))?;
    let mut extent = Extent::locate(source, storage, &mut { policy })?;
    let needed = usize::try_from(extent.storage_len()).unwrap_or(usize::MAX);
    grow(storage, needed)?;
    extent.load(source, storage)?;
    Ok(extent)
}
