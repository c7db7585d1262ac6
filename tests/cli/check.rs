//! `hrry check`: verdicts, JSON lines, flags, covers, exit status.

use serde_json::json;

use crate::inputs::{Tensor, partition, vector};
use crate::{Run, feed, run};

const ONE: &str = "tests/vectors/streams/s-ok-one.bin";
const GAP: &str = "tests/vectors/streams/s-bad-gap-hole.bin";
const NONE: &str = "tests/vectors/no-such-file";

/// The verdict, rule and offset of standard input.
fn verdict(args: &[&str], input: &[u8]) -> (String, String, Option<u64>) {
    let run = feed(&[&["check", "--json"], args, &["-"]].concat(), input);
    let line = &run.lines()[0];
    let verdict = line["verdict"].as_str().unwrap();
    let expected = ["accept", "reject", "error"]
        .iter()
        .position(|v| *v == verdict);
    assert_eq!(
        Some(run.status as usize),
        expected,
        "{}{}",
        run.out,
        run.err
    );
    (
        verdict.into(),
        line["rule"].as_str().unwrap_or("").into(),
        line["offset"].as_u64(),
    )
}

fn accepted() -> (String, String, Option<u64>) {
    ("accept".into(), String::new(), None)
}

fn refused(rule: &str, offset: usize) -> (String, String, Option<u64>) {
    ("reject".into(), rule.into(), Some(offset as u64))
}

#[test]
fn exit_status() {
    let status = |args: &[&str]| run(args).status;
    assert_eq!(status(&["check", ONE]), 0);
    assert_eq!(status(&["check", ONE, GAP, ONE]), 1);
    assert_eq!(status(&["check", NONE]), 2);
    assert_eq!(status(&["check", GAP, NONE]), 2, "an error wins");
    assert_eq!(status(&["check", NONE, GAP]), 2, "an error wins");
    assert_eq!(status(&["check", "."]), 2, "a directory");
    for usage in [
        &[][..],
        &["check"],
        &["check", "--no-such-option", ONE],
        &["check", "--kind", "tensor", ONE],
        &["check", "-", "-"],
        &["inspect"],
        &["inspect", ONE, ONE],
        &["inspect", "--digest", ONE],
    ] {
        let run = run(usage);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{usage:?}");
        assert!(!run.err.is_empty(), "{usage:?}");
    }
    for help in [&["--help"][..], &["check", "--help"], &["--version"]] {
        let run = run(help);
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{help:?}");
        assert!(run.out.contains("hrry"), "{help:?}");
    }
}

#[test]
fn json_lines_follow_the_arguments() {
    let run = run(&["check", "--json", GAP, NONE, ONE]);
    assert_eq!(run.status, 2);
    let lines = run.lines();
    assert_eq!(
        lines[0],
        json!({
            "file": GAP, "kind": "stream", "verdict": "reject", "rule": "COMP-43", "offset": 20,
            "message": "COMP-43 does not hold: members of a partition leave nothing uncovered (shape) at byte 20",
        })
    );
    let [file, kind, verdict, rule, offset] =
        ["file", "kind", "verdict", "rule", "offset"].map(|key| &lines[1][key]);
    assert_eq!((file, verdict), (&json!(NONE), &json!("error")));
    assert!(kind.is_null() && rule.is_null() && offset.is_null());
    assert_eq!(
        lines[2],
        json!({
            "file": ONE, "kind": "stream", "verdict": "accept", "rule": null, "offset": null,
            "message": "1 item, 1 tensor, 109 bytes",
        })
    );
    assert_eq!(lines.len(), 3);
    assert!(
        run.err.starts_with("hrry: tests/vectors/no-such-file: "),
        "{}",
        run.err
    );
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
}

#[test]
fn lines_for_people() {
    let run = run(&["check", ONE, GAP]);
    assert_eq!(
        run.out,
        format!(
            "{ONE}: accepted, stream: 1 item, 1 tensor, 109 bytes\n\
             {GAP}: refused, COMP-43 does not hold: members of a partition leave nothing uncovered (shape) at byte 20 \
             (layouts/composite.md § Close-time checks)\n"
        )
    );
    assert_eq!(run.err, "");
}

