//! Tensors that clients give: what is taken, under which name, and what is refused.

use std::fs;
use std::net::TcpStream;

use hrry::message::ErrorCode;
use hrry::{BufferHandle, DescriptorSpec, DeviceTag, ElementType, Layout};

use super::link::{Answer, answers, client, error};
use super::{Server, streams, vector};
use crate::{feed, run};

fn stream(name: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    format!("{root}/tests/vectors/streams/{name}.bin")
}

const REFUSED: ErrorCode = ErrorCode(0xF0);

#[test]
fn what_is_put_is_what_is_got() {
    let server = Server::of(&[], &[]);
    let one = fs::read(stream("s-ok-one")).unwrap();
    let put = server.put(&["weights/layer 1", &stream("s-ok-one")]);
    assert_eq!((put.status, &*put.out, &*put.err), (0, "", ""));
    assert_eq!(server.get("weights/layer 1").0, one);
    assert_eq!(server.files(), ["weights%2Flayer%201.hrry"]);
    let path = server.folder.path().join(&server.files()[0]);
    assert_eq!(
        streams(&path),
        [("weights/layer 1".to_owned(), one.clone())]
    );

    // from standard input, and under a name that is there
    let other = vector("f-ok-two.hrry");
    let wanted = streams(other.as_ref());
    for (name, stream) in &wanted {
        let put = server.put(&["weights/layer 1", &other, name]);
        assert_eq!((put.status, &*put.err), (0, ""));
        assert!(server.get("weights/layer 1").0 == *stream);
    }
    let put = feed(&["put", &server.address, "piped", "-"], &one);
    assert_eq!((put.status, &*put.err), (0, ""));
    assert_eq!(server.get("piped").0, one);

    // a member by itself: the second one of the first item
    let composite = stream("s-ok-ov-spqr");
    let put = server.put(&["correction", &composite, "#0.1"]);
    assert_eq!((put.status, &*put.err), (0, ""));
    let bytes = fs::read(&composite).unwrap();
    assert_eq!(server.get("correction").0, bytes[350..527]);
    let put = server.put(&["correction", &composite, "#0.2"]);
    let said = format!("hrry: {composite}: there is no item #0.2\n");
    assert_eq!((put.status, put.err), (2, said));
}

#[test]
fn every_layout_can_be_put() {
    let server = Server::of(&[], &[]);
    let path = vector("f-ok-csf.hrry");
    for (name, stream) in streams(path.as_ref()) {
        let put = server.put(&["sparse", &path, &name]);
        assert_eq!((put.status, &*put.err), (0, ""));
        assert!(server.get("sparse").0 == stream);
    }
}

#[test]
fn heads_with_members_are_refused_before_anything_is_sent() {
    let server = Server::of(&[], &[]);
    let container = vector("f-ok-partition.hrry");
    for (file, item) in [(stream("s-ok-ov-spqr"), "#0"), (container, "weight")] {
        let put = server.put(&["key", &file, item]);
        let said = "MSG-35: a head with members cannot be put; put its members one by one";
        assert_eq!(put.status, 1);
        assert_eq!(put.err, format!("hrry: {}: {said}\n", server.address));
    }
    assert!(server.files().is_empty());
}

#[test]
fn what_the_owner_does_not_allow() {
    let one = stream("s-ok-one");
    for (options, said) in [
        (&["--read-only"][..], "the server takes no tensors"),
        (
            &["--max-tensor", "3"],
            "MESSAGE_TOO_LARGE: the server takes tensors of at most 3 bytes",
        ),
    ] {
        let server = Server::of(&["f-ok-one"], options);
        let put = server.put(&["key", &one]);
        assert_eq!(put.status, 1);
        assert_eq!(put.err, format!("hrry: {}: {said}\n", server.address));
        assert_eq!(server.files(), ["f-ok-one.hrry"]);
    }
}

