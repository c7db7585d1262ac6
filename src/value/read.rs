//! The elements of one tensor that lie in a box, in row-major order.

use core::ops::Range;

use super::dequantize::Dequantizer;
use super::element::{self, ElementError, Scalar};
use super::error::ValueError;
use super::stored::{Data, Piece, each, each_row, is_complete};
use crate::address::{Merge, Pages, SubBox};
use crate::check::packed_bytes;
use crate::check::size::group;
use crate::model::{Fields, Quantization, U64s};
use crate::wire::length;
use crate::wire::tag::ElementType;

/// Reads the numbers of the elements in a box, last dimension fastest, whatever the layout: codes of a
/// quantized tensor as the numbers they stand for, elements that a sparse tensor does not store as 0.
///
/// `buffers` are those of the buffer table. `out` has one place for each element of the box.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Quantization, SubBox, U64s};
/// use hrry::read_values;
/// let buffers = [BufferHandle::cpu(3, 64)];
/// let spec = DescriptorSpec {
///     quantization: Some(Quantization::per_tensor(0.5f32.into(), 8)),
///     ..DescriptorSpec::new(ElementType::UInt4, &[2, 3], Layout::ColumnMajor, &buffers)
/// };
/// let mut out = [0.0f32; 6];
/// let whole = SubBox::whole(U64s::from(&[2, 3]));
/// read_values(&spec, &[&[0x08, 0x9A, 0xF7]], whole, &mut out)?;
/// assert_eq!(out, [0.0, 1.0, -0.5, -4.0, 0.5, 3.5]);
/// # Ok::<(), hrry::ValueError>(())
/// ```
///
/// # Errors
///
/// A box of another size than `out` or outside the shape; elements without a place, as
/// [`locate_stored`](crate::locate_stored) tells; numbers that `T` does not take, as [`Scalar`] tells: those of a
/// quantized tensor are `f32` or `f64`, whatever its codes are, which [`read_stored`] gives; schemes and parameters
/// without a meaning. What `out` holds then has none.
pub fn read_values<T: Scalar>(
    d: &(impl Fields + ?Sized),
    buffers: &[&[u8]],
    part: SubBox<'_>,
    out: &mut [T],
) -> Result<(), ValueError> {
    part.within(d.shape())?;
    room(part, out.len())?;
    if !is_complete(d) {
        out.fill(T::default());
    }
    let quantization = d.quantization();
    let numbers = Numbers::new::<T>(d, quantization.as_ref(), buffers)?;
    // parameters go by the index, so pieces stay inside rows
    let merge = match numbers.scheme {
        Some(_) => Merge::Nothing,
        None => Merge::Rows,
    };
    let mut rows = Rows::new(d, part);
    each(d, buffers, &numbers.data, part, merge, |index, piece| {
        let at = rows.next(index, &piece)?;
        numbers.piece(index, piece, out, at)
    })
}

/// Reads the numbers of tokens of one sequence of a block-paged tensor: for each token all heads, for each
/// head all dimensions.
///
/// How many tokens the sequence has is not in the format; the caller knows (LAYOUT-48).
///
/// ```
/// use hrry::{BlockPaged, BlockTableIndexType, BufferHandle, DescriptorSpec, ElementType, KvRole, Layout};
/// use hrry::read_tokens;
/// let paged = BlockPaged {
///     page_size: 2,
///     num_pages: 2,
///     paged_axis: 0,
///     num_seqs: 2,
///     kv_role: KvRole::Value,
///     layer_index: 0,
///     block_table_index_type: BlockTableIndexType::U32,
/// };
/// let bytes = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
/// // one page each, the second half of that of sequence 0 is not in use
/// let (pool, table, sequences) = ([1, 2, 3, 4, 5, 6, 0, 0], bytes(&[1, 0]), bytes(&[0, 1, 2]));
/// let buffers = [8, 8, 12].map(|len| BufferHandle::cpu(len, 64));
/// let layout = Layout::BlockPaged(paged);
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[3, 1, 2], layout, &buffers);
/// let (pool, mut out) = ([&pool[..], &table, &sequences], [0u8; 4]);
/// read_tokens(&spec, &pool, 0, 0..1, &mut out[..2])?;
/// assert_eq!(out[..2], [5, 6]);
/// read_tokens(&spec, &pool, 1, 0..2, &mut out)?;
/// assert_eq!(out, [1, 2, 3, 4]);
/// # Ok::<(), hrry::ValueError>(())
/// ```
///
/// # Errors
///
/// As [`read_values`]; another layout; tokens behind the pages of the sequence.
pub fn read_tokens<T: Scalar>(
    d: &(impl Fields + ?Sized),
    buffers: &[&[u8]],
    sequence: u32,
    tokens: Range<u64>,
    out: &mut [T],
) -> Result<(), ValueError> {
    let pages = Pages::new(d, buffers)?;
    let count = tokens.end.saturating_sub(tokens.start);
    let shape = [count, d.shape().at(1), d.shape().at(2)];
    let part = SubBox::whole(U64s::from(&shape));
    room(part, out.len())?;
    let quantization = d.quantization();
    let numbers = Numbers::new::<T>(d, quantization.as_ref(), buffers)?;
    let token = |place: u64| Ok((sequence, tokens.start.saturating_add(place)));
    let mut rows = Rows::new(d, part);
    each_row(
        &pages,
        &numbers.data,
        part.shape,
        part,
        token,
        |index, piece| {
            let at = rows.next(index, &piece)?;
            numbers.piece(index, piece, out, at)
        },
    )
}

