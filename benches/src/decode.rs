//! Descriptors: decoded in one call, pushed in pieces, encoded.

use std::hint::black_box;

use hrry::{
    DescriptorSpec, DescriptorView, Event, FixedDecoder, FixedStream, Layout, Policy, Prepared,
    Quantization, encode,
};
use hurray_core::TensorDescriptor;

use crate::cases::{self, Case};
use crate::measure::{Group, Op};

/// Longest descriptor of the cases, rounded up.
const FRAME: usize = 2048;

/// One group for each case. The reference returns an owned value; a view reads its fields later, so
/// `one_shot_fields` reads them all.
pub fn groups() -> Vec<Group> {
    cases::all().into_iter().map(decoding).collect()
}

fn decoding(case: Case) -> Group {
    let bytes: &'static [u8] = case.bytes.leak();
    let len = bytes.len();
    Group {
        name: format!("decode/{}", case.name),
        unit: "descriptor",
        ops: vec![
            Op::new("reference", move || {
                TensorDescriptor::decode(black_box(bytes)).expect("valid")
            }),
            Op::new("one_shot", move || one_shot(black_box(bytes))),
            Op::new("one_shot_fields", move || read(&one_shot(black_box(bytes)))),
            pushed("whole", bytes, len),
            pushed("chunks_64", bytes, 64),
            pushed("bytes", bytes, 1),
            decoder("decoder_whole", bytes, len),
            decoder("decoder_chunks_64", bytes, 64),
        ],
    }
}

fn one_shot(bytes: &[u8]) -> DescriptorView<'_> {
    let (view, _) = DescriptorView::parse(bytes, &Policy::STRICT).expect("valid");
    view
}

/// Touches every field that the owned descriptor of the reference holds.
fn read(d: &DescriptorView<'_>) -> u64 {
    let mut sum = d.shape().iter().fold(d.byte_offset(), u64::wrapping_add);
    sum ^= u64::from(d.element_type().0);
    for k in 0..d.buffer_count() {
        sum ^= d.buffer(k).map_or(0, |handle| {
            handle.byte_size ^ u64::from(handle.alignment) ^ u64::from(handle.device_tag.0)
        });
    }
    sum ^= match d.layout() {
        Layout::Strided { strides } => strides.iter().fold(0, |sum, n| sum ^ n as u64),
        Layout::Csf { nnz, mode_order } => mode_order.iter().fold(nnz, |sum, n| sum ^ u64::from(n)),
        Layout::Coo { nnz, .. } => nnz,
        Layout::Composite(head) => head.member_count.into(),
        _ => 0,
    };
    if let Some(Quantization::Buffers(p)) = d.quantization() {
        sum ^= u64::from(p.axis) ^ u64::from(p.block_size) ^ u64::from(p.scale_buffer_index);
    }
    if let Some(shard) = d.shard() {
        let both = shard.parent_shape.iter().chain(shard.shard_offset);
        sum = both.fold(sum, |sum, n| sum ^ n);
    }
    sum ^ d.member_role().map_or(0, |role| role.0.into())
}

/// The parser, given the descriptor in chunks of `size`.
fn pushed(name: &'static str, bytes: &'static [u8], size: usize) -> Op {
    let mut parser = FixedStream::<FRAME>::new(Policy::STRICT);
    Op::new(name, move || {
        let mut seen = 0;
        for chunk in black_box(bytes).chunks(black_box(size)) {
            let mut chunk = chunk;
            if let Some(Event::Descriptor(view, _)) = parser.next_event(&mut chunk).expect("valid")
            {
                black_box(&view);
                seen += 1;
            }
        }
        parser.reset();
        assert_eq!(seen, 1);
    })
}

/// The decoder, which also looks after composites, given the descriptor in chunks of `size`.
fn decoder(name: &'static str, bytes: &'static [u8], size: usize) -> Op {
    let mut decoder = FixedDecoder::<FRAME, 64>::new(Policy::STRICT);
    Op::new(name, move || {
        let mut seen = 0;
        for chunk in black_box(bytes).chunks(black_box(size)) {
            let mut chunk = chunk;
            if let Some(Event::Descriptor(view, _)) = decoder.next_event(&mut chunk).expect("valid")
            {
                black_box(&view);
                seen += 1;
            }
        }
        decoder.reset();
        assert_eq!(seen, 1);
    })
}

/// One group for each case. The reference checks nothing when it encodes; ours checks before, or each time.
pub fn encoding() -> Vec<Group> {
    let group = |case: Case| {
        let owned = TensorDescriptor::decode(&case.bytes).expect("valid");
        assert_eq!(owned.encode().expect("valid"), case.bytes);
        let (spec, mut out, mut again) = (case.spec, [0; FRAME], [0; FRAME]);
        let lasting: &'static DescriptorSpec<'static> = Box::leak(Box::new(spec));
        let prepared = Prepared::new(lasting, &Policy::STRICT).expect("valid");
        Group {
            name: format!("encode/{}", case.name),
            unit: "descriptor",
            ops: vec![
                Op::new("reference", move || {
                    black_box(&owned).encode().expect("valid")
                }),
                Op::new("prepared", move || {
                    let len = black_box(&prepared).encode(&mut again).expect("room");
                    black_box(&again);
                    len
                }),
                Op::new("checked", move || {
                    let len = encode(black_box(&spec), &mut out, &Policy::STRICT).expect("valid");
                    black_box(&out);
                    len
                }),
            ],
        }
    };
    cases::all().into_iter().map(group).collect()
}
