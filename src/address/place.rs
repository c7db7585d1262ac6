//! From a distance in elements to byte and bit.

use super::AddressError;
use super::runs::Run;
use crate::check::size::group;
use crate::model::Fields;
use crate::wire;
use crate::wire::tag::LayoutTag;

/// The place of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Element {
    /// The buffer that holds it; 0, where values are.
    pub buffer: u8,
    /// Its first byte; of a 6-bit type the first byte of the group of four.
    pub byte: u64,
    /// Its lowest bit, counted from the lowest one of that byte; 0 for whole bytes, up to 18 in a group of four.
    pub bit: u8,
    /// Its bits.
    pub width: u32,
}

/// Where the elements of a buffer start, and how they are packed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    byte_offset: u64,
    byte_size: u64,
    width: u32,
    /// Elements of a group as a power of two, and its bytes.
    shift: u32,
    bytes: u32,
}

impl Place {
    pub(crate) fn of<F: Fields + ?Sized>(d: &F) -> Result<Self, AddressError> {
        let own = d.element_type().bits();
        let width = d.extension_type().map_or(own, |private| private.bit_width);
        let (shift, bytes) = group(width);
        // permissive readers meet widths that fill no bytes
        if width == 0 || (shift > 0 && width > 6) {
            return Err(AddressError::Width(d.element_type()));
        }
        // BUF-18: permissive readers ignore one that has to be 0
        let ignored = |layout: LayoutTag| layout.is_sparse() || layout == LayoutTag::BlockPaged;
        let byte_offset = match d.byte_offset() {
            0 => 0,
            _ if ignored(d.layout().tag()) => 0,
            offset => offset,
        };
        Ok(Place {
            byte_offset,
            byte_size: d.buffer(0).map_or(0, |buffer| buffer.byte_size),
            width,
            shift,
            // an eighth of 32 bits
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        })
    }

    /// ADDR-12 to ADDR-15: the element so far from the first one, if it lies in the buffer.
    pub(crate) fn element(&self, offset: i128) -> Option<Element> {
        let group = offset.wrapping_shr(self.shift);
        let near = || {
            let group = i64::try_from(group).ok()?;
            let bytes = group.checked_mul(self.bytes.into())?;
            self.byte_offset.checked_add_signed(bytes)
        };
        let byte = near().or_else(|| self.far(group))?;
        let end = byte.checked_add(self.bytes.into())?;
        (end <= self.byte_size).then_some(Element {
            buffer: 0,
            byte,
            bit: self.bit(offset),
            width: self.width,
        })
    }

    /// The first byte of a group that 64 bits with a sign do not reach.
    #[cold]
    fn far(&self, group: i128) -> Option<u64> {
        let bytes = group.checked_mul(self.bytes.into())?;
        let byte = bytes.checked_add(self.byte_offset.into())?;
        u64::try_from(byte).ok()
    }

    /// Where in its group an element is; below 40, since groups of several have 5 bytes at most.
    fn bit(&self, offset: i128) -> u8 {
        let mask = 1u32.wrapping_shl(self.shift).wrapping_sub(1);
        let [low, ..] = offset.to_le_bytes();
        let within = u32::from(low) & mask;
        u8::try_from(within.wrapping_mul(self.width)).unwrap_or(0)
    }

    /// Takes elements from the front of a run: all, or only one where not all lie in the buffer. None if
    /// not even that one does.
    pub(super) fn take(&self, run: &mut Run) -> Option<Steps> {
        let next = self.element(run.first)?;
        let one = Steps {
            next,
            left: 1,
            ..Steps::NONE
        };
        let last = run.len.wrapping_sub(1);
        if last == 0 {
            run.len = 0;
            return Some(one);
        }
        let way = run.step.checked_mul(last.into());
        let offset = way.and_then(|way| run.first.checked_add(way));
        if offset.and_then(|offset| self.element(offset)).is_none() {
            *run = Run {
                first: run.first.checked_add(run.step)?,
                step: run.step,
                len: last,
            };
            return Some(one);
        }
        let groups = run.step.wrapping_shr(self.shift);
        let bytes = groups.wrapping_mul(self.bytes.into()).to_le_bytes();
        Some(Steps {
            next,
            left: core::mem::take(&mut run.len),
            bytes: wire::u64(&bytes, 0),
            bits: self.bit(run.step),
            group_bits: u8::try_from(self.bytes.saturating_mul(8)).unwrap_or(u8::MAX),
            group_bytes: self.bytes.into(),
        })
    }

    /// The first byte of the group grid that holds the first element, and how many elements lie in front of
    /// that one there: in a slice from that byte, elements count from 0.
    pub(crate) fn origin(&self) -> (u64, u64) {
        let groups = self.byte_offset.checked_div(self.bytes.into()).unwrap_or(0);
        let start = self.byte_offset.checked_rem(self.bytes.into()).unwrap_or(0);
        (start, groups.wrapping_shl(self.shift))
    }
}

/// Elements at a fixed step, all of them in the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    next: Element,
    left: u64,
    /// What a step adds, modulo 2^64: some lead backwards.
    bytes: u64,
    bits: u8,
    /// A group from whose end on the next one counts; whole bytes never get there.
    group_bits: u8,
    group_bytes: u64,
}

impl Steps {
    pub(super) const NONE: Steps = Steps {
        next: Element {
            buffer: 0,
            byte: 0,
            bit: 0,
            width: 0,
        },
        left: 0,
        bytes: 0,
        bits: 0,
        group_bits: 0,
        group_bytes: 0,
    };
}

impl Iterator for Steps {
    type Item = Element;

    #[inline]
    fn next(&mut self) -> Option<Element> {
        self.left = self.left.checked_sub(1)?;
        let element = self.next;
        let bit = element.bit.wrapping_add(self.bits);
        let (bit, carry) = match bit.checked_sub(self.group_bits) {
            Some(bit) => (bit, self.group_bytes),
            None => (bit, 0),
        };
        let byte = element.byte.wrapping_add(self.bytes);
        self.next.byte = byte.wrapping_add(carry);
        self.next.bit = bit;
        Some(element)
    }
}
