//! What a client says of what it gets, and of what it cannot write.

use std::fs;

use super::{Server, streams, vector};
use crate::{program, run};

/// A server may send what it has. Members of a composite are looked at, not its head.
#[test]
fn another_layout_than_those_asked_for_is_told() {
    let server = Server::of(&["f-ok-partition", "f-ok-csf"], &[]);
    let get = |layouts: &[&str], key: &str| {
        let options = layouts.iter().flat_map(|layout| ["--layout", layout]);
        let mut args = vec!["get"];
        args.extend(options);
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.bin");
        args.extend([&server.address, key, out.to_str().unwrap()]);
        let get = run(&args);
        assert_eq!((get.status, &*get.out), (0, ""));
        assert!(out.exists());
        get.err
    };
    let told = |layout: &str| {
        let address = &server.address;
        format!("hrry: {address}: it comes as {layout}, which is none of the layouts asked for\n")
    };
    assert_eq!(get(&["csr"], "weight"), told("row_major"));
    assert_eq!(get(&["csr", "row_major"], "weight"), "");
    assert_eq!(get(&["composite"], "weight"), "");
    let (key, _) = streams(vector("f-ok-csf.hrry").as_ref()).remove(0);
    assert_eq!(get(&["csr"], &key), told("csf"));
    assert_eq!(get(&["csf"], &key), "");
    assert_eq!(get(&[], &key), "");
}

#[test]
fn what_cannot_be_written_is_named() {
    let server = Server::of(&["f-ok-one"], &[]);
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no such folder/x");
    let missing = missing.to_str().unwrap();
    let get = run(&["get", &server.address, "weight", missing]);
    assert_eq!((get.status, &*get.out), (2, ""));
    assert!(
        get.err.starts_with(&format!("hrry: {missing}: ")),
        "{}",
        get.err
    );
    let get = run(&["get", &server.address, "weight", "."]);
    assert_eq!((get.status, &*get.err), (2, "hrry: .: no regular file\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_fails_is_named() {
    let server = Server::of(&["f-ok-one"], &[]);
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut get = program();
    let get = get
        .args(["get", &server.address, "weight", "-"])
        .stdout(full);
    let output = get.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("hrry: standard output: "), "{said}");
    // a reader that is gone is no failure
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut get = program();
    let get = get
        .args(["get", &server.address, "weight", "-"])
        .stdout(writer);
    let output = get.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*said), (Some(0), ""));
}

#[test]
fn files_that_come_later_are_not_served() {
    let server = Server::of(&["f-ok-one"], &[]);
    let place = server.folder.path().join("later.hrry");
    fs::copy(vector("f-ok-kv-all.hrry"), &place).unwrap();
    let (stream, status, said) = server.get("a");
    assert_eq!((stream.len(), status), (0, 1));
    assert!(
        said.ends_with(": UNKNOWN_TENSOR: no tensor has that name\n"),
        "{said}"
    );
}
