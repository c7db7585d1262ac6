//! Runs the built program: verdicts, shapes, exit status.
#![cfg(not(miri))]

#[path = "cli/bytes.rs"]
mod bytes;
#[path = "cli/check.rs"]
mod check;
#[path = "cli/contents.rs"]
mod contents;
#[path = "cli/files.rs"]
mod files;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/hints.rs"]
mod hints;
#[path = "cli/inputs.rs"]
mod inputs;
#[path = "cli/inspect.rs"]
mod inspect;
#[path = "cli/messages.rs"]
mod messages;
#[path = "cli/outside.rs"]
mod outside;
#[path = "support/program.rs"]
mod program;
#[path = "cli/serve/mod.rs"]
mod serve;
#[path = "cli/stats.rs"]
mod stats;
#[path = "cli/values.rs"]
mod values;
#[path = "cli/vectors.rs"]
mod vectors;

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run of the program left.
struct Run {
    status: i32,
    out: String,
    err: String,
}

impl Run {
    /// The JSON objects of the lines of standard output.
    fn lines(&self) -> Vec<Value> {
        let lines = self.out.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The one JSON object on standard output.
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

/// The program, with all three of its streams piped.
fn program() -> Command {
    let mut command = program::program();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs the program with `input` on standard input.
fn feed(args: &[&str], input: &[u8]) -> Run {
    let mut child = program().args(args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // the program may stop reading, and its output may fill the pipe before it reads everything
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    Run {
        status: output.status.code().expect("ended by a signal"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the program with nothing on standard input.
fn run(args: &[&str]) -> Run {
    feed(args, &[])
}
