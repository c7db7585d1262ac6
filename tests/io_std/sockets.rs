//! Streams over TCP on loopback: whatever pieces arrive, and whenever none do.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use hrry::io_std::{IoError, StreamReader, StreamWriter};
use hrry::owned::TensorDescriptor;
use hrry::owned::{Buffer, BufferHandle, ElementType, Item, ItemReader, Shape, Tensor};
use hrry::{Policy, Rule};

use crate::support::scale::Rng;
use crate::support::vectors::streams;

fn pair() -> [TcpStream; 2] {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    near.set_nodelay(true).unwrap();
    [near, listener.accept().unwrap().0]
}

/// Items of accepted streams and one of 300,000 bytes, which a reader takes straight to where it stays.
fn items() -> Vec<Item> {
    let mut items = Vec::new();
    for v in streams() {
        if v.accept && v.policy == Policy::STRICT && v.bytes.len() < 10_000 {
            let (mut reader, mut bytes) = (ItemReader::new(v.policy), &v.bytes[..]);
            while let Some(item) = reader.next_item(&mut bytes).unwrap() {
                items.push(item);
            }
        }
    }
    assert!(items.len() > 30);
    let large: Vec<u8> = (0..300_000u32).map(|k| (k ^ k >> 7) as u8).collect();
    let descriptor =
        TensorDescriptor::builder(ElementType::UInt8, Shape::new(vec![300_000]).unwrap())
            .buffer(BufferHandle::cpu(300_000, 64))
            .build()
            .unwrap();
    let large = Tensor::new(descriptor, vec![Buffer::from(large)]).unwrap();
    items.insert(items.len() / 2, large.into());
    items
}

fn encoded(items: &[Item]) -> Vec<u8> {
    let mut writer = StreamWriter::new(Vec::new(), Policy::STRICT);
    for item in items {
        writer.item(item).unwrap();
    }
    writer.finish().unwrap()
}

/// Sends in random pieces, with pauses.
fn send(mut socket: TcpStream, bytes: Vec<u8>, seed: u64) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let (mut rng, mut rest) = (Rng(seed), &bytes[..]);
        while !rest.is_empty() {
            let len = [1, 3, 50, 1000, 20_000][rng.below(5)];
            let (piece, behind) = rest.split_at(len.min(rest.len()));
            socket.write_all(piece).unwrap();
            rest = behind;
            if rng.below(8) == 0 {
                thread::sleep(Duration::from_micros(300));
            }
        }
    })
}

/// All items of a socket, how often it had nothing, and how it ends.
fn receive(socket: TcpStream) -> (Vec<Item>, usize, Result<(), IoError>) {
    let mut reader = StreamReader::new(socket, Policy::STRICT);
    let (mut items, mut nothing) = (Vec::new(), 0);
    loop {
        match reader.next_item() {
            Ok(Some(item)) => items.push(item),
            Ok(None) => return (items, nothing, Ok(())),
            Err(IoError::Io(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
            {
                nothing += 1;
                thread::yield_now();
            }
            Err(error) => return (items, nothing, Err(error)),
        }
    }
}

#[test]
fn items_arrive_whole_whatever_the_socket_does() {
    let items = items();
    let bytes = encoded(&items);
    let mut nothing = 0;
    for seed in 0..6 {
        let [near, far] = pair();
        match seed % 3 {
            0 => far.set_nonblocking(true).unwrap(),
            1 => far
                .set_read_timeout(Some(Duration::from_micros(50)))
                .unwrap(),
            _ => {}
        }
        let sender = send(near, bytes.clone(), seed);
        let (arrived, empty, result) = receive(far);
        sender.join().unwrap();
        assert!(result.is_ok(), "{seed}: {result:?}");
        assert!(arrived == items, "{seed}");
        assert!(empty == 0 || seed % 3 != 2);
        nothing += empty;
    }
    assert!(nothing > 0, "the socket always had something");
}

#[test]
fn a_writer_and_a_reader_meet() {
    let items = items();
    let [near, far] = pair();
    let sent = items.clone();
    let sender = thread::spawn(move || {
        let mut writer = StreamWriter::new(near, Policy::STRICT);
        for item in &sent {
            writer.item(item).unwrap();
        }
        drop(writer.finish().unwrap());
    });
    let (arrived, _, result) = receive(far);
    sender.join().unwrap();
    assert!(arrived == items && result.is_ok());
}

/// The sender waits for an answer to each item before it sends the next.
#[test]
fn an_item_is_told_when_its_last_byte_is_there() {
    let items = items();
    let [mut near, far] = pair();
    let sent = items.clone();
    let sender = thread::spawn(move || {
        for item in &sent {
            near.write_all(&encoded(std::slice::from_ref(item)))
                .unwrap();
            near.read_exact(&mut [0]).unwrap();
        }
    });
    let mut answers = far.try_clone().unwrap();
    let mut reader = StreamReader::new(far, Policy::STRICT);
    for item in &items {
        assert!(reader.next_item().unwrap().as_ref() == Some(item));
        answers.write_all(&[1]).unwrap();
    }
    sender.join().unwrap();
}

#[test]
fn a_connection_that_ends_early_is_truncation() {
    let items = items();
    let mut bytes = encoded(&items);
    bytes.pop();
    let [near, far] = pair();
    let sender = send(near, bytes, 9);
    let (arrived, _, result) = receive(far);
    sender.join().unwrap();
    assert!(arrived[..] == items[..items.len() - 1]);
    let rule = result.unwrap_err().rule();
    assert!(
        matches!(rule, Some(Rule::StreamTruncated | Rule::Torn)),
        "{rule:?}"
    );
}

/// Nobody reads, and the writer is not to wait: its error is the system's own, and it stops.
#[test]
fn a_writer_stops_at_a_socket_that_is_full() {
    let [near, _far] = pair();
    near.set_nonblocking(true).unwrap();
    let mut writer = StreamWriter::new(near, Policy::STRICT);
    let items = items();
    let error = (0..1000).find_map(|_| items.iter().find_map(|item| writer.item(item).err()));
    let Some(IoError::Io(error)) = error else {
        panic!("{error:?}");
    };
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    assert!(matches!(writer.item(&items[0]), Err(IoError::Refused(_))));
}
