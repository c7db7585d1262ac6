//! The vectors that say what numbers items hold, where elements lie one after the other.

use std::fs;
use std::path::{Path, PathBuf};

use hrry::element::{bits, value};
use hrry::{ElementType, Event, FixedDecoder, Policy, Value};
use serde_json::Value as Json;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// Element type, place of the first element, bytes of buffer 0: of every item.
fn items(file: &str) -> Vec<(ElementType, usize, Vec<u8>)> {
    let stream = fs::read(folder().join(file)).unwrap();
    let mut decoder = FixedDecoder::<1024, 64>::new(Policy::STRICT);
    let mut items = Vec::new();
    let mut rest = stream.as_slice();
    while let Some(event) = decoder.next_event(&mut rest).unwrap() {
        match event {
            Event::Descriptor(d, _) => {
                let start = usize::try_from(d.byte_offset()).unwrap();
                items.push((d.element_type(), start, Vec::new()));
            }
            Event::Payload(p) if p.buffer == 0 => {
                items.last_mut().unwrap().2.extend_from_slice(p.bytes);
            }
            _ => {}
        }
    }
    decoder.finish().unwrap();
    items
}

#[test]
fn types_and_packing() {
    let manifest = fs::read_to_string(folder().join("values.json")).unwrap();
    let mut seen = 0;
    for line in manifest.lines().filter(|line| line.starts_with('{')) {
        let case: Json = serde_json::from_str(line.trim_end_matches(',')).unwrap();
        if case["group"] != "types" && case["group"] != "packing" {
            continue;
        }
        let id = case["id"].as_str().unwrap();
        let items = items(case["file"].as_str().unwrap());
        let item: usize = case["item"].as_str().unwrap()[1..].parse().unwrap();
        let (of, start, bytes) = &items[item];
        assert_eq!(of.name(), case["element_type"].as_str(), "{id}");
        let shape = case["shape"].as_array().unwrap();
        let count = shape.iter().map(|size| size.as_u64().unwrap()).product();
        let codes: Vec<u128> = (0..count)
            .map(|position| bits(*of, &bytes[*start..], position).unwrap())
            .collect();
        let mut compared = false;
        if let Some(patterns) = case["bits"].as_array() {
            let patterns = patterns.iter().map(|text| hex(text.as_str().unwrap()));
            assert!(codes.iter().copied().eq(patterns), "{id}");
            compared = true;
        }
        if case["values"].is_array() {
            let words = words(line);
            let parts = if matches!(*of, ElementType::Complex64 | ElementType::Complex128) {
                2
            } else {
                1
            };
            assert_eq!(words.len(), codes.len() * parts, "{id}");
            for (code, wanted) in codes.iter().zip(words.chunks(parts)) {
                assert_same(value(*of, *code).unwrap(), wanted, id);
            }
            compared = true;
        }
        seen += usize::from(compared);
    }
    assert_eq!(seen, 36, "cases with something to compare");
}

fn hex(text: &str) -> u128 {
    u128::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

/// The values as they are written: a JSON parser may round decimals once too often.
fn words(line: &str) -> Vec<&str> {
    let (_, values) = line.split_once("\"values\":").unwrap();
    let values = values.split("],\"").next().unwrap();
    let words = values.split(['[', ']', ',', ' ', '"']);
    words.filter(|word| !word.is_empty()).collect()
}

fn number(word: &str) -> f64 {
    word.parse().unwrap()
}

fn same(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan())
}

fn assert_same(value: Value, wanted: &[&str], id: &str) {
    let single = |x: f32, wanted: &str| same(x.into(), wanted.parse::<f32>().unwrap().into());
    let right = match value {
        Value::Bool(bit) => wanted == [bit.to_string()],
        Value::Int(n) => wanted == [n.to_string()],
        Value::UInt(n) => wanted == [n.to_string()],
        Value::F32(x) => single(x, wanted[0]),
        Value::F64(x) => same(x, number(wanted[0])),
        Value::Complex64(parts) => (0..2).all(|k| single(parts[k], wanted[k])),
        Value::Complex128(parts) => (0..2).all(|k| same(parts[k], number(wanted[k]))),
    };
    assert!(right, "{id}: {value:?}, not {wanted:?}");
}
