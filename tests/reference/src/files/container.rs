//! Random containers: named items, facts about the whole, and where the format puts them.

use std::collections::BTreeSet;

use hrry::SyncMode;

use super::kv::{Pairs, text, value};
use crate::choices::Choices;
use crate::plan::Plan;
use crate::tree::{Levels, Tree, item};

/// Numbers that a container is built from.
pub const NUMBERS: usize = 3000;
/// Most levels of composites that the format allows.
const DEEPEST: u32 = 8;

/// A container as plain values.
#[derive(Clone, Debug)]
pub struct Container {
    pub items: Vec<Tree>,
    /// Of heads and tensors, in the order of the file.
    pub names: Vec<String>,
    pub kv: Pairs,
    pub alignment: u32,
    pub sorted: bool,
}

/// A head or a tensor of a container.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    pub name: &'a str,
    /// How many composites are around it.
    pub level: u8,
    pub plan: &'a Plan,
    pub buffers: &'a [Vec<u8>],
}

/// Any container of some items, of which one in three is deep.
pub fn container(c: &mut Choices<'_>) -> Container {
    let count = match c.below(6) {
        0 => 0,
        _ => 1 + c.below(4),
    };
    let items: Vec<Tree> = (0..count).map(|_| any_item(c)).collect();
    let mut parts = Vec::new();
    items.iter().for_each(|item| item.flat(0, &mut parts));
    let buffers: u64 = parts.iter().map(|(_, _, b)| b.len() as u64).sum();
    let mut names = distinct(c, parts.len());
    if c.one_in(2) {
        names.sort();
    }
    let keys = match c.below(3) {
        0 => 0,
        _ => c.below(6) as usize,
    };
    let kv = distinct(c, keys).into_iter().map(|key| (key, value(c)));
    let kv = kv.collect();
    let most = match buffers {
        0..=2 => 10,
        3..=16 => 6,
        _ => 2,
    };
    let steps = c.pick(&[1, 2, most]);
    Container {
        items,
        names,
        kv,
        alignment: 4096 << c.below(steps),
        sorted: c.one_in(3),
    }
}

fn any_item(c: &mut Choices<'_>) -> Tree {
    let least = match c.below(3) {
        2 => 1 + c.below(u64::from(DEEPEST)) as u32,
        _ => 0,
    };
    let most = DEEPEST;
    item(c, Levels { least, most })
}

/// Names that differ; few are long.
fn distinct(c: &mut Choices<'_>, count: usize) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let one = |_| {
        let mut name = text(c, 12);
        if c.one_in(60) {
            name = name.repeat(1 + c.below(500) as usize);
        }
        while name.is_empty() || seen.contains(&name) {
            name.push(c.pick(&['n', 'ñ', '名']));
        }
        seen.insert(name.clone());
        name
    };
    (0..count).map(one).collect()
}

impl Container {
    /// A container of these, named by their place, with the least alignment and no keys.
    pub fn of(items: Vec<Tree>) -> Self {
        let mut parts = Vec::new();
        items.iter().for_each(|item| item.flat(0, &mut parts));
        let names = (0..parts.len()).map(|k| k.to_string()).collect();
        Container {
            items,
            names,
            kv: Vec::new(),
            alignment: 4096,
            sorted: false,
        }
    }

    /// Heads and tensors in the order of the file.
    pub fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::new();
        self.items.iter().for_each(|item| item.flat(0, &mut parts));
        assert_eq!(parts.len(), self.names.len());
        let named = self.names.iter().zip(parts);
        named
            .map(|(name, (level, plan, buffers))| Part {
                name,
                level,
                plan,
                buffers,
            })
            .collect()
    }

    /// Whether the names ascend by bytes.
    pub fn ascends(&self) -> bool {
        self.names.is_sorted()
    }

    /// Whether every handle can be kept in a file (FILE-45, AMB-100, AMB-101).
    pub fn is_at_rest(&self) -> bool {
        let rests = |part: &Part<'_>| {
            let mut handles = part.plan.buffers.iter();
            handles
                .all(|h| h.sync_mode == SyncMode::ProducerSynced && h.alignment <= self.alignment)
        };
        self.parts().iter().all(rests)
    }

    /// The container with what `hrry` writes: handles at rest, version 1.0, no padding of quantization.
    pub fn writable_here(mut self) -> Self {
        let alignment = self.alignment;
        self.items.iter_mut().for_each(|item| {
            item.each_plan(&mut |plan| {
                plan.version_minor = 0;
                plan.padding.clear();
                for handle in &mut plan.buffers {
                    handle.sync_mode = SyncMode::ProducerSynced;
                    handle.alignment = handle.alignment.min(alignment);
                }
            });
        });
        self
    }
}

/// Where a tensor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub descriptor_offset: u64,
    pub descriptor_length: u64,
    /// None without buffers: it has no meaning then.
    pub data_offset: Option<u64>,
    pub data_length: u64,
}

/// Where the format puts tensors whose descriptors have these lengths. A writer may, like the
/// reference, put zeros up to the alignment behind heads, too (FILE-27, AMB-91).
pub fn places(container: &Container, lengths: &[u64], pads_heads: bool) -> Vec<Place> {
    let alignment = u64::from(container.alignment);
    let mut at = 64u64;
    let mut places = Vec::new();
    for (part, length) in container.parts().iter().zip(lengths) {
        let descriptor_offset = at.next_multiple_of(8);
        at = descriptor_offset + length;
        let is_head = part.plan.buffers.is_empty();
        if !is_head || pads_heads {
            at = at.next_multiple_of(alignment);
        }
        let data_offset = at;
        for (k, buffer) in part.buffers.iter().enumerate() {
            if k > 0 {
                at = at.next_multiple_of(alignment);
            }
            at += buffer.len() as u64;
        }
        places.push(Place {
            descriptor_offset,
            descriptor_length: *length,
            data_offset: (!is_head).then_some(data_offset),
            data_length: if is_head { 0 } else { at - data_offset },
        });
    }
    places
}
