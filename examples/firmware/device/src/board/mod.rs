//! The boards: a UART, and what the run time needs.

#[cfg(feature = "log")]
mod log;
#[cfg_attr(board = "mps2_an386", path = "cmsdk.rs")]
#[cfg_attr(board = "lm3s6965evb", path = "pl011.rs")]
mod port;
mod registers;
pub mod semihosting;
#[cfg(feature = "measure")]
pub mod stack;
#[cfg(board = "mps2_an386")]
pub mod timer;
pub mod uart;

/// There are no interrupts: the table behind the exceptions is as short as can be.
#[allow(unsafe_code)]
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
static __INTERRUPTS: [u32; 1] = [0];

/// No code of these images can panic, so this is not linked; the compiler wants it all the same.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    halt()
}

/// Waits for the watchdog, or a debugger.
pub fn halt() -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}
