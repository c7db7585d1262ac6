//! The other end of the line of the emulated boards.
//!
//! `examples/firmware/run.sh` starts it: `hrry-firmware-host sensor|receiver MACHINE IMAGE [--bless]`.

mod board;
mod damage;
mod receiver;
mod sensor;

use std::process::ExitCode;

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["sensor", machine, image] => sensor::run(machine, image, sensor::Capture::Compare),
        ["sensor", machine, image, "--bless"] => {
            sensor::run(machine, image, sensor::Capture::Write)
        }
        ["receiver", machine, image] => receiver::run(machine, image),
        _ => Err("usage: hrry-firmware-host sensor|receiver MACHINE IMAGE [--bless]".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("FAILED: {error}");
            ExitCode::FAILURE
        }
    }
}
