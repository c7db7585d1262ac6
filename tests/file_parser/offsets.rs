//! Where errors are, worked out by hand.

use std::sync::LazyLock;

use hrry::{ErrorKind, Field, Policy, Region, Rule, Violation};

use super::Trace;
use crate::support::crc32c;
use crate::support::trace::{growing_file, trace};
use crate::support::vectors::{files, named};

/// `f-ok-one`: a header of 64 bytes, a descriptor of 61 at 64, 48 bytes of data at 4096, an index of 48 bytes
/// at 8192 with one entry, named `weight`, and the trailer at 8240.
const DESCRIPTOR: usize = 64;
const DATA: usize = 4096;
const INDEX: usize = 8192;
/// Behind count, length and name.
const PLACES: usize = INDEX + 8 + 2 + 6;
const TRAILER: usize = INDEX + 48;

struct Case(
    &'static str,
    Field,
    usize,
    &'static [(usize, &'static [u8])],
);

/// Rule, field, offset, and the bytes that are put somewhere.
#[rustfmt::skip]
const CASES: &[Case] = &[
    Case("FILE-01", Field::FileMagic, 0, &[(0, b"h")]),
    Case("FILE-01", Field::FileMagic, 7, &[(7, b"F")]),
    Case("FILE-02", Field::ContainerVersionMajor, 8, &[(8, &[2])]),
    Case("FILE-04", Field::FileHeaderReserved, 10, &[(11, &[1])]),
    Case("FILE-03", Field::FileFlags, 12, &[(15, &[0x80])]),
    Case("FILE-05", Field::DataBufferAlignment, 16, &[(17, &[8])]),
    Case("FILE-06", Field::FirstDescriptorOffset, 20, &[(20, &[68])]),
    Case("FILE-06", Field::FirstDescriptorOffset, 20, &[(20, &[56])]),
    Case("FILE-04", Field::FileHeaderTail, 36, &[(63, &[1])]),
    // 72 is inside the descriptor
    Case("FILE-26", Field::Padding, DESCRIPTOR, &[(20, &[72])]),
    Case("FILE-44", Field::Magic, DESCRIPTOR, &[(64, b"h")]),
    Case("DESC-02", Field::Magic, DESCRIPTOR + 3, &[(67, b"Z")]),
    Case("VER-01", Field::VersionMajor, DESCRIPTOR + 4, &[(68, &[2])]),
    Case("DESC-09", Field::Rank, DESCRIPTOR + 16, &[(80, &[65])]),
    // the last byte of the handle
    Case("BUF-09", Field::HandleReserved, DESCRIPTOR + 60, &[(124, &[1])]),
    Case("FILE-26", Field::Padding, 125, &[(125, &[1])]),
    Case("FILE-26", Field::Padding, DATA - 1, &[(DATA - 1, &[1])]),
    Case("FILE-15", Field::IndexEntryCount, INDEX, &[(INDEX, &[2])]),
    Case("FILE-17", Field::NameLength, INDEX + 8, &[(INDEX + 8, &[0])]),
    Case("FILE-17", Field::Name, INDEX + 10, &[(INDEX + 12, &[0xFF])]),
    Case("FILE-20", Field::DescriptorOffset, PLACES, &[(PLACES, &[65])]),
    Case("FILE-40", Field::DescriptorOffset, PLACES, &[(PLACES, &[72])]),
    Case("FILE-40", Field::DescriptorOffset, PLACES, &[(PLACES + 2, &[1])]),
    Case("FILE-21", Field::EntryDescriptorLength, PLACES + 8, &[(PLACES + 8, &[60])]),
    Case("FILE-23", Field::DataOffset, PLACES + 12, &[(PLACES + 12, &[64])]),
    Case("FILE-22", Field::DataOffset, PLACES + 12, &[(PLACES + 12, &[0, 0])]),
    Case("FILE-24", Field::DataLength, PLACES + 20, &[(PLACES + 20, &[47])]),
    Case("FILE-24", Field::DataLength, PLACES + 20, &[(PLACES + 20, &[49])]),
    Case("FILE-19", Field::EntryFlags, PLACES + 28, &[(PLACES + 31, &[1])]),
    Case("FILE-09", Field::TrailerMagic, TRAILER + 36, &[(TRAILER + 39, b"Z")]),
    Case("FILE-11", Field::IndexOffset, TRAILER, &[(TRAILER + 8, &[49])]),
    Case("FILE-12", Field::IndexOffset, TRAILER, &[(TRAILER, &[1, 0x1F])]),
    Case("FILE-44", Field::IndexOffset, TRAILER, &[(TRAILER, &[0xF8, 0x1F])]),
    Case("FILE-15", Field::IndexLength, TRAILER + 8, &[(TRAILER + 8, &[47])]),
    Case("FILE-44", Field::KvOffset, TRAILER + 16, &[(TRAILER + 16, &[64]), (TRAILER + 24, &[4])]),
    Case("FILE-32", Field::KvOffset, TRAILER + 16, &[(TRAILER + 16, &[64]), (TRAILER + 24, &[3])]),
    Case("FILE-30", Field::KvOffset, TRAILER + 16, &[(12, &[5])]),
    Case("FILE-13", Field::IndexCrc32c, TRAILER + 28, &[(TRAILER + 28, &[0])]),
    Case("FILE-14", Field::IndexCrc32c, TRAILER + 28, &[(12, &[0])]),
    Case("FILE-10", Field::TrailerReserved, TRAILER + 32, &[(TRAILER + 35, &[1])]),
];

