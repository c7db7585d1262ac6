//! A connection that fails.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::scale::Rng;

/// What befalls a connection.
pub struct Faults {
    socket: TcpStream,
    rng: Cell<u64>,
    /// Most bytes that are read or written at once.
    piece: usize,
    /// One call in so many is late.
    late: u64,
    /// Bytes until the connection ends.
    lasts: Cell<usize>,
    /// When it ends: what takes for ever is a fault, unless both sides wait for what was spoiled.
    until: Instant,
    /// Bytes until one that is sent, or received, is another one.
    spoils: [Cell<usize>; 2],
}

impl Faults {
    /// A connection that works, but gives and takes what it likes.
    pub fn none(socket: TcpStream, rng: &mut Rng) -> Faults {
        let pieces = [1 << 20, 1 << 20, 1000, 200];
        Faults {
            socket,
            rng: Cell::new(rng.next()),
            piece: pieces[rng.below(4)],
            late: 200,
            lasts: Cell::new(usize::MAX),
            until: Instant::now() + Duration::from_secs(100),
            spoils: [const { Cell::new(usize::MAX) }; 2],
        }
    }

    /// One that ends after some bytes.
    pub fn drops(self, rng: &mut Rng) -> Faults {
        let scale = [100, 10_000, 1_000_000][rng.below(3)];
        self.lasts.set(rng.below(scale));
        self
    }

    /// One that changes a byte in one of its directions.
    pub fn spoils(mut self, rng: &mut Rng) -> Faults {
        self.until = Instant::now() + Duration::from_millis(500);
        let scale = [100, 5_000][rng.below(2)];
        self.spoils[rng.below(2)].set(rng.below(scale));
        self
    }

    /// Bytes of a tensor that does not take for ever.
    pub fn most(&self) -> usize {
        self.piece.saturating_mul(500)
    }

    fn random(&self) -> u64 {
        let mut rng = Rng(self.rng.get());
        let number = rng.next();
        self.rng.set(rng.0);
        number
    }

    /// How many of so many bytes go over in a call.
    fn admit(&self, len: usize) -> io::Result<usize> {
        if self.random().is_multiple_of(self.late) {
            thread::sleep(Duration::from_micros(self.random() % 3000));
        }
        if self.lasts.get() == 0 || Instant::now() > self.until {
            let _ = self.socket.shutdown(Shutdown::Both);
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        let admitted = 1 + self.random() as usize % self.piece;
        Ok(len.min(admitted).min(self.lasts.get()))
    }

    /// What becomes of bytes on their way.
    fn pass(&self, bytes: &mut [u8], direction: usize) {
        let len = bytes.len();
        self.lasts.set(self.lasts.get().saturating_sub(len));
        let spoils = &self.spoils[direction];
        if let Some(byte) = bytes.get_mut(spoils.get()) {
            *byte ^= 1 << (self.random() % 8);
            spoils.set(usize::MAX);
        } else if spoils.get() != usize::MAX {
            spoils.set(spoils.get() - len);
        }
    }
}

impl Read for &Faults {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = self.admit(into.len())?;
        let read = (&self.socket).read(&mut into[..most])?;
        self.pass(&mut into[..read], 1);
        Ok(read)
    }
}

impl Write for &Faults {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let most = self.admit(bytes.len())?;
        let mut sent = bytes[..most].to_vec();
        self.pass(&mut sent, 0);
        (&self.socket).write_all(&sent)?;
        Ok(most)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
