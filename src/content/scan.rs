//! The pass over the buffers of one tensor.

use core::cmp::Ordering;

use super::duplicates;
use super::error::ContentError;
use super::plan::{INDEX, Keep, Segment, segment};
use crate::check::Judge;
use crate::error::{ErrorKind, Field, Resource, Violation};
use crate::model::Fields;
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::descriptor::AXES;
use crate::wire::length;

/// Judges the contents of one tensor's buffers as they arrive, in pieces of any size.
///
/// It keeps a few numbers, at most one for each dimension, and none of the data. Where the order of a buffer's entries follows from
/// another buffer, [`keeps`](Self::keeps) asks the caller to have one of them at hand.
///
/// ```
/// use hrry::{BufferHandle, ContentScan, DescriptorSpec, ElementType, Layout, Policy, Rule};
///
/// let buffers = [BufferHandle::cpu(4, 64)];
/// let spec = DescriptorSpec::new(ElementType::Float8E8M0, &[4], Layout::RowMajor, &buffers);
/// let mut scan = ContentScan::new(&spec, &Policy::STRICT);
/// let kept: &[&[u8]] = &[];
/// assert!(scan.payload(&spec, 0, 0, &[127, 128], kept).is_ok());
/// let error = scan.payload(&spec, 0, 2, &[129, 0], kept).unwrap_err();
/// assert_eq!((error.rule(), error.offset), (Some(Rule::E8m0Data), 3));
/// ```
#[derive(Clone, Debug)]
pub struct ContentScan {
    policy: Policy,
    pub(super) keep: Keep,
    failed: Option<ContentError>,
    /// A bit for each place in [`Rule::ALL`].
    relaxed: [u64; 4],
    /// The buffer that is read, and its next byte.
    pub(super) buffer: u8,
    pub(super) offset: u64,
    /// Its run, which of the buffer's it is, and the next entry.
    pub(super) run: Option<Segment>,
    pub(super) part: u8,
    pub(super) next: u64,
    /// The part of an entry that has arrived.
    pub(super) carry: [u8; 8],
    pub(super) carried: u8,
    /// Broken pointers passed: what hangs on them has no meaning.
    pub(super) lost: bool,
    /// The entry before the next.
    pub(super) last: u64,
    /// Fibres of the level above, in CSF.
    pub(super) nodes: u64,
    /// And of the one above that, once its pointers have arrived.
    pub(super) parents: u64,
    /// The next pointer to a sibling group, in CSF.
    pub(super) cursor: u64,
    /// The first entry of buffer 1 that is wrong, if the pointers behind it are right.
    pub(super) suspect: Option<u64>,
    /// The tuple before and, up to `axis`, the one that arrives; how it compares as far as that.
    pub(super) tuple: [u64; AXES],
    pub(super) axis: usize,
    pub(super) order: Ordering,
}

impl ContentScan {
    /// At the first byte of the first buffer of a tensor whose descriptor the model rules accept.
    #[must_use]
    pub fn new<F: Fields + ?Sized>(d: &F, policy: &Policy) -> Self {
        let run = segment(d, 0, 0, 1);
        ContentScan {
            policy: *policy,
            keep: Keep::of(d),
            failed: None,
            relaxed: [0; 4],
            buffer: 0,
            offset: 0,
            run,
            part: 0,
            next: run.map_or(0, |run| run.from),
            carry: [0; 8],
            carried: 0,
            lost: false,
            last: 0,
            nodes: 1,
            parents: 0,
            cursor: 0,
            suspect: None,
            tuple: [0; AXES],
            axis: 0,
            order: Ordering::Equal,
        }
    }

    /// Whether the buffer is to be kept, from its first byte on, for the calls that follow: the indices of CSR, CSC and
    /// unsorted COO, and the `pos` arrays of CSF behind the first. Elements never are.
    #[must_use]
    pub fn keeps(&self, buffer: usize) -> bool {
        match self.keep {
            Keep::None => false,
            Keep::Tuples(_) | Keep::Indices => buffer == 1,
            Keep::Pointers { rank } => {
                buffer & 1 == 1 && buffer > 1 && buffer < usize::from(rank).wrapping_mul(2)
            }
        }
    }

