//! Writing a bare stream, member by member, into a sink that only goes forward.

use super::turns::{Turns, require_whole};
use crate::composite::{Arena, Cover, Exact, InlineArena};
use crate::descriptor::{Sink, WriteError};
use crate::model::Fields;
use crate::policy::Policy;

/// Writes tensors and composites and refuses what a reader with the same policy would refuse.
///
/// For each item: [`begin`](Self::begin) with its descriptor, [`payload`](Self::payload) with the bytes of
/// all its buffers in table order, in pieces of any size, [`end`](Self::end); or all at once with
/// [`tensor`](Self::tensor). The same validator as in a reader watches over composites. Descriptors are
/// checked before their first byte is written.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, FixedWriter, Layout, Order, Policy, SliceSink, WriteError};
///
/// let buffers = [BufferHandle::cpu(8, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[8], Layout::RowMajor, &buffers);
/// let mut memory = [0; 128];
/// let mut writer = FixedWriter::<_, 64>::new(SliceSink::new(&mut memory), Policy::STRICT);
/// writer.begin(&spec)?;
/// writer.payload(&[1, 2, 3])?;
/// // five bytes are missing
/// assert_eq!(writer.end(), Err(WriteError::Order(Order::Missing { bytes: 5 })));
/// writer.payload(&[4, 5, 6, 7, 8])?;
/// writer.end()?;
/// assert_eq!(writer.finish()?.written().len(), 53 + 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct StreamWriter<W, C, A> {
    sink: W,
    turns: Turns<C, A>,
}

/// A writer with `N` words for open composites inside, checking covers exactly.
pub type FixedWriter<W, const N: usize> = StreamWriter<W, Exact, InlineArena<N>>;

impl<W: Sink, const N: usize> FixedWriter<W, N> {
    /// A writer at the start of a stream.
    #[must_use]
    pub const fn new(sink: W, policy: Policy) -> Self {
        StreamWriter::with_parts(sink, Exact, InlineArena::new(), policy)
    }
}

impl<W: Sink, C, A> StreamWriter<W, C, A> {
    /// A writer at the start of a stream, from its parts.
    #[must_use]
    pub const fn with_parts(sink: W, cover: C, arena: A, policy: Policy) -> Self {
        StreamWriter {
            sink,
            turns: Turns::new(cover, arena, policy),
        }
    }
}

impl<W, C, A> StreamWriter<W, C, A> {
    /// The sink. What is put into it beside the writer lands between the bytes of the stream.
    #[must_use]
    pub const fn sink_mut(&mut self) -> &mut W {
        &mut self.sink
    }
}

impl<W: Sink, C: Cover, A: Arena> StreamWriter<W, C, A> {
    /// Starts an item: a tensor, a head, or a member.
    ///
    /// # Errors
    ///
    /// Everything that [`encode_to`](crate::encode_to) and
    /// [`CompositeValidator::begin`](crate::CompositeValidator::begin) refuse, before anything of the item
    /// is written; STREAM-11 where the item before was not ended; the sink's own errors. After those, and
    /// after a capacity error of the validator, the writer stops.
    pub fn begin<F: Fields + ?Sized>(&mut self, d: &F) -> Result<(), WriteError<W::Error>> {
        let item = self.turns.prepare(d)?;
        self.turns.begin(d)?;
        let written = item.descriptor.encode_to(&mut self.sink);
        written.map_err(WriteError::Sink)?;
        self.turns.go_on(item.payload);
        Ok(())
    }

    /// Writes the next bytes of the item's buffers.
    ///
    /// # Errors
    ///
    /// STREAM-10 without an item or with more bytes than its buffers take, before anything is written;
    /// the sink's own errors.
    pub fn payload(&mut self, bytes: &[u8]) -> Result<(), WriteError<W::Error>> {
        let left = self.turns.pay(bytes.len())?;
        self.sink.put(bytes).map_err(WriteError::Sink)?;
        self.turns.go_on(left);
        Ok(())
    }

    /// Ends the item; that of the last member closes its composite.
    ///
    /// # Errors
    ///
    /// STREAM-10 without an item or while its buffers miss bytes; COMP-43, and COMP-42 where the method
    /// finds overlaps at the close, of the composite that closes. What is written then is no valid
    /// stream, and the writer stops.
    pub fn end(&mut self) -> Result<(), WriteError<W::Error>> {
        self.turns.end()
    }

    /// A composite of which a part is out can no longer be whole.
    #[cfg(feature = "alloc")]
    pub(crate) const fn give_up(&mut self) {
        self.turns.give_up();
    }

    /// Writes a whole item: one slice for each buffer, of exactly its size. Slices that are left out, or
    /// left over, count as empty.
    ///
    /// # Errors
    ///
    /// As [`begin`](Self::begin) and [`end`](Self::end); STREAM-10 before anything is written where slices
    /// and buffers differ.
    pub fn tensor<F: Fields + ?Sized>(
        &mut self,
        d: &F,
        buffers: &[&[u8]],
    ) -> Result<(), WriteError<W::Error>> {
        require_whole(d, buffers)?;
        self.begin(d)?;
        for bytes in buffers {
            self.payload(bytes)?;
        }
        self.end()
    }

    /// Ends the stream and gives the sink back.
    ///
    /// # Errors
    ///
    /// STREAM-11 inside an item or a composite, or after a failure; the sink is gone then, and what it
    /// holds is no valid stream.
    pub fn finish(self) -> Result<W, WriteError<W::Error>> {
        self.turns.finish()?;
        Ok(self.sink)
    }
}
