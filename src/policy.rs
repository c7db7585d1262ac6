//! What a reader or writer may decide for itself: mode, transport, agreements, ceilings.
//!
//! Depends on nothing. A policy is a plain value; nothing here changes what the bytes mean.

/// How strictly a reader follows the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Mode {
    /// Every rule holds.
    Strict,
    /// Rules whose [permissive](crate::Rule::permissive) column says so are relaxed; the others hold.
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
    /// Private message types (`0xF0..=0xFE`).
    pub message_types: &'static [u32],
}

impl Agreements {
    /// No private value means anything.
    pub const NONE: Agreements = Agreements {
        memory_classes: &[],
        layouts: &[],
        schemes: &[],
        composition_rules: &[],
        message_types: &[],
    };
}

/// Whether a private value is one of those agreed on.
///
/// A plain loop: the search that slices of bytes bring is larger than all that it is used for here.
#[allow(clippy::manual_contains)]
pub(crate) fn agreed<T: PartialEq>(values: &[T], value: &T) -> bool {
    values.iter().any(|agreed| agreed == value)
}

/// The choices of a reader or writer; start from [`Policy::STRICT`] and change fields. Fields may be added, so
/// that `Policy { .., ..Policy::STRICT }` does not compile outside this crate.
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
    /// Largest buffer that a stream may carry, in bytes; a larger one is a capacity error. A descriptor on
    /// its own is read all the same.
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
