//! Cases that need another policy, two descriptors by hand, or an error without a field.

use hrry::{
    BufferHandle, DescriptorSpec, DescriptorView, ElementType, ErrorKind, Event, Field,
    FixedComposite, Layout, LayoutTag, Outcome, Policy, Rule, Transport, Violation,
};

use super::offsets::{Edit, agreed, changed, cut, put, stream, u64};
use super::{files, transfers, writer};
use crate::support::trace::{Entry, growing};
use crate::support::vectors::{descriptors, named, streams};

/// The rule and a test with an accepting and a rejecting case.
pub(crate) const SPECIAL: &[(&str, fn())] = &[
    ("DESC-06", incomplete),
    ("DESC-07", bytes_after),
    ("DESC-13", writer::array_length),
    ("DESC-21", writer::total_length),
    ("LAYOUT-04", private_layout),
    ("BUF-15", private_class),
    ("BUF-19", cross_machine_sync),
    ("BUF-24", writer::buffer_limit),
    ("QUANT-05", private_scheme),
    ("COMP-07", private_rule),
    ("COMP-42", overlap),
    ("COMP-48", torn),
    ("COMP-49", member_count),
    ("COMP-57", member_unreadable),
    ("STREAM-04", stream_truncated),
    ("STREAM-08", unskippable),
    ("STREAM-10", writer::payload_length),
    ("STREAM-11", writer::writer_open),
    ("FILE-08", files::too_short),
    ("FILE-38", writer::kv_promise),
    ("FILE-45", writer::handle_at_rest),
    ("FILE-26", files::padding),
    ("FILE-44", files::region_end),
    ("MSG-01", transfers::truncated),
    ("MSG-03", writer::peer_message_size),
    ("MSG-14", writer::peer_memory_class),
    ("MSG-29", transfers::shards_differ),
    ("MSG-32", transfers::torn),
    ("MSG-44", transfers::shard_numbers),
];

pub(crate) const fn violation(rule: Rule, field: Field, index: u32) -> Violation {
    Violation { rule, field, index }
}

fn incomplete() {
    let whole = named(&descriptors(), "d-ok-spec-worked-example")
        .bytes
        .clone();
    // the whole is 61 bytes; until the length is known at byte 10, the 20 of the header are missing
    for (len, missing) in [(0, 20), (9, 11), (10, 51), (19, 42), (20, 41), (60, 1)] {
        let error = DescriptorView::parse(&whole[..len], &Policy::STRICT).unwrap_err();
        let rule = Rule::Incomplete;
        assert_eq!(error.kind(), ErrorKind::Truncated { rule, missing });
        assert_eq!(error.offset(), len as u64);
    }
    assert!(DescriptorView::parse(&whole, &Policy::STRICT).is_ok());
}

/// The library hands back what follows a descriptor; only who takes one descriptor can call it wrong.
fn bytes_after() {
    let mut bytes = named(&descriptors(), "d-ok-spec-worked-example")
        .bytes
        .clone();
    bytes.push(7);
    let (_, rest) = DescriptorView::parse(&bytes, &Policy::STRICT).unwrap();
    assert_eq!(rest, [7]);
}

/// A descriptor that one policy accepts and another refuses.
fn policies(base: &str, edits: &[Edit], accepts: Policy, refuses: Policy, at: (Violation, u64)) {
    let bytes = changed(&named(&descriptors(), base).bytes, edits);
    assert!(DescriptorView::parse(&bytes, &accepts).is_ok(), "{base}");
    let error = DescriptorView::parse(&bytes, &refuses).unwrap_err();
    assert_eq!(
        (error.kind(), error.offset()),
        (ErrorKind::Rule(at.0), at.1)
    );
}

fn private_layout() {
    let broken = violation(Rule::PrivateLayout, Field::ExtensionLayoutId, 0);
    let at = (broken, 20 + 2 * 8 + 8);
    policies(
        "d-ok-private-layout-3buf",
        &[],
        agreed(),
        Policy::STRICT,
        at,
    );
}

fn private_class() {
    let broken = violation(Rule::PrivateClass, Field::MemoryClass, 0);
    // rank 1
    let at = (broken, 20 + 8 + 8 + 1 + 14);
    policies("d-ok-dev-private-f0-f0", &[], agreed(), Policy::STRICT, at);
    policies(
        "d-ok-dev-private-f0-f0",
        &[],
        agreed(),
        Policy::PERMISSIVE,
        at,
    );
}

fn cross_machine_sync() {
    let mut cross = Policy::STRICT;
    cross.transport = Transport::CrossMachine;
    let broken = violation(Rule::CrossMachineSync, Field::SyncMode, 0);
    let at = 20 + 8 + 8 + 1 + 13;
    let event = [put(at, vec![1])];
    policies(
        "d-ok-dev-cuda-unified",
        &event,
        Policy::STRICT,
        cross,
        (broken, at as u64),
    );
}

fn private_scheme() {
    let broken = violation(Rule::PrivateScheme, Field::SchemeTag, 0);
    // the section starts behind one handle
    let at = 20 + 2 * 8 + 8 + 1 + 16 + 4;
    let scheme = [put(at, vec![0xF0])];
    policies(
        "d-ok-pt-int8-max",
        &scheme,
        agreed(),
        Policy::STRICT,
        (broken, at as u64),
    );
}

fn private_rule() {
    let broken = violation(Rule::PrivateRule, Field::CompositionRule, 0);
    let at = 20 + 2 * 8 + 8;
    let rule = [put(at, vec![0xF0])];
    policies(
        "d-ok-head-group",
        &rule,
        agreed(),
        Policy::STRICT,
        (broken, at as u64),
    );
}

