//! Needs feature `embedded-io-07`. Streams over `embedded-io` 0.7: a UART, a socket, a card.

use embedded_io_07::{Read, Write};

use super::incoming::Incoming;
use super::outgoing::{Outgoing, Refused};
use super::{OutputError, Parser, PumpError};
use crate::composite::{Arena, Cover, Exact, InlineArena};
use crate::descriptor::{Sink, WriteError};
use crate::model::Fields;
use crate::policy::Policy;

/// Feeds a parser from a source, through a buffer of the caller.
///
/// Reads go straight to the buffer, and never ask for more than the parser [wants](crate::StreamDecoder::wanted)
/// to its next decision: what comes behind a tensor stays with the driver. So a descriptor takes four reads,
/// of 4, 6, 10 bytes and of its rest, and a buffer of a tensor one for each fill of `B`. Only where bytes
/// are refused, some behind the first one at fault were read: at most to the end of such a part.
///
/// `B` is an array or a slice. It bounds the pieces of payload and nothing else; what it holds is borrowed
/// by the event until the next call.
///
/// ```
/// # let stream = std::fs::read("tests/vectors/streams/s-ok-ov-spqr.bin")?;
/// use hrry::io_embedded::blocking_07::Pump;
/// use hrry::{Event, Policy, profile::Sensor};
///
/// let mut uart = &stream[..]; // anything that implements `embedded_io::Read`
/// let mut pump = Pump::new(&mut uart, Sensor::new(Policy::STRICT), [0; 64]);
/// let mut bytes = 0;
/// while let Some(event) = pump.next_event()? {
///     if let Event::Payload(payload) = event {
///         bytes += payload.bytes.len();
///     }
/// }
/// assert_eq!(bytes, 128 + 16 + 4 + 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pump<R, P, B> {
    source: R,
    incoming: Incoming<P, B>,
}

impl<R, P, B> Pump<R, P, B> {
    /// Between a source and a parser that has seen what came before.
    #[must_use]
    pub const fn new(source: R, parser: P, buffer: B) -> Self {
        Pump {
            source,
            incoming: Incoming::new(parser, buffer),
        }
    }

    /// The parser, for what it tells beside its events.
    #[must_use]
    pub const fn parser(&self) -> &P {
        &self.incoming.parser
    }

    /// The parser, to reset it.
    #[must_use]
    pub const fn parser_mut(&mut self) -> &mut P {
        &mut self.incoming.parser
    }

    /// Source and parser. What was read is all in the parser, but for up to a few bytes behind an error of it.
    #[must_use]
    pub fn into_parts(self) -> (R, P) {
        (self.source, self.incoming.parser)
    }
}

impl<R: Read, P: Parser, B: AsMut<[u8]>> Pump<R, P, B> {
    /// The next event, or none where the source is at its end and the input may end: on a boundary,
    /// outside every composite. Asked again, the source may have more by then.
    ///
    /// # Errors
    ///
    /// Those of the parser, which stick; at the end of the source those of its `finish`, STREAM-04 inside an
    /// item and COMP-48 inside a composite; errors of the source, a timeout for example, after which the
    /// next call goes on with no byte lost; [`PumpError::NoBuffer`].
    pub fn next_event(&mut self) -> Result<Option<P::Event<'_>>, PumpError<R::Error>> {
        loop {
            if let Some(mark) = self.incoming.advance()? {
                return Ok(Some(self.incoming.event(mark)));
            }
            let len = self.source.read(self.incoming.room()?);
            if !self.incoming.arrived(len.map_err(PumpError::Source)?)? {
                return Ok(None);
            }
        }
    }
}

/// A [`Sink`] over an output, for every writer of this crate.
///
/// All of what is put is written before `put` returns, in as many writes as the output needs. After an error
/// a writer stops, since a sink cannot tell how far it came; [`Writer`] can.
///
/// ```
/// use hrry::io_embedded::blocking_07::Output;
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, FixedWriter, Layout, Policy};
/// let buffers = [BufferHandle::cpu(2, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[2], Layout::RowMajor, &buffers);
/// let mut memory = [0; 64];
/// let mut writer = FixedWriter::<_, 64>::new(Output(&mut memory[..]), Policy::STRICT);
/// writer.tensor(&spec, &[&[1, 2]]).unwrap();
/// let rest = writer.finish().unwrap().finish().unwrap();
/// assert_eq!(rest.len(), 64 - (53 + 2));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Output<W>(pub W);

impl<W: Write> Output<W> {
    /// Waits until everything is out, and gives the output back.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(mut self) -> Result<W, W::Error> {
        self.0.flush()?;
        Ok(self.0)
    }
}

impl<W: Write> Sink for Output<W> {
    type Error = OutputError<W::Error>;

    fn put(&mut self, mut bytes: &[u8]) -> Result<(), Self::Error> {
        while !bytes.is_empty() {
            match self.0.write(bytes).map_err(OutputError::Output)? {
                0 => return Err(OutputError::TookNothing),
                len => bytes = bytes.get(len..).unwrap_or(&[]),
            }
        }
        Ok(())
    }
}

