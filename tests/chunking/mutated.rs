//! Corpus streams with one byte changed, removed or doubled, and their prefixes.

use super::{agreed, agreed_everywhere};
use crate::support::scale::{Rng, every};
use crate::support::trace::growing;
use crate::support::vectors::{permissive, streams};

/// Streams longer than this are sampled at any scale.
const LONG: usize = 3300;

#[test]
fn one_byte_wrong() {
    let mut rng = Rng(2);
    for v in streams() {
        let step = every(50) * (1 + v.bytes.len() / 1000);
        let mut at = rng.below(step.min(v.bytes.len()));
        while at < v.bytes.len() {
            for (name, input) in mutations(&v.bytes, at, &mut rng) {
                let name = format!("{} {name} at {at}", v.id);
                agreed(&name, &input, &mut rng, 8, || growing(v.policy));
            }
            at += if v.bytes.len() > LONG { 97 } else { 1 } * step;
        }
    }
}

#[test]
fn one_byte_wrong_for_every_machine_and_mode() {
    let mut rng = Rng(3);
    for v in streams() {
        for _ in 0..100 / every(50) {
            let at = rng.below(v.bytes.len().min(LONG));
            for (name, input) in mutations(&v.bytes, at, &mut rng) {
                let name = format!("{} {name} at {at}", v.id);
                let end = input.len().min(LONG);
                for policy in [v.policy, permissive(&v.policy)] {
                    agreed_everywhere(&name, &input[..end], policy, &mut rng, 2);
                }
            }
        }
    }
}

#[test]
fn truncated_everywhere() {
    let mut rng = Rng(4);
    for v in streams() {
        let step = every(30) * if v.bytes.len() > LONG { 97 } else { 1 };
        for end in (0..v.bytes.len()).step_by(step) {
            let name = format!("{} first {end} bytes", v.id);
            agreed(&name, &v.bytes[..end], &mut rng, 8, || growing(v.policy));
        }
    }
}

fn mutations(bytes: &[u8], at: usize, rng: &mut Rng) -> [(&'static str, Vec<u8>); 4] {
    let with = |byte| {
        let mut changed = bytes.to_vec();
        changed[at] = byte;
        changed
    };
    let mut removed = bytes.to_vec();
    removed.remove(at);
    let mut doubled = bytes.to_vec();
    doubled.insert(at, bytes[at]);
    [
        ("bit flipped", with(bytes[at] ^ 1 << rng.below(8))),
        ("byte changed", with(bytes[at] ^ (1 + rng.byte() % 255))),
        ("byte removed", removed),
        ("byte doubled", doubled),
    ]
}
