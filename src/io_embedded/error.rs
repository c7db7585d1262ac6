//! Why nothing was read or written.

use core::fmt;

use crate::error::Error;

/// Why a pump has no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PumpError<E> {
    /// What was read breaks a rule, or ends too early; or there is too little room for a descriptor.
    Format(Error),
    /// The driver failed. Nothing is lost: the next call goes on.
    Source(E),
    /// The buffer for reading has no byte.
    NoBuffer,
    /// A read that was dropped may have taken bytes, so that nothing more can be trusted.
    Dropped,
}

impl<E> From<Error> for PumpError<E> {
    fn from(error: Error) -> Self {
        PumpError::Format(error)
    }
}

impl<E: fmt::Display> fmt::Display for PumpError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PumpError::Format(error) => error.fmt(f),
            PumpError::Source(error) => error.fmt(f),
            PumpError::NoBuffer => f.write_str("the buffer for reading has no byte"),
            PumpError::Dropped => f.write_str("a read was dropped that may have taken bytes"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for PumpError<E> {}

/// Why bytes could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum OutputError<E> {
    /// The driver failed.
    Output(E),
    /// The driver took none of the bytes that it was given, and said nothing about it.
    TookNothing,
    /// A write that was dropped may have sent bytes, so that none can be sent behind them.
    Dropped,
}

impl<E: fmt::Display> fmt::Display for OutputError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputError::Output(error) => error.fmt(f),
            OutputError::TookNothing => f.write_str("the output took none of the bytes"),
            OutputError::Dropped => f.write_str("a write was dropped that may have sent bytes"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for OutputError<E> {}
