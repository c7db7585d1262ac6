//! Every case of `values.json`, through the core and through owned items: numbers and bits.

use std::fs;
use std::path::PathBuf;

use hrry::owned::Item;
use hrry::{ElementType, Fields, SubBox, U64s, Value, element};
use serde_json::Value as Json;

use super::nodes::{Node, of_file, of_stream};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

fn cases() -> Vec<Json> {
    let text = fs::read_to_string(folder().join("values.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The item of a case; none where the input is refused.
fn item(case: &Json) -> Option<Node> {
    let file = case["file"].as_str().unwrap();
    let bytes = fs::read(folder().join(file)).unwrap();
    let name = case["item"].as_str().unwrap();
    if file.ends_with(".hrry") {
        let items = of_file(&bytes)?;
        let found = items
            .iter()
            .flat_map(Node::all)
            .find(|node| node.name == name);
        return Some(found.expect(name).clone());
    }
    let mut path = name[1..]
        .split('.')
        .map(|number| number.parse::<usize>().unwrap());
    let top = of_stream(&bytes)?.swap_remove(path.next().unwrap());
    Some(path.fold(top, |mut node, k| node.members.swap_remove(k)))
}

/// Offset and size of the box that is asked for; all of it where none is.
fn part(case: &Json, shape: Vec<u64>) -> [Vec<u64>; 2] {
    let options = case["options"].as_array();
    let at = options.and_then(|options| options.iter().position(|option| option == "--box"));
    let Some(at) = at else {
        return [vec![0; shape.len()], shape];
    };
    let text = case["options"][at + 1].as_str().unwrap();
    let (offset, size) = text.split_once(':').unwrap();
    let numbers = |text: &str| text.split(',').map(|n| n.parse().unwrap()).collect();
    [numbers(offset), numbers(size)]
}

fn is_stored(case: &Json) -> bool {
    let options = case["options"].as_array();
    options.is_some_and(|options| options.iter().any(|option| option == "--stored"))
}

/// Requires packed elements to be those of the case.
fn compare(case: &Json, of: ElementType, packed: &[u8]) {
    let id = case["id"].as_str().unwrap();
    assert_eq!(of.name(), case["element_type"].as_str(), "{id}");
    let count: u64 = case["shape"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .product();
    let bits = |k| element::bits(of, packed, k).unwrap_or_else(|| panic!("{id}: element {k}"));
    if let Some(expected) = case["bits"].as_array() {
        assert_eq!(expected.len() as u64, count, "{id}");
        for (k, expected) in (0..).zip(expected) {
            let digits = &expected.as_str().unwrap()[2..];
            assert_eq!(
                bits(k),
                u128::from_str_radix(digits, 16).unwrap(),
                "{id}: {k}"
            );
        }
    }
    if let Some(expected) = case["values"].as_array() {
        assert_eq!(expected.len() as u64, count, "{id}");
        for (k, expected) in (0..).zip(expected) {
            same(element::value(of, bits(k)).unwrap(), expected, id);
        }
    }
    assert!(case["bits"].is_array() || case["values"].is_array(), "{id}");
}

fn same(value: Value, expected: &Json, id: &str) {
    let float = |x: f64, expected: &Json| {
        let wanted = match expected.as_str() {
            Some(text) => text.parse().unwrap(),
            None => expected.as_f64().unwrap(),
        };
        // the JSON parser may be one step off; the bits of the case are exact
        let steps = x.to_bits().abs_diff(wanted.to_bits());
        assert!(
            steps <= 1 || x.is_nan() && wanted.is_nan(),
            "{id}: {x} {wanted}"
        );
    };
    // the decimals are those of float32 where the type is not wider
    let single = |x: f32, expected: &Json| match expected.as_f64() {
        // by way of its text: a decimal is rounded once
        Some(_) => {
            let wanted: f32 = expected.to_string().parse().unwrap();
            assert_eq!(x.to_bits(), wanted.to_bits(), "{id}: {x} {expected}");
        }
        None => float(x.into(), expected),
    };
    match value {
        Value::Bool(bit) => assert_eq!(expected.as_bool(), Some(bit), "{id}"),
        Value::Int(n) => assert_eq!(expected.as_i64(), Some(n), "{id}"),
        Value::UInt(n) => assert_eq!(expected.as_u64(), Some(n), "{id}"),
        Value::F32(x) => single(x, expected),
        Value::F64(x) => float(x, expected),
        Value::Complex64(parts) => (0..2).for_each(|k| single(parts[k], &expected[k])),
        Value::Complex128(parts) => (0..2).for_each(|k| float(parts[k], &expected[k])),
    }
}

#[test]
fn the_core_reads_every_case() {
    let cases = cases();
    assert_eq!(cases.len(), 199);
    let mut refused = 0;
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let node = item(case);
        let read = node.map(|node| {
            let [offset, size] = part(case, node.shape());
            let part = SubBox {
                offset: U64s::from(&offset[..]),
                shape: U64s::from(&size[..]),
            };
            if node.shape().contains(&u64::MAX) {
                // `packed` has no size for it
                let mut out = [0.0f32; 1];
                return hrry::read_values(&node.view(), &node.slices(), part, &mut out)
                    .map(|()| unreachable!("{id}"));
            }
            node.packed(part, is_stored(case))
        });
        match (&case["error"], read) {
            (Json::Null, Some(Ok((of, packed)))) => compare(case, of, &packed),
            (Json::String(_), None | Some(Err(_))) => refused += 1,
            (_, read) => panic!("{id}: {read:?}"),
        }
    }
    assert_eq!(refused, 9);
}

#[test]
fn owned_items_read_every_case() {
    for case in &cases() {
        let id = case["id"].as_str().unwrap();
        let Some(node) = item(case) else {
            assert!(case["error"].is_string(), "{id}");
            continue;
        };
        let item = node.to_owned_item();
        let of = part(case, node.shape());
        let part = SubBox {
            offset: U64s::from(&of[0][..]),
            shape: U64s::from(&of[1][..]),
        };
        let whole = case["options"].is_null();
        let d = item.descriptor();
        let read = match &item {
            Item::Composite(composite) => {
                let packed = composite.read_packed(part);
                if let (Ok(packed), true) = (&packed, d.element_type().bits() <= 32) {
                    numbers_agree(&item, whole.then_some(()), part, d.element_type(), packed);
                }
                packed.map(|packed| (d.element_type(), packed))
            }
            Item::Tensor(tensor) if is_stored(case) || d.quantization().is_none() => tensor
                .read_stored(part)
                .map(|packed| (d.element_type(), packed)),
            Item::Tensor(_) => item.read_box::<f32>(part).map(|numbers| {
                if whole {
                    assert_eq!(
                        format!("{:?}", item.to_vec::<f32>().unwrap()),
                        format!("{numbers:?}")
                    );
                }
                let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
                (ElementType::Float32, bytes)
            }),
        };
        match (&case["error"], read) {
            (Json::Null, Ok((of, packed))) => compare(case, of, &packed),
            (Json::String(_), Err(_)) => {}
            (_, read) => panic!("{id}: {read:?}"),
        }
    }
}

/// `read_box` and `to_vec` of a composite are its packed elements as numbers.
fn numbers_agree(item: &Item, whole: Option<()>, part: SubBox<'_>, of: ElementType, packed: &[u8]) {
    let mut expected = vec![0.0f32; part.elements().unwrap() as usize];
    if element::decode(of, packed, 0, &mut expected).is_err() {
        assert!(item.read_box::<f32>(part).is_err());
        return;
    }
    let text = format!("{expected:?}");
    assert_eq!(format!("{:?}", item.read_box::<f32>(part).unwrap()), text);
    if whole.is_some() {
        assert_eq!(format!("{:?}", item.to_vec::<f32>().unwrap()), text);
    }
}
