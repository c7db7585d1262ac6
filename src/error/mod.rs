//! Errors as values: what is wrong, which rule says so, where it is.
//!
//! Depends on [`rule`](crate::rule). An error is `Copy`, holds no text and no borrowed data, and keeps
//! "the bytes are wrong" apart from "this build is too small".

mod field;
mod report;

use core::fmt;

pub use field::Field;
pub use report::Report;

use crate::rule::Rule;

/// A broken rule, without a position: what a check returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Violation {
    /// The rule that is broken.
    pub rule: Rule,
    /// The field that breaks it.
    pub field: Field,
    /// Which element of the field: a dimension, a buffer; for tile arrays `level * rank + dimension`,
    /// for other tile fields the level; 0 for single fields.
    pub index: u32,
}

impl Violation {
    /// Of a rule by a single field.
    pub(crate) const fn of(rule: Rule, field: Field) -> Self {
        let index = 0;
        Violation { rule, field, index }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { rule, field, index } = self;
        let (id, text) = (rule.id(), rule.text());
        write!(f, "{id} does not hold: {text} ({}", field.name())?;
        if *index > 0 {
            write!(f, "[{index}]")?;
        }
        f.write_str(")")
    }
}

impl core::error::Error for Violation {}

/// What a build, a storage or a policy has too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
#[non_exhaustive]
pub enum Resource {
    /// Bytes of the descriptor frame, or the policy's `max_descriptor`.
    Frame,
    /// Bytes of one buffer: the policy's `max_buffer`, or those that a check of contents was given.
    Buffer,
    /// Members of one composite: the policy's `max_members`.
    Members,
    /// 64-bit words of the composite arena, or of lent scratch space.
    Arena,
    /// Axes that members split, in the whole-set cover check.
    SplitAxes,
    /// Bytes of the stream or file: positions end at 2^64 - 1.
    Position,
    /// Bytes of the index of a file that is written.
    Index,
    /// Ways to tell where the tensors of a container end, for a reader that takes it front to back.
    Region,
    /// Streams of a link with open tensors or composites.
    Streams,
}

impl Resource {
    /// What it is counted in.
    const fn unit(self) -> &'static str {
        match self {
            Resource::Frame => "bytes of frame",
            Resource::Buffer => "bytes of a buffer",
            Resource::Members => "members of a composite",
            Resource::Arena => "64-bit words",
            Resource::SplitAxes => "split axes",
            Resource::Position => "positions",
            Resource::Index => "bytes of index",
            Resource::Region => "word on where the tensors end",
            Resource::Streams => "open streams",
        }
    }

    /// The number that stands for it in a [`Report`].
    #[must_use]
    #[allow(clippy::as_conversions)] // reading a discriminant has no other spelling
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// Why reading or validating stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes break the format.
    Rule(Violation),
    /// Two members of a partition overlap (COMP-42).
    Overlap {
        /// The arriving member.
        member: u32,
        /// First of the members that the other box was merged from.
        first: u32,
        /// Last of them; equal to `first` where the other member is known exactly.
        last: u32,
    },
    /// This build or policy is too small for the input, which may be valid.
    Capacity {
        /// What there is too little of.
        what: Resource,
        /// How much the input needs.
        needed: u64,
        /// How much there is.
        available: u64,
    },
    /// The input ended inside a descriptor or buffer.
    Truncated {
        /// The rule that the end breaks.
        rule: Rule,
        /// Bytes missing to the end of what was being read.
        missing: u64,
    },
    /// The input ended inside a composite (COMP-48).
    Torn {
        /// Depth of the innermost open composite, from 1.
        level: u8,
        /// Members it announced.
        declared: u32,
        /// Members that arrived whole.
        seen: u32,
    },
}

/// An error with its place in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind, offset: u64) -> Self {
        Error { kind, offset }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Absolute byte offset: the first byte of the field at fault; the end of the input where that
    /// came too early.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The broken rule; none for [`ErrorKind::Capacity`].
    #[must_use]
    pub const fn rule(&self) -> Option<Rule> {
        self.kind.rule()
    }
}

