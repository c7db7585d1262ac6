//! What each of the readers makes of the same bytes.

use hrry::{
    Error, Exact, FileEvent, FileItems, FileView, FixedFile, InlineArena, Policy, RangeReader,
    ReadAt, ReadError, Region, Unchecked,
};

use super::contents::{Contents, Fold};
use crate::card::Card;

/// What a reader told of a container, or why it refused.
pub type Verdict = Result<u64, Error>;

/// A container in one slice, tensor by tensor.
pub fn in_memory(bytes: &[u8], policy: &Policy, words: &mut [u64]) -> Verdict {
    let (file, index) = FileView::open_with_scratch(bytes, policy, words)?;
    let mut contents = Contents::new();
    for entry in index.in_order() {
        let tensor = file.tensor(&entry, policy)?;
        let mut fold = Fold::tensor(tensor.descriptor());
        tensor.buffers().for_each(|bytes| fold.bytes(bytes));
        contents.tensor(fold);
    }
    contents.directory(&file);
    Ok(contents.sum())
}

/// Whether the composites of a container in one slice are right.
pub fn composites(bytes: &[u8], policy: &Policy, words: &mut [u64]) -> Result<(), Error> {
    let (file, index) = FileView::open_with_scratch(bytes, policy, words)?;
    let mut items = FileItems::new(file, index, Exact, InlineArena::<64>::new(), *policy);
    while items.next_item()?.is_some() {}
    items.finish()
}

/// A container in ranges, tensor by tensor.
pub fn in_ranges(
    bytes: &[u8],
    policy: &Policy,
    storage: &mut [u8; 512],
    words: &mut [u64],
) -> Verdict {
    let mut read = || -> Result<u64, ReadError<()>> {
        let mut file = RangeReader::open(Card(bytes), storage, *policy)?;
        let index = file.index(policy, words)?;
        let mut contents = Contents::new();
        for entry in index.in_order() {
            let mut room = [0; 512];
            let tensor = file.tensor(&entry, &mut room)?;
            let mut fold = Fold::tensor(tensor.descriptor());
            for mut place in (0..).map_while(|k| tensor.place(k)) {
                while !place.is_empty() {
                    let mut piece = [0; 32];
                    let len = (place.end - place.start).min(32);
                    let piece = &mut piece[..len as usize];
                    let read = file.source_mut().read_at(place.start, piece);
                    read.map_err(ReadError::Source)?;
                    fold.bytes(piece);
                    place.start += len;
                }
            }
            contents.tensor(fold);
        }
        contents.directory(&file);
        Ok(contents.sum())
    };
    read().map_err(|error| match error {
        ReadError::Refused(error) => error,
        _ => unreachable!("it was asked for bytes behind the file"),
    })
}

/// A container front to back, in pieces of `cut` bytes; and what was left unchecked.
pub fn pushed(
    bytes: &[u8],
    policy: &Policy,
    region: Region,
    cut: usize,
) -> Result<(u64, Unchecked), Error> {
    let mut parser = FixedFile::<512, 64, 64>::new(*policy, Some(region));
    let mut contents = Contents::new();
    let mut tensor = Fold::new();
    for mut chunk in bytes.chunks(cut) {
        while let Some(event) = parser.next_event(&mut chunk)? {
            match event {
                FileEvent::Header(header) => contents.header(&header),
                FileEvent::Descriptor(descriptor, _) => tensor = Fold::tensor(&descriptor),
                FileEvent::Payload(payload) => tensor.bytes(payload.bytes),
                FileEvent::TensorEnd(_) => contents.tensor(tensor),
                FileEvent::Kv(entry) => contents.kv(&entry),
                FileEvent::Entry(entry) => contents.entry(&entry),
                _ => unreachable!("an event that the trace does not know"),
            }
        }
    }
    let end = parser.finish()?;
    contents.trailer(&end.trailer);
    Ok((contents.sum(), end.unchecked))
}
