//! The board's UART behind the traits of `embedded-io`.

use embedded_io::{Error, ErrorKind, ErrorType, Read, Write};

use super::port;

/// The line out. A write waits until the device takes a byte.
pub struct Transmitter(());

/// The line in. A read waits until a byte is there, but not for ever.
pub struct Receiver(());

/// No byte came for a while.
#[derive(Clone, Copy, Debug)]
pub struct Silence;

/// How often a read looks for a byte: some seconds on an emulated board.
const PATIENCE: u32 = 20_000_000;

/// Switches the UART on.
#[must_use]
pub fn enable() -> (Transmitter, Receiver) {
    port::enable();
    (Transmitter(()), Receiver(()))
}

impl core::fmt::Display for Silence {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("no byte came for a while")
    }
}

impl core::error::Error for Silence {}

impl Error for Silence {
    fn kind(&self) -> ErrorKind {
        ErrorKind::TimedOut
    }
}

impl ErrorType for Receiver {
    type Error = Silence;
}

impl Read for Receiver {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, Silence> {
        let mut patience = PATIENCE;
        while !room.is_empty() && !port::can_read() {
            patience = patience.checked_sub(1).ok_or(Silence)?;
        }
        let there = room.iter_mut().take_while(|_| port::can_read());
        Ok(there.map(|byte| *byte = port::read()).count())
    }
}

impl ErrorType for Transmitter {
    type Error = core::convert::Infallible;
}

impl Write for Transmitter {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
        let Some(first) = bytes.first() else {
            return Ok(0);
        };
        self.flush()?;
        port::write(*first);
        Ok(1)
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        // a line without flow control takes every byte in the end
        while !port::can_write() {}
        Ok(())
    }
}
