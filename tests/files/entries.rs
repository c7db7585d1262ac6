//! Entries and tensors, one for one: a reader that goes front to back meets all tensors, named or not.

use hrry::{Policy, Rule};

use super::MODES;
use super::readers::check;
use super::samples::{group, tensor};
use crate::support::container::Container;
use crate::support::reading::ours;
use crate::support::regions::{count, ends_at};
use crate::support::trace::{growing_file, trace};

/// Entries for these of a head, its member and a plain tensor.
fn listed(index: &[usize]) -> Vec<u8> {
    let tensors = vec![group("g", 1), tensor("m", &[1]), tensor("t", &[2, 3])];
    let mut container = Container::new(tensors);
    container.index = index.to_vec();
    container.write().bytes
}

/// Whether both callers of a reader that goes front to back get an error.
fn is_refused(bytes: &[u8], policy: Policy) -> bool {
    let regions = [Some(ends_at(bytes)), count(bytes)];
    let refuses = |region| {
        let told = trace(bytes, &[], growing_file(policy, region));
        told.result.is_err()
    };
    regions.into_iter().all(refuses)
}

#[test]
fn all_of_them_in_any_order() {
    for index in [[0, 1, 2], [2, 0, 1]] {
        for policy in MODES {
            assert!(check(&listed(&index), &policy, "all"));
        }
    }
}

/// FILE-25; a seeking reader does not see the tensor, and the composite is torn without it.
#[test]
fn a_tensor_that_no_entry_names() {
    for (index, accepted) in [
        (&[0, 1][..], true),
        (&[0], false),
        (&[], true),
        (&[0, 2], true),
    ] {
        let bytes = listed(index);
        for policy in MODES {
            let name = format!("{index:?}");
            assert_eq!(check(&bytes, &policy, &name), accepted, "{name}");
            assert!(is_refused(&bytes, policy), "{name}, {:?}", policy.mode);
        }
    }
}

/// Two entries for one tensor share all of its bytes (FILE-40), which permissive mode lets pass.
#[test]
fn two_entries_for_one_tensor() {
    // a second head is the member of the first; of three, the last one lacks its own
    for (index, accepted) in [([0, 0, 1], true), ([0, 1, 1], true), ([0, 0, 0], false)] {
        let bytes = listed(&index);
        let name = format!("{index:?}");
        let refused = ours(&bytes, &Policy::STRICT).map(drop).unwrap_err();
        assert!(matches!(
            refused.rule(),
            Some(Rule::EntryName | Rule::SectionOrder)
        ));
        assert!(!check(&bytes, &Policy::STRICT, &name));
        assert_eq!(
            check(&bytes, &Policy::PERMISSIVE, &name),
            accepted,
            "{name}"
        );
        for policy in MODES {
            assert!(is_refused(&bytes, policy), "{name}, {:?}", policy.mode);
        }
    }
}

/// FILE-20: an unaligned descriptor, which permissive mode reads wherever it is; no tensor is at 64 + 8.
#[test]
fn an_entry_for_what_is_no_tensor() {
    let bytes = listed(&[0, 1, 2]);
    let entry = bytes.len() - 40 - 3 * 35;
    for place in [66, 72, 4096] {
        let mut bytes = bytes.clone();
        // behind the length of the name and its byte
        bytes[entry + 3..entry + 11].copy_from_slice(&u64::to_le_bytes(place));
        for policy in MODES {
            assert!(!check(&bytes, &policy, &format!("{place}")));
            assert!(is_refused(&bytes, policy), "{place}, {:?}", policy.mode);
        }
    }
}
