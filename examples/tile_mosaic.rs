//! A matrix in unequal tiles, each in the layout and type that suits it, read as one.
//!
//! `cargo run --example tile_mosaic`
//!
//! A 5 x 8 matrix of float32: a dense corner in Morton order, a strip of int8 codes, a block that is almost
//! empty, and a column-major rest. Whoever reads it sees rows and columns, and of the tiles outside the box
//! that is asked for not a byte is touched.

use hrry::owned::layout::{
    CompositeLayout, CompositionRule, CooLayout, LayoutDescriptor, MortonLayout,
};
use hrry::owned::{
    Buffer, BufferHandle, Composite, ElementType, Error, Item, PerTensorAffine,
    QuantizationDescriptor, Shape, ShardDescriptor, Tensor, TensorDescriptor,
    TensorDescriptorBuilder,
};
use hrry::{SubBox, U64s};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rule = CompositionRule::Partition;
    let head = TensorDescriptor::builder(ElementType::Float32, Shape::new(vec![5, 8])?)
        .layout(LayoutDescriptor::Composite(CompositeLayout::new(rule, 4)?))
        .build()?;
    let members = vec![corner()?, strip()?, outliers()?, rest()?];
    let matrix = Composite::new(head, members.into_iter().map(Item::from).collect())?;

    println!("the whole matrix:");
    let all: Vec<f32> = matrix.to_vec()?;
    all.chunks(8).for_each(|row| println!("{row:5.1?}"));
    assert_eq!(all[..8], [0.0, 1.0, 4.0, 5.0, 0.0, 0.0, 0.0, 0.0]);

    let (offset, shape) = ([1, 2], [2, 4]);
    let part = SubBox {
        offset: U64s::from(&offset),
        shape: U64s::from(&shape),
    };
    let part: Vec<f32> = matrix.read_box(part)?;
    println!("rows 1 and 2, columns 2 to 5:");
    part.chunks(4).for_each(|row| println!("{row:5.1?}"));
    assert_eq!(part, [6.0, 7.0, 0.0, -9.5, 0.5, 0.75, 0.0, 0.0]);

    // what leaves a hole is no matrix
    let members = vec![Item::from(corner()?), strip()?.into(), outliers()?.into()];
    let head = TensorDescriptor::builder(ElementType::Float32, Shape::new(vec![5, 8])?)
        .layout(LayoutDescriptor::Composite(CompositeLayout::new(rule, 3)?))
        .build()?;
    println!(
        "without the last tile: {}",
        Composite::new(head, members).unwrap_err()
    );
    Ok(())
}

/// A tile of that type and shape, at a place in the matrix.
fn tile(
    element_type: ElementType,
    shape: [u64; 2],
    at: [u64; 2],
) -> Result<TensorDescriptorBuilder, Error> {
    let shape = Shape::new(shape)?;
    let place = ShardDescriptor::new(vec![5, 8], at)?;
    Ok(TensorDescriptor::builder(element_type, shape).shard(place))
}

/// Rows 0 and 1, columns 0 to 3, along a Z-order curve: neighbours stay neighbours.
fn corner() -> Result<Tensor, Error> {
    let layout = LayoutDescriptor::Morton(MortonLayout {
        morton_bits: vec![2, 2],
    });
    let descriptor = tile(ElementType::Float32, [2, 4], [0, 0])?
        .layout(layout)
        .buffer(BufferHandle::cpu(64, 64))
        .build()?;
    // the value of each element is its place along the curve
    let mut cells = [0.0f32; 16];
    for (row, column, place) in [(0, 0, 0), (1, 0, 1), (0, 1, 2), (1, 1, 3)] {
        cells[place] = (2 * row + column) as f32;
        cells[place + 8] = (2 * row + column + 4) as f32;
    }
    Tensor::new(descriptor, vec![floats(&cells)])
}

/// Rows 2 to 4, columns 0 to 3, as one byte each.
fn strip() -> Result<Tensor, Error> {
    let values: Vec<f32> = (0..12).map(|k| k as f32 / 4.0).collect();
    let scheme = PerTensorAffine::new(0.25f32, 0)?;
    tile(ElementType::Int8, [3, 4], [2, 0])?
        .quantization(QuantizationDescriptor::PerTensorAffine(scheme))
        .quantize(&values)
}

/// Rows 0 to 2, columns 4 to 7, of which one element is not 0.
fn outliers() -> Result<Tensor, Error> {
    let descriptor = tile(ElementType::Float32, [3, 4], [0, 4])?
        .layout(LayoutDescriptor::Coo(CooLayout::new(1, true)))
        .buffer(BufferHandle::cpu(4, 64))
        .buffer(BufferHandle::cpu(16, 64))
        .build()?;
    let place: Vec<u8> = [1u64, 1].iter().flat_map(|at| at.to_le_bytes()).collect();
    Tensor::new(descriptor, vec![floats(&[-9.5]), Buffer::from(place)])
}

/// Rows 3 and 4, columns 4 to 7, column by column.
fn rest() -> Result<Tensor, Error> {
    let descriptor = tile(ElementType::Float32, [2, 4], [3, 4])?
        .layout(LayoutDescriptor::ColumnMajor)
        .buffer(BufferHandle::cpu(32, 64))
        .build()?;
    let columns = [10.0, 20.0, 11.0, 21.0, 12.0, 22.0, 13.0, 23.0];
    Tensor::new(descriptor, vec![floats(&columns)])
}

fn floats(numbers: &[f32]) -> Buffer {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    Buffer::from(bytes)
}
