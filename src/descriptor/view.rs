//! A borrowed descriptor that reads its fields when asked.

use core::ops::Range;

use super::{decode, parts};
use crate::check::Teller;
use crate::error::{Error, Field, Violation};
use crate::model::{
    Array, BufferHandle, ExtensionType, Fields, Layout, Quantization, Shard, Statistics, U64s,
};
use crate::policy::Policy;
use crate::wire::descriptor::{
    Facts, HEADER, Section, flag, locate, offset, section as section_of,
};
use crate::wire::tag::{ElementType, LayoutTag, MemberRole};
use crate::wire::{index, length32, record, u8, u32, u64};

/// A checked descriptor, borrowed from its bytes.
///
/// Only a decoder makes one, so every view has passed all rules of its policy. It is two words and a
/// few numbers; fields are read from the bytes on each call, at any alignment.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, DescriptorView, ElementType, Layout, Policy, encode};
/// use hrry::Fields;
///
/// let buffers = [BufferHandle::cpu(48, 64)];
/// let spec = DescriptorSpec::new(ElementType::Float32, &[3, 4], Layout::RowMajor, &buffers);
/// let mut bytes = [0; 64];
/// let len = encode(&spec, &mut bytes, &Policy::STRICT).unwrap();
///
/// let (view, rest) = DescriptorView::parse(&bytes[..len], &Policy::STRICT).unwrap();
/// assert!(rest.is_empty());
/// assert_eq!(view.shape().iter().collect::<Vec<_>>(), [3, 4]);
/// assert_eq!(view.buffer(0).unwrap().byte_size, 48);
/// ```
#[derive(Clone, Copy)]
pub struct DescriptorView<'a> {
    bytes: &'a [u8],
    origin: u64,
    facts: Facts,
}

