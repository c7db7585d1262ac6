//! Rules of messages that are about the end of the bytes, and about several shards.

use hrry::message::{FixedParallel, ShardNumber};
use hrry::{ElementType, ErrorKind, Field, Policy, Rule};

use super::messages::{SERVER, TENSORS, eight, group, half};
use super::special::violation;
use crate::support::messages::{data, descriptor, end, growing, message, trace};
use crate::support::spec::{Kind, Plain, PlainLayout};

/// MSG-01: where the bytes end, and how many of the header, the prefix or the payload are missing.
pub(crate) fn truncated() {
    let bytes = [message(10, 1, b"four"), data(1, 0, b"abc")].concat();
    let parser = |policy| growing(SERVER, policy).with_origin(7);
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        assert_eq!(trace(&bytes, &[], parser(policy)).result, Ok(()));
        let ends = [
            (1, 11),
            (11, 1),
            (12, 4),
            (15, 1),
            (17, 11),
            (28, 11),
            (30, 9),
            (36, 3),
            (38, 1),
        ];
        for (len, missing) in ends {
            let error = trace(&bytes[..len], &[], parser(policy))
                .result
                .unwrap_err();
            let rule = Rule::MessageTruncated;
            assert_eq!(
                error.kind(),
                ErrorKind::Truncated { rule, missing },
                "{len}"
            );
            assert_eq!(error.offset(), 7 + len as u64);
        }
    }
}

/// MSG-32: a side that stops inside a tensor; between the members of a composite it is COMP-48.
pub(crate) fn torn() {
    let messages = [
        descriptor(1, &group(1), 0),
        end(1),
        descriptor(1, &eight(), 8),
        data(1, 0, b"abcde"),
        data(1, 5, b"fgh"),
        end(1),
    ];
    let inside = |missing| ErrorKind::Truncated {
        rule: Rule::MessagesTorn,
        missing,
    };
    let between = ErrorKind::Torn {
        level: 1,
        declared: 1,
        seen: 0,
    };
    let ends = [
        Some(inside(0)),
        Some(between),
        Some(inside(8)),
        Some(inside(3)),
        Some(inside(0)),
        None,
    ];
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        for (count, kind) in (1..).zip(ends) {
            let bytes = messages[..count].concat();
            let result = trace(&bytes, &[], growing(TENSORS, policy)).result;
            let expected = kind.map(|kind| (kind, bytes.len() as u64));
            let seen = result.err().map(|error| (error.kind(), error.offset()));
            assert_eq!(seen, expected, "{count}");
        }
    }
}

/// What becomes of two shards, given with their numbers.
fn shards(shards: [(&Plain, u32, u32); 2]) -> Result<(), ErrorKind> {
    let mut transfer = FixedParallel::<64>::new(Policy::PERMISSIVE);
    for (plain, index, total) in shards {
        let added = plain.lend(Kind::Native, |spec| {
            transfer.add(spec, ShardNumber { index, total })
        });
        added.map_err(|error| error.kind)?;
    }
    transfer.finish()
}

/// MSG-29
pub(crate) fn shards_differ() {
    let (first, second) = (half(0), half(8));
    assert_eq!(shards([(&first, 0, 2), (&second, 1, 2)]), Ok(()));
    let refused = |other: &Plain, field| {
        let broken = violation(Rule::ShardsDiffer, field, 0);
        assert_eq!(shards([(&first, 0, 2), (other, 1, 2)]), Err(broken.into()));
    };
    let mut other = half(8);
    other.element_type = ElementType::Int8.0;
    refused(&other, Field::TypeTag);
    let other = half(8).with_layout(PlainLayout::ColumnMajor);
    refused(&other, Field::LayoutTag);
    let other = half(8).with_shard(&[17], &[8]);
    refused(&other, Field::ParentShape);
    // a head, even where all of them are
    let group = hrry::CompositeHead {
        composition_rule: hrry::CompositionRule::Group,
        combine_op: hrry::CombineOp::None,
        member_count: 0,
    };
    let head = |offset| Plain::head(ElementType::UInt8, &[8], group).with_shard(&[16], &[offset]);
    let broken = violation(Rule::MessageOrder, Field::LayoutTag, 0);
    assert_eq!(
        shards([(&head(0), 0, 2), (&head(8), 1, 2)]),
        Err(broken.into())
    );
}

/// MSG-44
pub(crate) fn shard_numbers() {
    let (first, second) = (half(0), half(8));
    // the numbers say nothing about the places
    assert_eq!(shards([(&first, 1, 2), (&second, 0, 2)]), Ok(()));
    let broken = |field| Err(violation(Rule::ShardIndex, field, 0).into());
    assert_eq!(
        shards([(&first, 0, 2), (&second, 0, 2)]),
        broken(Field::ShardIndex)
    );
    assert_eq!(
        shards([(&first, 0, 2), (&second, 1, 3)]),
        broken(Field::TotalShards)
    );
    // the cover is whole, and a shard is missing
    let missing = violation(Rule::ShardIndex, Field::TotalShards, 2);
    assert_eq!(
        shards([(&first, 0, 3), (&second, 1, 3)]),
        Err(missing.into())
    );
}
