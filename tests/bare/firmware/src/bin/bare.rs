//! Runs the bare checks and prints `N passed, N failed`; the exit status says the same.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use panic_semihosting as _;

#[entry]
fn main() -> ! {
    let (mut passed, mut failed) = (0, 0);
    bare::run(&mut |name, held| {
        if held {
            passed += 1;
        } else {
            failed += 1;
            hprintln!("failed: {}", name);
        }
    });
    hprintln!("{} passed, {} failed", passed, failed);
    debug::exit(if failed == 0 && passed > 0 {
        debug::EXIT_SUCCESS
    } else {
        debug::EXIT_FAILURE
    });
    loop {
        cortex_m::asm::wfi();
    }
}
