//! The built program, for tests that start it.

use std::process::Command;

/// The program, run where the repository is; `HRRY_TEST_RUNNER` names an emulator for a foreign one.
pub fn program() -> Command {
    let binary = env!("CARGO_BIN_EXE_hrry");
    let mut command = match std::env::var_os("HRRY_TEST_RUNNER") {
        Some(runner) => {
            let mut command = Command::new(runner);
            command.arg(binary);
            command
        }
        None => Command::new(binary),
    };
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}
