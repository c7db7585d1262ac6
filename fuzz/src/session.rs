//! Sessions with an application that answers everything: nothing breaks them, what they send is bounded, and
//! neither that nor what they tell depends on the cuts.
//!
//! The first byte chooses the side, what it can, how its application answers, and whether the other side
//! greets without being told to.

use std::convert::Infallible;

use hrry::message::{
    Capabilities, ErrorCode, ErrorMessage, Hello, KeepAlive, ParallelTransfer, RdmaRegister,
    RequestFlags, Session, SessionEvent, ShardNumber, Side, StreamSlot, TensorRequest,
};
use hrry::owned::GrowFrame;
use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositionRule, DescriptorSpec, ElementType, Exact,
    Layout, Policy, Shard, Sink, WriteError,
};

use crate::source::{next, seed};

const STREAMS: usize = 4;

type Link = Session<'static, GrowFrame, Vec<StreamSlot<Exact, Vec<u64>>>, Wire, STREAMS>;

#[derive(Debug, Default)]
struct Wire(Vec<u8>);

impl Sink for Wire {
    type Error = Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// What a session told and sent.
#[derive(Debug, Default, PartialEq)]
struct Trace {
    told: Vec<String>,
    /// The stream of the data that was told last, its place, and where it ends.
    data: Option<(u32, u64, u64)>,
    sent: Vec<u8>,
    end: String,
}

/// Panics where something breaks or the ways differ.
pub fn session(data: &[u8]) {
    let Some((choice, data)) = data.split_first() else {
        return;
    };
    let greeted = [greeting(*choice), data.to_vec()].concat();
    let whole = run(*choice, &greeted, || usize::MAX);
    // each message leads to a few small ones at most
    let messages = 2 + greeted.len() / 12;
    assert!(whole.sent.len() <= greeted.len() + 1000 * messages);
    assert_eq!(whole, run(*choice, &greeted, || 1));
    let mut state = seed(data);
    assert_eq!(
        whole,
        run(*choice, &greeted, || 1 + (next(&mut state) % 30) as usize)
    );
}

fn side(choice: u8) -> Side {
    match choice & 1 {
        0 => Side::Client,
        _ => Side::Server,
    }
}

fn own(choice: u8) -> Hello<'static> {
    let all = Capabilities::PARALLEL_STREAMS
        .or(Capabilities::RDMA_DATA_PLANE)
        .or(Capabilities::RDMA_GPUDIRECT);
    Hello {
        capabilities: if choice & 2 == 0 {
            all
        } else {
            Capabilities::NONE
        },
        ..Hello::new(if choice & 4 == 0 { 1 << 16 } else { 40 })
    }
}

/// The HELLO of the other side, which can do everything.
fn greeting(choice: u8) -> Vec<u8> {
    if choice & 8 != 0 {
        return Vec::new();
    }
    let kind = 2 - u32::from(choice & 1);
    let most = if choice & 16 == 0 { 1 << 16 } else { 24 };
    let numbers = [kind, 1, 24, 1, most, 0b1111, 0].map(u32::to_le_bytes);
    [&numbers.concat()[..], &[0, 0, 1, 0, 0, 1, 0, 0]].concat()
}

fn run(choice: u8, data: &[u8], mut cut: impl FnMut() -> usize) -> Trace {
    let places = || {
        (0..STREAMS)
            .map(|_| StreamSlot::with_parts(Exact, Vec::new()))
            .collect()
    };
    let parallel =
        ParallelTransfer::with_parts(Exact, Vec::new(), Exact, Vec::new(), Policy::STRICT);
    let mut session: Link = Session::with_parts(
        side(choice),
        own(choice),
        GrowFrame::new(),
        places(),
        places(),
        parallel,
        Wire::default(),
        Policy::STRICT,
    )
    .with_keep_alive(KeepAlive {
        ping_after: 10,
        lost_after: u64::MAX,
    });
    session.start(0).unwrap();
    let mut trace = Trace::default();
    let mut answers = u64::from(choice);
    let mut rest = data;
    while !rest.is_empty() {
        let (mut chunk, later) = rest.split_at(cut().min(rest.len()));
        rest = later;
        loop {
            let event = session
                .receive(&mut chunk, 5)
                .expect("nobody can make it fail");
            let Some(event) = event else {
                break assert!(chunk.is_empty());
            };
            let Some(step) = note(&mut trace, &event) else {
                continue;
            };
            let done = answer(&mut session, step, next(&mut answers));
            trace.told.push(format!("{done:?}"));
        }
    }
    session.tick(20).unwrap();
    trace.end = format!("{:?} {:?}", session.finish(), session.closed());
    trace.sent = std::mem::take(&mut session.sink_mut().0);
    trace
}

