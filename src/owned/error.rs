//! What owned values and their readers refuse.

use alloc::collections::TryReserveError;
use core::fmt;

use crate::content::ContentError;
use crate::descriptor::{Order, WriteError};
use crate::error::{self, ErrorKind, Violation};
use crate::rule::Rule;
use crate::value::ValueError;

/// Why a value cannot be, or bytes cannot be read.
///
/// What stands behind it is the core's: [`rule`](Self::rule) names the broken rule, [`kind`](Self::kind)
/// and the source hold the core's own error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Bytes that were read are at fault; it says where.
    Format(error::Error),
    /// Values are at fault.
    Refused(ErrorKind),
    /// A composite refuses a member for a reason that has no name of its own here.
    Member {
        /// Its index in the innermost composite around it.
        member: u32,
        /// What is wrong with it.
        kind: ErrorKind,
    },
    /// Two members of a partition overlap (COMP-42).
    CompositePartitionOverlap {
        /// Index of the smaller one.
        a: u32,
        /// Index of the one behind it.
        b: u32,
    },
    /// Members of a partition leave a part of the head uncovered (COMP-43).
    CompositePartitionGap,
    /// The first member of an overlay is not its base (COMP-32).
    CompositeOverlayBaseNotFirst,
    /// The base of an overlay does not span the head (COMP-33).
    CompositeOverlayBaseNotSpanning,
    /// A composite has more or fewer members than its head declares (COMP-49).
    CompositeMemberCountMismatch {
        /// What the head declares.
        declared: u32,
        /// How many there are.
        actual: u32,
    },
    /// A composite needs a head, and the descriptor is that of a tensor.
    HeadExpected,
    /// A tensor has data, and the descriptor is the head of a composite.
    HeadUnexpected,
    /// There are more or fewer buffers than the descriptor has handles.
    BufferCount {
        /// Handles of the descriptor.
        expected: usize,
        /// Buffers.
        actual: usize,
    },
    /// A buffer has another size than its handle.
    BufferSize {
        /// Index in the buffer table.
        buffer: usize,
        /// `byte_size` of the handle.
        expected: u64,
        /// Bytes of the buffer.
        actual: u64,
    },
    /// A writer was called out of order.
    Order(Order),
    /// What is inside a buffer breaks a rule.
    Content(ContentError),
    /// Numbers cannot be read.
    Values(ValueError),
    /// There is no memory for what arrived, or for what was asked for.
    Memory(TryReserveError),
}

/// The rules that have a variant to themselves, by ID.
const NAMED: [(&str, Error); 3] = [
    ("COMP-43", Error::CompositePartitionGap),
    ("COMP-32", Error::CompositeOverlayBaseNotFirst),
    ("COMP-33", Error::CompositeOverlayBaseNotSpanning),
];

impl Error {
    /// The broken rule, if it is one of the format.
    #[must_use]
    pub fn rule(&self) -> Option<Rule> {
        match self {
            Error::Format(error) => error.rule(),
            Error::Refused(kind) | Error::Member { kind, .. } => kind.rule(),
            Error::Content(error) => error.rule(),
            Error::CompositePartitionOverlap { a, b } => overlap(*a, *b).rule(),
            Error::CompositeMemberCountMismatch { .. } => Rule::from_id("COMP-49"),
            Error::Order(order) => Some(order.rule()),
            _ => {
                let (id, _) = NAMED.iter().find(|(_, named)| named == self)?;
                Rule::from_id(id)
            }
        }
    }

    /// What the core says is wrong, where it is the core that says so and the variant keeps it whole.
    #[must_use]
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            Error::Format(error) => Some(error.kind()),
            Error::Refused(kind) | Error::Member { kind, .. } => Some(*kind),
            Error::Content(error) => Some(error.kind),
            Error::CompositePartitionOverlap { a, b } => Some(overlap(*a, *b)),
            _ => None,
        }
    }

    /// Byte offset in what was read, if something was.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            Error::Format(error) => Some(error.offset()),
            _ => None,
        }
    }

    /// The one mapping from the core's errors to the names here.
    pub(crate) fn of(kind: ErrorKind, member: Option<u32>) -> Error {
        let named = |rule: Rule| NAMED.into_iter().find(|(id, _)| *id == rule.id());
        match (kind, member) {
            (ErrorKind::Overlap { member, first, .. }, _) => Error::CompositePartitionOverlap {
                a: first,
                b: member,
            },
            (ErrorKind::Torn { declared, seen, .. }, _) => Error::CompositeMemberCountMismatch {
                declared,
                actual: seen,
            },
            (kind, member) => match (kind.rule().and_then(named), member) {
                (Some((_, error)), _) => error,
                (None, Some(member)) => Error::Member { member, kind },
                (None, None) => Error::Refused(kind),
            },
        }
    }
}

fn overlap(a: u32, b: u32) -> ErrorKind {
    ErrorKind::Overlap {
        member: b,
        first: a,
        last: a,
    }
}

impl From<error::Error> for Error {
    fn from(error: error::Error) -> Self {
        Error::Format(error)
    }
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Error::of(violation.into(), None)
    }
}

impl From<ContentError> for Error {
    fn from(error: ContentError) -> Self {
        Error::Content(error)
    }
}

impl From<ValueError> for Error {
    fn from(error: ValueError) -> Self {
        Error::Values(error)
    }
}

impl From<TryReserveError> for Error {
    fn from(error: TryReserveError) -> Self {
        Error::Memory(error)
    }
}

impl From<WriteError<TryReserveError>> for Error {
    fn from(error: WriteError<TryReserveError>) -> Self {
        match error {
            WriteError::Refused(kind) => Error::of(kind, None),
            WriteError::Order(order) => Error::Order(order),
            WriteError::Sink(error) => Error::Memory(error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Format(error) => error.fmt(f),
            Error::Refused(kind) => kind.fmt(f),
            Error::Member { member, kind } => write!(f, "member {member}: {kind}"),
            Error::CompositePartitionOverlap { a, b } => overlap(*a, *b).fmt(f),
            Error::CompositeMemberCountMismatch { declared, actual } => {
                let rule = self.rule().map_or("", Rule::id);
                write!(
                    f,
                    "{rule}: {actual} members where the head declares {declared}"
                )
            }
            Error::HeadExpected => f.write_str("the descriptor is no head of a composite"),
            Error::HeadUnexpected => f.write_str("the head of a composite is no tensor"),
            Error::BufferCount { expected, actual } => {
                write!(f, "{actual} buffers where the descriptor has {expected}")
            }
            Error::BufferSize {
                buffer,
                expected,
                actual,
            } => write!(
                f,
                "buffer {buffer} has {actual} bytes where its handle states {expected}"
            ),
            Error::Order(order) => order.fmt(f),
            Error::Content(error) => error.fmt(f),
            Error::Values(error) => error.fmt(f),
            Error::Memory(error) => error.fmt(f),
            _ => match self.rule() {
                Some(rule) => write!(f, "{} does not hold: {}", rule.id(), rule.text()),
                None => f.write_str("refused"),
            },
        }
    }
}

// what there is to say is said, and `kind` has it as a value
impl core::error::Error for Error {}
