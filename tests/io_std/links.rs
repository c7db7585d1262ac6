//! Sessions over sources and outputs that have or take nothing, or fail.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use hrry::io_std::{Arrival, IoError, SessionLink};
use hrry::message::{Closed, Hello, KeepAlive, SessionEvent, Side, TensorRequest};
use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, Rule};

use super::feed::{assert_broken, broken};

/// Gives bytes, at most so many at once, and errors in between; then it is at its end.
struct Script {
    steps: VecDeque<io::Result<Vec<u8>>>,
    most: usize,
}

impl Read for Script {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(Ok(bytes)) = self.steps.front_mut() else {
            return match self.steps.pop_front() {
                Some(Err(error)) => Err(error),
                _ => Ok(0),
            };
        };
        let len = bytes.len().min(into.len()).min(self.most);
        into[..len].copy_from_slice(&bytes[..len]);
        bytes.drain(..len);
        if bytes.is_empty() {
            self.steps.pop_front();
        }
        Ok(len)
    }
}

/// What was sent, and whether it still goes.
#[derive(Clone, Default)]
struct Sent(Rc<RefCell<(Vec<u8>, bool)>>);

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (sent, fails) = &mut *self.0.borrow_mut();
        if *fails {
            return Err(broken(5));
        }
        sent.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sent {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.borrow_mut().0)
    }
}

type Link = SessionLink<'static, Script, Sent>;

fn link(
    side: Side,
    keep_alive: KeepAlive,
    most: usize,
    steps: impl IntoIterator<Item = io::Result<Vec<u8>>>,
) -> (Link, Sent) {
    let sent = Sent::default();
    let steps = steps.into_iter().collect();
    let source = Script { steps, most };
    let (hello, output) = (Hello::new(4096), sent.clone());
    let link = Link::new(side, hello, source, output, keep_alive, Policy::STRICT).unwrap();
    (link, sent)
}

fn nothing(kind: ErrorKind) -> io::Result<Vec<u8>> {
    Err(kind.into())
}

const PING: [u8; 12] = [10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];

/// The greeting of a side that stands alone.
fn greeting(side: Side) -> Vec<u8> {
    match side {
        Side::Client => {
            let (mut client, sent) = link(side, KeepAlive::NEVER, 1, []);
            client.flush().unwrap();
            sent.take()
        }
        Side::Server => {
            let hello = Ok(greeting(Side::Client));
            let (mut server, sent) = link(side, KeepAlive::NEVER, 1 << 20, [hello]);
            assert_eq!(server.wait().unwrap(), Arrival::Bytes);
            assert!(matches!(
                server.next_event().unwrap(),
                Some(SessionEvent::Opened)
            ));
            server.flush().unwrap();
            sent.take()
        }
    }
}

#[test]
fn what_a_side_says_arrives_in_any_pieces() {
    let buffers = [BufferHandle::cpu(10_000, 64)];
    let spec = DescriptorSpec::new(ElementType::UInt8, &[10_000], Layout::RowMajor, &buffers);
    let bytes: Vec<u8> = (0..10_000u32).map(|k| (k ^ k >> 8) as u8).collect();
    // what a server answers, to a client that is not there
    let (mut client, asked) = link(
        Side::Client,
        KeepAlive::NEVER,
        1,
        [Ok(greeting(Side::Server))],
    );
    while client.session().peer().is_none() {
        client.wait().unwrap();
        client.next_event().unwrap();
    }
    let stream = client.session().request(&TensorRequest::new("w")).unwrap();
    client.flush().unwrap();
    let (mut server, answered) = link(Side::Server, KeepAlive::NEVER, 7, [Ok(asked.take())]);
    while server.wait().unwrap() == Arrival::Bytes {
        while let Some(event) = server.next_event().unwrap() {
            if let SessionEvent::Requested(id, request) = event {
                assert_eq!((id, request.tensor_key), (stream, "w"));
                server.session().answer(id, &spec).unwrap();
                server.session().data(id, &bytes).unwrap();
                server.session().end(id).unwrap();
            }
        }
    }
    // behind the greeting, which the client had
    let answered = answered.take()[greeting(Side::Server).len()..].to_vec();

    for most in [1, 13, 1 << 20] {
        // errors of the source lose nothing
        let middle = answered.len() / 2;
        let steps = [
            Ok(greeting(Side::Server)),
            nothing(ErrorKind::Interrupted),
            Ok(answered[..middle].to_vec()),
            nothing(ErrorKind::WouldBlock),
            nothing(ErrorKind::TimedOut),
            Err(broken(2)),
            Ok(answered[middle..].to_vec()),
        ];
        let (mut client, _) = link(Side::Client, KeepAlive::NEVER, most, steps);
        let (mut got, mut ends, mut seen) = (Vec::<u8>::new(), 0, (0, 0));
        loop {
            match client.wait() {
                Ok(Arrival::Bytes) => {}
                Ok(Arrival::Nothing) => seen.0 += 1,
                Ok(Arrival::End) => break,
                Err(IoError::Io(error)) => {
                    assert_broken(&error, 2);
                    seen.1 += 1;
                }
                Err(other) => panic!("{other}"),
            }
            while let Some(event) = client.next_event().unwrap() {
                match event {
                    SessionEvent::Opened => {
                        client.session().request(&TensorRequest::new("w")).unwrap();
                    }
                    SessionEvent::Data(_, data) => got.extend(data.bytes),
                    SessionEvent::End(..) => ends += 1,
                    _ => {}
                }
            }
        }
        assert!(got == bytes, "{most}");
        assert_eq!((ends, seen), (1, (2, 1)), "{most}");
        assert!(client.session().finish().is_ok());
    }
}

