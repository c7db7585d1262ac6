//! Shards on several streams.

use hrry::message::{FixedParallel, LinkOptions, Scope, ShardNumber, Side};
use hrry::{ElementType, ErrorKind, Field, Policy, Rule, SetError, Violation};

use super::session::violation;
use crate::support::bytes;
use crate::support::messages::{end, growing, shard, shards, trace};
use crate::support::spec::{Kind, Plain, PlainLayout};

/// A quarter of uint8 `[2, 4]`, one column wide.
fn column(k: u64) -> Plain {
    Plain::new(ElementType::UInt8, &[2, 1], &[2]).with_shard(&[2, 4], &[0, k])
}

fn add<const W: usize>(
    transfer: &mut FixedParallel<W>,
    plain: &Plain,
    index: u32,
    total: u32,
) -> Result<(), ErrorKind> {
    let number = ShardNumber { index, total };
    let added: Result<(), SetError> = plain.lend(Kind::Native, |spec| transfer.add(spec, number));
    added.map_err(|error| error.kind)
}

#[test]
fn shards_in_any_order() {
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        for numbers in [[0, 1, 2, 3], [3, 1, 0, 2]] {
            let mut transfer = FixedParallel::<64>::new(Policy::STRICT);
            for (k, index) in order.into_iter().zip(numbers) {
                assert!(!transfer.is_complete());
                add(&mut transfer, &column(k), index, 4).unwrap();
            }
            assert!(transfer.is_complete() && transfer.seen() == 4);
            assert_eq!(transfer.finish(), Ok(()));
        }
    }
}

#[test]
fn shards_that_do_not_fit() {
    let mut transfer = FixedParallel::<64>::new(Policy::STRICT);
    assert_eq!(transfer.finish(), Ok(()));
    add(&mut transfer, &column(0), 0, 4).unwrap();
    let one = Violation {
        rule: Rule::ShardIndex,
        field: Field::TotalShards,
        index: 1,
    };
    assert_eq!(transfer.finish(), Err(one.into()));
    let overlap = ErrorKind::Overlap {
        member: 1,
        first: 0,
        last: 0,
    };
    assert_eq!(add(&mut transfer, &column(0), 1, 4), Err(overlap));

    // one column is missing
    transfer.reset();
    for (k, index) in [(0, 0), (1, 1)] {
        add(&mut transfer, &column(k), index, 3).unwrap();
    }
    let gap = add(&mut transfer, &column(3), 2, 3).unwrap_err();
    assert_eq!(gap.rule(), Some(Rule::Gap));

    // a number that came before, while others are missing and when all are there
    transfer.reset();
    let twice = violation(Rule::ShardIndex, Field::ShardIndex);
    add(&mut transfer, &column(0), 0, 4).unwrap();
    assert_eq!(add(&mut transfer, &column(1), 0, 4), Err(twice));
    transfer.reset();
    for k in 0..4 {
        add(&mut transfer, &column(k), k as u32, 4).unwrap();
    }
    assert_eq!(add(&mut transfer, &column(0), 0, 4), Err(twice));
    assert_eq!(transfer.seen(), 4);

    // the same type under another layout, and another type
    let broken = |field| Err(violation(Rule::ShardsDiffer, field));
    for (other, field) in [
        (
            column(1).with_layout(PlainLayout::ColumnMajor),
            Field::LayoutTag,
        ),
        (column(1).with_shard(&[2, 5], &[0, 1]), Field::ParentShape),
    ] {
        transfer.reset();
        add(&mut transfer, &column(0), 0, 4).unwrap();
        let result = add(&mut transfer, &other, 1, 4);
        assert_eq!(
            result.map_err(|kind| match kind {
                ErrorKind::Rule(Violation { rule, field, .. }) => violation(rule, field),
                kind => kind,
            }),
            broken(field)
        );
    }
    // a transfer in one piece needs no others
    transfer.reset();
    let whole = Plain::new(ElementType::UInt8, &[2, 4], &[8]).with_shard(&[2, 4], &[0, 0]);
    add(&mut transfer, &whole, 0, 1).unwrap();
    assert!(transfer.is_complete());
}

#[test]
fn shards_on_streams_of_two_links() {
    let mut link = LinkOptions::new(Side::Server, 1 << 20);
    link.scope = Scope::Tensor;
    let bytes_of = |ks: [u64; 2]| {
        let begin = |k: u64| shard(k as u32 + 1, &bytes::encode(&column(k)), 2, [k as u32, 4]);
        let data = |k: u64| crate::support::messages::data(k as u32 + 1, 0, &[k as u8; 2]);
        let end = |k: u64| end(k as u32 + 1);
        let steps = [begin, data, end as fn(u64) -> Vec<u8>]
            .map(|step: fn(u64) -> Vec<u8>| ks.map(step).concat());
        steps.concat()
    };
    let mut entries = Vec::new();
    for ks in [[3, 0], [1, 2]] {
        let read = trace(&bytes_of(ks), &[], growing(link, Policy::STRICT));
        assert_eq!(read.result, Ok(()));
        assert!(shards(&read.entries, &Policy::STRICT).is_err());
        entries.extend(read.entries);
    }
    assert_eq!(shards(&entries, &Policy::STRICT), Ok(()));
}
