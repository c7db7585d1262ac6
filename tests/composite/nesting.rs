//! Binding, depth and outcomes of nested composites.

use crate::support::{Tile, head, member, partition, plain, tile};
use hrry::{
    CompositeValidator, CompositionRule, DescriptorSpec, ExactThenKeyed, Field, FixedComposite,
    InlineArena, Key, Keyed, Method, Outcome, Policy, Rule, SetError, Violation,
};

const KEY: Key = Key([11, 13]);

pub fn closed(levels: u8, method: Option<Method>) -> Outcome {
    Outcome::Closed {
        levels,
        complete: Ok(()),
        method,
    }
}

pub fn refusal(rule: Rule, field: Field) -> SetError {
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

pub fn opened(depth: u8, members: u32, index: Option<u32>) -> Outcome {
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
