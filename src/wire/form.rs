//! What the tag of a layout says of its payload and of its buffers.

use super::descriptor::{bits_of, per_rank};
use super::index;
use super::tag::LayoutTag;
use crate::error::Field;

/// A number that follows from the rank.
#[derive(Clone, Copy)]
struct Linear {
    fixed: u8,
    per_rank: u8,
}

impl Linear {
    #[inline(always)]
    fn at(self, rank: u32) -> u32 {
        let part = rank.wrapping_mul(self.per_rank.into());
        part.wrapping_add(self.fixed.into())
    }
}

/// A layout whose payload has a length that follows from the rank alone.
pub(crate) struct Form {
    len: Linear,
    buffers: Linear,
    /// First field of the payload, or behind one that is empty.
    pub(crate) first: Field,
    /// The reserved field of the payload, if there is one.
    pub(crate) reserved: Option<Field>,
    /// The word of the payload that holds it, and which of its bits it has.
    clear: (Linear, u64),
}

impl Form {
    const fn new(first: Field, len: (u8, u8), buffers: (u8, u8)) -> Self {
        const fn linear((fixed, per_rank): (u8, u8)) -> Linear {
            Linear { fixed, per_rank }
        }
        Form {
            len: linear(len),
            buffers: linear(buffers),
            first,
            reserved: None,
            clear: (linear((0, 0)), 0),
        }
    }

    const fn reserving(mut self, field: Field) -> Self {
        let (word, bits) = bits_of(field);
        let per_rank = per_rank(field);
        self.reserved = Some(field);
        self.clear = (
            Linear {
                fixed: word,
                per_rank,
            },
            bits,
        );
        self
    }

    /// Bytes of the payload.
    #[inline(always)]
    pub(crate) fn len(&self, rank: u32) -> u32 {
        self.len.at(rank)
    }

    /// Buffers that the layout itself needs.
    #[inline(always)]
    pub(crate) fn buffers(&self, rank: u32) -> u32 {
        self.buffers.at(rank)
    }

    /// Whether the reserved bytes of a whole payload are 0.
    #[inline(always)]
    pub(crate) fn is_clear(&self, rank: u32, payload: &[u8]) -> bool {
        let (word, bits) = &self.clear;
        super::u64(payload, index(word.at(rank))) & bits == 0
    }
}

const fn dense(first: Field, fixed: u8, per_rank: u8) -> Form {
    Form::new(first, (fixed, per_rank), (1, 0))
}

const fn sparse(len: (u8, u8), buffers: (u8, u8), reserved: Field) -> Form {
    Form::new(Field::Nnz, len, buffers).reserving(reserved)
}

static HILBERT: Form = dense(Field::HilbertOrder, 8, 0);

/// The others by tag; a table is smaller than arms, and faster.
static FORMS: [Option<Form>; 12] = [
    None,
    Some(dense(Field::BufferCount, 0, 0)),
    Some(dense(Field::BufferCount, 0, 0)),
    Some(dense(Field::Strides, 0, 8)),
    None,
    Some(dense(Field::MortonBits, 0, 4)),
    Some(sparse((16, 0), (2, 0), Field::CooReserved)),
    Some(sparse((16, 0), (3, 0), Field::CompressedReserved)),
    Some(sparse((16, 0), (3, 0), Field::CompressedReserved)),
    Some(sparse((16, 4), (1, 2), Field::CsfReserved)),
    Some(Form::new(Field::PageSize, (32, 0), (3, 0)).reserving(Field::PagedReserved)),
    Some(Form::new(Field::CompositionRule, (8, 0), (0, 0)).reserving(Field::HeadReserved)),
];

/// The form of a layout; none for tiles and private layouts, whose length is on the wire, and for tags
/// without a meaning.
#[inline(always)]
pub(crate) fn form(layout: LayoutTag) -> Option<&'static Form> {
    match layout {
        LayoutTag::Hilbert => Some(&HILBERT),
        LayoutTag(tag) => FORMS.get(usize::from(tag))?.as_ref(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_buffers_of_rank_3() {
        let numbers = |tag| form(LayoutTag(tag)).map(|form| (form.len(3), form.buffers(3)));
        let known = [
            (0x01, 0, 1),
            (0x02, 0, 1),
            (0x03, 24, 1),
            (0x05, 12, 1),
            (0x06, 16, 2),
            (0x07, 16, 3),
            (0x08, 16, 3),
            (0x09, 28, 7),
            (0x0A, 32, 3),
            (0x0B, 8, 0),
            (0x40, 8, 1),
        ];
        for (tag, len, buffers) in known {
            assert_eq!(numbers(tag), Some((len, buffers)), "{tag:#04x}");
        }
        for tag in [0x00, 0x04, 0x0C, 0x3F, 0x41, 0xF0, 0xFF] {
            assert_eq!(numbers(tag), None, "{tag:#04x}");
        }
    }

    #[test]
    fn reserved_bytes_are_seen_and_no_others() {
        for (tag, len, reserved) in [
            (0x03, 24, 0..0),
            (0x06, 16, 9..16),
            (0x07, 16, 8..16),
            (0x09, 28, 20..28),
            (0x0A, 32, 26..32),
            (0x0B, 8, 2..4),
        ] {
            for at in 0..len {
                let mut payload = std::vec![0; len];
                payload[at] = 1;
                let clear = form(LayoutTag(tag)).unwrap().is_clear(3, &payload);
                assert_eq!(clear, !reserved.contains(&at), "{tag:#04x}: {at}");
            }
        }
    }
}
