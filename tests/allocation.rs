//! C2: a length that was only announced costs no memory. A test of its own program, because it counts
//! every allocation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Cursor;

mod support;

use hrry::io_std::{FileReader, IoError, StreamReader};
use hrry::message::{LinkOptions, Scope, Side};
use hrry::owned::{GrowFrame, ItemReader};
use hrry::{
    CombineOp, CompositeHead, CompositionRule, DescriptorView, ElementType, Error, Exact,
    FileItems, FileParser, FileView, FixedFile, InlineArena, Mode, Policy, Quantization, Region,
    StreamDecoder,
};
use support::spec::{Plain, PlainLayout, PlainScheme};
use support::vectors::{Vector, files, named, permissive};
use support::{bytes, messages};

struct Counting;

thread_local! {
    // of this thread alone, since tests run beside each other; memory may come from another one
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    /// Requests above it fail.
    static MOST: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn count(size: isize) {
    let in_use = IN_USE.get() + size;
    IN_USE.set(in_use);
    PEAK.set(PEAK.get().max(in_use));
}

// SAFETY: every call goes to the system allocator as it is, or fails; the counters allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > MOST.get() {
            return std::ptr::null_mut();
        }
        count(layout.size() as isize);
        // SAFETY: the caller's promise
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a stream says, and how many bytes were in use at most while it was read.
fn read(stream: &[u8], size: usize) -> (Result<(), Error>, usize) {
    let before = IN_USE.get();
    PEAK.set(before);
    let mut decoder =
        StreamDecoder::with_parts(GrowFrame::new(), Exact, Vec::new(), Policy::STRICT);
    let result = stream.chunks(size).try_for_each(|mut chunk| {
        while decoder.next_event(&mut chunk)?.is_some() {}
        Ok(())
    });
    let result = result.and_then(|()| decoder.finish());
    (result, (PEAK.get() - before) as usize)
}

/// The same into items, which are kept to the end.
fn read_items(stream: &[u8], size: usize) -> (Result<usize, hrry::owned::Error>, usize) {
    let before = IN_USE.get();
    PEAK.set(before);
    let mut reader = ItemReader::new(Policy::STRICT);
    let mut items = Vec::new();
    let result = stream.chunks(size).try_for_each(|mut chunk| {
        while let Some(item) = reader.next_item(&mut chunk)? {
            items.push(item);
        }
        Ok(())
    });
    let result = result.and_then(|()| reader.finish()).map(|()| items.len());
    (result, (PEAK.get() - before) as usize)
}

fn head(composition_rule: CompositionRule, shape: &[u64]) -> Vec<u8> {
    let head = CompositeHead {
        composition_rule,
        combine_op: CombineOp::None,
        member_count: u32::MAX - 1,
    };
    bytes::encode(&Plain::head(ElementType::UInt8, shape, head))
}

/// A descriptor with the largest number in the word at `at`.
fn with_word(plain: &Plain, at: usize) -> Vec<u8> {
    let mut bytes = bytes::encode(plain);
    bytes[at..at + 4].fill(0xFF);
    bytes
}

fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let plain = Plain::new(ElementType::UInt8, &[8], &[8]);
    let mut quantized = plain.clone();
    let scheme = Quantization::per_tensor(1.0.into(), 0);
    quantized.quantization = Some(PlainScheme::Known(scheme));
    let private = plain.clone().with_layout(PlainLayout::Private {
        tag: 0xF0,
        id: 1,
        data: vec![0; 4],
    });
    let huge = bytes::encode(&Plain::new(ElementType::UInt8, &[1 << 63], &[1 << 63]));
    let mut begun = huge.clone();
    begun.extend([0; 1000]);
    let group = head(CompositionRule::Group, &[1]);
    let mut members = group.clone();
    members.extend(bytes::encode(&Plain::new(ElementType::UInt8, &[0], &[0])).repeat(100));
    vec![
        ("descriptor_length", with_word(&plain, 6)),
        ("rank", with_word(&plain, 16)),
        // behind the header, one dimension, byte_offset and a table of one buffer
        ("quantization_length", with_word(&quantized, 53)),
        ("extension_data_length", with_word(&private, 44)),
        ("byte_size", huge),
        ("byte_size, begun", begun),
        ("members of a group", group),
        ("members of a group, begun", members),
        (
            "members of a partition",
            head(CompositionRule::Partition, &[u64::MAX - 1; 64]),
        ),
    ]
}

