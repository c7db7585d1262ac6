//! Arrays of numbers, wherever they are.

use core::fmt;

use crate::sort::first_not;
use crate::wire::{Number, length};

/// A borrowed array of numbers: little-endian bytes of any alignment, or native numbers.
///
/// ```
/// use hrry::U32s;
/// let shown = format!("{:?}", U32s::Le(&[3, 0, 0, 0, 0, 1, 0, 0]));
/// assert_eq!(shown, "[3, 256]");
/// ```
#[derive(Clone, Copy)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Array<'a, T> {
    /// Little-endian bytes; the length is a multiple of the number's width.
    Le(&'a [u8]),
    /// Numbers in memory.
    Native(&'a [T]),
}

/// Dimensions, offsets.
pub type U64s<'a> = Array<'a, u64>;
/// Strides.
pub type I64s<'a> = Array<'a, i64>;
/// Bit counts, mode orders.
pub type U32s<'a> = Array<'a, u32>;

impl<'a, T: Number> Array<'a, T> {
    /// An array of length 0.
    pub const EMPTY: Self = Array::Native(&[]);

    /// How many numbers there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Array::Le(bytes) => bytes.len().checked_div(T::WIDTH).unwrap_or(0),
            Array::Native(numbers) => numbers.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at `index`, if it exists.
    #[must_use]
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        match self {
            Array::Le(bytes) => T::at(bytes, index),
            Array::Native(numbers) => numbers.get(index).copied(),
        }
    }

    /// The number at `index`; 0 where there is none, for arrays whose length was checked.
    #[inline]
    pub(crate) fn at(&self, index: u32) -> T
    where
        T: Default,
    {
        self.get(crate::wire::index(index)).unwrap_or_default()
    }

    /// The numbers from `start` up to `end`, if they are all there.
    pub(crate) fn range(&self, start: u64, end: u64) -> Option<Self> {
        let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
        match self {
            Array::Le(bytes) => {
                let (start, end) = (start.checked_mul(T::WIDTH)?, end.checked_mul(T::WIDTH)?);
                bytes.get(start..end).map(Array::Le)
            }
            Array::Native(numbers) => numbers.get(start..end).map(Array::Native),
        }
    }

    /// Where a number is, among numbers that rise; some place or none among others.
    pub(crate) fn search(&self, wanted: T) -> Option<u64>
    where
        T: Ord,
    {
        let number = |at: u64| self.get(usize::try_from(at).ok()?);
        let below = |at| number(at).is_some_and(|number| number < wanted);
        let at = first_not(0, length(self.len()), below);
        (number(at) == Some(wanted)).then_some(at)
    }

    /// The numbers in order.
    #[inline]
    pub fn iter(&self) -> ArrayIter<'a, T> {
        ArrayIter(*self)
    }

    /// Fills `out` from the front and returns how many numbers were there.
    pub fn copy_to(&self, out: &mut [T]) -> usize {
        let count = self.len().min(out.len());
        if let Some(out) = out.get_mut(..count) {
            match self {
                Array::Le(bytes) => {
                    if let Some(bytes) = bytes.get(..count.wrapping_mul(T::WIDTH)) {
                        T::read_into(bytes, out);
                    }
                }
                Array::Native(numbers) => {
                    for (out, number) in out.iter_mut().zip(*numbers) {
                        *out = *number;
                    }
                }
            }
        }
        count
    }
}

impl<T: Number> PartialEq for Array<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T: Number + fmt::Debug> fmt::Debug for Array<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, T> From<&'a [T]> for Array<'a, T> {
    fn from(numbers: &'a [T]) -> Self {
        Array::Native(numbers)
    }
}

impl<'a, T, const N: usize> From<&'a [T; N]> for Array<'a, T> {
    fn from(numbers: &'a [T; N]) -> Self {
        Array::Native(numbers)
    }
}

impl<'a, T: Number> IntoIterator for Array<'a, T> {
    type Item = T;
    type IntoIter = ArrayIter<'a, T>;
    fn into_iter(self) -> ArrayIter<'a, T> {
        ArrayIter(self)
    }
}

/// The numbers of an [`Array`].
#[derive(Clone, Copy)]
pub struct ArrayIter<'a, T>(Array<'a, T>);

impl<T: Number + fmt::Debug> fmt::Debug for ArrayIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Number> Iterator for ArrayIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match &mut self.0 {
            Array::Le(bytes) => T::split(bytes),
            Array::Native(numbers) => {
                let (first, rest) = numbers.split_first()?;
                *numbers = rest;
                Some(*first)
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len();
        (len, Some(len))
    }
}

impl<T: Number> ExactSizeIterator for ArrayIter<'_, T> {}
