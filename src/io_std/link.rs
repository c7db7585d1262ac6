//! Sessions over what blocks, such as a socket.

use std::io::{self, BufWriter, Read, Write};
use std::time::{Duration, Instant};
use std::vec;
use std::vec::Vec;

use crate::composite::{Cover, Exact};
use crate::message::{Hello, KeepAlive, ParallelTransfer, Session, SessionEvent, Side, StreamSlot};
use crate::owned::GrowFrame;
use crate::policy::Policy;

use super::{CHUNK, IoError, Output};

/// The session of a [`SessionLink`].
pub type LinkSession<'h, W, C, const N: usize> =
    Session<'h, GrowFrame, Vec<StreamSlot<C, Vec<u64>>>, Output<BufWriter<W>>, N>;

/// What [`SessionLink::wait`] led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// There are bytes, so there may be events.
    Bytes,
    /// The source had nothing for now.
    Nothing,
    /// The other side sends nothing any more.
    End,
}

/// A [`Session`] with a source of bytes, an output, and a clock.
///
/// Its owner waits for bytes and takes events in turn, and calls the session in between. What is to be sent is
/// sent by [`wait`](Self::wait) at the latest. Control messages are gathered in memory that grows with bytes that
/// arrived, up to the `max_message_size` of `hello`; data is lent out. `N` streams can be under way.
///
/// Times in [`KeepAlive`] are milliseconds, and time passes while a read waits in vain: on a socket with a read timeout,
/// which no keep-alive works without. What a side spends on sending or on its own work is no silence of the other one;
/// a write timeout finds a side that takes nothing any more.
///
/// ```
/// use std::net::{TcpListener, TcpStream};
///
/// use hrry::io_std::{Arrival, IoError, SessionLink};
/// use hrry::message::{Hello, KeepAlive, SessionEvent, Side, TensorRequest};
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy};
///
/// fn link(socket: &TcpStream, side: Side) -> Result<SessionLink<'_, &TcpStream, &TcpStream>, IoError> {
///     let hello = Hello::new(1 << 20);
///     SessionLink::new(side, hello, socket, socket, KeepAlive::NEVER, Policy::STRICT)
/// }
///
/// fn serve(socket: &TcpStream) -> Result<(), IoError> {
///     let buffers = [BufferHandle::cpu(4, 64)];
///     let spec = DescriptorSpec::new(ElementType::UInt8, &[4], Layout::RowMajor, &buffers);
///     let mut link = link(socket, Side::Server)?;
///     while link.wait()? != Arrival::End {
///         while let Some(event) = link.next_event()? {
///             if let SessionEvent::Requested(stream, _) = event {
///                 let session = link.session();
///                 session.answer(stream, &spec)?;
///                 session.data(stream, &[1, 2, 3, 4])?;
///                 session.end(stream)?;
///             }
///         }
///     }
///     Ok(())
/// }
///
/// let listener = TcpListener::bind("127.0.0.1:0")?;
/// let address = listener.local_addr()?;
/// let server = std::thread::spawn(move || serve(&listener.accept()?.0));
///
/// let socket = TcpStream::connect(address)?;
/// let mut client = link(&socket, Side::Client)?;
/// let mut received = Vec::new();
/// let mut whole = false;
/// while !whole && client.wait()? != Arrival::End {
///     while let Some(event) = client.next_event()? {
///         match event {
///             SessionEvent::Opened => {
///                 client.session().request(&TensorRequest::new("w"))?;
///             }
///             SessionEvent::Data(_, data) => received.extend_from_slice(data.bytes),
///             SessionEvent::End(..) => whole = true,
///             _ => {}
///         }
///     }
/// }
/// assert_eq!(received, [1, 2, 3, 4]);
/// drop(client);
/// drop(socket);
/// server.join().unwrap()?;
/// # Ok::<(), IoError>(())
/// ```
#[derive(Debug)]
pub struct SessionLink<'h, R, W: Write, C: Cover = Exact, const N: usize = 8> {
    session: LinkSession<'h, W, C, N>,
    source: R,
    chunk: Vec<u8>,
    /// The bytes of the chunk that are not used up.
    start: usize,
    end: usize,
    /// How long reads have waited in vain.
    waited: Duration,
}

