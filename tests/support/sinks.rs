//! Sinks that fail.

use hrry::Sink;

/// Takes `limit` bytes, then fails for good.
#[derive(Clone, Debug, PartialEq)]
pub struct Limited {
    pub bytes: Vec<u8>,
    pub limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Limited {
    pub fn unlimited() -> Self {
        Limited {
            bytes: Vec::new(),
            limit: usize::MAX,
        }
    }
}

impl Sink for Limited {
    type Error = Full;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let room = self.limit - self.bytes.len();
        self.bytes
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room {
            Err(Full)
        } else {
            Ok(())
        }
    }
}
