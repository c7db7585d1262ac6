//! One side of a link, with everything that it told as owned values.

use hrry::message::{
    Capabilities, Closed, ErrorCode, ErrorMessage, Hello, KeepAlive, ParallelTransfer, Session,
    SessionEvent, ShardNumber, Side,
};
use hrry::owned::GrowFrame;
use hrry::{ElementType, Exact, Policy, Rule, WriteError};

use crate::support::bytes::encode;
use crate::support::messages::{Growing, hello, message, places};
use crate::support::sinks::{Full, Limited};
use crate::support::spec::{Kind, Plain};

/// How many streams can be under way.
pub const STREAMS: usize = 4;

pub type Link = Session<'static, GrowFrame, Growing, Limited, STREAMS>;
pub type Outcome<T> = Result<T, WriteError<Full>>;

/// What a session told.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Opened,
    Requested(u32, String),
    /// The descriptor, and the number of a shard.
    Tensor(u32, Vec<u8>, [u32; 2]),
    Put(u32, String, Vec<u8>),
    /// Pieces of one tensor that follow each other are joined.
    Data(u32, u64, Vec<u8>),
    End(u32),
    AllShards(u32),
    Accepted(u32),
    Failed(u32, u32, String),
    /// The rule, or none for a capacity.
    Refused(u32, Option<Rule>),
    Register(u32, u64, Vec<u8>),
    Ready(u32),
    Private(u32),
    Closed(Closed),
}

#[derive(Debug)]
pub struct Party {
    pub session: Link,
}

pub const ALL: Capabilities = Capabilities(0b1111);

pub fn link(side: Side, hello: Hello<'static>, keep_alive: KeepAlive) -> Link {
    let arena =
        || ParallelTransfer::with_parts(Exact, Vec::new(), Exact, Vec::new(), Policy::STRICT);
    let link = Session::with_parts(
        side,
        hello,
        GrowFrame::new(),
        places(STREAMS),
        places(STREAMS),
        arena(),
        Limited::unlimited(),
        Policy::STRICT,
    );
    link.with_keep_alive(keep_alive)
}

impl Party {
    /// A side that was started at time 0.
    pub fn new(side: Side, hello: Hello<'static>) -> Self {
        let mut session = link(side, hello, KeepAlive::NEVER);
        session.start(0).unwrap();
        Party { session }
    }

    /// A side that can do that and has greeted another one that can do as much.
    pub fn open(side: Side, capabilities: Capabilities) -> Self {
        let own = Hello {
            capabilities,
            ..Hello::new(1 << 20)
        };
        let mut party = Party::new(side, own);
        let kind = match side {
            Side::Client => 2,
            Side::Server => 1,
        };
        let seen = party.feed(&message(kind, 1, &hello(1, capabilities.0)));
        assert_eq!(seen, [Seen::Opened]);
        party.sent();
        party
    }

    pub fn client() -> Self {
        Party::open(Side::Client, Capabilities::NONE)
    }

    pub fn server() -> Self {
        Party::open(Side::Server, Capabilities::NONE)
    }

    /// What was sent since the last call.
    pub fn sent(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.session.sink_mut().bytes)
    }

    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Seen> {
        self.feed_at(bytes, 0)
    }

    /// What bytes that come at a time lead to.
    pub fn feed_at(&mut self, mut bytes: &[u8], now: u64) -> Vec<Seen> {
        let mut seen = Vec::new();
        while let Some(event) = self.session.receive(&mut bytes, now).unwrap() {
            note(&mut seen, &event);
        }
        assert!(bytes.is_empty());
        seen
    }

    pub fn answer(&mut self, stream_id: u32, plain: &Plain) -> Outcome<()> {
        plain.lend(Kind::Native, |spec| {
            self.session.answer(stream_id, spec).map(|_| ())
        })
    }

    pub fn answer_shard(&mut self, stream_id: u32, plain: &Plain, number: [u32; 2]) -> Outcome<()> {
        let [index, total] = number;
        let shard = ShardNumber { index, total };
        plain.lend(Kind::Native, |spec| {
            let outcome = self.session.answer_shard(stream_id, spec, shard);
            outcome.map(|_| ())
        })
    }

    pub fn put(&mut self, key: &str, plain: &Plain) -> Outcome<u32> {
        plain.lend(Kind::Native, |spec| self.session.put(key, spec))
    }

    pub fn refuse(&mut self, stream_id: u32, error_code: ErrorCode) -> Outcome<()> {
        let message = "no";
        let error = ErrorMessage {
            error_code,
            message,
        };
        self.session.refuse(stream_id, &error)
    }

    /// The rule that `finish` names.
    pub fn missing(&self) -> Option<Rule> {
        self.session.finish().err().and_then(|error| error.rule())
    }
}

