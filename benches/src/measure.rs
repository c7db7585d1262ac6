//! All contestants of a group in turn, in one process, many short samples.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::alloc;

/// Length of a sample.
const SAMPLE: Duration = Duration::from_micros(100);
/// Samples of each contestant.
const ROUNDS: u32 = 101;
/// A contestant whose single run is long gets fewer samples, but at least [`LEAST`].
const BUDGET: Duration = Duration::from_millis(1500);
const LEAST: u32 = 5;

/// One contestant.
pub struct Op {
    /// Its name in the group.
    pub name: &'static str,
    run: Box<dyn FnMut(u64)>,
    /// Things of which a run handles so many: chunks, members.
    units: u64,
}

impl Op {
    /// Runs `op` in a loop of its own, so that nothing but the operation is repeated.
    pub fn new<R>(name: &'static str, mut op: impl FnMut() -> R + 'static) -> Self {
        let run = Box::new(move |times| {
            for _ in 0..times {
                black_box(op());
            }
        });
        Op {
            name,
            run,
            units: 1,
        }
    }

    /// Figures are for each of so many units.
    pub fn per(mut self, units: usize) -> Self {
        self.units = units as u64;
        self
    }

    /// Runs the operation so often.
    pub fn run(&mut self, times: u64) {
        (self.run)(times);
    }

    /// Units of so many runs.
    pub fn units(&self, times: u64) -> f64 {
        (self.units * times) as f64
    }
}

/// Contestants of one task; the first is what the others are compared with.
pub struct Group {
    /// Section, task: `decode/csf3`.
    pub name: String,
    /// What a figure is for.
    pub unit: &'static str,
    /// The contestants.
    pub ops: Vec<Op>,
}

/// What was seen of a contestant.
pub struct Figures {
    /// Its name in the group.
    pub name: &'static str,
    /// Best sample, ns for each unit.
    pub min: f64,
    /// Median sample, ns for each unit.
    pub median: f64,
    /// Samples taken.
    pub samples: usize,
    /// Allocations and reallocations of one run.
    pub allocations: u64,
    /// Bytes these asked for.
    pub bytes: u64,
}

struct Lane {
    times: u64,
    rounds: u32,
    samples: Vec<f64>,
    allocated: (u64, u64),
}

/// Runs a group.
pub fn measure(group: &mut Group) -> Vec<Figures> {
    let mut lanes: Vec<Lane> = group.ops.iter_mut().map(prepare).collect();
    for round in 0..ROUNDS {
        for (op, lane) in group.ops.iter_mut().zip(&mut lanes) {
            if round < lane.rounds {
                let took = time(op, lane.times).as_nanos() as f64;
                lane.samples.push(took / op.units(lane.times));
            }
        }
    }
    group.ops.iter().zip(lanes).map(figures).collect()
}

fn prepare(op: &mut Op) -> Lane {
    op.run(1);
    let allocated = alloc::count(|| op.run(1));
    let mut times = 1;
    let mut took = time(op, times);
    while took < SAMPLE / 2 && times < 1 << 40 {
        times *= 2;
        took = time(op, times);
    }
    if took < SAMPLE {
        times = (times as f64 * SAMPLE.as_secs_f64() / took.as_secs_f64()) as u64;
    }
    let affordable = (BUDGET.as_secs_f64() / took.as_secs_f64()) as u32;
    Lane {
        times,
        rounds: affordable.clamp(LEAST, ROUNDS),
        samples: Vec::new(),
        allocated,
    }
}

fn time(op: &mut Op, times: u64) -> Duration {
    let start = Instant::now();
    op.run(times);
    start.elapsed()
}

fn figures((op, lane): (&Op, Lane)) -> Figures {
    let Lane {
        mut samples,
        allocated: (allocations, bytes),
        ..
    } = lane;
    samples.sort_by(f64::total_cmp);
    Figures {
        name: op.name,
        min: samples[0],
        median: samples[samples.len() / 2],
        samples: samples.len(),
        allocations,
        bytes,
    }
}
