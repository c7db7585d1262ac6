//! How bit patterns of each width lie in bytes.
//!
//! Element `i` of a type of `W` bits starts at bit `i * W`, counted from the lowest bit of byte 0: that
//! one sentence covers all widths. So 8 elements of a packed type fill `W` bytes, and these are spread
//! over 8 bytes and gathered again without a loop over the elements.

use crate::wire::{array, length};

/// A way in which patterns lie in bytes. Positions are those of elements.
pub(super) trait Lanes {
    /// Holds one pattern, in its low bits.
    type Code: Copy;

    /// Elements that so many bytes hold.
    fn room(len: usize) -> u64;

    /// The pattern at a position.
    fn get(bytes: &[u8], position: u64) -> Option<Self::Code>;

    /// Replaces the pattern at a position.
    fn set(bytes: &mut [u8], position: u64, code: Self::Code) -> Option<()>;

    /// Converts as many patterns as `out` has places. The caller knows that they are there.
    fn read<T>(bytes: &[u8], first: u64, out: &mut [T], convert: impl FnMut(Self::Code) -> T);

    /// Stores a pattern for each value. The caller knows that there is room.
    fn write<T: Copy>(
        bytes: &mut [u8],
        first: u64,
        values: &[T],
        convert: impl FnMut(T) -> Self::Code,
    );
}

/// Where an element of so many bytes starts.
pub(super) fn offset(position: u64, width: usize) -> Option<usize> {
    usize::try_from(position).ok()?.checked_mul(width)
}

macro_rules! whole {
    ($($code:ident $width:literal)*) => {
        $(
            impl Lanes for $code {
                type Code = $code;

                fn room(len: usize) -> u64 {
                    length(len / $width)
                }

                #[inline]
                fn get(bytes: &[u8], position: u64) -> Option<$code> {
                    array(bytes, offset(position, $width)?).map($code::from_le_bytes)
                }

                #[inline]
                fn set(bytes: &mut [u8], position: u64, code: $code) -> Option<()> {
                    let at = offset(position, $width)?;
                    *bytes.get_mut(at..)?.first_chunk_mut()? = code.to_le_bytes();
                    Some(())
                }

                #[inline]
                fn read<T>(
                    bytes: &[u8],
                    first: u64,
                    out: &mut [T],
                    mut convert: impl FnMut($code) -> T,
                ) {
                    let bytes = offset(first, $width).and_then(|at| bytes.get(at..));
                    let (codes, _) = bytes.unwrap_or(&[]).as_chunks::<$width>();
                    for (slot, code) in out.iter_mut().zip(codes) {
                        *slot = convert($code::from_le_bytes(*code));
                    }
                }

                #[inline]
                fn write<T: Copy>(
                    bytes: &mut [u8],
                    first: u64,
                    values: &[T],
                    mut convert: impl FnMut(T) -> $code,
                ) {
                    let bytes = offset(first, $width).and_then(|at| bytes.get_mut(at..));
                    let (codes, _) = bytes.unwrap_or(&mut []).as_chunks_mut::<$width>();
                    for (code, value) in codes.iter_mut().zip(values) {
                        *code = convert(*value).to_le_bytes();
                    }
                }
            }
        )*
    };
}

whole! { u8 1  u16 2  u32 4  u64 8  u128 16 }

/// Types of 1, 2, 4 and 6 bits.
pub(super) struct Packed<const W: usize>;

/// Groups of 8 elements that are unpacked before any of them is converted: both loops are then plain, and
/// the codes between them take little of the stack.
const GROUPS: usize = 32;

impl<const W: usize> Lanes for Packed<W> {
    type Code = u8;

    fn room(len: usize) -> u64 {
        let len = length(len);
        match W {
            1 => len.saturating_mul(8),
            2 => len.saturating_mul(4),
            4 => len.saturating_mul(2),
            // a group of four is there or not
            _ => (len / 3).saturating_mul(4),
        }
    }

