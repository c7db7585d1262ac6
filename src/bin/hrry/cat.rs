//! `hrry cat`: the raw bytes of tensors.

use std::io::{self, Write};

use hrry::Layout;

use super::args::Cat;
use super::container::{self, copy, data_len, tensor};
use super::plain::Plain;
use super::progress::Progress;
use super::read::{Problem, Stop};
use super::source::Source;
use super::{Status, tell};

/// Writes the buffers of each tensor that is named, in the order of the names.
pub fn run(cat: &Cat, out: &mut dyn Write) -> io::Result<Status> {
    match write(cat, out) {
        Ok(()) => Ok(Status::Accepted),
        Err(Stop::Output(error)) => Err(error),
        Err(Stop::Problem(problem)) => Ok(tell(&cat.file, &problem)),
    }
}

fn write(cat: &Cat, out: &mut dyn Write) -> Result<(), Stop> {
    let source = Source::open(&cat.file).map_err(Problem::input)?;
    let mut container = container::of_source(source)?;
    let (mut reader, index) = container.ranges();
    let no = |name: &str, why: &str| {
        Stop::Problem(Problem::other(format!("{}: {why}", Plain::new(name))))
    };
    // nothing is written for one name before all are known to be tensors
    let mut entries = Vec::new();
    let mut bytes = Vec::new();
    for name in &cat.names {
        let entry = index.find(name);
        let entry = entry.ok_or_else(|| no(name, "no tensor has that name"))?;
        let tensor = tensor(&mut reader, entry, &mut bytes)?;
        if matches!(tensor.descriptor().layout(), Layout::Composite(_)) {
            return Err(no(
                name,
                "a composite has no bytes of its own; name its members",
            ));
        }
        entries.push(entry);
    }
    let total = data_len(entries.iter().copied());
    let mut progress = Progress::new(total, true);
    for entry in entries {
        let tensor = tensor(&mut reader, entry, &mut bytes)?;
        copy(reader.source_mut(), &tensor, &mut progress, |payload| {
            out.write_all(payload.bytes)
        })?;
    }
    Ok(())
}
