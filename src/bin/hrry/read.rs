//! Drives the library over an input and tells a visitor what is there.

use std::fmt;
use std::io::{self, Read};

use hrry::io_std::random_key;
use hrry::owned::GrowFrame;
use hrry::{
    CompositeHead, DescriptorView, Entry, Error, ErrorKind, ExactThenKeyed, Field, FileDirectory,
    FileTensor, Method, Mode, Payload, Policy, Rule, StreamDecoder, Violation,
};

use super::args::Kind;
use super::container;
use super::places::{Places, flag, head_of};
use super::progress::Progress;
use super::source::{MAGIC, Source};
use super::text::plural;

/// An item of the input: a tensor or the head of a composite.
pub struct Item<'a> {
    /// Index among the top-level items, then in each composite around it; empty for a lone descriptor.
    pub path: &'a [u64],
    /// Byte offset of its descriptor.
    pub offset: u64,
    pub view: &'a DescriptorView<'a>,
    /// What it announces, if it is a head.
    pub head: Option<CompositeHead>,
    /// What a container says of it.
    pub tensor: Option<&'a FileTensor<'a>>,
}

/// Is told what was read, in order: `begin payload* end` for each item, `close` for each composite, at
/// most one `broken` at the very end. A container begins with its directory and, if that is wanted, ends with an
/// `entry` for each tensor, in the order of the index.
pub trait Visit {
    fn directory(&mut self, _directory: &FileDirectory<'_>) -> io::Result<()> {
        Ok(())
    }
    /// Whether it writes to standard output while it is told.
    fn writes(&self) -> bool {
        false
    }
    /// Whether it is told of the entries of an index.
    fn wants_entries(&self) -> bool {
        false
    }
    /// The entries of the index follow.
    fn index(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn entry(&mut self, _entry: &Entry<'_>, _view: &DescriptorView<'_>) -> io::Result<()> {
        Ok(())
    }
    /// Whether data is read where reading it can be spared.
    fn wants_payload(&self) -> bool {
        false
    }
    fn begin(&mut self, _item: &Item<'_>) -> io::Result<()> {
        Ok(())
    }
    fn payload(&mut self, _payload: &Payload<'_>) -> Result<(), Stop> {
        Ok(())
    }
    fn end(&mut self) -> Result<(), Stop> {
        Ok(())
    }
    /// The innermost composite closes. `whole` tells why it is incomplete; nothing where the library
    /// only speaks of a composite around it.
    fn close(&mut self, _whole: Option<Result<(), Rule>>) -> io::Result<()> {
        Ok(())
    }
    /// The bytes of a descriptor that was refused, as far as they are known.
    fn broken(&mut self, _offset: u64, _bytes: &[u8], _problem: &Problem) -> io::Result<()> {
        Ok(())
    }
}

/// What an accepted input holds.
#[derive(Default)]
pub struct Summary {
    pub items: u64,
    /// Items that are no heads.
    pub tensors: u64,
    pub max_depth: u8,
    pub bytes: u64,
    /// Rules that the bytes break and permissive mode lets pass.
    pub flags: Vec<Rule>,
    /// How partitions were checked, if there are any.
    pub cover: Option<Method>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [items, tensors] = [(self.items, "item"), (self.tensors, "tensor")]
            .map(|(count, what)| plural(count, what));
        write!(f, "{items}, {tensors}, {}", plural(self.bytes, "byte"))
    }
}

/// Why an input was not accepted.
pub struct Problem {
    /// The broken rule; none where nothing is known about the bytes.
    pub rule: Option<Rule>,
    pub offset: Option<u64>,
    pub message: String,
    /// The input ended early, inside an item or a composite.
    pub early: bool,
}

/// Why reading stopped.
pub enum Stop {
    Problem(Problem),
    /// Standard output failed.
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Output(error)
    }
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        Problem {
            rule: error.rule(),
            offset: Some(error.offset()),
            message: error.to_string(),
            early: matches!(
                error.kind(),
                ErrorKind::Truncated { .. } | ErrorKind::Torn { .. }
            ),
        }
    }
}

impl Problem {
    /// Something that is no judgement on the bytes.
    pub fn other(message: impl ToString) -> Problem {
        Problem {
            rule: None,
            offset: None,
            message: message.to_string(),
            early: false,
        }
    }

    pub fn input(error: io::Error) -> Stop {
        Stop::Problem(Problem::other(error))
    }
}

/// Bytes read at once.
pub const CHUNK: usize = 64 * 1024;

/// Reads an input of a kind. `capture` keeps the bytes of a descriptor that is refused, for
/// [`Visit::broken`].
pub fn input(
    mut source: Source,
    kind: Option<Kind>,
    policy: &Policy,
    capture: bool,
    visit: &mut impl Visit,
) -> Result<Summary, Stop> {
    match kind {
        Some(Kind::Descriptor) => descriptor(&mut source, policy, visit),
        Some(Kind::File) => {
            let file = source.into_file().map_err(Problem::input)?;
            let mut container = container::open(file, policy)?;
            container::read(&mut container, policy, visit)
        }
        _ => stream(&mut source, policy, capture, visit),
    }
}

