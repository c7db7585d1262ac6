//! Little-endian numbers in byte slices, and the shape of the records that hold them.
//!
//! Depends on the vocabulary only. Guarantees that every offset and tag of the format is written down
//! here and nowhere else, and that reading is safe at any alignment, on any byte order. Never checks a
//! rule.

pub(crate) mod container;
pub(crate) mod descriptor;
mod facts;
pub(crate) mod form;
pub(crate) mod handle;
pub(crate) mod message;
pub(crate) mod tag;

use byteorder::{ByteOrder, LittleEndian};

/// The first `N` bytes at `at`, if they are there.
#[inline]
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

/// The `N` bytes at `at`, to read fields from without a check each; zeros past the end, which a checked
/// descriptor never asks for.
#[inline]
pub(crate) fn record<const N: usize>(bytes: &[u8], at: usize) -> &[u8; N] {
    bytes
        .get(at..)
        .and_then(<[u8]>::first_chunk)
        .unwrap_or(&[0; N])
}

/// Writes `value` at `at`, if it fits there.
#[inline]
pub(crate) fn set<const N: usize>(record: &mut [u8], at: usize, value: [u8; N]) {
    if let Some(slot) = record.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *slot = value;
    }
}

macro_rules! readers {
    ($($name:ident)*) => {
        $(
            /// The number at `at`; 0 past the end, which a checked descriptor never asks for.
            #[inline]
            pub(crate) fn $name(bytes: &[u8], at: usize) -> $name {
                array(bytes, at).map_or(0, $name::from_le_bytes)
            }
        )*
    };
}

readers! { u16 u32 u64 }

/// The byte at `at`; 0 past the end, which a checked descriptor never asks for.
#[inline]
pub(crate) fn u8(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// A `u32` as an index. It saturates where `usize` is narrower, and so lies past the end of any slice.
#[inline]
pub(crate) fn index(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// A length as a `u64`, which is wide enough on every target.
#[inline]
pub(crate) fn length(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// A length as a `u32`; it saturates, and so exceeds any limit.
#[inline]
pub(crate) fn length32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// `a * b` as its low and high half.
#[inline]
pub(crate) fn widening_mul(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a).wrapping_mul(u128::from(b));
    let halves = product.to_le_bytes();
    (u64(&halves, 0), u64(&halves, 8))
}

/// A number that arrays of the format hold.
pub trait Number: Copy + PartialEq + private::Sealed {
    /// Bytes on the wire.
    const WIDTH: usize;
    #[doc(hidden)]
    fn split(bytes: &mut &[u8]) -> Option<Self>;
    #[doc(hidden)]
    fn at(bytes: &[u8], index: usize) -> Option<Self>;
    #[doc(hidden)]
    fn read_into(bytes: &[u8], out: &mut [Self]);
    #[doc(hidden)]
    fn with_bytes<R>(self, f: impl FnOnce(&[u8]) -> R) -> R;
}

mod private {
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($number:ident $read_into:ident)*) => {
        $(
            impl private::Sealed for $number {}
            impl Number for $number {
                const WIDTH: usize = size_of::<$number>();

                #[inline]
                fn split(bytes: &mut &[u8]) -> Option<Self> {
                    let (first, rest) = bytes.split_first_chunk()?;
                    *bytes = rest;
                    Some($number::from_le_bytes(*first))
                }

                #[inline]
                fn at(bytes: &[u8], index: usize) -> Option<Self> {
                    array(bytes, index.checked_mul(Self::WIDTH)?).map($number::from_le_bytes)
                }

                fn read_into(bytes: &[u8], out: &mut [Self]) {
                    LittleEndian::$read_into(bytes, out);
                }

                #[inline]
                fn with_bytes<R>(self, f: impl FnOnce(&[u8]) -> R) -> R {
                    f(&self.to_le_bytes())
                }
            }
        )*
    };
}

numbers! { u32 read_u32_into  u64 read_u64_into  i64 read_i64_into }
