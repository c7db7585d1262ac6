//! Gaps and overlaps, also where volumes pass any machine word.

use hrry::{
    CombineOp, CompositeHead, CompositeValidator, CompositionRule, Cover, ElementType, Exact,
    ExactThenKeyed, Key, Keyed, Method, Outcome, Policy, Rule,
};

use crate::support::spec::{Kind, Plain};

const KEY: Key = Key([0x5EED, 0x00C0_FFEE]);

/// Offset and size of a member.
type Member = (Vec<u64>, Vec<u64>);

fn member(offset: &[u64], size: &[u64]) -> Member {
    (offset.to_vec(), size.to_vec())
}

/// How the partition was checked, or the rule that its members break.
fn verdict<C: Cover>(cover: C, shape: &[u64], members: &[Member]) -> Result<Option<Method>, Rule> {
    let mut validator = CompositeValidator::with_arena(cover, Vec::<u64>::new(), Policy::STRICT);
    let head = CompositeHead {
        composition_rule: CompositionRule::Partition,
        combine_op: CombineOp::None,
        member_count: members.len() as u32,
    };
    let mut items = vec![Plain::head(ElementType::UInt8, shape, head)];
    items.extend(members.iter().map(|(offset, size)| {
        Plain::new(ElementType::UInt8, size, &[0]).with_shard(shape, offset)
    }));
    let mut last = None;
    for item in items {
        let ended = item.lend(Kind::Native, |spec| validator.begin(spec));
        let ended = ended.and_then(|_| validator.end());
        last = Some(ended.map_err(|error| error.kind.rule().expect("no capacity is missing"))?);
    }
    assert_eq!(validator.finish(), Ok(()));
    match last {
        Some(Outcome::Closed {
            levels: 1,
            complete: Ok(()),
            method,
            ..
        }) => Ok(method),
        other => panic!("{other:?}"),
    }
}

fn assert_covers(shape: &[u64], members: &[Member]) {
    let exact = Ok(Some(Method::Exact));
    assert_eq!(verdict(Exact, shape, members), exact);
    assert_eq!(verdict(ExactThenKeyed(KEY), shape, members), exact);
    let keyed = verdict(Keyed(KEY), shape, members);
    assert_eq!(keyed, Ok(Some(Method::Keyed)));
}

fn assert_refused(shape: &[u64], members: &[Member], rule: Rule) {
    assert_eq!(verdict(Exact, shape, members), Err(rule), "{members:?}");
    let both = verdict(ExactThenKeyed(KEY), shape, members);
    assert_eq!(both, Err(rule), "{members:?}");
    // a sum cannot tell which of the two it is where there are both
    let keyed = verdict(Keyed(KEY), shape, members).unwrap_err();
    assert!(matches!(keyed, Rule::Gap | Rule::Overlap), "{members:?}");
}

#[test]
fn c21_a_missing_a_doubled_and_a_swapped_cell() {
    let cells: Vec<Member> = (0..9).map(|n| member(&[n / 3, n % 3], &[1, 1])).collect();
    assert_covers(&[3, 3], &cells);
    for k in 0..9 {
        let mut missing = cells.clone();
        missing.remove(k);
        assert_refused(&[3, 3], &missing, Rule::Gap);
        let mut doubled = cells.clone();
        doubled.push(cells[k].clone());
        assert_refused(&[3, 3], &doubled, Rule::Overlap);
        // the volume is right, and nothing else
        let mut both = cells.clone();
        both[k] = cells[(k + 4) % 9].clone();
        assert_refused(&[3, 3], &both, Rule::Overlap);
    }
}

#[test]
fn c21_volumes_past_2_pow_64_and_2_pow_128() {
    let n = 1 << 40;
    let most = u64::MAX - 1;
    for shape in [&[n, n][..], &[most, most], &[n, n, n, n], &[most; 5]] {
        // a slab along the first dimension
        let slab = |from: u64, len: u64| {
            let mut offset = vec![0; shape.len()];
            let mut size = shape.to_vec();
            (offset[0], size[0]) = (from, len);
            (offset, size)
        };
        let half = shape[0] / 2;
        let rest = shape[0] - half;
        let (front, back) = (slab(0, half), slab(half, rest));
        assert_covers(shape, &[front.clone(), back.clone()]);
        assert_covers(shape, &[back.clone(), front.clone()]);
        let short = slab(half, rest - 1);
        assert_refused(shape, &[front.clone(), short.clone()], Rule::Gap);
        assert_refused(shape, &[short], Rule::Gap);
        let early = slab(half - 1, rest);
        assert_refused(shape, &[front.clone(), early], Rule::Overlap);
        // one cell alone, far from enough; and one cell too many
        let one = vec![1; shape.len()];
        let last: Vec<u64> = shape.iter().map(|n| n - 1).collect();
        assert_refused(shape, &[member(&last, &one)], Rule::Gap);
        assert_refused(shape, &[front, back, (last, one)], Rule::Overlap);
    }
}

#[test]
fn c21_a_volume_that_wraps_to_the_right_one() {
    // 2^64 cells too many, or too few, are none in 64 bits
    let shape = [1 << 32, 1 << 32, 2];
    let half = member(&[0, 0, 0], &[1 << 32, 1 << 32, 1]);
    let other = member(&[0, 0, 1], &[1 << 32, 1 << 32, 1]);
    assert_covers(&shape, &[half.clone(), other.clone()]);
    assert_refused(&shape, &[half.clone(), other, half.clone()], Rule::Overlap);
    assert_refused(&shape, &[half], Rule::Gap);
}

#[test]
fn c22_boxes_without_cells_cover_nothing_and_overlap_nothing() {
    let empty = member(&[1, 1], &[0, 2]);
    let whole = member(&[0, 0], &[3, 3]);
    assert_covers(&[3, 3], &[empty.clone(), whole, empty.clone()]);
    assert_refused(&[3, 3], &[empty], Rule::Gap);
    assert_covers(&[0, 3], &[member(&[0, 0], &[0, 3])]);
    let flat = [0, u64::MAX - 1];
    assert_covers(&flat, &[member(&[0, 5], &[0, 1]), member(&[0, 0], &[0, 0])]);
}