    /// Words that [`finish`](Self::finish) sorts tuples in: one for each stored element of unsorted COO. 0 for others.
    #[must_use]
    pub fn scratch_words(&self) -> u64 {
        match self.keep {
            Keep::Tuples(count) => count,
            _ => 0,
        }
    }

    /// Judges a piece of a buffer that starts at `offset` in it. Pieces come as those of a
    /// [`Payload`](crate::Payload) do: ascending, without gaps, buffer after buffer; one that does not is an
    /// error as if bytes were missing.
    ///
    /// `kept` has the buffers by their numbers, those that [`keeps`](Self::keeps) names as far as they arrived, in front
    /// of this piece at least, and anything for the others. No place in it is needed behind the last that is named.
    ///
    /// # Errors
    ///
    /// As [`check_content`](crate::check_content); the error sticks.
    pub fn payload<F: Fields + ?Sized, B: AsRef<[u8]>>(
        &mut self,
        d: &F,
        buffer: u8,
        offset: u64,
        bytes: &[u8],
        kept: &[B],
    ) -> Result<(), ContentError> {
        self.stick(|scan| {
            scan.advance(d, buffer)?;
            if (buffer, offset) != (scan.buffer, scan.offset) {
                return Err(scan.missing(offset, scan.offset));
            }
            scan.feed(d, bytes, kept)
        })
    }

    /// Judges what only the end can show: whether anything is missing, and whether unsorted COO has duplicates.
    ///
    /// `kept` is as for [`payload`](Self::payload). `scratch` has the words that
    /// [`scratch_words`](Self::scratch_words) tells.
    ///
    /// # Errors
    ///
    /// As [`check_content`](crate::check_content); the error sticks.
    pub fn finish<F: Fields + ?Sized, B: AsRef<[u8]>>(
        &mut self,
        d: &F,
        kept: &[B],
        scratch: &mut [u64],
    ) -> Result<(), ContentError> {
        self.stick(|scan| {
            let last = d.buffer_count().saturating_sub(1);
            scan.advance(d, u8::try_from(last).unwrap_or(u8::MAX))?;
            scan.leave(d)?;
            match scan.keep {
                Keep::Tuples(_) => duplicates::judge(scan, d, kept, scratch),
                _ => Ok(()),
            }
        })
    }

    /// Judges whole buffers and finishes.
    ///
    /// # Errors
    ///
    /// As [`check_content`](crate::check_content); the error sticks.
    pub fn buffers<F: Fields + ?Sized, B: AsRef<[u8]>>(
        &mut self,
        d: &F,
        buffers: &[B],
        scratch: &mut [u64],
    ) -> Result<(), ContentError> {
        for (bytes, buffer) in buffers.iter().take(d.buffer_count()).zip(0..=u8::MAX) {
            self.payload(d, buffer, 0, bytes.as_ref(), buffers)?;
        }
        self.finish(d, buffers, scratch)
    }

    /// The broken rules that permissive mode let pass so far, each once.
    pub fn relaxed(&self) -> impl Iterator<Item = Rule> + use<> {
        let flags = self.relaxed;
        let flagged = move |rule: &Rule| {
            let word = flags.get(usize::from(rule.place().wrapping_shr(6)));
            word.is_some_and(|word| word.wrapping_shr(rule.place().into()) & 1 == 1)
        };
        Rule::ALL.iter().copied().filter(flagged)
    }

    fn stick(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<(), ContentError>,
    ) -> Result<(), ContentError> {
        let result = match self.failed {
            Some(error) => Err(error),
            None => step(self),
        };
        self.failed = result.err();
        result
    }

