//! A container with tables in memory that the caller lends: tensors by name and by place.

use core::slice;

#[cfg(feature = "std")]
use super::ascent::Survey;
use super::directory::{Entries, FileDirectory};
use super::entry::Entry;
use super::names::Names;

/// A container of which everything was checked that its index can break: each name and key is there once,
/// and each tensor ends in front of the next descriptor.
///
/// A name is found by binary search where names ascend in the index, or do so in a few runs, and by its hash elsewhere.
/// Where besides tensors are not in the order of the index, a name is there twice or names were made to share hashes, it
/// is found by binary search among hashes. Tensors come in the order of their places, as composites need them. Made by
/// [`FileDirectory::index`].
#[derive(Clone, Copy, Debug)]
pub struct FileIndex<'a, 's> {
    names: Names<'a>,
    by_name: ByName<&'s [u64]>,
    /// Where entries are in the file, by ascending `descriptor_offset`; empty where they are so in the index.
    by_place: &'s [u64],
}

/// A table of names.
#[derive(Clone, Copy, Debug)]
pub(super) enum ByName<T> {
    /// Where entries are in the file, by name.
    Ascending(T),
    /// A word is in one of its slots.
    Spread(T),
    /// Words ascend: by hash.
    Sorted(T),
}

#[cfg(feature = "std")]
impl<T> ByName<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> ByName<U> {
        match self {
            ByName::Ascending(table) => ByName::Ascending(change(table)),
            ByName::Spread(table) => ByName::Spread(change(table)),
            ByName::Sorted(table) => ByName::Sorted(change(table)),
        }
    }
}

impl<'a, 's> FileIndex<'a, 's> {
    pub(super) const fn new(
        names: Names<'a>,
        by_name: ByName<&'s [u64]>,
        by_place: &'s [u64],
    ) -> Self {
        FileIndex {
            names,
            by_name,
            by_place,
        }
    }

    /// The tables in the words that they were made in.
    #[cfg(feature = "std")]
    pub(crate) fn again(directory: FileDirectory<'a>, tables: Tables, scratch: &'s [u64]) -> Self {
        let words = scratch.get(..tables.words).unwrap_or_default();
        let mut by_place = words;
        let by_name = tables.by_name.map(|len| {
            let (first, second) = words.split_at_checked(len).unwrap_or_default();
            by_place = second;
            first
        });
        FileIndex::new(Names::new(directory), by_name, by_place)
    }

    /// What [`again`](Self::again) has to know.
    #[cfg(feature = "std")]
    pub(crate) fn tables(&self) -> Tables {
        let last = match self.by_name {
            ByName::Ascending(places) => places.iter().copied().max(),
            ByName::Spread(words) | ByName::Sorted(words) => {
                words.iter().map(|word| self.names.at(*word)).max()
            }
        };
        let mut words = self.by_place.len();
        let by_name = self.by_name.map(|table| {
            words = words.saturating_add(table.len());
            table.len()
        });
        Tables {
            survey: self.directory().survey(),
            behind: last
                .and_then(|at| self.directory().entry_end(at))
                .unwrap_or(0),
            by_name,
            words,
        }
    }

    /// The tensors in the order of their places, from one of them on.
    #[cfg(feature = "std")]
    pub(crate) fn onwards(&self, entry: &Entry<'_>, tables: Tables) -> OrderedEntries<'a, 's> {
        let wanted = (Some(entry.descriptor_offset), entry.offset);
        let first = self.by_place.partition_point(|at| {
            let raw = self.directory().raw_entry(*at);
            (raw.map(|raw| raw.descriptor_offset()), *at) < wanted
        });
        let places = self.by_place.get(first..).unwrap_or_default();
        OrderedEntries {
            entries: self
                .directory()
                .entries_between(entry.offset, tables.behind),
            directory: *self.directory(),
            by_place: places.iter(),
            tabled: !self.by_place.is_empty(),
        }
    }

    /// What the tables are of.
    #[must_use]
    pub const fn directory(&self) -> &FileDirectory<'a> {
        self.names.directory()
    }

    /// The entry of a name; the first of several that permissive mode let pass.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Entry<'a>> {
        let raw = match self.by_name {
            ByName::Ascending(places) => self.names.find_ascending(places, name.as_bytes()),
            ByName::Spread(slots) => self.names.find_spread(slots, name.as_bytes()),
            ByName::Sorted(words) => self.names.find_sorted(words, name.as_bytes()),
        };
        raw.map(|raw| raw.entry())
    }

    /// The tensors in the order of their places: a head, then its members.
    #[must_use]
    pub fn in_order(&self) -> OrderedEntries<'a, 's> {
        OrderedEntries {
            entries: self.directory().entries(),
            directory: *self.directory(),
            by_place: self.by_place.iter(),
            tabled: !self.by_place.is_empty(),
        }
    }
}

/// What making tables found out.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables {
    pub(crate) survey: Survey,
    /// The kind of the table of names, and its words.
    by_name: ByName<usize>,
    /// Words of both tables.
    words: usize,
    /// Where the last entry ends.
    behind: u64,
}

/// The tensors of a container in the order of their places.
#[derive(Clone, Debug)]
pub struct OrderedEntries<'a, 's> {
    entries: Entries<'a>,
    directory: FileDirectory<'a>,
    by_place: slice::Iter<'s, u64>,
    tabled: bool,
}

impl<'a> Iterator for OrderedEntries<'a, '_> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        match self.tabled {
            true => self.directory.entry_at(*self.by_place.next()?),
            false => self.entries.next(),
        }
    }
}
