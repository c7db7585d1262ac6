//! What a reader would refuse, and what the writer has no room for.

use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositionRule, DeviceTag, ElementType, ErrorKind,
    Exact, Field, FileOptions, FileWriter, FixedFileWriter, InlineArena, NoRoom, Order, Policy,
    Resource, Rule, Storage, SyncMode, WriteError,
};

use super::expected::{self, Tensor};
use super::{Result, Writer, plain, with, writer};
use crate::support::sinks::Limited;
use crate::support::spec::{Plain, PlainLayout};

/// What is wrong: a rule and its field, and which element of it.
fn refusal<T: std::fmt::Debug>(result: Result<T>) -> (&'static str, Field, u32) {
    match result {
        Err(WriteError::Refused(ErrorKind::Rule(v))) => (v.rule.id(), v.field, v.index),
        other => panic!("{other:?}"),
    }
}

fn byte() -> Plain {
    Plain::new(ElementType::UInt8, &[1], &[1])
}

fn put(writer: &mut Writer<'_>, name: &str, plain: &Plain) -> Result {
    let sizes = plain.buffers.iter().map(|handle| handle.byte_size);
    let zeros: Vec<Vec<u8>> = sizes.map(|size| vec![0; size as usize]).collect();
    let buffers: Vec<&[u8]> = zeros.iter().map(|buffer| &buffer[..]).collect();
    with(plain, |spec| writer.tensor(name, spec, &buffers))
}

#[test]
fn alignments_that_are_none_are_refused_before_the_header() {
    let with_alignment = |data_buffer_alignment, policy| {
        let mut options = FileOptions::PLAIN;
        options.data_buffer_alignment = data_buffer_alignment;
        let mut sink = Limited::unlimited();
        let made = writer(&mut sink, &options, policy).map(drop);
        let len = if made.is_ok() { 64 } else { 0 };
        assert_eq!(sink.bytes.len(), len);
        made
    };
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        for alignment in [0, 1, 64, 2048, 4095, 4097, 12288, 4 << 20, 1 << 31] {
            let expected = ("FILE-05", Field::DataBufferAlignment, 0);
            assert_eq!(refusal(with_alignment(alignment, policy)), expected);
        }
        for k in 12..=21 {
            assert_eq!(with_alignment(1 << k, policy), Ok(()));
        }
    }
}

#[test]
fn names_are_there_once_and_not_empty_in_any_mode() {
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        let mut sink = Limited::unlimited();
        let mut writer = FileWriter::growing(&mut sink, &FileOptions::PLAIN, policy).unwrap();
        let longest = "n".repeat(65_535);
        let too_long = "n".repeat(65_536);
        let mut put = |name: &str| with(&byte(), |spec| writer.tensor(name, spec, &[&[0]]));
        assert_eq!(refusal(put("")), ("FILE-17", Field::NameLength, 0));
        assert_eq!(refusal(put(&too_long)), ("FILE-17", Field::NameLength, 0));
        // ascending, then not
        let names = ["a", "ab", "b", "é", "aa", &longest, "A", "c"];
        for (k, name) in names.into_iter().enumerate() {
            assert_eq!(put(name), Ok(()), "{name}");
            for before in &names[..=k] {
                assert_eq!(refusal(put(before)), ("FILE-17", Field::Name, 0));
            }
        }
        writer.finish().unwrap();
        let tensors = names.map(|name| Tensor::new(name, byte(), &[&[0]]));
        let expected = expected::file(&FileOptions::PLAIN, &tensors, None);
        assert!(sink.bytes == expected, "refused calls wrote nothing");
    }
}

