//! The client's end of a connection.

use std::fmt::Display;
use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use hrry::WriteError;
use hrry::io_std::{Arrival, IoError};
use hrry::message::{Closed, ErrorMessage, SessionEvent, Side};

use super::super::plain::Plain;
use super::super::{Status, complain};
use super::{Link, PORT, link};

/// Why nothing, or not all of it, went over.
pub enum Failure {
    /// The server or the protocol says no.
    Refused(String),
    /// The connection or a file fails.
    Broken(String),
}

impl Failure {
    pub fn broken(why: impl Display) -> Failure {
        Failure::Broken(why.to_string())
    }

    /// What the server said.
    pub fn answered(error: &ErrorMessage<'_>) -> Failure {
        let (code, text) = (error.error_code, Plain::new(error.message));
        Failure::Refused(match (code.name(), error.message) {
            (Some(name), "") => name.to_owned(),
            (Some(name), _) => format!("{name}: {text}"),
            (None, "") => format!("error {:#04x}", code.0),
            // a number of the server's own says less than its text
            (None, _) => text.to_string(),
        })
    }

    pub fn closed(why: Closed) -> Failure {
        match why {
            Closed::Broken(error) => Failure::Refused(error.to_string()),
            _ => Failure::broken("the server is silent"),
        }
    }

    /// Tells it and says what that means for the program.
    pub fn tell(&self, whose: &str) -> Status {
        let (text, status) = match self {
            Failure::Refused(text) => (text, Status::Refused),
            Failure::Broken(text) => (text, Status::Error),
        };
        complain(&format!("hrry: {}: {text}", Plain::new(whose)));
        status
    }
}

impl From<IoError> for Failure {
    fn from(error: IoError) -> Failure {
        match error.rule() {
            Some(_) => Failure::Refused(error.to_string()),
            None => Failure::broken(error),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::broken(error)
    }
}

impl From<WriteError<io::Error>> for Failure {
    fn from(error: WriteError<io::Error>) -> Failure {
        IoError::from(error).into()
    }
}

/// Connects and greets.
pub fn dial(address: &str, timeout: Duration) -> Result<Link, Failure> {
    let socket = connect(address, timeout)?;
    let mut link = link(socket, Side::Client, timeout)?;
    loop {
        wait(&mut link)?;
        match link.next_event()? {
            Some(SessionEvent::Opened) => return Ok(link),
            Some(SessionEvent::Closed(Closed::Broken(error))) => {
                let why = format!("the other side does not speak this protocol: {error}");
                return Err(Failure::Refused(why));
            }
            Some(SessionEvent::Closed(why)) => {
                return Err(match link.session().declined() {
                    Some(error) => Failure::answered(&error),
                    None => Failure::closed(why),
                });
            }
            _ => {}
        }
    }
}

/// Waits for bytes of the server.
pub fn wait(link: &mut Link) -> Result<(), Failure> {
    match link.wait()? {
        Arrival::End => Err(Failure::broken("the server closed the connection")),
        Arrival::Bytes | Arrival::Nothing => Ok(()),
    }
}

/// Tries all addresses of a host; the usual port need not be given.
fn connect(address: &str, timeout: Duration) -> Result<TcpStream, Failure> {
    let with_port = |error| {
        let usual = (address, PORT).to_socket_addrs();
        // where there is a colon, what follows was meant to be a port
        usual.map_err(|other| if address.contains(':') { error } else { other })
    };
    let addresses = address.to_socket_addrs().or_else(with_port);
    let addresses =
        addresses.map_err(|error| Failure::Broken(format!("cannot be resolved: {error}")))?;
    let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(socket) => return Ok(socket),
            Err(error) => failed = error,
        }
    }
    Err(failed.into())
}
