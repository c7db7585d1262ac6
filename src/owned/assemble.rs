//! From the events of a parser to whole items.

use alloc::vec::Vec;

use super::aligned::AlignedBuffer;
use super::buffers::Buffers;
use super::descriptor::TensorDescriptor;
use super::{Composite, Error, Item, Tensor};
use crate::composite::Outcome;
use crate::stream::{Event, Payload};
use crate::wire::length;

/// Puts items together from the events of a decoder that watches over composites.
///
/// [`ItemReader`](super::ItemReader) is one with its decoder. Buffers grow with the bytes that arrive.
///
/// ```
/// use hrry::owned::{Assembler, BufferHandle, ElementType, Shape, TensorDescriptor};
/// use hrry::{FixedDecoder, Policy};
///
/// let descriptor = TensorDescriptor::builder(ElementType::UInt8, Shape::new(vec![0])?)
///     .buffer(BufferHandle::cpu(0, 64))
///     .build()?;
/// let stream = descriptor.encode_to_vec()?;
/// // a decoder whose own memory is bounded
/// let mut decoder = FixedDecoder::<256, 64>::new(Policy::STRICT);
/// let (mut assembler, mut items) = (Assembler::new(), Vec::new());
/// let mut chunk = &stream[..];
/// while let Some(event) = decoder.next_event(&mut chunk)? {
///     items.extend(assembler.take(event)?);
/// }
/// decoder.finish()?;
/// assert_eq!(items[0].descriptor(), &descriptor);
/// # Ok::<(), hrry::owned::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Assembler {
    current: Option<Current>,
    /// Composites that are open, outermost first.
    open: Vec<Open>,
}

/// An item whose end has not come.
#[derive(Debug)]
struct Current {
    descriptor: TensorDescriptor,
    buffers: Buffers,
    filling: AlignedBuffer,
}

#[derive(Debug)]
struct Open {
    head: TensorDescriptor,
    members: Vec<Item>,
}

impl Assembler {
    /// Outside every item.
    #[must_use]
    pub const fn new() -> Self {
        Assembler {
            current: None,
            open: Vec::new(),
        }
    }

    /// Takes the next event; an item when it ends one that belongs to no other.
    ///
    /// # Errors
    ///
    /// Where there is no memory for what arrived. The item is lost then.
    pub fn take(&mut self, event: Event<'_, '_>) -> Result<Option<Item>, Error> {
        match event {
            Event::Descriptor(view, _) => {
                let descriptor = TensorDescriptor::from_view(view)?;
                self.current = Some(Current {
                    descriptor,
                    buffers: Buffers::empty(view.buffer_count())?,
                    filling: AlignedBuffer::new(),
                });
                Ok(None)
            }
            Event::Payload(payload) => {
                if let Some(current) = &mut self.current {
                    current.fill(payload)?;
                }
                Ok(None)
            }
            Event::TensorEnd(outcome) => self.end(outcome),
        }
    }

    /// What arrived whole of composites that are still open, as items of their own (COMP-48).
    #[must_use]
    pub fn into_arrived(self) -> Vec<Item> {
        self.open
            .into_iter()
            .flat_map(|open| open.members)
            .collect()
    }

    /// The buffer that is being filled, of the tensor whose end has not come.
    #[cfg(feature = "std")]
    pub(super) fn filling(&mut self) -> Option<&mut AlignedBuffer> {
        let current = self.current.as_mut()?;
        Some(&mut current.filling)
    }

    /// Takes what was filled as buffer `k` of that tensor.
    #[cfg(feature = "std")]
    pub(super) fn filled(&mut self, k: usize) {
        if let Some(current) = &mut self.current {
            current.close(k);
        }
    }

    /// Takes buffer `k` of that tensor as a whole.
    #[cfg(feature = "std")]
    pub(crate) fn put(&mut self, k: usize, bytes: super::Buffer) {
        let current = self.current.as_mut();
        if let Some(buffer) = current.and_then(|current| current.buffers.get_mut(k)) {
            *buffer = bytes;
        }
    }

    fn end(&mut self, outcome: Outcome) -> Result<Option<Item>, Error> {
        let Some(current) = self.current.take() else {
            return Ok(None);
        };
        if current.descriptor.is_head() {
            self.open.try_reserve(1)?;
            self.open.push(Open {
                head: current.descriptor,
                members: Vec::new(),
            });
        } else {
            let tensor = Tensor::with_buffers(current.descriptor, current.buffers)?;
            if let Some(whole) = self.place(tensor.into())? {
                return Ok(Some(whole));
            }
        }
        let Outcome::Closed {
            levels, complete, ..
        } = outcome
        else {
            return Ok(None);
        };
        for _ in 0..levels {
            let Some(Open { head, members }) = self.open.pop() else {
                break;
            };
            let composite = Composite::assembled(head, members, complete);
            if let Some(whole) = self.place(composite.into())? {
                return Ok(Some(whole));
            }
        }
        Ok(None)
    }

    /// Gives an item to the composite around it, or back where there is none.
    fn place(&mut self, item: Item) -> Result<Option<Item>, Error> {
        let Some(around) = self.open.last_mut() else {
            return Ok(Some(item));
        };
        around.members.try_reserve(1)?;
        around.members.push(item);
        Ok(None)
    }
}

impl Current {
    fn fill(&mut self, payload: Payload<'_>) -> Result<(), Error> {
        let k = usize::from(payload.buffer);
        let size = self
            .descriptor
            .view()
            .buffer(k)
            .map_or(0, |handle| handle.byte_size);
        let expected = size.saturating_sub(length(self.filling.len()));
        let expected = usize::try_from(expected).unwrap_or(usize::MAX);
        self.filling.extend_towards(payload.bytes, expected)?;
        if payload.last {
            self.close(k);
        }
        Ok(())
    }

    fn close(&mut self, k: usize) {
        if let Some(buffer) = self.buffers.get_mut(k) {
            *buffer = core::mem::take(&mut self.filling).into();
        }
    }
}
