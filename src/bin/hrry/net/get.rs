//! `hrry get`: a tensor or composite of a server as a stream.

use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use hrry::io_std::{IoError, StreamWriter, random_key, save};
use hrry::message::{LayoutEntries, LayoutEntry, SessionEvent, TensorRequest};
use hrry::{ExactThenKeyed, LayoutTag, Outcome, Policy};

use super::super::args::{GONE, TRANSFERRED, exit_status};
use super::super::plain::Plain;
use super::super::progress::Progress;
use super::super::read::Problem;
use super::super::source::is_stdin;
use super::super::{Status, complain, tell};
use super::client::{Failure, dial, wait};
use super::{Link, Patience};

/// Ask a server for a tensor or composite and write it as a stream; a server may send another layout than those that
/// it is asked for, which is told
#[derive(clap::Args)]
#[command(after_help = exit_status(TRANSFERRED, GONE))]
pub struct Get {
    /// A layout that suits, for example csr; may be given again, most preferred first
    #[arg(long, value_name = "LAYOUT")]
    layout: Vec<Wanted>,
    #[command(flatten)]
    patience: Patience,
    /// Where the server listens: host or host:port
    #[arg(value_name = "ADDR")]
    address: String,
    /// Name of the tensor
    key: String,
    /// Stream to make or replace, as a whole or not at all; - is standard output
    #[arg(value_name = "OUT")]
    out: PathBuf,
}

/// A layout by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Wanted(LayoutTag);

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Wanted, String> {
        let mut layouts = LayoutTag::ASSIGNED.iter();
        let named = layouts.find(|layout| layout.name() == Some(text));
        named.map(|layout| Wanted(*layout)).ok_or_else(|| {
            let names = LayoutTag::ASSIGNED
                .iter()
                .filter_map(|layout| layout.name());
            format!("layouts are {}", names.collect::<Vec<_>>().join(", "))
        })
    }
}

/// Why not all of it is written.
enum Ended {
    /// The server, the protocol or the connection.
    Link(Failure),
    Output(io::Error),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Ended {
        Ended::Link(failure)
    }
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Ended {
        Ended::Output(error)
    }
}

/// What a writer refuses is what came.
fn written(error: IoError) -> Ended {
    match error {
        IoError::Io(error) => Ended::Output(error),
        error => Ended::Link(error.into()),
    }
}

pub fn get(get: &Get, out: &mut dyn Write) -> io::Result<Status> {
    let to_stdout = is_stdin(&get.out);
    let asked = ask(get).map_err(Ended::Link);
    let got = asked.and_then(|(mut link, stream_id)| match to_stdout {
        true => receive(get, &mut link, stream_id, out, true),
        false => save(&get.out, |sink| {
            receive(get, &mut link, stream_id, sink, false)
        }),
    });
    match got {
        Ok(()) => Ok(Status::Accepted),
        Err(Ended::Link(failure)) => Ok(failure.tell(&get.address)),
        Err(Ended::Output(error)) if to_stdout => Err(error),
        Err(Ended::Output(error)) => Ok(tell(&get.out, &Problem::other(error))),
    }
}

fn ask(get: &Get) -> Result<(Link, u32), Failure> {
    let mut link = dial(&get.address, get.patience.duration())?;
    let layouts: Vec<_> = get
        .layout
        .iter()
        .map(|wanted| LayoutEntry::new(wanted.0))
        .collect();
    let request = TensorRequest {
        preferred_layouts: LayoutEntries::new(&layouts),
        ..TensorRequest::new(&get.key)
    };
    let stream_id = link.session().request(&request)?;
    Ok((link, stream_id))
}

/// Writes what comes on a stream.
fn receive<W: Write>(
    get: &Get,
    link: &mut Link,
    stream_id: u32,
    output: W,
    is_stdout: bool,
) -> Result<(), Ended> {
    let cover = ExactThenKeyed(random_key().map_err(Failure::from)?);
    let mut layouts = Layouts::of(get);
    let mut writer = StreamWriter::with_cover(output, cover, Policy::STRICT);
    let mut progress = None;
    loop {
        wait(link)?;
        while let Some(event) = link.next_event().map_err(Failure::from)? {
            match event {
                SessionEvent::Tensor(_, tensor, outcome) => {
                    // of a composite nobody knows how much comes
                    let total = match outcome {
                        Outcome::Plain => tensor.total_data_bytes,
                        _ => 0,
                    };
                    progress.get_or_insert_with(|| Progress::new(total, is_stdout));
                    layouts.note(tensor.descriptor.layout().tag());
                    writer.begin(&tensor.descriptor).map_err(written)?;
                }
                SessionEvent::Data(_, data) => {
                    writer.payload(data.bytes).map_err(written)?;
                    if let Some(progress) = &mut progress {
                        progress.add(data.bytes.len() as u64);
                    }
                }
                SessionEvent::End(..) => {
                    writer.end().map_err(written)?;
                    if !link.session().is_under_way(stream_id) {
                        writer.finish().map_err(written)?;
                        return Ok(());
                    }
                }
                SessionEvent::Failed(stream, error) if stream == stream_id => {
                    return Err(Failure::answered(&error).into());
                }
                SessionEvent::Refused(_, error) => {
                    link.flush().map_err(Failure::from)?;
                    return Err(Failure::Refused(error.to_string()).into());
                }
                SessionEvent::Closed(why) => return Err(Failure::closed(why).into()),
                _ => {}
            }
        }
    }
}

/// Looks whether what comes is as it was asked for.
struct Layouts<'g> {
    get: &'g Get,
    /// There is nothing to tell, or it was told.
    is_settled: bool,
}

impl<'g> Layouts<'g> {
    fn of(get: &'g Get) -> Self {
        let is_settled = get.layout.is_empty();
        Layouts { get, is_settled }
    }

    /// Takes the layout of the next tensor. A composite comes with its members, which may suit.
    fn note(&mut self, layout: LayoutTag) {
        let suits = self.get.layout.contains(&Wanted(layout));
        match (suits, layout == LayoutTag::Composite) {
            _ if self.is_settled => {}
            (true, true) => self.is_settled = true,
            (false, false) => {
                self.is_settled = true;
                let address = Plain::new(&self.get.address);
                let name = layout.name().unwrap_or("a private layout");
                complain(&format!(
                    "hrry: {address}: it comes as {name}, which is none of the layouts asked for"
                ));
            }
            _ => {}
        }
    }
}
