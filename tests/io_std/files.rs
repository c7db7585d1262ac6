//! Reading container files: the answers of the core's view, from files, maps and other sources.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use hrry::io_std::{FileReader, IoError, MappedFile, Source};
use hrry::owned::{Item, Node};
use hrry::{
    CombineOp, CompositeHead, CompositionRule, ElementType, Error, FileView, KvValue, Outcome,
    Policy, ReadAt,
};

use super::feed::{assert_broken, broken};
use crate::support::bytes;
use crate::support::container::{Container, Stored};
use crate::support::files;
use crate::support::scale::every;
use crate::support::spec;
use crate::support::vectors::{self, Vector, named, permissive};

/// Fails at the call with that number.
struct Memory<'a> {
    bytes: &'a [u8],
    calls: usize,
    fails: usize,
}

impl<'a> Memory<'a> {
    fn new(bytes: &'a [u8], fails: usize) -> Self {
        Memory {
            bytes,
            calls: 0,
            fails,
        }
    }

    fn call(&mut self) -> io::Result<()> {
        self.calls += 1;
        match self.calls == self.fails {
            true => Err(broken(self.fails)),
            false => Ok(()),
        }
    }
}

impl ReadAt for Memory<'_> {
    type Error = io::Error;

    fn len(&mut self) -> io::Result<u64> {
        self.call()?;
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.call()?;
        let start = offset as usize;
        into.copy_from_slice(&self.bytes[start..start + into.len()]);
        Ok(())
    }
}

impl Source for Memory<'_> {}

fn path(v: &Vector) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/files");
    folder.join(format!("{}.hrry", v.id))
}

fn map(path: &Path) -> MappedFile {
    // SAFETY: no test writes to what it maps
    unsafe { MappedFile::open(path).unwrap() }
}

fn format(error: IoError) -> Error {
    match error {
        IoError::Format(error) => error,
        other => panic!("{other}"),
    }
}

/// A tensor as it stands: its descriptor and its buffers.
type Plain = (Vec<u8>, Vec<Vec<u8>>);

fn plain(node: Node<'_>) -> Plain {
    let buffers = node.buffers().iter().map(|buffer| buffer.to_vec());
    let descriptor = node.descriptor().view().as_bytes().to_vec();
    (descriptor, buffers.collect())
}

/// What a reader says of a container: its items with their names, and everything by name.
fn read<R: Source>(source: R, policy: Policy) -> Result<Vec<(String, Item)>, IoError> {
    let mut reader = FileReader::new(source, policy)?;
    let mut items = Vec::new();
    for item in reader.items() {
        let (name, item) = item?;
        items.push((name.to_owned(), item));
    }
    for (name, _) in &items {
        // permissive mode lets several have a name
        let found = (name.clone(), reader.read(name)?.unwrap());
        assert!(items.contains(&found), "{name}");
    }
    Ok(items)
}

#[test]
fn vectors_read_as_in_memory() {
    let (mut accepted, mut refused) = (0, 0);
    for v in vectors::files() {
        for policy in [v.policy, permissive(&v.policy)] {
            let wanted = files::read(&v.bytes, &policy);
            let memory = read(Memory::new(&v.bytes, 0), policy);
            let file = read(File::open(path(&v)).unwrap(), policy);
            let mapped = read(map(&path(&v)), policy);
            match wanted {
                Ok(()) => {
                    let items = file.unwrap_or_else(|error| panic!("{}: {error}", v.id));
                    assert_eq!(memory.unwrap(), items, "{}", v.id);
                    assert_eq!(mapped.unwrap(), items, "{}", v.id);
                    assert_is_whole(&v, &policy, &items);
                    accepted += 1;
                }
                Err(error) => {
                    for result in [memory, file, mapped] {
                        assert_eq!(format(result.unwrap_err()), error, "{}", v.id);
                    }
                    refused += 1;
                }
            }
        }
    }
    assert!(accepted > 40 && refused > 90, "{accepted}, {refused}");
}

