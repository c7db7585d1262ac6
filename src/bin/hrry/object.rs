//! One JSON object, written while the input is read: no number of tensors takes more memory. It is closed
//! properly after an error too, and holds what was read before.

use std::collections::HashMap;
use std::io::{self, Write};

use hrry::{DescriptorView, Entry, FileDirectory, Payload, Rule, crc32c};
use serde::Serialize;

use super::args::Kind;
use super::hint::Clues;
use super::inspect::Show;
use super::kv::KvShape;
use super::read::{Item, Problem, Stop, Summary, Visit};
use super::shape::{Descriptor, Word};
use super::{bytes, json};

pub struct Object<'a> {
    out: &'a mut dyn Write,
    digest: bool,
    bytes: bool,
    kind: Kind,
    /// Lists that are open, and whether they have an element.
    lists: Vec<bool>,
    clues: Clues,
    head: bool,
    /// Length and checksum of the item's buffers.
    digests: Vec<(u64, u32)>,
    /// Whether an item was begun and not ended.
    open: bool,
    /// A container's tensors outside composites are listed with all others, at the end.
    plain: bool,
    /// Where the item's descriptor is.
    place: u64,
    /// Digests by the place of the tensor.
    known: HashMap<u64, Vec<Digest>>,
    broken: Option<Vec<bytes::Row>>,
}

/// The only one there is.
const CONTAINER_MAJOR: u8 = 1;

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
            clues: Clues::default(),
            head: false,
            digests: Vec::new(),
            open: false,
            plain: false,
            place: 0,
            known: HashMap::new(),
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

    /// Closes what an error left open in a list of items, and the list.
    fn close_items(&mut self) -> io::Result<()> {
        if self.open {
            self.raw(if self.head { ",\"members\":[]}" } else { "}" })?;
        }
        while self.lists.len() > 1 {
            self.lists.pop();
            self.raw("],\"complete\":false}")?;
        }
        if self.lists.pop().is_some() {
            self.raw("]")?;
        }
        Ok(())
    }

    /// Separates the elements of the innermost list.
    fn separate(&mut self) -> io::Result<()> {
        let some = self
            .lists
            .last_mut()
            .map(|some| std::mem::replace(some, true));
        self.raw(if some == Some(true) { "," } else { "" })
    }

    fn take_digests(&mut self) -> Vec<Digest> {
        let digests = std::mem::take(&mut self.digests).into_iter();
        let digest = |(len, crc)| Digest {
            len,
            crc32c: format!("{crc:08x}"),
        };
        digests.map(digest).collect()
    }

    /// What is around the descriptor of an item.
    fn node(&mut self, item: &Item<'_>) -> io::Result<()> {
        self.separate()?;
        let kind = if item.head.is_some() {
            "composite"
        } else {
            "tensor"
        };
        write!(self.out, "{{\"type\":\"{kind}\"")?;
        if let Some(tensor) = item.tensor {
            self.field("name", &tensor.entry().name)?;
        }
        self.field("offset", &item.offset)?;
        let Some(head) = item.head else {
            return Ok(());
        };
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
        if self.lists.is_empty() {
            if !self.clues.has_item() {
                self.raw(",\"value\":null")?;
            }
        } else {
            self.close_items()?;
            if let (Ok(summary), Kind::Stream) = (result, self.kind) {
                self.field("item_count", &summary.items)?;
                self.field("tensor_count", &summary.tensors)?;
                self.field("max_depth", &summary.max_depth)?;
            }
            self.raw("}")?;
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

    fn clues(&mut self) -> &mut Clues {
        &mut self.clues
    }
}

impl Visit for Object<'_> {
    fn writes(&self) -> bool {
        true
    }

    fn wants_entries(&self) -> bool {
        true
    }

    fn directory(&mut self, directory: &FileDirectory<'_>) -> io::Result<()> {
        let header = directory.header();
        let kv: Vec<_> = directory.kv().map(KvShape).collect();
        self.raw(",\"value\":{\"container_version\":")?;
        json::write(self.out, &[CONTAINER_MAJOR, header.version_minor])?;
        self.field("file_flags", &header.file_flags)?;
        self.field("data_buffer_alignment", &header.data_buffer_alignment)?;
        self.field("first_descriptor_offset", &header.first_descriptor_offset)?;
        self.field("tensor_count_hint", &header.tensor_count_hint)?;
        self.field("kv", &kv)?;
        self.lists.push(false);
        self.raw(",\"composites\":[")
    }

    fn index(&mut self) -> io::Result<()> {
        self.close_items()?;
        self.lists.push(false);
        self.raw(",\"tensors\":[")
    }

    fn entry(&mut self, entry: &Entry<'_>, view: &DescriptorView<'_>) -> io::Result<()> {
        self.separate()?;
        self.raw("{\"name\":")?;
        json::write(self.out, &entry.name)?;
        self.field("descriptor_offset", &entry.descriptor_offset)?;
        self.field("descriptor_length", &entry.descriptor_length)?;
        self.field("data_offset", &entry.data_offset)?;
        self.field("data_length", &entry.data_length)?;
        self.field("descriptor", &Descriptor::of(view))?;
        if let Some(digests) = self.known.remove(&entry.descriptor_offset) {
            self.field("buffers", &digests)?;
        }
        self.raw("}")
    }

    fn wants_payload(&self) -> bool {
        self.digest
    }

    fn begin(&mut self, item: &Item<'_>) -> io::Result<()> {
        self.head = item.head.is_some();
        self.clues.item(item);
        self.plain = item.tensor.is_some() && item.path.len() < 2 && !self.head;
        self.place = item.offset;
        let descriptor = Descriptor::of(item.view);
        let rows = self
            .bytes
            .then(|| bytes::rows(item.offset, item.view.as_bytes()));
        if self.kind == Kind::Descriptor {
            self.field("value", &descriptor)?;
        } else if !self.plain {
            self.node(item)?;
            self.field("descriptor", &descriptor)?;
            self.open = true;
        }
        if let Some(rows) = rows.filter(|_| !self.plain) {
            self.field("bytes", &rows)?;
        }
        if self.digest {
            let buffers = (0..item.view.buffer_count()).filter_map(|k| item.view.buffer(k));
            self.digests = buffers.map(|buffer| (buffer.byte_size, 0)).collect();
        }
        Ok(())
    }

    fn payload(&mut self, payload: &Payload<'_>) -> Result<(), Stop> {
        if let Some((_, crc)) = self.digests.get_mut(usize::from(payload.buffer)) {
            *crc = crc32c(*crc, payload.bytes);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Stop> {
        if self.kind == Kind::Descriptor {
            return Ok(());
        }
        self.open = false;
        let digests = self.take_digests();
        if self.head {
            self.lists.push(false);
            self.raw(",\"members\":[")?;
        } else if !self.plain {
            if self.digest {
                self.field("buffers", &digests)?;
            }
            self.raw("}")?;
        }
        if self.digest && self.kind == Kind::File {
            self.known.insert(self.place, digests);
        }
        Ok(())
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
