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
/// A name is found by binary search where names ascend in the index, or do so in a few runs, and otherwise by its hash.
/// Where, in addition, tensors are not in the order of the index, a name is there twice or names were made to share hashes,
/// it is found by binary search among hashes. Tensors come in the order of their places, as composites need them. Made by
/// [`FileDirectory::index`].
#[derive(Clone, Copy, Debug)]
pub struct FileIndex<'a, 's> {
    names: Names<'a>,
    kind: ByName,
    by_name: &'s [u64],
    /// Offsets of entries, by ascending `descriptor_offset`; empty where they are so in the index.
    by_place: &'s [u64],
}

/// What a table of names is.
#[derive(Clone, Copy, Debug)]
pub(super) enum ByName {
    /// Offsets of entries, by name.
    Ascending,
    /// Slots, in one of which a word is.
    Spread,
    /// Words that ascend: by hash.
    Sorted,
}

impl<'a, 's> FileIndex<'a, 's> {
    pub(super) const fn new(
        names: Names<'a>,
        kind: ByName,
        by_name: &'s [u64],
        by_place: &'s [u64],
    ) -> Self {
        FileIndex {
            names,
            kind,
            by_name,
            by_place,
        }
    }

    /// The tables in the words that they were made in.
    #[cfg(feature = "std")]
    pub(crate) fn again(directory: FileDirectory<'a>, tables: Tables, scratch: &'s [u64]) -> Self {
        let words = scratch.get(..tables.words).unwrap_or_default();
        let (by_name, by_place) = words.split_at_checked(tables.names).unwrap_or_default();
        FileIndex::new(Names::new(directory), tables.kind, by_name, by_place)
    }

    /// What [`again`](Self::again) has to know.
    #[cfg(feature = "std")]
    pub(crate) fn tables(&self) -> Tables {
        let offset = |word: &u64| match self.kind {
            ByName::Ascending => *word,
            ByName::Spread | ByName::Sorted => self.names.at(*word),
        };
        let last = self.by_name.iter().map(offset).max();
        let behind = last.and_then(|at| self.directory().entry_end(at));
        Tables {
            survey: self.directory().survey(),
            kind: self.kind,
            names: self.by_name.len(),
            words: self.by_name.len().saturating_add(self.by_place.len()),
            behind: behind.unwrap_or(0),
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
        let (table, name) = (self.by_name, name.as_bytes());
        let raw = match self.kind {
            ByName::Ascending => self.names.find_ascending(table, name),
            ByName::Spread => self.names.find_spread(table, name),
            ByName::Sorted => self.names.find_sorted(table, name),
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
    kind: ByName,
    /// Words of the table of names.
    names: usize,
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
