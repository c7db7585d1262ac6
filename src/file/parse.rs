//! A container read front to back, in pieces of any size.

use core::ops::Range;

use super::directory::Unchecked;
use super::entry::{Entry, RawEntry};
use super::kv::{KvEntry, KvSection};
use super::measure::Measure;
use super::sections::{FileHeader, Trailer};
use super::seen::Seen;
use crate::composite::{Arena, Cover, Exact, InlineArena, Outcome};
use crate::descriptor::DescriptorView;
use crate::error::Error;
use crate::frame::Storage;
use crate::policy::Policy;
use crate::stream::{Payload, StreamDecoder};
use crate::wire::container::TRAILER;
use crate::wire::length;

/// How a reader that cannot seek knows where the tensors of a container end.
///
/// What it says is checked when the index and the trailer arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Region {
    /// There are so many, heads of composites among them.
    Count(u64),
    /// They end before the byte at this offset: `kv_offset` of the trailer, or `index_offset` where there
    /// are no keys.
    EndsAt(u64),
}

/// What a parser met in a container.
///
/// `file = Header (Descriptor Payload* TensorEnd)* Kv* Entry*`; the trailer comes from
/// [`FileParser::finish`], since only its caller knows where the file ends.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FileEvent<'p, 'c> {
    /// What the file starts with.
    Header(FileHeader),
    /// A whole, checked descriptor, and its place in a composite.
    Descriptor(DescriptorView<'p>, Outcome),
    /// Bytes of a buffer.
    Payload(Payload<'c>),
    /// All buffers of the tensor are there; what that closes.
    TensorEnd(Outcome),
    /// A key with its value.
    Kv(KvEntry<'p>),
    /// The name of a tensor, and where it was.
    Entry(Entry<'p>),
}

/// How a container that was read front to back ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct FileEnd {
    /// What the file ends with.
    pub trailer: Trailer,
    /// What was not checked, for want of memory.
    pub unchecked: Unchecked,
}

/// What bytes led to; events are built from it.
pub(super) enum Step<'c> {
    /// The chunk is used up.
    More,
    Header,
    Descriptor(Outcome),
    Payload(Payload<'c>),
    TensorEnd(Outcome),
    /// An entry of the key-value section at this place of the frame.
    Kv(Range<usize>),
    /// An entry of the index at this place of the frame.
    Entry(Range<usize>),
}

/// What padding leads to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// A tensor or, at the latest, the end of the region.
    Tensors,
    /// A buffer or the end of a tensor.
    Data,
    /// The first section.
    Section,
    Index,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Header,
    /// Zeros up to an offset.
    Padding {
        to: u64,
        next: Next,
    },
    /// Zeros up to a descriptor, of whose magic so many bytes are there; it is at `limit` at the latest.
    Between {
        limit: u64,
        matched: usize,
    },
    /// The decoder is at work.
    Tensor,
    /// The first eight bytes of a section, which may be zeros in front of it up to `limit`.
    Section {
        limit: u64,
    },
    Kv {
        left: u32,
        measure: Measure,
    },
    Index,
    Entries {
        left: u64,
        measure: Measure,
    },
    /// Behind the index: bytes of no meaning, then the trailer.
    Tail,
    /// Nothing but this error any more.
    Failed(Error),
}

/// What was read of the sections.
#[derive(Clone, Debug)]
pub(super) struct Read {
    /// Where zeros in front of the sections start.
    pub(super) zeros: u64,
    /// Where tensors end and sections start.
    pub(super) region_end: u64,
    pub(super) kv_count: u32,
    /// Where the key-value section is; empty where none was read.
    pub(super) kv: Range<u64>,
    /// Whether all keys, and all names, are known to differ.
    pub(super) keys_known: bool,
    pub(super) names_known: bool,
    pub(super) entry_count: u64,
    pub(super) index: Range<u64>,
    pub(super) crc: u32,
    /// The lowest `descriptor_offset`.
    pub(super) first: u64,
}

/// Splits a container into its parts without looking back or ahead.
///
/// The parts are checked as they come; [`finish`](Self::finish) holds the trailer against them. `S` holds
/// one descriptor or entry at a time, with the name of the entry before where names ascend; `C` and `A`
/// check composites as in [`StreamDecoder`]. `T` remembers where tensors were, four words for each, and,
/// behind them, first the keys and then the names that do not ascend: three words and one for each eight
/// bytes of text begun. What is left unchecked with less room, [`Unchecked`] says.
///
/// Where the tensor region ends must be known: from a [`Region`] or, without one, from `tensor_count_hint`.
/// It is a capacity error if the hint is not set either. Tensors and sections are expected at the next
/// multiple of 8, or behind zeros at the next multiple of the file's alignment at the latest, as the format
/// has them. A file with other gaps, or with a tail behind its keys, is refused here (FILE-26, FILE-44) and
/// read by [`FileView`](crate::FileView). Keys that the header does not announce are told from an index by
/// the first eight bytes: the number of tensors starts an index, and four bytes of zeros behind four others
/// start no keys.
///
/// ```
/// # let file = include_bytes!("../../tests/vectors/files/f-ok-kv-all.hrry");
/// use hrry::{FileEvent, FixedFile, Policy, Region};
///
/// // descriptors and entries of up to 512 bytes, 64 words for composites, 16 tensors
/// let mut parser = FixedFile::<512, 64, 64>::new(Policy::STRICT, Some(Region::Count(1)));
/// let (mut keys, mut names) = (0, 0);
/// for mut chunk in file.chunks(100) {
///     while let Some(event) = parser.next_event(&mut chunk)? {
///         match event {
///             FileEvent::Kv(_) => keys += 1,
///             FileEvent::Entry(_) => names += 1,
///             _ => {}
///         }
///     }
/// }
/// let end = parser.finish()?;
/// assert!(keys > 1 && names == 1);
/// assert!(!end.unchecked.tensors && !end.unchecked.keys);
/// # Ok::<(), hrry::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileParser<S, C, A, T> {
    pub(super) decoder: StreamDecoder<S, C, A>,
    pub(super) policy: Policy,
    pub(super) region: Option<Region>,
    pub(super) state: State,
    /// Absolute offset of the next byte, but where the decoder is at work.
    pub(super) at: u64,
    /// Bytes of the frame that hold the name before.
    pub(super) kept: usize,
    /// Bytes behind them that hold an item, all of it or its start.
    pub(super) len: usize,
    /// Where the name of the last entry is in the frame, if it is to be kept.
    pub(super) name: Range<usize>,
    pub(super) header: FileHeader,
    pub(super) tensors: u64,
    pub(super) seen: Seen<T>,
    pub(super) read: Read,
    /// The last bytes, and how many there are.
    pub(super) tail: [u8; TRAILER],
    pub(super) tail_len: usize,
}

