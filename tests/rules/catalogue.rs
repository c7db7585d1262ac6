//! The table is complete: an ID of the catalogue is a row, or nothing can break it.

use std::collections::BTreeSet;

use hrry::{Permissive, Rule};

/// Families and how many IDs each has.
pub(crate) const FAMILIES: [(&str, u32); 14] = [
    ("DESC", 22),
    ("TYPE", 15),
    ("LAYOUT", 50),
    ("BUF", 27),
    ("QUANT", 38),
    ("SHARD", 5),
    ("STAT", 10),
    ("EXT", 10),
    ("MEMBER", 4),
    ("COMP", 57),
    ("STREAM", 14),
    ("VER", 13),
    ("FILE", 46),
    ("MSG", 46),
];

/// IDs that are no rows, and why.
pub(crate) const UNBREAKABLE: &[(&str, &str)] = &[
    ("DESC-01", "byte order has no wrong bytes"),
    ("DESC-10", "every number is a dimension"),
    ("DESC-11", "says what rank 0 means"),
    ("DESC-15", "says that a tail is skipped"),
    ("DESC-17", "says that checks wait for dynamic dimensions"),
    ("DESC-18", "says that a zero dimension wins"),
    ("DESC-20", "says that an empty tensor is legal"),
    ("DESC-22", "a limit of the reader is a capacity, not a rule"),
    ("TYPE-03", "says that private types are read"),
    ("TYPE-04", "asks for support of all Tier 1 types"),
    ("TYPE-06", "elements are never converted"),
    ("TYPE-12", "a formula; what breaks it is LAYOUT-05"),
    ("TYPE-13", "says where packed data starts"),
    ("TYPE-14", "says in which order complex parts stand"),
    ("TYPE-15", "speaks of conversions"),
    ("LAYOUT-08", "asks for support of all strides"),
    ("LAYOUT-15", "forbids reading padding"),
    ("LAYOUT-47", "says that pages may be shared"),
    ("LAYOUT-48", "forbids reading past a sequence"),
    ("LAYOUT-50", "forbids interpreting opaque data"),
    ("BUF-08", "says that an empty buffer has any alignment"),
    ("BUF-20", "an option of writers"),
    ("BUF-21", "speaks of memory, not of bytes"),
    ("BUF-22", "forbids touching empty buffers"),
    ("BUF-23", "speaks of memory after a hand-over"),
    ("BUF-25", "speaks of the order of accesses"),
    ("BUF-26", "speaks of releasing memory"),
    ("BUF-27", "speaks of device pointers"),
    (
        "QUANT-31",
        "says that padding of a partial block is ignored",
    ),
    ("QUANT-32", "keeps the rules of schemes apart"),
    ("QUANT-38", "says when checks may run"),
    ("SHARD-05", "says that empty shards are legal"),
    (
        "STAT-03",
        "says that fields which are not valid hold anything",
    ),
    ("STAT-09", "says that statistics are hints"),
    ("STAT-10", "advice to writers"),
    ("EXT-09", "says that two fields of integers are ignored"),
    ("EXT-10", "a formula"),
    ("MEMBER-04", "says that a member is legal on its own"),
    ("COMP-15", "says that an empty group is legal"),
    ("COMP-16", "says what a head may carry"),
    ("COMP-17", "a head has no data to reach"),
    ("COMP-18", "says which items belong to a head"),
    ("COMP-19", "says in which order members count"),
    ("COMP-21", "an order that bytes cannot break"),
    ("COMP-22", "speaks of copying"),
    ("COMP-37", "says what groups do not ask for"),
    ("COMP-38", "says what may differ between members"),
    ("COMP-39", "says what follows from another rule"),
    ("COMP-40", "says what follows from another rule"),
    ("COMP-41", "says when a composite closes"),
    ("COMP-44", "says that an empty box covers nothing"),
    ("COMP-45", "asks for exact arithmetic"),
    ("COMP-46", "says what overlays do not ask for"),
    ("COMP-47", "says what groups do not ask for"),
    ("COMP-50", "too little storage is a capacity, not a rule"),
    ("COMP-51", "speaks of lookups"),
    ("COMP-52", "speaks of lookups"),
    ("COMP-53", "speaks of lookups"),
    ("COMP-54", "speaks of lookups"),
    ("COMP-55", "speaks of lookups"),
    ("COMP-56", "speaks of lookups"),
    ("STREAM-01", "says what a stream is"),
    ("STREAM-02", "says what a tensor is"),
    ("STREAM-03", "says where a stream may end"),
    ("STREAM-06", "says what a composite is"),
    ("STREAM-07", "speaks of reading in pieces"),
    (
        "STREAM-13",
        "a limit of the reader is a capacity, not a rule",
    ),
    ("STREAM-14", "says that dynamic tensors are read"),
    ("VER-03", "says that a later minor version is read"),
    ("VER-05", "there is no earlier minor version"),
    ("VER-06", "keeps the versions apart"),
    ("VER-07", "writers emit constants"),
    ("VER-08", "writers emit constants"),
    ("VER-09", "speaks of copying"),
    ("VER-10", "speaks of files"),
    ("VER-11", "says that private tags need an agreement"),
    ("VER-12", "nothing is deprecated yet"),
    ("VER-13", "writers emit whole records"),
    ("FILE-07", "a hint, which nothing follows from"),
    ("FILE-25", "says what the index lists"),
    ("FILE-27", "says where a head's first member may be"),
    ("FILE-28", "says where the next descriptor may be"),
    ("FILE-31", "the trailer decides whether there are keys"),
    ("FILE-39", "writers emit the checksum"),
    ("FILE-42", "says when a composite closes"),
    ("FILE-43", "says that members have names of their own"),
    ("FILE-46", "descriptors in files have the same rules"),
    ("MSG-11", "says what an absent list stands for"),
    ("MSG-16", "says which layout a server chooses"),
    ("MSG-17", "says which device a server chooses"),
    ("MSG-36", "says what answers a put"),
    ("MSG-38", "says what closes a stream"),
    ("MSG-41", "speaks of memory, not of messages"),
    ("MSG-42", "says what a PING may carry"),
    ("MSG-45", "speaks of transcoding"),
    ("MSG-46", "says which error answers a put"),
];

