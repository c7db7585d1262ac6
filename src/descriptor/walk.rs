//! The fields of a descriptor one after the other, also where the bytes break a rule.
//!
//! Depends on the wire level and the decoder's lengths. Guarantees that fields come in wire order and
//! that no byte past `descriptor_length` is named. Judges nothing: it ends where no place is known any
//! more.

use core::ops::Range;

use super::decode::{facts, stated_length, wrong_magic};
use crate::error::Field;
use crate::wire::descriptor::{
    Facts, HEADER, LENGTH_KNOWN, MAX_RANK, MAX_TILE_LEVELS, Section, VERSION_MAJOR, locate, offset,
    repeats, section,
};
use crate::wire::tag::{LayoutTag, Scheme};
use crate::wire::{index, length32, u8, u32};

/// One element of a field and the bytes it has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct FieldSpan {
    /// The part of the descriptor.
    pub section: Section,
    /// The field.
    pub field: Field,
    /// Which element, counted as in [`Violation::index`](crate::Violation::index).
    pub index: u32,
    /// Its bytes, relative to the descriptor.
    pub range: Range<u32>,
    /// How many bytes too early the descriptor or the section ends; above 0 in the last span only.
    pub missing: u32,
}

/// Walks over the fields of a descriptor that need not be valid, for inspectors and bug reports.
///
/// It ends early behind a wrong magic, an unknown version or layout, a rank above 64, too many levels of
/// tiles, and a field that is cut. Bytes without a field, the padding of a quantization section for one, are passed
/// over: two spans need not touch.
///
/// ```
/// use hrry::{Field, FieldWalk};
/// // a descriptor that ends inside its flags
/// let mut walk = FieldWalk::new(b"HRRY\x01\x00\x3d\x00\x00\x00\x02\x00");
/// assert_eq!(walk.next().unwrap().range, 0..4);
/// let flags = walk.last().unwrap();
/// assert_eq!((flags.field, flags.range, flags.missing), (Field::Flags, 10..12, 2));
/// ```
#[derive(Clone, Debug)]
pub struct FieldWalk<'a> {
    bytes: &'a [u8],
    facts: Facts,
    /// The place in [`Field::ALL`].
    next: u8,
    /// The handle or the level of tiles.
    group: u32,
    /// The element of the field in its group.
    element: u32,
    ended: bool,
}

