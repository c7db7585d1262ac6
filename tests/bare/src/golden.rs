//! The golden trace: two plain tensors, a partition in a partition, an overlay, groups in a group, and a
//! partition whose members overlap; written down by hand from the fields of the test vectors.

use hrry::{
    Arena, Cover, Field, FixedDecoder, InlineArena, Key, Keyed, Policy, Rule, StreamDecoder,
};

use crate::trace::{Place, Record, Refusal, Trace};

/// The streams, one behind the other.
pub const STREAMS: [&[u8]; 5] = [
    include_bytes!("../../vectors/streams/s-ok-two.bin"),
    include_bytes!("../../vectors/streams/s-ok-part-nested-2.bin"),
    include_bytes!("../../vectors/streams/s-ok-ov-add-overlapping.bin"),
    include_bytes!("../../vectors/streams/s-ok-group-of-groups.bin"),
    include_bytes!("../../vectors/streams/s-bad-overlap-2d.bin"),
];

/// The record of the last stream's refusal follows those of `OK` streams.
const OK: usize = 4;

/// What must come out, as bytes.
pub const TRACE: &[u8] = include_bytes!("golden.postcard");

/// Room for a trace.
pub const ROOM: usize = 512;

const F16: u8 = 1;
const F32: u8 = 3;
const F64: u8 = 4;
const I8: u8 = 16;
const ROW_MAJOR: u8 = 1;
const COMPOSITE: u8 = 11;
const CORRECTION: Option<u8> = Some(0);
const BASE: Option<u8> = Some(1);

pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    let (mut room, mut other) = ([0; ROOM], [0; ROOM]);
    let mut list = Trace::new(&mut other);
    accepted(&mut list);
    let accepted_len = list.bytes().len();
    refused(&mut list);
    check("golden: the file is the list", list.bytes() == TRACE);
    for (name, cut) in [
        ("golden: whole streams", usize::MAX),
        ("golden: byte by byte", 1),
        ("golden: 7 bytes at a time", 7),
        ("golden: 64 bytes at a time", 64),
    ] {
        let decoder = FixedDecoder::<128, 64>::new(Policy::STRICT);
        check(name, replay(decoder, &STREAMS, cut, &mut room) == TRACE);
    }
    // where `Exact` names the overlap on arrival, `Keyed` finds it at the end
    let keyed = Keyed(Key([3, 5]));
    let decoder =
        StreamDecoder::with_parts([0; 128], keyed, InlineArena::<64>::new(), Policy::STRICT);
    let trace = replay(decoder, &STREAMS[..OK], 5, &mut room);
    check("golden: keyed", trace == &TRACE[..accepted_len]);
    #[cfg(feature = "serde")]
    check("golden: a report is encoded as in the trace", report());
}

fn replay<'o, C: Cover, A: Arena>(
    mut decoder: StreamDecoder<[u8; 128], C, A>,
    streams: &[&[u8]],
    cut: usize,
    room: &'o mut [u8],
) -> &'o [u8] {
    let mut trace = Trace::new(room);
    for stream in streams {
        if !trace.stream(&mut decoder, stream, cut) {
            break;
        }
    }
    let len = trace.bytes().len();
    &room[..len]
}

