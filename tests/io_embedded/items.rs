//! What there is to write, and what the core's writer makes of it.

use hrry::{DescriptorView, Policy, StreamWriter};

use crate::support::trace::{Entry, growing, trace};
use crate::support::vectors::streams;

/// One tensor: its descriptor, and its buffers one behind the other.
#[derive(Clone, Debug)]
pub struct One {
    pub descriptor: Vec<u8>,
    pub payload: Vec<u8>,
}

#[derive(Clone, Debug)]
pub struct Stream {
    pub id: String,
    pub policy: Policy,
    pub items: Vec<One>,
    /// As the core's writer writes it.
    pub bytes: Vec<u8>,
}

impl One {
    pub fn view(&self, policy: &Policy) -> DescriptorView<'_> {
        DescriptorView::parse(&self.descriptor, policy).unwrap().0
    }
}

/// The items of all streams that are accepted.
pub fn all() -> Vec<Stream> {
    let accepted = streams()
        .into_iter()
        .filter(|v| v.accept && v.bytes.len() < 10_000);
    let all: Vec<Stream> = accepted
        .map(|v| {
            let mut items: Vec<One> = Vec::new();
            for entry in trace(&v.bytes, &[], growing(v.policy)).entries {
                match entry {
                    Entry::Descriptor { bytes, .. } => items.push(One {
                        descriptor: bytes,
                        payload: Vec::new(),
                    }),
                    Entry::Buffer { bytes, .. } => items.last_mut().unwrap().payload.extend(bytes),
                    _ => {}
                }
            }
            let bytes = written(&items, v.policy);
            Stream {
                id: v.id,
                policy: v.policy,
                items,
                bytes,
            }
        })
        .filter(|stream| !stream.bytes.is_empty())
        .collect();
    assert!(all.len() > 40);
    all
}

/// Nothing where the writer refuses what the reader lets pass.
fn written(items: &[One], policy: Policy) -> Vec<u8> {
    let mut writer = StreamWriter::with_parts(Vec::new(), hrry::Exact, Vec::new(), policy);
    for one in items {
        if writer.begin(&one.view(&policy)).is_err() {
            return Vec::new();
        }
        writer.payload(&one.payload).unwrap();
        writer.end().unwrap();
    }
    writer.finish().unwrap()
}