/// Writes a stream to an output that may fail for a while, and goes on where it stopped.
///
/// The order of calls is that of [`StreamWriter`](crate::StreamWriter), and what it refuses this refuses. A
/// descriptor goes to the buffer `B` as a whole, and from there to the output by the next call that
/// writes; payload goes from the caller's slice to the output. After an error of the output the same call
/// goes on.
///
/// ```
/// use hrry::io_embedded::blocking_07::FixedWriter;
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy};
/// let buffers = [BufferHandle::cpu(2, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[2], Layout::RowMajor, &buffers);
/// let mut memory = [0; 64];
/// // descriptors of up to 256 bytes, 64 words for open composites
/// let mut writer = FixedWriter::<_, 256, 64>::new(&mut memory[..], Policy::STRICT);
/// writer.begin(&spec).unwrap();
/// let mut samples: &[u8] = &[1, 2];
/// writer.payload(&mut samples).unwrap();
/// writer.end().unwrap();
/// writer.finish().unwrap();
/// assert_eq!(writer.into_output().len(), 64 - (53 + 2));
/// ```
#[derive(Debug)]
pub struct Writer<W, B, C, A> {
    output: W,
    outgoing: Outgoing<B, C, A>,
}

/// A writer with `F` bytes for a descriptor and `N` words for open composites inside, checking covers
/// exactly.
pub type FixedWriter<W, const F: usize, const N: usize> = Writer<W, [u8; F], Exact, InlineArena<N>>;

impl<W, const F: usize, const N: usize> FixedWriter<W, F, N> {
    /// A writer at the start of a stream.
    #[must_use]
    pub const fn new(output: W, policy: Policy) -> Self {
        Writer::with_parts(output, [0; F], Exact, InlineArena::new(), policy)
    }
}

impl<W, B, C, A> Writer<W, B, C, A> {
    /// A writer at the start of a stream, from its parts.
    #[must_use]
    pub const fn with_parts(output: W, buffer: B, cover: C, arena: A, policy: Policy) -> Self {
        Writer {
            output,
            outgoing: Outgoing::new(buffer, cover, arena, policy),
        }
    }

    /// The output. What was not written, or not flushed, is gone.
    #[must_use]
    pub fn into_output(self) -> W {
        self.output
    }
}

impl<W: Write, B: AsMut<[u8]>, C: Cover, A: Arena> Writer<W, B, C, A> {
    /// Starts an item: a tensor, a head, or a member. Writes what is left of the descriptor before.
    ///
    /// # Errors
    ///
    /// As [`StreamWriter::begin`](crate::StreamWriter::begin), and a capacity error where the descriptor is
    /// longer than the buffer; errors of the output. The item is not begun then.
    pub fn begin<F: Fields + ?Sized>(&mut self, d: &F) -> Refused<(), W::Error> {
        self.drain()?;
        self.outgoing.begin(d)
    }

    /// Writes the next bytes of the item's buffers, and moves `bytes` behind what is out.
    ///
    /// # Errors
    ///
    /// STREAM-10 without an item or with more bytes than its buffers take, before anything is written;
    /// errors of the output: called again with what is left of `bytes`, it goes on.
    pub fn payload(&mut self, bytes: &mut &[u8]) -> Refused<(), W::Error> {
        self.outgoing.check(bytes)?;
        self.drain()?;
        while !bytes.is_empty() {
            let len = self.output.write(bytes);
            self.outgoing.paid(bytes, len.map_err(failed)?)?;
        }
        Ok(())
    }

    /// Ends the item; that of the last member closes its composite. Writes nothing.
    ///
    /// # Errors
    ///
    /// As [`StreamWriter::end`](crate::StreamWriter::end).
    pub fn end(&mut self) -> Refused<(), W::Error> {
        self.outgoing.end()
    }

    /// Writes what is left of a descriptor, and waits until everything is out.
    ///
    /// # Errors
    ///
    /// Those of the output; called again, it goes on.
    pub fn flush(&mut self) -> Refused<(), W::Error> {
        self.drain()?;
        self.output.flush().map_err(failed)
    }

    /// Ends the stream: [flushes](Self::flush) where it may end.
    ///
    /// # Errors
    ///
    /// STREAM-11 inside an item or a composite, or after a failure of those; errors of the output: called
    /// again, it goes on.
    pub fn finish(&mut self) -> Refused<(), W::Error> {
        self.outgoing.finish()?;
        self.flush()
    }

    fn drain(&mut self) -> Refused<(), W::Error> {
        while let pending @ [_, ..] = self.outgoing.pending() {
            let len = self.output.write(pending);
            self.outgoing.sent(len.map_err(failed)?)?;
        }
        Ok(())
    }
}

fn failed<E>(error: E) -> WriteError<OutputError<E>> {
    WriteError::Sink(OutputError::Output(error))
}