impl<'h, R: Read, W: Write, const N: usize> SessionLink<'h, R, W, Exact, N> {
    /// Starts a session, checking covers exactly.
    ///
    /// # Errors
    ///
    /// As [`with_cover`](Self::with_cover).
    pub fn new(
        side: Side,
        hello: Hello<'h>,
        source: R,
        output: W,
        keep_alive: KeepAlive,
        policy: Policy,
    ) -> Result<Self, IoError> {
        SessionLink::with_cover(side, hello, source, output, keep_alive, Exact, policy)
    }
}

impl<'h, R: Read, W: Write, C: Cover + Clone, const N: usize> SessionLink<'h, R, W, C, N> {
    /// Starts a session, with a way to check covers.
    ///
    /// # Errors
    ///
    /// As [`Session::start`].
    pub fn with_cover(
        side: Side,
        hello: Hello<'h>,
        source: R,
        output: W,
        keep_alive: KeepAlive,
        cover: C,
        policy: Policy,
    ) -> Result<Self, IoError> {
        let places = || {
            let transfer = || StreamSlot::with_parts(cover.clone(), Vec::new());
            (0..N).map(|_| transfer()).collect::<Vec<_>>()
        };
        let shards = [cover.clone(), cover.clone()];
        let [place, number] = shards;
        let parallel = ParallelTransfer::with_parts(place, Vec::new(), number, Vec::new(), policy);
        let sink = Output(BufWriter::with_capacity(CHUNK, output));
        let frame = GrowFrame::new();
        let session = Session::with_parts(
            side,
            hello,
            frame,
            places(),
            places(),
            parallel,
            sink,
            policy,
        );
        let mut link = SessionLink {
            session: session.with_keep_alive(keep_alive),
            source,
            chunk: vec![0; CHUNK],
            start: 0,
            end: 0,
            waited: Duration::ZERO,
        };
        link.session.start(0)?;
        Ok(link)
    }
}

impl<'h, R: Read, W: Write, C: Cover, const N: usize> SessionLink<'h, R, W, C, N> {
    /// Sends what is to be sent, and reads once unless there are bytes. Interrupted reads are tried again.
    ///
    /// # Errors
    ///
    /// Errors of the output, after which nothing can be sent any more; errors of the source;
    /// [`TimedOut`](io::ErrorKind::TimedOut) where the other side was silent for too long.
    pub fn wait(&mut self) -> Result<Arrival, IoError> {
        self.flush()?;
        if self.start < self.end {
            return Ok(Arrival::Bytes);
        }
        let begin = Instant::now();
        let read = loop {
            match self.source.read(&mut self.chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        match read {
            Ok(0) => Ok(Arrival::End),
            Ok(read) => {
                self.start = 0;
                self.end = read.min(self.chunk.len());
                Ok(Arrival::Bytes)
            }
            Err(error) if has_nothing(&error) => {
                self.waited = self.waited.saturating_add(begin.elapsed());
                let now = self.now();
                if self.session.tick(now)?.is_some() {
                    return Err(io::Error::from(io::ErrorKind::TimedOut).into());
                }
                self.flush()?;
                Ok(Arrival::Nothing)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The next event, or none when the bytes are used up.
    ///
    /// # Errors
    ///
    /// As [`Session::receive`].
    pub fn next_event(&mut self) -> Result<Option<SessionEvent<'_, '_>>, IoError> {
        let now = self.now();
        let mut input = self.chunk.get(self.start..self.end).unwrap_or_default();
        let event = self.session.receive(&mut input, now);
        self.start = self.end.saturating_sub(input.len());
        Ok(event?)
    }

    /// Sends what is to be sent.
    ///
    /// # Errors
    ///
    /// Errors of the output, after which nothing can be sent any more.
    pub fn flush(&mut self) -> Result<(), IoError> {
        Ok(self.session.sink_mut().0.flush()?)
    }

    /// The session, for what this side has to say.
    pub const fn session(&mut self) -> &mut LinkSession<'h, W, C, N> {
        &mut self.session
    }

    /// Where the bytes come from.
    pub const fn source_mut(&mut self) -> &mut R {
        &mut self.source
    }

    fn now(&self) -> u64 {
        u64::try_from(self.waited.as_millis()).unwrap_or(u64::MAX)
    }
}

fn has_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut)
}
