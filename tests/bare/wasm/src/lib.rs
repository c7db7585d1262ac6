//! `run()` returns the number of checks that held, or minus the number of the first that did not; every
//! value of every byte of the containers is tried here.
#![no_std]

#[unsafe(no_mangle)]
pub extern "C" fn run() -> i32 {
    let (mut number, mut failed) = (0, 0);
    let mut check = |_: &'static str, held: bool| {
        number += 1;
        if !held && failed == 0 {
            failed = number;
        }
    };
    bare::run(&mut check);
    bare::files::run_every(1, &mut check);
    if failed == 0 { number } else { -failed }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
