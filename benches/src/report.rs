//! Tables for people, JSON for machines.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::measure::{Figures, Group, measure};
use crate::targets::{self, Seen};
use crate::{SECTIONS, wanted};

/// Runs everything that is asked for.
pub fn run(filter: &[&str], as_json: bool) -> ExitCode {
    let (mut ratios, mut times, mut allocations) = (Seen::new(), Seen::new(), Seen::new());
    let mut machine: Vec<Value> = Vec::new();
    for section in SECTIONS {
        if !filter.is_empty() && !filter.iter().any(|word| word.starts_with(section.name)) {
            continue;
        }
        for mut group in (section.groups)() {
            if !wanted(&group.name, filter) {
                continue;
            }
            let figures = measure(&mut group);
            let base = figures[0].min;
            if !as_json {
                heading(&group);
            }
            for figures in figures {
                let name = format!("{}/{}", group.name, figures.name);
                let ratio = base / figures.min;
                if as_json {
                    machine.push(machine_row(&name, group.unit, ratio, &figures));
                } else {
                    print(ratio, &figures);
                }
                if !figures.name.starts_with("reference") {
                    allocations.insert(name.clone(), figures.allocations as f64);
                }
                times.insert(name.clone(), figures.min);
                ratios.insert(name, ratio);
            }
        }
    }
    let targets = targets::timed(&ratios, &times, &allocations);
    if as_json {
        let targets: Vec<Value> = targets.iter().map(targets::Target::json).collect();
        println!("{}", json!({ "rows": machine, "targets": targets }));
    } else {
        println!("\ntargets (ratios of best samples)");
        for target in targets {
            println!("{}", target.line());
        }
    }
    ExitCode::SUCCESS
}

fn heading(group: &Group) {
    println!("\n{}, for each {}", group.name, group.unit);
    println!(
        "{:>12} {:>12} {:>9} {:>8} {:>10}  contestant",
        "ns min", "ns median", "ratio", "allocs", "bytes"
    );
}

fn print(ratio: f64, f: &Figures) {
    println!(
        "{:>12.2} {:>12.2} {:>8.2}x {:>8} {:>10}  {}",
        f.min, f.median, ratio, f.allocations, f.bytes, f.name
    );
}

fn machine_row(name: &str, unit: &str, ratio: f64, f: &Figures) -> Value {
    json!({
        "name": name,
        "unit": unit,
        "ns_min": f.min,
        "ns_median": f.median,
        "ratio": ratio,
        "samples": f.samples,
        "allocations": f.allocations,
        "allocated_bytes": f.bytes,
    })
}
