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
///
/// Two words: a value that is moved about is fast only if it is read in the sizes that it was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) struct Facts {
    /// Bytes of the layout payload, and `quantization_length` above.
    lengths: u64,
    /// From the lowest byte up: rank, flags, buffers, element type, layout.
    numbers: u64,
}

impl Facts {
    /// Of a descriptor that has not arrived.
    pub(crate) const NONE: Facts = Facts {
        lengths: 0,
        numbers: 0,
    };

    /// What the header says.
    ///
    /// The rank saturates; checked descriptors have at most 64 dimensions. `flags` are the defined bits,
    /// and none where sections cannot be found.
    #[inline]
    pub(crate) fn new(rank: u8, flags: u8, element_type: ElementType, layout: LayoutTag) -> Self {
        Facts {
            lengths: 0,
            numbers: u64::from_le_bytes([rank, flags, 0, element_type.0, layout.0, 0, 0, 0]),
        }
    }

    /// Takes in the length of the layout payload.
    #[inline]
    pub(crate) fn set_layout_len(&mut self, len: u32) {
        let high = u64::from(self.quantization_len()).wrapping_shl(32);
        self.lengths = high | u64::from(len);
    }

    /// Takes in `quantization_length`.
    #[inline]
    pub(crate) fn set_quantization_len(&mut self, len: u32) {
        self.lengths = u64::from(len).wrapping_shl(32) | u64::from(self.layout_len());
    }

    /// Takes in `buffer_count`.
    #[inline]
    pub(crate) fn set_buffers(&mut self, count: u8) {
        let others = self.numbers & !0xFF_0000;
        self.numbers = others | u64::from(count).wrapping_shl(16);
    }

    #[inline]
    pub(crate) const fn layout_len(&self) -> u32 {
        let [a, b, c, d, ..] = self.lengths.to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    #[inline]
    pub(crate) const fn quantization_len(&self) -> u32 {
        let [.., a, b, c, d] = self.lengths.to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    #[inline]
    pub(crate) const fn rank(&self) -> u8 {
        let [rank, ..] = self.numbers.to_le_bytes();
        rank
    }

    #[inline]
    pub(crate) const fn flags(&self) -> u8 {
        let [_, flags, ..] = self.numbers.to_le_bytes();
        flags
    }

    #[inline]
    pub(crate) const fn buffers(&self) -> u8 {
        let [_, _, buffers, ..] = self.numbers.to_le_bytes();
        buffers
    }

    #[inline]
    pub(crate) const fn element_type(&self) -> ElementType {
        let [_, _, _, element_type, ..] = self.numbers.to_le_bytes();
        ElementType(element_type)
    }

    #[inline]
    pub(crate) const fn layout(&self) -> LayoutTag {
        let [_, _, _, _, layout, ..] = self.numbers.to_le_bytes();
        LayoutTag(layout)
    }

    /// Whether the layout has no meaning, so that nothing behind `byte_offset` can be found.
    #[inline]
    pub(crate) fn is_opaque(&self) -> bool {
        !self.layout().is_assigned() && !self.layout().is_private()
    }

    /// Bytes of a section. The tail is not a fact.
    #[inline]
    pub(crate) fn len(&self, section: Section) -> u64 {
        let rank = u64::from(self.rank());
        let when = |flag: u8, len: u64| if self.flags() & flag != 0 { len } else { 0 };
        match section {
            Section::Header => length(HEADER),
            Section::Shape => rank.wrapping_mul(8),
            Section::ByteOffset => 8,
            Section::Layout => self.layout_len().into(),
            Section::BufferTable => u64::from(self.buffers())
                .wrapping_mul(length(HANDLE))
                .wrapping_add(1),
            Section::Quantization => {
                let len = u64::from(self.quantization_len()).wrapping_add(4);
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
        let len = usize::from(self.buffers()).wrapping_mul(HANDLE);
        let bytes = bytes.get(first..first.saturating_add(len));
        bytes.unwrap_or(&[]).as_chunks().0
    }

    /// Bytes of all sections.
    pub(crate) fn total(&self) -> u64 {
        self.start(Section::Tail)
    }
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
