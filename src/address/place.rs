//! From a distance in elements to byte and bit.

use super::AddressError;
use crate::check::size::group;
use crate::model::Fields;

/// The place of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Element {
    /// The buffer that holds it; 0, where values are.
    pub buffer: u8,
    /// Its first byte; of a 6-bit type the first byte of the group of four.
    pub byte: u64,
    /// Its lowest bit, counted from the lowest one of that byte; 0 for whole bytes, up to 18 in a group.
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
    bytes: u64,
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
        Ok(Place {
            byte_offset: d.byte_offset(),
            byte_size: d.buffer(0).map_or(0, |buffer| buffer.byte_size),
            width,
            shift,
            bytes,
        })
    }

    /// ADDR-12 to ADDR-15: the element so far from the first one, if it lies in the buffer.
    pub(crate) fn element(&self, offset: i128) -> Option<Element> {
        let group = offset
            .checked_shr(self.shift)?
            .checked_mul(self.bytes.into())?;
        let byte = group.checked_add(self.byte_offset.into())?;
        let byte = u64::try_from(byte).ok()?;
        let end = byte.checked_add(self.bytes)?;
        let mask = 1u32.wrapping_shl(self.shift).wrapping_sub(1);
        let [low, ..] = offset.to_le_bytes();
        let within = u32::from(low) & mask;
        (end <= self.byte_size).then_some(Element {
            buffer: 0,
            byte,
            // below 24
            bit: u8::try_from(within.wrapping_mul(self.width)).unwrap_or(0),
            width: self.width,
        })
    }

    /// The first byte of the group grid that holds the first element, and how many elements lie in front of
    /// that one there: in a slice from that byte, elements count from 0.
    pub(crate) fn origin(&self) -> (u64, u64) {
        let groups = self.byte_offset.checked_div(self.bytes).unwrap_or(0);
        let start = self.byte_offset.checked_rem(self.bytes).unwrap_or(0);
        (start, groups.wrapping_shl(self.shift))
    }
}
