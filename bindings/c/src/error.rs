//! Errors as plain numbers.

use hrry::{Error, ErrorKind, Field, Rule};

use crate::status::{self, HRRY_OK, hrry_status};

/// No error.
pub const HRRY_ERROR_NONE: u32 = 0;
/// The bytes break a rule.
pub const HRRY_ERROR_RULE: u32 = 1;
/// Two members of a partition overlap: `index` and, in the order of their arrival, one of `amounts[0]` to
/// `amounts[1]`.
pub const HRRY_ERROR_OVERLAP: u32 = 2;
/// Something is too small, `index` says what (HRRY_RESOURCE_): `amounts[0]` are needed, `amounts[1]` there.
pub const HRRY_ERROR_CAPACITY: u32 = 3;
/// The input ended inside a descriptor or buffer: `amounts[0]` bytes are missing.
pub const HRRY_ERROR_TRUNCATED: u32 = 4;
/// The input ended inside the composite at level `index`: `amounts[0]` members were announced, `amounts[1]` arrived.
pub const HRRY_ERROR_TORN: u32 = 5;

/// Bytes of the frame, or the ceiling `max_descriptor`.
pub const HRRY_RESOURCE_FRAME: u32 = 0;
/// The ceiling `max_buffer`.
pub const HRRY_RESOURCE_BUFFER: u32 = 1;
/// The ceiling `max_members`.
pub const HRRY_RESOURCE_MEMBERS: u32 = 2;
/// Words of the arena.
pub const HRRY_RESOURCE_ARENA: u32 = 3;
/// Positions, which end at 2^64 - 1.
pub const HRRY_RESOURCE_POSITION: u32 = 5;

/// `field` of an error that names none.
pub const HRRY_NO_FIELD: u32 = 0xFFFFFFFF;

/// What is wrong, and where.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hrry_error {
    /// The status that came with it.
    pub status: hrry_status,
    /// HRRY_ERROR_.
    pub kind: u32,
    /// The number of the broken rule, or 0. `hrry_rule_id` names it.
    pub rule: u32,
    /// The number of the field at fault, also with HRRY_ERR_INVALID_ARGUMENT, or HRRY_NO_FIELD. `hrry_field_name` names
    /// it.
    pub field: u32,
    /// Which dimension, buffer, member, level or resource.
    pub index: u32,
    /// Byte of the stream that the field at fault starts at, or where the input ended; 0 for what is written.
    pub offset: u64,
    /// As the kind says.
    pub amounts: [u64; 2],
}

impl hrry_error {
    pub(crate) const NONE: hrry_error = hrry_error {
        status: HRRY_OK,
        kind: HRRY_ERROR_NONE,
        rule: 0,
        field: HRRY_NO_FIELD,
        index: 0,
        offset: 0,
        amounts: [0; 2],
    };

    pub(crate) fn read(error: &Error) -> Self {
        hrry_error {
            offset: error.offset(),
            ..Self::unplaced(&error.kind())
        }
    }

    /// As a writer meets it.
    pub(crate) fn unplaced(error: &ErrorKind) -> Self {
        let (kind, index, amounts) = match *error {
            ErrorKind::Rule(violation) => (HRRY_ERROR_RULE, violation.index, [0; 2]),
            ErrorKind::Overlap {
                member,
                first,
                last,
            } => (HRRY_ERROR_OVERLAP, member, [first.into(), last.into()]),
            ErrorKind::Capacity {
                what,
                needed,
                available,
            } => (
                HRRY_ERROR_CAPACITY,
                what.number().into(),
                [needed, available],
            ),
            ErrorKind::Truncated { missing, .. } => (HRRY_ERROR_TRUNCATED, 0, [missing, 0]),
            ErrorKind::Torn {
                level,
                declared,
                seen,
            } => (
                HRRY_ERROR_TORN,
                level.into(),
                [declared.into(), seen.into()],
            ),
            _ => (HRRY_ERROR_RULE, 0, [0; 2]),
        };
        let field = error.field().map(Field::number);
        hrry_error {
            status: status::of(error),
            kind,
            rule: error.rule().map_or(0, Rule::number).into(),
            field: field.map_or(HRRY_NO_FIELD, u32::from),
            index,
            offset: 0,
            amounts,
        }
    }
}
