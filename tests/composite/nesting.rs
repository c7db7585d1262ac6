//! Binding, depth, counts, torn composites, capacities.

use crate::support::{Tile, head, member, partition, plain, tile};
use hrry::{
    CompositeValidator, CompositionRule, DescriptorSpec, ErrorKind, Exact, ExactThenKeyed, Field,
    FixedComposite, InlineArena, Key, Keyed, Layout, Method, Outcome, Policy, Resource, Rule,
    SetError, Violation,
};

const KEY: Key = Key([11, 13]);

fn closed(levels: u8, method: Option<Method>) -> Outcome {
    Outcome::Closed {
        levels,
        complete: Ok(()),
        method,
    }
}

fn refusal(rule: Rule, field: Field) -> SetError {
    let violation = Violation {
        rule,
        field,
        index: 0,
    };
    SetError {
        kind: violation.into(),
        origin: 0,
    }
}

fn count_error() -> SetError {
    refusal(Rule::MemberCount, Field::MemberCount)
}

/// The words of a validator do not grow with groups, so that eight of them need none.
#[test]
fn eight_levels_and_no_ninth() {
    let group = head(&[2], CompositionRule::Group, 1);
    let mut validator = FixedComposite::<0>::new(Policy::STRICT);
    for depth in 1..=8u8 {
        let index = (depth > 1).then_some(0);
        let opened = Outcome::Opened {
            depth,
            members: 1,
            index,
        };
        assert_eq!(validator.begin(&group), Ok(opened));
        assert_eq!(validator.end(), Ok(opened));
        assert_eq!(validator.depth(), depth);
    }
    let ninth = refusal(Rule::CompositeDepth, Field::LayoutTag);
    assert_eq!(validator.begin(&group), Err(ninth));
    let empty = head(&[2], CompositionRule::Group, 0);
    assert_eq!(validator.begin(&empty), Err(ninth));
    // a tensor fits where no head does
    assert_eq!(
        validator.begin(&plain(&[])),
        Ok(Outcome::Member { depth: 8, index: 0 })
    );
    assert_eq!(validator.end(), Ok(closed(8, None)));
    assert_eq!(validator.depth(), 0);
    validator.finish().unwrap();
}

#[test]
fn partitions_nest_eight_deep() {
    let shape = [4, 4];
    let whole = tile([0, 0], shape);
    let nested = DescriptorSpec {
        shard: member(&shape, &whole).shard,
        ..head(&shape, CompositionRule::Partition, 1)
    };
    let mut validator = FixedComposite::<256>::new(Policy::STRICT);
    for depth in 1..=8 {
        validator.begin(&nested).unwrap();
        validator.end().unwrap();
        assert_eq!(validator.depth(), depth);
    }
    assert_eq!(
        validator.begin(&nested),
        Err(refusal(Rule::CompositeDepth, Field::LayoutTag))
    );
    // an offset that leaves a gap in the innermost partition only
    validator
        .begin(&member(&shape, &tile([0, 1], [4, 3])))
        .unwrap();
    assert_eq!(validator.end(), Err(refusal(Rule::Gap, Field::Shape)));
}

