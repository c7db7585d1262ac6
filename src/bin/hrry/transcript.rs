//! Messages as JSON or as lines for people, written while they come.

use std::collections::BTreeMap;
use std::io::{self, Write};

use hrry::message::{Hello, LayoutEntries, MessageBody, MessageData, MessageEvent, MessageHeader};
use hrry::{CompositeHead, DescriptorView, Outcome, Rule, crc32c};
use serde_json::{Value, json};

use super::json as text_of;
use super::messages::Hear;
use super::places::head_of;
use super::read::{Problem, Summary};
use super::shape::{Descriptor, Word};
use super::{plain::Plain, text};

/// One JSON object: a list of messages and, where they are held together, the tensors of each stream.
pub struct Transcript<'a> {
    out: &'a mut dyn Write,
    digest: bool,
    /// Trees by stream.
    streams: Option<BTreeMap<u32, Stream>>,
    some: bool,
    /// A message whose data still comes.
    open: Option<Open>,
}

struct Open {
    header: MessageHeader,
    offset: u64,
    fields: Value,
    left: u64,
    crc: u32,
}

/// The items of a stream.
#[derive(Default)]
struct Stream {
    items: Vec<Value>,
    /// Heads whose members come, outermost first.
    around: Vec<Value>,
    tensors: u64,
    max_depth: u8,
}

impl<'a> Transcript<'a> {
    pub fn new(out: &'a mut dyn Write, digest: bool, with_streams: bool) -> io::Result<Self> {
        out.write_all(b"{\"kind\":\"messages\",\"value\":{\"messages\":[")?;
        Ok(Transcript {
            out,
            digest,
            streams: with_streams.then(BTreeMap::new),
            some: false,
            open: None,
        })
    }

    fn message(&mut self, offset: u64, header: &MessageHeader, fields: &Value) -> io::Result<()> {
        if self.some {
            self.out.write_all(b",")?;
        }
        self.some = true;
        let message = json!({
            "type": header.message_type.0,
            "name": header.message_type.name(),
            "offset": offset,
            "stream_id": header.stream_id,
            "payload_length": header.payload_length,
            "fields": fields,
        });
        text_of::write(self.out, &message)
    }

    fn close(&mut self, mut open: Open) -> io::Result<()> {
        if self.digest && open.fields.get("data_length").is_some() {
            open.fields["crc32c"] = format!("{:08x}", open.crc).into();
        }
        self.message(open.offset, &open.header, &open.fields)
    }

    /// The end of the output, flushed.
    pub fn finish(mut self, result: &Result<Summary, Problem>) -> io::Result<()> {
        if let Some(open) = self.open.take() {
            self.close(open)?;
        }
        self.out.write_all(b"]")?;
        if let Some(streams) = self.streams.take() {
            let streams = streams.into_iter();
            let streams: serde_json::Map<_, _> = streams
                .map(|(id, stream)| (id.to_string(), stream.finish()))
                .collect();
            self.out.write_all(b",\"streams\":")?;
            text_of::write(self.out, &Value::Object(streams))?;
        }
        self.out.write_all(b"}")?;
        let more = match result {
            Ok(summary) if summary.flags.is_empty() => None,
            Ok(summary) => {
                let ids: Vec<&str> = summary.flags.iter().map(|rule| rule.id()).collect();
                Some(("flags", json!(ids)))
            }
            Err(problem) => Some((
                "error",
                json!({
                    "rule": problem.rule.map(Rule::id),
                    "offset": problem.offset,
                    "message": problem.message,
                }),
            )),
        };
        if let Some((name, value)) = more {
            write!(self.out, ",\"{name}\":")?;
            text_of::write(self.out, &value)?;
        }
        self.out.write_all(b"}\n")?;
        self.out.flush()
    }
}

