//! Going on behind damage, for links that lose bytes.
//!
//! The bytes of a descriptor that is refused are still in the frame, so the search for the next one starts
//! among them, one behind where the refused one started: how far the decoder looked ahead does not matter.
//! They are fed again from there, always from further behind than the frame is written.

use core::fmt;

use super::event::Mark;
use super::{Event, StreamDecoder};
use crate::composite::{Arena, Cover, Outcome};
use crate::descriptor::DescriptorView;
use crate::error::{Error, ErrorKind, Resource};
use crate::frame::Storage;
use crate::model::Fields;
use crate::wire::descriptor::MAGIC;
use crate::wire::length;

/// Bytes that are fed again at once.
const PIECE: usize = 32;

/// A [`StreamDecoder`] for raw lines, where bytes get lost, doubled or added: what it refuses it skips, up
/// to the next descriptor that it accepts, and tells what is missing.
///
/// For lines only: a file or a connection that breaks the format is not to be trusted further. Everything
/// that is told, [`Lost`] included, does not depend on how the input is cut.
///
/// **The search** goes from magic to magic (`HRRY`), byte by byte from behind the start of what was refused,
/// within the refused descriptor too. A magic counts where a whole descriptor behind it is accepted; all
/// that is skipped up to there is one [`Lost`]. Where that would be more than `most` bytes, the first
/// error becomes final.
///
/// **Sizes that are too small.** A frame, an arena or a ceiling of the policy that is too small for an item looks like
/// damage, and a damaged length like such an item. [`ResyncEvent::Capacity`] tells of it at once, with what is needed
/// and what there is, and the search goes on. One behind every item is a reader that is too small.
///
/// **Open composites** are given up with every loss. A descriptor that they refuse is judged again outside
/// of them, and members that are still to come are too: they come out as plain tensors (or as composites
/// of their own), with the shard and member sections that they have.
///
/// **What is missed.** There is no checksum. Payload that was handed out is not searched: where bytes of it
/// were lost, its buffer ends with the first bytes of what follows, which is lost then. Changed payload, and
/// changed fields with valid values, are not noticed. Payload that is searched, because its own descriptor
/// was refused, may hold what looks like a descriptor.
///
/// **Bounds.** A damaged length is waited for only as far as the policy lets it be valid: choose
/// [`max_descriptor`](crate::Policy::max_descriptor) and [`max_buffer`](crate::Policy::max_buffer) no larger than what the
/// line carries; [`lost`](Self::lost) tells whether the decoder is in search of the next item. The memory
/// is that of the decoder. A byte that is refused is looked at again at most once for each byte of the
/// frame, and then only where the input was made for that.
///
/// ```
/// # use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, encode};
/// # let buffers = [BufferHandle::cpu(2, 64)];
/// # let spec = DescriptorSpec::new(ElementType::UInt8, &[2], Layout::RowMajor, &buffers);
/// # let mut tensor = [7; 53 + 2];
/// # encode(&spec, &mut tensor, &hrry::Policy::STRICT).unwrap();
/// use hrry::{Event, FixedDecoder, Lost, Policy, Resync, ResyncEvent};
///
/// let mut policy = Policy::STRICT;
/// policy.max_buffer = 1024;
/// let mut line = Vec::from(tensor);
/// line.extend(b"noise"); // between two tensors of 55 bytes
/// line.extend(tensor);
///
/// let mut resync = Resync::new(FixedDecoder::<256, 64>::new(policy), 4096);
/// let (mut tensors, mut lost) = (0, 0);
/// for mut chunk in line.chunks(7) {
///     while let Some(event) = resync.next_event(&mut chunk)? {
///         match event {
///             ResyncEvent::Stream(Event::TensorEnd(_)) => tensors += 1,
///             ResyncEvent::Lost(Lost { from, to, .. }) => lost += to - from,
///             ResyncEvent::Capacity(error) => eprintln!("{error}"),
///             _ => {}
///         }
///     }
/// }
/// resync.finish()?;
/// assert_eq!((tensors, lost), (2, 5));
/// # Ok::<(), hrry::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Resync<S, C, A> {
    decoder: StreamDecoder<S, C, A>,
    most: u64,
    /// Bytes in the frame that are to be fed again: those from `at` on, of `held`.
    at: usize,
    held: usize,
    loss: Option<Loss>,
    /// A descriptor was accepted, and what was lost in front of it told.
    accepted: Option<Outcome>,
    over: Option<Error>,
}

