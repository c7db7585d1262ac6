//! What checks tell of breaches, and who decides what a breach means.

use crate::error::{Field, Violation};
use crate::policy::{Mode, Policy};
use crate::rule::Rule;

/// Collects what checks find.
///
/// Checks do not stop at a breach. They go on, and what they find later counts for nothing: the first
/// breach that the mode does not relax is the verdict. A judge is handed on by value, so that it stays
/// in registers, and a hundred checks cost a comparison each and no call.
pub(crate) trait Judge: Sized {
    fn policy(&self) -> &Policy;

    /// A breach that every mode refuses.
    fn refuse(&mut self, rule: Rule, field: Field, index: u32);

    /// A breach that permissive mode lets pass.
    fn relax(&mut self, rule: Rule, field: Field, index: u32);

    /// Whether the verdict is known already.
    fn is_broken(&self) -> bool;

    /// The breach that decides, once there is one.
    fn first(&self) -> Violation;

    #[inline]
    fn verdict(self) -> Result<(), Violation> {
        if self.is_broken() {
            Err(self.first())
        } else {
            Ok(())
        }
    }

    #[inline(always)]
    fn broken(&mut self, rule: Rule, field: Field, index: u32) {
        // decided by the compiler: rules are constants here
        if rule.relaxed() {
            self.relax(rule, field, index);
        } else {
            self.refuse(rule, field, index);
        }
    }

    #[inline(always)]
    fn require(&mut self, holds: bool, rule: Rule, field: Field, index: u32) {
        if !holds {
            self.broken(rule, field, index);
        }
    }
}

/// The judge of decoders and encoders: remembers the first breach, in one number.
#[derive(Clone, Copy)]
pub(crate) struct Verdict<'a> {
    policy: &'a Policy,
    /// `rule | field << 8 | index << 16`, the rule counted from 1; 0 for none.
    first: u32,
}

impl<'a> Verdict<'a> {
    #[inline(always)]
    pub(crate) const fn new(policy: &'a Policy) -> Self {
        Verdict { policy, first: 0 }
    }
}

impl Judge for Verdict<'_> {
    #[inline(always)]
    fn policy(&self) -> &Policy {
        self.policy
    }

    #[inline(always)]
    fn refuse(&mut self, rule: Rule, field: Field, index: u32) {
        if self.first == 0 {
            let code = u32::from(field.number()).wrapping_shl(8) | u32::from(rule.place());
            self.first = code.wrapping_add(1) | index.wrapping_shl(16);
        }
    }

    #[inline(always)]
    fn relax(&mut self, rule: Rule, field: Field, index: u32) {
        if self.policy.mode == Mode::Strict {
            self.refuse(rule, field, index);
        }
    }

    #[inline(always)]
    fn is_broken(&self) -> bool {
        self.first != 0
    }

    #[inline]
    fn first(&self) -> Violation {
        unpack(self.first)
    }
}

#[cold]
#[inline(never)]
fn unpack(code: u32) -> Violation {
    let [rule, field, low, high] = code.to_le_bytes();
    let rule = usize::from(rule.wrapping_sub(1));
    Violation {
        rule: Rule::ALL.get(rule).copied().unwrap_or(Rule::Magic),
        field: Field::ALL
            .get(usize::from(field))
            .copied()
            .unwrap_or(Field::Magic),
        index: u16::from_le_bytes([low, high]).into(),
    }
}

/// Tells of every breach that permissive mode lets pass, up to the first that it does not.
pub(crate) struct Teller<'a> {
    verdict: Verdict<'a>,
    relaxed: &'a mut dyn FnMut(Violation),
}

impl<'a> Teller<'a> {
    pub(crate) fn new(policy: &'a Policy, relaxed: &'a mut dyn FnMut(Violation)) -> Self {
        Teller {
            verdict: Verdict::new(policy),
            relaxed,
        }
    }
}

impl Judge for Teller<'_> {
    fn policy(&self) -> &Policy {
        self.verdict.policy
    }

    fn refuse(&mut self, rule: Rule, field: Field, index: u32) {
        self.verdict.refuse(rule, field, index);
    }

    fn relax(&mut self, rule: Rule, field: Field, index: u32) {
        if self.policy().mode == Mode::Permissive && !self.is_broken() {
            (self.relaxed)(Violation { rule, field, index });
        }
        self.verdict.relax(rule, field, index);
    }

    fn is_broken(&self) -> bool {
        self.verdict.is_broken()
    }

    fn first(&self) -> Violation {
        self.verdict.first()
    }
}
