//! Drives the library over a container file: its directory, then its tensors in the order of their places.

use std::fs::File;
use std::io;

use hrry::io_std::random_key;
use hrry::{
    CompositeValidator, Entry, Error, ErrorKind, Event, ExactThenKeyed, FileTensor, Mode, Payload,
    Policy, RangeReader, ReadAt, ReadError, Resource,
};

use super::places::Places;
use super::read::{CHUNK, Problem, Stop, Summary, Visit};

type Reader<'s> = RangeReader<'s, File>;

/// Reads a container; of the data only what the visitor asks for.
pub fn read(file: File, policy: &Policy, visit: &mut impl Visit) -> Result<Summary, Stop> {
    let mut storage = Vec::new();
    let mut reader = open(file, &mut storage, policy)?;
    let directory = *reader;
    let mut scratch = Vec::new();
    grow(&mut scratch, reader.scratch_words())?;
    let index = directory.index(policy, &mut scratch).map_err(refused)?;
    visit.directory(&directory)?;

    let key = random_key().map_err(Problem::input)?;
    let mut composites = CompositeValidator::with_arena(ExactThenKeyed(key), Vec::new(), *policy);
    let mut places = Places::default();
    let mut bytes = Vec::new();
    for entry in index.in_order() {
        let tensor = tensor(&mut reader, entry, &mut bytes)?;
        let view = *tensor.descriptor();
        let placed = |error: hrry::SetError| refused(error.placed(Some(&view)));
        let begins = composites.begin(&view).map_err(placed)?;
        let event = Event::Descriptor(view, begins);
        places.event(&event, Some(&entry), policy, visit)?;
        if visit.wants_payload() {
            payload(reader.source_mut(), &tensor, visit)?;
        }
        let ends = composites.end().map_err(placed)?;
        places.event(&Event::TensorEnd(ends), None, policy, visit)?;
    }
    match composites.finish() {
        Err(_) if policy.mode == Mode::Permissive => places.torn(visit)?,
        Err(error) => {
            let end = directory.region_end();
            return Err(Stop::Problem(Problem {
                rule: error.kind.rule(),
                offset: Some(end),
                message: format!("{error} at byte {end}"),
                early: false,
            }));
        }
        Ok(()) => {}
    }
    visit.index()?;
    for entry in directory.entries() {
        let tensor = tensor(&mut reader, entry, &mut bytes)?;
        visit.entry(&entry, tensor.descriptor())?;
    }
    places.summary.bytes = reader.source_mut().len().map_err(Problem::input)?;
    Ok(places.summary)
}

/// Room for an index that most files have.
const ROOM: u64 = 64 * 1024;

/// Opens a container, with more room where its index needs that; the index lies in the file, so the file is
/// as long.
fn open<'s>(file: File, storage: &'s mut Vec<u8>, policy: &Policy) -> Result<Reader<'s>, Stop> {
    grow(storage, ROOM)?;
    let again = file.try_clone().map_err(Problem::input)?;
    let needed = match RangeReader::open(file, storage, *policy) {
        Ok(_) => ROOM,
        Err(ReadError::Refused(error)) => capacity(&error).ok_or_else(|| refused(error))?,
        Err(error) => return Err(stopped(error)),
    };
    grow(storage, needed)?;
    RangeReader::open(again, storage, *policy).map_err(stopped)
}

/// Reads the descriptor of an entry.
fn tensor<'t>(
    reader: &mut Reader<'_>,
    entry: Entry<'t>,
    bytes: &'t mut Vec<u8>,
) -> Result<FileTensor<'t>, Stop> {
    // the library reads a whole header, whatever the index says
    grow(bytes, u64::from(entry.descriptor_length).max(20))?;
    reader.tensor(&entry, bytes).map_err(stopped)
}

/// Shows the visitor the data of a tensor.
fn payload(file: &mut File, tensor: &FileTensor<'_>, visit: &mut impl Visit) -> Result<(), Stop> {
    let mut chunk = vec![0; CHUNK];
    for buffer in 0..tensor.descriptor().buffer_count() {
        let place = tensor.place(buffer).unwrap_or_default();
        let mut at = place.start;
        while at < place.end {
            let len = (place.end - at).min(CHUNK as u64);
            let bytes = &mut chunk[..len as usize];
            file.read_at(at, bytes).map_err(Problem::input)?;
            visit.payload(&Payload {
                buffer: buffer as u8,
                offset: at - place.start,
                last: at + len == place.end,
                bytes,
            });
            at += len;
        }
    }
    Ok(())
}

/// What the library has too little room for.
fn capacity(error: &Error) -> Option<u64> {
    match error.kind() {
        ErrorKind::Capacity {
            what: Resource::Frame,
            needed,
            ..
        } => Some(needed),
        _ => None,
    }
}

/// Makes room, or says that there is none.
fn grow<T: Clone + Default>(room: &mut Vec<T>, len: u64) -> Result<(), Stop> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let missing = len.saturating_sub(room.len());
    let reserved = room.try_reserve(missing);
    reserved.map_err(|error| Stop::Problem(Problem::other(error)))?;
    room.resize(room.len().max(len), T::default());
    Ok(())
}

fn refused(error: Error) -> Stop {
    Stop::Problem(Problem::from(&error))
}

fn stopped(error: ReadError<io::Error>) -> Stop {
    match error {
        ReadError::Refused(error) => refused(error),
        ReadError::Source(error) => Problem::input(error),
        other => Stop::Problem(Problem::other(other)),
    }
}
