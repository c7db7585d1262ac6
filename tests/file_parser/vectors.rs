//! The verdicts of the vectors.

use hrry::owned::GrowFrame;
use hrry::{ErrorKind, Exact, FileParser, FileView, InlineArena, Policy, Region, Resource, Rule};

use super::{Trace, whole};
use crate::support::regions::{count, ends_at};
use crate::support::trace::{growing_file, trace};
use crate::support::vectors::{Vector, files, named};

/// Files that break another rule first when they are read from the front, told where the tensors end: the
/// trailer, which is at fault or says where to look, is not there yet.
const ENDS_AT: &[(&str, &str)] = &[
    // no trailer where it should be: what says where tensors end is something else
    ("f-bad-cut-last-byte", "FILE-44"),
    ("f-bad-extra-byte", "FILE-44"),
    ("f-bad-cut-half", "FILE-08"),
    ("f-bad-only-header-and-trailer-gap", "FILE-08"),
    // zeros are expected up to the end of the region, and a descriptor is there
    ("f-bad-first-max", "FILE-26"),
    // the trailer names a place where no tensor has ended
    ("f-bad-index-max", "FILE-44"),
    ("f-bad-index-misaligned", "FILE-44"),
    ("f-bad-kv-beyond", "FILE-44"),
    ("f-bad-kv-misaligned", "FILE-44"),
    ("f-bad-head-data-length", "FILE-44"),
    ("f-bad-data-huge-buffer", "FILE-44"),
    ("f-bad-data-huge-agreeing", "FILE-44"),
    // the length of a section is not known: the entries go on to the end of the file
    ("f-bad-index-count-max", "FILE-08"),
    ("f-bad-name-overrun", "FILE-08"),
    ("f-bad-kv-key-overrun", "FILE-08"),
    // or into what follows: a key of no bytes
    ("f-bad-kv-count-more", "FILE-33"),
    ("f-bad-kv-count-max", "FILE-33"),
    // no number of tensors, so it is taken for keys: none, and then an index that is not aligned
    ("f-bad-index-count-2e61", "FILE-26"),
    ("f-bad-index-count-2e32", "FILE-26"),
    // outside the region, and how far the file goes is not known
    ("f-bad-desc-beyond", "FILE-40"),
    // one tensor more than were there
    ("f-bad-index-before-tensors", "FILE-15"),
    // at 4116 there is padding, and it is not 0
    ("f-bad-desc-second-misaligned", "FILE-26"),
];

/// The same, told how many tensors there are.
const COUNT: &[(&str, &str)] = &[
    ("f-bad-first-max", "FILE-26"),
    // behind the tensor, at 8192, the index is expected
    ("f-bad-index-misaligned", "FILE-26"),
    ("f-bad-kv-misaligned", "FILE-26"),
    ("f-bad-index-before-tensors", "FILE-26"),
    ("f-bad-desc-second-misaligned", "FILE-26"),
    // so many tensors are not there
    ("f-bad-crc-index-bit-0", "FILE-44"),
    ("f-bad-index-count-more", "FILE-44"),
    ("f-bad-index-count-max", "FILE-44"),
    ("f-bad-index-count-2e61", "FILE-44"),
    ("f-bad-index-count-2e32", "FILE-44"),
    ("f-bad-short-104", "FILE-44"),
    // one more is there, and a descriptor is no section: a key of one byte with the tag 0
    ("f-bad-index-count-less", "FILE-34"),
    ("f-bad-name-overrun", "FILE-08"),
    ("f-bad-kv-key-overrun", "FILE-08"),
    ("f-bad-data-huge-buffer", "FILE-08"),
    ("f-bad-data-huge-agreeing", "FILE-08"),
    ("f-bad-kv-count-more", "FILE-33"),
    ("f-bad-kv-count-max", "FILE-33"),
    ("f-bad-desc-beyond", "FILE-40"),
    // a head with data at 4096, where sections start
    ("f-bad-head-data-length", "FILE-40"),
];

