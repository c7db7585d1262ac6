//! Sorting words in place and searching by halving, without recursion and without a way to panic.
//!
//! Depends on nothing.

use core::cmp::Ordering;

/// The first place from `low` on where something does not hold, found by halving: it holds up to there, and
/// behind that nowhere. `high` where it holds in front of that everywhere.
#[inline]
pub(crate) fn first_not(mut low: u64, mut high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low.wrapping_add(high.wrapping_sub(low).wrapping_shr(1));
        if holds(middle) {
            low = middle.wrapping_add(1);
        } else {
            high = middle;
        }
    }
    low
}

/// Heap sort: in place, no recursion, and without the panic paths of the standard sorts.
pub(crate) fn sort(items: &mut [u64], compare: impl Fn(u64, u64) -> Ordering) {
    let len = items.len();
    for root in (0..len.wrapping_shr(1)).rev() {
        sift(items, root, &compare);
    }
    for end in (1..len).rev() {
        items.swap_checked(0, end);
        if let Some(heap) = items.get_mut(..end) {
            sift(heap, 0, &compare);
        }
    }
}

fn sift(heap: &mut [u64], root: usize, compare: &impl Fn(u64, u64) -> Ordering) {
    let mut root = root;
    loop {
        let left = root.wrapping_mul(2).wrapping_add(1);
        let right = left.wrapping_add(1);
        let Some(mut largest) = heap.get(left).copied() else {
            return;
        };
        let mut child = left;
        if let Some(other) = heap.get(right)
            && compare(largest, *other).is_lt()
        {
            largest = *other;
            child = right;
        }
        if heap
            .get(root)
            .is_none_or(|item| compare(*item, largest).is_ge())
        {
            return;
        }
        heap.swap_checked(root, child);
        root = child;
    }
}

trait SwapChecked {
    fn swap_checked(&mut self, a: usize, b: usize);
}

impl SwapChecked for [u64] {
    /// [`slice::swap`] for places that exist, without a way to panic.
    fn swap_checked(&mut self, a: usize, b: usize) {
        if let (Some(x), Some(y)) = (self.get(a).copied(), self.get(b).copied()) {
            if let Some(slot) = self.get_mut(a) {
                *slot = y;
            }
            if let Some(slot) = self.get_mut(b) {
                *slot = x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::sort;

    /// The interpreter of `miri` takes its time.
    const LONG: u64 = if cfg!(miri) { 301 } else { 5000 };

    #[test]
    fn words_come_in_order() {
        for pattern in [0x9E37_79B9_7F4A_7C15u64, 1 << 50, 1 << 47, 1, 0] {
            for len in [0, 1, 2, 3, 300, LONG] {
                let words = (0..len).map(|k: u64| k.wrapping_mul(pattern).reverse_bits() ^ k << 3);
                let mut words: Vec<u64> = words.collect();
                let mut sorted = words.clone();
                sorted.sort_unstable();
                sort(&mut words, |a, b| a.cmp(&b));
                assert_eq!(words, sorted);
            }
        }
    }
}
