//! Every length and every changed byte of a sample.

use hrry::{Error, ErrorKind, Policy, Report, Rule, Unchecked};

use super::contents::Fold;
use super::readers::{Verdict, composites, in_memory, in_ranges, pushed};
use super::samples::{LARGEST, Sample};

/// Memory that readers take.
pub struct Room {
    pub file: [u8; LARGEST],
    pub storage: [u8; 512],
    pub words: [u64; 16],
}

impl Room {
    pub const EMPTY: Room = Room {
        file: [0; LARGEST],
        storage: [0; 512],
        words: [0; 16],
    };
}

/// What came of it.
pub struct Tally {
    /// Whether every file that was cut was refused for the right reason.
    pub cut: bool,
    /// Whether readers agreed on every file that was changed, and were right where that is known.
    pub changed: bool,
    /// How many changed files `FileView` accepts in strict mode, composites included.
    pub accepted: u32,
    /// All verdicts on changed files.
    pub digest: u64,
}

/// What a byte becomes.
const CHANGES: [u8; 3] = [0x01, 0x80, 0xFF];

/// One of so many bytes of padding is changed, and of all for the interpreter.
const PADDING_STEP: usize = 61;
const STEP: usize = if cfg!(miri) { 151 } else { 1 };

pub fn sweep(sample: &Sample, room: &mut Room) -> Tally {
    let mut tally = Tally {
        cut: true,
        changed: true,
        accepted: 0,
        digest: 0,
    };
    for len in (0..sample.bytes.len()).step_by(STEP) {
        tally.cut &= cut(sample, len, room);
    }
    let mut fold = Fold::new();
    for at in (0..sample.bytes.len()).step_by(STEP) {
        if sample.is_padding(at) && at % PADDING_STEP != 0 && sample.bytes.len() > 1000 {
            continue;
        }
        for change in CHANGES {
            for policy in [&Policy::STRICT, &Policy::PERMISSIVE] {
                let verdicts = Verdicts::new(sample, (at, change), policy, room);
                tally.changed &= verdicts.are_right(sample, at, policy);
                let whole = verdicts.view.is_ok() && verdicts.composites.is_ok();
                tally.accepted += u32::from(whole && *policy == Policy::STRICT);
                verdicts.fold(&mut fold);
            }
        }
    }
    tally.digest = fold.0;
    tally
}

/// Whether readers are right about every value of every byte, or every `step`th.
pub fn every(sample: &Sample, room: &mut Room, step: usize) -> bool {
    let mut right = true;
    for at in 0..sample.bytes.len() {
        let step = match sample.is_padding(at) {
            true => step.max(PADDING_STEP),
            false => step,
        };
        for change in (1..=u8::MAX).skip(at % step).step_by(step) {
            let policy = &Policy::STRICT;
            let verdicts = Verdicts::new(sample, (at, change), policy, room);
            right &= verdicts.are_right(sample, at, policy);
        }
    }
    right
}

/// Whether all readers refuse the first `len` bytes where they end.
fn cut(sample: &Sample, len: usize, room: &mut Room) -> bool {
    let Room {
        file,
        storage,
        words,
    } = room;
    let file = &sample.put(file)[..len];
    let end = len as u64;
    let short = |error: Error| error.rule() == Some(Rule::FileLength) && error.offset() == end;
    let policy = &Policy::STRICT;
    let Err(seeking) = in_memory(file, policy, words) else {
        return false;
    };
    // header and trailer have 104 bytes, the magic of the trailer is the last four
    let right = match (len, sample.like_an_end) {
        (..104, _) => short(seeking),
        (_, Some(like)) if like == len => seeking.rule() == Some(Rule::IndexRange),
        _ => seeking.rule() == Some(Rule::TrailerMagic) && seeking.offset() == end - 4,
    };
    right
        && in_ranges(file, policy, storage, words) == Err(seeking)
        && pushed(file, policy, sample.region(), usize::MAX).is_err_and(short)
}

/// What the readers say of one file.
struct Verdicts {
    view: Verdict,
    composites: Result<(), Error>,
    ranges: Verdict,
    parser: Result<(u64, Unchecked), Error>,
}

impl Verdicts {
    /// Of a sample with a byte changed.
    fn new(sample: &Sample, (at, change): (usize, u8), policy: &Policy, room: &mut Room) -> Self {
        let Room {
            file,
            storage,
            words,
        } = room;
        let file = sample.put(file);
        file[at] ^= change;
        Verdicts {
            view: in_memory(file, policy, words),
            composites: composites(file, policy, words),
            ranges: in_ranges(file, policy, storage, words),
            parser: pushed(file, policy, sample.region(), usize::MAX),
        }
    }

    /// Ranges give what memory gives. In strict mode, what a parser accepts has the same contents in memory,
    /// what only a parser refuses is a matter of places, and some things can be told without reading.
    fn are_right(&self, sample: &Sample, at: usize, policy: &Policy) -> bool {
        let strict = *policy == Policy::STRICT;
        self.same() && (!strict || self.agree() && self.known(sample, at))
    }

    /// Only a length that the room has not is refused for want of room, where the slice says that it is wrong.
    fn same(&self) -> bool {
        let long = |error: Error| matches!(error.kind(), ErrorKind::Capacity { needed: 513.., .. });
        let wrong = |error: Error| error.rule() == Some(Rule::EntryLength);
        self.view == self.ranges || self.ranges.is_err_and(long) && self.view.is_err_and(wrong)
    }

    fn agree(&self) -> bool {
        let whole = self.view.is_ok() && self.composites.is_ok();
        match &self.parser {
            Ok((told, unchecked)) => {
                let open = unchecked.names || unchecked.keys || unchecked.tensors;
                open || whole && self.view == Ok(*told)
            }
            Err(error) => {
                let places = [Rule::Padding, Rule::RegionEnd].map(Some);
                !whole || places.contains(&error.rule())
            }
        }
    }

    fn known(&self, sample: &Sample, at: usize) -> bool {
        let place = at as u64;
        let stray = |error: &Error| error.rule() == Some(Rule::Padding) && error.offset() == place;
        if sample.is_padding(at) {
            self.view.is_ok() && self.parser.as_ref().is_err_and(stray)
        } else if sample.is_free(at) {
            self.view.is_ok() && self.parser.is_ok()
        } else {
            !sample.is_fixed(at) || self.view.is_err() && self.parser.is_err()
        }
    }

    fn fold(&self, fold: &mut Fold) {
        verdict(fold, &self.view);
        verdict(fold, &self.composites.map(|()| 0));
        verdict(
            fold,
            &self
                .parser
                .as_ref()
                .map(|(told, _)| *told)
                .map_err(|error| *error),
        );
    }
}

fn verdict(fold: &mut Fold, verdict: &Verdict) {
    match verdict {
        Ok(told) => fold.number(*told),
        Err(error) => {
            let report = Report::from(error);
            fold.number(report.rule.unwrap_or(0).into());
            fold.number(report.field.unwrap_or(0).into());
            fold.number(report.offset);
            fold.number(report.amounts[0]);
            let capacity = matches!(error.kind(), ErrorKind::Capacity { .. });
            fold.number(capacity.into());
        }
    }
}
