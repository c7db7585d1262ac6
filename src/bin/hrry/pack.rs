//! `hrry pack` and `hrry unpack`: between streams and container files.

use std::io::{self, Write};

use hrry::io_std::{FileWriter, IoError, Output, random_key, save};
use hrry::{ExactThenKeyed, FileOptions, Payload, Policy, StreamWriter};

use super::args::{Kind, Pack, Unpack};
use super::container::{self, copy, data_len, tensor};
use super::progress::Progress;
use super::read::{self, Item, Problem, Stop, Visit};
use super::setting::Setting;
use super::source::{Source, is_stdin};
use super::{Status, complain, kv, tell};

/// Makes a container of a stream; tensors are named by their place in it.
pub fn pack(pack: &Pack, out: &mut dyn Write) -> io::Result<Status> {
    if let Err(error) = judge(pack, &pack.set) {
        let wrong = |count: &usize| judge(pack, &pack.set[..*count]).is_err();
        let count = (0..=pack.set.len()).find(wrong);
        let last = count.and_then(|count| pack.set[..count].last());
        let key = last.map_or("", |setting| setting.entry().key);
        let named = match key {
            "" => String::new(),
            key => kv::named(key),
        };
        complain(&format!("hrry: {error}{named}"));
        return Ok(Status::Error);
    }
    let to_stdout = is_stdin(&pack.out);
    let packed = match to_stdout {
        true => write_container(pack, out, true),
        false => save(&pack.out, |sink| write_container(pack, sink, false)),
    };
    match packed {
        Ok(()) => Ok(Status::Accepted),
        Err(Stop::Problem(problem)) => Ok(tell(&pack.stream, &problem)),
        Err(Stop::Output(error)) if to_stdout => Err(error),
        Err(Stop::Output(error)) => Ok(tell(&pack.out, &Problem::other(error))),
    }
}

/// Tells whether there can be a container as it is asked for, with these keys.
fn judge(pack: &Pack, set: &[Setting]) -> Result<(), IoError> {
    let writer = FileWriter::new(io::sink(), &options(pack), Policy::STRICT)?;
    writer.finish_with_kv(set.iter().map(Setting::entry))?;
    Ok(())
}

fn options(pack: &Pack) -> FileOptions {
    let mut options = FileOptions::PLAIN;
    options.data_buffer_alignment = pack.alignment;
    options.has_kv_metadata = !pack.set.is_empty();
    options
}

fn write_container(pack: &Pack, sink: impl Write, to_stdout: bool) -> Result<(), Stop> {
    let source = Source::open(&pack.stream).map_err(Problem::input)?;
    let cover = ExactThenKeyed(random_key().map_err(Problem::input)?);
    let writer = FileWriter::with_cover(sink, &options(pack), cover, Policy::STRICT);
    let mut packer = Packer {
        writer: writer.map_err(stopped)?,
        to_stdout,
        failed: None,
    };
    let read = read::input(
        source,
        Some(Kind::Stream),
        &Policy::STRICT,
        false,
        &mut packer,
    );
    match packer.failed {
        Some(stop) => return Err(stop),
        None => read?,
    };
    let kv = pack.set.iter().map(Setting::entry);
    packer.writer.finish_with_kv(kv).map_err(stopped)?;
    Ok(())
}

/// Writes what it is told of.
struct Packer<W: Write> {
    writer: FileWriter<W, ExactThenKeyed>,
    to_stdout: bool,
    /// Why the writer stopped; the reader only learns that it did.
    failed: Option<Stop>,
}

impl<W: Write> Packer<W> {
    fn note(&mut self, written: Result<(), IoError>) -> io::Result<()> {
        written.map_err(|error| {
            self.failed = Some(stopped(error));
            io::Error::other("the container cannot be written")
        })
    }
}

impl<W: Write> Visit for Packer<W> {
    fn writes(&self) -> bool {
        self.to_stdout
    }

    fn begin(&mut self, item: &Item<'_>) -> io::Result<()> {
        let path: Vec<_> = item.path.iter().map(u64::to_string).collect();
        let begun = self.writer.begin(&path.join("."), item.view);
        self.note(begun)
    }

    fn payload(&mut self, payload: &Payload<'_>) -> Result<(), Stop> {
        let written = self.writer.payload(payload.bytes);
        Ok(self.note(written)?)
    }

    fn end(&mut self) -> Result<(), Stop> {
        let ended = self.writer.end();
        Ok(self.note(ended)?)
    }
}

/// Writes the tensors of a container as a stream, in the order of their places.
pub fn unpack(unpack: &Unpack, out: &mut dyn Write) -> io::Result<Status> {
    match write_stream(unpack, out) {
        Ok(()) => Ok(Status::Accepted),
        Err(Stop::Problem(problem)) => Ok(tell(&unpack.file, &problem)),
        Err(Stop::Output(error)) => Err(error),
    }
}

fn write_stream(unpack: &Unpack, out: &mut dyn Write) -> Result<(), Stop> {
    let source = Source::open(&unpack.file).map_err(Problem::input)?;
    let mut container = container::of_source(source)?;
    // nothing is written of a file that is refused
    container::read(&mut container, &Policy::STRICT, &mut Quiet)?;
    let (mut reader, index) = container.ranges();
    let mut progress = Progress::new(data_len(index.in_order()), true);
    let key = random_key().map_err(Problem::input)?;
    let cover = ExactThenKeyed(key);
    let mut writer = StreamWriter::with_parts(Output(out), cover, Vec::new(), Policy::STRICT);
    let mut bytes = Vec::new();
    for entry in index.in_order() {
        let tensor = tensor(&mut reader, entry, &mut bytes)?;
        writer.begin(tensor.descriptor()).map_err(stopped)?;
        let mut failed = None;
        let copied = copy(reader.source_mut(), &tensor, &mut progress, |payload| {
            writer.payload(payload.bytes).map_err(|error| {
                failed = Some(stopped(error));
                io::Error::other("the stream cannot be written")
            })
        });
        match failed {
            Some(stop) => return Err(stop),
            None => copied?,
        }
        writer.end().map_err(stopped)?;
    }
    writer.finish().map_err(stopped)?;
    Ok(())
}

/// Only wants to know whether a file is accepted.
struct Quiet;

impl Visit for Quiet {}

fn stopped(error: impl Into<IoError>) -> Stop {
    match error.into() {
        IoError::Io(error) => Stop::Output(error),
        error => Stop::Problem(Problem {
            rule: error.rule(),
            ..Problem::other(error)
        }),
    }
}