/// Shape, volumes and sum of a head of the largest rank take 195 words; its descriptor, which holds the shape
/// as well, is in a frame that doubles.
const CONSTANT: usize = 4096;

/// For what announces more than it brings.
fn bound(input: usize) -> usize {
    input + CONSTANT
}

/// For bytes that are all there, in pieces: memory that grows takes up to twice what it holds, and the old
/// one while it moves.
fn growing(input: usize) -> usize {
    3 * input + CONSTANT
}

#[test]
fn c02_memory_follows_what_arrived() {
    for (name, stream) in hostile() {
        for size in [1, 16, stream.len()] {
            let (result, peak) = read(&stream, size);
            assert!(result.is_err(), "{name}");
            assert!(peak <= bound(stream.len()), "{name}: {peak} bytes");
        }
    }
    // a frame is kept from one descriptor to the next
    let tensor = bytes::encode(&Plain::new(ElementType::UInt8, &[0], &[0]));
    let (result, peak) = read(&tensor.repeat(1000), 10);
    assert_eq!(result, Ok(()));
    assert!(peak > 0 && peak <= bound(tensor.len()), "{peak} bytes");
}

/// What messages say, and how many bytes were in use at most while they were read.
fn read_messages(bytes: &[u8], size: usize) -> (Result<(), Error>, usize) {
    let mut link = LinkOptions::new(Side::Server, u32::MAX);
    link.scope = Scope::Tensor;
    let mut parser = messages::growing(link, Policy::STRICT);
    let before = IN_USE.get();
    PEAK.set(before);
    let result = bytes.chunks(size).try_for_each(|mut chunk| {
        while parser.next_event(&mut chunk)?.is_some() {}
        Ok(())
    });
    let result = result.and_then(|()| parser.finish());
    (result, (PEAK.get() - before) as usize)
}

#[test]
fn c02_messages_take_no_more_than_what_arrived() {
    // control messages and data of which only a length came
    let mut announced: Vec<Vec<u8>> = [2, 4, 5, 9, 10, 12]
        .map(|kind: u32| [kind, 1, u32::MAX].map(u32::to_le_bytes).concat())
        .into();
    // descriptors that announce data or members
    for (_, stream) in hostile() {
        let Ok((view, _)) = DescriptorView::parse(&stream, &Policy::STRICT) else {
            continue;
        };
        let sizes = (0..view.buffer_count()).map_while(|k| view.buffer(k));
        let total = sizes.map(|buffer| buffer.byte_size).sum();
        let begun = messages::descriptor(1, view.as_bytes(), total);
        announced.push([begun.clone(), messages::end(1)].concat());
        announced.push([begun, messages::data(1, 0, &[0; 100])].concat());
    }
    assert!(announced.len() > 10);
    for bytes in announced {
        for size in [1, 16, bytes.len()] {
            let (result, peak) = read_messages(&bytes, size);
            assert!(result.is_err(), "{bytes:?}");
            assert!(peak <= bound(bytes.len()), "{peak} bytes for {bytes:?}");
        }
    }
    // streams and frame are used again
    let empty = bytes::encode(&Plain::new(ElementType::UInt8, &[0], &[0]));
    let one = |stream_id| {
        let begun = messages::descriptor(stream_id, &empty, 0);
        [begun, messages::end(stream_id)].concat()
    };
    let many: Vec<u8> = (1..1000).flat_map(one).collect();
    let (result, peak) = read_messages(&many, 10);
    assert_eq!(result, Ok(()));
    assert!(peak <= bound(one(1).len()), "{peak} bytes");
}

/// What an item costs beside its bytes: its own size, twice in a vector that grows, a table of one
/// buffer, and the gap that aligns that.
const ITEM: usize = 400;

#[test]
fn c02_items_take_no_more_than_what_arrived() {
    for (name, stream) in hostile() {
        let items = stream.len() / bytes::encode(&Plain::new(ElementType::UInt8, &[], &[0])).len();
        for size in [1, 16, stream.len()] {
            let (result, peak) = read_items(&stream, size);
            assert!(result.is_err(), "{name}");
            let bound = bound(stream.len()) + items * ITEM;
            assert!(peak <= bound, "{name}: {peak} bytes");
        }
    }
}

#[test]
fn c02_small_tensors_cost_a_bounded_number_of_bytes_each() {
    let mut tensor = bytes::encode(&Plain::new(ElementType::UInt8, &[1], &[1]));
    tensor.push(7);
    for count in [1, 100, 5000] {
        let stream = tensor.repeat(count);
        let (result, peak) = read_items(&stream, 100);
        assert_eq!(result, Ok(count));
        assert!(
            peak <= stream.len() + count * ITEM + CONSTANT,
            "{peak} bytes"
        );
    }
}

