//! The deepest stack of a run, which began with all of it painted.
#![allow(unsafe_code)]

unsafe extern "C" {
    /// The lowest word that the stack may reach and the first one above it, from the linker script.
    static _stack_end: u32;
    static _stack_start: u32;
}

/// Prints how much of the stack was ever used, where that is more than before.
pub fn print_deeper(before: &mut u32) {
    let deepest = deepest();
    if deepest > *before {
        super::semihosting::print_number("stack", deepest);
        *before = deepest;
    }
}

/// Bytes of stack that were written to.
fn deepest() -> u32 {
    let (lowest, above) = (&raw const _stack_end, &raw const _stack_start);
    let bytes = above.addr() - lowest.addr();
    // SAFETY: all of these words are memory, and nobody else runs who could write to them
    let painted = (0..bytes / 4).take_while(
        |k| unsafe { lowest.add(*k).read_volatile() } == cortex_m_rt::STACK_PAINT_VALUE,
    );
    (bytes - 4 * painted.count()) as u32
}
