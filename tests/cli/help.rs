//! What the help says, and under which heading.

use crate::run;

fn help(command: &str) -> String {
    let help = run(&[command, "--help"]);
    assert_eq!((help.status, &*help.err), (0, ""));
    help.out
}

/// The first words of the lines under a heading.
fn under<'h>(help: &'h str, heading: &str) -> Vec<&'h str> {
    let mut lines = help.lines().skip_while(|line| *line != heading);
    assert_eq!(lines.next(), Some(heading), "{help}");
    let words = |line: &'h str| line.split_whitespace().find(|word| *word != "-h,");
    lines.map_while(words).collect()
}

#[test]
fn only_options_for_messages_stand_under_messages() {
    let messages = [
        "--sender",
        "--scope",
        "--max-message-size",
        "--peer-version",
    ];
    let reading = ["--kind", "--permissive", "--agree", "--transport"];
    for (command, file, own) in [
        ("check", "<FILE>...", &["--content", "--json", "--help"][..]),
        (
            "inspect",
            "<FILE>",
            &["--json", "--digest", "--bytes", "--help"],
        ),
    ] {
        let help = help(command);
        assert_eq!(under(&help, "Arguments:"), [file]);
        assert_eq!(under(&help, "Options:"), [&reading[..], own].concat());
        assert_eq!(under(&help, "Messages:"), messages);
        let kinds = "descriptor, stream, messages or file [default: file or stream, as its first bytes say]";
        assert!(help.contains(kinds), "{help}");
        for note in [
            "An empty input has no kind, and is an error without --kind",
            "Messages are read with --kind messages, in one direction: --sender server for what a server sends, and \
             --scope tensor or --scope message for messages that do not start with the greeting",
        ] {
            assert!(help.contains(note), "{help}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_in_every_help() {
    let gone = "; 0 as well where the reader of standard output goes away before the end.\n";
    for command in ["inspect", "cat", "pack", "unpack", "values", "stats", "get"] {
        let help = help(command);
        assert!(help.ends_with(gone), "{help}");
    }
    let but = "; but for check, 0 as well where the reader of standard output goes away before the end.\n";
    assert!(run(&["--help"]).out.ends_with(but));
    let also = "Exit status: 0 all accepted, 1 something refused, 2 usage or I/O error, also where the reader of \
                standard output goes away before the end.\n";
    assert!(help("check").ends_with(also));
}

#[test]
fn what_a_server_keeps_and_takes_is_told() {
    let serve = help("serve");
    for said in [
        "The folder is read once, at the start: a file that is put there later is not served.",
        "says first where it listens: to standard output, or to standard error where that fails.",
        "A put replaces the tensor of its key where that came by put, and is refused where any other file holds the key.",
    ] {
        assert!(serve.contains(said), "{serve}");
    }
    let put = help("put");
    let status =
        "Exit status: 0 done, 1 refused by the server or the protocol, 2 usage or I/O error.\n";
    assert!(put.ends_with(status), "{put}");
    assert!(
        put.contains("a composite cannot be put, only its members one by one"),
        "{put}"
    );
    let get = help("get");
    assert!(
        get.contains(
            "a server may send another layout than those that it is asked for, which is told"
        ),
        "{get}"
    );
    let pack = help("pack");
    for said in [
        "a KEY that holds : takes a TYPE",
        "- is standard output, which may get a part",
    ] {
        assert!(pack.contains(said), "{pack}");
    }
}
