//! Numbers of the header against those of the codec.

use std::collections::BTreeMap;

use hrry::{
    CombineOp, CompositionRule, DYNAMIC, DeviceTag, ElementType, LayoutTag, MemberRole,
    MemoryClass, NO_BUFFER, Parameters, Resource, Scheme, SyncMode,
};

/// The constants that a C compiler sees, by name.
fn constants() -> BTreeMap<String, String> {
    let header = include_str!("../include/hrry.h");
    let defines = header.lines().filter_map(|line| {
        let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
        Some((name.to_owned(), value.to_owned()))
    });
    defines.collect()
}

/// Asserts that the constants with that prefix are those of the list, and no more.
fn assert_space(prefix: &str, wanted: impl Iterator<Item = (&'static str, u8)>) {
    let constants = constants();
    let found = constants
        .iter()
        .filter(|(name, _)| name.starts_with(prefix));
    let wanted: BTreeMap<String, String> = wanted
        .map(|(name, value)| {
            (
                format!("{prefix}{}", name.to_uppercase()),
                value.to_string(),
            )
        })
        .collect();
    assert!(wanted.len() > 1);
    assert!(found.eq(wanted.iter()), "{prefix}: {wanted:?}");
}

macro_rules! spaces {
    ($($prefix:literal $space:ident;)*) => {
        #[test]
        fn tags_are_those_of_the_codec() {
            $(assert_space(
                $prefix,
                $space::ASSIGNED.iter().map(|tag| (tag.name().unwrap(), tag.0)),
            );)*
        }
    };
}

spaces! {
    "HRRY_TYPE_" ElementType;
    "HRRY_LAYOUT_" LayoutTag;
    "HRRY_DEVICE_" DeviceTag;
    "HRRY_MEMORY_" MemoryClass;
    "HRRY_SYNC_" SyncMode;
    "HRRY_SCHEME_" Scheme;
    "HRRY_RULE_" CompositionRule;
    "HRRY_COMBINE_" CombineOp;
    "HRRY_ROLE_" MemberRole;
}

#[test]
fn resources_are_those_of_the_codec() {
    let resources = [
        ("frame", Resource::Frame),
        ("buffer", Resource::Buffer),
        ("members", Resource::Members),
        ("arena", Resource::Arena),
        ("position", Resource::Position),
    ];
    let numbers = resources.map(|(name, resource)| (name, resource.number()));
    assert_space("HRRY_RESOURCE_", numbers.into_iter());
}

#[test]
fn other_numbers_are_those_of_the_codec() {
    assert_eq!(hrry_c::HRRY_DYNAMIC, DYNAMIC);
    assert_eq!(hrry_c::HRRY_NO_BUFFER, NO_BUFFER);
    assert_eq!(hrry_c::HRRY_SYMMETRIC, Parameters::SYMMETRIC);
}

/// Each status has one number, and the seven of the specification have theirs.
#[test]
fn statuses_have_their_numbers() {
    let constants = constants();
    let errors = constants
        .iter()
        .filter(|(name, _)| name.starts_with("HRRY_ERR_"));
    let mut numbers: Vec<i32> = errors.map(|(_, value)| value.parse().unwrap()).collect();
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), count);
    let named = [
        "INVALID_MAGIC",
        "VERSION_MISMATCH",
        "INVALID_LAYOUT",
        "INVALID_TYPE",
        "BUFFER_TOO_SMALL",
        "NULL_POINTER",
        "INTERNAL_PANIC",
    ];
    for (name, number) in named.iter().zip(1..) {
        assert_eq!(constants[&format!("HRRY_ERR_{name}")], format!("-{number}"));
    }
    assert_eq!(constants["HRRY_OK"], "0");
}
