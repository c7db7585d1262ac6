//! Layouts whose places depend on what buffers hold: sparse ones and pages.

use super::compressed::{Compressed, Line};
use super::coordinates::CoordinateList;
use super::fibres::Fibres;
use super::pages::Pages;
use super::{AddressError, Coordinates, Dense, Element, ORIGIN, Place, SubBox, inside, placeable};
use crate::model::{Array, Fields, Layout, U64s};
use crate::wire::index as slot;

/// Where the element at `index` is, in any layout; none where a sparse layout does not store it.
///
/// ADDR-01 to ADDR-11. Sorted coordinates, compressed lines and fibres are searched by halving, unsorted
/// coordinates one by one. What is found in buffers that break a content rule is some place of the values
/// or nothing.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, locate_stored};
/// let columns: Vec<u8> = [0u64, 3, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
/// let rows: Vec<u8> = [0u64, 2, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
/// let buffers = [3, 24, 24].map(|len| BufferHandle::cpu(len, 64));
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[2, 4], Layout::Csr { nnz: 3 }, &buffers);
/// let bytes: [&[u8]; 3] = [&[7, 8, 9], &columns, &rows];
/// assert_eq!(locate_stored(&spec, &bytes, &[0, 3])?.unwrap().byte, 1);
/// assert_eq!(locate_stored(&spec, &bytes, &[0, 1])?, None);
/// # Ok::<(), hrry::AddressError>(())
/// ```
///
/// # Errors
///
/// As [`locate`](crate::locate); buffers that hold less than the layout says, and pointers and page numbers
/// that lead nowhere; a block-paged tensor of several sequences with partly filled pages, whose tokens only
/// [`Pages`] can name.
pub fn locate_stored<F: Fields + ?Sized>(
    d: &F,
    buffers: &[&[u8]],
    index: &[u64],
) -> Result<Option<Element>, AddressError> {
    inside(d.shape(), index)?;
    let Some(position) = position(d, buffers, index)? else {
        return Ok(None);
    };
    let element = Place::of(d)?.element(position);
    element.map(Some).ok_or(AddressError::Outside)
}

/// The place of an element inside the shape, in elements from the first one.
pub(crate) fn position<F: Fields + ?Sized>(
    d: &F,
    buffers: &[&[u8]],
    index: &[u64],
) -> Result<Option<i128>, AddressError> {
    let at = |axis: usize| index.get(axis).copied().unwrap_or(0);
    let found = match d.layout() {
        Layout::Coo { .. } => CoordinateList::new(d, buffers)?.find(index),
        Layout::Csr { .. } | Layout::Csc { .. } => {
            Compressed::new(d, buffers)?.find(at(0), at(1))?
        }
        Layout::Csf { .. } => Fibres::new(d, buffers)?.find(index)?,
        Layout::BlockPaged(_) => {
            let pages = Pages::new(d, buffers)?;
            let (sequence, token) = pages.token(at(0))?;
            Some(pages.position(sequence, token, at(1), at(2))?)
        }
        _ => {
            let offset = Dense::of(d)?.offset(index);
            return offset.map(Some).ok_or(AddressError::Outside);
        }
    };
    Ok(found.map(i128::from))
}

/// The 64-bit numbers of a buffer; none of one that is not there.
pub(super) fn numbers<'a>(buffers: &[&'a [u8]], buffer: u8) -> U64s<'a> {
    Array::Le(buffers.get(usize::from(buffer)).copied().unwrap_or(&[]))
}

/// The elements that a sparse tensor stores: index and position among the values of each, in the order of
/// positions.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, StoredWalk};
/// let rows: Vec<u8> = [2u64, 0, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
/// let columns: Vec<u8> = [0u64, 1, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
/// let buffers = [3, 24, 24].map(|len| BufferHandle::cpu(len, 64));
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[4, 2], Layout::Csc { nnz: 3 }, &buffers);
/// let bytes: [&[u8]; 3] = [&[7, 8, 9], &rows, &columns];
/// let mut walk = StoredWalk::new(&spec, &bytes)?;
/// let mut seen = Vec::new();
/// while let Some((index, position)) = walk.next_entry()? {
///     seen.push((index.to_vec(), position));
/// }
/// assert_eq!(seen, [(vec![2, 0], 0), (vec![0, 1], 1), (vec![1, 1], 2)]);
/// # Ok::<(), hrry::AddressError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StoredWalk<'a, 'b> {
    shape: U64s<'b>,
    entries: Entries<'a, 'b>,
    index: Coordinates,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // there is no heap to put the larger one on
