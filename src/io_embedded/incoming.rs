//! What was read, between one read and the next.

use super::{Parser, PumpError};

/// A parser and the buffer that it is fed from. The buffer is only filled when the parser has used it up.
#[derive(Debug)]
pub(super) struct Incoming<P, B> {
    pub(super) parser: P,
    buffer: B,
    /// Bytes of the buffer that the parser has not seen.
    start: usize,
    end: usize,
}

impl<P, B> Incoming<P, B> {
    pub(super) const fn new(parser: P, buffer: B) -> Self {
        Incoming {
            parser,
            buffer,
            start: 0,
            end: 0,
        }
    }
}

impl<P: Parser, B: AsMut<[u8]>> Incoming<P, B> {
    /// Looks for an event in what was read.
    pub(super) fn advance<E>(&mut self) -> Result<Option<P::Mark>, PumpError<E>> {
        let buffer: &[u8] = self.buffer.as_mut();
        let mut chunk = buffer.get(self.start..self.end).unwrap_or(&[]);
        let before = chunk.len();
        let mark = self.parser.advance(&mut chunk);
        self.start = self
            .start
            .saturating_add(before.saturating_sub(chunk.len()));
        Ok(mark?)
    }

    /// The event that was found, with all that was taken since the last read.
    pub(super) fn event(&mut self, mark: P::Mark) -> P::Event<'_> {
        let buffer: &[u8] = self.buffer.as_mut();
        let taken = buffer.get(..self.start).unwrap_or(buffer);
        self.parser.event(mark, taken)
    }

    /// Where the next bytes go, when the parser has no event: as many as it wants, so that none behind
    /// them is taken from the source.
    pub(super) fn room<E>(&mut self) -> Result<&mut [u8], PumpError<E>> {
        let buffer = self.buffer.as_mut();
        let most = self.parser.wanted().min(buffer.len());
        match buffer.get_mut(..most) {
            None | Some([]) => Err(PumpError::NoBuffer),
            Some(room) => Ok(room),
        }
    }

    /// So many bytes arrived there; false at the end of the input, where that may be.
    pub(super) fn arrived<E>(&mut self, len: usize) -> Result<bool, PumpError<E>> {
        // a driver that says more than it can have is not believed
        (self.start, self.end) = (0, len.min(self.room::<E>()?.len()));
        if len == 0 {
            self.parser.finish()?;
        }
        Ok(len > 0)
    }
}
