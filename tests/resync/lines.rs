//! Worked out by hand: what is lost, and what is told about it.

use hrry::{
    CombineOp, CompositeHead, CompositionRule, ElementType, ErrorKind, FixedDecoder, Outcome,
    Policy, Resource, Resync, ResyncEvent, Rule,
};

use super::{Told, read};
use crate::support::bytes;
use crate::support::spec::Plain;
use crate::support::trace::Entry;
use crate::support::vectors::{named, streams};

/// Length of a descriptor of rank 1 with one buffer.
const DESCRIPTOR: usize = 20 + 8 + 8 + 1 + 16;

/// Three numbers, 56 bytes.
fn tensor(numbers: [u8; 3]) -> Vec<u8> {
    let mut tensor = bytes::encode(&Plain::new(ElementType::UInt8, &[3], &[3]));
    assert_eq!(tensor.len(), DESCRIPTOR);
    tensor.extend(numbers);
    tensor
}

fn line(most: u64, policy: Policy) -> Resync<[u8; 256], hrry::Exact, hrry::InlineArena<64>> {
    Resync::new(FixedDecoder::new(policy), most)
}

fn read_line(input: &[u8]) -> Told {
    let told = read(line(1000, Policy::STRICT), input, []);
    let bytes = read(line(1000, Policy::STRICT), input, 0..=input.len());
    assert_eq!(bytes, told);
    told
}

/// A loss as it is told: where, of how many composites, and the rule and the place of the first error.
fn losses(told: &Told) -> Vec<([u64; 2], u8, Option<Rule>, u64)> {
    let losses = told.losses.iter().map(|(_, loss)| {
        let error = loss.error;
        (
            [loss.from, loss.to],
            loss.composites,
            error.rule(),
            error.offset(),
        )
    });
    losses.collect()
}

/// Where descriptors start and their outcomes, with the buffers behind them.
fn tensors(told: &Told) -> Vec<(u64, Outcome, Vec<u8>)> {
    let mut tensors = Vec::new();
    for entry in &told.entries {
        match entry {
            Entry::Descriptor {
                origin, outcome, ..
            } => tensors.push((*origin, *outcome, Vec::new())),
            Entry::Buffer { bytes, .. } => tensors.last_mut().unwrap().2.extend(bytes),
            _ => {}
        }
    }
    tensors
}

#[test]
fn noise_between_tensors_is_lost() {
    let input = [&tensor([1, 2, 3])[..], b"HR noise", &tensor([4, 5, 6])].concat();
    let told = read_line(&input);
    let (first, second) = (0, 56 + 8);
    assert_eq!(told.result, Ok(()));
    assert_eq!(
        losses(&told),
        [([56, second], 0, Some(Rule::Magic), 56 + 2)]
    );
    assert_eq!(
        tensors(&told),
        [
            (first, Outcome::Plain, vec![1, 2, 3]),
            (second, Outcome::Plain, vec![4, 5, 6])
        ]
    );
}

/// The start of a descriptor that is said to be 140 bytes long, in front of two tensors of 56.
#[test]
fn tensors_inside_a_refused_descriptor_are_found() {
    let mut start = tensor([0; 3])[..20].to_vec();
    start[6] = 140;
    let input = [
        start,
        tensor([1, 2, 3]),
        tensor([4, 5, 6]),
        tensor([7, 8, 9]),
    ]
    .concat();
    let told = read_line(&input);
    assert_eq!(told.result, Ok(()));
    let losses = losses(&told);
    assert_eq!((losses.len(), losses[0].0), (1, [0, 20]));
    let expected = [(20, [1, 2, 3]), (76, [4, 5, 6]), (132, [7, 8, 9])];
    let expected = expected.map(|(at, bytes)| (at, Outcome::Plain, bytes.to_vec()));
    assert_eq!(tensors(&told), expected);
}

/// The buffer that misses a byte ends with the first of the next tensor, which is lost.
#[test]
fn a_byte_of_payload_takes_the_next_tensor_with_it() {
    let mut input = [[1, 2, 3], [4, 5, 6], [7, 8, 9]].map(tensor).concat();
    input.remove(DESCRIPTOR + 1);
    let told = read_line(&input);
    assert_eq!(told.result, Ok(()));
    assert_eq!(losses(&told), [([56, 111], 0, Some(Rule::Magic), 56)]);
    assert_eq!(
        tensors(&told),
        [
            (0, Outcome::Plain, vec![1, 3, b'H']),
            (111, Outcome::Plain, vec![7, 8, 9])
        ]
    );
}

