//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, Subcommand, ValueEnum};
use hrry::{Agreements, Policy, Transport};
use serde::Serialize;

use super::messages::Link;
use super::net;
use super::setting::Setting;

/// Checks Hurray tensors (magic HRRY) and shows what is in them
#[derive(Parser)]
#[command(version, after_help = exit_status(JUDGED, GONE_BUT))]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

/// What the exit status says: the codes, with what 2 says beside an I/O error, and what more there is to say.
pub fn exit_status(codes: &str, more: &str) -> String {
    format!("Exit status: {codes} or I/O error{more}.")
}

const JUDGED: &str = "0 all accepted, 1 something refused, 2 usage";

const PRINTED: &str = "0 printed, 1 refused or without values, 2 usage (also an item that is not there, or a box outside \
    its shape)";

const COUNTED: &str =
    "0 printed, 1 refused, without numbers or contradicted by a statistics section, 2 usage";

pub const TRANSFERRED: &str = "0 done, 1 refused by the server or the protocol, 2 usage";

/// Of commands whose reader may have enough.
pub const GONE: &str = "; 0 as well where the reader of standard output goes away before the end";

/// Of those commands and `check`, whose exit status is what is asked for.
const GONE_BUT: &str =
    "; but for check, 0 as well where the reader of standard output goes away before the end";

const STAYS: &str = ", also where the reader of standard output goes away before the end";

/// What those should know who check or inspect.
const NOTES: &str = "An empty input has no kind, and is an error without --kind; with --kind stream it is a stream of \
    no tensors.\n\n\
    Messages are read with --kind messages, in one direction: --sender server for what a server sends, and \
    --scope tensor or --scope message for messages that do not start with the greeting of a connection.";

fn notes(more: &str) -> String {
    format!("{NOTES}\n\n{}", exit_status(JUDGED, more))
}

#[derive(Subcommand)]
pub enum Command {
    Check(Check),
    Inspect(Inspect),
    Cat(Cat),
    Pack(Pack),
    Unpack(Unpack),
    Values(Values),
    Stats(Stats),
    Serve(net::Serve),
    Get(net::Get),
    Put(net::Put),
}

/// Say of each file whether it follows the format, and if not, which rule it breaks and where; what is inside
/// buffers is looked at with --content only
#[derive(clap::Args)]
#[command(after_help = notes(STAYS))]
pub struct Check {
    #[command(flatten)]
    pub reading: Reading,
    /// Look inside buffers as well: indices, pointers, scales, unused bits
    #[arg(long)]
    pub content: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Files to check; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    // the last one, as its heading stands over all that follows
    #[command(flatten)]
    pub link: Link,
}

/// Show the tensors of a file: types, shapes, layouts, sizes, composites
#[derive(clap::Args)]
#[command(after_help = notes(GONE))]
pub struct Inspect {
    #[command(flatten)]
    pub reading: Reading,
    /// Print everything as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Add length and CRC-32C of each buffer, with --json
    #[arg(long, requires = "json")]
    pub digest: bool,
    /// Add the bytes of each descriptor, field by field, also of a broken one
    #[arg(long)]
    pub bytes: bool,
    /// File to show; - is standard input
    pub file: PathBuf,
    // the last one, as its heading stands over all that follows
    #[command(flatten)]
    pub link: Link,
}

/// Write the raw bytes of tensors in a container file, buffer after buffer
#[derive(clap::Args)]
#[command(after_help = exit_status(JUDGED, GONE))]
pub struct Cat {
    /// Container file; - is standard input
    pub file: PathBuf,
    /// Names of tensors
    #[arg(required = true, value_name = "NAME")]
    pub names: Vec<String>,
}

/// Make a container file of a stream; tensors are named by their place: 0, 1, 1.0, 1.1
#[derive(clap::Args)]
#[command(after_help = exit_status(JUDGED, GONE))]
pub struct Pack {
    /// Container file to make or replace, as a whole or not at all; - is standard output, which may get a part
    pub out: PathBuf,
    /// Stream to read; - is standard input
    pub stream: PathBuf,
    /// A key and its value: KEY=TEXT, or KEY:TYPE=VALUE with string, int64, uint64, float64, bool or bytes; a KEY that
    /// holds : takes a TYPE
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<Setting>,
    /// What data is aligned to, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    pub alignment: u32,
}

