//! The samples of an inertial sensor, streamed as tensors.
//!
//! `cargo run --example sensor_stream`
//!
//! The device sends blocks: groups of two tensors, accelerations and turn rates. Readings stay the raw
//! integers of the sensor; the scale that makes them physical travels in each descriptor. The link delivers
//! pieces of any size. Neither side allocates: the device holds its writer and one link buffer, the host
//! its decoder and the bytes of one tensor.

use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositionRule, DescriptorSpec, ElementType, Error,
    Event, F32Bits, FixedDecoder, FixedWriter, Layout, NoRoom, Outcome, Policy, Quantization,
    SliceSink, WriteError,
};

/// Eight samples of three axes of two sensors.
type Block = [[[i16; 3]; 8]; 2];
const SHAPE: [u64; 2] = [8, 3];
/// Bytes of one tensor of a block.
const BYTES: usize = 2 * 8 * 3;

/// The name of a tensor, and what one step of its numbers is.
const SENSORS: [(&str, f32); 2] = [
    ("acceleration in g", 1.0 / 2048.0),
    ("turn rate in degrees/s", 1.0 / 16.0),
];

/// The slice stands for a UART: it takes bytes in order and never goes back. Groups take no words of a validator;
/// partitions and overlays would.
type Device<'l> = FixedWriter<SliceSink<'l>, 0>;

fn send(device: &mut Device<'_>, block: &Block) -> Result<(), WriteError<NoRoom>> {
    let group = Layout::Composite(CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count: 2,
    });
    // a head has no data; the next two tensors are its members
    let head = DescriptorSpec::new(ElementType::Int16, &SHAPE, group, &[]);
    device.tensor(&head, &[])?;
    for (samples, (_, step)) in block.iter().zip(SENSORS) {
        let buffers = [BufferHandle::cpu(BYTES as u64, 64)];
        let plain = DescriptorSpec::new(ElementType::Int16, &SHAPE, Layout::RowMajor, &buffers);
        device.begin(&DescriptorSpec {
            quantization: Some(Quantization::per_tensor(F32Bits::from(step), 0)),
            ..plain
        })?;
        for reading in samples.as_flattened() {
            device.payload(&reading.to_le_bytes())?;
        }
        // a missing or an extra reading would be an error here
        device.end()?;
    }
    Ok(())
}

/// Descriptors of up to 256 bytes, no words for composites, as groups take none.
type Host = FixedDecoder<256, 0>;

/// Feeds `stream` in random pieces, compares every tensor with what was sent and counts the pieces.
fn receive(mut stream: &[u8], sent: &[Block]) -> Result<u32, Error> {
    let mut host = Host::new(Policy::STRICT);
    let (mut pieces, mut random) = (0, 1u32);
    let (mut blocks, mut sensor, mut tensor) = (0, 0, [0u8; BYTES]);
    while !stream.is_empty() {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let len = (1 + (random >> 24) as usize % 40).min(stream.len());
        let mut piece;
        (piece, stream) = stream.split_at(len);
        pieces += 1;
        while let Some(event) = host.next_event(&mut piece)? {
            match event {
                Event::Descriptor(d, Outcome::Opened { members, .. }) => {
                    println!(
                        "block {blocks}: {members} tensors of {:?}",
                        d.element_type()
                    );
                }
                Event::Descriptor(d, Outcome::Member { index, .. }) => {
                    sensor = index as usize;
                    if let Some(Quantization::PerTensor { scale, .. }) = d.quantization() {
                        let step = f32::from_bits(scale.0);
                        println!("  {}, steps of {step}", SENSORS[sensor].0);
                    }
                }
                // a piece may end inside a number, so bytes go where they belong first
                Event::Payload(p) => {
                    tensor[p.offset as usize..][..p.bytes.len()].copy_from_slice(p.bytes);
                }
                Event::TensorEnd(Outcome::Member { .. } | Outcome::Closed { .. }) => {
                    let values = tensor.chunks_exact(2);
                    let values = values.map(|bytes| i16::from_le_bytes([bytes[0], bytes[1]]));
                    assert!(values.eq(sent[blocks][sensor].as_flattened().iter().copied()));
                    blocks += usize::from(sensor == 1);
                }
                _ => {}
            }
        }
    }
    // the end of the input is an answer too: a block that misses a tensor is refused here
    host.finish()?;
    assert_eq!(blocks, sent.len());
    Ok(pieces)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rest = [[12, -7, 2048]; 8];
    let blocks: [Block; 2] = [[rest, [[0, 160, -160]; 8]], [rest, [[1, 2, i16::MIN]; 8]]];

    let mut memory = [0; 1024];
    let mut device = Device::new(SliceSink::new(&mut memory), Policy::STRICT);
    for block in &blocks {
        send(&mut device, block)?;
    }
    let link = device.finish()?;

    let pieces = receive(link.written(), &blocks)?;
    let (len, readings) = (link.written().len(), size_of_val(&blocks));
    println!("{len} bytes, {readings} of them readings, in {pieces} pieces: all as it was sent");
    let (writer, decoder) = (size_of::<FixedWriter<(), 0>>(), size_of::<Host>());
    println!("memory: {writer} bytes of writer beside its link, {decoder} bytes of decoder");
    Ok(())
}