#[test]
fn names_ascend_where_that_was_promised() {
    let mut options = FileOptions::PLAIN;
    options.is_sorted = true;
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        let mut sink = Limited::unlimited();
        let mut writer = writer(&mut sink, &options, policy).unwrap();
        for name in ["B", "a", "a.1", "a.10", "a.2"] {
            assert_eq!(put(&mut writer, name, &byte()), Ok(()), "{name}");
        }
        for name in ["a.2", "a.10", "a.1999", "Z", "a"] {
            let refused = put(&mut writer, name, &byte());
            assert_eq!(refusal(refused), ("FILE-18", Field::Name, 0), "{name}");
        }
        assert_eq!(put(&mut writer, "b", &byte()), Ok(()));
        assert!(writer.finish().is_ok());
        assert_eq!(sink.bytes[12], 6);
    }
}

#[test]
fn buffers_ask_for_no_more_than_a_file_keeps() {
    let layout = PlainLayout::Coo {
        nnz: 1,
        is_sorted: true,
    };
    let mut coo = Plain::new(ElementType::UInt8, &[5], &[1, 8]).with_layout(layout);
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        let mut options = FileOptions::PLAIN;
        let written = |options: &FileOptions, plain: &Plain| {
            let mut sink = Limited::unlimited();
            let mut writer = writer(&mut sink, options, policy).unwrap();
            let result = put(&mut writer, "x", plain);
            drop(writer);
            assert_eq!(result.is_ok(), sink.bytes.len() > 64);
            result
        };
        coo.buffers[1].alignment = 4096;
        assert_eq!(written(&options, &coo), Ok(()));
        coo.buffers[1].alignment = 8192;
        let refused = refusal(written(&options, &coo));
        assert_eq!(refused, ("FILE-45", Field::Alignment, 1));
        options.data_buffer_alignment = 8192;
        assert_eq!(written(&options, &coo), Ok(()));

        let mut cuda = byte();
        cuda.buffers[0] = BufferHandle {
            device_tag: DeviceTag::Cuda,
            sync_mode: SyncMode(1),
            ..BufferHandle::cpu(1, 64)
        };
        let refused = refusal(written(&options, &cuda));
        assert_eq!(refused, ("FILE-45", Field::SyncMode, 0));
        cuda.buffers[0].sync_mode = SyncMode::ProducerSynced;
        assert_eq!(written(&options, &cuda), Ok(()));
    }
    assert_eq!(Rule::HandleAtRest.id(), "FILE-45");
}

#[test]
fn descriptors_and_members_have_the_rules_that_they_have_elsewhere() {
    let mut sink = Limited::unlimited();
    let mut writer = plain(&mut sink);
    let short = Plain::new(ElementType::Float32, &[2, 2], &[15]);
    let refused = refusal(put(&mut writer, "t", &short));
    assert_eq!(refused, ("LAYOUT-05", Field::ByteSize, 0));
    let head = |rule, member_count| {
        let head = CompositeHead {
            composition_rule: rule,
            combine_op: CombineOp::None,
            member_count,
        };
        Plain::head(ElementType::UInt8, &[4], head)
    };
    let partition = head(CompositionRule::Partition, 2);
    assert_eq!(put(&mut writer, "head", &partition), Ok(()));
    // the name of a refused tensor is still free
    let refused = refusal(put(&mut writer, "m", &byte()));
    assert_eq!(refused, ("COMP-27", Field::Flags, 0));
    let at = |offset| byte().with_shard(&[4], &[offset]);
    assert_eq!(put(&mut writer, "m", &at(0)), Ok(()));
    let overlap = ErrorKind::Overlap {
        member: 1,
        first: 0,
        last: 0,
    };
    let again = put(&mut writer, "n", &at(0));
    assert_eq!(again, Err(WriteError::Refused(overlap)));
    // two of four cells
    let refused = refusal(put(&mut writer, "n", &at(1)));
    assert_eq!(refused, ("COMP-43", Field::Shape, 0));
    let broken = Err(WriteError::Order(Order::Broken));
    assert_eq!(put(&mut writer, "o", &byte()), broken);
    assert_eq!(writer.finish().map(drop), broken);

    let mut sink = Limited::unlimited();
    let mut deep = plain(&mut sink);
    let group = head(CompositionRule::Group, 1);
    for name in ["1", "2", "3", "4", "5", "6", "7", "8"] {
        assert_eq!(put(&mut deep, name, &group), Ok(()));
    }
    let refused = refusal(put(&mut deep, "9", &group));
    assert_eq!(refused, ("COMP-20", Field::LayoutTag, 0));
    assert_eq!(put(&mut deep, "9", &byte()), Ok(()));
    assert!(deep.finish().is_ok());
}