impl Hear for Transcript<'_> {
    fn writes(&self) -> bool {
        true
    }

    fn event(&mut self, offset: u64, event: &MessageEvent<'_, '_>) -> io::Result<()> {
        if let (Some(open), MessageBody::Data(MessageData { bytes, .. })) =
            (&mut self.open, event.body)
        {
            open.crc = crc32c(open.crc, bytes);
            open.left -= bytes.len() as u64;
        } else if let Some(streams) = &mut self.streams {
            hold(streams, event);
        }
        let begun = match event.body {
            MessageBody::Data(_) => None,
            MessageBody::TensorData {
                byte_offset_in_buffer,
                len,
            } => Some((
                json!({
                    "byte_offset_in_buffer": byte_offset_in_buffer,
                    "data_length": len,
                }),
                len,
            )),
            MessageBody::Private => Some((json!({}), event.header.payload_length)),
            _ => return self.message(offset, &event.header, &fields(&event.body)),
        };
        if let Some((fields, left)) = begun {
            self.open = Some(Open {
                header: event.header,
                offset,
                fields,
                left: left.into(),
                crc: 0,
            });
        }
        match self.open.take_if(|open| open.left == 0) {
            Some(open) => self.close(open),
            None => Ok(()),
        }
    }
}

/// Puts a tensor into the tree of its stream.
fn hold(streams: &mut BTreeMap<u32, Stream>, event: &MessageEvent<'_, '_>) {
    let id = event.header.stream_id;
    match &event.body {
        MessageBody::TensorDescriptor(tensor, _) => {
            streams.entry(id).or_default().begin(&tensor.descriptor);
        }
        MessageBody::TensorPut(put) => streams.entry(id).or_default().begin(&put.descriptor),
        MessageBody::TensorDataEnd(Outcome::Closed { levels, .. }) => {
            let stream = streams.entry(id).or_default();
            for _ in 0..*levels {
                stream.close();
            }
        }
        _ => {}
    }
}

impl Stream {
    fn begin(&mut self, view: &DescriptorView<'_>) {
        let descriptor = json!(Descriptor::of(view));
        match head_of(view) {
            Some(CompositeHead {
                composition_rule,
                combine_op,
                member_count,
            }) => {
                self.around.push(json!({
                    "type": "composite",
                    "rule": composition_rule.0,
                    "op": combine_op.0,
                    "member_count": member_count,
                    "descriptor": descriptor,
                    "members": [],
                }));
                let depth = u8::try_from(self.around.len()).unwrap_or(u8::MAX);
                self.max_depth = self.max_depth.max(depth);
            }
            None => {
                self.tensors += 1;
                self.put(json!({"type": "tensor", "descriptor": descriptor}));
            }
        }
    }

    fn put(&mut self, item: Value) {
        let members = self.around.last_mut().map(|head| &mut head["members"]);
        match members.and_then(Value::as_array_mut) {
            Some(members) => members.push(item),
            None => self.items.push(item),
        }
    }

    fn close(&mut self) {
        if let Some(head) = self.around.pop() {
            self.put(head);
        }
    }

    fn finish(mut self) -> Value {
        while !self.around.is_empty() {
            self.close();
        }
        json!({
            "item_count": self.items.len(),
            "tensor_count": self.tensors,
            "max_depth": self.max_depth,
            "items": self.items,
        })
    }
}

/// The fields of a control message.
fn fields(body: &MessageBody<'_, '_>) -> Value {
    match body {
        MessageBody::ClientHello(hello) | MessageBody::ServerHello(hello) => json!({
            "protocol_version": hello.protocol_version,
            "max_message_size": hello.max_message_size,
            "capability_flags": hello.capabilities.0,
            "layouts": layouts(&hello.layouts),
            "devices": hello.devices,
            "memory_classes": hello.memory_classes,
        }),
        MessageBody::TensorRequest(request) => json!({
            "tensor_key": request.tensor_key,
            "preferred_layouts": layouts(&request.preferred_layouts),
            "preferred_device": request.preferred_device.0,
            "min_alignment": request.min_alignment,
            "request_flags": request.request_flags.0,
        }),
        MessageBody::TensorDescriptor(tensor, _) => json!({
            "descriptor": Descriptor::of(&tensor.descriptor),
            "total_data_bytes": tensor.total_data_bytes,
            "shard_index": tensor.shard.index,
            "total_shards": tensor.shard.total,
        }),
        MessageBody::TensorPut(put) => json!({
            "tensor_key": put.tensor_key,
            "descriptor": Descriptor::of(&put.descriptor),
            "total_data_bytes": put.total_data_bytes,
        }),
        MessageBody::Error(error) => json!({
            "error_code": error.error_code.0,
            "error_name": error.error_code.name(),
            "message": error.message,
        }),
        MessageBody::Ping(payload) | MessageBody::Pong(payload) if !payload.is_empty() => {
            json!({"payload": hex(payload)})
        }
        MessageBody::RdmaRegister(region) => json!({
            "remote_addr": region.remote_addr,
            "length": region.length,
            "rkey": hex(region.rkey),
        }),
        _ => json!({}),
    }
}

