//! Containers front to back and in ranges, against the same in memory.

use std::convert::Infallible;

use hrry::owned::GrowFrame;
use hrry::{
    Error, Exact, Fields, FileEvent, FileItems, FileOptions, FileParser, FileView, InlineArena,
    Policy, RangeReader, ReadAt, ReadError, Region, Rule, Unchecked,
};

use crate::container::{damage, whole, writer};
use crate::source::{Source, next, seed};

/// See `file_view`: data of tensors is far for a fuzzer.
const DATA: usize = 4096;
const KEPT: usize = 128;

/// Panics where the ways differ.
pub fn file_push_vs_view(data: &[u8]) {
    if data.starts_with(b"HRRYFILE") {
        compare(data, &[]);
        if let Some((front, behind)) = data.split_at_checked(KEPT) {
            let mut stretched = front.to_vec();
            stretched.resize(DATA, 0);
            stretched.extend(behind);
            compare(&stretched, &[]);
        }
        return;
    }
    let mut source = Source::new(data);
    let mut bytes = whole(&mut source);
    let known = regions(&bytes);
    assert!(is_in_turn(&bytes));
    if source.chance(4) {
        return compare(&bytes, &known);
    }
    damage(&mut bytes, &mut source);
    compare(&bytes, &known);
}

/// Where tensors end, as a caller knows who looked at the trailer and the index.
fn regions(bytes: &[u8]) -> Vec<Region> {
    match FileView::open(bytes, &Policy::PERMISSIVE) {
        Ok(view) => vec![
            Region::EndsAt(view.region_end()),
            Region::Count(view.tensor_count()),
        ],
        Err(_) => Vec::new(),
    }
}

fn compare(bytes: &[u8], known: &[Region]) {
    let mut regions = regions(bytes);
    let own = regions.len();
    regions.extend(
        known
            .iter()
            .filter(|known| !regions.contains(known))
            .copied()
            .collect::<Vec<_>>(),
    );
    let in_turn = is_in_turn(bytes);
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        in_ranges(bytes, &policy);
        let contents = in_memory(bytes, &policy);
        for (k, region) in regions.iter().enumerate() {
            let expected = in_turn && k < own;
            front_to_back(bytes, policy, *region, contents.as_ref(), expected);
        }
    }
}

/// What a container holds: keys, and tensors in the order of the index.
#[derive(Debug, PartialEq)]
struct Contents {
    keys: Vec<String>,
    tensors: Vec<Tensor>,
}

#[derive(Clone, Debug, PartialEq)]
struct Tensor {
    name: String,
    descriptor: Vec<u8>,
    buffers: Vec<Vec<u8>>,
}

fn in_memory(bytes: &[u8], policy: &Policy) -> Result<Contents, Error> {
    // an entry has more than two words, a key more than one byte
    let mut scratch = vec![0xA5; bytes.len()];
    let (file, index) = FileView::open_with_scratch(bytes, policy, &mut scratch)?;
    let mut items = FileItems::new(file, index, Exact, Vec::new(), *policy);
    while items.next_item()?.is_some() {}
    items.finish()?;
    let tensor = |entry: hrry::Entry<'_>| {
        let tensor = file.tensor(&entry, policy).expect("it was an item");
        Tensor {
            name: entry.name.to_owned(),
            descriptor: tensor.descriptor().as_bytes().to_vec(),
            buffers: tensor.buffers().map(<[u8]>::to_vec).collect(),
        }
    };
    Ok(Contents {
        keys: file.kv().map(|entry| printed(&entry)).collect(),
        tensors: file.entries().map(tensor).collect(),
    })
}

fn printed(entry: &hrry::KvEntry<'_>) -> String {
    match &entry.value {
        hrry::KvValue::Array(array) => {
            let elements: Vec<_> = array.iter().collect();
            format!("{:?} {} {elements:?}", entry.key, array.element_tag())
        }
        value => format!("{:?} {value:?}", entry.key),
    }
}

struct Slice<'a>(&'a [u8]);

impl ReadAt for Slice<'_> {
    type Error = Infallible;

    fn len(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Infallible> {
        let start = offset as usize;
        into.copy_from_slice(&self.0[start..start + into.len()]);
        Ok(())
    }
}

