//! Messages put together by hand, and everything that a parser of messages tells of an input, in a form that
//! does not depend on the cuts.

use hrry::message::{
    Hello, LayoutEntries, LinkOptions, MessageBody, MessageEvent, MessageHeader, MessageParser,
    ParallelTransfer, ShardNumber, StreamSlot, Streams,
};
use hrry::owned::GrowFrame;
use hrry::{DescriptorView, Error, ErrorKind, Exact, Fields, Outcome, Policy, Storage};
use serde_json::{Value, json};

use super::describe;

/// Room for streams without a capacity of its own.
pub type Growing = Vec<StreamSlot<Exact, Vec<u64>>>;

pub fn places(count: usize) -> Growing {
    let place = || StreamSlot::with_parts(Exact, Vec::new());
    (0..count).map(|_| place()).collect()
}

/// A parser that runs out of streams only, which are 16.
pub fn growing(options: LinkOptions, policy: Policy) -> MessageParser<GrowFrame, Growing> {
    MessageParser::with_parts(GrowFrame::new(), places(16), options, policy)
}

/// A message with any header.
pub fn message(kind: u32, stream_id: u32, payload: &[u8]) -> Vec<u8> {
    let len = payload.len() as u32;
    let header = [kind, stream_id, len].map(u32::to_le_bytes);
    [header.concat(), payload.to_vec()].concat()
}

/// TENSOR_DESCRIPTOR of a tensor on one stream.
pub fn descriptor(stream_id: u32, bytes: &[u8], total: u64) -> Vec<u8> {
    shard(stream_id, bytes, total, [0, 1])
}

/// TENSOR_DESCRIPTOR of a shard, with its number and how many there are.
pub fn shard(stream_id: u32, bytes: &[u8], total: u64, number: [u32; 2]) -> Vec<u8> {
    let fields = number.map(u32::to_le_bytes).concat();
    let payload = [bytes, &total.to_le_bytes(), &fields].concat();
    message(4, stream_id, &payload)
}

/// TENSOR_DATA.
pub fn data(stream_id: u32, offset: u64, bytes: &[u8]) -> Vec<u8> {
    message(5, stream_id, &[&offset.to_le_bytes(), bytes].concat())
}

/// TENSOR_DATA_END.
pub fn end(stream_id: u32) -> Vec<u8> {
    message(6, stream_id, &[])
}

/// TENSOR_PUT.
pub fn put(stream_id: u32, key: &[u8], bytes: &[u8], total: u64) -> Vec<u8> {
    let len = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    let fields = [&len(key), key, &len(bytes), bytes, &total.to_le_bytes()];
    message(7, stream_id, &fields.concat())
}

/// The payload of a HELLO without layouts, for the CPU and the standard class.
pub fn hello(protocol_version: u32, capabilities: u64) -> Vec<u8> {
    let head = [protocol_version, 1 << 20].map(u32::to_le_bytes).concat();
    let lists = [0, 0, 1, 0, 0, 1, 0, 0];
    [&head[..], &capabilities.to_le_bytes(), &lists].concat()
}

/// One message, or the bytes of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    Message {
        header: MessageHeader,
        name: &'static str,
        fields: Value,
        /// Where a descriptor in it starts, and its bytes.
        descriptor: Option<(u64, Vec<u8>)>,
        outcome: Option<Outcome>,
    },
    /// What arrived of its data, pieces joined.
    Data {
        header: MessageHeader,
        offset: u64,
        bytes: Vec<u8>,
        complete: bool,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub entries: Vec<Entry>,
    /// The first error, or what `finish` says.
    pub result: Result<(), Error>,
    /// Absolute offset behind what was taken, or of an error that ended it.
    pub offset: u64,
}

/// Feeds `input` in chunks that end at `cuts`, which ascend.
pub fn trace<S: Storage, T: Streams>(
    input: &[u8],
    cuts: &[usize],
    parser: MessageParser<S, T>,
) -> Trace {
    let mut recorder = Recorder::new(parser);
    let mut start = 0;
    for end in cuts.iter().copied().chain([input.len()]) {
        if recorder.push(&input[start..end]).is_err() {
            break;
        }
        start = end;
    }
    recorder.finish()
}

