//! The part of a file parser that gathers what is no descriptor: entries of keys and of the index.

use core::mem::take;
use core::ops::Range;

use super::advance::{Flow, MORE};
use super::crc::crc32c;
use super::directory::FIT;
use super::entry::{RawEntry, require_data, require_name, split_name, spot};
use super::kv::{key_spot, require_key};
use super::measure::Measure;
use super::parse::{FileParser, Next, State, Step};
use super::sections::{Sections, Trailer};
use crate::composite::{Arena, Cover};
use crate::error::{Error, ErrorKind, Field, Resource};
use crate::frame::Storage;
use crate::record::Spot;
use crate::wire::container::{ENTRY_HEAD, ENTRY_TAIL, INDEX_HEAD, KV_HEAD, PLACEMENT, align_up};
use crate::wire::{length, record, u32, u64};

impl<S: Storage, C: Cover, A: Arena, T: Arena> FileParser<S, C, A, T> {
    /// Gathers an item behind the name that is kept until it has so many bytes; whether it has.
    pub(super) fn gather(&mut self, input: &mut &[u8], needed: u64) -> Result<bool, Error> {
        let used = self.kept.saturating_add(self.len);
        let missing = needed.saturating_sub(length(self.len));
        let most = usize::try_from(missing).unwrap_or(usize::MAX);
        let (bytes, rest) = input.split_at_checked(most).unwrap_or((*input, &[]));
        let needed = length(self.kept).saturating_add(needed);
        let limit = self.decoder.frame().limit();
        if needed > limit || self.decoder.frame_mut().append(used, bytes).is_err() {
            let kind = ErrorKind::Capacity {
                what: Resource::Frame,
                needed,
                // one that grows may fail below its limit
                available: limit.min(needed.saturating_sub(1)),
            };
            return Err(Error::new(kind, self.at.wrapping_sub(length(self.len))));
        }
        *input = rest;
        self.at = self.at.wrapping_add(length(bytes.len()));
        self.len = self.len.saturating_add(bytes.len());
        Ok(length(bytes.len()) == missing)
    }

    /// Gathers an entry; whether it is whole.
    fn gather_entry(&mut self, input: &mut &[u8], measure: &mut Measure) -> Result<bool, Error> {
        loop {
            if !self.gather(input, measure.needed())? {
                return Ok(false);
            }
            if measure.is_whole() {
                return Ok(true);
            }
            let end = usize::try_from(measure.needed()).unwrap_or(usize::MAX);
            let item = self.kept..self.kept.saturating_add(end);
            measure.advance(self.stored(item));
        }
    }

    /// Looks at the first bytes behind the tensors, which may be zeros in front of a section.
    pub(super) fn section<'c>(&mut self, input: &mut &[u8], limit: u64) -> Result<Flow<'c>, Error> {
        if !self.gather(input, PLACEMENT)? {
            return Ok(MORE);
        }
        let start = self.at.wrapping_sub(PLACEMENT);
        let head = self.decoder.frame().stored(INDEX_HEAD);
        let bytes: [u8; INDEX_HEAD] = *record(head, 0);
        let count = u64::from_le_bytes(bytes);
        let announced = self.header.has_kv_metadata();
        if count == 0 && start < limit {
            self.len = 0;
            return Ok(Flow::On);
        }
        self.read.region_end = start;
        let is_index = match count {
            0 => self.tensors == 0 && !announced,
            _ => count == self.tensors || count <= u32::MAX.into() && !announced,
        };
        if is_index {
            return self.begin_index();
        }
        let (count, mut behind) = bytes.split_at(KV_HEAD);
        let left = u32(count, 0);
        let end = start.wrapping_add(length(KV_HEAD));
        self.read.kv_count = left;
        self.read.kv = start..end;
        self.at = end;
        self.len = 0;
        self.state = State::Kv {
            left,
            measure: Measure::KEY,
        };
        // these bytes were taken already
        if left > 0 {
            self.gather(&mut behind, length(KV_HEAD))?;
        } else if let State::Padding { to, .. } = self.end_kv()?
            && self.skip(&mut behind, to)?
        {
            self.state = State::Index;
            let rest = length(behind.len());
            self.gather(&mut behind, rest)?;
        }
        Ok(Flow::On)
    }

