//! What a client does all the time, and what it knows of the server.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use hrry::io_std::{Arrival, IoError, SessionLink};
use hrry::message::{ErrorCode, ErrorMessage, Hello, KeepAlive, SessionEvent, Side, TensorRequest};
use hrry::{BufferHandle, DescriptorSpec, DeviceTag, ElementType, Layout, Policy, encode};

use crate::faults::Faults;
use crate::scale::Rng;
use crate::server::{MOST, Server};

/// How many times what happened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    connections: u64,
    dropped: u64,
    spoiled: u64,
    got: u64,
    taken: u64,
    refused: u64,
    given_up: u64,
    bytes: u64,
}

impl Tally {
    pub fn counts(&self) -> [u64; 8] {
        [
            self.connections,
            self.dropped,
            self.spoiled,
            self.got,
            self.taken,
            self.refused,
            self.given_up,
            self.bytes,
        ]
    }

    pub fn with(self, other: &Tally) -> Tally {
        Tally {
            connections: self.connections + other.connections,
            dropped: self.dropped + other.dropped,
            spoiled: self.spoiled + other.spoiled,
            got: self.got + other.got,
            taken: self.taken + other.taken,
            refused: self.refused + other.refused,
            given_up: self.given_up + other.given_up,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// A tensor of bytes: how many, and the seed that they come from.
type Made = (usize, u64);

/// What may be under a key: after a connection that ended in a put, nobody knows. Nothing stands for no tensor.
type Kept = Vec<Option<Made>>;

pub struct Client<'s> {
    server: &'s Server,
    number: u64,
    rng: Rng,
    kept: Vec<Kept>,
    /// Connections on which nothing is said.
    idle: VecDeque<TcpStream>,
    tally: Tally,
    end: Instant,
}

type Link<'f> = SessionLink<'f, &'f Faults, &'f Faults>;

/// Keys of a client.
const KEYS: usize = 6;

impl<'s> Client<'s> {
    pub fn new(server: &'s Server, number: u64, seed: u64, end: Instant) -> Client<'s> {
        Client {
            server,
            number,
            rng: Rng(seed.wrapping_mul(1 << 32).wrapping_add(number)),
            kept: (0..KEYS).map(|_| vec![None]).collect(),
            idle: VecDeque::new(),
            tally: Tally::default(),
            end,
        }
    }

    pub fn run(mut self) -> Tally {
        while Instant::now() < self.end {
            let kind = self.rng.below(6);
            let socket = self.connect();
            let faults = Faults::none(socket, &mut self.rng);
            match kind {
                0 | 1 => {
                    let faults = faults.drops(&mut self.rng);
                    // where it ends in an error, the connection did
                    self.tally.dropped += u64::from(self.talk(&faults).is_err());
                }
                2 => {
                    let faults = faults.spoils(&mut self.rng);
                    // whatever comes of it but a server that says nothing more
                    let _ = self.mumble(&faults);
                    self.tally.spoiled += 1;
                }
                3 => {
                    let silent = self.connect();
                    self.idle.push_back(silent);
                    if self.idle.len() > 4 {
                        self.idle.pop_front();
                    }
                }
                _ => self.talk(&faults).unwrap(),
            }
        }
        self.idle.clear();
        let faults = Faults::none(self.connect(), &mut self.rng);
        let mut link = self.greet(&faults).unwrap();
        for key in 0..KEYS {
            self.get_kept(&mut link, key).unwrap();
        }
        self.tally
    }

    fn connect(&mut self) -> TcpStream {
        self.tally.connections += 1;
        let socket = TcpStream::connect(&self.server.address).unwrap();
        socket.set_nodelay(true).unwrap();
        let tick = Some(Duration::from_millis(100));
        socket.set_read_timeout(tick).unwrap();
        socket
    }

    fn greet<'f>(&self, faults: &'f Faults) -> Result<Link<'f>, IoError> {
        let keep_alive = KeepAlive {
            ping_after: 200,
            // a server that says nothing for so long is a fault
            lost_after: 30_000,
        };
        let hello = Hello::new(1 << 20);
        Link::new(
            Side::Client,
            hello,
            faults,
            faults,
            keep_alive,
            Policy::STRICT,
        )
    }

    /// Some exchanges of which each has the right result.
    fn talk(&mut self, faults: &Faults) -> Result<(), IoError> {
        let mut link = self.greet(faults)?;
        for _ in 0..self.rng.below(20) {
            if Instant::now() >= self.end {
                break;
            }
            let key = self.rng.below(KEYS);
            match self.rng.below(10) {
                0..3 => self.put_kept(&mut link, key, faults.most())?,
                3..6 => self.get_kept(&mut link, key)?,
                6 => self.be_refused(&mut link)?,
                7 => self.give_up(&mut link)?,
                _ => {
                    let vectors = &self.server.vectors;
                    let (name, wanted) = &vectors[self.rng.below(vectors.len())];
                    let got = get(&mut link, name, false)?;
                    assert!(got.is_ok_and(|got| got == *wanted), "{name}");
                    self.note(wanted.len());
                }
            }
        }
        Ok(())
    }

    /// Exchanges about keys that nobody else looks at.
    fn mumble(&mut self, faults: &Faults) -> Result<(), IoError> {
        let mut link = self.greet(faults)?;
        let key = format!("of a spoiled connection {}", self.number);
        for _ in 0..4 {
            let made = (self.rng.below(3000), self.rng.next());
            put(&mut link, &key, made, DeviceTag::Cpu)?;
            let _ = get(&mut link, &key, false)?;
        }
        Ok(())
    }

    fn key(&self, key: usize) -> String {
        format!("{}/{key}", self.number)
    }

    fn note(&mut self, len: usize) {
        self.tally.got += 1;
        self.tally.bytes += len as u64;
    }

    fn put_kept(&mut self, link: &mut Link<'_>, key: usize, most: usize) -> Result<(), IoError> {
        let size = [10, 1000, 100_000, 4_000_000][self.rng.below(4)];
        let made = (self.rng.below(size.min(most)), self.rng.next());
        let name = self.key(key);
        let kept = &mut self.kept[key];
        kept.push(Some(made));
        let refused = put(link, &name, made, DeviceTag::Cpu)?;
        assert_eq!(refused, None);
        *kept = vec![Some(made)];
        self.tally.taken += 1;
        self.tally.bytes += made.0 as u64;
        Ok(())
    }

    fn get_kept(&mut self, link: &mut Link<'_>, key: usize) -> Result<(), IoError> {
        let got = get(link, &self.key(key), false)?;
        let kept = &mut self.kept[key];
        let right = kept.iter().find(|kept| match (kept, &got) {
            (Some(made), Ok(got)) => stream(*made) == *got,
            (None, Err(code)) => *code == ErrorCode::UnknownTensor,
            _ => false,
        });
        let right = *right.unwrap_or_else(|| panic!("{key}: none of {kept:?}"));
        *kept = vec![right];
        self.note(got.map_or(0, |got| got.len()));
        Ok(())
    }

    fn be_refused(&mut self, link: &mut Link<'_>) -> Result<(), IoError> {
        let seed = self.rng.next();
        let (key, len, device, code) = match self.rng.below(4) {
            0 => ("weight", 8, DeviceTag::Cpu, ErrorCode(0xF0)),
            1 => (
                "too much",
                MOST + 1,
                DeviceTag::Cpu,
                ErrorCode::MessageTooLarge,
            ),
            2 => (
                "elsewhere",
                8,
                DeviceTag::Cuda,
                ErrorCode::DeviceUnavailable,
            ),
            _ => ("", 8, DeviceTag::Cpu, ErrorCode::InvalidMessage),
        };
        assert_eq!(put(link, key, (len, seed), device)?, Some(code));
        assert_eq!(
            get(link, "no such key", false)?,
            Err(ErrorCode::UnknownTensor)
        );
        self.tally.refused += 1;
        Ok(())
    }

    /// Wants something, and then does not.
    fn give_up(&mut self, link: &mut Link<'_>) -> Result<(), IoError> {
        let key = self.rng.below(KEYS);
        let key = self.key(key);
        let _ = get(link, &key, true)?;
        self.tally.given_up += 1;
        Ok(())
    }
}

fn bytes((len, seed): Made) -> Vec<u8> {
    let mut rng = Rng(seed);
    let words = (0..len.div_ceil(8)).flat_map(|_| rng.next().to_le_bytes());
    words.take(len).collect()
}

/// The descriptor and the bytes of a tensor.
fn stream(made: Made) -> Vec<u8> {
    let buffers = [BufferHandle::cpu(made.0 as u64, 64)];
    let shape = [made.0 as u64];
    let spec = DescriptorSpec::new(ElementType::UInt8, &shape, Layout::RowMajor, &buffers);
    let mut stream = vec![0; 53];
    assert_eq!(encode(&spec, &mut stream, &Policy::STRICT), Ok(53));
    stream.extend(bytes(made));
    stream
}

/// Waits for something; the end of the connection is an error like others.
fn wait(link: &mut Link<'_>) -> Result<(), IoError> {
    match link.wait()? {
        Arrival::End => Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into()),
        _ => Ok(()),
    }
}

