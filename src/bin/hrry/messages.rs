//! Drives the library over one direction of a link and tells a listener of its messages.

use std::io;

use clap::ValueEnum;
use hrry::io_std::random_key;
use hrry::message::{
    LinkOptions, MessageBody, MessageEvent, MessageHeader, MessageParser, ParallelTransfer, Scope,
    Side, StreamSlot, TensorDescriptor,
};
use hrry::owned::GrowFrame;
use hrry::{Error, ExactThenKeyed, Key, Mode, Outcome, Permissive, Policy, SetError};

use super::places::{add, flag, head_of};
use super::progress::Progress;
use super::read::{CHUNK, Problem, Stop, Summary, fill};
use super::source::Source;

/// What a receiver must know of a link.
#[derive(clap::Args)]
#[command(next_help_heading = "Messages")]
pub struct Link {
    /// Who sends them
    #[arg(long, value_enum, value_name = "SIDE", default_value = "client")]
    sender: Sender,
    /// What belongs together: each message alone, the messages of a tensor, or all from the first one on
    #[arg(long, value_enum, value_name = "SCOPE", default_value = "session")]
    scope: Together,
    /// Most bytes of payload that the receiver takes in a message
    #[arg(long, value_name = "N", default_value_t = u32::MAX, hide_default_value = true)]
    max_message_size: u32,
    /// The version that the client said, where the server sends
    #[arg(long, value_name = "N", default_value_t = hrry::message::PROTOCOL_VERSION)]
    peer_version: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum Sender {
    Client,
    Server,
}

#[derive(Clone, Copy, ValueEnum)]
enum Together {
    Message,
    Tensor,
    Session,
}

impl Link {
    fn options(&self) -> LinkOptions {
        let sender = match self.sender {
            Sender::Client => Side::Client,
            Sender::Server => Side::Server,
        };
        let mut options = LinkOptions::new(sender, self.max_message_size);
        options.scope = match self.scope {
            Together::Message => Scope::Message,
            Together::Tensor => Scope::Tensor,
            Together::Session => Scope::Session,
        };
        options.client_version = self.peer_version;
        // what the other side said stands elsewhere
        options.receiver = hrry::message::Capabilities(u64::MAX);
        options
    }