#[test]
fn verdicts_where_the_end_of_tensors_is_known() {
    assert_verdicts(|v| Some(ends_at(&v.bytes)), ENDS_AT);
}

#[test]
fn verdicts_where_the_number_of_tensors_is_known() {
    assert_verdicts(|v| count(&v.bytes), COUNT);
}

/// Of vectors that have such a region, the others aside.
fn assert_verdicts(region: impl Fn(&Vector) -> Option<Region>, other: &[(&str, &str)]) {
    let mut others = 0;
    for v in files() {
        let Some(region) = region(&v) else {
            assert!(!v.accept, "{}", v.id);
            continue;
        };
        let trace = trace(&v.bytes, &[], growing_file(v.policy, Some(region)));
        let rule = match trace.result {
            Ok(end) => {
                assert!(v.accept, "{} was accepted", v.id);
                let open = end.unchecked;
                assert!(!open.tensors && !open.ranges, "{}", v.id);
                assert!(!open.names && !open.keys, "{}", v.id);
                assert_eq!(trace.offset, v.bytes.len() as u64, "{}", v.id);
                continue;
            }
            Err(error) => error
                .rule()
                .map(Rule::id)
                .unwrap_or_else(|| panic!("{}: {error}", v.id)),
        };
        assert!(!v.accept, "{}: {rule}", v.id);
        match other.iter().find(|(id, _)| *id == v.id) {
            Some((id, other)) => {
                assert_eq!(rule, *other, "{id}");
                assert!(
                    !v.rules.iter().any(|id| id == other),
                    "{id} is no exception"
                );
                others += 1;
            }
            None => assert!(v.rules.iter().any(|id| id == rule), "{}: {rule}", v.id),
        }
        // a rule of the same part of the format in any case
        let families: Vec<&str> = v.rules.iter().map(|id| &id[..4]).collect();
        assert!(families.contains(&&rule[..4]), "{}: {rule}", v.id);
    }
    assert_eq!(others, other.len());
}

#[test]
fn the_hint_serves_where_nothing_else_is_known() {
    let read = |id| {
        let vectors = files();
        let v = named(&vectors, id).clone();
        let whole = whole(&v);
        (trace(&v.bytes, &[], growing_file(v.policy, None)), whole)
    };
    let (hinted, whole) = read("f-ok-hint-exact");
    assert!(whole.result.is_ok());
    assert_eq!(hinted, whole);
    // it says 0, and a descriptor is no section: `HRRY` as a count of keys, version 1.0 as the length of the
    // first, and behind its byte a tag of 0
    let (hinted, _) = read("f-ok-hint-zero");
    let error = hinted.result.unwrap_err();
    assert_eq!(error.rule(), Some(Rule::KvValue));
    // nothing says it: 8 + 1 + 1 + 2 + 4 + 4 + 8 bytes in front of the hint
    let (unknown, _) = read("f-ok-one");
    let error = unknown.result.unwrap_err();
    let (what, needed, available) = (Resource::Region, 1, 0);
    assert_eq!(
        error.kind(),
        ErrorKind::Capacity {
            what,
            needed,
            available
        }
    );
    assert_eq!(error.offset(), 28);
    assert!(unknown.entries.is_empty());
}

#[test]
fn a_region_that_is_not_so_is_refused() {
    // a tensor from 64 with data from 4096 to 4144, an index from 8192 to 8240
    let vectors = files();
    let v = named(&vectors, "f-ok-one");
    let read = |region| trace(&v.bytes, &[], growing_file(v.policy, Some(region))).result;
    assert!(read(Region::EndsAt(8192)).is_ok());
    assert!(read(Region::Count(1)).is_ok());
    for region in [
        Region::Count(2),
        Region::EndsAt(8200),
        Region::EndsAt(u64::MAX),
    ] {
        let error = read(region).unwrap_err();
        assert_eq!(
            (error.rule(), error.offset()),
            (Some(Rule::RegionEnd), 8192)
        );
    }
    // inside the data
    let error = read(Region::EndsAt(4143)).unwrap_err();
    assert_eq!(
        (error.rule(), error.offset()),
        (Some(Rule::RegionEnd), 4143)
    );
    for region in [
        Region::Count(0),
        Region::EndsAt(0),
        Region::EndsAt(64),
        Region::EndsAt(4144),
    ] {
        assert!(read(region).is_err(), "{region:?}");
    }
}