    #[inline]
    fn get(bytes: &[u8], position: u64) -> Option<u8> {
        let (at, shift) = Self::place(position)?;
        let low = *bytes.get(at)?;
        // an element that ends with its byte may be the last one
        let high = bytes.get(at.wrapping_add(1)).copied().unwrap_or(0);
        let [code, _] = (u16::from_le_bytes([low, high]) >> shift).to_le_bytes();
        Some(code & Self::MASK)
    }

    #[inline]
    fn set(bytes: &mut [u8], position: u64, code: u8) -> Option<()> {
        let (at, shift) = Self::place(position)?;
        let shifted = |pattern: u8| (u16::from(pattern & Self::MASK) << shift).to_le_bytes();
        let (masks, codes) = (shifted(Self::MASK), shifted(code));
        let bytes = bytes.get_mut(at..).filter(|bytes| !bytes.is_empty())?;
        for ((byte, mask), code) in bytes.iter_mut().zip(masks).zip(codes) {
            *byte = (*byte & !mask) | code;
        }
        Some(())
    }

    // always inlined, for the sake of callers that are compiled for more instructions
    #[inline(always)]
    fn read<T>(bytes: &[u8], first: u64, out: &mut [T], mut convert: impl FnMut(u8) -> T) {
        let (lead, rest) = out
            .split_at_mut_checked(lead(first, out.len()))
            .unwrap_or_default();
        let start = first.wrapping_add(length(lead.len()));
        let (eights, tail) = rest.as_chunks_mut::<8>();
        let behind = start.wrapping_add(length(eights.len()).wrapping_mul(8));
        let lead = (first..).zip(lead);
        for (position, slot) in lead.chain((behind..).zip(tail)) {
            if let Some(code) = Self::get(bytes, position) {
                *slot = convert(code);
            }
        }
        let bytes = offset(start / 8, W).and_then(|at| bytes.get(at..));
        let (mut eights, mut groups) = (eights, bytes.unwrap_or(&[]).as_chunks::<W>().0);
        loop {
            let count = eights.len().min(GROUPS);
            let (Some(eights @ [_, ..]), Some(groups)) =
                (eights.split_off_mut(..count), groups.split_off(..count))
            else {
                break;
            };
            let mut codes = [[0; 8]; GROUPS];
            for (codes, group) in codes.iter_mut().zip(groups) {
                *codes = spread(*group);
            }
            for (slot, code) in eights
                .as_flattened_mut()
                .iter_mut()
                .zip(codes.as_flattened())
            {
                *slot = convert(*code);
            }
        }
    }

    #[inline(always)]
    fn write<T: Copy>(
        bytes: &mut [u8],
        first: u64,
        values: &[T],
        mut convert: impl FnMut(T) -> u8,
    ) {
        let (lead, rest) = values
            .split_at_checked(lead(first, values.len()))
            .unwrap_or_default();
        let start = first.wrapping_add(length(lead.len()));
        let (eights, tail) = rest.as_chunks::<8>();
        let behind = start.wrapping_add(length(eights.len()).wrapping_mul(8));
        let lead = (first..).zip(lead);
        for (position, value) in lead.chain((behind..).zip(tail)) {
            Self::set(bytes, position, convert(*value)).unwrap_or_default();
        }
        let bytes = offset(start / 8, W).and_then(|at| bytes.get_mut(at..));
        let (mut eights, mut groups) = (eights, bytes.unwrap_or(&mut []).as_chunks_mut::<W>().0);
        loop {
            let count = eights.len().min(GROUPS);
            let (Some(eights @ [_, ..]), Some(groups)) =
                (eights.split_off(..count), groups.split_off_mut(..count))
            else {
                break;
            };
            let mut codes = [[0; 8]; GROUPS];
            for (code, value) in codes
                .as_flattened_mut()
                .iter_mut()
                .zip(eights.as_flattened())
            {
                *code = convert(*value) & Self::MASK;
            }
            for (group, codes) in groups.iter_mut().zip(&codes) {
                *group = gather(*codes);
            }
        }
    }
}

