//! `hrry stats`: what the numbers of each tensor are like, and whether its statistics section says so.

use std::io::{self, Write};

use hrry::owned::{Buffer, TensorDescriptor};
use hrry::{Fields, Payload, Policy, Summary};
use serde::Serialize;

use super::args::{Kind, Stats};
use super::check::open;
use super::facts::facts;
use super::hint::Clues;
use super::number::Double;
use super::plain::Plain;
use super::read::{self, Item, Problem, Stop, Visit};
use super::{Status, json, tell, text};

/// Prints a line for each tensor, members of composites too.
pub fn run(stats: &Stats, out: &mut dyn Write) -> io::Result<Status> {
    let policy = stats.reading.policy();
    let mut kind = stats.reading.kind;
    let mut visitor = Visitor {
        out,
        json: stats.json,
        policy,
        current: None,
        status: Status::Accepted,
    };
    let result =
        open(&stats.file, &mut kind, &mut Clues::default()).and_then(|source| match kind {
            Some(Kind::Messages) => Err(Stop::Problem(Problem::other(
                "tensors of messages are not read",
            ))),
            kind => read::input(source, kind, &policy, false, &mut visitor),
        });
    match result {
        Ok(_) => Ok(visitor.status),
        Err(Stop::Problem(problem)) => Ok(tell(&stats.file, &problem).max(visitor.status)),
        Err(Stop::Output(error)) => Err(error),
    }
}

/// Keeps one tensor at a time.
struct Visitor<'o> {
    out: &'o mut dyn Write,
    json: bool,
    policy: Policy,
    current: Option<Current>,
    status: Status,
}

struct Current {
    name: String,
    line: String,
    descriptor: TensorDescriptor,
    buffers: Vec<Vec<u8>>,
}

impl Visit for Visitor<'_> {
    fn writes(&self) -> bool {
        true
    }

    fn wants_payload(&self) -> bool {
        true
    }

    fn begin(&mut self, item: &Item<'_>) -> io::Result<()> {
        self.current = None;
        if item.head.is_some() {
            return Ok(());
        }
        let path: Vec<_> = item.path.iter().map(u64::to_string).collect();
        let name = match item.tensor {
            Some(tensor) => tensor.entry().name.to_string(),
            None => format!("#{}", path.join(".")),
        };
        self.current = Some(Current {
            name,
            line: text::tensor(item.view, true),
            descriptor: TensorDescriptor::from_view(*item.view).map_err(io::Error::other)?,
            buffers: vec![Vec::new(); item.view.buffer_count()],
        });
        Ok(())
    }

    fn payload(&mut self, payload: &Payload<'_>) -> Result<(), Stop> {
        let current = self.current.as_mut();
        if let Some(buffer) = current.and_then(|c| c.buffers.get_mut(usize::from(payload.buffer))) {
            buffer.extend_from_slice(payload.bytes);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Stop> {
        let Some(current) = self.current.take() else {
            return Ok(());
        };
        let line = Line::of(
            &current.name,
            current.descriptor,
            current.buffers,
            &self.policy,
        );
        if !line.differs.is_empty() || line.error.is_some() {
            self.status = Status::Refused;
        }
        if self.json {
            json::write(self.out, &line)?;
            writeln!(self.out)?;
        } else {
            line.say(self.out, &current.line)?;
        }
        Ok(())
    }
}

/// What is known of a tensor.
#[derive(Serialize)]
struct Line<'a> {
    item: &'a str,
    shape: Vec<u64>,
    element_type: Option<&'static str>,
    #[serde(flatten)]
    numbers: Option<Numbers>,
    /// Why there are no numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Whether there is a statistics section, and the fields of it that the data contradicts.
    stated: bool,
    differs: Vec<&'static str>,
}

#[derive(Serialize)]
struct Numbers {
    count: u64,
    min: Option<Double>,
    max: Option<Double>,
    mean: Option<Double>,
    stddev: Option<Double>,
    nan: u64,
    inf: u64,
    zeros: u64,
}

impl<'a> Line<'a> {
    fn of(
        item: &'a str,
        descriptor: TensorDescriptor,
        buffers: Vec<Vec<u8>>,
        policy: &Policy,
    ) -> Self {
        let d = descriptor.clone();
        let stated = d.statistics();
        let buffers = buffers.into_iter().map(Buffer::from).collect();
        let (numbers, error, differs) = match facts(descriptor, buffers, policy) {
            Ok(data) => {
                let differs = stated.map_or(Vec::new(), |stated| data.contradict(&stated, &d));
                (Some(Numbers::of(&data.summary)), None, differs)
            }
            Err(error) => (None, Some(error.to_string()), Vec::new()),
        };
        Line {
            item,
            shape: d.shape().iter().collect(),
            element_type: d.element_type().name(),
            numbers,
            error,
            stated: stated.is_some(),
            differs,
        }
    }

    fn say(&self, out: &mut dyn Write, tensor: &str) -> io::Result<()> {
        writeln!(out, "{}: {tensor}", Plain::new(self.item))?;
        match (&self.numbers, &self.error) {
            (Some(numbers), _) => writeln!(out, "    {}", numbers.text())?,
            (None, Some(error)) => writeln!(out, "    no numbers: {error}")?,
            (None, None) => {}
        }
        if !self.differs.is_empty() {
            let fields = self.differs.join(", ");
            writeln!(out, "    the statistics section says otherwise: {fields}")?;
        } else if self.stated && self.error.is_none() {
            writeln!(out, "    the statistics section agrees")?;
        }
        Ok(())
    }
}

impl Numbers {
    fn of(summary: &Summary) -> Self {
        Numbers {
            count: summary.count(),
            min: summary.min().map(Double),
            max: summary.max().map(Double),
            mean: summary.mean().map(Double),
            stddev: summary.stddev().map(Double),
            nan: summary.nans(),
            inf: summary.infinities(),
            zeros: summary.zeros(),
        }
    }

    fn text(&self) -> String {
        let of = |name: &str, x: &Option<Double>| match x {
            // the shorter way of writing it, with an exponent where that takes many digits
            Some(Double(x)) if *x == 0.0 || (1e-4..1e7).contains(&x.abs()) => {
                format!("{name} {x}, ")
            }
            Some(Double(x)) => format!("{name} {x:e}, "),
            None => String::new(),
        };
        format!(
            "{}{}{}{}{} NaN, {} infinite, {} zeros of {}",
            of("min", &self.min),
            of("max", &self.max),
            of("mean", &self.mean),
            of("deviation", &self.stddev),
            self.nan,
            self.inf,
            self.zeros,
            self.count
        )
    }
}
