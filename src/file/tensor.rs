//! One tensor of a container: its descriptor, and where its buffers lie.

use core::ops::Range;

use super::entry::Entry;
use super::sections::Sections;
use super::spot::{require, require_within};
use crate::check::Judge;
use crate::descriptor::DescriptorView;
use crate::descriptor::decode::{parse_at, stated_length, wrong_magic};
use crate::error::{Error, Field};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::container::align_up;

/// Where the buffers of a tensor lie: each at the next multiple of the file's alignment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    alignment: u32,
    next: u64,
}

impl Placement {
    /// The first buffer starts at `start`.
    pub(super) const fn new(start: u64, alignment: u32) -> Self {
        Placement {
            alignment,
            next: start,
        }
    }

    /// The place of the next buffer, which has so many bytes; none beyond the last position.
    #[inline]
    pub(super) fn place(&mut self, size: u64) -> Option<Range<u64>> {
        let start = self.next;
        let end = start.checked_add(size)?;
        // behind the last buffer nothing need fit
        self.next = align_up(end, self.alignment.into()).unwrap_or(u64::MAX);
        Some(start..end)
    }
}

/// Where buffer `k` of a tensor lies, if it has one and any file can hold it.
fn place_of(
    entry: &Entry<'_>,
    descriptor: &DescriptorView<'_>,
    alignment: u32,
    k: usize,
) -> Option<Range<u64>> {
    let mut placement = Placement::new(entry.data_offset, alignment);
    let mut place = None;
    for j in 0..=k {
        place = Some(placement.place(descriptor.buffer(j)?.byte_size)?);
    }
    place
}

/// A tensor in a container that is in memory.
///
/// Two slices and a few numbers; buffers are found when asked for.
#[derive(Clone, Copy, Debug)]
pub struct TensorView<'a> {
    entry: Entry<'a>,
    descriptor: DescriptorView<'a>,
    file: &'a [u8],
    alignment: u32,
}

impl<'a> TensorView<'a> {
    pub(super) const fn new(
        entry: Entry<'a>,
        descriptor: DescriptorView<'a>,
        file: &'a [u8],
        alignment: u32,
    ) -> Self {
        TensorView {
            entry,
            descriptor,
            file,
            alignment,
        }
    }

    /// What the index says of it.
    #[must_use]
    pub const fn entry(&self) -> &Entry<'a> {
        &self.entry
    }

    /// Its descriptor.
    #[must_use]
    pub const fn descriptor(&self) -> &DescriptorView<'a> {
        &self.descriptor
    }

    /// The bytes of buffer `k`; none past the last one.
    #[must_use]
    pub fn buffer(&self, k: usize) -> Option<&'a [u8]> {
        let place = place_of(&self.entry, &self.descriptor, self.alignment, k)?;
        let start = usize::try_from(place.start).ok()?;
        self.file.get(start..usize::try_from(place.end).ok()?)
    }

    /// The bytes of all buffers, in the order of the buffer table.
    pub fn buffers(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let tensor = *self;
        (0..self.descriptor.buffer_count()).map_while(move |k| tensor.buffer(k))
    }
}

/// Reads the descriptor of an entry from the front of `bytes`.
pub(super) fn read_descriptor<'a>(
    bytes: &'a [u8],
    entry: &Entry<'_>,
    policy: &Policy,
) -> Result<DescriptorView<'a>, Error> {
    let stated = stated_length(bytes);
    if wrong_magic(bytes).is_none() && stated != entry.descriptor_length {
        return Err(entry
            .spot(Field::EntryDescriptorLength)
            .error(Rule::EntryLength));
    }
    let (descriptor, _) = parse_at(bytes, entry.descriptor_offset, policy)?;
    Ok(descriptor)
}

/// Checks what the index says of a tensor's data against its descriptor.
pub(super) fn check_data<J: Judge>(
    entry: &Entry<'_>,
    descriptor: &DescriptorView<'_>,
    sections: &Sections,
    judge: &mut J,
) -> Result<(), Error> {
    let mut needed = 0;
    if let Some(last) = descriptor.buffer_count().checked_sub(1) {
        let alignment = sections.header.data_buffer_alignment;
        let aligned = entry.data_offset.is_multiple_of(alignment.into());
        let at = entry.spot(Field::DataOffset);
        require(judge, aligned, Rule::DataPlace, at)?;
        let end = place_of(entry, descriptor, alignment, last).map_or(u64::MAX, |place| place.end);
        let behind = entry.data_offset >= entry.descriptor_end();
        entry.require_data(behind && sections.holds(entry.data_offset, end))?;
        needed = end.saturating_sub(entry.data_offset);
    }
    let at = entry.spot(Field::DataLength);
    let (holds, tolerable) = (entry.data_length == needed, entry.data_length >= needed);
    require_within(judge, holds, tolerable, Rule::DataLength, at)
}