/// The elements of a tensor as numbers.
struct Numbers<'a> {
    data: Data<'a>,
    scheme: Option<Dequantizer<'a>>,
}

impl<'a> Numbers<'a> {
    /// Of a tensor whose elements `T` takes, if there are any.
    fn new<T: Scalar>(
        d: &'a (impl Fields + ?Sized),
        quantization: Option<&Quantization<'_>>,
        buffers: &[&'a [u8]],
    ) -> Result<Self, ValueError> {
        let element_type = d.element_type();
        let scheme = quantization.map(|scheme| Dequantizer::new(d, scheme, buffers));
        let numbers = Numbers {
            data: Data::new(d, buffers)?,
            scheme: scheme.transpose()?,
        };
        match numbers.scheme {
            Some(_) => T::number(0.0).map(|_| ()).ok_or(ValueError::Quantized)?,
            None => element::decode::<T>(element_type, &[], 0, &mut [])?,
        }
        Ok(numbers)
    }

    /// Those of a piece, from a place of `out` on.
    fn piece<T: Scalar>(
        &self,
        index: &[u64],
        piece: Piece,
        out: &mut [T],
        at: usize,
    ) -> Result<(), ValueError> {
        let out = out.get_mut(at..).and_then(|out| out.get_mut(..piece.len));
        let out = out.ok_or(ElementError::NoSuchPosition)?;
        let Data {
            element_type,
            bytes,
            ..
        } = self.data;
        let Some(scheme) = &self.scheme else {
            let Piece { first, step, .. } = piece;
            return Ok(element::decode_stepped(
                element_type,
                bytes,
                first,
                step,
                out,
            )?);
        };
        if let Some(out) = T::singles(out) {
            return scheme.piece(&self.data, index, 0, piece, out);
        }
        scheme.chunks(&self.data, index, piece, |start, numbers| {
            let out = out.get_mut(start..).unwrap_or_default();
            for (out, number) in out.iter_mut().zip(numbers) {
                *out = T::number(*number).ok_or(ValueError::Quantized)?;
            }
            Ok(())
        })
    }
}

/// Copies the stored elements in a box, bit for bit and packed as in a row-major tensor of the same type,
/// last dimension fastest, whatever the layout; elements that a sparse tensor does not store as 0 bits.
///
/// `out` has exactly the bytes of so many packed elements ([`packed_bytes`](crate::check::packed_bytes)).
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, SubBox, U64s, read_stored};
/// let buffers = [BufferHandle::cpu(3, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt4, &[2, 3], Layout::ColumnMajor, &buffers);
/// let mut out = [0; 3];
/// read_stored(&spec, &[&[0x41, 0x52, 0x63]], SubBox::whole(U64s::from(&[2, 3])), &mut out)?;
/// assert_eq!(out, [0x21, 0x43, 0x65]);
/// # Ok::<(), hrry::ValueError>(())
/// ```
///
/// # Errors
///
/// As [`read_values`], but for numbers and schemes; private types have no packed form here.
pub fn read_stored(
    d: &(impl Fields + ?Sized),
    buffers: &[&[u8]],
    part: SubBox<'_>,
    out: &mut [u8],
) -> Result<(), ValueError> {
    part.within(d.shape())?;
    same_len(packed_len(d.element_type(), part)?, out.len())?;
    let data = Data::new(d, buffers)?;
    // also the unused bits of a last byte
    out.fill(0);
    let mut rows = Rows::new(d, part);
    each(d, buffers, &data, part, Merge::Rows, |index, piece| {
        let at = rows.next(index, &piece)?;
        copy(&data, piece, out, length(at))
    })
}

