//! A container in ranges: into memory that is lent, and into buffers that own it.

use std::convert::Infallible;
use std::io;

use hrry::io_std::{FileReader, IoError, Source};
use hrry::owned::{Composite, Item};
use hrry::{Policy, RangeReader, ReadAt, ReadError};

use super::here::{Here, Indexed, Tensor, indexed, pairs};

/// A file that is read in ranges.
#[derive(Clone, Copy, Debug)]
struct Card<'a>(&'a [u8]);

impl Card<'_> {
    fn at(&self, offset: u64, len: usize) -> &[u8] {
        &self.0[offset as usize..][..len]
    }
}

/// The same where reading can fail.
#[derive(Clone, Copy, Debug)]
struct Disk<'a>(Card<'a>);

impl ReadAt for Card<'_> {
    type Error = Infallible;

    fn len(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Infallible> {
        into.copy_from_slice(self.at(offset, into.len()));
        Ok(())
    }
}

impl ReadAt for Disk<'_> {
    type Error = io::Error;

    fn len(&mut self) -> io::Result<u64> {
        Ok(self.0.0.len() as u64)
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        into.copy_from_slice(self.0.at(offset, into.len()));
        Ok(())
    }
}

impl Source for Disk<'_> {}

/// Through `RangeReader`, which leaves composites alone: levels are 0. `behind` is how many bytes there
/// are behind the tensors, `frame` the length of the longest descriptor.
pub fn ranges(
    bytes: &[u8],
    policy: Policy,
    behind: usize,
    frame: usize,
) -> Result<Here, ReadError<Infallible>> {
    let mut storage = vec![0; behind];
    let mut reader = RangeReader::open(Card(bytes), &mut storage, policy)?;
    let mut here = Here {
        kv: pairs(reader.kv()),
        ..Here::default()
    };
    for entry in reader.entries() {
        here.names.push(entry.name.to_owned());
        let mut descriptor = vec![0; frame.max(20)];
        let tensor = reader.tensor(&entry, &mut descriptor)?;
        let count = tensor.descriptor().buffer_count();
        let ranges: Vec<_> = (0..count).map_while(|k| tensor.place(k)).collect();
        let card = reader.source_mut();
        let buffers = ranges.into_iter().map(|range| {
            let mut buffer = vec![0; (range.end - range.start) as usize];
            card.read_at(range.start, &mut buffer)
                .map(|()| buffer)
                .unwrap_or_else(|never| match never {})
        });
        let mut tensor = Tensor::new(0, tensor.descriptor(), buffers.collect());
        tensor.set_indexed(indexed(&entry));
        here.tensors.push(tensor);
    }
    here.tensors
        .sort_by_key(|tensor| tensor.place.descriptor_offset);
    Ok(here)
}

/// Through `io_std::FileReader`: all items, and every part by its name.
pub fn owned(bytes: &[u8], policy: Policy) -> Result<Here, IoError> {
    let mut reader = FileReader::new(Disk(Card(bytes)), policy)?;
    let mut here = Here {
        names: reader.names().map(str::to_owned).collect(),
        kv: pairs(reader.kv()),
        ..Here::default()
    };
    let entries: Vec<Indexed> = reader.in_order().map(|entry| indexed(&entry)).collect();
    for item in reader.items() {
        let (name, item) = item?;
        let first = here.tensors.len();
        flat(&item, 0, &mut here.tensors);
        assert_eq!(entries[first].0, name);
    }
    assert_eq!(here.tensors.len(), entries.len());
    for (tensor, entry) in here.tensors.iter_mut().zip(entries) {
        tensor.set_indexed(entry);
    }
    for (k, tensor) in here.tensors.iter().enumerate() {
        let item = reader.read(&tensor.name)?.expect("a name of the file");
        let mut parts = Vec::new();
        flat(&item, tensor.level, &mut parts);
        let behind = here.tensors[k + 1..].iter();
        let members = behind.take_while(|part| part.level > tensor.level).count();
        let whole = here.tensors[k..=k + members].iter().map(Tensor::content);
        assert!(whole.eq(parts.iter().map(Tensor::content)));
    }
    Ok(here)
}

fn flat(item: &Item, level: u8, out: &mut Vec<Tensor>) {
    let (descriptor, buffers) = match item {
        Item::Tensor(tensor) => (
            tensor.descriptor(),
            tensor.buffers().iter().map(|b| b.to_vec()).collect(),
        ),
        Item::Composite(composite) => (composite.head(), Vec::new()),
    };
    out.push(Tensor::new(level, &descriptor.view(), buffers));
    let members = item.as_composite().map_or(&[][..], Composite::members);
    members.iter().for_each(|m| flat(m, level + 1, out));
}
