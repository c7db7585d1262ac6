//! Pages (ADDR-11): from sequence and token to a slot of the pool.

use super::AddressError;
use crate::model::{Array, BlockPaged, Fields, Layout, U32s, U64s};
use crate::sort::first_not;
use crate::wire::tag::BlockTableIndexType;

/// The block table of a block-paged tensor.
///
/// An element is named by sequence, token of the sequence, head and dimension. How many tokens a sequence
/// has is not in the format (LAYOUT-48): the caller knows, and asks for no more.
///
/// ```
/// use hrry::{BlockPaged, BlockTableIndexType, BufferHandle, DescriptorSpec, ElementType, KvRole, Layout};
/// use hrry::Pages;
/// let paged = BlockPaged {
///     page_size: 2,
///     num_pages: 3,
///     paged_axis: 0,
///     num_seqs: 2,
///     kv_role: KvRole::Key,
///     layer_index: 0,
///     block_table_index_type: BlockTableIndexType::U32,
/// };
/// let bytes = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
/// // sequence 0 has pages 2 and 0, sequence 1 has page 2 as well
/// let (pool, table, sequences) = ([0; 6], bytes(&[2, 0, 2]), bytes(&[0, 2, 3]));
/// let buffers = [6, 12, 12].map(|len| BufferHandle::cpu(len, 64));
/// let layout = Layout::BlockPaged(paged);
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[6, 1, 1], layout, &buffers);
/// let pages = Pages::new(&spec, &[&pool, &table, &sequences])?;
/// assert_eq!(pages.slot(0, 3)?, 1); // the second token of page 0
/// assert_eq!(pages.slot(1, 0)?, 4); // the first token of page 2
/// # Ok::<(), hrry::AddressError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pages<'a> {
    paged: BlockPaged,
    table: Numbers<'a>,
    sequences: Numbers<'a>,
    shape: [u64; 3],
}

const BLOCK_TABLE: u8 = 1;
const SEQUENCES: u8 = 2;

