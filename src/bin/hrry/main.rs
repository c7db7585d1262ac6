//! The `hrry` program: checks Hurray tensors and shows what is in them.
//!
//! Depends on the library's public interface only and judges nothing itself. Files are read in pieces;
//! a payload that is not printed is never kept.
#![forbid(unsafe_code)]

mod args;
mod bytes;
mod cat;
mod check;
mod container;
mod contents;
mod facts;
mod find;
mod hint;
mod inspect;
mod json;
mod kv;
mod messages;
mod net;
mod number;
mod object;
mod pack;
mod places;
mod plain;
mod progress;
mod read;
mod setting;
mod shape;
mod source;
mod stats;
mod text;
mod transcript;
mod tree;
mod values;

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use plain::Plain;
use read::Problem;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) if error.use_stderr() => {
            // the message repeats what was typed
            complain(error.render().to_string().trim_end());
            return ExitCode::from(Status::Error as u8);
        }
        Err(help) => {
            let _ = help.print();
            return ExitCode::SUCCESS;
        }
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let status = match &args.command {
        Command::Check(check) => check::run(check, &mut out),
        Command::Inspect(inspect) => inspect::run(inspect, &mut out),
        Command::Cat(cat) => cat::run(cat, &mut out),
        Command::Pack(args) => pack::pack(args, &mut out),
        Command::Unpack(args) => pack::unpack(args, &mut out),
        Command::Values(args) => values::run(args, &mut out),
        Command::Stats(args) => stats::run(args, &mut out),
        Command::Serve(args) => net::serve(args, &mut out),
        Command::Get(args) => net::get(args, &mut out),
        Command::Put(args) => net::put(args),
    };
    let status = status.and_then(|status| unless_gone(out.flush()).map(|()| status));
    let status = status.unwrap_or_else(|error| match unless_gone(Err(error)) {
        Ok(()) => Status::Accepted,
        Err(error) => {
            complain(&format!("hrry: standard output: {error}"));
            Status::Error
        }
    });
    ExitCode::from(status as u8)
}

/// A closed pipe is the choice of the reader of standard output and no news.
fn unless_gone(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}

/// What the program's exit status says; the highest of several files counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Accepted = 0,
    Refused = 1,
    Error = 2,
}

/// Writes a line to standard error; nobody can be told if that fails.
fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{}", Plain::lines(line));
}

/// Tells what is wrong with an input or output.
fn tell(file: &Path, problem: &Problem) -> Status {
    let file = file.to_string_lossy();
    complain(&format!("hrry: {}: {}", Plain::new(&file), problem.message));
    match problem.rule {
        Some(_) => Status::Refused,
        None => Status::Error,
    }
}
