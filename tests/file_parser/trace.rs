//! Everything that a file parser tells of a file, in a form that does not depend on the cuts.

use hrry::owned::GrowFrame;
use hrry::{
    Arena, Cover, Entry, Error, Exact, FileEnd, FileEvent, FileHeader, FileParser, KvValue,
    Outcome, Policy, Region, Storage,
};

use crate::support::vectors::Vector;

/// A parser without a capacity of its own.
pub type Growing = FileParser<GrowFrame, Exact, Vec<u64>, Vec<u64>>;

pub fn growing(policy: Policy, region: Option<Region>) -> Growing {
    FileParser::with_parts(
        GrowFrame::new(),
        Exact,
        Vec::new(),
        Vec::new(),
        policy,
        region,
    )
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Header(FileHeader),
    Descriptor {
        /// Absolute offset of the first byte.
        origin: u64,
        bytes: Vec<u8>,
        outcome: Outcome,
    },
    /// What arrived of one buffer, pieces joined.
    Buffer {
        index: u8,
        bytes: Vec<u8>,
        complete: bool,
    },
    End(Outcome),
    /// Key and value, as it prints.
    Kv(String, String),
    Entry(Listed),
}

/// An entry with a name of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    pub name: String,
    pub descriptor_offset: u64,
    pub descriptor_length: u32,
    pub data_offset: u64,
    pub data_length: u64,
    pub offset: u64,
}

impl From<Entry<'_>> for Listed {
    fn from(entry: Entry<'_>) -> Self {
        Listed {
            name: entry.name.to_owned(),
            descriptor_offset: entry.descriptor_offset,
            descriptor_length: entry.descriptor_length,
            data_offset: entry.data_offset,
            data_length: entry.data_length,
            offset: entry.offset,
        }
    }
}

/// A value with the elements of arrays.
pub fn printed(value: &KvValue<'_>) -> String {
    match value {
        KvValue::Array(array) => {
            let elements: Vec<String> = array.iter().map(|value| printed(&value)).collect();
            format!("{} of {}: {elements:?}", array.len(), array.element_tag())
        }
        value => format!("{value:?}"),
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub parts: Vec<Part>,
    /// The first error, or what `finish` says.
    pub result: Result<FileEnd, Error>,
    /// Absolute offset behind what was taken; of the error, where there is one.
    pub offset: u64,
}

/// Feeds `input` in chunks that end at `cuts`, which ascend.
pub fn trace<S: Storage, C: Cover, A: Arena, T: Arena>(
    input: &[u8],
    cuts: &[usize],
    mut parser: FileParser<S, C, A, T>,
) -> Trace {
    let mut parts = Vec::new();
    let mut start = 0;
    for end in cuts.iter().copied().chain([input.len()]) {
        if let Err(error) = push(&mut parser, &input[start..end], &mut parts) {
            let mut more = &b"HRRY"[..];
            assert_eq!(
                parser.next_event(&mut more).unwrap_err(),
                error,
                "it sticks"
            );
            assert_eq!(parser.finish().unwrap_err(), error, "it sticks");
            assert_eq!((parser.wanted(), more.len()), (0, 4));
            return Trace {
                parts,
                result: Err(error),
                offset: error.offset(),
            };
        }
        assert_eq!(parser.offset(), end as u64, "everything is taken");
        start = end;
    }
    Trace {
        parts,
        result: parser.finish(),
        offset: parser.offset(),
    }
}

/// Feeds one chunk.
pub fn push<S: Storage, C: Cover, A: Arena, T: Arena>(
    parser: &mut FileParser<S, C, A, T>,
    chunk: &[u8],
    parts: &mut Vec<Part>,
) -> Result<(), Error> {
    let mut input = chunk;
    loop {
        let before = input;
        let event = match parser.next_event(&mut input)? {
            Some(event) => event,
            None => break,
        };
        let part = match event {
            FileEvent::Header(header) => Part::Header(header),
            FileEvent::Descriptor(view, outcome) => Part::Descriptor {
                origin: hrry::Fields::origin(&view),
                bytes: view.as_bytes().to_vec(),
                outcome,
            },
            FileEvent::Payload(payload) => {
                assert!(!payload.bytes.is_empty());
                // lent, not copied
                let whole = before.as_ptr_range();
                assert!(whole.contains(&payload.bytes.as_ptr()));
                if let Some(Part::Buffer {
                    index,
                    bytes,
                    complete,
                }) = parts.last_mut()
                    && (*index, *complete) == (payload.buffer, false)
                {
                    assert_eq!(payload.offset, bytes.len() as u64);
                    bytes.extend(payload.bytes);
                    *complete = payload.last;
                    continue;
                }
                assert_eq!(payload.offset, 0);
                Part::Buffer {
                    index: payload.buffer,
                    bytes: payload.bytes.to_vec(),
                    complete: payload.last,
                }
            }
            FileEvent::TensorEnd(outcome) => Part::End(outcome),
            FileEvent::Kv(entry) => Part::Kv(entry.key.to_owned(), printed(&entry.value)),
            FileEvent::Entry(entry) => Part::Entry(entry.into()),
            other => panic!("{other:?}"),
        };
        parts.push(part);
    }
    assert!(input.is_empty(), "everything is taken");
    Ok(())
}

/// The last 40 bytes as a trailer: index_offset, index_length, kv_offset, kv_length.
pub fn trailer(bytes: &[u8]) -> Option<[u64; 4]> {
    let trailer = &bytes[bytes.len().checked_sub(40)?..];
    let word = |at: usize| u64::from_le_bytes(trailer[at..at + 8].try_into().unwrap());
    Some([word(0), word(8), word(16), word(24) & u64::from(u32::MAX)])
}

/// Where the trailer says that tensors end.
pub fn ends_at(bytes: &[u8]) -> Region {
    let [index, _, kv, _] = trailer(bytes).unwrap_or_default();
    Region::EndsAt(if kv == 0 { index } else { kv.min(index) })
}

/// How many entries the index has, if the file has such a place.
pub fn count(bytes: &[u8]) -> Option<Region> {
    let at = usize::try_from(trailer(bytes)?[0]).ok()?;
    let head = bytes.get(at..at.checked_add(8)?)?;
    Some(Region::Count(u64::from_le_bytes(head.try_into().unwrap())))
}

pub fn whole(v: &Vector) -> Trace {
    trace(&v.bytes, &[], growing(v.policy, Some(ends_at(&v.bytes))))
}
