//! Loops over elements: which positions, and whether they are there.

use super::ElementError;
use super::lanes::Lanes;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
use super::simd::Wide;
use crate::wire::length;

/// Elements to read: every `step`-th from `first`.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) first: u64,
    pub(super) step: i64,
}

impl Source<'_> {
    /// Converts as many elements as `out` has places.
    #[inline]
    pub(super) fn read<L: Lanes, T>(
        &self,
        out: &mut [T],
        mut convert: impl FnMut(L::Code) -> T,
    ) -> Result<(), ElementError> {
        within::<L>(self.bytes.len(), self.first, self.step, out.len())?;
        if self.step == 1 {
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            if let Some(wide) = Wide::for_run(out.len()) {
                wide.read::<L, T>(self.bytes, self.first, out, convert);
                return Ok(());
            }
            L::read(self.bytes, self.first, out, convert);
            return Ok(());
        }
        let mut position = self.first;
        for slot in out {
            if let Some(code) = L::get(self.bytes, position) {
                *slot = convert(code);
            }
            position = position.wrapping_add_signed(self.step);
        }
        Ok(())
    }

    /// The first of so many elements of which something holds.
    pub(super) fn find<L: Lanes>(
        &self,
        count: usize,
        holds: impl Fn(L::Code) -> bool,
    ) -> Option<usize> {
        let mut position = self.first;
        (0..count).find(|_| {
            let code = L::get(self.bytes, position);
            position = position.wrapping_add_signed(self.step);
            code.is_some_and(&holds)
        })
    }
}

/// Places to write elements to.
#[derive(Debug)]
pub struct Place<'a> {
    pub(super) bytes: &'a mut [u8],
    pub(super) first: u64,
}

impl Place<'_> {
    /// Stores every value, or none of them where one has no code.
    #[inline]
    pub(super) fn write<L: Lanes, T: Copy>(
        self,
        values: &[T],
        has_code: impl Fn(T) -> bool,
        convert: impl FnMut(T) -> L::Code,
    ) -> Result<(), ElementError> {
        within::<L>(self.bytes.len(), self.first, 1, values.len())?;
        if let Some(index) = first_without(values, has_code) {
            return Err(ElementError::NoSuchValue { index });
        }
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        if let Some(wide) = Wide::for_run(values.len()) {
            wide.write::<L, T>(self.bytes, self.first, values, convert);
            return Ok(());
        }
        L::write(self.bytes, self.first, values, convert);
        Ok(())
    }
}

/// The first value without a code. Most often there is none, so all are looked at without leaving early.
#[inline]
fn first_without<T: Copy>(values: &[T], has_code: impl Fn(T) -> bool) -> Option<usize> {
    if values
        .iter()
        .fold(true, |all, value| all & has_code(*value))
    {
        return None;
    }
    values.iter().position(|value| !has_code(*value))
}

/// Whether all positions are there.
fn within<L: Lanes>(len: usize, first: u64, step: i64, count: usize) -> Result<(), ElementError> {
    let Some(steps) = count.checked_sub(1) else {
        return Ok(());
    };
    let span = i128::from(step).saturating_mul(length(steps).into());
    let last = i128::from(first).saturating_add(span);
    let last = u64::try_from(last).map_err(|_| ElementError::NoSuchPosition)?;
    let needed = last
        .max(first)
        .checked_add(1)
        .ok_or(ElementError::NoSuchPosition)?;
    let available = L::room(len);
    if needed > available {
        return Err(ElementError::TooShort { needed, available });
    }
    Ok(())
}
