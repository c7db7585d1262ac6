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
        "         0  container 1.0, 1 tensor, data aligned to 4096, index checksum 0x07ff0266
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
    let wanted = "         0  container 1.0, 3 tensors, data aligned to 4096, index checksum 0x";
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

/// `f-ok-multi-buffer` and the others keep their data where the manifest says.
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
    let out = cat(&[&path, "p"]);
    assert_eq!(out.status.code(), Some(2));
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
