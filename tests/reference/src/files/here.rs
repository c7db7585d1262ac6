//! A container as `hrry` reads and writes it, the whole in memory.

use hrry::owned::GrowFrame;
use hrry::{
    DescriptorView, Entry, Exact, FileItems, FileOptions, FileView, FileWriter, KvEntry, Outcome,
    Policy, Sink, WriteError,
};

use super::container::{Container, Place};
use super::kv::{Pairs, Value, with_entries};

/// A container as a reader here read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// In the order of the index.
    pub names: Vec<String>,
    /// In the order of the file.
    pub tensors: Vec<Tensor>,
    pub kv: Pairs,
}

/// A tensor, or a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    pub name: String,
    pub place: Place,
    /// How many composites are around it.
    pub level: u8,
    pub descriptor: Vec<u8>,
    pub buffers: Vec<Vec<u8>>,
}

/// The name of a tensor, and where the index says it is.
pub type Indexed = (String, Place);

/// What the index says, as if the tensor had buffers.
pub fn indexed(entry: &Entry<'_>) -> Indexed {
    let place = Place {
        descriptor_offset: entry.descriptor_offset,
        descriptor_length: entry.descriptor_length.into(),
        data_offset: Some(entry.data_offset),
        data_length: entry.data_length,
    };
    (entry.name.to_owned(), place)
}

impl Tensor {
    /// A tensor of which the index has not been asked yet.
    pub fn new(level: u8, descriptor: &DescriptorView<'_>, buffers: Vec<Vec<u8>>) -> Self {
        let nowhere = Place {
            descriptor_offset: 0,
            descriptor_length: 0,
            data_offset: None,
            data_length: 0,
        };
        Tensor {
            name: String::new(),
            place: nowhere,
            level,
            descriptor: descriptor.as_bytes().to_vec(),
            buffers,
        }
    }

    /// Adds what the index says.
    pub fn set_indexed(&mut self, (name, mut place): Indexed) {
        if self.buffers.is_empty() {
            place.data_offset = None;
        }
        (self.name, self.place) = (name, place);
    }

    /// What the file itself says.
    pub fn content(&self) -> (u8, &[u8], &[Vec<u8>]) {
        (self.level, &self.descriptor, &self.buffers)
    }
}

/// How many composites are around an item that begins so.
pub fn level(begins: Outcome) -> u8 {
    match begins {
        Outcome::Plain => 0,
        Outcome::Opened { depth, .. } => depth - 1,
        Outcome::Member { depth, .. } => depth,
        other => panic!("no item begins so: {other:?}"),
    }
}

/// Through `FileView`, with names and ranges checked and composites validated.
pub fn view(bytes: &[u8], policy: Policy) -> Result<Here, hrry::Error> {
    let words = FileView::open(bytes, &policy)?.scratch_words();
    let mut scratch = vec![0; words as usize];
    let (file, index) = FileView::open_with_scratch(bytes, &policy, &mut scratch)?;
    let mut here = Here {
        kv: pairs(file.kv()),
        ..Here::default()
    };
    for entry in file.entries() {
        assert_eq!(index.find(entry.name), Some(entry));
        assert_eq!(file.find(entry.name), Some(entry));
        here.names.push(entry.name.to_owned());
    }
    let mut items = FileItems::new(file, index, Exact, Vec::new(), policy);
    while let Some(item) = items.next_item()? {
        let buffers: Vec<Vec<u8>> = item.tensor.buffers().map(<[u8]>::to_vec).collect();
        let mut tensor = Tensor::new(level(item.begins), item.tensor.descriptor(), buffers);
        tensor.set_indexed(indexed(item.tensor.entry()));
        here.tensors.push(tensor);
    }
    items.finish()?;
    Ok(here)
}

/// Keys and values as they were read.
pub fn pairs<'a>(entries: impl Iterator<Item = KvEntry<'a>>) -> Pairs {
    entries
        .map(|entry| (entry.key.to_owned(), Value::read_here(entry.value)))
        .collect()
}

/// Writes a container here. An index in the order of names is promised where they ascend.
pub fn we_write(
    container: &Container,
    policy: Policy,
) -> Result<Vec<u8>, WriteError<<Vec<u8> as Sink>::Error>> {
    let mut options = FileOptions::PLAIN;
    options.data_buffer_alignment = container.alignment;
    options.has_kv_metadata = !container.kv.is_empty();
    options.is_sorted = container.sorted && container.ascends();
    let (index, arena) = (GrowFrame::new(), Vec::new());
    let mut writer = FileWriter::with_parts(Vec::new(), &options, index, Exact, arena, policy)?;
    for part in container.parts() {
        let slices: Vec<&[u8]> = part.buffers.iter().map(Vec::as_slice).collect();
        part.plan
            .with_spec(|spec| writer.tensor(part.name, spec, &slices))?;
    }
    let finished = with_entries(&container.kv, |entries| {
        writer.finish_with_kv(entries.iter().copied())
    });
    let (bytes, len) = finished?;
    assert_eq!(bytes.len() as u64, len);
    Ok(bytes)
}