#[test]
fn kinds_are_detected() {
    let kind = |args: &[&str], input: &[u8]| {
        let run = feed(&[&["check", "--json"], args, &["-"]].concat(), input);
        (
            run.lines()[0]["kind"].as_str().unwrap().to_owned(),
            run.status,
        )
    };
    let tensor = Tensor::of(&[4]);
    assert_eq!(kind(&[], &tensor.stream()), ("stream".into(), 0));
    assert_eq!(kind(&[], b"no tensors"), ("stream".into(), 1));
    assert_eq!(
        kind(&["--kind", "descriptor"], &tensor.descriptor()),
        ("descriptor".into(), 0)
    );
    assert_eq!(kind(&[], b"HRRYFILE and more"), ("file".into(), 1));
    // a given kind is not second-guessed
    assert_eq!(
        kind(&["--kind", "stream"], b"HRRYFILE and more, 20"),
        ("stream".into(), 1)
    );
    assert_eq!(
        kind(&["--kind", "messages"], &tensor.stream()),
        ("messages".into(), 1)
    );
}

#[test]
fn container_is_no_stream() {
    let file = b"HRRYFILE\x01\0\0\0\0\0\0\0\0\0\0\0";
    assert_eq!(verdict(&["--kind", "stream"], file).1, "STREAM-12");
}

#[test]
fn other_formats_are_told_by_their_first_bytes() {
    for (input, at) in [
        (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], 0),
        (b"PK\x03\x04\x14\0\0\0", 0),
        (b"GGUF\x03\0\0\0", 0),
        (b"\x93NUMPY\x01\0", 0),
        (b"some text\n", 0),
        (b"H5", 1),
        (b"HR\x7f", 2),
        (b"HRR\0", 3),
        (b"\0", 0),
    ] {
        assert_eq!(verdict(&[], input), refused("DESC-02", at), "{input:?}");
        let lone = verdict(&["--kind", "descriptor"], input);
        assert_eq!(lone, refused("DESC-02", at), "{input:?}");
    }
    let empty = verdict(&["--kind", "stream"], b"");
    assert_eq!(empty, accepted(), "a stream without tensors");
}

#[test]
fn every_cut_is_seen() {
    let tensor = Tensor::of(&[2, 3]);
    // 20 header, 16 shape, 8 byte_offset, 17 buffer table, 6 data
    let stream = tensor.stream();
    assert_eq!(stream.len(), 67);
    for len in 1..stream.len() {
        assert_eq!(
            verdict(&[], &stream[..len]),
            refused("STREAM-04", len),
            "{len}"
        );
    }
    assert_eq!(verdict(&[], &stream), accepted());
    let descriptor = tensor.descriptor();
    for len in 0..descriptor.len() {
        let verdict = verdict(&["--kind", "descriptor"], &descriptor[..len]);
        assert_eq!(verdict, refused("DESC-06", len), "{len}");
    }
    assert_eq!(verdict(&["--kind", "descriptor"], &descriptor), accepted());
}

#[test]
fn nothing_follows_a_lone_descriptor() {
    let tensor = Tensor::of(&[2, 3]);
    for more in 1..3 {
        let mut bytes = tensor.descriptor();
        bytes.resize(61 + more, 0);
        assert_eq!(
            verdict(&["--kind", "descriptor"], &bytes),
            refused("DESC-07", 61)
        );
    }
}

#[test]
fn a_descriptor_without_its_data_is_hinted_at() {
    let descriptor = Tensor::of(&[4]).descriptor();
    let run = feed(&["check", "-"], &descriptor);
    assert!(
        run.out.contains("STREAM-04") && run.out.contains("--kind descriptor"),
        "{}",
        run.out
    );
    let given = feed(&["check", "--kind", "stream", "-"], &descriptor);
    assert!(!given.out.contains("--kind descriptor"), "{}", given.out);
}

/// The line of an input that permissive mode accepts.
fn permissive(args: &[&str], input: &[u8]) -> serde_json::Value {
    let run = feed(
        &[&["check", "--json", "--permissive"], args, &["-"]].concat(),
        input,
    );
    let line = run.lines().remove(0);
    assert_eq!(
        (run.status, &line["verdict"]),
        (0, &json!("accept")),
        "{}",
        run.out
    );
    line
}

