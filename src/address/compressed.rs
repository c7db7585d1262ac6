//! Compressed rows and columns (ADDR-08, ADDR-09).

use super::AddressError;
use crate::model::{Fields, Layout, U64s};

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
    pointers: U64s<'a>,
    indices: U64s<'a>,
    nnz: u64,
    lines: u64,
    /// Elements of a line, stored or not.
    width: u64,
    pub(super) by_column: bool,
}

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
        super::is_static(shape)?;
        let (rows, columns) = (shape.at(0), shape.at(1));
        let (lines, width) = if by_column {
            (columns, rows)
        } else {
            (rows, columns)
        };
        Ok(Compressed {
            pointers: super::stored::numbers(buffers, POINTERS),
            indices: super::stored::numbers(buffers, INDICES),
            nnz,
            lines,
            width,
            by_column,
        })
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
    pub fn line(&self, line: u64) -> Result<Line<'a>, AddressError> {
        if line >= self.lines {
            let axis = self.by_column.into();
            return Err(AddressError::OutOfRange { axis });
        }
        let broken = |entry| AddressError::Broken {
            buffer: POINTERS,
            entry,
        };
        let pointer = |entry: u64| {
            let at = usize::try_from(entry).ok();
            at.and_then(|at| self.pointers.get(at)).ok_or(broken(entry))
        };
        let next = line.wrapping_add(1);
        let (first, end) = (pointer(line)?, pointer(next)?);
        let indices = self.indices.range(first, end);
        let indices = indices.filter(|_| end <= self.nnz);
        Ok(Line {
            first,
            indices: indices.ok_or(broken(next))?,
            width: self.width,
        })
    }

    /// The position of an element among the values; none for one that is not stored.
    pub(super) fn find(&self, row: u64, column: u64) -> Result<Option<u64>, AddressError> {
        let (line, at) = if self.by_column {
            (column, row)
        } else {
            (row, column)
        };
        let line = self.line(line)?;
        let found = line.indices.search(at);
        Ok(found.map(|found| line.first.saturating_add(found)))
    }
}

/// The stored elements of one row or column.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    first: u64,
    indices: U64s<'a>,
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
        self.indices
    }

    /// Column, or row, of each stored element and its position among the values.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u64)> + 'a {
        self.indices.iter().zip(self.first..)
    }

    /// Entry `k`, if there is one: column, or row, and position.
    pub(super) fn entry(&self, k: u64) -> Option<Result<(u64, u64), AddressError>> {
        let index = self.indices.get(usize::try_from(k).ok()?)?;
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