/// Pre-order: a nested head takes its members before its parent goes on.
#[test]
fn a_partition_in_a_group_in_a_partition() {
    let (outer, inner) = ([2, 6], [3, 3]);
    let halves = [tile([0, 0], [2, 3]), tile([0, 3], [2, 3])];
    let parts = [tile([0, 0], [3, 1]), tile([0, 1], [3, 2])];
    let group = DescriptorSpec {
        shard: member(&outer, &halves[0]).shard,
        ..head(&[2, 3], CompositionRule::Group, 2)
    };
    let steps = [
        (
            head(&outer, CompositionRule::Partition, 2),
            opened(1, 2, None),
            opened(1, 2, None),
        ),
        (group, opened(2, 2, Some(0)), opened(2, 2, Some(0))),
        (
            head(&inner, CompositionRule::Partition, 2),
            opened(3, 2, Some(0)),
            opened(3, 2, Some(0)),
        ),
        (member(&inner, &parts[0]), at(3, 0), at(3, 0)),
        (
            member(&inner, &parts[1]),
            at(3, 1),
            closed(1, Some(Method::Exact)),
        ),
        (plain(&[5]), at(2, 1), closed(1, None)),
        (
            member(&outer, &halves[1]),
            at(1, 1),
            closed(1, Some(Method::Exact)),
        ),
        (plain(&[5]), Outcome::Plain, Outcome::Plain),
    ];
    let mut validator = FixedComposite::<64>::new(Policy::STRICT);
    for (k, (d, begun, ended)) in steps.iter().enumerate() {
        assert_eq!(validator.begin(d), Ok(*begun), "item {k}");
        assert_eq!(validator.end(), Ok(*ended), "item {k}");
    }
    validator.finish().unwrap();
}

fn opened(depth: u8, members: u32, index: Option<u32>) -> Outcome {
    Outcome::Opened {
        depth,
        members,
        index,
    }
}

fn at(depth: u8, index: u32) -> Outcome {
    Outcome::Member { depth, index }
}

/// The sum decided for the outer partition, so that the levels that close with it are keyed.
#[test]
fn the_method_is_keyed_if_one_level_was() {
    let shape = [8, 8];
    let cell = |k: u64| tile([k / 8, k % 8], [1, 1]);
    // no two of these touch, and the arena holds two of them
    let black: Vec<Tile> = (0..64).filter(|k| (k / 8 + k) % 2 == 0).map(cell).collect();
    let white: Vec<Tile> = (0..64).filter(|k| (k / 8 + k) % 2 == 1).map(cell).collect();
    let tiles = [black, white].concat();
    let policy = Policy::STRICT;
    let mut validator =
        CompositeValidator::with_arena(ExactThenKeyed(KEY), InlineArena::<20>::new(), policy);
    let outcome = partition(&mut validator, &shape, &tiles);
    assert_eq!(outcome, Ok(closed(1, Some(Method::Keyed))));
    // the last cell is a partition of its own, whose one box does fit
    let mut nested = head(&[1, 1], CompositionRule::Partition, 1);
    nested.shard = member(&shape, &tiles[63]).shard;
    validator
        .begin(&head(&shape, CompositionRule::Partition, 64))
        .unwrap();
    validator.end().unwrap();
    for tile in &tiles[..63] {
        validator.begin(&member(&shape, tile)).unwrap();
        validator.end().unwrap();
    }
    validator.begin(&nested).unwrap();
    validator.end().unwrap();
    let whole = tile([0, 0], [1, 1]);
    validator.begin(&member(&[1, 1], &whole)).unwrap();
    assert_eq!(validator.end(), Ok(closed(2, Some(Method::Keyed))));
}

/// The inner partition found no room for its boxes; the outer one, which closes last, did.
#[test]
fn the_method_of_an_inner_level_counts() {
    let shape = [2, 2];
    let whole = tile([0, 0], shape);
    let arena = InlineArena::<23>::new();
    let mut validator = CompositeValidator::with_arena(ExactThenKeyed(KEY), arena, Policy::STRICT);
    validator
        .begin(&head(&shape, CompositionRule::Partition, 1))
        .unwrap();
    validator.end().unwrap();
    let nested = DescriptorSpec {
        shard: member(&shape, &whole).shard,
        ..head(&shape, CompositionRule::Partition, 2)
    };
    validator.begin(&nested).unwrap();
    validator.end().unwrap();
    for half in [tile([0, 0], [1, 2]), tile([1, 0], [1, 2])] {
        validator.begin(&member(&shape, &half)).unwrap();
        if half.offset[0] == 1 {
            assert_eq!(validator.end(), Ok(closed(2, Some(Method::Keyed))));
        } else {
            validator.end().unwrap();
        }
    }
}

