//! Random valid descriptors, streams and containers, in the types of `hrry` and of the reference.
//!
//! The reference is a black box here: its published crates are called, their source is not consulted.
//! Sizes, ranges and shapes are worked out from the format, not by asking either implementation.

pub mod choices;
pub mod compare;
pub mod deviations;
pub mod files;
pub mod generate;
pub mod layouts;
pub mod misfits;
pub mod mutate;
pub mod paged;
pub mod places;
pub mod plan;
pub mod reference;
pub mod schemes;
pub mod sections;
pub mod sizes;
pub mod sparse;
pub mod streams;
pub mod tree;
pub mod wire;

use std::sync::OnceLock;

use hrry::{Agreements, Policy};

/// Private layouts that the generator uses.
pub const LAYOUTS: &[u64] = &[7, 0xDEAD_BEEF_0BAD_F00D];
/// Private memory classes that the generator uses.
pub const MEMORY_CLASSES: &[u8] = &[0xF0, 0xFE];
/// Private quantization schemes that the generator uses.
pub const SCHEMES: &[u8] = &[0xF1];

/// Strict, with agreements over the private values that the generator uses.
pub fn policy() -> Policy {
    static AGREEMENTS: OnceLock<Agreements> = OnceLock::new();
    let agreements = AGREEMENTS.get_or_init(|| {
        let mut agreements = Agreements::NONE;
        agreements.layouts = LAYOUTS;
        agreements.memory_classes = MEMORY_CLASSES;
        agreements.schemes = SCHEMES;
        agreements
    });
    let mut policy = Policy::STRICT;
    policy.agreements = agreements;
    policy
}

/// Cases of a random test: more with `HRRY_TEST_SCALE`.
pub fn cases(base: u32) -> u32 {
    let scale = std::env::var("HRRY_TEST_SCALE").ok();
    base * scale.map_or(1, |text| text.parse().expect("HRRY_TEST_SCALE is a number"))
}
