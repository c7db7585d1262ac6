//! What is around the program: file names, pipes, terminals.

use std::io::Read;
use std::path::PathBuf;

use crate::inputs::Tensor;
use crate::{feed, program, run};

/// A file with that name and contents, in a folder of its own.
fn file(folder: &str, name: &str, contents: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, contents).unwrap();
    path
}

/// Escape, line feed, delete, a C1 control and a mark that reverses the text behind it.
#[cfg(unix)]
#[test]
fn names_cannot_steer_a_terminal() {
    let name = "a\u{1b}[31m\n\u{7f}\u{9b}\u{202e}b";
    let path = file("names", name, b"not Hurray");
    let path = path.to_str().unwrap();
    let is_plain = |text: &str| {
        let hidden = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        !text.contains(hidden)
    };
    let check = run(&["check", path]);
    assert_eq!(check.out.lines().count(), 1);
    assert!(
        check
            .out
            .contains(r"a\u{1b}[31m\u{a}\u{7f}\u{9b}\u{202e}b: refused"),
        "{}",
        check.out
    );
    let inspect = run(&["inspect", path]);
    let missing = run(&["check", &format!("{path}.missing")]);
    let usage = run(&["check", "--kind", name, path]);
    for (run, status) in [(&inspect, 1), (&missing, 2), (&usage, 2)] {
        assert_eq!(run.status, status);
        assert!(run.err.contains(r"\u{1b}[31m"), "{}", run.err);
        assert!(
            is_plain(&run.out) && is_plain(&run.err),
            "{}{}",
            run.out,
            run.err
        );
    }
    let json = run(&["check", "--json", path]);
    assert!(is_plain(&json.out), "{}", json.out);
    assert_eq!(json.lines()[0]["file"], path);
}

/// Values cannot either: this magic is an escape sequence that would set a window title.
#[test]
fn values_cannot_steer_a_terminal() {
    let run = feed(&["inspect", "--bytes", "-"], b"\x1b]0;title\x07");
    assert_eq!(run.status, 1);
    assert!(run.out.contains(r#""\u{1b}]0;""#), "{}", run.out);
    let controls = run
        .out
        .chars()
        .chain(run.err.chars())
        .filter(|c| c.is_control() && *c != '\n');
    assert_eq!(controls.count(), 0);
}

/// The exit status and what is on standard error, where the reader of standard output goes away with its first byte,
/// or was never there.
fn unread(args: &[&str], first: bool) -> (i32, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    let reader = first.then_some(reader);
    let child = program().args(args).stdout(writer).spawn().unwrap();
    if let Some(mut reader) = reader {
        reader.read_exact(&mut [0; 1]).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), said)
}

const ONE: &str = "tests/vectors/streams/s-ok-one.bin";
const GAP: &str = "tests/vectors/streams/s-bad-gap-hole.bin";

/// All that write more than a pipe holds.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let many = Tensor::of(&[1]).stream().repeat(20_000);
    let many = file("pipe", "many", &many);
    let large = Tensor::of(&[1 << 20]).stream();
    let large = file("pipe", "large", &large);
    let [many, large] = [&many, &large].map(|path| path.to_str().unwrap());
    let packed = file("pipe", "packed", b"");
    let packed = packed.to_str().unwrap();
    assert_eq!(run(&["pack", packed, large]).status, 0);
    for args in [
        &["inspect", many][..],
        &["inspect", "--json", many],
        &["inspect", "--bytes", many],
        &["values", large, "#0"],
        &["values", "--json", large, "#0"],
        &["stats", many],
        &["stats", "--json", many],
        &["cat", packed, "0"],
        &["unpack", packed],
        &["pack", "-", large],
    ] {
        assert_eq!(unread(args, true), (0, String::new()), "{args:?}");
    }
}

/// The same where it is gone before the first line, whatever that would have said.
#[test]
fn a_reader_that_was_never_there_is_no_error() {
    for args in [["inspect", ONE], ["inspect", GAP]] {
        assert_eq!(unread(&args, false), (0, String::new()), "{args:?}");
    }
}

/// All files are judged, whoever reads on, and those that cannot be are told of.
#[test]
fn a_verdict_does_not_depend_on_a_reader() {
    const NONE: &str = "tests/vectors/no-such-file";
    // more than a pipe holds
    let behind_many = |last| [&[ONE; 2_000][..], &[last]].concat();
    for (files, status) in [
        (vec![ONE], 0),
        (vec![GAP], 1),
        (vec![ONE, GAP], 1),
        (vec![GAP, ONE], 1),
        (behind_many(ONE), 0),
        (behind_many(GAP), 1),
        (behind_many(NONE), 2),
    ] {
        for (option, first) in [(None, false), (None, true), (Some("--json"), false)] {
            let options = option.as_slice();
            let (got, said) = unread(&[&["check"], options, &files].concat(), first);
            assert_eq!(got, status, "{option:?}, first {first}: {said}");
            match status {
                2 => assert!(said.starts_with(&format!("hrry: {NONE}: ")), "{said}"),
                _ => assert_eq!(said, ""),
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let path = file("full", "one", &Tensor::of(&[1]).stream());
    let child = program()
        .arg("check")
        .arg(path)
        .stdout(full)
        .spawn()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.starts_with(b"hrry: standard output: "));
}

/// A tensor that is larger than what the program may keep in memory, which `ulimit` bounds.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn data_is_never_held() {
    const SIZE: u64 = 256 << 20;
    let path = file("large", "tensor", &Tensor::of(&[SIZE]).descriptor());
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(53 + SIZE).unwrap();
    let script = r#"ulimit -v 65536; exec "$@""#;
    let program = program();
    for command in [&["check"][..], &["inspect", "--json"]] {
        let output = std::process::Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(program.get_program())
            .args(program.get_args())
            .args(command)
            .arg(&path)
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*err), (Some(0), ""));
    }
    std::fs::remove_file(path).unwrap();
}