/// Copies the bits of a piece to a position of packed elements.
pub(super) fn copy(
    data: &Data<'_>,
    piece: Piece,
    out: &mut [u8],
    at: u64,
) -> Result<(), ValueError> {
    let done = whole_groups(data, piece, out, at).unwrap_or(0);
    let len = piece.len.wrapping_sub(done);
    let (piece, at) = (piece.part(done, len), at.wrapping_add(length(done)));
    match same_width(data.element_type) {
        Some(integers) => copy_integers(integers, data, piece, out, at),
        None => (0..len).try_for_each(|k| {
            let bits = data.bits(piece.part(k, 1).first)?;
            let to = at.wrapping_add(length(k));
            let done = element::set_bits(data.element_type, out, to, bits);
            done.ok_or(ElementError::NoSuchPosition.into())
        }),
    }
}

/// The integers whose patterns are those of a type, where 64 bits hold them.
fn same_width(element_type: ElementType) -> Option<ElementType> {
    match element_type.bits() {
        1 => Some(ElementType::Bool),
        2 => Some(ElementType::UInt2),
        4 => Some(ElementType::UInt4),
        8 => Some(ElementType::UInt8),
        16 => Some(ElementType::UInt16),
        32 => Some(ElementType::UInt32),
        64 => Some(ElementType::UInt64),
        _ => None,
    }
}

fn copy_integers(
    of: ElementType,
    data: &Data<'_>,
    piece: Piece,
    out: &mut [u8],
    mut at: u64,
) -> Result<(), ValueError> {
    const CHUNK: usize = 64;
    let mut start = 0usize;
    while start < piece.len {
        let mut bits = [0u64; CHUNK];
        let len = piece.len.wrapping_sub(start).min(CHUNK);
        let bits = bits.get_mut(..len).unwrap_or_default();
        let first = piece.part(start, len).first;
        element::decode_stepped(of, data.bytes, first, piece.step, bits)?;
        element::encode(of, bits, at, out)?;
        start = start.wrapping_add(len);
        at = at.wrapping_add(length(len));
    }
    Ok(())
}

/// Copies the elements of a piece that fill bytes, where they follow each other and start on a byte here and
/// there; how many they are.
fn whole_groups(data: &Data<'_>, piece: Piece, out: &mut [u8], at: u64) -> Option<usize> {
    let (shift, bytes) = group(data.element_type.bits());
    let (elements, bytes) = (1usize.wrapping_shl(shift), usize::try_from(bytes).ok()?);
    let start = |position: u64| {
        let position = usize::try_from(position).ok()?;
        let group = position.checked_div(elements)?;
        let starts = position.checked_rem(elements)? == 0;
        group.checked_mul(bytes).filter(|_| starts)
    };
    let groups = piece.len.checked_div(elements)?;
    let len = groups.checked_mul(bytes).filter(|_| piece.step == 1)?;
    let from = data.bytes.get(start(piece.first)?..)?.get(..len)?;
    let to = out.get_mut(start(at)?..)?.get_mut(..len)?;
    // a copy that needs no check of lengths
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
    groups.checked_mul(elements)
}

/// Bytes that the packed elements of a box take; more than any memory has where that is not below 2^64.
pub(crate) fn packed_len(element_type: ElementType, part: SubBox<'_>) -> Result<u64, ValueError> {
    if element_type.bits() == 0 {
        return Err(ElementError::NoNumbers(element_type).into());
    }
    let bytes = part.elements().and_then(|n| packed_bytes(element_type, n));
    Ok(bytes.unwrap_or(u64::MAX))
}

/// Requires a place for each element of a box.
fn room(part: SubBox<'_>, available: usize) -> Result<(), ValueError> {
    same_len(part.elements().unwrap_or(u64::MAX), available)
}

/// Requires memory of exactly the size that is needed.
pub(super) fn same_len(needed: u64, available: usize) -> Result<(), ValueError> {
    let available = length(available);
    if needed == available {
        Ok(())
    } else {
        Err(ValueError::Length { needed, available })
    }
}

/// Where pieces go in the elements of a box.
struct Rows<'a> {
    part: SubBox<'a>,
    /// Where the next piece goes, if pieces leave nothing out.
    next: Option<usize>,
}

impl<'a> Rows<'a> {
    fn new(d: &(impl Fields + ?Sized), part: SubBox<'a>) -> Self {
        Rows {
            part,
            next: is_complete(d).then_some(0),
        }
    }

    fn next(&mut self, index: &[u64], piece: &Piece) -> Result<usize, ValueError> {
        match &mut self.next {
            Some(next) => {
                let at = *next;
                *next = at.saturating_add(piece.len);
                Ok(at)
            }
            None => {
                let place = self.part.place(index);
                let place = place.and_then(|place| usize::try_from(place).ok());
                Ok(place.ok_or(ElementError::NoSuchPosition)?)
            }
        }
    }
}
