//! Drivers that do what real ones do on a bad day, blocking and not.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use embedded_io_07::{ErrorKind, ErrorType};

use crate::support::scale::Rng;

/// What a driver says that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeout(pub usize);

impl std::fmt::Display for Timeout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "timeout {}", self.0)
    }
}

impl std::error::Error for Timeout {}

impl embedded_io_07::Error for Timeout {
    fn kind(&self) -> ErrorKind {
        ErrorKind::TimedOut
    }
}

/// When a driver fails, and how much it moves at once.
#[derive(Clone, Debug)]
pub struct Mood {
    pub rng: Rng,
    /// Most bytes at once.
    pub piece: usize,
    /// It fails in front of one call of so many; never for 0.
    pub fails: usize,
    /// Number of the next failure.
    pub failures: usize,
}

impl Mood {
    pub fn good(piece: usize) -> Self {
        Mood {
            rng: Rng(0),
            piece,
            fails: 0,
            failures: 0,
        }
    }

    pub fn bad(seed: u64, piece: usize) -> Self {
        Mood {
            rng: Rng(seed),
            piece,
            fails: 3,
            failures: 0,
        }
    }

    fn most(&mut self, len: usize) -> Result<usize, Timeout> {
        if self.fails > 0 && self.rng.below(self.fails) == 0 {
            self.failures += 1;
            return Err(Timeout(self.failures - 1));
        }
        let most = match self.fails {
            0 => self.piece,
            _ => 1 + self.rng.below(self.piece),
        };
        Ok(most.min(len))
    }
}

/// Gives bytes.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    pub bytes: &'a [u8],
    /// How many were given.
    pub at: usize,
    pub mood: Mood,
}

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8], mood: Mood) -> Self {
        Source { bytes, at: 0, mood }
    }

    fn give(&mut self, into: &mut [u8]) -> Result<usize, Timeout> {
        assert!(!into.is_empty(), "the end could not be told from it");
        let len = self.mood.most(into.len())?.min(self.bytes.len() - self.at);
        into[..len].copy_from_slice(&self.bytes[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

/// Takes bytes.
#[derive(Clone, Debug)]
pub struct Target {
    pub bytes: Vec<u8>,
    /// How many are flushed.
    pub flushed: usize,
    pub mood: Mood,
}

impl Target {
    pub fn new(mood: Mood) -> Self {
        Target {
            bytes: Vec::new(),
            flushed: 0,
            mood,
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<usize, Timeout> {
        assert!(!bytes.is_empty(), "nothing to write");
        let len = self.mood.most(bytes.len())?;
        self.bytes.extend(&bytes[..len]);
        Ok(len)
    }

    fn settle(&mut self) -> Result<(), Timeout> {
        self.mood.most(1)?;
        self.flushed = self.bytes.len();
        Ok(())
    }
}

impl ErrorType for Source<'_> {
    type Error = Timeout;
}

impl ErrorType for Target {
    type Error = Timeout;
}

impl embedded_io_07::Read for Source<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Timeout> {
        self.give(into)
    }
}

impl embedded_io_07::Write for Target {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Timeout> {
        self.take(bytes)
    }

    fn flush(&mut self) -> Result<(), Timeout> {
        self.settle()
    }
}

/// A driver whose calls wait before they do anything: which of them, a script says.
#[derive(Clone, Debug)]
pub struct Slow<D> {
    pub driver: D,
    /// Numbers of the points where it waits, ascending; all of them for none.
    pub waits: Option<Vec<usize>>,
    /// Number of the next point.
    pub point: usize,
}

impl<D> Slow<D> {
    /// Waits at every point.
    pub fn always(driver: D) -> Self {
        Slow {
            driver,
            waits: None,
            point: 0,
        }
    }

    pub fn at(driver: D, point: usize) -> Self {
        Slow {
            driver,
            waits: Some(vec![point]),
            point: 0,
        }
    }

    /// Each point is passed once: a call that was dropped while it waited is not made to wait again.
    async fn wait(&mut self) {
        let mut waited = false;
        std::future::poll_fn(|_| {
            let waits = match &self.waits {
                None => self.point.is_multiple_of(2),
                Some(points) => points.contains(&self.point),
            };
            if waits && !waited {
                waited = true;
                self.point += 1;
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
        self.point += 1;
    }
}

impl<D: ErrorType> ErrorType for Slow<D> {
    type Error = D::Error;
}

impl embedded_io_async_07::Read for Slow<Source<'_>> {
    async fn read(&mut self, into: &mut [u8]) -> Result<usize, Timeout> {
        self.wait().await;
        self.driver.give(into)
    }
}

impl embedded_io_async_07::Write for Slow<Target> {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Timeout> {
        self.wait().await;
        self.driver.take(bytes)
    }

    async fn flush(&mut self) -> Result<(), Timeout> {
        self.wait().await;
        self.driver.settle()
    }
}

/// Polls once; a future that waits is dropped.
pub fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// Polls until it is ready.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
