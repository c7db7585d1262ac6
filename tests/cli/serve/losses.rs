//! Sides that go away, and sides that are none.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use hrry::io_std::{Arrival, SessionLink};
use hrry::message::{Hello, KeepAlive, SessionEvent, Side};
use hrry::{BufferHandle, DescriptorSpec, ElementType, FileOptions, Layout, Policy};

use super::{Server, streams, vector};
use crate::{program, run};

/// Bytes of a tensor that is larger than what sockets and pipes hold.
const LARGE: u64 = 64 << 20;

fn large() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let buffers = [BufferHandle::cpu(LARGE, 64)];
    let spec = DescriptorSpec::new(ElementType::UInt8, &[LARGE], Layout::RowMajor, &buffers);
    let file = fs::File::create(folder.path().join("large.hrry")).unwrap();
    let mut writer =
        hrry::io_std::FileWriter::new(file, &FileOptions::PLAIN, Policy::STRICT).unwrap();
    writer.begin("large", &spec).unwrap();
    for _ in 0..LARGE >> 20 {
        writer.payload(&[3; 1 << 20]).unwrap();
    }
    writer.end().unwrap();
    writer.finish().unwrap();
    folder
}

/// Whoever started it may read nothing; it serves all the same.
#[test]
fn a_server_whose_first_line_nobody_reads() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(vector("f-ok-one.hrry"), folder.path().join("one.hrry")).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = program()
        .arg("serve")
        .arg(folder.path())
        .args(["--listen", "127.0.0.1:0"])
        .stdout(writer)
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    said.read_line(&mut line).unwrap();
    let address = line.strip_prefix("hrry: listening on ").unwrap().trim_end();
    let server = Server {
        address: address.to_owned(),
        folder,
        child,
    };
    let (stream, status, said) = server.get("weight");
    assert_eq!((status, &*said), (0, ""));
    let wanted = streams(&server.folder.path().join("one.hrry"));
    assert_eq!([("weight".to_owned(), stream)], *wanted);
}

#[test]
fn a_server_that_is_killed() {
    let mut server = Server::over(large(), &[]);
    let mut client = program()
        .args(["get", &server.address, "large", "-"])
        .spawn()
        .unwrap();
    let mut out = client.stdout.take().unwrap();
    // it has begun, and waits for this test to read on
    out.read_exact(&mut [0; 100]).unwrap();
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).unwrap();
    assert!((rest.len() as u64) < LARGE);
    let output = client.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.starts_with(b"hrry: 127.0.0.1:"));
}

