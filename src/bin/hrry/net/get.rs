//! `hrry get`: a tensor or composite of a server as a stream.

use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use hrry::io_std::{StreamWriter, random_key, save};
use hrry::{
    ExactThenKeyed, LayoutEntries, LayoutEntry, LayoutTag, Outcome, Policy, SessionEvent,
    TensorRequest,
};

use super::super::Status;
use super::super::progress::Progress;
use super::super::source::is_stdin;
use super::client::{Failure, dial, wait};
use super::{Link, Patience};

/// Ask a server for a tensor or composite and write it as a stream
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
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

pub const EXIT_STATUS: &str =
    "Exit status: 0 done, 1 refused by the server or the protocol, 2 usage or I/O error.";

/// A layout by its name.
#[derive(Clone, Copy)]
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

pub fn get(get: &Get, out: &mut dyn Write) -> io::Result<Status> {
    let got = ask(get).and_then(|(mut link, stream_id)| match is_stdin(&get.out) {
        true => receive(&mut link, stream_id, out, true),
        false => save(&get.out, |sink| receive(&mut link, stream_id, sink, false)),
    });
    Ok(match got {
        Ok(()) => Status::Accepted,
        Err(failure) => failure.tell(&get.address),
    })
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
    link: &mut Link,
    stream_id: u32,
    output: W,
    is_stdout: bool,
) -> Result<(), Failure> {
    let cover = ExactThenKeyed(random_key()?);
    let mut writer = StreamWriter::with_cover(output, cover, Policy::STRICT);
    let mut progress = None;
    loop {
        wait(link)?;
        while let Some(event) = link.next_event()? {
            match event {
                SessionEvent::Tensor(_, tensor, outcome) => {
                    // of a composite nobody knows how much comes
                    let total = match outcome {
                        Outcome::Plain => tensor.total_data_bytes,
                        _ => 0,
                    };
                    progress.get_or_insert_with(|| Progress::new(total, is_stdout));
                    writer.begin(&tensor.descriptor)?;
                }
                SessionEvent::Data(_, data) => {
                    writer.payload(data.bytes)?;
                    if let Some(progress) = &mut progress {
                        progress.add(data.bytes.len() as u64);
                    }
                }
                SessionEvent::End(..) => {
                    writer.end()?;
                    if !link.session().is_under_way(stream_id) {
                        writer.finish()?;
                        return Ok(());
                    }
                }
                SessionEvent::Failed(stream, error) if stream == stream_id => {
                    return Err(Failure::answered(&error));
                }
                SessionEvent::Refused(_, error) => {
                    link.flush()?;
                    return Err(Failure::Refused(error.to_string()));
                }
                SessionEvent::Closed(why) => return Err(Failure::closed(why)),
                _ => {}
            }
        }
    }
}
