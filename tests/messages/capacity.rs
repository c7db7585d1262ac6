//! What is too large for a parser is told apart from what is invalid.

use hrry::message::{
    FixedMessages, FixedParallel, LinkOptions, MessageBody, Scope, ShardNumber, Side,
};
use hrry::{CombineOp, CompositeHead, CompositionRule, ElementType, ErrorKind, Policy, Resource};

use crate::support::bytes;
use crate::support::messages::{Entry, Recorder, data, descriptor, end, growing, message, trace};
use crate::support::spec::{Kind, Plain};

fn link() -> LinkOptions {
    let mut options = LinkOptions::new(Side::Server, u32::MAX);
    options.scope = Scope::Tensor;
    options
}

fn too_small(what: Resource, needed: u64, available: u64) -> ErrorKind {
    ErrorKind::Capacity {
        what,
        needed,
        available,
    }
}

fn assert_capacity(input: &[u8], parser: FixedMessages<80, 8, 1>, kind: ErrorKind, at: u64) {
    let error = trace(input, &[], parser.clone()).result.unwrap_err();
    assert_eq!((error.kind(), error.offset()), (kind, at));
    let cuts: Vec<usize> = (0..input.len()).collect();
    assert_eq!(trace(input, &cuts, parser).result, Err(error));
    assert_eq!(error.rule(), None);
    assert_eq!(
        hrry::message::ErrorCode::of(&kind),
        hrry::message::ErrorCode::MessageTooLarge
    );
}

fn small() -> FixedMessages<80, 8, 1> {
    FixedMessages::new(link(), Policy::STRICT)
}

/// uint8 of so many bytes; a descriptor of 53 bytes.
fn tensor(len: u64) -> Vec<u8> {
    bytes::encode(&Plain::new(ElementType::UInt8, &[len], &[len]))
}

fn group(member_count: u32) -> Vec<u8> {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count,
    };
    bytes::encode(&Plain::head(ElementType::UInt8, &[1], head))
}

#[test]
fn a_control_message_that_does_not_fit_the_frame() {
    let fits = message(10, 1, &[7; 80]);
    assert_eq!(trace(&fits, &[], small()).result, Ok(()));
    let kind = too_small(Resource::Frame, 81, 80);
    let input = [fits, message(10, 1, &[7; 81])].concat();
    assert_capacity(&input, small(), kind, 12 + 80 + 8);
    // where only its length came
    assert_capacity(&input[..12 + 80 + 12], small(), kind, 12 + 80 + 8);
    // data is lent, whatever its length
    let input = [
        descriptor(1, &tensor(1000), 1000),
        data(1, 0, &[7; 1000]),
        end(1),
    ]
    .concat();
    assert_eq!(trace(&input, &[], small()).result, Ok(()));
}

#[test]
fn one_stream_too_many() {
    let open = |stream_id| descriptor(stream_id, &tensor(1), 1);
    let kind = too_small(Resource::Streams, 2, 1);
    let input = [open(7), open(9)].concat();
    assert_capacity(&input, small(), kind, 12 + 53 + 16 + 4);
    // the same stream again, and another one after its end
    let done = [open(7), data(7, 0, b"x"), end(7)].concat();
    let input = [done.clone(), done, open(9), data(9, 0, b"x"), end(9)].concat();
    assert_eq!(trace(&input, &[], small()).result, Ok(()));
    // between its members, a composite keeps its place
    let input = [descriptor(7, &group(1), 0), end(7), open(9)].concat();
    assert_capacity(&input, small(), kind, 12 + 45 + 16 + 12 + 4);
    // nothing was lost of the stream that had the place
    let mut recorder = Recorder::new(small());
    recorder.push(&open(7)).unwrap();
    recorder.push(&open(9)).unwrap_err();
    let mut parser = recorder.parser;
    parser.skip_message().unwrap();
    let rest = [data(7, 0, b"x"), end(7)].concat();
    assert_eq!(trace(&rest, &[], parser).result, Ok(()));
    let none = FixedMessages::<80, 8, 0>::new(link(), Policy::STRICT);
    let error = trace(&open(1), &[], none).result.unwrap_err();
    assert_eq!(error.kind(), too_small(Resource::Streams, 1, 0));
}