/// A loss whose end is not known yet.
#[derive(Clone, Copy, Debug)]
struct Loss {
    from: u64,
    error: Error,
    composites: u8,
    /// Whether a capacity error was told.
    told: bool,
}

/// What a [`Resync`] met.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ResyncEvent<'e> {
    /// What the decoder met; payload too is borrowed until the next call only.
    Stream(Event<'e, 'e>),
    /// What could not be read in front of the descriptor that is next.
    Lost(Lost),
    /// An item takes more than the decoder or its policy has, unless it is damaged. It is searched as everything that is
    /// refused. Told at once, for the first one of each loss.
    Capacity(Error),
}

/// Bytes that belong to no item, or composites that are given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Lost {
    /// Absolute offset of the first byte that is lost.
    pub from: u64,
    /// Absolute offset behind the last one, where the next descriptor starts. The two are equal where
    /// only composites are given up.
    pub to: u64,
    /// What the decoder refused at first.
    pub error: Error,
    /// How many open composites are given up: the items that follow are outside of them.
    pub composites: u8,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.to.saturating_sub(self.from);
        write!(
            f,
            "{bytes} bytes lost from byte {}: {}",
            self.from, self.error
        )
    }
}

/// A [`ResyncEvent`] without what it borrows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ResyncMark {
    /// Of the chunk.
    Fresh(Mark),
    /// Of bytes in the frame.
    Again(Mark),
    Lost(Lost),
    Capacity(Error),
}

impl<S, C, A> Resync<S, C, A> {
    /// Around a decoder at the start of a stream, skipping at most so many bytes in a row.
    #[must_use]
    pub const fn new(decoder: StreamDecoder<S, C, A>, most: u64) -> Self {
        Resync {
            decoder,
            most,
            at: 0,
            held: 0,
            loss: None,
            accepted: None,
            over: None,
        }
    }

    /// Absolute offset of the next byte.
    #[must_use]
    pub fn offset(&self) -> u64 {
        let again = self.held.saturating_sub(self.at);
        self.decoder.offset().saturating_add(length(again))
    }

    /// What was refused, while nothing behind it is accepted yet.
    #[must_use]
    pub fn lost(&self) -> Option<Error> {
        self.over.or(self.loss.map(|loss| loss.error))
    }
}

