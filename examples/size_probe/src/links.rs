//! A stream from a driver, blocking and not, a stream to one, and a raw line.
#![allow(dead_code, unused_imports, unused_macros)] // not every variant has everything

use core::convert::Infallible;
use core::mem::MaybeUninit;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

use embedded_io_07::ErrorType;
use hrry::io_embedded::{PumpError, async_07, blocking_07};
use hrry::{
    DescriptorView, Exact, FixedDecoder, FixedStream, InlineArena, Policy, Resync, ResyncEvent,
};

use crate::fold::Fold;

/// A driver as C code has it.
#[repr(C)]
pub struct Line {
    read: unsafe extern "C" fn(*mut u8, usize) -> usize,
    write: unsafe extern "C" fn(*const u8, usize) -> usize,
}

impl ErrorType for Line {
    type Error = Infallible;
}

impl embedded_io_07::Read for Line {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Infallible> {
        // SAFETY: it writes at most so many bytes
        Ok(unsafe { (self.read)(into.as_mut_ptr(), into.len()) })
    }
}

impl embedded_io_07::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        // SAFETY: it reads at most so many bytes
        Ok(unsafe { (self.write)(bytes.as_ptr(), bytes.len()) })
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl embedded_io_async_07::Read for Line {
    async fn read(&mut self, into: &mut [u8]) -> Result<usize, Infallible> {
        embedded_io_07::Read::read(self, into)
    }
}

macro_rules! pump {
    ($new:ident $push:ident $pump:ident $machine:ty) => {
        type $pump = blocking_07::Pump<Line, $machine, [u8; 64]>;

        #[unsafe(no_mangle)]
        pub extern "C" fn $new(out: &mut MaybeUninit<$pump>, line: Line) {
            out.write(blocking_07::Pump::new(
                line,
                <$machine>::new(Policy::STRICT),
                [0; 64],
            ));
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $push(pump: &mut $pump) -> u64 {
            let mut fold = Fold(0);
            loop {
                match pump.next_event() {
                    Ok(Some(event)) => fold.event(event),
                    Ok(None) => break,
                    Err(PumpError::Format(error)) => {
                        fold.error(&error);
                        break;
                    }
                    Err(_) => break,
                }
            }
            fold.0
        }
    };
}

#[cfg(feature = "pump")]
pump!(probe_pump_new probe_pump Pump FixedDecoder<256, 64>);

#[cfg(feature = "pump_parser")]
pump!(probe_pump_parser_new probe_pump_parser ParserPump FixedStream<256>);

#[cfg(feature = "pump_async")]
mod waiting {
    use super::*;

    type Pump = async_07::Pump<Line, FixedDecoder<256, 64>, [u8; 64]>;

    #[unsafe(no_mangle)]
    pub extern "C" fn probe_async_new(out: &mut MaybeUninit<Pump>, line: Line) {
        let decoder = FixedDecoder::new(Policy::STRICT);
        out.write(async_07::Pump::new(line, decoder, [0; 64]));
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn probe_async(pump: &mut Pump) -> u64 {
        let mut fold = Fold(0);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            match pin!(pump.next_event()).poll(&mut context) {
                Poll::Ready(Ok(Some(event))) => fold.event(event),
                Poll::Ready(Ok(None)) | Poll::Pending => break,
                Poll::Ready(Err(PumpError::Format(error))) => {
                    fold.error(&error);
                    break;
                }
                Poll::Ready(Err(_)) => break,
            }
        }
        fold.0
    }
}

#[cfg(feature = "resync")]
mod raw {
    use super::*;

    type Raw = Resync<[u8; 256], Exact, InlineArena<64>>;

    #[unsafe(no_mangle)]
    pub extern "C" fn probe_resync_new(out: &mut MaybeUninit<Raw>) {
        out.write(Resync::new(FixedDecoder::new(Policy::STRICT), 4096));
    }

    /// # Safety
    ///
    /// `data` points to `len` bytes.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn probe_resync(resync: &mut Raw, data: *const u8, len: usize) -> u64 {
        let mut fold = Fold(0);
        // SAFETY: as above
        let mut chunk = unsafe { crate::chunk(data, len) };
        loop {
            match resync.next_event(&mut chunk) {
                Ok(Some(ResyncEvent::Stream(event))) => fold.event(event),
                Ok(Some(ResyncEvent::Lost(lost))) => {
                    fold.number(lost.from);
                    fold.number(lost.to);
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    fold.error(&error);
                    break;
                }
            }
        }
        if let Err(error) = resync.finish() {
            fold.error(&error);
        }
        fold.0
    }
}

#[cfg(feature = "line_writer")]
mod writing {
    use super::*;

    type Writer = blocking_07::FixedWriter<Line, 256, 64>;

    #[unsafe(no_mangle)]
    pub extern "C" fn probe_line_writer_new(out: &mut MaybeUninit<Writer>, line: Line) {
        out.write(blocking_07::FixedWriter::new(line, Policy::STRICT));
    }

    /// A whole tensor; 1 where all of it went out.
    ///
    /// # Safety
    ///
    /// `data` points to `len` bytes.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn probe_line_writer(
        writer: &mut Writer,
        descriptor: &DescriptorView<'_>,
        data: *const u8,
        len: usize,
    ) -> u8 {
        // SAFETY: as above
        let mut bytes = unsafe { crate::chunk(data, len) };
        let written = writer.begin(descriptor).is_ok()
            && writer.payload(&mut bytes).is_ok()
            && writer.end().is_ok()
            && writer.finish().is_ok();
        written.into()
    }
}
