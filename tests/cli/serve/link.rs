//! What a client says that the program would not say: many things at once, garbage, nothing.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use hrry::io_std::{Arrival, SessionLink};
use hrry::message::{ErrorCode, ErrorMessage, Hello, KeepAlive, SessionEvent, Side, TensorRequest};
use hrry::{BufferHandle, DescriptorSpec, DeviceTag, ElementType, Layout, Policy};

use super::{Server, streams, vector};

pub type Client<'s> = SessionLink<'s, Counted<'s>, &'s TcpStream>;

/// Counts what it reads.
pub struct Counted<'s> {
    socket: &'s TcpStream,
    bytes: usize,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.socket.read(into)?;
        self.bytes += read;
        Ok(read)
    }
}

/// A client that was greeted.
pub fn client(socket: &TcpStream) -> Client<'_> {
    // a server that says nothing more is a fault, not a reason to wait for ever
    socket
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let hello = Hello::new(1 << 20);
    let (side, keep_alive) = (Side::Client, KeepAlive::NEVER);
    let source = Counted { socket, bytes: 0 };
    let mut client = Client::new(side, hello, source, socket, keep_alive, Policy::STRICT).unwrap();
    while client.session().peer().is_none() {
        assert_eq!(client.wait().unwrap(), Arrival::Bytes);
        assert!(matches!(
            client.next_event().unwrap(),
            Some(SessionEvent::Opened)
        ));
    }
    client
}

/// How an exchange ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All bytes of data of a tensor, or of the members of a composite.
    Data(Vec<u8>),
    Accepted,
    Error(ErrorCode, String),
}

/// The answers on streams, as many as are waited for, in the order in which they end.
pub fn answers(client: &mut Client<'_>, count: usize) -> Vec<(u32, Answer)> {
    let mut data: Vec<(u32, Vec<u8>)> = Vec::new();
    let mut answers = Vec::new();
    while answers.len() < count {
        assert_eq!(client.wait().unwrap(), Arrival::Bytes);
        while let Some(event) = client.next_event().unwrap() {
            match event {
                SessionEvent::Tensor(stream, ..) => data.push((stream, Vec::new())),
                SessionEvent::Data(stream, bytes) => {
                    let own = data.iter_mut().find(|own| own.0 == stream);
                    own.unwrap().1.extend(bytes.bytes);
                }
                SessionEvent::End(stream, _) => {
                    let place = data.iter().position(|own| own.0 == stream).unwrap();
                    answers.push((stream, Answer::Data(data.swap_remove(place).1)));
                }
                SessionEvent::Accepted(stream) => answers.push((stream, Answer::Accepted)),
                SessionEvent::Failed(stream, error) => {
                    let error = Answer::Error(error.error_code, error.message.to_owned());
                    answers.push((stream, error));
                }
                other => panic!("{other:?}"),
            }
        }
    }
    answers
}

/// A vector's tensor without its descriptor.
fn data(name: &str, key: &str) -> Vec<u8> {
    let path = vector(&format!("{name}.hrry"));
    let streams = streams(path.as_ref());
    let (_, stream) = streams.into_iter().find(|stream| stream.0 == key).unwrap();
    let (_, data) = hrry::DescriptorView::parse(&stream, &Policy::STRICT).unwrap();
    data.to_vec()
}

fn bytes(len: u64) -> [BufferHandle; 1] {
    [BufferHandle::cpu(len, 64)]
}

#[test]
fn all_that_is_asked_for_at_once_is_answered() {
    let server = Server::of(&["f-ok-one"], &[]);
    let socket = TcpStream::connect(&server.address).unwrap();
    let mut client = client(&socket);
    let one = data("f-ok-one", "weight");
    let session = client.session();
    let asked: Vec<_> = ["weight", "no", "", "weight"]
        .map(|key| session.request(&TensorRequest::new(key)).unwrap())
        .into();
    let mut device = TensorRequest::new("weight");
    device.preferred_device = DeviceTag::Cuda;
    let device = session.request(&device).unwrap();
    let mut wanted = vec![
        (asked[0], Answer::Data(one.clone())),
        (asked[3], Answer::Data(one)),
        (
            device,
            error(ErrorCode::DeviceUnavailable, "the server has a CPU only"),
        ),
    ];
    for unknown in [asked[1], asked[2]] {
        wanted.push((
            unknown,
            error(ErrorCode::UnknownTensor, "no tensor has that name"),
        ));
    }
    wanted.sort_by_key(|answer| answer.0);
    let mut got = answers(&mut client, 5);
    got.sort_by_key(|answer| answer.0);
    assert_eq!(got, wanted);
}

pub fn error(code: ErrorCode, text: &str) -> Answer {
    Answer::Error(code, text.to_owned())
}