#[test]
fn heads_without_members() {
    let rules = CompositionRule::Group;
    for depth_before in [0u8, 1] {
        let mut validator = FixedComposite::<64>::new(Policy::STRICT);
        if depth_before == 1 {
            validator.begin(&head(&[1], rules, 2)).unwrap();
            validator.end().unwrap();
        }
        // a group, and partitions of nothing
        for (shape, rule, method) in [
            (&[7u64, 7][..], CompositionRule::Group, None),
            (&[0, 4], CompositionRule::Partition, Some(Method::Exact)),
        ] {
            let index = (depth_before == 1).then_some(u32::from(method.is_some()));
            let d = head(shape, rule, 0);
            assert_eq!(validator.begin(&d), Ok(opened(depth_before + 1, 0, index)));
            // the second one is the last member of the group around it
            let levels = 1 + u8::from(index == Some(1));
            assert_eq!(validator.end(), Ok(closed(levels, method)));
        }
        validator.finish().unwrap();
    }
    let nothing = head(&[3, 4], CompositionRule::Partition, 0);
    let mut validator = FixedComposite::<64>::new(Policy::STRICT);
    validator.begin(&nothing).unwrap();
    assert_eq!(validator.end(), Err(refusal(Rule::Gap, Field::Shape)));
}

/// Boxes without cells cover a head without cells, wherever they are.
#[test]
fn a_partition_of_nothing_takes_empty_members() {
    let shape = [0, 4];
    let tiles = [
        tile([0, 0], [0, 4]),
        tile([0, 2], [0, 1]),
        tile([0, 0], [0, 4]),
    ];
    let mut exact = FixedComposite::<64>::new(Policy::STRICT);
    let outcome = partition(&mut exact, &shape, &tiles);
    assert_eq!(outcome, Ok(closed(1, Some(Method::Exact))));
    let arena = InlineArena::<64>::new();
    let mut keyed = CompositeValidator::with_arena(Keyed(KEY), arena, Policy::STRICT);
    let outcome = partition(&mut keyed, &shape, &tiles);
    assert_eq!(outcome, Ok(closed(1, Some(Method::Keyed))));
}

/// COMP-48 for each rule, at every level, before and between members.
#[test]
fn torn_at_every_level() {
    let shape = [1, 3];
    let cells = [0, 1, 2].map(|k| tile([0, k], [1, 1]));
    let whole = tile([0, 0], shape);
    let base = DescriptorSpec {
        member_role: Some(hrry::MemberRole::Base),
        ..member(&shape, &whole)
    };
    let steps = [
        (head(&[5], CompositionRule::Group, 2), Some((1, 2, 0))),
        (plain(&[5]), Some((1, 2, 1))),
        (head(&shape, CompositionRule::Partition, 3), Some((2, 3, 0))),
        (member(&shape, &cells[2]), Some((2, 3, 1))),
        (
            DescriptorSpec {
                shard: member(&shape, &cells[0]).shard,
                ..head(&shape, CompositionRule::Group, 1)
            },
            Some((3, 1, 0)),
        ),
        (head(&shape, CompositionRule::Overlay, 1), Some((4, 1, 0))),
        (base, Some((2, 3, 2))),
        (member(&shape, &cells[1]), None),
    ];
    // the group's shape is that of its place in the partition
    let mut steps = steps;
    steps[4].0.shape = (&[1, 1]).into();
    let mut validator = FixedComposite::<64>::new(Policy::STRICT);
    validator.finish().unwrap();
    for (k, (d, torn)) in steps.iter().enumerate() {
        validator.begin(d).unwrap();
        validator.end().unwrap();
        let torn = torn.map(|(level, declared, seen)| ErrorKind::Torn {
            level,
            declared,
            seen,
        });
        assert_eq!(
            validator.finish().err().map(|error| error.kind),
            torn,
            "after item {k}"
        );
    }
}

