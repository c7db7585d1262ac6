//! Needs feature `embedded-io-async-07`. Streams over `embedded-io-async` 0.7, as those over `embedded-io` in module
//! `blocking_07`.
//!
//! A future that is dropped before it is ready loses no byte and repeats none: everything that was read or
//! written is accounted for before the next point where it can wait, in the value or in the slice that the
//! caller gave. Call again to go on.
//!
//! That holds over drivers of which the same is true: where dropping their `read` or `write` takes or sends
//! nothing. The traits encourage that but do not ask for it, and a transfer by DMA often cannot. For such a
//! driver say so with `not_cancel_safe`: then a call that follows a dropped one is refused.

use embedded_io_async_07::{Read, Write};

use super::incoming::Incoming;
use super::outgoing::{Outgoing, Refused};
use super::{OutputError, Parser, PumpError};
use crate::composite::{Arena, Cover, Exact, InlineArena};
use crate::descriptor::WriteError;
use crate::model::Fields;
use crate::policy::Policy;

/// Whether a call of the driver was dropped that may have done something.
#[derive(Debug)]
struct Driver {
    cancel_safe: bool,
    waiting: bool,
}

impl Driver {
    const CANCEL_SAFE: Driver = Driver {
        cancel_safe: true,
        waiting: false,
    };

    const fn was_dropped(&self) -> bool {
        self.waiting && !self.cancel_safe
    }
}

/// Feeds a parser from a source, through a buffer of the caller.
///
/// As the blocking `Pump` of `blocking_07`, which says how far it reads: never past what the parser
/// [wants](crate::StreamDecoder::wanted) to its next decision.
///
/// ```
/// # use std::task::{Context, Poll, Waker};
/// # fn block_on<T>(future: impl Future<Output = T>) -> T {
/// #     let mut future = std::pin::pin!(future);
/// #     let mut context = Context::from_waker(Waker::noop());
/// #     loop {
/// #         if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
/// #             return value;
/// #         }
/// #     }
/// # }
/// # let stream = std::fs::read("tests/vectors/streams/s-ok-ov-spqr.bin").unwrap();
/// use hrry::io_embedded::async_07::Pump;
/// use hrry::{Event, Policy, profile::Sensor};
///
/// # block_on(async {
/// let uart = &stream[..]; // anything that implements `embedded_io_async::Read`
/// let mut pump = Pump::new(uart, Sensor::new(Policy::STRICT), [0; 64]);
/// let mut bytes = 0;
/// while let Some(event) = pump.next_event().await? {
///     if let Event::Payload(payload) = event {
///         bytes += payload.bytes.len();
///     }
/// }
/// assert_eq!(bytes, 128 + 16 + 4 + 32);
/// # Ok::<(), hrry::io_embedded::PumpError<std::convert::Infallible>>(())
/// # })
/// # .unwrap();
/// ```
#[derive(Debug)]
pub struct Pump<R, P, B> {
    source: R,
    incoming: Incoming<P, B>,
    driver: Driver,
}

impl<R, P, B> Pump<R, P, B> {
    /// Between a source and a parser that has seen what came before.
    #[must_use]
    pub const fn new(source: R, parser: P, buffer: B) -> Self {
        Pump {
            source,
            incoming: Incoming::new(parser, buffer),
            driver: Driver::CANCEL_SAFE,
        }
    }

    /// For a source of which a dropped read may have taken bytes: they are lost, so the next call is
    /// refused, and all that follow.
    #[must_use]
    pub fn not_cancel_safe(mut self) -> Self {
        self.driver.cancel_safe = false;
        self
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
    /// next call goes on with no byte lost; [`PumpError::NoBuffer`]; [`PumpError::Dropped`] where
    /// [`not_cancel_safe`](Self::not_cancel_safe) was said.
    pub async fn next_event(&mut self) -> Result<Option<P::Event<'_>>, PumpError<R::Error>> {
        if self.driver.was_dropped() {
            return Err(PumpError::Dropped);
        }
        loop {
            if let Some(mark) = self.incoming.advance()? {
                return Ok(Some(self.incoming.event(mark)));
            }
            let room = self.incoming.room()?;
            self.driver.waiting = true;
            let len = self.source.read(room).await;
            self.driver.waiting = false;
            if !self.incoming.arrived(len.map_err(PumpError::Source)?)? {
                return Ok(None);
            }
        }
    }
}