/// A partition of two single numbers.
fn partition() -> (Vec<u8>, [Vec<u8>; 2]) {
    let head = CompositeHead {
        composition_rule: CompositionRule::Partition,
        combine_op: CombineOp::None,
        member_count: 2,
    };
    let member = |at| {
        let member = Plain::new(ElementType::UInt8, &[1], &[1]).with_shard(&[2], &[at]);
        [bytes::encode(&member), vec![at as u8]].concat()
    };
    let head = bytes::encode(&Plain::head(ElementType::UInt8, &[2], head));
    (head, [member(0), member(1)])
}

#[test]
fn members_of_a_broken_composite_come_out_plain() {
    let (head, [mut first, second]) = partition();
    first[0] = b'X';
    let input = [&head[..], &first, &second].concat();
    let told = read_line(&input);
    let (start, end) = (head.len() as u64, (head.len() + first.len()) as u64);
    assert_eq!(told.result, Ok(()));
    assert_eq!(losses(&told), [([start, end], 1, Some(Rule::Magic), start)]);
    assert_eq!(tensors(&told)[1..], [(end, Outcome::Plain, vec![1])]);
    assert_eq!(told.entries.last(), Some(&Entry::End(Outcome::Plain)));
}

/// No byte is missing that could be told from none, but a member is.
#[test]
fn a_tensor_that_a_composite_refuses_stands_outside_of_it() {
    let (head, [first, _]) = partition();
    let input = [&head[..], &first, &tensor([1, 2, 3])].concat();
    let told = read_line(&input);
    let at = (head.len() + first.len()) as u64;
    assert_eq!(told.result, Ok(()));
    let losses = losses(&told);
    assert_eq!((losses.len(), losses[0].0, losses[0].1), (1, [at; 2], 1));
    assert_eq!(tensors(&told)[2], (at, Outcome::Plain, vec![1, 2, 3]));
}

/// The base of an overlay is lost, which is all that its correction is about.
#[test]
fn a_correction_without_its_base_comes_out_plain() {
    let streams = streams();
    let mut input = named(&streams, "s-ok-ov-spqr").bytes.clone();
    input[53] = b'X'; // the base starts here, the correction at 350
    let told = read_line(&input);
    assert_eq!(told.result, Ok(()));
    assert_eq!(losses(&told), [([53, 350], 1, Some(Rule::Magic), 53)]);
    let tensors = tensors(&told);
    assert_eq!(
        (tensors.len(), tensors[1].0, tensors[1].1),
        (2, 350, Outcome::Plain)
    );
}

#[test]
fn a_loss_at_the_end_is_an_error() {
    let told = read_line(&[&tensor([1, 2, 3])[..], b"HR", &[0; 50]].concat());
    let error = told.result.unwrap_err();
    assert_eq!((error.rule(), error.offset()), (Some(Rule::Magic), 58));
    assert_eq!((tensors(&told).len(), losses(&told).len()), (1, 0));
}

#[test]
fn no_more_than_the_bound_is_skipped() {
    for noise in [99, 100, 101] {
        let input = [vec![0; noise], tensor([1, 2, 3])].concat();
        let whole = read(line(100, Policy::STRICT), &input, []);
        assert_eq!(
            read(line(100, Policy::STRICT), &input, 0..=input.len()),
            whole
        );
        match whole.result {
            Ok(()) => assert_eq!((noise <= 100, whole.entries.len()), (true, 3)),
            Err(error) => {
                assert_eq!((noise, whole.entries.len(), error.offset()), (101, 0, 0));
            }
        }
    }
}

#[test]
fn a_length_beyond_the_ceiling_is_not_waited_for() {
    let mut policy = Policy::STRICT;
    policy.max_descriptor = 64;
    let mut start = tensor([0; 3])[..10].to_vec();
    start[6] = 65;
    let input = [start, tensor([1, 2, 3])].concat();
    let mut resync = line(1000, policy);
    let mut chunk = &input[..10];
    let capacity = ErrorKind::Capacity {
        what: Resource::Frame,
        needed: 65,
        available: 64,
    };
    let event = resync.next_event(&mut chunk).unwrap();
    let Some(ResyncEvent::Capacity(error)) = event else {
        panic!("{event:?}");
    };
    assert_eq!((error.kind(), error.offset()), (capacity, 6));
    assert!(resync.next_event(&mut chunk).unwrap().is_none());
    assert_eq!(resync.lost().map(|error| error.kind()), Some(capacity));
    assert_eq!((resync.offset(), resync.wanted()), (10, 4));
    let mut chunk = &input[10..];
    let event = resync.next_event(&mut chunk).unwrap();
    let Some(ResyncEvent::Lost(lost)) = event else {
        panic!("{event:?}");
    };
    assert_eq!((lost.from, lost.to, lost.error.kind()), (0, 10, capacity));
    assert_eq!((resync.lost(), resync.wanted()), (None, 0));
}

