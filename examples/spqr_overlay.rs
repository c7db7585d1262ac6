//! Weights in the way of SpQR: int4 codes with a scale for each block, and the outliers that would spoil
//! the scales as float16 beside them.
//!
//! `cargo run --example spqr_overlay`
//!
//! A device quantizes what it measured, streams base and outliers as one overlay, and the other side merges
//! rows from it while the members arrive. Neither side needs an allocator for that; the stream itself is a
//! `Vec` here.

use hrry::owned::TensorDescriptor;
use hrry::{
    BufferHandle, Canvas, CombineOp, CompositeHead, CompositionRule, DescriptorSpec, ElementType,
    Event, FixedDecoder, FixedWriter, InlineArena, Layout, MemberRole, Policy, Quantization, Shard,
    SubBox, U64s, element, quantize,
};

const ROWS: u64 = 4;
const COLUMNS: u64 = 64;
const BLOCK: u32 = 16;
/// Larger than the rest by far, and so kept apart.
const OUTLIERS: [(u64, u64, f32); 3] = [(1, 5, 7.5), (1, 40, -12.0), (3, 9, 9.25)];

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let plain = weights();
    let stream = write(&plain)?;
    // 4 bits a code, 2 bytes a scale, 2 + 16 an outlier
    let overlay = plain.len() / 2 + plain.len() / BLOCK as usize * 2 + OUTLIERS.len() * 18;
    println!(
        "{} weights: {overlay} bytes of data in a stream of {}; as float16 {} bytes",
        plain.len(),
        stream.len(),
        plain.len() * 2
    );

    // rows 1 and 2 only
    let (offset, shape) = ([1, 0], [2, COLUMNS]);
    let part = SubBox {
        offset: U64s::from(&offset),
        shape: U64s::from(&shape),
    };
    let merged = read(&stream, part)?;
    println!("row 1 starts {:?}", &merged[..8]);
    assert_eq!((merged[5], merged[40]), (7.5, -12.0));

    let mut wanted = plain[COLUMNS as usize..][..merged.len()].to_vec();
    for (row, column, weight) in OUTLIERS {
        let place = (row * COLUMNS + column).checked_sub(COLUMNS);
        if let Some(wanted) = place.and_then(|place| wanted.get_mut(place as usize)) {
            *wanted = weight;
        }
    }
    let errors = merged.iter().zip(&wanted).map(|(a, b)| (a - b).abs());
    let worst = errors.fold(0.0, f32::max);
    println!("worst error {worst:.3}");
    // half a step of a block whose largest weight is 1, and the rounding to float16
    assert!(worst <= 0.5 / 7.0 + 1e-3);
    Ok(())
}

/// What a training run might leave, without its outliers.
fn weights() -> Vec<f32> {
    let count = (ROWS * COLUMNS) as usize;
    (0..count)
        .map(|k| ((k * 37 % 101) as f32 / 50.0) - 1.0)
        .collect()
}

/// Writes base and outliers as an overlay whose view is a float16 matrix.
fn write(weights: &[f32]) -> Result<Vec<u8>, Error> {
    let shape = [ROWS, COLUMNS];
    let place = Some(Shard {
        parent_shape: U64s::from(&shape),
        shard_offset: U64s::from(&[0, 0]),
    });
    let head = Layout::Composite(CompositeHead {
        composition_rule: CompositionRule::Overlay,
        combine_op: CombineOp::Replace,
        member_count: 2,
    });
    let mut writer = FixedWriter::<_, 16>::new(Vec::new(), Policy::STRICT);
    writer.tensor(
        &DescriptorSpec::new(ElementType::Float16, &shape, head, &[]),
        &[],
    )?;

    // two codes in a byte, a float16 scale for each block of a row
    let (mut codes, mut scales) = ([0; 128], [0; 32]);
    let buffers = [BufferHandle::cpu(128, 64), BufferHandle::cpu(32, 64)];
    let scheme = Quantization::per_block(1, BLOCK, 1, None, ElementType::Float16);
    let base = DescriptorSpec {
        quantization: Some(scheme),
        shard: place,
        member_role: Some(MemberRole::Base),
        ..DescriptorSpec::new(ElementType::Int4, &shape, Layout::RowMajor, &buffers)
    };
    quantize(&base, weights, &mut [&mut codes, &mut scales])?;
    writer.tensor(&base, &[&codes, &scales])?;

    let (mut values, numbers) = ([0; 6], OUTLIERS.map(|(_, _, weight)| weight));
    element::encode(ElementType::Float16, &numbers, 0, &mut values)?;
    let indices = OUTLIERS.map(|(row, column, _)| [row.to_le_bytes(), column.to_le_bytes()]);
    let buffers = [BufferHandle::cpu(6, 64), BufferHandle::cpu(48, 64)];
    let (nnz, is_sorted) = (3, true);
    let layout = Layout::Coo { nnz, is_sorted };
    let outliers = DescriptorSpec {
        shard: place,
        member_role: Some(MemberRole::Correction),
        ..DescriptorSpec::new(ElementType::Float16, &shape, layout, &buffers)
    };
    writer.tensor(&outliers, &[&values, indices.as_flattened().as_flattened()])?;
    Ok(writer.finish()?)
}

/// Merges a box of the overlay, each member as it arrives.
fn read(stream: &[u8], part: SubBox<'_>) -> Result<Vec<f32>, Error> {
    let count = part.elements().unwrap_or(0) as usize;
    let mut packed = vec![0; count * 2];
    let mut decoder = FixedDecoder::<256, 16>::new(Policy::STRICT);
    let mut canvas = None;
    let mut member = None;
    let mut buffers = Vec::new();
    let mut packed_out = Some(&mut packed[..]);
    let mut input = stream;
    while let Some(event) = decoder.next_event(&mut input)? {
        match event {
            Event::Descriptor(d, _) => match (d.layout(), packed_out.take()) {
                (Layout::Composite(_), Some(out)) => {
                    canvas = Some(Canvas::new(&d, part, out, InlineArena::<2>::new())?);
                }
                _ => {
                    buffers = vec![Vec::new(); d.buffer_count()];
                    member = Some(TensorDescriptor::from_view(d)?);
                }
            },
            Event::Payload(p) => buffers[usize::from(p.buffer)].extend_from_slice(p.bytes),
            Event::TensorEnd(_) => {
                if let (Some(canvas), Some(d)) = (&mut canvas, member.take()) {
                    let bytes: Vec<&[u8]> = buffers.iter().map(|buffer| &buffer[..]).collect();
                    canvas.item(&d, &bytes)?;
                }
            }
            _ => {}
        }
    }
    decoder.finish()?;
    let mut out = vec![0.0; count];
    element::decode(ElementType::Float16, &packed, 0, &mut out)?;
    Ok(out)
}
