//! Large partitions: how many boxes the exact method holds at its peak, and that the combined method stays
//! linear. An arena that is as small as the peak allows is the measure; nothing is timed.
//!
//! A plain debug run takes a hundredth of the tiles, `HRRY_TEST_SCALE=100` all of them. A release run takes
//! all of them at once: `cargo test --release --test cover_large`, a few seconds.

use hrry::{
    Arena, BufferHandle, CombineOp, CompositeHead, CompositeValidator, CompositionRule, Cover,
    DescriptorSpec, ElementType, ErrorKind, Exact, ExactThenKeyed, InlineArena, Key, Layout,
    Method, NoRoom, Outcome, Policy, SetError, Shard,
};

/// Boxes on each side of a square grid of about so many, or a hundredth of them.
fn side(full: u64) -> u64 {
    let scale = match std::env::var("HRRY_TEST_SCALE") {
        Ok(text) => text.parse().expect("HRRY_TEST_SCALE is a whole number"),
        Err(_) if cfg!(debug_assertions) => 1,
        Err(_) => 100,
    };
    full * u64::isqrt(scale.min(100)) / 10
}

/// Words before the boxes of a partition of that rank: its shape, and the box that arrives with a word
/// for the sum.
const fn fixed(rank: usize) -> usize {
    rank + 2 * rank + 2
}

/// Words for so many boxes of rank 2.
const fn room(boxes: usize) -> usize {
    fixed(2) + 5 * boxes
}

/// An arena that remembers its longest length.
#[derive(Default)]
struct Watched<const W: usize> {
    arena: InlineArena<W>,
    peak: usize,
}

impl<const W: usize> Arena for Watched<W> {
    fn words(&self) -> &[u64] {
        self.arena.words()
    }
    fn words_mut(&mut self) -> &mut [u64] {
        self.arena.words_mut()
    }
    fn resize(&mut self, len: usize) -> Result<(), NoRoom> {
        self.peak = self.peak.max(len);
        self.arena.resize(len)
    }
    fn capacity(&self) -> usize {
        self.arena.capacity()
    }
}

const BUFFERS: [BufferHandle; 1] = [BufferHandle::cpu(64, 64)];
const TILE: u64 = 3;

/// Feeds a grid of equal tiles whose places come in that order.
fn grid<const R: usize, C: Cover, A: Arena>(
    cover: C,
    arena: A,
    counts: [u64; R],
    order: impl Iterator<Item = [u64; R]>,
) -> Result<Outcome, SetError> {
    let shape = counts.map(|count| count * TILE);
    let members = counts.iter().product::<u64>() as u32;
    let head = Layout::Composite(CompositeHead {
        composition_rule: CompositionRule::Partition,
        combine_op: CombineOp::None,
        member_count: members,
    });
    let mut validator = CompositeValidator::with_arena(cover, arena, Policy::STRICT);
    validator.begin(&DescriptorSpec::new(
        ElementType::Float32,
        &shape,
        head,
        &[],
    ))?;
    let mut outcome = validator.end()?;
    let mut seen = 0;
    for place in order {
        let offset = place.map(|index| index * TILE);
        let tile = [TILE; R];
        let shard = Shard {
            parent_shape: (&shape).into(),
            shard_offset: (&offset).into(),
        };
        let d = DescriptorSpec {
            shard: Some(shard),
            ..DescriptorSpec::new(ElementType::Float32, &tile, Layout::RowMajor, &BUFFERS)
        };
        validator.begin(&d)?;
        outcome = validator.end()?;
        seen += 1;
    }
    assert_eq!(seen, members);
    Ok(outcome)
}

fn exact() -> Result<Outcome, SetError> {
    whole(Method::Exact)
}

fn whole(method: Method) -> Result<Outcome, SetError> {
    Ok(Outcome::Closed {
        levels: 1,
        complete: Ok(()),
        method: Some(method),
    })
}

fn rows(n: u64) -> impl DoubleEndedIterator<Item = [u64; 2]> {
    (0..n * n).map(move |k| [k / n, k % n])
}