impl<const W: usize> Packed<W> {
    const MASK: u8 = mask(W);

    /// The byte in which an element starts, and the bit of that byte.
    fn place(position: u64) -> Option<(usize, u32)> {
        let [low, ..] = position.to_le_bytes();
        let bit = (usize::from(low) % 8).wrapping_mul(W);
        let at = offset(position / 8, W)?.checked_add(bit / 8)?;
        Some((at, u32::try_from(bit % 8).ok()?))
    }
}

/// How many of so many elements stand before the first that starts on a byte with all of its group.
fn lead(first: u64, count: usize) -> usize {
    let [low, ..] = first.wrapping_neg().to_le_bytes();
    usize::from(low % 8).min(count)
}

/// The low bits of a byte.
const fn mask(width: usize) -> u8 {
    let [ones, ..] = Moves::of(width).eighths.to_le_bytes();
    ones
}

/// How codes that touch are moved apart, 8 of them to 8 bytes.
struct Moves {
    /// Bits that are missing between two codes, and twice and four times as many.
    by: [u32; 3],
    /// Where four codes, two and one lie that touch.
    halves: u64,
    quarters: u64,
    eighths: u64,
}

impl Moves {
    const fn of(width: usize) -> Moves {
        match width {
            1 => Moves {
                by: [7, 14, 28],
                halves: 0x0000_000F_0000_000F,
                quarters: 0x0003_0003_0003_0003,
                eighths: 0x0101_0101_0101_0101,
            },
            2 => Moves {
                by: [6, 12, 24],
                halves: 0x0000_00FF_0000_00FF,
                quarters: 0x000F_000F_000F_000F,
                eighths: 0x0303_0303_0303_0303,
            },
            4 => Moves {
                by: [4, 8, 16],
                halves: 0x0000_FFFF_0000_FFFF,
                quarters: 0x00FF_00FF_00FF_00FF,
                eighths: 0x0F0F_0F0F_0F0F_0F0F,
            },
            _ => Moves {
                by: [2, 4, 8],
                halves: 0x00FF_FFFF_00FF_FFFF,
                quarters: 0x0FFF_0FFF_0FFF_0FFF,
                eighths: 0x3F3F_3F3F_3F3F_3F3F,
            },
        }
    }
}

/// Every other half, quarter and eighth of a word: those that stay where they are.
const HALVES: u64 = 0x0000_0000_FFFF_FFFF;
const QUARTERS: u64 = 0x0000_FFFF_0000_FFFF;
const EIGHTHS: u64 = 0x00FF_00FF_00FF_00FF;

/// Eight codes, each in a byte of its own.
#[inline]
fn spread<const W: usize>(group: [u8; W]) -> [u8; 8] {
    let moves = const { Moves::of(W) };
    let [near, middle, far] = moves.by;
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(group) {
        *to = from;
    }
    let apart = |word: u64, by: u32, lanes: u64, even: u64| {
        (word & lanes & even) | (word.wrapping_shl(by) & lanes & !even)
    };
    let word = u64::from_le_bytes(word);
    let word = apart(word, far, moves.halves, HALVES);
    let word = apart(word, middle, moves.quarters, QUARTERS);
    let word = apart(word, near, moves.eighths, EIGHTHS);
    word.to_le_bytes()
}

/// The reverse of [`spread`].
#[inline]
fn gather<const W: usize>(codes: [u8; 8]) -> [u8; W] {
    let moves = const { Moves::of(W) };
    let [near, middle, far] = moves.by;
    let together = |word: u64, by: u32, lanes: u64, even: u64| {
        (word & lanes & even) | (word & lanes & !even).wrapping_shr(by)
    };
    let word = u64::from_le_bytes(codes);
    let word = together(word, near, moves.eighths, EIGHTHS);
    let word = together(word, middle, moves.quarters, QUARTERS);
    let word = together(word, far, moves.halves, HALVES);
    let mut group = [0; W];
    for (to, from) in group.iter_mut().zip(word.to_le_bytes()) {
        *to = from;
    }
    group
}
