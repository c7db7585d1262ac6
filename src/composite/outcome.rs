//! What the validator says about an item.

use super::cover::Method;
use crate::descriptor::DescriptorView;
use crate::error::{Error, ErrorKind, Field, Resource};
use crate::rule::Rule;
use crate::wire::descriptor::HEADER;
use crate::wire::{index, length};

/// The place of an item among composites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Outcome {
    /// A tensor outside every composite.
    Plain,
    /// A head: its members follow.
    Opened {
        /// Levels that are open now, this one included.
        depth: u8,
        /// Items that follow and belong to it.
        members: u32,
        /// Its index in the enclosing composite, if there is one.
        index: Option<u32>,
    },
    /// A tensor in a composite that goes on.
    Member {
        /// Levels that are open.
        depth: u8,
        /// Its index in the innermost one.
        index: u32,
    },
    /// The end of an item that was the last member of one or more composites.
    Closed {
        /// How many levels close.
        levels: u8,
        /// The rule that keeps the composite from being whole; only permissive mode gets here with one.
        complete: Result<(), Rule>,
        /// How the partitions among them were checked: keyed if one of them was.
        method: Option<Method>,
    },
}

/// Why an item or an end was refused, without a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SetError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// [`Fields::origin`](crate::Fields::origin) of the descriptor that the kind speaks of: the item
    /// itself, or the head of the composite that should have closed.
    pub origin: u64,
}

impl SetError {
    /// The error with its position: in the descriptor of the item that arrived, if it speaks of that, or in
    /// the head of a composite that closes, of which only the shape is ever named.
    #[cold]
    #[must_use]
    pub fn placed(self, item: Option<&DescriptorView<'_>>) -> Error {
        let (field, element) = match self.kind {
            ErrorKind::Rule(violation) => (violation.field, violation.index),
            ErrorKind::Overlap { .. } => (Field::ParentShape, 0),
            ErrorKind::Capacity {
                what: Resource::Members,
                ..
            } => (Field::MemberCount, 0),
            _ => (Field::Magic, 0),
        };
        let start = match item {
            Some(view) if field != Field::Magic => view
                .locate(field, index(element))
                .map_or(0, |range| range.start.into()),
            _ if field == Field::Shape => length(HEADER),
            _ => 0,
        };
        Error::new(self.kind, self.origin.wrapping_add(start))
    }
}

impl core::fmt::Display for SetError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.kind.fmt(f)
    }
}

impl core::error::Error for SetError {}
