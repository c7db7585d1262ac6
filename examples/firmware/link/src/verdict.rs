//! What the receiver answers, and how it reads.

use hrry::{Error, FixedDecoder, Lost, Outcome, Policy, Report, Resync};
use serde::{Deserialize, Serialize};

/// What became of the bytes up to a place in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// A tensor, or a head, is whole.
    Whole {
        /// Absolute offset behind it.
        end: u64,
        /// How many composites it closes.
        closed: u8,
    },
    /// Bytes, or open composites, were given up.
    Lost {
        /// Absolute offset of the first byte that is lost.
        from: u64,
        /// Absolute offset behind the last one.
        to: u64,
        /// Composites that were open.
        composites: u8,
        /// What was refused at first.
        why: Report,
    },
    /// The line fell silent inside an item, or brought nothing readable for too long: the receiver starts anew.
    Reset(Report),
}

/// No verdict takes more bytes in postcard: a tag, two offsets of up to ten bytes, a count, and a report of up
/// to 4 + 2 + 5 + 3 * 10.
pub const LONGEST: usize = 63;

impl Verdict {
    /// Of the end of an item at an offset.
    #[must_use]
    pub fn of_end(end: u64, outcome: Outcome) -> Self {
        let closed = match outcome {
            Outcome::Closed { levels, .. } => levels,
            _ => 0,
        };
        Verdict::Whole { end, closed }
    }

    /// The verdict as it goes over the line: in postcard, behind a byte that says its length. None where
    /// that is longer than it can be.
    #[must_use]
    pub fn to_line<'o>(&self, out: &'o mut [u8; 1 + LONGEST]) -> Option<&'o [u8]> {
        let (len, rest) = out.split_first_mut()?;
        let sent = postcard::to_slice(self, rest).ok()?.len();
        *len = u8::try_from(sent).ok()?;
        out.get(..1 + sent)
    }
}

impl From<Lost> for Verdict {
    fn from(lost: Lost) -> Self {
        Verdict::Lost {
            from: lost.from,
            to: lost.to,
            composites: lost.composites,
            why: Report::from(&lost.error),
        }
    }
}

impl From<Error> for Verdict {
    fn from(error: Error) -> Self {
        Verdict::Reset(Report::from(&error))
    }
}

/// The longest descriptor, which the frame has room for.
pub const FRAME: usize = 256;
/// Words for open composites: two partitions of rank 2, or eight groups.
pub const WORDS: usize = 48;
/// The largest buffer that the line carries: a damaged size is not waited for beyond it.
pub const LARGEST: u64 = 1024;
/// Bytes after which a search for the next descriptor is given up.
pub const SEARCHED: u64 = 4096;

/// Reads a line on which bytes get lost.
pub type Line = Resync<[u8; FRAME], hrry::Exact, hrry::InlineArena<WORDS>>;

/// At the start of a line.
#[must_use]
pub const fn line() -> Line {
    let mut policy = Policy::STRICT;
    policy.max_descriptor = FRAME as u32;
    policy.max_buffer = LARGEST;
    Resync::new(FixedDecoder::new(policy), SEARCHED)
}
