//! Each number of a container made too large by what a 32-bit target would lose of it.

use hrry::{
    Error, ErrorKind, FileView, FixedFile, Policy, RangeReader, ReadError, Region, Resource, Rule,
};

use super::{KEYS, Record, header, vector};
use crate::card::Card;

/// A file of one tensor, `near`, with its descriptor at 64 and four bytes at 4,096.
const KV: usize = 4104;
const INDEX: usize = KV + KEYS.len();
/// Behind count, length and name.
const PLACES: usize = INDEX + 8 + 2 + 4;
const TRAILER: usize = PLACES + 32;
const LEN: usize = TRAILER + 40;

const REGION: Region = Region::EndsAt(KV as u64);

/// What a reader that seeks says, and one that does not.
type Refusals = ((Rule, usize), (Rule, usize));

/// A number at an offset, its right value, and what is refused of one that is 2^32 or more above it. What is
/// behind the tensors a parser knows only by that.
#[rustfmt::skip]
const WORDS: [(usize, u64, Refusals); 8] = [
    // padding goes on to the first descriptor
    (20, 64, ((Rule::FirstDescriptor, 20), (Rule::Padding, 64))),
    (INDEX, 1, ((Rule::IndexEntries, INDEX), (Rule::IndexEntries, INDEX))),
    (PLACES, 64, ((Rule::DescriptorPlace, PLACES), (Rule::SectionOrder, PLACES))),
    (PLACES + 12, 4096, ((Rule::DataRange, PLACES + 12), (Rule::SectionOrder, PLACES + 12))),
    (PLACES + 20, 4, ((Rule::DataRange, PLACES + 12), (Rule::SectionOrder, PLACES + 12))),
    (TRAILER, INDEX as u64, ((Rule::IndexRange, TRAILER), (Rule::IndexRange, TRAILER))),
    (TRAILER + 8, 46, ((Rule::IndexRange, TRAILER), (Rule::IndexRange, TRAILER))),
    (TRAILER + 16, KV as u64, ((Rule::KvRange, TRAILER + 16), (Rule::KvRange, TRAILER + 16))),
];

/// Numbers with which a sum or a product leaves 64 bits and comes back to what is right, or near it.
#[rustfmt::skip]
const WRAPPING: [(usize, u64, Refusals); 7] = [
    (20, u64::MAX - 7, ((Rule::FirstDescriptor, 20), (Rule::Padding, 64))),
    (INDEX, (1 << 61) + 1, ((Rule::IndexEntries, INDEX), (Rule::IndexEntries, INDEX))),
    (PLACES, u64::MAX - 7, ((Rule::DescriptorPlace, PLACES), (Rule::DescriptorPlace, PLACES))),
    (PLACES + 12, u64::MAX - 4095, ((Rule::DataRange, PLACES + 12), (Rule::SectionOrder, PLACES + 12))),
    (PLACES + 20, u64::MAX - 4091, ((Rule::DataRange, PLACES + 12), (Rule::DataRange, PLACES + 12))),
    (TRAILER + 8, u64::MAX - INDEX as u64 + 9, ((Rule::IndexRange, TRAILER), (Rule::IndexRange, TRAILER))),
    (TRAILER + 16, u64::MAX - 7, ((Rule::KvRange, TRAILER + 16), (Rule::KvRange, TRAILER + 16))),
];

/// What is added to a right value: its low half stays. The interpreter has time for one.
#[cfg(not(miri))]
const HIGH: [u64; 4] = [1 << 32, 1 << 33, (1 << 48) | (1 << 32), 1 << 63];
#[cfg(miri)]
const HIGH: [u64; 1] = [1 << 32];

// on a small target its frame must not be part of its caller's
#[inline(never)]
pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    let mut record = Record::<LEN>::new();
    fill(&mut record);
    let file = &mut record.bytes;
    let right = |(at, right, _): &(usize, u64, Refusals)| file[*at..*at + 8] == right.to_le_bytes();
    let whole = seeking(file).is_ok() && pushed(file, Some(REGION)).is_ok();
    check("far: a file to change", whole && WORDS.iter().all(right));
    let above = WORDS.into_iter().all(|(at, right, refusals)| {
        let refused = |high| refused(file, at, right + high, refusals);
        HIGH.into_iter().all(refused)
    });
    check("far: the low half is right", above);
    let wrapping = WRAPPING
        .into_iter()
        .all(|(at, value, refusals)| refused(file, at, value, refusals));
    check("far: sums beyond 64 bits", wrapping);
    check("far: a hint is whole", hint(file));
    check("far: a buffer longer than the file", long_buffer(file));
    check("far: lengths of 32 bits", lengths(file));
    check("far: values longer than memory", values(file));
    check("far: nothing was left changed", seeking(file).is_ok());
}

fn fill(record: &mut Record<LEN>) {
    record.put(&header(u64::MAX));
    record.put(&vector(4));
    record.len = 4096;
    record.put(b"near");
    record.len = KV;
    record.put(&KEYS);
    record.word(1);
    record.entry("near", 64, 4096, 4);
    record.trailer(INDEX as u64, 46, KV as u64);
}

