//! `hrry serve`: a thread for each connection, and not too many of them.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hrry::Policy;
use hrry::io_std::{IoError, Output};
use hrry::message::{ErrorMessage, FixedMessageWriter, LinkOptions, Side};

use super::super::read::Problem;
use super::super::{Status, complain, tell};
use super::connection::Connection;
use super::shelf::Shelf;
use super::{BUSY, PORT, Patience, link};

/// Serve the tensors of the container files (*.hrry) in a folder by the framed transport over TCP, and take
/// tensors into new files there
#[derive(clap::Args)]
#[command(
    after_help = "The folder is read once, at the start: a file that is put there later is not served. A put \
    replaces the tensor of its key where that came by put, and is refused where any other file holds the key.\n\n\
    It runs until it is ended, and says first where it listens: to standard output, or to standard error where that \
    fails. Nothing is encrypted and nobody is asked for a password: whoever \
    reaches the address reads, and without --read-only writes. Exit status: 2 usage or I/O error."
)]
pub struct Serve {
    /// Where to listen; port 0 is any free one
    #[arg(long, value_name = "ADDR", default_value_t = SocketAddr::from(([127, 0, 0, 1], PORT)))]
    listen: SocketAddr,
    /// Take no tensors
    #[arg(long)]
    read_only: bool,
    /// Most connections at the same time
    #[arg(long, value_name = "N", default_value_t = 64)]
    connections: usize,
    /// Most bytes of data of a tensor that is taken
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30)]
    max_tensor: u64,
    #[command(flatten)]
    patience: Patience,
    /// Folder with container files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// What holds for every connection.
pub struct Terms {
    pub shelf: Shelf,
    pub read_only: bool,
    pub max_tensor: u64,
    timeout: Duration,
    connections: usize,
    served: AtomicUsize,
    declined: AtomicUsize,
}

/// Serves until the listener fails for good.
pub fn serve(serve: &Serve, out: &mut dyn Write) -> io::Result<Status> {
    let shelf = match Shelf::open(&serve.folder) {
        Ok(shelf) => shelf,
        Err(error) => return Ok(tell(&serve.folder, &Problem::other(error))),
    };
    let listener = TcpListener::bind(serve.listen);
    let listening = listener.and_then(|listener| listener.local_addr().map(|at| (listener, at)));
    let (listener, address) = match listening {
        Ok(listening) => listening,
        Err(error) => {
            complain(&format!("hrry: {}: {error}", serve.listen));
            return Ok(Status::Error);
        }
    };
    let line = format!("listening on {address}");
    let said = writeln!(out, "{line}").and_then(|()| out.flush());
    if said.is_err() {
        // a server is there for its clients, whoever started it
        complain(&format!("hrry: {line}"));
    }
    let terms = Arc::new(Terms {
        shelf,
        read_only: serve.read_only,
        max_tensor: serve.max_tensor,
        timeout: serve.patience.duration(),
        connections: serve.connections,
        served: AtomicUsize::new(0),
        declined: AtomicUsize::new(0),
    });
    for socket in listener.incoming() {
        match socket {
            Ok(socket) => admit(socket, &terms),
            // too many open files, or a client that is gone already
            Err(_) => thread::sleep(PAUSE),
        }
    }
    Ok(Status::Error)
}

const PAUSE: Duration = Duration::from_millis(50);

/// Connections beyond the most that are told so at the same time; those beyond are just closed.
const DECLINED: usize = 8;

/// Gives a connection a thread, if there may be one more.
fn admit(socket: TcpStream, terms: &Arc<Terms>) {
    let served = Place::take(terms, |terms| (&terms.served, terms.connections));
    let (place, serves) = match served {
        Some(place) => (Some(place), true),
        None => (
            Place::take(terms, |terms| (&terms.declined, DECLINED)),
            false,
        ),
    };
    let Some(place) = place else { return };
    // where there is no thread, the connection is closed
    let _ = thread::Builder::new().spawn(move || {
        // what went wrong is the client's affair, and it is gone
        let _ = match serves {
            true => converse(&socket, &place.terms),
            false => decline(&socket),
        };
        let _ = part(&socket);
    });
}

/// One of so many places, which comes free when it is dropped.
struct Place {
    terms: Arc<Terms>,
    count: fn(&Terms) -> (&AtomicUsize, usize),
}

impl Place {
    fn take(terms: &Arc<Terms>, count: fn(&Terms) -> (&AtomicUsize, usize)) -> Option<Place> {
        let (taken, most) = count(terms);
        let more = |taken| (taken < most).then(|| taken + 1);
        let more = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        let terms = terms.clone();
        more.ok().map(|_| Place { terms, count })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        (self.count)(&self.terms).0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Speaks with a client until one of the two has enough.
fn converse(socket: &TcpStream, terms: &Terms) -> Result<(), IoError> {
    let link = link(socket.try_clone()?, Side::Server, terms.timeout)?;
    let ended = Connection::new(link, terms).run();
    if ended.is_err() {
        // what is still to be written would wait for a client that does not read
        socket.shutdown(Shutdown::Both)?;
    }
    ended
}

/// Tells a client that there is no connection left.
fn decline(mut socket: &TcpStream) -> Result<(), IoError> {
    socket.set_write_timeout(Some(PARTING))?;
    let options = LinkOptions::new(Side::Server, u32::MAX);
    let message = Output(Vec::new());
    let mut writer = FixedMessageWriter::<_, 0>::new(message, options, Policy::STRICT);
    let error = ErrorMessage {
        error_code: BUSY,
        message: "the server has no connection left",
    };
    writer.error(1, &error)?;
    Ok(socket.write_all(&writer.finish()?.0)?)
}

const PARTING: Duration = Duration::from_millis(500);

/// Closes a connection such that what was said last arrives: bytes that nobody read would undo it.
fn part(mut socket: &TcpStream) -> io::Result<()> {
    socket.shutdown(Shutdown::Write)?;
    let end = Instant::now() + PARTING;
    let mut unread = [0; 4096];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        socket.set_read_timeout(Some(left))?;
        if socket.read(&mut unread)? == 0 {
            return Ok(());
        }
    }
}