/// Half of a tensor, and then the end of the connection.
#[test]
fn half_a_tensor_leaves_no_file() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = thread::spawn(move || {
        let socket = &listener.accept().unwrap().0;
        let hello = Hello::new(1 << 20);
        let (side, never) = (Side::Server, KeepAlive::NEVER);
        let link = SessionLink::new(side, hello, socket, socket, never, Policy::STRICT);
        let mut link: SessionLink<'_, _, _> = link.unwrap();
        while link.wait().unwrap() == Arrival::Bytes {
            while let Some(event) = link.next_event().unwrap() {
                let SessionEvent::Requested(stream, _) = event else {
                    continue;
                };
                let buffers = [BufferHandle::cpu(8, 64)];
                let spec =
                    DescriptorSpec::new(ElementType::UInt8, &[8], Layout::RowMajor, &buffers);
                link.session().answer(stream, &spec).unwrap();
                link.session().data(stream, &[1; 4]).unwrap();
                link.flush().unwrap();
                return;
            }
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.bin");
    let got = run(&["get", &address, "key", out.to_str().unwrap()]);
    let said = format!("hrry: {address}: the server closed the connection\n");
    assert_eq!((got.status, got.err), (2, said));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    server.join().unwrap();
}

#[test]
fn a_client_that_is_killed() {
    let server = Server::of(&["f-ok-one"], &[]);
    let root = env!("CARGO_MANIFEST_DIR");
    let stream = fs::read(format!("{root}/tests/vectors/streams/s-ok-one.bin")).unwrap();
    let mut client = program()
        .args(["put", &server.address, "half", "-"])
        .spawn()
        .unwrap();
    let mut input = client.stdin.take().unwrap();
    input.write_all(&stream[..stream.len() - 1]).unwrap();
    // the tensor has begun to arrive
    while server.files().len() == 1 {
        thread::sleep(Duration::from_millis(5));
    }
    client.kill().unwrap();
    client.wait().unwrap();
    // and is gone
    while server.files().len() > 1 {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(server.files(), ["f-ok-one.hrry"]);
    assert_eq!(server.get("half").1, 1);
    assert_eq!(server.get("weight").1, 0);
}

#[test]
fn servers_that_are_none() {
    // nobody listens there any more
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    let nobody = run(&["get", &address, "key", "-"]);
    assert_eq!((nobody.status, &*nobody.out), (2, ""));
    for wrong in ["", "127.0.0.1:99999", "a b", "no-such-host.invalid", "[::1"] {
        let got = run(&["get", wrong, "key", "-"]);
        assert_eq!((got.status, &*got.out), (2, ""), "{wrong:?}");
        let said = format!("hrry: {wrong}: cannot be resolved: ");
        assert!(got.err.starts_with(&said), "{}", got.err);
        assert!(!got.err.contains("socket address"), "{}", got.err);
    }
    let port = run(&["get", "127.0.0.1:99999", "key", "-"]).err;
    assert!(port.ends_with(": invalid port value\n"), "{port}");

    let answer = |answer: &'static [u8]| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            socket.write_all(answer).unwrap();
            // until the client has enough
            let _ = socket.read_to_end(&mut Vec::new());
        });
        let got = run(&["get", "--timeout", "1", &address, "key", "-"]);
        server.join().unwrap();
        let said = got.err.strip_prefix(&format!("hrry: {address}: ")).unwrap();
        (got.status, said.trim_end().to_owned())
    };
    let stranger =
        |rule| format!("the other side does not speak this protocol: {rule} does not hold: ");
    let (status, said) = answer(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    assert!(
        status == 1 && said.starts_with(&stranger("MSG-05")),
        "{said}"
    );
    // a PING before any greeting
    let (status, said) = answer(&[10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    assert!(
        status == 1 && said.starts_with(&stranger("MSG-06")),
        "{said}"
    );
    // an ERROR instead of a greeting: code and length of the text, with and without one
    for (error, said_of_it) in [
        (
            &[
                9, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0xF7, 0, 0, 0, 0, 0, 0, 0,
            ][..],
            "error 0xf7",
        ),
        (
            &[9, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
            "PROTOCOL_VERSION_MISMATCH",
        ),
        (
            b"\x09\0\0\0\x01\0\0\0\x0C\0\0\0\xF7\0\0\0\x04\0\0\0away",
            "away",
        ),
        (
            b"\x09\0\0\0\x01\0\0\0\x0C\0\0\0\x01\0\0\0\x04\0\0\0away",
            "PROTOCOL_VERSION_MISMATCH: away",
        ),
    ] {
        let (status, said) = answer(error);
        assert_eq!((status, &*said), (1, said_of_it));
    }
    let (status, said) = answer(b"");
    assert_eq!((status, &*said), (2, "timed out"));
}

#[test]
fn folders_and_addresses_that_are_none() {
    let nowhere = run(&["serve", "tests/no such folder"]);
    assert_eq!((nowhere.status, &*nowhere.out), (2, ""));
    assert!(nowhere.err.starts_with("hrry: tests/no such folder: "));
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let second = run(&["serve", "tests/vectors", "--listen", &address]);
    assert_eq!(second.status, 2);
    assert!(second.err.starts_with(&format!("hrry: {address}: ")));
    assert_eq!(
        run(&["serve", "tests/vectors", "--listen", "nowhere"]).status,
        2
    );
    drop(TcpStream::connect(&address));
}
