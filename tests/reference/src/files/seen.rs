//! What random containers had, counted, so that a generator that stopped making something is noticed.

use std::collections::BTreeMap;

use super::container::Container;
use super::kv::Value;
use crate::plan::LayoutPlan;

/// How often what was seen.
#[derive(Debug, Default)]
pub struct Seen(BTreeMap<String, usize>);

impl Seen {
    /// Counts what a container has.
    pub fn note(&mut self, container: &Container) {
        let parts = container.parts();
        self.add("file", 1);
        self.add("file without tensors", parts.is_empty().into());
        self.add("key", container.kv.len());
        self.add("handles not at rest", (!container.is_at_rest()).into());
        self.add(&format!("alignment {}", container.alignment), 1);
        let sorts = container.sorted && !container.ascends();
        self.add("order of the index is not that of the file", sorts.into());
        let deepest = parts.iter().map(|part| match part.plan.layout {
            LayoutPlan::Composite(_) => part.level + 1,
            _ => part.level,
        });
        self.add(&format!("depth {}", deepest.max().unwrap_or(0)), 1);
        for part in parts {
            let layout = format!("{:?}", part.plan.layout);
            let layout = layout.split([' ', '(']).next().unwrap_or_default();
            self.add(&format!("layout {layout}"), 1);
            self.add(&format!("type {:?}", part.plan.element_type), 1);
            let empty = part.buffers.iter().any(Vec::is_empty);
            self.add("buffer without bytes", empty.into());
            self.add("tensor of several buffers", (part.buffers.len() > 1).into());
            self.add("name beyond ASCII", (!part.name.is_ascii()).into());
            self.add("name above 255 bytes", (part.name.len() > 255).into());
        }
        for (_, value) in &container.kv {
            match value {
                Value::One(scalar) => self.add(&format!("value {}", scalar.tag()), 1),
                Value::Array(tag, _) => self.add(&format!("array {tag}"), 1),
            }
        }
    }

    /// Counts some more of something.
    pub fn add(&mut self, what: &str, count: usize) {
        *self.0.entry(what.to_owned()).or_default() += count;
    }

    /// How often something was seen.
    pub fn count(&self, what: &str) -> usize {
        self.0.get(what).copied().unwrap_or(0)
    }

    /// Fails unless everything that the generator can make was seen.
    pub fn assert_complete(&self) {
        let kinds = |what: &str| self.0.keys().filter(|kind| kind.starts_with(what)).count();
        // 26 assigned types and at least one private; 12 named layouts and a private one
        assert!(kinds("type ") > 26, "{self:?}");
        assert_eq!(kinds("layout "), 13, "{self:?}");
        // no composite, and 1 to 8 levels of them; 4,096 to 2,097,152; each value alone and in an array
        assert_eq!(kinds("depth "), 9, "{self:?}");
        assert_eq!(kinds("alignment "), 10, "{self:?}");
        assert_eq!((kinds("value "), kinds("array ")), (6, 6), "{self:?}");
        for what in [
            "file without tensors",
            "handles not at rest",
            "order of the index is not that of the file",
            "buffer without bytes",
            "tensor of several buffers",
            "name beyond ASCII",
            "name above 255 bytes",
            "depth 8",
        ] {
            assert!(self.count(what) > 10, "{what}: {self:?}");
        }
    }
}