/// Two boxes: the rows that are whole, and the row that grows.
#[test]
fn rows_columns_and_their_reverses_of_a_million_tiles() {
    const PEAK: usize = room(2);
    let n = side(1000);
    let columns = || rows(n).map(|[x, y]| [y, x]);
    let snake = || rows(n).map(|[x, y]| [x, if x % 2 == 0 { y } else { n - 1 - y }]);
    let counts = [n, n];
    assert_eq!(
        grid(Exact, InlineArena::<PEAK>::new(), counts, rows(n)),
        exact()
    );
    assert_eq!(
        grid(Exact, InlineArena::<PEAK>::new(), counts, rows(n).rev()),
        exact()
    );
    assert_eq!(
        grid(Exact, InlineArena::<PEAK>::new(), counts, columns()),
        exact()
    );
    let back = rows(n).rev().map(|[x, y]| [y, x]);
    assert_eq!(
        grid(Exact, InlineArena::<PEAK>::new(), counts, back),
        exact()
    );
    assert_eq!(
        grid(Exact, InlineArena::<PEAK>::new(), counts, snake()),
        exact()
    );
    // and not less than two
    let error = grid(Exact, InlineArena::<{ room(1) }>::new(), counts, rows(n)).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Capacity { .. }));
}

/// The profile of 256 words takes them as well.
#[test]
fn the_256_words_of_a_small_device() {
    let n = side(1000);
    let run = |order: &mut dyn Iterator<Item = [u64; 2]>| {
        grid(Exact, InlineArena::<256>::new(), [n, n], order)
    };
    assert_eq!(run(&mut rows(n)), exact());
    assert_eq!(run(&mut rows(n).map(|[x, y]| [y, x])), exact());
    assert_eq!(run(&mut rows(n).rev()), exact());
    let n = side(512).next_power_of_two();
    let mut order = (0..n * n).map(morton);
    assert_eq!(
        grid(Exact, InlineArena::<256>::new(), [n, n], &mut order),
        exact()
    );
    let mut order = (0..n * n).map(|d| hilbert(n, d));
    assert_eq!(
        grid(Exact, InlineArena::<256>::new(), [n, n], &mut order),
        exact()
    );
}

/// Three boxes: whole planes, whole rows of the plane that grows, the row that grows.
#[test]
fn planes_of_a_million_tiles() {
    const PEAK: usize = fixed(3) + 7 * 3;
    let n = side(1000) / 10;
    let order = (0..n * n * n).map(|k| [k / n / n, k / n % n, k % n]);
    assert_eq!(
        grid(Exact, InlineArena::<PEAK>::new(), [n; 3], order),
        exact()
    );
}

/// The bits of `k` in turn are the bits of the row and of the column.
fn morton(k: u64) -> [u64; 2] {
    let even = |k: u64| (0..32).fold(0, |n, bit| n | (k >> (2 * bit) & 1) << bit);
    [even(k >> 1), even(k)]
}

/// The place of step `d` of the Hilbert curve on a grid of `n * n`.
fn hilbert(n: u64, d: u64) -> [u64; 2] {
    let (mut x, mut y, mut rest, mut size) = (0, 0, d, 1);
    while size < n {
        let right = (rest / 2) & 1;
        let up = (rest ^ right) & 1;
        if up == 0 {
            if right == 1 {
                (x, y) = (size - 1 - x, size - 1 - y);
            }
            (x, y) = (y, x);
        }
        x += size * right;
        y += size * up;
        rest /= 4;
        size *= 2;
    }
    [x, y]
}

/// The curve goes to a neighbour in every step and comes to every place.
#[test]
fn the_hilbert_curve_of_this_test_is_one() {
    let mut seen = [false; 256];
    let mut before: Option<[u64; 2]> = None;
    for place in (0..256).map(|d| hilbert(16, d)) {
        let [x, y] = place;
        if let Some([a, b]) = before {
            assert_eq!(a.abs_diff(x) + b.abs_diff(y), 1);
        }
        assert!(!std::mem::replace(&mut seen[(16 * x + y) as usize], true));
        before = Some(place);
    }
}

