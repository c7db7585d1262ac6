//! `hrry check`: one verdict a file.

use std::io::{self, Write};
use std::path::Path;

use hrry::{Method, Payload, Policy, Rule};
use serde::Serialize;

use super::args::{Check, Kind};
use super::contents::Contents;
use super::hint::Clues;
use super::messages::{self, Deaf};
use super::plain::Plain;
use super::read::{self, Item, Problem, Stop, Summary, Visit};
use super::source::{Source, is_stdin};
use super::{Status, complain, json, text, unless_gone};

/// Judges each file in turn.
pub fn run(check: &Check, out: &mut dyn Write) -> io::Result<Status> {
    let policy = check.reading.policy();
    if check.files.iter().filter(|file| is_stdin(file)).count() > 1 {
        complain("hrry: standard input can be read only once");
        return Ok(Status::Error);
    }
    let mut status = Status::Accepted;
    for path in &check.files {
        let file = path.to_string_lossy();
        let mut kind = check.reading.kind;
        let mut seen = Seen {
            contents: check.content.then(|| Contents::new(policy)),
            ..Seen::default()
        };
        let result = match judge(path, check, &mut kind, &policy, &mut seen) {
            Ok(summary) => Ok(summary),
            Err(Stop::Problem(problem)) => Err(problem),
            Err(Stop::Output(error)) => return Err(error),
        };
        let line = Line::of(&file, kind, &result);
        status = status.max(line.verdict.status());
        let said = match check.json {
            true => json::write(out, &line).and_then(|()| writeln!(out)),
            false if line.verdict == Verdict::Error => Ok(()),
            false => say(out, &line, &result, &seen),
        };
        // whoever waits for a verdict, or for the order of both outputs, gets it now; the exit status is that of
        // all files, whether or not somebody reads on
        unless_gone(said.and_then(|()| out.flush()))?;
        if line.verdict == Verdict::Error {
            complain(&format!("hrry: {}: {}", Plain::new(&file), line.message));
        }
    }
    Ok(status)
}

fn judge(
    path: &Path,
    check: &Check,
    kind: &mut Option<Kind>,
    policy: &Policy,
    seen: &mut Seen,
) -> Result<Summary, Stop> {
    let source = open(path, kind, &mut seen.clues)?;
    if *kind == Some(Kind::Messages) {
        if check.content {
            let why = "--content looks into streams and files only";
            return Err(Stop::Problem(Problem::other(why)));
        }
        return messages::read(source, &check.link, policy, &mut Deaf);
    }
    let mut summary = read::input(source, *kind, policy, false, seen)?;
    if let Some(contents) = &seen.contents {
        let flagged = &mut summary.flags;
        let new = contents.flags().filter(|rule| !flagged.contains(rule));
        let new: Vec<Rule> = new.collect();
        flagged.extend(new);
    }
    Ok(summary)
}

/// Opens an input and finds out its kind. Messages cannot be told from anything else, and a descriptor alone looks
/// like the start of a stream.
pub fn open(path: &Path, kind: &mut Option<Kind>, clues: &mut Clues) -> Result<Source, Stop> {
    let source = Source::open(path).map_err(Problem::input)?;
    clues.input(&source, *kind);
    let found = match *kind {
        Some(kind) => kind,
        None if source.start().is_empty() => {
            let why = "the input is empty; a stream of no tensors is read with --kind stream";
            return Err(Stop::Problem(Problem::other(why)));
        }
        None if source.is_file() => Kind::File,
        None => Kind::Stream,
    };
    *kind = Some(found);
    Ok(source)
}

/// Remembers the first item, to say what a lone descriptor is, and judges contents.
#[derive(Default)]
struct Seen {
    clues: Clues,
    text: Option<String>,
    contents: Option<Contents>,
}

impl Visit for Seen {
    fn wants_payload(&self) -> bool {
        self.contents.is_some()
    }

    fn begin(&mut self, item: &Item<'_>) -> io::Result<()> {
        self.clues.item(item);
        if item.path.is_empty() {
            self.text = Some(text::tensor(item.view, true));
        } else if let Some(contents) = &mut self.contents {
            contents.begin(item);
        }
        Ok(())
    }

    fn payload(&mut self, payload: &Payload<'_>) -> Result<(), Stop> {
        match &mut self.contents {
            Some(contents) => contents.payload(payload),
            None => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), Stop> {
        match &mut self.contents {
            Some(contents) => contents.end(),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Accept,
    Reject,
    /// No judgement on the bytes.
    Error,
}

impl Verdict {
    const fn status(self) -> Status {
        match self {
            Verdict::Accept => Status::Accepted,
            Verdict::Reject => Status::Refused,
            Verdict::Error => Status::Error,
        }
    }
}

/// The line of a file in JSON.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    kind: Option<Kind>,
    verdict: Verdict,
    rule: Option<&'static str>,
    offset: Option<u64>,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    flags: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cover: Option<&'static str>,
}

impl<'a> Line<'a> {
    fn of(file: &'a str, kind: Option<Kind>, result: &Result<Summary, Problem>) -> Self {
        match result {
            Ok(summary) => Line {
                file,
                kind,
                verdict: Verdict::Accept,
                rule: None,
                offset: None,
                message: summary.to_string(),
                flags: summary.flags.iter().map(|rule| rule.id()).collect(),
                cover: summary.cover.map(cover_name),
            },
            Err(problem) => Line {
                file,
                kind,
                verdict: match problem.rule {
                    Some(_) => Verdict::Reject,
                    None => Verdict::Error,
                },
                rule: problem.rule.map(Rule::id),
                offset: problem.offset,
                message: problem.message.clone(),
                flags: Vec::new(),
                cover: None,
            },
        }
    }
}

const fn cover_name(method: Method) -> &'static str {
    match method {
        Method::Exact => "exact",
        Method::Keyed => "keyed",
    }
}

/// The line of a file for people.
fn say(
    out: &mut dyn Write,
    line: &Line<'_>,
    result: &Result<Summary, Problem>,
    seen: &Seen,
) -> io::Result<()> {
    write!(out, "{}: ", Plain::new(line.file))?;
    match result {
        Ok(summary) => {
            let kind = line.kind.map_or("", Kind::name);
            let what = seen.text.as_deref().unwrap_or(&line.message);
            write!(out, "accepted, {kind}: {what}")?;
            if seen.contents.is_some() && line.kind != Some(Kind::Descriptor) {
                write!(out, "; contents checked")?;
            }
            if let Some(cover) = line.cover {
                write!(out, "; cover check: {cover}")?;
            }
            for rule in &summary.flags {
                write!(out, "; flagged {}: {}", rule.id(), rule.text())?;
            }
        }
        Err(problem) => {
            write!(out, "refused, {}", line.message)?;
            if let Some(rule) = problem.rule {
                write!(out, " ({})", rule.clause())?;
            }
            if let Some(hint) = seen.clues.hint(problem) {
                write!(out, "; {hint}")?;
            }
        }
    }
    writeln!(out)
}
