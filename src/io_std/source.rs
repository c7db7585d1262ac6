//! Where the bytes of a file come from.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::vec::Vec;

use crate::file::ReadAt;
use crate::owned::{AlignedBuffer, Buffer};
use crate::wire::length;

/// A source of a container that gives whole buffers.
///
/// Every [`ReadAt`] can be one: `impl Source for Mine {}`.
pub trait Source: ReadAt<Error = io::Error> {
    /// The bytes of a range, which lies in front of [`len`](ReadAt::len) and is not empty.
    ///
    /// # Errors
    ///
    /// Errors of the source; [`OutOfMemory`](io::ErrorKind::OutOfMemory).
    fn buffer(&mut self, place: Range<u64>) -> io::Result<Buffer> {
        buffer_with(&place, |memory, len| {
            let before = memory.len();
            memory.resize(before.saturating_add(len), 0);
            let into = memory.get_mut(before..).unwrap_or_default();
            self.read_at(place.start, into)
        })
    }
}

/// An aligned buffer of the length of a range, with what `fill` appends.
fn buffer_with(
    place: &Range<u64>,
    fill: impl FnOnce(&mut Vec<u8>, usize) -> io::Result<()>,
) -> io::Result<Buffer> {
    let len = usize::try_from(place.end.saturating_sub(place.start));
    let len = len.map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut buffer = AlignedBuffer::new();
    buffer.make_room(len, len)?;
    buffer.append_with(|memory| fill(memory, len))??;
    Ok(buffer.into())
}

impl ReadAt for File {
    type Error = io::Error;

    fn len(&mut self) -> io::Result<u64> {
        self.seek(SeekFrom::End(0))
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.read_exact(into)
    }
}

impl Source for File {
    fn buffer(&mut self, place: Range<u64>) -> io::Result<Buffer> {
        self.seek(SeekFrom::Start(place.start))?;
        buffer_with(&place, |memory, len| {
            let read = self.take(length(len)).read_to_end(memory)?;
            match read < len {
                true => Err(io::ErrorKind::UnexpectedEof.into()),
                false => Ok(()),
            }
        })
    }
}

/// Bytes in memory; the position of the cursor stays where it is.
impl<T: AsRef<[u8]>> ReadAt for Cursor<T> {
    type Error = io::Error;

    fn len(&mut self) -> io::Result<u64> {
        Ok(length(self.get_ref().as_ref().len()))
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let behind = self.get_ref().as_ref().get(start..);
        let bytes = behind.and_then(|bytes| bytes.get(..into.len()));
        into.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

impl<T: AsRef<[u8]>> Source for Cursor<T> {}

impl<S: Source + ?Sized> Source for &mut S {
    fn buffer(&mut self, place: Range<u64>) -> io::Result<Buffer> {
        (**self).buffer(place)
    }
}
