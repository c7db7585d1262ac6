//! Drives the library over a container file: its directory, then its tensors in the order of their places.

use std::fs::File;

use hrry::io_std::{FileReader, IoError, random_key};
use hrry::{
    CompositeValidator, Entry, Error, ErrorKind, Event, ExactThenKeyed, Field, FileTensor, Mode,
    Payload, Policy, RangeReader, ReadAt,
};

use super::places::Places;
use super::progress::Progress;
use super::read::{CHUNK, Problem, Stop, Summary, Visit};
use super::source::Source;
use super::{hint, kv};

/// Opens a container and checks all that its directory can break.
pub fn open(file: File, policy: &Policy) -> Result<FileReader<File>, Stop> {
    let again = file.try_clone().map_err(Problem::input)?;
    FileReader::new(file, *policy).map_err(|error| match error {
        IoError::Format(error) => Stop::Problem(named(&error, again)),
        error => stopped(error),
    })
}

/// What is wrong with a directory, with the name or key that is at fault.
fn named(error: &Error, mut file: File) -> Problem {
    let mut problem = Problem::from(error);
    if let Some(name) = name_at(error, &mut file) {
        problem.message += &kv::named(&name);
    }
    problem
}

/// The name or key that an error is about, as the file has it behind its length.
fn name_at(error: &Error, file: &mut File) -> Option<String> {
    let ErrorKind::Rule(violation) = error.kind() else {
        return None;
    };
    if !matches!(violation.field, Field::Name | Field::Key) {
        return None;
    }
    let mut len = [0; 2];
    file.read_at(error.offset().checked_sub(2)?, &mut len)
        .ok()?;
    let mut name = vec![0; u16::from_le_bytes(len).into()];
    file.read_at(error.offset(), &mut name).ok()?;
    Some(String::from_utf8_lossy(&name).into_owned())
}

/// Opens what ought to be a container, and says so where it is a stream.
pub fn of_source(source: Source) -> Result<FileReader<File>, Stop> {
    let start = source.start().to_vec();
    let file = source.into_file().map_err(Problem::input)?;
    open(file, &Policy::STRICT).map_err(|stop| match stop {
        Stop::Problem(mut problem) => {
            if let Some(hint) = hint::stream_for_file(&problem, &start) {
                problem.message += &format!("; {hint}");
            }
            Stop::Problem(problem)
        }
        output => output,
    })
}

/// Reads a container; of the data only what the visitor asks for.
pub fn read(
    container: &mut FileReader<File>,
    policy: &Policy,
    visit: &mut impl Visit,
) -> Result<Summary, Stop> {
    let mut places = Places::default();
    if policy.mode == Mode::Permissive {
        let relaxed = container.relaxed(|violation| places.flag(violation.rule));
        relaxed.map_err(stopped)?;
    }
    let (mut reader, index) = container.ranges();
    let directory = *index.directory();
    visit.directory(&directory)?;

    let key = random_key().map_err(Problem::input)?;
    let mut composites = CompositeValidator::with_arena(ExactThenKeyed(key), Vec::new(), *policy);
    let total = data_len(directory.entries());
    let mut progress = (visit.wants_payload()).then(|| Progress::new(total, visit.writes()));
    let mut bytes = Vec::new();
    for entry in index.in_order() {
        let tensor = tensor(&mut reader, entry, &mut bytes)?;
        let view = *tensor.descriptor();
        tensor.relaxed(&directory, policy, |violation| places.flag(violation.rule));
        let placed = |error: hrry::SetError| refused(error.placed(Some(&view)));
        let begins = composites.begin(&view).map_err(placed)?;
        let event = Event::Descriptor(view, begins);
        places.event(&event, Some(&tensor), policy, visit)?;
        if let Some(progress) = &mut progress {
            copy(reader.source_mut(), &tensor, progress, |payload| {
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
    if visit.wants_entries() {
        visit.index()?;
        for entry in directory.entries() {
            let tensor = tensor(&mut reader, entry, &mut bytes)?;
            visit.entry(&entry, tensor.descriptor())?;
        }
    }
    places.summary.bytes = reader.source_mut().len().map_err(Problem::input)?;
    Ok(places.summary)
}

/// Bytes of data of so many tensors.
pub fn data_len<'e>(entries: impl Iterator<Item = Entry<'e>>) -> u64 {
    let lengths = entries.map(|entry| entry.data_length);
    lengths.fold(0, u64::saturating_add)
}

/// Reads the descriptor of an entry.
pub fn tensor<'t>(
    reader: &mut RangeReader<'_, &mut File>,
    entry: Entry<'t>,
    bytes: &'t mut Vec<u8>,
) -> Result<FileTensor<'t>, IoError> {
    let missing = entry.storage_len().saturating_sub(bytes.len());
    bytes.try_reserve(missing).map_err(IoError::from)?;
    bytes.resize(bytes.len() + missing, 0);
    let tensor = reader.tensor(&entry, bytes);
    tensor.map_err(IoError::from)
}

/// Reads the data of a tensor in pieces, and shows how far that has come.
pub fn copy<E: Into<Stop>>(
    file: &mut File,
    tensor: &FileTensor<'_>,
    progress: &mut Progress,
    mut take: impl FnMut(&Payload<'_>) -> Result<(), E>,
) -> Result<(), Stop> {
    pieces(file, tensor, |payload| {
        progress.add(payload.bytes.len() as u64);
        take(payload).map_err(Into::into)
    })
}

/// Reads the data of a tensor in pieces.
pub fn pieces<E: From<IoError>>(
    file: &mut File,
    tensor: &FileTensor<'_>,
    mut take: impl FnMut(&Payload<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut chunk = Vec::new();
    for buffer in 0..tensor.descriptor().buffer_count() {
        let place = tensor.place(buffer).unwrap_or_default();
        let mut at = place.start;
        while at < place.end {
            let len = (place.end - at).min(CHUNK as u64);
            chunk.resize(len as usize, 0);
            let bytes = &mut chunk[..];
            file.read_at(at, bytes).map_err(IoError::Io)?;
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

impl From<IoError> for Stop {
    fn from(error: IoError) -> Stop {
        stopped(error)
    }
}

fn refused(error: Error) -> Stop {
    Stop::Problem(Problem::from(&error))
}

pub fn stopped(error: impl Into<IoError>) -> Stop {
    match error.into() {
        IoError::Format(error) => refused(error),
        IoError::Io(error) => Problem::input(error),
        error => Stop::Problem(Problem::other(error)),
    }
}