#[test]
fn alignment_is_as_it_was_asked_for() {
    let server = Server::of(&["f-ok-one"], &[]);
    let socket = TcpStream::connect(&server.address).unwrap();
    let mut client = client(&socket);
    let mut request = TensorRequest::new("weight");
    for (asked, got) in [(4096, 4096), (1, 64)] {
        request.min_alignment = asked;
        client.session().request(&request).unwrap();
        let mut ended = false;
        while !ended {
            assert_eq!(client.wait().unwrap(), Arrival::Bytes);
            while let Some(event) = client.next_event().unwrap() {
                match event {
                    SessionEvent::Tensor(_, tensor, _) => {
                        let handle = tensor.descriptor.buffer(0).unwrap();
                        assert_eq!(handle.alignment, got);
                    }
                    SessionEvent::End(..) => ended = true,
                    _ => {}
                }
            }
        }
    }
}

/// A tensor that takes longer than what sockets hold is given up in the middle; the connection goes on.
#[test]
fn an_answer_that_is_not_wanted_any_more_ends() {
    const LARGE: u64 = 64 << 20;
    let server = Server::of(&["f-ok-one"], &[]);
    let socket = TcpStream::connect(&server.address).unwrap();
    let mut client = client(&socket);
    let buffers = bytes(LARGE);
    let spec = DescriptorSpec::new(ElementType::UInt8, &[LARGE], Layout::RowMajor, &buffers);
    let stream = client.session().put("large", &spec).unwrap();
    let piece = vec![7; 1 << 20];
    for _ in 0..LARGE >> 20 {
        client.session().data(stream, &piece).unwrap();
    }
    client.session().end(stream).unwrap();
    assert_eq!(answers(&mut client, 1), [(stream, Answer::Accepted)]);

    let large = client
        .session()
        .request(&TensorRequest::new("large"))
        .unwrap();
    let mut begun = false;
    while !begun {
        assert_eq!(client.wait().unwrap(), Arrival::Bytes);
        while let Some(event) = client.next_event().unwrap() {
            // between two messages
            begun = matches!(event, SessionEvent::Data(_, data) if data.last);
            if begun {
                break;
            }
        }
    }
    let enough = ErrorMessage {
        error_code: ErrorCode(0xF0),
        message: "enough",
    };
    client.session().refuse(large, &enough).unwrap();
    let small = client
        .session()
        .request(&TensorRequest::new("weight"))
        .unwrap();
    client.flush().unwrap();
    let wanted = Answer::Data(data("f-ok-one", "weight"));
    assert_eq!(answers(&mut client, 1), [(small, wanted)]);
    let received = client.source_mut().bytes;
    assert!(received < LARGE as usize, "{received}");
}

#[test]
fn garbage_and_silence_disturb_nobody_else() {
    let server = Server::of(&["f-ok-one"], &["--timeout", "1"]);
    let connect = || TcpStream::connect(&server.address).unwrap();
    let silent = connect();
    let mut garbage = connect();
    garbage.write_all(&[0xA5; 4096]).unwrap();
    let mut half = connect();
    // a HELLO that says it is 24 bytes long
    half.write_all(&[1, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 1, 0])
        .unwrap();
    let mut stuck = connect();
    let mut greeted = client(&stuck);
    let buffers = bytes(100);
    let spec = DescriptorSpec::new(ElementType::UInt8, &[100], Layout::RowMajor, &buffers);
    greeted.session().put("stuck", &spec).unwrap();
    greeted.flush().unwrap();
    drop(greeted);
    let (stream, status, _) = server.get("weight");
    assert_eq!((status, stream.is_empty()), (0, false));
    // each is told, or left, in its time
    for socket in [&silent, &garbage, &half, &stuck] {
        socket
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
    }
    let mut said = Vec::new();
    garbage.read_to_end(&mut said).unwrap();
    // ERROR, INVALID_MESSAGE, and the rule of the type of the message
    assert_eq!((said[0], said[12], &said[20..]), (9, 6, &b"MSG-05"[..]));
    for mut socket in [silent, half] {
        said.clear();
        socket.read_to_end(&mut said).unwrap();
        assert_eq!(said, b"");
    }
    said.clear();
    stuck.read_to_end(&mut said).unwrap();
    assert_eq!(said[..12], [10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], "a PING");
    assert_eq!(server.files(), ["f-ok-one.hrry"]);
}

#[test]
fn connections_are_counted() {
    let server = Server::of(&["f-ok-one"], &["--connections", "2"]);
    let sockets = [(); 2].map(|()| TcpStream::connect(&server.address).unwrap());
    let [first, second] = &sockets;
    let clients = [client(first), client(second)];
    let (_, status, said) = server.get("weight");
    let wanted = format!(
        "hrry: {}: the server has no connection left\n",
        server.address
    );
    assert_eq!((status, said), (1, wanted));
    drop(clients);
    drop(sockets);
    // the server hears of it in its own time
    while server.get("weight").1 != 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
}
