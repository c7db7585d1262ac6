//! `hrry stats`: what the numbers of each tensor are like, and whether its statistics section says so.

use std::io::{self, Write};

use hrry::owned::TensorDescriptor;
use hrry::{
    Fields, Layout, Payload, Statistics, SubBox, Summary, U64s, ValueError, element, read_values,
};
use serde::Serialize;

use super::args::Stats;
use super::check::open;
use super::number::Double;
use super::plain::Plain;
use super::read::{self, Item, Stop, Visit};
use super::{Status, json, tell, text};

/// Numbers that are read at a time.
const SLAB: u64 = 1 << 18;

/// Prints a line for each tensor, members of composites too.
pub fn run(stats: &Stats, out: &mut dyn Write) -> io::Result<Status> {
    let policy = stats.reading.policy();
    let mut kind = stats.reading.kind;
    let mut visitor = Visitor {
        out,
        json: stats.json,
        current: None,
        status: Status::Accepted,
    };
    let result = open(&stats.file, &mut kind)
        .and_then(|source| read::input(source, kind, &policy, false, &mut visitor));
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
        let line = Line::of(&current);
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
    fn of(current: &'a Current) -> Self {
        let d = &current.descriptor;
        let stated = d.statistics();
        let (numbers, error, differs) = match summary(d, &current.buffers) {
            Ok(data) => {
                let differs = stated.map_or(Vec::new(), |stated| data.contradict(&stated, d));
                (Some(Numbers::of(&data.summary)), None, differs)
            }
            Err(error) => (None, Some(error.to_string()), Vec::new()),
        };
        Line {
            item: &current.name,
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
            Some(Double(x)) => format!("{name} {x}, "),
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

/// What the data is like.
struct Facts {
    summary: Summary,
    /// Elements that are not 0; in a sparse layout those that are stored.
    nnz: u64,
    /// The most of these in any group of consecutive elements that the statistics section speaks of.
    most_in_group: u64,
}

fn summary(d: &TensorDescriptor, buffers: &[Vec<u8>]) -> Result<Facts, ValueError> {
    let whole = SubBox::whole(d.shape());
    let bytes: Vec<&[u8]> = buffers.iter().map(|buffer| &buffer[..]).collect();
    let mut summary = Summary::new();
    let group = d.statistics().map_or(0, |stated| u64::from(stated.nm_m));
    let mut groups = Groups::new(group, d.shape());
    let stored = match d.layout() {
        Layout::Coo { nnz, .. } | Layout::Csr { nnz } | Layout::Csc { nnz } => Some(nnz),
        Layout::Csf { nnz, .. } => Some(nnz),
        _ => None,
    };
    // the zeros of a sparse tensor may be more than anybody can write down
    if let (Some(nnz), None, 0) = (stored, d.quantization(), group) {
        let values = bytes.first().copied().unwrap_or_default();
        let mut done = 0;
        while done < nnz {
            let mut numbers = vec![0.0f64; (nnz - done).min(SLAB) as usize];
            element::decode(d.element_type(), values, done, &mut numbers)?;
            summary.extend(numbers.iter().copied());
            done += numbers.len() as u64;
        }
        let elements = whole.elements().unwrap_or(u64::MAX);
        summary.add_times(0.0, elements.saturating_sub(nnz));
        return Ok(Facts {
            summary,
            nnz,
            most_in_group: 0,
        });
    }
    slabs(d.shape(), |part| {
        let mut numbers = vec![0.0f64; part.elements().unwrap_or(0) as usize];
        read_values(d, &bytes, part, &mut numbers)?;
        numbers.iter().for_each(|x| groups.add(*x != 0.0));
        summary.extend(numbers);
        Ok(())
    })?;
    Ok(Facts {
        nnz: stored.unwrap_or(summary.count() - summary.zeros()),
        summary,
        most_in_group: groups.most,
    })
}

/// Calls with boxes that together are all of a shape, in logical order, none much larger than a slab.
fn slabs(
    shape: U64s<'_>,
    mut take: impl FnMut(SubBox<'_>) -> Result<(), ValueError>,
) -> Result<(), ValueError> {
    let shape: Vec<u64> = shape.iter().collect();
    if shape.contains(&0) {
        return Ok(());
    }
    // the axis that is cut: what is behind it fits a slab
    let mut behind = 1u64;
    let mut cut = shape.len();
    while cut > 0 && behind.saturating_mul(shape[cut - 1]) <= SLAB {
        cut -= 1;
        behind *= shape[cut];
    }
    let mut offset = vec![0; shape.len()];
    let mut part = shape.clone();
    part[..cut].fill(1);
    let step = (SLAB / behind).max(1);
    loop {
        if let Some(axis) = cut.checked_sub(1) {
            part[axis] = step.min(shape[axis] - offset[axis]);
        }
        take(SubBox {
            offset: U64s::from(&offset[..]),
            shape: U64s::from(&part[..]),
        })?;
        let mut axis = cut;
        loop {
            let Some(k) = axis.checked_sub(1) else {
                return Ok(());
            };
            offset[k] += part[k];
            if offset[k] < shape[k] {
                break;
            }
            offset[k] = 0;
            axis = k;
        }
    }
}

/// Counts what is not 0 in groups of consecutive elements of a row.
struct Groups {
    len: u64,
    row: u64,
    at: u64,
    here: u64,
    most: u64,
}

impl Groups {
    fn new(len: u64, shape: U64s<'_>) -> Self {
        Groups {
            len,
            row: shape.iter().last().unwrap_or(1),
            at: 0,
            here: 0,
            most: 0,
        }
    }

    fn add(&mut self, counts: bool) {
        if self.len == 0 {
            return;
        }
        if self.at.is_multiple_of(self.len) {
            self.here = 0;
        }
        self.here += u64::from(counts);
        self.most = self.most.max(self.here);
        self.at += 1;
        if self.at == self.row {
            self.at = 0;
        }
    }
}

impl Facts {
    /// The fields of a statistics section that the data contradicts.
    fn contradict(&self, stated: &Statistics, d: &TensorDescriptor) -> Vec<&'static str> {
        let summary = &self.summary;
        let has = |bit: u32| stated.computed_mask & (1 << bit) != 0;
        let total = summary.count();
        let mut differs = Vec::new();
        let mut require = |valid: bool, holds: bool, field| {
            if valid && !holds {
                differs.push(field);
            }
        };
        require(has(0), stated.nnz == self.nnz, "nnz");
        let zeros = total.saturating_sub(self.nnz) as f64 / total.max(1) as f64;
        let ratio = f64::from_bits(stated.sparsity_ratio.0);
        require(has(1), near(ratio, zeros, 1.0), "sparsity_ratio");
        let (min, max) = (summary.min().unwrap_or(0.0), summary.max().unwrap_or(0.0));
        let same = |stated: u64, found: f64| f64::from_bits(stated) == found;
        let any = summary.min().is_some();
        require(has(2) && any, same(stated.value_min.0, min), "value_min");
        require(has(2) && any, same(stated.value_max.0, max), "value_max");
        let largest = min.abs().max(max.abs());
        require(
            has(2) && any,
            same(stated.value_abs_max.0, largest),
            "value_abs_max",
        );
        // sums are rounded in many ways, and a writer may let one NaN or infinity spoil them
        let scale = largest.max(f64::MIN_POSITIVE);
        let spoilt = summary.nans() > 0 || summary.infinities() > 0;
        let close = |stated: u64, found: Option<f64>| {
            let stated = f64::from_bits(stated);
            (spoilt && !stated.is_finite()) || found.is_none_or(|x| near(stated, x, scale))
        };
        require(
            has(3),
            close(stated.value_mean.0, summary.mean()),
            "value_mean",
        );
        require(
            has(3),
            close(stated.value_stddev.0, summary.stddev()),
            "value_stddev",
        );
        let pattern = self.most_in_group <= stated.nm_n.into() || stated.nm_m == 0;
        require(has(4) && !d.shape().is_empty(), pattern, "nm_n");
        let flag = |stated: u8, found: u64| (stated != 0) == (found > 0);
        require(has(5), flag(stated.has_nan, summary.nans()), "has_nan");
        require(
            has(5),
            flag(stated.has_inf, summary.infinities()),
            "has_inf",
        );
        differs
    }
}

/// Whether two numbers differ by less than float32 sums of numbers of that size do.
fn near(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= scale * 1e-5
}