#[test]
fn c02_buffers_are_not_copied_about() {
    let mut tensor = bytes::encode(&Plain::new(ElementType::UInt8, &[1 << 20], &[1 << 20]));
    let descriptor = tensor.len();
    tensor.resize(descriptor + (1 << 20), 7);
    // in one piece: the buffer, the gap that aligns it, and what an item costs
    let (result, peak) = read_items(&tensor, tensor.len());
    assert_eq!(result, Ok(1));
    assert!(peak <= (1 << 20) + CONSTANT, "{peak} bytes");
    // in small pieces: twice as much while it moves for the last time, and nothing to spare then
    let before = IN_USE.get();
    PEAK.set(before);
    let mut reader = ItemReader::new(Policy::STRICT);
    let mut items = Vec::new();
    for mut chunk in tensor.chunks(1000) {
        items.extend(reader.next_item(&mut chunk).unwrap());
    }
    let (kept, peak) = (IN_USE.get() - before, PEAK.get() - before);
    assert_eq!(items.len(), 1);
    assert!(kept as usize <= (1 << 20) + CONSTANT, "{kept} bytes");
    assert!(peak as usize <= growing(1 << 20), "{peak} bytes");
}

/// The buffer in front of the source, and what is reserved for a long buffer before it comes.
const ROOM: usize = 2 * 16_384;

#[test]
fn c02_stream_readers_take_no_more_than_what_arrived() {
    let read = |stream: &[u8]| {
        let before = IN_USE.get();
        PEAK.set(before);
        let mut reader = StreamReader::new(stream, Policy::STRICT);
        let result = reader.next_item();
        (result, (PEAK.get() - before) as usize)
    };
    for (name, stream) in hostile() {
        let items = stream.len() / bytes::encode(&Plain::new(ElementType::UInt8, &[], &[])).len();
        let (result, peak) = read(&stream);
        assert!(matches!(result, Err(IoError::Format(_))), "{name}");
        let bound = bound(stream.len()) + items * ITEM + ROOM;
        assert!(peak <= bound, "{name}: {peak} bytes");
    }
    let mut tensor = bytes::encode(&Plain::new(ElementType::UInt8, &[1 << 20], &[1 << 20]));
    tensor.resize(tensor.len() + (1 << 20), 7);
    let (result, peak) = read(&tensor);
    assert!(result.unwrap().is_some());
    assert!(peak <= growing(1 << 20) + ROOM, "{peak} bytes");
}

#[test]
fn c02_file_readers_take_no_more_than_the_file() {
    let mut refused = 0;
    let modes = |v: &Vector| [v.policy, permissive(&v.policy)].map(|policy| (v.clone(), policy));
    for (v, policy) in files().iter().flat_map(modes) {
        let before = IN_USE.get();
        PEAK.set(before);
        let result = FileReader::new(Cursor::new(&v.bytes), policy).and_then(|mut reader| {
            reader.items().try_for_each(|item| {
                item?;
                Ok(())
            })
        });
        let peak = (PEAK.get() - before) as usize;
        let judged = policy.mode == Mode::Permissive || result.is_ok() == v.accept;
        assert!(judged, "{}", v.id);
        refused += u32::from(result.is_err());
        // room for a directory; the end of the file in it, tables of it, a tensor
        assert!(peak <= bound(v.bytes.len()) + ROOM, "{}: {peak}", v.id);
    }
    assert!(refused > 90, "{refused}");
}

#[test]
fn want_of_memory_is_an_error_that_sticks() {
    let mut tensor = bytes::encode(&Plain::new(ElementType::UInt8, &[1 << 20], &[1 << 20]));
    tensor.resize(tensor.len() + (1 << 20), 7);
    let mut reader = ItemReader::new(Policy::STRICT);
    let (start, mut rest) = tensor.split_at(1000);
    assert_eq!(reader.next_item(&mut &start[..]), Ok(None));
    MOST.set(1 << 16);
    let failed = reader.next_item(&mut rest);
    MOST.set(usize::MAX);
    let error = failed.unwrap_err();
    assert!(matches!(error, hrry::owned::Error::Memory(_)), "{error}");
    assert_eq!(reader.next_item(&mut &tensor[..]), Err(error.clone()));
    assert_eq!(reader.finish(), Err(error));
}

