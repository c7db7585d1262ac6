//! Messages as people see them.

use crate::{feed, run};

const SESSION: &str = "tests/vectors/messages/m-ok-session-client.bin";
const PARALLEL: &str = "tests/vectors/messages/m-ok-parallel-4.bin";

const SERVER: [&str; 4] = ["--kind", "messages", "--sender", "server"];

#[test]
fn a_line_for_each_message() {
    let shown = run(&["inspect", "--kind", "messages", SESSION]);
    assert_eq!((shown.status, shown.err.as_str()), (0, ""));
    assert_eq!(
        shown.out,
        "         0  stream 1  CLIENT_HELLO: version 1, up to 1048576 bytes a message, capabilities 0x0, row_major\n\
        \u{20}       37  stream 1  TENSOR_REQUEST: \"w\" on cpu, aligned to 64\n\
        \u{20}       66  stream 1  PING\n\
        \u{20}       78  end of the messages: 0 items, 0 tensors, 78 bytes\n"
    );
}

#[test]
fn what_came_before_an_error_is_shown() {
    let mut bytes = std::fs::read(SESSION).unwrap();
    bytes.truncate(76);
    let shown = feed(&["inspect", "--kind", "messages", "-"], &bytes);
    assert_eq!(shown.status, 1);
    assert_eq!(shown.out.lines().count(), 2);
    assert_eq!(
        shown.err,
        "hrry: -: MSG-01: the input ends 2 bytes early at byte 76\n"
    );
    let shown = feed(&["inspect", "--json", "--kind", "messages", "-"], &bytes);
    assert_eq!(shown.status, 1);
    let shown = shown.json();
    assert_eq!(shown["value"]["messages"].as_array().unwrap().len(), 2);
    assert_eq!(shown["error"]["rule"], "MSG-01");
}

#[test]
fn shards_are_held_together() {
    let checked = run(&[&["check"][..], &SERVER, &["--scope", "tensor", PARALLEL]].concat());
    let accepted = "accepted, messages: 4 items, 4 tensors, 676 bytes\n";
    assert_eq!(checked.out, format!("{PARALLEL}: {accepted}"));
    // a connection starts with a HELLO
    let checked = run(&[&["check"][..], &SERVER, &[PARALLEL]].concat());
    assert!(checked.out.contains("refused, MSG-06"), "{}", checked.out);
    assert_eq!(checked.status, 1);
}

#[test]
fn permissive_mode_exposes_a_torn_tensor() {
    let torn = "tests/vectors/messages/m-bad-torn-before-end.bin";
    let args = [&["check"][..], &SERVER, &["--scope", "tensor"]].concat();
    let checked = run(&[&args[..], &[torn]].concat());
    assert_eq!(checked.status, 1);
    let checked = run(&[&args[..], &["--permissive", torn]].concat());
    assert_eq!(checked.status, 0);
    assert!(checked.out.contains("flagged MSG-32"), "{}", checked.out);
}

/// Each rule once, in the order in which it is met first.
#[test]
fn permissive_mode_flags_what_it_lets_pass() {
    // capabilities at 12 + 8, then TENSOR_REQUEST from 37 on, whose flags end at 66
    let mut bytes = std::fs::read(SESSION).unwrap();
    bytes[12 + 8] = 0b11000;
    bytes[66 - 4] = 0b100;
    // the same again, and an ERROR with a byte behind its text
    bytes.extend_from_within(37..66);
    bytes.extend(b"\x09\0\0\0\x01\0\0\0\x09\0\0\0\x02\0\0\0\0\0\0\0?");
    let args = ["--kind", "messages", "--permissive", "--json", "-"];
    let wanted = serde_json::json!(["MSG-08", "MSG-09", "MSG-15", "MSG-37"]);
    let checked = feed(&[&["check"][..], &args].concat(), &bytes);
    assert_eq!(checked.status, 0, "{}", checked.out);
    assert_eq!(checked.lines()[0]["flags"], wanted);
    let shown = feed(&[&["inspect"][..], &args].concat(), &bytes);
    assert_eq!(shown.json()["flags"], wanted);
    // and of what is right, nothing
    let clean = run(&["check", "--kind", "messages", "--permissive", SESSION]);
    assert!(!clean.out.contains("flagged"), "{}", clean.out);
}

#[test]
fn contents_of_messages_are_not_looked_at() {
    let checked = run(&["check", "--content", "--kind", "messages", SESSION]);
    assert_eq!((checked.status, checked.out.as_str()), (2, ""));
    assert_eq!(
        checked.err,
        format!("hrry: {SESSION}: --content looks into streams and files only\n")
    );
}