pub fn note(seen: &mut Vec<Seen>, event: &SessionEvent<'_, '_>) {
    let told = match event {
        SessionEvent::Opened => Seen::Opened,
        SessionEvent::Requested(id, request) => Seen::Requested(*id, request.tensor_key.to_owned()),
        SessionEvent::Tensor(id, tensor, _) => {
            let number = [tensor.shard.index, tensor.shard.total];
            Seen::Tensor(*id, tensor.descriptor.as_bytes().to_vec(), number)
        }
        SessionEvent::Put(id, put) => {
            let descriptor = put.descriptor.as_bytes().to_vec();
            Seen::Put(*id, put.tensor_key.to_owned(), descriptor)
        }
        SessionEvent::Data(id, data) => {
            if let Some(Seen::Data(before, offset, bytes)) = seen.last_mut()
                && before == id
                && *offset + bytes.len() as u64 == data.offset
            {
                return bytes.extend_from_slice(data.bytes);
            }
            Seen::Data(*id, data.offset, data.bytes.to_vec())
        }
        SessionEvent::End(id, _) => Seen::End(*id),
        SessionEvent::AllShards(id) => Seen::AllShards(*id),
        SessionEvent::Accepted(id) => Seen::Accepted(*id),
        SessionEvent::Failed(id, error) => {
            Seen::Failed(*id, error.error_code.0, error.message.to_owned())
        }
        SessionEvent::Refused(id, error) => Seen::Refused(*id, error.rule()),
        SessionEvent::RdmaRegister(id, region) => {
            Seen::Register(*id, region.length, region.rkey.to_vec())
        }
        SessionEvent::RdmaReady(id) => Seen::Ready(*id),
        SessionEvent::Private(header) => Seen::Private(header.stream_id),
        SessionEvent::Closed(why) => Seen::Closed(*why),
        other => panic!("unknown event {other:?}"),
    };
    seen.push(told);
}

/// A tensor of so many bytes.
pub fn tensor(len: u64) -> Plain {
    Plain::new(ElementType::UInt8, &[len], &[len])
}

/// Its descriptor.
pub fn described(len: u64) -> Vec<u8> {
    encode(&tensor(len))
}

/// ERROR.
pub fn error(stream_id: u32, code: u32, text: &str) -> Vec<u8> {
    let head = [code, text.len() as u32].map(u32::to_le_bytes).concat();
    message(9, stream_id, &[&head, text.as_bytes()].concat())
}

/// TENSOR_REQUEST without preferences, for the CPU, aligned to 64 bytes.
pub fn request(stream_id: u32, key: &str, flags: u32) -> Vec<u8> {
    let len = (key.len() as u32).to_le_bytes();
    let tail = [64, flags].map(u32::to_le_bytes).concat();
    message(
        3,
        stream_id,
        &[&len[..], key.as_bytes(), &[0, 0, 0], &tail].concat(),
    )
}

/// RDMA_REGISTER of memory at address 7.
pub fn register(stream_id: u32, length: u64, rkey: &[u8]) -> Vec<u8> {
    let head = [7, length].map(u64::to_le_bytes).concat();
    let len = (rkey.len() as u32).to_le_bytes();
    message(12, stream_id, &[&head, &len[..], rkey].concat())
}

/// RDMA_READY.
pub fn ready(stream_id: u32) -> Vec<u8> {
    message(13, stream_id, &[])
}

/// TENSOR_PUT_ACK.
pub fn ack(stream_id: u32) -> Vec<u8> {
    message(8, stream_id, &[])
}

/// The rule for which a call was refused.
pub fn rule<T: std::fmt::Debug>(result: Outcome<T>) -> Option<Rule> {
    match result {
        Err(WriteError::Refused(kind)) => kind.rule(),
        other => panic!("{other:?}"),
    }
}