fn full(needed: u64, available: u64) -> Result {
    Err(WriteError::Refused(ErrorKind::Capacity {
        what: Resource::Index,
        needed,
        available,
    }))
}

/// An entry takes 34 bytes and its name.
#[test]
fn a_full_index_refuses_a_tensor_before_it_is_written() {
    let mut sink = Limited::unlimited();
    let mut memory = [0xA5; 35 + 36];
    let mut writer = FileWriter::with_parts(
        &mut sink,
        &FileOptions::PLAIN,
        &mut memory[..],
        Exact,
        InlineArena::<0>::new(),
        Policy::STRICT,
    )
    .unwrap();
    let mut put = |name: &str, plain: &Plain, buffers: &[&[u8]]| {
        with(plain, |spec| writer.tensor(name, spec, buffers))
    };
    let names = "n".repeat(38);
    assert_eq!(put(&names, &byte(), &[&[1]]), full(72, 71));
    assert_eq!(put("a", &byte(), &[&[1]]), Ok(()));
    assert_eq!(put("bbb", &byte(), &[&[1]]), full(72, 71));
    // 8 bytes for the second buffer while the tensor is open
    let coo = Plain::new(ElementType::UInt8, &[5], &[0, 0]).with_layout(PlainLayout::Coo {
        nnz: 0,
        is_sorted: true,
    });
    assert_eq!(put("b", &coo, &[]), full(35 + 35 + 8, 71));
    assert_eq!(put("bb", &byte(), &[&[2]]), Ok(()));
    assert_eq!(put("c", &byte(), &[&[1]]), full(71 + 35, 71));
    writer.finish().unwrap();
    let tensors = [("a", 1), ("bb", 2)].map(|(name, n)| Tensor::new(name, byte(), &[&[n]]));
    let expected = expected::file(&FileOptions::PLAIN, &tensors, None);
    assert!(sink.bytes == expected, "refused calls wrote nothing");
}

#[test]
fn the_sizes_of_further_buffers_are_kept_behind_the_entries_while_they_are_open() {
    // CSR with three buffers: an entry of 35 bytes and two sizes; then an entry of 16 bytes less
    let csr = Plain::new(ElementType::UInt8, &[1, 3], &[2, 16, 16]);
    let csr = csr.with_layout(PlainLayout::Csr(2));
    let buffers: [&[u8]; 3] = [&[1; 2], &[2; 16], &[3; 16]];
    let mut sink = Limited::unlimited();
    let mut writer =
        FixedFileWriter::<_, 86, 0>::new(&mut sink, &FileOptions::PLAIN, Policy::STRICT).unwrap();
    let mut put = |name: &str| with(&csr, |spec| writer.tensor(name, spec, &buffers));
    assert_eq!(put("a"), Ok(()));
    assert_eq!(put("bb"), full(35 + 36 + 16, 86));
    assert_eq!(put("b"), Ok(()));
    writer.finish().unwrap();
    let tensors = ["a", "b"].map(|name| Tensor::new(name, csr.clone(), &buffers));
    let expected = expected::file(&FileOptions::PLAIN, &tensors, None);
    assert!(sink.bytes == expected);
}

/// Takes nothing behind byte 40, whatever its limit says.
struct Stingy(Vec<u8>);

impl Storage for Stingy {
    fn limit(&self) -> u64 {
        1 << 40
    }

