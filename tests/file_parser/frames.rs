//! Frames and tables of every capacity.

use hrry::owned::GrowFrame;
use hrry::{Error, ErrorKind, Exact, FileParser, FixedFile, InlineArena, Policy, Region, Resource};

use super::{Trace, whole};
use crate::support::regions::ends_at;
use crate::support::trace::{growing_file, trace};
use crate::support::vectors::{Vector, files, named};

fn bounded(v: &Vector, cuts: &[usize], frame: usize) -> Trace {
    let mut frame = vec![0; frame];
    let region = Some(ends_at(&v.bytes));
    let parser = FileParser::with_parts(
        &mut frame[..],
        Exact,
        Vec::new(),
        Vec::new(),
        v.policy,
        region,
    );
    trace(&v.bytes, cuts, parser)
}

/// What a frame is too small for.
fn needed(result: Result<hrry::FileEnd, Error>, available: usize) -> (u64, u64) {
    let error = result.unwrap_err();
    match error.kind() {
        ErrorKind::Capacity {
            what: Resource::Frame,
            needed,
            available: had,
        } => {
            assert_eq!(had, available as u64);
            (needed, error.offset())
        }
        other => panic!("{available}: {other}"),
    }
}

#[test]
fn a_frame_is_large_enough_or_says_so() {
    for v in files()
        .iter()
        .filter(|v| v.accept && v.bytes.len() < 13_000)
    {
        let whole = whole(v);
        let cuts: Vec<usize> = (1..v.bytes.len()).collect();
        let mut frame = 0;
        loop {
            let small = bounded(v, &[], frame);
            if small == whole {
                break;
            }
            assert!(
                whole.entries.starts_with(&small.entries),
                "{} {frame}",
                v.id
            );
            assert_eq!(bounded(v, &cuts, frame), small, "{} {frame}", v.id);
            let (needed, _) = needed(small.result, frame);
            assert!(needed > frame as u64, "{} {frame}", v.id);
            // most sizes below the needed one say the same
            let last = bounded(v, &[], needed as usize - 1);
            assert_eq!(last.entries, small.entries, "{} {frame}", v.id);
            frame = needed as usize;
        }
        assert_eq!(bounded(v, &cuts, frame), whole, "{}", v.id);
    }
}

#[test]
fn what_a_frame_is_too_small_for() {
    let vectors = files();
    // the header; a descriptor of 61 bytes, whose length is known at 64 + 6; an entry with a name of 6
    // bytes fits
    let one = named(&vectors, "f-ok-one");
    for (frame, expected) in [(0, (64, 0)), (1, (64, 0)), (63, (64, 0))] {
        assert_eq!(needed(bounded(one, &[], frame).result, frame), expected);
    }
    assert_eq!(bounded(one, &[], 64), whole(one));
    // 193 bytes of descriptor, which has more than the header
    let csf = named(&vectors, "f-ok-csf");
    assert_eq!(needed(bounded(csf, &[], 192).result, 192), (193, 64 + 6));
    assert_eq!(bounded(csf, &[], 193), whole(csf));
    // a name of 1000 bytes in an index of 8 + 34 + 1000
    let long = named(&vectors, "f-ok-ref-long-name");
    let index = long.bytes.len() as u64 - 40 - 1042;
    assert_eq!(
        needed(bounded(long, &[], 1033).result, 1033),
        (1034, index + 8)
    );
    assert_eq!(bounded(long, &[], 1034), whole(long));
}

#[test]
fn places_are_checked_as_far_as_there_is_room() {
    let vectors = files();
    let v = named(&vectors, "f-ok-index-order");
    let tensors = v.expect["tensors"].as_array().unwrap().len();
    assert_eq!(tensors, 3);
    let whole = whole(v);
    macro_rules! words {
        ($($words:literal)*) => {$({
            let region = Some(Region::Count(3));
            let places = InlineArena::<$words>::new();
            let parser =
                FileParser::with_parts(GrowFrame::new(), Exact, Vec::new(), places, v.policy, region);
            let trace = trace(&v.bytes, &[], parser);
            let end = trace.result.unwrap();
            assert_eq!(end.unchecked.tensors, $words < 4 * tensors);
            assert_eq!(end.unchecked.ranges, $words < 4 * tensors);
            assert_eq!(end.unchecked.names, $words < (4 + SHORT_TEXT) * tensors);
            assert_eq!(trace.entries, whole.entries);
        })*};
    }
    words! { 0 1 3 4 7 8 11 12 13 20 22 23 24 25 30 }
}

#[test]
fn keys_are_told_apart_as_far_as_there_is_room() {
    let vectors = files();
    let v = named(&vectors, "f-ok-kv-limits");
    assert_eq!(v.expect["kv"].as_array().unwrap().len(), KEYS);
    macro_rules! words {
        ($($words:expr),*) => {$({
            let region = Some(Region::Count(0));
            let places = InlineArena::<{ $words }>::new();
            let parser =
                FileParser::with_parts(GrowFrame::new(), Exact, Vec::new(), places, v.policy, region);
            let end = trace(&v.bytes, &[], parser).result.unwrap();
            assert_eq!(end.unchecked.keys, $words < KEYS * SHORT_TEXT);
            // no tensors are no names
            assert!(!end.unchecked.names && !end.unchecked.tensors);
        })*};
    }
    words! { 0, 1, 3, 4, KEYS, KEYS * 3, KEYS * 4 - 1, KEYS * 4, KEYS * 4 + 1 }
}

/// Of `f-ok-kv-limits`.
const KEYS: usize = 6;

/// Words for a name or key of up to 8 bytes.
const SHORT_TEXT: usize = 4;

#[test]
fn without_places_an_entry_may_name_anything() {
    let vectors = files();
    let mut refused = 0;
    for v in vectors.iter().filter(|v| !v.accept) {
        let region = Some(ends_at(&v.bytes));
        let places = InlineArena::<0>::new();
        let parser = FileParser::with_parts(
            GrowFrame::new(),
            Exact,
            Vec::new(),
            places,
            v.policy,
            region,
        );
        let blind = trace(&v.bytes, &[], parser).result;
        let sighted = trace(&v.bytes, &[], growing_file(v.policy, region)).result;
        match blind {
            Err(error) => refused += usize::from(Err(error) == sighted),
            // what only the places tell
            Ok(end) if sighted.is_err() => {
                let rule = sighted.unwrap_err().rule().unwrap().id();
                let said = match rule {
                    "FILE-17" => end.unchecked.names,
                    "FILE-33" => end.unchecked.keys,
                    "FILE-21" | "FILE-23" | "FILE-24" | "FILE-40" => end.unchecked.tensors,
                    _ => false,
                };
                assert!(said, "{}: {rule}", v.id);
            }
            Ok(_) => {}
        }
    }
    assert!(refused > 80, "{refused}");
}

#[test]
fn a_parser_may_be_a_static() {
    static PARSER: FixedFile<64, 0, 0> = FixedFile::new(Policy::STRICT, Some(Region::Count(0)));
    let vectors = files();
    let v = named(&vectors, "f-ok-no-tensors");
    let end = trace(&v.bytes, &[], PARSER.clone()).result.unwrap();
    assert!(!end.unchecked.tensors);
    assert_eq!(end.trailer.index_offset, 64);
}
