//! Text for the console of the emulator, without formatting code.

use cortex_m_semihosting::{debug, hio};

/// Prints texts.
pub fn print(texts: &[&str]) {
    if let Ok(mut console) = hio::hstdout() {
        for text in texts {
            // there is nobody to tell that the console is gone
            let _ = console.write_all(text.as_bytes());
        }
    }
}

/// Prints a name and a number on a line of their own.
pub fn print_number(name: &str, mut number: u32) {
    let mut digits = [b'0'; 10];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
    let zeros = digits
        .iter()
        .take(9)
        .take_while(|digit| **digit == b'0')
        .count();
    let digits = core::str::from_utf8(digits.get(zeros..).unwrap_or_default());
    print(&[name, " ", digits.unwrap_or_default(), "\n"]);
}

/// Ends the run; the exit status of the emulator says whether it passed.
pub fn exit(passed: bool) -> ! {
    debug::exit(if passed {
        debug::EXIT_SUCCESS
    } else {
        debug::EXIT_FAILURE
    });
    super::halt()
}