#[test]
fn permissive_mode_reads_alike_what_strict_mode_accepts() {
    for v in files().iter().filter(|v| v.accept) {
        let region = Some(ends_at(&v.bytes));
        let permissive = trace(&v.bytes, &[], growing_file(Policy::PERMISSIVE, region));
        assert_eq!(permissive, whole(v), "{}", v.id);
    }
}

/// A file changed at one place, in permissive mode.
fn relaxed(id: &str, at: usize, byte: u8) -> Trace {
    let vectors = files();
    let mut v = named(&vectors, id).clone();
    let region = Some(ends_at(&v.bytes));
    v.bytes[at] = byte;
    trace(&v.bytes, &[], growing_file(Policy::PERMISSIVE, region))
}

#[test]
fn permissive_mode_ignores_padding() {
    let vectors = files();
    let same = whole(named(&vectors, "f-ok-one"));
    // in front of the data, behind it, and what looks like the start of a descriptor
    for (at, byte) in [
        (125, 1),
        (4095, 0xFF),
        (4144, b'H'),
        (4151, b'H'),
        (8191, 1),
    ] {
        assert_eq!(relaxed("f-ok-one", at, byte), same, "{at}");
    }
}

/// `f-ok-one` with an empty key-value section at 4144, right behind the data, and the index behind that.
fn with_no_keys(flags: u8) -> Vec<u8> {
    let vectors = files();
    let one = &named(&vectors, "f-ok-one").bytes;
    let index = &one[8192..8240];
    let trailer = [4152, 48, 4144u64].map(u64::to_le_bytes).concat();
    let mut file = [
        &one[..4144],
        &[0; 8],
        index,
        &trailer,
        &[4, 0, 0, 0],
        &one[8268..],
    ]
    .concat();
    file[12] = flags;
    file
}

#[test]
fn an_empty_key_value_section_is_found() {
    // announced or not: bit 0; bit 2 is the checksum
    for flags in [4, 5] {
        let file = with_no_keys(flags);
        assert!(FileView::open(&file, &Policy::STRICT).is_ok());
        for region in [Region::Count(1), Region::EndsAt(4144)] {
            let trace = trace(&file, &[], growing_file(Policy::STRICT, Some(region)));
            let end = trace.result.unwrap();
            assert_eq!(
                (end.trailer.kv_offset, end.trailer.index_offset),
                (4144, 4152)
            );
        }
    }
    // a section that is longer than its count, or that is no zeros
    for (at, byte) in [(4152 + 48 + 24, 5), (4152 + 48 + 16, 0x38), (4144, 1)] {
        let mut file = with_no_keys(5);
        file[at] = byte;
        for region in [Region::Count(1), Region::EndsAt(4144)] {
            let trace = trace(&file, &[], growing_file(Policy::STRICT, Some(region)));
            assert!(trace.result.is_err(), "{byte} at {at} {region:?}");
        }
    }
}

#[test]
fn no_mode_takes_entries_that_point_behind_the_tensors() {
    let vectors = files();
    // permissive mode does not mind the order of sections, but what is there was not read as a tensor
    for (id, rule) in [
        ("f-bad-desc-beyond", Rule::DataRange),
        ("f-bad-data-beyond", Rule::DataRange),
    ] {
        let v = named(&vectors, id);
        let region = Some(ends_at(&v.bytes));
        let (frame, places) = (GrowFrame::new(), InlineArena::<0>::new());
        let policy = Policy::PERMISSIVE;
        let parser = FileParser::with_parts(frame, Exact, Vec::new(), places, policy, region);
        let error = trace(&v.bytes, &[], parser).result.unwrap_err();
        assert_eq!(error.rule(), Some(rule), "{id}");
    }
}
