//! One tensor of a container: its descriptor, and where its buffers lie.

use core::ops::Range;

use super::directory::FileDirectory;
use super::entry::{Entry, require_data};
use super::sections::Sections;
use crate::check::{Judge, Teller};
use crate::descriptor::DescriptorView;
use crate::descriptor::decode::{parse_at, stated_length, wrong_magic};
use crate::error::{Error, Field, Violation};
use crate::model::Fields;
use crate::policy::Policy;
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

/// Where the buffers of a tensor end whose first one starts at `start`; it saturates.
pub(super) fn data_end(descriptor: &DescriptorView<'_>, start: u64, alignment: u32) -> u64 {
    let last = descriptor.buffer_count().checked_sub(1);
    let place = last.map(|last| place_of(descriptor, start, alignment, last));
    place.map_or(start, |place| place.map_or(u64::MAX, |place| place.end))
}

/// Where buffer `k` of a tensor lies whose data starts at an absolute offset, if it has one and any file
/// can hold it.
pub(super) fn place_of<F: Fields + ?Sized>(
    d: &F,
    data_offset: u64,
    alignment: u32,
    k: usize,
) -> Option<Range<u64>> {
    let mut placement = Placement::new(data_offset, alignment);
    let mut place = None;
    for j in 0..=k {
        place = Some(placement.place(d.buffer(j)?.byte_size)?);
    }
    place
}

/// A tensor of a container: its entry, its descriptor, and where its buffers are in the file.
#[derive(Clone, Copy, Debug)]
pub struct FileTensor<'a> {
    entry: Entry<'a>,
    descriptor: DescriptorView<'a>,
    alignment: u32,
}

impl<'a> FileTensor<'a> {
    /// Reads the descriptor of an entry from the front of `bytes`, and checks index and descriptor against
    /// each other.
    pub(super) fn read(
        bytes: &'a [u8],
        entry: &Entry<'a>,
        sections: &Sections,
        policy: &Policy,
    ) -> Result<Self, Error> {
        let stated = stated_length(bytes);
        if wrong_magic(bytes).is_none() {
            entry.require_descriptor(stated.into())?;
        }
        let (descriptor, _) = parse_at(bytes, entry.descriptor_offset, policy)?;
        let tensor = FileTensor {
            entry: *entry,
            descriptor,
            alignment: sections.header.data_buffer_alignment,
        };
        tensor.check_data(sections, &mut { policy })?;
        Ok(tensor)
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

    /// Where buffer `k` is in the file; none past the last one.
    #[must_use]
    pub fn place(&self, k: usize) -> Option<Range<u64>> {
        let start = self.entry.data_offset;
        place_of(&self.descriptor, start, self.alignment, k)
    }

    /// Tells of every rule that its entry breaks against its descriptor and the policy's mode lets pass; of the
    /// descriptor itself, [`DescriptorView::relaxed`] tells.
    pub fn relaxed(
        &self,
        directory: &FileDirectory<'_>,
        policy: &Policy,
        mut flag: impl FnMut(Violation),
    ) {
        // it was accepted under a policy, so what another one refuses ends the list and no more
        let mut judge = Teller {
            policy,
            relaxed: &mut flag,
        };
        let _ = self.check_data(directory.sections(), &mut judge);
    }

    /// Checks what the index says of the data against the descriptor.
    fn check_data<J: Judge>(&self, sections: &Sections, judge: &mut J) -> Result<(), Error> {
        let entry = &self.entry;
        let mut needed = 0;
        if self.descriptor.buffer_count() > 0 {
            let aligned = entry.data_offset.is_multiple_of(self.alignment.into());
            entry.require_start(judge, aligned, true)?;
            let end = data_end(&self.descriptor, entry.data_offset, self.alignment);
            let behind = entry.data_offset >= entry.descriptor_end();
            let inside = behind && sections.holds(entry.data_offset, end);
            require_data(inside, entry.spot(Field::DataOffset))?;
            needed = end.saturating_sub(entry.data_offset);
        }
        entry.require_length(judge, needed)
    }
}

/// A tensor of a container that is in memory.
#[derive(Clone, Copy, Debug)]
pub struct TensorView<'a> {
    tensor: FileTensor<'a>,
    file: &'a [u8],
}

impl<'a> TensorView<'a> {
    pub(super) const fn new(tensor: FileTensor<'a>, file: &'a [u8]) -> Self {
        TensorView { tensor, file }
    }

    /// What the index says of it.
    #[must_use]
    pub const fn entry(&self) -> &Entry<'a> {
        self.tensor.entry()
    }

    /// Its descriptor.
    #[must_use]
    pub const fn descriptor(&self) -> &DescriptorView<'a> {
        self.tensor.descriptor()
    }

    /// The bytes of buffer `k`; none past the last one.
    #[must_use]
    pub fn buffer(&self, k: usize) -> Option<&'a [u8]> {
        Some(slice(self.file, self.tensor.place(k)?))
    }

    /// The bytes of all buffers, in the order of the buffer table.
    pub fn buffers(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let tensor = *self;
        (0..self.descriptor().buffer_count()).map_while(move |k| tensor.buffer(k))
    }
}

/// Bytes of a file; none where it has no such place.
pub(super) fn slice(file: &[u8], place: Range<u64>) -> &[u8] {
    let (start, end) = (usize::try_from(place.start), usize::try_from(place.end));
    let place = start.ok().zip(end.ok());
    let bytes = place.and_then(|(start, end)| file.get(start..end));
    bytes.unwrap_or_default()
}