/// A frame or a ceiling of the reader that is too small for every tensor of a sound line is told at the first.
#[test]
fn sizes_that_are_too_small_are_told_at_once() {
    let input = tensor([1, 2, 3]).repeat(5);
    let mut low = Policy::STRICT;
    low.max_buffer = 2;
    let cases = [
        (
            read(
                Resync::new(FixedDecoder::<32, 0>::new(Policy::STRICT), 4096),
                &input,
                [],
            ),
            (Resource::Frame, DESCRIPTOR as u64, 32),
        ),
        (
            read(
                Resync::new(FixedDecoder::<64, 0>::new(low), 4096),
                &input,
                [],
            ),
            (Resource::Buffer, 3, 2),
        ),
    ];
    for (told, (what, needed, available)) in cases {
        let capacity = ErrorKind::Capacity {
            what,
            needed,
            available,
        };
        let [(0, error)] = told.capacities[..] else {
            panic!("{told:?}");
        };
        assert_eq!(error.kind(), capacity);
        assert_eq!((told.entries.len(), told.losses.len()), (0, 0));
        assert_eq!(told.result, Err(error));
    }
}

/// One large tensor among small ones is told once, whatever is found inside of it.
#[test]
fn a_tensor_that_is_too_large_is_told_once() {
    let small = tensor([1, 2, 3]);
    let mut policy = Policy::STRICT;
    policy.max_buffer = 3;
    let large = bytes::encode(&Plain::new(ElementType::UInt8, &[130], &[130]));
    let payload = [&large[..], &large[..], &[0; 24]].concat();
    let input = [&small[..], &large, &payload, &small].concat();
    let told = read(line(1000, policy), &input, 0..=input.len());
    assert_eq!(told.result, Ok(()));
    assert_eq!(told.capacities.len(), 1);
    assert_eq!(losses(&told).len(), 1);
    assert_eq!(losses(&told)[0].0, [56, 56 + 53 + 130]);
    assert_eq!((tensors(&told).len(), told.capacities[0].0), (2, 3));
}

#[test]
fn a_final_error_sticks_until_reset() {
    let mut resync = line(2, Policy::STRICT);
    let mut chunk: &[u8] = b"noise";
    let error = resync.next_event(&mut chunk).unwrap_err();
    assert_eq!(resync.next_event(&mut &b""[..]).unwrap_err(), error);
    assert_eq!((resync.lost(), resync.finish()), (Some(error), Err(error)));
    let offset = resync.offset();
    resync.reset();
    assert_eq!((resync.lost(), resync.finish()), (None, Ok(())));
    let tensor = tensor([1, 2, 3]);
    let mut chunk = &tensor[..];
    let event = resync.next_event(&mut chunk).unwrap();
    let Some(ResyncEvent::Stream(hrry::Event::Descriptor(view, _))) = event else {
        panic!("{event:?}");
    };
    assert_eq!(hrry::Fields::origin(&view), offset);
}

/// Where positions end nothing can follow, whatever comes.
#[test]
fn the_end_of_positions_is_final() {
    for noise in [0, 5] {
        let origin = u64::MAX - 20;
        let decoder = FixedDecoder::<256, 64>::new(Policy::STRICT).with_origin(origin);
        let resync = Resync::new(decoder, u64::MAX);
        let input = [vec![0; noise], tensor([1, 2, 3]).repeat(3)].concat();
        for size in [1, 7, input.len()] {
            let mut resync = resync.clone();
            let result = input.chunks(size).find_map(|mut chunk| {
                loop {
                    match resync.next_event(&mut chunk) {
                        Ok(Some(_)) => {}
                        Ok(None) => return None,
                        Err(error) => return Some(error),
                    }
                }
            });
            let error = result.unwrap();
            let position = ErrorKind::Capacity {
                what: Resource::Position,
                needed: 1,
                available: 0,
            };
            assert_eq!((error.kind(), error.offset()), (position, u64::MAX));
        }
    }
}

/// Where it stands after giving up does not depend on the cut either.
#[test]
fn noise_beyond_the_limit_goes_on_at_one_place() {
    let noise = [0x55; 300];
    for size in [1, 7, 100, 101, 102, 300] {
        let mut resync = line(100, Policy::STRICT);
        let mut errors = Vec::new();
        for mut chunk in noise.chunks(size) {
            loop {
                match resync.next_event(&mut chunk) {
                    Ok(None) => break,
                    Ok(Some(event)) => panic!("{event:?}"),
                    Err(error) => {
                        errors.push(error.offset());
                        resync.reset();
                    }
                }
            }
        }
        assert_eq!((errors, resync.offset()), (vec![0, 101], 300), "{size}");
    }
}