fn overlap() {
    // [10] as [0, 1), [1, 7) and [7, 10); tensors of 69 bytes at 45, 45 + 69 + 4 and 118 + 69 + 24
    let base = named(&streams(), "s-ok-part-1d-3").bytes.clone();
    assert_eq!(stream(&base, Policy::STRICT, 0).result, Ok(()));
    let offset_of = |tensor: usize| tensor + 53 + 8;
    // neighbours are merged: the third member meets what the first two cover together
    for (tensor, moved_to, member, last) in [(118, 0, 1, 0), (211, 6, 2, 1)] {
        let bytes = changed(&base, &[put(offset_of(tensor), u64(moved_to))]);
        let error = stream(&bytes, Policy::STRICT, 0).result.unwrap_err();
        let first = 0;
        assert_eq!(
            error.kind(),
            ErrorKind::Overlap {
                member,
                first,
                last
            }
        );
        assert_eq!(error.rule(), Some(Rule::Overlap));
        // the shard section of the member that arrives
        assert_eq!(error.offset(), tensor as u64 + 53);
    }
}

fn torn() {
    let base = named(&streams(), "s-ok-part-nested-2").bytes.clone();
    assert_eq!(stream(&base, Policy::STRICT, 0).result, Ok(()));
    // head 53, tensor 93 + 64, head 85, tensors 93 + 32
    for (len, level, seen) in [(53, 1, 0), (210, 1, 1), (295, 2, 0), (420, 2, 1)] {
        for policy in [Policy::STRICT, Policy::PERMISSIVE] {
            let error = stream(&base[..len], policy, 0).result.unwrap_err();
            let declared = 2;
            let torn = ErrorKind::Torn {
                level,
                declared,
                seen,
            };
            assert_eq!((error.kind(), error.offset()), (torn, len as u64));
            assert_eq!(error.rule(), Some(Rule::Torn));
        }
    }
}

/// A stream decoder counts for itself; a caller of the validator can miscount.
fn member_count() {
    let buffers = [BufferHandle::cpu(4, 64)];
    let tensor = DescriptorSpec::new(ElementType::Float32, &[1], Layout::RowMajor, &buffers);
    let mut validator = FixedComposite::<8>::new(Policy::STRICT);
    let broken = ErrorKind::Rule(violation(Rule::MemberCount, Field::MemberCount, 0));
    assert_eq!(validator.end().unwrap_err().kind, broken);
    assert_eq!(validator.begin(&tensor), Ok(Outcome::Plain));
    assert_eq!(validator.begin(&tensor).unwrap_err().kind, broken);
    assert_eq!(validator.end(), Ok(Outcome::Plain));
    assert_eq!(validator.end().unwrap_err().kind, broken);
}

/// A strict stream stops at LAYOUT-02 before; a validator can be handed such a member all the same.
fn member_unreadable() {
    let streams = streams();
    let head = &named(&streams, "s-ok-part-1").bytes[..45];
    let (head, _) = DescriptorView::parse(head, &Policy::STRICT).unwrap();
    let unknown = Layout::Unknown(LayoutTag(0x0C));
    let member = DescriptorSpec::new(ElementType::Float32, &[4], unknown, &[]);

    let mut strict = FixedComposite::<64>::new(Policy::STRICT);
    strict.begin(&head).unwrap();
    strict.end().unwrap();
    let broken = violation(Rule::MemberUnreadable, Field::LayoutTag, 0);
    assert_eq!(
        strict.begin(&member).unwrap_err().kind,
        ErrorKind::Rule(broken)
    );

    let mut permissive = FixedComposite::<64>::new(Policy::PERMISSIVE);
    permissive.begin(&head).unwrap();
    permissive.end().unwrap();
    assert!(matches!(
        permissive.begin(&member),
        Ok(Outcome::Member { .. })
    ));
    let Ok(Outcome::Closed { complete, .. }) = permissive.end() else {
        panic!("its only member closes it");
    };
    assert_eq!(complete, Err(Rule::MemberUnreadable));
}

fn stream_truncated() {
    let base = named(&streams(), "s-ok-one").bytes.clone();
    assert_eq!(stream(&base, Policy::STRICT, 0).result, Ok(()));
    // descriptor 61, payload 48
    for (len, missing) in [(1, 19), (20, 41), (60, 1), (61, 48), (108, 1)] {
        let bytes = changed(&base, &[cut(len)]);
        let error = stream(&bytes, Policy::STRICT, 100).result.unwrap_err();
        let rule = Rule::StreamTruncated;
        assert_eq!(error.kind(), ErrorKind::Truncated { rule, missing });
        assert_eq!(error.offset(), 100 + len as u64);
    }
}

/// Permissive mode shows the descriptor and ends there: nobody knows where the next one starts.
fn unskippable() {
    let base = named(&streams(), "s-ok-one").bytes.clone();
    let bytes = changed(&base, &[put(15, vec![0x0C])]);
    let trace = stream(&bytes, Policy::PERMISSIVE, 7);
    assert!(matches!(&trace.entries[..], [Entry::Descriptor { bytes, .. }] if bytes.len() == 61));
    let error = trace.result.unwrap_err();
    let broken = violation(Rule::Unskippable, Field::LayoutTag, 0);
    assert_eq!((error.kind(), error.offset()), (broken.into(), 7 + 15));

    // the same at the end of the input, and no error while nothing is asked
    let mut decoder = growing(Policy::PERMISSIVE);
    let mut descriptor = &bytes[..61];
    let event = decoder.next_event(&mut descriptor).unwrap();
    assert!(matches!(event, Some(Event::Descriptor(view, _)) if view.is_opaque()));
    assert_eq!(decoder.finish().unwrap_err().kind(), broken.into());
}
