//! Container files through everything that reads one in memory.

use hrry::{Error, Exact, FileIndex, FileItems, FileView, Policy};

/// Opens a container with all checks and takes every tensor; then asks for what is wanted.
pub fn read_with<T>(
    bytes: &[u8],
    policy: &Policy,
    ask: impl FnOnce(FileView<'_>, FileIndex<'_, '_>) -> T,
) -> Result<T, Error> {
    let view = FileView::open(bytes, policy)?;
    let mut scratch = vec![0; view.scratch_words() as usize];
    let (file, index) = FileView::open_with_scratch(bytes, policy, &mut scratch)?;
    let mut items = FileItems::new(file, index, Exact, Vec::new(), *policy);
    while items.next_item()?.is_some() {}
    items.finish()?;
    Ok(ask(file, index))
}

/// The verdict alone.
pub fn read(bytes: &[u8], policy: &Policy) -> Result<(), Error> {
    read_with(bytes, policy, |_, _| ())
}
