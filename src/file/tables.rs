//! Tables of names and places, made while an index is read, and what only they show.

use super::directory::FileDirectory;
use super::entry::{RawEntry, require_name};
use super::kv::{key_spot, require_key};
use super::names::Names;
use super::order::{ByName, FileIndex};
use super::runs::Runs;
use crate::check::Judge;
use crate::error::{Error, ErrorKind, Field, Resource};
use crate::sort::sort;
use crate::wire::length;

/// Checks what takes memory of a directory that is right in itself, and makes its tables. The scratch starts with
/// where entries are, in runs by name.
pub(super) fn tabled<'a, 's, J: Judge>(
    directory: FileDirectory<'a>,
    runs: &Runs,
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
    let ascend = runs.merge(&directory, table);
    let places = match directory.survey().places_ascend {
        true => Placing::default(),
        false => Placing::of(directory.entries().raw()),
    };
    if !ascend && !places.descend && names.spread(table) {
        places.check(&directory, judge)?;
        return Ok(FileIndex::new(names, ByName::Spread(table), &[]));
    }
    let half = table.len().wrapping_shr(1);
    let (by_name, by_place) = table.split_at_mut_checked(half).unwrap_or_default();
    if !ascend {
        names.sort(by_name);
        check_names(&names, by_name, judge)?;
    }
    let by_place: &[u64] = match places.descend {
        true => {
            sort_places(&directory, by_place).check(&directory, judge)?;
            by_place
        }
        false => {
            places.check(&directory, judge)?;
            &[]
        }
    };
    let by_name = match ascend {
        true => ByName::Ascending(&*by_name),
        false => ByName::Sorted(&*by_name),
    };
    Ok(FileIndex::new(names, by_name, by_place))
}

/// Tensors in an order, and whether they come as they are placed and end before the next one starts.
#[derive(Default)]
struct Placing {
    last: u64,
    behind: u64,
    descend: bool,
    /// The entry of the first that starts too early.
    overlap: Option<u64>,
}

impl Placing {
    fn of<'a>(entries: impl Iterator<Item = RawEntry<'a>>) -> Self {
        let mut places = Placing::default();
        for raw in entries {
            let start = raw.descriptor_offset();
            if start < places.behind {
                places.descend |= start < places.last;
                places.overlap = places.overlap.or(Some(raw.at));
            }
            places.behind = places.behind.max(raw.end());
            places.last = start;
        }
        places
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
fn sort_places(directory: &FileDirectory<'_>, by_place: &mut [u64]) -> Placing {
    for (raw, place) in directory.entries().raw().zip(&mut *by_place) {
        *place = raw.at;
    }
    let key = |at| directory.raw_entry(at).map(|raw| raw.descriptor_offset());
    sort(by_place, |a, b| key(a).cmp(&key(b)).then(a.cmp(&b)));
    Placing::of(by_place.iter().filter_map(|at| directory.raw_entry(*at)))
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