/// What both readers say that seek; they must agree.
fn seeking(file: &[u8]) -> Result<(), Error> {
    let policy = Policy::STRICT;
    let view = FileView::open(file, &policy).and_then(|view| {
        let entry = view.find("near").expect("it is there");
        view.tensor(&entry, &policy).map(drop)
    });
    let (mut storage, mut room) = ([0; 128], [0; 64]);
    let ranges = RangeReader::open(Card(file), &mut storage, policy).and_then(|mut reader| {
        let entry = reader.find("near").expect("it is there");
        reader.tensor(&entry, &mut room).map(drop)
    });
    assert_eq!(view.map_err(ReadError::Refused), ranges);
    view
}

fn pushed(file: &[u8], region: Option<Region>) -> Result<(), Error> {
    let mut parser = FixedFile::<128, 8, 8>::new(Policy::STRICT, region);
    let mut chunk = file;
    while parser.next_event(&mut chunk)?.is_some() {}
    parser.finish().map(drop)
}

/// Whether a rule is broken at an offset.
fn broken(result: Result<(), Error>, (rule, offset): (Rule, usize)) -> bool {
    result.is_err_and(|error| error.rule() == Some(rule) && error.offset() == offset as u64)
}

/// Changes bytes, looks, and puts them back.
fn with<const N: usize>(
    file: &mut [u8; LEN],
    at: usize,
    bytes: [u8; N],
    look: impl FnOnce(&mut [u8; LEN]) -> bool,
) -> bool {
    let Some(place) = file[at..].first_chunk_mut::<N>() else {
        return false;
    };
    let before = core::mem::replace(place, bytes);
    let held = look(file);
    file[at..at + N].copy_from_slice(&before);
    held
}

fn refused(file: &mut [u8; LEN], at: usize, value: u64, (seeks, parses): Refusals) -> bool {
    with(file, at, value.to_le_bytes(), |file| {
        broken(seeking(file), seeks) && broken(pushed(file, Some(REGION)), parses)
    })
}

/// A hint is one only where nothing follows from it; to a parser it counts.
fn hint(file: &mut [u8; LEN]) -> bool {
    let hinted = |file: &mut [u8; LEN], hint: u64, held: fn(&[u8]) -> bool| {
        with(file, 28, hint.to_le_bytes(), |file| {
            seeking(file).is_ok() && held(file)
        })
    };
    hinted(file, 1, |file| pushed(file, None).is_ok())
        // another tensor must follow, not keys
        && hinted(file, (1 << 32) + 1, |file| broken(pushed(file, None), (Rule::Padding, KV)))
}

/// Shape and `byte_size` agree, and the data end behind the file.
fn long_buffer(file: &mut [u8; LEN]) -> bool {
    HIGH.into_iter().all(|high| {
        let descriptor = vector(high + 4);
        with(file, 64, descriptor, |file| {
            let counted = Some(Region::Count(1));
            broken(seeking(file), (Rule::DataRange, PLACES + 12))
                && broken(pushed(file, Some(REGION)), (Rule::RegionEnd, KV))
                && broken(pushed(file, counted), (Rule::FileLength, LEN))
        })
    })
}

/// `descriptor_length` and `kv_length`, whose ends are beyond 32 bits.
fn lengths(file: &mut [u8; LEN]) -> bool {
    let longest = u32::MAX.to_le_bytes();
    with(file, PLACES + 8, longest, |file| {
        broken(seeking(file), (Rule::DescriptorPlace, PLACES))
            && broken(pushed(file, Some(REGION)), (Rule::SectionOrder, PLACES))
    }) && with(file, TRAILER + 24, longest, |file| {
        let refusal = (Rule::KvRange, TRAILER + 16);
        broken(seeking(file), refusal) && broken(pushed(file, Some(REGION)), refusal)
    })
}

/// A text of 2^32 - 1 bytes, and as many numbers; `needed` counts the entry from the length of its key on.
fn values(file: &mut [u8; LEN]) -> bool {
    let most = u64::from(u32::MAX);
    let text = *b"\x01\0k\x01\xFF\xFF\xFF\xFF";
    let numbers = *b"\x01\0k\x07\x03\xFF\xFF\xFF\xFF";
    let front = KV + 4;
    let frame = |result: Result<(), Error>, needed: u64| {
        let kind = ErrorKind::Capacity {
            what: Resource::Frame,
            needed,
            available: 128,
        };
        result.is_err_and(|error| error.kind() == kind && error.offset() == front as u64)
    };
    with(file, front, text, |file| {
        broken(seeking(file), (Rule::KvEntries, front + 8))
            && frame(pushed(file, Some(REGION)), 8 + most)
    }) && with(file, front, numbers, |file| {
        broken(seeking(file), (Rule::KvEntries, front + 9))
            && frame(pushed(file, Some(REGION)), 9 + 8 * most)
    })
}
