//! What the program says beside what is wrong: what to try, where it starts, which name it is.

use std::fs;

use crate::inputs::vector;
use crate::{feed, run};

/// The line of `check` for standard input, and the exit status.
fn check(args: &[&str], input: &[u8]) -> (i32, String) {
    let run = feed(&[&["check"], args, &["-"]].concat(), input);
    (run.status, run.out)
}

#[test]
fn an_empty_input_has_no_kind() {
    let said = "the input is empty; a stream of no tensors is read with --kind stream";
    let check = feed(&["check", "-"], b"");
    assert_eq!((check.status, &*check.out), (2, ""));
    assert_eq!(check.err, format!("hrry: -: {said}\n"));
    let check = feed(&["check", "--json", "-"], b"");
    assert_eq!(check.status, 2);
    assert_eq!(
        check.lines(),
        [serde_json::json!({
            "file": "-", "kind": null, "verdict": "error", "rule": null, "offset": null, "message": said,
        })]
    );
    for command in [
        &["inspect", "-"][..],
        &["inspect", "--json", "-"],
        &["values", "-", "#0"],
        &["stats", "-"],
    ] {
        let run = feed(command, b"");
        assert_eq!((run.status, &*run.out), (2, ""), "{command:?}");
        assert_eq!(run.err, format!("hrry: -: {said}\n"), "{command:?}");
    }
    // a failed download beside a whole one
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("model.hrry");
    fs::write(&empty, b"").unwrap();
    let one = "tests/vectors/files/f-ok-one.hrry";
    assert_eq!(run(&["check", one, empty.to_str().unwrap()]).status, 2);

    let stream = feed(&["check", "--kind", "stream", "-"], b"");
    assert_eq!(
        (stream.status, &*stream.out),
        (0, "-: accepted, stream: 0 items, 0 tensors, 0 bytes\n")
    );
    assert_eq!(stream.err, "");
    assert_eq!(feed(&["check", "--kind", "file", "-"], b"").status, 1);
}

const NO_MAGIC: &str =
    "DESC-02 does not hold: a descriptor starts with the bytes HRRY (magic) at byte 0";
const TRY_MESSAGES: &str = "messages are read with --kind messages";

#[test]
fn messages_are_told_by_what_could_be_a_type() {
    let ping = vector("messages/m-ok-ping.bin");
    let (status, line) = check(&[], &ping);
    let clause = "(metadata.md § Fixed Header)";
    assert_eq!(status, 1);
    assert_eq!(
        line,
        format!("-: refused, {NO_MAGIC} {clause}; {TRY_MESSAGES}\n")
    );
    let inspect = feed(&["inspect", "-"], &ping);
    assert_eq!(inspect.status, 1);
    assert_eq!(
        inspect.err,
        format!("hrry: -: {NO_MAGIC}\nhrry: {TRY_MESSAGES}\n")
    );
    // hints are for people
    let json = feed(&["check", "--json", "-"], &ping);
    assert_eq!(json.lines()[0]["message"], NO_MAGIC);
    // what is neither, and what was said to be a stream
    for (args, input) in [
        (&[][..], &b"\x89PNG\r\n\x1a\n"[..]),
        (&[], b"PK\x03\x04"),
        (&[], &[0; 12]),
        (&["--kind", "stream"], &ping),
    ] {
        let (status, line) = check(args, input);
        assert_eq!(status, 1);
        assert!(line.ends_with(&format!("{clause}\n")), "{line}");
    }
}

#[test]
fn what_a_receiver_of_messages_must_know_is_hinted_at() {
    let scope = "messages that do not start with a greeting are read with --scope tensor or --scope message";
    let sender = "--sender says who sends them: client (the default) or server";
    let ping = vector("messages/m-ok-ping.bin");
    let two = vector("messages/m-ok-tensor-two.bin");
    let messages = ["--kind", "messages"];
    let server = [&messages[..], &["--sender", "server"]].concat();
    for (args, input, hint) in [
        (&messages[..], &ping, scope),
        (&messages, &two, sender),
        (&server, &two, scope),
    ] {
        let (status, line) = check(args, input);
        assert_eq!(status, 1);
        assert!(line.ends_with(&format!("; {hint}\n")), "{line}");
        let inspect = feed(&[&["inspect"], args, &["-"]].concat(), input);
        let last = inspect.err.lines().last();
        assert_eq!(last, Some(&*format!("hrry: {hint}")));
    }
    let tensors = [&server[..], &["--scope", "tensor"]].concat();
    assert_eq!(check(&tensors, &two).0, 0);
    // what is no message, and a greeting that is followed by what is none
    let greeting = vector("messages/m-ok-session-client.bin");
    for input in [
        &b"HRRY\x01\0\0\0\0\0\0\0"[..],
        &[&greeting[..], &[9; 12]].concat(),
    ] {
        let (status, line) = check(&messages, input);
        assert_eq!(status, 1);
        assert!(line.ends_with(")\n"), "{line}");
    }
    for command in ["values", "stats"] {
        let item = if command == "values" {
            &["#0"][..]
        } else {
            &[]
        };
        let run = feed(&[&[command], &messages[..], &["-"], item].concat(), &two);
        assert_eq!((run.status, &*run.out), (2, ""));
        assert!(run.err.contains("of messages are not read"), "{}", run.err);
    }
}

