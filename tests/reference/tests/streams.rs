//! Whole streams: each side reads what the other writes, both write the same bytes, and of damaged ones
//! we accept nothing that the reference refuses.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use hrry::DescriptorView;
use hrry_reference_tests::choices::{Choices, check};
use hrry_reference_tests::mutate::mutate;
use hrry_reference_tests::plan::LayoutPlan;
use hrry_reference_tests::streams::{same_items, they_read, they_write, we_read, we_write};
use hrry_reference_tests::tree::{Levels, Tree, item};
use hrry_reference_tests::{cases, policy};
use hurray_core::Error as CoreError;

const NUMBERS: usize = 2500;

fn items(c: &mut Choices<'_>) -> Vec<Tree> {
    (0..1 + c.below(3))
        .map(|_| item(c, Levels::up_to(4)))
        .collect()
}

#[test]
fn each_side_reads_what_the_other_writes() {
    let seen = Mutex::new(BTreeMap::new());
    check(cases(3_000), NUMBERS, |c| {
        let items = items(c);
        let mut seen = seen.lock().unwrap();
        items.iter().for_each(|item| note(item, 1, &mut seen));
        both_ways(&items).map_err(|error| format!("{error}\n{items:?}"))
    });
    // every rule at every depth that is generated, and every pair of rules that may nest
    let seen = seen.into_inner().unwrap();
    for what in [
        "group at 3",
        "partition at 4",
        "overlay at 3",
        "partition in partition",
        "partition in group",
        "overlay in group",
        "group in group",
    ] {
        assert!(
            seen.get(what).is_some_and(|count| *count > 10),
            "{what}: {seen:?}"
        );
    }
}

fn note(item: &Tree, level: u32, seen: &mut BTreeMap<String, u32>) {
    let rule = |item: &Tree| match item {
        Tree::Composite { head, .. } => match &head.layout {
            LayoutPlan::Composite(head) => head.composition_rule.name(),
            _ => None,
        },
        Tree::Tensor { .. } => None,
    };
    let (Some(outer), Tree::Composite { members, .. }) = (rule(item), item) else {
        return;
    };
    *seen.entry(format!("{outer} at {level}")).or_default() += 1;
    for member in members {
        if let Some(inner) = rule(member) {
            *seen.entry(format!("{inner} in {outer}")).or_default() += 1;
        }
        note(member, level + 1, seen);
    }
}

fn both_ways(items: &[Tree]) -> Result<(), String> {
    let stream = they_write(items)?;
    if items.iter().all(Tree::is_writable) && we_write(items, policy())? != stream {
        return Err("the bytes differ".into());
    }
    let theirs = they_read(&stream).map_err(|error| format!("they read: {error:?}"))?;
    for size in [1, 61, stream.len().max(1)] {
        let ours = we_read(&stream, size, policy()).map_err(|error| format!("we read: {error}"))?;
        same_items(&ours, &theirs, &policy())?;
        let mut flat = Vec::new();
        items.iter().for_each(|item| item.flat(0, &mut flat));
        let written = flat.into_iter().map(|(level, _, buffers)| (level, buffers));
        let read = ours
            .iter()
            .map(|(level, _, buffers)| (*level, buffers.as_slice()));
        if !written.eq(read) {
            return Err("what was read is not what was written".into());
        }
    }
    Ok(())
}

fn is_empty(descriptor: &[u8]) -> bool {
    let (view, _) = DescriptorView::parse(descriptor, &policy()).unwrap();
    view.shape().iter().any(|size| size == 0)
}

/// What we accept has sizes and counts that are true, so the reference can be asked without fear for
/// memory.
#[test]
fn we_accept_nothing_that_the_reference_refuses() {
    let accepted = AtomicU32::new(0);
    check(cases(3_000), NUMBERS + 100, |c| {
        let stream = they_write(&items(c))?;
        for _ in 0..8 {
            let damaged = mutate(c, &stream);
            let Ok(ours) = we_read(&damaged, damaged.len().max(1), policy()) else {
                continue;
            };
            accepted.fetch_add(1, Relaxed);
            match they_read(&damaged) {
                Ok(theirs) => same_items(&ours, &theirs, &policy())?,
                // members without elements overlap nothing (COMP-44, AMB-63)
                Err(hurray_io::Error::Core(CoreError::CompositePartitionOverlap { .. }))
                    if ours.iter().any(|item| is_empty(&item.1)) => {}
                Err(error) => return Err(format!("only we accept: {error:?}\n{damaged:?}")),
            }
        }
        Ok(())
    });
    assert!(accepted.into_inner() > 1_000);
}
