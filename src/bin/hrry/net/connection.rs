//! The server's end of a connection.

use std::collections::VecDeque;
use std::fmt::Display;

use hrry::io_std::{Arrival, IoError};
use hrry::message::{ErrorCode, ErrorMessage, Peer, SessionEvent};
use hrry::{ErrorKind, Rule};

use super::answer::Ask;
use super::serve::Terms;
use super::taking::Taking;
use super::{Link, STORAGE};

/// What a client is told that gets no tensor, or rid of none.
pub struct Refusal {
    pub code: ErrorCode,
    text: String,
}

impl Refusal {
    pub fn new(code: ErrorCode, text: impl Display) -> Refusal {
        Refusal {
            code,
            text: text.to_string(),
        }
    }

    pub fn of(kind: &ErrorKind) -> Refusal {
        let code = ErrorCode::of(kind);
        match kind.rule() {
            Some(rule) => Refusal::broken(code, rule),
            None => Refusal::new(code, "capacity"),
        }
    }

    /// A rule, with its text.
    fn broken(code: ErrorCode, rule: Rule) -> Refusal {
        Refusal::new(code, format!("{}: {}", rule.id(), rule.text()))
    }
}

impl From<IoError> for Refusal {
    fn from(error: IoError) -> Refusal {
        match error.rule() {
            Some(rule) => Refusal::broken(ErrorCode::InvalidMessage, rule),
            None => Refusal::new(STORAGE, error),
        }
    }
}

pub struct Connection<'t> {
    pub link: Link,
    terms: &'t Terms,
    peer: Option<Peer>,
    /// Tensors that the client asked for, and those that it gives. The session bounds both.
    asked: VecDeque<Ask>,
    taken: Vec<Taking>,
    /// The stream that an answer is being written to, as long as the client wants it.
    pub answered: Option<u32>,
    /// The client sends nothing any more.
    ended: bool,
}

impl<'t> Connection<'t> {
    pub fn new(link: Link, terms: &'t Terms) -> Self {
        Connection {
            link,
            terms,
            peer: None,
            asked: VecDeque::new(),
            taken: Vec::new(),
            answered: None,
            ended: false,
        }
    }

    /// Runs the session to its end. What is not whole then is gone with it, before the client sees that the
    /// connection is.
    pub fn run(mut self) -> Result<(), IoError> {
        while self.link.session().closed().is_none() {
            match self.asked.pop_front() {
                Some(ask) => self.answer(&ask)?,
                None if self.ended => break,
                None => self.hear(true)?,
            }
        }
        self.link.flush()
    }

    /// Takes what the client says; waits for it, or only looks whether there is something.
    pub fn hear(&mut self, waits: bool) -> Result<(), IoError> {
        if self.ended {
            return self.link.flush();
        }
        self.link.source_mut().waits = waits;
        let arrival = self.link.wait();
        self.link.source_mut().waits = true;
        self.ended = arrival? == Arrival::End;
        while let Some(event) = self.link.next_event()? {
            let (stream_id, refusal) = match event {
                SessionEvent::Opened => {
                    self.peer = self.link.session().peer().copied();
                    continue;
                }
                SessionEvent::Requested(stream_id, request) => {
                    match Ask::of(self.terms, self.peer.as_ref(), stream_id, &request) {
                        Ok(ask) => {
                            self.asked.push_back(ask);
                            continue;
                        }
                        Err(refusal) => (stream_id, refusal),
                    }
                }
                SessionEvent::Put(stream_id, put) => {
                    match Taking::begin(self.terms, stream_id, &put) {
                        Ok(taking) => {
                            self.taken.push(taking);
                            continue;
                        }
                        Err(refusal) => (stream_id, refusal),
                    }
                }
                SessionEvent::Data(stream_id, data) => {
                    let mut taken = self.taken.iter_mut();
                    let taking = taken.find(|taking| taking.stream_id == stream_id);
                    match taking.map(|taking| taking.data(data.bytes)) {
                        Some(Err(error)) => (stream_id, error.into()),
                        _ => continue,
                    }
                }
                SessionEvent::End(stream_id, _) => {
                    match self.take(stream_id).map(|taking| taking.end(self.terms)) {
                        Some(Err(refusal)) => (stream_id, refusal),
                        Some(Ok(())) => {
                            self.link.session().accept(stream_id)?;
                            continue;
                        }
                        None => continue,
                    }
                }
                SessionEvent::Failed(stream_id, _) | SessionEvent::Refused(stream_id, _) => {
                    self.forget(stream_id);
                    continue;
                }
                _ => continue,
            };
            self.refuse(stream_id, &refusal)?;
        }
        Ok(())
    }

    /// Closes a stream and tells the client why.
    pub fn refuse(&mut self, stream_id: u32, refusal: &Refusal) -> Result<(), IoError> {
        self.forget(stream_id);
        let message = ErrorMessage {
            error_code: refusal.code,
            message: &refusal.text,
        };
        Ok(self.link.session().refuse(stream_id, &message)?)
    }

    fn take(&mut self, stream_id: u32) -> Option<Taking> {
        let mut taken = self.taken.iter();
        let place = taken.position(|taking| taking.stream_id == stream_id)?;
        Some(self.taken.swap_remove(place))
    }

    fn forget(&mut self, stream_id: u32) {
        self.take(stream_id);
        self.asked.retain(|ask| ask.stream_id != stream_id);
        self.answered = self.answered.filter(|answered| *answered != stream_id);
    }
}
