//! The vectors: verdict, rule and every decoded field, asked of the library itself.

#[path = "golden/examples.rs"]
mod examples;
mod support;

use hrry::{DescriptorView, Error, Field, Mode, Rule, Section, encode};
use serde_json::{Value, json};
use support::contents;
use support::describe;
use support::files::read;
use support::trace::{growing, trace};
use support::vectors::{Vector, descriptors, files, permissive, streams};

#[test]
fn descriptors_give_verdict_rule_and_fields() {
    for v in descriptors() {
        match DescriptorView::parse(&v.bytes, &v.policy) {
            Ok((view, rest)) => {
                assert!(v.accept, "{} was accepted", v.id);
                assert!(rest.is_empty(), "{}", v.id);
                assert_same(&describe::descriptor(&view), &v.expect, &v.id);
            }
            Err(error) => assert_refused(&v, error),
        }
    }
}

#[test]
fn streams_give_verdict_rule_and_items() {
    let mut content = 0;
    for v in streams() {
        let trace = trace(&v.bytes, &[], growing(v.policy));
        match trace.result {
            Ok(()) if v.content => {
                // a rule about buffers, which a decoder does not look into
                let error = contents::stream(&v.bytes, v.policy, 0).unwrap_err();
                assert!(error.offset() < v.bytes.len() as u64, "{}", v.id);
                assert_names_a_rule(&v, error);
                content += 1;
            }
            Ok(()) => {
                assert!(v.accept, "{} was accepted", v.id);
                assert_eq!(contents::stream(&v.bytes, v.policy, 0), Ok(vec![]));
                assert_eq!(trace.offset, v.bytes.len() as u64, "{}", v.id);
                assert_same(
                    &describe::stream(&trace.entries, &v.policy),
                    &v.expect,
                    &v.id,
                );
            }
            Err(error) => assert_refused(&v, error),
        }
    }
    assert_eq!(content, 19, "vectors about the content of buffers");
}

#[test]
fn files_give_verdict_rule_and_contents() {
    for v in files() {
        match read(&v.bytes, &v.policy) {
            Ok(()) => {
                assert!(v.accept, "{} was accepted", v.id);
                assert_same(
                    &describe::file(&v.bytes, &v.policy),
                    &expanded(&v.expect),
                    &v.id,
                );
            }
            Err(error) => assert_refused(&v, error),
        }
    }
}

/// Manifests shorten long strings of one character.
fn expanded(value: &Value) -> Value {
    match value {
        Value::Object(fields) => match (fields.get("repeat"), fields.get("times")) {
            (Some(Value::String(text)), Some(times)) => text
                .repeat(times.as_u64().expect("a number") as usize)
                .into(),
            _ => fields
                .iter()
                .map(|(name, value)| (name.clone(), expanded(value)))
                .collect(),
        },
        Value::Array(items) => items.iter().map(expanded).collect(),
        _ => value.clone(),
    }
}

fn assert_refused(v: &Vector, error: Error) {
    assert!(!v.accept && !v.content, "{}: {error}", v.id);
    assert_names_a_rule(v, error);
}

fn assert_names_a_rule(v: &Vector, error: Error) {
    let named = error.rule().map(Rule::id).expect("a rule is broken");
    assert!(v.rules.iter().any(|id| id == named), "{}: {error}", v.id);
}

/// Compares field by field; of a long composite the manifest lists the first and the last member only.
fn assert_same(actual: &Value, expect: &Value, at: &str) {
    match (actual, expect) {
        (Value::Object(actual), Value::Object(expect)) => {
            let listed = expect.contains_key("members_listed");
            for (name, value) in expect {
                let at = format!("{at}.{name}");
                match actual.get(name) {
                    _ if name == "members_listed" => assert_eq!(value, "first and last only"),
                    Some(Value::Array(members)) if listed && name == "members" => {
                        let ends = json!([members.first(), members.last()]);
                        assert_same(&ends, value, &at);
                    }
                    Some(actual) => assert_same(actual, value, &at),
                    None => panic!("{at} is missing"),
                }
            }
            let extra: Vec<_> = actual.keys().filter(|k| !expect.contains_key(*k)).collect();
            assert!(extra.is_empty(), "{at}: {extra:?} not expected");
        }
        (Value::Array(actual), Value::Array(expect)) => {
            assert_eq!(actual.len(), expect.len(), "{at}");
            for (k, (actual, expect)) in actual.iter().zip(expect).enumerate() {
                assert_same(actual, expect, &format!("{at}[{k}]"));
            }
        }
        _ => assert_eq!(actual, expect, "{at}"),
    }
}

