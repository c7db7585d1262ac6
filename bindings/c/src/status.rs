//! What functions return.

use hrry::{ErrorKind, Rule};

/// 0, or what went wrong. -1 to -7 are the numbers that the specification gives; the others are this interface's own.
pub type hrry_status = i32;

/// The version of this interface; it rises with every change that a compiled program could notice.
pub const HRRY_C_ABI_VERSION: u32 = 1;

/// All went well.
pub const HRRY_OK: i32 = 0;
/// The bytes are no descriptor (DESC-02).
pub const HRRY_ERR_INVALID_MAGIC: i32 = -1;
/// A major version that cannot be read (VER rules).
pub const HRRY_ERR_VERSION_MISMATCH: i32 = -2;
/// A LAYOUT rule is broken.
pub const HRRY_ERR_INVALID_LAYOUT: i32 = -3;
/// A TYPE rule is broken.
pub const HRRY_ERR_INVALID_TYPE: i32 = -4;
/// The output, or the memory for a handle, is too short.
pub const HRRY_ERR_BUFFER_TOO_SMALL: i32 = -5;
/// A pointer that must not be null is.
pub const HRRY_ERR_NULL_POINTER: i32 = -6;
/// Named by the specification; never returned, because nothing here panics.
pub const HRRY_ERR_INTERNAL_PANIC: i32 = -7;
/// There is no such dimension or buffer.
pub const HRRY_ERR_INDEX_OUT_OF_BOUNDS: i32 = -8;
/// The sync mode of a buffer breaks a rule (BUF-11, BUF-12, BUF-19).
pub const HRRY_ERR_INVALID_SYNC_MODE: i32 = -9;
// -10 is left to SYNC_MODE_MISMATCH, which is about handing buffers over; nothing here does

/// A pointer is not aligned for what it points to.
pub const HRRY_ERR_MISALIGNED: i32 = -16;
/// A length is more than an object can have (PTRDIFF_MAX bytes), or leads past the end of memory.
pub const HRRY_ERR_TOO_LONG: i32 = -17;
/// Memory that must be apart overlaps.
pub const HRRY_ERR_OVERLAP: i32 = -18;
/// The handle is not initialised, was closed, or is a copy of one that was elsewhere.
pub const HRRY_ERR_NO_HANDLE: i32 = -19;
/// No tensor is being read: there is no current descriptor.
pub const HRRY_ERR_NO_DESCRIPTOR: i32 = -20;
/// The descriptor has no such section, or another layout.
pub const HRRY_ERR_ABSENT: i32 = -21;
/// A number of a structure is none of its constants, or parts of it contradict each other. `field` of a `hrry_error`
/// names the field of the descriptor at fault: `layout_tag` where the layout was forgotten or cannot be written,
/// `strides` and `composition_rule` where they are given for another layout, `scheme_tag`, `member_role`,
/// `handle.reserved` with the buffer as `index`, or `composite.reserved`. A policy has no such fields.
pub const HRRY_ERR_INVALID_ARGUMENT: i32 = -22;

/// Another rule of descriptors is broken (DESC, BUF, QUANT, SHARD, STAT, EXT, MEMBER).
pub const HRRY_ERR_INVALID_DESCRIPTOR: i32 = -32;
/// A rule of composites is broken (COMP).
pub const HRRY_ERR_INVALID_COMPOSITE: i32 = -33;
/// A rule of streams is broken (STREAM).
pub const HRRY_ERR_INVALID_STREAM: i32 = -34;
/// The input ended inside a descriptor or buffer.
pub const HRRY_ERR_TRUNCATED: i32 = -35;
/// The input ended inside a composite.
pub const HRRY_ERR_TORN: i32 = -36;
/// The frame, the arena or a ceiling is too small for the input, which may be valid.
pub const HRRY_ERR_CAPACITY: i32 = -37;

/// HRRY_C_ABI_VERSION of the library that is linked.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_c_abi_version() -> u32 {
    HRRY_C_ABI_VERSION
}

/// What keeps a call from working, as a status.
pub(crate) type Checked<T> = Result<T, hrry_status>;

pub(crate) fn answer(done: Checked<()>) -> hrry_status {
    match done {
        Ok(()) => HRRY_OK,
        Err(status) => status,
    }
}

pub(crate) fn of(kind: &ErrorKind) -> hrry_status {
    match kind {
        ErrorKind::Capacity { .. } => HRRY_ERR_CAPACITY,
        ErrorKind::Truncated { .. } => HRRY_ERR_TRUNCATED,
        ErrorKind::Torn { .. } => HRRY_ERR_TORN,
        other => other.rule().map_or(HRRY_ERR_INVALID_STREAM, of_rule),
    }
}

fn of_rule(rule: Rule) -> hrry_status {
    match rule {
        Rule::Magic => return HRRY_ERR_INVALID_MAGIC,
        Rule::SyncMode | Rule::CpuSync | Rule::CrossMachineSync => {
            return HRRY_ERR_INVALID_SYNC_MODE;
        }
        _ => {}
    }
    // families have 100 numbers each, in the order of the catalogue
    match rule.number() {
        100..200 | 400..1000 => HRRY_ERR_INVALID_DESCRIPTOR,
        200..300 => HRRY_ERR_INVALID_TYPE,
        300..400 => HRRY_ERR_INVALID_LAYOUT,
        1000..1100 => HRRY_ERR_INVALID_COMPOSITE,
        1200..1300 => HRRY_ERR_VERSION_MISMATCH,
        _ => HRRY_ERR_INVALID_STREAM,
    }
}

#[cfg(test)]
mod tests {
    use hrry::{Field, Violation};

    use super::*;

    /// By the text of the ID, where the code goes by the number.
    #[test]
    fn every_rule_has_the_status_of_its_family() {
        for rule in Rule::ALL.iter().copied() {
            let (family, _) = rule.id().split_once('-').unwrap();
            let wanted = match (rule.id(), family) {
                ("DESC-02", _) => -1,
                ("BUF-11" | "BUF-12" | "BUF-19", _) => -9,
                (_, "VER") => -2,
                (_, "LAYOUT") => -3,
                (_, "TYPE") => -4,
                (_, "COMP") => -33,
                (_, "STREAM" | "FILE") => -34,
                (_, "DESC" | "BUF" | "QUANT" | "SHARD" | "STAT" | "EXT" | "MEMBER") => -32,
                _ => continue,
            };
            let (field, index) = (Field::Magic, 0);
            let violation = Violation { rule, field, index };
            assert_eq!(of(&violation.into()), wanted, "{}", rule.id());
        }
    }
}