impl<S: Storage, C: Cover, A: Arena> Resync<S, C, A> {
    /// The next event, or none when the chunk is used up. Advances `input` behind what it took.
    ///
    /// # Errors
    ///
    /// The error of [`StreamDecoder::next_event`] behind which no descriptor is found within `most` bytes,
    /// and the capacity error where positions end. The error sticks, until [`reset`](Self::reset).
    pub fn next_event<'e, 'c: 'e>(
        &'e mut self,
        input: &mut &'c [u8],
    ) -> Result<Option<ResyncEvent<'e>>, Error> {
        let chunk = *input;
        let Some(mark) = self.advance(input)? else {
            return Ok(None);
        };
        let taken = chunk.len().saturating_sub(input.len());
        Ok(Some(self.event(mark, chunk.get(..taken).unwrap_or(chunk))))
    }

    /// As [`next_event`](Self::next_event), for [`event`](Self::event).
    pub(crate) fn advance(&mut self, input: &mut &[u8]) -> Result<Option<ResyncMark>, Error> {
        if let Some(outcome) = self.accepted.take() {
            return Ok(Some(ResyncMark::Fresh(Mark::Descriptor(outcome))));
        }
        loop {
            self.search(input)?;
            let (start, depth) = (self.decoder.unsettled(), self.decoder.depth());
            match self.feed(input) {
                Ok(mark) => return Ok(mark.map(|mark| self.settle(mark))),
                Err(error) => {
                    if self.lose(error, start, depth)? {
                        return Ok(Some(ResyncMark::Capacity(error)));
                    }
                }
            }
        }
    }

    /// What `advance` just told, with the bytes that it took.
    pub(crate) fn event<'e>(&'e self, mark: ResyncMark, taken: &'e [u8]) -> ResyncEvent<'e> {
        let (mark, bytes) = match mark {
            ResyncMark::Lost(lost) => return ResyncEvent::Lost(lost),
            ResyncMark::Capacity(error) => return ResyncEvent::Capacity(error),
            ResyncMark::Fresh(mark) => (mark, taken),
            ResyncMark::Again(mark) => (mark, self.decoder.frame().stored(self.at)),
        };
        // payload is the last of what was taken
        let bytes = match mark {
            Mark::Payload { len, .. } => last(bytes, len),
            _ => &[],
        };
        ResyncEvent::Stream(self.decoder.event(mark, bytes))
    }

    /// Feeds the bytes that are held, then the chunk, up to the next event.
    fn feed(&mut self, input: &mut &[u8]) -> Result<Option<ResyncMark>, Error> {
        while self.at < self.held {
            let mut piece = [0; PIECE];
            let len = self.copy(self.at, &mut piece, self.decoder.wanted());
            let mut rest = piece.get(..len).unwrap_or(&piece);
            let fed = self.decoder.advance(&mut rest);
            self.at = self.at.saturating_add(len.saturating_sub(rest.len()));
            if let Some(mark) = fed? {
                return Ok(Some(ResyncMark::Again(mark)));
            }
        }
        (self.at, self.held) = (0, 0);
        Ok(self.decoder.advance(input)?.map(ResyncMark::Fresh))
    }

    /// Copies at most so many of the bytes that are held from a place on; returns how many.
    fn copy(&self, from: usize, piece: &mut [u8; PIECE], most: usize) -> usize {
        let bytes = self.decoder.frame().stored(self.held);
        let bytes = bytes.get(from..).unwrap_or(&[]);
        let copied = piece.iter_mut().zip(bytes).take(most);
        copied.map(|(to, byte)| *to = *byte).count()
    }

    /// What was fed is accepted; with it, what was lost in front of it is known.
    fn settle(&mut self, mark: ResyncMark) -> ResyncMark {
        let (ResyncMark::Fresh(Mark::Descriptor(outcome))
        | ResyncMark::Again(Mark::Descriptor(outcome))) = mark
        else {
            return mark;
        };
        let Some(loss) = self.loss.take() else {
            return mark;
        };
        self.accepted = Some(outcome);
        let to = self.decoder.current().map(|view| view.origin());
        ResyncMark::Lost(Lost {
            from: loss.from,
            to: to.unwrap_or(loss.from),
            error: loss.error,
            composites: loss.composites,
        })
    }

    /// Turns back to behind the start of what was refused; to the start itself where it was inside
    /// composites, which are left now, or where it was no descriptor. Whether to tell of the error at once.
    #[cold]
    fn lose(&mut self, error: Error, start: u64, depth: u8) -> Result<bool, Error> {
        let what = match error.kind() {
            ErrorKind::Capacity { what, .. } => Some(what),
            _ => None,
        };
        if what == Some(Resource::Position) {
            return Err(self.give_up(error));
        }
        let gathered = self.decoder.offset().saturating_sub(start);
        let gathered = usize::try_from(gathered).unwrap_or(0);
        let skip = usize::from(gathered > 0 && depth == 0);
        self.hold(gathered);
        self.at = self.at.saturating_add(skip);
        self.decoder.reset();
        self.decoder.skip_to(start.saturating_add(length(skip)));
        let loss = self.loss.get_or_insert(Loss {
            from: start,
            error,
            composites: depth,
            told: false,
        });
        let tell = what.is_some() && !loss.told;
        loss.told |= tell;
        Ok(tell)
    }

    /// Takes back so many bytes, which are at the front of the frame too.
    fn hold(&mut self, gathered: usize) {
        if let Some(at) = self.at.checked_sub(gathered)
            && at >= gathered
        {
            self.at = at;
            return;
        }
        // the copy has overwritten where they came from: what is behind them moves up to it
        let mut end = gathered;
        while self.at < self.held {
            let mut piece = [0; PIECE];
            let len = self.copy(self.at, &mut piece, PIECE);
            let piece = piece.get(..len).unwrap_or(&piece);
            if self.decoder.frame_mut().append(end, piece).is_err() {
                // there was room for all of it
                break;
            }
            self.at = self.at.saturating_add(len);
            end = end.saturating_add(len);
        }
        (self.at, self.held) = (0, end);
    }

    /// After a loss, skips what cannot be the start of a magic.
    fn search(&mut self, input: &mut &[u8]) -> Result<(), Error> {
        if let Some(error) = self.over {
            return Err(error);
        }
        let Some(loss) = self.loss else {
            return Ok(());
        };
        let mut offset = self.decoder.offset();
        if self.decoder.unsettled() < offset {
            return Ok(());
        }
        // no further than it takes to give up, so that where that is does not depend on the cut
        let behind = loss.from.saturating_add(self.most).saturating_add(1);
        let held = self.decoder.frame().stored(self.held);
        let skip = magic(upto(held.get(self.at..).unwrap_or(&[]), offset, behind));
        self.at = self.at.saturating_add(skip);
        offset = offset.saturating_add(length(skip));
        if self.at >= self.held {
            let skip = magic(upto(input, offset, behind));
            *input = input.get(skip..).unwrap_or(&[]);
            offset = offset.saturating_add(length(skip));
        }
        self.decoder.skip_to(offset);
        if offset.saturating_sub(loss.from) > self.most {
            return Err(self.give_up(loss.error));
        }
        Ok(())
    }

    #[cold]
    fn give_up(&mut self, error: Error) -> Error {
        self.over = Some(error);
        error
    }

    /// The descriptor of the tensor whose payload is being read.
    #[must_use]
    pub fn current(&self) -> Option<DescriptorView<'_>> {
        match self.accepted {
            Some(_) => None,
            None => self.decoder.current(),
        }
    }

    /// Bytes that would reach the next decision; 0 when an event may be ready, and after an error.
    #[must_use]
    pub fn wanted(&self) -> usize {
        if self.over.is_some() || self.accepted.is_some() || self.at < self.held {
            return 0;
        }
        self.decoder.wanted()
    }

    /// How many composites are open.
    #[must_use]
    pub fn depth(&self) -> u8 {
        self.decoder.depth()
    }

    /// Tells whether the input may end here: on a boundary, outside every composite, with nothing lost that
    /// was not told.
    ///
    /// # Errors
    ///
    /// As [`StreamDecoder::finish`]; [`lost`](Self::lost).
    pub fn finish(&self) -> Result<(), Error> {
        match self.lost() {
            Some(error) => Err(error),
            None => self.decoder.finish(),
        }
    }

    /// Forgets everything but the policy and the position: the next byte starts a descriptor outside
    /// any composite.
    pub fn reset(&mut self) {
        let offset = self.offset();
        self.decoder.reset();
        self.decoder.skip_to(offset);
        (self.at, self.held) = (0, 0);
        (self.loss, self.accepted, self.over) = (None, None, None);
    }
}

/// The bytes in front of an absolute offset.
fn upto(bytes: &[u8], offset: u64, end: u64) -> &[u8] {
    let len = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
    bytes.get(..len).unwrap_or(bytes)
}

/// The place of the first bytes that are a magic, or could become one with more behind them.
fn magic(bytes: &[u8]) -> usize {
    let mut windows = (0..bytes.len()).map_while(|at| bytes.get(at..));
    let first = windows.position(|rest| rest.iter().zip(&MAGIC).all(|(byte, magic)| byte == magic));
    first.unwrap_or(bytes.len())
}

fn last(bytes: &[u8], len: usize) -> &[u8] {
    let start = bytes.len().saturating_sub(len);
    bytes.get(start..).unwrap_or(&[])
}