#[test]
fn torn_composites() {
    // two of three members
    let mut bytes = partition(&[6], 3);
    bytes.extend(Tensor::at(&[2], &[6], &[0]).stream());
    bytes.extend(Tensor::at(&[2], &[6], &[2]).stream());
    assert_eq!(verdict(&[], &bytes), refused("COMP-48", bytes.len()));
    assert_eq!(permissive(&[], &bytes)["flags"], json!(["COMP-48"]));
    // inside a member there is nothing to expose
    let cut = bytes.len() - 1;
    assert_eq!(
        verdict(&["--permissive"], &bytes[..cut]),
        refused("STREAM-04", cut)
    );
}

#[test]
fn permissive_mode_flags_what_it_lets_pass() {
    let mut gap = partition(&[6], 1);
    gap.extend(Tensor::at(&[2], &[6], &[0]).stream());
    assert_eq!(verdict(&[], &gap), refused("COMP-43", 20));
    assert_eq!(permissive(&[], &gap)["flags"], json!(["COMP-43"]));

    // the reserved bytes of the statistics section, at 73
    let mut descriptor = vector("descriptors/d-ok-all-but-quantization.bin");
    let kind = ["--kind", "descriptor"];
    assert!(permissive(&kind, &descriptor).get("flags").is_none());
    descriptor[74] = 1;
    assert_eq!(verdict(&kind, &descriptor), refused("STAT-02", 73));
    assert_eq!(permissive(&kind, &descriptor)["flags"], json!(["STAT-02"]));

    // both in one stream, each once: trailing bytes in two descriptors, then the gap
    let mut trailing = Tensor::of(&[0]).descriptor();
    trailing.push(0);
    trailing[6] += 1;
    let all = [&trailing[..], &trailing, &gap].concat();
    assert_eq!(
        permissive(&[], &all)["flags"],
        json!(["DESC-14", "COMP-43"])
    );
}

#[test]
fn cover_names_the_method() {
    let cover = |bytes: &[u8]| {
        let run = feed(&["check", "--json", "-"], bytes);
        assert_eq!(run.status, 0, "{}", run.out);
        run.lines().remove(0).get("cover").cloned()
    };
    let mut exact = partition(&[4], 2);
    exact.extend(Tensor::at(&[2], &[4], &[0]).stream());
    exact.extend(Tensor::at(&[2], &[4], &[2]).stream());
    // every second cell, then those between: nothing merges until more boxes are held than the exact
    // method may hold
    const CELLS: u64 = 2_400;
    let mut keyed = partition(&[CELLS], CELLS as u32);
    for cell in (0..CELLS).step_by(2).chain((1..CELLS).step_by(2)) {
        keyed.extend(Tensor::at(&[1], &[CELLS], &[cell]).stream());
    }
    assert_eq!(cover(&exact), Some(json!("exact")));
    assert_eq!(cover(&keyed), Some(json!("keyed")));
    assert_eq!(cover(&[&keyed[..], &exact].concat()), Some(json!("keyed")));
    assert_eq!(cover(&[&exact[..], &keyed].concat()), Some(json!("keyed")));
    assert_eq!(cover(&Tensor::of(&[4]).stream()), None);
}

#[test]
fn policy_follows_the_options() {
    let cuda = vector("streams/s-bad-cross-machine-sync-1.bin");
    assert_eq!(verdict(&[], &cuda), accepted());
    assert_eq!(verdict(&["--transport", "local"], &cuda), accepted());
    let between = verdict(&["--transport", "cross-machine"], &cuda);
    assert_eq!(
        (between.0.as_str(), between.1.as_str()),
        ("reject", "BUF-19")
    );

    let private = vector("descriptors/d-ok-dev-private-fe-fe.bin");
    let kind = ["--kind", "descriptor", "--permissive"];
    assert_eq!(verdict(&kind, &private).0, "reject");
    let agreed = [&kind[..], &["--agree", "memory_class"]].concat();
    assert_eq!(verdict(&agreed, &private), accepted());
    let other = [&kind[..], &["--agree", "scheme"]].concat();
    assert_eq!(verdict(&other, &private).0, "reject");
}

#[test]
fn standard_input_is_one_of_the_files() {
    let Run { status, out, .. } = feed(&["check", ONE, "-", GAP], &Tensor::of(&[4]).stream());
    let names: Vec<_> = out
        .lines()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    assert_eq!((status, names), (1, vec![ONE, "-", GAP]));
}
