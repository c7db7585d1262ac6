//! A bare stream, item by item.

use alloc::vec::Vec;

use super::{Assembler, Error, GrowFrame, Item};
use crate::composite::{Cover, Exact};
use crate::policy::Policy;
#[cfg(feature = "std")]
use crate::stream::Event;
use crate::stream::StreamDecoder;

/// Reads a stream into items that own their memory; a composite counts as one item.
///
/// It is the core's decoder with growing memory, pushed like that one. Whatever lengths a stream
/// announces, memory follows from the bytes that arrived: buffers at most double, and each tensor costs
/// some words beside its bytes.
///
/// ```
/// use hrry::owned::{BufferHandle, Buffer, ElementType, Item, ItemReader, Shape, Tensor};
/// use hrry::owned::TensorDescriptor;
/// use hrry::Policy;
///
/// let descriptor = TensorDescriptor::builder(ElementType::UInt8, Shape::new(vec![4])?)
///     .buffer(BufferHandle::cpu(4, 64))
///     .build()?;
/// let item = Item::from(Tensor::new(descriptor, vec![Buffer::from(vec![1, 2, 3, 4])])?);
/// let stream = [item.encode_to_vec()?, item.encode_to_vec()?].concat();
///
/// let mut reader = ItemReader::new(Policy::STRICT);
/// let mut items = Vec::new();
/// for mut chunk in stream.chunks(10) {
///     while let Some(item) = reader.next_item(&mut chunk)? {
///         items.push(item);
///     }
/// }
/// reader.finish()?;
/// assert_eq!(items, [item.clone(), item]);
/// # Ok::<(), hrry::owned::Error>(())
/// ```
#[derive(Debug)]
pub struct ItemReader<C = Exact> {
    decoder: StreamDecoder<GrowFrame, C, Vec<u64>>,
    items: Assembler,
    /// The error that sticks, where it is not the decoder's.
    failed: Option<Error>,
}

impl ItemReader {
    /// At the start of a stream, checking covers exactly.
    #[must_use]
    pub const fn new(policy: Policy) -> Self {
        ItemReader::with_cover(Exact, policy)
    }
}

impl<C> ItemReader<C> {
    /// At the start of a stream, with a way to check covers.
    #[must_use]
    pub const fn with_cover(cover: C, policy: Policy) -> Self {
        ItemReader {
            decoder: StreamDecoder::with_parts(GrowFrame::new(), cover, Vec::new(), policy),
            items: Assembler::new(),
            failed: None,
        }
    }

    /// Absolute offset of the next byte.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.decoder.offset()
    }
}

impl<C: Cover> ItemReader<C> {
    /// The next item, or none when the chunk is used up. Advances `input` behind what it took.
    ///
    /// # Errors
    ///
    /// As [`StreamDecoder::next_event`]; where there is no memory for what arrived. The error sticks.
    pub fn next_item(&mut self, input: &mut &[u8]) -> Result<Option<Item>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        while let Some(event) = self.decoder.next_event(input)? {
            match self.items.take(event) {
                Ok(None) => {}
                Ok(Some(item)) => return Ok(Some(item)),
                Err(error) => {
                    self.failed = Some(error.clone());
                    return Err(error);
                }
            }
        }
        Ok(None)
    }

    /// Lets `read` append the next bytes of the buffer that is being read to where they stay: at most as
    /// many as it is told, `least` to begin with and then as many as there are. None where the next bytes
    /// belong to no buffer.
    #[cfg(feature = "std")]
    pub(crate) fn fill<T>(
        &mut self,
        least: usize,
        read: impl FnOnce(&mut Vec<u8>, usize) -> T,
    ) -> Result<Option<T>, Error> {
        let wanted = self.wanted();
        let Some(filling) = self.items.filling().filter(|_| wanted > 0) else {
            return Ok(None);
        };
        let before = filling.len();
        let step = wanted.min(before.max(least));
        let room = filling.make_room(step, wanted);
        let result = room.and_then(|()| filling.append_with(|memory| read(memory, step)));
        let result = result.map_err(|error| self.failed.insert(error.into()).clone())?;
        let mut arrived = filling.get(before..).unwrap_or_default();
        let mut whole = None;
        // an event that takes no byte is left to the next call
        while !arrived.is_empty()
            && let Some(event) = self.decoder.next_event(&mut arrived)?
        {
            if let Event::Payload(payload) = event {
                whole = payload.last.then_some(payload.buffer);
            }
        }
        if let Some(k) = whole {
            self.items.filled(k.into());
        }
        Ok(Some(result))
    }

    /// Tells whether the input may end here: on a boundary, outside every composite.
    ///
    /// # Errors
    ///
    /// STREAM-04 inside an item, COMP-48 inside a composite; the sticky error.
    pub fn finish(&self) -> Result<(), Error> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None => Ok(self.decoder.finish()?),
        }
    }

    /// What arrived whole of composites that are still open, as items of their own: all that there is of
    /// a torn composite.
    #[must_use]
    pub fn into_arrived(self) -> Vec<Item> {
        self.items.into_arrived()
    }

    /// Bytes that would reach the next decision; 0 when an event is ready, and after an error.
    #[must_use]
    pub fn wanted(&self) -> usize {
        self.decoder.wanted()
    }

    /// How many composites are open.
    #[must_use]
    pub fn depth(&self) -> u8 {
        self.decoder.depth()
    }
}