/// A member counts as seen at its end.
#[test]
fn torn_within_a_member() {
    let mut validator = FixedComposite::<64>::new(Policy::STRICT);
    let torn = |level, declared, seen| {
        Err(SetError {
            kind: ErrorKind::Torn {
                level,
                declared,
                seen,
            },
            origin: 0,
        })
    };
    validator
        .begin(&head(&[5], CompositionRule::Group, 2))
        .unwrap();
    assert_eq!(validator.finish(), torn(1, 2, 0));
    validator.end().unwrap();
    validator.begin(&plain(&[5])).unwrap();
    assert_eq!(validator.finish(), torn(1, 2, 0));
    validator.end().unwrap();
    assert_eq!(validator.finish(), torn(1, 2, 1));
}

/// COMP-49: items are begun and ended in turn.
#[test]
fn begin_and_end_take_turns() {
    let mut validator = FixedComposite::<64>::new(Policy::STRICT);
    assert_eq!(validator.end(), Err(count_error()));
    validator.begin(&plain(&[])).unwrap();
    assert_eq!(validator.begin(&plain(&[])), Err(count_error()));
    assert_eq!(validator.end(), Ok(Outcome::Plain));
    assert_eq!(validator.end(), Err(count_error()));
    // a member before the head has ended
    validator
        .begin(&head(&[1], CompositionRule::Group, 1))
        .unwrap();
    assert_eq!(validator.begin(&plain(&[])), Err(count_error()));
    assert_eq!(validator.end(), Ok(opened(1, 1, None)));
    assert_eq!(validator.end(), Err(count_error()));
    validator.begin(&plain(&[])).unwrap();
    assert_eq!(validator.end(), Ok(closed(1, None)));
    assert_eq!(validator.end(), Err(count_error()));
    validator.finish().unwrap();
}

/// A composite that does not close takes no further member and does not count as whole.
#[test]
fn a_refused_end_stays_refused() {
    let shape = [2, 2];
    let mut validator = FixedComposite::<64>::new(Policy::STRICT);
    let group = head(&[1], CompositionRule::Group, 1);
    validator.begin(&group).unwrap();
    validator.end().unwrap();
    let gap = partition(&mut validator, &shape, &[tile([0, 0], [2, 1])]);
    assert_eq!(gap, Err(refusal(Rule::Gap, Field::Shape)));
    assert_eq!(validator.end(), Err(refusal(Rule::Gap, Field::Shape)));
    assert_eq!(validator.begin(&plain(&[])), Err(count_error()));
    let torn = ErrorKind::Torn {
        level: 2,
        declared: 1,
        seen: 0,
    };
    assert_eq!(validator.finish().err().map(|error| error.kind), Some(torn));
}

#[test]
fn reset_forgets_all_levels() {
    let shape = [2, 2];
    let mut validator = FixedComposite::<16>::new(Policy::STRICT);
    for _ in 0..3 {
        validator
            .begin(&head(&shape, CompositionRule::Partition, 2))
            .unwrap();
        validator.end().unwrap();
        validator
            .begin(&member(&shape, &tile([0, 0], [1, 2])))
            .unwrap();
        validator.reset();
        assert_eq!(validator.depth(), 0);
        validator.finish().unwrap();
    }
    let tiles = [tile([0, 0], [1, 2]), tile([1, 0], [1, 2])];
    let outcome = partition(&mut validator, &shape, &tiles);
    assert_eq!(outcome, Ok(closed(1, Some(Method::Exact))));
}

