//! Damaged descriptors: we never accept what the reference refuses, we agree on every field of what both
//! accept, and what only we refuse breaks a rule that `deviations` argues for.

use std::collections::BTreeSet;
use std::sync::Mutex;

use hrry::{DescriptorView, LayoutTag};
use hrry_reference_tests::choices::{Choices, check};
use hrry_reference_tests::compare::same;
use hrry_reference_tests::generate::{NUMBERS, descriptor};
use hrry_reference_tests::layouts::Limits;
use hrry_reference_tests::mutate::mutate;
use hrry_reference_tests::{SCHEMES, cases, deviations, policy};
use hurray_core::Error;
use hurray_core::descriptor::TensorDescriptor;

/// Damaged copies of one descriptor.
const COPIES: usize = 8;

#[derive(Default)]
struct Seen {
    both: u32,
    none: u32,
    rules: BTreeSet<&'static str>,
}

#[test]
fn we_accept_nothing_that_the_reference_refuses() {
    let known: BTreeSet<_> = deviations::all().iter().map(|d| d.rule).collect();
    let seen = Mutex::new(Seen::default());
    check(cases(20_000), NUMBERS + 200, |c| {
        let plan = descriptor(c, Limits::DESCRIPTOR);
        let bytes = plan
            .reference()
            .and_then(|d| d.encode())
            .map_err(|e| format!("{e:?}"))?;
        let mut seen = seen.lock().unwrap();
        let mut copies = (0..COPIES).map(|_| mutate(c, &bytes));
        copies.try_for_each(|bytes| judge(&bytes, &known, &mut seen))
    });
    // not vacuous: every verdict and most differences came up
    let Seen { both, none, rules } = seen.into_inner().unwrap();
    assert!(both > 10_000 && none > 10_000, "{both} and {none}");
    assert!(rules.len() > 60, "{rules:?}");
}

fn judge(bytes: &[u8], known: &BTreeSet<&str>, seen: &mut Seen) -> Result<(), String> {
    let ours = DescriptorView::parse(bytes, &policy());
    let theirs = TensorDescriptor::decode(bytes);
    match (ours, theirs) {
        (Ok((view, _)), Ok(theirs)) => {
            seen.both += 1;
            same(&view, &theirs).map_err(|error| format!("{error}\n{bytes:?}"))
        }
        (Err(_), Err(_)) => {
            seen.none += 1;
            Ok(())
        }
        (Err(error), Ok(_)) => {
            let rule = error.rule().map(|rule| rule.id()).unwrap_or_default();
            seen.rules.insert(rule);
            let argued = known.contains(rule);
            argued
                .then_some(())
                .ok_or(format!("only we refuse: {error}\n{bytes:?}"))
        }
        // see `only_here`
        (Ok((view, _)), Err(Error::PrivateQuantizationSchemeTag(tag)))
            if SCHEMES.contains(&tag) && view.layout_tag() == LayoutTag::BlockPaged =>
        {
            Ok(())
        }
        (Ok(_), Err(error)) => Err(format!("only we accept: {error:?}\n{bytes:?}")),
    }
}

/// One value of one byte after the other, in descriptors of every layout.
#[test]
fn every_value_of_every_byte() {
    let known: BTreeSet<_> = deviations::all().iter().map(|d| d.rule).collect();
    let mut seen = Seen::default();
    let mut state = 1u32;
    for _ in 0..cases(60) {
        let numbers: Vec<u32> = (0..NUMBERS).map(|_| xorshift(&mut state)).collect();
        let plan = descriptor(&mut Choices::new(&numbers), Limits::DESCRIPTOR);
        let mut bytes = plan.reference().unwrap().encode().unwrap();
        for at in 0..bytes.len().min(300) {
            let old = bytes[at];
            for value in 0..=u8::MAX {
                bytes[at] = value;
                judge(&bytes, &known, &mut seen).unwrap();
            }
            bytes[at] = old;
        }
    }
    assert!(seen.both > 10_000 && seen.none > 10_000 && seen.rules.len() > 30);
}

fn xorshift(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}
