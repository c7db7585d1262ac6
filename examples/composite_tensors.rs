//! The three kinds of composites, and what is refused.
//!
//! `cargo run --example composite_tensors`
//!
//! A composite is a head without data and the tensors that follow it. A partition cuts one tensor into
//! boxes, an overlay corrects a base, a group is a bundle. The writer refuses what a reader would refuse.

use std::collections::TryReserveError;
use std::fmt::Write;

use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositionRule, DescriptorSpec, ElementType, Event,
    FixedDecoder, FixedWriter, Layout, MemberRole, Outcome, Policy, Quantization, Shard,
    WriteError,
};

/// Into growing memory, with 64 words for the boxes of open partitions; a file or a socket would do as well.
type Writer = FixedWriter<Vec<u8>, 64>;
type Written = Result<(), WriteError<TryReserveError>>;

/// Writes a head: the next `member_count` items are its members.
fn open(
    writer: &mut Writer,
    (composition_rule, combine_op): (CompositionRule, CombineOp),
    member_count: u32,
    (element_type, shape): (ElementType, &[u64]),
) -> Written {
    let layout = Layout::Composite(CompositeHead {
        composition_rule,
        combine_op,
        member_count,
    });
    writer.tensor(&DescriptorSpec::new(element_type, shape, layout, &[]), &[])
}

fn place<'a>(parent: &'a [u64; 2], offset: &'a [u64; 2]) -> Option<Shard<'a>> {
    let (parent_shape, shard_offset) = (parent.into(), offset.into());
    Some(Shard {
        parent_shape,
        shard_offset,
    })
}

/// A 4 x 6 matrix in boxes, each with its offset and its shape.
fn partition(writer: &mut Writer, boxes: &[([u64; 2], [u64; 2])]) -> Written {
    let kind = (CompositionRule::Partition, CombineOp::None);
    let count = boxes.len() as u32;
    open(writer, kind, count, (ElementType::Float32, &[4, 6]))?;
    for (offset, shape) in boxes {
        let zeros = vec![0; (shape[0] * shape[1] * 4) as usize];
        let buffers = [BufferHandle::cpu(zeros.len() as u64, 64)];
        let mut tile = DescriptorSpec::new(ElementType::Float32, shape, Layout::RowMajor, &buffers);
        tile.shard = place(&[4, 6], offset);
        writer.tensor(&tile, &[&zeros])?;
    }
    Ok(())
}

/// Weights in the way of SpQR: int4 in blocks of 32 with a float16 scale each, and the few outliers that
/// this would spoil as float16 beside them.
fn overlay(writer: &mut Writer) -> Written {
    let (shape, kind) = ([4, 64], (CompositionRule::Overlay, CombineOp::Replace));
    open(writer, kind, 2, (ElementType::Float16, &shape))?;

    // 4 x 64 half bytes; two scales of 1.0 for each row, in buffer 1
    let buffers = [BufferHandle::cpu(128, 64), BufferHandle::cpu(16, 64)];
    let mut base = DescriptorSpec::new(ElementType::Int4, &shape, Layout::RowMajor, &buffers);
    base.quantization = Some(Quantization::per_block(
        1,
        32,
        1,
        None,
        ElementType::Float16,
    ));
    base.shard = place(&shape, &[0, 0]);
    base.member_role = Some(MemberRole::Base);
    writer.tensor(&base, &[&[0x21; 128], &[0x00, 0x3C].repeat(8)])?;

    // 7.5 at [1, 5] and -30 at [3, 9]
    let indices = [1u64, 5, 3, 9].map(u64::to_le_bytes);
    let (nnz, is_sorted) = (2, true);
    let buffers = [BufferHandle::cpu(4, 64), BufferHandle::cpu(32, 64)];
    let layout = Layout::Coo { nnz, is_sorted };
    let mut outliers = DescriptorSpec::new(ElementType::Float16, &shape, layout, &buffers);
    outliers.shard = place(&shape, &[0, 0]);
    outliers.member_role = Some(MemberRole::Correction);
    let values = [0x80, 0x47, 0x80, 0xCF];
    writer.tensor(&outliers, &[&values, indices.as_flattened()])
}

/// Members of a group need not fit each other, and a composite can be a member too.
fn group(writer: &mut Writer) -> Written {
    let kind = (CompositionRule::Group, CombineOp::None);
    open(writer, kind, 2, (ElementType::UInt8, &[1]))?;
    let buffers = [BufferHandle::cpu(3, 64)];
    let name = DescriptorSpec::new(ElementType::UInt8, &[3], Layout::RowMajor, &buffers);
    writer.tensor(&name, &[b"w_1".as_slice()])?;
    partition(writer, &[([0, 0], [4, 2]), ([0, 2], [4, 4])])
}

/// Reads a stream back, one line a tensor.
fn tree(mut stream: &[u8]) -> Result<String, Box<dyn std::error::Error>> {
    let mut decoder = FixedDecoder::<256, 64>::new(Policy::STRICT);
    let mut lines = String::new();
    while let Some(event) = decoder.next_event(&mut stream)? {
        if let Event::Descriptor(d, place) = event {
            let indent = match place {
                Outcome::Opened { depth, .. } => 2 * usize::from(depth),
                Outcome::Member { depth, .. } => 2 + 2 * usize::from(depth),
                _ => 2,
            };
            write!(lines, "{:indent$}{:?}", "", d.element_type())?;
            write!(lines, " {:?}", d.shape().iter().collect::<Vec<_>>())?;
            match d.layout() {
                Layout::Composite(head) => writeln!(lines, " {:?}", head.composition_rule)?,
                _ => writeln!(lines, " {:?}", d.layout_tag())?,
            }
        }
    }
    decoder.finish()?;
    Ok(lines)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let new = || Writer::new(Vec::new(), Policy::STRICT);
    let mut writer = new();
    let boxes = [([0, 0], [4, 2]), ([0, 2], [1, 4]), ([1, 2], [3, 4])];
    partition(&mut writer, &boxes)?;
    overlay(&mut writer)?;
    group(&mut writer)?;
    let stream = writer.finish()?;
    print!("a stream of {} bytes:\n{}", stream.len(), tree(&stream)?);

    let error = partition(&mut new(), &[([0, 0], [4, 3]), ([0, 1], [4, 5])]).unwrap_err();
    println!("columns 1 and 2 in two members:\n  {error}");
    let error = partition(&mut new(), &[([0, 0], [4, 3]), ([0, 4], [4, 2])]).unwrap_err();
    println!("column 3 in no member:\n  {error}");
    let error = tree(&stream[..stream.len() - 93 - 64]).unwrap_err();
    println!("the last tensor lost on the way, all 93 + 64 bytes of it:\n  {error}");
    Ok(())
}
