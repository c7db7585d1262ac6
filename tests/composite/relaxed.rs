//! Permissive mode: members are exposed, and the composite is flagged.

use crate::support::{head, member, partition, plain, tile};
use hrry::{
    CompositeValidator, CompositionRule, DescriptorSpec, ErrorKind, Exact, Field, FixedComposite,
    InlineArena, Key, Keyed, Layout, LayoutTag, Method, Outcome, Policy, Rule, Violation,
};

const SHAPE: [u64; 2] = [4, 4];

fn broken(levels: u8, rule: Rule, method: Option<Method>) -> Outcome {
    Outcome::Closed {
        levels,
        complete: Err(rule),
        method,
    }
}

fn permissive() -> FixedComposite<256> {
    FixedComposite::new(Policy::PERMISSIVE)
}

/// The level is frozen at its first overlap: later boxes are neither tested nor held.
#[test]
fn an_overlap_freezes_and_flags() {
    let cell = |k: u64| tile([k / 4, k % 4], [1, 1]);
    let mut tiles = vec![cell(0), cell(0)];
    // eight cells that do not touch, in room for two boxes
    tiles.extend((0..16).filter(|k| (k / 4 + k) % 2 == 1).map(cell));
    let mut validator =
        CompositeValidator::with_arena(Exact, InlineArena::<18>::new(), Policy::PERMISSIVE);
    let outcome = partition(&mut validator, &SHAPE, &tiles);
    assert_eq!(outcome, Ok(broken(1, Rule::Overlap, Some(Method::Exact))));
    validator.finish().unwrap();
}

#[test]
fn a_gap_is_flagged() {
    let tiles = [tile([0, 0], [4, 3])];
    let outcome = partition(&mut permissive(), &SHAPE, &tiles);
    assert_eq!(outcome, Ok(broken(1, Rule::Gap, Some(Method::Exact))));
    let key = Key([3, 5]);
    let mut keyed =
        CompositeValidator::with_arena(Keyed(key), InlineArena::<64>::new(), Policy::PERMISSIVE);
    let outcome = partition(&mut keyed, &SHAPE, &tiles);
    assert_eq!(outcome, Ok(broken(1, Rule::Gap, Some(Method::Keyed))));
    // the sum finds an overlap at the close
    let twice = [tile([0, 0], [4, 2]), tile([0, 0], [4, 2])];
    let outcome = partition(&mut keyed, &SHAPE, &twice);
    assert_eq!(outcome, Ok(broken(1, Rule::Overlap, Some(Method::Keyed))));
    // and is as new for the next composite
    let tiles = [tile([0, 0], [4, 2]), tile([0, 2], [4, 2])];
    let whole = Outcome::Closed {
        levels: 1,
        complete: Ok(()),
        method: Some(Method::Keyed),
    };
    assert_eq!(partition(&mut keyed, &SHAPE, &tiles), Ok(whole));
}

/// An incomplete member makes what is around it incomplete, at once or at its own close.
#[test]
fn nothing_around_an_incomplete_composite_is_whole() {
    let group = |members| head(&[1], CompositionRule::Group, members);
    let mut validator = permissive();
    for members in [2, 1] {
        validator.begin(&group(members)).unwrap();
        validator.end().unwrap();
    }
    let outcome = partition(&mut validator, &SHAPE, &[tile([0, 0], [1, 1])]);
    assert_eq!(outcome, Ok(broken(2, Rule::Gap, Some(Method::Exact))));
    validator.begin(&plain(&[])).unwrap();
    assert_eq!(validator.end(), Ok(broken(1, Rule::Gap, None)));
    // the next group has nothing to do with it
    validator.begin(&group(0)).unwrap();
    assert!(matches!(
        validator.end(),
        Ok(Outcome::Closed {
            complete: Ok(()),
            ..
        })
    ));
}

/// The first rule that was broken is the one that is named.
#[test]
fn the_first_breach_is_named() {
    let mut validator = permissive();
    validator
        .begin(&head(&SHAPE, CompositionRule::Partition, 2))
        .unwrap();
    validator.end().unwrap();
    let whole = tile([0, 0], SHAPE);
    let nested = DescriptorSpec {
        shard: member(&SHAPE, &whole).shard,
        ..head(&SHAPE, CompositionRule::Partition, 1)
    };
    validator.begin(&nested).unwrap();
    validator.end().unwrap();
    validator
        .begin(&member(&SHAPE, &tile([0, 0], [4, 1])))
        .unwrap();
    assert_eq!(
        validator.end(),
        Ok(broken(1, Rule::Gap, Some(Method::Exact)))
    );
    // an overlap in the outer partition, which is not whole any more
    validator
        .begin(&member(&SHAPE, &tile([0, 0], [4, 1])))
        .unwrap();
    assert_eq!(
        validator.end(),
        Ok(broken(1, Rule::Gap, Some(Method::Exact)))
    );
}

/// COMP-57: what cannot be read cannot be checked; strict mode refuses it.
#[test]
fn a_member_that_cannot_be_read() {
    let opaque = DescriptorSpec {
        layout: Layout::Unknown(LayoutTag(0x77)),
        ..plain(&[4])
    };
    let rules = [
        CompositionRule::Partition,
        CompositionRule::Overlay,
        CompositionRule::Group,
    ];
    for rule in rules {
        let mut validator = FixedComposite::<64>::new(Policy::STRICT);
        validator.begin(&head(&SHAPE, rule, 1)).unwrap();
        validator.end().unwrap();
        let violation = Violation {
            rule: Rule::MemberUnreadable,
            field: Field::LayoutTag,
            index: 0,
        };
        let error = validator.begin(&opaque).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Rule(violation));

        let mut validator = permissive();
        validator.begin(&head(&SHAPE, rule, 1)).unwrap();
        validator.end().unwrap();
        assert_eq!(
            validator.begin(&opaque),
            Ok(Outcome::Member { depth: 1, index: 0 })
        );
        let method = (rule == CompositionRule::Partition).then_some(Method::Exact);
        assert_eq!(
            validator.end(),
            Ok(broken(1, Rule::MemberUnreadable, method))
        );
    }
    // outside a composite there is nothing to verify
    assert_eq!(permissive().begin(&opaque), Ok(Outcome::Plain));
}

/// Rules that no mode relaxes hold in permissive mode too.
#[test]
fn other_rules_hold() {
    let mut validator = permissive();
    validator
        .begin(&head(&SHAPE, CompositionRule::Partition, 1))
        .unwrap();
    validator.end().unwrap();
    let error = validator.begin(&plain(&SHAPE)).unwrap_err();
    assert_eq!(error.kind.rule(), Some(Rule::MemberShard));
    let outside = tile([1, 0], SHAPE);
    let error = validator.begin(&member(&SHAPE, &outside)).unwrap_err();
    assert_eq!(error.kind.rule(), Some(Rule::ShardBounds));
    let torn = validator.finish().unwrap_err();
    assert_eq!(torn.kind.rule(), Some(Rule::Torn));
    let whole = tile([0, 0], SHAPE);
    validator.begin(&member(&SHAPE, &whole)).unwrap();
    assert!(matches!(
        validator.end(),
        Ok(Outcome::Closed {
            complete: Ok(()),
            ..
        })
    ));
}
