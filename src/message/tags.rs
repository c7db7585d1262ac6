//! Sets of tags, for what is remembered of a list.

/// Tags that were listed: a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct TagSet([u64; 4]);

impl TagSet {
    /// The tags of a list, which is gone through once however long it is.
    pub(super) fn of(tags: impl IntoIterator<Item = u8>) -> Self {
        let mut set = TagSet([0; 4]);
        for tag in tags {
            if let Some(word) = set.0.get_mut(usize::from(tag >> 6)) {
                *word |= 1u64.wrapping_shl(tag.into());
            }
        }
        set
    }

    pub(super) fn has(&self, tag: u8) -> bool {
        let word = self.0.get(usize::from(tag >> 6)).copied().unwrap_or(0);
        word.wrapping_shr(tag.into()) & 1 == 1
    }
}
