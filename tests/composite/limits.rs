//! Torn composites, counts, refusals and capacities.

use crate::nesting::{closed, opened, refusal};
use crate::support::{head, member, partition, plain, tile};
use hrry::{
    CompositeValidator, CompositionRule, DescriptorSpec, ErrorKind, Exact, ExactThenKeyed, Field,
    FixedComposite, InlineArena, Key, Keyed, Layout, Method, Outcome, Policy, Resource, Rule,
    SetError,
};

const KEY: Key = Key([11, 13]);

fn count_error() -> SetError {
    refusal(Rule::MemberCount, Field::MemberCount)
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
    assert_eq!(validator.finish(), Err(count_error()));
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

/// Descriptors need not have been checked, so heads of more axes than the format has must not hurt.
#[test]
fn more_axes_than_the_format_has() {
    for rank in [64, 65, 254, 255, 256, 300] {
        let shape = vec![1; rank];
        let head = head(&shape, CompositionRule::Partition, 0);
        let mut exact = FixedComposite::<4096>::new(Policy::STRICT);
        let mut keyed =
            CompositeValidator::with_arena(Keyed(KEY), InlineArena::<4096>::new(), Policy::STRICT);
        exact.begin(&head).unwrap();
        keyed.begin(&head).unwrap();
        // one cell, and nobody covers it
        assert_eq!(exact.end().map_err(|e| e.kind.rule()), Err(Some(Rule::Gap)));
        assert_eq!(keyed.end().map_err(|e| e.kind.rule()), Err(Some(Rule::Gap)));
    }
}
