//! A model that has the whole input: a decoder for each place where one could go on.

use hrry::{Error, Event, Fields, FixedDecoder, Policy, Resync};

use super::{All, Told, read, tell};
use crate::support::scale::{Rng, every, scale};
use crate::support::vectors::streams;

/// Small, so that lengths are often too large for it.
type Small = FixedDecoder<200, 24>;

struct Loss {
    from: usize,
    error: Error,
    composites: u8,
}

fn model(input: &[u8], policy: Policy, most: usize) -> All {
    let mut told = Vec::new();
    let mut loss: Option<Loss> = None;
    let mut at = 0;
    loop {
        let refused = match until_refused(input, at, policy, &mut loss, &mut told) {
            Ok(result) => return (told, result),
            Err(refused) => refused,
        };
        let loss = loss.get_or_insert(refused.loss);
        at = (refused.next..input.len())
            .find(|at| b"HRRY".starts_with(&input[*at..input.len().min(at + 4)]))
            .unwrap_or(input.len());
        if at - loss.from > most {
            return (told, Err(loss.error));
        }
    }
}

struct Refused {
    loss: Loss,
    /// Where to look for the next magic.
    next: usize,
}

/// What a decoder tells that starts at a place, and how it ends.
fn until_refused(
    input: &[u8],
    at: usize,
    policy: Policy,
    loss: &mut Option<Loss>,
    told: &mut Vec<Told>,
) -> Result<Result<(), Error>, Refused> {
    let mut decoder = Small::new(policy).with_origin(at as u64);
    let mut rest = &input[at..];
    let (mut start, mut in_tensor) = (at, false);
    loop {
        let depth = decoder.depth();
        match decoder.next_event(&mut rest) {
            Ok(Some(event)) => {
                in_tensor = !matches!(event, Event::TensorEnd(_));
                if let Event::Descriptor(view, _) = &event
                    && let Some(loss) = loss.take()
                {
                    told.push(Told::Lost {
                        from: loss.from as u64,
                        to: view.origin(),
                        error: loss.error,
                        composites: loss.composites,
                    });
                }
                tell(told, &event);
            }
            Ok(None) => {
                return Ok(match loss {
                    Some(loss) => Err(loss.error),
                    None => decoder.finish(),
                });
            }
            Err(error) => {
                let from = if in_tensor { input.len() - rest.len() } else { start };
                let next = from + usize::from(!in_tensor && depth == 0);
                let loss = Loss {
                    from,
                    error,
                    composites: depth,
                };
                return Err(Refused { loss, next });
            }
        }
        if !in_tensor {
            start = input.len() - rest.len();
        }
    }
}


fn assert_as_modelled(input: &[u8], policy: Policy, most: usize, rng: &mut Rng) -> All {
    let expected = model(input, policy, most);
    let resync = || Resync::new(Small::new(policy), most as u64);
    let all = 0..=input.len();
    let random = |rng: &mut Rng| {
        let mut cuts: Vec<usize> = (0..3).map(|_| rng.below(input.len() + 1)).collect();
        cuts.sort_unstable();
        cuts
    };
    assert_eq!(read(resync(), input, []), expected, "whole: {input:02x?}");
    assert_eq!(read(resync(), input, all), expected, "bytes: {input:02x?}");
    for _ in 0..4 {
        let cuts = random(rng);
        let seen = read(resync(), input, cuts.iter().copied());
        assert_eq!(seen, expected, "{cuts:?}: {input:02x?}");
    }
    expected
}

/// Bytes of streams that are short enough to look at often, of any verdict.
fn short_streams() -> Vec<(Vec<u8>, Policy)> {
    let streams = streams().into_iter().filter(|v| (60..700).contains(&v.bytes.len()));
    streams.map(|v| (v.bytes, v.policy)).collect()
}

/// Takes a byte out, doubles it, puts one in, or changes it.
fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.below(bytes.len());
    match rng.below(4) {
        0 => _ = bytes.remove(at),
        1 => bytes.insert(at, bytes[at]),
        2 => bytes.insert(at, rng.next() as u8),
        _ => bytes[at] = rng.next() as u8,
    }
}

#[test]
fn damaged_streams_read_as_modelled() {
    let mut rng = Rng(1);
    let streams = short_streams();
    let (mut whole, mut lost, mut failed) = (0, 0, 0);
    for _ in 0..400 * scale() {
        let mut input = Vec::new();
        let mut policy = Policy::STRICT;
        for _ in 0..3 {
            let (bytes, p) = &streams[rng.below(streams.len())];
            input.extend(bytes);
            policy = *p;
        }
        for _ in 0..rng.below(4) {
            damage(&mut input, &mut rng);
        }
        let most = [5, 300, 1 << 20][rng.below(3)];
        let (told, result) = assert_as_modelled(&input, policy, most, &mut rng);
        let losses = told.iter().filter(|told| matches!(told, Told::Lost { .. }));
        lost += losses.count();
        whole += told.iter().filter(|told| matches!(told, Told::End(_))).count();
        failed += usize::from(result.is_err());
    }
    assert!(whole > 400 && lost > 200 && failed > 20, "{whole}, {lost}, {failed}");
}

/// Pieces that look like the start of a descriptor, in any order, so that starts are found in starts.
#[test]
fn heaps_of_starts_read_as_modelled() {
    let mut rng = Rng(2);
    let streams = short_streams();
    let (mut tensors, mut lost) = (0, 0);
    for _ in 0..600 * scale() {
        let mut input = Vec::new();
        while input.len() < 500 {
            let (bytes, _) = &streams[rng.below(streams.len())];
            let len = [2, 4, 9, 12, 20, 40, 70, 150][rng.below(8)];
            input.extend(&bytes[..len.min(bytes.len())]);
            if rng.below(3) == 0 {
                // a length that reaches over what follows
                let mut start = bytes[..20].to_vec();
                start[6..10].copy_from_slice(&(rng.below(220) as u32).to_le_bytes());
                input.extend(start);
            }
            if rng.below(3) == 0 {
                let (bytes, _) = &streams[rng.below(streams.len())];
                input.extend(bytes);
            }
        }
        let (told, _) = assert_as_modelled(&input, Policy::STRICT, 1 << 20, &mut rng);
        tensors += told.iter().filter(|told| matches!(told, Told::End(_))).count();
        lost += told.iter().filter(|told| matches!(told, Told::Lost { .. })).count();
    }
    assert!(tensors > 200 && lost > 200, "{tensors}, {lost}");
}

/// Every cut, and every pair of cuts of a small stream with damage of every kind.
#[test]
fn cuts_change_nothing() {
    let streams = short_streams();
    let (tensor, _) = streams.iter().find(|(bytes, _)| bytes.len() == 55 + 58).unwrap_or(&streams[0]);
    let mut input = tensor.clone();
    input.extend(b"HRHRRYHRRY\x01\0");
    input.extend(&tensor[..30]);
    input.extend(tensor);
    input.remove(3);
    let expected = model(&input, Policy::STRICT, 1 << 20);
    assert!(expected.0.len() > 2);
    let resync = || Resync::new(Small::new(Policy::STRICT), 1 << 20);
    for first in 0..=input.len() {
        for second in (first..=input.len()).step_by(every(5)) {
            assert_eq!(read(resync(), &input, [first, second]), expected, "{first}, {second}");
        }
    }
}
