//! `hrry inspect`: the tree and the JSON object.

use serde_json::json;

use crate::inputs::{Tensor, partition, vector};
use crate::{feed, run};

#[test]
fn tree() {
    let run = run(&["inspect", "tests/vectors/streams/s-ok-part-nested-2.bin"]);
    let expected = "         \
         0  #0 partition of 2 members: float32 [8, 4]
        53    #0.0 float32 [4, 4] row_major, at [0, 0], 64 B
       210    #0.1 partition of 2 members: float32 [4, 4], at [4, 0]
       295      #0.1.0 float32 [4, 2] row_major, at [0, 0], 32 B
       420      #0.1.1 float32 [4, 2] row_major, at [0, 2], 32 B
       545  end of the stream: 1 item, 3 tensors, 545 bytes
";
    assert_eq!(
        (run.status, run.out.as_str(), run.err.as_str()),
        (0, expected, "")
    );
}

#[test]
fn tree_goes_back_to_the_left_behind_a_composite() {
    let mut bytes = partition(&[4], 1);
    bytes.extend(Tensor::at(&[4], &[4], &[0]).stream());
    bytes.extend(Tensor::of(&[4]).stream());
    // a head without members closes at once
    bytes.extend(partition(&[0], 0));
    bytes.extend(Tensor::of(&[2]).stream());
    // heads 45, members 69, other tensors 53, then their data
    assert_eq!(bytes.len(), 45 + 69 + 4 + 53 + 4 + 45 + 53 + 2);
    let run = feed(&["inspect", "-"], &bytes);
    let items: Vec<_> = run.out.lines().map(|line| &line[12..]).collect();
    assert_eq!(
        items,
        [
            "#0 partition of 1 member: uint8 [4]",
            "  #0.0 uint8 [4] row_major, at [0], 4 B",
            "#1 uint8 [4] row_major, 4 B",
            "#2 partition of 0 members: uint8 [0]",
            "#3 uint8 [2] row_major, 2 B",
            "end of the stream: 4 items, 3 tensors, 275 bytes",
        ]
    );
}

/// One line of a lone descriptor.
fn line(vector: &str) -> String {
    let path = format!("tests/vectors/descriptors/{vector}.bin");
    let options = [
        "inspect",
        "--kind",
        "descriptor",
        "--permissive",
        "--agree",
        "memory_class",
    ];
    let run = run(&[&options[..], &[&path]].concat());
    assert_eq!(run.status, 0, "{}", run.err);
    run.out.lines().next().unwrap()[12..].into()
}

#[test]
fn lines_use_words() {
    for (vector, expected) in [
        (
            "d-ok-all-but-quantization",
            "correction private 0xf4 (16-bit float, 1+6+9 bits, bias 31) [10] row_major, \
             at [10] of [20], 20 B, values (10 not zero, sparsity 0.16666666666666666, \
             -1.5 to 2.25, mean 0.125, deviation 0.75, 2:4 sparse, has NaN)",
        ),
        (
            "d-ok-dev-private-fe-fe",
            "float32 [4] row_major, 16 B on private 0xfe in private 0xfe memory aligned 4096",
        ),
        (
            "d-ok-q-shared-param-buffer",
            "int8 [6, 4] row_major, 24 + 48 B, per_channel_affine along axis 0 \
             (buffer 1: float32 scales, buffer 1: zero points)",
        ),
        (
            "d-ok-minor-1-trailing",
            "float32 [3, 4] row_major, 192 B, version 1.1, 8 bytes without a meaning at its end",
        ),
        (
            "d-ok-tiled-depth2",
            "uint8 [2, 2] tiles [2, 2] row_major / tiles [1, 1] row_major / inside row_major, 4 B",
        ),
        (
            "d-ok-bp-u64",
            "float16 [9, 2, 8] block_paged key cache of layer 3, 5 pages of 4 slots, \
             2 sequences, u64 tables, 640 + 24 + 24 B",
        ),
        (
            "d-ok-coo-per-tensor-quant",
            "int8 [4, 4] coo sorted 3 stored, 3 + 48 B, per_tensor_affine scale 0.5 zero point 0",
        ),
        (
            "d-ok-private-layout-3buf",
            "float32 [4, 4] layout private 0xf0 (id 0xdeadbeef00000001, 3 bytes of data), 64 + 8 + 1 B",
        ),
    ] {
        assert_eq!(line(vector), expected, "{vector}");
    }
}

#[test]
fn json_has_numbers_and_words() {
    let run = feed(
        &["inspect", "--json", "-"],
        &Tensor::at(&[2], &[9], &[7]).stream(),
    );
    assert_eq!(
        run.json(),
        json!({"kind": "stream", "value": {
            "items": [{"type": "tensor", "offset": 0, "descriptor": {
                "descriptor_length": 69, "version_major": 1, "version_minor": 0,
                "flags": 2, "flag_names": ["shard"],
                "type_tag": 17, "element_type": "uint8",
                "layout_tag": 1, "layout_name": "row_major",
                "rank": 1, "shape": [2], "byte_offset": 0, "layout": {},
                "buffers": [{
                    "byte_size": 2, "alignment": 64, "device_tag": 0, "sync_mode": 0, "memory_class": 0,
                    "device": "cpu", "sync": "producer_synced", "class": "standard",
                }],
                "quantization": null, "shard": {"parent_shape": [9], "shard_offset": [7]},
                "statistics": null, "extension_type": null, "composite_member": null,
            }}],
            "item_count": 1, "tensor_count": 1, "max_depth": 0,
        }})
    );
}

