//! A container in one slice: flash, a mapped file, the memory of a WASM module.

use core::ops::Deref;

use super::ascent::Survey;
use super::directory::FileDirectory;
use super::entry::Entry;
use super::order::FileIndex;
use super::sections::{FileHeader, Sections, long_enough, magic};
use super::tables::make_tables;
use super::tensor::{FileTensor, TensorView, slice};
use crate::check::Judge;
use crate::error::Error;
use crate::policy::Policy;
use crate::wire::container::TRAILER;
use crate::wire::{length, record};

/// A container whose header, trailer, index and key-value section are right.
///
/// Tensors are looked at when they are asked for. Nothing is copied, and opening takes one pass over the
/// index; [`unchecked`](FileDirectory::unchecked) says what that leaves open.
#[derive(Clone, Copy, Debug)]
pub struct FileView<'a> {
    bytes: &'a [u8],
    directory: FileDirectory<'a>,
}

impl<'a> FileView<'a> {
    /// Opens a container that is in memory as a whole.
    ///
    /// # Errors
    ///
    /// FILE-01 to FILE-40 as far as header, trailer, index and key-value section can break them; FILE-08
    /// where there is no room for header and trailer.
    pub fn open(bytes: &'a [u8], policy: &Policy) -> Result<Self, Error> {
        Self::open_with(bytes, &mut { policy })
    }

    pub(super) fn open_with<J: Judge>(bytes: &'a [u8], judge: &mut J) -> Result<Self, Error> {
        let (directory, _) = locate(bytes, judge)?.check(judge, &mut [])?;
        Ok(FileView { bytes, directory })
    }

    /// Opens a container and checks what takes memory, in words that the caller lends.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open) and [`FileDirectory::index`].
    pub fn open_with_scratch<'s>(
        bytes: &'a [u8],
        policy: &Policy,
        scratch: &'s mut [u64],
    ) -> Result<(Self, FileIndex<'a, 's>), Error> {
        let judge = &mut { policy };
        let directory = locate(bytes, judge)?;
        let (directory, runs) = directory.check(judge, scratch)?;
        let index = make_tables(directory, &runs, judge, scratch)?;
        Ok((FileView { bytes, directory }, index))
    }

    /// The tensor of an entry of this file.
    ///
    /// # Errors
    ///
    /// The rules of descriptors (see [`DescriptorView::parse`](crate::DescriptorView::parse)); FILE-21 to FILE-24 where index and
    /// descriptor disagree.
    pub fn tensor(&self, entry: &Entry<'a>, policy: &Policy) -> Result<TensorView<'a>, Error> {
        let sections = self.sections();
        let front = slice(self.bytes, entry.descriptor_offset..sections.end);
        let tensor = FileTensor::read(front, entry, sections, policy)?;
        Ok(TensorView::new(tensor, self.bytes))
    }
}

/// Where the sections of a container are; what they hold was not looked at.
fn locate<'a, J: Judge>(bytes: &'a [u8], judge: &mut J) -> Result<FileDirectory<'a>, Error> {
    magic(bytes)?;
    let file_size = length(bytes.len());
    long_enough(file_size)?;
    let header = FileHeader::read(record(bytes, 0), judge)?;
    let trailer = record(bytes, bytes.len().saturating_sub(TRAILER));
    let sections = Sections::read(header, trailer, file_size, judge)?;
    let index = slice(bytes, sections.index());
    let kv = slice(bytes, sections.kv().unwrap_or_default());
    Ok(FileDirectory::new(sections, index, kv, Survey::default()))
}

impl<'a> Deref for FileView<'a> {
    type Target = FileDirectory<'a>;

    fn deref(&self) -> &FileDirectory<'a> {
        &self.directory
    }
}
