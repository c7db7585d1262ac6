//! How far long work has come, for whoever waits at a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Tells on standard error how many bytes are through, from the second second on.
pub struct Progress {
    total: u64,
    done: u64,
    next: Option<Instant>,
    shown: bool,
}

const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(200);

impl Progress {
    /// For work of so many bytes, or 0 where that is not known, which may write to standard output; silent
    /// where standard error is no terminal, and where both would go to one.
    pub fn new(total: u64, writes: bool) -> Self {
        let shared = writes && io::stdout().is_terminal();
        let seen = io::stderr().is_terminal() && !shared;
        let next = seen.then(|| Instant::now() + PATIENCE);
        Progress {
            total,
            done: 0,
            next,
            shown: false,
        }
    }

    /// So many bytes more are through.
    pub fn add(&mut self, bytes: u64) {
        self.done += bytes;
        let Some(next) = self.next else {
            return;
        };
        let now = Instant::now();
        if now >= next {
            self.next = Some(now + PAUSE);
            self.shown = true;
            let (done, total) = (self.done >> 20, self.total >> 20);
            let percent = u128::from(self.done) * 100;
            let _ = match percent.checked_div(self.total.into()) {
                Some(percent) => write!(io::stderr(), "\r{percent:>3} %, {done} of {total} MiB"),
                None => write!(io::stderr(), "\r{done} MiB"),
            };
        }
    }
}

impl Drop for Progress {
    /// Leaves no half line behind.
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r{:40}\r", "");
        }
    }
}
