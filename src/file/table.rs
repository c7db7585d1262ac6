//! The index of a file that is written, in memory that the caller lends.

use super::entry::{Places, RawEntry, require_ascending, require_name};
use crate::error::{Error, ErrorKind, Field, Resource};
use crate::frame::{NoRoom, Storage};
use crate::model::Fields;
use crate::policy::Policy;
use crate::record::Spot;
use crate::wire::{array, length};

/// Entries as they will stand in the file; behind them the sizes of the buffers that the open tensor has
/// behind its first.
#[derive(Clone, Debug)]
pub(super) struct Table<S> {
    storage: S,
    /// Bytes of all entries.
    used: usize,
    count: u64,
    /// Where the last entry starts.
    last: usize,
    /// Whether names ascended so far.
    ascending: bool,
}

/// An entry that is stored and does not count yet.
pub(super) struct Stored {
    end: usize,
    ascends: bool,
}

/// Bytes of a stored size.
const SIZE: usize = size_of::<u64>();

impl<S: Storage> Table<S> {
    pub(super) const fn new(storage: S) -> Self {
        Table {
            storage,
            used: 0,
            count: 0,
            last: 0,
            ascending: true,
        }
    }

    /// Stores the next entry, if its name may stand in the index; one that is known to be new is compared with
    /// no other.
    pub(super) fn store<F: Fields + ?Sized>(
        &mut self,
        name: &str,
        is_new: bool,
        sorted: bool,
        places: &Places,
        d: &F,
    ) -> Result<Stored, ErrorKind> {
        let ascends = self
            .admit(name, is_new, sorted)
            .map_err(|error| error.kind())?;
        // `admit` saw that it fits
        let name_length = u16::try_from(name.len()).unwrap_or(u16::MAX);
        let head = name_length.to_le_bytes();
        let entry = [&head, name.as_bytes(), &places.bytes()];
        let sizes = (1..)
            .map_while(|k| d.buffer(k))
            .map(|handle| handle.byte_size);
        let len = entry
            .iter()
            .fold(0, |len, part| part.len().saturating_add(len));
        let end = self.used.saturating_add(len);
        let others = d.buffer_count().saturating_sub(1);
        let needed = length(end.saturating_add(others.saturating_mul(SIZE)));
        let limit = self.storage.limit();
        let full = |NoRoom| ErrorKind::Capacity {
            what: Resource::Index,
            needed,
            // storage that grows may fail below its limit
            available: limit.min(needed.saturating_sub(1)),
        };
        let mut at = self.used;
        let mut append = |bytes: &[u8]| {
            let appended = self.storage.append(at, bytes);
            at = at.saturating_add(bytes.len());
            appended.map_err(full)
        };
        for part in entry {
            append(part)?;
        }
        for size in sizes {
            append(&size.to_le_bytes())?;
        }
        Ok(Stored { end, ascends })
    }

    /// Counts an entry that was stored.
    pub(super) fn keep(&mut self, entry: Stored) {
        self.last = self.used;
        self.used = entry.end;
        self.ascending &= entry.ascends;
        self.count = self.count.saturating_add(1);
    }

    /// The size of a buffer of the last entry's tensor, one behind the first.
    pub(super) fn size(&self, k: usize) -> Option<u64> {
        let end = self.used.saturating_add(k.saturating_mul(SIZE));
        array(self.storage.stored(end), end.checked_sub(SIZE)?).map(u64::from_le_bytes)
    }

    /// `index_entry_count` and the entries.
    pub(super) fn index(&self) -> ([u8; 8], &[u8]) {
        let entries = self.storage.stored(self.used);
        (self.count.to_le_bytes(), entries)
    }

    /// Requires of a name what a reader requires, in any mode, and tells whether it ascends.
    fn admit(&self, name: &str, is_new: bool, sorted: bool) -> Result<bool, Error> {
        let judge = &mut &Policy::STRICT;
        let length_fits = u16::try_from(name.len()).is_ok();
        let named = length_fits && !name.is_empty();
        require_name(judge, named, named, Spot::new(Field::NameLength, 0))?;
        let entries = self.storage.stored(self.used);
        let last = entries.get(self.last..).unwrap_or_default();
        let last = RawEntry::split(&mut { last }, 0);
        let ascends = last.is_none_or(|last| last.name < name.as_bytes());
        let at = Spot::new(Field::Name, 0);
        require_ascending(judge, ascends || !sorted, at)?;
        let unique = is_new || (self.ascending && ascends) || !contains(entries, name.as_bytes());
        require_name(judge, unique, unique, at)?;
        Ok(ascends)
    }
}

fn contains(mut entries: &[u8], name: &[u8]) -> bool {
    let mut names = core::iter::from_fn(|| RawEntry::split(&mut entries, 0));
    names.any(|entry| entry.name == name)
}
