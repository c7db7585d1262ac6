//! A container in ranges gives what it gives in memory.

use std::convert::Infallible;

use hrry::{
    Error, ErrorKind, FileTensor, FileView, Policy, RangeReader, ReadAt, ReadError, TensorView,
};

/// A source that counts reads and refuses what it was promised not to be asked for.
pub struct Counted<'a> {
    pub bytes: &'a [u8],
    pub reads: u32,
}

impl<'a> Counted<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Counted { bytes, reads: 0 }
    }
}

impl ReadAt for Counted<'_> {
    type Error = Infallible;

    fn len(&mut self) -> Result<u64, Infallible> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Infallible> {
        self.reads += 1;
        let start = offset as usize;
        into.copy_from_slice(&self.bytes[start..start + into.len()]);
        Ok(())
    }
}

pub fn refused<T>(result: Result<T, ReadError<Infallible>>) -> Result<T, Error> {
    result.map_err(|error| match error {
        ReadError::Refused(error) => error,
        other => panic!("{other}"),
    })
}

/// Asserts it for storage of some size, or of the size that the reader asks for; returns whether the
/// container was opened.
pub fn assert_same(bytes: &[u8], policy: &Policy, room: usize) -> bool {
    let view = FileView::open(bytes, policy);
    let mut storage = vec![0xA5; room];
    let mut opened = refused(RangeReader::open(
        Counted::new(bytes),
        &mut storage,
        *policy,
    ));
    let mut larger;
    if let Err(error) = &opened
        && let ErrorKind::Capacity { needed, .. } = error.kind()
    {
        assert!(room < needed as usize && needed <= bytes.len() as u64);
        larger = vec![0xA5; needed as usize];
        opened = refused(RangeReader::open(Counted::new(bytes), &mut larger, *policy));
    }
    match (&view, opened) {
        (Ok(view), Ok(mut reader)) => {
            assert_same_contents(view, &mut reader, policy);
            true
        }
        (view, opened) => {
            assert_eq!(
                opened.map(drop),
                view.as_ref().map(drop).map_err(|error| *error)
            );
            false
        }
    }
}

fn assert_same_contents(
    view: &FileView<'_>,
    reader: &mut RangeReader<'_, Counted<'_>>,
    policy: &Policy,
) {
    assert_eq!(
        (reader.header(), reader.trailer()),
        (view.header(), view.trailer())
    );
    assert!(reader.kv().eq(view.kv()));
    let entries: Vec<_> = view.entries().collect();
    assert!(reader.entries().eq(entries.iter().copied()));
    let words = view.scratch_words();
    assert_eq!(reader.scratch_words(), words);
    let mut scratch = vec![0; 2 * words as usize];
    let (here, there) = scratch.split_at_mut(words as usize);
    match (view.index(policy, here), reader.index(policy, there)) {
        (Ok(here), Ok(there)) => assert!(here.in_order().eq(there.in_order())),
        (here, there) => assert_eq!(there.map(drop), here.map(drop)),
    }
    for entry in &entries {
        // a header where the entry says less
        let mut storage = vec![0xA5; entry.descriptor_length.max(20) as usize];
        let there = refused(reader.tensor(entry, &mut storage));
        match (view.tensor(entry, policy), there) {
            (Ok(here), Ok(there)) => assert_same_tensor(&here, &there, reader),
            (here, there) => assert_eq!(there.map(drop), here.map(drop)),
        }
    }
}

fn assert_same_tensor(
    here: &TensorView<'_>,
    there: &FileTensor<'_>,
    reader: &mut RangeReader<'_, Counted<'_>>,
) {
    assert_eq!(here.descriptor().as_bytes(), there.descriptor().as_bytes());
    for (k, bytes) in here.buffers().enumerate() {
        let place = there.place(k).expect("it has that buffer");
        let mut read = vec![0xA5; (place.end - place.start) as usize];
        reader.source_mut().read_at(place.start, &mut read).unwrap();
        assert_eq!(read, bytes);
    }
    assert_eq!(there.place(here.descriptor().buffer_count()), None);
}
