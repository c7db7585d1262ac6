//! What a reader or writer may decide for itself: mode, transport, agreements, ceilings.
//!
//! Depends on [`rule`](crate::rule) and [`error`](crate::error). A policy is a plain value; nothing
//! here changes what the bytes mean.

use crate::error::{Field, Violation};
use crate::rule::Rule;

/// How strictly a reader follows the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Mode {
    /// Every rule holds.
    Strict,
    /// Rules whose [`Rule::permissive`] column says so are relaxed; the others hold.
    Permissive,
}

/// Where the bytes come from or go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Transport {
    /// One machine: every sync mode is possible.
    Local,
    /// Between machines: buffers are synchronised by their producer (BUF-19).
    CrossMachine,
}

/// Private values that both peers agreed on beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Agreements {
    /// Private memory classes (`0xF0..=0xFE`).
    pub memory_classes: &'static [u8],
    /// `extension_layout_id` values of private layouts.
    pub layouts: &'static [u64],
    /// Private quantization scheme tags (`0xF0..=0xFE`).
    pub schemes: &'static [u8],
    /// Private composition rules (`0xF0..=0xFE`).
    pub composition_rules: &'static [u8],
}

impl Agreements {
    /// No private value means anything.
    pub const NONE: Agreements = Agreements {
        memory_classes: &[],
        layouts: &[],
        schemes: &[],
        composition_rules: &[],
    };
}

/// The choices of a reader or writer; start from [`Policy::STRICT`] and change fields.
///
/// ```
/// use hrry::{Policy, Transport};
/// let mut policy = Policy::STRICT;
/// policy.transport = Transport::CrossMachine;
/// policy.max_buffer = 1 << 20;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Policy {
    /// Strict or permissive.
    pub mode: Mode,
    /// Local or between machines.
    pub transport: Transport,
    /// Longest descriptor that is read, in bytes; a longer one is a capacity error.
    pub max_descriptor: u32,
    /// Largest buffer that is read, in bytes; a larger one is a capacity error.
    pub max_buffer: u64,
    /// Most members of one composite; more are a capacity error.
    pub max_members: u32,
    /// Private values with a meaning.
    pub agreements: &'static Agreements,
}

impl Policy {
    /// Every rule holds, no ceilings, no agreements.
    pub const STRICT: Policy = Policy {
        mode: Mode::Strict,
        transport: Transport::Local,
        max_descriptor: u32::MAX,
        max_buffer: u64::MAX,
        max_members: u32::MAX,
        agreements: &Agreements::NONE,
    };

    /// [`Policy::STRICT`] in permissive mode.
    pub const PERMISSIVE: Policy = Policy {
        mode: Mode::Permissive,
        ..Policy::STRICT
    };
}

impl Default for Policy {
    fn default() -> Self {
        Policy::STRICT
    }
}

/// Collects what checks find: the one place that knows the mode.
///
/// Checks do not stop at a breach. They go on, and what they find later counts for nothing: the first
/// breach that the mode does not relax is the verdict. So a check site is a comparison and a call that
/// is never taken, which is what keeps a hundred of them small and fast.
pub(crate) struct Judge<'a> {
    pub(crate) policy: &'a Policy,
    first: Option<Violation>,
    /// Told of every breach that the mode lets pass.
    relaxed: Option<&'a mut dyn FnMut(Violation)>,
}

impl<'a> Judge<'a> {
    #[inline]
    pub(crate) const fn new(policy: &'a Policy) -> Self {
        Judge {
            policy,
            first: None,
            relaxed: None,
        }
    }

    pub(crate) fn telling(policy: &'a Policy, relaxed: &'a mut dyn FnMut(Violation)) -> Self {
        Judge {
            policy,
            first: None,
            relaxed: Some(relaxed),
        }
    }

    /// Inlined so that the choice between the two ways is made by the compiler.
    #[inline(always)]
    pub(crate) fn broken(&mut self, rule: Rule, field: Field, index: u32) {
        if rule.relaxed() {
            self.relax(rule, field, index);
        } else {
            self.refuse(rule, field, index);
        }
    }

    #[inline(always)]
    pub(crate) fn require(&mut self, holds: bool, rule: Rule, field: Field, index: u32) {
        if !holds {
            self.broken(rule, field, index);
        }
    }

    /// A breach that ends the reading in every mode.
    #[cold]
    #[inline(never)]
    pub(crate) fn refuse(&mut self, rule: Rule, field: Field, index: u32) {
        self.first.get_or_insert(Violation { rule, field, index });
    }

    /// A breach that permissive mode lets pass.
    #[cold]
    #[inline(never)]
    pub(crate) fn relax(&mut self, rule: Rule, field: Field, index: u32) {
        match (self.policy.mode, &mut self.relaxed, self.first) {
            (Mode::Strict, ..) => self.refuse(rule, field, index),
            (Mode::Permissive, Some(relaxed), None) => relaxed(Violation { rule, field, index }),
            (Mode::Permissive, ..) => {}
        }
    }

    #[inline]
    pub(crate) fn verdict(&self) -> Result<(), Violation> {
        match &self.first {
            None => Ok(()),
            Some(first) => Err(*first),
        }
    }
}
