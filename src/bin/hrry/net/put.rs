//! `hrry put`: a tensor of a file for a server.

use std::io;
use std::path::PathBuf;

use hrry::io_std::Arrival;
use hrry::message::SessionEvent;
use hrry::{DescriptorView, Entry, Payload, Policy};

use super::super::args::{Kind, TRANSFERRED, exit_status};
use super::super::container::{self, copy, tensor};
use super::super::places::head_of;
use super::super::plain::Plain;
use super::super::progress::Progress;
use super::super::read::{self, Item, Problem, Stop, Visit};
use super::super::source::Source;
use super::super::{Status, tell};
use super::client::{Failure, dial, wait};
use super::{Link, Patience};

/// Give a tensor of a stream or container file to a server, which replaces what came under that name by put before; a
/// composite cannot be put, only its members one by one
#[derive(clap::Args)]
#[command(after_help = exit_status(TRANSFERRED, ""))]
pub struct Put {
    #[command(flatten)]
    patience: Patience,
    /// Where the server listens: host or host:port
    #[arg(value_name = "ADDR")]
    address: String,
    /// Name that the tensor gets
    key: String,
    /// Stream or container file; - is standard input
    file: PathBuf,
    /// A name in a container, or a place in a stream: #2 is the third item, #2.1 its second member [default: the
    /// first]
    item: Option<String>,
}

pub fn put(put: &Put) -> io::Result<Status> {
    let mut giver = Giver {
        put,
        link: None,
        stream_id: 0,
        result: None,
    };
    let read = find(put, &mut giver);
    Ok(match (giver.result, read) {
        (Some(Ok(())), _) => Status::Accepted,
        (Some(Err(failure)), _) => failure.tell(&put.address),
        (None, Err(Stop::Problem(problem))) => tell(&put.file, &problem),
        (None, Err(Stop::Output(error))) => return Err(error),
        (None, Ok(())) => {
            let missing = match &put.item {
                Some(item) => format!("there is no item {}", Plain::new(item)),
                None => "there is no tensor".to_owned(),
            };
            Failure::Broken(missing).tell(&put.file.to_string_lossy())
        }
    })
}

/// Looks for the tensor, and gives it where it is found.
fn find(put: &Put, giver: &mut Giver<'_>) -> Result<(), Stop> {
    let source = Source::open(&put.file).map_err(Problem::input)?;
    if source.is_file() {
        return in_container(source, put, giver);
    }
    read::input(source, Some(Kind::Stream), &Policy::STRICT, false, giver)?;
    Ok(())
}

fn in_container(source: Source, put: &Put, giver: &mut Giver<'_>) -> Result<(), Stop> {
    let file = source.into_file().map_err(Problem::input)?;
    let mut container = container::open(file, &Policy::STRICT)?;
    let (mut reader, index) = container.ranges();
    let wanted = |entry: &Entry<'_>| put.item.as_ref().is_none_or(|item| entry.name == item);
    let Some(entry) = index.in_order().find(wanted) else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    let tensor = tensor(&mut reader, entry, &mut bytes)?;
    giver.start(tensor.descriptor())?;
    let mut progress = Progress::new(entry.data_length, false);
    copy(reader.source_mut(), &tensor, &mut progress, |payload| {
        giver.payload(payload)
    })?;
    giver.end()
}

/// Gives the first tensor that it is told to.
struct Giver<'p> {
    put: &'p Put,
    /// While a tensor is on its way.
    link: Option<Link>,
    stream_id: u32,
    /// What came of it; nothing is read after that.
    result: Option<Result<(), Failure>>,
}

impl Giver<'_> {
    fn is_wanted(&self, path: &[u64]) -> bool {
        let place = self.put.item.as_deref().unwrap_or("#0");
        let shown: Vec<_> = path.iter().map(u64::to_string).collect();
        place.strip_prefix('#') == Some(&shown.join("."))
    }

    fn start(&mut self, view: &DescriptorView<'_>) -> Result<(), Stop> {
        let begun = self.begin_tensor(view);
        self.note(begun)
    }

    fn begin_tensor(&mut self, view: &DescriptorView<'_>) -> Result<(), Failure> {
        if head_of(view).is_some_and(|head| head.member_count > 0) {
            let why = "MSG-35: a head with members cannot be put; put its members one by one";
            return Err(Failure::Refused(why.to_owned()));
        }
        let mut link = dial(&self.put.address, self.put.patience.duration())?;
        self.stream_id = link.session().put(&self.put.key, view)?;
        self.link = Some(link);
        Ok(())
    }

    fn give(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let Some(link) = &mut self.link else {
            return Ok(());
        };
        link.session().data(self.stream_id, bytes)?;
        // a server that refuses says so before all is there
        link.source_mut().waits = false;
        let arrival = link.wait();
        link.source_mut().waits = true;
        if arrival? == Arrival::End {
            return Err(Failure::broken("the server closed the connection"));
        }
        self.accepted().map(|_| ())
    }

    fn end_tensor(&mut self) -> Result<(), Failure> {
        if let Some(link) = &mut self.link {
            link.session().end(self.stream_id)?;
        }
        while !self.accepted()? {
            if let Some(link) = &mut self.link {
                wait(link)?;
            }
        }
        Ok(())
    }

    /// Whether the server has taken the tensor, as far as it has answered.
    fn accepted(&mut self) -> Result<bool, Failure> {
        let Some(link) = &mut self.link else {
            return Ok(true);
        };
        while let Some(event) = link.next_event()? {
            match event {
                SessionEvent::Accepted(_) => return Ok(true),
                SessionEvent::Failed(_, error) => return Err(Failure::answered(&error)),
                SessionEvent::Refused(_, error) => return Err(Failure::Refused(error.to_string())),
                SessionEvent::Closed(why) => return Err(Failure::closed(why)),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Ends the reading where something failed.
    fn note(&mut self, done: Result<(), Failure>) -> Result<(), Stop> {
        done.map_err(|failure| self.stop(Err(failure)))
    }

    fn stop(&mut self, result: Result<(), Failure>) -> Stop {
        self.link = None;
        self.result = Some(result);
        Stop::Output(io::Error::other("enough"))
    }
}

impl Visit for Giver<'_> {
    fn begin(&mut self, item: &Item<'_>) -> io::Result<()> {
        match self.is_wanted(item.path) && self.result.is_none() {
            true => self
                .start(item.view)
                .map_err(|_| io::Error::other("enough")),
            false => Ok(()),
        }
    }

    fn payload(&mut self, payload: &Payload<'_>) -> Result<(), Stop> {
        let given = self.give(payload.bytes);
        self.note(given)
    }

    fn end(&mut self) -> Result<(), Stop> {
        if self.link.is_none() {
            return Ok(());
        }
        let ended = self.end_tensor();
        Err(self.stop(ended))
    }
}