    /// Whether messages are held together to tensors.
    pub const fn holds_tensors(&self) -> bool {
        !matches!(self.scope, Together::Message)
    }
}

/// Is told what came, in order, with the offset at which each message starts.
pub trait Hear {
    fn event(&mut self, _offset: u64, _event: &MessageEvent<'_, '_>) -> io::Result<()> {
        Ok(())
    }
    /// Whether it writes to standard output while it is told.
    fn writes(&self) -> bool {
        false
    }
}

/// Hears nothing.
pub struct Deaf;

impl Hear for Deaf {}

/// Streams with open tensors at the same time.
const STREAMS: usize = 256;

type Parser = MessageParser<GrowFrame, Vec<StreamSlot<ExactThenKeyed, Vec<u64>>>>;

/// Reads messages to the end of the input.
pub fn read(
    mut source: Source,
    link: &Link,
    policy: &Policy,
    hear: &mut impl Hear,
) -> Result<Summary, Stop> {
    let key = random_key().map_err(Problem::input)?;
    let transfer = || StreamSlot::with_parts(ExactThenKeyed(key), Vec::new());
    let streams = (0..STREAMS).map(|_| transfer()).collect();
    let mut parser: Parser =
        MessageParser::with_parts(GrowFrame::new(), streams, link.options(), *policy);
    let mut tally = Tally::new(key, link.holds_tensors(), policy);
    let mut chunk = vec![0; CHUNK];
    let mut progress = Progress::new(source.len(), hear.writes());
    let mut start = 0;
    loop {
        let read = fill(&mut source, &mut chunk, &mut progress)?;
        if read == 0 {
            break;
        }
        let mut input = &chunk[..read];
        loop {
            let read = parser.offset() + input.len() as u64;
            let event = parser.next_event(&mut input);
            let Some(event) = event.map_err(|error| refused(&error))? else {
                break;
            };
            let behind = read - input.len() as u64;
            if let Some(taken) = taken(&event) {
                start = behind - taken;
            }
            tally.event(&event, policy)?;
            hear.event(start, &event)?;
            if policy.mode == Mode::Permissive {
                let flags = &mut tally.summary.flags;
                parser.relaxed(|violation| add(flags, violation.rule));
            }
        }
    }
    let torn = match parser.finish() {
        Err(error) if exposed(&error, policy) => error.rule(),
        other => other.map(|()| None).map_err(|error| refused(&error))?,
    };
    if let Err(kind) = tally.parallel.finish() {
        let origin = parser.offset();
        return Err(refused(&SetError { kind, origin }.placed(None)));
    }
    tally.summary.flags.extend(torn);
    tally.summary.bytes = parser.offset();
    Ok(tally.summary)
}

/// Bytes of the message up to where its event comes; none where it came before.
fn taken(event: &MessageEvent<'_, '_>) -> Option<u64> {
    let payload = event.header.payload_length;
    let payload = match event.body {
        MessageBody::Data(_) => return None,
        MessageBody::TensorData { len, .. } => payload - len,
        MessageBody::Private => 0,
        _ => payload,
    };
    Some(MessageHeader::LEN as u64 + u64::from(payload))
}

fn refused(error: &Error) -> Stop {
    Stop::Problem(Problem::from(error))
}

/// Whether permissive mode exposes what arrived of a tensor or composite.
fn exposed(error: &Error, policy: &Policy) -> bool {
    let exposes = error.rule().map(|rule| rule.permissive()) == Some(Permissive::Expose);
    exposes && policy.mode == Mode::Permissive
}

/// Counts what comes, and holds the shards of parallel transfers together.
struct Tally {
    summary: Summary,
    parallel: ParallelTransfer<ExactThenKeyed, Vec<u64>>,
    holds_tensors: bool,
}

impl Tally {
    fn new(key: Key, holds_tensors: bool, policy: &Policy) -> Self {
        let cover = ExactThenKeyed(key);
        Tally {
            summary: Summary::default(),
            parallel: ParallelTransfer::with_parts(cover, Vec::new(), cover, Vec::new(), *policy),
            holds_tensors,
        }
    }

    fn event(&mut self, event: &MessageEvent<'_, '_>, policy: &Policy) -> Result<(), Stop> {
        let (view, outcome) = match &event.body {
            MessageBody::TensorDescriptor(tensor, outcome) => {
                self.shard(tensor)?;
                (&tensor.descriptor, *outcome)
            }
            MessageBody::TensorPut(put) => (&put.descriptor, Outcome::Plain),
            MessageBody::TensorDataEnd(Outcome::Closed {
                complete, method, ..
            }) => {
                self.summary.cover = self.summary.cover.max(*method);
                if let Err(rule) = complete {
                    add(&mut self.summary.flags, *rule);
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        let summary = &mut self.summary;
        summary.items += u64::from(matches!(
            outcome,
            Outcome::Plain | Outcome::Opened { index: None, .. }
        ));
        summary.tensors += u64::from(head_of(view).is_none());
        if let Outcome::Opened { depth, .. } = outcome {
            summary.max_depth = summary.max_depth.max(depth);
        }
        flag(view, policy, &mut summary.flags);
        Ok(())
    }

    /// Takes a shard of a parallel transfer. One transfer goes on at a time.
    fn shard(&mut self, tensor: &TensorDescriptor<'_>) -> Result<(), Stop> {
        if tensor.shard.total > 1 && self.holds_tensors {
            let added = self.parallel.add(&tensor.descriptor, tensor.shard);
            added.map_err(|error| refused(&error.placed(Some(&tensor.descriptor))))?;
            if self.parallel.is_complete() {
                self.parallel.reset();
            }
        }
        Ok(())
    }
}
