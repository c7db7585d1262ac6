//! Instructions, counted by a timer of mps2-an386: with `-icount shift=6` an instruction takes 64 ns, which are
//! 1.6 ticks of the emulated timer.

use super::registers::Registers;

const TIMER: Registers = Registers::at(0x4000_0000);
const CONTROL: usize = 0x0;
const VALUE: usize = 0x4;
const RELOAD: usize = 0x8;

/// Starts to count.
pub fn start() {
    TIMER.write(RELOAD, u32::MAX);
    TIMER.write(VALUE, u32::MAX);
    TIMER.write(CONTROL, 1);
}

/// Instructions that a call takes, the call itself included.
pub fn instructions(call: impl FnOnce()) -> u32 {
    let before = TIMER.read(VALUE);
    call();
    let ticks = before.wrapping_sub(TIMER.read(VALUE));
    (ticks * 5 + 4) / 8
}
