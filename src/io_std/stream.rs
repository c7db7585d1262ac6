//! Reading streams from what gives bytes.

use std::io::{BufRead, BufReader, Read};
use std::vec::Vec;

use crate::composite::{Arena, Cover, Exact};
use crate::frame::Storage;
use crate::owned::{Item, ItemReader};
use crate::policy::Policy;
use crate::stream::{Event, StreamDecoder};
use crate::wire::length;

use super::{CHUNK, IoError};

/// Reads a bare stream into items that own their memory; a composite counts as one item.
///
/// It is an [`ItemReader`] that asks for its bytes. Long buffers are read straight to where they stay, at
/// most as many bytes ahead as there are already, so that an announced length costs nothing; all else
/// comes through a buffer of 16 KiB, which may read past an item. It never waits for more than the source has when
/// the item is whole, and a socket may time out or have nothing: that is an error of the source, behind which the
/// next call goes on.
///
/// ```
/// # let path = "tests/vectors/streams/s-ok-ov-spqr.bin";
/// use hrry::io_std::{IoError, StreamReader};
/// use hrry::Policy;
///
/// let mut reader = StreamReader::new(std::fs::File::open(path)?, Policy::STRICT);
/// while let Some(item) = reader.next_item()? {
///     assert_eq!(item.as_composite().unwrap().member_count(), 2);
/// }
/// assert_eq!(reader.offset(), 527);
/// # Ok::<(), IoError>(())
/// ```
#[derive(Debug)]
pub struct StreamReader<R, C = Exact> {
    source: BufReader<R>,
    items: ItemReader<C>,
}

impl<R: Read> StreamReader<R> {
    /// At the start of a stream, checking covers exactly.
    #[must_use]
    pub fn new(source: R, policy: Policy) -> Self {
        StreamReader::with_cover(source, Exact, policy)
    }
}

impl<R: Read, C: Cover> StreamReader<R, C> {
    /// At the start of a stream, with a way to check covers.
    #[must_use]
    pub fn with_cover(source: R, cover: C, policy: Policy) -> Self {
        StreamReader {
            source: BufReader::with_capacity(CHUNK, source),
            items: ItemReader::with_cover(cover, policy),
        }
    }

    /// The next item; none where the stream ends between items.
    ///
    /// # Errors
    ///
    /// As [`ItemReader::next_item`] and, at the end of the input, [`ItemReader::finish`]: these stick.
    /// Errors of the source do not: no byte is lost, and the next call goes on. Interrupted reads are
    /// tried again.
    pub fn next_item(&mut self) -> Result<Option<Item>, IoError> {
        loop {
            let mut chunk = self.source.buffer();
            let before = chunk.len();
            let item = self.items.next_item(&mut chunk);
            let taken = before.saturating_sub(chunk.len());
            self.source.consume(taken);
            if let Some(item) = item? {
                return Ok(Some(item));
            }
            if !self.more()? {
                self.items.finish()?;
                return Ok(None);
            }
        }
    }

    /// Reads more, the buffer being used up; false at the end of the input.
    fn more(&mut self) -> Result<bool, IoError> {
        if self.items.wanted() >= CHUNK {
            let source = self.source.get_mut();
            let arrived = self.items.fill(CHUNK, |memory, most| {
                let mut part = source.take(length(most));
                let result = part.read_to_end(memory);
                result.map(|_| part.limit() < length(most))
            })?;
            if let Some(arrived) = arrived {
                return Ok(arrived?);
            }
        }
        fill(&mut self.source)
    }

    /// Absolute offset of the next byte.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.items.offset()
    }

    /// What arrived whole of composites that are still open, as items of their own: all that there is of
    /// a torn composite.
    #[must_use]
    pub fn into_arrived(self) -> Vec<Item> {
        self.items.into_arrived()
    }
}

/// Reads a stream to its end and shows every event; payload stays in the source's buffer and is never
/// copied.
///
/// `source` is anything buffered: a [`BufReader`] over a file, or a slice, which is one chunk.
///
/// ```
/// # let path = "tests/vectors/streams/s-ok-ov-spqr.bin";
/// use hrry::io_std::{IoError, read_events};
/// use hrry::{Event, Policy, StreamDecoder};
///
/// let file = std::io::BufReader::new(std::fs::File::open(path)?);
/// let mut bytes = 0;
/// read_events(&mut StreamDecoder::growing(Policy::STRICT), file, |event| {
///     if let Event::Payload(payload) = event {
///         bytes += payload.bytes.len();
///     }
///     Ok::<(), IoError>(())
/// })?;
/// assert_eq!(bytes, 128 + 16 + 4 + 32);
/// # Ok::<(), IoError>(())
/// ```
///
/// # Errors
///
/// As [`StreamDecoder::next_event`] and [`StreamDecoder::finish`]; errors of the source, after which the
/// decoder can go on with what the source gives next; what `take` returns, after which the event is gone.
pub fn read_events<S, C, A, R, E>(
    decoder: &mut StreamDecoder<S, C, A>,
    mut source: R,
    mut take: impl FnMut(Event<'_, '_>) -> Result<(), E>,
) -> Result<(), E>
where
    S: Storage,
    C: Cover,
    A: Arena,
    R: BufRead,
    E: From<IoError>,
{
    while fill(&mut source)? {
        // filled just now
        let chunk = source.fill_buf().map_err(IoError::Io)?;
        let mut rest = chunk;
        let result = drain(decoder, &mut rest, &mut take);
        let taken = chunk.len().saturating_sub(rest.len());
        source.consume(taken);
        result?;
    }
    Ok(decoder.finish().map_err(IoError::Format)?)
}

/// Takes every event of a chunk.
fn drain<S: Storage, C: Cover, A: Arena, E: From<IoError>>(
    decoder: &mut StreamDecoder<S, C, A>,
    chunk: &mut &[u8],
    take: &mut impl FnMut(Event<'_, '_>) -> Result<(), E>,
) -> Result<(), E> {
    while let Some(event) = decoder.next_event(chunk).map_err(IoError::Format)? {
        take(event)?;
    }
    Ok(())
}

/// Waits for bytes in the buffer; false at the end of the input.
fn fill(source: &mut impl BufRead) -> Result<bool, IoError> {
    loop {
        match source.fill_buf() {
            Ok(bytes) => return Ok(!bytes.is_empty()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(IoError::Io(error)),
        }
    }
}
