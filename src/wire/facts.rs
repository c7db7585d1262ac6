//! How long the parts of a descriptor are.

use super::descriptor::{HANDLE, HEADER, SCHEME_HEADER, Section, flag};
use super::length;
use super::tag::{ElementType, LayoutTag, Scheme};

/// Bytes of the fixed sections.
pub(crate) const STATISTICS: usize = 72;
pub(crate) const EXTENSION_TYPE: usize = 20;
pub(crate) const MEMBER: usize = 16;

/// What the lengths of all sections follow from. The one place that knows them: decoder, encoder and
/// [`locate`] ask here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) struct Facts {
    /// Bytes of the layout payload.
    pub(crate) layout_len: u32,
    /// `quantization_length`.
    pub(crate) quantization_len: u32,
    /// Saturated; checked descriptors have at most 64.
    pub(crate) rank: u8,
    /// The defined bits; none where sections cannot be found.
    pub(crate) flags: u8,
    pub(crate) buffers: u8,
    pub(crate) element_type: ElementType,
    pub(crate) layout: LayoutTag,
}

impl Facts {
    /// Of a descriptor that has not arrived.
    pub(crate) const NONE: Facts = Facts {
        layout_len: 0,
        quantization_len: 0,
        rank: 0,
        flags: 0,
        buffers: 0,
        element_type: ElementType(0),
        layout: LayoutTag(0),
    };

    /// Whether the layout has no meaning, so that nothing behind `byte_offset` can be found.
    #[inline]
    pub(crate) fn is_opaque(&self) -> bool {
        !self.layout.is_assigned() && !self.layout.is_private()
    }

    /// Bytes of a section. The tail is not a fact.
    #[inline]
    pub(crate) fn len(&self, section: Section) -> u64 {
        let rank = u64::from(self.rank);
        let when = |flag: u8, len: u64| if self.flags & flag != 0 { len } else { 0 };
        match section {
            Section::Header => length(HEADER),
            Section::Shape => rank.wrapping_mul(8),
            Section::ByteOffset => 8,
            Section::Layout => self.layout_len.into(),
            Section::BufferTable => u64::from(self.buffers)
                .wrapping_mul(length(HANDLE))
                .wrapping_add(1),
            Section::Quantization => {
                let len = u64::from(self.quantization_len).wrapping_add(4);
                when(flag::QUANTIZATION, len)
            }
            Section::Shard => when(flag::SHARD, rank.wrapping_mul(16)),
            Section::Statistics => when(flag::STATISTICS, length(STATISTICS)),
            Section::ExtensionType => when(flag::EXTENSION_TYPE, length(EXTENSION_TYPE)),
            Section::CompositeMember => when(flag::MEMBER, length(MEMBER)),
            Section::Tail => 0,
        }
    }

    /// Where a section starts. It cannot wrap: every length is below 2^36.
    #[inline]
    pub(crate) fn start(&self, section: Section) -> u64 {
        let to = |before: Section| {
            if section > before {
                self.len(before)
            } else {
                0
            }
        };
        // written out, so that it folds where the section is known
        to(Section::Header)
            .wrapping_add(to(Section::Shape))
            .wrapping_add(to(Section::ByteOffset))
            .wrapping_add(to(Section::Layout))
            .wrapping_add(to(Section::BufferTable))
            .wrapping_add(to(Section::Quantization))
            .wrapping_add(to(Section::Shard))
            .wrapping_add(to(Section::Statistics))
            .wrapping_add(to(Section::ExtensionType))
            .wrapping_add(to(Section::CompositeMember))
    }

    /// The handles of a checked descriptor.
    #[inline]
    pub(crate) fn table<'a>(&self, bytes: &'a [u8]) -> &'a [[u8; HANDLE]] {
        // behind the count
        let first = usize::try_from(self.start(Section::BufferTable).wrapping_add(1));
        let first = first.unwrap_or(usize::MAX);
        let len = usize::from(self.buffers).wrapping_mul(HANDLE);
        let bytes = bytes.get(first..first.saturating_add(len));
        bytes.unwrap_or(&[]).as_chunks().0
    }

    /// Bytes of all sections.
    pub(crate) fn total(&self) -> u64 {
        self.start(Section::Tail)
    }
}

/// Facts in two words. A value that is moved about is fast only if it is read in the sizes that it was
/// written in.
#[derive(Clone, Copy)]
pub(crate) struct Packed {
    lengths: u64,
    numbers: u64,
}

impl Packed {
    #[inline]
    pub(crate) fn new(facts: Facts) -> Self {
        let high = u64::from(facts.quantization_len).wrapping_shl(32);
        let layout = facts.layout.0;
        let element = facts.element_type.0;
        let numbers = [
            facts.rank,
            facts.flags,
            facts.buffers,
            element,
            layout,
            0,
            0,
            0,
        ];
        Packed {
            lengths: high | u64::from(facts.layout_len),
            numbers: u64::from_le_bytes(numbers),
        }
    }

    #[inline]
    pub(crate) const fn facts(self) -> Facts {
        let [a, b, c, d, e, f, g, h] = self.lengths.to_le_bytes();
        let [rank, flags, buffers, element, layout, ..] = self.numbers.to_le_bytes();
        Facts {
            layout_len: u32::from_le_bytes([a, b, c, d]),
            quantization_len: u32::from_le_bytes([e, f, g, h]),
            rank,
            flags,
            buffers,
            element_type: ElementType(element),
            layout: LayoutTag(layout),
        }
    }
}

/// Bytes of the payload of a layout whose size follows from the rank alone.
#[inline]
pub(crate) const fn layout_len(layout: LayoutTag, rank: u32) -> Option<u32> {
    Some(match layout {
        LayoutTag::RowMajor | LayoutTag::ColumnMajor => 0,
        LayoutTag::Strided => rank.wrapping_mul(8),
        LayoutTag::Morton => rank.wrapping_mul(4),
        LayoutTag::Coo | LayoutTag::Csr | LayoutTag::Csc => 16,
        LayoutTag::Csf => rank.wrapping_mul(4).wrapping_add(16),
        LayoutTag::BlockPaged => 32,
        LayoutTag::Composite | LayoutTag::Hilbert => 8,
        _ => return None,
    })
}

/// Bytes of one level of a tiled layout.
pub(crate) const fn tile_level_len(rank: u32, outer: LayoutTag, inner: LayoutTag) -> u32 {
    let mut arrays = 1u32;
    if outer.0 == LayoutTag::Strided.0 {
        arrays = arrays.wrapping_add(1);
    }
    if inner.0 == LayoutTag::Strided.0 {
        arrays = arrays.wrapping_add(1);
    }
    rank.wrapping_mul(8).wrapping_mul(arrays).wrapping_add(4)
}

/// Bytes of the payload of an assigned scheme; of any other, the part that is the same for all.
pub(crate) const fn scheme_len(scheme: Scheme) -> u32 {
    match scheme {
        Scheme::PerTensorAffine | Scheme::Nf4 | Scheme::Mxfp => 16,
        Scheme::PerChannelAffine => 20,
        Scheme::PerBlockAffine => 24,
        _ => SCHEME_HEADER,
    }
}
