//! A model that has the whole input: a decoder for each place where one could go on.

use hrry::{Error, ErrorKind, Event, Fields, FixedDecoder, Policy, Resync};

use super::{Loss, Told, read};
use crate::support::scale::{Rng, every, scale};
use crate::support::trace::{Entry, record_stream};
use crate::support::vectors::{named, streams};

/// Small, so that lengths are often too large for it.
type Small = FixedDecoder<200, 24>;

struct Model<'a> {
    input: &'a [u8],
    policy: Policy,
    told: Told,
    /// A loss whose end is not known yet.
    loss: Option<Loss>,
    /// Whether a capacity error of that loss was told.
    capacity_told: bool,
}

fn model(input: &[u8], policy: Policy, most: usize) -> Told {
    let mut model = Model {
        input,
        policy,
        told: Told {
            entries: Vec::new(),
            losses: Vec::new(),
            capacities: Vec::new(),
            result: Ok(()),
        },
        loss: None,
        capacity_told: false,
    };
    model.told.result = model.read(most);
    model.told
}

impl Model<'_> {
    fn read(&mut self, most: usize) -> Result<(), Error> {
        let mut at = 0;
        loop {
            let Some((from, next)) = self.read_from(at)? else {
                return Ok(());
            };
            let from = self.loss.map_or(from, |loss| loss.from as usize);
            let len = self.input.len();
            let starts = |at: &usize| b"HRRY".starts_with(&self.input[*at..len.min(at + 4)]);
            at = (next..len).find(starts).unwrap_or(len);
            if at - from > most {
                return Err(self.loss.unwrap().error);
            }
        }
    }

    /// Reads with a decoder that starts at a place, to the end, or to where it refuses: what is lost from
    /// there, and where to look for the next magic.
    fn read_from(&mut self, at: usize) -> Result<Option<(usize, usize)>, Error> {
        let mut decoder = Small::new(self.policy).with_origin(at as u64);
        let mut rest = &self.input[at..];
        // an event more tells of the bytes behind this place
        let (mut told, mut in_tensor) = (at, false);
        loop {
            let composites = decoder.depth();
            match decoder.next_event(&mut rest) {
                Ok(Some(event)) => {
                    in_tensor = !matches!(event, Event::TensorEnd(_));
                    if let Event::Descriptor(view, _) = &event
                        && let Some(mut loss) = self.loss.take()
                    {
                        loss.to = view.origin();
                        self.capacity_told = false;
                        self.told.losses.push((self.told.entries.len(), loss));
                    }
                    record_stream(&mut self.told.entries, event);
                }
                Ok(None) => {
                    return match self.loss {
                        Some(loss) => Err(loss.error),
                        None => decoder.finish().map(|()| None),
                    };
                }
                Err(error) => {
                    let from = told as u64;
                    self.loss.get_or_insert(Loss {
                        from,
                        to: from,
                        composites,
                        error,
                    });
                    if matches!(error.kind(), ErrorKind::Capacity { .. }) && !self.capacity_told {
                        self.capacity_told = true;
                        let place = self.told.entries.len();
                        self.told.capacities.push((place, error));
                    }
                    let again = in_tensor || composites > 0;
                    return Ok(Some((told, told + usize::from(!again))));
                }
            }
            told = self.input.len() - rest.len();
        }
    }
}

fn assert_as_modelled(input: &[u8], policy: Policy, most: usize, rng: &mut Rng) -> Told {
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

fn ends(told: &Told) -> usize {
    let ends = told
        .entries
        .iter()
        .filter(|entry| matches!(entry, Entry::End(_)));
    ends.count()
}

/// Bytes of streams that are short enough to look at often, of any verdict.
fn short_streams() -> Vec<(Vec<u8>, Policy)> {
    let streams = streams()
        .into_iter()
        .filter(|v| (60..700).contains(&v.bytes.len()));
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
    let (mut whole, mut lost, mut failed, mut capacities) = (0, 0, 0, 0);
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
        let told = assert_as_modelled(&input, policy, most, &mut rng);
        lost += told.losses.len();
        whole += ends(&told);
        failed += usize::from(told.result.is_err());
        capacities += told.capacities.len();
    }
    assert!(
        whole > 400 && lost > 200 && failed > 20 && capacities > 50,
        "{whole}, {lost}, {failed}, {capacities}"
    );
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
        let told = assert_as_modelled(&input, Policy::STRICT, 1 << 20, &mut rng);
        tensors += ends(&told);
        lost += told.losses.len();
    }
    assert!(tensors > 200 && lost > 200, "{tensors}, {lost}");
}

/// Every pair of cuts of a small stream with starts inside of starts, and damage at its own start.
#[test]
fn cuts_change_nothing() {
    let streams = streams();
    let tensors = &named(&streams, "s-ok-two").bytes;
    let mut input = [&tensors[3..], b"HRHRRYHRRY\x01\0", &tensors[..30], tensors].concat();
    input[0] = b'X';
    let expected = model(&input, Policy::STRICT, 1 << 20);
    assert_eq!((ends(&expected), expected.losses.len()), (3, 2));
    let resync = || Resync::new(Small::new(Policy::STRICT), 1 << 20);
    for first in 0..=input.len() {
        for second in (first..=input.len()).step_by(every(5)) {
            let cut = read(resync(), &input, [first, second]);
            assert_eq!(cut, expected, "{first}, {second}");
        }
    }
}
