//! Every vector: its verdict, its rule, and what its messages say.

use hrry::Rule;
use hrry::message::Scope;
use serde_json::{Value, json};

use crate::support::crc32c;
use crate::support::messages::{Entry, growing, shards, trace};
use crate::support::vectors::messages;

/// The messages of a trace as the manifest lists them.
fn listed(entries: &[Entry]) -> Vec<Value> {
    let mut messages = Vec::new();
    for entry in entries {
        match entry {
            Entry::Message {
                header,
                name,
                fields,
                ..
            } => {
                let mut fields = fields.clone();
                if *name == "TENSOR_DATA" {
                    fields["crc32c"] = json!(format!("{:08x}", crc32c(b"")));
                }
                messages.push(json!({
                    "type": header.message_type.0,
                    "name": name,
                    "stream_id": header.stream_id,
                    "payload_length": header.payload_length,
                    "fields": fields,
                }));
            }
            Entry::Data {
                offset,
                bytes,
                complete,
                ..
            } => {
                assert!(*complete);
                assert_eq!(hrry::crc32c(0, bytes), crc32c(bytes));
                let last: &mut Value = messages.last_mut().expect("data follows its message");
                let fields = &mut last["fields"];
                assert_eq!(fields["byte_offset_in_buffer"], *offset);
                assert_eq!(fields["data_length"], bytes.len());
                fields["crc32c"] = json!(format!("{:08x}", crc32c(bytes)));
            }
        }
    }
    messages
}

#[test]
fn every_verdict() {
    let (mut accepted, mut refused) = (0, 0);
    for (v, link) in messages() {
        let read = trace(&v.bytes, &[], growing(link, v.policy));
        let together = match link.scope {
            Scope::Message => Ok(()),
            _ => shards(&read.entries, &v.policy),
        };
        let result = read.result.map_err(|error| error.kind()).and(together);
        if v.accept {
            assert_eq!(result, Ok(()), "{}", v.id);
            assert_eq!(read.offset, v.bytes.len() as u64);
            let expected = v.expect["messages"].as_array().expect("they are listed");
            assert_eq!(&listed(&read.entries), expected, "{}", v.id);
            accepted += 1;
            continue;
        }
        let kind = result.expect_err(&v.id);
        let rule = kind.rule().expect("a rule is broken");
        let named = |id: &String| Rule::from_id(id) == Some(rule);
        assert!(v.rules.iter().any(named), "{}: {kind}", v.id);
        refused += 1;
    }
    assert_eq!((accepted, refused), (46, 90));
}