/// Write the tensors of a container file as a stream to standard output
#[derive(clap::Args)]
#[command(after_help = exit_status(JUDGED, GONE))]
pub struct Unpack {
    /// Container file; - is standard input
    pub file: PathBuf,
}

/// Print the numbers of a tensor, or of the merged view of a composite, in row-major order whatever the
/// layout; codes of a quantized tensor as the numbers they stand for
#[derive(clap::Args)]
#[command(after_help = exit_status(PRINTED, GONE))]
pub struct Values {
    #[command(flatten)]
    pub reading: Reading,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print the stored codes of a quantized tensor
    #[arg(long)]
    pub stored: bool,
    /// Print a part only: the first index and the size along each dimension, for example 0,4:2,3
    #[arg(long = "box", value_name = "OFFSETS:SHAPE")]
    pub part: Option<Part>,
    /// Stream or container file; - is standard input
    pub file: PathBuf,
    /// A name in a container, or a place in a stream: #2 is the third item, #2.1 its second member
    pub item: String,
}

/// Print extremes, mean, deviation, NaNs and zeros of each tensor, and compare a statistics section with the data
#[derive(clap::Args)]
#[command(after_help = exit_status(COUNTED, GONE))]
pub struct Stats {
    #[command(flatten)]
    pub reading: Reading,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Stream or container file; - is standard input
    pub file: PathBuf,
}

/// A box of indices.
#[derive(Clone, Debug)]
pub struct Part {
    pub offset: Vec<u64>,
    pub shape: Vec<u64>,
}

impl FromStr for Part {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Part, &'static str> {
        const FORM: &str = "a box is written as OFFSETS:SHAPE, for example 0,4:2,3";
        let numbers = |text: &str| {
            let numbers = text.split(',').filter(|_| !text.is_empty());
            let numbers: Result<Vec<u64>, _> = numbers.map(str::parse).collect();
            numbers.map_err(|_| FORM)
        };
        let (offset, shape) = text.split_once(':').ok_or(FORM)?;
        Ok(Part {
            offset: numbers(offset)?,
            shape: numbers(shape)?,
        })
    }
}

#[derive(clap::Args)]
pub struct Reading {
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        hide_possible_values = true,
        help = "What the input is: descriptor, stream, messages or file [default: file or stream, as its first bytes say]"
    )]
    pub kind: Option<Kind>,
    /// Let pass what the format allows a permissive reader to let pass
    #[arg(long)]
    permissive: bool,
    /// Private values with a meaning: memory_class, scheme, composition_rule or message_type; may be given again
    #[arg(long, value_enum, value_name = "WHAT", hide_possible_values = true)]
    agree: Vec<Agreement>,
    /// Where the bytes come from: local or cross-machine
    #[arg(
        long,
        value_enum,
        value_name = "WHERE",
        default_value = "local",
        hide_possible_values = true
    )]
    transport: From,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One descriptor, without data
    Descriptor,
    /// Tensors back to back
    Stream,
    /// The framed network transport
    Messages,
    /// A container file
    File,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Descriptor => "descriptor",
            Kind::Stream => "stream",
            Kind::Messages => "messages",
            Kind::File => "file",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Agreement {
    MemoryClass,
    Scheme,
    CompositionRule,
    MessageType,
}

#[derive(Clone, Copy, ValueEnum)]
enum From {
    Local,
    CrossMachine,
}

/// The private range of every tag space.
const PRIVATE: &[u8] = &[
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE,
];

/// The same, of message types.
const PRIVATE_TYPES: &[u32] = &[
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE,
];

impl Reading {
    /// The policy that the options ask for. It lives as long as the program.
    pub fn policy(&self) -> Policy {
        let agreed = |what| {
            if self.agree.contains(&what) {
                PRIVATE
            } else {
                &[]
            }
        };
        let mut agreements = Agreements::NONE;
        agreements.memory_classes = agreed(Agreement::MemoryClass);
        agreements.schemes = agreed(Agreement::Scheme);
        agreements.composition_rules = agreed(Agreement::CompositionRule);
        if self.agree.contains(&Agreement::MessageType) {
            agreements.message_types = PRIVATE_TYPES;
        }
        let mut policy = if self.permissive {
            Policy::PERMISSIVE
        } else {
            Policy::STRICT
        };
        policy.agreements = Box::leak(Box::new(agreements));
        policy.transport = match self.transport {
            From::Local => Transport::Local,
            From::CrossMachine => Transport::CrossMachine,
        };
        policy
    }
}