#[test]
fn numbers_are_whole() {
    // byte_offset, of a tensor without elements, in a buffer of 2^64 - 1 bytes
    let mut descriptor = Tensor::of(&[0]).descriptor();
    descriptor[28..36].fill(0xFF);
    descriptor[37..45].fill(0xFF);
    let run = feed(
        &["inspect", "--json", "--kind", "descriptor", "-"],
        &descriptor,
    );
    assert!(
        run.out.contains(r#""byte_offset":18446744073709551615"#),
        "{}",
        run.out
    );
    assert!(
        run.out.contains(r#""byte_size":18446744073709551615"#),
        "{}",
        run.out
    );
}

#[test]
fn long_member_lists_are_whole() {
    let run = run(&[
        "inspect",
        "--json",
        "tests/vectors/streams/s-ok-part-1d-1000.bin",
    ]);
    let value = &run.json()["value"];
    let members = value["items"][0]["members"].as_array().unwrap();
    assert_eq!(
        (members.len(), &value["tensor_count"]),
        (1000, &json!(1000))
    );
    let offsets = members
        .iter()
        .map(|member| member["offset"].as_u64().unwrap());
    assert!(offsets.is_sorted());
}

#[test]
fn what_was_read_before_an_error_is_shown() {
    // a whole tensor, a partition with one of two members, then something else
    let mut bytes = Tensor::of(&[4]).stream();
    bytes.extend(partition(&[4], 2));
    bytes.extend(Tensor::at(&[2], &[4], &[0]).stream());
    let end = bytes.len();
    bytes.extend(b"HRRZ");

    let json = feed(&["inspect", "--json", "-"], &bytes);
    assert_eq!(json.status, 1);
    let shown = json.json();
    let items = shown["value"]["items"].as_array().unwrap();
    assert_eq!(items.len(), 2);
    assert_eq!(items[1]["members"].as_array().unwrap().len(), 1);
    assert_eq!(items[1]["complete"], false);
    let message = format!(
        "DESC-02 does not hold: a descriptor starts with the bytes HRRY (magic) at byte {}",
        end + 3
    );
    assert_eq!(
        shown["error"],
        json!({"rule": "DESC-02", "offset": end + 3, "message": message})
    );
    assert_eq!(json.err, format!("hrry: -: {message}\n"));

    let tree = feed(&["inspect", "-"], &bytes);
    assert_eq!(
        (tree.status, tree.out.lines().count()),
        (1, 3),
        "{}",
        tree.out
    );
    assert_eq!(tree.err, json.err);

    // cut in data: the tensor is there, its digest is not
    let cut = feed(
        &["inspect", "--json", "--digest", "-"],
        &Tensor::of(&[4]).stream()[..55],
    );
    let shown = cut.json();
    assert_eq!(shown["value"]["items"][0]["descriptor"]["type_tag"], 17);
    assert!(shown["value"]["items"][0].get("buffers").is_none());
    assert_eq!(shown["error"]["rule"], "STREAM-04");

    // behind a head its members are none
    let head = feed(&["inspect", "--json", "-"], &partition(&[4], 2));
    assert_eq!(head.json()["value"]["items"][0]["members"], json!([]));

    let lone = feed(&["inspect", "--json", "--kind", "descriptor", "-"], b"HRRZ");
    assert_eq!((lone.status, &lone.json()["value"]), (1, &json!(null)));
}

#[test]
fn incomplete_composites_are_marked() {
    let mut inner = partition(&[4], 1);
    inner.extend(Tensor::at(&[2], &[4], &[0]).stream());
    let mut bytes = inner.clone();
    bytes.extend(Tensor::of(&[1]).stream());
    let run = feed(&["inspect", "--json", "--permissive", "-"], &bytes);
    let shown = run.json();
    assert_eq!((run.status, &shown["flags"]), (0, &json!(["COMP-43"])));
    let [partition, tensor] = [0, 1].map(|k| &shown["value"]["items"][k]);
    assert_eq!(partition["complete"], false);
    assert_eq!(partition["broken_rule"], "COMP-43");
    assert_eq!(tensor["type"], "tensor");
    let tree = feed(&["inspect", "--permissive", "-"], &bytes);
    let marked = "  not whole, breaks COMP-43: members of a partition leave nothing uncovered";
    assert!(
        tree.out
            .lines()
            .any(|line| line.trim_end().ends_with(marked)),
        "{}",
        tree.out
    );
}

#[test]
fn descriptors_with_parts_unknown_are_shown() {
    let options = [
        "inspect",
        "--json",
        "--permissive",
        "--kind",
        "descriptor",
        "-",
    ];
    // layout 0x20 has no meaning: buffers and the rest are opaque
    let mut descriptor = Tensor::of(&[4]).descriptor();
    descriptor[15] = 0x20;
    let shown = feed(&options, &descriptor).json();
    let value = &shown["value"];
    assert_eq!(
        (&value["layout_tag"], &value["layout_name"]),
        (&json!(32), &json!("unknown"))
    );
    assert_eq!(
        (&value["layout"], &value["buffers"]),
        (&json!({}), &json!([]))
    );
    // buffer_count, byte_size, alignment, tags
    assert_eq!(value["opaque"], "0104000000000000004000000000000000");
    assert_eq!(shown["flags"], json!(["LAYOUT-02"]));

    let tail = feed(&options, &vector("descriptors/d-ok-minor-1-trailing.bin")).json();
    assert_eq!(tail["value"]["version_minor"], 1);
    assert_eq!(tail["value"]["tail"].as_str().unwrap().len(), 16);
}
