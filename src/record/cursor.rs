//! Reading a record front to back.

use super::Spot;
use crate::error::{Error, Field};
use crate::rule::Rule;
use crate::wire::{index, length};

/// Bytes of a record at an absolute offset, front to back.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    /// Absolute offset behind the record.
    end: u64,
    /// What is broken where a field does not fit.
    fits: Rule,
}

impl<'a> Cursor<'a> {
    /// The record that starts at an absolute offset.
    pub(crate) fn new(bytes: &'a [u8], start: u64, fits: Rule) -> Self {
        Cursor {
            rest: bytes,
            end: start.saturating_add(length(bytes.len())),
            fits,
        }
    }

    /// What is left.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Absolute offset of the next byte.
    pub(crate) fn at(&self) -> u64 {
        self.end.saturating_sub(length(self.rest.len()))
    }

    /// A field that starts there.
    pub(crate) fn spot(&self, field: Field) -> Spot {
        Spot::new(field, self.at())
    }

    pub(crate) fn number<const N: usize>(&mut self, field: Field) -> Result<[u8; N], Error> {
        let bytes = self.take(N, field)?;
        // it has that length
        Ok(bytes.first_chunk().copied().unwrap_or([0; N]))
    }

    pub(crate) fn take(&mut self, len: usize, field: Field) -> Result<&'a [u8], Error> {
        let (bytes, rest) = match self.rest.split_at_checked(len) {
            Some(halves) => halves,
            None => return Err(self.spot(field).error(self.fits)),
        };
        self.rest = rest;
        Ok(bytes)
    }

    /// Bytes behind their length, a u32, and where they are.
    pub(crate) fn counted(&mut self, field: Field) -> Result<(&'a [u8], Spot), Error> {
        let len = self.number(field).map(u32::from_le_bytes)?;
        let at = self.spot(field);
        self.take(index(len), field).map(|bytes| (bytes, at))
    }

    /// Reads with another rule for what does not fit.
    pub(crate) fn fitting<T>(&mut self, fits: Rule, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = core::mem::replace(&mut self.fits, fits);
        let value = read(self);
        self.fits = before;
        value
    }

    /// Text behind its length, a u32.
    pub(crate) fn text(&mut self, field: Field) -> Result<&'a str, Error> {
        let fits = self.fits;
        let (bytes, at) = self.counted(field)?;
        core::str::from_utf8(bytes).map_err(|_| at.error(fits))
    }
}
