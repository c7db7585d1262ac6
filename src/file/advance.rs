//! The part of a file parser that goes through header, padding and tensors.

use super::parse::{FileParser, Next, Region, State, Step};
use super::sections::{FileHeader, magic};
use super::seen::Place;
use super::tensor::data_end;
use crate::composite::{Arena, Cover};
use crate::error::{Error, ErrorKind, Field, Resource};
use crate::frame::Storage;
use crate::record::{Spot, require};
use crate::rule::Rule;
use crate::stream::Event;
use crate::wire::container::{FILE_HEADER, PLACEMENT, align_up, offset};
use crate::wire::descriptor::MAGIC;
use crate::wire::{length, record};

/// Whether a state needs more bytes; without them another one follows.
pub(super) enum Flow<'c> {
    On,
    Out(Step<'c>),
}

pub(super) const MORE: Flow<'_> = Flow::Out(Step::More);

/// Requires of the end of tensors that a section starts there.
pub(super) fn require_region_end(holds: bool, at: Spot) -> Result<(), Error> {
    at.must(holds, Rule::RegionEnd)
}

impl<S: Storage, C: Cover, A: Arena, T: Arena> FileParser<S, C, A, T> {
    /// Goes on to the next event.
    pub(super) fn step<'c>(&mut self, input: &mut &'c [u8]) -> Result<Step<'c>, Error> {
        loop {
            let flow = match self.state {
                State::Header => self.header(input)?,
                State::Padding { to, next } => self.padding(input, to, next)?,
                State::Between { limit, matched } => self.between(input, limit, matched)?,
                State::Tensor => self.tensor(input)?,
                State::Section { limit } => self.section(input, limit)?,
                State::Kv { left, measure } => self.kv(input, left, measure)?,
                State::Index => self.index(input)?,
                State::Entries { left, measure } => self.entries(input, left, measure)?,
                State::Tail => self.keep_tail(input),
                State::Failed(error) => return Err(error),
            };
            if let Flow::Out(step) = flow {
                return Ok(step);
            }
        }
    }

    fn header<'c>(&mut self, input: &mut &[u8]) -> Result<Flow<'c>, Error> {
        let whole = self.gather(input, length(FILE_HEADER))?;
        magic(self.decoder.frame().stored(self.len))?;
        if !whole {
            return Ok(MORE);
        }
        let policy = self.policy;
        let judge = &mut &policy;
        let bytes = self.decoder.frame().stored(FILE_HEADER);
        let header = FileHeader::read(record(bytes, 0), judge)?;
        let first = header.first_descriptor_offset;
        let holds = first >= self.at && first.is_multiple_of(PLACEMENT);
        header.first_is(judge, holds)?;
        if let (None, hint) = (self.region, header.tensor_count_hint) {
            if hint == u64::MAX {
                return Err(no_region());
            }
            self.region = Some(Region::Count(hint));
        }
        self.header = header;
        self.len = 0;
        self.state = State::Padding {
            to: first.clamp(self.at, self.ends_at().max(self.at)),
            next: Next::Tensors,
        };
        Ok(Flow::Out(Step::Header))
    }

    /// Where tensors end, as far as that is known beforehand.
    fn ends_at(&self) -> u64 {
        match self.region {
            Some(Region::EndsAt(end)) => end,
            _ => u64::MAX,
        }
    }

    fn padding<'c>(&mut self, input: &mut &[u8], to: u64, next: Next) -> Result<Flow<'c>, Error> {
        if !self.skip(input, to)? {
            return Ok(MORE);
        }
        self.state = match next {
            Next::Tensors => self.boundary(),
            Next::Data => {
                self.decoder.skip_to(self.at);
                State::Tensor
            }
            Next::Section => self.sections_from(self.limit()),
            Next::Index => State::Index,
        };
        Ok(Flow::On)
    }

    /// Takes zeros up to an offset; whether it is reached.
    pub(super) fn skip(&mut self, input: &mut &[u8], to: u64) -> Result<bool, Error> {
        let missing = usize::try_from(to.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let (bytes, rest) = input.split_at_checked(missing).unwrap_or((*input, &[]));
        if let Some(wrong) = bytes.iter().position(|byte| *byte != 0) {
            self.stray(self.at.wrapping_add(length(wrong)))?;
        }
        *input = rest;
        self.at = self.at.wrapping_add(length(bytes.len()));
        Ok(self.at >= to)
    }

    /// Padding that is not 0.
    fn stray(&self, at: u64) -> Result<(), Error> {
        let at = Spot::new(Field::Padding, at);
        require(&mut &self.policy, false, Rule::Padding, at)
    }

    /// What may come where a tensor has ended, or the first one starts.
    fn boundary(&self) -> State {
        let next = align_up(self.at, PLACEMENT).unwrap_or(u64::MAX);
        let limit = self.limit();
        match self.region {
            Some(Region::Count(count)) if self.tensors >= count => State::Padding {
                to: next,
                next: Next::Section,
            },
            _ => State::Between { limit, matched: 0 },
        }
    }

    /// Where zeros between tensors or in front of the sections end.
    fn limit(&self) -> u64 {
        match self.tensors {
            0 => self.at,
            _ => self.aligned(self.at),
        }
    }

    /// No tensor comes any more.
    fn sections_from(&mut self, limit: u64) -> State {
        self.read.zeros = self.at;
        State::Section { limit }
    }

    /// The next place for a buffer.
    fn aligned(&self, at: u64) -> u64 {
        // no file reaches that far
        align_up(at, self.header.data_buffer_alignment.into()).unwrap_or(u64::MAX)
    }

    /// Looks for a descriptor behind zeros.
    fn between<'c>(
        &mut self,
        input: &mut &[u8],
        limit: u64,
        mut matched: usize,
    ) -> Result<Flow<'c>, Error> {
        let ends_at = self.ends_at();
        loop {
            let begun = self.at.wrapping_sub(length(matched));
            if self.at == ends_at {
                if matched > 0 {
                    self.stray(begun)?;
                }
                self.state = self.sections_from(self.at);
                return Ok(Flow::On);
            }
            let Some((byte, rest)) = input.split_first() else {
                self.state = State::Between { limit, matched };
                return Ok(MORE);
            };
            if self.at == limit {
                let begins = MAGIC.first() == Some(byte);
                require_region_end(begins, Spot::new(Field::Magic, limit))?;
                self.decoder.skip_to(limit);
                self.state = State::Tensor;
                return Ok(Flow::On);
            }
            let placed = matched > 0 || self.at.is_multiple_of(PLACEMENT);
            if placed && MAGIC.get(matched) == Some(byte) {
                matched = matched.wrapping_add(1);
                *input = rest;
                self.at = self.at.wrapping_add(1);
                if matched == MAGIC.len() {
                    self.decoder.skip_to(begun);
                    self.state = State::Tensor;
                    self.decoder.next_event(&mut &MAGIC[..])?;
                    return Ok(Flow::On);
                }
            } else if matched > 0 {
                self.stray(begun)?;
                matched = 0;
            } else {
                if *byte != 0 {
                    self.stray(self.at)?;
                }
                *input = rest;
                self.at = self.at.wrapping_add(1);
            }
        }
    }

    fn tensor<'c>(&mut self, input: &mut &'c [u8]) -> Result<Flow<'c>, Error> {
        let step = match self.decoder.next_event(input)? {
            None => Step::More,
            Some(Event::Payload(payload)) => {
                if payload.last {
                    self.behind(usize::from(payload.buffer).wrapping_add(1));
                }
                Step::Payload(payload)
            }
            Some(Event::Descriptor(_, outcome)) => {
                self.place_tensor()?;
                Step::Descriptor(outcome)
            }
            Some(Event::TensorEnd(outcome)) => {
                self.at = self.decoder.offset();
                self.tensors = self.tensors.wrapping_add(1);
                self.state = self.boundary();
                Step::TensorEnd(outcome)
            }
        };
        Ok(Flow::Out(step))
    }

    /// Goes to the place of a buffer, if there is one with that index.
    fn behind(&mut self, buffer: usize) {
        let buffers = self.decoder.current().map_or(0, |view| view.buffer_count());
        if buffer < buffers {
            self.at = self.decoder.offset();
            self.state = State::Padding {
                to: self.aligned(self.at),
                next: Next::Data,
            };
        }
    }

    /// Sees where the data of the tensor will be, whose descriptor is there.
    fn place_tensor(&mut self) -> Result<(), Error> {
        let Some(view) = self.decoder.current() else {
            return Ok(());
        };
        let descriptor_length = length(view.as_bytes().len());
        let descriptor_end = self.decoder.offset();
        let buffered = view.buffer_count() > 0;
        let start = match buffered {
            true => self.aligned(descriptor_end),
            false => descriptor_end,
        };
        let place = Place {
            descriptor_offset: descriptor_end.wrapping_sub(descriptor_length),
            descriptor_length,
            data_offset: buffered.then_some(start),
            data_end: data_end(&view, start, self.header.data_buffer_alignment),
        };
        let ends_at = self.ends_at();
        let at = Spot::new(Field::Payload, ends_at);
        require_region_end(place.data_end <= ends_at, at)?;
        self.seen.add(&place);
        self.behind(0);
        Ok(())
    }

    /// Bytes missing to the next decision.
    pub(super) fn missing(&self) -> u64 {
        let up_to = |end: u64| end.saturating_sub(self.at);
        let more = |needed: u64| needed.saturating_sub(length(self.len));
        match self.state {
            State::Header => more(length(FILE_HEADER)),
            State::Padding { to, .. } => up_to(to),
            State::Between { limit, matched } => {
                let magic = length(MAGIC.len().saturating_sub(matched));
                let end = limit.min(self.ends_at());
                magic.min(up_to(end)).max(1)
            }
            State::Tensor => length(self.decoder.wanted()),
            State::Section { .. } | State::Index => more(PLACEMENT),
            State::Kv { measure, .. } | State::Entries { measure, .. } => more(measure.needed()),
            State::Tail => length(self.tail.len().saturating_sub(self.tail_len)).max(1),
            State::Failed(_) => 0,
        }
    }
}

/// Nothing says where tensors end.
fn no_region() -> Error {
    let kind = ErrorKind::Capacity {
        what: Resource::Region,
        needed: 1,
        available: 0,
    };
    Error::new(kind, length(offset(Field::TensorCountHint)))
}