/// A refused member leaves room for the right one, whatever method is asked.
#[test]
fn an_overlap_leaves_the_cover_as_it_was() {
    let shape = [3, 4];
    let tiles = [
        tile([0, 0], [3, 1]),
        tile([0, 1], [1, 3]),
        tile([1, 1], [2, 3]),
    ];
    let arena = InlineArena::<64>::new();
    let mut both = CompositeValidator::with_arena(ExactThenKeyed(KEY), arena, Policy::STRICT);
    let mut exact = FixedComposite::<64>::new(Policy::STRICT);
    let shape_head = head(&shape, CompositionRule::Partition, 3);
    both.begin(&shape_head).and(both.end()).unwrap();
    exact.begin(&shape_head).and(exact.end()).unwrap();
    for (k, tile_k) in (0u32..).zip(&tiles) {
        let d = member(&shape, tile_k);
        both.begin(&d).and(both.end()).unwrap();
        exact.begin(&d).and(exact.end()).unwrap();
        if k == 2 {
            break;
        }
        let again = ErrorKind::Overlap {
            member: k + 1,
            first: k,
            last: k,
        };
        for _ in 0..2 {
            assert_eq!(both.begin(&d).unwrap_err().kind, again);
            assert_eq!(exact.begin(&d).unwrap_err().kind, again);
        }
    }
    assert_eq!((both.depth(), exact.depth()), (0, 0));
}

/// What does not fit is a capacity with both amounts, never a rule.
#[test]
fn capacities() {
    fn needs<const W: usize>(d: &DescriptorSpec<'_>, needed: u64) {
        let mut validator =
            CompositeValidator::with_arena(Exact, InlineArena::<W>::new(), Policy::STRICT);
        let error = validator.begin(d).unwrap_err();
        let capacity = ErrorKind::Capacity {
            what: Resource::Arena,
            needed,
            available: W as u64,
        };
        assert_eq!(error.kind, capacity);
        assert_eq!(error.kind.rule(), None);
    }
    // the shape; then, for a partition, one box of five words and one word for the sum
    needs::<1>(&head(&[2, 2], CompositionRule::Overlay, 1), 2);
    needs::<1>(&head(&[2, 2], CompositionRule::Partition, 1), 2);
    needs::<7>(&head(&[2, 2], CompositionRule::Partition, 1), 8);
    // eight and a held box of five
    let shape = [2, 2];
    let cells = [tile([0, 0], [1, 1]), tile([1, 1], [1, 1])];
    let mut validator = FixedComposite::<17>::new(Policy::STRICT);
    let full = partition(&mut validator, &shape, &cells);
    let capacity = ErrorKind::Capacity {
        what: Resource::Arena,
        needed: 18,
        available: 17,
    };
    assert_eq!(full.unwrap_err().kind, capacity);
    // an overlap is an overlap, also where nothing more fits
    validator.reset();
    let twice = [cells[0].clone(), cells[0].clone()];
    let overlap = partition(&mut validator, &shape, &twice).unwrap_err();
    assert_eq!(overlap.kind.rule(), Some(Rule::Overlap));
}

/// Members are limited by policy, where the head is, and not by their number in the head.
#[test]
fn max_members() {
    let mut policy = Policy::STRICT;
    policy.max_members = 3;
    let mut validator = CompositeValidator::with_arena(Exact, InlineArena::<64>::new(), policy);
    let capacity = ErrorKind::Capacity {
        what: Resource::Members,
        needed: 4,
        available: 3,
    };
    let error = validator
        .begin(&head(&[1], CompositionRule::Group, 4))
        .unwrap_err();
    assert_eq!(error.kind, capacity);
    validator
        .begin(&head(&[1], CompositionRule::Group, 3))
        .unwrap();
    validator.end().unwrap();
    assert_eq!(
        validator.finish().unwrap_err().kind.rule(),
        Some(Rule::Torn)
    );
    // by default there is no limit, and no storage follows from the number
    let mut validator = FixedComposite::<64>::new(Policy::STRICT);
    validator
        .begin(&head(&[1], CompositionRule::Partition, u32::MAX - 1))
        .unwrap();
}

/// A descriptor of another layout with the same tag is no head.
#[test]
fn only_heads_open_levels() {
    let mut validator = FixedComposite::<64>::new(Policy::STRICT);
    let d = DescriptorSpec {
        layout: Layout::Coo {
            nnz: 0,
            is_sorted: true,
        },
        ..plain(&[4])
    };
    assert_eq!(validator.begin(&d), Ok(Outcome::Plain));
    assert_eq!(validator.depth(), 0);
}
