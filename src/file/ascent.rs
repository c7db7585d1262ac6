//! What one pass over an index finds out in passing: whether names and places ascend.

use super::entry::RawEntry;
use super::runs::NameRuns;
use super::sections::Sections;
use crate::check::Judge;
use crate::error::Error;

/// What is known of an index that was checked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Survey {
    /// Whether names ascend byte by byte, so that each is there once.
    pub(super) names_ascend: bool,
    /// Whether each tensor ends in front of the next descriptor (FILE-40).
    pub(super) places_ascend: bool,
}

/// The entries so far.
pub(super) struct Ascent {
    /// The lowest `descriptor_offset`; `u64::MAX` without entries.
    pub(super) first: u64,
    pub(super) runs: NameRuns,
    places_ascend: bool,
}

impl Ascent {
    pub(super) fn new() -> Self {
        Ascent {
            first: u64::MAX,
            runs: NameRuns::default(),
            places_ascend: true,
        }
    }

    pub(super) const fn survey(&self) -> Survey {
        Survey {
            names_ascend: self.runs.is_one(),
            places_ascend: self.places_ascend,
        }
    }

    /// Checks an entry, and tells where its tensor ends. `last` is the name before it, `behind` where the tensor before it
    /// ends, and `end` what [`end_behind`](RawEntry::end_behind) says.
    #[inline(never)]
    pub(super) fn check<J: Judge>(
        &mut self,
        last: &[u8],
        behind: u64,
        end: Option<u64>,
        raw: RawEntry<'_>,
        sections: &Sections,
        judge: &mut J,
    ) -> Result<u64, Error> {
        let end = match end {
            Some(end) if !raw.name.is_empty() && raw.name.is_ascii() => end,
            _ => {
                raw.check(sections, judge)?;
                self.places_ascend = self.places_ascend && behind <= raw.descriptor_offset();
                raw.end()
            }
        };
        if sections.header.is_sorted() || !self.runs.are_many() {
            let above = self.runs.add(last, raw.name, raw.at);
            sections.header.ascends(judge, above, &raw)?;
        }
        self.first = self.first.min(raw.descriptor_offset());
        Ok(end)
    }
}
