//! A receiver: reads a stream from its UART and answers every tensor, and all that it cannot read, with a
//! verdict in postcard behind a byte that says its length. It goes on after damage.
//!
//! `examples/firmware/run.sh receiver` runs it on an emulated board and sends it good and bad streams.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use embedded_io::Write;
use hrry::io_embedded::PumpError;
use hrry::io_embedded::blocking_07::Pump;
use hrry::{Event, ResyncEvent};
#[cfg(feature = "measure")]
use hrry_firmware::board::stack;
use hrry_firmware::board::uart::{self, Receiver, Transmitter};
use hrry_firmware_link::verdict::{LONGEST, Line, Verdict, line};

#[entry]
fn main() -> ! {
    let (mut answers, stream) = uart::enable();
    let mut pump = Pump::new(stream, line(), [0; 32]);
    #[cfg(feature = "measure")]
    let mut deepest = 0;
    loop {
        if let Some(verdict) = next(&mut pump) {
            answer(&mut answers, &verdict);
        }
        #[cfg(feature = "measure")]
        stack::print_deeper(&mut deepest);
    }
}

/// Reads up to the next event, which may deserve an answer.
fn next(pump: &mut Pump<Receiver, Line, [u8; 32]>) -> Option<Verdict> {
    let outcome = match pump.next_event() {
        Ok(Some(ResyncEvent::Stream(Event::TensorEnd(outcome)))) => outcome,
        Ok(Some(ResyncEvent::Lost(lost))) => {
            #[cfg(feature = "log")]
            defmt::warn!("{}", lost);
            return Some(lost.into());
        }
        // here a node would use descriptors and payload, and act on an accepted tensor at its end
        Ok(_) => return None,
        Err(PumpError::Format(error)) => return Some(start_anew(pump, error)),
        // silence between two items is nothing; inside of one the rest will not come
        Err(_) => match pump.parser().finish() {
            Ok(()) => return None,
            Err(error) => return Some(start_anew(pump, error)),
        },
    };
    Some(Verdict::of_end(pump.parser().offset(), outcome))
}

fn start_anew(pump: &mut Pump<Receiver, Line, [u8; 32]>, error: hrry::Error) -> Verdict {
    pump.parser_mut().reset();
    error.into()
}

fn answer(answers: &mut Transmitter, verdict: &Verdict) {
    let mut bytes = [0; 1 + LONGEST];
    let mut rest = verdict.to_line(&mut bytes).unwrap_or_default();
    while let Ok(written @ 1..) = answers.write(rest) {
        rest = rest.get(written..).unwrap_or_default();
    }
}