/// Chunks of at most so many bytes.
pub fn in_chunks<S: Storage, T: Streams>(
    input: &[u8],
    size: usize,
    parser: MessageParser<S, T>,
) -> Trace {
    let cuts: Vec<usize> = (0..input.len()).step_by(size).collect();
    trace(input, &cuts, parser)
}

/// Exactly what the parser wants, as far as the input has it.
pub fn as_wanted<S: Storage, T: Streams>(input: &[u8], parser: MessageParser<S, T>) -> Trace {
    let mut recorder = Recorder::new(parser);
    let mut rest = input;
    while !rest.is_empty() {
        let (chunk, later) = rest.split_at(recorder.parser.wanted().min(rest.len()));
        rest = later;
        if recorder.push(chunk).is_err() {
            break;
        }
    }
    recorder.finish()
}

/// Collects what a parser tells, and panics where it breaks the contract of its events.
#[derive(Debug)]
pub struct Recorder<S, T> {
    pub parser: MessageParser<S, T>,
    pub entries: Vec<Entry>,
    failed: Option<Error>,
}

impl<S: Storage, T: Streams> Recorder<S, T> {
    pub fn new(parser: MessageParser<S, T>) -> Self {
        Recorder {
            parser,
            entries: Vec::new(),
            failed: None,
        }
    }

    /// Feeds a chunk and takes every event that it gives.
    pub fn push(&mut self, mut chunk: &[u8]) -> Result<(), Error> {
        let end = self.parser.offset().wrapping_add(chunk.len() as u64);
        let lent = chunk.as_ptr_range();
        loop {
            match self.parser.next_event(&mut chunk) {
                Ok(Some(event)) => {
                    if let MessageBody::Data(data) = &event.body {
                        let start = data.bytes.as_ptr();
                        assert!(lent.contains(&start), "data is lent, not copied");
                    }
                    record(&mut self.entries, &event);
                }
                Ok(None) => break,
                Err(error) => {
                    self.failed = Some(error);
                    return Err(error);
                }
            }
        }
        assert!(chunk.is_empty(), "a chunk is used up before the next");
        assert!(self.parser.wanted() > 0, "more bytes are wanted");
        assert_eq!(self.parser.offset(), end, "positions count bytes");
        Ok(())
    }

    pub fn finish(mut self) -> Trace {
        let Some(error) = self.failed else {
            return Trace {
                entries: self.entries,
                result: self.parser.finish(),
                offset: self.parser.offset(),
            };
        };
        for more in [&b""[..], b"\x0A\0\0\0", b"\0"] {
            let mut rest = more;
            let again = self.parser.next_event(&mut rest).err();
            assert_eq!(again, Some(error), "errors stick");
            assert_eq!(rest, more, "nothing is taken after an error");
        }
        assert_eq!(self.parser.finish(), Err(error), "errors stick");
        assert_eq!(self.parser.wanted(), 0, "nothing is wanted after an error");
        Trace {
            entries: self.entries,
            result: Err(error),
            offset: error.offset(),
        }
    }
}

fn record(entries: &mut Vec<Entry>, event: &MessageEvent<'_, '_>) {
    let header = event.header;
    if let MessageBody::Data(data) = &event.body {
        assert!(!data.bytes.is_empty(), "data has a byte");
        if let Some(Entry::Data {
            header: before,
            offset,
            bytes,
            complete,
        }) = entries.last_mut()
            && !*complete
        {
            assert_eq!(*before, header, "a message ends before the next");
            // on its own, a message may say any place
            let place = offset.saturating_add(bytes.len() as u64);
            assert_eq!(data.offset, place, "no gaps");
            bytes.extend_from_slice(data.bytes);
            *complete = data.last;
            return;
        }
        assert!(
            matches!(entries.last(), Some(Entry::Message { header: before, .. }) if *before == header),
            "data follows the start of its message"
        );
        return entries.push(Entry::Data {
            header,
            offset: data.offset,
            bytes: data.bytes.to_vec(),
            complete: data.last,
        });
    }
    let (name, fields) = said(&event.body);
    let (view, outcome) = match &event.body {
        MessageBody::TensorDescriptor(message, outcome) => {
            (Some(message.descriptor), Some(*outcome))
        }
        MessageBody::TensorPut(message) => (Some(message.descriptor), None),
        MessageBody::TensorDataEnd(outcome) => (None, Some(*outcome)),
        _ => (None, None),
    };
    entries.push(Entry::Message {
        header,
        name,
        fields,
        descriptor: view.map(|view| (view.origin(), view.as_bytes().to_vec())),
        outcome,
    });
}

