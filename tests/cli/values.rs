//! `hrry values`: numbers and bits of one item.

use std::fs;

use hrry::{BufferHandle, DescriptorSpec, ElementType, I64s, Layout, Policy, encode};
use serde_json::{Value, json};

use crate::{feed, run};

/// The numbers in hexadecimal that a list holds.
fn bits(list: &Value) -> Vec<u128> {
    let list = list.as_array().unwrap();
    let number = |text: &Value| text.as_str().unwrap().trim_start_matches("0x").to_owned();
    let numbers = list.iter().map(number);
    numbers
        .map(|text| u128::from_str_radix(&text, 16).unwrap())
        .collect()
}

#[test]
fn every_case_of_the_vectors() {
    let cases = fs::read_to_string("tests/vectors/values.json").unwrap();
    let cases: Vec<Value> = serde_json::from_str(&cases).unwrap();
    assert_eq!(cases.len(), 199);
    for case in cases {
        let id = case["id"].as_str().unwrap();
        let file = format!("tests/vectors/{}", case["file"].as_str().unwrap());
        let mut args = vec!["values", "--json"];
        if let Some(options) = case["options"].as_array() {
            args.extend(options.iter().map(|option| option.as_str().unwrap()));
        }
        args.extend([&file, case["item"].as_str().unwrap()]);
        let run = run(&args);
        if case["error"].is_string() {
            assert_eq!((run.status, run.out.len()), (1, 0), "{id}: {}", run.out);
            assert!(!run.err.is_empty(), "{id}");
            continue;
        }
        assert_eq!(run.status, 0, "{id}: {}", run.err);
        let found = run.json();
        assert_eq!(found["shape"], case["shape"], "{id}");
        assert_eq!(found["element_type"], case["element_type"], "{id}");
        if case["bits"].is_array() {
            assert_eq!(bits(&found["bits"]), bits(&case["bits"]), "{id}");
        }
        if let Some(values) = case["values"].as_array() {
            let found = found["values"].as_array().unwrap();
            assert_eq!(found.len(), values.len(), "{id}");
            for (found, wanted) in found.iter().zip(values) {
                same(found, wanted, id);
            }
        }
    }
}

/// Numbers are compared as what both texts read as; the last bit of a float64 is seen in the bits.
fn same(found: &Value, wanted: &Value, id: &str) {
    match (found, wanted) {
        (Value::Array(found), Value::Array(wanted)) => {
            assert_eq!(found.len(), wanted.len(), "{id}");
            found.iter().zip(wanted).for_each(|(a, b)| same(a, b, id));
        }
        (Value::Number(found), Value::Number(wanted)) if wanted.is_f64() => {
            let (found, wanted) = (found.as_f64().unwrap(), wanted.as_f64().unwrap());
            assert!(
                (found - wanted).abs() <= wanted.abs() * 1e-15,
                "{id}: {found} {wanted}"
            );
        }
        _ => assert_eq!(found, wanted, "{id}"),
    }
}

/// A case of the vectors, as `hrry values` prints it for people.
fn text(args: &[&str]) -> String {
    let run = run(&[&["values"], args].concat());
    assert_eq!(run.status, 0, "{}", run.err);
    run.out
}

#[test]
fn rows_for_people() {
    let stream = "tests/vectors/streams/s-ok-ov-spqr.bin";
    // an outlier of -4 in row 0 replaces what the block says
    let rows = text(&["--box", "0,0:2,3", stream, "#0"]);
    let lines: Vec<_> = rows.lines().collect();
    assert_eq!((lines[0], lines.len()), ("float16 [2, 3]", 3));
    // codes are told from the numbers that they stand for
    let first = |options: &[&str]| {
        let rows = text(&[options, &["--box", "0,0:2,3", stream, "#0.0"]].concat());
        rows.lines().next().unwrap().to_owned()
    };
    let dequantized = "float32 [2, 3], dequantized from int4 per_block_affine";
    assert_eq!(first(&[]), dequantized);
    assert_eq!(first(&["--stored"]), "int4 [2, 3]");
    // planes are apart
    let planes = text(&["tests/vectors/values/group.bin", "#0.2"]);
    assert_eq!(planes.lines().filter(|line| line.is_empty()).count(), 1);
}

