//! The words that the caller lends.

use hrry::{ErrorKind, FileView, Policy, Resource, Rule};

use super::samples::{group, sample};
use crate::support::container::{Container, Value};

/// Entries in the order of their places.
fn order(bytes: &[u8], scratch: &mut [u64]) -> Vec<u64> {
    let (_, index) = FileView::open_with_scratch(bytes, &Policy::STRICT, scratch).expect("valid");
    index.in_order().map(|entry| entry.offset).collect()
}

fn with_keys(count: u64) -> Container {
    let mut container = Container::new(vec![group("a", 0), group("b", 0)]);
    let keys = (0..count).map(|k| (format!("key {k}"), Value::Uint64(k)));
    container.keys = Some(keys.collect());
    container
}

#[test]
fn one_word_too_few() {
    // two words for each of five and of two tensors, one for each key
    for (container, needed) in [(sample(), 19), (with_keys(3), 7), (with_keys(5), 9)] {
        let bytes = container.write().bytes;
        let view = FileView::open(&bytes, &Policy::STRICT).expect("valid");
        assert_eq!(view.scratch_words(), needed);
        for available in 0..needed {
            let mut scratch = vec![0; available as usize];
            let error = view
                .index(&Policy::STRICT, &mut scratch)
                .expect_err("too few");
            let what = Resource::Arena;
            assert_eq!(
                error.kind(),
                ErrorKind::Capacity {
                    what,
                    needed,
                    available
                }
            );
            assert_eq!(error.rule(), None);
        }
        let mut scratch = vec![0; needed as usize];
        assert!(view.index(&Policy::STRICT, &mut scratch).is_ok());
    }
}

#[test]
fn what_was_in_it_does_not_matter() {
    let container = sample();
    let written = container.write();
    // the index is in the order 3, 0, 4, 2, 1
    let by_place = [1, 4, 3, 0, 2].map(|k: usize| written.entries[k] as u64);
    for filling in [0, 1, u64::MAX, 0x5555_5555_5555_5555, written.index as u64] {
        for len in [19, 20, 1000] {
            assert_eq!(order(&written.bytes, &mut vec![filling; len]), by_place);
        }
    }
    // and what another file left
    let mut scratch = vec![0; 19];
    order(&with_keys(9).write().bytes, &mut scratch);
    assert_eq!(order(&written.bytes, &mut scratch), by_place);
}

#[test]
fn keys_that_are_there_twice() {
    let mut container = with_keys(40);
    let keys = container.keys.as_mut().expect("it has keys");
    keys[31].0 = "key 7".to_owned();
    let written = container.write();
    let at = written
        .bytes
        .windows(5)
        .rposition(|key| key == b"key 7")
        .expect("it was written");
    let view = FileView::open(&written.bytes, &Policy::STRICT).expect("not looked at");
    assert!(view.unchecked().keys);
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        let error = view.index(&policy, &mut [0; 44]).expect_err("twice");
        assert_eq!(error.rule(), Some(Rule::KvKey));
        assert_eq!(error.offset(), at as u64);
    }
}