/// What becomes of the shards of the only parallel transfer among messages.
pub fn shards(entries: &[Entry], policy: &Policy) -> Result<(), ErrorKind> {
    let mut transfer = ParallelTransfer::with_parts(Exact, Vec::new(), Exact, Vec::new(), *policy);
    for entry in entries {
        let Entry::Message {
            name: "TENSOR_DESCRIPTOR",
            fields,
            descriptor: Some((_, bytes)),
            ..
        } = entry
        else {
            continue;
        };
        let number = |name: &str| fields[name].as_u64().and_then(|n| u32::try_from(n).ok());
        let index = number("shard_index").expect("it is in every descriptor");
        let total = number("total_shards").expect("it is in every descriptor");
        if total > 1 {
            let (view, _) = DescriptorView::parse(bytes, policy).expect("it was accepted");
            let added = transfer.add(&view, ShardNumber { index, total });
            added.map_err(|error| error.kind)?;
        }
    }
    transfer.finish()
}

/// The name of a message and its fields, in the words of the manifest.
fn said(body: &MessageBody<'_, '_>) -> (&'static str, Value) {
    match body {
        MessageBody::ClientHello(hello) => ("CLIENT_HELLO", greeting(hello)),
        MessageBody::ServerHello(hello) => ("SERVER_HELLO", greeting(hello)),
        MessageBody::TensorRequest(request) => (
            "TENSOR_REQUEST",
            json!({
                "tensor_key": request.tensor_key,
                "preferred_layouts": layouts(&request.preferred_layouts),
                "preferred_device": request.preferred_device.0,
                "min_alignment": request.min_alignment,
                "request_flags": request.request_flags.0,
            }),
        ),
        MessageBody::TensorDescriptor(message, _) => (
            "TENSOR_DESCRIPTOR",
            json!({
                "descriptor": describe::descriptor(&message.descriptor),
                "total_data_bytes": message.total_data_bytes,
                "shard_index": message.shard.index,
                "total_shards": message.shard.total,
            }),
        ),
        MessageBody::TensorData {
            byte_offset_in_buffer,
            len,
        } => (
            "TENSOR_DATA",
            json!({ "byte_offset_in_buffer": byte_offset_in_buffer, "data_length": len }),
        ),
        MessageBody::TensorDataEnd(_) => ("TENSOR_DATA_END", json!({})),
        MessageBody::TensorPut(message) => (
            "TENSOR_PUT",
            json!({
                "tensor_key": message.tensor_key,
                "descriptor": describe::descriptor(&message.descriptor),
                "total_data_bytes": message.total_data_bytes,
            }),
        ),
        MessageBody::TensorPutAck => ("TENSOR_PUT_ACK", json!({})),
        MessageBody::Error(error) => (
            "ERROR",
            json!({ "error_code": error.error_code.0, "message": error.message }),
        ),
        MessageBody::Ping(payload) => ("PING", echo(payload)),
        MessageBody::Pong(payload) => ("PONG", echo(payload)),
        MessageBody::RdmaRegister(region) => (
            "RDMA_REGISTER",
            json!({
                "remote_addr": region.remote_addr,
                "length": region.length,
                "rkey": hex(region.rkey),
            }),
        ),
        MessageBody::RdmaReady => ("RDMA_READY", json!({})),
        MessageBody::Private => ("PRIVATE", json!({})),
        other => panic!("unknown body {other:?}"),
    }
}

fn greeting(hello: &Hello<'_>) -> Value {
    json!({
        "protocol_version": hello.protocol_version,
        "max_message_size": hello.max_message_size,
        "capability_flags": hello.capabilities.0,
        "layouts": layouts(&hello.layouts),
        "devices": hello.devices,
        "memory_classes": hello.memory_classes,
    })
}

fn layouts(entries: &LayoutEntries<'_>) -> Value {
    let entry = |entry: hrry::message::LayoutEntry<'_>| match entry.tag.is_private() {
        true => json!({ "tag": entry.tag.0, "metadata": hex(entry.metadata) }),
        false => json!({ "tag": entry.tag.0 }),
    };
    entries.iter().map(entry).collect()
}

fn echo(payload: &[u8]) -> Value {
    match payload {
        [] => json!({}),
        payload => json!({ "payload": hex(payload) }),
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
