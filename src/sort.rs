//! Sorting words in place, without recursion and without a way to panic.
//!
//! Depends on nothing.

use core::cmp::Ordering;

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
