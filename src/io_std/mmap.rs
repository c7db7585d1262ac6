//! Files mapped into memory.
#![allow(unsafe_code)] // a map is not safe against other writers of its file

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use crate::file::ReadAt;
use crate::owned::Buffer;

use super::Source;

/// A file in memory that the system reads when bytes are looked at.
///
/// It is a slice, for [`FileView`](crate::FileView), and a [`Source`], for [`FileReader`](super::FileReader),
/// whose buffers then are parts of the map: nothing is copied, and what a file aligns to pages is aligned
/// to pages. The map lives as long as the last of its clones and buffers.
///
/// ```
/// use hrry::io_std::{FileReader, IoError, MappedFile};
/// use hrry::{FileView, Policy};
///
/// let path = "tests/vectors/files/f-ok-two.hrry";
/// // SAFETY: nothing writes to the files of this repository while this runs
/// let map = unsafe { MappedFile::open(path)? };
/// let view = FileView::open(&map, &Policy::STRICT)?;
/// let entry = view.entries().next().unwrap();
/// let bytes = view.tensor(&entry, &Policy::STRICT)?.buffer(0).unwrap();
///
/// let mut reader = FileReader::new(map.clone(), Policy::STRICT)?;
/// let item = reader.read(entry.name)?.unwrap();
/// let buffer = item.as_tensor().unwrap().buffer(0).unwrap();
/// assert_eq!(buffer.as_ptr(), bytes.as_ptr());
/// assert_eq!(buffer.as_ptr() as usize % 4096, 0);
/// # Ok::<(), IoError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MappedFile(Arc<Mmap>);

impl MappedFile {
    /// Maps a file as a whole.
    ///
    /// # Errors
    ///
    /// Errors of the system: no such file, no room for it in the address space.
    ///
    /// # Safety
    ///
    /// Nothing may write to the file or shorten it as long as the map or a buffer of it lives: the bytes
    /// are lent as memory that does not change, and behind the end of a file that became shorter there is
    /// no memory at all. Files that are replaced by [`save`](super::save) are safe: the old one stays as
    /// it was.
    pub unsafe fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: that the file does not change is the promise of the caller
        let map = unsafe { Mmap::map(&file)? };
        Ok(MappedFile(Arc::new(map)))
    }

    fn part(&self, offset: u64, len: u64) -> io::Result<&[u8]> {
        let start = usize::try_from(offset).ok();
        let len = usize::try_from(len).ok();
        let part = start.zip(len).and_then(|(start, len)| {
            let end = start.checked_add(len)?;
            self.get(start..end)
        });
        part.ok_or(io::ErrorKind::UnexpectedEof.into())
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl ReadAt for MappedFile {
    type Error = io::Error;

    fn len(&mut self) -> io::Result<u64> {
        Ok(crate::wire::length(self.0.len()))
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let part = self.part(offset, crate::wire::length(into.len()))?;
        into.copy_from_slice(part);
        Ok(())
    }
}

impl Source for MappedFile {
    fn buffer(&mut self, place: Range<u64>) -> io::Result<Buffer> {
        let len = place.end.saturating_sub(place.start);
        self.part(place.start, len)?;
        Ok(Buffer::foreign(Part {
            map: self.clone(),
            place,
        }))
    }
}

/// A part of a map that is there.
struct Part {
    map: MappedFile,
    place: Range<u64>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        let Range { start, end } = self.place;
        let part = self.map.part(start, end.saturating_sub(start));
        part.unwrap_or_default()
    }
}
