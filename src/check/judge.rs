//! What a breach of a rule means, and how checks tell of it.

use core::num::NonZeroU32;

use crate::error::{Field, Violation};
use crate::policy::{Mode, Policy};
use crate::rule::Rule;

/// A breach in one number, so that a check costs a comparison and a register.
///
/// `rule | field << 8 | index << 16`, the rule counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Breach(NonZeroU32);

// what a breach in a descriptor can name, at rest in a file too, and no more: these tables are in every program
const RULES: [Rule; size(Rule::HandleAtRest.place())] = first(Rule::ALL);
const FIELDS: [Field; size(Field::Payload.number())] = first(Field::ALL);

/// The size of a table with that last place.
#[allow(clippy::arithmetic_side_effects, clippy::as_conversions)] // widens, and is small
const fn size(last: u8) -> usize {
    last as usize + 1
}

/// The first of them. Runs at compile time only, where a panic is a compile error.
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
const fn first<T: Copy, const N: usize>(all: &[T]) -> [T; N] {
    let mut some = [all[0]; N];
    let mut k = 0;
    while k < N {
        some[k] = all[k];
        k += 1;
    }
    some
}

/// What checks return: the first breach that the mode does not relax.
pub(crate) type Checked = Result<(), Breach>;

impl Breach {
    #[inline(always)]
    pub(crate) const fn new(rule: Rule, field: Field, index: u32) -> Self {
        let low = u16::from_le_bytes([rule.place(), field.number()]);
        let [a, b] = low.to_le_bytes();
        let [c, d, ..] = index.to_le_bytes();
        Breach(NonZeroU32::MIN.saturating_add(u32::from_le_bytes([a, b, c, d])))
    }
}

impl From<Breach> for Violation {
    #[cold]
    #[inline(never)]
    fn from(breach: Breach) -> Violation {
        let [rule, field, low, high] = breach.0.get().wrapping_sub(1).to_le_bytes();
        Violation {
            // those come first, and no others are read from here
            rule: RULES.get(usize::from(rule)).copied().unwrap_or(RULES[0]),
            field: FIELDS.get(usize::from(field)).copied().unwrap_or(FIELDS[0]),
            index: u16::from_le_bytes([low, high]).into(),
        }
    }
}

/// Decides what breaches mean: the one place that knows the mode.
pub(crate) trait Judge {
    fn policy(&self) -> &Policy;

    /// A breach that permissive mode lets pass.
    fn relax(&mut self, rule: Rule, field: Field, index: u32) -> Checked;

    #[inline(always)]
    fn broken(&mut self, rule: Rule, field: Field, index: u32) -> Checked {
        // decided by the compiler: rules are constants here
        if rule.relaxed() {
            self.relax(rule, field, index)
        } else {
            Err(Breach::new(rule, field, index))
        }
    }

    #[inline(always)]
    fn require(&mut self, holds: bool, rule: Rule, field: Field, index: u32) -> Checked {
        if holds {
            Ok(())
        } else {
            self.broken(rule, field, index)
        }
    }
}

/// The judge of decoders and encoders.
impl Judge for &Policy {
    #[inline(always)]
    fn policy(&self) -> &Policy {
        self
    }

    #[inline(always)]
    fn relax(&mut self, rule: Rule, field: Field, index: u32) -> Checked {
        match self.mode {
            Mode::Strict => Err(Breach::new(rule, field, index)),
            Mode::Permissive => Ok(()),
        }
    }
}

/// Tells of every breach that permissive mode lets pass.
pub(crate) struct Teller<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) relaxed: &'a mut dyn FnMut(Violation),
}

impl Judge for Teller<'_> {
    fn policy(&self) -> &Policy {
        self.policy
    }

    fn relax(&mut self, rule: Rule, field: Field, index: u32) -> Checked {
        let checked = { self.policy }.relax(rule, field, index);
        if checked.is_ok() {
            (self.relaxed)(Violation { rule, field, index });
        }
        checked
    }
}