impl<'a> FieldWalk<'a> {
    /// Starts at the magic, which is `bytes[0]`. Bytes behind the descriptor do not matter.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        let known = bytes.len() >= LENGTH_KNOWN;
        let stated = if known {
            index(stated_length(bytes)).max(HEADER)
        } else {
            HEADER
        };
        let bytes = bytes.get(..stated).unwrap_or(bytes);
        FieldWalk {
            bytes,
            facts: facts(bytes),
            next: 0,
            group: 0,
            element: 0,
            ended: false,
        }
    }

    fn layout(&self) -> LayoutTag {
        LayoutTag(u8(self.bytes, offset(Field::LayoutTag)))
    }

    /// The value of a field of one byte, for an element of it.
    fn byte(&self, field: Field, element: u32) -> u8 {
        let range = locate(self.bytes, &self.facts, field, element);
        u8(self.bytes, index(range.start))
    }

    fn tile_level(&self, field: Field) -> LayoutTag {
        LayoutTag(self.byte(field, self.group))
    }

    /// Elements of the field in the group; 0 where the descriptor has no such field.
    fn elements(&self, field: Field) -> u32 {
        let section = section(field);
        let there = match section {
            Section::Layout => self.in_layout(field),
            Section::BufferTable => {
                field == Field::BufferCount || self.group < self.facts.buffers().into()
            }
            Section::Quantization => self.facts.len(section) > 0 && self.in_scheme(field),
            Section::Tail => {
                let rest = u64::from(length32(self.bytes.len())) > self.facts.total();
                field == Field::Tail && rest
            }
            _ => self.facts.len(section) > 0,
        };
        match there {
            false => 0,
            true if repeats(field) && section != Section::BufferTable => self.facts.rank().into(),
            true => 1,
        }
    }

    fn in_layout(&self, field: Field) -> bool {
        use LayoutTag as L;
        let layout = self.layout();
        match field {
            Field::Strides => layout == L::Strided,
            Field::OuterStrides => {
                layout == L::Tiled && self.tile_level(Field::OuterLayout) == L::Strided
            }
            Field::InnerStrides => {
                layout == L::Tiled && self.tile_level(Field::InnerLayout) == L::Strided
            }
            Field::TileShape | Field::OuterLayout | Field::InnerLayout | Field::TileReserved => {
                layout == L::Tiled
            }
            Field::MortonBits => layout == L::Morton,
            Field::Nnz => matches!(layout, L::Coo | L::Csr | L::Csc | L::Csf),
            Field::IsSorted | Field::CooReserved => layout == L::Coo,
            Field::CompressedReserved => matches!(layout, L::Csr | L::Csc),
            Field::ModeOrder | Field::CsfReserved => layout == L::Csf,
            Field::CompositionRule
            | Field::CombineOp
            | Field::HeadReserved
            | Field::MemberCount => layout == L::Composite,
            Field::HilbertOrder | Field::HilbertRank => layout == L::Hilbert,
            Field::ExtensionLayoutId | Field::ExtensionDataLength | Field::ExtensionData => {
                layout.is_private()
            }
            _ => layout == L::BlockPaged,
        }
    }

    fn in_scheme(&self, field: Field) -> bool {
        use Scheme as S;
        let scheme = S(self.byte(Field::SchemeTag, 0));
        match field {
            Field::Scale | Field::ZeroPoint | Field::PerTensorReserved => {
                scheme == S::PerTensorAffine
            }
            Field::Axis | Field::ScaleBufferIndex => {
                scheme.is_assigned() && scheme != S::PerTensorAffine
            }
            Field::BlockSize => matches!(scheme, S::PerBlockAffine | S::Nf4 | S::Mxfp),
            Field::ZeroPointBufferIndex | Field::ScaleTypeTag | Field::ScaleTypeReserved => {
                matches!(scheme, S::PerChannelAffine | S::PerBlockAffine)
            }
            _ => true,
        }
    }

    fn span(&self, field: Field) -> FieldSpan {
        let section = section(field);
        let level = self.group.wrapping_mul(self.facts.rank().into());
        let element = match repeats(field) && section == Section::Layout {
            true => level.wrapping_add(self.element),
            false => self.group.wrapping_add(self.element),
        };
        let range = locate(self.bytes, &self.facts, field, element);
        let mut limit = length32(self.bytes.len());
        if section == Section::Quantization {
            let start = self.facts.start(section);
            let end = start.wrapping_add(self.facts.len(section));
            limit = limit.min(u32::try_from(end).unwrap_or(u32::MAX));
        }
        FieldSpan {
            section,
            field,
            index: element,
            range: range.start.min(limit)..range.end.min(limit),
            missing: range.end.saturating_sub(limit),
        }
    }

    /// Whether no place behind the field is known.
    fn ends_with(&self, span: &FieldSpan) -> bool {
        let layout = self.layout();
        let unknown = match span.field {
            Field::Magic => wrong_magic(self.bytes).is_some(),
            Field::VersionMajor => self.byte(Field::VersionMajor, 0) != VERSION_MAJOR,
            Field::Rank => u32::from(self.facts.rank()) > MAX_RANK,
            Field::ByteOffset => !layout.is_assigned() && !layout.is_private(),
            _ => false,
        };
        unknown || span.missing > 0
    }

    /// Takes in what a count announces, whether or not that is there.
    fn learn(&mut self, span: &FieldSpan) {
        let at = index(span.range.start);
        match span.field {
            Field::BufferCount => self.facts.set_buffers(u8(self.bytes, at)),
            Field::QuantizationLength => self.facts.set_quantization_len(u32(self.bytes, at)),
            _ => {}
        }
    }

    /// Turns to the field behind `field`; the last of a group leads back to the first.
    fn advance(&mut self, field: Field) {
        self.element = 0;
        let group = self.group.wrapping_add(1);
        let tiled = self.in_layout(Field::TileShape);
        let again = match field {
            Field::HandleReserved if group < self.facts.buffers().into() => Some(Field::ByteSize),
            Field::InnerStrides
                if tiled && self.tile_level(Field::InnerLayout) == LayoutTag::Tiled =>
            {
                self.ended = group >= MAX_TILE_LEVELS;
                Some(Field::TileShape)
            }
            _ => None,
        };
        let last = matches!(field, Field::HandleReserved | Field::InnerStrides);
        match again {
            Some(first) => (self.next, self.group) = (first.number(), group),
            None => {
                self.next = field.number().wrapping_add(1);
                self.group = if last { 0 } else { self.group };
            }
        }
    }
}