/// Ranges give the same, errors included.
fn in_ranges(bytes: &[u8], policy: &Policy) {
    let view = FileView::open(bytes, policy);
    let mut storage = vec![0xA5; bytes.len()];
    let reader = RangeReader::open(Slice(bytes), &mut storage, *policy);
    let (view, mut reader) = match (view, reader) {
        (Ok(view), Ok(reader)) => (view, reader),
        (Err(here), Err(ReadError::Refused(there))) => return assert_eq!(here, there),
        (here, there) => panic!("in memory {here:?}, in ranges {:?}", there.map(drop)),
    };
    assert_eq!(reader.header(), view.header());
    assert_eq!(reader.trailer(), view.trailer());
    assert!(reader.kv().eq(view.kv()));
    assert!(reader.entries().eq(view.entries()));
    let mut words = vec![0xA5; 2 * view.scratch_words() as usize];
    let (here, there) = words.split_at_mut(view.scratch_words() as usize);
    match (view.index(policy, here), reader.index(policy, there)) {
        (Ok(here), Ok(there)) => assert!(here.in_order().eq(there.in_order())),
        (here, there) => assert_eq!(here.map(drop), there.map(drop)),
    }
    for entry in view.entries() {
        let mut storage = vec![0xA5; entry.descriptor_length.max(20) as usize];
        match (
            view.tensor(&entry, policy),
            reader.tensor(&entry, &mut storage),
        ) {
            (Ok(here), Ok(there)) => {
                let descriptor = here.descriptor();
                assert_eq!(descriptor.as_bytes(), there.descriptor().as_bytes());
                for (k, buffer) in here.buffers().enumerate() {
                    let place = there.place(k).expect("it has that buffer");
                    assert_eq!(&bytes[place.start as usize..place.end as usize], buffer);
                }
            }
            (Err(here), Err(ReadError::Refused(there))) => assert_eq!(here, there),
            (here, there) => panic!("in memory {here:?}, in ranges {there:?}"),
        }
    }
}

/// Who accepts front to back accepts the same in memory, but for what was said to be open; what `in_turn` is
/// accepted.
fn front_to_back(
    bytes: &[u8],
    policy: Policy,
    region: Region,
    contents: Result<&Contents, &Error>,
    in_turn: bool,
) {
    macro_rules! parser {
        ($places:expr) => {
            FileParser::with_parts(
                GrowFrame::new(),
                Exact,
                Vec::new(),
                $places,
                policy,
                Some(region),
            )
        };
    }
    let (told, result) = push(bytes, usize::MAX, parser!(Vec::new()));
    match (&result, contents) {
        (Ok(_), Ok(contents)) => assert_eq!(&told, contents, "{region:?}"),
        (Ok(open), Err(error)) => assert!(is_open(open, error), "{region:?}: {error:?} {open:?}"),
        (Err(error), _) => assert!(!in_turn, "{region:?}: {error:?}"),
    }
    let most = [8, 100, 2000][seed(bytes) as usize % 3];
    let (cut, same) = push(bytes, most, parser!(Vec::new()));
    assert_eq!((&cut, same), (&told, result), "{region:?}");
    let (_, blind) = push(bytes, usize::MAX, parser!(InlineArena::<6>::new()));
    match (blind, contents) {
        (Ok(open), Err(error)) => assert!(is_open(&open, error), "{region:?}: {error:?} {open:?}"),
        (Err(error), _) => assert!(result.is_err(), "{region:?}: {error:?}"),
        _ => {}
    }
}

/// Whether what was refused was said to be unchecked.
fn is_open(open: &Unchecked, error: &Error) -> bool {
    match error.rule() {
        Some(Rule::EntryName) => open.names,
        Some(Rule::KvKey) => open.keys,
        Some(Rule::SectionOrder) => open.ranges,
        Some(Rule::IndexChecksum) => open.checksum,
        _ => open.tensors,
    }
}