/// 512 x 256 and 512 x 512 tiles: at least 100,000. A Morton curve leaves two boxes for each doubling of
/// the square's side, one of them never in the half; a Hilbert curve about three for two doublings.
#[test]
fn morton_and_hilbert_orders() {
    const MORTON: usize = room(17);
    const HILBERT: usize = room(14);
    let n = side(512).next_power_of_two();
    // the first half of the curve is the upper half of the square
    let order = (0..n * n / 2).map(morton);
    assert_eq!(
        grid(Exact, InlineArena::<MORTON>::new(), [n / 2, n], order),
        exact()
    );
    let order = (0..n * n).map(|d| hilbert(n, d));
    assert_eq!(
        grid(Exact, InlineArena::<HILBERT>::new(), [n, n], order),
        exact()
    );
}

/// Diagonals: as many boxes as the grid has rows, and not more.
#[test]
fn a_diagonal_wavefront() {
    const PEAK: usize = room(316);
    let n = side(316);
    let order = (0..2 * n).flat_map(|sum| {
        let rows = sum.saturating_sub(n - 1)..n.min(sum + 1);
        rows.map(move |x| [x, sum - x])
    });
    assert_eq!(
        grid(Exact, InlineArena::<PEAK>::new(), [n, n], order),
        exact()
    );
}

/// All black squares, then all white ones.
fn checkerboard(n: u64) -> impl Iterator<Item = [u64; 2]> {
    (0..2).flat_map(move |colour| rows(n).filter(move |[x, y]| (x + y) % 2 == colour))
}

/// Boxes that never merge: the combined method holds 256 of them and one that arrives, then the sum goes
/// on alone, in constant memory. No member is compared with more than 256 boxes, so that the time is
/// linear.
#[test]
fn checkerboards_are_linear() {
    const MOST: usize = room(256);
    let key = Key([0x5851_F42D_4C95_7F2D, 0x1405_7B7E_F767_814F]);
    for n in [side(316), side(632)] {
        let mut arena = Watched::<{ 2 * MOST }>::default();
        let outcome = grid(
            ExactThenKeyed(key),
            Borrowed(&mut arena),
            [n, n],
            checkerboard(n),
        );
        // half of the squares are black
        let few = n * n / 2 <= 256;
        assert_eq!(
            outcome,
            whole(if few { Method::Exact } else { Method::Keyed })
        );
        assert!(arena.peak <= MOST, "{} words", arena.peak);
        if !few {
            assert_eq!(arena.peak, MOST);
        }
    }
    // in a small arena the sum goes on as soon as that is full
    let n = side(316);
    let arena = InlineArena::<256>::new();
    let outcome = grid(ExactThenKeyed(key), arena, [n, n], checkerboard(n));
    assert_eq!(outcome, whole(Method::Keyed));
    // which is where the exact method ends
    let error = grid(Exact, InlineArena::<256>::new(), [n, n], checkerboard(n)).unwrap_err();
    let capacity = matches!(error.kind, ErrorKind::Capacity { available: 256, .. });
    assert!(capacity, "{error:?}");
}

/// A square that is missing, or there twice, is found at the close.
#[test]
fn a_checkerboard_that_is_not_whole() {
    let key = Key([0x2545_F491_4F6C_DD1D, 0x9E37_79B9_7F4A_7C15]);
    let n = side(316).max(100);
    let spoiled = checkerboard(n).map(|place| {
        if place == [n - 1, n - 1] {
            [0, 0]
        } else {
            place
        }
    });
    let outcome = grid(
        ExactThenKeyed(key),
        InlineArena::<256>::new(),
        [n, n],
        spoiled,
    );
    assert_eq!(outcome.unwrap_err().kind.rule(), Some(hrry::Rule::Overlap));
}

/// Lends an arena, so that it can be looked at afterwards.
struct Borrowed<'a, A>(&'a mut A);

impl<A: Arena> Arena for Borrowed<'_, A> {
    fn words(&self) -> &[u64] {
        self.0.words()
    }
    fn words_mut(&mut self) -> &mut [u64] {
        self.0.words_mut()
    }
    fn resize(&mut self, len: usize) -> Result<(), NoRoom> {
        self.0.resize(len)
    }
    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}