#[test]
fn positions_end_at_2_to_the_64() {
    let ping = message(10, 1, b"four");
    let at = |origin: u64| small().with_origin(origin);
    let last = trace(&ping, &[], at(u64::MAX - 16));
    assert_eq!((last.result, last.offset), (Ok(()), u64::MAX));
    let kind = too_small(Resource::Position, 4, 3);
    assert_capacity(&ping, at(u64::MAX - 15), kind, u64::MAX - 3);
    let kind = too_small(Resource::Position, 12, 11);
    assert_capacity(&ping, at(u64::MAX - 11), kind, u64::MAX - 11);
    let kind = too_small(Resource::Position, 12, 0);
    assert_capacity(b"\x0A", at(u64::MAX), kind, u64::MAX);
    // there is no message to go on behind
    for origin in [u64::MAX - 15, u64::MAX - 11] {
        let mut parser = at(origin);
        let error = parser.next_event(&mut &ping[..]).unwrap_err();
        assert_eq!(parser.skip_message(), Err(error));
    }
    // data reaches up to the end, and not beyond
    let input = |len: usize| [descriptor(1, &tensor(100), 100), data(1, 0, &vec![7; len])].concat();
    let start = u64::MAX - (81 + 20 + 100);
    let error = trace(&input(100), &[], at(start)).result.unwrap_err();
    assert_eq!(error.offset(), u64::MAX);
    assert_eq!(error.rule().map(|rule| rule.id()), Some("MSG-32"));
    let kind = too_small(Resource::Position, 108, 107);
    assert_capacity(&input(100), at(start + 1), kind, u64::MAX - 107);
}

#[test]
fn places_around_2_to_the_32() {
    let start = u64::from(u32::MAX) - 40;
    let input = [
        descriptor(1, &tensor(2), 2),
        data(1, 0, b"x"),
        data(1, 2, b"y"),
    ]
    .concat();
    let read = trace(&input, &[], small().with_origin(start));
    let Entry::Message { descriptor, .. } = &read.entries[0] else {
        panic!("a descriptor");
    };
    assert_eq!(descriptor.as_ref().unwrap().0, start + 12);
    assert_eq!(read.offset, start + 81 + 21 + 12);
}

/// Four gigabytes and more of one tensor, in frames of up to 2^32 - 1 bytes, from one chunk that is lent again
/// and again.
#[test]
fn data_beyond_2_to_the_32() {
    const CHUNK: usize = 1 << 24;
    let total = 2 * u64::from(u32::MAX) + 9;
    let mut parser = small();
    assert!(
        parser
            .next_event(&mut &descriptor(1, &tensor(total), total)[..])
            .is_ok()
    );
    let zeros = vec![0; CHUNK];
    let mut place = 0;
    while place < total {
        let len = (total - place).min(u64::from(u32::MAX) - 8);
        let header = [5u32, 1, len as u32 + 8].map(u32::to_le_bytes).concat();
        let prefix = [&header[..], &place.to_le_bytes()].concat();
        let event = parser.next_event(&mut &prefix[..]).unwrap().unwrap();
        let MessageBody::TensorData {
            byte_offset_in_buffer,
            len: announced,
        } = event.body
        else {
            panic!("data starts");
        };
        assert_eq!((byte_offset_in_buffer, u64::from(announced)), (place, len));
        let end = place + len;
        while place < end {
            let mut chunk = &zeros[..CHUNK.min((end - place) as usize)];
            let event = parser.next_event(&mut chunk).unwrap().unwrap();
            let MessageBody::Data(data) = event.body else {
                panic!("data goes on");
            };
            assert_eq!(data.offset, place);
            place += data.bytes.len() as u64;
            assert_eq!(data.last, place == end);
        }
    }
    assert!(parser.next_event(&mut &end(1)[..]).unwrap().is_some());
    assert_eq!(parser.finish(), Ok(()));
    assert!(parser.offset() > total);
}

#[test]
fn a_buffer_above_the_ceiling() {
    let mut policy = Policy::STRICT;
    policy.max_buffer = 9;
    let parser = FixedMessages::<80, 8, 1>::new(link(), policy);
    let whole = |len: usize| {
        let len64 = len as u64;
        [
            descriptor(1, &tensor(len64), len64),
            data(1, 0, &vec![0; len]),
            end(1),
        ]
        .concat()
    };
    assert_eq!(trace(&whole(9), &[], parser.clone()).result, Ok(()));
    let kind = too_small(Resource::Buffer, 10, 9);
    // `byte_size` behind 20 + 8 + 8 + 1 bytes
    assert_capacity(&whole(10), parser, kind, 12 + 37);
}