/// What a parser tells of a container that arrives in pieces of at most so many bytes.
fn push<A: hrry::Arena>(
    bytes: &[u8],
    most: usize,
    mut parser: FileParser<GrowFrame, Exact, Vec<u64>, A>,
) -> (Contents, Result<Unchecked, Error>) {
    let mut met: Vec<(u64, Tensor)> = Vec::new();
    let mut contents = Contents {
        keys: Vec::new(),
        tensors: Vec::new(),
    };
    let mut state = seed(bytes);
    let mut rest = bytes;
    while !rest.is_empty() {
        let len = 1 + next(&mut state) as usize % most;
        let (mut chunk, later) = rest.split_at(len.min(rest.len()));
        rest = later;
        loop {
            match parser.next_event(&mut chunk) {
                Ok(None) => break assert!(chunk.is_empty()),
                Ok(Some(event)) => note(event, &mut met, &mut contents),
                Err(error) => {
                    assert_eq!(parser.next_event(&mut chunk).unwrap_err(), error);
                    assert_eq!(parser.finish(), Err(error));
                    return (contents, Err(error));
                }
            }
        }
    }
    (contents, parser.finish().map(|end| end.unchecked))
}

fn note(event: FileEvent<'_, '_>, met: &mut Vec<(u64, Tensor)>, contents: &mut Contents) {
    match event {
        FileEvent::Descriptor(view, _) => met.push((
            view.origin(),
            Tensor {
                name: String::new(),
                descriptor: view.as_bytes().to_vec(),
                buffers: vec![Vec::new(); view.buffer_count()],
            },
        )),
        FileEvent::Payload(payload) => {
            let (_, tensor) = met.last_mut().expect("a descriptor comes first");
            let buffer = &mut tensor.buffers[usize::from(payload.buffer)];
            assert_eq!(payload.offset, buffer.len() as u64);
            buffer.extend_from_slice(payload.bytes);
        }
        FileEvent::Kv(entry) => contents.keys.push(printed(&entry)),
        FileEvent::Entry(entry) => {
            let mut met = met.iter();
            let tensor = met.find(|(origin, _)| *origin == entry.descriptor_offset);
            // without room an entry may name anything
            contents.tensors.extend(tensor.map(|(_, tensor)| Tensor {
                name: entry.name.to_owned(),
                ..tensor.clone()
            }));
        }
        _ => {}
    }
}

/// Whether everything in front of the index is as a writer puts it: tensors at the next place, zeros between.
fn is_in_turn(bytes: &[u8]) -> bool {
    rewritten(bytes).is_some_and(|(index, again)| bytes[64..index] == again[64..index])
}

/// The container written again, and where the index starts in both; none where it is not accepted.
fn rewritten(bytes: &[u8]) -> Option<(usize, Vec<u8>)> {
    let policy = Policy::STRICT;
    in_memory(bytes, &policy).ok()?;
    let mut scratch = vec![0; bytes.len()];
    let (file, index) = FileView::open_with_scratch(bytes, &policy, &mut scratch).ok()?;
    let mut options = FileOptions::PLAIN;
    options.data_buffer_alignment = file.header().data_buffer_alignment;
    options.has_kv_metadata = file.trailer().kv_offset > 0;
    // only an announcement tells no keys from an index of no tensors
    let told = file.header().has_kv_metadata() || file.tensor_count() > 0 || file.kv().count() > 0;
    if options.has_kv_metadata && !told || file.header().first_descriptor_offset != 64 {
        return None;
    }
    let mut writer = writer(&options);
    for entry in index.in_order() {
        let tensor = file.tensor(&entry, &policy).ok()?;
        let buffers: Vec<&[u8]> = tensor.buffers().collect();
        // a writer may refuse what readers take, such as handles that ask for more than the file gives
        writer
            .tensor(entry.name, tensor.descriptor(), &buffers)
            .ok()?;
    }
    let (sink, _) = match options.has_kv_metadata {
        true => writer.finish_with_kv(file.kv()).ok()?,
        false => writer.finish().ok()?,
    };
    let again = FileView::open(&sink.0, &policy).expect("it was written");
    let place = |file: &FileView<'_>| file.trailer().index_offset as usize;
    (place(&again) == place(&file)).then(|| (place(&file), sink.0.clone()))
}
