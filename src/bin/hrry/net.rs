//! The framed transport over TCP: a server of container files and a client.
//!
//! The library's session decides what the protocol decides; here are sockets, files and threads.

mod answer;
mod client;
mod connection;
mod get;
mod put;
mod serve;
mod shelf;
mod taking;

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::Duration;

use hrry::io_std::{IoError, SessionLink, random_key};
use hrry::message::{ErrorCode, Hello, KeepAlive, LayoutEntries, LayoutEntry, Side};
use hrry::{ExactThenKeyed, LayoutTag, Policy};

pub use get::{Get, get};
pub use put::{Put, put};
pub use serve::{Serve, serve};

/// Where a server listens unless it is told otherwise.
const PORT: u16 = 4779;

/// Streams that can be under way on a connection, in each direction.
const STREAMS: usize = 8;

/// Most bytes of payload that either side takes in a message, and so of memory for one.
const MAX_MESSAGE: u32 = 1 << 20;

/// The server's owner does not allow it.
const REFUSED: ErrorCode = ErrorCode(0xF0);
/// The server's files fail.
const STORAGE: ErrorCode = ErrorCode(0xF1);
/// The server has no connection left.
const BUSY: ErrorCode = ErrorCode(0xF2);

type Link = SessionLink<'static, Inlet, TcpStream, ExactThenKeyed, STREAMS>;

/// What comes from a socket.
struct Inlet {
    socket: TcpStream,
    /// Whether there is time to wait for bytes.
    waits: bool,
}

impl Read for Inlet {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.waits {
            return self.socket.read(into);
        }
        // writes go on blocking, since nothing is written meanwhile
        self.socket.set_nonblocking(true)?;
        let read = self.socket.read(into);
        self.socket.set_nonblocking(false)?;
        read
    }
}

/// Starts a session over a connection that is given up when the other side says nothing for so long.
fn link(socket: TcpStream, side: Side, timeout: Duration) -> Result<Link, IoError> {
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(timeout / 4))?;
    socket.set_write_timeout(Some(timeout))?;
    let output = socket.try_clone()?;
    let lost_after = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
    let keep_alive = KeepAlive {
        ping_after: lost_after / 2,
        lost_after,
    };
    let hello = Hello {
        layouts: LayoutEntries::new(&LAYOUTS),
        ..Hello::new(MAX_MESSAGE)
    };
    let inlet = Inlet {
        socket,
        waits: true,
    };
    let cover = ExactThenKeyed(random_key()?);
    SessionLink::with_cover(
        side,
        hello,
        inlet,
        output,
        keep_alive,
        cover,
        Policy::STRICT,
    )
}

/// All layouts that have a name: data passes through whatever it means.
const LAYOUTS: [LayoutEntry<'static>; LayoutTag::ASSIGNED.len()] = {
    let mut layouts = [LayoutEntry::new(LayoutTag::RowMajor); LayoutTag::ASSIGNED.len()];
    let mut k = 0;
    while k < layouts.len() {
        layouts[k] = LayoutEntry::new(LayoutTag::ASSIGNED[k]);
        k += 1;
    }
    layouts
};

/// How long a side waits for the other one.
#[derive(clap::Args)]
struct Patience {
    /// Seconds of silence after which a connection counts as lost; half of them lead to a PING
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
}

impl Patience {
    fn duration(&self) -> Duration {
        Duration::from_secs(self.timeout.into())
    }
}