/// Nothing that a file of the folder holds is replaced or hidden.
#[test]
fn other_tensors_stay() {
    let server = Server::of(&["f-ok-one", "f-ok-kv-all", "f-ok-two"], &[]);
    let before: Vec<_> = server
        .files()
        .iter()
        .map(|name| read(&server, name))
        .collect();
    // the first key is in a file of another name, the others would be files that are there
    for (key, said) in [
        ("weight", "another file holds a tensor of that key"),
        ("f-ok-one", "the file of that key holds something else"),
        ("f-ok-kv-all", "the file of that key holds something else"),
        ("f-ok-two", "the file of that key holds something else"),
    ] {
        let put = server.put(&[key, &stream("s-ok-one")]);
        assert_eq!(put.err, format!("hrry: {}: {said}\n", server.address));
    }
    fs::write(server.folder.path().join("no-container.hrry"), "text").unwrap();
    assert_eq!(server.put(&["no-container", &stream("s-ok-one")]).status, 1);
    assert_eq!(read(&server, "no-container.hrry"), b"text");
    fs::create_dir(server.folder.path().join("folder.hrry")).unwrap();
    assert_eq!(server.put(&["folder", &stream("s-ok-one")]).status, 1);
    fs::remove_file(server.folder.path().join("no-container.hrry")).unwrap();
    fs::remove_dir(server.folder.path().join("folder.hrry")).unwrap();
    let after: Vec<_> = server
        .files()
        .iter()
        .map(|name| read(&server, name))
        .collect();
    assert!(before == after);
}

fn read(server: &Server, name: &str) -> Vec<u8> {
    fs::read(server.folder.path().join(name)).unwrap()
}

#[test]
fn hostile_keys_stay_in_the_folder() {
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("inside")).unwrap();
    let folder = tempfile::tempdir_in(outside.path().join("inside")).unwrap();
    let server = Server::over(folder, &[]);
    let socket = TcpStream::connect(&server.address).unwrap();
    let mut client = client(&socket);
    let buffers = [BufferHandle::cpu(1, 64)];
    let spec = DescriptorSpec::new(ElementType::UInt8, &[1], Layout::RowMajor, &buffers);
    let mut put = |key: &str, byte: u8| {
        let session = client.session();
        let stream = session.put(key, &spec).unwrap();
        session.data(stream, &[byte]).unwrap();
        session.end(stream).unwrap();
        let answer = answers(&mut client, 1).remove(0);
        assert_eq!(answer.0, stream);
        answer.1
    };
    let keys = [
        ("../x", "%2E.%2Fx.hrry"),
        ("..", "%2E..hrry"),
        ("/etc/x", "%2Fetc%2Fx.hrry"),
        (".hidden", "%2Ehidden.hrry"),
        ("a\0b", "a%00b.hrry"),
        ("a\\b:c*", "a%5Cb%3Ac%2A.hrry"),
        ("%2E.%2Fx", "%252E.%252Fx.hrry"),
        ("x\n\u{202e}\u{e9}", "x%0A%E2%80%AE%C3%A9.hrry"),
        ("a.b-c_D9", "a.b-c_D9.hrry"),
    ];
    for (key, _) in keys {
        assert_eq!(put(key, 1), Answer::Accepted, "{key:?}");
    }
    let mut names: Vec<_> = keys.iter().map(|(_, name)| (*name).to_owned()).collect();
    names.sort();
    assert_eq!(server.files(), names);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    assert_eq!(
        fs::read_dir(outside.path().join("inside")).unwrap().count(),
        1
    );

    let long = error(REFUSED, "the key is too long for the name of a file");
    assert_eq!(put(&"k".repeat(1000), 1), long);
    assert_eq!(put(&"k".repeat(251), 1), long);
    assert_eq!(put(&"/".repeat(84), 1), long);
    let most = "k".repeat(250);
    assert_eq!(put(&most, 1), Answer::Accepted);
    let rule = "FILE-17: names are UTF-8, not empty, and each is there once";
    assert_eq!(put("", 1), error(ErrorCode::InvalidMessage, rule));
    assert_eq!(server.files().len(), keys.len() + 1);
    assert_eq!(server.get(&most).1, 0);
}

#[test]
fn other_devices_are_refused() {
    let server = Server::of(&["f-ok-one"], &[]);
    let socket = TcpStream::connect(&server.address).unwrap();
    let mut client = client(&socket);
    let mut buffers = [BufferHandle::cpu(1, 64)];
    buffers[0].device_tag = DeviceTag::Cuda;
    let spec = DescriptorSpec::new(ElementType::UInt8, &[1], Layout::RowMajor, &buffers);
    let stream = client.session().put("key", &spec).unwrap();
    let refused = error(ErrorCode::DeviceUnavailable, "the server has a CPU only");
    assert_eq!(answers(&mut client, 1), [(stream, refused)]);
    let put = run(&[
        "put",
        &server.address,
        "key",
        &vector("f-ok-cuda-in-file.hrry"),
    ]);
    assert_eq!(put.status, 1);
    assert!(put.err.contains("DEVICE_UNAVAILABLE"), "{}", put.err);
    assert_eq!(server.files(), ["f-ok-one.hrry"]);
}
