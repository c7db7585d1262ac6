//! `hrry stats`: what numbers are like, and what a statistics section says of them.

use hrry::{
    BufferHandle, DescriptorSpec, ElementType, F64Bits, I64s, Layout, Policy, Statistics, encode,
};
use serde_json::json;

use crate::{feed, run};

/// A stream of 1, 2, 0 and 5 as float32, with a statistics section.
fn stream(change: impl FnOnce(&mut Statistics)) -> Vec<u8> {
    let bits = |x: f64| F64Bits(x.to_bits());
    let mut statistics = Statistics {
        computed_mask: 0x3F,
        nnz: 3,
        sparsity_ratio: bits(0.25),
        value_min: bits(0.0),
        value_max: bits(5.0),
        value_abs_max: bits(5.0),
        value_mean: bits(2.0),
        // the squares of -1, 0, -2 and 3 are 14 in all
        value_stddev: bits(3.5f64.sqrt()),
        nm_n: 2,
        nm_m: 2,
        has_nan: 0,
        has_inf: 0,
    };
    change(&mut statistics);
    let buffers = [BufferHandle::cpu(16, 64)];
    let spec = DescriptorSpec {
        statistics: Some(statistics),
        ..DescriptorSpec::new(ElementType::Float32, &[2, 2], Layout::RowMajor, &buffers)
    };
    let mut bytes = [0; 256];
    let len = encode(&spec, &mut bytes, &Policy::STRICT).unwrap();
    let numbers = [1.0f32, 2.0, 0.0, 5.0];
    let data = numbers.iter().flat_map(|x| x.to_le_bytes());
    bytes[..len].iter().copied().chain(data).collect()
}

#[test]
fn a_section_that_agrees() {
    let run = feed(&["stats", "--json", "-"], &stream(|_| {}));
    let line = run.json();
    assert_eq!(run.status, 0, "{line}");
    assert_eq!(line["item"], "#0");
    assert_eq!(line["stated"], true);
    assert_eq!(line["differs"], json!([]));
    let counts =
        ["count", "min", "max", "mean", "nan", "inf", "zeros"].map(|key| line[key].clone());
    assert_eq!(json!(counts), json!([4, 0.0, 5.0, 2.0, 0, 0, 1]));
    let deviation = line["stddev"].as_f64().unwrap();
    assert!((deviation - 1.870_828_693_386_970_6).abs() < 1e-15);
}

#[test]
fn fields_that_differ_are_named() {
    let wrong = |change: fn(&mut Statistics)| {
        let run = feed(&["stats", "--json", "-"], &stream(change));
        let line = run.json();
        assert_eq!(
            run.status,
            i32::from(line["differs"] != json!([])),
            "{line}"
        );
        line["differs"].clone()
    };
    assert_eq!(wrong(|s| s.nnz = 4), json!(["nnz"]));
    assert_eq!(wrong(|s| s.sparsity_ratio.0 = 0), json!(["sparsity_ratio"]));
    assert_eq!(
        wrong(|s| s.value_min.0 = 1.0f64.to_bits()),
        json!(["value_min"])
    );
    assert_eq!(
        wrong(|s| s.value_max.0 = 4.0f64.to_bits()),
        json!(["value_max"])
    );
    assert_eq!(
        wrong(|s| s.value_abs_max.0 = 1.0f64.to_bits()),
        json!(["value_abs_max"])
    );
    assert_eq!(
        wrong(|s| s.value_mean.0 = 2.1f64.to_bits()),
        json!(["value_mean"])
    );
    assert_eq!(wrong(|s| s.value_stddev.0 = 0), json!(["value_stddev"]));
    assert_eq!(wrong(|s| s.nm_n = 1), json!(["nm_n"]));
    assert_eq!(wrong(|s| s.has_nan = 1), json!(["has_nan"]));
    assert_eq!(wrong(|s| s.has_inf = 1), json!(["has_inf"]));
    // what is not valid is not compared
    assert_eq!(wrong(|s| (s.nnz, s.computed_mask) = (9, 0x3E)), json!([]));
}

#[test]
fn tensors_of_a_container_and_zeros_that_are_not_stored() {
    let run = run(&["stats", "--json", "tests/vectors/values/container-b.hrry"]);
    assert_eq!(run.status, 0, "{}", run.err);
    let lines = run.lines();
    let sparse = lines.iter().find(|line| line["item"] == "sparse").unwrap();
    assert_eq!(sparse["count"], 12);
    // nobody counts the zeros of an empty tensor
    let empty = lines.iter().find(|line| line["item"] == "leer").unwrap();
    assert_eq!((&empty["count"], &empty["min"]), (&json!(0), &json!(null)));
}

#[test]
fn what_has_no_numbers_is_told() {
    let run = run(&["stats", "tests/vectors/values/refuse-private-type.bin"]);
    assert_eq!(run.status, 1);
    assert!(run.out.contains("no numbers: "), "{}", run.out);
}

#[test]
fn numbers_of_broken_content_are_not_told() {
    let file = "tests/vectors/values/refuse-coo-bounds.bin";
    let run = run(&["stats", "--json", file]);
    assert_eq!(run.status, 1, "{}", run.err);
    let line = run.json();
    let error = line["error"].as_str().unwrap_or_default();
    assert!(error.contains("LAYOUT-26"), "{line}");
    assert_eq!(line.get("mean"), None);
}

#[test]
fn elements_that_were_only_announced_cost_no_time() {
    let buffers = [BufferHandle::cpu(1, 64)];
    let strides = [0];
    let layout = Layout::Strided {
        strides: I64s::from(&strides),
    };
    let spec = DescriptorSpec::new(ElementType::UInt8, &[1 << 50], layout, &buffers);
    let mut bytes = [7; 128];
    let len = encode(&spec, &mut bytes, &Policy::STRICT).unwrap();
    let run = feed(&["stats", "--json", "-"], &bytes[..=len]);
    assert_eq!(run.status, 1, "{}", run.err);
    let text = "1 bytes stand for more than 67108864 elements";
    assert_eq!(run.json()["error"], text);
}