enum Entries<'a, 'b> {
    Listed {
        coordinates: CoordinateList<'a>,
        next: u64,
    },
    Lines {
        matrix: Compressed<'a>,
        next_line: u64,
        end_line: u64,
        /// The line that is read, the place in it, and its number.
        line: Option<(Line<'a>, u64, u64)>,
    },
    Tree {
        fibres: Fibres<'a, 'b>,
        /// Levels above the root are open up to here; 0 before the first entry and behind the last.
        depth: u32,
        started: bool,
        /// The next node of each open level, and where its siblings end.
        next: Coordinates,
        end: Coordinates,
    },
}

impl<'a, 'b> StoredWalk<'a, 'b> {
    /// In front of the first stored element of a sparse tensor.
    ///
    /// # Errors
    ///
    /// A layout that is not sparse, a dynamic dimension, fewer coordinates than the layout says.
    pub fn new<F: Fields + ?Sized>(
        d: &'b F,
        buffers: &'b [&'a [u8]],
    ) -> Result<Self, AddressError> {
        let shape = d.shape();
        placeable(shape)?;
        let entries = match d.layout() {
            Layout::Coo { .. } => Entries::Listed {
                coordinates: CoordinateList::new(d, buffers)?,
                next: 0,
            },
            Layout::Csr { .. } | Layout::Csc { .. } => {
                let matrix = Compressed::new(d, buffers)?;
                Entries::Lines {
                    next_line: 0,
                    end_line: matrix.lines(),
                    matrix,
                    line: None,
                }
            }
            Layout::Csf { .. } => Entries::Tree {
                fibres: Fibres::new(d, buffers)?,
                depth: 0,
                started: false,
                next: ORIGIN,
                end: ORIGIN,
            },
            layout => return Err(AddressError::Layout(layout.tag())),
        };
        Ok(StoredWalk {
            shape,
            entries,
            index: ORIGIN,
        })
    }

    /// The same, without the lines that lie outside a box of the shape; what other layouts store is all there.
    pub(crate) fn near<F: Fields + ?Sized>(
        d: &'b F,
        buffers: &'b [&'a [u8]],
        part: SubBox<'_>,
    ) -> Result<Self, AddressError> {
        let mut walk = StoredWalk::new(d, buffers)?;
        if let Entries::Lines {
            matrix,
            next_line,
            end_line,
            ..
        } = &mut walk.entries
        {
            let axis = matrix.axis();
            *next_line = part.offset.at(axis);
            *end_line = next_line.saturating_add(part.shape.at(axis));
        }
        Ok(walk)
    }

    /// Index and position of the next stored element; none behind the last.
    ///
    /// # Errors
    ///
    /// Coordinates outside the shape, and pointers that fall or lead behind what is stored.
    pub fn next_entry(&mut self) -> Result<Option<(&[u64], u64)>, AddressError> {
        let rank = self.shape.len();
        let position = self.step()?;
        let index = self.index.get(..rank).unwrap_or(&[]);
        Ok(position.map(|position| (index, position)))
    }

    fn step(&mut self) -> Result<Option<u64>, AddressError> {
        match &mut self.entries {
            Entries::Listed { coordinates, next } => {
                let entry = *next;
                if entry >= coordinates.len() {
                    return Ok(None);
                }
                *next = entry.wrapping_add(1);
                coordinates.index(entry, self.shape, &mut self.index)?;
                Ok(Some(entry))
            }
            Entries::Lines {
                matrix,
                next_line,
                end_line,
                line,
            } => loop {
                if let Some((stored, at, number)) = line
                    && let Some(entry) = stored.entry(*at)
                {
                    let (coordinate, position) = entry?;
                    *at = at.wrapping_add(1);
                    let mut index = [*number, coordinate];
                    if matrix.by_column {
                        index.swap(0, 1);
                    }
                    for (slot, coordinate) in self.index.iter_mut().zip(index) {
                        *slot = coordinate;
                    }
                    return Ok(Some(position));
                }
                if *next_line >= *end_line {
                    return Ok(None);
                }
                *line = Some((matrix.line(*next_line)?, 0, *next_line));
                *next_line = next_line.wrapping_add(1);
            },
            Entries::Tree {
                fibres,
                depth,
                started,
                next,
                end,
            } => {
                if !*started {
                    *started = true;
                    open(fibres, 0, 0, next, end)?;
                    *depth = 1;
                }
                while let Some(level) = depth.checked_sub(1) {
                    let (Some(node), Some(end_of)) =
                        (next.get_mut(slot(level)), end.get(slot(level)))
                    else {
                        return Ok(None);
                    };
                    if *node >= *end_of {
                        *depth = level;
                        continue;
                    }
                    let this = *node;
                    *node = this.wrapping_add(1);
                    let mode = fibres.mode(level);
                    let coordinate = fibres.coordinate(level, this, self.shape.at(mode))?;
                    if let Some(index) = self.index.get_mut(slot(mode)) {
                        *index = coordinate;
                    }
                    let below = level.wrapping_add(1);
                    if below == fibres.rank() {
                        return Ok(Some(this));
                    }
                    open(fibres, below, this, next, end)?;
                    *depth = below.wrapping_add(1);
                }
                Ok(None)
            }
        }
    }
}

/// Opens a level of a tree at the children of a node.
fn open(
    fibres: &Fibres<'_, '_>,
    level: u32,
    node: u64,
    next: &mut Coordinates,
    end: &mut Coordinates,
) -> Result<(), AddressError> {
    let (first, behind) = fibres.children(level, node)?;
    if let (Some(next), Some(end)) = (next.get_mut(slot(level)), end.get_mut(slot(level))) {
        (*next, *end) = (first, behind);
    }
    Ok(())
}
