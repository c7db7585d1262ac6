//! What a front-to-back reader remembers: where tensors were, to hold the index against, and which names and
//! keys there were.
//!
//! Names are told apart by hash. Different hashes prove that no name is there twice; equal ones prove nothing,
//! so such a file is not refused, and its reader says that it did not check.

use super::entry::Entry;
use super::order::hash;
use super::sections::Sections;
use crate::check::Judge;
use crate::composite::Arena;
use crate::error::{Error, Field};
use crate::sort::sort;

/// Where a tensor is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) descriptor_offset: u64,
    pub(super) descriptor_length: u64,
    /// Where buffer 0 is; none for a tensor without buffers.
    pub(super) data_offset: Option<u64>,
    pub(super) data_end: u64,
}

/// Words of a tensor: `descriptor_offset`, its length, `data_offset` or 0, where the data ends. Once an entry
/// named it, the last one is the hash of the name.
const WORDS: usize = 4;

/// Set in the word of the length once an entry named the tensor.
const NAMED: u64 = 1 << 63;

/// Places by ascending `descriptor_offset`, in words that the caller lends.
#[derive(Clone, Debug)]
pub(super) struct Seen<T> {
    words: T,
    /// Words that hold places; those behind them are hashes of keys.
    places: usize,
    /// Whether there was room for all places.
    complete: bool,
    /// Whether all names, and all keys, were seen to differ.
    pub(super) names_differ: bool,
    pub(super) keys_differ: bool,
}

impl<T> Seen<T> {
    pub(super) const fn new(words: T) -> Self {
        Seen {
            words,
            places: 0,
            complete: true,
            names_differ: true,
            keys_differ: true,
        }
    }

    pub(super) const fn is_complete(&self) -> bool {
        self.complete
    }
}

impl<T: Arena> Seen<T> {
    /// Remembers the next tensor, if there is room.
    pub(super) fn add(&mut self, place: &Place) {
        let row = [
            place.descriptor_offset,
            place.descriptor_length,
            // the header is there
            place.data_offset.unwrap_or(0),
            place.data_end,
        ];
        let room = self.append(&row);
        self.complete = self.complete && room;
        if room {
            self.places = self.places.saturating_add(WORDS);
        }
    }

    /// Remembers the hash of a key, if there is room.
    pub(super) fn add_key(&mut self, hash: u64) {
        let room = self.append(&[hash]);
        self.keys_differ = self.keys_differ && room;
    }

    fn append(&mut self, row: &[u64]) -> bool {
        let used = self.words.words().len();
        let room = self.words.resize(used.saturating_add(row.len())).is_ok();
        if room && let Some(place) = self.words.words_mut().get_mut(used..) {
            place.copy_from_slice(row);
        }
        room
    }

    /// Sees whether keys differ, now that all were added.
    pub(super) fn end_keys(&mut self) {
        let keys = self.words.words_mut().get_mut(self.places..);
        self.keys_differ = self.keys_differ && differ(keys.unwrap_or_default());
        // shrinking cannot fail
        let _ = self.words.resize(self.places);
    }

    /// Sees whether names differ, now that all entries were checked. Places are forgotten.
    pub(super) fn end_names(&mut self) {
        let mut names = 0usize;
        for row in (0..self.places).step_by(WORDS) {
            let words = self.words.words_mut();
            let row = words.get(row..).and_then(|row| row.first_chunk());
            if let Some([_, length, _, name]) = row.copied()
                && length & NAMED != 0
                && let Some(word) = words.get_mut(names)
            {
                *word = name;
                names = names.saturating_add(1);
            }
        }
        let names = self.words.words_mut().get_mut(..names);
        self.names_differ = self.names_differ && differ(names.unwrap_or_default());
    }

    /// Checks that an entry names a tensor which none did before, as far as that is known.
    pub(super) fn check<J: Judge>(
        &mut self,
        entry: &Entry<'_>,
        sections: &Sections,
        judge: &mut J,
    ) -> Result<(), Error> {
        let at = entry.spot(Field::DescriptorOffset);
        let (rows, _) = self.words.words_mut().as_chunks_mut::<WORDS>();
        let found = rows.binary_search_by_key(&entry.descriptor_offset, |[offset, ..]| *offset);
        let row = found.ok().and_then(|row| rows.get_mut(row));
        let Some([_, descriptor_length, data_offset, data_end]) = row else {
            self.names_differ = false;
            return sections.require_order(judge, !self.complete, at);
        };
        entry.require_descriptor(*descriptor_length & !NAMED)?;
        if *descriptor_length & NAMED != 0 {
            self.names_differ = false;
            return sections.require_order(judge, false, at);
        }
        let mut needed = 0;
        if *data_offset > 0 {
            // what lies elsewhere was not read
            let same = entry.data_offset == *data_offset;
            entry.require_start(judge, same, same)?;
            needed = data_end.saturating_sub(*data_offset);
        }
        *descriptor_length |= NAMED;
        *data_end = hash(entry.name.as_bytes());
        entry.require_length(judge, needed)
    }
}

/// Sorts words and sees whether no two are the same.
fn differ(words: &mut [u64]) -> bool {
    sort(words, |a, b| a.cmp(&b));
    words.iter().zip(words.iter().skip(1)).all(|(a, b)| a != b)
}
