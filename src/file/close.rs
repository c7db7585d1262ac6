//! The part of a file parser that holds the trailer against what was read.

use super::advance::require_region_end;
use super::directory::{FIT, Unchecked};
use super::kv::{FILL, require_fill};
use super::parse::{FileEnd, FileParser, State};
use super::sections::{Sections, long_enough, too_short};
use crate::check::Judge;
use crate::composite::{Arena, Cover};
use crate::error::{Error, Field};
use crate::frame::Storage;
use crate::record::Spot;
use crate::wire::container::KV_HEAD;
use crate::wire::length;

impl<S: Storage, C: Cover, A: Arena, T: Arena> FileParser<S, C, A, T> {
    pub(super) fn close(&self) -> Result<FileEnd, Error> {
        let file_size = self.offset();
        match self.state {
            State::Failed(error) => return Err(error),
            State::Tail if self.tail_len == self.tail.len() => {}
            _ => {
                long_enough(file_size)?;
                return Err(too_short(file_size, self.missing()));
            }
        }
        let judge = &mut &self.policy;
        let sections = Sections::read(self.header, &self.tail, file_size, judge)?;
        self.check_kv(&sections, judge)?;
        let checked = self.check_index(&sections, judge)?;
        // what no entry names was given out as a tensor, whatever the mode
        let listed = self.read.entry_count == self.tensors;
        let at = Spot::new(Field::IndexEntryCount, self.read.index.start);
        require_region_end(listed, at)?;
        let first = self.header.first_descriptor_offset;
        let named = self.read.entry_count == 0 || self.read.first == first;
        self.header.first_is(judge, named)?;
        let torn = self.decoder.finish();
        torn.map_err(|error| Error::new(error.kind(), self.read.region_end))?;
        let several = self.read.entry_count > 1;
        Ok(FileEnd {
            trailer: sections.trailer,
            unchecked: Unchecked {
                names: several && !self.read.names_known,
                keys: self.read.kv_count > 1 && !self.read.keys_known,
                ranges: !self.seen.is_complete(),
                tensors: !self.seen.is_complete(),
                checksum: !checked,
            },
        })
    }

    fn check_kv<J: Judge>(&self, sections: &Sections, judge: &mut J) -> Result<(), Error> {
        let at = sections.trailer_spot(Field::KvOffset);
        let mut read = self.read.kv.clone();
        let Some(place) = sections.kv() else {
            return require_region_end(read.is_empty(), at);
        };
        let none = place.start..place.start.saturating_add(length(KV_HEAD));
        let zeros = self.read.zeros <= none.start && none.end <= self.read.region_end;
        if read.is_empty() && zeros {
            // no keys look like padding
            read = none;
        }
        require_region_end(read.start == place.start, at)?;
        if place.end < read.end {
            return Err(sections.trailer_spot(Field::KvLength).error(FILL));
        }
        let filled = read.end == place.end || self.header.version_minor > 0;
        require_fill(judge, filled, Spot::new(Field::KvTail, read.end))
    }

    /// Whether the checksum could be checked.
    fn check_index<J: Judge>(&self, sections: &Sections, judge: &mut J) -> Result<bool, Error> {
        let (read, place) = (&self.read.index, sections.index());
        let at = sections.trailer_spot(Field::IndexOffset);
        require_region_end(read.start == place.start, at)?;
        if place.end < read.end {
            return Err(sections.trailer_spot(Field::IndexLength).error(FIT));
        }
        let filled = read.end == place.end;
        if filled {
            sections.checksum(judge, self.read.crc)?;
        }
        self.header.index_filled(judge, filled, read.end)?;
        Ok(filled || !self.header.has_index_crc32c())
    }
}