/// What an application reacts to.
enum Step {
    Opened,
    Requested(u32),
    Begun(u32),
    End(u32),
    Offered(u32, u64),
    Ready(u32),
}

/// Writes an event down, pieces of data joined.
fn note(trace: &mut Trace, event: &SessionEvent<'_, '_>) -> Option<Step> {
    if let SessionEvent::Data(id, data) = event {
        let end = data.offset + data.bytes.len() as u64;
        assert!(!data.bytes.is_empty());
        match &mut trace.data {
            Some((before, _, behind)) if before == id && *behind == data.offset => *behind = end,
            _ => {
                trace
                    .told
                    .extend(trace.data.map(|data| format!("{data:?}")));
                trace.data = Some((*id, data.offset, end));
            }
        }
        return None;
    }
    trace
        .told
        .extend(trace.data.take().map(|data| format!("{data:?}")));
    trace.told.push(format!("{event:?}"));
    Some(match event {
        SessionEvent::Opened => Step::Opened,
        SessionEvent::Requested(id, _) => Step::Requested(*id),
        SessionEvent::Tensor(id, ..) | SessionEvent::Put(id, _) => Step::Begun(*id),
        SessionEvent::End(id, _) => Step::End(*id),
        SessionEvent::RdmaRegister(id, region) => Step::Offered(*id, region.length),
        SessionEvent::RdmaReady(id) => Step::Ready(*id),
        _ => return None,
    })
}

type Done = Result<(), WriteError<Infallible>>;

/// Does something that fits, or nearly.
fn answer(session: &mut Link, step: Step, random: u64) -> Done {
    const NO: ErrorMessage<'_> = ErrorMessage {
        error_code: ErrorCode::UnknownTensor,
        message: "no",
    };
    match step {
        Step::Opened => {
            for flags in [RequestFlags::PARALLEL_OK, RequestFlags::NONE] {
                let request = TensorRequest {
                    request_flags: flags,
                    ..TensorRequest::new("w")
                };
                session.request(&request)?;
            }
            let buffers = [BufferHandle::cpu(4, 64)];
            let id = session.put("p", &tensor(&buffers))?;
            match random % 3 {
                0 => session.rdma_register(id, &region(4)),
                1 => session.data(id, &[1, 2]),
                _ => {
                    session.data(id, &[1, 2, 3, 4])?;
                    session.end(id).map(|_| ())
                }
            }
        }
        Step::Requested(id) => match random % 5 {
            0 => session.refuse(id, &NO),
            1 => composite(session, id),
            2 => shards(session, id),
            3 => {
                let buffers = [BufferHandle::cpu(4, 64)];
                session.answer(id, &tensor(&buffers))?;
                session.rdma_register(id, &region(4))
            }
            _ => whole(session, id),
        },
        Step::Begun(id) if random.is_multiple_of(8) => session.refuse(id, &NO),
        Step::Begun(_) => Ok(()),
        Step::End(id) if random.is_multiple_of(4) => session.refuse(id, &NO),
        Step::End(id) => session.accept(id),
        Step::Offered(id, length) => {
            if random.is_multiple_of(2) {
                session.rdma_register(id, &region(length))?;
            }
            session.rdma_ready(id)
        }
        Step::Ready(id) => session.end(id).map(|_| ()),
    }
}

fn tensor(buffers: &[BufferHandle]) -> DescriptorSpec<'_> {
    DescriptorSpec::new(ElementType::UInt8, &[4], Layout::RowMajor, buffers)
}

fn region(length: u64) -> RdmaRegister<'static> {
    RdmaRegister {
        remote_addr: 7,
        length,
        rkey: b"key",
    }
}

fn whole(session: &mut Link, id: u32) -> Done {
    let buffers = [BufferHandle::cpu(4, 64)];
    session.answer(id, &tensor(&buffers))?;
    session.data(id, &[1, 2, 3, 4])?;
    session.end(id).map(|_| ())
}

fn composite(session: &mut Link, id: u32) -> Done {
    let group = Layout::Composite(CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count: 1,
    });
    session.answer(
        id,
        &DescriptorSpec::new(ElementType::UInt8, &[4], group, &[]),
    )?;
    session.end(id)?;
    whole(session, id)
}

/// The first of two shards is never ended.
fn shards(session: &mut Link, id: u32) -> Done {
    let second = session.open_shard(id)?;
    for (stream, index, offset) in [(id, 0, [0]), (second, 1, [4])] {
        let buffers = [BufferHandle::cpu(4, 64)];
        let part = DescriptorSpec {
            shard: Some(Shard {
                parent_shape: (&[8]).into(),
                shard_offset: (&offset).into(),
            }),
            ..tensor(&buffers)
        };
        session.answer_shard(stream, &part, ShardNumber { index, total: 2 })?;
    }
    session.data(second, &[1, 2, 3, 4])?;
    session.end(second).map(|_| ())
}