/// A parser with `F` bytes for a descriptor or entry, `W` words for composites and `T` words for places
/// inside; `new` is const, so it can be a `static`.
pub type FixedFile<const F: usize, const W: usize, const T: usize> =
    FileParser<[u8; F], Exact, InlineArena<W>, InlineArena<T>>;

impl<const F: usize, const W: usize, const T: usize> FixedFile<F, W, T> {
    /// A parser at the start of a file.
    #[must_use]
    pub const fn new(policy: Policy, region: Option<Region>) -> Self {
        let places = InlineArena::new();
        FileParser::with_parts([0; F], Exact, InlineArena::new(), places, policy, region)
    }
}

impl<S, C, A, T> FileParser<S, C, A, T> {
    /// A parser at the start of a file, from its parts: a frame, a way to check covers, room for
    /// composites and for places.
    #[must_use]
    pub const fn with_parts(
        frame: S,
        cover: C,
        composites: A,
        places: T,
        policy: Policy,
        region: Option<Region>,
    ) -> Self
    where
        S: Storage,
    {
        FileParser {
            decoder: StreamDecoder::with_parts(frame, cover, composites, policy),
            policy,
            region,
            state: State::Header,
            at: 0,
            kept: 0,
            len: 0,
            name: 0..0,
            header: FileHeader::NONE,
            tensors: 0,
            seen: Seen::new(places),
            read: Read {
                zeros: 0,
                region_end: 0,
                kv_count: 0,
                kv: 0..0,
                keys_known: true,
                names_known: true,
                entry_count: 0,
                index: 0..0,
                crc: 0,
                first: u64::MAX,
            },
            tail: [0; TRAILER],
            tail_len: 0,
        }
    }

