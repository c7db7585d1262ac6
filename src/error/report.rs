//! Errors as plain numbers.

use super::{Error, ErrorKind, Field};
use crate::rule::Rule;

/// An [`Error`] as plain numbers, for a device that reports it over a link.
///
/// Rules travel as [`Rule::number`], fields as [`Field::number`].
///
/// ```
/// use hrry::{FixedStream, Policy, Report};
/// let mut parser = FixedStream::<256>::new(Policy::STRICT);
/// let error = parser.next_event(&mut &b"HRRZ"[..]).unwrap_err();
/// # #[cfg(feature = "serde")] {
/// let mut link = [0; 32];
/// let sent = postcard::to_slice(&Report::from(&error), &mut link)?;
/// // rule 102 is DESC-02, field 0 the magic; its byte 3 is at offset 3 of the stream
/// assert_eq!(sent, [1, 102, 1, 0, 0, 3, 0, 0]);
/// # }
/// # Ok::<(), postcard::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// The broken rule, if the error is one.
    pub rule: Option<u16>,
    /// The field at fault, if one is known.
    pub field: Option<u8>,
    /// Which element of the field, which member of an overlap, which level of a torn composite, or
    /// [`Resource::number`](crate::Resource::number) of a capacity error.
    pub index: u32,
    /// Absolute byte offset.
    pub offset: u64,
    /// Needed and available amounts of a capacity error, missing bytes of a truncation, declared and
    /// seen members of a torn composite, first and last members of an overlap.
    pub amounts: [u64; 2],
}

impl From<&Error> for Report {
    fn from(error: &Error) -> Self {
        let (index, amounts) = match error.kind {
            ErrorKind::Rule(violation) => (violation.index, [0, 0]),
            ErrorKind::Overlap {
                member,
                first,
                last,
            } => (member, [first.into(), last.into()]),
            ErrorKind::Capacity {
                what,
                needed,
                available,
            } => (what.number().into(), [needed, available]),
            ErrorKind::Truncated { missing, .. } => (0, [missing, 0]),
            ErrorKind::Torn {
                level,
                declared,
                seen,
            } => (level.into(), [declared.into(), seen.into()]),
        };
        Report {
            rule: error.rule().map(Rule::number),
            field: error.kind.field().map(Field::number),
            index,
            offset: error.offset,
            amounts,
        }
    }
}