/// A container in memory is read in what the caller lends, whatever it says.
fn read_file(bytes: &[u8], policy: &Policy, scratch: &mut [u64]) -> Result<usize, Error> {
    let (file, index) = FileView::open_with_scratch(bytes, policy, scratch)?;
    let mut read = 0;
    for entry in file.entries() {
        let found = index.find(entry.name).map(|entry| entry.name);
        assert!(found == Some(entry.name) && file.find(entry.name).is_some());
        let tensor = file.tensor(&entry, policy)?;
        read += tensor.buffers().map(<[u8]>::len).sum::<usize>();
    }
    read += file.kv().count();
    let arena = InlineArena::<1024>::new();
    let mut items = FileItems::new(file, index, Exact, arena, *policy);
    while items.next_item()?.is_some() {}
    items.finish()?;
    Ok(read)
}

#[test]
fn containers_in_memory_cost_none() {
    let mut scratch = vec![0; 1000];
    let (mut accepted, mut refused) = (0, 0);
    for v in support::vectors::files() {
        for policy in [v.policy, support::vectors::permissive(&v.policy)] {
            let before = IN_USE.get();
            PEAK.set(before);
            let result = read_file(&v.bytes, &policy, &mut scratch);
            assert_eq!((PEAK.get(), IN_USE.get()), (before, before), "{}", v.id);
            accepted += usize::from(result.is_ok());
            refused += usize::from(result.is_err());
        }
    }
    assert!(accepted > 80 && refused > 80, "{accepted} and {refused}");
}

#[test]
fn a_file_parser_allocates_nothing() {
    let vectors = files();
    for id in [
        "f-ok-kv-all",
        "f-ok-partition-pinwheel",
        "f-ok-multi-buffer",
    ] {
        let v = named(&vectors, id);
        let file = &v.bytes;
        let tensors = v.expect["tensors"].as_array().unwrap().len() as u64;
        for size in [1, 1000, file.len()] {
            let before = IN_USE.get();
            PEAK.set(before);
            let region = Some(Region::Count(tensors));
            let mut parser = FixedFile::<512, 64, 64>::new(Policy::STRICT, region);
            let result = file.chunks(size).try_for_each(|mut chunk| {
                while parser.next_event(&mut chunk)?.is_some() {}
                Ok(())
            });
            let end = result.and_then(|()| parser.finish());
            let peak = PEAK.get() - before;
            assert_eq!(end.map(|end| end.unchecked.tensors), Ok(false), "{id}");
            assert_eq!(peak, 0, "{id}");
        }
    }
}

/// A file without tensors whose first section starts with these bytes.
fn file_with(section: &[u8]) -> Vec<u8> {
    let vectors = files();
    let mut file = named(&vectors, "f-ok-kv-only").bytes[..64].to_vec();
    file.extend(section);
    file
}

#[test]
fn c02_memory_of_a_file_parser_follows_what_arrived() {
    let many = u32::MAX.to_le_bytes();
    // one key, `k`, then a tag and what it says
    let key = |value: &[u8]| file_with(&[&[1, 0, 0, 0, 1, 0, b'k'], value].concat());
    let files = [
        ("kv_count", file_with(&many)),
        ("key_length", file_with(&[1, 0, 0, 0, 0xFF, 0xFF, b'k'])),
        ("string", key(&[&[1][..], &many].concat())),
        ("bytes, begun", key(&[&[6][..], &many, &[0; 1000]].concat())),
        (
            "array of numbers",
            key(&[&[7, 2][..], &many, &[0; 1000]].concat()),
        ),
        (
            "array of strings",
            key(&[&[7, 1][..], &many, &[0; 1000]].concat()),
        ),
        (
            "string in an array",
            key(&[&[7, 1][..], &many, &many, &[0; 1000]].concat()),
        ),
    ];
    for (name, file) in files {
        for size in [1, 16, file.len()] {
            let before = IN_USE.get();
            PEAK.set(before);
            let region = Some(Region::Count(0));
            let (frame, policy) = (GrowFrame::new(), Policy::STRICT);
            let mut parser =
                FileParser::with_parts(frame, Exact, Vec::new(), Vec::new(), policy, region);
            let result = file.chunks(size).try_for_each(|mut chunk| {
                while parser.next_event(&mut chunk)?.is_some() {}
                Ok::<(), Error>(())
            });
            let refused = result.is_err() || parser.finish().is_err();
            let peak = (PEAK.get() - before) as usize;
            assert!(refused, "{name}");
            assert!(peak <= bound(file.len()), "{name}: {peak} bytes");
        }
    }
}
