//! Every corpus stream, in both modes, whole and in pieces.

use super::agreed_everywhere;
use crate::support::scale::{Rng, every};
use crate::support::trace::{growing, trace};
use crate::support::vectors::{permissive, streams};

#[test]
fn byte_by_byte_and_in_200_random_cuts() {
    let mut rng = Rng(1);
    for v in streams() {
        for policy in [v.policy, permissive(&v.policy)] {
            agreed_everywhere(&v.id, &v.bytes, policy, &mut rng, 200 / every(20));
        }
    }
}

#[test]
fn every_single_cut() {
    let streams = streams();
    for (n, v) in streams.iter().enumerate() {
        if v.bytes.len() > 10_000 {
            continue;
        }
        let step = if v.bytes.len() > 1000 { every(20) } else { 1 };
        let whole = trace(&v.bytes, &[], growing(v.policy));
        for cut in (n % step..=v.bytes.len()).step_by(step) {
            let cut_once = trace(&v.bytes, &[cut], growing(v.policy));
            assert_eq!(cut_once, whole, "{} cut at {cut}", v.id);
        }
    }
}

#[test]
fn every_pair_of_cuts() {
    let step = every(50);
    let mut pair = 0;
    for v in streams() {
        if v.bytes.len() > 300 {
            continue;
        }
        let whole = trace(&v.bytes, &[], growing(v.policy));
        for first in 0..=v.bytes.len() {
            for second in first..=v.bytes.len() {
                pair += 1;
                if pair % step != 0 {
                    continue;
                }
                let cut_twice = trace(&v.bytes, &[first, second], growing(v.policy));
                assert_eq!(cut_twice, whole, "{} cut at {first}, {second}", v.id);
            }
        }
    }
}