/// Writes a stream to an output, and goes on where it stopped, after an error or a dropped future.
///
/// As the blocking `Writer` of `blocking_07`.
///
/// ```
/// # use std::task::{Context, Poll, Waker};
/// # fn block_on<T>(future: impl Future<Output = T>) -> T {
/// #     let mut future = std::pin::pin!(future);
/// #     let mut context = Context::from_waker(Waker::noop());
/// #     loop {
/// #         if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
/// #             return value;
/// #         }
/// #     }
/// # }
/// use hrry::io_embedded::async_07::FixedWriter;
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy};
/// # block_on(async {
/// let buffers = [BufferHandle::cpu(2, 64)];
/// let spec = DescriptorSpec::new(ElementType::UInt8, &[2], Layout::RowMajor, &buffers);
/// let mut memory = [0; 64];
/// // descriptors of up to 256 bytes, 64 words for open composites
/// let mut writer = FixedWriter::<_, 256, 64>::new(&mut memory[..], Policy::STRICT);
/// writer.begin(&spec).await.unwrap();
/// let mut samples: &[u8] = &[1, 2];
/// while !samples.is_empty() {
///     // a future that is dropped here leaves in `samples` what is not out
///     writer.payload(&mut samples).await.unwrap();
/// }
/// writer.end().unwrap();
/// writer.finish().await.unwrap();
/// assert_eq!(writer.into_output().len(), 64 - (53 + 2));
/// # })
/// ```
#[derive(Debug)]
pub struct Writer<W, B, C, A> {
    output: W,
    outgoing: Outgoing<B, C, A>,
    driver: Driver,
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
            driver: Driver::CANCEL_SAFE,
        }
    }

    /// For an output of which a dropped write may have sent bytes: nobody knows how many, so the next call
    /// that writes is refused, and all that follow.
    #[must_use]
    pub fn not_cancel_safe(mut self) -> Self {
        self.driver.cancel_safe = false;
        self
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
    /// Where the future is dropped, the item is not begun.
    ///
    /// # Errors
    ///
    /// As [`StreamWriter::begin`](crate::StreamWriter::begin), and a capacity error where the descriptor is
    /// longer than the buffer; errors of the output. The item is not begun then.
    pub async fn begin<F: Fields + ?Sized>(&mut self, d: &F) -> Refused<(), W::Error> {
        self.drain().await?;
        self.outgoing.begin(d)
    }

    /// Writes the next bytes of the item's buffers, and moves `bytes` behind what is out, one write at a
    /// time: where the future is dropped, it stands behind the bytes of every write that was ready.
    ///
    /// # Errors
    ///
    /// STREAM-10 without an item or with more bytes than its buffers take, before anything is written;
    /// errors of the output: called again with what is left of `bytes`, it goes on.
    pub async fn payload(&mut self, bytes: &mut &[u8]) -> Refused<(), W::Error> {
        self.outgoing.check(bytes)?;
        self.drain().await?;
        while !bytes.is_empty() {
            self.driver.waiting = true;
            let len = self.output.write(bytes).await;
            self.driver.waiting = false;
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
    pub async fn flush(&mut self) -> Refused<(), W::Error> {
        self.drain().await?;
        self.output.flush().await.map_err(failed)
    }

    /// Ends the stream: [flushes](Self::flush) where it may end.
    ///
    /// # Errors
    ///
    /// STREAM-11 inside an item or a composite, or after a failure of those; errors of the output: called
    /// again, it goes on.
    pub async fn finish(&mut self) -> Refused<(), W::Error> {
        self.outgoing.finish()?;
        self.flush().await
    }

    async fn drain(&mut self) -> Refused<(), W::Error> {
        if self.driver.was_dropped() {
            return Err(WriteError::Sink(OutputError::Dropped));
        }
        while let pending @ [_, ..] = self.outgoing.pending() {
            self.driver.waiting = true;
            let len = self.output.write(pending).await;
            self.driver.waiting = false;
            self.outgoing.sent(len.map_err(failed)?)?;
        }
        Ok(())
    }
}

fn failed<E>(error: E) -> WriteError<OutputError<E>> {
    WriteError::Sink(OutputError::Output(error))
}