#[test]
fn a_descriptor_above_the_ceiling() {
    let mut policy = Policy::STRICT;
    policy.max_descriptor = 53;
    let parser = |policy| FixedMessages::<80, 8, 1>::new(link(), policy);
    let whole = [descriptor(1, &tensor(0), 0), end(1)].concat();
    assert_eq!(trace(&whole, &[], parser(policy)).result, Ok(()));
    policy.max_descriptor = 52;
    let kind = too_small(Resource::Frame, 53, 52);
    assert_capacity(&whole, parser(policy), kind, 12 + 6);
}

#[test]
fn members_above_the_ceiling() {
    let mut policy = Policy::STRICT;
    policy.max_members = 2;
    let parser = FixedMessages::<80, 8, 1>::new(link(), policy);
    let head = |members| descriptor(1, &group(members), 0);
    let error = trace(&head(2), &[], parser.clone()).result.unwrap_err();
    assert_eq!(error.rule().map(|rule| rule.id()), Some("MSG-32"));
    let kind = too_small(Resource::Members, 3, 2);
    // `member_count` behind 20 + 8 + 8 + 4 bytes
    assert_capacity(&head(3), parser, kind, 12 + 40);
}

#[test]
fn no_room_for_a_composite() {
    let head = CompositeHead {
        composition_rule: CompositionRule::Partition,
        combine_op: CombineOp::None,
        member_count: 2,
    };
    let head = bytes::encode(&Plain::head(ElementType::UInt8, &[2], head));
    let input = [descriptor(1, &head, 0), end(1)].concat();
    let parser = FixedMessages::<80, 0, 1>::new(link(), Policy::STRICT);
    let error = trace(&input, &[], parser).result.unwrap_err();
    let arena = |kind| {
        matches!(
            kind,
            ErrorKind::Capacity {
                what: Resource::Arena,
                available: 0,
                ..
            }
        )
    };
    assert!(arena(error.kind()), "{error}");
    // a parallel transfer needs some as well
    let shard = Plain::new(ElementType::UInt8, &[1], &[1]).with_shard(&[2], &[0]);
    let mut transfer = FixedParallel::<0>::new(Policy::STRICT);
    let number = ShardNumber { index: 0, total: 2 };
    let added = shard.lend(Kind::Native, |spec| transfer.add(spec, number));
    assert!(arena(added.unwrap_err().kind));
}

/// A frame that grows may fail below its limit; what it did not take is still there.
#[test]
fn memory_that_runs_out() {
    struct Scarce(Vec<u8>);
    impl hrry::Storage for Scarce {
        fn limit(&self) -> u64 {
            u64::MAX
        }

        fn append(&mut self, len: usize, bytes: &[u8]) -> Result<(), hrry::NoRoom> {
            if len + bytes.len() > 10 {
                return Err(hrry::NoRoom);
            }
            self.0.truncate(len);
            self.0.extend_from_slice(bytes);
            Ok(())
        }

        fn stored(&self, len: usize) -> &[u8] {
            &self.0[..len]
        }
    }
    let input = [message(10, 1, &[1; 20]), message(10, 2, b"good")].concat();
    for size in [1, 3, 7, 100] {
        let places = crate::support::messages::places(1);
        let frame = Scarce(Vec::new());
        let mut parser =
            hrry::message::MessageParser::with_parts(frame, places, link(), Policy::STRICT);
        let mut good = false;
        for mut chunk in input.chunks(size) {
            loop {
                match parser.next_event(&mut chunk) {
                    Ok(None) => break,
                    Ok(Some(event)) => {
                        assert!(matches!(event.body, MessageBody::Ping(b"good")));
                        good = true;
                    }
                    Err(error) => {
                        let kind = too_small(Resource::Frame, 20, 19);
                        assert_eq!((error.kind(), error.offset()), (kind, 8));
                        parser.skip_message().unwrap();
                    }
                }
            }
        }
        assert!(good, "{size}");
        assert_eq!(parser.finish(), Ok(()));
        assert_eq!(parser.offset(), input.len() as u64);
    }
}

/// A growing frame does not take what was only announced.
#[test]
fn what_is_announced_costs_nothing() {
    let mut options = link();
    options.scope = Scope::Message;
    let header = [10u32, 1, 1 << 30].map(u32::to_le_bytes).concat();
    let parser = growing(options, Policy::STRICT);
    let error = trace(&header, &[], parser).result.unwrap_err();
    assert_eq!(error.rule().map(|rule| rule.id()), Some("MSG-01"));
}
