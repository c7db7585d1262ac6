//! Tables for people, JSON for machines.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::measure::{Figures, measure};
use crate::{SECTIONS, wanted};

/// A contestant in its group.
pub struct Row {
    /// Section, task, contestant.
    pub name: String,
    /// How many times faster than the first contestant of the group, by the best samples.
    pub ratio: f64,
    /// What was seen.
    pub figures: Figures,
}

/// Runs everything that is asked for.
pub fn run(filter: &[&str], as_json: bool) -> ExitCode {
    let mut rows = Vec::new();
    let mut machine = Vec::new();
    for section in SECTIONS {
        let asked = filter.iter().any(|word| word.starts_with(section.name));
        let all = filter.is_empty() || asked || filter.iter().any(|word| !word.contains('/'));
        if !all {
            continue;
        }
        for mut group in (section.groups)() {
            if !wanted(&group.name, filter) {
                continue;
            }
            let figures = measure(&mut group);
            let base = figures[0].min;
            if !as_json {
                heading(&group.name, group.unit);
            }
            for figures in figures {
                let row = Row {
                    name: format!("{}/{}", group.name, figures.name),
                    ratio: base / figures.min,
                    figures,
                };
                if as_json {
                    machine.push(machine_row(&row, group.unit));
                } else {
                    print(&row);
                }
                rows.push(row);
            }
        }
    }
    let _ = &rows;
    if as_json {
        println!("{}", json!({ "rows": machine }));
    }
    ExitCode::SUCCESS
}

fn heading(name: &str, unit: &str) {
    println!("\n{name}, for each {unit}");
    println!(
        "{:>12} {:>12} {:>9} {:>8} {:>10}  contestant",
        "ns min", "ns median", "ratio", "allocs", "bytes"
    );
}

fn print(row: &Row) {
    let f = &row.figures;
    println!(
        "{:>12.2} {:>12.2} {:>8.2}x {:>8} {:>10}  {}",
        f.min, f.median, row.ratio, f.allocations, f.bytes, f.name
    );
}

fn machine_row(row: &Row, unit: &str) -> Value {
    let f = &row.figures;
    json!({
        "name": row.name,
        "unit": unit,
        "ns_min": f.min,
        "ns_median": f.median,
        "ratio": row.ratio,
        "samples": f.samples,
        "allocations": f.allocations,
        "allocated_bytes": f.bytes,
    })
}
