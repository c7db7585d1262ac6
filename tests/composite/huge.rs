//! Heads whose volume passes 64, 128 and more bits. All volumes are worked out by hand.

use crate::support::{Tile, partition, tile};
use hrry::{
    Arena, CompositeValidator, Cover, ErrorKind, Exact, ExactThenKeyed, InlineArena, Key, Keyed,
    Outcome, Policy, Resource, Rule, corners,
};

#[derive(Clone, Copy, Debug)]
enum Verdict {
    Exact,
    Gap,
    /// The member that arrives, and the one it overlaps.
    Overlap(u32, u32),
}

const KEY: Key = Key([0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210]);

/// A volume that overlaps is at least the head's in every case here, so that the sum says overlap too.
fn expect(shape: &[u64], tiles: &[Tile], verdict: Verdict) {
    let rule = match verdict {
        Verdict::Exact => None,
        Verdict::Gap => Some(Rule::Gap),
        Verdict::Overlap(..) => Some(Rule::Overlap),
    };
    let exact = run(Exact, InlineArena::<1024>::new(), shape, tiles);
    match verdict {
        Verdict::Overlap(member, first) => {
            let last = first;
            let overlap = ErrorKind::Overlap {
                member,
                first,
                last,
            };
            assert_eq!(exact, Err(overlap));
            assert_eq!(whole_set(shape, tiles), Err(overlap));
        }
        _ => {
            assert_eq!(exact.err().and_then(|kind| kind.rule()), rule, "{exact:?}");
            let corners = whole_set(shape, tiles).err();
            assert_eq!(corners.and_then(|kind| kind.rule()), rule, "{corners:?}");
        }
    }
    // 200 words hold a head of rank 64 and its sum, but no box
    let keyed = run(Keyed(KEY), InlineArena::<200>::new(), shape, tiles);
    assert_eq!(keyed.err().and_then(|kind| kind.rule()), rule, "{keyed:?}");
    let both = run(ExactThenKeyed(KEY), InlineArena::<200>::new(), shape, tiles);
    assert_eq!(both.err().and_then(|kind| kind.rule()), rule, "{both:?}");
}

fn run<C: Cover, A: Arena>(
    cover: C,
    arena: A,
    shape: &[u64],
    tiles: &[Tile],
) -> Result<Outcome, ErrorKind> {
    let mut validator = CompositeValidator::with_arena(cover, arena, Policy::STRICT);
    partition(&mut validator, shape, tiles).map_err(|error| error.kind)
}

fn whole_set(shape: &[u64], tiles: &[Tile]) -> Result<(), ErrorKind> {
    let numbers = |tile: &Tile| [&tile.offset[..], &tile.shape[..]].concat();
    let boxes: Vec<u64> = tiles.iter().flat_map(numbers).collect();
    let words = corners::scratch_words(shape, &boxes)?;
    corners::exact_cover(shape, &boxes, &mut vec![0; words as usize])
}

/// One cell of 2^80, which is 0 modulo 2^64.
#[test]
fn one_cell_of_2_to_the_80() {
    let head = [1 << 40, 1 << 40];
    expect(&head, &[tile([0, 0], [1, 1])], Verdict::Gap);
    expect(&head, &[tile([0, 0], head)], Verdict::Exact);
}

/// 3 * 12,297,829,382,473,034,411 = 2^65 + 1, which is 1 modulo 2^64: the volume of the member.
#[test]
fn a_volume_that_wraps_to_1() {
    let third = 12_297_829_382_473_034_411;
    let head = [3, third];
    expect(&head, &[tile([2, third - 1], [1, 1])], Verdict::Gap);
    let rows = [0, 1, 2].map(|row| tile([row, 0], [1, third]));
    expect(&head, &rows, Verdict::Exact);
    expect(&head, &rows[1..], Verdict::Gap);
}

/// 2^64 is 0 modulo 2^64: the volume of an empty member, or of none.
#[test]
fn a_volume_that_wraps_to_0() {
    let head = [1 << 32, 1 << 32];
    expect(&head, &[tile([0, 0], [0, 7])], Verdict::Gap);
    expect(&head, &[], Verdict::Gap);
    let halves = [
        tile([0, 0], [1 << 31, 1 << 32]),
        tile([1 << 31, 0], [1 << 31, 1 << 32]),
    ];
    expect(&head, &halves, Verdict::Exact);
    let twice = [halves[1].clone(), halves[1].clone()];
    expect(&head, &twice, Verdict::Overlap(1, 0));
}

/// Head and members all pass 2^64; saturated, they are equal.
#[test]
fn volumes_that_saturate_64_bits() {
    let head = [1 << 40, 1 << 40];
    let gap = [
        tile([0, 0], [1 << 39, 1 << 40]),
        tile([1 << 39, 0], [1 << 38, 1 << 40]),
    ];
    expect(&head, &gap, Verdict::Gap);
}

/// What is missing has 2^64 cells of 2^128: nothing, to 64 bits.
#[test]
fn a_gap_of_2_to_the_64_in_2_to_the_128() {
    let n = 1 << 32;
    let head = [n; 4];
    let mut tiles = vec![
        tile([1, 0, 0, 0], [n - 1, n, n, n]),
        tile([0, 1, 0, 0], [1, n - 1, n, n]),
    ];
    expect(&head, &tiles, Verdict::Gap);
    tiles.push(tile([0, 0, 0, 0], [1, 1, n, n]));
    expect(&head, &tiles, Verdict::Exact);
    // as large as what is missing, elsewhere
    tiles[2] = tile([0, 1, 0, 0], [1, 1, n, n]);
    expect(&head, &tiles, Verdict::Overlap(2, 1));
}

