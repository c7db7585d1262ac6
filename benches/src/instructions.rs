//! Instructions of an operation: callgrind's count of one run length less that of another.

use std::process::{Command, ExitCode};

use serde_json::{Value, json};

use crate::measure::{Group, Op};
use crate::targets::{self, Seen};
use crate::{SECTIONS, wanted};

/// Runs one contestant so often and nothing else.
pub fn count(name: &str, times: u64) -> ExitCode {
    let sections = SECTIONS.iter().filter(|s| name.starts_with(s.name));
    let counted = sections.filter_map(|section| section.counted);
    for group in counted.flat_map(|(groups, _)| groups()) {
        for mut op in group.ops {
            if format!("{}/{}", group.name, op.name) == name {
                op.run(times);
                return ExitCode::SUCCESS;
            }
        }
    }
    eprintln!("no operation is called {name}");
    ExitCode::FAILURE
}

/// Prints the instructions of every contestant that is asked for.
pub fn table(filter: &[&str], as_json: bool) -> ExitCode {
    let mut rows: Vec<Value> = Vec::new();
    let mut seen = Seen::new();
    for section in SECTIONS {
        let Some((groups, times)) = section.counted else {
            continue;
        };
        for (name, unit, op) in contestants(groups()) {
            if !wanted(&name, filter) {
                continue;
            }
            let Some(instructions) = per_unit(&name, &op, times) else {
                eprintln!("valgrind did not count {name}");
                return ExitCode::FAILURE;
            };
            if !as_json {
                println!("{instructions:>10.0}  {name} (per {unit})");
            }
            rows.push(json!({ "name": name, "unit": unit, "instructions": instructions }));
            seen.insert(name, instructions);
        }
    }
    let targets = targets::counted(&seen);
    if as_json {
        let targets: Vec<Value> = targets.iter().map(targets::Target::json).collect();
        println!("{}", json!({ "rows": rows, "targets": targets }));
    } else {
        println!("\ntargets (instructions)");
        for target in targets {
            println!("{}", target.line());
        }
    }
    ExitCode::SUCCESS
}

fn contestants(groups: Vec<Group>) -> impl Iterator<Item = (String, &'static str, Op)> {
    groups.into_iter().flat_map(|group| {
        let (name, unit) = (group.name, group.unit);
        let ops = group.ops.into_iter();
        ops.map(move |op| (format!("{name}/{}", op.name), unit, op))
    })
}

fn per_unit(name: &str, op: &Op, times: u64) -> Option<f64> {
    let (short, long) = (collected(name, times)?, collected(name, 3 * times)?);
    Some(long.checked_sub(short)? as f64 / op.units(2 * times))
}

/// Instructions of a whole run.
fn collected(name: &str, times: u64) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args(["--count", name, &times.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stderr).ok()?;
    let line = text.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}
