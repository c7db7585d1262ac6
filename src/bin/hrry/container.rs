//! Drives the library over a container file: its directory, then its tensors in the order of their places.

use std::fs::File;
use std::io;

use hrry::io_std::random_key;
use hrry::{
    CompositeValidator, Entry, Error, ErrorKind, Event, ExactThenKeyed, FileIndex, FileTensor,
    Mode, Payload, Policy, RangeReader, ReadAt, ReadError, Resource, Rule,
};

use super::places::Places;
use super::read::{CHUNK, Problem, Stop, Summary, Visit};

pub type Reader<'s> = RangeReader<'s, File>;

/// Reads a container; of the data only what the visitor asks for.
pub fn read(file: File, policy: &Policy, visit: &mut impl Visit) -> Result<Summary, Stop> {
    let mut places = Places::default();
    if policy.mode == Mode::Permissive {
        let again = file.try_clone().map_err(Problem::input)?;
        places.flag(relaxed(again, policy)?);
    }
    let mut storage = Directory::default();
    let (mut reader, index) = storage.open(file, policy)?;
    let directory = *index.directory();
    visit.directory(&directory)?;

    let key = random_key().map_err(Problem::input)?;
    let mut composites = CompositeValidator::with_arena(ExactThenKeyed(key), Vec::new(), *policy);
    let mut bytes = Vec::new();
    for entry in index.in_order() {
        let tensor = tensor(&mut reader, entry, &mut bytes)?;
        let view = *tensor.descriptor();
        let placed = |error: hrry::SetError| refused(error.placed(Some(&view)));
        let begins = composites.begin(&view).map_err(placed)?;
        let event = Event::Descriptor(view, begins);
        places.event(&event, Some(&entry), policy, visit)?;
        if visit.wants_payload() {
            copy(reader.source_mut(), &tensor, |payload| {
                visit.payload(payload)
            })?;
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

/// The first rule that the directory of a container breaks.
fn relaxed(file: File, policy: &Policy) -> Result<Option<Rule>, Stop> {
    let mut strict = *policy;
    strict.mode = Mode::Strict;
    match Directory::default().open(file, &strict) {
        Err(Stop::Problem(problem)) => Ok(problem.rule),
        Err(stop) => Err(stop),
        Ok(_) => Ok(None),
    }
}

/// Where the directory of a container and the tables of it are kept.
#[derive(Default)]
pub struct Directory {
    storage: Vec<u8>,
    scratch: Vec<u64>,
}

impl Directory {
    /// Opens a container and checks all that its directory can break. It takes more room where the directory
    /// needs that; then the file is as long.
    pub fn open<'s>(
        &'s mut self,
        file: File,
        policy: &Policy,
    ) -> Result<(Reader<'s>, FileIndex<'s, 's>), Stop> {
        let Directory { storage, scratch } = self;
        grow(storage, ROOM)?;
        let again = file.try_clone().map_err(Problem::input)?;
        let needed = match RangeReader::open(file, storage, *policy) {
            Ok(_) => ROOM,
            Err(ReadError::Refused(error)) => capacity(&error).ok_or_else(|| refused(error))?,
            Err(error) => return Err(stopped(error)),
        };
        grow(storage, needed)?;
        let reader = RangeReader::open(again, storage, *policy).map_err(stopped)?;
        grow(scratch, reader.scratch_words())?;
        let index = reader.index(policy, scratch).map_err(refused)?;
        Ok((reader, index))
    }
}

/// Reads the descriptor of an entry.
pub fn tensor<'t>(
    reader: &mut Reader<'_>,
    entry: Entry<'t>,
    bytes: &'t mut Vec<u8>,
) -> Result<FileTensor<'t>, Stop> {
    // the library reads a whole header, whatever the index says
    grow(bytes, u64::from(entry.descriptor_length).max(20))?;
    reader.tensor(&entry, bytes).map_err(stopped)
}

/// Reads the data of a tensor in pieces.
pub fn copy(
    file: &mut File,
    tensor: &FileTensor<'_>,
    mut take: impl FnMut(&Payload<'_>) -> io::Result<()>,
) -> Result<(), Stop> {
    let mut chunk = vec![0; CHUNK];
    for buffer in 0..tensor.descriptor().buffer_count() {
        let place = tensor.place(buffer).unwrap_or_default();
        let mut at = place.start;
        while at < place.end {
            let len = (place.end - at).min(CHUNK as u64);
            let bytes = &mut chunk[..len as usize];
            file.read_at(at, bytes).map_err(Problem::input)?;
            take(&Payload {
                buffer: buffer as u8,
                offset: at - place.start,
                last: at + len == place.end,
                bytes,
            })?;
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
