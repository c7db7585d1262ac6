//! From the tensors of a container to items.

use std::vec::Vec;

use crate::composite::{CompositeValidator, Cover};
use crate::error::Error;
use crate::file::{Entry, RangeReader};
use crate::owned::{Assembler, Item};
use crate::policy::Policy;
use crate::stream::Event;

use super::{IoError, Source};

/// Puts items together from tensors that come in the order of their places.
pub(super) struct Gatherer<'r, R, C> {
    reader: RangeReader<'r, &'r mut R>,
    composites: CompositeValidator<C, Vec<u64>>,
    items: Assembler,
    /// Room for a descriptor.
    bytes: Vec<u8>,
}

impl<'r, R: Source, C: Cover> Gatherer<'r, R, C> {
    /// Outside every item.
    pub(super) fn new(reader: RangeReader<'r, &'r mut R>, cover: C, policy: Policy) -> Self {
        Gatherer {
            reader,
            composites: CompositeValidator::with_arena(cover, Vec::new(), policy),
            items: Assembler::new(),
            bytes: Vec::new(),
        }
    }

    /// Takes the next tensor; an item when it ends one that belongs to no other.
    pub(super) fn take(&mut self, entry: &Entry<'_>) -> Result<Option<Item>, IoError> {
        grow(&mut self.bytes, entry.storage_len())?;
        let tensor = self.reader.tensor(entry, &mut self.bytes)?;
        let view = *tensor.descriptor();
        let begins = self.composites.begin(&view);
        let begins = begins.map_err(|error| error.placed(Some(&view)))?;
        self.items.take(Event::Descriptor(view, begins))?;
        for k in 0..view.buffer_count() {
            let place = tensor.place(k).unwrap_or_default();
            if !place.is_empty() {
                let bytes = self.reader.source_mut().buffer(place)?;
                self.items.put(k, bytes);
            }
        }
        let ends = self.composites.end();
        let ends = ends.map_err(|error| error.placed(Some(&view)))?;
        Ok(self.items.take(Event::TensorEnd(ends))?)
    }

    /// Tells whether the tensors may end here.
    pub(super) fn finish(&self) -> Result<(), Error> {
        let end = self.reader.region_end();
        let finished = self.composites.finish();
        finished.map_err(|error| Error::new(error.kind, end))
    }
}

/// Makes room of at least `len` elements.
pub(super) fn grow<T: Clone + Default>(room: &mut Vec<T>, len: usize) -> Result<(), IoError> {
    if len > room.len() {
        room.try_reserve(len.saturating_sub(room.len()))?;
        room.resize(len, T::default());
    }
    Ok(())
}