/// Items hold every tensor of the file once, in the order of their places, with its bytes.
fn assert_is_whole(v: &Vector, policy: &Policy, items: &[(String, Item)]) {
    let view = FileView::open(&v.bytes, policy).unwrap();
    let mut entries: Vec<_> = view.entries().collect();
    entries.sort_by_key(|entry| entry.descriptor_offset);
    let tensors = entries.iter().map(|entry| {
        let tensor = view.tensor(entry, policy).unwrap();
        let buffers = tensor.buffers().map(<[u8]>::to_vec);
        (tensor.descriptor().as_bytes().to_vec(), buffers.collect())
    });
    let tensors: Vec<Plain> = tensors.collect();
    let nodes = items.iter().flat_map(|(_, item)| item.items());
    assert_eq!(nodes.map(plain).collect::<Vec<_>>(), tensors, "{}", v.id);
    // each name stands for the first tensor of its item
    let mut place = 0;
    for (name, item) in items {
        assert_eq!(entries[place].name, name, "{}", v.id);
        place += item.items().count();
    }
}

#[test]
fn the_directory_is_that_of_the_view() {
    for v in vectors::files().iter().filter(|v| v.accept) {
        let view = FileView::open(&v.bytes, &v.policy).unwrap();
        let mut reader = FileReader::open(path(v), v.policy).unwrap();
        for entry in view.entries() {
            let descriptor = reader.descriptor(entry.name).unwrap().unwrap();
            let tensor = view.tensor(&entry, &v.policy).unwrap();
            assert_eq!(descriptor.view().as_bytes(), tensor.descriptor().as_bytes());
        }
        assert!(reader.descriptor("no such name").unwrap().is_none());
        let directory = reader.directory();
        assert_eq!(directory.header(), view.header());
        assert_eq!(directory.trailer(), view.trailer());
        assert!(reader.entries().eq(view.entries()), "{}", v.id);
        assert!(reader.names().eq(view.entries().map(|entry| entry.name)));
        for entry in view.entries() {
            assert_eq!(reader.find(entry.name), Some(entry));
        }
        assert_eq!(reader.find("no such name"), None);
        let [ours, theirs] =
            [reader.kv(), view.kv()].map(|kv| format!("{:?}", kv.collect::<Vec<_>>()));
        assert_eq!(ours, theirs, "{}", v.id);
    }
    let all = vectors::files();
    let reader = FileReader::open(path(named(&all, "f-ok-kv-all")), Policy::STRICT).unwrap();
    assert!(
        reader
            .kv()
            .any(|entry| matches!(entry.value, KvValue::Bool(_)))
    );
}

#[test]
fn members_are_tensors_by_themselves() {
    let all = vectors::files();
    let mut members = 0;
    for v in all.iter().filter(|v| v.accept) {
        let outcomes = files::read_with(&v.bytes, &v.policy, |file, index| {
            let mut items =
                hrry::FileItems::new(file, index, hrry::Exact, Vec::<u64>::new(), v.policy);
            let mut outcomes = Vec::new();
            while let Some(item) = items.next_item().unwrap() {
                outcomes.push((item.tensor.entry().name.to_owned(), item.begins));
            }
            outcomes
        });
        let mut reader = FileReader::open(path(v), v.policy).unwrap();
        for (name, begins) in outcomes.unwrap() {
            if let Outcome::Member { .. } = begins {
                let item = reader.read(&name).unwrap().unwrap();
                assert!(item.as_tensor().is_some(), "{} {name}", v.id);
                members += 1;
            }
        }
    }
    assert!(members > 10, "{members}");
}

#[test]
fn errors_of_the_source_are_kept() {
    let all = vectors::files();
    let v = named(&all, "f-ok-partition");
    let mut source = Memory::new(&v.bytes, 0);
    let items = read(&mut source, Policy::STRICT).unwrap();
    let calls = source.calls;
    assert!(calls > 10, "{calls}");
    for fails in 1..=calls {
        let Err(IoError::Io(error)) = read(Memory::new(&v.bytes, fails), Policy::STRICT) else {
            panic!("{fails}");
        };
        assert_broken(&error, fails);
    }
    assert_eq!(
        read(Memory::new(&v.bytes, calls + 1), Policy::STRICT).unwrap(),
        items
    );
}

#[test]
fn half_a_file_is_refused() {
    let all = vectors::files();
    let bytes = &named(&all, "f-ok-two").bytes;
    for len in (0..bytes.len()).step_by(every(61)) {
        let result = FileReader::new(Memory::new(&bytes[..len], 0), Policy::STRICT);
        let error = format(result.map(drop).unwrap_err());
        let rule = error.rule().unwrap().id();
        assert!(rule.starts_with("FILE-"), "{len}: {error}");
        if len < 104 {
            assert_eq!((rule, error.offset()), ("FILE-08", len as u64));
        }
    }
}