#[test]
fn no_proper_prefix_of_a_descriptor_is_accepted() {
    for v in descriptors().iter().filter(|v| v.accept) {
        for len in 0..v.bytes.len() {
            let error = DescriptorView::parse(&v.bytes[..len], &v.policy).unwrap_err();
            assert_eq!(error.rule(), Some(Rule::Incomplete), "{} to {len}", v.id);
            assert_eq!(error.offset(), len as u64, "{} to {len}", v.id);
        }
    }
}

#[test]
fn a_prefix_of_a_stream_is_accepted_between_items_only() {
    for v in streams().iter().filter(|v| v.accept) {
        let ends = item_ends(v);
        let mut decoder = growing(v.policy);
        for len in 0..v.bytes.len() {
            let accepted = decoder.finish().is_ok();
            assert_eq!(accepted, ends.contains(&len), "{} to {len}", v.id);
            if let Err(error) = decoder.finish() {
                assert_eq!(error.offset(), len as u64, "{} to {len}", v.id);
            }
            let mut byte = &v.bytes[len..=len];
            while decoder.next_event(&mut byte).unwrap().is_some() {}
        }
    }
}

/// Where a stream may end, by the sizes in its manifest.
fn item_ends(v: &Vector) -> Vec<usize> {
    let items = v.expect["items"].as_array().expect("streams list items");
    let mut ends = vec![0];
    let mut at = 0;
    for item in items {
        if items.len() == 1 {
            at = v.bytes.len();
        } else {
            at += item_len(item);
        }
        ends.push(at);
    }
    assert_eq!(at, v.bytes.len(), "{}", v.id);
    ends
}

fn item_len(item: &Value) -> usize {
    assert!(item.get("members_listed").is_none(), "sizes are not listed");
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let list = |name| item[name].as_array().into_iter().flatten();
    number(&item["descriptor"]["descriptor_length"])
        + list("buffers")
            .map(|buffer| number(&buffer["len"]))
            .sum::<usize>()
        + list("members").map(item_len).sum::<usize>()
}

#[test]
fn encoding_a_decoded_descriptor_gives_its_bytes() {
    for v in descriptors().iter().filter(|v| v.accept) {
        let (view, _) = DescriptorView::parse(&v.bytes, &v.policy).unwrap();
        let mut out = vec![0xAA; v.bytes.len()];
        let len = encode(&view, &mut out, &v.policy).unwrap();
        assert_eq!(out[..len], canonical(&view), "{}", v.id);
    }
}

/// The bytes without what a writer never emits: a later minor version with its tail, padding behind a
/// scheme, and what is ignored of a private integer type.
fn canonical(view: &DescriptorView<'_>) -> Vec<u8> {
    let mut bytes = view.as_bytes().to_vec();
    let integer = view.extension_type().is_some_and(|e| e.is_float == 0);
    for field in [Field::ExtensionHasNan, Field::ExtensionHasInf] {
        if integer {
            bytes[view.locate(field, 0).unwrap().start as usize] = 0;
        }
    }
    bytes.truncate(bytes.len() - view.tail().len());
    bytes[5] = 0;
    if let Some((_, section)) = view.sections().find(|(s, _)| *s == Section::Quantization) {
        let start = section.start as usize;
        let size = match bytes[start + 4] {
            1 | 4 | 5 => 16,
            2 => 20,
            _ => 24,
        };
        bytes.drain(start + 4 + size..section.end as usize);
        bytes[start..start + 4].copy_from_slice(&(size as u32).to_le_bytes());
    }
    let len = bytes.len() as u32;
    bytes[6..10].copy_from_slice(&len.to_le_bytes());
    bytes
}

#[test]
fn what_strict_mode_accepts_permissive_mode_reads_alike() {
    for v in descriptors().iter().filter(|v| v.accept) {
        let policy = permissive(&v.policy);
        let (view, _) = DescriptorView::parse(&v.bytes, &policy).unwrap();
        assert_same(&describe::descriptor(&view), &v.expect, &v.id);
        if v.policy.mode == Mode::Strict {
            view.relaxed(&policy, |breach| panic!("{}: {breach}", v.id));
        }
    }
    for v in streams().iter().filter(|v| v.accept) {
        let strict = trace(&v.bytes, &[], growing(v.policy));
        assert_eq!(
            trace(&v.bytes, &[], growing(permissive(&v.policy))),
            strict,
            "{}",
            v.id
        );
    }
}