fn opened(link: &mut Link<'_>) -> Result<(), IoError> {
    while link.session().peer().is_none() {
        wait(link)?;
        match link.next_event()? {
            Some(SessionEvent::Opened) | None => {}
            Some(event) => return Err(unexpected(&event)),
        }
    }
    Ok(())
}

fn unexpected(event: &SessionEvent<'_, '_>) -> IoError {
    std::io::Error::other(format!("{event:?}")).into()
}

/// What is under a key as a stream, or why there is nothing. `stops` gives it up where data comes.
fn get(link: &mut Link<'_>, key: &str, stops: bool) -> Result<Result<Vec<u8>, ErrorCode>, IoError> {
    opened(link)?;
    let stream_id = link.session().request(&TensorRequest::new(key))?;
    let mut stream = Vec::new();
    loop {
        wait(link)?;
        while let Some(event) = link.next_event()? {
            match event {
                SessionEvent::Tensor(_, tensor, _) => stream.extend(tensor.descriptor.as_bytes()),
                SessionEvent::Data(_, data) if stops && data.last => {
                    let enough = ErrorMessage {
                        error_code: ErrorCode(0xF7),
                        message: "",
                    };
                    link.session().refuse(stream_id, &enough)?;
                    return Ok(Ok(Vec::new()));
                }
                SessionEvent::Data(_, data) => stream.extend(data.bytes),
                SessionEvent::End(..) => {}
                SessionEvent::Failed(_, error) => return Ok(Err(error.error_code)),
                event => return Err(unexpected(&event)),
            }
        }
        if !link.session().is_under_way(stream_id) {
            return Ok(Ok(stream));
        }
    }
}

/// Gives a tensor; why it was not taken.
fn put(
    link: &mut Link<'_>,
    key: &str,
    made: Made,
    device: DeviceTag,
) -> Result<Option<ErrorCode>, IoError> {
    opened(link)?;
    let mut buffers = [BufferHandle::cpu(made.0 as u64, 64)];
    buffers[0].device_tag = device;
    let shape = [made.0 as u64];
    let spec = DescriptorSpec::new(ElementType::UInt8, &shape, Layout::RowMajor, &buffers);
    let stream_id = link.session().put(key, &spec)?;
    if made.0 <= MOST && device == DeviceTag::Cpu {
        link.session().data(stream_id, &bytes(made))?;
        link.session().end(stream_id)?;
    }
    loop {
        wait(link)?;
        match link.next_event()? {
            Some(SessionEvent::Accepted(_)) => return Ok(None),
            Some(SessionEvent::Failed(_, error)) => return Ok(Some(error.error_code)),
            Some(event) => return Err(unexpected(&event)),
            None => {}
        }
    }
}
