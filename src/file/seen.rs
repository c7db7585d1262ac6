//! What a front-to-back reader remembers: where tensors were, to hold the index against, and which names or
//! keys there were.

use core::mem;

use super::entry::Entry;
use super::sections::Sections;
use crate::check::Judge;
use crate::composite::Arena;
use crate::error::{Error, Field};
use crate::policy::Policy;
use crate::sort::sort;
use crate::wire::length;

/// Where a tensor is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) descriptor_offset: u64,
    pub(super) descriptor_length: u64,
    /// Where buffer 0 is; none for a tensor without buffers.
    pub(super) data_offset: Option<u64>,
    pub(super) data_end: u64,
}

/// Words of a tensor: `descriptor_offset`, its length, `data_offset` or 0, where the data ends.
const WORDS: usize = 4;

/// Words in front of those of a text: where it is in the file, and how many bytes it has.
const TEXT_HEAD: usize = 2;

/// Bytes of a text in a word.
const TEXT_BYTES: usize = size_of::<u64>();

/// Set in the word of the length once an entry named the tensor.
const NAMED: u64 = 1 << 63;

/// Places by ascending `descriptor_offset`, and behind them texts of one kind, in words that the caller lends.
#[derive(Clone, Debug)]
pub(super) struct Seen<T> {
    words: T,
    /// Words that hold places.
    places: usize,
    /// Whether there was room for all places.
    complete: bool,
    /// Whether there was room for all texts.
    all_texts: bool,
}

impl<T> Seen<T> {
    pub(super) const fn new(words: T) -> Self {
        Seen {
            words,
            places: 0,
            complete: true,
            all_texts: true,
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
        let room = self.append(row.len(), row.into_iter());
        self.complete = self.complete && room;
        if room {
            self.places = self.places.saturating_add(WORDS);
        }
    }

    /// Remembers a name or key whose entry is at an absolute offset, if there is room.
    pub(super) fn add_text(&mut self, text: &[u8], at: u64) {
        let head = [at, length(text.len())];
        let word = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0, |word: u64, byte| word << 8 | u64::from(*byte))
        };
        let words = text.chunks(TEXT_BYTES).map(word);
        let len = head.len().saturating_add(words.len());
        let room = self.append(len, head.into_iter().chain(words));
        self.all_texts = self.all_texts && room;
    }

    fn append(&mut self, len: usize, row: impl Iterator<Item = u64>) -> bool {
        let used = self.words.words().len();
        let room = self.words.resize(used.saturating_add(len)).is_ok();
        let behind = self.words.words_mut().get_mut(used..).unwrap_or_default();
        for (word, value) in behind.iter_mut().zip(row) {
            *word = value;
        }
        room
    }

    /// Compares the texts that were added, and forgets them: whether all of them are known to differ.
    ///
    /// # Errors
    ///
    /// Where the entry is whose text is there a second time.
    pub(super) fn end_texts(&mut self) -> Result<bool, u64> {
        let used = self.words.words().len();
        let texts = self.words.words().get(self.places..).unwrap_or_default();
        let count = Texts(texts).count();
        let room = self.words.resize(used.saturating_add(count)).is_ok();
        let (words, table) = self
            .words
            .words_mut()
            .split_at_mut_checked(used)
            .unwrap_or_default();
        let texts = words.get(self.places..).unwrap_or_default();
        let twice = second(texts, table);
        let known = mem::replace(&mut self.all_texts, true) && room;
        // shrinking cannot fail
        let _ = self.words.resize(self.places);
        twice.map_or(Ok(known), Err)
    }

    /// Checks that an entry names a tensor which none did before, as far as that is known.
    pub(super) fn check<J: Judge>(
        &mut self,
        entry: &Entry<'_>,
        sections: &Sections,
        judge: &mut J,
    ) -> Result<(), Error> {
        let at = entry.spot(Field::DescriptorOffset);
        // what was not read as a tensor, or was named before, is none in any mode
        let strict = &mut &Policy::STRICT;
        let places = self.words.words_mut().get_mut(..self.places);
        let (rows, _) = places.unwrap_or_default().as_chunks_mut::<WORDS>();
        let found = rows.binary_search_by_key(&entry.descriptor_offset, |[offset, ..]| *offset);
        let row = found.ok().and_then(|row| rows.get_mut(row));
        let Some([_, descriptor_length, data_offset, data_end]) = row else {
            return sections.require_order(strict, !self.complete, at);
        };
        entry.require_descriptor(*descriptor_length & !NAMED)?;
        if *descriptor_length & NAMED != 0 {
            return sections.require_order(strict, false, at);
        }
        let mut needed = 0;
        if *data_offset > 0 {
            // what lies elsewhere was not read
            let same = entry.data_offset == *data_offset;
            entry.require_start(judge, same, same)?;
            needed = data_end.saturating_sub(*data_offset);
        }
        *descriptor_length |= NAMED;
        entry.require_length(judge, needed)
    }
}

/// Puts the starts of texts in a table by order of the texts, and finds where one is that is there twice.
fn second(texts: &[u64], table: &mut [u64]) -> Option<u64> {
    let mut rest = Texts(texts);
    for slot in &mut *table {
        *slot = length(texts.len().saturating_sub(rest.0.len()));
        rest.next();
    }
    let text = |start: u64| {
        let start = usize::try_from(start).ok()?;
        let (at, text) = Texts(texts.get(start..)?).next()?.split_first()?;
        Some((text, *at))
    };
    sort(table, |a, b| text(a).cmp(&text(b)));
    let neighbours = table.iter().zip(table.iter().skip(1));
    let mut pairs = neighbours.filter_map(|(a, b)| text(*a).zip(text(*b)));
    pairs.find_map(|((a, _), (b, at))| (a == b).then_some(at))
}

/// Texts as they were added, head included.
struct Texts<'a>(&'a [u64]);

impl<'a> Iterator for Texts<'a> {
    type Item = &'a [u64];

    fn next(&mut self) -> Option<&'a [u64]> {
        let length = usize::try_from(*self.0.get(1)?).ok()?;
        let len = TEXT_HEAD.saturating_add(length.div_ceil(TEXT_BYTES));
        let (text, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(text)
    }
}
