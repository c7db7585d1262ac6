//! Pointers from C: what can be told of one is checked here, before it is used.
//!
//! Null, misaligned and too long can be told. That memory is there, and stays, is what the caller promises.

use core::slice;

use crate::status::{
    Checked, HRRY_ERR_MISALIGNED, HRRY_ERR_NULL_POINTER, HRRY_ERR_OVERLAP, HRRY_ERR_TOO_LONG,
};

/// Bytes by their addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    start: usize,
    end: usize,
}

impl Region {
    /// What `count` values take; null, wherever it leads, takes nothing.
    pub(crate) fn new<T>(start: *const T, count: usize) -> Checked<Region> {
        let len = size_of::<T>().checked_mul(count);
        let len = len.filter(|len| isize::try_from(*len).is_ok());
        let start = start.addr();
        let end = len.and_then(|len| start.checked_add(len));
        let end = end.ok_or(HRRY_ERR_TOO_LONG)?;
        let end = if start == 0 { 0 } else { end };
        Ok(Region { start, end })
    }

    /// What one value takes.
    pub(crate) fn of<T>(value: *const T) -> Checked<Region> {
        Region::new(value, 1)
    }

    fn overlaps(&self, other: &Region) -> bool {
        // an empty region overlaps nothing, wherever it is
        self.start.max(other.start) < self.end.min(other.end)
    }
}

/// Refuses memory that is written and overlaps anything else of the call, whether that is written or read.
pub(crate) fn apart(written: &[Region], read: &[Region]) -> Checked<()> {
    let mut left = written;
    while let Some((one, others)) = left.split_first() {
        if others.iter().chain(read).any(|other| one.overlaps(other)) {
            return Err(HRRY_ERR_OVERLAP);
        }
        left = others;
    }
    Ok(())
}

/// Refuses null and misaligned pointers.
pub(crate) fn check<T>(pointer: *const T) -> Checked<()> {
    if pointer.is_null() {
        return Err(HRRY_ERR_NULL_POINTER);
    }
    if !pointer.is_aligned() {
        return Err(HRRY_ERR_MISALIGNED);
    }
    Ok(())
}

/// # Safety
///
/// Where it is neither null nor misaligned, the pointer leads to a value of its type.
pub(crate) unsafe fn read<T: Copy>(pointer: *const T) -> Checked<T> {
    check(pointer)?;
    // SAFETY: as above, and it was checked
    Ok(unsafe { pointer.read() })
}

/// As [`read`], with null for none.
///
/// # Safety
///
/// As [`read`].
pub(crate) unsafe fn read_if<T: Copy>(pointer: *const T) -> Checked<Option<T>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: as above
    unsafe { read(pointer) }.map(Some)
}

/// # Safety
///
/// Where it is neither null nor misaligned, memory for a value of its type can be written.
pub(crate) unsafe fn write<T: Copy>(pointer: *mut T, value: T) -> Checked<()> {
    check(pointer)?;
    // SAFETY: as above, and it was checked
    unsafe { pointer.write(value) };
    Ok(())
}

/// Values of the caller; null where there are none.
///
/// # Safety
///
/// Where it is neither null nor misaligned, `count` values are there, and nothing writes to them as long as the
/// slice is used.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> Checked<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer)?;
    Region::new(pointer, count)?;
    // SAFETY: as above; it was checked, also that the length is one that slices can have
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// Memory of the caller; null where there is none.
///
/// # Safety
///
/// Where it is neither null nor misaligned, `count` values are there, and nothing else reads or writes them as long as
/// the slice is used.
pub(crate) unsafe fn slice_mut<'a, T>(pointer: *mut T, count: usize) -> Checked<&'a mut [T]> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(pointer)?;
    Region::new(pointer, count)?;
    // SAFETY: as above; it was checked, also that the length is one that slices can have
    Ok(unsafe { slice::from_raw_parts_mut(pointer, count) })
}
