//! Tables of names and places, and what only they show.

use super::directory::FileDirectory;
use super::entry::{RawEntry, require_name};
use super::kv::{key_spot, require_key};
use super::names::Names;
use super::order::{ByName, FileIndex};
use super::runs::NameRuns;
use crate::check::Judge;
use crate::error::{Error, ErrorKind, Field, Resource};
use crate::sort::sort;
use crate::wire::length;

/// Checks what takes memory of a directory that is right in itself, and makes its tables.
///
/// The scratch starts with the offsets of all entries, in the order of the index, and `runs` are theirs; one that has no
/// room for them ends in a capacity error.
pub(super) fn make_tables<'a, 's, J: Judge>(
    directory: FileDirectory<'a>,
    runs: &NameRuns,
    judge: &mut J,
    scratch: &'s mut [u64],
) -> Result<FileIndex<'a, 's>, Error> {
    let (needed, available) = (directory.scratch_words(), length(scratch.len()));
    if needed > available {
        let kind = ErrorKind::Capacity {
            what: Resource::Arena,
            needed,
            available,
        };
        return Err(Error::new(kind, directory.trailer().index_offset));
    }
    let len = usize::try_from(directory.table_words()).unwrap_or(usize::MAX);
    let (table, rest) = scratch.split_at_mut_checked(len).unwrap_or_default();
    check_keys(&directory, rest)?;

    let names = Names::new(directory);
    let (offsets, spare) = halves(table);
    let ascend = runs.merge(offsets, spare, |at| directory.name_at(at));
    let order = match directory.survey().places_ascend {
        true => PlaceOrder::default(),
        false => PlaceOrder::of(directory.entries().raw()),
    };
    if !ascend && !order.descends && names.spread(table) {
        order.check(&directory, judge)?;
        return Ok(FileIndex::new(names, ByName::Spread, table, &[]));
    }
    let (by_name, by_place) = halves(table);
    let mut kind = ByName::Ascending;
    if !ascend {
        kind = ByName::Sorted;
        names.sort(by_name);
        check_names(&names, by_name, judge)?;
    }
    if !order.descends {
        order.check(&directory, judge)?;
        return Ok(FileIndex::new(names, kind, by_name, &[]));
    }
    sort_places(&directory, by_place).check(&directory, judge)?;
    Ok(FileIndex::new(names, kind, by_name, by_place))
}

/// Room for a word of each entry, twice.
fn halves(table: &mut [u64]) -> (&mut [u64], &mut [u64]) {
    let half = table.len().wrapping_shr(1);
    table.split_at_mut_checked(half).unwrap_or_default()
}

/// Tensors in an order, and whether they come as they are placed and end before the next one starts.
#[derive(Default)]
struct PlaceOrder {
    last: u64,
    behind: u64,
    descends: bool,
    /// The entry of the first that starts too early.
    overlap: Option<u64>,
}

impl PlaceOrder {
    fn of<'a>(entries: impl Iterator<Item = RawEntry<'a>>) -> Self {
        let mut order = PlaceOrder::default();
        for raw in entries {
            let start = raw.descriptor_offset();
            if start < order.behind {
                order.descends |= start < order.last;
                order.overlap = order.overlap.or(Some(raw.at));
            }
            order.behind = order.behind.max(raw.end());
            order.last = start;
        }
        order
    }

    /// Requires of tensors in the order of their places that they share no bytes.
    fn check<J: Judge>(&self, directory: &FileDirectory<'_>, judge: &mut J) -> Result<(), Error> {
        let Some(entry) = self.overlap.and_then(|at| directory.entry_at(at)) else {
            return Ok(());
        };
        let at = entry.spot(Field::DescriptorOffset);
        directory.sections().require_order(judge, false, at)
    }
}

/// Makes a table of where entries are, in the order of their tensors.
fn sort_places(directory: &FileDirectory<'_>, by_place: &mut [u64]) -> PlaceOrder {
    for (raw, offset) in directory.entries().raw().zip(&mut *by_place) {
        *offset = raw.at;
    }
    let key = |at| directory.raw_entry(at).map(|raw| raw.descriptor_offset());
    sort(by_place, |a, b| key(a).cmp(&key(b)).then(a.cmp(&b)));
    PlaceOrder::of(by_place.iter().filter_map(|at| directory.raw_entry(*at)))
}

/// Words, each with the one behind it.
fn neighbours(words: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    let behind = words.get(1..).unwrap_or_default();
    words.iter().copied().zip(behind.iter().copied())
}

/// Equal names are neighbours.
fn check_names<J: Judge>(names: &Names<'_>, words: &[u64], judge: &mut J) -> Result<(), Error> {
    for (a, b) in neighbours(words) {
        if let Some(twice) = names.same(a, b) {
            require_name(judge, false, true, twice.spot(Field::Name))?;
        }
    }
    Ok(())
}

/// Sorts the keys in the scratch and compares neighbours.
fn check_keys(directory: &FileDirectory<'_>, scratch: &mut [u64]) -> Result<(), Error> {
    let mut used = 0usize;
    for (at, word) in directory.kv_places().zip(scratch.iter_mut()) {
        *word = at;
        used = used.saturating_add(1);
    }
    let words = scratch.get_mut(..used).unwrap_or_default();
    let key = |at: u64| directory.kv_key(at);
    sort(words, |a, b| key(a).cmp(key(b)).then(a.cmp(&b)));
    for (a, b) in neighbours(words) {
        require_key(key(a) != key(b), key_spot(b))?;
    }
    Ok(())
}