/// The head of the composite ends at 53; the data of its base start at 206, and its correction at 350.
#[test]
fn a_lone_descriptor_is_one_that_ends_where_the_input_does() {
    let stream = vector("streams/s-ok-ov-spqr.bin");
    let lone = "; a descriptor without its data is read with --kind descriptor\n";
    let early = |missing: &str, at: usize, start: usize| {
        format!(
            "-: refused, STREAM-04: the input ends {missing} early at byte {at}, of the item that starts at byte \
             {start} (interchange.md § Scope)\n"
        )
    };
    let head = "-: refused, COMP-48: the composite at level 1 has 0 of 2 members at byte 53 \
        (layouts/composite.md § Torn composite)";
    assert_eq!(check(&[], &stream[..53]), (1, format!("{head}{lone}")));
    for (at, missing, start) in [
        (54, "19 bytes", 53),
        (60, "13 bytes", 53),
        (205, "1 byte", 53),
        (206, "128 bytes", 53),
        (349, "1 byte", 53),
        (351, "19 bytes", 350),
    ] {
        assert_eq!(check(&[], &stream[..at]), (1, early(missing, at, start)));
    }
    // a length that is damaged: the third of its bytes, behind magic and version of the correction
    let mut damaged = stream.clone();
    damaged[350 + 6 + 2] = 0xFF;
    let (status, line) = check(&[], &damaged);
    assert_eq!(status, 1);
    assert!(
        line.contains(" early at byte 527, of the item that starts at byte 350 ("),
        "{line}"
    );
    let given = check(&["--kind", "stream"], &stream[..53]).1;
    assert_eq!(given, format!("{head}\n"));
}

#[test]
fn a_stream_is_no_file() {
    let one = "tests/vectors/streams/s-ok-one.bin";
    let magic =
        "FILE-01 does not hold: a file starts with the bytes HRRYFILE (file_header.magic) at byte";
    let said = format!(
        "hrry: {one}: {magic} 4; this is a stream: pack makes a container file of it, values prints its numbers\n"
    );
    for args in [&["cat", one, "a"][..], &["unpack", one]] {
        let run = run(args);
        assert_eq!((run.status, &*run.out, &*run.err), (1, "", &*said));
    }
    let text = run(&["unpack", "tests/vectors/files.json"]);
    let said = format!("hrry: tests/vectors/files.json: {magic} 0\n");
    assert_eq!((text.status, text.err), (1, said));

    // and text is no stream, whatever the item
    for item in ["a", "#0"] {
        let values = run(&["values", "tests/vectors/files.json", item]);
        let said = format!("hrry: tests/vectors/files.json: {NO_MAGIC}\n");
        assert_eq!((values.status, values.err), (1, said));
    }
    let values = run(&["values", one, "a"]);
    let place = "an item of a stream is named by its place, for example #2 or #2.1";
    assert_eq!(
        (values.status, values.err),
        (2, format!("hrry: {one}: {place}\n"))
    );
}

#[test]
fn names_and_keys_at_fault_are_shown() {
    let line = |name: &str| run(&["check", &format!("tests/vectors/files/{name}.hrry")]).out;
    let twice = line("f-bad-name-dup");
    assert!(
        twice.contains("FILE-17 does not hold: ") && twice.contains(" at byte 16429: \"a\" ("),
        "{twice}"
    );
    let key = line("f-bad-kv-dup-types");
    assert!(
        key.contains("FILE-33 does not hold: ") && key.contains(" at byte 91: \"k\" ("),
        "{key}"
    );
    // one that is not there, and one that is no text
    let empty = line("f-bad-kv-key-empty");
    assert!(empty.contains(" (key_length) at byte 68 ("), "{empty}");
    let bytes = line("f-bad-name-utf8");
    assert!(bytes.contains(" at byte 8202: \"w\u{fffd}\" ("), "{bytes}");
}