fn layouts(entries: &LayoutEntries<'_>) -> Vec<Value> {
    let entry = |entry: hrry::message::LayoutEntry<'_>| match entry.tag.is_private() {
        true => json!({"tag": entry.tag.0, "metadata": hex(entry.metadata)}),
        false => json!({"tag": entry.tag.0, "name": entry.tag.word()}),
    };
    entries.iter().map(entry).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A line for each message.
pub struct Lines<'a> {
    out: &'a mut dyn Write,
}

impl<'a> Lines<'a> {
    pub fn new(out: &'a mut dyn Write) -> Self {
        Lines { out }
    }

    /// The end of the output, flushed.
    pub fn finish(self, result: &Result<Summary, Problem>) -> io::Result<()> {
        if let Ok(summary) = result {
            let end = summary.bytes;
            writeln!(self.out, "{end:>10}  end of the messages: {summary}")?;
            for rule in &summary.flags {
                let (id, text) = (rule.id(), rule.text());
                writeln!(self.out, "{:>10}  flagged {id}: {text}", "")?;
            }
        }
        self.out.flush()
    }
}

impl Hear for Lines<'_> {
    fn writes(&self) -> bool {
        true
    }

    fn event(&mut self, offset: u64, event: &MessageEvent<'_, '_>) -> io::Result<()> {
        let facts = match &event.body {
            MessageBody::Data(_) => return Ok(()),
            body => words(body),
        };
        let MessageHeader {
            message_type,
            stream_id,
            ..
        } = event.header;
        let name = message_type.text();
        let line = match facts.is_empty() {
            true => name,
            false => format!("{name}: {facts}"),
        };
        writeln!(
            self.out,
            "{offset:>10}  stream {stream_id}  {}",
            Plain::new(&line)
        )
    }
}

/// What a message says, in words.
fn words(body: &MessageBody<'_, '_>) -> String {
    match body {
        MessageBody::ClientHello(hello) | MessageBody::ServerHello(hello) => greeting(hello),
        MessageBody::TensorRequest(request) => {
            let device = request.preferred_device.text();
            let alignment = request.min_alignment;
            format!(
                "\"{}\" on {device}, aligned to {alignment}",
                request.tensor_key
            )
        }
        MessageBody::TensorDescriptor(tensor, _) => {
            let line = text::tensor(&tensor.descriptor, true);
            match tensor.shard.total {
                1 => line,
                total => format!("{line}, shard {} of {total}", tensor.shard.index),
            }
        }
        MessageBody::TensorPut(put) => {
            let line = text::tensor(&put.descriptor, true);
            format!("\"{}\": {line}", put.tensor_key)
        }
        MessageBody::TensorData {
            byte_offset_in_buffer,
            len,
        } => format!(
            "{} from {byte_offset_in_buffer} on",
            text::plural(u64::from(*len), "byte")
        ),
        MessageBody::Error(error) => format!("{}, {}", error.error_code.text(), error.message),
        MessageBody::RdmaRegister(region) => {
            format!(
                "{} at {:#x}",
                text::plural(region.length, "byte"),
                region.remote_addr
            )
        }
        MessageBody::Ping(payload) | MessageBody::Pong(payload) if !payload.is_empty() => {
            text::plural(payload.len() as u64, "byte")
        }
        _ => String::new(),
    }
}

fn greeting(hello: &Hello<'_>) -> String {
    let layouts: Vec<_> = hello.layouts.iter().map(|entry| entry.tag.text()).collect();
    let most = text::plural(hello.max_message_size.into(), "byte");
    let layouts = match layouts.is_empty() {
        true => "no layouts".into(),
        false => layouts.join(", "),
    };
    format!(
        "version {}, up to {most} a message, capabilities {:#x}, {layouts}",
        hello.protocol_version, hello.capabilities.0
    )
}