impl Iterator for FieldWalk<'_> {
    type Item = FieldSpan;

    fn next(&mut self) -> Option<FieldSpan> {
        while !self.ended {
            let field = *Field::ALL.get(usize::from(self.next))?;
            if self.element >= self.elements(field) {
                self.advance(field);
                continue;
            }
            let span = self.span(field);
            self.element = self.element.wrapping_add(1);
            self.ended = self.ends_with(&span);
            self.learn(&span);
            if !span.range.is_empty() || span.missing > 0 {
                return Some(span);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BufferHandle, DescriptorSpec, ElementType, F32Bits, Layout, Policy, Quantization, Shard,
        Tiled, TiledLevel, encode,
    };
    use std::vec::Vec;

    fn encoded(spec: &DescriptorSpec<'_>) -> Vec<u8> {
        let mut bytes = std::vec![0; 512];
        let len = encode(spec, &mut bytes, &Policy::STRICT).unwrap();
        bytes.truncate(len);
        bytes
    }

    /// Two levels of tiles with strides at both ends, quantized, a shard.
    fn tiled() -> Vec<u8> {
        let outer = TiledLevel {
            tile_shape: (&[2, 2]).into(),
            outer_layout: LayoutTag::Strided,
            inner_layout: LayoutTag::Tiled,
            outer_strides: (&[2i64, 1]).into(),
            inner_strides: crate::Array::EMPTY,
        };
        let inner = TiledLevel {
            tile_shape: (&[1, 1]).into(),
            outer_layout: LayoutTag::RowMajor,
            inner_layout: LayoutTag::Strided,
            outer_strides: crate::Array::EMPTY,
            inner_strides: (&[1i64, 1]).into(),
        };
        let levels = [outer, inner];
        let buffers = [BufferHandle::cpu(16, 64)];
        let layout = Layout::Tiled(Tiled::Native(&levels));
        encoded(&DescriptorSpec {
            quantization: Some(Quantization::per_tensor(F32Bits::from(0.5), 3)),
            shard: Some(Shard {
                parent_shape: (&[8, 8]).into(),
                shard_offset: (&[4, 0]).into(),
            }),
            ..DescriptorSpec::new(ElementType::Int8, &[4, 4], layout, &buffers)
        })
    }

    #[test]
    fn spans_touch_and_reach_the_end() {
        let bytes = tiled();
        let mut at = 0;
        for span in FieldWalk::new(&bytes) {
            assert_eq!((span.range.start, span.missing), (at, 0), "{span:?}");
            at = span.range.end;
        }
        // 20 header, 16 shape, 8 byte_offset, 36 + 36 tiles, 17 table, 20 quantization, 32 shard
        assert_eq!((at, bytes.len()), (185, 185));
    }

    #[test]
    fn tile_fields_count_as_violations_do() {
        let bytes = tiled();
        let of = |field| {
            let spans = FieldWalk::new(&bytes).filter(move |span| span.field == field);
            spans
                .map(|span| (span.index, span.range.start))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of(Field::TileShape),
            [(0, 44), (1, 52), (2, 80), (3, 88)],
            "level * rank + dimension"
        );
        assert_eq!(of(Field::OuterLayout), [(0, 60), (1, 96)]);
        assert_eq!(of(Field::OuterStrides), [(0, 64), (1, 72)]);
        assert_eq!(of(Field::InnerStrides), [(2, 100), (3, 108)]);
        assert_eq!(of(Field::PageSize), []);
        assert_eq!(of(Field::Axis), []);
    }

    #[test]
    fn every_prefix_ends_at_its_end() {
        let bytes = tiled();
        for len in 0..bytes.len() {
            let last = FieldWalk::new(&bytes[..len]).last().unwrap();
            assert_eq!(usize::try_from(last.range.end).unwrap(), len, "{last:?}");
            assert!(last.missing > 0, "{last:?}");
        }
    }

    #[test]
    fn ends_where_no_place_is_known() {
        let last = |at: usize, byte| {
            let mut bytes = tiled();
            bytes[at] = byte;
            FieldWalk::new(&bytes).last().unwrap().field
        };
        assert_eq!(last(2, b'X'), Field::Magic);
        assert_eq!(last(4, 2), Field::VersionMajor);
        assert_eq!(last(17, 1), Field::Rank);
        // layout_tag without a meaning
        assert_eq!(last(15, 0x20), Field::ByteOffset);
        // quantization_length 3
        assert_eq!(last(133, 3), Field::SchemeFlags);
    }

    #[test]
    fn ends_behind_eight_levels_of_tiles() {
        let mut bytes = b"HRRY\x01\x00\x00\x01\x00\x00\0\0\0\0\x11\x04\x01\0\0\0".to_vec();
        bytes.extend([0; 16]);
        for _ in 0..9 {
            bytes.extend([1, 0, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0]);
        }
        bytes.resize(256, 0);
        let last = FieldWalk::new(&bytes).last().unwrap();
        // 36 + 8 * 12
        assert_eq!(
            (last.field, last.index, last.range.end),
            (Field::TileReserved, 7, 132)
        );
    }
}
