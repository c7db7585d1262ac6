//! The tensors of a container as a sequence of composites and plain tensors.

use super::entry::Entry;
use super::order::{FileIndex, OrderedEntries};
use super::tensor::TensorView;
use super::view::FileView;
use crate::composite::{Arena, CompositeValidator, Cover, Outcome};
use crate::error::Error;
use crate::policy::Policy;

/// A tensor of a container and its place among composites.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FileItem<'a> {
    /// The tensor, or the head of a composite.
    pub tensor: TensorView<'a>,
    /// What it is to the composites around it.
    pub begins: Outcome,
    /// What its end closes.
    pub ends: Outcome,
}

/// Takes the tensors of a container in the order of their places and validates composites.
///
/// ```
/// # let file = include_bytes!("../../tests/vectors/files/f-ok-partition.hrry");
/// use hrry::{Exact, FileItems, FileView, InlineArena, Outcome, Policy};
/// let mut scratch = [0; 16];
/// let (file, index) = FileView::open_with_scratch(file, &Policy::STRICT, &mut scratch)?;
/// let mut items = FileItems::new(file, index, Exact, InlineArena::<64>::new(), Policy::STRICT);
/// let mut members = 0;
/// while let Some(item) = items.next_item()? {
///     members += u32::from(matches!(item.begins, Outcome::Member { .. }));
/// }
/// items.finish()?;
/// assert_eq!(members, 2);
/// # Ok::<(), hrry::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileItems<'a, 's, C, A> {
    file: FileView<'a>,
    entries: OrderedEntries<'a, 's>,
    policy: Policy,
    failed: Option<Error>,
    composites: CompositeValidator<C, A>,
}

impl<'a, 's, C: Cover, A: Arena> FileItems<'a, 's, C, A> {
    /// In front of the first tensor, with a way to check covers and room for it.
    pub fn new(
        file: FileView<'a>,
        index: FileIndex<'a, 's>,
        cover: C,
        arena: A,
        policy: Policy,
    ) -> Self {
        FileItems {
            file,
            entries: index.in_order(),
            policy,
            failed: None,
            composites: CompositeValidator::with_arena(cover, arena, policy),
        }
    }

    /// The next tensor; none behind the last.
    ///
    /// # Errors
    ///
    /// As [`FileView::tensor`](crate::FileView::tensor), and the COMP rules of members and covers. The
    /// error sticks.
    pub fn next_item(&mut self) -> Result<Option<FileItem<'a>>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let item = self.entries.next().map(|entry| self.take(&entry));
        let item = item.transpose();
        self.failed = item.err();
        item
    }

    fn take(&mut self, entry: &Entry<'a>) -> Result<FileItem<'a>, Error> {
        let tensor = self.file.tensor(entry, &self.policy)?;
        let view = tensor.descriptor();
        let begins = self.composites.begin(view);
        let begins = begins.map_err(|error| error.placed(Some(view)))?;
        let ends = self.composites.end();
        let ends = ends.map_err(|error| error.placed(Some(view)))?;
        Ok(FileItem {
            tensor,
            begins,
            ends,
        })
    }

    /// Tells whether the tensors may end here.
    ///
    /// # Errors
    ///
    /// COMP-48 inside a composite; the sticky error.
    pub fn finish(&self) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let end = self.file.sections().region_end();
        let finished = self.composites.finish();
        finished.map_err(|error| Error::new(error.kind, end))
    }
}