#[test]
fn a_file_that_ends_while_it_is_read_is_an_io_error() {
    struct Short<'a>(Memory<'a>, File);
    impl ReadAt for Short<'_> {
        type Error = io::Error;
        fn len(&mut self) -> io::Result<u64> {
            self.0.len()
        }
        fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
            self.0.read_at(offset, into)
        }
    }
    impl Source for Short<'_> {
        fn buffer(&mut self, place: std::ops::Range<u64>) -> io::Result<hrry::owned::Buffer> {
            self.1.buffer(place)
        }
    }
    let all = vectors::files();
    let bytes = &named(&all, "f-ok-one").bytes;
    let short = tempfile::tempfile().unwrap();
    short.set_len(4097).unwrap();
    let mut reader = FileReader::new(Short(Memory::new(bytes, 0), short), Policy::STRICT).unwrap();
    let name = reader.names().next().unwrap().to_owned();
    let Err(IoError::Io(error)) = reader.read(&name) else {
        panic!("read");
    };
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
}

/// A group of no members by each of so many names.
fn names(count: usize) -> Vec<u8> {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count: 0,
    };
    let descriptor = bytes::encode(&spec::Plain::head(ElementType::UInt8, &[1], head));
    let stored = |k| Stored {
        name: format!("name {k}"),
        descriptor: descriptor.clone(),
        buffers: Vec::new(),
    };
    Container::new((0..count).map(stored).collect())
        .write()
        .bytes
}

#[test]
fn opening_takes_two_reads_or_three() {
    // entries of 34 bytes and a name of 6 to 9 each: 64 KiB are reached at about 1,500
    for (count, reads) in [(10, 2), (1000, 2), (3000, 3), (20_000, 3)] {
        let file = names(count);
        let mut reader = FileReader::new(Memory::new(&file, 0), Policy::STRICT).unwrap();
        // its length is asked for twice
        assert_eq!(reader.source_mut().calls, reads + 2, "{count}");
        assert_eq!(reader.entries().count(), count);
        let last = format!("name {}", count - 1);
        assert!(reader.read(&last).unwrap().is_some());
        // each read that fails is told
        for fails in 1..=reads + 2 {
            let opened = FileReader::new(Memory::new(&file, fails), Policy::STRICT);
            let Err(IoError::Io(error)) = opened else {
                panic!("{count}, {fails}");
            };
            assert_broken(&error, fails);
        }
    }
}

#[test]
fn maps_lend_their_pages() {
    let all = vectors::files();
    let mut lent = 0;
    for v in all.iter().filter(|v| v.accept) {
        let map = map(&path(v));
        assert!(map[..] == v.bytes[..]);
        let mut reader = FileReader::new(map.clone(), v.policy).unwrap();
        for item in reader.items() {
            let (_, item) = item.unwrap();
            let buffers: Vec<_> = item.items().flat_map(|node| node.buffers()).collect();
            for buffer in buffers.into_iter().filter(|buffer| !buffer.is_empty()) {
                assert!(map.as_ptr_range().contains(&buffer.as_ptr()));
                lent += usize::from((buffer.as_ptr() as usize).is_multiple_of(4096));
            }
        }
    }
    assert!(lent > 40, "{lent}");
    // the map lives as long as a buffer
    let two = named(&all, "f-ok-one");
    let mut reader = FileReader::new(map(&path(two)), Policy::STRICT).unwrap();
    let item = reader.items().next().unwrap().unwrap().1;
    drop(reader);
    let place = FileView::open(&two.bytes, &Policy::STRICT).unwrap();
    let entry = place.entries().next().unwrap();
    let bytes = place.tensor(&entry, &Policy::STRICT).unwrap();
    assert!(item.as_tensor().unwrap().buffer(0).unwrap()[..] == *bytes.buffer(0).unwrap());
}

#[test]
fn an_empty_file_can_be_mapped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty");
    File::create(&path).unwrap();
    let error = format(
        FileReader::new(map(&path), Policy::STRICT)
            .map(drop)
            .unwrap_err(),
    );
    assert_eq!((error.rule().unwrap().id(), error.offset()), ("FILE-08", 0));
    let missing = folder.path().join("missing");
    let Err(IoError::Io(error)) = FileReader::open(&missing, Policy::STRICT) else {
        panic!("opened");
    };
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}
