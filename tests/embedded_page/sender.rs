//! Sends blocks of readings, three axes of sixteen samples, as tensors over a driver of `embedded-io`.

use embedded_io::Write;
use hrry::io_embedded::OutputError;
use hrry::io_embedded::blocking_07::Output;
use hrry::{BufferHandle, DescriptorSpec, ElementType, FixedWriter, Layout, Policy, WriteError};

pub type Block = [[i16; 3]; 16];
pub const SHAPE: [u64; 2] = [16, 3];
pub const BYTES: usize = size_of::<Block>();

pub struct Sender<W> {
    // tensors and groups take no words of a validator: 0 of them
    writer: FixedWriter<Output<W>, 0>,
}

impl<W: Write> Sender<W> {
    pub const fn new(uart: W) -> Self {
        Sender {
            writer: FixedWriter::new(Output(uart), Policy::STRICT),
        }
    }

    /// After an error of the driver nobody knows how far it came: begin anew with another sender.
    pub fn send(&mut self, block: &Block) -> Result<(), WriteError<OutputError<W::Error>>> {
        // 64 is the least alignment of the format; `block` itself may lie anywhere
        let buffers = [BufferHandle::cpu(BYTES as u64, 64)];
        let spec = DescriptorSpec::new(ElementType::Int16, &SHAPE, Layout::RowMajor, &buffers);
        self.writer.begin(&spec)?;
        for reading in block.as_flattened() {
            self.writer.payload(&reading.to_le_bytes())?;
        }
        self.writer.end()?;
        let Output(uart) = self.writer.sink_mut();
        uart.flush()
            .map_err(|error| WriteError::Sink(OutputError::Output(error)))
    }
}