    /// Absolute offset of the next byte. After an error it, and what is left of the chunk, depend on how
    /// far the chunk let the parser look ahead; [`Error::offset`] does not.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        match self.state {
            State::Tensor => self.decoder.offset(),
            _ => self.at,
        }
    }
}

impl<S: Storage, C: Cover, A: Arena, T: Arena> FileParser<S, C, A, T> {
    /// The next event, or none when the chunk is used up. Advances `input` behind what it took.
    ///
    /// # Errors
    ///
    /// The rules of descriptors and composites, as [`StreamDecoder::next_event`]; FILE-01 to FILE-44 as far
    /// as header, padding, index and key-value section can break them; a capacity: for a descriptor or entry
    /// that is longer than the frame, and where nothing says how far the tensors go. The error sticks.
    pub fn next_event<'c>(
        &mut self,
        input: &mut &'c [u8],
    ) -> Result<Option<FileEvent<'_, 'c>>, Error> {
        let step = match self.step(input) {
            Ok(step) => step,
            Err(error) => {
                self.at = self.offset();
                self.state = State::Failed(error);
                return Err(error);
            }
        };
        Ok(match step {
            Step::More => None,
            Step::Header => Some(FileEvent::Header(self.header)),
            Step::Descriptor(outcome) => {
                let view = self.decoder.current();
                view.map(|view| FileEvent::Descriptor(view, outcome))
            }
            Step::Payload(payload) => Some(FileEvent::Payload(payload)),
            Step::TensorEnd(outcome) => Some(FileEvent::TensorEnd(outcome)),
            Step::Kv(place) => self.kv_entry(place)?.map(FileEvent::Kv),
            Step::Entry(place) => self.entry(place).map(FileEvent::Entry),
        })
    }

    /// Bytes that would reach the next decision; 0 when an event is ready, and after an error.
    #[must_use]
    pub fn wanted(&self) -> usize {
        usize::try_from(self.missing()).unwrap_or(usize::MAX)
    }

    /// Reads the trailer, now that the file ends, and says what was left unchecked.
    ///
    /// # Errors
    ///
    /// FILE-08 inside anything but the trailer; FILE-09 to FILE-16, FILE-30, FILE-32, FILE-37, FILE-40 and
    /// FILE-44 for a trailer that does not fit what was read, FILE-06 for such a header; COMP-48 where a
    /// composite lacks members; the sticky error.
    pub fn finish(&self) -> Result<FileEnd, Error> {
        self.close()
    }

    /// The key-value entry that was gathered last, at a place of the frame.
    pub(super) fn kv_entry(&self, place: Range<usize>) -> Result<Option<KvEntry<'_>>, Error> {
        let bytes = self.stored(place);
        let start = self.at.wrapping_sub(length(bytes.len()));
        // no mode reads on behind a value whose length is not known
        KvSection::new(bytes, start).entry(&mut &Policy::STRICT)
    }

    /// The entry of the index that was gathered last, at a place of the frame.
    fn entry(&self, place: Range<usize>) -> Option<Entry<'_>> {
        let mut bytes = self.stored(place);
        let start = self.at.wrapping_sub(length(bytes.len()));
        RawEntry::split(&mut bytes, start).map(|raw| raw.entry())
    }

    /// Bytes of the frame.
    pub(super) fn stored(&self, place: Range<usize>) -> &[u8] {
        let stored = self.decoder.frame().stored(place.end);
        stored.get(place.start..).unwrap_or_default()
    }
}