    pub(super) fn kv<'c>(
        &mut self,
        input: &mut &[u8],
        left: u32,
        mut measure: Measure,
    ) -> Result<Flow<'c>, Error> {
        if left == 0 {
            self.end_kv()?;
            return Ok(Flow::On);
        }
        let whole = self.gather_entry(input, &mut measure)?;
        self.state = State::Kv { left, measure };
        if !whole {
            return Ok(MORE);
        }
        let item = 0..self.len;
        let start = self.at.wrapping_sub(length(item.len()));
        self.kv_entry(item.clone())?;
        // apart from `seen`, which changes
        let mut bytes = self.decoder.frame().stored(item.end);
        self.seen
            .add_text(split_name(&mut bytes).unwrap_or_default(), start);
        self.len = 0;
        self.read.kv.end = self.at;
        self.state = State::Kv {
            left: left.wrapping_sub(1),
            measure: Measure::KEY,
        };
        Ok(Flow::Out(Step::Kv(item)))
    }

    /// Behind the keys comes the index.
    fn end_kv(&mut self) -> Result<State, Error> {
        match self.seen.end_texts() {
            Ok(known) => self.read.keys_known = known,
            Err(at) => require_key(false, key_spot(at))?,
        }
        // no file reaches that far
        let to = align_up(self.at, PLACEMENT).unwrap_or(u64::MAX);
        self.state = State::Padding {
            to,
            next: Next::Index,
        };
        Ok(self.state)
    }

    pub(super) fn index<'c>(&mut self, input: &mut &[u8]) -> Result<Flow<'c>, Error> {
        if !self.gather(input, length(INDEX_HEAD))? {
            return Ok(MORE);
        }
        self.begin_index()
    }

    /// Reads the count of entries, which is in the frame.
    fn begin_index<'c>(&mut self) -> Result<Flow<'c>, Error> {
        let start = self.at.wrapping_sub(length(INDEX_HEAD));
        let head = self.decoder.frame().stored(INDEX_HEAD);
        let left = u64(head, 0);
        if left > self.tensors {
            return Err(Spot::new(Field::IndexEntryCount, start).error(FIT));
        }
        self.read.crc = crc32c(0, head);
        self.read.entry_count = left;
        self.read.index = start..self.at;
        self.len = 0;
        self.state = State::Entries {
            left,
            measure: Measure::NAME,
        };
        Ok(Flow::On)
    }

    pub(super) fn entries<'c>(
        &mut self,
        input: &mut &[u8],
        left: u64,
        mut measure: Measure,
    ) -> Result<Flow<'c>, Error> {
        if left == 0 {
            self.end_names()?;
            self.state = State::Tail;
            return Ok(Flow::On);
        }
        self.keep_name();
        let whole = self.gather_entry(input, &mut measure)?;
        self.state = State::Entries { left, measure };
        if !whole {
            return Ok(MORE);
        }
        let item = self.kept..self.kept.saturating_add(self.len);
        self.check_entry(item.clone())?;
        if self.header.is_sorted() {
            let name = item.start.saturating_add(ENTRY_HEAD);
            let end = item.end.saturating_sub(ENTRY_TAIL);
            self.name = name..end;
        }
        self.read.crc = crc32c(self.read.crc, self.stored(item.clone()));
        self.read.index.end = self.at;
        self.len = 0;
        self.state = State::Entries {
            left: left.wrapping_sub(1),
            measure: Measure::NAME,
        };
        Ok(Flow::Out(Step::Entry(item)))
    }

    /// Moves the name of the last entry to the front of the frame, once nobody looks at the entry.
    fn keep_name(&mut self) {
        let name = take(&mut self.name);
        for (to, from) in name.clone().enumerate() {
            let frame = self.decoder.frame_mut();
            if let Some(byte) = frame.stored(name.end).get(from).copied() {
                // the byte has a place behind this one
                let _ = frame.append(to, &[byte]);
            }
        }
        if !name.is_empty() {
            self.kept = name.len();
        }
    }

    /// Names that ascend differ; others are compared now that all are there.
    fn end_names(&mut self) -> Result<(), Error> {
        match self.seen.end_texts() {
            Ok(known) => self.read.names_known &= known,
            Err(at) => require_name(&mut &self.policy, false, true, spot(Field::Name, at, 0))?,
        }
        Ok(())
    }

    fn check_entry(&mut self, item: Range<usize>) -> Result<(), Error> {
        let policy = self.policy;
        let judge = &mut &policy;
        let sections = self.sections();
        let start = self.at.wrapping_sub(length(item.len()));
        // apart from `seen`, which the check changes
        let last = self.decoder.frame().stored(self.kept);
        let mut bytes = self.decoder.frame().stored(item.end);
        bytes = bytes.get(item.start..).unwrap_or_default();
        // it was gathered as a whole
        let Some(raw) = RawEntry::split(&mut bytes, start) else {
            return Ok(());
        };
        raw.check(&sections, judge)?;
        // nothing is kept of the name before where names need not ascend
        let ascends = last < raw.name;
        self.header.ascends(judge, ascends, &raw)?;
        // what is behind the tensors was not read as one, whatever the mode
        let inside = raw.end() <= sections.region_end();
        require_data(inside, raw.spot(Field::DataOffset))?;
        self.read.first = self.read.first.min(raw.descriptor_offset());
        self.read.names_known &= ascends;
        if !self.header.is_sorted() {
            self.seen.add_text(raw.name, raw.at);
        }
        self.seen.check(&raw.entry(), &sections, judge)
    }

    /// The sections as far as they are known in front of the trailer.
    fn sections(&self) -> Sections {
        Sections {
            header: self.header,
            trailer: Trailer {
                index_offset: self.read.region_end,
                index_length: 0,
                kv_offset: 0,
                kv_length: 0,
                index_crc32c: 0,
            },
            // where it starts is not known, only that it starts somewhere
            end: u64::MAX.wrapping_sub(1),
        }
    }

    /// Keeps what may turn out to be the trailer.
    pub(super) fn keep_tail<'c>(&mut self, input: &mut &[u8]) -> Flow<'c> {
        let bytes = take(input);
        let kept = self.tail.len().saturating_sub(bytes.len());
        let from = self.tail.len().saturating_sub(kept);
        self.tail.copy_within(from.., 0);
        let last = bytes.get(bytes.len().saturating_sub(self.tail.len())..);
        let behind = self.tail.get_mut(kept..).unwrap_or_default();
        for (byte, arrived) in behind.iter_mut().zip(last.unwrap_or_default()) {
            *byte = *arrived;
        }
        self.tail_len = self
            .tail_len
            .saturating_add(bytes.len())
            .min(self.tail.len());
        self.at = self.at.wrapping_add(length(bytes.len()));
        MORE
    }
}
