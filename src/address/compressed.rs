//! Compressed rows and columns (ADDR-08, ADDR-09).

use super::AddressError;
use crate::model::{Array, Fields, Layout, U64s};
use crate::wire::length;

/// The structure of a CSR or CSC tensor: which columns a row stores, or which rows a column.
///
/// Lines are rows of a CSR tensor and columns of a CSC tensor.
///
/// ```
/// use hrry::{BufferHandle, Compressed, DescriptorSpec, ElementType, Layout};
/// let bytes = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
/// let (values, columns, rows) = ([7, 8, 9], bytes(&[0, 3, 1]), bytes(&[0, 2, 3]));
/// let buffers = [3, 24, 24].map(|len| BufferHandle::cpu(len, 64));
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[2, 4], Layout::Csr { nnz: 3 }, &buffers);
/// let matrix = Compressed::new(&spec, &[&values, &columns, &rows])?;
/// let row: Vec<_> = matrix.line(0)?.entries().collect();
/// assert_eq!(row, [(0, 0), (3, 1)]); // column and position among the values
/// # Ok::<(), hrry::AddressError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Compressed<'a> {
    /// One for each line, and one more; fewer where the buffer is too short.
    pointers: Numbers<'a>,
    /// One for each stored element, likewise.
    indices: Numbers<'a>,
    lines: u64,
    /// Elements of a line, stored or not.
    width: u64,
    pub(super) by_column: bool,
}

/// Numbers as they are in a buffer.
type Numbers<'a> = &'a [[u8; 8]];

/// Which buffers hold what.
const INDICES: u8 = 1;
const POINTERS: u8 = 2;

impl<'a> Compressed<'a> {
    /// Of a CSR or CSC tensor and its buffers.
    ///
    /// # Errors
    ///
    /// Another layout, a dynamic dimension, another rank than 2.
    pub fn new<F: Fields + ?Sized>(d: &F, buffers: &[&'a [u8]]) -> Result<Self, AddressError> {
        let (nnz, by_column) = match d.layout() {
            Layout::Csr { nnz } => (nnz, false),
            Layout::Csc { nnz } => (nnz, true),
            layout => return Err(AddressError::Layout(layout.tag())),
        };
        let shape = d.shape();
        super::same_rank(shape, 2)?;
        super::placeable(shape)?;
        let (rows, columns) = (shape.at(0), shape.at(1));
        let (lines, width) = if by_column {
            (columns, rows)
        } else {
            (rows, columns)
        };
        Ok(Compressed {
            pointers: numbers(buffers, POINTERS, lines.saturating_add(1)),
            indices: numbers(buffers, INDICES, nnz),
            lines,
            width,
            by_column,
        })
    }

    /// The dimension that lines go along one by one: 0 for rows, 1 for columns.
    pub(super) const fn axis(&self) -> u32 {
        if self.by_column { 1 } else { 0 }
    }

    /// How many lines there are.
    #[must_use]
    pub const fn lines(&self) -> u64 {
        self.lines
    }

    /// What a line stores.
    ///
    /// # Errors
    ///
    /// A line that does not exist; pointers that fall or lead behind the stored elements (LAYOUT-31).
    #[inline]
    pub fn line(&self, line: u64) -> Result<Line<'a>, AddressError> {
        self.known(line).ok_or_else(|| self.why_not(line))
    }

    #[inline]
    fn known(&self, line: u64) -> Option<Line<'a>> {
        let at = usize::try_from(line).ok()?;
        let [first, end, ..] = self.pointers.get(at..)? else {
            return None;
        };
        let first = u64::from_le_bytes(*first);
        let end = usize::try_from(u64::from_le_bytes(*end)).ok()?;
        let indices = self.indices.get(usize::try_from(first).ok()?..end)?;
        let width = self.width;
        Some(Line {
            first,
            indices,
            width,
        })
    }

    /// What is wrong with a line that is not known.
    #[cold]
    fn why_not(&self, line: u64) -> AddressError {
        if line >= self.lines {
            let axis = self.axis();
            return AddressError::OutOfRange { axis };
        }
        let missing = line >= length(self.pointers.len());
        let entry = if missing { line } else { line.wrapping_add(1) };
        AddressError::Broken {
            buffer: POINTERS,
            entry,
        }
    }

    /// The position of an element among the values; none for one that is not stored.
    pub(super) fn find(&self, row: u64, column: u64) -> Result<Option<u64>, AddressError> {
        let (line, at) = if self.by_column {
            (column, row)
        } else {
            (row, column)
        };
        let line = self.line(line)?;
        let found = line.indices().search(at);
        Ok(found.map(|found| line.first.saturating_add(found)))
    }
}

/// The stored elements of one row or column.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    first: u64,
    indices: Numbers<'a>,
    width: u64,
}

impl<'a> Line<'a> {
    /// The position of its first element among the values.
    #[must_use]
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// Which columns, or rows, it stores; in rising order where the content rules hold.
    #[must_use]
    pub const fn indices(&self) -> U64s<'a> {
        Array::Le(self.indices.as_flattened())
    }

    /// Column, or row, of each stored element and its position among the values. It is what the buffer says,
    /// even if that is outside the matrix (LAYOUT-32).
    #[inline]
    pub fn entries(&self) -> impl Iterator<Item = (u64, u64)> + 'a {
        let indices = self.indices.iter().map(|index| u64::from_le_bytes(*index));
        indices.zip(self.first..)
    }

    /// Entry `k`, if there is one: column, or row, and position.
    pub(super) fn entry(&self, k: u64) -> Option<Result<(u64, u64), AddressError>> {
        let index = self.indices.get(usize::try_from(k).ok()?)?;
        let index = u64::from_le_bytes(*index);
        let position = self.first.saturating_add(k);
        Some(if index < self.width {
            Ok((index, position))
        } else {
            Err(AddressError::Broken {
                buffer: INDICES,
                entry: position,
            })
        })
    }
}

/// As many numbers of a buffer as are needed, or those that there are.
fn numbers<'a>(buffers: &[&'a [u8]], buffer: u8, needed: u64) -> Numbers<'a> {
    let bytes = buffers.get(usize::from(buffer)).copied().unwrap_or(&[]);
    let (numbers, _) = bytes.as_chunks();
    let needed = usize::try_from(needed).unwrap_or(usize::MAX);
    numbers.get(..needed).unwrap_or(numbers)
}
