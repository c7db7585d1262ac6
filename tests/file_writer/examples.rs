//! Files whose bytes follow from the byte tables by hand.

use hrry::{
    CombineOp, CompositeHead, CompositionRule, ElementType, Exact, FileItems, FileOptions,
    FileView, InlineArena, Outcome, Policy,
};

use super::expected::Tensor;
use super::{Dirty, file, plain, with, write, writer};
use crate::support::bytes;
use crate::support::sinks::Limited;
use crate::support::spec::{Plain, PlainLayout};

fn u64s(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// Float32 [2, 2] with the values 1 to 4.
fn one_tensor() -> Tensor {
    let data = [1.0f32, 2.0, 3.0, 4.0].map(f32::to_le_bytes).concat();
    let plain = Plain::new(ElementType::Float32, &[2, 2], &[16]);
    Tensor::new("t", plain, &[&data])
}

/// The worked example of the catalogue: 4,195 bytes.
fn worked_example() -> Vec<u8> {
    let header = [
        b"HRRYFILE".to_vec(),
        vec![1, 0, 0, 0, 4, 0, 0, 0, 0, 0x10, 0, 0],
        u64s(&[64, u64::MAX]),
        vec![0; 28],
    ];
    let descriptor = [
        b"HRRY".to_vec(),
        vec![1, 0, 0x3D, 0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 0, 0, 0],
        u64s(&[2, 2, 0]),
        vec![1, 16, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0],
    ];
    let data = [
        0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40,
    ];
    let index = [
        u64s(&[1]),
        vec![1, 0, 0x74],
        u64s(&[64]),
        vec![0x3D, 0, 0, 0],
        u64s(&[4096, 16]),
        vec![0; 4],
    ];
    let trailer = [
        u64s(&[4112, 43, 0]),
        vec![0, 0, 0, 0, 0xE7, 0x5C, 0x52, 0xB3, 0, 0, 0, 0],
        b"HRRY".to_vec(),
    ];
    let mut file = header.concat();
    assert_eq!(file.len(), 64);
    file.extend(descriptor.concat());
    assert_eq!(file.len(), 64 + 61);
    file.resize(4096, 0);
    file.extend(data);
    file.extend(index.concat());
    assert_eq!(file.len(), 4155);
    file.extend(trailer.concat());
    assert_eq!(file.len(), 4195);
    file
}

#[test]
fn the_worked_example_comes_out_byte_for_byte() {
    let expected = worked_example();
    assert_eq!(file(&FileOptions::PLAIN, &[one_tensor()], &[]), expected);
    // the payload in pieces of every size
    for piece in 1..=17 {
        let mut sink = Dirty::new(4195);
        let writer = writer(&mut sink, &FileOptions::PLAIN, Policy::STRICT).unwrap();
        assert_eq!(write(writer, &[one_tensor()], &[], piece), Ok(4195));
        assert_eq!(sink.written(), expected, "{piece}");
    }
    // and as a whole
    let mut sink = Limited::unlimited();
    let mut writer = plain(&mut sink);
    let tensor = one_tensor();
    let data = &tensor.buffers[0][..];
    with(&tensor.plain, |spec| writer.tensor("t", spec, &[data])).unwrap();
    assert_eq!(writer.finish().unwrap().1, 4195);
    assert_eq!(sink.bytes, expected);
}

#[test]
fn a_file_without_tensors_has_112_bytes() {
    let mut expected = worked_example()[..64].to_vec();
    expected.extend([0; 8]);
    expected.extend(u64s(&[64, 8, 0]));
    expected.extend([0, 0, 0, 0, 0x8A, 0xB2, 0x28, 0x8C, 0, 0, 0, 0]);
    expected.extend(b"HRRY");
    assert_eq!(expected.len(), 112);
    assert_eq!(file(&FileOptions::PLAIN, &[], &[]), expected);
}

#[test]
fn options_stand_in_the_header() {
    let mut options = FileOptions::PLAIN;
    options.data_buffer_alignment = 2 << 20;
    options.tensor_count_hint = 0x0102;
    options.is_sorted = true;
    let bytes = file(&options, &[], &[]);
    assert_eq!(bytes[12..20], [6, 0, 0, 0, 0, 0, 0x20, 0]);
    assert_eq!(bytes[28..36], [2, 1, 0, 0, 0, 0, 0, 0]);
    options.is_sorted = false;
    options.has_kv_metadata = true;
    assert_eq!(file(&options, &[], &[])[12..16], [5, 0, 0, 0]);
    assert_eq!(FileOptions::default(), FileOptions::PLAIN);
}

/// `descriptor_offset`, `descriptor_length`, `data_offset`, `data_length` of each entry.
fn places(bytes: &[u8]) -> Vec<[u64; 4]> {
    let view = FileView::open(bytes, &Policy::STRICT).unwrap();
    let entries = view.entries().map(|entry| {
        [
            entry.descriptor_offset,
            entry.descriptor_length.into(),
            entry.data_offset,
            entry.data_length,
        ]
    });
    entries.collect()
}

fn head(shape: &[u64], rule: CompositionRule, member_count: u32) -> Plain {
    let head = CompositeHead {
        composition_rule: rule,
        combine_op: CombineOp::None,
        member_count,
    };
    Plain::head(ElementType::Float32, shape, head)
}

#[test]
fn a_composite_has_no_padding_behind_its_head() {
    let member = |offset| {
        Plain::new(ElementType::Float32, &[8, 4], &[128]).with_shard(&[8, 8], &[0, offset])
    };
    let tensors = [
        Tensor::new("whole", head(&[8, 8], CompositionRule::Partition, 2), &[]),
        Tensor::new("left", member(0), &[&[1; 128]]),
        Tensor::new("right", member(4), &[&[2; 128]]),
    ];
    let bytes = file(&FileOptions::PLAIN, &tensors, &[]);
    let expected = [
        // without data: where the next descriptor is
        [64, 53, 120, 0],
        [120, 93, 4096, 128],
        [4224, 93, 8192, 128],
    ];
    assert_eq!(places(&bytes), expected);
    assert_eq!(bytes[117..120], [0; 3]);
    assert_eq!(bytes[120..213], bytes::encode(&tensors[1].plain));
    assert!(bytes[213..4096].iter().all(|byte| *byte == 0));
    assert_eq!(bytes[4096..4224], [1; 128]);
    assert_eq!(bytes[4224..4317], bytes::encode(&tensors[2].plain));
    assert_eq!(bytes[8192..8320], [2; 128]);
    // the index at 8320 is a multiple of 8 already
    assert_eq!(bytes.len(), 8320 + 8 + 3 * 34 + 5 + 4 + 5 + 40);
}

/// CSR [2, 3] with two values: buffers of 2, 16 and 24 bytes, padded to 4,096; here with buffers between
/// that are empty.
#[test]
fn buffers_lie_at_multiples_of_the_alignment_also_empty_ones() {
    let csr = Plain::new(ElementType::UInt8, &[2, 3], &[2, 16, 24]);
    let csr = csr.with_layout(PlainLayout::Csr(2));
    // no values: the first two are empty
    let zeros = Plain::new(ElementType::UInt8, &[2, 3], &[0, 0, 24]);
    let zeros = zeros.with_layout(PlainLayout::Csr(0));
    // no element at all
    let empty = Plain::new(ElementType::UInt8, &[0, 3], &[0]);
    // no coordinates
    let coo = Plain::new(ElementType::UInt8, &[4], &[0, 0]).with_layout(PlainLayout::Coo {
        nnz: 0,
        is_sorted: true,
    });
    let tensors = [
        Tensor::new("csr", csr, &[&[1; 2], &[2; 16], &[3; 24]]),
        Tensor::new("zeros", zeros, &[&[], &[], &[4; 24]]),
        Tensor::new("empty", empty, &[&[]]),
        Tensor::new("coo", coo, &[&[], &[]]),
    ];
    let bytes = file(&FileOptions::PLAIN, &tensors, &[]);
    // descriptors: 20 + 16 + 8 + 16 + 1 + 48; the same; 20 + 16 + 8 + 17; 20 + 8 + 8 + 16 + 1 + 32
    let expected = [
        // buffers at 4096, 8192, 12288
        [64, 109, 4096, 8192 + 24],
        // 12312 is a multiple of 8; the empty buffers share a place with the third
        [12312, 109, 16384, 24],
        [16408, 61, 20480, 0],
        [20480, 85, 24576, 0],
    ];
    assert_eq!(places(&bytes), expected);
    assert_eq!(bytes[4096..4099], [1, 1, 0]);
    assert_eq!(bytes[8192..8209], [vec![2; 16], vec![0]].concat());
    assert_eq!(bytes[12288..12313], [vec![3; 24], b"H".to_vec()].concat());
    assert_eq!(bytes[16384..16408], [4; 24]);
    // the index is where the empty buffers would be
    assert_eq!(
        bytes.len(),
        24576 + 8 + 4 * 34 + "csrzerosemptycoo".len() + 40
    );
    assert!(bytes[20565..24576].iter().all(|byte| *byte == 0));
    // payload in pieces of every size
    for piece in 1..=43 {
        let mut sink = Dirty::new(bytes.len());
        let writer = writer(&mut sink, &FileOptions::PLAIN, Policy::STRICT).unwrap();
        write(writer, &tensors, &[], piece).unwrap();
        assert!(sink.written() == bytes, "{piece}");
    }
}

#[test]
fn an_empty_buffer_at_the_end_counts_with_the_padding_in_front_of_it() {
    let coo = Plain::new(ElementType::UInt8, &[4], &[3, 0]).with_layout(PlainLayout::Coo {
        nnz: 0,
        is_sorted: true,
    });
    let tensor = Tensor::new("x", coo, &[&[9; 3], &[]]);
    let bytes = file(&FileOptions::PLAIN, &[tensor], &[]);
    // from 4096 to 8192, where the second buffer is
    assert_eq!(places(&bytes), [[64, 85, 4096, 4096]]);
    assert_eq!(bytes[4096..4100], [9, 9, 9, 0]);
    assert_eq!(bytes.len(), 8192 + 8 + 35 + 40);
}

#[test]
fn composites_nest_to_eight_levels() {
    let leaf = Plain::new(ElementType::Float32, &[1], &[4]);
    let mut tensors: Vec<Tensor> = (0..8)
        .map(|k| Tensor::new(&format!("h{k}"), head(&[1], CompositionRule::Group, 1), &[]))
        .collect();
    tensors.push(Tensor::new("leaf", leaf, &[&[1; 4]]));
    let bytes = file(&FileOptions::PLAIN, &tensors, &[]);
    // heads of 20 + 8 + 8 + 8 + 1 bytes, each padded to 48
    let expected = (0..8).map(|k| [64 + 48 * k, 45, 64 + 48 * (k + 1), 0]);
    let leaf = [64 + 48 * 8, 53, 4096, 4];
    assert!(places(&bytes).into_iter().eq(expected.chain([leaf])));
    let mut scratch = [0; 32];
    let (view, index) = FileView::open_with_scratch(&bytes, &Policy::STRICT, &mut scratch).unwrap();
    let mut items = FileItems::new(view, index, Exact, InlineArena::<64>::new(), Policy::STRICT);
    let mut closed = 0;
    while let Some(item) = items.next_item().unwrap() {
        if let Outcome::Closed { levels, .. } = item.ends {
            closed += levels;
        }
    }
    assert_eq!(items.finish(), Ok(()));
    assert_eq!(closed, 8);
}
