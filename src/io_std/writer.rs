//! Writing container files.

use std::boxed::Box;
use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::vec::Vec;

use crate::composite::{Cover, Exact};
use crate::file::{self, FileOptions, KvEntry};
use crate::model::Fields;
use crate::owned::{GrowFrame, Item};
use crate::policy::Policy;
use crate::stream::turns::require_whole;

use super::output::emptied;
use super::{CHUNK, IoError, Output};

type Core<W, C> = file::FileWriter<Output<BufWriter<W>>, GrowFrame, C, Vec<u64>>;

/// Writes a container, item by item or piece by piece, and refuses what a reader with the same policy
/// would refuse.
///
/// It is the core's [writer](crate::FileWriter) with growing memory, a table of names and a buffer in front of
/// the output, which only goes forward. Inside [`save`](super::save) it replaces a file as a whole or not at all.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("model.hrry");
/// use hrry::io_std::{FileReader, FileWriter, IoError, save};
/// use hrry::owned::{Buffer, BufferHandle, ElementType, Item, Shape, Tensor, TensorDescriptor};
/// use hrry::{FileOptions, Policy};
///
/// let descriptor = TensorDescriptor::builder(ElementType::UInt8, Shape::new(vec![4])?)
///     .buffer(BufferHandle::cpu(4, 64))
///     .build()?;
/// let item = Item::from(Tensor::new(descriptor, vec![Buffer::from(vec![1, 2, 3, 4])])?);
/// save(&path, |sink| {
///     let mut writer = FileWriter::new(sink, &FileOptions::PLAIN, Policy::STRICT)?;
///     writer.item(&item, |_| "weights")?;
///     writer.finish()?;
///     Ok::<(), IoError>(())
/// })?;
/// assert_eq!(FileReader::open(&path, Policy::STRICT)?.read("weights")?, Some(item));
/// # Ok::<(), IoError>(())
/// ```
#[derive(Debug)]
pub struct FileWriter<W: Write, C = Exact> {
    writer: Core<W, C>,
    names: HashSet<Box<str>>,
}

impl<W: Write> FileWriter<W> {
    /// Starts a file, checking covers exactly.
    ///
    /// # Errors
    ///
    /// As [`with_cover`](Self::with_cover).
    pub fn new(output: W, options: &FileOptions, policy: Policy) -> Result<Self, IoError> {
        FileWriter::with_cover(output, options, Exact, policy)
    }
}

impl<W: Write, C: Cover> FileWriter<W, C> {
    /// Starts a file, with a way to check covers.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::with_parts`](crate::FileWriter::with_parts); errors of the output.
    pub fn with_cover(
        output: W,
        options: &FileOptions,
        cover: C,
        policy: Policy,
    ) -> Result<Self, IoError> {
        let sink = Output(BufWriter::with_capacity(CHUNK, output));
        let (index, arena) = (GrowFrame::new(), Vec::new());
        let writer = Core::with_parts(sink, options, index, cover, arena, policy)?;
        let names = HashSet::new();
        Ok(FileWriter { writer, names })
    }

    /// Writes a tensor, or a composite with everything that belongs to it.
    ///
    /// Every tensor of a file has a name, members and heads among them. `name` gives that of each: of the
    /// item for 0, then of what belongs to it in the order of [`Item::items`].
    ///
    /// # Errors
    ///
    /// As [`FileWriter::tensor`](crate::FileWriter::tensor); errors of the output. After a refusal behind
    /// the first head the writer stops, since that composite cannot be whole any more.
    pub fn item<N: AsRef<str>>(
        &mut self,
        item: &Item,
        mut name: impl FnMut(usize) -> N,
    ) -> Result<(), IoError> {
        for (k, node) in item.items().enumerate() {
            let bytes: Vec<&[u8]> = node.buffers().iter().map(|buffer| &**buffer).collect();
            let written = self.tensor(name(k).as_ref(), node.descriptor(), &bytes);
            if written.is_err() && k > 0 {
                self.writer.give_up();
            }
            written?;
        }
        Ok(())
    }

    /// Writes a whole tensor: one slice for each buffer, of exactly its size. Slices that are left out, or
    /// left over, count as empty.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::tensor`](crate::FileWriter::tensor); errors of the output.
    pub fn tensor<F: Fields + ?Sized>(
        &mut self,
        name: &str,
        d: &F,
        buffers: &[&[u8]],
    ) -> Result<(), IoError> {
        require_whole(d, buffers)?;
        self.begin(name, d)?;
        for bytes in buffers {
            self.payload(bytes)?;
        }
        self.end()
    }

    /// Starts a tensor, the head of a composite, or a member.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::begin`](crate::FileWriter::begin); errors of the output.
    pub fn begin<F: Fields + ?Sized>(&mut self, name: &str, d: &F) -> Result<(), IoError> {
        let is_new = !self.names.contains(name);
        self.names.try_reserve(1)?;
        self.writer.begin_named(name, is_new, d)?;
        self.names.insert(name.into());
        Ok(())
    }

    /// Writes the next bytes of the tensor's buffers.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::payload`](crate::FileWriter::payload); errors of the output.
    pub fn payload(&mut self, bytes: &[u8]) -> Result<(), IoError> {
        Ok(self.writer.payload(bytes)?)
    }

    /// Ends the tensor; that of the last member closes its composite.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::end`](crate::FileWriter::end).
    pub fn end(&mut self) -> Result<(), IoError> {
        Ok(self.writer.end()?)
    }

    /// Ends the file, and gives back the output and how many bytes it took.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::finish`](crate::FileWriter::finish); errors of the output.
    pub fn finish(self) -> Result<(W, u64), IoError> {
        self.finish_with_kv([])
    }

    /// Ends the file with what it says about itself.
    ///
    /// # Errors
    ///
    /// As [`FileWriter::finish_with_kv`](crate::FileWriter::finish_with_kv); errors of the output.
    pub fn finish_with_kv<'k, K>(self, kv: K) -> Result<(W, u64), IoError>
    where
        K: IntoIterator<Item = KvEntry<'k>>,
        K::IntoIter: Clone,
    {
        let (Output(buffered), len) = self.writer.finish_with_kv(kv)?;
        Ok((emptied(buffered)?, len))
    }
}
