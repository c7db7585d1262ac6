//! Tensors whose buffers nobody knows: permissive mode takes their data by what the transport says.

use hrry::message::{LinkOptions, Scope, Side};
use hrry::{DescriptorView, ElementType, Outcome, Policy, Rule};

use crate::support::bytes;
use crate::support::messages::{Entry, Trace, data, descriptor, end, growing, trace};
use crate::support::spec::Plain;

/// uint8 `[8]` in a layout that is not assigned.
fn unknown() -> Vec<u8> {
    let mut bytes = bytes::encode(&Plain::new(ElementType::UInt8, &[8], &[8]));
    bytes[15] = 0x0C;
    bytes
}

fn read(messages: &[Vec<u8>], policy: Policy) -> Trace {
    let mut link = LinkOptions::new(Side::Server, 1 << 20);
    link.scope = Scope::Tensor;
    trace(&messages.concat(), &[], growing(link, policy))
}

#[test]
fn data_of_any_total() {
    let whole = [
        descriptor(1, &unknown(), 11),
        data(1, 0, b"eleven "),
        data(1, 7, b"byte"),
        end(1),
    ];
    let error = read(&whole, Policy::STRICT).result.unwrap_err();
    assert_eq!(error.rule(), Some(Rule::LayoutUnknown));
    assert_eq!(error.offset(), 12 + 15);
    let seen = read(&whole, Policy::PERMISSIVE);
    assert_eq!(seen.result, Ok(()));
    let Entry::Message { descriptor, .. } = &seen.entries[0] else {
        panic!("a descriptor");
    };
    let bytes = &descriptor.as_ref().unwrap().1;
    let (view, _) = DescriptorView::parse(bytes, &Policy::PERMISSIVE).unwrap();
    assert!(view.is_opaque());
    // the next message is found, and the total holds
    let short = [descriptor_of(11), data(1, 0, b"ten bytes."), end(1)];
    let error = read(&short, Policy::PERMISSIVE).result.unwrap_err();
    assert_eq!(error.rule(), Some(Rule::DataTotal));
    let long = [descriptor_of(9), data(1, 0, b"ten bytes.")];
    let error = read(&long, Policy::PERMISSIVE).result.unwrap_err();
    assert_eq!(error.rule(), Some(Rule::DataTotal));
}

fn descriptor_of(total: u64) -> Vec<u8> {
    descriptor(1, &unknown(), total)
}

#[test]
fn a_composite_with_such_a_member_is_not_whole() {
    let head = hrry::CompositeHead {
        composition_rule: hrry::CompositionRule::Group,
        combine_op: hrry::CombineOp::None,
        member_count: 1,
    };
    let head = bytes::encode(&Plain::head(ElementType::UInt8, &[8], head));
    let messages = [
        descriptor(1, &head, 0),
        end(1),
        descriptor_of(2),
        data(1, 0, b"xy"),
        end(1),
    ];
    let seen = read(&messages, Policy::PERMISSIVE);
    assert_eq!(seen.result, Ok(()));
    let Some(Entry::Message { outcome, .. }) = seen.entries.last() else {
        panic!("an end");
    };
    let Some(Outcome::Closed { complete, .. }) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(*complete, Err(Rule::MemberUnreadable));
}