#[test]
fn what_has_no_values_and_what_is_not_there() {
    let group = "tests/vectors/values/group.bin";
    let refused = run(&["values", group, "#0"]);
    assert_eq!((refused.status, refused.out.as_str()), (1, ""));
    assert_eq!(refused.err, "hrry: #0: a group has no common view\n");
    let absent = run(&["values", group, "#9"]);
    assert_eq!((absent.status, absent.out.as_str()), (2, ""));
    assert_eq!(absent.err, format!("hrry: {group}: there is no item #9\n"));
    let most = format!("#{}", usize::MAX);
    assert_eq!(run(&["values", group, &most]).status, 2);
    assert_eq!(run(&["values", group, "#0.2.0"]).status, 2);
    assert_eq!(run(&["values", group, "0"]).status, 2);
    assert_eq!(run(&["values", "--box", "1,1", group, "#0.2"]).status, 2);
    // a box that leaves the shape, and one of another rank, of a tensor and of a composite
    let spqr = "tests/vectors/streams/s-ok-ov-spqr.bin";
    for (part, file, item, said) in [
        (
            "0,0,1:2,2,2",
            group,
            "#0.2",
            "outside the shape along dimension 2",
        ),
        (
            "0:1",
            group,
            "#0.2",
            "an index of rank 1 for a shape of rank 3",
        ),
        ("4,0:1,1", spqr, "#0", "outside the shape along dimension 0"),
        (
            "0:1",
            spqr,
            "#0",
            "an index of rank 1 for a shape of rank 2",
        ),
    ] {
        let misfit = run(&["values", "--box", part, file, item]);
        assert_eq!((misfit.status, &*misfit.out), (2, ""));
        assert_eq!(misfit.err, format!("hrry: {item}: --box: {said}\n"));
    }
}

#[test]
fn more_elements_than_anybody_reads() {
    // 2^40 bytes that are all the same one
    let buffers = [BufferHandle::cpu(1, 64)];
    let layout = Layout::Strided {
        strides: I64s::from(&[0]),
    };
    let spec = DescriptorSpec::new(ElementType::UInt8, &[1 << 40], layout, &buffers);
    let mut stream = [7; 256];
    let len = encode(&spec, &mut stream, &Policy::STRICT).unwrap();
    let many = feed(&["values", "-", "#0"], &stream[..=len]);
    assert_eq!((many.status, many.out.as_str()), (2, ""));
    let wanted =
        "hrry: #0: 1099511627776 elements are more than 67108864; take a part of it with --box\n";
    assert_eq!(many.err, wanted);
    let some = feed(
        &["values", "--box", "1099511627774:2", "-", "#0"],
        &stream[..=len],
    );
    assert_eq!(some.out, "uint8 [2]\n7 7\n");
}

#[test]
fn what_breaks_a_content_rule_is_not_printed() {
    let csr = "tests/vectors/streams/s-bad-content-csr-ptr-end.bin";
    let refused = run(&["values", csr, "#0"]);
    assert_eq!((refused.status, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("LAYOUT-31"), "{}", refused.err);
    // a stream that is broken further on is not printed either
    let mut stream = fs::read("tests/vectors/streams/s-ok-one.bin").unwrap();
    stream.extend(b"HRRX");
    let refused = feed(&["values", "-", "#0"], &stream);
    assert_eq!((refused.status, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("DESC-02"), "{}", refused.err);
}

#[test]
fn numbers_that_json_does_not_have() {
    let args = [
        "values",
        "--json",
        "tests/vectors/values/type-bfloat16.bin",
        "#0",
    ];
    let found = run(&args).json();
    let values = found["values"].as_array().unwrap();
    assert_eq!(
        values[11..14],
        [json!("Infinity"), json!("-Infinity"), json!("NaN")]
    );
    let out = run(&args).out;
    assert!(out.starts_with(
        "{\"shape\":[16],\"element_type\":\"bfloat16\",\"values\":[0.0,-0.0,9.1835e-41,"
    ));
    assert!(out.contains("\"bits\":[\"0x0000\",\"0x8000\",\"0x0001\","));
}
