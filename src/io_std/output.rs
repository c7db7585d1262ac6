//! Writing streams into what takes bytes.

use std::io::{self, BufWriter, Write};
use std::vec::Vec;

use crate::composite::{Cover, Exact};
use crate::descriptor::Sink;
use crate::model::Fields;
use crate::owned::Item;
use crate::policy::Policy;
use crate::stream;

use super::{CHUNK, IoError};

/// A [`Sink`] over anything that takes bytes, for every writer of this crate.
///
/// Interrupted writes are tried again, and one that takes nothing is an error of kind
/// [`WriteZero`](io::ErrorKind::WriteZero). Writers put small pieces: wrap what is dear to call in a
/// [`BufWriter`], as [`StreamWriter`] does.
///
/// ```
/// use hrry::io_std::Output;
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, FixedWriter, Layout, Policy};
/// let buffers = [BufferHandle::cpu(2, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[2], Layout::RowMajor, &buffers);
/// let mut writer = FixedWriter::<_, 64>::new(Output(Vec::new()), Policy::STRICT);
/// writer.tensor(&spec, &[&[1, 2]])?;
/// let Output(bytes) = writer.finish()?;
/// assert_eq!(bytes.len(), 53 + 2);
/// # Ok::<(), hrry::io_std::IoError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Output<W>(pub W);

impl<W: Write> Sink for Output<W> {
    type Error = io::Error;

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }
}

/// What is written to it goes on as it is, so that writers which take a [`Write`] can have it too.
impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes a bare stream, item by item or piece by piece, and refuses what a reader with the same policy
/// would refuse.
///
/// It is the core's [writer](crate::StreamWriter) with growing memory and a buffer of 16 KiB in front of the output:
/// items may stay in it until it is full. Where somebody waits for an item at the other end, [`flush`](Self::flush)
/// sends it on its way.
///
/// What is dropped before [`finish`](Self::finish) is no valid stream. An error of the output ends it, a timeout too,
/// since nobody knows how far a write came: a socket should have no write timeout, and should block.
///
/// ```
/// use hrry::io_std::{IoError, StreamReader, StreamWriter};
/// use hrry::owned::{Buffer, BufferHandle, ElementType, Item, Shape, Tensor, TensorDescriptor};
/// use hrry::Policy;
///
/// let descriptor = TensorDescriptor::builder(ElementType::UInt8, Shape::new(vec![4])?)
///     .buffer(BufferHandle::cpu(4, 64))
///     .build()?;
/// let item = Item::from(Tensor::new(descriptor.clone(), vec![Buffer::from(vec![1, 2, 3, 4])])?);
///
/// let mut writer = StreamWriter::new(Vec::new(), Policy::STRICT);
/// writer.item(&item)?; // may still be in the buffer
/// writer.flush()?; // is out
/// writer.begin(&descriptor)?;
/// writer.payload(&[1, 2])?;
/// writer.payload(&[3, 4])?;
/// writer.end()?;
/// writer.tensor(&descriptor, &[&[1, 2, 3, 4]])?;
/// let stream = writer.finish()?;
///
/// let mut reader = StreamReader::new(&stream[..], Policy::STRICT);
/// assert_eq!(reader.next_item()?.as_ref(), Some(&item));
/// assert_eq!(reader.next_item()?.as_ref(), Some(&item));
/// assert_eq!(reader.next_item()?, Some(item));
/// assert_eq!(reader.next_item()?, None);
/// # Ok::<(), IoError>(())
/// ```
#[derive(Debug)]
pub struct StreamWriter<W: Write, C = Exact> {
    writer: stream::StreamWriter<Output<BufWriter<W>>, C, Vec<u64>>,
}

impl<W: Write> StreamWriter<W> {
    /// At the start of a stream, checking covers exactly.
    #[must_use]
    pub fn new(output: W, policy: Policy) -> Self {
        StreamWriter::with_cover(output, Exact, policy)
    }
}

impl<W: Write, C: Cover> StreamWriter<W, C> {
    /// At the start of a stream, with a way to check covers.
    #[must_use]
    pub fn with_cover(output: W, cover: C, policy: Policy) -> Self {
        let sink = Output(BufWriter::with_capacity(CHUNK, output));
        StreamWriter {
            writer: stream::StreamWriter::with_parts(sink, cover, Vec::new(), policy),
        }
    }

    /// Writes a tensor, or a composite with everything that belongs to it. Its last bytes may stay in the
    /// buffer until [`flush`](Self::flush).
    ///
    /// # Errors
    ///
    /// As [`StreamWriter::tensor`](crate::StreamWriter::tensor); errors of the output.
    pub fn item(&mut self, item: &Item) -> Result<(), IoError> {
        Ok(item.write_to(&mut self.writer)?)
    }

    /// Writes a whole tensor: one slice for each buffer, of exactly its size. Slices that are left out, or
    /// left over, count as empty.
    ///
    /// # Errors
    ///
    /// As [`StreamWriter::tensor`](crate::StreamWriter::tensor); errors of the output.
    pub fn tensor<F: Fields + ?Sized>(&mut self, d: &F, buffers: &[&[u8]]) -> Result<(), IoError> {
        Ok(self.writer.tensor(d, buffers)?)
    }

    /// Starts an item: a tensor, a head, or a member.
    ///
    /// # Errors
    ///
    /// As [`StreamWriter::begin`](crate::StreamWriter::begin); errors of the output.
    pub fn begin<F: Fields + ?Sized>(&mut self, d: &F) -> Result<(), IoError> {
        Ok(self.writer.begin(d)?)
    }

    /// Writes the next bytes of the item's buffers.
    ///
    /// # Errors
    ///
    /// As [`StreamWriter::payload`](crate::StreamWriter::payload); errors of the output.
    pub fn payload(&mut self, bytes: &[u8]) -> Result<(), IoError> {
        Ok(self.writer.payload(bytes)?)
    }

    /// Ends the item; that of the last member closes its composite.
    ///
    /// # Errors
    ///
    /// As [`StreamWriter::end`](crate::StreamWriter::end).
    pub fn end(&mut self) -> Result<(), IoError> {
        Ok(self.writer.end()?)
    }

    /// Writes what is in the buffer and flushes the output, anywhere in the stream.
    ///
    /// # Errors
    ///
    /// Those of the output. What is still in the buffer stays there; called again, it goes on.
    pub fn flush(&mut self) -> Result<(), IoError> {
        Ok(self.writer.sink_mut().flush()?)
    }

    /// The output, in front of which bytes may wait in the buffer.
    #[must_use]
    pub fn output(&mut self) -> &W {
        self.writer.sink_mut().0.get_ref()
    }

    /// Ends the stream, writes what is still in the buffer, and gives the output back.
    ///
    /// # Errors
    ///
    /// As [`StreamWriter::finish`](crate::StreamWriter::finish); errors of the output.
    pub fn finish(self) -> Result<W, IoError> {
        let Output(buffered) = self.writer.finish()?;
        Ok(emptied(buffered)?)
    }
}

/// What is behind a buffer, with all of it written; on an error the rest is never written.
pub(super) fn emptied<W: Write>(buffered: BufWriter<W>) -> io::Result<W> {
    buffered.into_inner().map_err(|error| {
        let (error, rest) = error.into_parts();
        // dropped as it is, it would try again
        drop(rest.into_parts());
        error
    })
}