/// Rows that permissive mode relaxes.
const RELAXED: &[(Permissive, &[&str])] = &[
    (
        Permissive::Accept,
        &[
            "LAYOUT-13",
            "LAYOUT-25",
            "LAYOUT-26",
            "LAYOUT-27",
            "LAYOUT-28",
            "LAYOUT-31",
            "LAYOUT-32",
            "LAYOUT-36",
            "LAYOUT-37",
            "LAYOUT-38",
            "LAYOUT-44",
            "LAYOUT-46",
            "BUF-03",
            "BUF-04",
            "QUANT-25",
            "QUANT-26",
            "QUANT-27",
            "QUANT-35",
            "COMP-14",
            "COMP-42",
            "COMP-43",
            "FILE-12",
            "FILE-17",
            "FILE-20",
            "FILE-23",
            "FILE-24",
            "FILE-32",
            "FILE-40",
        ],
    ),
    (
        Permissive::Ignore,
        &[
            "DESC-14",
            "TYPE-07",
            "TYPE-08",
            "TYPE-09",
            "TYPE-10",
            "TYPE-11",
            "LAYOUT-11",
            "LAYOUT-22",
            "LAYOUT-23",
            "BUF-18",
            "QUANT-16",
            "QUANT-17",
            "QUANT-28",
            "QUANT-29",
            "STAT-02",
            "STAT-04",
            "STAT-05",
            "STAT-06",
            "STAT-07",
            "STAT-08",
            "EXT-05",
            "EXT-06",
            "EXT-07",
            "EXT-08",
            "FILE-04",
            "FILE-06",
            "FILE-10",
            "FILE-16",
            "FILE-18",
            "FILE-19",
            "FILE-26",
            "FILE-30",
            "FILE-37",
            "MSG-08",
            "MSG-09",
            "MSG-10",
            "MSG-15",
            "MSG-21",
            "MSG-26",
            "MSG-37",
        ],
    ),
    (
        Permissive::Opaque,
        &[
            "TYPE-02",
            "LAYOUT-02",
            "LAYOUT-04",
            "LAYOUT-34",
            "LAYOUT-41",
            "QUANT-04",
            "QUANT-05",
            "EXT-04",
        ],
    ),
    (
        Permissive::Expose,
        &["COMP-48", "COMP-57", "FILE-35", "MSG-32"],
    ),
];

/// Every ID of the families of the table.
pub(crate) fn ids() -> BTreeSet<String> {
    FAMILIES
        .iter()
        .flat_map(|(family, count)| (1..=*count).map(move |n| format!("{family}-{n:02}")))
        .collect()
}

#[test]
fn every_id_is_a_row_or_cannot_be_broken() {
    let rows = Rule::ALL.iter().map(|rule| rule.id());
    let restated = Rule::RESTATED.iter().map(|row| row.id);
    let rows = rows.chain(restated);
    let listed: Vec<&str> = rows.chain(UNBREAKABLE.iter().map(|(id, _)| *id)).collect();
    let distinct: BTreeSet<String> = listed.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(distinct, ids());
    assert_eq!(listed.len(), distinct.len(), "an ID is there twice");
}

#[test]
fn permissive_mode_relaxes_these_rows_and_no_others() {
    for rule in Rule::ALL {
        let row = RELAXED.iter().find(|(_, ids)| ids.contains(&rule.id()));
        let expected = row.map_or(Permissive::Reject, |(outcome, _)| *outcome);
        assert_eq!(rule.permissive(), expected, "{}", rule.id());
        assert_eq!(
            rule.relaxed(),
            expected != Permissive::Reject,
            "{}",
            rule.id()
        );
    }
    for id in RELAXED.iter().flat_map(|(_, ids)| *ids) {
        assert!(Rule::from_id(id).is_some(), "{id}");
    }
}

/// Numbers travel over links and are never used again, so they are written down here as arithmetic.
#[test]
fn numbers_follow_from_ids() {
    for rule in Rule::ALL {
        let (family, n) = rule.id().split_once('-').unwrap();
        let place = FAMILIES
            .iter()
            .position(|(name, _)| *name == family)
            .unwrap();
        let number = (place as u16 + 1) * 100 + n.parse::<u16>().unwrap();
        assert_eq!(rule.number(), number, "{}", rule.id());
        assert_eq!(Rule::from_number(number), Some(*rule));
        assert_eq!(Rule::from_id(rule.id()), Some(*rule));
    }
    // LAYOUT is the third family, STREAM the eleventh
    assert_eq!(Rule::DenseSize.number(), 305);
    assert_eq!(Rule::FileNotStream.number(), 1112);
}

#[test]
fn a_row_that_restates_another_stands_for_it() {
    for row in Rule::RESTATED {
        assert_eq!(Rule::from_id(row.id), Some(row.rule), "{}", row.id);
    }
}