/// Bytes that are there are all taken before the source is asked again.
#[test]
fn a_wait_reads_once() {
    let steps = [Ok(greeting(Side::Server)), nothing(ErrorKind::WouldBlock)];
    let (mut client, _) = link(Side::Client, KeepAlive::NEVER, 1 << 20, steps);
    for _ in 0..3 {
        assert_eq!(client.wait().unwrap(), Arrival::Bytes);
    }
    assert!(client.next_event().unwrap().is_some());
    assert!(client.next_event().unwrap().is_none());
    assert_eq!(client.wait().unwrap(), Arrival::Nothing);
    assert_eq!(client.wait().unwrap(), Arrival::End);
    assert_eq!(client.wait().unwrap(), Arrival::End);
}

#[test]
fn silence_is_time_that_reads_wait() {
    /// Waits a little, and has nothing.
    struct Slow(Option<Vec<u8>>);
    impl Read for Slow {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let Some(bytes) = self.0.take() else {
                thread::sleep(Duration::from_millis(2));
                return Err(ErrorKind::WouldBlock.into());
            };
            into[..bytes.len()].copy_from_slice(&bytes);
            Ok(bytes.len())
        }
    }
    let sent = Sent::default();
    let keep_alive = KeepAlive {
        ping_after: 10,
        lost_after: 20,
    };
    let source = Slow(Some(greeting(Side::Server)));
    let link = SessionLink::new(
        Side::Client,
        Hello::new(4096),
        source,
        sent.clone(),
        keep_alive,
        Policy::STRICT,
    );
    let mut link: SessionLink<'_, _, _> = link.unwrap();
    assert_eq!(link.wait().unwrap(), Arrival::Bytes);
    assert!(link.next_event().unwrap().is_some());
    assert!(link.next_event().unwrap().is_none());
    // what the owner does meanwhile is none
    thread::sleep(Duration::from_millis(50));
    let error = loop {
        match link.wait() {
            Ok(arrival) => assert_eq!(arrival, Arrival::Nothing),
            Err(error) => break error,
        }
    };
    let IoError::Io(error) = error else {
        panic!("{error}");
    };
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    let greeting = greeting(Side::Client);
    assert_eq!(sent.take(), [&greeting[..], &PING].concat());
}

#[test]
fn outputs_that_fail_and_bytes_that_are_wrong() {
    let (mut client, sent) = link(Side::Client, KeepAlive::NEVER, 1, []);
    sent.0.borrow_mut().1 = true;
    let Err(IoError::Io(error)) = client.wait() else {
        panic!("sent");
    };
    assert_broken(&error, 5);

    let (mut client, _) = link(Side::Client, KeepAlive::NEVER, 9, [Ok(PING.to_vec())]);
    let rule = loop {
        assert_eq!(client.wait().unwrap(), Arrival::Bytes);
        match client.next_event().unwrap() {
            None => {}
            Some(SessionEvent::Closed(Closed::Broken(error))) => break error.rule(),
            Some(event) => panic!("{event:?}"),
        }
    };
    assert_eq!(rule, Some(Rule::HelloFirst));
    assert!(client.session().closed().is_some());
    let error = client.session().request(&TensorRequest::new("w"));
    let error = IoError::from(error.unwrap_err());
    assert_eq!(error.rule(), Some(Rule::WriterOpen));
}
