//! What a breach in a container is, and where.

use crate::check::Judge;
use crate::error::{Error, Field, Violation};
use crate::rule::Rule;

/// A field of a container and its absolute offset, which tells records of one kind apart.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    field: Field,
    offset: u64,
}

impl Spot {
    pub(crate) const fn new(field: Field, offset: u64) -> Self {
        Spot { field, offset }
    }

    /// Where it is.
    pub(crate) const fn offset(self) -> u64 {
        self.offset
    }

    /// The error of a rule that is broken here.
    pub(crate) fn error(self, rule: Rule) -> Error {
        Error::new(Violation::of(rule, self.field).into(), self.offset)
    }

    /// Requires what must hold here in any mode.
    #[inline]
    pub(crate) fn must(self, holds: bool, rule: Rule) -> Result<(), Error> {
        match holds {
            true => Ok(()),
            false => Err(self.error(rule)),
        }
    }
}

/// Requires what holds, or what the mode relaxes.
#[inline]
pub(crate) fn require<J: Judge>(
    judge: &mut J,
    holds: bool,
    rule: Rule,
    spot: Spot,
) -> Result<(), Error> {
    if holds {
        return Ok(());
    }
    let relaxed = judge.broken(rule, spot.field, 0);
    relaxed.map_err(|_| spot.error(rule))
}

/// The same for a rule that no mode relaxes as far as it is not even `tolerable`.
#[inline]
pub(crate) fn require_within<J: Judge>(
    judge: &mut J,
    holds: bool,
    tolerable: bool,
    rule: Rule,
    spot: Spot,
) -> Result<(), Error> {
    spot.must(tolerable, rule)?;
    require(judge, holds, rule, spot)
}
