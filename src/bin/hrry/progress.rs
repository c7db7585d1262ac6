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
    /// For work of so many bytes; silent where standard error is no terminal.
    pub fn new(total: u64) -> Self {
        let next = io::stderr()
            .is_terminal()
            .then(|| Instant::now() + PATIENCE);
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
            let percent = u128::from(self.done) * 100 / u128::from(self.total.max(1));
            let (done, total) = (self.done >> 20, self.total >> 20);
            let _ = write!(io::stderr(), "\r{percent:>3} %, {done} of {total} MiB");
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