impl<'a> DescriptorView<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8], facts: Facts, origin: u64) -> Self {
        DescriptorView {
            bytes,
            origin,
            facts,
        }
    }

    /// What the lengths of its parts follow from.
    #[inline]
    pub(crate) const fn facts(&self) -> Facts {
        self.facts
    }

    /// Reads one descriptor from the front of `bytes` and returns what follows it.
    ///
    /// # Errors
    ///
    /// The first broken rule of the families DESC, VER, TYPE, LAYOUT, BUF, QUANT, SHARD, STAT, EXT,
    /// MEMBER and COMP (head rules), with its byte offset; DESC-06 where `bytes` end early; a capacity
    /// error above the policy's `max_descriptor`.
    pub fn parse(bytes: &'a [u8], policy: &Policy) -> Result<(Self, &'a [u8]), Error> {
        decode::parse_at(bytes, 0, policy)
    }

    /// The whole descriptor.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// `version_minor`.
    #[must_use]
    pub fn version_minor(&self) -> u8 {
        u8(self.bytes, offset(Field::VersionMinor))
    }

    /// `flags`: which optional sections there are.
    #[must_use]
    pub fn flags(&self) -> u32 {
        u32(self.bytes, offset(Field::Flags))
    }

    /// `type_tag`.
    #[must_use]
    #[inline]
    pub const fn element_type(&self) -> ElementType {
        self.facts.element_type()
    }

    /// `layout_tag`.
    #[must_use]
    #[inline]
    pub const fn layout_tag(&self) -> LayoutTag {
        self.facts.layout()
    }

    /// Number of dimensions, 0 to 64.
    #[must_use]
    #[inline]
    pub fn rank(&self) -> u32 {
        self.facts.rank().into()
    }

    /// The dimensions; `u64::MAX` is dynamic.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> U64s<'a> {
        Array::Le(self.slice(HEADER, self.array(8)))
    }

    /// Bytes from the start of buffer 0 to the first element.
    #[must_use]
    #[inline]
    pub fn byte_offset(&self) -> u64 {
        u64(self.bytes, HEADER.wrapping_add(self.array(8)))
    }

    /// How many buffers there are.
    #[must_use]
    #[inline]
    pub fn buffer_count(&self) -> usize {
        self.facts.buffers().into()
    }

    /// The buffer at `index`, if it exists.
    #[must_use]
    #[inline]
    pub fn buffer(&self, index: usize) -> Option<BufferHandle> {
        self.facts.table(self.bytes).get(index).map(parts::buffer)
    }

    /// How elements are placed.
    #[must_use]
    pub fn layout(&self) -> Layout<'a> {
        let start = HEADER.wrapping_add(self.array(8)).wrapping_add(8);
        let payload = self.slice(start, index(self.facts.layout_len()));
        parts::layout(self.layout_tag(), self.rank(), payload)
    }

    /// The quantization scheme, if there is one.
    #[must_use]
    pub fn quantization(&self) -> Option<Quantization<'a>> {
        parts::quantization(self.section(flag::QUANTIZATION, Section::Quantization)?)
    }

    /// `quantization_length`, padding included; 0 without a quantization section.
    #[must_use]
    pub const fn quantization_length(&self) -> u32 {
        self.facts.quantization_len()
    }

    /// The place in a larger tensor, if it has one.
    #[must_use]
    pub fn shard(&self) -> Option<Shard<'a>> {
        let section = self.section(flag::SHARD, Section::Shard)?;
        Some(parts::shard(section))
    }

    /// Facts about the values, if they are stated.
    #[must_use]
    pub fn statistics(&self) -> Option<Statistics> {
        let section = self.section(flag::STATISTICS, Section::Statistics)?;
        Some(parts::statistics(record(section, 0)))
    }

    /// What the private element type is, if it is one.
    #[must_use]
    pub fn extension_type(&self) -> Option<ExtensionType> {
        let section = self.section(flag::EXTENSION_TYPE, Section::ExtensionType)?;
        Some(parts::extension_type(record(section, 0)))
    }

    /// What the tensor is to its overlay, if it is a member of one.
    #[must_use]
    pub fn member_role(&self) -> Option<MemberRole> {
        let section = self.section(flag::MEMBER, Section::CompositeMember)?;
        Some(parts::member_role(record(section, 0)))
    }

    /// Bytes behind the last known section; only a later minor version, or permissive mode, has any.
    #[must_use]
    pub fn tail(&self) -> &'a [u8] {
        if self.is_opaque() {
            return &[];
        }
        let start = usize::try_from(self.facts.total()).unwrap_or(usize::MAX);
        self.bytes.get(start..).unwrap_or(&[])
    }

    /// Whether the layout tag has no meaning (LAYOUT-02, permissive mode): nothing behind
    /// `byte_offset` is known, the buffers included.
    #[must_use]
    #[inline]
    pub fn is_opaque(&self) -> bool {
        self.facts.is_opaque()
    }

    /// The sections that are there and their bytes.
    pub fn sections(&self) -> impl Iterator<Item = (Section, Range<u32>)> + 'a {
        let facts = self.facts;
        let len = length32(self.bytes.len());
        let opaque = self.is_opaque();
        Section::ALL.into_iter().filter_map(move |section| {
            let start = u32::try_from(facts.start(section)).ok()?;
            let end = match section {
                _ if opaque && section > Section::ByteOffset => return None,
                Section::Tail => len,
                _ => start.checked_add(u32::try_from(facts.len(section)).ok()?)?,
            };
            (end > start).then_some((section, start..end))
        })
    }

    /// The bytes of an element of a field, relative to the descriptor; none where it is not there.
    ///
    /// `index` counts as in [`Violation::index`].
    #[must_use]
    pub fn locate(&self, field: Field, index: usize) -> Option<Range<u32>> {
        let element = u32::try_from(index).ok()?;
        let range = locate(self.bytes, &self.facts, field, element);
        self.sections()
            .find(|(section, _)| section_of(field) == *section)
            .filter(|(_, bytes)| bytes.start <= range.start && range.end <= bytes.end)
            .map(|_| range)
    }

    /// Tells of every rule that the bytes break and the policy's mode lets pass.
    pub fn relaxed(&self, policy: &Policy, mut flag: impl FnMut(Violation)) {
        // it was accepted under a policy, so what another one refuses ends the list and no more
        let mut judge = Teller {
            policy,
            relaxed: &mut flag,
        };
        let _ = decode::decode(self.bytes, &mut judge, &mut { Facts::NONE });
    }

    /// Checks the descriptor against another policy than the one it was read with.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), but for capacities.
    pub fn check(&self, mut policy: &Policy) -> Result<(), Violation> {
        Ok(decode::decode(self.bytes, &mut policy, &mut {
            Facts::NONE
        })?)
    }

    /// Bytes of an array with one number for each dimension.
    #[inline]
    fn array(&self, width: usize) -> usize {
        usize::from(self.facts.rank()).wrapping_mul(width)
    }

    #[inline]
    fn slice(&self, start: usize, len: usize) -> &'a [u8] {
        self.bytes
            .get(start..start.wrapping_add(len))
            .unwrap_or(&[])
    }

    /// An optional section, if it is there.
    #[inline]
    fn section(&self, flag: u8, section: Section) -> Option<&'a [u8]> {
        let facts = self.facts;
        if facts.flags() & flag == 0 {
            return None;
        }
        let start = usize::try_from(facts.start(section)).ok()?;
        let len = usize::try_from(facts.len(section)).ok()?;
        Some(self.slice(start, len))
    }
}

impl Fields for DescriptorView<'_> {
    #[inline]
    fn element_type(&self) -> ElementType {
        self.element_type()
    }

    #[inline]
    fn shape(&self) -> U64s<'_> {
        self.shape()
    }

    #[inline]
    fn byte_offset(&self) -> u64 {
        self.byte_offset()
    }

    #[inline]
    fn layout(&self) -> Layout<'_> {
        self.layout()
    }

    #[inline]
    fn buffer_count(&self) -> usize {
        self.buffer_count()
    }

    #[inline]
    fn buffer(&self, index: usize) -> Option<BufferHandle> {
        self.buffer(index)
    }

    #[inline]
    fn quantization(&self) -> Option<Quantization<'_>> {
        self.quantization()
    }

    #[inline]
    fn shard(&self) -> Option<Shard<'_>> {
        self.shard()
    }

    #[inline]
    fn statistics(&self) -> Option<Statistics> {
        self.statistics()
    }

    #[inline]
    fn extension_type(&self) -> Option<ExtensionType> {
        self.extension_type()
    }

    #[inline]
    fn member_role(&self) -> Option<MemberRole> {
        self.member_role()
    }

    #[inline]
    fn origin(&self) -> u64 {
        self.origin
    }
}

impl core::fmt::Debug for DescriptorView<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("DescriptorView")
            .field("element_type", &self.element_type())
            .field("shape", &self.shape())
            .field("layout", &self.layout())
            .field("buffers", &self.buffer_count())
            .field("flags", &self.flags())
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for DescriptorView<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(
            f,
            "DescriptorView {{ {}, {}, {} buffers }}",
            self.element_type(),
            self.layout(),
            self.buffer_count()
        );
    }
}
