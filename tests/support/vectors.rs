//! The vectors under `tests/vectors`, and what their manifests say about them.

use std::fs;
use std::path::PathBuf;

use hrry::message::{LinkOptions, Scope, Side};
use hrry::{Agreements, Mode, Policy, Transport};
use serde_json::Value;

/// One vector.
#[derive(Clone, Debug)]
pub struct Vector {
    pub id: String,
    pub bytes: Vec<u8>,
    /// Mode, transport and agreements that the verdict holds for.
    pub policy: Policy,
    pub accept: bool,
    /// IDs of the rules that it breaks, the intended one first; empty for accepted ones.
    pub rules: Vec<String>,
    /// Whether the verdict is about bytes inside buffers, which no decoder looks at.
    pub content: bool,
    /// The decoded fields; null for rejected ones.
    pub expect: Value,
}

/// Single descriptors.
pub fn descriptors() -> Vec<Vector> {
    load("descriptors.json", vector)
}

/// Bare streams.
pub fn streams() -> Vec<Vector> {
    load("streams.json", vector)
}

/// Container files.
pub fn files() -> Vec<Vector> {
    load("files.json", vector)
}

/// Messages of one side, and what their receiver knows of the link.
pub fn messages() -> Vec<(Vector, LinkOptions)> {
    load("messages.json", |entry, bytes| {
        (vector(entry, bytes), link(entry))
    })
}

/// The vector with that name.
pub fn named<'a>(vectors: &'a [Vector], id: &str) -> &'a Vector {
    vectors
        .iter()
        .find(|vector| vector.id == id)
        .unwrap_or_else(|| panic!("no vector {id}"))
}

fn load<V>(manifest: &str, vector: impl Fn(&Value, Vec<u8>) -> V) -> Vec<V> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let text =
        fs::read_to_string(folder.join(manifest)).expect("the vectors are in the repository");
    let entries: Vec<Value> = serde_json::from_str(&text).expect("a manifest is JSON");
    let vectors: Vec<V> = entries
        .iter()
        .map(|entry| {
            let file = entry["file"].as_str().expect("every entry names a file");
            let bytes = fs::read(folder.join(file)).expect("every file is there");
            assert_eq!(entry["size"], bytes.len(), "{file}");
            vector(entry, bytes)
        })
        .collect();
    assert!(!vectors.is_empty());
    vectors
}

fn vector(entry: &Value, bytes: Vec<u8>) -> Vector {
    let id = entry["id"].as_str().expect("every entry has an id");
    let rules = entry["format_rules"].as_array().cloned();
    Vector {
        id: id.to_owned(),
        bytes,
        policy: policy(entry),
        accept: match entry["verdict"].as_str() {
            Some("accept") => true,
            Some("reject") => false,
            other => panic!("{id}: verdict {other:?}"),
        },
        rules: rules
            .unwrap_or_default()
            .iter()
            .map(|rule| rule.as_str().expect("rules are IDs").to_owned())
            .collect(),
        content: entry["level"] == "content",
        expect: entry["expect"].clone(),
    }
}

fn link(entry: &Value) -> LinkOptions {
    let number = |name: &str| {
        let number = entry[name].as_u64().expect("a number");
        u32::try_from(number).expect("it has 32 bits")
    };
    let sender = match entry["sender"].as_str() {
        Some("client") => Side::Client,
        Some("server") => Side::Server,
        other => panic!("sender {other:?}"),
    };
    let mut options = LinkOptions::new(sender, number("receiver_max_message_size"));
    options.scope = match entry["scope"].as_str() {
        Some("message") => Scope::Message,
        Some("tensor") => Scope::Tensor,
        Some("session") => Scope::Session,
        other => panic!("scope {other:?}"),
    };
    if sender == Side::Server {
        options.client_version = number("peer_protocol_version");
    }
    options
}

/// Every private memory class.
static PRIVATE_CLASSES: Agreements = {
    let mut agreements = Agreements::NONE;
    agreements.memory_classes = &[
        0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE,
    ];
    agreements
};

fn policy(entry: &Value) -> Policy {
    let mut policy = match entry["mode"].as_str() {
        Some("strict") => Policy::STRICT,
        Some("permissive") => Policy::PERMISSIVE,
        other => panic!("mode {other:?}"),
    };
    match entry["transport"].as_str() {
        None => {}
        Some("cross-machine") => policy.transport = Transport::CrossMachine,
        other => panic!("transport {other:?}"),
    }
    for agreement in entry["agreement"].as_array().into_iter().flatten() {
        assert_eq!(agreement, "memory_class");
        policy.agreements = &PRIVATE_CLASSES;
    }
    policy
}

/// The same policy in permissive mode.
pub fn permissive(policy: &Policy) -> Policy {
    let mut policy = *policy;
    policy.mode = Mode::Permissive;
    policy
}