impl<'a> Pages<'a> {
    /// Of a block-paged tensor and its buffers.
    ///
    /// # Errors
    ///
    /// Another layout, a dynamic dimension, another rank than 3, pages along another dimension than 0.
    pub fn new<F: Fields + ?Sized>(d: &F, buffers: &[&'a [u8]]) -> Result<Self, AddressError> {
        let Layout::BlockPaged(paged) = d.layout() else {
            return Err(AddressError::Layout(d.layout().tag()));
        };
        let shape = d.shape();
        super::same_rank(shape, 3)?;
        super::placeable(shape)?;
        if paged.paged_axis != 0 || paged.page_size == 0 {
            return Err(AddressError::Layout(d.layout().tag()));
        }
        let numbers = |buffer: u8| {
            let bytes = buffers.get(usize::from(buffer)).copied().unwrap_or(&[]);
            match paged.block_table_index_type {
                BlockTableIndexType::U64 => Numbers::Wide(Array::Le(bytes)),
                _ => Numbers::Narrow(Array::Le(bytes)),
            }
        };
        Ok(Pages {
            paged,
            table: numbers(BLOCK_TABLE),
            sequences: numbers(SEQUENCES),
            shape: [shape.at(0), shape.at(1), shape.at(2)],
        })
    }

    /// Sequences of the batch.
    #[must_use]
    pub const fn sequences(&self) -> u32 {
        self.paged.num_seqs
    }

    /// Token slots that the pages of a sequence have; the sequence may have fewer tokens.
    ///
    /// # Errors
    ///
    /// A sequence that does not exist; pointers that fall (LAYOUT-46).
    pub fn slots(&self, sequence: u32) -> Result<u64, AddressError> {
        let (first, end) = self.logical_pages(sequence)?;
        Ok(end
            .wrapping_sub(first)
            .saturating_mul(self.paged.page_size.into()))
    }

    /// The slot of a token: its page times the page size, and its place in the page. Parameters of the
    /// per-block scheme have the same place (ADDR-27).
    ///
    /// # Errors
    ///
    /// A sequence or token that does not exist; pointers and page numbers that lead nowhere (LAYOUT-46).
    pub fn slot(&self, sequence: u32, token: u64) -> Result<u64, AddressError> {
        let (first, end) = self.logical_pages(sequence)?;
        let page_size = u64::from(self.paged.page_size);
        let page = token.checked_div(page_size).unwrap_or(0);
        let place = token.checked_rem(page_size).unwrap_or(0);
        let entry = first.checked_add(page).filter(|entry| *entry < end);
        let entry = entry.ok_or(AddressError::OutOfRange { axis: 0 })?;
        let id = self.table.at(entry).filter(|id| *id < self.paged.num_pages);
        let id = id.ok_or(AddressError::Broken {
            buffer: BLOCK_TABLE,
            entry,
        })?;
        let slot = id.checked_mul(page_size);
        let slot = slot.and_then(|slot| slot.checked_add(place));
        slot.ok_or(AddressError::Outside)
    }

    /// The position of an element in the pool.
    ///
    /// # Errors
    ///
    /// As [`slot`](Self::slot), and a head or dimension that does not exist.
    pub fn position(
        &self,
        sequence: u32,
        token: u64,
        head: u64,
        dimension: u64,
    ) -> Result<u64, AddressError> {
        self.position_in(self.slot(sequence, token)?, head, dimension)
    }

    /// The position of an element of a slot.
    pub(crate) fn position_in(
        &self,
        slot: u64,
        head: u64,
        dimension: u64,
    ) -> Result<u64, AddressError> {
        let [_, heads, dimensions] = self.shape;
        if head >= heads {
            return Err(AddressError::OutOfRange { axis: 1 });
        }
        if dimension >= dimensions {
            return Err(AddressError::OutOfRange { axis: 2 });
        }
        let position = slot
            .checked_mul(heads)
            .and_then(|position| position.checked_add(head))
            .and_then(|position| position.checked_mul(dimensions))
            .and_then(|position| position.checked_add(dimension));
        position.ok_or(AddressError::Outside)
    }

    /// Sequence and token of a place along dimension 0, where the descriptor tells: with one sequence, or
    /// where all slots of all sequences are tokens.
    ///
    /// # Errors
    ///
    /// Token counts that are not in the format; as [`slots`](Self::slots).
    pub(crate) fn token(&self, place: u64) -> Result<(u32, u64), AddressError> {
        let [tokens, ..] = self.shape;
        if self.paged.num_seqs == 1 {
            return Ok((0, place));
        }
        let page_size = u64::from(self.paged.page_size);
        let last = self.sequences.at(self.paged.num_seqs.into());
        let slots = last.and_then(|pages| pages.checked_mul(page_size));
        if slots != Some(tokens) {
            return Err(AddressError::Tokens);
        }
        // the last sequence whose first page is not behind the one of this token
        let page = place.checked_div(page_size).unwrap_or(0);
        let starts = |sequence| {
            let first = self.sequences.at(sequence);
            first.is_some_and(|first| first <= page)
        };
        let next = first_not(1, self.paged.num_seqs.into(), starts);
        let sequence = u32::try_from(next.saturating_sub(1)).unwrap_or(u32::MAX);
        let (first, _) = self.logical_pages(sequence)?;
        let before = first.saturating_mul(page_size);
        Ok((sequence, place.saturating_sub(before)))
    }

    /// Where the pages of a sequence are in the block table.
    fn logical_pages(&self, sequence: u32) -> Result<(u64, u64), AddressError> {
        if sequence >= self.paged.num_seqs {
            return Err(AddressError::OutOfRange { axis: 0 });
        }
        let pointer = |entry: u64| {
            self.sequences.at(entry).ok_or(AddressError::Broken {
                buffer: SEQUENCES,
                entry,
            })
        };
        let next = u64::from(sequence).saturating_add(1);
        let (first, end) = (pointer(sequence.into())?, pointer(next)?);
        if first > end {
            return Err(AddressError::Broken {
                buffer: SEQUENCES,
                entry: next,
            });
        }
        Ok((first, end))
    }
}

/// Page numbers and pointers of either width.
#[derive(Clone, Copy, Debug)]
enum Numbers<'a> {
    Narrow(U32s<'a>),
    Wide(U64s<'a>),
}

impl Numbers<'_> {
    fn at(&self, entry: u64) -> Option<u64> {
        let entry = usize::try_from(entry).ok()?;
        match self {
            Numbers::Narrow(numbers) => numbers.get(entry).map(u64::from),
            Numbers::Wide(numbers) => numbers.get(entry),
        }
    }
}
