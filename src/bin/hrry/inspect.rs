//! `hrry inspect`: shows what is in an input, as a tree or as JSON.

use std::io::{self, Write};

use super::args::{Inspect, Kind};
use super::check::open;
use super::hint::Clues;
use super::messages;
use super::object::Object;
use super::read::{self, Problem, Stop, Summary, Visit};
use super::transcript::{Lines, Transcript};
use super::tree::Tree;
use super::{Status, complain, tell};

/// Shows one input. What was read before an error is shown before the error is told.
pub fn run(inspect: &Inspect, out: &mut dyn Write) -> io::Result<Status> {
    if inspect.reading.kind == Some(Kind::Messages) {
        listen(inspect, out)
    } else if inspect.json {
        show(inspect, Object::new(out, inspect.digest, inspect.bytes))
    } else {
        show(inspect, Tree::new(out, inspect.bytes))
    }
}

/// A visitor that also begins and ends the output.
pub trait Show: Visit {
    fn start(&mut self, kind: Kind) -> io::Result<()>;
    /// The end of the output, flushed.
    fn finish(&mut self, result: &Result<Summary, Problem>) -> io::Result<()>;
    /// What is known of the input, for hints.
    fn clues(&mut self) -> &mut Clues;
}

/// Shows the messages of a link.
fn listen(inspect: &Inspect, out: &mut dyn Write) -> io::Result<Status> {
    let (policy, link) = (inspect.reading.policy(), &inspect.link);
    let mut clues = Clues::default();
    let source = match open(&inspect.file, &mut Some(Kind::Messages), &mut clues) {
        Ok(source) => source,
        Err(stop) => return told(inspect, Err(stop), &clues),
    };
    if inspect.json {
        let mut shown = Transcript::new(out, inspect.digest, link.holds_tensors())?;
        let result = problem(messages::read(source, link, &policy, &mut shown))?;
        shown.finish(&result)?;
        told(inspect, result.map_err(Stop::Problem), &clues)
    } else {
        let mut shown = Lines::new(out);
        let result = problem(messages::read(source, link, &policy, &mut shown))?;
        shown.finish(&result)?;
        told(inspect, result.map_err(Stop::Problem), &clues)
    }
}

/// What is wrong with an input; what is wrong with the output ends everything.
fn problem(result: Result<Summary, Stop>) -> io::Result<Result<Summary, Problem>> {
    match result {
        Ok(summary) => Ok(Ok(summary)),
        Err(Stop::Problem(problem)) => Ok(Err(problem)),
        Err(Stop::Output(error)) => Err(error),
    }
}

fn told(inspect: &Inspect, result: Result<Summary, Stop>, clues: &Clues) -> io::Result<Status> {
    let problem = match problem(result)? {
        Ok(_) => return Ok(Status::Accepted),
        Err(problem) => problem,
    };
    let status = tell(&inspect.file, &problem);
    if let Some(hint) = clues.hint(&problem) {
        complain(&format!("hrry: {hint}"));
    }
    Ok(status)
}

fn show(inspect: &Inspect, mut shown: impl Show) -> io::Result<Status> {
    let policy = inspect.reading.policy();
    let mut kind = inspect.reading.kind;
    let result = match open(&inspect.file, &mut kind, shown.clues()) {
        Err(stop) => Err(stop),
        Ok(source) => {
            let kind = kind.unwrap_or(Kind::Stream);
            shown.start(kind)?;
            let result = read::input(source, Some(kind), &policy, inspect.bytes, &mut shown);
            let result = problem(result)?;
            shown.finish(&result)?;
            result.map_err(Stop::Problem)
        }
    };
    told(inspect, result, shown.clues())
}