/// 2^180, and what is missing has 2^128 cells: nothing, to 128 bits.
#[test]
fn a_gap_of_2_to_the_128_in_2_to_the_180() {
    let n = 1 << 60;
    let head = [n; 3];
    let most = tile([256, 0, 0], [n - 256, n, n]);
    expect(&head, std::slice::from_ref(&most), Verdict::Gap);
    let rest = tile([0, 0, 0], [256, n, n]);
    expect(&head, &[most.clone(), rest], Verdict::Exact);
    let elsewhere = tile([n - 256, 0, 0], [256, n, n]);
    expect(&head, &[most, elsewhere], Verdict::Overlap(1, 0));
}

/// Every cell of 2^180 but the last.
#[test]
fn one_cell_missing_of_2_to_the_180() {
    let n = 1 << 60;
    let head = [n; 3];
    let slab = tile([0, 0, 0], [n - 1, n, n]);
    let row = tile([n - 1, 0, 0], [1, n - 1, n]);
    let line = tile([n - 1, n - 1, 0], [1, 1, n - 1]);
    let last = tile([n - 1, n - 1, n - 1], [1, 1, 1]);
    let first = tile([0, 0, 0], [1, 1, 1]);
    let without = [slab.clone(), row.clone(), line.clone()];
    expect(&head, &without, Verdict::Gap);
    let with = [last, line.clone(), slab.clone(), row.clone()];
    expect(&head, &with, Verdict::Exact);
    // the right volume, one cell twice and one never
    expect(&head, &[slab, row, line, first], Verdict::Overlap(3, 0));
}

/// 2^63 * 2^63 * 2 = 2^127 in two halves of 2^126, along each axis.
#[test]
fn halves_of_2_to_the_127() {
    let n = 1 << 63;
    let head = [n, n, 2];
    for (axis, half) in [(0, n / 2), (1, n / 2), (2, 1)] {
        let mut front = tile([0; 3], head);
        front.shape[axis] = half;
        let mut back = front.clone();
        back.offset[axis] = half;
        expect(&head, &[front.clone(), back.clone()], Verdict::Exact);
        expect(&head, std::slice::from_ref(&back), Verdict::Gap);
        expect(&head, &[back.clone(), back], Verdict::Overlap(1, 0));
    }
}

/// The largest head there is: 64 dimensions of 2^64 - 2, a volume of 4,096 bits.
#[test]
fn the_largest_head() {
    let n = u64::MAX - 1;
    let head = [n; 64];
    for axis in [0, 31, 63] {
        let mut front = tile([0; 64], head);
        front.shape[axis] = n / 2;
        let mut back = front.clone();
        back.offset[axis] = n / 2;
        expect(&head, &[back.clone(), front.clone()], Verdict::Exact);
        expect(&head, std::slice::from_ref(&front), Verdict::Gap);
        // one layer short
        let mut short = back.clone();
        short.shape[axis] -= 1;
        expect(&head, &[front.clone(), short], Verdict::Gap);
        // one layer early: one twice and one never
        back.offset[axis] -= 1;
        expect(&head, &[front, back], Verdict::Overlap(1, 0));
    }
}

/// One cell in the last corner of the largest head; it splits all axes, more than the whole-set check takes.
#[test]
fn one_cell_of_the_largest_head() {
    let n = u64::MAX - 1;
    let head = [n; 64];
    let corner = [tile([n - 1; 64], [1; 64])];
    let gap = |verdict: Result<Outcome, ErrorKind>| {
        assert_eq!(verdict.err().and_then(|kind| kind.rule()), Some(Rule::Gap));
    };
    gap(run(Exact, InlineArena::<1024>::new(), &head, &corner));
    gap(run(Keyed(KEY), InlineArena::<200>::new(), &head, &corner));
    let capacity = ErrorKind::Capacity {
        what: Resource::SplitAxes,
        needed: 64,
        available: 4,
    };
    assert_eq!(whole_set(&head, &corner), Err(capacity));
}

/// Far more than the head: the excess goes on in its top limb.
#[test]
fn a_head_covered_many_times() {
    let n = u64::MAX - 1;
    let head = [n, n];
    let again = vec![tile([0, 0], head); 1000];
    expect(&head, &again, Verdict::Overlap(1, 0));
    // 2^64 - 2 = 2 * (2^63 - 1): a thousand halves and no other
    let half = vec![tile([0, 0], [n, n / 2]); 1000];
    expect(&head, &half, Verdict::Overlap(1, 0));
}

/// Nearly all of the largest sizes, cut at their last index.
#[test]
fn cuts_at_the_end_of_64_bits() {
    let n = u64::MAX - 1;
    let tiles = [tile([0], [n - 1]), tile([n - 1], [1])];
    expect(&[n], &tiles, Verdict::Exact);
    expect(&[n], &tiles[..1], Verdict::Gap);
    expect(
        &[n],
        &[tiles[0].clone(), tile([n - 2], [2])],
        Verdict::Overlap(1, 0),
    );
}

/// Ends that wrap past 2^64 would cancel; boxes outside the head are refused before.
#[test]
fn the_whole_set_check_looks_at_bounds() {
    let n = u64::MAX - 3;
    let wrapping = [tile([0], [8]), tile([4], [n - 4]), tile([n], [8])];
    let outside = |tiles: &[Tile]| {
        let rule = whole_set(&[8], tiles).err().and_then(|kind| kind.rule());
        assert_eq!(rule, Some(Rule::ShardBounds));
    };
    outside(&wrapping);
    // of the right volume, and disjoint
    outside(&[tile([0], [4]), tile([8], [4])]);
}
