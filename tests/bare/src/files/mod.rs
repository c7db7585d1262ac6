//! Containers cut and changed, through the three readers: the same verdicts on every target, and those that
//! the format demands.

mod contents;
mod readers;
mod samples;
mod sweep;

pub(crate) use contents::Fold;
pub use samples::SAMPLES;
use sweep::every;
pub use sweep::{Room, sweep};

use hrry::Policy;
use readers::{in_memory, in_ranges, pushed};

// on a small target its frame must not be part of its caller's
#[inline(never)]
pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    let mut room = Room::EMPTY;
    // the interpreter has no time for the large ones, and goes through some changes of the others
    let most = if cfg!(miri) { 1000 } else { usize::MAX };
    for sample in SAMPLES.iter().filter(|sample| sample.bytes.len() < most) {
        check(sample.whole, whole(sample, &mut room));
        let tally = sweep(sample, &mut room);
        check(sample.cut, tally.cut);
        check(sample.changed, tally.changed);
        if !cfg!(miri) {
            let told = (tally.accepted, tally.digest);
            check(sample.told, told == (sample.accepted, sample.digest));
        }
    }
}

/// Every value of every byte, or every `step`th: more than emulators have time for.
pub fn run_every(step: usize, check: &mut dyn FnMut(&'static str, bool)) {
    let mut room = Room::EMPTY;
    for sample in &SAMPLES {
        check(sample.every, every(sample, &mut room, step));
    }
}

/// Whether the readers tell the same of the whole file, however it is cut.
fn whole(sample: &samples::Sample, room: &mut Room) -> bool {
    let Room {
        file,
        storage,
        words,
    } = room;
    let file = sample.put(file);
    let region = sample.region();
    [Policy::STRICT, Policy::PERMISSIVE].iter().all(|policy| {
        let told = in_memory(file, policy, words);
        let pushed = |cut| pushed(file, policy, region, cut).map(|(told, _)| told);
        told.is_ok()
            && in_ranges(file, policy, storage, words) == told
            && [1, 7, 64, usize::MAX]
                .into_iter()
                .all(|cut| pushed(cut) == told)
    })
}
