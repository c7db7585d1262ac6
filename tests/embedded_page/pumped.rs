//! The same from a driver of `embedded-io`.

use embedded_io::Read;
use hrry::io_embedded::PumpError;
use hrry::io_embedded::blocking_07::Pump;

use super::receiver::{Arrived, Blocks, Line, line, silence};

pub struct Receiver<R> {
    pump: Pump<R, Line, [u8; 32]>,
    blocks: Blocks,
}

impl<R: Read> Receiver<R> {
    pub const fn new(uart: R) -> Self {
        Receiver {
            pump: Pump::new(uart, line(), [0; 32]),
            blocks: Blocks::new(),
        }
    }

    /// Reads up to the next event, which need not be worth telling.
    pub fn step(&mut self) -> Option<Arrived> {
        match self.pump.next_event() {
            Ok(Some(event)) => self.blocks.take(event),
            // the driver is at its end
            Ok(None) => None,
            Err(PumpError::Format(error)) => {
                self.pump.parser_mut().reset();
                Some(Arrived::StartedAnew(error))
            }
            // the driver failed, by a time-out for example: the next step goes on
            Err(_) => silence(self.pump.parser_mut()),
        }
    }
}
