//! `hrry inspect --bytes`: the hex view, of good and of broken descriptors.

use serde_json::{Value, json};

use crate::inputs::{Tensor, vector};
use crate::vectors::{cases, options, path};
use crate::{Run, feed, run};

fn joined(rows: &Value) -> String {
    let rows = rows.as_array().unwrap();
    rows.iter()
        .map(|row| row["bytes"].as_str().unwrap())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn show(case: &Value) -> Run {
    let (options, path) = (options(case), path(case));
    let mut args = vec!["inspect", "--json", "--bytes"];
    args.extend(options.iter().map(String::as_str));
    args.push(&path);
    run(&args)
}

#[test]
fn rows_hold_every_byte_of_a_good_descriptor() {
    for case in cases("descriptors")
        .iter()
        .filter(|case| case["verdict"] == "accept")
    {
        let run = show(case);
        let rows = &run.json()["bytes"];
        let bytes = vector(case["file"].as_str().unwrap());
        assert_eq!(joined(rows), hex(&bytes), "{}", case["id"]);
        let (mut at, mut unnamed) = (0, 0);
        for row in rows.as_array().unwrap() {
            assert_eq!(row["offset"], at, "{}: {row}", case["id"]);
            let len = row["bytes"].as_str().unwrap().len() as u64 / 2;
            at += len;
            unnamed += if row["field"].is_null() { len } else { 0 };
        }
        // only what a quantization section has beyond its scheme
        let quantization = &case["expect"]["quantization"];
        let padding = quantization["length"].as_u64().map_or(0, |length| {
            length - [0, 16, 20, 24, 16, 16][quantization["scheme_tag"].as_u64().unwrap() as usize]
        });
        assert_eq!(unnamed, padding, "{}", case["id"]);
    }
}

#[test]
fn rows_hold_every_byte_of_a_broken_descriptor() {
    for case in cases("descriptors")
        .iter()
        .filter(|case| case["verdict"] == "reject")
    {
        let run = show(case);
        assert_eq!(run.status, 1, "{}", case["id"]);
        let shown = run.json();
        if shown["error"]["rule"] == "DESC-07" {
            continue;
        }
        let bytes = vector(case["file"].as_str().unwrap());
        // as far as the descriptor's own length says, if it says one, and at least the fixed header
        let stated = match bytes.get(6..10) {
            Some(length) if bytes.starts_with(b"HRRY") => {
                u32::from_le_bytes(length.try_into().unwrap()).max(20)
            }
            _ => 20,
        };
        let shown = joined(&shown["error"]["bytes"]);
        let end = bytes.len().min(stated as usize);
        assert_eq!(shown, hex(&bytes[..end]), "{}", case["id"]);
    }
}

#[test]
fn rows_name_fields_and_values() {
    let run = run(&[
        "inspect",
        "--bytes",
        "--kind",
        "descriptor",
        "tests/vectors/descriptors/d-ok-all-but-quantization.bin",
    ]);
    let lines: Vec<_> = run.out.lines().map(str::trim).collect();
    for expected in [
        r#"0  48 52 52 59              magic                       "HRRY""#,
        "10  1e 00 00 00              flags                       \
         shard, extension_type, statistics, composite_member",
        "14  f4                       type_tag                    private 0xf4",
        "15  01                       layout_tag                  row_major",
        "20  0a 00 00 00 00 00 00 00  shape[0]                    10",
        "37  14 00 00 00 00 00 00 00  byte_size[0]                20",
        "93  00 00 00 00 00 00 f8 bf  value_min                   -1.5",
        "161  00                       member_role                 correction",
        "162  00 00 00 00 00 00 00 00  composite_member.reserved   zero",
        "00 00 00 00 00 00 00",
    ] {
        assert!(lines.contains(&expected), "{expected}\n{}", run.out);
    }
}

/// The field, index and value of the rows of a broken descriptor, and the field that is marked.
fn broken(input: &[u8]) -> (Vec<(String, Value, String)>, Option<String>) {
    let args = ["inspect", "--bytes", "--kind", "descriptor"];
    let json = feed(&[&args[..], &["--json", "-"]].concat(), input).json();
    let rows = json["error"]["bytes"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let rows = rows.iter().map(|row| {
        (
            text(&row["field"]),
            row["index"].clone(),
            text(&row["value"]),
        )
    });
    let tree = feed(&[&args[..], &["-"]].concat(), input);
    let marked = tree.out.lines().find(|line| line.contains("<=="));
    let name = |line: &str| line[37..].split_whitespace().next().unwrap().to_owned();
    (rows.collect(), marked.map(name))
}

#[test]
fn broken_descriptors_end_where_no_place_is_known() {
    let good = Tensor::of(&[2, 3]).descriptor();
    let last = |bytes: &[u8]| {
        let (rows, marked) = broken(bytes);
        (rows.last().unwrap().clone(), marked.unwrap_or_default())
    };

    let mut magic = good.clone();
    magic[1] = b'r';
    let unread = ("-".to_owned(), json!(null), "not read".to_owned());
    assert_eq!(last(&magic), (unread.clone(), "magic".into()));
    assert_eq!(broken(&magic).0.len(), 2);

    let mut version = good.clone();
    version[4] = 2;
    assert_eq!(last(&version), (unread.clone(), "version_major".into()));

    let mut layout = good.clone();
    layout[15] = 0x20;
    assert_eq!(last(&layout), (unread.clone(), "layout_tag".into()));

    let mut rank = good.clone();
    rank[16] = 65;
    assert_eq!(last(&rank), (unread, "rank".into()));

    let mut short = good.clone();
    short[16] = 64;
    let (rows, marked) = broken(&short);
    assert_eq!(marked.as_deref(), Some("shape[0]"));
    // 41 bytes are behind the header: five dimensions and a byte
    let cut = (
        "shape".to_owned(),
        json!(5),
        "cut short, 7 bytes missing".to_owned(),
    );
    assert_eq!(rows.last(), Some(&cut));

    // a field that breaks a rule of the model hides nothing
    let mut alignment = good;
    alignment[53] = 3;
    let (rows, marked) = broken(&alignment);
    assert_eq!(marked.as_deref(), Some("alignment[0]"));
    assert_eq!(rows.last().unwrap().0, "handle.reserved");
}

#[test]
fn a_broken_descriptor_in_a_stream_is_shown_at_its_place() {
    let mut bytes = Tensor::of(&[4]).stream();
    assert_eq!(bytes.len(), 57);
    bytes.extend(Tensor::of(&[4]).descriptor());
    // device_tag
    bytes[57 + 49] = 0xEE;
    let run = feed(&["inspect", "--json", "--bytes", "-"], &bytes);
    let shown = run.json();
    assert_eq!(shown["error"]["offset"], 57 + 49);
    let rows = &shown["error"]["bytes"];
    assert_eq!(joined(rows), hex(&bytes[57..]));
    assert_eq!(rows[0]["offset"], 57);
    let first = &shown["value"]["items"][0]["bytes"];
    assert_eq!(joined(first), hex(&bytes[..53]));
}

/// A broken descriptor on both sides of every place where a read of 64 KiB may end.
#[test]
fn what_is_shown_does_not_depend_on_the_cut() {
    for at in (65_480..65_560).step_by(7) {
        let mut bytes = Tensor::of(&[at - 53]).stream();
        assert_eq!(bytes.len() as u64, at);
        let mut descriptor = Tensor::of(&[2, 3]).descriptor();
        // rank
        descriptor[17] = 1;
        bytes.extend(&descriptor);
        bytes.extend([0xAA; 9]);
        let run = feed(&["inspect", "--json", "--bytes", "-"], &bytes);
        let shown = run.json();
        assert_eq!(shown["error"]["rule"], "DESC-09");
        assert_eq!(shown["error"]["offset"], at + 16);
        assert_eq!(joined(&shown["error"]["bytes"]), hex(&descriptor), "{at}");
    }
}
