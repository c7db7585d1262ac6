//! Containers: the tree, raw bytes, input that cannot be read twice.

use std::fs;

use crate::{feed, program, run};

const FILES: &str = "tests/vectors/files";

fn bytes(name: &str) -> Vec<u8> {
    fs::read(format!(
        "{}/{FILES}/{name}.hrry",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

#[test]
fn the_tree_names_tensors_and_shows_keys() {
    let run = run(&["inspect", &format!("{FILES}/f-ok-kv-all.hrry")]);
    assert_eq!(run.status, 0);
    let wanted =
        "         0  container 1.0, 1 entry, data aligned to 4096, index checksum 0x07ff0266
            string = \"demo-v1\"
            int64 = -5
            uint64 = 18446744073709551615
            float64 = 2.5
            bool = true
            bytes = bytes 0001ff
            a-string = [\"x\", \"yz\"], 2 elements
            a-int64 = [-1, 2], 2 elements
            a-uint64 = [7], 1 element
            a-float64 = [0.5, -1.0], 2 elements
            a-bool = [false, true, true], 3 elements
            a-bytes = [bytes , bytes 6162], 2 elements
        64  a: float32 [3, 4] row_major, 48 B
      8531  end of the file: 1 item, 1 tensor, 8531 bytes
";
    assert_eq!(run.out, wanted);
}

#[test]
fn members_stand_under_their_heads() {
    let run = run(&[
        "inspect",
        &format!("{FILES}/f-ok-composite-free-names.hrry"),
    ]);
    let wanted = "         0  container 1.0, 3 entries, data aligned to 4096, index checksum 0x";
    let (first, rest) = run.out.split_once('\n').unwrap();
    assert!(first.starts_with(wanted), "{first}");
    assert_eq!(
        rest,
        "        64  p: partition of 2 members: float32 [8, 8]
       120    p.0: float32 [8, 4] row_major, at [0, 0], 128 B
      8192    x: float32 [8, 4] row_major, at [0, 4], 128 B
     16539  end of the file: 1 item, 2 tensors, 16539 bytes
"
    );
}

#[test]
fn cat_writes_the_buffers_of_each_name() {
    let file = bytes("f-ok-composite-free-names");
    let cat = |args: &[&str]| program().args(["cat"]).args(args).output().unwrap();
    let path = format!("{FILES}/f-ok-composite-free-names.hrry");
    let out = cat(&[&path, "x", "p.0", "x"]);
    assert!(out.status.success());
    // 128 bytes each, at the multiples of 4,096 behind the descriptors at 120 and 8,192
    let (first, second) = (&file[4096..4096 + 128], &file[12288..12288 + 128]);
    assert_eq!(out.stdout, [second, first, second].concat());
    assert!(out.stderr.is_empty());

    let out = cat(&[&path, "x", "y"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(out.stdout.is_empty());
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(said, format!("hrry: {path}: y: no tensor has that name\n"));
    // a name cannot add a line
    let out = cat(&[&path, "x\nhrry: forged"]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    // a head has no bytes, and what stands in front of it is not written either
    let out = cat(&[&path, "x", "p"]);
    assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0));
    let out = cat(&[&format!("{FILES}/f-bad-magic-0.hrry"), "a"]);
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn a_file_may_come_through_a_pipe() {
    let file = bytes("f-ok-partition");
    let piped = feed(&["inspect", "--json", "--digest", "-"], &file);
    let named = run(&[
        "inspect",
        "--json",
        "--digest",
        &format!("{FILES}/f-ok-partition.hrry"),
    ]);
    assert_eq!((piped.status, &piped.out), (0, &named.out));
    for len in [0, 7, 8, 63, 64, 103, file.len() - 1] {
        let run = feed(&["check", "--kind", "file", "--json", "-"], &file[..len]);
        assert_eq!(run.status, 1, "{len}");
        let rule = if len < 104 { "FILE-08" } else { "FILE-09" };
        assert_eq!(run.lines()[0]["rule"], rule, "{len}");
    }
}

#[test]
fn what_is_wrong_behind_the_index_is_told_after_what_was_read() {
    let run = run(&[
        "inspect",
        "--json",
        &format!("{FILES}/f-bad-comp-torn-nested.hrry"),
    ]);
    assert_eq!(run.status, 1);
    let shown = run.json();
    assert_eq!(shown["error"]["rule"], "COMP-48");
    assert_eq!(shown["value"]["composites"][0]["complete"], false);
    assert!(shown["value"]["tensors"].is_null());
}

#[test]
fn permissive_mode_flags_what_it_lets_pass() {
    let run = run(&[
        "check",
        "--permissive",
        "--json",
        &format!("{FILES}/f-bad-reserved-36.hrry"),
    ]);
    assert_eq!(run.status, 0);
    assert_eq!(run.lines()[0]["flags"], serde_json::json!(["FILE-04"]));
}

/// Reserved bytes of header and trailer, and data at a place that is no multiple of 4,096.
#[test]
fn permissive_mode_flags_all_of_it() {
    let mut file = bytes("f-bad-data-misaligned");
    let trailer = file.len() - 40;
    file[40] = 1;
    file[trailer + 32] = 1;
    let run = feed(
        &["check", "--permissive", "--kind", "file", "--json", "-"],
        &file,
    );
    assert_eq!(run.status, 0, "{}", run.out);
    let flags = &run.lines()[0]["flags"];
    let wanted = ["FILE-04", "FILE-10", "FILE-23"];
    assert_eq!(*flags, serde_json::json!(wanted));
    let strict = feed(&["check", "--kind", "file", "--json", "-"], &file);
    assert_eq!(strict.lines()[0]["rule"], "FILE-04");
}

/// A folder that is gone with its test.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_packed_stream_unpacks_to_its_bytes() {
    let folder = folder();
    let out = folder.path().join("packed.hrry");
    let out = out.to_str().unwrap();
    for name in [
        "s-ok-one",
        "s-ok-ov-spqr",
        "s-ok-part-2d-pinwheel",
        "s-ok-group-depth-8",
        "s-ok-sequence",
    ] {
        let path = format!("tests/vectors/streams/{name}.bin");
        let stream = fs::read(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let packed = run(&["pack", out, &path]);
        assert_eq!((packed.status, packed.err.as_str()), (0, ""), "{name}");
        assert_eq!(run(&["check", out]).status, 0, "{name}");
        let unpacked = program().args(["unpack", out]).output().unwrap();
        assert!(
            unpacked.status.success() && unpacked.stderr.is_empty(),
            "{name}"
        );
        assert_eq!(unpacked.stdout, stream, "{name}");
    }
}

#[test]
fn a_container_may_go_to_standard_output() {
    let folder = folder();
    let stream = "tests/vectors/streams/s-ok-ov-spqr.bin";
    let stream = format!("{}/{stream}", env!("CARGO_MANIFEST_DIR"));
    let out = folder.path().join("packed.hrry");
    let saved = run(&["pack", out.to_str().unwrap(), &stream]);
    assert_eq!(saved.status, 0);
    let mut command = program();
    command.current_dir(folder.path());
    let piped = command.args(["pack", "-", &stream]).output().unwrap();
    assert_eq!((piped.status.code(), &*piped.stderr), (Some(0), &b""[..]));
    assert_eq!(piped.stdout, fs::read(&out).unwrap());
    // and no file is called so
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn keys_are_set_and_shown() {
    let folder = folder();
    let out = folder.path().join("keys.hrry");
    let out = out.to_str().unwrap();
    let stream = "tests/vectors/streams/s-ok-ov-spqr.bin";
    let set = |settings: &[&str]| {
        let mut args = vec!["pack", "--alignment", "8192", out, stream];
        for setting in settings {
            args.extend(["--set", setting]);
        }
        run(&args)
    };
    let packed = set(&[
        "model=small: a=b",
        "note:string=x:y=z",
        "layers:uint64=18446744073709551615",
        "shift:int64=-3",
        "rate:float64=0.5",
        "tied:bool=true",
        "seed:bytes=00fF",
    ]);
    assert_eq!((packed.status, packed.err.as_str()), (0, ""));
    let shown = run(&["inspect", "--json", out]).json();
    let value = &shown["value"];
    assert_eq!(value["data_buffer_alignment"], 8192);
    // names are the places of the items
    let names: Vec<_> = value["tensors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| &t["name"])
        .collect();
    assert_eq!(names, ["0", "0.0", "0.1"]);
    // the first = ends the key
    assert_eq!(
        value["kv"],
        serde_json::json!([
            {"key": "model", "value": {"type": "string", "value": "small: a=b"}},
            {"key": "note", "value": {"type": "string", "value": "x:y=z"}},
            {"key": "layers", "value": {"type": "uint64", "value": u64::MAX}},
            {"key": "shift", "value": {"type": "int64", "value": -3}},
            {"key": "rate", "value": {"type": "float64", "bits": "0x3fe0000000000000"}},
            {"key": "tied", "value": {"type": "bool", "value": true}},
            {"key": "seed", "value": {"type": "bytes", "hex": "00ff"}},
        ])
    );
    for wrong in [
        "model",
        "a:uint64=-1",
        "a:bytes=abc",
        "a:bytes=zz",
        "a:date=1",
        "a:bool=yes",
    ] {
        assert_eq!(set(&[wrong]).status, 2, "{wrong}");
    }
    // the same key twice is what a reader refuses
    let twice = set(&["a=1", "a=2"]);
    assert_eq!(twice.status, 2);
    let said =
        "FILE-33 does not hold: keys are UTF-8, not empty, and each is there once (key): \"a\"";
    assert_eq!(twice.err, format!("hrry: {said}\n"));
    let last = set(&["a=1", "b=1", "c=1", "b:bool=true"]);
    assert!(last.err.ends_with(": \"b\"\n"), "{}", last.err);
    let empty = set(&["a=1", "=1"]);
    assert!(empty.err.ends_with(" (key_length)\n"), "{}", empty.err);
    let alignment = run(&["pack", "--alignment", "3", "--set", "a=1", out, stream]);
    assert!(
        alignment.err.ends_with(" (data_buffer_alignment)\n"),
        "{}",
        alignment.err
    );
    // what is behind the last colon is a type
    let colon = set(&["a:b=1"]);
    let said = "b is none of string, int64, uint64, float64, bool, bytes; a key that holds : takes a type, a:b:string=..";
    assert!(colon.err.contains(said), "{}", colon.err);
    assert_eq!(set(&["a:b:string=1", ":c:int64=1"]).status, 0);
    let shown = run(&["inspect", "--json", out]).json();
    let keys = [
        &shown["value"]["kv"][0]["key"],
        &shown["value"]["kv"][1]["key"],
    ];
    assert_eq!(keys, ["a:b", ":c"]);
}

#[test]
fn what_cannot_be_packed_leaves_the_old_file() {
    let folder = folder();
    let out = folder.path().join("old.hrry");
    fs::write(&out, b"the old one").unwrap();
    let out = out.to_str().unwrap();
    let refused = run(&["pack", out, "tests/vectors/streams/s-bad-member-type.bin"]);
    assert_eq!(refused.status, 1);
    let missing = run(&["pack", out, "tests/vectors/streams/no-such-stream.bin"]);
    assert_eq!(missing.status, 2);
    let alignment = run(&[
        "pack",
        "--alignment",
        "100",
        out,
        "tests/vectors/streams/s-ok-one.bin",
    ]);
    assert_eq!(alignment.status, 2);
    assert!(
        alignment.err.starts_with("hrry: FILE-05"),
        "{}",
        alignment.err
    );
    assert_eq!(fs::read(out).unwrap(), b"the old one");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let torn = format!("{FILES}/f-bad-comp-torn.hrry");
    let torn = program().args(["unpack", &torn]).output().unwrap();
    assert_eq!((torn.status.code(), torn.stdout.len()), (Some(1), 0));
}