/// The records of the streams that are accepted.
pub fn accepted(out: &mut Trace<'_>) {
    tensor(
        out,
        0,
        F32,
        &[3, 4],
        None,
        None,
        (48, 0xef8c_c9e7),
        [Place::Plain, Place::Plain],
    );
    tensor(
        out,
        109,
        I8,
        &[5],
        None,
        None,
        (5, 0x6c91_523a),
        [Place::Plain, Place::Plain],
    );

    head(out, 167, &[8, 4], None, (1, 2, None));
    let places = [member(1, 0), member(1, 0)];
    tensor(
        out,
        220,
        F32,
        &[4, 4],
        Some(&[0, 0]),
        None,
        (64, 0xe0c4_6bfc),
        places,
    );
    head(out, 377, &[4, 4], Some(&[4, 0]), (2, 2, Some(1)));
    let places = [member(2, 0), member(2, 0)];
    tensor(
        out,
        462,
        F32,
        &[4, 2],
        Some(&[0, 0]),
        None,
        (32, 0x87eb_7013),
        places,
    );
    let places = [member(2, 1), closed(2)];
    tensor(
        out,
        587,
        F32,
        &[4, 2],
        Some(&[0, 2]),
        None,
        (32, 0x216a_1cfa),
        places,
    );

    head(out, 712, &[4, 4], None, (1, 4, None));
    let places = [member(1, 0), member(1, 0)];
    tensor(
        out,
        765,
        F32,
        &[4, 4],
        Some(&[0, 0]),
        BASE,
        (64, 0x6117_1b6e),
        places,
    );
    let places = [member(1, 1), member(1, 1)];
    tensor(
        out,
        938,
        F32,
        &[3, 3],
        Some(&[0, 0]),
        CORRECTION,
        (36, 0xe35b_bd94),
        places,
    );
    let places = [member(1, 2), member(1, 2)];
    tensor(
        out,
        1083,
        F32,
        &[3, 3],
        Some(&[1, 1]),
        CORRECTION,
        (36, 0xe35b_bd94),
        places,
    );
    let places = [member(1, 3), closed(1)];
    tensor(
        out,
        1228,
        F32,
        &[1, 1],
        Some(&[1, 1]),
        CORRECTION,
        (4, 0x39f6_4ae3),
        places,
    );

    head(out, 1341, &[1], None, (1, 2, None));
    head(out, 1386, &[1], None, (2, 2, Some(0)));
    let places = [member(2, 0), member(2, 0)];
    tensor(out, 1431, F32, &[1], None, None, (4, 0x831d_3ddc), places);
    let places = [member(2, 1), closed(1)];
    tensor(out, 1488, F64, &[2], None, None, (16, 0x3b0e_2ced), places);
    head(out, 1557, &[1], None, (2, 1, Some(1)));
    let places = [member(2, 0), closed(2)];
    tensor(out, 1602, F16, &[3], None, None, (6, 0x3822_7376), places);
}

/// The records of the stream that is refused: its second member covers cells of the first.
pub fn refused(out: &mut Trace<'_>) {
    head(out, 1661, &[4, 4], None, (1, 2, None));
    let places = [member(1, 0), member(1, 0)];
    tensor(
        out,
        1714,
        F32,
        &[3, 3],
        Some(&[0, 0]),
        None,
        (36, 0x48b1_2493),
        places,
    );
    out.record(&Record::Refused(Refusal {
        rule: Some(Rule::Overlap.number()),
        field: Some(Field::ParentShape.number()),
        index: 1,
        // the descriptor at 1843 holds 61 bytes before its shard section
        offset: 1904,
        amounts: [0, 0],
    }));
}

const fn member(depth: u8, index: u32) -> Place {
    Place::Member { depth, index }
}

const fn closed(levels: u8) -> Place {
    Place::Closed {
        levels,
        whole: true,
    }
}

/// A head has no payload: its end follows at once.
fn head(
    out: &mut Trace<'_>,
    origin: u64,
    shape: &[u64],
    shard_offset: Option<&[u64]>,
    (depth, members, index): (u8, u32, Option<u32>),
) {
    let place = Place::Opened {
        depth,
        members,
        index,
    };
    out.record(&Record::Descriptor {
        origin,
        element_type: F32,
        layout_tag: COMPOSITE,
        shape,
        shard_offset,
        member_role: None,
        place,
    });
    out.record(&Record::End(place));
}

#[allow(clippy::too_many_arguments)] // a row of a table
fn tensor(
    out: &mut Trace<'_>,
    origin: u64,
    element_type: u8,
    shape: &[u64],
    shard_offset: Option<&[u64]>,
    member_role: Option<u8>,
    (len, crc32c): (u64, u32),
    [place, end]: [Place; 2],
) {
    out.record(&Record::Descriptor {
        origin,
        element_type,
        layout_tag: ROW_MAJOR,
        shape,
        shard_offset,
        member_role,
        place,
    });
    let index = 0;
    out.record(&Record::Buffer { index, len, crc32c });
    out.record(&Record::End(end));
}

/// The last record of the trace is a report behind its tag.
#[cfg(feature = "serde")]
fn report() -> bool {
    let mut decoder = FixedDecoder::<128, 64>::new(Policy::STRICT).with_origin(1661);
    let mut chunk = STREAMS[OK];
    let mut room = [0; 64];
    loop {
        match decoder.next_event(&mut chunk) {
            Ok(Some(_)) => {}
            Ok(None) => return false,
            Err(error) => {
                let report = hrry::Report::from(&error);
                let bytes = postcard::to_slice(&report, &mut room).expect("room");
                return TRACE.ends_with(bytes);
            }
        }
    }
}