/// Breaches of rules that permissive mode relaxes only so far, by their first edit.
const BEYOND: &[(&str, usize, u8)] = &[
    // no name at all, and no UTF-8
    ("FILE-17", INDEX + 8, 0),
    ("FILE-17", INDEX + 12, 0xFF),
    // in range, but not where the data was read
    ("FILE-23", PLACES + 12, 64),
    // no tensor that was read
    ("FILE-40", PLACES, 72),
    // less than the buffer needs
    ("FILE-24", PLACES + 20, 47),
    // no room for a count
    ("FILE-32", TRAILER + 16, 64),
];

/// Behind the last tensor, where only the end of the region tells padding from sections.
#[rustfmt::skip]
const BEHIND: &[Case] = &[
    Case("FILE-26", Field::Padding, DATA + 48, &[(DATA + 48, &[1])]),
    // what starts like a descriptor, where one may be, and where none may be
    Case("FILE-26", Field::Padding, DATA + 48, &[(DATA + 48, b"HRR")]),
    Case("FILE-26", Field::Padding, DATA + 52, &[(DATA + 52, b"HRRY")]),
    // a descriptor of the version 0
    Case("VER-02", Field::VersionMajor, DATA + 48 + 4, &[(DATA + 48, b"HRRY")]),
    Case("FILE-26", Field::Padding, INDEX - 1, &[(INDEX - 1, b"H")]),
];

fn read(edits: &[(usize, &[u8])], region: Region, policy: Policy) -> Trace {
    static BASE: LazyLock<Vec<u8>> = LazyLock::new(|| named(&files(), "f-ok-one").bytes.clone());
    let mut bytes = BASE.clone();
    for (at, put) in edits {
        bytes[*at..at + put.len()].copy_from_slice(put);
    }
    if edits.iter().any(|(at, _)| (INDEX..TRAILER).contains(at)) {
        let sum = crc32c(&bytes[INDEX..TRAILER]);
        bytes[TRAILER + 28..TRAILER + 32].copy_from_slice(&sum.to_le_bytes());
    }
    let whole = trace(&bytes, &[], growing_file(policy, Some(region)));
    let cuts: Vec<usize> = (1..bytes.len()).collect();
    assert_eq!(
        trace(&bytes, &cuts, growing_file(policy, Some(region))),
        whole
    );
    whole
}

#[test]
fn rules_are_broken_where_the_field_is() {
    let end = Region::EndsAt(INDEX as u64);
    CASES
        .iter()
        .for_each(|case| assert_case(case, Region::Count(1)));
    CASES
        .iter()
        .chain(BEHIND)
        .for_each(|case| assert_case(case, end));
}

fn assert_case(Case(id, field, offset, edits): &Case, region: Region) {
    let error = read(edits, region, Policy::STRICT).result.unwrap_err();
    let rule = error.rule().map(Rule::id);
    assert_eq!(
        (rule, error.offset()),
        (Some(*id), *offset as u64),
        "{edits:?} {region:?}"
    );
    let (rule, field, index) = (Rule::from_id(id).unwrap(), *field, 0);
    let violation = Violation { rule, field, index };
    assert_eq!(
        error.kind(),
        ErrorKind::Rule(violation),
        "{edits:?} {region:?}"
    );
}

#[test]
fn permissive_mode_relaxes_what_the_table_says() {
    for Case(id, _, _, edits) in CASES.iter().chain(BEHIND) {
        let rule = Rule::from_id(id).unwrap();
        let result = read(edits, Region::EndsAt(INDEX as u64), Policy::PERMISSIVE).result;
        // as far as what is wrong can be tolerated
        let (place, bytes) = edits[0];
        let tolerable = !BEYOND.contains(&(*id, place, bytes[0]));
        match result {
            Ok(_) => assert!(rule.relaxed() && tolerable, "{id} {edits:?}"),
            Err(error) => {
                let same = error.rule() == Some(rule);
                assert_eq!(
                    same,
                    !rule.relaxed() || !tolerable,
                    "{id} {edits:?}: {error}"
                );
            }
        }
    }
}