/// Reads an input that holds one descriptor and nothing else.
fn descriptor(
    source: &mut Source,
    policy: &Policy,
    visit: &mut impl Visit,
) -> Result<Summary, Stop> {
    let mut bytes = Vec::new();
    let missing = |error: &Error| match error.kind() {
        ErrorKind::Truncated { missing, .. } => usize::try_from(missing).ok(),
        _ => None,
    };
    let view = loop {
        // an incomplete descriptor costs a look at its header
        let error = match DescriptorView::parse(&bytes, policy) {
            Ok((view, _)) => break view,
            Err(error) => error,
        };
        let more = missing(&error).map(|missing| missing.min(CHUNK));
        let read = source.append(&mut bytes, more.unwrap_or(0));
        if read.map_err(Problem::input)? == 0 {
            let problem = Problem::from(&error);
            top_up(source, &mut bytes);
            visit.broken(0, &bytes, &problem)?;
            return Err(Stop::Problem(problem));
        }
    };
    let mut summary = Summary::default();
    let head = head_of(&view);
    summary.items = 1;
    summary.tensors = head.is_none().into();
    summary.max_depth = head.is_some().into();
    summary.bytes = view.as_bytes().len() as u64;
    flag(&view, policy, &mut summary.flags);
    visit.begin(&Item {
        path: &[],
        offset: 0,
        view: &view,
        head,
        tensor: None,
    })?;
    visit.end()?;
    let after = source.append(&mut Vec::new(), 1).map_err(Problem::input)?;
    if after > 0 {
        let violation = Violation {
            rule: Rule::BytesAfter,
            field: Field::Payload,
            index: 0,
        };
        return Err(Stop::Problem(Problem {
            rule: Some(violation.rule),
            offset: Some(summary.bytes),
            message: format!("{violation} at byte {}", summary.bytes),
            early: false,
        }));
    }
    Ok(summary)
}

/// Reads the next bytes into a chunk and tells how far it is; 0 at the end of the input.
pub fn fill(source: &mut Source, chunk: &mut [u8], progress: &mut Progress) -> Result<usize, Stop> {
    loop {
        match source.read(chunk) {
            Ok(read) => {
                progress.add(read as u64);
                return Ok(read);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Problem::input(error)),
        }
    }
}

type Decoder = StreamDecoder<GrowFrame, ExactThenKeyed, Vec<u64>>;

/// Reads tensors back to back.
fn stream(
    source: &mut Source,
    policy: &Policy,
    capture: bool,
    visit: &mut impl Visit,
) -> Result<Summary, Stop> {
    let key = random_key().map_err(Problem::input)?;
    let frame = GrowFrame::new();
    let mut decoder: Decoder =
        StreamDecoder::with_parts(frame, ExactThenKeyed(key), Vec::new(), *policy);
    let mut places = Places::default();
    let mut next = 0;
    let mut caught = Vec::new();
    let mut chunk = vec![0; CHUNK];
    let mut progress = Progress::new(source.len(), visit.writes());
    loop {
        let read = fill(source, &mut chunk, &mut progress)?;
        if read == 0 {
            break;
        }
        let mut input = &chunk[..read];
        loop {
            let before = input;
            let gathering = decoder.current().is_none();
            match decoder.next_event(&mut input) {
                Ok(None) => {
                    if capture && gathering {
                        caught.extend_from_slice(before);
                    }
                    break;
                }
                Ok(Some(event)) => {
                    caught.clear();
                    places.event(&event, None, policy, visit)?;
                    if decoder.current().is_none() {
                        next = decoder.offset();
                    }
                }
                Err(error) => {
                    let problem = Problem::from(&error);
                    if capture && gathering {
                        caught.extend_from_slice(before);
                        top_up(source, &mut caught);
                        visit.broken(next, &caught, &problem)?;
                    }
                    return Err(Stop::Problem(problem));
                }
            }
        }
    }
    match decoder.finish() {
        Err(error) if is_torn(&error) && policy.mode == Mode::Permissive => {
            places.torn(visit)?;
        }
        Err(error) => {
            let mut problem = Problem::from(&error);
            if matches!(error.kind(), ErrorKind::Truncated { .. }) {
                problem.message += &format!(", of the item that starts at byte {next}");
            }
            if !caught.is_empty() {
                visit.broken(next, &caught, &problem)?;
            }
            return Err(Stop::Problem(problem));
        }
        Ok(()) => {}
    }
    places.summary.bytes = decoder.offset();
    Ok(places.summary)
}

fn is_torn(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Torn { .. })
}

/// Reads on to the end that a broken descriptor states, so that what is shown of it does not depend on
/// how the input was cut. A failure here hides no news.
fn top_up(source: &mut Source, bytes: &mut Vec<u8>) {
    for target in [|_: &[u8]| FIXED, stated_length] {
        let missing = target(bytes).min(CHUNK).saturating_sub(bytes.len());
        let _ = source.append(bytes, missing);
    }
}

/// Bytes that every descriptor has.
pub const FIXED: usize = 20;

/// The length that the bytes of a descriptor state, if they go that far and are one.
pub fn stated_length(bytes: &[u8]) -> usize {
    let stated = bytes.get(6..10).and_then(|length| length.try_into().ok());
    match stated {
        Some(length) if bytes.starts_with(MAGIC) => u32::from_le_bytes(length) as usize,
        _ => 0,
    }
}