impl ErrorKind {
    /// The broken rule; none for [`ErrorKind::Capacity`].
    #[must_use]
    pub const fn rule(&self) -> Option<Rule> {
        match self {
            ErrorKind::Rule(violation) => Some(violation.rule),
            ErrorKind::Truncated { rule, .. } => Some(*rule),
            ErrorKind::Overlap { .. } => Some(Rule::Overlap),
            ErrorKind::Torn { .. } => Some(Rule::Torn),
            ErrorKind::Capacity { .. } => None,
        }
    }

    /// The field at fault, for a broken rule.
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        match self {
            ErrorKind::Rule(violation) => Some(violation.field),
            ErrorKind::Overlap { .. } => Some(Field::ParentShape),
            _ => None,
        }
    }
}

impl From<Violation> for ErrorKind {
    fn from(violation: Violation) -> Self {
        ErrorKind::Rule(violation)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(rule), false) = (self.rule(), matches!(self, ErrorKind::Rule(_))) {
            write!(f, "{}: ", rule.id())?;
        }
        match self {
            ErrorKind::Rule(violation) => violation.fmt(f),
            ErrorKind::Overlap {
                member,
                first,
                last,
            } if first == last => write!(f, "member {member} overlaps member {first}"),
            ErrorKind::Overlap {
                member,
                first,
                last,
            } => write!(
                f,
                "member {member} overlaps one of the members {first} to {last}"
            ),
            ErrorKind::Capacity {
                what,
                needed,
                available,
            } => {
                let unit = what.unit();
                write!(
                    f,
                    "too little room: {unit}: {needed} needed, {available} there"
                )
            }
            ErrorKind::Truncated { missing, .. } => {
                let unit = if *missing == 1 { "byte" } else { "bytes" };
                write!(f, "the input ends {missing} {unit} early")
            }
            ErrorKind::Torn {
                level,
                declared,
                seen,
            } => write!(
                f,
                "the composite at level {level} has {seen} of {declared} members"
            ),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn texts_say_what_and_where() {
        let text = |kind| Error::new(kind, 45).to_string();
        let violation = |index| {
            ErrorKind::Rule(Violation {
                rule: Rule::RankLimit,
                field: Field::Rank,
                index,
            })
        };
        let truncated = |missing| ErrorKind::Truncated {
            rule: Rule::StreamTruncated,
            missing,
        };
        let overlap = |first, last| ErrorKind::Overlap {
            member: 7,
            first,
            last,
        };
        let torn = ErrorKind::Torn {
            level: 2,
            declared: 4,
            seen: 3,
        };
        let capacity = |what, needed, available| ErrorKind::Capacity {
            what,
            needed,
            available,
        };
        let texts = [
            (
                violation(0),
                "DESC-09 does not hold: rank is at most 64 (rank)",
            ),
            (
                violation(3),
                "DESC-09 does not hold: rank is at most 64 (rank[3])",
            ),
            (truncated(1), "STREAM-04: the input ends 1 byte early"),
            (truncated(2), "STREAM-04: the input ends 2 bytes early"),
            (overlap(4, 4), "COMP-42: member 7 overlaps member 4"),
            (
                overlap(2, 5),
                "COMP-42: member 7 overlaps one of the members 2 to 5",
            ),
            (torn, "COMP-48: the composite at level 2 has 3 of 4 members"),
            (
                capacity(Resource::Frame, 300, 256),
                "too little room: bytes of frame: 300 needed, 256 there",
            ),
            (
                capacity(Resource::Arena, 1, 0),
                "too little room: 64-bit words: 1 needed, 0 there",
            ),
        ];
        for (kind, wanted) in texts {
            assert_eq!(text(kind), std::format!("{wanted} at byte 45"));
        }
    }
}
