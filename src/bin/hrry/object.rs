//! One JSON object, written while the input is read: no number of tensors takes more memory. It is closed
//! properly after an error too, and holds what was read before.

use std::io::{self, Write};

use hrry::{Payload, Rule, crc32c};
use serde::Serialize;

use super::args::Kind;
use super::inspect::Show;
use super::read::{Item, Problem, Summary, Visit};
use super::shape::{Descriptor, Word};
use super::{bytes, json};

pub struct Object<'a> {
    out: &'a mut dyn Write,
    digest: bool,
    bytes: bool,
    kind: Kind,
    /// Lists that are open, and whether they have an element.
    lists: Vec<bool>,
    items: u64,
    head: bool,
    /// Length and checksum of the item's buffers.
    digests: Vec<(u64, u32)>,
    /// Whether an item was begun and not ended.
    open: bool,
    broken: Option<Vec<bytes::Row>>,
}

#[derive(Serialize)]
struct Digest {
    len: u64,
    crc32c: String,
}

#[derive(Serialize)]
struct Fault<'a> {
    rule: Option<&'static str>,
    offset: Option<u64>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<Vec<bytes::Row>>,
}

impl<'a> Object<'a> {
    pub fn new(out: &'a mut dyn Write, digest: bool, bytes: bool) -> Self {
        Object {
            out,
            digest,
            bytes,
            kind: Kind::Stream,
            lists: Vec::new(),
            items: 0,
            head: false,
            digests: Vec::new(),
            open: false,
            broken: None,
        }
    }

    fn raw(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// Writes `,"name":value`.
    fn field(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        write!(self.out, ",\"{name}\":")?;
        json::write(self.out, value)
    }

    /// What is around the descriptor of an item in a stream.
    fn node(&mut self, item: &Item<'_>) -> io::Result<()> {
        if let Some(some) = self.lists.last_mut() {
            let comma = std::mem::replace(some, true);
            self.raw(if comma { "," } else { "" })?;
        }
        let Some(head) = item.head else {
            self.raw("{\"type\":\"tensor\"")?;
            return self.field("offset", &item.offset);
        };
        self.raw("{\"type\":\"composite\"")?;
        self.field("offset", &item.offset)?;
        self.field("rule", &head.composition_rule)?;
        self.field("rule_name", &head.composition_rule.word())?;
        self.field("op", &head.combine_op)?;
        self.field("op_name", &head.combine_op.word())?;
        self.field("member_count", &head.member_count)
    }
}

impl Show for Object<'_> {
    fn start(&mut self, kind: Kind) -> io::Result<()> {
        self.kind = kind;
        self.raw("{\"kind\":")?;
        json::write(self.out, &kind)?;
        if kind == Kind::Stream {
            self.lists.push(false);
            self.raw(",\"value\":{\"items\":[")?;
        }
        Ok(())
    }

    fn finish(&mut self, result: &Result<Summary, Problem>) -> io::Result<()> {
        if self.kind == Kind::Stream {
            if self.open {
                self.raw(if self.head { ",\"members\":[]}" } else { "}" })?;
            }
            // composites that an error left open
            while self.lists.len() > 1 {
                self.lists.pop();
                self.raw("],\"complete\":false}")?;
            }
            self.raw("]")?;
            if let Ok(summary) = result {
                self.field("item_count", &summary.items)?;
                self.field("tensor_count", &summary.tensors)?;
                self.field("max_depth", &summary.max_depth)?;
            }
            self.raw("}")?;
        } else if self.items == 0 {
            self.raw(",\"value\":null")?;
        }
        match result {
            Ok(summary) if summary.flags.is_empty() => {}
            Ok(summary) => {
                let flags: Vec<_> = summary.flags.iter().map(|rule| rule.id()).collect();
                self.field("flags", &flags)?;
            }
            Err(problem) => {
                let fault = Fault {
                    rule: problem.rule.map(Rule::id),
                    offset: problem.offset,
                    message: &problem.message,
                    bytes: self.broken.take(),
                };
                self.field("error", &fault)?;
            }
        }
        self.raw("}\n")?;
        self.out.flush()
    }

    fn items(&self) -> u64 {
        self.items
    }
}

impl Visit for Object<'_> {
    fn begin(&mut self, item: &Item<'_>) -> io::Result<()> {
        self.head = item.head.is_some();
        self.items += u64::from(item.path.len() < 2);
        let descriptor = Descriptor::of(item.view);
        let rows = self
            .bytes
            .then(|| bytes::rows(item.offset, item.view.as_bytes()));
        if self.kind == Kind::Descriptor {
            self.field("value", &descriptor)?;
        } else {
            self.node(item)?;
            self.field("descriptor", &descriptor)?;
            self.open = true;
        }
        if let Some(rows) = rows {
            self.field("bytes", &rows)?;
        }
        if self.digest {
            let buffers = (0..item.view.buffer_count()).filter_map(|k| item.view.buffer(k));
            self.digests = buffers.map(|buffer| (buffer.byte_size, 0)).collect();
        }
        Ok(())
    }

    fn payload(&mut self, payload: &Payload<'_>) {
        if let Some((_, crc)) = self.digests.get_mut(usize::from(payload.buffer)) {
            *crc = crc32c(*crc, payload.bytes);
        }
    }

    fn end(&mut self) -> io::Result<()> {
        if self.kind == Kind::Descriptor {
            return Ok(());
        }
        self.open = false;
        if self.head {
            self.lists.push(false);
            return self.raw(",\"members\":[");
        }
        if self.digest {
            let digests: Vec<_> = std::mem::take(&mut self.digests)
                .into_iter()
                .map(|(len, crc)| Digest {
                    len,
                    crc32c: format!("{crc:08x}"),
                })
                .collect();
            self.field("buffers", &digests)?;
        }
        self.raw("}")
    }

    fn close(&mut self, whole: Option<Result<(), Rule>>) -> io::Result<()> {
        self.lists.pop();
        self.raw("]")?;
        if let Some(whole) = whole {
            self.field("complete", &whole.is_ok())?;
            if let Err(rule) = whole {
                self.field("broken_rule", &rule.id())?;
            }
        }
        self.raw("}")
    }

    fn broken(&mut self, offset: u64, bytes: &[u8], _problem: &Problem) -> io::Result<()> {
        self.broken = self.bytes.then(|| bytes::rows(offset, bytes));
        Ok(())
    }
}