    fn append(&mut self, len: usize, bytes: &[u8]) -> std::result::Result<(), NoRoom> {
        self.0.truncate(len);
        self.0.extend(bytes);
        if self.0.len() > 40 {
            Err(NoRoom)
        } else {
            Ok(())
        }
    }

    fn stored(&self, len: usize) -> &[u8] {
        &self.0[..len]
    }
}

#[test]
fn storage_that_fails_below_its_limit_is_full() {
    let mut sink = Limited::unlimited();
    let (index, options) = (Stingy(Vec::new()), FileOptions::PLAIN);
    let arena = InlineArena::<0>::new();
    let writer = FileWriter::with_parts(&mut sink, &options, index, Exact, arena, Policy::STRICT);
    let mut writer = writer.unwrap();
    let mut put = |name: &str| with(&byte(), |spec| writer.tensor(name, spec, &[&[7]]));
    assert_eq!(put("seven77"), full(41, 40));
    assert_eq!(put("six666"), Ok(()));
    assert_eq!(put("a"), full(75, 74));
    writer.finish().unwrap();
    let tensor = Tensor::new("six666", byte(), &[&[7]]);
    assert!(sink.bytes == expected::file(&options, &[tensor], None));
}

#[test]
fn positions_end_at_64_bits() {
    let mut sink = Limited::unlimited();
    let mut writer = plain(&mut sink);
    let none = WriteError::Refused(ErrorKind::Capacity {
        what: Resource::Position,
        needed: u64::MAX,
        available: 0,
    });
    let coo = |sizes: [u64; 2]| {
        let layout = PlainLayout::Coo {
            nnz: 1,
            is_sorted: false,
        };
        Plain::new(ElementType::UInt8, &[5], &sizes).with_layout(layout)
    };
    // the sum of the sizes; the end of the data; its padding; the second buffer
    let most = u64::MAX - 4096;
    for huge in [
        coo([u64::MAX, 8]),
        Plain::new(ElementType::UInt8, &[5], &[most + 1]),
        Plain::new(ElementType::UInt8, &[5], &[most]),
        coo([most - 8, 8]),
    ] {
        let begun = with(&huge, |spec| writer.begin("t", spec));
        assert_eq!(begun, Err(none));
    }
    assert!(writer.finish().is_ok());
    assert_eq!(sink.bytes.len(), 112);
    // as much as there is: its end is a multiple of 8
    let mut sink = Limited {
        bytes: Vec::new(),
        limit: 1 << 16,
    };
    let mut writer = plain(&mut sink);
    let huge = Plain::new(ElementType::UInt8, &[5], &[most - 7]);
    assert_eq!(with(&huge, |spec| writer.begin("t", spec)), Ok(()));
    let missing = Order::Missing { bytes: most - 7 };
    assert_eq!(writer.finish().map(drop), Err(WriteError::Order(missing)));
}

/// Where the validator runs out of room, it cannot know later items, so the writer stops.
#[test]
fn a_writer_without_room_for_composites_stops() {
    let mut sink = Limited::unlimited();
    let mut writer =
        FixedFileWriter::<_, 256, 4>::new(&mut sink, &FileOptions::PLAIN, Policy::STRICT).unwrap();
    let head = CompositeHead {
        composition_rule: CompositionRule::Partition,
        combine_op: CombineOp::None,
        member_count: 1,
    };
    let head = Plain::head(ElementType::UInt8, &[4], head);
    let capacity = ErrorKind::Capacity {
        what: Resource::Arena,
        needed: 5,
        available: 4,
    };
    let refused = with(&head, |spec| writer.begin("h", spec));
    assert_eq!(refused, Err(WriteError::Refused(capacity)));
    let broken = Err(WriteError::Order(Order::Broken));
    assert_eq!(with(&byte(), |spec| writer.begin("b", spec)), broken);
    assert_eq!(writer.finish().map(drop), broken);
    assert_eq!(sink.bytes.len(), 64);
}