    /// Goes on to a buffer behind the one that is read.
    fn advance<F: Fields + ?Sized>(&mut self, d: &F, buffer: u8) -> Result<(), ContentError> {
        while self.buffer < buffer {
            self.leave(d)?;
            self.buffer = self.buffer.wrapping_add(1);
            self.offset = 0;
            self.enter(d, 0)?;
        }
        Ok(())
    }

    /// Starts a run of the buffer.
    pub(super) fn enter<F: Fields + ?Sized>(
        &mut self,
        d: &F,
        part: u8,
    ) -> Result<(), ContentError> {
        self.run = segment(d, self.buffer.into(), part, self.nodes);
        self.next = self.run.map_or(0, |run| run.from);
        (self.part, self.carried, self.last, self.cursor) = (part, 0, 0, 0);
        let Some(run) = self.run else {
            return Ok(());
        };
        let own = !matches!(run.field, Field::Scales | Field::ZeroPoints | Field::Values);
        if own && self.lost {
            self.run = None;
        } else if run.field == Field::Pos {
            // how many there must be, only the level above says
            let size = d.buffer(self.buffer.into()).map_or(0, |b| b.byte_size);
            let there = size.checked_div(INDEX).unwrap_or(0);
            if there < run.count {
                self.broken(run.rule, run.field, self.buffer, there, run.place(there))?;
                self.lost = true;
                self.run = None;
            }
        }
        Ok(())
    }

    /// Whether the run has no more entries.
    pub(super) fn is_done(&self) -> bool {
        self.run.is_none_or(|run| self.next >= run.count)
    }

    /// Nothing that the descriptor asks for is missing at the end of the buffer.
    fn leave<F: Fields + ?Sized>(&mut self, d: &F) -> Result<(), ContentError> {
        if self.is_done() && self.part == 0 {
            self.enter(d, 1)?;
        }
        match self.run {
            Some(run) if self.next < run.count => {
                let last = run.place(run.count.saturating_sub(1));
                let end = last.saturating_add(run.width.into());
                Err(self.missing(end, self.offset))
            }
            _ => Ok(()),
        }
    }

    /// A breach: an error, or a flag where permissive mode lets it pass.
    pub(super) fn broken(
        &mut self,
        rule: Rule,
        field: Field,
        buffer: u8,
        index: u64,
        offset: u64,
    ) -> Result<(), ContentError> {
        let policy = self.policy;
        if { &policy }.broken(rule, field, 0).is_err() {
            let violation = Violation {
                rule,
                field,
                index: u32::try_from(index).unwrap_or(u32::MAX),
            };
            return Err(ContentError {
                kind: ErrorKind::Rule(violation),
                buffer,
                index,
                offset,
            });
        }
        let place = rule.place();
        if let Some(word) = self.relaxed.get_mut(usize::from(place.wrapping_shr(6))) {
            *word |= 1u64.wrapping_shl(place.into());
        }
        Ok(())
    }

    /// Bytes of the buffer that nobody handed over.
    fn missing(&self, needed: u64, available: u64) -> ContentError {
        ContentError {
            index: self.next,
            ..short(self.buffer, needed, available)
        }
    }
}

/// The capacity error of a buffer that ends too early.
pub(super) const fn short(buffer: u8, needed: u64, available: u64) -> ContentError {
    ContentError {
        kind: ErrorKind::Capacity {
            what: Resource::Buffer,
            needed,
            available,
        },
        buffer,
        index: 0,
        offset: available,
    }
}

/// An index in a buffer that is kept, if it got that far.
pub(super) fn kept_index<B: AsRef<[u8]>>(
    kept: &[B],
    buffer: u8,
    at: u64,
) -> Result<u64, ContentError> {
    let bytes = kept.get(usize::from(buffer)).map_or(&[][..], AsRef::as_ref);
    let number = usize::try_from(at).ok();
    let number = number.and_then(|at| crate::wire::Number::at(bytes, at));
    let needed = at.saturating_add(1).saturating_mul(INDEX);
    number.ok_or(short(buffer, needed, length(bytes.len())))
}
